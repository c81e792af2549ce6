"""Boxes: what they measure is what they draw, and nothing leaves the place that it was given."""

import random

import numpy as np
import pytest

from minicell.ink import boxes, shapes
from minicell.ink.band import Band
from minicell.ink.boxes import Card, Column, Flow, Grid, Lines, Link, Put, Row, Space, Span, Text, Upright
from minicell.ink.tiles import Tile
from minicell.story.record import Value
from tests.view import geometry


class Watching(boxes.Canvas):
    """A canvas that notes which place each box got."""

    def __init__(self):
        super().__init__()
        self.given, self.depth = [], 0

    def put(self, box, place, part=0):
        self.given.append((self.depth, box, place))
        self.depth += 1
        super().put(box, place, part)
        self.depth -= 1


def leaf(rng):
    words = ' '.join(rng.choice(['Net', 'dout × y', 'x', 'own bprop', '−0.479']) for _ in range(rng.randint(1, 4)))
    value = Value('x', (2, 3), 'Float32', np.arange(6, dtype=np.float32).reshape(2, 3) / rng.choice([1, 4, 3]))
    return rng.choice([
        lambda: Text(words, rng.choice(['', 'b', 'm', 'mid', 'end', 'h1'])),
        lambda: Text(words, room=30), lambda: Lines(words, 60), lambda: Tile(value), lambda: Upright(words),
        lambda: Tile(value._replace(data=np.zeros((9, 40)), shape=(9, 40)), (80, 60)), lambda: Space(7, 5),
    ])()  # fmt: skip


def tree(rng, deep=3, pile=lambda *parts: Flow(*parts, room=150)):
    if not deep or rng.random() < 0.15:
        return leaf(rng)
    parts = [tree(rng, deep - 1, pile) for _ in range(rng.randint(1, 3))]
    across = rng.choice(['start', 'middle', 'end', 'fill'])
    cells = [parts, [Span(leaf(rng), len(parts))], [None, leaf(rng)]]
    return rng.choice([
        lambda: Row(*parts, across=across, grows=rng.random()), lambda: Column(*parts, across=across),
        lambda: Card(parts[0], at=(rng.choice([0, 0.5, 1, None]), 0.5)), lambda: pile(*parts), lambda: Grid(cells),
    ])()  # fmt: skip


@pytest.mark.parametrize('seed', range(40))
def test_no_box_gets_less_than_it_measures_and_no_text_leaves_its_box(seed, monkeypatch):
    monkeypatch.setattr(boxes, 'Canvas', Watching)
    rng = random.Random(seed)
    canvas, w, h = boxes.draw(tree(rng), rng.choice([0, 900]), rng.choice([0, 500]))
    for _, box, place in canvas.given:
        assert place.w >= box.size[0] - 0.01 and place.h >= box.size[1] - 0.01
        assert place.x >= -0.01 and place.right <= w + 0.01 and place.y >= -0.01 and place.bottom <= h + 0.01
    for _, words, left, top, right, bottom in geometry.boxes(canvas.frame):
        assert left >= -2 and right <= w + 2 and top >= -2 and bottom <= h + 2, words


@pytest.mark.parametrize('seed', range(20))
def test_what_lies_side_by_side_never_overlaps(seed):
    rng = random.Random(seed)
    each = [Put(tree(rng, 2, Row), key=f'k{n}') for n in range(4)]
    made = rng.choice([lambda: Row(*each), lambda: Column(*each), lambda: Grid([each[:2], each[2:]])])()
    canvas, w, h = boxes.draw(made, 700)
    places = [canvas.places[f'k{n}'] for n in range(4)]
    assert all(a.right <= b.x or a.bottom <= b.y for n, a in enumerate(places) for b in places[n + 1 :])
    assert geometry.faults(canvas.frame, w, h) == []


def test_a_key_stays_and_what_has_none_is_counted_from_it():
    drawn = lambda words: boxes.draw(Row(Text('a'), Card(Column(Text(words), Text('b')), key='card')))[0].frame
    assert list(drawn('x')) == list(drawn('much longer')) and {'card', 'card.0.0'} < set(drawn('x'))
    assert drawn('x')['card.0.0'].attrs['T'] == 'x'


def test_columns_of_a_grid_are_shared_and_spans_add_no_more_than_they_need():
    wide, key = Text('a long text'), lambda name: Card(Space(10, 10), key=name, at=(None, None))
    grid = Grid([[wide, key('a')], [key('b'), key('c')], [Span(key('both'), 2)]])
    canvas, *_ = boxes.draw(grid)
    assert canvas.places['a'].x == canvas.places['c'].x and canvas.places['b'].w == round(wide.size[0], 6)
    assert canvas.places['both'].w == round(grid.size[0], 6)
    assert Grid([[Text('a')], [Span(Space(90, 1), 1)]]).size[0] == 90


def test_room_that_is_left_over_goes_to_what_grows():
    canvas, *_ = boxes.draw(Row(Card(key='a'), Card(key='b', grows=1), Card(key='c', grows=3)), 200)
    a, b, c = (canvas.places[k].w for k in 'abc')
    assert (c - a) == pytest.approx(3 * (b - a)) and canvas.places['c'].right == 200


@pytest.mark.parametrize('size', [(0, 0), (300, 120)])
def test_a_link_ends_at_the_edges_of_its_boxes(size):
    one, two = Card(Text('one'), key='one'), Card(Text('two'), key='two')
    over = Column(Space(0, 9, key='over'), Row(one, Card(Text('x'), key='x'), two, gap=30))
    canvas, *_ = boxes.draw(Row(over, Link('one', 'x'), Link('one', 'two', through='over')), *size)
    line = canvas.frame['one>x'].attrs['d']
    assert line.startswith(f'M{canvas.places["one"].right + 2:g},') and 'V' not in line
    arch = canvas.frame['one>two'].attrs['d']
    assert arch.count('V') == 2 and f'V{canvas.places["over"].cy:g}H' in arch
    assert 'one>gone' not in boxes.draw(Row(one, Link('one', 'gone')))[0].frame


def test_a_band_bends_before_what_it_must_not_touch_and_says_so():
    row = Row(Card(Text('my lines'), key='own'), Space(150, 0), Card(Text('rule'), key='ghost'), Space(60, 0),
              Card(Text('dout'), key='dout'))  # fmt: skip
    tall = Column(row, Space(0, 120), Row(Card(Text('lines of mine'), key='mine'), Space(300, 0)))
    canvas, *_ = boxes.draw(Column(tall, Band('dout', 'mine', 'ghost', said='takeover')))
    assert canvas.frame['bandt'].attrs['T'] == 'takeover' and 'C' in canvas.frame['band'].attrs['d']
    assert canvas.frame['bandt'].attrs['x'] > canvas.places['mine'].right
    down = boxes.draw(Column(row, Space(0, 80), Card(Text('below'), key='low'), Band('dout', 'low', down=True)))[0]
    assert 'A18,18' in down.frame['band'].attrs['d'] and 'bandt' not in down.frame


def test_words_are_broken_and_never_cut_while_there_are_lines_left():
    rows = shapes.wrapped('one two three four five six', 60, '', 9)
    assert ' '.join(rows) == 'one two three four five six' and len(rows) > 2
    assert len(shapes.wrapped('one two three four five six', 60, '', 2)) == 2
