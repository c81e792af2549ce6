"""Random graphs of ops against HIPS autograd and PyTorch, to second order; skipped where those are not installed.

A seed makes a program: a list of steps, each of which takes values that are already there. The same program runs on
three libraries, whose ops stand side by side in one table.
"""

import importlib
from types import SimpleNamespace

import numpy as np
import pytest

import minicell as ms
from minicell import ops

SHAPES = [(3,), (2, 3), (1, 3), (2, 1), ()]
INPUTS = 3
STEPS = 14

# name -> how many inputs. Denominators, logarithms and roots are kept in their domains by the step itself, and every
# value is drawn into (-1, 1) from time to time, so that numbers stay near 1.
KINDS = {
    'add': 2,
    'sub': 2,
    'mul': 2,
    'div': 2,
    'maximum': 2,
    'minimum': 2,
    'power': 2,
    'where': 2,
    'matmul': 2,
    'stack': 2,
    'concat': 2,
    'tanh': 1,
    'sigmoid': 1,
    'exp': 1,
    'log': 1,
    'sqrt': 1,
    'sin': 1,
    'cos': 1,
    'square': 1,
    'neg': 1,
    'abs': 1,
    'relu': 1,
    'scalar': 1,
    'sum': 1,
    'mean': 1,
    'max': 1,
    'reshape': 1,
    'transpose': 1,
    'slice': 1,
    'again': 1,
}


def minicell_ops() -> SimpleNamespace:
    return SimpleNamespace(
        maximum=ops.maximum,
        minimum=ops.minimum,
        where=ops.select,
        stack=lambda a, b: ops.stack((a, b)),
        concat=lambda a, b: ops.concat((a, b)),
        tanh=ops.tanh,
        sigmoid=ops.sigmoid,
        exp=ops.exp,
        log=ops.log,
        sqrt=ops.sqrt,
        sin=ops.sin,
        cos=ops.cos,
        abs=ops.abs,
        relu=ops.relu,
        mean=lambda a: a.mean(0, keep_dims=True),
        sum=lambda a: a.sum(-1),
        total=lambda a: a.sum(),
        max=lambda a: a.max(axis=-1),
        flat=lambda a: a.reshape(-1),
        turn=lambda a: a.T,
        spread=lambda a, shape: ops.broadcast_to(a, shape),
    )


def autograd_ops() -> SimpleNamespace:
    anp = importlib.import_module('autograd.numpy')
    return SimpleNamespace(
        maximum=anp.maximum,
        minimum=anp.minimum,
        where=anp.where,
        stack=lambda a, b: anp.stack((a, b)),
        concat=lambda a, b: anp.concatenate((a, b)),
        tanh=anp.tanh,
        sigmoid=lambda a: 1 / (1 + anp.exp(-a)),
        exp=anp.exp,
        log=anp.log,
        sqrt=anp.sqrt,
        sin=anp.sin,
        cos=anp.cos,
        abs=anp.abs,
        relu=lambda a: anp.where(a > 0, a, 0 * a),
        mean=lambda a: anp.mean(a, 0, keepdims=True),
        sum=lambda a: anp.sum(a, -1),
        total=anp.sum,
        max=lambda a: anp.max(a, -1),
        flat=lambda a: anp.reshape(a, (-1,)),
        turn=anp.transpose,
        spread=lambda a, shape: a + anp.zeros(shape),
    )


def torch_ops() -> SimpleNamespace:
    torch = importlib.import_module('torch')
    return SimpleNamespace(
        maximum=torch.maximum,
        minimum=torch.minimum,
        where=torch.where,
        stack=lambda a, b: torch.stack((a, b)),
        concat=lambda a, b: torch.cat((a, b)),
        tanh=torch.tanh,
        sigmoid=torch.sigmoid,
        exp=torch.exp,
        log=torch.log,
        sqrt=torch.sqrt,
        sin=torch.sin,
        cos=torch.cos,
        abs=torch.abs,
        relu=torch.relu,
        mean=lambda a: a.mean(0, keepdim=True),
        sum=lambda a: a.sum(-1),
        total=lambda a: a.sum(),
        max=lambda a: a.amax(-1),
        flat=lambda a: a.reshape(-1),
        turn=lambda a: a.permute(tuple(reversed(range(a.ndim)))),
        spread=lambda a, shape: a.expand(shape),
    )


def step(lib: SimpleNamespace, kind: str, a, b):
    """One step of a program, or None where the shapes do not fit it."""
    if kind in ('add', 'sub', 'mul', 'maximum', 'minimum', 'div', 'power', 'where', 'stack', 'concat'):
        try:
            common = np.broadcast_shapes(tuple(a.shape), tuple(b.shape))
        except ValueError:
            return None
        if kind in ('maximum', 'minimum', 'where', 'stack', 'concat'):
            a, b = lib.spread(a, common), lib.spread(b, common)
    match kind:
        case 'add':
            return a + b
        case 'sub':
            return a - b
        case 'mul':
            return a * b
        case 'div':
            return a / (b * b + 1)
        case 'power':
            return (a * a + 0.5) ** lib.tanh(b)
        case 'where':
            return lib.where(a > b, a * b, b)
        case 'matmul':
            return a @ lib.turn(b) if a.ndim == b.ndim == 2 and a.shape[1] == b.shape[1] else None
        case 'maximum' | 'minimum' | 'stack':
            return getattr(lib, kind)(a, b)
        case 'concat':
            return lib.concat(a, b) if a.ndim else None
        case 'log':
            return lib.log(a * a + 1)
        case 'sqrt':
            return lib.sqrt(a * a + 1)
        case 'exp':
            return lib.exp(lib.sin(a))
        case 'square':
            return lib.tanh(a) ** 2
        case 'neg':
            return -a
        case 'scalar':
            return 0.5 - 2 * a / 3
        case 'sum' | 'mean' | 'max':
            return getattr(lib, kind)(a) if a.ndim else None
        case 'reshape':
            return lib.flat(a)
        case 'transpose':
            return lib.turn(a)
        case 'slice':
            return a[..., 1:] if a.ndim and a.shape[-1] > 1 else None
        case 'again':
            return a * a * a - a
        case _:
            return getattr(lib, kind)(a)


def program(seed: int) -> list[tuple]:
    rng = np.random.default_rng(seed)
    names = list(KINDS)
    made = [
        (names[rng.integers(len(names))], rng.uniform(0, 1), rng.uniform(0, 1), bool(rng.uniform() < 0.5))
        for _ in range(STEPS)
    ]
    assert len(made) == STEPS
    return made


def run(lib: SimpleNamespace, made: list[tuple], inputs: tuple):
    """A scalar: the sum of all values that the program makes, so that no step is idle."""
    values, total = list(inputs), 0.0
    for kind, first, second, squash in made:
        a, b = values[int(first * len(values))], values[int(second * len(values))]
        value = step(lib, kind, a, b)
        if value is None or value.ndim > 3:
            continue
        value = lib.tanh(value) if squash else value
        values.append(value)
        total = total + lib.total(lib.sin(value))
    return total + lib.total(inputs[0] * 1.0)


def arrays(seed: int) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Inputs and the direction of the second order."""
    rng = np.random.default_rng([seed, 1])
    shapes = [SHAPES[rng.integers(len(SHAPES))] for _ in range(INPUTS)]
    return [rng.uniform(-1.5, 1.5, s) for s in shapes], [rng.uniform(-1, 1, s) for s in shapes]


PLACES = tuple(range(INPUTS))


def by_minicell(made, inputs, direction, dtype=ms.float64):
    lib = minicell_ops()
    slope = ms.grad(lambda *x: run(lib, made, x), PLACES)

    def along(*x):
        return sum((g * v).sum() for g, v in zip(slope(*x), direction, strict=True))

    x = [ms.Tensor(a, dtype) for a in inputs]
    direction = [ms.Tensor(v, dtype) for v in direction]
    return [g.asnumpy() for g in slope(*x)], [g.asnumpy() for g in ms.grad(along, PLACES)(*x)]


def by_autograd(made, inputs, direction):
    autograd = importlib.import_module('autograd')
    lib = autograd_ops()
    slope = autograd.grad(lambda x: run(lib, made, x))

    def along(x):
        return sum(lib.total(g * v) for g, v in zip(slope(x), direction, strict=True))

    return list(slope(tuple(inputs))), list(autograd.grad(along)(tuple(inputs)))


def by_torch(made, inputs, direction):
    torch = importlib.import_module('torch')
    x = [torch.tensor(a, requires_grad=True) for a in inputs]
    first = torch.autograd.grad(run(torch_ops(), made, x), x, create_graph=True, materialize_grads=True)
    along = sum((g * torch.tensor(v)).sum() for g, v in zip(first, direction, strict=True))
    second = torch.autograd.grad(along, x, materialize_grads=True) if along.requires_grad else map(torch.zeros_like, x)
    return [g.detach().numpy() for g in first], [g.numpy() for g in second]


PEERS = {'autograd': by_autograd, 'torch': by_torch}


@pytest.mark.filterwarnings('ignore::minicell.errors.NoPathWarning')
@pytest.mark.parametrize('seed', range(60))
@pytest.mark.parametrize('peer', PEERS)
@pytest.mark.filterwarnings('ignore:Output seems independent of input')
def test_a_random_graph(peer, seed):
    """First and second order to float64 accuracy, and in float32 to float32's."""
    pytest.importorskip(peer, reason=f'{peer} is not installed')
    made, (inputs, direction) = program(seed), arrays(seed)
    first, second = by_minicell(made, inputs, direction)
    due_first, due_second = PEERS[peer](made, inputs, direction)
    for k in PLACES:
        np.testing.assert_allclose(first[k], due_first[k], rtol=1e-9, atol=1e-9, err_msg=f'input {k}: {made}')
        np.testing.assert_allclose(second[k], due_second[k], rtol=1e-7, atol=1e-8, err_msg=f'input {k}: {made}')
    single, single_second = by_minicell(made, inputs, direction, ms.float32)
    for k in PLACES:
        assert single[k].dtype == single_second[k].dtype == np.float32
        np.testing.assert_allclose(single[k], due_first[k], rtol=1e-3, atol=1e-3)


def test_the_programs_try_every_step():
    """Each kind of step is tried, in a shape that fits it, by some of the seeds above."""
    tried = set()

    with pytest.MonkeyPatch.context() as patch:
        original = step
        patch.setitem(globals(), 'step', lambda *a: note_tried(original, tried, *a))
        for seed in range(60):
            run(minicell_ops(), program(seed), tuple(map(ms.Tensor, arrays(seed)[0])))
    assert tried == set(KINDS), f'never tried: {sorted(set(KINDS) - tried)}'


def note_tried(original, tried, lib, kind, a, b):
    value = original(lib, kind, a, b)
    if value is not None:
        tried.add(kind)
    return value
