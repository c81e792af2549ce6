"""Whatever comes, there is a picture that says what it is: valid XML, and in Chromium nothing overflows, measured."""

import warnings
import xml.etree.ElementTree as ET

import fake
import gallery
import hostile
import numpy as np
import pytest
from measure import faults, measure_all, page, why_not

from minicell import view
from minicell.view import film

NAN = np.float32('nan')
ARRAYS = {  # and a text that tells what it is
    'rank 0': (np.float32(3.5), '3.50'),
    'rank 1': (np.arange(3.0), '(3,)'),
    'rank 1, long': (np.arange(200.0), '(200,)'),
    'rank 2': (np.ones((3, 5)), '3×5'),
    'rank 2, tall': (np.arange(3000.0).reshape(1000, 3), '1000×3'),
    'rank 3': (np.ones((2, 2, 2)), '2×2×2'),
    'rank 4': (np.ones((1, 3, 8, 8)), '1×3×8×8'),
    'rank 5': (np.ones((1, 2, 3, 4, 5)), '1×2×3×4×5'),
    'rank 5, large sizes': (np.broadcast_to(np.float32(1), (1000, 2000, 3000, 1, 1))[:10, :20, :30], '10×20×30×1×1'),
    'no elements': (np.ones((0, 4)), 'no elements'),
    'no elements, rank 1': (np.ones(0), 'no elements'),
    'no elements, rank 5': (np.ones((1, 2, 0, 4, 5)), 'no elements'),
    'a million': (np.linspace(-1, 1, 10**6, dtype=np.float32).reshape(1000, 1000), '1000×1000'),
    'ints': (np.arange(6, dtype=np.int64).reshape(2, 3) * 100000, '2×3'),
    'the largest ints': (np.array([2**63 - 1, -(2**63)]), '(2,)'),
    'small ints': (np.array([[255, 0]], np.uint8), '255'),
    'bools': (np.array([True, False]), 'True'),
    'many bools': (np.eye(9) > 0, '9 of 81 True'),
    'all NaN': (np.full((2, 3), NAN), 'NaN'),
    'all NaN, large': (np.full((20, 20), NAN), '400'),
    'all NaN, one': (NAN, 'NaN'),
    'all infinite': (np.full((9, 9), -np.inf), '81'),
    'halves': (np.array([6e4, 6e-8, -1], np.float16), '(3,)'),
    'complex': (np.array([1 + 2j, -3j], np.complex64), '(2,)'),
    'huge and tiny': (np.array([[-1e30, 1e30], [1e-30, np.inf]]), '2×2'),
    'subnormal': (np.array([5e-324, -5e-324]), '(2,)'),
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


def texts(svg):
    """All that a picture shows as text."""
    found = ET.fromstring(svg).iter('{http://www.w3.org/2000/svg}text')
    return [''.join([t.text or '', *(child.tail or '' for child in t)]) for t in found]


def tape_with(words):
    """A tape whose one op has this name, with an error of these words, and an op called so in every other place."""
    tape = fake.chain([np.ones((2, 2)), np.zeros(3), np.float32(1)], [words, words])
    tape.error = ValueError(words)
    return tape


@pytest.mark.parametrize('name', ARRAYS)
def test_a_tensor_says_what_it_is(name):
    value, words = ARRAYS[name]
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        frames = view.frames(fake.chain([value, value]))
        pictures = [view.svg(frame) for frame in frames]
        assert view.alt(frames[-1])
    shown = [t for svg in pictures for t in texts(svg)]
    assert any(words in t for t in shown), shown


@pytest.mark.parametrize('name', NAMES)
def test_a_name_leaves_the_picture_valid(name):
    for tape in (tape_with(NAMES[name]), *hostile.tapes(NAMES[name])):
        for frame in view.frames(tape):
            svg = view.svg(frame)
            ET.fromstring(svg.encode('utf-8'))
            assert '\x00' not in svg and '\ufffe' not in svg and '\uffff' not in svg
            assert not any('\ud800' <= c <= '\udfff' for c in svg)
        assert view.png(frame).startswith(b'\x89PNG')


def test_an_empty_tape_says_so():
    (frame,) = view.frames(gallery.run('empty'))
    words = ' '.join(texts(view.svg(frame)))
    assert 'empty' in words and '0 entries' in words
    assert 'empty' in view.alt(frame)


@pytest.mark.parametrize('name', ['wrong_shape', 'bad_op', 'raises', 'broken_construct'])
def test_a_failed_program_says_what_failed(name):
    last = view.frames(gallery.run(name))[-1]
    words = ' '.join(texts(view.svg(last)))
    assert type(gallery.run(name).error).__name__ in words and 'ends the run' in words


def test_a_tape_that_is_still_open_has_a_picture():
    import minicell as ms

    with ms.Tape() as tape:
        ms.Tensor(2.0) * 3
        frames = view.frames(tape)
        ET.fromstring(view.svg(frames[-1]))


@pytest.mark.parametrize('zoom', ['cells', 'ops', 'inside'])
def test_every_zoom_bears_every_tape(zoom):
    for name in NAMES:
        for tape in hostile.tapes(NAMES[name]):
            for frame in film.stills(view.frames(tape, zoom=zoom)):
                ET.fromstring(view.svg(frame))


@pytest.mark.browser
@pytest.mark.skipif(bool(why_not()), reason=f'nothing is measured: {why_not() or "nothing missing"}')
def test_nothing_overflows():
    pictures = {}
    tapes = [(name, fake.chain([value, value])) for name, (value, _) in ARRAYS.items()]
    for name, words in NAMES.items():
        tapes += [(name, tape) for tape in (tape_with(words), *hostile.tapes(words))]
    for name, tape in tapes:
        for frame in film.stills(view.frames(tape)):
            pictures.setdefault(view.svg(frame), f'{name}, step {frame.step + 1}')
    wrong = {}
    with page() as blank:
        for where, found in zip(pictures.values(), measure_all(blank, pictures, each=3), strict=True):
            for fault in faults(found):
                wrong.setdefault(fault, where)
    assert not wrong, '\n'.join(f'{where}: {fault}' for fault, where in wrong.items())
