"""Programs of hostile use, made from a seed: a chain of plain steps, with acts between them that nobody should do."""

import warnings

import numpy as np

import minicell as ms
from minicell import Parameter, Tensor
from tests.hostile.acts import ACTS, atom
from tests.hostile.said import Ran, right


class State:
    """What a program computes with; `frozen` are numbers that are constants, as they were at the point itself."""

    def __init__(self, x, p, base=None, stopped=None) -> None:
        self.v, self.old, self.p = x, x, p
        self.constants, self.known = [], iter(base or ())
        self.base = base
        self.texts, self.foreign, self.at_end, self.after = [], [], [], []
        self.stopped = stopped if stopped is not None else []

    def frozen(self, value):
        if self.base is None:
            self.constants.append(np.array(value))
            return value
        return next(self.known)

    def before(self, work):
        """Done as if before the gradient: in a thread of its own nothing else would be open; here it simply runs."""
        with warnings.catch_warnings():
            warnings.simplefilter('ignore', ms.errors.NoPathWarning)
            work()


class Program:
    """Steps, acts among them, and a way to ask for the gradient."""

    def __init__(self, name: str, seed: int) -> None:
        for attempt in range(100):
            self.make(name, np.random.default_rng([seed, list(ACTS).index(name), attempt]))
            if self.tame():
                return
        raise AssertionError(f'no program of {name} has small numbers')

    def make(self, name: str, rng: np.random.Generator) -> None:
        self.acts = [name]
        if rng.random() < 0.4:
            self.acts.append(list(ACTS)[int(rng.integers(len(ACTS)))])
        self.x, self.p = rng.uniform(0.4, 1.2, 3), rng.uniform(0.4, 1.2, 3)
        plain = [atom(rng)[:2] for _ in range(int(rng.integers(1, 4)))]
        steps = [(lambda s, f=f: setattr(s, 'v', f(s.v)), lambda s, n=n: setattr(s, 'v', n(s.v))) for f, n in plain]
        steps.insert(int(rng.integers(len(steps) + 1)), (times_p, times_p))
        steps.insert(int(rng.integers(len(steps) + 1)), (remember, remember))
        for each in self.acts:
            steps.insert(int(rng.integers(len(steps) + 1)), ACTS[each][0](rng))
        self.steps = [*steps, (times_p, times_p)] if rng.random() < 0.3 else steps
        self.weights = all(ACTS[each][2] for each in self.acts) and rng.random() < 0.4
        self.way = str(rng.choice(['grad', 'value_and_grad', 'vjp', 'Tape']))
        self.words = [word for each in self.acts for word in ACTS[each][1]]

    def tame(self) -> bool:
        """Whether all its numbers are small, so that differences are exact enough."""
        s = State(self.x, self.p)
        for _, numpys in self.steps:
            numpys(s)
            if np.abs(s.v).max() > 30:
                return False
        return all(np.abs(slope).max() < 1000 for slope in self.due())

    def due(self) -> tuple:
        """By differences, in NumPy."""

        def value(x, p, base):
            s = State(x, p, base)
            for _, numpys in self.steps:
                numpys(s)
            return s.v.sum(), s.constants

        _, base = value(self.x, self.p, None)
        step = 1e-6
        slopes = []
        for k in range(2 if self.weights else 1):
            slope = np.zeros(3)
            for i in range(3):
                moved = [self.x.copy(), self.p.copy()]
                moved[k][i] += step
                above = value(*moved, base)[0]
                moved[k][i] -= 2 * step
                slope[i] = (above - value(*moved, base)[0]) / (2 * step)
            slopes.append(slope)
        return tuple(slopes)

    def ask(self, said: list, foreign: list, stopped: list) -> tuple:
        """By minicell."""
        x, p = Tensor(self.x), Parameter(Tensor(self.p), name='p')
        after = []

        def f(x):
            s = State(x, p, stopped=stopped)
            s.texts, s.foreign, s.after = said, foreign, after
            try:
                for ours, _ in self.steps:
                    ours(s)
                return s.v.sum()
            finally:
                for close in s.at_end:
                    close()

        weights = p if self.weights else None
        try:
            if self.way == 'value_and_grad':
                found = ms.value_and_grad(f, 0, weights)(x)[1]
            elif self.way == 'vjp':
                out, back = ms.vjp(f, x, weights=weights)
                found = back(Tensor(np.ones(out.shape)))
                found = (found[0][0], found[1]) if self.weights else found[0]
            elif self.way == 'Tape':
                with ms.Tape():
                    found = ms.grad(f, 0, weights)(x)
            else:
                found = ms.grad(f, 0, weights)(x)
        finally:
            for close in after:
                close()
        return found if self.weights else (found,)

    def verdict(self) -> str:
        """'right', 'said', or what is wrong."""
        said, foreign, stopped = [], [], []

        def program():
            try:
                return self.ask(said, foreign, stopped)
            except (KeyboardInterrupt, LookupError) as error:
                if type(error) not in stopped:
                    raise
                return self.ask(said, foreign, stopped)

        try:
            result = Ran(program)
        except Exception as error:
            return f'a foreign error: {error!r:.150}'
        result.told += said
        if foreign:
            return f'a foreign error: {foreign[0]!r:.150}'
        if any(result.says(word, keep=False) for word in self.words):
            return 'said'
        if result.error is not None:
            return f'an error about something else: {result.error!s:.150}'
        due = self.due()
        return 'right' if right(result.value, due, 1e-4) else f'silently {result.value}, due {due}: {result.texts}'


def times_p(s) -> None:
    s.v = s.v * s.p


def remember(s) -> None:
    s.old = s.v
