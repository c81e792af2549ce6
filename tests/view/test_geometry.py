"""Every text of every step of the gallery: none lies on another, none leaves the picture, none is small or pale."""

import numpy as np
import pytest

from minicell.ink import metrics, style
from minicell.ink.shapes import AGAIN, Frame
from minicell.view.picture import Picture
from tests.view import everything, fake, gallery, geometry
from tests.view.geometry import contrast, grounds

pytestmark = pytest.mark.slow
LONG = 'A' + 'very' * 60 + 'LongName'
ODD = {
    'long names': fake.chain([np.ones((2, 2)), np.float32(2)], [LONG]),
    'wide numbers': fake.chain([np.array([[-1e30, -99.99], [-12345.6, -1e-7]]), np.full((4, 4), -8888.8)]),
    'many entries': fake.chain([np.float32(i) for i in range(41)]),
    'squares': fake.chain([np.linspace(-3, 3, 400).reshape(20, 20), np.full((9, 9), np.nan), np.ones((0, 3))]),
    'bool': fake.chain([np.array([True, False]), np.arange(4).reshape(2, 2)]),
}


def wrong(picture, cut=True):
    """Sentences about the frames of both layouts. `cut`: a text that is cut has no room left beside it."""
    out = {}
    for film in picture.films:
        for number, frame in enumerate(film.frames):
            faults = geometry.faults(frame, film.width, film.height)
            faults += geometry.crossed(frame) + (geometry.free(frame, film.width) if cut else [])
            faults += [f'the key of {key!r} was taken' for key in frame if key.endswith(AGAIN)]
            for fault in faults:
                out.setdefault(fault, f'{film.width:g} px, step {number + 1}')
    return [f'{where}: {fault}' for fault, where in out.items()]


@pytest.mark.parametrize('zoom', gallery.ZOOMS)
@pytest.mark.parametrize('name', gallery.ALL)
def test_no_text_lies_on_another_or_leaves_or_is_crossed_or_cut_and_no_display_is_too_large(name, zoom):
    shown = gallery.picture(name, zoom)
    assert wrong(shown) == []
    assert len(shown.html().encode()) <= 1_000_000


@pytest.mark.filterwarnings('ignore')
@pytest.mark.parametrize('name', gallery.FOREIGN | gallery.OTHERS)
def test_programs_of_other_people(name):
    shown = gallery.made((gallery.FOREIGN | gallery.OTHERS)[name], f'geometry of {name}')
    assert wrong(shown) == []
    everything.saved(shown, len(shown.films[0].steps) // 2, animated=False)


@pytest.mark.parametrize('name', ODD)
def test_odd_tapes(name, as_a_reader):  # (nobody can account for the numbers of a rule that there is not)
    assert wrong(Picture(ODD[name]), cut=name != 'long names') == []


def test_what_overlaps_or_leaves_is_found():
    frame = Frame()
    frame.text('a', 10, 20, 'some words')
    frame.text('b', 12, 22, 'on some words')
    frame.text('c', 280, 60, 'much too long')
    frame.text('d', 10, 60, 'apart')
    found = geometry.faults(frame, 300, 80)
    assert len(found) == 2 and 'overlap' in found[1] and found[0].startswith("'much too long'")


def test_what_a_line_goes_across_and_what_is_cut_for_nothing_is_found():
    frame = Frame()
    frame.text('a', 10, 20, 'a name')
    frame.text('b', 10, 60, 'cu…t')
    frame.path('l', 'M5,16H80', 'fw')
    assert len(geometry.crossed(frame)) == len(geometry.free(frame, 100)) == 1 and not geometry.free(frame, 60)
    frame.rect('g', 8, 8, 60, 16, 'tile', 3)
    assert not geometry.crossed(frame), 'it goes behind the ground of the text'


def test_the_size_never_changes():
    for name in gallery.ALL:
        assert [film.width for film in gallery.picture(name).films] == [900, 372]
        for film in gallery.picture(name).films:
            assert all(0 <= y <= film.line['h'] and 0 <= x <= film.line['w'] for x, y in (s.at for s in film.steps))


def classes_drawn(tag):
    """The classes of all that the gallery draws with this tag."""
    found = set()
    for name in gallery.ALL:
        for film in gallery.picture(name).films:
            shapes = [s for f in film.frames for s in f.values()]
            found |= {s.attrs.get('class', '') for s in shapes if (s.tag == 'text') == (tag == 'text')}
            found |= {a['class'] for t, a, _ in film.line['shapes'] if (t == 'text') == (tag == 'text')}
    return found


def test_no_text_is_smaller_than_twelve():
    sizes = {c: style.look('text', c)['size'] for c in classes_drawn('text')}
    assert min(sizes.values()) >= 12 and len(sizes) > 15


@pytest.mark.parametrize('palette', [style.LIGHT, style.DARK], ids=['light', 'dark'])
def test_every_text_has_contrast_to_the_ground_under_it(palette):
    pairs = {}
    for name in gallery.PROGRAMS:
        for film in gallery.picture(name).films:
            for frame in film.frames:
                for words, ink, ground in grounds(frame):
                    pairs.setdefault((ink, ground), (name, words))
    assert len(pairs) > 12
    large = {'hair'}  # the question mark of 34 px alone
    pale = {
        pair: (round(contrast(palette[pair[0]], palette[pair[1]]), 2), where)
        for pair, where in pairs.items()
        if pair[0] not in large and contrast(palette[pair[0]], palette[pair[1]]) < 4.5 and pair[0] != pair[1]
    }
    assert pale == {}


@pytest.mark.parametrize('palette', [style.LIGHT, style.DARK], ids=['light', 'dark'])
def test_strokes_that_mean_something_have_contrast(palette):
    meaning = {'fwd', 'bwd', 'bad', 'ink', 'dim', 'faint'}
    used = {style.look('rect', c).get('stroke') for c in classes_drawn('rect')} & meaning
    assert {'fwd', 'bwd', 'ink'} <= used
    for name in used:
        assert all(contrast(palette[name], palette[paper]) >= 3 for paper in ('paper', 'panel')), name


def test_widths_are_those_of_the_font():
    ImageFont = pytest.importorskip('PIL.ImageFont')
    from matplotlib import font_manager

    for bold in (False, True):
        wanted = font_manager.FontProperties(family='DejaVu Sans', weight='bold' if bold else 'normal')
        font = ImageFont.truetype(font_manager.findfont(wanted), 1000)
        for words in ('Net.bprop hands out dx', '−5.20', 'dout × yᵀ ≈0', 'Größe (2×3)'):
            assert font.getlength(words) <= metrics.width(words, 1000, bold) <= font.getlength(words) * 1.03 + 5


CUBES = 'def f(x):\n    return (x * x * x).sum()\n'
VECTORS = {  # gradients of gradients whose numbers stand in a row
    'columns': 'ms.jacfwd(ms.grad(f))(ms.Tensor([1.0, 2.0]))',
    'rows': 'ms.jacrev(ms.grad(f))(ms.Tensor([1.0, 2.0]))',
    'a sum': 'ms.grad(lambda x: (ms.grad(f)(x) * x).sum())(ms.Tensor([0.5, 12.5, 7.25]))',
}


@pytest.mark.parametrize('name', VECTORS)
def test_a_gradient_of_several_numbers_ends_before_the_rule_that_gave_it(name):
    assert wrong(gallery.made(f'{CUBES}with ms.Tape() as tape:\n    {VECTORS[name]}', f'vectors {name}')) == []
