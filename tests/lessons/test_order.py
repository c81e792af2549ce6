"""Lines to be put into order, on a sample whose real order comes from a real tape."""

from pathlib import Path

import ipywidgets as w
import pytest

import minicell as ms
from minicell.core.watch import Pull
from minicell.teach import lesson, words
from minicell.teach.exercise_text import read
from minicell.teach.order import Ordering, OrderPanel
from tests.lessons.drive import within
from tests.messages import refused, tells

SAMPLE = read(Path(__file__).with_name('order_sample.md'))
RIGHT = ['ReduceSum', 'Sin', 'Mul']


def right():
    """The names of the entries, as backward really read them."""
    x, y = ms.Tensor([1.0, 2.0]), ms.Tensor([3.0, 4.0])
    with ms.Tape() as tape:
        ms.grad(lambda x, y: ms.ops.sin(x * y).sum(), (0, 1))(x, y)
    return [event.entry.rule.name for event in tape.events if isinstance(event, Pull)]


@pytest.fixture
def ordering():
    return Ordering(SAMPLE, right)


def test_the_solution_is_what_really_ran(ordering):
    assert ordering.check(RIGHT).passed and ordering.check(tuple(RIGHT)).passed
    assert ordering.check_code(ordering.solution).passed
    assert list(SAMPLE.lines) != RIGHT, 'offered in the right order'
    tells(repr(ordering.check(RIGHT)), 'All 3 places')


@pytest.mark.parametrize('given', [..., [], [None, None, None], [..., ...]])
def test_not_attempted(ordering, given):
    verdict = ordering.check(given)
    assert verdict.state == 'open'
    tells(repr(verdict), 'Choose a line')


@pytest.mark.parametrize(
    ('given', 'told', 'named'),
    [
        (['Exp', 'Sin', 'ReduceSum'], 'is place 1', 'not-called'),  # the same stranger
        (['Mul', 'ReduceSum', 'Sin'], 'is place 1', None),  # the same first slip says too little
        (['Sin', 'Mul', 'ReduceSum'], '0 of 3', None),
        (['ReduceSum', None, 'Mul'], 'empty: place 2', None),
        (['ReduceSum', 'Sin'], '3 places; 2', None),
        (['ReduceSum', 'Cos', 3], "no line 'Cos', 3", None),
        ('ReduceSum', 'got str', None),
        (3, 'got int', None),
        (dict.fromkeys(RIGHT), 'got dict', None),
        ([['ReduceSum'], 'Sin', 'Mul'], 'no line', None),
    ],
)
def test_wrong_orders(ordering, given, told, named):
    verdict = ordering.check(given)
    assert verdict.state == 'failed'
    tells(repr(verdict), 'order_sample', told)
    assert (verdict.mistake.name if verdict.mistake else None) == named


def test_places_are_labelled_and_a_line_moves(ordering):
    said = []
    panel = OrderPanel(ordering, said.append)
    assert [box.description for box in panel.boxes] == ['Place 1', 'Place 2', 'Place 3']
    assert all(len(box.options) == 5 for box in panel.boxes)  # with the line that belongs nowhere, and with none
    for box, key in zip(panel.boxes, ('Sin', 'Mul', 'ReduceSum'), strict=True):
        box.value = key
    panel.check()
    assert said[-1].state == 'failed'
    panel.boxes[0].value = 'ReduceSum'
    assert [box.value for box in panel.boxes] == ['ReduceSum', 'Mul', None]
    panel.boxes[1].value, panel.boxes[2].value = 'Sin', 'Mul'
    panel.check()
    assert said[-1].passed


def test_the_way_without_typing(ordering):
    said = []
    panel = OrderPanel(ordering, said.append)
    for mistake in ordering.mistakes:
        panel.insert_mistake()
        assert [box.value for box in panel.boxes] == ordering.order(mistake.code)
        assert words.inline(mistake.misconception) in panel.verdict.value
    panel.insert_solution()
    assert said[-1].passed
    panel.start_again()
    assert said[-1].state == 'open' and not any(box.value for box in panel.boxes)
    for _ in range(4):
        panel.next_hint()
    assert panel.hints.value.index('1. the sum') < panel.hints.value.index('2. ops.sin')


def test_the_lines_are_listed_once(ordering):
    """Above the hints; the places name them again, and a second list would push these off the screen."""
    panel = OrderPanel(ordering, lambda verdict: None)
    assert sum('belongs nowhere' in page.value for page in within(panel.shown.widget, w.HTML)) == 1


def test_it_reads_without_a_kernel(ordering):
    shown = OrderPanel(ordering, lambda verdict: None).shown
    tells(shown.text, 'Mul: the product', 'x * y', 'Sin: ops.sin')
    assert '3 common mistakes' in shown.page and '1 of them' in shown.page
    assert '<b>that nobody' not in shown.page


def test_order_in_a_lesson(monkeypatch):
    L = lesson('03')
    with refused(ValueError, '3a', 'asks for code'):
        L.order('3a')
    monkeypatch.setattr(L, 'about', L.about._replace(exercises={'sample': SAMPLE}))
    L.exercises['sample'] = Ordering(SAMPLE, right)
    assert 'Exercise order_sample' in repr(L.order('sample'))
    assert L.check('sample', RIGHT).passed
    assert '1. the sum' in repr(L.reveal('sample'))
