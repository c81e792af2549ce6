"""Keyed shapes: a film travels as changes, and whoever unfolds them sees each frame as it was drawn."""

import json
from itertools import pairwise

import pytest

from minicell.ink import shapes
from minicell.ink.film import Film, Step
from minicell.ink.line import EDGE, HEIGHT, Mark, step_line
from minicell.ink.shapes import AGAIN, Frame
from tests.view.toy import films, toy


def unfold(nodes, steps):
    """The frames, as the player makes them: for each step the shapes that stand, in paint order."""
    frames = [[] for _ in range(steps)]
    for tag, key, changes in nodes:
        state, changes = None, dict(map(tuple, changes))
        for step in range(steps):
            change = changes.get(step)
            if change == 0:
                state = None
            elif change is not None:
                state = {k: v for k, v in {**(state or {}), **change}.items() if v is not None}
            if state is not None:
                frames[step].append((tag, key, state))
    return frames


def film_of(*frames):
    film = Film(100, 50)
    for number, drawn in enumerate(frames):
        frame = Frame()
        for shape in drawn:
            frame.add(*shape[:4], **(shape[4] if len(shape) > 4 else {}))
        film.add(frame, Step(f'step {number}', ''))
    return film


@pytest.mark.parametrize('narrow', [False, True])
def test_what_travels_unfolds_to_the_frames(narrow):
    film = toy(narrow)
    data = json.loads(json.dumps(film.data()))
    for frame, shown in zip(film.frames, unfold(data['n'], 12), strict=True):
        assert {key: (tag, attrs) for tag, key, attrs in shown} == {
            key: (shape.tag, shape.attrs) for key, shape in frame.items()
        }
        layers = [frame[key].layer for _, key, _ in shown]
        assert layers == sorted(layers)


def test_a_shape_goes_and_comes_back_as_itself():
    a = ('a', 'rect', 1, 'tile', {'x': 1.0, 'rx': 3})
    moved = ('a', 'rect', 1, 'tile wrong', {'x': 2.0})
    b = ('b', 'text', 2, '', {'T': 'b'})
    film = film_of([a, b], [b], [moved, b], [moved], [a])
    ((tag, key, changes), other) = film.nodes
    assert (tag, key) == ('rect', 'a')
    assert [step for step, _ in changes] == [0, 1, 2, 4]
    assert changes[1] == [1, 0]
    assert changes[2][1] == {'x': 2.0, 'class': 'tile wrong'}  # all of it: nothing is left of what it was
    assert changes[3][1] == {'x': 1.0, 'rx': 3, 'class': 'tile'}
    assert [change for _, change in other[2]] == [{'T': 'b'}, 0]


def test_an_attribute_that_goes_is_said_to_go():
    film = film_of([('a', 'rect', 1, 'tile', {'rx': 3})], [('a', 'rect', 1, '')])
    assert film.nodes[0][2][1] == [1, {'rx': None, 'class': None}]


def test_what_stays_costs_nothing():
    same = [('a', 'rect', 1, 'tile', {'x': 1.0})]
    film = film_of(*[same] * 50)
    assert len(film.nodes[0][2]) == 1


def test_paint_order_is_by_layer_and_then_as_drawn():
    film = film_of(
        [('late', 'rect', 5, ''), ('first', 'rect', 1, ''), ('second', 'rect', 1, '')], [('new', 'rect', 1, '')]
    )
    assert [key for _, key, _ in film.nodes] == ['first', 'second', 'new', 'late']


def test_two_shapes_have_two_keys():
    frame = Frame()
    for x in (0, 5, 9):
        frame.rect('a', x, 0, 1, 1, '')
    assert [shape.attrs['x'] for shape in frame.values()] == [0, 5, 9]
    assert [key.rstrip(AGAIN) for key in frame] == ['a'] * 3


def test_both_layouts_tell_the_same_steps():
    wide, narrow = (film.data() for film in films())
    assert [step['t'] for step in wide['s']] == [step['t'] for step in narrow['s']]


def words(line):
    """(left, right, words, since) of the names under a line."""
    texts = [(attrs, since) for tag, attrs, since in line['shapes'] if tag == 'text']
    return [(a['x'], a['x'] + shapes.width(a['T'], a['class']), a['T'], since) for a, since in texts]


@pytest.mark.parametrize('count', [1, 2, 13, 160, 600])
def test_steps_lie_on_the_rail_one_after_another(count):
    line, places = step_line(count, [], 456)
    xs = [x for x, _ in places]
    assert len(xs) == count and xs == sorted(set(xs)) and xs[0] == EDGE
    assert count == 1 or xs[-1] == 456 - EDGE
    assert len({y for _, y in places}) == 1 and line['dots'] is (count <= 60)
    ((_, rail, _),) = line['shapes']
    assert rail['x'] == line['x'] == EDGE and rail['y'] < places[0][1] < rail['y'] + rail['height']


def test_steps_of_note_are_named_under_their_place():
    line, places = step_line(12, [Mark(7, 'takeover', 'bf'), Mark(11, '✗ wrong', 'xx', 11), Mark(0, 'forward')])
    (a, b, takeover, shown), (c, d, wrong, late), (e, _, forward, _) = words(line)
    assert (takeover, wrong, forward) == ('takeover', '✗ wrong', 'forward') and (shown, late) == (0, 11)
    assert abs((a + b) / 2 - places[7][0]) < 1 and e == places[0][0]
    assert d <= 456 + 1 and b < c, 'the last name stays on the line'
    discs = [a for tag, a, _ in line['shapes'] if tag == 'rect' and a['class'].startswith('note')]
    assert [disc['x'] + disc['width'] / 2 for disc in discs] == [places[7][0], places[11][0]]


@pytest.mark.parametrize('width', [220, 456])
def test_names_do_not_lie_on_each_other_and_the_first_win(width):
    marks = [Mark(i, f'takeover {i}', 'bf') for i in (9, 8, 4, 0, 5, 19)]
    line, _ = step_line(20, marks, width)
    found = sorted(words(line))
    assert all(one[1] < other[0] for one, other in pairwise(found))
    assert 'takeover 9' in {said for *_, said, _ in found} and len(found) < len(marks)
    assert all(left >= 0 and right <= width + 1 for left, right, *_ in found)
    assert all(attrs['y'] < HEIGHT for tag, attrs, _ in line['shapes'] if tag == 'text')
    json.dumps(line, allow_nan=False)
