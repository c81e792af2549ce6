"""Printed in grey, a picture still says which code computed dx: nothing hangs on a hue alone."""

import re
from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from minicell.ink import png, style
from minicell.ink.sheet import sheet
from tests.view import gallery
from tests.view.gallery import at, picture, shown, titles
from tests.view.geometry import contrast, grounds


def grey(colour):
    """A colour as a printer without colours has it: `#0067a8` is `#585858`."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return '#' + f'{round(0.2126 * red + 0.7152 * green + 0.0722 * blue):02x}' * 3


GREY = {name: grey(colour) for name, colour in style.LIGHT.items()}
TAKEOVERS = [
    'matmul', 'matmul_loss', 'right', 'relu6', 'dropout', 'ifnode', 'wrong_shape', 'raises', 'none', 'large', 'params',
    'custom_cube', 'nested_custom', 'caught', 'hidden_ops', 'whole_numbers', 'heat_not_finite', 'large_wrong',
    'swallowed', 'ifnode12', 'structures', 'many_inputs', 'relu6_to_relu6',
]  # fmt: skip


def classes(name, step):
    """The classes of all shapes of a step."""
    return [s.attrs.get('class', '') for s in picture(name).films[0].frames[step].values()]


@pytest.mark.slow
def test_these_are_all_takeovers_of_the_gallery():
    found = [n for n in gallery.PROGRAMS if any(t.startswith('Takeover: backward turns') for t in titles(picture(n)))]
    assert found == TAKEOVERS


def test_a_printer_without_colours():
    assert grey('#ffffff') == '#ffffff' and len(set(grey('#0067a8')[1:])) <= 2


def test_the_lanes_are_seen_in_grey_but_not_told_apart_by_it():
    """Both stand out from paper; from each other hardly, so that what follows must tell them apart."""
    assert contrast(GREY['fwd'], GREY['paper']) >= 3 and contrast(GREY['bwd'], GREY['paper']) >= 3
    assert contrast(GREY['fwd'], GREY['bwd']) < 3


@pytest.mark.slow
@pytest.mark.parametrize('name', TAKEOVERS)
def test_words_and_shapes_say_whose_code_it_was(name):
    step = at(picture(name), 'Takeover: backward turns')
    told = shown(picture(name), step)
    assert 'forward →' in told and '← backward' in told, 'the lanes have names and arrows'
    assert {'own bprop', 'has a bprop'} & {*told}, 'on the card: your own code, or code of minicell'
    assert any('never called' in text for text in told)
    assert any('bprop' in text and 'def ' in text for text in told), 'the lines themselves are there'
    arrows = [c.split() for c in classes(name, step)]
    assert any(c[0] == 'fat' and 'past' not in c and 'th' not in c for c in arrows if c), 'the thickest line goes there'
    assert style.look('path', 'fat')['line'] > 3 * style.look('path', 'fw')['line']
    assert any(c and c[0] == 'mine' for c in arrows), 'and the lines have a frame'


def test_what_is_wrong_has_a_sign_a_frame_and_words():
    frame, last = picture('matmul').films[0].frames[-1], shown(picture('matmul'))
    assert any(text.startswith('✗') for text in last)
    cells = {key[:-1]: s.attrs['class'] for key, s in frame.items() if re.fullmatch(r'g\d+\..*]p', key)}
    blamed = {key for key in cells if f'{key}w' in frame}
    assert len(blamed) == 6 - 1 + 9 and len(cells) == 6 + 9
    assert all((cells[key] == 'card') == (key not in blamed) for key in cells if '.0[' in key), (
        'right: outlined, unfilled'
    )
    for place in '01':
        shades = sorted(frame[f'{key}w'].attrs['opacity'] for key in blamed if f'.{place}[' in key)
        assert shades[-1] == 1 > 3 * shades[-2], 'the worst is by far the darkest'
    assert contrast(GREY[style.look('rect', 'block wrong')['fill']], GREY['paper']) > 4.5
    large = [frame[key].attrs['T'] for key in ('V2t', 'V0', 'V4t')]
    assert large == ['1.40', '≠', '6.60'] and frame['V4'].attrs['T'] == 'should be', 'and stands there once more, large'


@pytest.mark.slow
def test_in_grey_all_is_still_readable():
    pairs = {pair[1:] for name in TAKEOVERS for f in picture(name).films[0].frames for pair in grounds(f)}
    pale = {(i, g) for i, g in pairs if i not in ('hair', g) and contrast(GREY[i], GREY[g]) < 4.4}
    assert pairs and pale == set()


@pytest.mark.slow
def test_the_takeover_is_the_darkest_and_largest_change_of_its_step():
    """In grey, between the step before and the takeover, most of what changes is the way into the lines."""
    film, step = picture('matmul').films[0], at(picture('matmul'), 'Takeover')
    images = []
    for k in (step - 1, step):
        data = png.write(sheet(film.frames[k], (film.width, film.height)))
        images.append(np.asarray(Image.open(BytesIO(data)).convert('L'), int))
    changed = np.abs(images[1] - images[0]) > 40
    rows, columns = np.nonzero(changed)
    assert len(rows) > 3000 and columns.min() < 330 < columns.max(), 'it reaches from the stage into the code'
