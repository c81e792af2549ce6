"""Lines to be put into order, on a sample whose real order comes from a real tape."""

from pathlib import Path

import pytest

import minicell as ms
from minicell.core.watch import Pull
from minicell.teach import lesson
from minicell.teach.exercise_text import read
from tests.messages import refused, tells

RIGHT = ['ReduceSum', 'Sin', 'Mul']


def right():
    """The names of the entries, as backward really read them."""
    x, y = ms.Tensor([1.0, 2.0]), ms.Tensor([3.0, 4.0])
    with ms.Tape() as tape:
        ms.grad(lambda x, y: ms.ops.sin(x * y).sum(), (0, 1))(x, y)
    return [event.entry.rule.name for event in tape.events if isinstance(event, Pull)]


SAMPLE = read(Path(__file__).with_name('order_sample.md'), right)


@pytest.fixture
def ordering():
    return SAMPLE


def test_the_solution_is_what_really_ran(ordering):
    assert ordering.check(RIGHT).passed and ordering.check(tuple(RIGHT)).passed
    assert ordering.check_code(ordering.solution).passed
    assert list(SAMPLE.lines) != RIGHT, 'offered in the right order'
    tells(repr(ordering.check(RIGHT)), 'All 3 places')


@pytest.mark.parametrize('given', [..., [], [None, None, None], [..., ...]])
def test_not_attempted(ordering, given):
    verdict = ordering.check(given)
    assert verdict.state == 'open'
    tells(repr(verdict), 'Choose the lines')


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


def test_its_card_offers_the_lines_once_and_reads_without_a_kernel(ordering):
    L = lesson('03', keep=False)
    L.about = L.about._replace(exercises={'order_sample': ordering})
    card = L.order('order_sample')
    tells(card.text(), 'Mul: the product', 'x * y', 'Sin: ops.sin')
    assert card.html().count('data-line=') == len(SAMPLE.lines) and card.html().count('belongs nowhere') == 1
    assert '3 common mistakes' in card.html() and '<b>that nobody' not in card.html()
    assert card.facts()['places'] == RIGHT


def test_order_in_a_lesson():
    L = lesson('03')
    with refused(ValueError, '3a', 'asks for code'):
        L.order('3a')
    L.about = L.about._replace(exercises={'order_sample': SAMPLE})
    card = L.order('order_sample')
    assert 'Exercise order_sample' in repr(card)
    L.hear({'of': card.id, 'order': ['Sin', 'Mul', 'ReduceSum', 'no line', 3]})
    assert card.order == ['Sin', 'Mul', 'ReduceSum'] and card.verdict.state == 'failed'
    assert L.check('order_sample', RIGHT).passed
    assert '1. the sum' in card.html()
