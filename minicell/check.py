"""Is this bprop right? Against autodiff of the Cell's own construct, and against differences.

The true gradient comes from what the takeover hid: a Tape keeps those ops, and their rules are read back here, for the
same inputs, the same random numbers and the same cotangent that bprop was called with. Central differences in float64
(f(x + e) - f(x - e)) / 2e are the second opinion, and need no rule at all.
"""

import contextlib
import warnings
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from .core import tape
from .core.bprop_result import check_result, input_names
from .core.cell import call_bprop
from .core.differentiate import differentiate, name_of
from .core.errors import MinicellError, NotATensorError, ThreadError, users_line
from .core.rules import Bundle, Parts
from .core.tape import NOWHERE
from .core.tensor import Tensor, is_float, map_tensors, tensors_in, wrap
from .core.watch import Begin, Call, Enter, Leave, Op, Pull, Tape, aside
from .errors import NoPathWarning, NotANumberWarning
from .ops.hooks import Passing

STEP = 1e-5  # of a central difference in float64: its error is near 1e-10 for smooth functions of size 1
CLOSE = 1e-6, 1e-4  # absolute and relative: far above what float64 and a cast to float32 on the way lose
REFUSALS = (  # what a construct may raise for inputs that it was not made for
    ArithmeticError, AssertionError, AttributeError, LookupError, MinicellError, RuntimeError, TypeError, ValueError,
)  # fmt: skip
MOST = 64  # how many elements of an input are tried by differences


class Hidden(NamedTuple):
    """What a takeover hid, read back by the rules: what that ended in, the ops passed, and all that arrived."""

    wanted: list  # construct's Tensors: the inputs, then internal_params
    outs: list  # and its float outputs
    steps: list[tuple]  # (op, the cotangent of each float output or None), the last op first
    cotangents: dict  # id of a Tensor -> what arrived there
    error: Exception | None  # why there is no true gradient


def truth(tape_: Tape, pull: Pull) -> list:
    """What autodiff gives for the Call that `pull` reached: an array for every Tensor that its bprop answers for.

    None stands for an input without a gradient, and an exception for what cannot be known: an op without a rule.
    """
    wanted, _, _, cotangents, error = hidden(tape_, pull)
    if error is not None:
        return [error] * len(wanted)
    return [cotangents.get(id(t), np.zeros_like(t.array)) if is_float(t) else None for t in wanted]


def hidden(tape_: Tape, pull: Pull) -> Hidden:
    """The ops that the Call hid, read back from the cotangent that `pull` brought."""
    call, events = pull.entry, tape_.events
    leave = next(
        (k for k in range(events.index(call), -1, -1) if isinstance(events[k], Leave) and events[k].cell is call.cell),
        None,
    )
    if leave is None:
        why = f'{type(call.cell).__name__} ran as part of a graph, which does not record what construct did'
        return Hidden([*tensors_in(call.inputs), *(call.cell.internal_params or ())], [], [], {}, MinicellError(why))
    depth, enter = 1, leave
    while depth:
        enter -= 1
        depth += isinstance(events[enter], Leave) - isinstance(events[enter], Enter)
    ops = [e for e in events[enter + 1 : leave] if isinstance(e, Op)]
    outs = [t for t in tensors_in(events[leave].out) if is_float(t)]
    given = pull.cotangent if isinstance(pull.cotangent, tuple) else (pull.cotangent,)
    cotangents: dict = {}

    def add(t: Tensor, g: object) -> None:
        before = cotangents.get(id(t))
        cotangents[id(t)] = g if before is None else before + g

    for t, g in zip(outs, given, strict=True):
        if g is not None:
            add(t, g.array if isinstance(g, Tensor) else g)
    found = Hidden([*tensors_in(events[enter].inputs), *(call.cell.internal_params or ())], outs, [], cotangents, None)
    if any(isinstance(e, Begin) for e in events[enter:leave]):
        why = f'construct of {type(call.cell).__name__} asks for a gradient, whose steps are not recorded'
        return found._replace(error=MinicellError(why))
    try:
        for op in reversed(ops):
            several = not isinstance(op.out, Tensor)
            made = [t for t in tensors_in(op.out) if is_float(t)]
            gs = [cotangents.pop(id(t), None) for t in made]
            if all(g is None for g in gs):
                continue
            found.steps.append((op, gs))
            then = [wrap(tape_.value(t, op.at)) for t in op.inputs]
            g = Parts({k: g for k, g in enumerate(gs) if g is not None}) if several else gs[0]
            out = op.out if several else wrap(tape_.value(op.out, op.at))
            if isinstance(op.rule, Passing):
                pairs = past_hooks(g, then)
            else:
                x, y = op.rule.raw(tuple(then), op.attrs)
                pairs = op.rule.vjp(g, -NOWHERE, x, y, Bundle(out, -1) if several else out)
            places = dict(zip(map(id, then), op.inputs, strict=True))
            for t, d in pairs:
                if d is not None:
                    add(places[id(t)], d)
    except MinicellError as error:
        return found._replace(error=error)
    return found


def past_hooks(g: object, inputs: Sequence[Tensor]) -> list[tuple]:
    """(input, gradient) where an entry would call hooks: for the truth they are not called."""
    given = [g.of.get(k) for k in range(len(inputs))] if isinstance(g, Parts) else [g]
    return list(zip([t for t in inputs if is_float(t)], given, strict=False))


class Row(NamedTuple):
    """One input's gradient: bprop's, autodiff's, by differences (NaN where not tried); how far off, and where worst.

    off and worst are against autodiff, or where that is not to be had, against differences; off_numeric is against
    differences.
    """

    name: str
    yours: np.ndarray
    true: np.ndarray | Exception
    numeric: np.ndarray | None
    off: float
    worst: tuple[int, ...]
    ok: bool
    off_numeric: float
    ok_numeric: bool


class CheckResult:
    """The verdict of `check_bprop`: `.ok`, `.rows` (one an input), `.notes`; prints as sentences."""

    def __init__(self, name: str, rows: list[Row], notes: list[str], error: Exception | None = None) -> None:
        self.name = name
        self.rows = rows
        self.notes = notes
        self.error = error
        self.ok = error is None and all(r.ok for r in rows) and not any(n.startswith('It ') for n in notes)

    def __bool__(self) -> bool:
        return self.ok

    def __repr__(self) -> str:
        if self.error is not None:
            return f'✗ {self.name}: {self.error}'
        lines = [
            f'✓ {self.name} agrees with the true gradient.' if self.ok else f'✗ {self.name} is not the true gradient.'
        ]
        lines += [f'  {_said(row)}' for row in self.rows]
        return '\n'.join(lines + [f'  {note}' for note in self.notes])

    def _repr_html_(self) -> str:
        from html import escape  # a millisecond and a half, for those who are in a notebook

        return f'<pre style="color:#1A1A1A;background:#FFFFFF;padding:8px">{escape(repr(self))}</pre>'


def _said(row: Row) -> str:
    known = not isinstance(row.true, Exception)
    if row.ok:
        by = [
            w
            for w, ok in (('autodiff', known and _compare(row.yours, row.true)[2]), ('differences', row.ok_numeric))
            if ok
        ]
        said = ' and '.join(by)
        if known and by == ['differences']:
            said += ', not with autodiff, which sees nothing but ops (did NumPy compute?)'
        elif row.numeric is not None and by == ['autodiff']:
            said += f', not with differences (off by {row.off_numeric:.3g}: a kink?)'
        return f'✓ d{row.name}: agrees with {said}'
    reference = _reference(row.true, row.numeric)
    if reference is None:
        return f'✗ d{row.name}: nothing to compare it with: {row.true}'
    where = f', worst at [{", ".join(map(str, row.worst))}]' if row.worst else ''
    return (
        f'✗ d{row.name}: off by up to {row.off:.3g}{where}: '
        f'yours {row.yours[row.worst]:.4g}, true {reference[row.worst]:.4g}'
    )


def check_bprop(cell: Callable, *inputs: object, sens: object = None) -> CheckResult:
    """Compare a Cell's bprop with autodiff of its construct and with central differences, in float64, first order.

    sens: the cotangent to try it with, in the structure of the output; random numbers (always the same) where None,
    because ones hide mistakes. Returns a CheckResult, which prints a verdict; a malformed bprop is a verdict too.

    Raises TypeError without a float Tensor among the inputs.

    >>> import minicell as ms
    >>> class Square(ms.nn.Cell):
    ...     def construct(self, x):
    ...         return x * x
    ...     def bprop(self, x, out, dout):
    ...         return (2 * x,)
    >>> print(ms.check_bprop(Square(), ms.Tensor([1.0, 3.0])))
    ✗ Square.bprop is not the true gradient.
      ✗ dx: off by up to 6.79, worst at [1]: yours 6, true -0.7926
      It ignores dout: twice the dout gave the same gradient. Multiply by dout.
    """
    places = [k for k, x in enumerate(inputs) if isinstance(x, Tensor) and is_float(x)]
    params = list(cell.get_parameters()) if hasattr(cell, 'get_parameters') else []
    if not places and not params:
        raise NotATensorError(f'check_bprop needs a float Tensor among the inputs of {name_of(cell)}.{users_line()}')
    wide = [wrap(x.array.astype(np.float64)) if k in places else x for k, x in enumerate(inputs)]
    outside = range(0)  # the addresses of what is differentiated around us
    if tape.in_own_thread():
        outside = range(tape.recorded_from, tape.first_address + len(tape.entries))
    kept = [(p, p.array) for p in params if is_float(p)]
    with aside():
        try:
            for p, array in kept:
                p.array = array.astype(np.float64)
            return _checked(cell, tuple(wide), places, sens, outside)
        finally:
            for p, array in kept:
                p.array = array


def _checked(cell: Callable, inputs: tuple, places: list[int], sens: object, outside: range) -> CheckResult:
    custom = getattr(cell, 'bprop', None) is not None
    name = f'{type(cell).__name__}.bprop' if custom else f'autodiff of {name_of(cell)}'
    names = input_names(cell, inputs) if custom else [f'x{k}' for k in range(len(inputs))]
    outs = [t for t in tensors_in(cell(*inputs)) if is_float(t)]
    if sens is None:
        rng = np.random.default_rng(0)
        douts = [rng.standard_normal(t.shape).astype(t.array.dtype) for t in outs]
    else:
        douts = [s.array.astype(t.array.dtype) for s, t in zip(tensors_in(sens), outs, strict=True)]
    params = list(getattr(cell, 'internal_params', None) or ())
    try:
        with warnings.catch_warnings(), Tape() as seen:
            for kind in (NoPathWarning, NotANumberWarning):
                warnings.simplefilter('ignore', kind)  # the result says it
            _, by_place, by_weight = differentiate(
                cell, inputs, {}, tuple(places), tuple(params), tuple(map(wrap, douts))
            )
    except ThreadError:
        raise  # it says nothing about the Cell
    except MinicellError as error:
        return CheckResult(name, [], [], error)
    pulls = [e for e in seen.events if isinstance(e, Pull) and isinstance(e.entry, Call) and e.entry.cell is cell]
    wanted = [*places, *range(len(inputs), len(inputs) + len(params))]
    yours = [g.array for g in (*by_place, *by_weight)]
    if custom and not pulls:
        return CheckResult(name, [], [], MinicellError('bprop was never called: no output is a float Tensor.'))
    numeric, notes = _differences(cell, inputs, places, params, douts)
    true = numeric
    if custom:
        true = _by_place(truth(seen, pulls[-1]), inputs, places)
    elif any(n is None for n in numeric):
        true = [MinicellError('construct is random, and there is no bprop to compare with')] * len(numeric)
    labels = [*names, *(p.name for p in params)]
    rows = [_row(labels[k], y, t, n) for k, y, t, n in zip(wanted, yours, true, numeric, strict=True)]
    if custom:
        fixed = all(n is not None for n in numeric)
        notes += _linearity(cell, pulls[-1], seen, yours if fixed else []) + _captured(seen, outside)
    return CheckResult(name, rows, notes)


def _by_place(found: list, inputs: tuple, places: list[int]) -> list:
    """Of one answer for every Tensor, those for the float inputs and, behind them, the Parameters."""
    tensors = [k for k, x in enumerate(inputs) for _ in tensors_in(x)]
    of_inputs = [g for k, g in zip(tensors, found, strict=False) if k in places]
    return of_inputs + found[len(tensors) :]


def _row(name: str, yours: np.ndarray, true: object, numeric: np.ndarray | None) -> Row:
    off, worst, ok = _compare(yours, _reference(true, numeric))
    off_numeric, worst_numeric, ok_numeric = _compare(yours, numeric)
    if ok_numeric and not ok:  # construct does something that no rule sees, in NumPy say: differences see it
        off, worst, ok = off_numeric, worst_numeric, True
    return Row(name, yours, true, numeric, off, worst, ok, off_numeric, ok_numeric)


def _reference(true: object, numeric: np.ndarray | None) -> np.ndarray | None:
    """What yours is compared with: autodiff, unless it has no answer, or only zeros where differences have more."""
    if isinstance(true, Exception):
        return numeric
    return true if np.any(true) or numeric is None or _compare(true, numeric)[2] else numeric


def _compare(yours: np.ndarray, reference: np.ndarray | None) -> tuple[float, tuple[int, ...], bool]:
    """How far off, where worst, and whether that is close; NaN in the reference: not tried."""
    if reference is None:
        return np.nan, (), False
    if not yours.size:
        return 0.0, (), True
    tried = ~np.isnan(reference)
    off = np.where(tried, np.abs(yours - reference), 0.0)
    off = np.where(np.isnan(off), np.inf, off)
    close = off <= CLOSE[0] + CLOSE[1] * np.abs(np.where(tried, reference, 0.0))
    worst = np.unravel_index(np.argmax(off), off.shape)
    return float(off[worst]), tuple(map(int, worst)), bool(np.all(close))


def _differences(cell, inputs: tuple, places: list[int], params: list, douts: list) -> tuple[list, list[str]]:
    """Central differences for each float input and Parameter; None, and a note, where construct is random."""

    def value() -> float:
        outs = [t for t in tensors_in(cell(*inputs)) if is_float(t)]
        return sum(float(np.sum(o.array.astype(np.float64) * d)) for o, d in zip(outs, douts, strict=True))

    targets = [inputs[k] for k in places] + params
    if value() != value():
        return [None] * len(targets), [
            'construct is random: differences are left out, autodiff saw the same random numbers.'
        ]
    found = []
    for t in targets:
        t.array = np.array(t.array, order='C')
        flat = t.array.reshape(-1)
        result = np.full(flat.shape, np.nan)
        chosen = np.arange(flat.size) if flat.size <= MOST else np.random.default_rng(0).choice(flat.size, MOST, False)
        for i in chosen:
            middle = flat[i]
            flat[i] = middle + STEP
            above = value()
            flat[i] = middle - STEP
            result[i] = (above - value()) / (2 * STEP)
            flat[i] = middle
        found.append(result.reshape(t.shape))
    return found, []


def _linearity(cell, pull: Pull, seen: Tape, yours: list) -> list[str]:
    """bprop again, after a call with other inputs, and with twice the dout: a gradient is linear in it.

    yours: what it gave before that call, where construct is not random.
    """
    raw = next(e for e in seen._raw if e[1] is pull.entry.inputs and e[2] is cell)
    _, inputs, _, out, _, _ = raw
    with contextlib.suppress(*REFUSALS):  # what construct refuses, it does not keep
        cell(*map_tensors(inputs, lambda t: wrap(t.array * 0.5) if is_float(t) else t))

    def times(factor: int) -> list[np.ndarray | None]:
        returned = call_bprop(cell, inputs, out, _scaled(pull.cotangent, factor))
        return [d if d is None else d.array for t, d in check_result(cell, inputs, returned) if is_float(t)]

    again, twice = times(1), times(2)
    if len(again) == len(yours) and not all(
        np.allclose(a, y, equal_nan=True) for a, y in zip(again, yours, strict=True) if a is not None
    ):
        return ['It reads what the last call kept: after another call the gradient of the first is another one.']
    once, twice = ([d for d in ds if d is not None] for ds in (again, twice))
    if not any(np.any(x) for x in once):
        return []
    if all(map(np.array_equal, once, twice)):
        if all(map(np.array_equal, once, [d for d in times(-1) if d is not None])):
            return ['It ignores dout: twice the dout gave the same gradient. Multiply by dout.']
        return ['It is not linear in dout: twice the dout gave the same gradient, though minus dout gave another one.']
    if not all(np.allclose(2 * x, y, equal_nan=True) for x, y in zip(once, twice, strict=True)):
        return ['It is not linear in dout: twice the dout did not give twice the gradient.']
    return []


def _captured(seen: Tape, outside: range) -> list[str]:
    """Inside a gradient: what construct uses of it, beside its inputs (which are Tensors of our own here)."""
    used = [t for e in seen.events if isinstance(e, Op) for t in e.inputs if t.at in outside]
    return [
        f'It uses a Tensor of shape {t.shape} that is being differentiated and is none of its inputs, so that its part '
        f'of the gradient is lost. Make it an input, and return its gradient too.'
        for t in used[:1]
    ]


def _scaled(cotangent: object, factor: int) -> object:
    if isinstance(cotangent, tuple):
        return Parts({k: factor * g for k, g in enumerate(cotangent) if g is not None})
    return factor * cotangent
