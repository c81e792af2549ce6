"""Is this bprop right? It is tried at one point in several ways, and the judge says what is true of each gradient.

Each trial calls the Cell under a Tape, and asks for the gradients for one dout. What the takeover hid is read back by
the rules; then construct is called again, and differences are taken. Everything that the Cell can reach is as it was
before each trial, and afterwards.
"""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from .core import tape
from .core.cell import bound
from .core.differentiate import differentiate, name_of
from .core.errors import GradArgumentError, MinicellError, NotATensorError, ThreadError, users_line
from .core.tensor import Tensor, is_float, map_tensors, tensors_in, wrap
from .core.watch import Tape, aside
from .judge import decide, mistakes, takeover
from .judge.takeover import Takeover
from .judge.verdict import Verdict
from .replay.again import Again
from .replay.harmless import Harm, Kept, untouched
from .story.events import Walk
from .story.tensors import is_parameter

RANK = ('not asked', 'unknown', 'right', 'kink', 'surrogate', 'wrong')  # the last that a trial found is said
ROWS = 3  # of a batch, where there was one
TIMES = 8  # how often a bprop is asked the same


class CheckResult:
    """What `check_bprop` found: `.ok`, `.rows` (a Verdict for each input and Parameter), `.notes`; prints as text."""

    def __init__(self, name: str, rows: list[Verdict], notes: list[str], error: Exception | None = None) -> None:
        self.name, self.rows, self.notes, self.error = name, rows, notes, error
        self.ok = error is None and all(row.ok for row in rows if row.asked) and not any(map(lost, notes))

    def __bool__(self) -> bool:
        return self.ok

    def __repr__(self) -> str:
        if self.error is not None:
            return f'✗ {self.name}: {self.error}'
        found = {row.verdict for row in self.rows}
        said = 'is not the true gradient' if 'wrong' in found or any(map(lost, self.notes)) else ''
        said = said or ('agrees with the true gradient' if self.ok else 'cannot be judged' * ('unknown' in found))
        sign = '✓' if self.ok else '✗' if said.startswith('is not') else '○'
        lines = [f'{sign} {self.name} {said or "is a surrogate"}.']
        return '\n'.join(lines + [f'  {row}' for row in self.rows] + [f'  {note}' for note in self.notes])

    def _repr_html_(self) -> str:
        from html import escape  # a millisecond and a half, for those who are in a notebook

        return f'<pre style="color:#1A1A1A;background:#FFFFFF;padding:8px">{escape(repr(self))}</pre>'


def lost(note: str) -> bool:
    """Whether a note says that a part of the gradient is lost."""
    return note.startswith('It ')


def check_bprop(
    cell: Callable, *inputs: object, sens: object = None, wrt: object = None, order: int = 1, **keywords: object
) -> CheckResult:
    """Compare a Cell's bprop with what is true of its construct: by the rules, and by differences.

    inputs, keywords: as for cell(...). sens: the cotangent to try it with, in the structure of the output; random
    numbers (always the same) where None, because ones hide mistakes. wrt: which inputs count, by their names or places,
    and which Parameters; all that are floats where None. order 2: the derivative of the bprop itself is tried, too.

    It is tried in Float64 and in the dtype of the inputs, with several douts, twice in the same point, after another
    call, and where the first axis of an input has one row, with three. A malformed bprop is a verdict, too. Of a
    function, or a Cell without a bprop, the gradient by autodiff is compared.

    Raises TypeError without a float Tensor among the inputs, ValueError for an unknown wrt or order, and what the Cell
    itself raises.

    >>> import minicell as ms
    >>> class Square(ms.nn.Cell):
    ...     def construct(self, x):
    ...         return x * x
    ...     def bprop(self, x, out, dout):
    ...         return (2 * x,)
    >>> print(ms.check_bprop(Square(), ms.Tensor([1.0, 3.0])))
    ✗ Square.bprop is not the true gradient.
    ...
    """
    if order not in (1, 2):
        raise GradArgumentError(f'order is 1 or 2, but got {order!r}.{users_line()}')
    if not any(map(is_float, (*tensors_in((inputs, keywords)), *(getattr(cell, 'internal_params', None) or ())))):
        raise NotATensorError(f'check_bprop needs a float Tensor among the inputs of {name_of(cell)}.{users_line()}')
    outside = range(0)  # the addresses of what is differentiated around us
    if tape.in_own_thread():
        outside = range(tape.recorded_from, tape.first_address + len(tape.entries))
    with aside():
        check = Check(cell, inputs, keywords, sens)
        try:
            check.first()
        except ThreadError:
            raise  # it says nothing about the Cell
        except MinicellError as error:
            return CheckResult(check.name, [], [], error)
        check.ask(wrt)
        check.others()
        rows = check.rows()
        if order == 2:
            rows = check.second(rows)
    return CheckResult(check.name, rows, [*check.loses(outside, wrt), check.tried()])


class Check:
    """The trials of one Cell, or of one function, at one point."""

    def __init__(self, cell: Any, inputs: tuple, keywords: dict, sens: object, of: 'Check | None' = None) -> None:
        self.cell, self.given, self.sens = cell, (inputs, keywords), sens
        self.called = [f'x{k}' for k, _ in enumerate(tensors_in(self.given))]
        self.custom = getattr(cell, 'bprop', None) is not None
        self.name = f'{type(cell).__name__}.bprop' if self.custom else f'autodiff of {name_of(cell)}'
        self.tensors = tensors_in(self.given)
        self.params = list(getattr(cell, 'internal_params', None) or ())
        self.trials: dict[str, Takeover] = {}
        self.left_out: list[str] = []
        self.kept, self.harm = None, ''
        try:
            self.kept = of.kept if of else Kept(cell, getattr(cell, 'construct', cell), self.given)
        except Harm as harm:
            self.once(harm)

    def once(self, harm: Harm) -> None:
        """It cannot be called again."""
        self.kept, self.harm = None, str(harm)
        self.left_out.append(f'to call it again, because {harm}')

    def places(self) -> dict[int, int]:
        """Where each Tensor stands among those that a bprop answers for: in the order of construct's arguments."""
        fresh = self.fresh(False)
        given = iter(fresh)
        inputs, keywords = map_tensors(self.given, lambda t: next(given))
        ordered = tensors_in(bound(self.cell, inputs, keywords)) if self.custom else fresh
        return {k: next(n for n, o in enumerate(ordered) if o is t) for k, t in enumerate(fresh)}

    def call(self, *tensors: Tensor) -> object:
        """The Cell, or the function, on other Tensors."""
        given = iter(tensors)
        inputs, keywords = map_tensors(self.given, lambda t: next(given))
        return self.cell(*inputs, **keywords)

    @contextlib.contextmanager
    def state(self, wide: bool = False) -> Iterator[None]:
        """The state that the Cell was in when the check began; wide: in Float64."""
        with untouched(self.kept) if self.kept is not None else contextlib.nullcontext():
            if wide:
                self.kept.widen()
            yield

    def fresh(self, wide: bool) -> list[Tensor]:
        """The inputs in new Tensors."""
        return [wrap(np.array(t.array, np.float64 if wide and is_float(t) else None)) for t in self.tensors]

    # ---- trials ----

    def first(self) -> None:
        """With the inputs as they are. What the Cell itself raises leaves; what is wrong with its bprop's form, too."""
        try:
            with self.state():
                outs = [t for t in tensors_in(self.call(*self.fresh(False))) if is_float(t)]
        except Harm as harm:
            self.once(harm)
            outs = [t for t in tensors_in(self.call(*self.fresh(False))) if is_float(t)]
        rng = np.random.default_rng(0)
        if self.sens is None:
            self.douts = [rng.standard_normal(t.shape) for t in outs]
        else:
            self.douts = [np.asarray(s.array, np.float64) for s in tensors_in(self.sens) if is_float(s)]
        self.trials['as it is'] = self.trial(self.fresh(False), self.douts)

    def others(self) -> None:
        """All other trials: what cannot be tried is left out, and said."""
        if self.kept is None:
            return
        wide = any(t.array.dtype != np.float64 for t in self.tensors if is_float(t))
        if wide:
            wide = self.attempt('in Float64', self.fresh(True), self.douts, wide=True)
        main = self.trials['in Float64' if wide else 'as it is']
        main.thorough = True
        rng, one = np.random.default_rng(1), [np.zeros(d.shape) for d in self.douts]
        for d in one:
            if d.size:
                d.flat[rng.integers(d.size)] = 1.0
        self.attempt('with −1000 times the dout', self.fresh(wide), [-1000.0 * d for d in self.douts], wide)
        self.attempt('with a dout with a single 1', self.fresh(wide), one, wide)
        for some in self.batches():
            several = self.fresh(wide)
            for k in some:
                t = several[k].array
                more = t + rng.standard_normal((ROWS - 1, *t.shape[1:])).astype(t.dtype)
                several[k] = wrap(np.concatenate([t, more]))
            if self.attempt('with three rows', several, None, wide):
                break

    def batches(self) -> list[list[int]]:
        """Which inputs may have more rows: the first of those with a single one, or all of them."""
        one = [k for k, t in enumerate(self.tensors) if is_float(t) and t.ndim > 1 and t.shape[0] == 1]
        return [one[:1], one][: len(one)] if self.sens is None else []

    def attempt(self, label: str, tensors: list[Tensor], douts: list | None, wide: bool) -> bool:
        """A trial that may be impossible; whether it was not."""
        try:
            self.trials[label] = self.trial(tensors, douts, wide)
        except Exception as error:
            self.left_out.append(f'{label} ({type(error).__name__})')
        return label in self.trials

    def trial(self, tensors: list[Tensor], douts: list | None, wide: bool = False) -> Takeover:
        """The takeover of one call, with these cotangents."""
        places = tuple(k for k, t in enumerate(tensors) if is_float(t))
        with self.state(wide):
            if douts is None:
                outs = [t for t in tensors_in(self.call(*map(wrap, [t.array for t in tensors]))) if is_float(t)]
                douts = [np.random.default_rng(2).standard_normal(t.shape) for t in outs]
            out = self.call(*map(wrap, [np.array(t.array) for t in tensors]))
            floats = [t for t in tensors_in(out) if is_float(t)]
            sens = tuple(wrap(d.astype(t.array.dtype)) for d, t in zip(douts, floats, strict=True))
        with self.state(wide), Tape() as seen:
            _, found, _ = differentiate(self.call, tuple(tensors), {}, places, tuple(self.params), sens)
            if self.custom:
                walk = Walk(seen)
                for _ in walk:
                    pass
                turns = [t for r in walk.readings for t in r.turns if getattr(t.event.entry, 'cell', None) is self.cell]
                if not turns:
                    raise MinicellError('bprop was never called: no output is a float Tensor.')
                ask = partial(self.again, turns[-1].event.entry.inputs)
                return takeover(seen, turns[-1], ask).settled()
            yours = iter([g.array for g in found])
            return Takeover(
                name_of(self.cell), self.called, [np.array(t.array) for t in tensors],
                [next(yours) if k in places else None for k, _ in enumerate(tensors)], [s.array for s in sens],
                [k in places for k, _ in enumerate(tensors)], out, None,
                partial(self.again, tuple(tensors), self.call),
            )  # fmt: skip

    def again(self, inputs: tuple, construct: Callable | None = None) -> Again:
        """What calls it again. Raises Harm where it must not."""
        if self.kept is None:
            raise Harm(self.harm)
        return Again(self.cell, inputs, construct, self.kept)

    # ---- verdicts ----

    def ask(self, wrt: object) -> None:
        """Which inputs and Parameters count. Raises ValueError for one that is not there."""
        first = self.trials['as it is']
        every = [None] * (len(first.names) - len(self.params)) + self.params
        pairs = zip(first.inputs, every, strict=True)
        self.wanted = [is_number(x) and (p is None or p.requires_grad) for x, p in pairs]
        if wrt is None:
            return
        self.wanted = [False] * len(every)
        for each in wrt if isinstance(wrt, tuple | list) else (wrt,):
            found = [
                k for k, (name, p) in enumerate(zip(first.names, every, strict=True))
                if (p is each if isinstance(each, Tensor) else each in (k, name, name.partition('[')[0]))
            ]  # fmt: skip
            if not found:
                raise GradArgumentError(
                    f'wrt names no input of {self.name.removesuffix(".bprop")}: {each!r}. It has '
                    f'{", ".join(map(str, first.names))}.{users_line()}'
                )
            for k in found:
                self.wanted[k] = is_number(first.inputs[k])

    def asked_again(self) -> dict[str, list]:
        """What bprop returns when it is asked the same again: at once, a few times; and after another call."""
        main, found = self.trials['as it is'], {'again': [], 'after': []}
        if self.kept is None or not self.custom:
            return found
        outs = [t.array for t in tensors_in(main.out) if is_float(t)]
        for what in found:
            with self.state(), contextlib.suppress(Exception):
                self.call(*self.fresh(False))
                if what == 'after':
                    with contextlib.suppress(Exception):  # what construct refuses, it does not keep
                        self.call(*map(less, self.fresh(False)))
                for _ in range(TIMES if what == 'again' else 1):
                    found[what].append(main.again.returned(main.inputs, main.out, outs, main.came))
        return found

    def rows(self) -> list[Verdict]:
        """The verdict on each input, from all trials: the first that is wrong, else what is known best."""
        main, repeated, plain = self.trials['as it is'], self.asked_again(), [*self.trials.values()]
        for what, answers in repeated.items():
            for k, yours in enumerate(answers):
                if any(not np.array_equal(a, b, equal_nan=True) for a, b in zip(yours, main.yours, strict=True)
                       if a is not None and b is not None):  # fmt: skip
                    self.trials[f'{what}, {k}'] = replace(main, yours=yours)
        told = []
        for trial in self.trials.values():
            trial.asked = self.wanted
            told.append(decide.verdicts(trial))
        rows = []
        for place in range(len(self.wanted)):
            found = [verdicts[place] for verdicts in told]
            best = max(found, key=lambda v: RANK.index(v.verdict))
            if best.ok and any(v.by == 'rules and differences' for v in found):
                best = best._replace(by='rules and differences')
            rows.append(best)
        return mistakes.named(rows, plain, repeated)

    def second(self, rows: list[Verdict]) -> list[Verdict]:
        """The rows with what is true of the bprop's own derivative, where the first order is right."""
        if not all(row.ok for row in rows if row.asked):
            self.left_out.append('the second order, because the first is not right')
            return rows
        places = tuple(k for k, t in enumerate(self.tensors) if is_float(t))

        def slopes(*tensors: Tensor) -> tuple:
            kind = np.result_type(*[t.array for t in tensors if is_float(t)])
            sens = tuple(wrap(g.astype(kind)) for g in self.trials['as it is'].came)
            return tuple(differentiate(self.call, tensors, {}, places, tuple(self.params), sens)[1])

        order = self.places()
        inner = Check(slopes, tuple(self.tensors), {}, None, of=self)
        inner.called = [rows[order[k]].name for k, _ in enumerate(self.tensors)]
        try:
            inner.first()
        except MinicellError as error:
            self.left_out.append(f'the second order ({type(error).__name__})')
            return rows
        inner.ask(None)
        inner.others()
        for row in inner.rows():
            first = rows[order[row.place]]
            if first.asked and RANK.index(row.verdict) > RANK.index(first.verdict):
                why = f'The first order is right, the second is not: {row.why}'
                rows[order[row.place]] = row._replace(cell=first.cell, name=first.name, place=first.place, why=why)
            elif first.asked and row.verdict == 'unknown':
                self.left_out.append(f'the second order of {first.name}: {row.why}')
        self.trials |= {f'{label}, at second order': trial for label, trial in inner.trials.items()}
        return rows

    # ---- notes ----

    def loses(self, outside: range, wrt: object) -> list[str]:
        """What construct uses of which the gradient is lost: what is none of its inputs, and no bprop answers for."""
        program = self.trials['as it is'].program
        used = [t for op in program.ops for t in op.inputs] if program is not None and self.custom else []
        notes = [
            f'It uses a Tensor of shape {t.shape} that is being differentiated and is none of its inputs, so that its '
            f'part of the gradient is lost. Make it an input, and return its gradient too.'
            for t in used[:] if t.at in outside
        ][:1]  # fmt: skip
        own = {id(p) for p in self.params}
        swallowed = dict.fromkeys(t.name for t in used if is_parameter(t) and t.requires_grad and id(t) not in own)
        return notes + [
            f'It swallows the Parameter {name}: construct uses {name}, and internal_params does not name it, so that '
            f'its gradient is lost.'
            for name in swallowed if wrt is None
        ]  # fmt: skip

    def tried(self) -> str:
        """What was tried, and what was not, in a line."""
        labels = [label for label in self.trials if not label.startswith(('again', 'after'))]
        asked = '; bprop asked the same again, and after another call' * bool(self.kept is not None and self.custom)
        left = f'. Not tried: {"; ".join(self.left_out)}' if self.left_out else ''
        return f'Tried {", ".join(labels)}{asked}{left}.'


def less(t: Tensor) -> Tensor:
    """Other numbers, of the same signs."""
    return wrap(t.array * t.array.dtype.type(0.625)) if is_float(t) else t


def is_number(x: np.ndarray) -> bool:
    """Whether numbers can have a gradient."""
    return x.dtype.kind == 'f'
