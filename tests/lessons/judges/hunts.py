"""Judges of hunts: the function that a learner writes is asked about suspects that no checker has.

Each suspect has one of the bugs that the exercise names. Where the answer has a helper that measures a slope, what that
helper measures is noted too: a hint may blame it.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import minicell as ms
from minicell import nn, ops
from minicell.teach.lesson01.entries import engine, read_by, total, with_rule
from minicell.teach.lesson10 import differences
from minicell.teach.lesson11.hunt import CODE, changes
from minicell.teach.lesson11.hunt import space as stored
from minicell.teach.lesson13 import changed
from tests.lessons.judges.judge import Judge


def hunt(suspects: Sequence[tuple[Callable[[], tuple], str]], helper: Callable[[dict], Any] | None = None) -> Judge:
    """A judge that makes each suspect anew, and compares what is said of it with the word that is due."""

    def look(space: dict[str, Any], answer: Any) -> dict[str, Any]:
        did: dict[str, Any] = {}
        for k, (make, _) in enumerate(suspects):
            np.random.seed(k)
            said = answer(*make())
            did[f'suspect {k}'] = said if isinstance(said, str) else type(said).__name__
        if helper is not None:
            try:
                did['slope'] = helper(space)
            except Exception as error:
                did['slope'] = type(error).__name__
        return did

    return Judge({f'suspect {k}': word for k, (_, word) in enumerate(suspects)}, look)


# ---- 1d: engines ---------------------------------------------------------------------------------------------------

ENGINES = (
    (engine, 'right'),
    (with_rule(Sin=lambda x, out, dout: (-math.cos(x) * dout,)), 'wrong rule'),
    (read_by(total, lambda dout: 1.0), 'no dout'),
    (with_rule(Exp=lambda x, out, dout: (x * dout,)), 'wrong rule'),
    (read_by(lambda before, now: now), 'no sum'),
    (with_rule(Sin=lambda x, out, dout: (abs(math.cos(x)) * dout,)), 'wrong rule'),
    (read_by(lambda before, now: now if before is None else before), 'no sum'),
    (with_rule(Exp=lambda x, out, dout: ((1 + out) * dout,)), 'wrong rule'),
)

# ---- 2b: rules of two inputs ---------------------------------------------------------------------------------------

HYPERBOLA = (lambda x, y: -x / (y * y), lambda x, y: -1 / (y * y), lambda x, y: 2 * x / (y * y * y))
WAVE = (lambda x, y: ops.cos(x) * y, lambda x, y: -ops.sin(x) * y, lambda x, y: ops.cos(x))
RULES = (
    (WAVE, lambda a, b, d: (a * d, b * d), 'right'),
    (WAVE, lambda a, b, d: (a * d, 1.1 * b * d), 'wrong slope'),
    (HYPERBOLA, lambda a, b, d: (a, b * d), 'deaf'),
    (HYPERBOLA, lambda a, b, d: (a * d, b * d * d), 'not linear'),
    (WAVE, lambda a, b, d: (-a * d, b * d), 'wrong slope'),
    (WAVE, lambda a, b, d: (a * ops.abs(d), b * ops.abs(d)), 'not linear'),
    (HYPERBOLA, lambda a, b, d: (a, b), 'deaf'),
    (HYPERBOLA, lambda a, b, d: (a * d, b * d), 'right'),
)


def ruled(function: tuple, rule: Callable) -> nn.Cell:
    """A Cell of two inputs with this rule."""

    class Ruled(nn.Cell):
        def construct(self, x: Any, y: Any) -> Any:
            return function[0](x, y)

        def bprop(self, x: Any, y: Any, out: Any, dout: Any) -> Any:
            return rule(function[1](x, y), function[2](x, y), dout)

    return Ruled()


# ---- 3b: matrix products -------------------------------------------------------------------------------------------

RIGHT_X, RIGHT_Y = (lambda x, y, d: d @ y.T), (lambda x, y, d: x.T @ d)
PRODUCTS = (
    (RIGHT_X, lambda x, y, d: d @ x.T, 'order'),
    (RIGHT_X, RIGHT_Y, 'right'),
    (lambda x, y, d: d @ y, RIGHT_Y, 'no transpose'),
    (lambda x, y, d: ops.ones_like(d) @ y.T, RIGHT_Y, 'deaf'),
    (RIGHT_X, lambda x, y, d: x @ d, 'no transpose'),
    (lambda x, y, d: y.T @ d, RIGHT_Y, 'order'),
    (RIGHT_X, lambda x, y, d: y + 1, 'deaf'),
    (lambda x, y, d: d @ y, lambda x, y, d: x @ d, 'no transpose'),
    (lambda x, y, d: y.T @ d, lambda x, y, d: d @ x.T, 'order'),
    (lambda x, y, d: d @ y.T * 1.0, RIGHT_Y, 'right'),
)


def multiplies(dx: Callable, dy: Callable) -> nn.Cell:
    """A product with these gradients."""

    class Product(nn.Cell):
        def construct(self, x: Any, y: Any) -> Any:
            return x @ y

        def bprop(self, x: Any, y: Any, out: Any, dout: Any) -> Any:
            return dx(x, y, dout), dy(x, y, dout)

    return Product()


# ---- 7c: masks -----------------------------------------------------------------------------------------------------


class Dropping(nn.Cell):
    """Drops rows, with one of the bugs."""

    def __init__(self, keep: float, bug: str) -> None:
        super().__init__()
        self.keep_prob, self.scale, self.bug = keep, 1 / keep, bug

    def throw(self, x: Any) -> Any:
        return ms.Tensor(np.random.random((x.shape[0], 1)) < self.keep_prob)

    def construct(self, x: Any) -> Any:
        self.mask = self.throw(x)
        y = x * self.mask * self.scale
        return (self.mask * self.scale if self.bug == 'by mask' else self.mask), y

    def bprop(self, x: Any, out: Any, dout: Any) -> Any:
        mask = {'new mask': self.throw, 'stale mask': lambda x: self.mask}.get(self.bug, lambda x: out[0])(x)
        return (dout[1] * mask * self.scale * (self.scale if self.bug == 'scaled twice' else 1.0),)


MASKS = (
    (0.7, 'stale mask', 'stale mask'),
    (0.7, 'none', 'right'),
    (0.4, 'scaled twice', 'scaled twice'),
    (0.4, 'new mask', 'new mask'),
    (0.4, 'stale mask', 'stale mask'),
    (0.7, 'new mask', 'new mask'),
    (0.4, 'none', 'right'),
    (0.7, 'by mask', 'scaled twice'),
    (0.8, 'scaled twice', 'scaled twice'),
)

# ---- 8c: layers without a bprop ------------------------------------------------------------------------------------


def outside(x: Any, curve: Any) -> Any:
    """A curve on the bounds and between them, and a constant outside."""
    return ops.select(ops.abs(x) <= 1, curve, ops.sign(x))


LAYERS: tuple[tuple[Callable, str], ...] = (
    (lambda x: outside(x, ops.sin(x)), 'right'),
    (lambda x: ops.select(ops.abs(x) < 1, x, ops.sign(x)), 'edge'),
    (lambda x: ops.select(ops.abs(x) <= 1, x * 2, 2 * x / ops.sqrt(x * x)), 'nan'),
    (lambda x: outside(x, ms.Tensor(x.asnumpy())), 'gap'),
    (lambda x: outside(x, x * x), 'right'),
    (lambda x: ops.select(x >= 0, ops.minimum(x, 1.0), ms.Tensor(np.maximum(x.asnumpy(), -1.0))), 'gap'),
    (lambda x: ops.select(x <= 0, ops.maximum(x, -1.0), ms.Tensor(np.minimum(x.asnumpy(), 1.0))), 'gap'),
    (lambda x: ops.select(x > -1, ops.select(x > 1, 1.0, x), -1.0), 'edge'),
    (lambda x: outside(x, x + ms.Tensor(0.3 * x.asnumpy())), 'gap'),
    (lambda x: ops.select(ops.abs(x) <= 1, x, ops.abs(x) / x), 'nan'),
    (lambda x: ops.minimum(ops.maximum(x, -1.0), 1.0), 'right'),
    (lambda x: ops.select(x < 1, ops.select(x < -1, -1.0, x), 1.0), 'edge'),
    (lambda x: outside(x, x * ms.Tensor(1 + 0.3 * np.minimum(x.asnumpy(), 0) ** 2)), 'gap'),
    (lambda x: outside(x, x * ms.Tensor(1 + 0.3 * np.maximum(x.asnumpy(), 0) ** 2)), 'gap'),
)


class Layer(nn.Cell):
    """A layer without a bprop."""

    def __init__(self, function: Callable) -> None:
        super().__init__()
        self.function = function

    def construct(self, x: Any) -> Any:
        return self.function(x)


# ---- 9c: orders ----------------------------------------------------------------------------------------------------

CURVES = {
    'tanh': (ops.tanh, lambda x: 1 - ops.tanh(x) * ops.tanh(x)),
    'fourth': (lambda x: x * x * x * x, lambda x: 4 * x * x * x),
    'cos': (ops.cos, lambda x: -ops.sin(x)),
}
BENT = (
    ('tanh', lambda s, d: ops.stop_gradient(s) * d, 'slope'),
    ('fourth', lambda s, d: s * d, 'right'),
    ('cos', lambda s, d: s * ops.stop_gradient(d), 'dout'),
    ('tanh', lambda s, d: -s * d, 'first order'),
    ('cos', lambda s, d: s, 'first order'),
    ('fourth', lambda s, d: ms.Tensor(s.asnumpy()) * d, 'slope'),
    ('tanh', lambda s, d: s * ms.Tensor(d.asnumpy()), 'dout'),
    ('cos', lambda s, d: d * s, 'right'),
    ('fourth', lambda s, d: 0.98 * s * d, 'first order'),
)


def bends(curve: str, rule: Callable) -> nn.Cell:
    """A curve with this rule."""
    function, slope = CURVES[curve]

    class Bends(nn.Cell):
        def construct(self, x: Any) -> Any:
            return function(x)

        def bprop(self, x: Any, out: Any, dout: Any) -> Any:
            return (rule(slope(x), dout),)

    return Bends()


# ---- 10d: weights --------------------------------------------------------------------------------------------------


class Weighs(nn.Cell):
    """w * x + b with one of the bugs."""

    def __init__(self, w: Sequence[float], b: Sequence[float], bug: str) -> None:
        super().__init__()
        self.w, self.b = (ms.Parameter(ms.Tensor(np.array(p)), name=n) for p, n in ((w, 'w'), (b, 'b')))
        self.internal_params = [p for p in (self.w, self.b) if f'no {p.name}' != bug]
        self.bug = bug

    def construct(self, x: Any) -> Any:
        return self.w * x + self.b

    def bprop(self, x: Any, out: Any, dout: Any) -> Any:
        shares = [x * dout, dout]
        shares = [each.mean(0) if self.bug == 'mean' else each.sum(0) for each in shares]
        given = dict(zip((self.w, self.b), shares[::-1] if self.bug == 'swapped' else shares, strict=True))
        return (self.w * dout,), {p: given[p] for p in self.internal_params}


ONE, TWO = ((0.4, -3.0, 1.1), (2.0, -0.6, 0.1)), ((5.0, 0.2, -1.4), (0.0, 0.0, 1.0))
WEIGHTS = (
    (ONE, 'none', 'right'),
    (TWO, 'mean', 'mean'),
    (ONE, 'no w', 'cut'),
    (TWO, 'swapped', 'swapped'),
    (TWO, 'no b', 'cut'),
    (ONE, 'mean', 'mean'),
    (ONE, 'swapped', 'swapped'),
    (TWO, 'none', 'right'),
)

# ---- 11c: graphs ---------------------------------------------------------------------------------------------------

# the same kinds of Cells with other numbers and other counts
OTHERS = CODE.replace('FIRST, SECOND = 2.0, 5.0', 'FIRST, SECOND = 3.0, 7.0').replace('> 3 else', '> 5 else')
OTHERS = (
    OTHERS.replace('> 8 else', '> 7 else').replace('x <= 0, 2 * x', 'x <= 0, -x').replace('x > 0, 2 * x', 'x > 0, x')
)
FROZEN = (
    ('File', 'file'),
    ('DigitsAbove', 'global'),
    ('Plain', 'right'),
    ('Early', 'count'),
    ('FileBelow', 'file'),
    ('Number', 'right'),
    ('Late', 'count'),
    ('Digits', 'global'),
)


def graph_hunt() -> Judge:
    """As the others, with a file to write and the mode put back."""
    space: dict[str, Any] = {'__name__': '__main__'}
    exec(compile(OTHERS, '<exercise 11c, other Cells>', 'exec'), space)

    def look(_: dict[str, Any], answer: Any) -> dict[str, Any]:
        did, before = {}, ms.get_context('mode')
        try:
            with changes():
                space['file'] = stored['file']
                given = {'file': space['change_file'], 'global': space['change_global']}
                for name, _ in FROZEN:
                    said = answer(space[name], given)
                    did[name] = said if isinstance(said, str) else type(said).__name__
        finally:
            ms.set_context(mode=before)
        return did

    return Judge(dict(FROZEN), look)


# ---- 13g: engines; 14d: quantizers; 15c: checkpoints ---------------------------------------------------------------

SUM = 'arrived[x.at] = arrived[x.at] + dx if x.at in arrived else dx'
CHANGES = (
    (SUM, 'arrived[x.at] = arrived.get(x.at, dx)', 'no sum'),
    ('if any(x.at >= 0 for x in inputs):', 'if any(x.at >= 1 for x in inputs):', 'first'),
    (SUM, 'arrived[x.at] = Tensor((arrived[x.at].array + dx.array)) if x.at in arrived else dx', 'off the tape'),
    ('if x.at >= 0:', 'if x.at != -1:', 'right'),
    ('lambda dout, out, x: (dout,), (x,), x.array', 'lambda dout, out: (), (), x.array', 'leaf'),
    ('if x.at >= 0:', 'if x.at > 0:', 'first'),
    (SUM, 'arrived[x.at] = dx', 'no sum'),
    (SUM, 'arrived[x.at] = arrived[x.at] + dx if x.at in arrived else dx + 0.0', 'right'),
)


class Levels(nn.Cell):
    """A quantizer of so many bits, with a rule for what passes."""

    def __init__(self, bits: int, passes: Callable[[Any, float, Any], Any]) -> None:
        super().__init__()
        self.step = 4 / 2**bits
        self.most, self.passes = 2 - self.step / 2, passes

    def level(self, w: Any) -> Any:
        return (ops.floor(w / self.step) + 0.5) * self.step

    def construct(self, w: Any) -> Any:
        return ops.clamp(self.level(w), -self.most, self.most)

    def bprop(self, w: Any, out: Any, dout: Any) -> Any:
        return (self.passes(self.level(w), self.most, dout),)


QUANTIZERS = (
    (3, lambda at, most, d: d * (ops.abs(at) <= most), 'right'),
    (4, lambda at, most, d: d * ops.logical_and(at > -most, at <= most), 'edge'),
    (2, lambda at, most, d: d * (at <= most), 'leaky'),
    (1, lambda at, most, d: ops.sign(d) * (ops.abs(at) <= most), 'deaf'),
    (4, lambda at, most, d: ms.Tensor(d.asnumpy()) * (ops.abs(at) <= most), 'cut'),
    (3, lambda at, most, d: d * (ops.abs(at) < most), 'edge'),
    (1, lambda at, most, d: d * (ops.abs(at) <= most), 'right'),
    (3, lambda at, most, d: ops.ones_like(d) * (ops.abs(at) <= most), 'deaf'),
    (2, lambda at, most, d: d, 'leaky'),
    (1, lambda at, most, d: d * (at >= -most), 'leaky'),
    (4, lambda at, most, d: d * ops.logical_and(at >= -most, at < most), 'edge'),
    (2, lambda at, most, d: ops.stop_gradient(d) * (ops.abs(at) <= most), 'cut'),
)


class Diced(nn.Cell):
    """A checkpoint around a part that drops numbers, with one of the bugs."""

    def __init__(self, keep: float, bug: str) -> None:
        super().__init__()
        self.keep, self.bug = keep, bug

    def factors(self, seed: int | None, shape: tuple[int, ...]) -> Any:
        before = np.random.get_state()
        if seed is not None:
            np.random.seed(seed)
        found = (np.random.random(shape) < self.keep) / self.keep
        if seed is not None and self.bug != 'turned back':
            np.random.set_state(before)
        return ms.Tensor(found)

    def construct(self, x: Any) -> Any:
        self.seed = np.random.randint(2**31 - 1)
        before = np.random.get_state()
        y = x * self.factors(self.seed, x.shape)
        np.random.set_state(before)
        return y, ms.Tensor(self.seed)

    def bprop(self, x: Any, out: Any, dout: Any) -> Any:
        seed = {'new dice': None, 'stale dice': self.seed}.get(self.bug, int(out[1].item()))
        dy, _ = dout
        return (dy * self.factors(seed, x.shape),)


DICE = (
    (0.6, 'none', 'right'),
    (0.6, 'stale dice', 'stale dice'),
    (0.3, 'turned back', 'turned back'),
    (0.3, 'new dice', 'new dice'),
    (0.3, 'none', 'right'),
    (0.6, 'new dice', 'new dice'),
    (0.3, 'stale dice', 'stale dice'),
    (0.6, 'turned back', 'turned back'),
)

X, Y = ms.Tensor(1.3, ms.float64), ms.Tensor(0.4, ms.float64)


def judges() -> dict[str, Judge]:
    """The judges of this page, by the names of the exercises."""
    return {
        '1d': hunt(
            [(lambda each=each: (each,), word) for each, word in ENGINES], lambda space: space['slope'](ops.exp, 0.7)
        ),
        '2b': hunt(
            [(lambda f=f, rule=rule: (ruled(f, rule),), word) for f, rule, word in RULES],
            lambda space: float(space['slope'](lambda x: x * x * x, X)),
        ),
        '3b': hunt([(lambda dx=dx, dy=dy: (multiplies(dx, dy),), word) for dx, dy, word in PRODUCTS]),
        '7c': hunt([(lambda keep=keep, bug=bug: (Dropping(keep, bug),), word) for keep, bug, word in MASKS]),
        '8c': hunt(
            [(lambda f=f: (Layer(f),), word) for f, word in LAYERS],
            lambda space: np.asarray(space['slope'](Layer(lambda x: x * x), np.array([0.5, -2.0]))),
        ),
        '9c': hunt(
            [
                (lambda curve=curve, rule=rule: (bends(curve, rule), CURVES[curve][0]), word)
                for curve, rule, word in BENT
            ]
        ),
        '10d': hunt([(lambda p=p, bug=bug: (Weighs(*p, bug), differences), word) for p, bug, word in WEIGHTS]),
        '11c': graph_hunt(),
        '13g': hunt(
            [(lambda old=old, new=new: (changed(old, new),), word) for old, new, word in CHANGES],
            lambda space: float(space['slope'](lambda x: x**3, 0.9)),
        ),
        '14d': hunt(
            [(lambda bits=bits, passes=passes: (Levels(bits, passes),), word) for bits, passes, word in QUANTIZERS]
        ),
        '15c': hunt([(lambda keep=keep, bug=bug: (Diced(keep, bug),), word) for keep, bug, word in DICE]),
    }
