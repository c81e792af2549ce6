"""Mark the inputs, play the function, read the tape back.

Nested gradients share one tape. The outermost reads arrays and keeps nothing; an inner one computes with Tensors, so
that all it does while reading back is recorded, and the outer one reads over that as over everything else. Gradients go
by position: each marked argument enters the function as a Tensor of its own, so that one object given twice is two
inputs.
"""

import gc
import sys
from collections.abc import Callable
from itertools import repeat
from math import isfinite
from sys import getrefcount

import numpy as np

from ..ops import hooks
from ..ops.create import ones_like, zeros_like
from ..traps import bypassed, kept, swallowed, unconnected, written
from ..traps.written import check_unwritten
from . import tape
from .errors import (
    HOME,
    BypassWarning,
    ImplicitSumWarning,
    NoPathWarning,
    NotANumberWarning,
    SensError,
    caller,
    place,
    plural,
    users_line,
    warn_user,
)
from .rules import leaf
from .tape import BACK, BEGIN, END, FAIL, GIVE, OFF, PULL, note
from .tensor import Tensor, is_float, tensors_in, wrap
from .where import Where

NOTHING = (leaf, None, None, None, None, 0)  # the entry of a leaf that is never read


def name_of(function: Callable) -> str:
    """How a sentence calls a function or a Cell."""
    return getattr(function, '__name__', None) or type(function).__name__


def differentiate(
    function: Callable, inputs: tuple, named: dict, positions: tuple, weights: tuple = (), sens=None, aux=False
) -> tuple[object, list[Tensor], list[Tensor]]:
    """What function(*inputs) returns, its gradients for the inputs at these positions, and for these weights.

    sens: the cotangents of its outputs (ones where None); aux: only the first output is differentiated.
    """
    own = tape.start == OFF and not tape.looking  # nobody else needs this tape: it may shrink while it is read
    paused = tape.start == OFF and gc.isenabled()
    if paused:
        gc.disable()  # the tape makes no cycles, and the collector would walk all of it again and again
    tape.deeper(1)
    try:
        played = Played(function, inputs, named, positions, weights, aux)
        return (played.result, *played.read(sens, own))
    finally:
        tape.deeper(-1)
        if paused:
            gc.enable()


class Played:
    """A function played once with its inputs marked: what it returned, and the stretch of tape to read back."""

    def __init__(
        self, function: Callable, inputs: tuple, named: dict, positions: tuple, weights: tuple, aux: bool = False
    ) -> None:
        owner = getattr(function, '__self__', None)
        bypass = getattr(owner, 'bprop', None) is not None and function.__name__ == 'construct'
        if bypass and owner not in bypassed.in_bprop():
            name = type(owner).__name__
            warn_user(
                f'{name}.construct is differentiated directly, and that goes past {name}.bprop: autodiff computes the '
                f'gradient. Give the Cell itself for its own.',
                BypassWarning,
            )
        was, newly, before_arguments = tape.state(), set(), hooks.arguments
        self.function = function
        self.flat = tape.start == OFF or tape.hiding  # nobody differentiates this gradient again: arrays will do
        self.taint = tape.hiding and (tape.hiding, tape.hidden_from)
        self.weights = tuple(weights)
        self.marked = list({id(w): w for w in self.weights if w.requires_grad}.values())
        self.sources = [*(inputs[k] for k in positions), *self.marked]
        before = [w.at for w in self.marked]
        self.depends = any(t.at >= tape.hidden_from for t in tensors_in(inputs)) if self.taint else False
        # a slope may be straight: its own slope is 0, and no op leads there; a replay has warned when it was traced
        self.quiet = getattr(function, 'is_gradient', False) or getattr(function, 'replayed', False)
        self.positions, self.places_asked = len(positions), positions
        self.leaves: list[Tensor] = []
        self.overwritten: dict = {}
        if tape.start == OFF and not tape.looking:
            tape.own_list()
        try:
            arguments = self._mark(function, inputs, positions, before)
            if tape.looking:
                note(BEGIN, function, (tuple(self.leaves), tuple(self.sources)), tape.depth, caller())
            if self.flat:
                tape.record_from(self.mark)
            newly = {id(w) for w in self.marked} - swallowed.weights
            swallowed.weights.update(newly)
            taken = unconnected.inner
            if 0 < len(positions) < len(inputs):
                hooks.arguments = before_arguments.union(map(id, tensors_in(inputs)))
            self.result = function(*arguments, **named)
            self.quiet = self.quiet or unconnected.inner > taken
            self.outputs = tensors_in(self.result[0] if aux else self.result)
            for t in self.outputs:
                if kept.address(t) >= OFF and not self.taint:
                    kept.escaped('the output of a differentiated function', t.at, caller())
            self.list = tape.state()[:3]
            self.entries, self.base = tape.entries, self.mark - tape.first
            self.end = len(self.entries)
            names = getattr(getattr(function, '__code__', None), 'co_names', ())
            if (bypassed.calls_construct or 'construct' in names) and not bypass:
                self._say_bypassed()
        finally:
            tape.restore(was)
            swallowed.weights -= newly
            hooks.arguments = before_arguments
            self.places = [w.at for w in self.marked]
            for w, at in zip(self.marked, before, strict=True):
                w.at = at

    def keep(self, write: tuple) -> None:
        """For a gradient that is read later: memory is about to be overwritten."""
        _, root, *how = write
        self.overwritten[id(root)] = (self.mark + self.end - self.base, root, *how)

    def _mark(self, function: Callable, inputs: tuple, positions: tuple, before: list[int]) -> list:
        """Each input that is to be differentiated enters as a leaf of the tape."""
        arguments = list(inputs)
        for k in positions:
            if kept.address(inputs[k]) >= OFF and not self.flat:
                kept.escaped(name_of(function), inputs[k].at, caller())
            unconnected.inner += inputs[k].at >= tape.start
            arguments[k] = wrap(inputs[k].array, tape.tick())
            self.leaves.append(arguments[k])
            tape.record((leaf, inputs[k], None, arguments[k], None, 0))
        alone = tape.start == OFF and not tape.looking  # then nobody reads on behind this gradient's leaves
        for w, at in zip(self.marked, before, strict=True):
            unconnected.inner += at >= tape.start
            w.at = tape.tick()
            self.leaves.append(w)
            tape.record(NOTHING if alone else (leaf, wrap(w.array, at), None, w, None, 0))
        if not self.leaves:  # only weights with requires_grad=False: there is still a place to read back to
            self.mark = tape.tick()
            tape.record(NOTHING)
        else:
            self.mark = self.leaves[0].at
        return arguments

    def read(self, sens: object = None, last: bool = False) -> tuple[list[Tensor], list[Tensor]]:
        """The gradients of the inputs and of the weights; `last`: the tape is not needed any more."""
        was, before = tape.state(), [w.at for w in self.marked]
        for w, at in zip(self.marked, self.places, strict=True):
            w.at = at
        if self.overwritten:
            written.written.update(self.overwritten)
        watch, absent = BadNumbers(), unconnected.absent
        try:
            if self.flat:
                if not tape.looking:  # a write in a bprop is to be dated by this list, as those going forward are
                    tape.restore((*self.list, *was[3:]))
                tape.record_from(OFF)
            seeds = self._seeds(sens)
            if tape.looking:
                note(BACK, tuple(seeds), (self.outputs, sens), None, None)
            cts = [None] * (self.end - self.base)
            for t, g in seeds:
                c = cts[t.at - self.mark]
                cts[t.at - self.mark] = g if c is None else c + g
            with np.errstate(divide='call', invalid='call', over='ignore', call=watch):
                if last:
                    _read_once(self.entries, cts, self.mark, len(self.leaves))
                else:
                    _read(self.entries[self.base : self.end], cts, self.mark, len(self.leaves), self.flat)
                gradients = hooks.of_leaves(_finished(cts, self.leaves, self.flat), self.leaves, self.sources)
                finite = _all_finite(gradients)
            if not self.quiet and unconnected.absent == absent:
                self._say_unconnected(cts)
            if not finite:
                watch.say()
            if tape.looking:
                note(END, tuple(gradients), None, None, None)
        finally:
            tape.restore(was)
            if tape.start != OFF:
                tape.align()  # a bprop that asked for a gradient had another list
            for w, at in zip(self.marked, before, strict=True):
                w.at = at
        if self.taint and (self.depends or any(at >= self.taint[1] for at in before)):
            for t in gradients:
                t.at = self.taint[0]  # born in a hidden stretch, as everything else there
        of_inputs, of_marked = gradients[: self.positions], gradients[self.positions :]
        if len(self.marked) == len(self.weights):
            return of_inputs, of_marked
        by_weight = dict(zip(map(id, self.marked), of_marked, strict=True))
        return of_inputs, [by_weight[id(w)] if id(w) in by_weight else zeros_like(w) for w in self.weights]

    def _say_bypassed(self) -> None:
        """An op that stands in the construct of a Cell with its own bprop, and is recorded: nobody called the Cell."""
        running = {type(cell).__name__ for cell in bypassed.in_bprop()}
        said = set(running)
        for entry in self.entries[self.base : self.end]:
            name, _ = bypassed.constructs.get(id(entry[4]), ('', None))
            if name and name not in said and self.mark <= getattr(entry[3], 'at', -1) < OFF:
                said.add(name)
                warn_user(
                    f'{name}.construct is called directly, and that goes past {name}.bprop: autodiff computes the '
                    f'gradient. Call the Cell itself, net(x), for its own.',
                    BypassWarning,
                )

    def _say_unconnected(self, cts: list) -> None:
        """A zero that was never computed is worth a word."""
        for k, (g, t) in enumerate(zip(cts, self.leaves, strict=False)):
            if g is None and t.array.size:
                what = f'argument {self.places_asked[k]}' if k < self.positions else f'the Parameter {t.name}'
                warn_user(
                    f'The gradient of {name_of(self.function)} for {what} is 0 because nothing connects them: no '
                    f'recorded op leads from it to the output. (A computed zero is not reported.)',
                    NoPathWarning,
                )

    def _seeds(self, sens: object) -> list[tuple]:
        """Each output that depends on a marked input, with the cotangent that it starts from."""
        outs = [t for t in self.outputs if is_float(t)]
        if sens is None:
            if len(outs) > 1 and not getattr(self.function, 'replayed', False):
                warn_user(
                    f'{name_of(self.function)} has {len(outs)} float outputs, and ones were used as the cotangent of '
                    f'each: what you get is the gradient of their sum. Return or pick the one you mean, or give sens.',
                    ImplicitSumWarning,
                )
            given = [_ones(t.array) if self.flat else ones_like(t) for t in outs]
        else:
            given = tensors_in(sens)
            if len(given) == len(self.outputs):  # mirrors the output, with something for what is no float
                given = [s for s, t in zip(given, self.outputs, strict=True) if is_float(t)]
            given = _fitting(given, outs)
            given = [s.array.copy() for s in given] if self.flat else given  # a rule may hand on what it is given
        return [(t, g) for t, g in zip(outs, given, strict=True) if self.mark <= t.at < OFF]


class BadNumbers:
    """NumPy calls this at a division by zero or an invalid operation; it looks up which entry was being read."""

    def __init__(self) -> None:
        self.seen: tuple | None = None
        self.where: Where | None = None  # inside a bprop: the line that did it

    def __call__(self, kind: str, flag: int) -> None:
        frame = sys._getframe(1)
        where = None
        while frame is not None and frame.f_code not in _READERS:
            if where is None and not frame.f_code.co_filename.startswith(HOME):
                where = Where(frame.f_code, frame.f_lasti)
            frame = frame.f_back
        if frame is not None and self.seen is None:
            at = frame.f_locals
            self.seen, self.where = (kind, tuple(map(at.get, ('rule', 'y', 'code', 'lasti')))), where

    def say(self) -> None:
        """A warning: something of it arrived in a gradient."""
        if self.seen is None:
            cells = ', '.join(sorted(kind.__name__ for kind in kept.taken))
            warn_user(
                'A gradient holds NaN or infinity. No division by zero or other invalid operation on the way back made '
                'it: it came with a number, an input, a value computed forward, sens'
                + (f', or what the bprop of {cells} returned.' if cells else '.'),
                NotANumberWarning,
            )
            return
        kind, (rule, y, code, lasti) = self.seen
        where = self.where or (Where(code, lasti) if code else None)
        line = f' ({place(where.file, where.line)}: {where.text})' if where and not where.ours else ''
        who = f'{type(y).__name__}.bprop' if rule.name == 'Takeover' else f'the backward of {rule.name}'
        warn_user(
            f'A gradient holds NaN or infinity. It was first made by {who}{line}, by '
            f'{kind.replace("value", "operation")}. '
            f'If a select was to keep that away: backward multiplies by 0 there, and 0 times infinity is NaN. Put the '
            f'select before the op, so that the op never sees the bad value.',
            NotANumberWarning,
        )


def _ones(like: np.ndarray) -> np.ndarray:
    # for a single number a scalar will do, which nobody can write into
    return np.ones(like.shape, like.dtype) if like.ndim else like.dtype.type(1)


def _all_finite(tensors: list[Tensor]) -> bool:
    """Whether no number is NaN or infinite."""
    for t in tensors:
        row = t.array.ravel()
        # the dot product is fast, and finite but for the largest numbers
        if not isfinite(abs(row.dot(row))) and not np.isfinite(row).all():
            return False
    return True


def _fitting(given: list[Tensor], outs: list[Tensor]) -> list[Tensor]:
    """The cotangents, if there is one for each float output, of its shape and dtype."""
    if len(given) != len(outs):
        raise SensError(
            f'sens has {plural(len(given), "Tensor")}, but there are {plural(len(outs), "float output")}.{users_line()}'
        )
    for t, s in zip(outs, given, strict=True):
        if s.shape != t.shape or s.array.dtype != t.array.dtype:
            raise SensError(
                f'sens is {s.dtype} {s.shape}, but the output it belongs to is {t.dtype} {t.shape}: '
                f'they must be the same.{users_line()}'
            )
    return given


def _read_once(entries: list, cts: list, mark: int, leaves: int) -> None:
    """Read back on arrays, and let go of each entry as soon as it is passed. What is left of cts is the leaves'."""
    writes, pop, take = written.written, entries.pop, cts.pop
    for _ in repeat(None, len(cts) - leaves):  # a range would make an int for each
        rule, x, y, out, code, lasti = pop()
        g = take()
        if g is not None:
            if writes:
                check_unwritten((rule, x, y, out, code, lasti), mark + len(cts))
            rule.pull(g, cts, mark, x, y, out)


def _read(pending: list, cts: list, mark: int, leaves: int, flat: bool) -> None:
    """Read back where someone differentiates what is computed here, or looks, or will read again."""
    for k in range(len(pending) - 1, leaves - 1, -1):
        g = cts[k]
        if g is None:
            continue
        entry = pending[k]
        rule, x, y, out, code, lasti = entry  # noqa: RUF059 (BadNumbers looks here)
        if not tape.looking:
            if written.written:
                check_unwritten(entry, mark + k)
            (rule.pull if flat else rule.trace)(g, cts, mark, x, y, out)
            continue
        note(PULL, entry, g, None, None)
        try:
            if written.written:
                check_unwritten(entry, mark + k)
            gave = tuple(rule.vjp(g, mark, x, y, out))
        except Exception as error:
            note(FAIL, rule, error, entry, None)
            raise
        note(GIVE, entry, gave, None, None)
        for t, d in gave:
            i = t.at - mark
            if d is not None and i >= 0:
                c = cts[i]
                cts[i] = d if c is None else c + d


def _finished(cotangents: list, leaves: list, flat: bool) -> list[Tensor]:
    """Cotangents as Tensors of their own memory; zeros where none arrived."""
    if not flat:
        return [zeros_like(t) if g is None else g for g, t in zip(cotangents, leaves, strict=False)]
    found = []
    for k, t in enumerate(leaves):
        alone = getrefcount(cotangents[k]) == ALONE
        g = np.zeros_like(t.array) if cotangents[k] is None else cotangents[k]
        # a rule may hand on what it was given, a bprop what it keeps: writing into one must not change the other
        found.append(wrap(g if alone and g.base is None else g.copy()))
    return found


_held = [object()]
ALONE = getrefcount(_held[0])  # what is counted where only a list holds something


_READERS = {_read.__code__, _read_once.__code__}
