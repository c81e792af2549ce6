"""Whatever comes, there is a picture that says what it is: valid XML, in which nothing overflows."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest

from minicell.ink import shapes
from minicell.view.picture import Picture
from tests.view import fake, geometry, hostile
from tests.view.gallery import ZOOMS, texts

# nobody can account for the numbers of these tapes: their rules are only names
pytestmark = [pytest.mark.slow, pytest.mark.usefixtures('as_a_reader')]
NAN = np.float32('nan')
ARRAYS = {  # and a text that tells what it is
    'rank 0': (np.float32(3.5), '3.5'),
    'rank 1': (np.arange(3.0), '[0, 1, 2]'),
    'rank 1, long': (np.arange(200.0), '(200,)'),
    'rank 2': (np.ones((3, 5)), '3×5'),
    'rank 2, tall': (np.arange(3000.0).reshape(1000, 3), '1000×3'),
    'rank 3': (np.ones((2, 2, 2)), '2×2×2'),
    'rank 4': (np.ones((1, 3, 8, 8)), '1×3×8×8'),
    'rank 5': (np.ones((1, 2, 3, 4, 5)), '1×2×3×4×5'),
    'rank 5, large sizes': (np.broadcast_to(np.float32(1), (1000, 2000, 3000, 1, 1))[:10, :20, :30], '10×20×30×1×1'),
    'no elements': (np.ones((0, 4)), '0'),
    'no elements, rank 1': (np.ones(0), '0'),
    'no elements, rank 5': (np.ones((1, 2, 0, 4, 5)), '0'),
    'a million': (np.linspace(-1, 1, 10**6, dtype=np.float32).reshape(1000, 1000), '1000×1000'),
    'ints': (np.arange(6, dtype=np.int64).reshape(2, 3) * 100000, '2×3'),
    'the largest ints': (np.array([2**63 - 1, -(2**63)]), '[9.22e18, −9.22e18]'),
    'small ints': (np.array([[255, 0]], np.uint8), '255'),
    'bools': (np.array([True, False]), '[True, False]'),
    'many bools': (np.eye(9) > 0, '9×9 truth values, 9 of them True'),
    'all NaN': (np.full((2, 3), NAN), 'NaN'),
    'all NaN, large': (np.full((20, 20), NAN), '20×20 numbers, NaN among them'),
    'all NaN, one': (NAN, 'NaN'),
    'all infinite': (np.full((9, 9), -np.inf), '9×9 numbers, all −∞'),
    'halves': (np.array([6e4, 6e-8, -1], np.float16), '[60000, 5.96e−8, −1]'),
    'complex': (np.array([1 + 2j, -3j], np.complex64), '= [2.24, 3]'),
    'huge and tiny': (np.array([[-1e30, 1e30], [1e-30, np.inf]]), '1e−30'),
    'subnormal': (np.array([5e-324, -5e-324]), '4.94e−324'),
}
NAMES = {
    'nothing': '',
    '200 letters': 'W' * 200,
    '200 letters in words': 'wide words ' * 19,
    'emoji': '👩‍👩‍👧‍👦🏳️‍🌈🇺🇳' * 9,
    'right to left': 'שלום عليكم ' * 10,
    'turned around': '\u202eabc\u202d def \u2067ghi' * 4,
    'combining': 'Z̴͉̈́a̵̺͒l̶̖͝g̸̞̈́o̷͍͠ ' * 8,
    'Chinese': '自动微分' * 30,
    'ligatures and Indic': 'ﷺ क्ष्म्य कि ௵ ﷽' * 5,
    'script': '<script>alert(1)</script>',
    'end of CDATA': ']]>' * 9,
    'control characters': ''.join(map(chr, range(1, 32))) + '\x7f\x80\x9f' + 'x',
    'lone surrogates': '\ud800x\udfff\ud83d',
    'NUL': 'a\x00b\x00' * 20,
    'no characters': '\ufffe\uffff\ufdd0' * 10,
    'lines': 'one\ntwo\r\nthree\u2028four\x85five',
    'tabs': '\t\t\tx' * 20,
    'invisible': '\u200b\u200d\u2060\ufeff' * 30 + 'x',
    'formula': '$\\frac{1}{2}$ & &amp; &#x41; %s {0}',
}


def tape_with(words):
    """A tape whose ops have this name, with an error of these words."""
    tape = fake.chain([np.ones((2, 2)), np.zeros(3), np.float32(1)], [words, words])
    tape.error = ValueError(words)
    return tape


def said(picture):
    """All words of all steps, in both layouts."""
    out = [text for film in picture.films for frame in film.frames for text in texts(frame)]
    return [*out, *(f'{s.title} {s.caption}' for s in picture.films[0].steps)]


def faults(picture):
    """What overflows."""
    return {
        f for film in picture.films for frame in film.frames for f in geometry.faults(frame, film.width, film.height)
    }


@pytest.mark.parametrize('name', ARRAYS)
def test_a_tensor_says_what_it_is(name):
    value, words = ARRAYS[name]
    picture = Picture(fake.chain([value, value]))  # (a warning is an error in every test)
    ET.fromstring(picture.still(-1))
    assert picture.png(0).startswith(b'\x89PNG') and picture.html()
    shown = said(picture)
    assert any(words in t for t in shown), shown
    assert faults(picture) == set()


@pytest.mark.parametrize('name', NAMES)
def test_a_name_leaves_the_picture_valid(name):
    for tape in (tape_with(NAMES[name]), *hostile.tapes(NAMES[name])):
        picture = Picture(tape)
        assert faults(picture) == set()
        for step in range(len(picture.films[0].steps)):
            svg = picture.still(step)
            ET.fromstring(svg.encode('utf-8'))
            assert '\x00' not in svg and '\ufffe' not in svg and '\uffff' not in svg
            assert not any('\ud800' <= c <= '\udfff' for c in svg)
        picture.html().encode()
        assert picture.png(-1).startswith(b'\x89PNG')


@pytest.mark.parametrize('zoom', sorted({*ZOOMS} - {'ops'}))  # at 'ops' the names are tried above
def test_every_zoom_bears_every_tape(zoom):
    for name in NAMES:
        for tape in hostile.tapes(NAMES[name]):
            assert faults(Picture(tape, zoom=zoom)) == set()


@pytest.mark.parametrize(
    ('number', 'words'),
    [
        (-0.0, '0'),
        (0.0, '0'),
        (np.nan, 'NaN'),
        (np.inf, '∞'),
        (-np.inf, '−∞'),
        (1e-9, '1e−9'),
        (6.5e4, '65000'),
        (1e30, '1e30'),
    ],
)
def test_a_number_is_what_it_is(number, words):
    assert words in said(Picture(fake.chain([np.array([0.5, number]), np.array([0.5, number])])))


def test_what_is_not_zero_does_not_read_as_zero():
    shown = said(Picture(fake.chain([np.array([1.0, 0.0001, 0.0]), np.float64(2e-7)])))
    assert '0.000100' in shown and '2e−7' in shown


@pytest.mark.parametrize('number', [np.nan, np.inf, -np.inf])
def test_a_square_that_is_no_number_has_a_cross(number):
    data = np.linspace(1, 2, 48).reshape(6, 8)
    crosses = []
    for value in (data, np.where(data == data.max(), number, data)):
        frame = Picture(fake.chain([value, value])).films[0].frames[-1]
        crosses.append({s.attrs['d'].count('M') for s in frame.values() if s.attrs.get('class') == 'hx'})
    assert crosses == [set(), {1}]


def test_the_sign_of_a_large_tensor_is_seen_without_colour():
    data = np.linspace(-1, 2, 48).reshape(6, 8)
    frame = Picture(fake.chain([data, data])).films[0].frames[-1]
    hollow = [s.attrs['d'].count('M') for s in frame.values() if s.attrs.get('class') == 'hn']
    assert hollow and set(hollow) == {int((data < 0).sum())}


def test_metrics_cut_what_does_not_fit():
    for room in (0, 5, 20, 80):
        for words in ('W' * 30, 'hello world', '🙂🙂🙂', ''):
            assert shapes.width(shapes.cut(words, room, end=True)) <= max(room, shapes.width('…'))
