"""What the figures of lessons are drawn with: on a projector their small print is large, in its own room."""

import colorsys

from minicell.ink.style import LIGHT
from minicell.teach.figure import Drawing, svg
from minicell.teach.ink import large, shapes
from minicell.teach.ink.shapes import Text, text

SCREEN, SCALE = 22, 2  # pixels of the smallest text on a projector; there a picture is twice `large.WIDTH` pixels wide
WIDE = 760  # units, as most figures are


def drawn() -> list[Text]:
    return [text(0, 20, 200, 'loss', 12), text(0, 40, 30, '−5.20', 11.5), text(0, 60, 300, 'a title', 18)]


def test_small_print_of_a_figure_becomes_large_in_its_own_room():
    fits, tight, title = drawn()
    larger = large.enlarged([fits, tight, title], WIDE)
    assert all(each.size * SCALE * large.WIDTH / WIDE >= SCREEN for each in larger)
    assert (larger[0].narrow, larger[2].size) == (0, 18)
    assert larger[1].narrow < tight.box[2] == larger[1].box[2]


def test_what_is_presented_is_for_a_projector():
    assert not large.on
    with large.presenting():
        assert large.on
        with large.presenting():
            assert large.on
        assert large.on
    assert not large.on
    one = Drawing(drawn(), (WIDE, 100), 'A figure', 'A figure in words')
    small, projected = svg(one, 'a', False), svg(one, 'a', True)
    assert 'font-size="11.5"' in small and 'font-size="11.5"' not in projected


def test_a_colour_means_in_a_figure_what_it_means_in_the_picture_of_a_tape():
    assert shapes.BACKWARD.lower() == LIGHT['auto'], 'by the rules of autodiff'
    assert shapes.WRONG.lower() == LIGHT['bad']
    hues = {name: colorsys.rgb_to_hls(*(int(c[k : k + 2], 16) / 255 for k in (1, 3, 5)))[0]
            for name, c in (('own', shapes.OWN), ('bprop', LIGHT['bwd']))}  # fmt: skip
    assert abs(hues['own'] - hues['bprop']) < 0.03, 'by your own code'
