"""The film of lesson 12 in a page: it computes what minicell computes, draws what Python draws, and all can use it."""

import re
from pathlib import Path

import numpy as np
import pytest
from nbformat.v4 import new_code_cell, new_output
from playwright.sync_api import expect

import minicell as ms
from minicell.teach.ink.shapes import Box, Text
from minicell.teach.lesson12.film import MOMENTS, NEURONS, STEPS, Film
from minicell.teach.lesson12.network import Net, bitmaps, digits, train
from minicell.teach.lesson12.surrogates import Shaped
from tests.browser import sample
from tests.browser.axe import axe
from tests.browser.lab import Notebook, serve
from tests.browser.play import small, visits

pytestmark = pytest.mark.nightly

WIDE = {'width': 1100, 'height': 800}
STEP, MORE = 'Step of the film', 'More: the digit'
DRAWN = """() => Object.fromEntries([...document.querySelectorAll('[data-name]')]
  .filter(one => one.getAttribute('display') !== 'none')
  .map(one => [one.dataset.name, Object.fromEntries([...one.attributes].map(a => [a.name, a.value])
    .concat([['T', one.textContent]]))]))"""
# The median time between two frames.
FRAMES = """() => new Promise(resolve => {
  const times = [];
  requestAnimationFrame(function tick(time) {
    times.push(time);
    if (times.length < 240) requestAnimationFrame(tick);
    else resolve(times.slice(1).map((time, k) => time - times[k]).sort((a, b) => a - b)[119]);
  });
})"""


@pytest.fixture(scope='module')
def film() -> Film:
    net, data = Net(), digits(100, np.random.default_rng(0))
    list(train(net, *data))
    return Film(net, *data)


@pytest.fixture(scope='module')
def address(film, tmp_path_factory) -> str:
    return f'file://{film.save(tmp_path_factory.mktemp("film") / "snn.html")}'


@pytest.fixture
def visit(browser, address):
    """visit(moving=...) -> the page of the film; at the end nothing may have gone wrong in it."""
    with visits(browser) as opens:
        yield lambda **options: opens(address, **{'viewport': WIDE, **options})


def slider(tab, name=STEP):
    return tab.get_by_role('slider', name=name)


def press(tab, key, name=STEP):
    slider(tab, name).focus()
    tab.keyboard.press(key)


def said(tab) -> str:
    """What a reader of the screen hears of the picture."""
    return tab.locator('.mc-film svg').get_attribute('aria-label')


def alike(one: str, other: str) -> None:
    """The same words, and the same numbers up to what the script reads between the places of the surrogate."""
    numbers = [
        [float(n) for n in re.findall(r'\d+(?:\.\d+)?(?:e-?\d+)?', each.replace('−', '-'))] for each in (one, other)
    ]
    assert re.sub(r'[\d.e−-]+', '#', one) == re.sub(r'[\d.e−-]+', '#', other)
    assert np.allclose(*numbers, rtol=0.01), (one, other)


def test_each_step_by_the_keyboard_says_and_draws_what_minicell_computes(visit, film):
    tab = visit()
    assert slider(tab).get_attribute('max') == str(STEPS)
    for step in range(STEPS):
        if step:
            press(tab, 'ArrowRight')
        title, caption = film.says(step)
        alike(said(tab), f'{title}. {caption}')
        assert slider(tab).get_attribute('aria-valuetext') in said(tab)
        assert tab.locator('.live[aria-live=polite]').text_content() == said(tab)
        due, drawn = film.scene(step), tab.evaluate(DRAWN)
        assert {name for name in due if name[0] != 'g'} == {name for name in drawn if name[0] != 'g'}, step
        triangles = [{name for name in each if name[0] == 'g'} for each in (due, drawn)]
        assert len(triangles[0] ^ triangles[1]) <= 2, 'but for those on the edge of what is drawn'
        for name in due.keys() & drawn.keys():
            shape, shown = due[name], drawn[name]
            if isinstance(shape, Box):
                there = [float(shown[key]) for key in ('x', 'y', 'width', 'height')]
                assert np.allclose(there, shape[:4], atol=0.11), name
                if not (name[0] == 'v' and step > MOMENTS):
                    assert shown['fill'] == shape.fill, name
            elif isinstance(shape, Text):
                alike(shown['T'], shape.text)
            elif name[0] in 'gd':
                points = [float(n) for n in re.findall(r'-?[\d.]+', shown['d'])]
                assert np.allclose(points, np.ravel(shape.runs[0]), atol=0.2), name


def test_silent_neurons_are_grey_on_the_way_there_and_back(visit, film):
    tab = visit()
    assert 0 < film.silent.sum() < NEURONS
    for key in ('Home', 'End'):
        press(tab, key)
        drawn = tab.evaluate(DRAWN)
        for n, quiet in enumerate(film.silent):
            assert (drawn[f'v{n}']['fill'] == '#C4C8CE') == quiet
            assert not (quiet and any(f's{row}-{n}' in drawn for row in range(MOMENTS)))


def test_the_pad_is_recognised_live(visit, film):
    """By the keyboard: without noise, each digit is what the network says of twelve clean frames."""
    tab = visit()
    tab.get_by_text(MORE).click()
    press(tab, 'Home', 'Noise')
    pixels = tab.locator('.pixels button')
    for digit in (7, 1, 8):
        want = bitmaps[digit]
        pixels.first.focus() if digit == 7 else tab.locator('.pixels button[tabindex="0"]').focus()
        for k in range(15):  # to each pixel in its turn, from wherever the last one has left the focus
            here = tab.evaluate(
                '() => [...document.querySelectorAll(".pixels button")].indexOf(document.activeElement)'
            )
            for _ in range(abs(k - here)):
                tab.keyboard.press('ArrowRight' if k > here else 'ArrowLeft')
            if (pixels.nth(k).get_attribute('aria-pressed') == 'true') != want[k]:
                tab.keyboard.press('Space')
            assert pixels.nth(k).get_attribute('aria-pressed') == str(bool(want[k])).lower()
        clean = ms.Tensor(np.repeat(want[None, None].astype(float), MOMENTS, axis=0))
        expect(tab.locator('.answer').first).to_have_text(f'It says {film.net(clean).asnumpy().argmax()}.')
        assert 'Moment 12 of 12' in said(tab) and said(tab).split('. ')[1].startswith('0 of 15 pixels')


def test_noise_flips_pixels_and_reset_brings_the_first_digit_back(visit, film):
    tab = visit()
    first = tab.evaluate(DRAWN)
    assert not slider(tab, 'Noise').is_visible()
    tab.get_by_text(MORE).click()
    slider(tab, 'Noise').fill('50')
    assert 'Moment 12 of 12' in said(tab)
    wrong = []
    for _ in range(MOMENTS):
        wrong.append(int(re.search(r'(\d+) of 15', said(tab))[1]))
        press(tab, 'ArrowLeft')
    assert 5 < np.mean(wrong) < 10
    tab.get_by_label('It should say').select_option('8')
    assert tab.evaluate(DRAWN)['t8']['font-weight'] == 'bold' and tab.evaluate(DRAWN)['t3']['font-weight'] == 'normal'
    tab.get_by_role('button', name='Reset').click()
    assert tab.evaluate(DRAWN) == first and slider(tab, 'Noise').input_value() == '20'


def test_more_changes_the_way_back_as_minicell_has_it(visit, film):
    """Detach the reset, then take a triangle: the spikes stay, and the gradients are those of such a network."""
    tab = visit()
    tab.get_by_text(MORE).click()

    def other(surrogate=None, detached=False) -> Film:
        net = Net(surrogate, detached=detached)
        for mine, theirs in ((net.w1, film.net.w1), (net.w2, film.net.w2)):
            mine.set_data(ms.Tensor(theirs.asnumpy()))
        return Film(net, *digits(100, np.random.default_rng(0)))

    tab.get_by_label('Detach the reset').check()
    alike(said(tab), '. '.join(other(detached=True).says(STEPS - 1)))
    slider(tab, 'Width').fill('0.5')
    slider(tab, 'Height').fill('4')
    assert tab.get_by_label('Surrogate: a triangle').is_checked()
    alike(said(tab), '. '.join(other(Shaped(0.5, 4.0), detached=True).says(STEPS - 1)))
    tab.get_by_label('Detach the reset').uncheck()
    alike(said(tab), '. '.join(other(Shaped(0.5, 4.0)).says(STEPS - 1)))
    press(tab, 'Home')
    alike(said(tab), '. '.join(film.says(0)))


def test_under_reduced_motion_a_step_is_a_still(visit):
    tab = visit()
    tab.evaluate("""() => { window.changed = 0;
      new MutationObserver(() => { window.changed += 1; })
        .observe(document.querySelector('.mc-film svg'), {subtree: true, attributes: true, childList: true}); }""")
    tab.get_by_role('button', name='Next').click()
    tab.wait_for_timeout(1000)
    assert tab.evaluate('() => window.changed') == 1, 'all that changes changes at once'


def test_play_has_as_many_frames_as_a_page_at_rest_and_can_be_paused(visit, shots):
    tab = visit(moving=True)
    rest = tab.evaluate(FRAMES)
    tab.get_by_role('button', name='Play').click()
    assert tab.evaluate(FRAMES) < 1.1 * rest
    tab.screenshot(path=shots / 'snn-playing.png')
    tab.get_by_role('button', name='Pause').click()
    at = said(tab)
    tab.wait_for_timeout(1200)
    assert said(tab) == at and at != 'Moment 1'


def test_it_plays_to_its_end_and_stops_there(visit):
    tab = visit(moving=True)
    press(tab, 'End')
    press(tab, 'ArrowLeft')
    tab.get_by_role('button', name='Play').click()
    expect(slider(tab)).to_have_value(str(STEPS))
    expect(tab.get_by_role('button', name='Play')).to_be_visible()


@pytest.mark.parametrize('viewport', [WIDE, {'width': 390, 'height': 844}], ids=['wide', 'phone'])
def test_it_has_names_contrast_and_no_small_print(visit, viewport, shots):
    tab = visit(viewport=viewport)
    tab.get_by_text(MORE).click()
    for key in ('Home', 'End'):
        press(tab, key)
        found = axe(tab)
        assert (found.serious, found.doubtful) == ([], [])
        assert small(tab, '.mc-film *') == []
    assert tab.evaluate('() => document.documentElement.scrollWidth <= innerWidth')
    tab.screenshot(path=shots / f'snn-{viewport["width"]}.png', full_page=True)


def test_without_its_script_the_still_stays(visit, film):
    tab = visit(java_script_enabled=False)
    expect(tab.get_by_role('img', name=film.drawn(MOMENTS - 1).words)).to_be_visible()
    expect(tab.get_by_role('button')).to_have_count(0)


def test_it_asks_for_nothing(visit):
    tab = visit()
    asked: list[str] = []
    tab.on('request', lambda request: asked.append(request.url))
    tab.reload()
    press(tab, 'End')
    assert [url for url in asked if not url.startswith('data:')] == [tab.url]


def test_in_jupyterlab_it_plays_where_it_is_trusted(browser, film, tmp_path: Path):
    """Its keys are no commands there; in a notebook that is not trusted the still is left."""
    (tmp_path / 'film.txt').write_text(film.html(), encoding='utf-8')
    show = f'from IPython.display import HTML\nHTML(open({str(tmp_path / "film.txt")!r}).read())'
    saved = new_code_cell('1', outputs=[new_output('display_data', {'text/html': film.html()})])
    folder = tmp_path / 'lab'
    folder.mkdir()
    sample.write(folder / 'runs.ipynb', show, '2', title='')
    sample.write(folder / 'saved.ipynb', saved, title='')
    with serve(folder) as server:
        notebook = Notebook(browser, server, 'runs.ipynb')
        notebook.run_all()
        tab = notebook.page
        for key in ('ArrowRight', 'ArrowRight', 'd', 'd', 'a', 'x'):
            press(tab, key)
        expect(slider(tab)).to_have_value('3')
        assert tab.locator('.jp-Notebook .jp-Cell').count() == 2
        notebook.close()
        assert notebook.seen.well()
        notebook = Notebook(browser, server, 'saved.ipynb')
        image = notebook.page.locator('.jp-OutputArea-output img')
        expect(image).to_have_attribute('alt', film.drawn(MOMENTS - 1).words)
        assert notebook.page.get_by_role('slider', name=STEP).count() == 0
        notebook.close()
