"""A whole trial of a Cell with a bprop, as data: a `BpropCheck`, or several of them for a class that has settings.

bprop is called by hand first: for the form of what it returns, and for what it does besides. Then come gradient checks
on all inputs, each with a dout of its own, and higher orders where they are asked for. A Cell may draw random numbers,
return several outputs, and have Parameters.
"""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

import minicell as ms
from minicell.errors import MinicellWarning

from .exercise import same
from .trials import ERRORS, ORDERS, Trial, begun, cell_of, class_of, compared, dice, form, fresh, seen, stopped

equal = partial(np.array_equal, equal_nan=True)
WEIGHTS = (0.7, 0.5, -1.3, 0.4, 1.1)  # of the numbers of an output in a loss
CLOSE = {'rtol': 1e-4, 'atol': 1e-6}
DRAWN = 16  # the seed of what a Cell draws
# What a bprop does besides, in the order in which it is told.
BESIDES = {
    'asked twice': 'asked twice about the same call, bprop gives two different answers',
    'wrote into': 'bprop has written into {}',
    'generator': 'bprop has moved the random generator, so what is drawn next has changed',
    'a call between': 'another call of the Cell, before backward begins, changes what bprop returns',
}


class BpropCheck(NamedTuple):
    """A trial of a Cell whose construct computes `due` of its inputs; `what` is that in words, for a sentence.

    `cases`: what stands in the sentence -> the inputs of a gradient check, each with a random dout. bprop is also
    called by hand, with the inputs `by_hand` or else those of the first case; its gradients are noted by their `names`.
    An input that has a name and is no Tensor gets None, or 0, which is the same. `parameters` are the numbers of the
    Cell's Parameters: `due` is given them behind the inputs, and their gradients are named behind those of the inputs.
    """

    name: str
    names: Sequence[str]
    due: Callable[..., Any]
    what: str
    cases: dict[str, Sequence[Any]]
    by_hand: Sequence[Any] = ()
    parameters: Mapping[str, Any] = MappingProxyType({})
    order: int = 1  # up to which derivatives are compared

    def __call__(self, answer: Any) -> Trial:
        """What a Cell, or a class of Cells, does."""
        cell, first = cell_of(answer, self.name), self.by_hand or next(iter(self.cases.values()))
        for name, numbers in self.parameters.items():
            getattr(cell, name).set_data(ms.Tensor(numbers, getattr(cell, name).dtype))
        with dice(DRAWN + 1):  # what later calls draw differs from what the first drew
            if changed := self.changed(cell):
                return Trial(True, False, {'construct': 'another'}, changed)
            did = called(cell, first, dout_of, self.names, tuple(self.parameters), [*self.cases.values()][-1])
            said, more = self.at_each_order(cell) if self.order > 1 else ('', {})
            did |= more
            # an error at a higher order is told first; else a check says more of the first
            higher = said * ('✗' in said)
            try:
                wrong = higher * any(isinstance(did.get(order), str) for order in ORDERS[1:]) or self.checked(cell)
                wrong = wrong or higher or self.besides(did) or self.of_each(cell, first, did)
            except ERRORS as error:
                wrong = stopped(begun(error), 'bprop')
            several = isinstance(cell.construct(*fresh(first)), tuple | list)
        *names, last = self.tensors()
        agree = f'{", ".join(names)} and {last} agree' if names else f'{last} agrees'
        done = f'{agree} with the true gradients, for a random dout each: {"; ".join(self.cases)}.'
        # what is seen on the tape is what a check has just said, and its first order
        tried = [given for where, given in self.cases.items() if wrong.startswith(where)] or [*self.cases.values()]
        shows = None if several or wrong == said != '' else (cell, tried[0])
        return Trial(True, not wrong, did, wrong or said or done, shows=shows)

    def tensors(self) -> list[str]:
        """The names of the gradients; a plain number has none."""
        first = next(iter(self.cases.values()))
        return [name for k, name in enumerate(self.names) if k >= len(first) or isinstance(first[k], ms.Tensor)]

    def changed(self, cell: Any) -> str:
        """Where construct does not return what is due, in a sentence."""
        own = [getattr(cell, name) for name in self.parameters]
        for where, given in self.cases.items():
            with dice(DRAWN):
                due = outputs(self.due(*fresh(given), *own))
            with dice(DRAWN):
                out = outputs(cell.construct(*fresh(given)))
            if len(out) < len(due) or not all(map(same, map(seen, out), map(seen, due))):
                return f'{where}:\nconstruct no longer returns {self.what}: leave it as it was.'
        return ''

    def checked(self, cell: Any) -> str:
        """What the first gradient check says that fails; each has a dout of its own."""
        for where, given in self.cases.items():
            inputs, where = fresh(given), f'{where}, a random dout'
            with dice(DRAWN):
                out = cell.construct(*inputs)
            found = ms.check_bprop(cell, *inputs, sens=None if isinstance(out, tuple | list) else dout_of(out))
            if found.error is not None:
                lines = str(found.error).splitlines()
                # where a wrong return value was noticed is no line of the learner's
                return '\n'.join([f'{where}:', *(lines if 'its bprop' not in str(found.error) else lines[:1])])
            if not found.ok:
                return f'{where}:\n{found}'
        return ''

    def besides(self, did: dict[str, Any]) -> str:
        """What is wrong though all checks agree: the place of a plain number, or what bprop does besides."""
        tensors = self.tensors()
        plain = [name for name in self.names if name not in tensors and str(did.get(name)) not in ('None', 'zero')]
        if plain and plain[0] in did:
            told = f'{plain[0].removeprefix("d")} is no Tensor: expected None in its place.'
            return f'{" and ".join(tensors)} are right. {told}'
        found = (said.format(did[part]) for part, said in BESIDES.items() if part in did)
        return next((f'The numbers are right, but {said}.' for said in found), '')

    def of_each(self, cell: Any, inputs: Sequence[Any], did: dict[str, Any]) -> str:
        """What is wrong in what bprop returned by hand: a dout came in for each output, also for a mask."""

        def loss(*given: Any) -> Any:
            out = outputs(cell.construct(*given))
            return sum((part * by).sum() for part, by in zip(out, map(dout_of, out), strict=True))

        with dice(DRAWN):
            due = outputs(ms.grad(loss, places(inputs))(*fresh(inputs)))
        for name, right in zip(self.tensors(), due, strict=False):
            named = lambda at, name=name: f'{name} at {list(map(int, at))}, for a dout of each output'
            found = did.get(name)
            if isinstance(found, np.ndarray) and (off := compared(found, right.asnumpy(), named, 'yours', **CLOSE)):
                return off
        return ''

    def at_each_order(self, cell: Any) -> tuple[str, dict[str, Any]]:
        """A line for each order, and what the Cell did there, warnings among it."""
        inputs = fresh(next(iter(self.cases.values())))
        mine, due = derivatives(cell, inputs), derivatives(self.due, inputs)
        at_x = [f'{name[1:]} = {x}' for name, t in zip(self.names, inputs, strict=False) for x in t.asnumpy().flat]
        lines, did = [], {}
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter('always')
            for order in ORDERS[: self.order]:
                try:
                    did[order] = next(mine)
                except Exception as error:
                    did[order] = f'raised {type(begun(error)).__name__}'
                    lines.append(f'✗ {order} order: {type(error).__name__}: {str(error).splitlines()[0]}')
                    break
                named = lambda at, order=order: f'✗ {order} order is off at {at_x[at[0]]}'
                lines.append(compared(did[order], next(due), named, 'yours', **CLOSE) or f'✓ {order} order is right.')
        told = sorted({each.category.__name__ for each in warned if issubclass(each.category, MinicellWarning)})
        did |= {'told': ', '.join(told)} if told else {}
        out = cell.construct(*inputs)
        return '\n'.join(lines), did | ({'returned with it': len(out) - 1} if isinstance(out, tuple | list) else {})


class Settings(NamedTuple):
    """A trial of a class of Cells: `checks`, what stands in the sentence -> the settings of a Cell, and its check."""

    name: str
    checks: dict[str, tuple[tuple, BpropCheck]]
    done: str

    def __call__(self, answer: Any) -> Trial:
        """What the Cells do, one after the other."""
        kind, did = class_of(answer, self.name), {}
        for where, (settings, check) in self.checks.items():
            found = check(kind(*settings))
            did |= {f'{where}: {part}': value for part, value in found.did.items()}
            if not found.passed:
                return Trial(True, False, did, f'{where}: {found.said}', shows=found.shows)
        return Trial(True, True, did, self.done)


# ---- a bprop, called by hand ---------------------------------------------------------------------------------------


def called(
    cell: Any, inputs: Sequence[Any], dout: Any, names: Sequence[str], parameters: Sequence[str] = (), between: Any = ()
) -> dict[str, Any]:
    """What bprop returns, called by hand: the form of it, each gradient by its name, and what it does besides.

    The Cell is called with other numbers before bprop is asked about the first call, then with the inputs `between`.
    `dout`: a Tensor, or a function that makes one of what construct returns.
    """
    inputs = fresh(inputs)  # an answer may write into them
    others = [ms.Tensor(t.asnumpy() + 1.5) if isinstance(t, ms.Tensor) else t for t in inputs]
    had = {name: id(value) for name, value in vars(cell).items()}
    try:
        with dice(DRAWN):
            out = cell.construct(*inputs)
        dout = dout(out) if callable(dout) else dout
        kept = sorted({type(value).__name__ for name, value in vars(cell).items() if had.get(name) != id(value)})
        given = dict(zip((name.removeprefix('d') for name in names), inputs, strict=False)) | {'out': out, 'dout': dout}
        before = {name: numbers(value) for name, value in given.items()}
        cell.construct(*others)
        with dice(DRAWN + 2):  # who goes back to where construct was is noticed
            state = np.random.get_state()
            returned = cell.bprop(*inputs, out, dout)
            after = np.random.get_state()
            twice = cell.bprop(*inputs, out, dout)
            moved = not all(map(np.array_equal, state, after))
            reset = all(map(np.array_equal, after, np.random.get_state()))
        cell.construct(*fresh(between or inputs))
        again = None
        with suppress(*ERRORS):
            again = cell.bprop(*inputs, out, dout)
    except (*ERRORS, LookupError) as error:
        raised = f'raised {type(begun(error)).__name__}: {error}'.splitlines()[0]  # one class for several mistakes
        return {'returned': raised, 'stopped': stopped(error, 'bprop')}
    did: dict[str, Any] = {'returned': form(begun(returned))}
    if parameters:
        named = ', '.join(str(getattr(each, 'name', each)) for each in cell.internal_params or ())
        did['returned'] += f', where internal_params names {named or "none"}'
    parts = of_all(cell, returned, parameters)
    if isinstance(parts, tuple | list):
        odd = [type(each).__name__ for each in parts if not isinstance(each, ms.Tensor)]
        if len(parts) != len(names) and odd:
            did['returned'] += f', among them {", ".join(odd)}'
        did |= {name: seen(begun(gradient)) for name, gradient in zip(names, parts, strict=False)}
    wrote = [name for name, value in given.items() if not all(map(equal, numbers(value), before[name]))]
    differ = lambda one, other: not wrote and not all(map(equal, numbers(one), numbers(other)))
    besides = {
        'wrote into': ', '.join(wrote),
        'asked twice': 'gives two answers' if differ(parts, of_all(cell, twice, parameters)) else '',
        'generator': ('is set' if reset else 'goes on') if moved else '',
        'a call between': 'changes the answer' if again is None or differ(twice, again) else '',
        'kept': ', '.join(kept),
    }
    if besides['asked twice']:  # numbers that differ each time say nothing
        did = {part: value for part, value in did.items() if part not in names}
    return did | {part: value for part, value in besides.items() if value}


def of_all(cell: Any, returned: Any, parameters: Sequence[str]) -> Any:
    """All gradients that a bprop returned, those of the Parameters behind those of the inputs."""
    if parameters and isinstance(returned, tuple | list) and len(returned) == 2 and isinstance(returned[1], dict):
        return (*outputs(returned[0]), *(returned[1].get(getattr(cell, name), 'no key') for name in parameters))
    return returned


def outputs(out: Any) -> tuple:
    """What a Cell or a bprop returned, as a tuple."""
    return tuple(out) if isinstance(out, tuple | list) else (out,)


def numbers(value: Any) -> list[np.ndarray]:
    """The numbers of a Tensor, or of several."""
    return [each.asnumpy().copy() for each in outputs(value) if isinstance(each, ms.Tensor)]


def dout_of(out: Any) -> Any:
    """A dout for an output, no number of it 0 or 1; for each, where a Cell has several."""
    if isinstance(out, tuple | list):
        return tuple(map(dout_of, out))
    drawn = np.random.default_rng(1).uniform(1.2, 3, out.shape) * np.resize([1.0, -1.0], out.shape)
    return ms.Tensor(drawn, out.dtype if out.dtype in (ms.float32, ms.float64) else ms.float64)


def derivatives(f: Callable, inputs: Sequence[Any]) -> Iterator[np.ndarray]:
    """The derivatives of a loss with a square of f, order by order, each as one row."""

    def loss(*given: Any) -> Any:
        y = outputs(f(*given))[0]
        return (ms.Tensor(np.resize(WEIGHTS, y.shape)) * (y + 0.5) ** 2).sum()  # it is not flat where y is 0

    while True:
        slopes = ms.grad(loss, places(inputs))
        with dice(DRAWN):
            found = np.concatenate([each.asnumpy().ravel() for each in outputs(slopes(*inputs))])
        yield found
        loss = lambda *given, slopes=slopes: sum(each.sum() for each in outputs(slopes(*given)))


def places(inputs: Sequence[Any]) -> tuple[int, ...]:
    """The places of the Tensors among inputs."""
    return tuple(k for k, each in enumerate(inputs) if isinstance(each, ms.Tensor))
