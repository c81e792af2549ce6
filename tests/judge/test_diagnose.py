"""What kind of mistake it is: common ones are named, and each sentence is turned back into numbers, fresh ones too."""

import re
import warnings
from functools import cache
from typing import Any

import numpy as np
import pytest

from minicell.judge.diagnose import Trial, diagnose
from minicell.judge.guesses import NTH
from minicell.judge.verdict import written
from tests.judge.mistakes import LAYERS, MISTAKES, tried, wrong
from tests.judge.stored import NUMBERS, listed
from tests.messages import tells

LEAST = 0.85  # of the mistakes are named
PLACE = re.compile(r'(.*?): (?:at (\[[\d, ]*\]) )?it is (\S+?),? and (\S+) is due\.$')


def close(a: Any, b: Any, rtol: float = 1e-6) -> bool:
    """Whether arrays are the same numbers, relative to the largest."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    return a.shape == b.shape and bool(np.allclose(a, b, rtol, 1e-9 * np.abs(b).max(initial=0), equal_nan=True))


def number(text: str) -> float:
    return float(text.replace('−', '-').replace('infinity', 'inf'))


def value(text: str, t: Trial) -> Any:
    """A formula as a sentence has it, in numbers."""
    names = {n: f'_{k}' for k, n in enumerate(sorted(t.values, key=len, reverse=True))}
    code = re.sub(r'√(\w+)', r'sqrt(\1)', text).replace('²', ' ** 2')
    for n, stand in names.items():
        code = re.sub(rf'(?<![\w_]){re.escape(n)}(?!\w)', stand, code)
    for old, new in (('·', '*'), ('−', '-'), ('½', '0.5')):
        code = code.replace(old, new)
    known = {f: getattr(np, f) for f in ('sqrt', 'exp', 'cos', 'sin')}
    known |= {'sigmoid': lambda v: 1 / (1 + np.exp(-v))}
    with np.errstate(all='ignore'):
        return eval(code, known | {stand: t.values[n].astype(float) for n, stand in names.items()})


def form(text: str, t: Trial) -> np.ndarray:
    """What a gradient is made of, in the shape of its input."""
    if row := re.fullmatch(r'row (0|-1) of (.*)', text):
        return value(row[2], t)[int(row[1])]
    made = np.asarray(value(text.removeprefix('the sum of '), t), float)
    if text.startswith('the sum of '):
        ahead = made.ndim - t.due.ndim
        ones = (k + ahead for k, m in enumerate(t.due.shape) if m == 1)
        made = made.sum((*range(ahead), *ones)).reshape(t.due.shape)
    return np.broadcast_to(made, t.due.shape)


def length(text: str, t: Trial) -> float:
    """What something is divided by."""
    if found := re.fullmatch('(the length .*) divided by (.*)', text):
        return length(found[1], t) / length(found[2], t)
    if found := re.fullmatch('the root of (.*)', text):
        return length(found[1], t) ** 0.5
    if found := re.fullmatch(r'n / \(n − 1\), where n is (.*)', text):
        return (n := length(found[1], t)) / (n - 1)
    if found := re.fullmatch(r'how many numbers (\w+) has', text):
        return t.values[found[1]].size
    found = re.fullmatch(r'the length of axis (\d) of (\w+)', text)
    return t.values[found[2]].shape[int(found[1])]


def holds(text: str, t: Trial) -> Any:
    """Where a condition holds."""
    if found := re.fullmatch(r'in (all but )?the (\w+) place along axis (\d)', text):
        at = np.moveaxis(np.zeros(t.due.shape, bool), int(found[3]), 0)
        at[-1 if found[2] == 'last' else NTH.index(found[2])] = True
        return np.moveaxis(at, 0, int(found[3])) ^ bool(found[1])
    if text.removeprefix('only ') == 'where 0 is due':
        return np.abs(t.due) <= t.room
    if found := re.fullmatch(r'where (\S+) and (\S+) differ in sign', text):
        return t.values[found[1]] * t.values[found[2]] < 0
    name, how, than = re.fullmatch(r'where (\S+) is (negative|positive|above|below|0) ?(\S+)?', text).groups()
    a, b = t.values[name], t.values[than] if than else 0
    mask = a < b if how in ('negative', 'below') else a > b if how in ('positive', 'above') else a == 0
    return np.broadcast_to(mask, t.due.shape)


def parted(said: str, where: str, t: Trial) -> bool:
    off, live = np.broadcast_to(wrong(t), t.due.shape), (t.due != 0) | (t.yours != 0)
    ways = {'0': t.yours == 0, 'of the opposite sign': np.isclose(t.yours, -t.due), 'wrong': off}
    ways['NaN or infinite'] = ~np.isfinite(t.yours)
    if 'times' in said:
        ways[said] = np.isclose(t.yours, number(said.split()[0]) * t.due, 1e-3)
    return bool(ways[said][off].all() and (where == 'in some places' or (off == (holds(where, t) & live)).all()))


def pieces(one: str, where: str, other: str, t: Trial) -> bool:
    """Whether it is one multiple of what is due where something holds, and another elsewhere."""
    much = lambda said: (
        {'0': 0, 'right': 1, 'of the opposite sign': -1}[said] if 'times' not in said else number(said.split()[0])
    )
    return close(t.yours, np.where(holds(where, t), much(one), much(other)) * t.due, 1e-3)


def spanned(said: str, where: str, t: Trial) -> bool:
    """Whether it is, or is off by, such a multiple along axes."""
    axes = {'the last axis': (-1,), 'axis 0': (0,), 'all axes but 1': (0, 2, 3)}.get(where, tuple(range(t.due.ndim)))
    base = [np.ones(t.due.shape)] if 'number' in said else []
    if (of := re.search(r'a multiple of (.+)$', said)) and 'off' in said:
        base.append(np.broadcast_to(value(of[1], t), t.due.shape))
    lines = lambda a: np.moveaxis(a, axes, range(-len(axes), 0)).reshape(-1, np.prod([t.due.shape[k] for k in axes]))
    base, goal = (base, t.yours - t.due) if 'off' in said else ([t.due], t.yours)
    fits = [
        np.stack(b, -1) @ np.linalg.lstsq(np.stack(b, -1), g, rcond=None)[0]
        for *b, g in zip(*map(lines, (*base, goal)), strict=True)
    ]
    return close(fits, lines(goal))


def crossed(said: str, t: Trial) -> bool:
    """Whether the ratio to what is due, or what it is off by, is of one number for each row and one for each column."""
    base = t.due if said.endswith('is due') else 1 if said.endswith('number') else value(said.rpartition(' of ')[2], t)
    ratio = np.log(np.abs(t.yours / base)) if base is t.due else (t.yours - t.due) / base
    return close(ratio, ratio[:, :1] + ratio[:1] - ratio[0, 0])


def turned(a: np.ndarray, how: str) -> np.ndarray:
    """An array flipped along an axis, or from one on, or with two axes exchanged."""
    at = [int(n) for n in re.findall(r'\d', how)] or [0, 1]
    if a.ndim <= max(at):
        return a
    return np.swapaxes(a, *at) if len(at) > 1 else np.flip(a, (*range(at[0], a.ndim),) if 'from' in how else at[0])


def one_of(t: Trial) -> bool:
    """Whether it is, wherever it is off, what is due for one number of dout alone."""
    dout = t.values['dout']
    each = [t.due_at({'dout': dout * one}) for one in np.eye(dout.size).reshape(-1, *dout.shape)]
    return bool((np.isclose(each, t.yours) | np.isclose(t.due, t.yours)).any(0).all())


def times(factor: str, of: str, t: Trial) -> bool:
    """Whether yours times one thing is due times another."""
    return close(t.yours * value(of, t), t.due * value(factor, t))


def scaled(t: Trial) -> float:
    return float((t.yours * t.due).sum() / (t.due * t.due).sum())


CLAIMS = {
    'It is 0 everywhere': lambda t: not t.yours.any(),
    'It has the opposite sign, as only a gradient reversal should': lambda t: close(t.yours, -t.due),
    '.* for a dout of ones: dout is missing': lambda t: close(t.yours, t.due_at({'dout': 0 * t.values['dout'] + 1})),
    r'It is the gradient of (\w+)': lambda t, n: close(t.yours, t.others[n]),
    r'The gradient of (\w+) is added to it': lambda t, n: close(t.yours, t.due + t.others[n]),
    r'It is what is due, (transposed|flipped.*|turned.*)': lambda t, how: close(t.yours, turned(t.due, how)),
    r'It would be right if (dout|the inputs),? .*were (.*)': lambda t, who, how: close(
        turned(t.yours, how), t.due_at({n: turned(v, how) for n, v in t.values.items() if n == 'dout' or who != 'dout'})
    ),
    r'It is what is due at out in the place of (\w+)': lambda t, n: close(t.yours, t.due_at({n: t.values['out']})),
    'It has the numbers that are due, .*': lambda t: close(np.sort(t.yours, None), np.sort(t.due, None)),
    'Where several numbers of dout .*': lambda t: one_of(t),
    r'It is off by (.*) % of .*': lambda t, n: np.abs(t.yours - t.due).max() <= 1.05 * float(n) * np.abs(t.due).max(),
    r'It is (.*) with a number for each row .*': lambda t, said: crossed(said, t),
    '.* forward broadcast is missing': lambda t: close(t.yours.sum(tuple(range(t.yours.ndim - t.due.ndim))), t.due),
    r'It is ([−.\de]+) times what is due': lambda t, n: close(t.yours, number(n) * t.due, 1e-3),
    r'It is too large by a factor, (.*)': lambda t, n: close(t.yours, t.due * length(n, t)),
    r'It is too small by a factor, (.*)': lambda t, n: close(t.yours, t.due / length(n, t)),
    '.* another one in each call': lambda t: close(t.yours, scaled(t) * t.due),
    r'The factor (.*) is missing': lambda t, f: times('1', f, t),
    r'It has the factor (.*) once too often': lambda t, g: times(g, '1', t),
    r'It has the factor (.*) in the place of (.*)': lambda t, g, f: times(g, f, t),
    'It is 0 where something is due.*': lambda t: bool(((t.yours == 0) == (np.abs(t.due) > t.room)).all()),
    'It is the same for twice the dout': lambda t: close(t.yours, t.twice),
    r'It is (.*) ((?:where|in) .*), and ((?!right).*) elsewhere': lambda t, a, b, c: pieces(a, b, c, t),
    r'It is (.*?) ((?:only where|where|in) .*), and right elsewhere': lambda t, a, b: parted(a, b, t),
    r'It is (.*?) (?:along (.*?)(?: \(.*\))?|everywhere)': lambda t, a, b: spanned(a, b or '', t),
    'Asked the same twice.*': lambda t: True,
    'A call of the Cell.*': lambda t: True,
    'It is not linear in dout.*': lambda t: not close(2 * t.yours, t.twice),
    r'It is (.*)': lambda t, f: close(t.yours, form(f, t)),
}


def true(said: str, trials: list[Trial]) -> bool:
    """Whether a sentence is so in all trials: its claim, and where the numbers of a place are in it, they too."""
    if found := PLACE.match(said):
        said, place, *pair = found.groups()
        at = tuple(map(int, re.findall(r'\d+', place or '')))
        pairs = [(t.yours[at], t.due[at]) for t in trials if len(at) == t.due.ndim and (np.less(at, t.due.shape)).all()]
        assert pair in [written(*both) for both in pairs], (said, pair)
    else:
        said = re.split(r': (?=at |it )', said)[0]
    claim, test = next((m, test) for form, test in CLAIMS.items() if (m := re.fullmatch(form, said)))
    return all(test(t, *claim.groups()) for t in trials)


@cache
def named(name: str) -> dict[str, str]:
    """What is said of each input of a mistake that is wrong."""
    found = {n: trials for n, trials in tried(MISTAKES[name]).items() if any(np.any(wrong(t)) for t in trials)}
    return {n: diagnose(trials) for n, trials in found.items()}


@pytest.mark.parametrize('layer', LAYERS)
def test_what_is_said_of_a_layer_is_so(layer):
    assert not any(diagnose(trials) for trials in tried(LAYERS[layer]).values())
    for name in (name for name in MISTAKES if name.startswith(f'{layer}: ')):
        assert named(name), name
        for n, said in named(name).items():
            assert not said or true(said, tried(MISTAKES[name])[n]), (name, said)
            for seed in (1, 2, 3):
                claim = said.partition(': at ')[0].partition(': it ')[0]
                assert not said or true(claim, tried(MISTAKES[name], seed)[n]), (name, said)


def test_most_mistakes_are_named():
    found = [name for name in MISTAKES if all(named(name).values())]
    assert len(MISTAKES) >= 60 and len(found) >= LEAST * len(MISTAKES), set(MISTAKES) - set(found)


@pytest.mark.slow
def test_most_of_the_stored_mistakes_of_the_lessons_are_named():
    rows = list(listed(NUMBERS))
    said = [(mistake, name, diagnose(trials), trials) for mistake, name, trials in rows]
    assert [row[:3] for row in said if row[2] and not true(row[2], row[3])] == []
    mistakes = {mistake for mistake, *_ in said}
    unnamed = {mistake for mistake, _, text, _ in said if not text}
    assert len(mistakes) > 50 and len(unnamed) <= (1 - LEAST) * len(mistakes), unnamed


# ---- one of each kind ----------------------------------------------------------------------------------------------

RNG = np.random.default_rng(5)
X, DOUT = RNG.standard_normal((2, 4, 5))
RIGHT = {'values': {'x': X, 'out': X**2, 'dout': DOUT}, 'others': {}, 'room': 1e-12 * np.abs(X)}
NAN = np.where(np.arange(5) == 2, np.nan, X)
HOLE = np.where(np.arange(5) == 2, 0, X)


def trial(yours: Any, due: Any = X, **more: Any) -> Trial:
    return Trial('x', np.asarray(yours), np.asarray(due), **RIGHT | more)


KINDS = {
    'a little more': ([trial(1.00001 * X)], '1.00001 times'),
    'random': ([trial(X, again=X[::-1])], 'the same twice'),
    'random, and right once': ([trial(X, again=X), trial(X, again=2 * X)], 'the same twice'),
    'kept on self': ([trial(X, again=X, after=3 * X)], 'of the Cell'),
    'kept on self, and wrong': ([trial(DOUT * X[::-1], again=DOUT * X[::-1], after=3 * X)], 'of the Cell'),
    'few digits': ([trial((X + 0.3).astype(np.float16), wide=True)], 'right in Float64'),
    'not added up': ([trial(X, X.sum(0)), trial(X[:3], X[:3].sum(0))], 'shape is (4, 5)'),
    'not added up but kept': ([trial(X, X.sum(0, keepdims=True))], 'sum over'),
    'deaf': ([trial(X**3 + 1, X * DOUT, twice=X**3 + 1)], 'twice the dout'),
    'bent': ([trial(abs(DOUT) ** 1.3, DOUT, twice=abs(2 * DOUT) ** 1.3)], 'not linear'),
    'one row right': ([trial(np.where(np.arange(4)[:, None] == 0, X, X[0]))], 'but the first'),
    'NaN': ([trial(NAN, values={'x': HOLE})], 'where x is 0'),
    'NaN in some places': ([trial(NAN)], 'in some places'),
    'another factor in each call': ([trial(X * 3.1), trial(X * 1.7)], 'in each call'),
}


@pytest.mark.parametrize('kind', KINDS)
def test_each_kind_is_named(kind):
    trials, fact = KINDS[kind]
    tells(diagnose(trials), fact)


QUIET = {
    'none': [],
    'right': [trial(X)],
    'one number': [trial([2.0], [4.0], values={'x': np.array([2.0])}, room=0.0)],
    'no axis': [trial(2.0, 4.0, values={'x': np.array(2.0), 'dout': np.array(1.0)}, room=0.0)],
    'no axis, several calls': [
        trial(a, b, values={'x': np.array(3.0)}, room=0.0) for a, b in zip(X[0], DOUT[0], strict=True)
    ],
    'copies of one number': [trial([3.0] * 9, [6.0] * 9, values={'x': np.full(9, 2.0)}, room=0.0)] * 4,
    'two numbers': [trial([1.0, 4.0], [2.0, 8.0], values={}, room=0.0)],
    'nothing': [trial(np.ones((0, 3)), np.ones((0, 3)), values={}, room=0.0)],
    'infinite': [trial([np.inf, -np.inf, np.nan, 1], [np.nan, np.inf, np.inf, 1], values={}, room=0.0)],
    'complex': [trial([1j, 2, 3], [1.0, 2, 3], values={}, room=0.0)],
    'another shape': [trial(np.ones((2, 3)), np.ones((4, 5)), values={'x': X}, room=0.0)],
    'nobody knows': [trial(X, np.full(X.shape, np.nan), again=X, after=X)],
}


@pytest.mark.parametrize('kind', QUIET)
def test_too_little_is_no_evidence(kind):
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        assert diagnose(QUIET[kind]) == ''


@pytest.mark.parametrize('seed', range(20))
@pytest.mark.parametrize('whole', [True, False], ids=['small whole numbers', 'any numbers'])
def test_of_numbers_that_have_nothing_to_do_with_each_other_nothing_is_said(whole, seed):
    rng, trials = np.random.default_rng(seed), []
    for shape in [(4,), (2, 3), (1, 5)][: 1 + seed % 3]:
        made = [rng.integers(-3, 4, shape).astype(float) if whole else rng.standard_normal(shape) for _ in range(5)]
        yours, due, *values = made
        trials.append(
            Trial('x', yours, due, dict(zip(('x', 'out', 'dout'), values, strict=True)), {'y': values[0]}, 1e-9)
        )
    assert diagnose(trials) == ''
