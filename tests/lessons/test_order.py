"""Lines to be put into order, on a sample whose real order comes from a real tape."""

import types

import ipywidgets as w
import pytest

from minicell.teach import lesson, words
from minicell.teach.order import Ordering, OrderPanel, exercise
from tests.lessons import order_sample

PACKAGE = order_sample.__name__
RIGHT = ['ReduceSum', 'Sin', 'Mul']


@pytest.fixture
def ordering():
    return exercise('0a', PACKAGE)


def test_kinds(ordering):
    assert isinstance(ordering, Ordering)
    assert not isinstance(exercise('3a', 'minicell.teach.lesson03.exercise_3a'), Ordering)


def test_the_solution_is_what_really_ran(ordering):
    assert ordering.check(RIGHT).passed and ordering.check(tuple(RIGHT)).passed
    assert ordering.check_code(ordering.solution).passed
    assert list(order_sample.LINES) != RIGHT, 'offered in the right order'
    assert 'All 3 places' in repr(ordering.check(RIGHT))


@pytest.mark.parametrize('given', [..., [], [None, None, None], [..., ...]])
def test_not_attempted(ordering, given):
    verdict = ordering.check(given)
    assert verdict.state == 'open' and 'Choose a line' in repr(verdict)


def test_start_is_not_attempted(ordering):
    assert ordering.check_code(ordering.start).state == 'open'


def test_each_mistake_gets_its_own_hint(ordering):
    assert len(ordering.mistakes) == 3
    for mistake in ordering.mistakes:
        verdict = ordering.check_code(mistake.code)
        assert verdict.state == 'failed'
        assert (verdict.misconception, verdict.hint) == (mistake.misconception, mistake.hint)


@pytest.mark.parametrize(
    ('given', 'said', 'named'),
    [
        (['Exp', 'Sin', 'ReduceSum'], 'first that does not is place 1', 'mistake_2_not_called'),  # the same stranger
        (['Mul', 'ReduceSum', 'Sin'], 'first that does not is place 1', 'mistake_1_forward'),  # the same first slip
        (['Sin', 'Mul', 'ReduceSum'], '0 of 3', None),
        (['ReduceSum', None, 'Mul'], 'Still empty: place 2', None),
        (['ReduceSum', 'Sin'], '3 places; 2', None),
        (['ReduceSum', 'Cos', 3], "no line 'Cos', 3", None),
        ('ReduceSum', 'got str', None),
        (3, 'got int', None),
        (dict.fromkeys(RIGHT), 'got dict', None),
        ([['ReduceSum'], 'Sin', 'Mul'], 'There is no line', None),
    ],
)
def test_wrong_orders(ordering, given, said, named):
    verdict = ordering.check(given)
    assert verdict.state == 'failed' and said in repr(verdict)
    assert (verdict.mistake.name if verdict.mistake else None) == named


@pytest.mark.parametrize('code', ['', 'ORDER =', '1/0', 'ORDER = [1', '\x00'])
def test_checking_code_never_raises(ordering, code):
    assert ordering.check_code(code).state == 'failed'


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
    assert '1. the sum\n2. ops.sin' in panel.hints.value


def test_the_lines_are_listed_once(ordering):
    """Above the hints; the places name them again, and a second list would push these off the screen."""

    def within(one):
        return [one] + [found for child in getattr(one, 'children', ()) for found in within(child)]

    panel = OrderPanel(ordering, lambda verdict: None)
    pages = [one.value for one in within(panel.shown.widget) if isinstance(one, w.HTML)]
    assert sum('belongs nowhere' in page for page in pages) == 1


def test_it_reads_without_a_kernel(ordering):
    shown = OrderPanel(ordering, lambda verdict: None).shown
    assert 'Mul: the product x * y' in shown.text
    assert '3 common mistakes' in shown.page and '1 of them belongs nowhere' in shown.page
    assert '<b>that nobody' not in shown.page


def test_order_in_a_lesson(monkeypatch):
    L = lesson('03')
    with pytest.raises(ValueError, match='asks for code'):
        L.order('3a')
    sample = types.SimpleNamespace(**{**vars(L.about), 'EXERCISES': ('sample',)})
    monkeypatch.setattr(L, 'about', sample)
    L.exercises['sample'] = exercise('sample', PACKAGE)
    assert 'Exercise sample' in repr(L.order('sample'))
    assert L.check('sample', RIGHT).passed
    assert '1. the sum' in repr(L.reveal('sample'))
