"""The Cells of the table of pairs, built as text, in a setting: a dtype, a layout, what stands around."""

import ast
import linecache
import re
from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import minicell as ms
from minicell import nn, ops
from minicell.core.tensor import is_float, tensors_in

TABLE = Path(__file__).with_name('pairs.txt').read_text()


class Case(NamedTuple):
    """A construct, and what its bprop should return."""

    kind: str
    hard: bool
    name: str
    inputs: str
    construct: str = ''
    grads: str = ''
    options: dict[str, str] = {}  # noqa: RUF012
    bads: tuple[tuple[int, str, str], ...] = ()
    lesson: Any = None  # what makes a Cell of what an exercise's code defines

    @property
    def may(self) -> str:
        """Why 'unknown' is allowed; '' where it is not."""
        return self.options.get('may', '')

    @property
    def around(self) -> str:
        """What stands around the Cell."""
        return self.options.get('around', '')

    @property
    def bits(self) -> list[int]:
        """The dtypes that the inputs may have."""
        return [int(each) for each in self.options.get('only', '32 64 16').split()]

    def due(self, k: int) -> str:
        """The verdict of the right bprop for place k."""
        return dict(enumerate(self.options.get('due', '').split())).get(k, 'right')


class Setting(NamedTuple):
    """How a Cell is called, and what is asked for."""

    bits: int = 64
    scale: float = 1.0  # of the loss
    seed: int = 0
    batch: int = 3
    style: str = ''  # what becomes of the result in construct
    around: str = ''
    names: bool = False  # others
    turned: bool = False  # the order of the inputs
    layout: str = ''
    asks: tuple[int, ...] | None = None
    mode: str = 'grad'  # how the gradient is asked for


def cases() -> Iterator[Case]:
    """The table, read."""
    kind = ''
    for entry in re.split(r'\n(?=\S)', TABLE.strip()):
        if entry.startswith('#'):
            kind = entry
            continue
        line, *options = re.split(r'\n +\+ ', entry)
        name, inputs, construct, grads = (each.strip() for each in re.sub(r'\n +', ' ', line).split(' | '))
        pairs = [(key, re.sub(r'\n +', ' ', said).strip()) for key, said in (each.split(':', 1) for each in options)]
        bads = [(int(key[4:]), *[*said.split(' => '), 'wrong'][:2]) for key, said in pairs if key.startswith('bad ')]
        yield Case(kind.lstrip('#! '), '!' in kind, name, inputs, construct, grads, dict(pairs), tuple(bads))


# ---- inputs ----------------------------------------------------------------------------------------------------------


def values(case: Case, s: Setting) -> dict[str, Any]:
    """The inputs as arrays, by name."""
    return _values(case.inputs, len(case.name), s.seed, s.batch)


@cache
def _values(inputs: str, name: int, seed: int, batch: int) -> dict[str, Any]:
    rng = np.random.default_rng([len(inputs), name, seed])
    made = dict(
        B=batch,
        n=lambda *shape: np.asarray(rng.standard_normal(shape)),
        p=lambda *shape: np.asarray(rng.uniform(0.5, 2, shape)),
        u=lambda *shape: np.asarray(rng.uniform(0.1, 0.9, shape)),
        a=lambda *numbers: np.array(numbers, float),
        b=lambda *shape: (rng.random(shape) < 0.5) * 1.0,
        s=lambda *shape: np.where(rng.random(shape) < 0.5, 1.0, -1.0),
        i=lambda most, shape: rng.integers(0, most, shape),
        d=lambda n: rng.standard_normal((n, n)) + 3 * np.eye(n),
    )
    return eval(f'dict({inputs})', made)


def mapped(f: Any, value: Any) -> Any:
    """The same tuples, lists and dicts of other values."""
    if isinstance(value, tuple | list):
        return type(value)(mapped(f, each) for each in value)
    return {k: mapped(f, v) for k, v in value.items()} if isinstance(value, dict) else f(value)


def tensor(s: Setting) -> Any:
    """What makes Tensors of arrays, of this dtype and in this layout."""

    def make(a: Any) -> Any:
        if not isinstance(a, np.ndarray):
            return a
        a = a.astype(f'float{s.bits}') if a.dtype.kind == 'f' else a
        if not s.layout or not a.ndim:
            return ms.Tensor(a)
        return ms.Tensor.from_numpy(np.asfortranarray(a) if s.layout == 'columns first' else a[::-1].copy()[::-1])

    return make


# ---- Cells -----------------------------------------------------------------------------------------------------------

STYLES = {  # what becomes of the result in construct, which is the same in numbers
    '': 'return got',
    'unused': 'return got, one(INPUTS) * 3',
    'write': 'y = ops.zeros_like(got); y[...] = got; return y',
    'numpy': 'return ms.Tensor(got.asnumpy())',
    'half in numpy': 'return 0.25 * got + ms.Tensor(0.75 * got.asnumpy())',
}
HELP: dict[str, Any] = {}


def helping(f: Any) -> Any:
    """A function that the code of the Cells may call."""
    HELP[f.__name__] = f
    return f


def parameter(grad: bool, s: Setting, name: str, *numbers: Any) -> ms.Parameter:
    """A Parameter in the dtype of the inputs."""
    return ms.Parameter(ms.Tensor(np.array(numbers, f'float{s.bits}')), name=name, requires_grad=grad)


@helping
def one(*inputs: Any) -> ms.Tensor:
    return next(t for t in tensors_in(inputs) if is_float(t))


@helping
def spoilt(g: ms.Tensor, way: str) -> ms.Tensor:
    """A gradient with one number of it changed, or its rows moved on."""
    a = g.asnumpy().copy()
    if way == 'rolled':
        return ms.Tensor(np.roll(a, 1, 0) if a.ndim else -a)
    size = np.abs(a).ravel()
    k = int(np.argmin(np.where(size, size, np.inf)) if way == 'smallest' else np.argmax(size))
    a.flat[k] *= {'hole': 0, 'one off': 1.1, 'smallest': -1, 'nan': np.nan}[way]
    return ms.Tensor(a)


HELP |= {'np': np, 'ms': ms, 'nn': nn, 'ops': ops, 'is_float': is_float, 'mapped': mapped}


def arguments(case: Case, s: Setting) -> list[str]:
    """The inputs' names in the order of construct."""
    return list(values(case, s))[:: -1 if s.turned else 1]


def places(case: Case, s: Setting) -> list[int]:
    """For each place in the order of construct: its place in the table."""
    inputs, k, found = values(case, s), 0, {}
    for name, value in inputs.items():
        many = len(leaves(value))
        found[name], k = range(k, k + many), k + many
    return [k for name in arguments(case, s) for k in found[name]]


def leaves(value: Any) -> list:
    """The arrays or Tensors in it."""
    found: list = []
    mapped(lambda each: found.append(each) if isinstance(each, np.ndarray | ms.Tensor) else None, value)
    return found


class Code(str):
    """Text that stands in other code as it is."""

    __repr__ = str.__str__


def texts(value: Any, node: Any, path: str) -> Iterator[tuple[str, str, bool]]:
    """The parts of a gradient that is written as its input is: code, what it belongs to, whether that is a Tensor."""
    if isinstance(value, tuple | list | dict):
        each = value.items() if isinstance(value, dict) else enumerate(value)
        for (k, v), n in zip(each, node.elts, strict=True):
            yield from texts(v, n, f'{path}[{k!r}]')
    else:
        yield ast.unparse(node), path, isinstance(value, np.ndarray)


def code(case: Case, edits: dict, s: Setting) -> str:
    """The class, with some of its gradients written otherwise."""
    inputs, order = values(case, s), arguments(case, s)
    split = lambda said: [each.strip() for each in said.split(';')]
    said, _, inner = case.grads.partition(';;')
    *before, last = split(said)
    nodes = ast.parse(f'({last},)', mode='eval').body.elts
    found = [
        leaf for (name, value), node in zip(inputs.items(), nodes, strict=True) for leaf in texts(value, node, name)
    ]
    parts = [(Code(f'({text})'), path) for text, path, is_tensor in found if is_tensor]
    if 'swap' in edits:
        j, k = edits['swap']
        parts[j], parts[k] = parts[k], parts[j]
    edited = lambda k, text, path='': Code(edits.get(k, '{g}').replace('{g}', text).replace('{x}', path))
    each = iter([edited(k, *part) for k, part in enumerate(parts)])
    every = iter([next(each) if is_tensor else Code(text) for text, _, is_tensor in found])
    made = {name: mapped(lambda _: next(every), value) for name, value in inputs.items()}
    made = {name: tuple(g.values()) if isinstance(g, dict) else g for name, g in made.items()}  # as a bprop returns it
    back = f'{", ".join(repr(made[name]) for name in order)},'
    if inner:
        of = ast.parse(f'dict({inner.replace(": ", "=")})', mode='eval').body.keywords
        gs = [f'self.{w.arg}: {edited(len(parts) + j, f"({ast.unparse(w.value)})")}' for j, w in enumerate(of)]
        back = f'({back}), {{{", ".join(gs)}}}'
    *lines, out = split(case.construct)
    given = ', '.join(order)
    if s.style:
        lines += [f'got = {out}', *split(STYLES[s.style].replace('INPUTS', given))]
    else:
        lines += [f'return {out}']
    start = ['out, dout = out[0], dout[0]'] if s.style == 'unused' else []
    body = [
        *(
            'def __init__(self):',
            '    super().__init__()',
            *(f'    {each}' for each in split(case.options.get('init', 'pass'))),
        ),
        *(f'def construct(self, {given}):', *(f'    {each}' for each in lines)),
        f'def bprop(self, {given}, out, dout):',
        *(f'    {each}' for each in [*start, *edits.get('before', []), *before, f'return {back}']),
    ]
    text = '\n'.join(['class Tried(nn.Cell):', *(f'    {line}' for line in body), ''])
    if s.names:
        for old, new in zip(inputs, ('dx', 'weight', 'out0', 'cell'), strict=False):
            text = re.sub(rf"(?<![.\w']){old}\b", new, text)
    return text


def built(case: Case, edits: Any, s: Setting) -> nn.Cell:
    """The Cell; of a lesson, `edits` is the code."""
    text = edits if case.lesson else code(case, edits, s)
    file = f'<pair {hash(text)}>'
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    space = dict(HELP, __name__='pairs', P=partial(parameter, True, s), B=partial(parameter, False, s))
    exec(compile(text, file, 'exec'), space)
    return case.lesson(space) if case.lesson else space['Tried']()


# ---- what is asked for -----------------------------------------------------------------------------------------------


def hooked(change: Any) -> Any:
    """What hangs a hook on each float output of a Cell."""

    def around(net: Any) -> Any:
        def call(*inputs: Any) -> Any:
            out = net(*inputs)
            for t in tensors_in(out):
                if is_float(t):
                    t.register_hook(change)
            return out

        return call

    return around


AROUND = {
    '': lambda net: net,
    'graph': ms.jit,
    'same': hooked(lambda g: g * 1),
    'ten': hooked(lambda g: g * 10),
    'half': hooked(lambda g: g / 2),
    'clip': hooked(lambda g: ops.clamp(g, -0.8, 0.8)),
}


@cache
def weights(shape: tuple[int, ...]) -> np.ndarray:
    """What the outputs are multiplied by in the loss: no two of them alike, and none small."""
    rng = np.random.default_rng(len(shape))
    return rng.uniform(0.5, 1.5, shape) * np.where(rng.random(shape) < 0.4, -1, 1)


class Asked(NamedTuple):
    """A Cell that is about to be asked for gradients."""

    cell: nn.Cell
    inputs: list
    order: list[int]  # of each place, that in the table; Parameters behind
    asked: list[int]  # places in the table
    outs: Any  # the outputs, each times its weights, of those Tensors that are asked for
    wanted: list  # these Tensors
    inner: list  # the Parameters that are

    def loss(self, *wanted: Any) -> ms.Tensor:
        """One number."""
        return sum(t.sum() for t in self.outs(*wanted))

    def gradients(self, mode: str = 'grad') -> dict[int, np.ndarray]:
        """Ask; by place in the table."""
        if mode == 'vjp':
            out, back = ms.vjp(self.loss, *self.wanted)
            return dict(zip(self.asked, map(ms.Tensor.asnumpy, back(ops.ones_like(out))), strict=True))
        if mode == 'jvp':
            ms.jvp(self.loss, tuple(self.wanted), tuple(map(ops.ones_like, self.wanted)))
            return {}
        found = ms.grad(self.loss, tuple(range(len(self.wanted))) or None, self.inner or None)(*self.wanted)
        return {k: g.asnumpy() for k, g in zip(self.asked, tensors_in(found), strict=True)}


def asked(case: Case, edits: Any, s: Setting) -> Asked:
    """The Cell, the loss, and the Tensors that the loss takes."""
    np.random.seed(5), ms.set_seed(5)
    cell, given = built(case, edits, s), values(case, s)
    inputs = [mapped(tensor(s), given[name]) for name in arguments(case, s)]
    tensors, own = leaves(inputs), list(cell.internal_params or ())
    order = places(case, s) + list(range(len(tensors), len(tensors) + len(own)))
    asks = s.asks or tuple(map(int, case.options.get('ask', '').split())) or tuple(sorted(order))
    at = {k: t for k, t in zip(order, tensors, strict=False) if k in asks and is_float(t)}
    asks = [k for k in sorted(order) if k in at or (k >= len(tensors) and k in asks)]
    net = AROUND[s.around or case.around](cell)

    def outs(*wanted: Any) -> list:
        own = iter(wanted)
        instead = {id(at[k]): next(own) for k in asks if k in at}
        out = net(*mapped(lambda t: instead.get(id(t), t), inputs))
        found = [t for t in tensors_in(out[0] if s.style == 'unused' else out) if is_float(t)]
        return [t * ms.Tensor(s.scale * weights(t.shape)).astype(t.dtype) for t in found]

    inner = [own[k - len(tensors)] for k in asks if k >= len(tensors)]
    return Asked(cell, inputs, order, asks, outs, [at[k] for k in asks if k in at], inner)


def differences(case: Case, edits: Any, s: Setting) -> dict[int, np.ndarray]:
    """The gradients without any rule: construct is called, again and again; of many numbers, some (NaN for others)."""
    it, found = asked(case, edits, s), {}
    coarse = 1e-2 if s.bits < 64 or 'float32' in case.construct else 1e-4 if 'exact' in case.options else 1e-5
    for k, t in zip(it.asked, [*it.wanted, *it.inner], strict=True):
        g, a = np.full(t.shape, np.nan), t.array
        for j in range(a.size) if a.size <= 64 else range(0, a.size, a.size // 7):
            step = coarse * (abs(a.flat[j]) if 'exact' in case.options else max(abs(a.flat[j]), 0.1))
            ends, rise = [], 0.0
            for way in (1, -1):
                again = asked(case, edits, s)
                other = [*again.wanted, *again.inner][it.asked.index(k)]
                other.array = a.copy()
                other.array.flat[j] += way * step
                rise += way * float(other.array.flat[j])
                ends.append([t.array.astype(float) for t in again.outs(*again.wanted)])
            g.flat[j] = sum((high - low).sum() for high, low in zip(*ends, strict=True)) / rise
        found[k] = g
    return found
