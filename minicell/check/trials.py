"""The trials of one Cell at one point: what its bprop returns in several ways of asking, and what is due each time."""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ..core.bprop_result import cotangents
from ..core.cell import bound
from ..core.differentiate import differentiate, name_of
from ..core.errors import GradArgumentError, MinicellError, users_line
from ..core.grad import is_parameter, read_again, run_once
from ..core.tensor import Tensor, is_float, map_tensors, tensors_in, wrap
from ..core.watch import Tape
from ..errors import ThreadError
from ..judge import decide, mistakes, takeover
from ..judge.takeover import Takeover
from ..judge.verdict import Verdict
from ..ops.create import STOP
from ..replay.again import Again, another
from ..replay.harmless import Harm, Kept, untouched
from ..story.events import Walk

RANK = ('not asked', 'unknown', 'right', 'kink', 'surrogate', 'wrong')  # the last that a trial found is said
FIRST, WIDE, AGAIN = 'as it is', 'in Float64', ('again', 'after', 'second')  # labels of trials
ROWS = 3  # of a batch, where there was one
TIMES = 16  # how often a bprop is asked the same


class Malformed(Exception):
    """What a bprop returned is no gradient at all."""

    def __init__(self, error: Exception) -> None:
        self.error = error


class Trials:
    """The trials of one Cell, or of one function, at one point."""

    def __init__(self, cell: Any, inputs: tuple, keywords: dict, sens: object, of: 'Trials | None' = None) -> None:
        self.cell, self.given, self.sens = cell, (inputs, keywords), sens
        self.called = [f'x{k}' for k, _ in enumerate(tensors_in(self.given))]
        self.custom = getattr(cell, 'bprop', None) is not None
        self.name = f'{type(cell).__name__}.bprop' if self.custom else f'autodiff of {name_of(cell)}'
        self.tensors = tensors_in(self.given)
        self.params = list(getattr(cell, 'internal_params', None) or ())
        self.trials: dict[str, Takeover] = {}
        self.douts: list[np.ndarray] = []
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
        """With the inputs as they are. Whatever the Cell itself raises leaves. Raises Malformed."""
        try:
            self.trials[FIRST] = self.trial(self.fresh(False))
        except Harm as harm:
            self.once(harm)
            self.trials[FIRST] = self.trial(self.fresh(False))

    def others(self) -> None:
        """All other trials: what cannot be tried is left out, and said."""
        if self.kept is None:
            return
        wide = any(t.array.dtype != np.float64 for t in self.tensors if is_float(t))
        wide = wide and self.attempt(WIDE, self.fresh(True), self.douts, wide=True)
        if wide and another(*(self.trials[label].outs for label in (WIDE, FIRST))):
            del self.trials[WIDE]
            self.left_out.append('in Float64, where construct is another function')
            wide = False
        self.main.thorough = True
        rng, one = np.random.default_rng(1), [np.zeros(d.shape) for d in self.douts]
        for d in one:
            if d.size:
                d.flat[rng.integers(d.size)] = 1.0
        self.attempt('−1000 times it', self.fresh(wide), [-1000.0 * d for d in self.douts], wide)
        with contextlib.suppress(MinicellError):  # an op without a rule
            known = [*(self.main.due if self.main.program is not None else ()), *self.main.yours]
            if not all(np.isfinite(d).all() for d in known if d is not None):
                one = []  # 0 times infinity is nothing to be judged by
        if one:
            self.attempt('a single 1', self.fresh(wide), one, wide)
        self.batch(rng, wide)

    @property
    def main(self) -> Takeover:
        """The trial that counts most: in Float64, where that is possible."""
        return self.trials.get(WIDE) or self.trials[FIRST]

    def batch(self, rng: np.random.Generator, wide: bool) -> None:
        """With three rows where the first input has one: of that input, or else of all that have one."""
        one = [k for k, t in enumerate(self.tensors) if is_float(t) and t.ndim > 1 and t.shape[0] == 1]
        first = next((k for k, t in enumerate(self.tensors) if is_float(t)), None)
        if self.sens is not None or first not in one:
            return
        for some in ([first], one):
            several = self.fresh(wide)
            for k in some:
                t = several[k].array
                more = t + rng.standard_normal((ROWS - 1, *t.shape[1:])).astype(t.dtype)
                several[k] = wrap(np.concatenate([t, more]))
            said = 'three rows'
            if self.attempt(said, several, None, wide, said=some is one):
                break

    def attempt(self, label: str, tensors: list[Tensor], douts: list | None, wide: bool, said: bool = True) -> bool:
        """A trial that may be impossible; whether it was not."""
        try:
            self.trials[label] = self.trial(tensors, douts, wide)
        except Exception as error:
            why = type(getattr(error, 'error', error)).__name__
            self.left_out += [f'{label} ({why})'] * said
        return label in self.trials

    def trial(self, tensors: list[Tensor], douts: list | None = None, wide: bool = False) -> Takeover:
        """The takeover of one call, with these cotangents, or random ones."""
        places = [k for k, t in enumerate(tensors) if is_float(t)]

        def function(*floats: Tensor) -> object:
            given = dict(zip(places, floats, strict=True))
            return self.call(*[given.get(k, t) for k, t in enumerate(tensors)])

        with self.state(wide), Tape() as seen:
            gradient = run_once(function, tuple(tensors[k] for k in places), tuple(self.params))
            outs = [t for t in gradient.outputs if is_float(t)]
            if self.sens is not None and not wide:
                cotangents(self.sens, gradient.result, gradient.outputs)  # raises for what is none
            douts = self.cotangents(outs) if douts is None else douts
            sens = tuple(wrap(d.astype(t.array.dtype)) for d, t in zip(douts, outs, strict=True))
            try:
                found, more = read_again(gradient, sens)
                if self.custom:
                    return self.taken(seen, wide)
            except ThreadError:
                raise  # it says nothing about the Cell
            except MinicellError as error:
                raise Malformed(error) from None
            yours = dict(zip(places, found, strict=True)) | dict(enumerate(more, len(tensors)))
            every = [*tensors, *self.params]
            return Takeover(
                name_of(self.cell), [*self.called, *(p.name for p in self.params)], [np.array(t.array) for t in every],
                [np.array(yours[k].array) if k in yours else None for k, _ in enumerate(every)],
                [s.array for s in sens], [k in yours for k, _ in enumerate(every)], gradient.result, None,
                partial(self.again, tuple(tensors), wide, self.call),
            )  # fmt: skip

    def cotangents(self, outs: list[Tensor]) -> list[np.ndarray]:
        """Those that were given, or random ones: always the same for outputs of the same shapes."""
        if self.sens is not None:
            self.douts = [np.asarray(s.array, np.float64) for s in tensors_in(self.sens) if is_float(s)]
            return self.douts
        rng = np.random.default_rng(0)
        found = [rng.standard_normal(t.shape) for t in outs]
        self.douts = self.douts or found
        return found

    def taken(self, seen: Tape, wide: bool) -> Takeover:
        """The last takeover of the Cell on a Tape."""
        walk = Walk(seen)
        for _ in walk:
            pass
        turns = [t for r in walk.readings for t in r.turns if own(t) is self.cell]
        if not turns:
            raise MinicellError('bprop was never called: no output is a float Tensor.')
        found = takeover(seen, turns[-1], partial(self.again, turns[-1].event.entry.inputs, wide))
        _ = found.program and found.program.settled()  # before the numbers are put back
        return found

    def again(self, inputs: tuple, wide: bool, construct: Callable | None = None) -> Again:
        """What calls it again. Raises Harm where it must not."""
        if self.kept is None:
            raise Harm(self.harm)
        again = Again(self.cell, inputs, construct, self.kept)
        again.wide, again.before, again.stops = wide, True, self.custom  # (order 2 sees through the stops of a bprop)
        return again

    # ---- verdicts ----

    def ask(self, wrt: object) -> None:
        """Which inputs and Parameters count. Raises ValueError for one that is not there."""
        first = self.trials[FIRST]
        every = [None] * (len(first.names) - len(self.params)) + self.params
        pairs = zip(first.inputs, every, strict=True)
        self.wanted = [is_number(x) and (p is None or p.requires_grad) for x, p in pairs]
        if wrt is None:
            return
        self.wanted = [False] * len(every)
        for each in wrt if isinstance(wrt, tuple | list) else (wrt,):
            by_name = lambda k, name, p, each=each: type(each) is not bool and each in (k, name, name.partition('[')[0])
            same = (lambda k, name, p, each=each: p is each) if isinstance(each, Tensor) else by_name
            found = [k for k, (name, p) in enumerate(zip(first.names, every, strict=True)) if same(k, name, p)]
            if not found:
                raise GradArgumentError(
                    f'wrt names no input of {self.name.removesuffix(".bprop")}: {each!r}. It has '
                    f'{", ".join(map(str, first.names))}.{users_line()}'
                )
            for k in found:
                self.wanted[k] = is_number(first.inputs[k])

    def asked_again(self) -> dict[str, list]:
        """What bprop returns when it is asked the same again: at once, a few times; and after another call."""
        main, found = self.trials[FIRST], {'again': [], 'after': []}
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
                    answer = main.again.returned(main.inputs, main.out, outs, main.came)
                    found[what].append([d if d is None else np.array(d.array) for d in answer])
        return found

    def rows(self) -> list[Verdict]:
        """The verdict on each input, from all trials: the first that is wrong, else what is known best."""
        main, repeated, plain = self.trials[FIRST], self.asked_again(), [*self.trials.values()]
        for what, answers in repeated.items():
            for k, yours in enumerate(answers):
                if any(not np.array_equal(a, b, equal_nan=True) for a, b in zip(yours, main.yours, strict=True)
                       if a is not None and b is not None):  # fmt: skip
                    self.trials[f'{what}, {k}'] = replace(main, yours=yours)
        told = []
        for trial in self.trials.values():
            trial.asked = self.wanted
            told.append(decide.verdicts(trial))
        known, rows = told[[*self.trials.values()].index(self.main)], []
        for place in range(len(self.wanted)):
            found = [verdicts[place] for verdicts in told]
            best = max(found, key=lambda v: RANK.index(v.verdict))
            best = known[place] if known[place].verdict == 'unknown' and best.verdict != 'wrong' else best
            if best.ok and any(v.by == 'rules and differences' for v in found):
                best = best._replace(by='rules and differences')
            rows.append(best)
        return mistakes.named(rows, plain, repeated)

    def second(self, rows: list[Verdict]) -> list[Verdict]:
        """The rows with what is true of the bprop's own derivative, where the first order is right."""
        if not all(row.ok for row in rows if row.asked):
            self.left_out.append('the second order, because the first is not right')
            return rows
        if (program := self.trials[FIRST].program) and any(op.rule is STOP for op in program.ops):
            self.left_out.append('the second order, because construct stops a gradient')
            return rows
        places = tuple(k for k, t in enumerate(self.tensors) if is_float(t))

        came = [wrap(g) for g in self.trials[FIRST].came]

        def slopes(*given: Tensor) -> tuple:
            tensors, sens = given[: len(self.tensors)], given[len(self.tensors) :]
            _, by_place, by_weight = differentiate(self.call, tensors, {}, places, tuple(self.params), sens)
            return (*by_place, *by_weight)

        order = self.places()
        slopes.internal_params = self.params
        inner = Trials(slopes, (*self.tensors, *came), {}, None, of=self)
        douts = ['dout'] if len(came) == 1 else [f'dout[{k}]' for k, _ in enumerate(came)]
        inner.called = [*(rows[order[k]].name for k, _ in enumerate(self.tensors)), *douts]
        try:
            inner.first()
        except (MinicellError, Malformed) as error:
            self.left_out.append(f'the second order ({type(getattr(error, "error", error)).__name__})')
            return rows
        inner.ask(None)
        inner.others()
        count = len(self.tensors)
        for row in inner.rows():
            k = row.place  # the inputs, then dout, then internal_params
            at = order[k] if k < count else k - len(came) if k >= count + len(came) else None
            first = rows[at] if at is not None else next((r for r in rows if r.asked), rows[0])
            self.deeper(rows, first, row)
        self.trials |= {f'second order, {label}': trial for label, trial in inner.trials.items()}
        return rows

    def deeper(self, rows: list[Verdict], first: Verdict, row: Verdict) -> None:
        """A verdict on the second order takes the place of the first one's, where it is worse."""
        if first.asked and RANK.index(row.verdict) > RANK.index(first.verdict):
            both = 'At second order' if row.ok else 'The first order is right, the second is not'
            rows[first.place] = row._replace(
                cell=first.cell, name=first.name, place=first.place, why=f'{both}: {row.why}',
                mistake=f'{both}. {row.mistake}' * bool(row.mistake),
            )  # fmt: skip
        elif first.asked and row.verdict == 'unknown':
            self.left_out.append(f'the second order of {row.name}: {row.why.rstrip(".")}')

    # ---- notes ----

    def loses(self, outside: range, wrt: object) -> list[str]:
        """What construct uses of which the gradient is lost: what is none of its inputs, and no bprop answers for."""
        program = self.trials[FIRST].program
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
        kinds = dict.fromkeys(str(t.dtype) for t in (*self.tensors, *self.params) if is_float(t))
        kinds |= dict.fromkeys(['Float64'] * (WIDE in self.trials))
        dout = 'this sens' if self.sens is not None else 'a mixed dout'
        ways = [dout, *(label for label in self.trials if label not in (FIRST, WIDE) and not label.startswith(AGAIN))]
        ways += ['the second order'] * any(label.startswith('second') for label in self.trials)
        often = '; twice, and after another call' * (self.kept is not None and self.custom)
        left = f' Not tried: {"; ".join(self.left_out)}.' if self.left_out else ''
        return f'Tried in {" and ".join(kinds)}, with {", ".join(ways)}{often}.{left}'


def own(turn: Any) -> Any:
    """The user's Cell whose bprop a reading calls: in a graph, something stands for it."""
    cell = getattr(turn.event.entry, 'cell', None)
    return getattr(cell, '_stands_for', cell)


def less(t: Tensor) -> Tensor:
    """Other numbers, of the same signs."""
    return wrap(t.array * t.array.dtype.type(0.625)) if is_float(t) else t


def is_number(x: np.ndarray) -> bool:
    """Whether numbers can have a gradient."""
    return x.dtype.kind == 'f'
