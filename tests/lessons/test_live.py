"""A live picture: what the control's value makes of a tape, and what goes to the page. Its page is in tests/browser."""

import json
import math

import pytest

import minicell as ms
from minicell.ink.page.fragment import layouts
from minicell.teach import lesson
from minicell.teach.lesson03 import loss_scale
from minicell.teach.live import Control, Follow
from minicell.view.picture import STILL, Picture
from tests.messages import tells

X = ms.Tensor([[0.5, 0.6, 0.4], [1.2, 1.3, 1.1]])
Y = ms.Tensor([[0.01, 0.3, 1.1], [0.1, 0.2, 1.3], [2.1, 1.2, 3.3]])


class Frozen(ms.nn.Cell):
    def construct(self, x, y):
        return ms.ops.matmul(x, y)

    def bprop(self, x, y, out, dout):
        return x + 1, y + 1


def square(x):
    y = x * x
    return y + 3 * x


def follow(function, start, stop, value=None):
    """A slider for the input of a function, and the tape of its gradient."""

    def program(x):
        with ms.Tape() as tape:
            ms.grad(function)(ms.Tensor(float(x)))
        return tape

    control = Control('x', (start + stop) / 2 if value is None else value, (start, stop), 0.02)
    return Follow(function.__name__, control, program)


def strict(name: str) -> float:
    raise AssertionError(f'{name} is no JSON')


def heard(live: Follow) -> list[dict]:
    """What the page is handed from now on. No browser reads NaN in JSON."""
    told = []
    live.tells = lambda said: told.append(json.loads(said['figure'], parse_constant=strict))
    return told


def texts(data: dict) -> set[str]:
    """All that the wide layout writes at some step."""
    return {
        change['T'] for _, _, changes in data['layouts'][0]['n'] for _, change in changes if change and 'T' in change
    }


def test_the_value_goes_through_the_program_to_the_page():
    live = follow(square, -2, 2)
    page, told = live.shown.page, heard(live)
    assert 'y = x * x' in page and 'listen(root,' in page
    live.hear({'values': {'value': 1.5}})
    data = told[0]
    assert data['number'] == 1 and data['said'] == ''
    assert {'2.25', '6.75', '6'} <= texts(data), texts(data)  # y, what is returned, and its gradient 2 x + 3
    live.hear({'act': 'rest'})
    assert told[-1]['layouts'] == json.loads(json.dumps(layouts(Picture(live.now.tape).films)))
    assert 'listen(' not in live.now.html(), 'a picture that does not follow a control has no use for it'
    live.hear({'values': {'value': -1}, 'narrow': True})
    assert told[-1]['layouts'][0] is None, 'the layout that the page shows comes first'


def test_the_steps_stay_the_same_from_end_to_end():
    live = loss_scale(Frozen(), X, Y)
    kept, told = set(), heard(live)
    for value, true in ((0.1, '0.66'), (1.0, '6.60'), (10.0, '66')):
        live.set(value=value * 1.01)
        live.set(value=value)
        live.hear({'act': 'rest'})
        wide, narrow = told[-1]['layouts']
        kept.add((wide['w'], wide['h'], narrow['w'], len(wide['s']), len(narrow['s'])))  # (a phone may break a line)
        assert [step['jump'] for step in wide['s']].count('Compare') == 1
        shown = texts(told[-1])
        assert true in shown and '1.50' in shown, 'the truth is scaled, and bprop returns x + 1'
        assert any('(scale * z).sum()' in each for each in shown) and '    return x + 1, y + 1' in shown
    assert len(kept) == 1


@pytest.mark.filterwarnings('ignore')
def test_values_without_a_sensible_number_are_shown_too():
    def logarithm(x):
        return ms.ops.log(x) * x

    live = follow(logarithm, 0, 4)
    told = heard(live)
    for value in (0.0, 4.0, math.nan, math.inf, 1.0):
        before = live.number
        live.set(value=value)
        assert live.number == before + 1 == told[-1]['number'] and live.said == ''


@pytest.mark.filterwarnings('ignore')
@pytest.mark.parametrize('first', [-1.0, 2.0], ids=['at once', 'later'])
def test_an_exception_is_told_and_the_next_value_recovers(first):
    def shapes(x):
        return x * 2 if float(x.asnumpy()) > 0 else ms.ops.matmul(X, X)

    def divides(x):
        return x / (1 // max(int(x.asnumpy()), 0))

    failing = (shapes, ('MatMul', (2, 3))), (divides, ('ZeroDivisionError', '// max('))
    for function, facts in failing:
        live = follow(function, -2, 2, first)
        assert 'listen(root,' in live.shown.page and bool(live.said) == (first < 0)
        live.set(value=-2.0)
        told, number = heard(live), live.number
        live.set(value=-1.5)
        tells(live.said, '−1.50', 'no result', 'test_live.py', *facts, keep=function is shapes)  # the other is Python's
        assert told == [{'said': live.said}] and live.number == number
        live.set(value=1.0)
        assert live.said == '' and told[-1]['layouts']
        live.set(value=1.02)
        assert '1.02' in ' '.join(texts(told[-1]))


def test_accounts_follow_when_the_page_says_that_the_control_is_at_rest():
    live = follow(square, -2, 2)
    told = heard(live)
    for value in (0.5, 1.0, 1.5):
        live.set(value=value)
    live.hear({'act': 'rest', 'values': {'value': 0.1}})  # as it sends all that it knows
    assert [(each['number'], each.get('rests', False), bool(each['layouts'][0]['r'])) for each in told] == [
        (1, True, False), (2, True, False), (3, True, False), (3, False, True),
    ]  # fmt: skip
    assert live.values == {'value': 1.5}
    never = follow(lambda x: 1 / 0, -2, 2)
    never.hear({'act': 'rest'})
    assert never.now is None, 'there is nothing to account for'


def test_a_lesson_hears_it(monkeypatch):
    L = lesson('01', keep=False)
    live = follow(square, -1, 1)
    shown = L._figure('square', live)
    assert '"lesson":"01"' in shown.page and 'y = x * x' in shown._repr_mimebundle_()['text/html']
    told = heard(live)
    L.hear({'of': live.id, 'values': {'value': 1}})
    assert told[-1]['number'] == 1
    monkeypatch.setenv(STILL, 'yes')
    bundle = shown._repr_mimebundle_()
    assert 'y = x * x' in bundle['image/svg+xml'] and '<desc>' in bundle['image/svg+xml'] and 'image/png' in bundle
    assert bundle['text/plain'].startswith('At 0: ')


def test_two_of_them_are_two():
    one, two = follow(square, -1, 1), follow(square, -1, 1)
    told = heard(two)
    one.set(value=0.5)
    assert (one.number, two.number, told) == (1, 0, []) and one.id != two.id


def test_a_page_without_a_kernel_has_a_still_for_each_value():
    live = Follow('square', Control('x', 1, (0, 2)), lambda x: follow(square, x, x + 1, x).now, stills=(1, 2))
    svg = live.shown.pictures['image/svg+xml']
    assert 'At 1: ' in svg and 'At 2: ' in svg and live.shown.text.count('At ') == 2
