"""Judges of answers that are words, numbers or an order: the definition of each word, worked out anew."""

import math
from typing import Any

import numpy as np

import minicell as ms
from minicell import nn
from minicell.teach.lesson04.suspects import SUSPECTS
from minicell.teach.lesson05.specimens import SPECIMENS
from minicell.teach.lesson06 import PAIRS, PROBES, suspect
from minicell.teach.lesson06.suspects import LETTERS
from minicell.teach.lesson10 import zoo
from minicell.teach.lesson11.statements import STATEMENTS
from minicell.teach.lesson12 import ENOUGH, surrogates, tried
from tests.lessons.judges.judge import Judge


def given(space: dict[str, Any], answer: Any) -> dict[str, Any]:
    """What a dict says, each key as a checker names it."""
    return {' or '.join(key) if isinstance(key, tuple) else str(key): word for key, word in answer.items()}


def of_words(due: dict[str, Any]) -> Judge:
    """A judge of a dict: each key has its word, or a function that says which words will do; and there is no other."""
    return Judge(due, given)


# ---- 1a: the order of backward -------------------------------------------------------------------------------------


def ran() -> list[str]:
    """What `wave(1.0)` calls, in plain Python."""
    called: list[str] = []
    noted = lambda name, value: (called.append(name), value)[1]
    y = noted('sin', math.sin(1.0))
    for k in (1, 2):
        y = noted(f'mul {k}', y * 3)
    noted('log', math.log(y)) if y > 1 else noted('exp', math.exp(y))
    return called


class OfOrder(Judge):
    """A hint for an order explains what does not belong there, or else the lines in wrong places: all of them."""

    def explained(self, mistake: str, does: dict[str, Any], did: dict[str, Any], named: str) -> bool:
        """Whether the same lines do not belong there; or, if all belong there, whether each wrong place is the same."""
        due = self.due['order']
        here, there = did['order'], does['order']
        strange = lambda order: sorted(set(order) - set(due))
        if strange(here):
            return strange(here) == strange(there)
        return all(a == b for a, b, right in zip(here, there, due, strict=False) if b != right)


# ---- 4b: orders and a kink -----------------------------------------------------------------------------------------


def sorted_out(kind: type) -> str:
    """The word for a Cell of lesson 04, by differences of its forward and of its gradient."""
    here, e = np.array([-1.0, 0.0, 0.5, 2.0]), 1e-5
    f = lambda x: kind().construct(ms.Tensor(x)).asnumpy()
    dx = lambda x: ms.grad(kind())(ms.Tensor(x)).asnumpy()
    left, right = (f(here) - f(here - e)) / e, (f(here + e) - f(here)) / e
    kink = ~np.isclose(left, right, atol=1e-3)
    if not np.allclose(dx(here)[~kink], ((left + right) / 2)[~kink], atol=1e-3):
        return 'wrong'
    away = here[~kink]
    second = ms.grad(ms.grad(kind()))(ms.Tensor(away)).asnumpy()
    if not np.allclose(second, (dx(away + e) - dx(away - e)) / (2 * e), atol=1e-3):
        return 'wrong at second order'
    return 'right, with a kink' if kink.any() else 'right'


# ---- 5a: malformed bprops ------------------------------------------------------------------------------------------


def ends(line: str) -> str:
    """What comes of a bprop that ends with this line."""
    w = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])

    class Average(nn.Cell):
        def construct(self, x: Any) -> Any:
            return (x * ms.Tensor(w)).mean(0)

        def bprop(self, x: Any, out: Any, dout: Any) -> Any:
            space = {'dx': dout * ms.Tensor(w).mean(0), 'dout': dout, 'W': ms.Tensor(w), 'ms': ms}
            exec('def end():\n    ' + line, space)
            return space['end']()

    x = np.array([0.5, -2.0, 1.0])
    try:
        found = ms.grad(lambda x: (Average()(x) ** 2).sum())(ms.Tensor(x)).asnumpy()
    except Exception:
        return 'raises'
    return 'fine' if np.allclose(found, 2 * x * w.mean(0) ** 2) else 'silent'


# ---- 6a, 6b: suspects ----------------------------------------------------------------------------------------------


def bug_of(letter: str) -> str:
    """The name of a suspect's bug, by formulas in NumPy."""
    rng = np.random.default_rng(66)
    x, w, d = (rng.standard_normal(shape) for shape in ((4, 3), (3, 5), (4, 5)))
    dx, dw = (g.asnumpy() for g in suspect(letter).bprop(*map(ms.Tensor, (x, w, x @ w, d))))
    true = d @ w.T, x.T @ d
    ones = np.ones_like(d)
    ratio = dx / true[0]
    same = lambda a, b: np.allclose(dx, a) and np.allclose(dw, b)
    told = {
        'flipped': same(-true[0], -true[1]),
        'sign only': same(np.sign(true[0]), np.sign(true[1])),
        'dout forgotten': same(ones @ w.T, x.T @ ones),
        'plus one': same(x + 1, w + 1),
        'dx dropped': same(0 * x, true[1]),
        'mean, not sum': same(true[0], true[1] / 4),
        'scaled': bool(np.allclose(ratio, ratio[0, 0]) and ratio[0, 0] > 0),
    }
    return next((name for name, holds in told.items() if holds), 'random dx')


def cheapest(pair: tuple[str, str]) -> Any:
    """Which tests tell two bugs apart, on other variants than the checker's, with the fewest calls."""
    variants = ((21, 3.0), (22, 0.2), (23, 7.0))
    apart = [
        name
        for name, probe in PROBES.items()
        if all(len({probe.test(suspect(bug, factor, seed), seed) for bug in pair}) == 2 for seed, factor in variants)
    ]
    least = min(PROBES[name].calls for name in apart)
    return lambda said: said in apart and PROBES[said].calls == least


# ---- 10b: who changes what; 11b: where it runs; 12d: what is remarkable --------------------------------------------


def changed_by() -> dict[str, str]:
    """Who changes each Parameter of the zoo: forward alone, or a step of plain gradient descent."""
    due: dict[str, str] = {}
    for training in (True, False):
        net = zoo.Zoo().set_train(training)
        x = ms.Tensor(np.array([[1.0], [-2.0], [4.0]]), ms.float32)
        all_of_them = {p.name: p for p in net.get_parameters()} | {'listed': net.listed[0]}
        shot = lambda all_of_them=all_of_them: {name: p.asnumpy().copy() for name, p in all_of_them.items()}
        before, weights = shot(), net.trainable_params()
        net(x)
        between = shot()
        gradients = ms.grad(lambda x, net=net: ((net(x) - x * 3) ** 2).sum(), None, weights)(x)
        for p, g in zip(weights, gradients, strict=True):
            p.set_data(ms.Tensor(p.asnumpy() - 0.1 * g.asnumpy()))
        after = shot()
        for name in before:
            moved = (
                'optimizer' if (after[name] != between[name]).any() and name in [p.name for p in weights] else 'nobody'
            )
            who = 'forward' if (between[name] != before[name]).any() else moved
            due[name if training else f'{name}, set_train(False)'] = who
    return due


def runs_in(kind: type) -> str:
    """In which modes the gradient of a Cell can be asked for."""
    before, runs = ms.get_context('mode'), []
    try:
        for mode in (ms.PYNATIVE_MODE, ms.GRAPH_MODE):
            ms.set_context(mode=mode)
            cell = kind()
            inputs = [cell.w] * (kind.construct.__code__.co_argcount - 2)
            try:
                ms.grad(lambda x, cell=cell, inputs=inputs: (cell(x, *inputs) * 2).sum())(ms.Tensor([-1.0, 3.0]))
                runs.append(True)
            except Exception:
                runs.append(False)
    finally:
        ms.set_context(mode=before)
    return {(True, True): 'both', (True, False): 'eager only', (False, False): 'neither'}[tuple(runs)]


def remarkable(cell: nn.Cell) -> str:
    """What is to be said of a surrogate, from its bprop on a fine grid."""
    x = ms.Tensor(np.linspace(-3, 3, 601))
    slope, other = (cell.bprop(x, cell.construct(x), ms.Tensor(d + 0 * x.asnumpy()))[0].asnumpy() for d in (1.0, -3.0))
    if not slope.any():
        return 'dead'
    if (slope < 0).any():
        return 'sign'
    if abs(x.asnumpy()[slope.argmax()]) > 0.1:
        return 'off centre'
    return 'fine' if np.allclose(other, -3 * slope) else 'deaf'


# ---- 12c: a rescue -------------------------------------------------------------------------------------------------


def rescued(space: dict[str, Any], answer: Any) -> dict[str, Any]:
    """The accuracy with these settings, and what is to be said of them."""
    v, rate, steps = (answer.get(name, ...) for name in ('v_threshold', 'learning_rate', 'steps'))
    if not all(type(each) in (int, float) and each > 0 for each in (v, rate, steps)):
        return {'settings': repr(answer)}
    product = 100 * v
    return {
        'accuracy': tried(float(v), float(rate), min(int(steps), 600)),
        'longer': v == 1 and rate == 0.01 and steps > 300,
        'faster': v == 1 and rate > 0.01 and steps == 300,
        'slower': v == 1 and rate < 0.01 and steps == 300,
        'both': v == 1 and rate != 0.01 and steps != 300,
        'larger': v > 1,
        'halfway': 9 < product < 100,
        'impatient': 0.05 <= product <= 9 and (rate, steps) != (0.01, 300),
        'tiny': product < 0.05,
    }


HINTED = ('longer', 'faster', 'slower', 'both', 'larger', 'halfway', 'impatient', 'tiny')

TIES = {'A': float(1 > 1), 'B': float(1 >= 1), 'C': float(not 1 > 1), 'D': float(not 1 >= 1)}
TIES |= {'E': 0.5, 'F': float(1 - 1 > 0)}  # two equal arguments share; relu passes where its input is above 0
WHO = ('w', 'fixed', 'listed', 'norm.gamma', 'norm.moving_mean', 'hidden.w', 'norm.moving_mean, set_train(False)')


def judges() -> dict[str, Judge]:
    """The judges of this page, by the names of the exercises."""
    return {
        '1a': OfOrder({'order': ['start', *ran()[::-1], 'dx']}, lambda space, answer: {'order': list(answer)}),
        '4b': of_words({letter: sorted_out(kind) for letter, kind in SUSPECTS.items()}),
        '5a': of_words({str(number): ends(each.line) for number, each in SPECIMENS.items()}),
        '6a': of_words({letter: bug_of(letter) for letter in LETTERS}),
        '6b': of_words({' or '.join(pair): cheapest(pair) for pair in PAIRS}),
        '8a': of_words(
            {letter: lambda said, due=due: type(said) in (int, float) and said == due for letter, due in TIES.items()}
        ),
        '10b': of_words({name: who for name, who in changed_by().items() if name in WHO}),
        '11b': of_words({letter: runs_in(kind) for letter, kind in STATEMENTS.items()}),
        '12c': Judge({'accuracy': lambda found: found >= ENOUGH}, rescued, {name: [name] for name in HINTED}),
        '12d': of_words({letter: remarkable(kind()) for letter, kind in surrogates.SUSPECTS.items()}),
    }
