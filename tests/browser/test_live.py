"""Live pictures in JupyterLab: a slider moves, and the picture beside it has the new numbers at the step it showed."""

from collections.abc import Iterator
from pathlib import Path
from statistics import median, quantiles

import pytest
from playwright.sync_api import Browser, expect

from tests.browser import sample
from tests.browser.lab import Notebook, Server, Stepper, errors
from tests.browser.picture import Picture

pytestmark = pytest.mark.browser

LESSON = """\
import minicell as ms
from minicell import nn, ops
from minicell.teach import lesson
L = lesson('03', keep=False)
class Net(nn.Cell):
    def construct(self, x, y):
        return ops.matmul(x, y)

    def bprop(self, x, y, out, dout):
        dx = x + 1
        dy = y + 1
        return dx, dy
x = ms.Tensor([[0.5, 0.6, 0.4], [1.2, 1.3, 1.1]])
y = ms.Tensor([[0.01, 0.3, 1.1], [0.1, 0.2, 1.3], [2.1, 1.2, 3.3]])
"""
FIGURE = "L.figure('loss scale', Net(), x, y)"
OWN = """\
def f(x):
    y = x * x
    if y > 3.9:
        y = ops.matmul(y, y)
    return y + 3 * x

L.live(f, -2, 2)
"""
PLAIN = """\
import ipywidgets as w
slider, page = w.FloatSlider(min=0, max=100), w.HTML('0')
slider.observe(lambda change: setattr(page, 'value', f'<b>{change["new"]}</b>'), 'value')
slider.add_class('lat-slider-plain'); page.add_class('lat-target-plain')
w.VBox([slider, page])
"""
MOVES = 30
SLOWER = 10  # times as slow as a plain widget, at the 95th percentile, on a machine that does other things too
# Each text of the picture that is not there any more, and what the page paints between two numbers.
FLICKER = """picture => {
  window.empty = 0;
  const look = () => {
    if (!picture.querySelector('.box svg text') || !picture.offsetHeight) window.empty += 1;
    window.watching = requestAnimationFrame(look);
  };
  look();
}"""


@pytest.fixture(scope='module')
def notebook(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Notebook]:
    folder = tmp_path_factory.mktemp('live')
    sample.write(folder / 'live.ipynb', LESSON, FIGURE, OWN, PLAIN)
    with Server(folder) as server:
        notebook = Notebook(browser, server, 'live.ipynb')
        notebook.page.emulate_media(reduced_motion='reduce')
        assert errors(notebook.run_all()) == []
        yield notebook
        assert (notebook.seen.console, notebook.seen.failed) == ([], [])
        notebook.close()


def pair(notebook: Notebook, cell: str) -> tuple[Stepper, Picture]:
    """The slider and the picture of a cell."""
    output = notebook.output(cell)
    picture = Picture(notebook.page, output.locator('.mc2'))
    picture.button('Next').wait_for()
    name = output.locator('[class*=lat-slider-]').get_attribute('class').split('lat-slider-')[1].split()[0]
    return Stepper(notebook.page, name), picture


def test_the_numbers_follow_and_the_step_stays(notebook, shots: Path):
    shots.mkdir(parents=True, exist_ok=True)
    scale, picture = pair(notebook, 'cell-2')
    picture.button('Compare').click()
    scale.handle.focus()
    step, box = picture.step, picture.root.locator('.box').bounding_box()
    assert '6.60' in picture.text() and 'return (scale * z).sum()' in picture.text()
    picture.root.evaluate(FLICKER)
    for key, true in (('Home', '0.66'), ('End', '66.0')):
        scale.press(key)
        expect(picture.root.locator('.box')).to_contain_text(true)
        assert picture.step == step and picture.root.locator('.box').bounding_box() == box
        assert '1.40' in picture.text() or '1.4' in picture.text(), 'and bprop returns what it did'
        notebook.page.screenshot(path=shots / f'live-{key}.png')
    assert notebook.page.evaluate('() => { cancelAnimationFrame(window.watching); return window.empty; }') == 0

    # at rest every number has its account again, and it is of the numbers that are shown
    number = picture.root.locator('[rc]').first
    number.wait_for()
    said = picture.root.locator('.live')
    expect(said).to_contain_text(f'{picture.root.locator(".title").text_content()}')
    number.click()
    expect(picture.root.locator('.account')).to_be_visible()
    notebook.page.screenshot(path=shots / 'live-account.png')
    notebook.page.keyboard.press('Escape')


def test_a_function_of_ones_own_and_its_exception(notebook, shots: Path):
    slider, picture = pair(notebook, 'cell-3')
    other_slider, other = pair(notebook, 'cell-2')
    untouched = other.step, other.text(), other_slider.place()
    notebook.show('cell-3')
    picture.press('End')
    step = picture.step
    slider.press('ArrowRight')
    expect(picture.root.locator('.box')).to_contain_text('0.04')
    before = picture.text()
    slider.handle.press('End')
    said = notebook.output('cell-3').locator('.minicell-said')
    expect(said).to_contain_text('At 2 there is no result')
    assert picture.text() == before
    notebook.page.screenshot(path=shots / 'live-error.png')
    slider.handle.press('ArrowLeft')
    slider.handle.press('ArrowLeft')
    expect(said).to_be_empty()
    expect(picture.root.locator('.box')).to_contain_text('1.92')
    assert picture.step == step
    notebook.page.screenshot(path=shots / 'live-own.png')
    assert (other.step, other.text(), other_slider.place()) == untouched


def test_it_is_painted_soon_after_the_key(notebook):
    notebook.show('cell-4')
    plain = Stepper(notebook.page, 'plain').latencies(MOVES)
    live = []
    for cell in ('cell-2', 'cell-3'):
        stepper, _ = pair(notebook, cell)
        live.append(stepper.latencies(MOVES))
    for name, times in (('plain', plain), ('loss scale', live[0]), ('own', live[1])):
        print(f'{name}: median {median(times):.0f} ms, p95 {quantiles(times, n=20)[-1]:.0f} ms of {len(times)} moves')
    for times in live:
        assert quantiles(times, n=20)[-1] < SLOWER * quantiles(plain, n=20)[-1]
