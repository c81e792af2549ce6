"""The tape view in JupyterLab, with the programs that it was made for: its speed, its sizes, its keys, its grounds."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell
from playwright.sync_api import Browser, expect

from tests.browser import sample
from tests.browser.axe import axe
from tests.browser.lab import PLACE, Notebook, Server, errors, serve
from tests.browser.picture import Picture
from tests.browser.play import ECHO, small, step_is_painted_at_once
from tests.browser.sample import HEAD
from tests.messages import tells
from tests.view.programs import PROGRAMS

# what a reader meets first is tried on each push
first, nightly = pytest.mark.browser, pytest.mark.nightly
MLP = """
net = nn.SequentialCell(nn.Dense(3, 4), nn.Tanh(), nn.Dense(4, 2))
x, t = ms.Tensor(np.ones((2, 3), np.float32)), ms.Tensor(np.zeros((2, 2), np.float32))
def loss(x):
    return ((net(x) - t) ** 2).mean()
with ms.Tape() as tape:
    ms.value_and_grad(loss, None, net.trainable_params())(x)
"""
BPTT = """
w, u = ms.Parameter(np.eye(4, dtype=np.float32) / 2, name='w'), ms.Parameter(np.ones((3, 4), np.float32), name='u')
b = ms.Parameter(np.zeros(4, np.float32), name='b')
def loss(x):
    h = ms.Tensor(np.zeros((1, 4), np.float32))
    for t in range(50):
        h = ops.tanh(ops.matmul(h, w) + ops.matmul(x[t], u) + b)
    return (h * h).sum()
with ms.Tape() as tape:
    ms.grad(loss, 0, [w, u, b])(ms.Tensor(np.linspace(-1, 1, 150, dtype=np.float32).reshape(50, 1, 3)))
"""
TRAVEL = {'lesson 03': PROGRAMS['matmul_loss'], 'MLP': MLP, 'BPTT': BPTT, 'relu6': PROGRAMS['relu6']}
CUT = """root => [...root.querySelectorAll('.mc2 .box svg text')].filter(one => {
  const text = one.getBoundingClientRect(), box = one.closest('svg').getBoundingClientRect();
  return text.width && (text.left < box.left - 2 || text.right > box.right + 2 || text.bottom > box.bottom + 2);
}).map(one => one.textContent)"""

# A picture that comes into sight chooses its layout in the frame after.
FITTED = "one => (one.clientWidth < 900) === Boolean(one.querySelector('.narrow'))"


@pytest.fixture(scope='module')
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp('tapes')
    echo = f'from IPython.display import HTML\nHTML({ECHO!r})'
    sample.write(path / 'tapes.ipynb', *(f'{HEAD}{program}\ntape' for program in TRAVEL.values()), echo)
    return path


@pytest.fixture(scope='module')
def server(browser: Browser, folder: Path) -> Iterator[Server]:
    with serve(folder) as server:
        yield server


@pytest.fixture(scope='module')
def notebook(browser: Browser, server: Server) -> Iterator[Notebook]:
    notebook = Notebook(browser, server, 'tapes.ipynb')
    notebook.page.emulate_media(reduced_motion='reduce')
    notebook.run = notebook.run_all()
    yield notebook
    assert notebook.seen.well()
    notebook.close()


def shown(notebook: Notebook, name: str) -> Picture:
    """The picture of a program, scrolled to."""
    cell = f'cell-{1 + [*TRAVEL].index(name)}'
    notebook.show(cell)
    place = notebook.page.evaluate(PLACE, cell)
    found = notebook.page.locator(f'.jp-Cell[data-windowed-list-index="{place}"] .mc2')
    found.scroll_into_view_if_needed()
    notebook.page.wait_for_function(FITTED, arg=found.element_handle())
    return Picture(notebook.page, found)


@first
def test_all_programs_run(notebook):
    assert errors(notebook.run) == []
    data = [out['data'] for cell in notebook.run for out in cell['outputs'] if 'data' in out]
    sizes = {name: len(json.dumps(each)) for name, each in zip(TRAVEL, data, strict=False)}
    assert len(sizes) == len(TRAVEL) and max(sizes.values()) < 1.1e6, sizes  # quoted once more, as a notebook does
    kinds = [set(cell['outputs'][0]['data']) for cell in notebook.run[: len(TRAVEL)]]
    assert kinds == [{'text/html', 'text/plain'}] * len(TRAVEL)


@nightly
@pytest.mark.parametrize('name', ['lesson 03', 'MLP', 'BPTT'])
def test_a_key_is_painted_at_once(notebook, name):
    turn = min(30, shown(notebook, name).steps - 1)
    step_is_painted_at_once(notebook.page, lambda: shown(notebook, name).slider, turn)


@pytest.mark.parametrize('width', [900, 1366, 390])
@pytest.mark.parametrize('name', [pytest.param(name, marks=nightly if k else first) for k, name in enumerate(TRAVEL)])
def test_no_text_is_small_and_none_is_cut(notebook, name, width):
    page = notebook.page
    page.set_viewport_size({'width': width, 'height': 768})
    if width < 1000:  # the folder beside the notebook takes half of it
        page.evaluate('() => window.jupyterapp.shell.collapseLeft()')
    view = shown(notebook, name)
    view.slider.focus()
    heights = set()
    for key in ('Home', *['ArrowRight'] * 9, 'End'):
        page.keyboard.press(key)
        page.wait_for_timeout(30)
        assert small(view.root) == [], view.step
        assert view.root.evaluate(CUT) == [], view.step
        heights.add(view.root.locator('.box > svg').bounding_box()['height'])
    assert len(heights) == 1, 'the picture jumps'


@first
def test_lesson_03_needs_no_scroll_on_a_small_laptop(notebook):
    notebook.page.set_viewport_size({'width': 1366, 'height': 768})
    box = shown(notebook, 'lesson 03').root.locator('.view').bounding_box()
    pane = notebook.page.locator('.jp-WindowedPanel-outer').bounding_box()
    assert box['height'] <= pane['height']


@nightly
def test_an_mlp_shows_four_cards_and_the_whole_line(notebook):
    notebook.page.set_viewport_size({'width': 1366, 'height': 768})
    view = shown(notebook, 'MLP')
    assert view.root.locator('rect[go^=e]').count() >= 4
    a, b = view.slider.bounding_box(), view.root.locator('.view').bounding_box()
    assert b['x'] <= a['x'] and a['x'] + a['width'] <= b['x'] + b['width'] and a['width'] > 200


@first
def test_views_do_not_disturb_each_other_and_keys_do_not_leak(notebook):
    page = notebook.page
    one = shown(notebook, 'lesson 03')
    one.slider.focus()
    page.keyboard.press('Home')
    cells = page.evaluate('() => window.jupyterapp.shell.currentWidget.content.widgets.length')
    for key in ('ArrowRight', 'ArrowRight', 'a', 'b', 'd', 'd', 'x', 'm', 'Enter', 'ArrowRight'):
        page.keyboard.press(key)
    assert one.step == 4
    other = shown(notebook, 'relu6')
    other.slider.focus()
    page.keyboard.press('End')
    number = other.root.locator('[rc]').first
    number.click()
    for key in ('Escape', 'a', 'd', 'd', 'x', 'Enter', 'Escape'):
        page.keyboard.press(key)
    expect(number).to_be_focused()
    assert page.evaluate('() => window.jupyterapp.shell.currentWidget.content.widgets.length') == cells
    assert other.step == other.steps and shown(notebook, 'lesson 03').step == 4


@first
def test_the_keyboard_alone_steps_jumps_and_asks(notebook):
    page, view = notebook.page, shown(notebook, 'lesson 03')
    view.slider.focus()
    page.keyboard.press('End')
    view.button('Takeover').focus()
    page.keyboard.press('Enter')
    assert view.title().startswith('Takeover')
    tells(view.root.locator('.live').text_content(), f'Step {view.step} of', f'{view.steps}. Takeover')
    page.keyboard.press('Tab')
    assert page.evaluate("() => Boolean(document.activeElement.closest('.mc2'))")


@first
@pytest.mark.parametrize('theme', ['JupyterLab Dark', 'JupyterLab Light'])
def test_both_themes_are_readable(notebook, theme, shots: Path):
    page = notebook.page
    view = shown(notebook, 'lesson 03')
    notebook.theme(theme)
    page.screenshot(path=shots / f'tape-{theme.split()[1].lower()}.png')
    ground = view.root.locator('.view').evaluate('one => getComputedStyle(one).backgroundColor')
    dark = sum(map(int, re.findall(r'\d+', ground)[:3])) < 200
    assert dark == ('Dark' in theme)
    for key in ('Home', 'End'):
        view.slider.press(key)
        assert axe(page, {'include': [['.mc2']]}).serious == []


@nightly
def test_what_was_saved_plays_where_it_is_trusted_and_is_a_still_where_not(browser, server, folder):
    space: dict = {}
    exec(HEAD + PROGRAMS['matmul_loss'], space)
    picture = space['tape'].show(step=3)
    data, _ = picture._repr_mimebundle_()
    output = nbformat.v4.new_output('execute_result', data, execution_count=1)
    cell = new_code_cell('tape', outputs=[output], execution_count=1)
    sample.write(server.root / 'saved.ipynb', cell, title='')
    saved = Notebook(browser, server, 'saved.ipynb')
    image = saved.page.locator('.jp-OutputArea-output img')
    expect(image).to_have_attribute('alt', picture.alt(2))
    assert image.evaluate('image => image.decode().then(() => image.naturalWidth)') > 900
    assert saved.page.get_by_role('slider').count() == 0
    saved.page.evaluate("""() => {
      const model = window.jupyterapp.shell.currentWidget.content.model;
      for (const cell of model.cells) cell.trusted = true;
    }""")
    view = Picture(saved.page, saved.page.locator('.mc2'))
    expect(view.slider).to_have_attribute('aria-valuenow', '3')
    view.slider.press('ArrowRight')
    assert view.step == 4
    saved.close()
