"""What is particular to lesson 04: its figure, its two exercises, and what its text says of the check."""

import warnings

import numpy as np
import pytest

import minicell as ms
from minicell.ink.numbers import said
from minicell.replay.differences import LADDER
from minicell.teach.about import exercise
from minicell.teach.lesson04 import WORDS
from minicell.teach.lesson04 import suspects as suspects_file
from minicell.teach.lesson04.figures import DTYPES, EPS, LOOKS, Curves, central, eps, subtraction
from minicell.teach.lesson04.hidden import HIDDEN, ROW
from minicell.teach.lesson04.secant import secant
from minicell.teach.lesson04.suspects import SUSPECTS, classify
from tests.lessons.answers import Answers, changed
from tests.lessons.figures import drawn, holds
from tests.lessons.page import Page
from tests.messages import tells

SLOPES, VERDICTS, AGREES = map(exercise, ('4a', '4b', '4c'))
PAGE = Page('04')
DOUBLE, SINGLE = np.float64, np.float32


def cube(x):
    return x * x * x


CURVES = Curves(cube, 1.2)


def test_the_curves_are_u():
    for dtype in DTYPES:
        errors = np.array([slope.error for slope in CURVES.slopes[dtype]])
        lowest = int(np.argmin(errors))
        assert 0.2 * len(errors) < lowest < 0.9 * len(errors)
        assert errors[0] > 1e4 * errors[lowest] and errors[-1] > 1e4 * errors[lowest]
    best = {dtype: min(CURVES.slopes[dtype], key=lambda slope: slope.error) for dtype in DTYPES}
    assert 1e-4 < best[SINGLE].eps < 1e-1 and 1e-7 < best[DOUBLE].eps < 1e-4
    assert best[DOUBLE].error < 1e-4 * best[SINGLE].error


def test_the_right_arm_is_eps_squared():
    """As step 2 of the lesson works out for the cube."""
    for step in (1e-1, 1e-2, 1e-3):
        assert central(cube, 1.2, step, DOUBLE).error == pytest.approx(step**2, rel=1e-5)


def test_too_small_an_eps_leaves_nothing():
    slope = central(cube, 1.2, 1e-9, SINGLE)
    assert slope.above == slope.below and slope.error == pytest.approx(4.32, rel=1e-6)
    tells(CURVES.draw(EPS[45]).words, 'no digit')
    lines, cut = subtraction(slope, 8)
    assert lines[-1] == '0.00000000' and cut == 10


def test_a_curve_is_drawn_as_far_as_the_slider_has_come():
    """So the figure does not answer the prediction above it."""
    for k in (0, 1, 25, 60):
        lines = [line for look in LOOKS.values() for line in drawn(CURVES.draw(EPS[k]).box, 'path', look)]
        assert [line['d'].count('L') for line in lines] == ([k] * 2 if k else [])


@pytest.mark.parametrize(
    ('step', 'dtype', 'left'), [(1e-1, DOUBLE, 16), (1e-5, DOUBLE, 12), (1e-10, DOUBLE, 7), (1e-5, SINGLE, 4)]
)
def test_fewer_digits_are_left_for_a_smaller_eps(step, dtype, left):
    """Also where the two values stand on either side of a round number, and hardly a digit is the same."""
    lines, cut = subtraction(central(cube, 1.2, step, dtype), {SINGLE: 8, DOUBLE: 16}[dtype])
    assert {len(line) - cut for line in lines} == {left}
    assert set(lines[-1][:cut]) <= set(' 0.') and lines[-1][cut] != '0'


def test_the_figure_can_be_read():
    for each in holds(eps(cube, 1.2)).drawn:
        tells(each.words, 'float32 says', 'off by', 'float64', keep=False)


@pytest.mark.parametrize('f', [ms.ops.sin, lambda x: 5 * x, lambda x: 1000 * ms.ops.exp(3 * x), lambda x: -x * x])
def test_other_functions_can_be_drawn(f):
    assert Curves(f, 0.7).draw(EPS[15]).words.count('off by') == 2


LOOP = """\
import numpy as np
def slopes(f, x, eps):
    found = np.zeros_like(x)
    for i in range(x.size):
        step = np.zeros_like(x)
        step[i] = eps
        {}
    return found
"""

test_other_central_differences_pass = Answers(SLOPES, str).passing(
    LOOP.format('found[i] = (f(x + step) - f(x - step)) / 2 / eps'),
    LOOP.format('found[i] = (f(x - step) - f(x + step)) / (-2 * eps)'),
    LOOP.format('found[i] = (f(x + step / 2) - f(x - step / 2)) / eps'),
    LOOP.format('found[i] = f(x + step) / (2 * eps) - f(x - step) / (2 * eps)'),
    LOOP.format('found[i] = ((f(x + step) - f(x)) / eps + (f(x) - f(x - step)) / eps) / 2'),
    'import numpy as np\ndef slopes(f, x, eps):\n'
    '    return np.array([(f(x + e) - f(x - e)) / (2 * eps) for e in eps * np.eye(x.size)])',
)

test_other_mistakes_fail = Answers(SLOPES, LOOP.format).failing(
    ('found[i] = (f(x) - f(x - step)) / eps', 'one-side-below'),
    ('found[i] = (f(x + step) - f(x - step)) / 2 * eps', 'run-brackets'),
    ('found[i] = f(x + step) - f(x - step) / (2 * eps)', 'rise-brackets'),
    ('found[i] = np.abs((f(x + step) - f(x - step)) / (2 * eps))', 'size-only'),
    ('found[i] = max(0.0, (f(x + step) - f(x - step)) / (2 * eps))', 'no-fall'),
    ('found[i] = ((f(x + step) - f(x - step)) ** 2) ** 0.5 / 2 / eps', 'size-only'),
    ('found[i] = (f(x + step / 2) - f(x - step / 2)) / (2 * eps)', 'double-run'),
    ('found[i] = (f(x + 2 * step) - f(x - 2 * step)) / (4 * eps)', None),
    ('found[i] = (f(x + step) - f(x - step)) / (2 * eps) * np.nan', None),
    ('step[i] = 1e-12; found[i] = (f(x + step) - f(x - step)) / 2e-12', 'smaller'),
    ('step[i] = 1e-30; found[i] = (f(x + step) - f(x - step)) / 2e-30', 'smaller'),  # only the 0 moves
    ('found[i] = (f(x + eps) - f(x)) / eps', 'all-at-once'),
    ('found[i] = 3 * x[i] ** 2', None),
    ('found[i] = f(x)', None),
    # this one looks the same
    ('found[i] = (f(x + step) - f(x - step)) / (2 * eps) * (1 + 1e-6)', ('digits', 'not shown', 'off by'), None),
)

whole = lambda changes: changed(AGREES.solution, *changes.items())
RANDOM, CLOSE = 'np.random.standard_normal(', 'np.allclose(by_bprop, by_differences, rtol=1e-4, atol=1e-6)'
LINEAR = 'np.allclose(by_bprop_1000, 1000 * by_bprop)'

test_other_whole_checks_pass = Answers(AGREES, whole).passing(
    {},
    {RANDOM: 'np.random.default_rng().standard_normal('},
    {RANDOM: 'np.random.default_rng(1).uniform(-2, 2, '},
    {RANDOM: '-np.random.random('},  # no number of both signs, but none that a size could be taken for
    {CLOSE: 'bool(np.all(abs(by_bprop - by_differences) <= 1e-6 + 1e-4 * abs(by_differences)))'},
    {LINEAR: 'np.allclose(by_bprop_1000 / 1000, by_bprop)', 'x, 1e-5)': 'x, 1e-6)'},
)

test_a_check_with_a_hole_is_found_out = Answers(AGREES, whole).failing(
    ({RANDOM: 'np.ones('}, 'ones'),
    ({RANDOM: 'np.zeros('}, None),
    ({'1000 * number(x)': '2 * number(x)', '1000 * by_bprop': '2 * by_bprop'}, 'one-dout'),
    ({CLOSE: 'np.sign(by_bprop).tolist() == np.sign(by_differences).tolist()'}, None),
    ({CLOSE: 'np.isclose(by_bprop.mean(), by_differences.mean(), rtol=1e-4, atol=1e-6)'}, 'one-sum'),
    ({CLOSE: 'np.isclose(by_bprop, by_differences).any()'}, None),
    ({CLOSE: CLOSE.replace('1e-4', '1e-1')}, 'loose'),
    ({CLOSE: 'True'}, None),
    ({'x, 1e-5)': 'x, 1e-14)'}, 'smaller'),
    ({'x, 1e-5)': 'x, 0.5)'}, None),
    ({'return right and': 'return'}, None),
)


@pytest.mark.parametrize('word', ['True', 'False'])
def test_a_check_that_does_not_look_is_told_so(word):
    verdict = AGREES.check_code(f'def agrees(cell, x):\n    return {word}')
    assert verdict.state == 'failed'
    tells(verdict.mistake.hint, 'Your check', 'moves `x`')


CHECK_BPROP = 'import minicell as ms\ndef agrees(cell, x):\n    return bool(ms.check_bprop(cell, ms.Tensor(x)))'
test_the_frameworks_check_passes = Answers(AGREES, str).passing(CHECK_BPROP)


@pytest.mark.parametrize('name', HIDDEN)
def test_a_hidden_cell_is_what_it_is_said_to_be(name):
    hidden = HIDDEN[name]
    with np.errstate(all='ignore'), warnings.catch_warnings():
        warnings.simplefilter('ignore', ms.errors.MinicellWarning)
        found = ms.check_bprop(hidden.cell([], []), ms.Tensor(ROW))
    assert bool(found) == hidden.right


def test_the_secants():
    """The one of both sides is off by eps squared, the other by 3 x eps more; all words are inside."""
    figure = holds(secant(cube, 0.8))
    for value in (0.05, 0.3, 1.0):
        both, one = 1.92 + value**2, 1.92 + 2.4 * value + value**2
        tells(figure[value].words, f'has {said(both)}', f'has {said(one)}', keep=False)


test_a_check_half_begun_is_not_attempted = Answers(AGREES, whole).begun({CLOSE: '...', ' and ' + LINEAR: ''})
test_slopes_half_begun_are_not_attempted = Answers(SLOPES, str).begun(
    LOOP.format('found[i] = (f(x + step) - ...) / eps'), 'def slopes(f, x, eps):\n    return ...'
)


def test_the_words_are_measured():
    assert {letter: classify(kind)[0] for letter, kind in SUSPECTS.items()} == VERDICTS.due.did
    assert sorted(VERDICTS.due.did.values()) == sorted(WORDS)


def test_the_wrong_one_has_the_right_sign():
    """So that it trains, as its mistake says."""
    x = ms.Tensor(suspects_file.HERE)
    yours, true = ms.grad(SUSPECTS['B']())(x), ms.grad(lambda x: ms.ops.sqrt(1 + x * x))(x)
    assert np.array_equal(np.sign(yours.asnumpy()), np.sign(true.asnumpy()))


test_a_part_of_an_answer = Answers(VERDICTS).words(
    ({'A': 'fine'}, ('fine', 'none of')), ({'D': ...}, 'Still open: D'), ({'A': 'wrong', 'B': 'right'}, 'A is not')
)


def test_the_loss_of_the_wrong_cell_falls_at_every_step():
    edits = ('step % 15 == 0', 'losses.append(value.item()) is not None'), ('w = ms.', 'losses = []\nw = ms.')
    exec(changed(PAGE.source('run'), *edits), space := {})
    losses = np.array(space['losses'])
    assert len(losses) == 61 and losses[-1] < 1e-6 < losses[0]
    assert np.all((np.diff(losses) < 0) | (losses[1:] < 1e-9))
    assert not ms.check_bprop(space['net'], space['data'])


def test_check_bprop_does_what_the_rule_says():
    tells(PAGE.words('figure-note'), 'six steps', 'a hundredth', 'a ten-millionth')
    assert (len(LADDER), LADDER[0], LADDER[-1]) == (6, 1e-2, 1e-7)


@pytest.mark.parametrize(('slope', 'ok'), [(-0.5, False), (0.0, True), (0.5, True), (1.0, True), (2.0, False)])
def test_the_check_accepts_what_lies_between_two_slopes(slope, ok):
    ramp = PAGE.run('run', 'ramp')['Ramp']
    other = lambda _, x, out, dout: (ms.ops.select(x == 0, slope * dout, (x > 0) * dout),)
    found = ms.check_bprop(type('Other', (ramp,), {'bprop': other})(), ms.Tensor([-1.0, 0.0, 2.0]))
    assert (found.ok, found.rows[0].verdict) == (ok, 'kink' if ok else 'wrong')


def test_the_second_order_is_left_out_where_the_first_is_wrong():
    space = PAGE.run('run', 'second-right', 'second-seed')
    found = ms.check_bprop(space['Net'](), space['x'], order=2)
    assert not found
    tells(found.notes[-1], 'Not tried', 'second order', keep=False)


def test_the_seeds_net_is_wrong_and_consistent():
    out = PAGE.told('second-seed').splitlines()
    assert out[:2] == ['[[1. 1. 1.]', ' [1. 1. 1.]]']  # as the document prints
    assert [line[0] for line in out if line[0] in '✓✗'] == ['✗', '✓']


@pytest.mark.slow
def test_pytorch_finds_the_detached_out_at_second_order_only():
    pytest.importorskip('torch')
    listing = PAGE.listing('torch').replace('return out * dout', 'return out.detach() * dout')
    with pytest.raises(RuntimeError, match='Jacobian mismatch'):
        exec(listing, {})
    first_only = listing[: listing.index('print(torch.autograd.gradgradcheck')]
    exec(first_only, {})
