"""What takes a moment: its progress bar, and how its loss is drawn."""

import re

import numpy as np
import pytest

from minicell.ink import boxes, style
from minicell.teach import train
from minicell.teach.lesson06.figures import lamp
from minicell.teach.plot import Line, chart
from tests.lessons.figures import drawn


def test_bar(monkeypatch, capsys):
    seen = []

    class Handle:
        def update(self, bundle, raw):
            seen.append(bundle['text/html'])

    monkeypatch.setattr(train, 'display', lambda bundle, raw, display_id: Handle().update(bundle, raw) or Handle())
    went = []
    for item in train.bar('abc', of=3):
        went.append((item, re.search(r'value="(\d)"', seen[-1])[1]))
    assert went == [('a', '0'), ('b', '1'), ('c', '2')] and '3 of 3' in seen[-2]
    assert seen[-1] == '', 'what is done needs no bar'
    monkeypatch.setenv('MINICELL_STILL', 'yes')
    assert list(train.bar('abc', of=3)) == ['a', 'b', 'c'] and len(seen) == 5, 'a notebook that is kept has no bar'


def lines(of, look='pen f'):
    """The points of each line with a look."""
    ways = [each['d'] for each in drawn(of, 'path', look)]
    return [[tuple(map(float, point.split(','))) for point in way[1:].split('L')] for way in ways]


def plane(losses, steps):
    return chart([Line(losses, 'it')], steps, 1.0, (300, 100))


def test_chart_keeps_to_its_box():
    of = plane([0.5, np.nan, np.inf, -np.inf, 1e9, 0.2, 3.0], 7)
    (line,) = lines(of)
    wide, high = of.size
    assert all(wide - 300.1 <= x <= wide + 0.1 and 0 <= y <= high for x, y in line)


@pytest.mark.parametrize(('last', 'said'), [(3.0, '↑ now at 3'), (np.nan, '↑ now at NaN'), (np.inf, '↑ now at ∞')])
def test_chart_says_what_is_above_it(last, said):
    assert [each['T'] for each in drawn(plane([0.5, last], 2), 'text', 'b')] == [said]
    assert not drawn(plane([0.5, 0.4], 2), 'text', 'b')


def test_chart_draws_little_of_a_long_run():
    (line,) = lines(plane(np.linspace(1, 0, 5000).tolist(), 5000))
    assert 100 < len(line) <= 160 and line[-1][0] == line[0][0] + 300


def test_the_line_to_look_at_is_no_dashed_one():
    of = chart([Line([1, 0], 'it'), Line([1, 0.5], 'other', False)], 2, 1.0, (300, 100))
    assert len(lines(of)) == len(lines(of, 'pen dash')) == 1
    assert 'dash' in style.look('path', 'pen dash') and 'dash' not in style.look('path', 'pen f')


def test_lamps_differ_in_shape():
    frames = [boxes.draw(lamp(ok, 40))[0].frame.values() for ok in (True, False)]
    assert len({next(shape.attrs['rx'] for shape in frame if shape.tag == 'rect') for frame in frames}) == 2
