"""A figure that trains: it goes on, it stops, it never runs twice at once, and the page is heard meanwhile."""

import asyncio
import json
import re
from itertools import pairwise

import numpy as np
import pytest

from minicell.ink import boxes, style
from minicell.ink.boxes import Column, Text
from minicell.teach import train
from minicell.teach.figure import Drawing
from minicell.teach.lesson06.figures import lamp
from minicell.teach.live import Control
from minicell.teach.train import Curve, Line, Training, bar, chart
from tests.lessons.figures import drawn
from tests.messages import tells

STEPS = 100
CHOICES = ('slow', 'fast', 'broken', 'far')


class Course:
    """Something to train, which writes down what became of it."""

    def __init__(self):
        self.begun: list[int] = []
        self.closed = 0

    def run(self, values):
        choice = values['what']
        self.begun.append(choice)
        try:
            for step in range(STEPS):
                if CHOICES[choice] == 'broken' and step == 30:
                    raise ValueError('the <loss> fell {over}')
                yield 1 / (1 + step)
            return choice + 0.5
        finally:
            self.closed += 1


def draw(values, curve):
    said = f'{CHOICES[values["what"]]} after {len(curve.losses)} of {curve.steps}, result {curve.result}'
    return Drawing(
        Column(Text(said), chart([Line(curve.losses, 'it')], curve.steps, 1.0, (300, 100))), 'A run', '', said
    )


@pytest.fixture
def course(monkeypatch):
    monkeypatch.setattr(train, 'FRAME', 0)
    return Course()


CONTROLS = {'what': Control('What', 0, names=CHOICES)}
STILL = draw({'what': 0}, Curve((1.0, 0.5), STEPS))


@pytest.fixture
def figure(course):
    return Training('test', CONTROLS, course.run, STEPS, draw, [STILL])


def shown(figure):
    """Which choice is drawn, after how many steps, and its result."""
    return re.fullmatch(r'(\w+) after (\d+) of 100, result (.*)', figure.drawn.words).groups()


def told(figure):
    """What the page is told from now on."""
    found = []
    figure.tells = lambda said: found.append(json.loads(said['figure']))
    return found


def press(figure, act):
    figure.hear({'act': act})


def test_before_the_first_run(figure):
    assert shown(figure) == ('slow', '0', 'None') and figure.script().count('"run":"Train"') == 1
    assert figure.state() == {'said': 'Not trained yet.', 'running': False, 'done': 0, 'of': 100}


def test_to_the_end_without_a_page(figure, course):
    press(figure, 'run')
    assert shown(figure) == ('slow', '100', '0.5')
    assert figure.state() == {'said': 'Done: 100 of 100 steps.', 'running': False, 'done': 100, 'of': 100}
    assert course.begun == [0] and course.closed == 1 and figure.going is None


def test_picture_and_bar_move(figure):
    async def watch():
        figure.train()
        await figure.task

    seen = told(figure)
    asyncio.run(watch())
    first, *pictures, last = seen
    assert 'layouts' not in first and first['running'] and not last['running'] and last['said'].startswith('Done')
    assert len(pictures) >= train.FRAMES and all(each['layouts'] and each['running'] for each in pictures)
    steps = [each['done'] for each in pictures]
    assert all(a < b for a, b in pairwise(steps[:-1])) and pictures[0]['said'] == f'Step {steps[0]} of 100'


async def until(happened):
    """Let the training run on until something has happened."""
    for _ in range(1000):
        if happened():
            return
        await asyncio.sleep(0)
    pytest.fail('it never happened')


def test_never_twice_at_once(figure, course):
    async def click():
        for _ in range(20):
            press(figure, 'run')
        assert figure.state()['running']
        await until(lambda: course.begun)
        figure.train()
        await figure.task

    asyncio.run(click())
    assert course.begun == [0] and course.closed == 1
    assert len(figure.kept[0,].losses) == STEPS


def test_stop(figure, course):
    async def click():
        press(figure, 'run')
        await until(lambda: figure.curve.losses)
        press(figure, 'stop')
        assert figure.going is None and course.closed == 1 and not figure.state()['running']
        after = told(figure)
        await figure.task
        assert after == []

    asyncio.run(click())
    steps = len(figure.kept[0,].losses)
    assert 0 < steps < STEPS and f'Stopped: {steps} of 100 steps.' == figure.said
    assert shown(figure) == ('slow', str(steps), 'None')
    press(figure, 'stop')  # nothing runs: nothing happens
    figure.train()
    assert figure.kept[0,].result == 0.5


def test_another_choice_ends_a_run(figure, course):
    async def choose():
        figure.train()
        first = figure.task
        await until(lambda: figure.curve.losses)
        figure.hear({'values': {'what': 1}})
        assert course.closed == 1 and shown(figure) == ('fast', '0', 'None')
        assert figure.said == 'Not trained yet.'
        figure.train()  # at once: the first one has not even woken up
        await first
        await figure.task

    asyncio.run(choose())
    assert course.begun == [0, 1] and course.closed == 2
    assert shown(figure) == ('fast', '100', '1.5')
    figure.set(what=0)  # what was kept of it is there
    assert 0 < len(figure.curve.losses) < STEPS and shown(figure)[0] == 'slow'


def test_an_error_is_said_and_raised(figure, course):
    figure.set(what=2)
    with pytest.raises(ValueError, match='fell'):
        figure.train()
    tells(figure.said, 'Stopped: 30', '100 steps', ValueError, '<loss>', '{over}')
    assert not figure.state()['running'] and course.closed == 1
    figure.set(what=0)
    figure.train()
    assert figure.curve.result == 0.5


def test_a_slow_machine_ends_early(figure, monkeypatch):
    monkeypatch.setattr(train, 'LIMIT', 0.0)
    figure.train()
    tells(figure.said, 'Stopped: 5 of', '0 seconds')
    assert not figure.state()['running'] and figure.curve.result is None


def test_a_run_can_be_watched_and_is_over_soon(course, monkeypatch):
    monkeypatch.undo()
    figure = Training('test', CONTROLS, course.run, STEPS, draw, [STILL])

    async def wait():
        figure.train()
        await figure.task

    slept, turn = [], asyncio.sleep
    monkeypatch.setattr(asyncio, 'sleep', lambda seconds: slept.append(seconds) or turn(0))
    asyncio.run(wait())
    assert len(slept) <= 2 * train.FRAMES and 0.5 < sum(slept) < train.LIMIT < 10


def test_reset(figure):
    figure.set(what=1)
    figure.train()
    seen = told(figure)
    figure.reset()
    assert figure.kept == {} and figure.said == 'Not trained yet.' and seen[-1]['values'] == {'what': 0}
    assert shown(figure) == ('slow', '0', 'None')


def test_the_height_stays(figure):
    before = figure.drawn.box.size
    figure.train()
    assert figure.drawn.box.size == before


def test_without_a_kernel(figure, monkeypatch):
    monkeypatch.setenv('MINICELL_STILL', 'yes')
    bundle = figure.shown._repr_mimebundle_()
    tells(bundle['text/plain'], 'slow after 2', 'of 100', 'result None', keep=False)
    assert '<desc' in bundle['image/svg+xml'] and bundle['image/png']


@pytest.mark.slow
def test_in_a_kernel_the_page_is_heard_meanwhile(lesson_03, run):
    """Other cells run between two slices, as the Stop button does."""
    lesson_03.cells = []
    setup = f"""\
import asyncio
from minicell.teach import train
from minicell.ink.boxes import Space
from minicell.teach.figure import Drawing
from minicell.teach.live import Control
from minicell.teach.train import Curve, Training
def course(choice):
    for step in range(100):
        yield 1.0
    return 'the end'
draw = lambda values, curve: Drawing(Space(), 'A run', '', f'{{len(curve.losses)}} steps, {{curve.result}}')
train.FRAME = 0.5  # long enough for the next cell to come
figure = Training('k', {{}}, course, {STEPS}, draw, [draw({{}}, Curve((), 1))])
figure.train()
print(len(figure.kept), figure.going is None)
"""
    look = """\
for _ in range(600):
    if figure.curve.losses: break
    await asyncio.sleep(0.1)
print(0 < len(figure.curve.losses) < 100)
"""
    end = 'train.FRAME = 0\nfigure.stop()\nprint(figure.going is None)\nfigure.train()'
    cells = run(lesson_03, setup, look, end, 'await figure.task\nprint(figure.curve.result)')
    said = [''.join(out.get('text', '') for out in cell.outputs) for cell in cells]
    assert said == ['0 False\n', 'True\n', 'True\n', 'the end\n']


def test_bar(monkeypatch, capsys):
    seen = []

    class Handle:
        def update(self, bundle, raw):
            seen.append(bundle['text/html'])

    monkeypatch.setattr(train, 'display', lambda bundle, raw, display_id: Handle().update(bundle, raw) or Handle())
    went = []
    for item in bar('abc', of=3):
        went.append((item, re.search(r'value="(\d)"', seen[-1])[1]))
    assert went == [('a', '0'), ('b', '1'), ('c', '2')] and '3 of 3' in seen[-1]
    monkeypatch.setenv('MINICELL_STILL', 'yes')
    assert list(bar('abc', of=3)) == ['a', 'b', 'c'] and len(seen) == 4, 'a notebook that is kept has no bar'


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
    rects = [next(s.attrs for s in boxes.draw(lamp(ok, 40))[0].frame.values() if s.tag == 'rect')
             for ok in (True, False, None)]  # fmt: skip
    assert len({(each['rx'], 'dash' in style.look('rect', each['class'])) for each in rects}) == 3
