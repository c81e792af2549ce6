"""The judge calls no right bprop wrong and no wrong one right, whatever stands around: a table of pairs holds it.

Asked are both `tape.verdicts()` and `check_bprop`. By day it is a sample, in the slow tier all pairs; hypothesis draws
what changes around them. The table is printed when the tests have run.
"""

import re
from collections import Counter
from collections.abc import Iterator
from inspect import signature
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minicell as ms
from minicell.core.tensor import tensors_in
from minicell.story.tensors import places as paths
from tests.judge.built import Asked, Setting, arguments, asked, cases, differences
from tests.judge.pairs import Pair, dues, pairs, reckoned

pytestmark = pytest.mark.filterwarnings('ignore')
HEADS = 'pairs', 'verdicts', 'right: wrong', 'wrong: right', 'otherwise false', 'unknown', 'unknown, undue'
EACH = 61  # of the pairs, one of so many is tried by day


def by_tape(it: Asked, mode: str) -> list:
    """Read back under a Tape."""
    with ms.Tape() as tape:
        it.gradients(mode)
    return [v for v in tape.verdicts() if v.cell == type(it.cell).__name__]


def by_check(it: Asked, mode: str) -> list:
    """Without the loss and what stands around."""
    names = [
        n for name, x in zip(signature(it.cell.construct).parameters, it.inputs, strict=True) for n in paths(x, name)
    ]
    wrt = [n for n, k in zip([*names, *(it.cell.internal_params or ())], it.order, strict=True) if k in it.asked]
    result = ms.check_bprop(it.cell, *it.inputs, wrt=wrt if len(wrt) < len(it.order) else None)
    return result.rows if result.error is None else [result.error]


WAYS = {'tape': by_tape, 'check_bprop': by_check}


def answers(it: Asked, way: str, mode: str) -> dict[int, Any]:
    """The verdicts by place in the table, or what was raised."""
    try:
        found = WAYS[way](it, mode)
        if mode == 'jvp':  # what goes along comes first: the worst that is said
            worst = ['not asked', 'right', 'unknown', 'wrong']
            return {0: max(found, key=lambda v: worst.index(v.verdict))} if found else {}
        return {it.order[v.place]: v for v in found}
    except Exception as error:
        return {-1: error}


def said(pair: Pair, wrong: bool, s: Setting, way: str, tally: Counter[str]) -> Iterator[str]:
    """Ask for the verdicts on one of a pair, and yield what is false."""
    it = asked(pair.case, pair.edits if wrong else pair.right, s)
    found, due = answers(it, way, s.mode), dues(pair, wrong, s)
    due = {0: max(due.values(), default='')} if s.mode == 'jvp' else due
    sharp = {*due.values()} & {'surrogate', 'kink', 'right/kink'} or pair.case.kind in ('state', 'randomness')
    sharp = sharp or 'stop_gradient' in pair.case.construct
    may = pair.case.may or (s.style and sharp and 'an index write, or NumPy')
    unseen = any(kind in pair.case.kind for kind in ('NumPy', 'index writes', 'assign'))
    may = may or (s.mode == 'jvp' and unseen and 'its second order is seen by no rule')
    may = may or (s.style and 'sizes' in pair.case.kind and 'differences lose the smallest of many')
    for k in it.order:
        if k in due and not due[k]:
            continue
        verdict = getattr(found.get(k), 'verdict', 'none')
        tally['verdicts'] += 1
        allowed = due[k].split('/') if k in due else ['not asked', 'none']
        # (with other douts and rows than these it may be wrong: the check tries them)
        allowed += ['wrong'] * (wrong and way == 'check_bprop' and allowed == ['right'] and s != Setting(pair.bits))
        allowed += ['wrong'] * (
            wrong and way == 'check_bprop' and bool(pair.case.lesson)
        )  # which tries other douts too
        if verdict == 'unknown' and k in due:
            tally['unknown' if may else 'unknown, undue'] += 1
            allowed += ['unknown'] * bool(may)
        if verdict in allowed:
            continue
        kinds = {
            ('right', 'wrong'): 'right: wrong',
            ('wrong', 'right'): 'wrong: right',
            ('wrong', 'kink'): 'wrong: right',
        }
        kind = kinds.get((allowed[0], verdict), 'otherwise false')
        tally[kind] += verdict != 'unknown'
        why = getattr(found.get(k), 'why', next(iter(found.values()), ''))
        how = {name: value for name, value in s._asdict().items() if value != getattr(Setting(), name)}
        whose = f'wrong ({pair.way})' if wrong else 'right'
        yield f'{pair.case.name}, the {whose}, {way}, {how}, place {k}: due {"/".join(allowed)}, is {verdict}: {why}'


def held(tried: list[tuple[Pair, Setting]], record_property: Any, ways: Any = WAYS) -> None:
    """Fail with all that is false, and count."""
    faults = []
    for pair, s in tried:
        tally: Counter[str] = Counter(pairs=1)
        for wrong in (False, True):
            for way in [way for way in ways if way == 'tape' or s.style != 'unused']:  # a check uses every output
                faults += said(pair, wrong, s, way, tally)
        kind = pair.case.kind + ' *' * pair.case.hard
        record_property('verdicts', (kind, dict(tally)))
    assert faults == [], f'{len(faults)} false:\n' + '\n'.join(faults)


# ---- the table itself ------------------------------------------------------------------------------------------------


def test_there_are_enough_pairs_and_each_wrong_one_is_wrong_in_numbers():
    hard = [pair for pair in pairs() if pair.case.hard]
    assert len(pairs()) >= 600 and len(hard) >= 100
    assert {pair.bits for pair in pairs()} == {16, 32, 64}


@pytest.mark.parametrize('case', [case for case in cases() if case.may != 'infinite'], ids=lambda case: case.name)
def test_a_right_bprop_agrees_with_differences(case):
    """Without a rule and without the judge. (A stop lies to differences, and a hook to all but the bprop.)"""
    case = case._replace(options={k: v for k, v in case.options.items() if k != 'around'})
    s = Setting(bits=64 if 64 in case.bits else 32)
    room = 1e-5 if s.bits == 64 and 'float32' not in case.construct else 2e-2
    yours, due = reckoned(case, {}, s), differences(case, {}, s)
    for k in (k for k in yours if case.due(k) == 'right' and 'stop_gradient' not in case.construct):
        near = room * np.abs(yours[k]) + (0 if 'exact' in case.options else room * 0.1 * np.abs(yours[k]).max())
        assert ((np.abs(yours[k] - due[k]) <= near + room * 1e-3) | np.isnan(due[k])).all(), (yours[k], due[k])


# ---- the judge -------------------------------------------------------------------------------------------------------


def sample() -> list[Pair]:
    """Some of each kind."""
    return pairs()[::EACH]


def test_some_pairs(record_property):
    held([(pair, Setting(pair.bits)) for pair in sample()], record_property)


@pytest.mark.slow
@pytest.mark.parametrize('kind', dict.fromkeys(case.kind for case in cases()) | {'lessons': None})
def test_all_pairs(kind, record_property):
    held([(pair, Setting(pair.bits)) for pair in pairs() if pair.case.kind == kind], record_property)


SCALES = [1e-12, 1e-6, 1e-3, -1.0, 30.0, 1e6, 1e12]
CHANGES: dict[str, list[Any]] = {
    'scale': SCALES,
    'names': [True],
    'turned': [True],
    'layout': ['columns first', 'backward'],
    'asks': [(0,), (1,), (2,)],
    'around': ['same', 'ten', 'graph'],
    'mode': ['vjp', 'jvp'],
    'style': ['unused', 'write', 'numpy', 'half in numpy'],
    'bits': [16, 32, 64],
    'batch': [1, 2, 5],
    'seed': [1, 2],
}


def changed(pair: Pair, change: str, value: Any) -> Setting | None:
    """How the pair is asked with something changed around it; None where that cannot be."""
    case, s = pair.case, Setting(pair.bits)._replace(**{change: value})
    fixed = bool(case.lesson or case.may) or 'kink' in case.options.get('due', '')
    words = 'asnumpy', 'spoilt', 'float(', 'mapped', 'vjp', '[i]', ';;'
    graph = not fixed and not case.hard and not any(word in f'{case} {pair.edits}' for word in words)
    style = value == 'unused' or not re.search(r'dout\[\d\]', case.grads)  # one output
    fits = {
        'names': not case.lesson,
        'turned': not case.lesson and len(arguments(case, s)) > 1,
        'asks': 'ask' not in case.options and value in [(k,) for k in dues(pair, True, Setting(pair.bits))],
        'around': not case.around and {'graph': graph, 'ten': not case.lesson}.get(value, True),
        'mode': not case.around and ';;' not in case.grads and case.name != '10a',
        'style': not fixed and not case.around and style,
        'bits': value in case.bits and value != pair.bits and not fixed,
        'batch': not fixed and 'transposed' not in pair.way,
        'seed': not fixed,
    }
    if value == 'jvp' and (fixed or pair.said or 'due' in case.options):
        return None
    if 'numpy' in str(value) and 'stop_gradient' in case.construct:  # NumPy does not stop
        return None
    if not fits.get(change, True):
        return None
    if s.bits < 64 and change in ('scale', 'around', 'bits'):  # no number may leave the normal ones of its dtype
        wide = s._replace(bits=64 if 64 in case.bits else 32)
        numbers = [g for edits in (pair.right, pair.edits) for g in reckoned(case, edits, wide).values()]
        sizes = np.abs(np.concatenate([g.ravel() for g in numbers]))
        sizes = [*sizes[np.isfinite(sizes) & (sizes > 0)], abs(s.scale) * 0.5, abs(s.scale) * 15]
        normal = np.finfo(f'float{s.bits}')
        if min(sizes) < 30 * float(normal.smallest_normal) or max(sizes) > float(normal.max) / 30:
            return None
    return s


def test_what_stands_around_changes_no_verdict_of_some_pairs(record_property):
    """Each pair of the sample has the next change."""
    every = [(change, value) for change, values in CHANGES.items() for value in values]
    tried = []
    for n, pair in enumerate(sample()):
        made = [s for change in every[n % len(every) :] + every if (s := changed(pair, *change))]
        tried.append((pair, made[0]))
    held(tried, record_property, ['tape'])


@pytest.mark.slow
@pytest.mark.parametrize('change', CHANGES)
def test_what_stands_around_changes_no_verdict(change, record_property):
    @settings(max_examples=60)
    @given(st.data())
    def tried(data):
        pair = pairs()[data.draw(st.integers(0, len(pairs()) - 1))]
        s = changed(pair, change, data.draw(st.sampled_from(CHANGES[change])))
        if s:
            held([(pair, s)], record_property)

    tried()


@pytest.mark.slow
@pytest.mark.parametrize('name', ['cube', 'tanh', 'x sin y', 'row', 'softmax', 'square matmul', 'tuple', 'two outputs'])
def test_a_gradient_that_is_stopped_is_wrong_at_second_order_alone(name):
    case = next(case for case in cases() if case.name == name)
    for edits, due in (({}, True), ({0: 'ops.stop_gradient({g})'}, False)):
        it = asked(case, edits, Setting(32))
        found = [bool(ms.check_bprop(it.cell, *it.inputs, order=order)) for order in (1, 2)]
        every = tuple(range(len(it.wanted)))
        inner = ms.grad(it.loss, every)
        with ms.Tape() as tape:
            ms.grad(lambda *xs, inner=inner: sum((g * g).sum() for g in tensors_in(inner(*xs))), every)(*it.wanted)
        told = 'wrong' not in {v.verdict for v in tape.verdicts()}
        assert (*found, told) == (True, due, due), found
