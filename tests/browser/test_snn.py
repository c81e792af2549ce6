"""The film of lesson 12 in a page: it computes what minicell computes, draws what Python draws, and all can use it."""

import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from nbformat.v4 import new_code_cell, new_output
from playwright.sync_api import expect

import minicell as ms
from minicell.teach.lesson12.film import FORWARD, PLACES, TIME, Film
from minicell.teach.lesson12.network import Net, bitmaps, current, flipped, handwriting, toy, train
from minicell.teach.lesson12.network import small as FEW
from tests.browser import sample
from tests.browser.axe import axe
from tests.browser.lab import Notebook, serve
from tests.browser.play import small, visits
from tests.lessons.test_film import Shaped

pytestmark = pytest.mark.nightly

WIDE = {'width': 1100, 'height': 900}
STEP, MORE = 'Step of the film', 'More: what'
DRAWN = """() => [...document.querySelector('.mc2 .box svg').children].map(one => [one.tagName,
  Object.fromEntries([...one.attributes].map(a => [a.name, a.value])), one.textContent])"""


@pytest.fixture(scope='module')
def film() -> Film:
    return Film(toy(), *bitmaps())


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
    """What the film says."""
    return f'{tab.locator(".mc2 .title").first.text_content()}. {tab.locator(".mc2 .says p").first.text_content()}'


def alike(one: str, other: str) -> None:
    """The same words, and the same numbers up to what the script reads between the places of the surrogate."""
    numbers = [
        [float(n) for n in re.findall(r'\d+(?:\.\d+)?(?:e-?\d+)?', each.replace('−', '-'))] for each in (one, other)
    ]
    assert re.sub(r'[\d.e−-]+', '#', one) == re.sub(r'[\d.e−-]+', '#', other)
    assert np.allclose(*numbers, rtol=0.01), (one, other)


def coarse(tag, attributes, words):
    """A shape up to a pixel or so: the page reads the slope between the places at which Python has it."""
    place = [round(float(attributes[name]) / 2) for name in ('x', 'y', 'width', 'height') if name in attributes]
    return (tag, attributes.get('class', ''), *place, '' if '.' in words else words)


def drawn(tab) -> Counter:
    return Counter(coarse(*each) for each in tab.evaluate(DRAWN))


def due(film, place) -> Counter:
    return Counter(coarse(s.tag, s.attrs, s.attrs.get('T', '')) for s in film.pictures.frames[place].values())


def test_what_the_page_computes_is_what_minicell_computes(visit, film):
    """At each step: first the pictures that Python has drawn, then, after Reset, the page's own."""
    tab = visit()
    assert slider(tab).get_attribute('aria-valuemax') == str(len(PLACES))
    for own in (False, True):
        if own:
            tab.get_by_role('button', name='Reset').click()
        for place, at in enumerate(PLACES):
            if place:
                press(tab, 'ArrowRight')
            alike(said(tab), '. '.join(film.says(*at)))
            there, here = due(film, place), drawn(tab)
            apart = sum(((there - here) + (here - there)).values())
            assert apart <= own * 0.05 * sum(there.values()), (own, place, (there - here), (here - there))


CLEAN = bitmaps()[0]


def test_the_pad_is_recognised_live(visit, film):
    """By the keyboard: without noise, each digit is what the network says of twelve clean frames."""
    tab = visit()
    tab.get_by_text(MORE).click()
    press(tab, 'Home', 'Noise')
    pixels = tab.locator('.pixels button')
    for digit in (7, 1, 8):
        want = CLEAN[digit] > 0
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
        clean = ms.Tensor(np.repeat(CLEAN[digit][None, None], TIME, axis=0))
        expect(tab.locator('.answer')).to_have_text(f'It says {film.net(clean).asnumpy().argmax()}.')
        assert 'Time step 12 of 12' in said(tab) and f'{want.sum()} of 15 pixels' in said(tab)


def test_a_digit_of_ones_own_has_no_answer_that_is_due(visit, film):
    """Nothing comes back then, until somebody says what it should be."""
    tab = visit()
    tab.get_by_role('button', name='Clear').click()
    tab.locator('.pixels button').nth(4).click()
    assert slider(tab).get_attribute('aria-valuemax') == str(FORWARD)
    press(tab, 'End')
    assert 'should be' not in said(tab) and 'loss' not in said(tab)
    bold = [words for _, attributes, words in tab.evaluate(DRAWN) if attributes.get('class') == 'b end']
    assert bold == ['threshold'], 'and no digit'
    tab.get_by_text(MORE).click()
    tab.get_by_label('It should say').select_option('8')
    assert 'it should be 8: loss' in said(tab) and slider(tab).get_attribute('aria-valuemax') == str(len(PLACES))
    press(tab, 'End')
    assert 'Backward, time step 1' in said(tab)
    tab.get_by_role('button', name='Reset').click()
    assert said(tab) == '. '.join(film.says(0))


def test_handwriting_is_painted_with_the_mouse(browser, tmp_path):
    """A stroke lights the pixels under it, its neighbours get some grey, and the network says what minicell says."""
    net, (learn, _) = Net(encode=current, **FEW), handwriting()
    list(train(net, *learn, epochs=1))
    Film(net, *learn).save(tmp_path / 'snn.html')
    with visits(browser) as opens:
        tab = opens(f'file://{tmp_path / "snn.html"}', viewport={'width': 1100, 'height': 1200})
        tab.get_by_role('button', name='Clear').click()
        at = [tab.locator('.pixels button').nth(8 * row + 3).bounding_box() for row in range(1, 7)]
        tab.mouse.move(at[0]['x'] + 10, at[0]['y'] + 10)
        tab.mouse.down()
        tab.mouse.move(at[-1]['x'] + 10, at[-1]['y'] + 10, steps=30)
        tab.mouse.up()
        painted = np.zeros((8, 8))
        painted[1:7, [2, 4]] = painted[[0, 7], 3] = 0.4
        painted[1:7, 3] = 1
        grey = 'each => each.map(one => parseFloat(one.style.getPropertyValue("--grey")))'
        found = tab.locator('.pixels button').evaluate_all(grey)
        assert np.allclose(found, 100 * painted.ravel())
        due = net(ms.Tensor(np.repeat(painted.reshape(1, 1, 64), TIME, axis=0))).asnumpy().argmax()
        expect(tab.locator('.answer')).to_have_text(f'It says {due}.')


def test_noise_flips_pixels_and_reset_brings_the_first_digit_back(visit, film):
    tab = visit()
    tab.get_by_role('button', name='Reset').click()
    first = tab.evaluate(DRAWN)
    assert not slider(tab, 'Noise').is_visible()
    tab.get_by_text(MORE).click()
    tab.get_by_role('button', name='Clear').click()
    slider(tab, 'Noise').fill('50')
    assert 'Time step 12 of 12' in said(tab)
    on = []
    for _ in range(TIME):
        on.append(int(re.search(r'(\d+) of 15', said(tab))[1]))
        press(tab, 'ArrowLeft')
        press(tab, 'ArrowLeft')
    assert 5 < np.mean(on) < 10
    tab.get_by_role('button', name='Reset').click()
    assert tab.evaluate(DRAWN) == first and slider(tab, 'Noise').input_value() == '20'


def test_more_changes_the_way_back_as_minicell_has_it(visit, film):
    """Detach the reset, then take a triangle: the spikes stay, and the gradients are those of such a network."""
    tab = visit()
    tab.get_by_text(MORE).click()

    def other(surrogate=None, detached=False) -> Film:
        net = Net(surrogate, detached=detached, pixels=15, encode=flipped, **FEW)
        for mine, theirs in ((net.w1, film.net.w1), (net.w2, film.net.w2)):
            mine.set_data(ms.Tensor(theirs.asnumpy()))
        return Film(net, *bitmaps())

    tab.get_by_label('Detach the reset').check()
    alike(said(tab), '. '.join(other(detached=True).says(PLACES[-1][0])))
    slider(tab, 'Width').fill('0.5')
    slider(tab, 'Height').fill('4')
    assert tab.get_by_label('Surrogate: a triangle').is_checked()
    alike(said(tab), '. '.join(other(Shaped(0.5, 4.0), detached=True).says(PLACES[-1][0])))
    tab.get_by_label('Detach the reset').uncheck()
    alike(said(tab), '. '.join(other(Shaped(0.5, 4.0)).says(PLACES[-1][0])))
    press(tab, 'Home')
    alike(said(tab), '. '.join(film.says(0)))


@pytest.mark.parametrize('viewport', [WIDE, {'width': 390, 'height': 844}], ids=['wide', 'phone'])
@pytest.mark.parametrize('theme', ['light', 'dark'])
def test_it_has_names_contrast_and_no_small_print(visit, viewport, theme, shots):
    tab = visit(viewport=viewport, color_scheme=theme)
    tab.get_by_text(MORE).click()
    for key in ('Home', 'End'):
        press(tab, key)
        found = axe(tab)
        assert (found.serious, found.doubtful) == ([], [])
        assert small(tab, '.mc2 *') == []
    assert tab.evaluate('() => document.documentElement.scrollWidth <= innerWidth')
    tab.screenshot(path=shots / f'snn-{viewport["width"]}-{theme}.png', full_page=True)


def test_without_its_script_the_still_stays(visit, film):
    tab = visit(java_script_enabled=False)
    expect(tab.get_by_role('img', name=film.words(TIME - 1))).to_be_visible()
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
        expect(slider(tab)).to_have_attribute('aria-valuenow', '3')
        assert tab.locator('.jp-Notebook .jp-Cell').count() == 2
        notebook.close()
        assert notebook.seen.well()
        notebook = Notebook(browser, server, 'saved.ipynb')
        image = notebook.page.locator('.jp-OutputArea-output img')
        expect(image).to_have_attribute('alt', film.words(TIME - 1))
        assert notebook.page.get_by_role('slider', name=STEP).count() == 0
        notebook.close()
