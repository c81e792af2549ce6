"""A takeover asked again: its construct on other numbers, in Float64 where it can, and its bprop for another dout."""

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..core import tape
from ..core.bprop_result import check_result
from ..core.cell import call_bprop
from ..core.rules import Bundle, Parts
from ..core.tensor import Tensor, is_float, map_tensors, tensors_in, wrap
from ..core.watch import Tape
from ..ink.numbers import largest
from ..ops.create import STOP
from ..story.facts import under
from .harmless import Harm, Kept, untouched
from .program import Arrays, Program, rounding, wide


class Again:
    """Calls construct and bprop of one Cell again. Whatever raises there, raises Harm here: then nobody can ask."""

    wide = False  # whether it was called with all that it can reach in Float64
    stops = True  # whether what stop_gradient stops stays what it was
    before: bool  # whether the state that is kept is the one before the call, so that construct comes before bprop

    def __init__(self, cell: Any, inputs: tuple, construct: Any = None, kept: Any = None, then: Any = None) -> None:
        self.cell, self.inputs = cell, inputs
        self.params = list(getattr(cell, 'internal_params', None) or ())
        self._construct = construct or by_signature(cell)
        self.kept = kept or Kept(cell, self._construct, inputs)
        found = [(t, then(t)) for t in self.kept.tensors] if then else []  # as it was before the call
        self.written = [(t, a) for t, a in found if a.tobytes() != t.array.tobytes()]
        self.before = bool(self.written)
        self.stopped: list | None = None  # what stop_gradient stopped, the first time
        self.narrow = False  # whether it can be called in its own dtypes alone: it makes Tensors of one dtype, say

    def tensors(self, xs: Arrays) -> tuple[tuple, list[Tensor]]:
        """The arguments with these numbers, and all Tensors that have them: integers stay what they are."""
        own = [wrap(np.asarray(x)) for x in xs[: len(xs) - len(self.params)]]
        for p, x in zip(self.params, xs[len(own) :], strict=True):
            p.array = np.asarray(x)
        given = iter(own)
        return map_tensors(self.inputs, lambda t: next(given)), [*own, *self.params]

    @contextmanager
    def called(self, wide: bool) -> Iterator[None]:
        """While it is called, all that it can reach is as it was; and in Float64."""
        with untouched(self.kept):
            for t, array in self.written:
                t.array = array.copy()
            if wide:
                self.kept.widen()
            yield

    def program(self, xs: Arrays, look: bool = True, narrow: bool = False) -> Any:
        """construct on these inputs and internal_params, as a Program; where nobody looks, its outputs alone. It is
        called in Float64, or in its own dtypes where it raises in Float64."""
        try:
            return self.tried(xs, narrow or self.narrow, look)
        except Harm:
            raise
        except Exception as error:  # two dtypes that do not fit, perhaps
            if narrow or self.narrow:
                raise Harm(f'called again, construct raises {type(error).__name__}') from None
        found = self.program(xs, look, narrow=True)
        self.narrow = True
        return found

    def tried(self, xs: Arrays, narrow: bool, look: bool) -> Any:
        """construct in Float64, and so is all that it can reach; or in the dtypes that it was called with."""
        own = [*tensors_in(self.inputs), *self.params]
        dtypes = [t.array.dtype for t in own]
        with self.called(self.wide or not narrow):
            own = [np.asarray(x, d if narrow and not self.wide else None) for x, d in zip(xs, dtypes, strict=True)]
            args, given = self.tensors(own)
            with Tape() as seen, self.stopping():
                out = tape.hide(tape.NOWHERE + 1, self, args, {})
            if not look:
                return [wide(t).copy() for t in tensors_in(out) if is_float(t)]
            found = Program(seen, given, out, seen.events).settled()
            if self.stopped is None and self.stops:
                self.stopped = [ran.outs[0] for ran in found.recorded if under(ran.op.rule) is STOP]
            return found

    @contextmanager
    def stopping(self) -> Iterator[None]:
        """What stop_gradient stops is a constant, for differences too: it stays what it was the first time."""
        kernel, stopped = STOP.kernel, iter(self.stopped or ())
        STOP.kernel = lambda x: np.array(next(stopped, x), x.dtype)
        try:
            yield
        finally:
            STOP.kernel = kernel

    def bprop(self, xs: Arrays, out: Any, outs: Arrays, came: Arrays, eps: float = 0.0) -> list:
        """What bprop returns for these inputs, these numbers in the float Tensors of out, and these cotangents; or how
        far that may be off where all numbers are rounded to eps."""
        with self.called(any(x.dtype == np.float64 for x in xs)):
            if self.before:
                self._construct(*self.tensors(xs)[0])
            if not eps:
                return [d if d is None else np.array(d.array) for d in self.returned(xs, out, outs, came)]
            with Tape() as seen:
                found = self.returned(xs, out, outs, came)
            return rounding(seen, outs, found, eps)

    def returned(self, xs: Arrays, out: Any, outs: Arrays, came: Arrays) -> list[Tensor | None]:
        """The same in the state that there is."""
        args, _ = self.tensors(xs)
        floats, gs = iter(outs), {k: g for k, g in enumerate(came) if g is not None}
        result = map_tensors(out, lambda t: wrap(np.asarray(next(floats)) if is_float(t) else t.array))
        one = isinstance(result, Tensor)
        try:
            returned = call_bprop(self.cell, args, result if one else Bundle(result, -1), gs[0] if one else Parts(gs))
            return [d for _, d in check_result(self.cell, args, returned)]
        except Exception as error:
            raise Harm(f'called again, bprop raises {type(error).__name__}') from None


def another(wide: Arrays, outs: Arrays) -> bool:
    """Whether what is called in Float64 is another function, as one is that reads the bits of its numbers."""
    return any(
        largest(np.nan_to_num(a - b, posinf=0, neginf=0)) > largest(b) / 8 for a, b in zip(wide, outs, strict=True)
    )


def by_signature(cell: Any) -> Callable:
    """construct with all its arguments by position, as a Tape and a bprop have them."""
    parameters = inspect.signature(cell.construct).parameters.values()
    named = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY]
    if any(p.kind is p.VAR_KEYWORD for p in parameters):
        raise Harm('construct takes **keywords, whose names a bprop does not get')

    def construct(*given: Any) -> Any:
        first = len(given) - len(named)
        return cell.construct(*given[:first], **dict(zip(named, given[first:], strict=True)))

    return construct if named else cell.construct
