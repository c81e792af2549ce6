"""Every program of the gallery as a projector shows it: large, inside its room, and still while stepping."""

from functools import cache

import gallery
import pytest
from measure import faults, measure_all, page, why_not

import minicell as ms
from minicell import view
from minicell.view import projector
from minicell.view.metrics import width
from minicell.view.shapes import Text, text

SCREEN = 22  # pixels that the smallest text has
LOOKS = [(name, look) for name, look in gallery.pairs() if look in ('ops', 'inside', 'alone')]


@cache
def told(name: str, look: str) -> list:
    """Some frames of a program, the first and the last among them."""
    found = view.frames(gallery.run(name), **gallery.LOOKS[look])
    return found if len(found) <= 6 else [*found[:: len(found) // 5], found[-1]]


@pytest.mark.parametrize(('name', 'look'), LOOKS)
def test_large_inside_and_still(name, look):
    sizes = set()
    for frame in told(name, look):
        shapes, size = projector.compose(frame)
        sizes.add(size)
        for each in shapes:
            if isinstance(each, Text) and each.text:
                assert each.size * projector.SCALE >= SCREEN, each.text
                x, _, room, _ = each.box
                assert width(each.text, each.size, each.bold, each.mono) <= room + 1, each.text
                assert x >= -1 and x + room <= size[0] + 1, each.text
                assert each.y <= size[1], f'{each.text!r} of step {frame.step + 1} is below the picture'
    assert len(sizes) == 1, 'nothing moves while stepping'


def test_the_takeover_fits_a_screen():
    _, (wide, high) = projector.compose(told('matmul_loss', 'ops')[-1])
    assert wide * projector.SCALE <= 1280 and high * projector.SCALE <= 570


def words(frame) -> str:
    return ' | '.join(each.text for each in projector.compose(frame)[0] if isinstance(each, Text))


def test_it_tells_what_the_step_is_about():
    frames = view.frames(gallery.run('matmul_loss'))
    said = {frame.record.steps[frame.step].kind: words(frame) for frame in frames}
    assert 'MatMul: hidden' in said['write'] or 'ReduceSum' in said['write']
    assert 'Net.bprop' in said['give'] and 'jumps over MatMul’s rule' in said['give']
    assert 'true: autodiff' in said['give'] and 'off by' in said['give'] and 'dout' in said['give']
    assert 'Gradients' in said['arrive'] and 'from 1 Net.bprop' in said['arrive']
    alone = view.frames(gallery.run('matmul_loss'), compare=False)
    assert not any('true: autodiff' in words(frame) or '5.20' in words(frame) for frame in alone)


def test_two_tapes_have_two_rows():
    said = words(view.frames(gallery.run('cube'))[-1])
    assert 'tape 1' in said and 'tape 2' in said


def test_an_empty_tape_and_an_error_are_told():
    assert words(view.frames(ms.Tape())[0])
    assert 'Error' in words(view.frames(gallery.run('raises'))[-1])


def test_small_print_of_a_figure_becomes_large_in_its_own_room():
    fits, tight = text(0, 20, 200, 'loss', 12), text(0, 40, 30, '−5.20', 11.5)
    large = projector.enlarged([fits, tight, text(0, 60, 300, 'a title', 18)], 760)
    assert all(each.size * projector.SCALE * projector.WIDTH / 760 >= SCREEN for each in large)
    assert (large[0].narrow, large[2].size) == (0, 18)
    assert large[1].narrow < tight.box[2] == large[1].box[2]


def test_what_is_presented_is_for_a_projector():
    tape = gallery.run('fanout')
    with projector.presenting():
        large, small = view.show(tape), view.show(tape, scale=1)
    assert (large.large, small.large, view.show(tape).large) == (True, False, False)
    assert f'viewBox="0 0 {projector.WIDTH} ' in large.svg(large.frames[0])
    assert large.children[1].selected_index == 0, 'the picture stands between the controls'


@pytest.mark.browser
@pytest.mark.skipif(bool(why_not()), reason=f'nothing is measured: {why_not() or "nothing missing"}')
def test_measured_in_a_browser():
    some = {projector.svg(frame, scale=1): (name, look, frame) for name, look in LOOKS for frame in told(name, look)}
    wrong = {}
    with page() as blank:
        for (name, look, frame), found in zip(some.values(), measure_all(blank, some, each=5), strict=True):
            for fault in faults(found):
                wrong.setdefault(fault, []).append(f'{name}, {look}, step {frame.step + 1}')
    said = [f'{places[0]} ({len(places)} frames): {fault}' for fault, places in wrong.items()]
    assert not said, '\n'.join(said)
