"""Right and wrong rules of MindSpore, as rows: the classics, the examples of its documentation, public mistakes."""

import inspect
import secrets

import mindspore
import numpy as np
from mindspore import Parameter, Tensor, nn, ops

from tests.elsewhere import classics
from tests.elsewhere.documents import Dropout2d, Net, NetWithParam, ReLU6, ReluNet, Threshold, relusigmoid


class Made(nn.Cell):
    """A Cell of a function, and of a backward that gets what came in and the inputs."""

    def __init__(self, forward, backward):
        super().__init__()
        self.forward, self.backward = forward, backward

    def bprop(self, *args):
        found = self.backward(args[-1], *args[:-2])
        return found if isinstance(found, tuple) else (found,)


class One(Made):
    def construct(self, x):
        return self.forward(x)


class Two(Made):
    def construct(self, x, y):
        return self.forward(x, y)


class Three(Made):
    def construct(self, x, y, z):
        return self.forward(x, y, z)


def made(forward, backward):
    return (One, Two, Three)[len(inspect.signature(forward).parameters) - 1](forward, backward)


def drawn(*shape, seed=0):
    return Tensor(np.random.default_rng(seed).standard_normal(shape).astype(np.float32))


X, Y, B, SQUARE = drawn(6, 4), drawn(6, 4, seed=1), drawn(4, seed=2), drawn(4, 4, seed=3)
IMAGE, VECTOR = drawn(1, 4, 2, 2), drawn(3, seed=4)
ROWS = Tensor(np.array([0, 2, 2, 1, 0]))
RIGHT, WRONG = classics.rows(ops, made, Tensor)


# ---- beside the documentation's own ----------------------------------------------------------------------------------


class MatMul(Net):
    def bprop(self, x, y, out, dout):
        return self.matmul(dout, y.T), self.matmul(x.T, dout)


class SlopedReLU6(ReLU6):
    def bprop(self, x, out, dout):
        return (dout * ((x > 0) & (x < 6)).astype(dout.dtype),)


class Unscaled(Dropout2d):
    def bprop(self, x, out, dout):
        return (out[1].astype(x.dtype) * dout[0],)


class OtherMask(Dropout2d):
    def bprop(self, x, out, dout):
        return (self.dropout2d(dout[0])[0],)


# ---- what only MindSpore has -----------------------------------------------------------------------------------------


class Square(nn.Cell):
    def construct(self, x):
        return x * x

    def bprop(self, x, out, dout):
        return (2 * x * dout,)


class Half(Square):
    def bprop(self, x, out, dout):
        return (x * dout,)


class Returns(Square):
    """What a function makes of it all."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def bprop(self, x, out, dout):
        return self.function(x, dout)


class Exp(nn.Cell):
    def construct(self, x):
        return ops.exp(x)

    def bprop(self, x, out, dout):
        return (dout * out,)


class Jitted(Square):
    @mindspore.jit
    def construct(self, x):
        return x * x


class WithDefault(nn.Cell):
    def construct(self, x, times=3.0):
        return x * times

    def bprop(self, x, times, out, dout):
        return dout * times, None


class Divides(WithDefault):
    def bprop(self, x, times, out, dout):
        return dout / times, None


class Pair(nn.Cell):
    def construct(self, pair):
        return pair[0] * pair[1]

    def bprop(self, pair, out, dout):
        return ((dout * pair[1], dout * pair[0]),)


class Swapped(Pair):
    def bprop(self, pair, out, dout):
        return ((dout * pair[0], dout * pair[1]),)


class Alike(nn.Cell):
    """Two Parameters; order: that of the dict of their gradients, which MindSpore never reads by its keys."""

    def __init__(self, *order):
        super().__init__()
        self.v, self.w = Parameter(B.copy(), name='v'), Parameter(SQUARE[1].copy(), name='w')
        self.internal_params, self.order = [self.v, self.w], order

    def construct(self, x):
        return x * self.v + self.w

    def bprop(self, x, out, dout):
        every = {'v': (self.v, (dout * x).sum(0)), 'w': (self.w, dout.sum(0))}
        return (dout * self.v,), dict(every[name] for name in self.order)


class Layer(nn.Cell):
    """A product with a Parameter that it hands to an inner Cell."""

    def __init__(self, inner):
        super().__init__()
        self.weight, self.inner = Parameter(SQUARE.copy(), name='weight'), inner

    def construct(self, x):
        return self.inner(x, self.weight)


class Around(nn.Cell):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def construct(self, x):
        return 3 * self.inner(ops.sin(x))[..., ::2]


class Twice(Around):
    def construct(self, x):
        return self.inner(self.inner(x) / 4)


class State(Square):
    def construct(self, x):
        self.last = x
        return x * x

    def bprop(self, x, out, dout):
        return (2 * self.last * dout,)


class Rounded(Square):
    def bprop(self, x, out, dout):
        return ((2.0 if x.dtype == mindspore.float64 else 2.1) * x * dout,)


class Drops(nn.Cell):
    def __init__(self):
        super().__init__()
        self.mask = None

    def construct(self, x):
        self.mask = (ops.rand(x.shape) > 0.4).astype(x.dtype) / 0.6
        return x * self.mask

    def bprop(self, x, out, dout):
        return (dout * self.mask,)


class DropsAgain(Drops):
    def bprop(self, x, out, dout):
        return (dout * (ops.rand(x.shape) > 0.4).astype(x.dtype) / 0.6,)


class Asks(Square):
    """Its bprop asks an inner Cell for its gradient."""

    def __init__(self):
        super().__init__()
        self.inner = ReluNet()

    def construct(self, x):
        return self.inner(x)

    def bprop(self, x, out, dout):
        return (dout * mindspore.grad(self.inner)(x),)


def hooked():
    cell = Square()
    cell.register_backward_hook(lambda cell, given, came: (given[0] * 5,))
    return cell


relu_net, half = ReluNet(), Half()
forgotten = made(lambda x, b: x * b, lambda g, x, b: (g * b, g * x))
both, gathers, to_numpy = (lambda x: (x * x, ops.sin(x))), lambda x, i: ops.gather(x, i, 0), lambda x: x.asnumpy()
added = lambda g, x, i: (ops.zeros_like(x).index_add(0, i.astype(mindspore.int32), g), None)
written = lambda g, x, i: (ops.tensor_scatter_update(ops.zeros_like(x), i[:, None], g), None)
pair_of_dtypes = Tensor(np.linspace(-1, 2, 6).reshape(2, 3).astype(np.float16))
RIGHT |= {
    'MatMul, with its gradients': (MatMul(), (X, SQUARE)),
    'ReLU6, with its slope': (SlopedReLU6(), (X * 4,)),
    'Dropout2d': (Dropout2d(0.8), (IMAGE,)),
    'NetWithParam': (NetWithParam(), (VECTOR,)),
    'Threshold': (Threshold(0.1, 20.0), (X,)),
    'a bare Tensor': (Returns(lambda x, g: 2 * x * g), (X,)),
    'too many, which MindSpore ignores': (Returns(lambda x, g: (2 * x * g, g)), (X,)),
    'a forgotten sum, which MindSpore adds up': (forgotten, (X, B)),
    'Float64': (Returns(lambda x, g: ((2 * x * g).astype(mindspore.float64),)), (X,)),
    'jitted': (Jitted(), (X,)),
    'hooked': (hooked(), (X,)),
    'a default': (WithDefault(), (X,)),
    'a number': (WithDefault(), (X, 2.0)),
    'two outputs': (made(both, lambda g, x: 2 * x * g[0] + ops.cos(x) * g[1]), (X,)),
    'a tuple': (Pair(), ((X, Y),)),
    'rows by index': (made(gathers, added), (X, ROWS)),
    'two Parameters': (Alike('v', 'w'), (X,)),
    'a Parameter of the Cell around': (Layer(MatMul()), (X,)),
    'in a Cell': (Around(Square()), (X,)),
    'in a function': (lambda x: 3 * relu_net(x)[::2], (X,)),
    'called twice': (Twice(Square()), (X,)),
    'through NumPy': (made(lambda x: Tensor(to_numpy(x) ** 2), lambda g, x: 2 * x * g), (X,)),
    'it asks for a gradient': (Asks(), (X,)),
    'Float16': (Square(), (pair_of_dtypes,)),
    'bfloat16': (Square(), (X.astype(mindspore.bfloat16),)),
    'tiny inputs': (Square(), (X * 1e-8,)),
    'beside a huge constant': (made(lambda x: x * x + 1e5, lambda g, x: 2 * g * x), (X,)),
    'a single number': (Square(), (Tensor(0.5),)),
    'one row': (Square(), (X[:1],)),
    'second order, square': (Square(), (X,)),
    'second order, exp': (Exp(), (X,)),
    'second order, product': (RIGHT['product'][0], (X, Y)),
}
WRONG |= {
    "the documentation's MatMul": (Net(), (X, SQUARE), ''),
    "the documentation's ReLU6": (ReLU6(), (X,), 'in the place of dout'),
    'Dropout2d without its scale': (Unscaled(0.8), (IMAGE,), '0.8 times'),
    'Dropout2d with another mask': (OtherMask(0.5), (drawn(1, 9, 2, 2),), ''),
    'a Parameter that is not declared': (NetWithParam(own=False), (VECTOR,), 'swallows the Parameter weight'),
    'half of it': (Half(), (X,), '0.5 times'),
    'half of it, in a Cell': (Around(Half()), (X,), '0.5 times'),
    'half of it, in a function': (lambda x: 3 * half(x)[::2], (X,), '0.5 times'),
    'half of it, twice': (Twice(Half()), (X,), '0.25 times'),
    'half of it, NumPy': (made(lambda x: Tensor(to_numpy(x) ** 2), lambda g, x: x * g), (X,), '0.5 times'),
    'nothing is returned': (Returns(lambda x, g: None), (X,), 'returned nothing'),
    'too few': (made(lambda x, y: x * y, lambda g, x, y: g * y), (X, Y), 'returned 1 gradient for 2 inputs'),
    'another shape': (Returns(lambda x, g: (g[:, :3],)), (X,), 'which has shape (6, 4)'),
    'NumPy is returned': (Returns(lambda x, g: (g.asnumpy(),)), (X,), 'a Tensor is due'),
    'it raises': (Returns(lambda x, g: (g @ g,)), (X,), ''),
    'a default, divided': (Divides(), (X,), 'times'),
    'one output is forgotten': (made(both, lambda g, x: 2 * x * g[0]), (X,), 'path through'),
    'a tuple, swapped': (Swapped(), ((X, Y),), 'gradient of'),
    'rows by index, written': (made(gathers, written), (X, ROWS), ''),
    'Parameters by the order of a dict': (Alike('w', 'v'), (X,), 'gradient of'),
    'kept on the Cell': (State(), (X,), 'in between'),
    'a mask that is kept on the Cell': (Drops(), (X,), 'in between'),
    'a new mask': (DropsAgain(), (X,), ''),
    'another number in Float32': (Rounded(), (X,), 'right in Float64'),
    'second order, NumPy': (Returns(lambda x, g: (Tensor(2 * x.asnumpy()) * g,)), (X,), 'second is not'),
    'second order, stopped': (Returns(lambda x, g: (ops.stop_gradient(2 * x) * g,)), (X,), 'second is not'),
}
SURROGATE = {'a step': (relusigmoid(), (X,))}
UNKNOWN = {
    'integers alone': (made(lambda x: x.astype(mindspore.int32), lambda g, x: g), (X,)),
    'random, and nothing can be put back': (made(lambda x: x * secrets.randbelow(1000), lambda g, x: g), (X,)),
}
