"""Live pictures in JupyterLab: a slider moves, and the picture beside it has the new numbers at the step it showed."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser import sample
from tests.browser.lab import SLIDER, Notebook, Stepper, errors, latencies, serve
from tests.browser.picture import Picture
from tests.browser.play import spread
from tests.messages import tells

pytestmark = pytest.mark.nightly

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
    if x > 1.97:
        y = ops.matmul(y, y)
    return y + 3 * x

def program(value):
    with ms.Tape() as tape:
        ms.grad(f)(ms.Tensor(float(value)))
    return tape

from minicell.teach.live import Control, Follow
L._figure('f', Follow('f', Control('x', 0, (-2, 2), 0.04), program))
"""
PLAIN = """\
from minicell.ink.boxes import Text
from minicell.teach.figure import Drawing
from minicell.teach.live import Control, Live, drawn_page
class Number(Live):
    def page(self, live):
        return drawn_page(Drawing(Text('a number'), '', '', ''), 'Step', live)
    def draw(self, changed):
        self.said = str(self.values['x'])
        self.tell()
L._figure('plain', Number('plain', {'x': Control('x', 0, (0, 100))}, [], ''))
"""
TRAIN = """\
from minicell.teach.train import Curve, Training
def course(values):
    for step in range(100):
        yield 1 / (1 + step)
    return 'the end'
draw = lambda values, curve: Drawing(Text(f'{len(curve.losses)} steps of {values}'), 'A run', '', 'A run.')
controls = {'which': Control('Which', 0, names=('one', 'two')), 'on': Control('Folded')}
L._figure('train', Training('train', controls, course, 100, draw, [draw({}, Curve((), 1))], ['on']))
"""
# A drag does not rest. Keys that are pressed one by one on a busy machine do, and accounts would come in between.
DRAGGED = """\
from minicell.teach.lesson03 import loss_scale
dragged = loss_scale(Net(), x, y)
hear = dragged.hear
dragged.hear = lambda said: dragged.tell() if said.get('act') == 'rest' else hear(said)
L._figure('dragged', dragged)
"""
MOVES, TRIES = 30, 3
SLOWER = 5  # times as slow as a figure that says its number, at the median and at the 95th percentile
# How many frames the page paints without the picture.
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
    sample.write(folder / 'live.ipynb', LESSON, FIGURE, OWN, PLAIN, DRAGGED, TRAIN)
    with serve(folder) as server:
        notebook = Notebook(browser, server, 'live.ipynb')
        notebook.page.emulate_media(reduced_motion='reduce')
        assert errors(notebook.run_all()) == []
        yield notebook
        assert notebook.seen.well()
        notebook.close()


def pair(notebook: Notebook, cell: str) -> tuple[Stepper, Picture]:
    """The slider and the picture of a cell."""
    output = notebook.output(cell)
    target = '.pad output' if cell == 'cell-4' else '.view'
    stepper = Stepper(notebook.page, cell, output.locator(SLIDER), output.locator(target).last)
    stepper.handle.wait_for()
    return stepper, Picture(notebook.page, output.locator('.mc2'))


def test_the_numbers_follow_and_the_step_stays(notebook, shots: Path):
    scale, picture = pair(notebook, 'cell-2')
    picture.button('Compare').click()
    scale.handle.focus()
    step, box = picture.step, picture.root.locator('.box').bounding_box()
    assert '6.60' in picture.text() and '(scale * z)' in picture.text()
    picture.root.evaluate(FLICKER)
    for key, true in (('Home', '0.66'), ('End', '66')):
        scale.press(key)
        expect(picture.root.locator('.box')).to_contain_text(true)
        assert picture.step == step and picture.root.locator('.box').bounding_box() == box
        assert '1.40' in picture.text() or '1.4' in picture.text(), 'and bprop returns what it did'
        notebook.page.screenshot(path=shots / f'live-{key}.png')
    assert notebook.page.evaluate('() => { cancelAnimationFrame(window.watching); return window.empty; }') == 0

    # at rest every number has its account again, and it is of the numbers that are shown
    number = picture.root.locator('[rc][aria-label^="dx[0, 0]"]').first
    number.wait_for()
    said = picture.root.locator('.live')
    expect(said).to_contain_text(picture.title())
    number.click()
    expect(picture.root.locator('.account')).to_contain_text('14.10')  # what dx[0,0] should be at a scale of 10
    notebook.page.screenshot(path=shots / 'live-account.png')
    notebook.page.keyboard.press('Escape')


def test_each_place_of_the_slider_has_numbers(notebook, shots: Path):
    scale, _ = pair(notebook, 'cell-2')
    story = scale.walk(shots)
    assert all(re.search(r'\d\.\d', text) for text in story)
    tells(' '.join(story).lower(), 'forward', 'backward', 'bprop', 'your', 'true', keep=False)


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
    said = notebook.output('cell-3').locator('.pad output').last
    expect(said).to_contain_text('no result')
    tells(said.text_content(), 'At 2 there')
    assert picture.text() == before
    notebook.page.screenshot(path=shots / 'live-error.png')
    slider.handle.press('ArrowLeft')
    slider.handle.press('ArrowLeft')
    expect(said).to_be_empty()
    expect(picture.root.locator('.box')).to_contain_text('1.92')
    assert picture.step == step
    notebook.page.screenshot(path=shots / 'live-own.png')
    assert (other.step, other.text(), other_slider.place()) == untouched


def test_a_narrow_page_is_kept_up_to_date(notebook, shots: Path):
    slider, picture = pair(notebook, 'cell-3')
    size = notebook.page.viewport_size
    notebook.page.set_viewport_size({'width': 760, 'height': 900})
    picture.root.locator('.view.narrow').wait_for()
    for key, x in (('Home', '−2'), ('ArrowRight', '−1.96'), ('Home', '−2')):
        slider.press(key)
        expect(picture.root.locator('.box')).to_contain_text(x)
        expect(picture.root.locator('.view.narrow')).to_be_visible()
    notebook.page.screenshot(path=shots / 'live-narrow.png')
    notebook.page.set_viewport_size(size)
    picture.root.locator('.view:not(.narrow)').wait_for()
    expect(picture.root.locator('.box')).to_contain_text('−2')  # the other layout has followed


def test_training_goes_on_and_another_choice_ends_it(notebook, shots: Path):
    figure = notebook.output('cell-6')
    said, picture = figure.locator('.pad output').last, figure.locator('.box')
    expect(said).to_have_text('Not trained yet.')
    figure.get_by_role('button', name='Train').press('Enter')
    expect(said).to_have_text('Done: 100 of 100 steps.')
    expect(figure.get_by_role('button', name='Train')).to_be_focused()
    expect(picture).to_contain_text("100 steps of {'which': 0, 'on': False}")
    figure.get_by_role('radiogroup', name='Which').get_by_role('radio', name='two').check()
    expect(picture).to_contain_text("0 steps of {'which': 1, 'on': False}")
    expect(said).to_have_text('Not trained yet.')
    expect(figure.get_by_role('checkbox', name='Folded')).to_be_hidden()
    figure.get_by_text('More', exact=True).click()
    figure.get_by_role('checkbox', name='Folded').check()
    expect(picture).to_contain_text("'on': True")
    notebook.page.screenshot(path=shots / 'live-train.png')


def test_it_is_painted_soon_after_the_key(notebook):
    """Against a figure that only writes its number, in the same page: other work on the machine slows both."""
    (plain, _), (dragged, _) = pair(notebook, 'cell-4'), pair(notebook, 'cell-5')
    for _ in range(TRIES):
        spent = {}
        for name, cell, stepper in (('plain', 'cell-4', plain), ('live', 'cell-5', dragged)):
            notebook.show(cell)
            times = latencies(stepper, MOVES)
            spent[name] = spread(times)
            print(f'{name}: median {spent[name][0]:.0f} ms, p95 {spent[name][1]:.0f} ms of {MOVES} moves')
        if all(live < SLOWER * bare for live, bare in zip(spent['live'], spent['plain'], strict=True)):
            return
    pytest.fail(f'a live picture is painted more than {SLOWER} times as late as a number: {spent}')
