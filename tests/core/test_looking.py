"""Looking changes nothing: the same numbers, and the same bprops called, with and without a Tape."""

import gc
import warnings
import weakref
from contextlib import nullcontext

import numpy as np
import pytest

import minicell as ms
from minicell import Parameter, Tensor, nn, ops
from tests.core import cells

pytestmark = pytest.mark.filterwarnings('ignore::minicell.errors.MinicellWarning')
X = Tensor([0.5, 2.0, -1.5])
called: list = []


def logged(kind: type) -> type:
    """The Cell with a bprop that writes down that it was called."""

    def bprop(self, *args):
        called.append((kind.__name__, [t.asnumpy().tolist() for t in args if isinstance(t, Tensor)]))
        return kind.bprop(self, *args)

    return type(kind.__name__, (kind,), {'bprop': bprop})


Cube, Product, Split, Scale, Keeps = map(logged, (cells.Cube, cells.Product, cells.Split, cells.Scale, cells.Keeps))


def nested(x):
    def bprop(self, x, out, dout):
        called.append(('nested', []))
        return (dout * cube(x) * ms.grad(lambda y: cube(y).sum())(x),)

    cube = Cube()
    return cells.made(lambda self, x: cube(x) + ms.grad(lambda y: cube(y).sum())(x), bprop)(x).sum()


def shared(x):
    cube = Cube()
    return (cube(x) + cube(x * 2) * cube(cube(x))).sum()


def weights(x):
    scale = Scale(3.0)
    inner = ms.grad(lambda y: scale(y).sum(), None, scale.w)
    return (inner(x) * scale(x)).sum()


def written(x):
    mean = Parameter(Tensor(0.0), 'mean', requires_grad=False)
    for _ in range(2):
        mean.set_data(float(mean) * 0.5 + float(x.asnumpy().mean()))
        x = x * Cube()(x) * 0.1
    return x * mean


PROGRAMS = {
    'ops': lambda x: (ops.tanh(x) * ops.exp(x / 2) - 1 / (x * x + 1)).sum(),
    'shapes': lambda x: ops.concat((x.reshape(3, 1), ops.stack((x, x), 1)), 1).amax(1) @ x[[2, 0, 1]],
    'custom': lambda x: Cube()(x).sum(),
    'two inputs, one object': lambda x: Product()(x, x).sum(),
    'several outputs': lambda x: (Split()(x)[1] * Split()(x)[0]).sum(),
    'shared': shared,
    'nested': nested,
    'keeps': lambda x: Keeps()(x).sum(),
    'weights': weights,
    'an inner gradient': lambda x: (ms.grad(lambda y: (Cube()(y) * y).sum())(x) * x).sum(),
    'an inner value_and_grad': lambda x: (lambda v, g: v * g)(*ms.value_and_grad(lambda y: Cube()(y).sum())(x)).sum(),
    'written': written,
    'dense': lambda x: nn.SequentialCell(nn.Dense(3, 2, 0.1, 0.2), nn.Tanh())(x.reshape(1, 3)),
    'not used': lambda x: (Cube()(x), x * 2)[1],
    'select': lambda x: ops.select(x > 0, Cube()(x), x * 2).sum(),
}


def run(program, order: int, look=nullcontext) -> tuple:
    called.clear()
    f = program
    for _ in range(order):
        f = ms.grad(lambda x, f=f: f(x).sum())
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', ms.errors.HiddenValueWarning)
        try:
            with look() as tape:
                got = f(X)
            assert tape is None or (tape.events and str(tape))
        except ms.errors.HiddenValueError as error:
            return str(error).splitlines()[0], list(called)
    return got.asnumpy(), list(called)


@pytest.mark.parametrize('name', PROGRAMS)
@pytest.mark.parametrize('order', [0, 1, 2, 3])
def test_looking_changes_no_number_and_no_call(name, order):
    plain, plain_calls = run(PROGRAMS[name], order)
    seen, seen_calls = run(PROGRAMS[name], order, ms.Tape)
    np.testing.assert_array_equal(seen, plain)
    assert seen_calls == plain_calls


def test_some_of_these_programs_call_bprops_and_one_is_refused():
    """So that the test above cannot pass on nothing."""
    for name in ('custom', 'shared', 'several outputs', 'weights', 'nested', 'keeps'):
        assert run(PROGRAMS[name], 1)[1], f'{name} calls no bprop'
    assert isinstance(run(PROGRAMS['keeps'], 2)[0], str)


def test_looking_at_a_training_loop_changes_no_weight():
    def train(look):
        np.random.seed(0)
        net = nn.SequentialCell(nn.Dense(3, 4), nn.ReLU(), cells.Cube(), nn.Dense(4, 1))
        params = net.trainable_params()
        step = ms.value_and_grad(lambda x: (net(x) ** 2).mean(), None, params)
        for _ in range(3):
            with look():
                _, grads = step(Tensor([[0.1, 0.2, 0.3]]))
            for p, g in zip(params, grads, strict=True):
                p.set_data(p - 0.1 * g)
        return [p.asnumpy().copy() for p in params]

    for a, b in zip(train(nullcontext), train(ms.Tape), strict=True):
        np.testing.assert_array_equal(a, b)


def test_an_open_tape_does_not_make_values_outlive_it():
    def look():
        with ms.Tape() as tape:
            ms.grad(lambda x: (x * x).sum())(X)
        return weakref.ref(tape.events[1].out)

    ref = look()
    gc.collect()
    assert ref() is None
