"""Keyed shapes: a film travels as changes, and whoever unfolds them sees each frame as it was drawn."""

import json

import pytest

from minicell.view.paint.film import Film, Step
from minicell.view.paint.kit import AGAIN, Frame
from minicell.view.paint.line import BACKWARD, FORWARD, TALLEST, Entry, tape_line
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
    for number, shapes in enumerate(frames):
        frame = Frame()
        for shape in shapes:
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
    ((tag, key, changes), other) = film.nodes()
    assert (tag, key) == ('rect', 'a')
    assert [step for step, _ in changes] == [0, 1, 2, 4]
    assert changes[1] == [1, 0]
    assert changes[2][1] == {'x': 2.0, 'class': 'tile wrong'}  # all of it: nothing is left of what it was
    assert changes[3][1] == {'x': 1.0, 'rx': 3, 'class': 'tile'}
    assert [change for _, change in other[2]] == [{'T': 'b'}, 0]


def test_an_attribute_that_goes_is_said_to_go():
    film = film_of([('a', 'rect', 1, 'tile', {'rx': 3})], [('a', 'rect', 1, '')])
    assert film.nodes()[0][2][1] == [1, {'rx': None, 'class': None}]


def test_what_stays_costs_nothing():
    same = [('a', 'rect', 1, 'tile', {'x': 1.0})]
    film = film_of(*[same] * 50)
    assert len(film.nodes()[0][2]) == 1


def test_paint_order_is_by_layer_and_then_as_drawn():
    film = film_of(
        [('late', 'rect', 5, ''), ('first', 'rect', 1, ''), ('second', 'rect', 1, '')], [('new', 'rect', 1, '')]
    )
    assert [key for _, key, _ in film.nodes()] == ['first', 'second', 'new', 'late']


def test_two_shapes_have_two_keys():
    frame = Frame()
    for x in (0, 5, 9):
        frame.rect('a', x, 0, 1, 1, '')
    assert [shape.attrs['x'] for shape in frame.values()] == [0, 5, 9]
    assert [key.rstrip(AGAIN) for key in frame] == ['a'] * 3


def test_both_layouts_tell_the_same_steps():
    wide, narrow = (film.data() for film in films())
    assert [step['t'] for step in wide['s']] == [step['t'] for step in narrow['s']]


# ---- the tape line ---------------------------------------------------------------------------------------------------


def shapes(line, kind):
    return [attrs for _, attrs, _ in line['shapes'] if attrs['class'].split()[0] == kind]


def test_dots_run_to_the_right_and_then_back_to_the_left():
    line, places = tape_line(
        [Entry('1 Net', 1, 1, (0, 1, 2), (7, 8, 9)), Entry('2 Sum', 2, 1, (3,), (4, 5, 6))], 10, 456
    )
    forward, backward = places[:4], places[4:]
    assert [y for _, y in forward] == [FORWARD] * 4 and [y for _, y in backward] == [BACKWARD] * 6
    assert [x for x, _ in forward] == sorted(x for x, _ in forward)
    assert [x for x, _ in backward] == sorted((x for x, _ in backward), reverse=True)
    assert line['dots']
    words = [attrs['T'] for tag, attrs, _ in line['shapes'] if tag == 'text']
    assert words == ['forward ›', '‹ backward', '1 Net', '2 Sum']


def test_a_bar_is_as_tall_as_its_number():
    line, _ = tape_line([Entry('1 A', 1.0, 2.0), Entry('2 B', 2.0, None)], 0)
    assert [bar['height'] for bar in shapes(line, 'up')] == [17, TALLEST]
    assert [bar['height'] for bar in shapes(line, 'dn')] == [TALLEST]
    many, _ = tape_line([Entry(str(i), 10.0**-i) for i in range(6)], 0)  # three decades, then the least
    assert [bar['height'] for bar in shapes(many, 'up')] == [22, 14.67, 7.33, 2, 2, 2]


@pytest.mark.parametrize('number', [float('nan'), float('inf'), 0.0, 1e-300, 1e300])
def test_every_number_has_a_bar(number):
    line, _ = tape_line([Entry('1 A', number, number, nan=0), Entry('2 B', 1.0, 1.0)], 0)
    json.dumps(line, allow_nan=False)
    assert all(2 <= bar['height'] <= TALLEST for bar in shapes(line, 'up') + shapes(line, 'dn'))


@pytest.mark.parametrize('count', [0, 1, 5, 40, 300, 10_000])
def test_the_line_scales(count):
    entries = [
        Entry(
            f'{i + 1} Mul',
            1 + i,
            1.0,
            (i,),
            (2 * count - 1 - i,),
            'takeover' if i % 97 == 5 or i > 5000 else '',
            wrong=None,
        )
        for i in range(count)
    ]
    line, places = tape_line(entries, 2 * count)
    assert len(places) == 2 * count
    assert len(json.dumps(line)) < 70_000
    for tag, attrs, since in line['shapes']:
        assert 0 <= since < max(1, 2 * count)
        if tag == 'rect':
            assert attrs['x'] >= 83 and attrs['x'] + attrs['width'] <= 457
    assert all(84 <= x <= 456 for x, _ in places)
    assert line['dots'] is (count <= 40)
    tallest = max((bar['height'] for bar in shapes(line, 'up')), default=TALLEST)
    assert tallest == TALLEST  # binned to pixels, the largest is still there


def test_words_do_not_lie_on_each_other():
    entries = [
        Entry(f'{i} Mul', 1, 1, note='takeover' if i in (10, 12, 30) else '', wrong=7 if i == 30 else None)
        for i in range(60)
    ]
    line, _ = tape_line(entries, 8)
    said = [(attrs['x'], attrs['T'], since) for tag, attrs, since in line['shapes'] if tag == 'text'][2:]
    assert [(words, since) for _, words, since in said] == [('takeover', 0), ('takeover', 0), ('✗ wrong', 7)]
    assert said[1][0] - said[0][0] > 66
    assert len([a for tag, a, _ in line['shapes'] if tag == 'rect' and a['class'] in ('fatk', 'badk later')]) == 3


def test_a_name_that_does_not_fit_leaves_its_number():
    line, _ = tape_line([Entry(f'{i} SoftmaxCrossEntropy', 1, 1) for i in range(1, 6)], 0)
    assert [attrs['T'] for tag, attrs, _ in line['shapes'] if tag == 'text'][2:] == ['1', '2', '3', '4', '5']
