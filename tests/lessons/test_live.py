"""A live picture: what the control's value makes of a tape, and what goes to the page. Its page is in tests/browser."""

import asyncio
import json
import math
import re

import ipywidgets as w
import pytest

import minicell as ms
from minicell.errors import SettingError
from minicell.ink.page.fragment import layouts
from minicell.teach import lesson
from minicell.teach.lesson03 import loss_scale
from minicell.teach.live import REST, Live, follow
from minicell.view.picture import Picture
from tests.messages import refused, tells

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


def strict(name: str) -> float:
    raise AssertionError(f'{name} is no JSON')


def sent(live: Live) -> dict:
    """What the page has been handed last. No browser reads NaN in JSON."""
    return json.loads(live.screen.data.value, parse_constant=strict)


def texts(data: dict) -> set[str]:
    """All that the wide layout writes at some step."""
    return {
        change['T'] for _, _, changes in data['layouts'][0]['n'] for _, change in changes if change and 'T' in change
    }


def test_the_value_goes_through_the_program_to_the_page():
    live = follow(square, -2, 2)
    (output,) = live.screen.picture.outputs
    html = output['data']['text/html']
    assert 'y = x * x' in html and 'listen(root,' in html and live.screen.data.value == ''
    live.control.value = 1.5
    data = sent(live)
    assert data['number'] == 1 and live.screen.picture.outputs == (output,), 'the page keeps its picture'
    assert {'2.25', '6.75', '6'} <= texts(data), texts(data)  # y, what is returned, and its gradient 2 x + 3
    assert data['layouts'] == json.loads(json.dumps(layouts(Picture(live.now.tape).films)))
    assert 'listen(' not in live.now.html(), 'a picture that does not follow a control has no use for it'


def test_the_steps_stay_the_same_from_end_to_end():
    live = loss_scale(Frozen(), X, Y)
    kept = set()
    for value, true in ((0.1, '0.66'), (1.0, '6.60'), (10.0, '66')):
        live.control.value = value * 1.01
        live.control.value = value
        wide, narrow = sent(live)['layouts']
        kept.add((wide['w'], wide['h'], narrow['w'], len(wide['s']), len(narrow['s'])))  # (a phone may break a line)
        assert [step['jump'] for step in wide['s']].count('Compare') == 1
        shown = texts(sent(live))
        assert true in shown and '1.50' in shown, 'the truth is scaled, and bprop returns x + 1'
        assert any('(scale * z).sum()' in each for each in shown) and '    return x + 1, y + 1' in shown
    assert len(kept) == 1


@pytest.mark.filterwarnings('ignore')
def test_values_without_a_sensible_number_are_shown_too():
    def logarithm(x):
        return ms.ops.log(x) * x

    live = follow(logarithm, 0, 4)
    for value in (0.0, 4.0, math.nan, math.inf, 1.0):
        before = live.screen.number
        live.move({'new': value})
        assert live.screen.number == before + 1 and live.said.value == ''
        assert sent(live)['number'] == live.screen.number


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
        live.control.value = -2.0
        before = live.screen.data.value, live.screen.picture.outputs
        live.control.value = -1.5
        said = re.sub('<[^>]+>', ' ', live.said.value)
        tells(said, '−1.50', 'no result', 'test_live.py', *facts, keep=function is shapes)  # the other is Python's
        assert (live.screen.data.value, live.screen.picture.outputs) == before
        live.control.value = 1.0
        assert live.said.value == '' and live.screen.picture.outputs
        live.control.value = 1.02
        assert '1.02' in ' '.join(texts(sent(live)))


def test_accounts_follow_when_the_control_is_at_rest():
    async def drag() -> list[tuple[int, int]]:
        live, seen = follow(square, -2, 2), []
        live.screen.data.observe(
            lambda _: seen.append((sent(live)['number'], len(sent(live)['layouts'][0]['r']))), 'value'
        )
        for value in (0.5, 1.0, 1.5):
            live.control.value = value
        assert len(seen) == 3
        live.waiting.cancel()  # its time is asked for, and not waited for
        assert 0 < live.waiting.when() - asyncio.get_running_loop().time() <= REST
        live.account(live.screen.number - 1)  # of numbers that are shown no more
        assert len(seen) == 3
        live.account(live.screen.number)
        return seen

    *moves, last = asyncio.run(drag())
    assert moves == [(1, 0), (2, 0), (3, 0)]
    assert last[0] == 3 and last[1] > 0


def test_a_function_may_take_its_gradient_or_its_tape_itself():
    def scaled(scale):
        return ms.grad(lambda x, y: (scale * Frozen()(x, y)).sum(), (0, 1))(X, Y)

    def taped(scale):
        with ms.Tape() as tape:
            scaled(scale)
        return tape

    def pictured(scale):
        return taped(scale).show(compare=False)

    took, compared, alone = (
        [step.title for step in follow(f, 0, 8).now.films[0].steps] for f in (scaled, taped, pictured)
    )
    assert took == compared and 'wrong' in took[-1]
    assert took[:-1] == alone[:-1] and 'wrong' not in alone[-1], 'it ends where the gradients arrive'


def test_a_lesson_offers_it_for_functions_of_ones_own():
    L = lesson('01', keep=False)
    shown = L.live(square, -1, 1)
    live = L.figures['square']
    assert live.control.description == 'x' and (live.control.min, live.control.max, live.control.value) == (-1, 1, 0)
    bundle = shown._repr_mimebundle_()
    assert 'y = x * x' in bundle['image/svg+xml'] and '<desc>' in bundle['image/svg+xml'] and 'image/png' in bundle
    assert bundle['text/plain'].startswith('At 0: ')
    with refused(SettingError, 'a smaller number', '1', 'larger'):
        L.live(square, 1, 1)


def test_two_of_them_are_two():
    one, two = follow(square, -1, 1), follow(square, -1, 1)
    one.control.value = 0.5
    assert (one.screen.number, two.screen.number, two.screen.data.value) == (1, 0, '')


def test_a_page_without_a_kernel_has_a_still_for_each_value():
    live = Live('square', w.FloatSlider(), lambda x: follow(square, x, x + 1, x).now, stills=(1, 2))
    svg = live.shown.pictures['image/svg+xml']
    assert 'At 1: ' in svg and 'At 2: ' in svg and live.shown.text.count('At ') == 2
