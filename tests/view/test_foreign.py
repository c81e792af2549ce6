"""Programs as other people write them, each under a Tape: whatever is asked is answered, and the numbers add up."""

from collections import Counter

import everything
import gallery
import numpy as np
import pytest
import ran

from minicell.view.account import ask
from minicell.view.picture import ZOOMS
from minicell.view.tell import tell

NUMBERS = 12  # of each tape, at random
TRACED = ('jit of a Cell with a bprop', 'grad of jit of grad')  # a graph does not take in the wrappers that count
BEFORE = ('a Tape around the way back alone',)  # what it reads back ran before it

PROGRAMS = {
    'three takeovers, one in the other': """
class A(nn.Cell):
    def construct(self, x):
        return x * x

    def bprop(self, x, out, dout):
        return (dout * x * 2,)

class B(nn.Cell):
    def __init__(self):
        super().__init__()
        self.a = A()

    def construct(self, x):
        return self.a(x) + ops.sin(x)

    def bprop(self, x, out, dout):
        return (ms.grad(lambda t: (self.a(t) * dout).sum())(x) + dout * ops.cos(x),)

class C(nn.Cell):
    def __init__(self):
        super().__init__()
        self.b = B()

    def construct(self, x, *rest, scale=2.0):
        return self.b(self.b(x)) * scale + sum(rest)

c = C()
with ms.Tape() as tape:
    g = ms.grad(lambda x, y: c(x, y, y).sum(), (0, 1))(ms.Tensor([0.3, -0.2]), ms.Tensor([1.0, 2.0]))
""",
    'hooks before and after': """
calls = []

def double(grad):
    calls.append('double')
    return grad * 2

def look(grad):
    calls.append('look')

def clip(cell, grad_input, grad_output):
    calls.append('clip')
    return tuple(ops.clamp(g, -1.0, 1.0) for g in grad_input)

def before(cell, grad_output):
    calls.append('before')
    return (grad_output[0] + 1,)

net = nn.Dense(3, 2)
net.register_backward_hook(clip)
net.register_backward_pre_hook(before)

def loss(x):
    h = net(x)
    h.register_hook(double)
    h.register_hook(look)
    return (h * h).sum()

x = ms.Tensor([[1.0, -2.0, 0.5]])
with ms.Tape() as tape:
    dx, dw = ms.grad(loss, 0, net.trainable_params())(x)
""",
    'a hook on the input': """
calls = []

def half(g):
    calls.append('half')
    return g / 2

x = ms.Parameter(ms.Tensor([1.0, 2.0]), name='x')
x.register_hook(half)
with ms.Tape() as tape:
    dx = ms.grad(lambda: (x * x).sum() + (x * 3).sum(), None, [x])()
""",
    'a hook removed halfway': """
calls = []

def flip(g):
    calls.append('flip')
    return -g

x = ms.Tensor([1.0, 2.0])
handle = None

def f(x):
    global handle
    y = x * x
    handle = y.register_hook(flip)
    return y.sum()

with ms.Tape() as tape:
    one = ms.grad(f)(x)
    handle.remove()
    two = ms.grad(lambda x: (x * x).sum())(x)
""",
    'a hook that makes a gradient': """
calls = []

def slope(g):
    calls.append('slope')
    return ms.grad(lambda t: (t ** 3).sum())(g)

def f(x):
    y = x * 2
    y.register_hook(slope)
    return (y * x).sum()

with ms.Tape() as tape:
    dx = ms.grad(f)(ms.Tensor([0.5, -1.5]))
    ddx = ms.grad(lambda x: ms.grad(f)(x).sum())(ms.Tensor([0.5, -1.5]))
""",
    'a hook that raises': """
def bad(g):
    raise RuntimeError('no gradient today: <&>')

def f(x):
    y = x * 2
    y.register_hook(bad)
    return y.sum()

with ms.Tape() as tape:
    ms.grad(f)(ms.Tensor([1.0]))
""",
    'vjp and jvp in a bprop': """
class Both(nn.Cell):
    def construct(self, x):
        return ops.tanh(x) * x

    def bprop(self, x, out, dout):
        y, pull = ms.vjp(ops.tanh, x)
        _, tangent = ms.jvp(ops.tanh, x, dout)
        return (pull(dout * x)[0] + y * dout + tangent * 0,)

both = Both()
with ms.Tape() as tape:
    j = ms.jacrev(both)(ms.Tensor([0.2, -0.7]))
    f = ms.jacfwd(lambda x: ops.tanh(x) * x)(ms.Tensor([0.2, -0.7]))
""",
    'a jacobian in a bprop': """
class Jac(nn.Cell):
    def construct(self, x):
        return ops.sin(x) * x

    def bprop(self, x, out, dout):
        j = ms.jacrev(lambda t: ops.sin(t) * t)(x)
        return (ops.matmul(dout.reshape(1, -1), j).reshape(-1),)

jac = Jac()
with ms.Tape() as tape:
    dx = ms.grad(lambda x: (jac(x) ** 2).sum())(ms.Tensor([0.2, -0.7, 1.1]))
""",
    'a vjp called twice, of several outputs': """
def f(x, y):
    return x * y, {'s': x.sum(), 't': (y, None)}

x, y = ms.Tensor([1.0, 2.0]), ms.Tensor([3.0, 4.0])
with ms.Tape() as tape:
    out, pull = ms.vjp(lambda x, y: (x * y, x.sum()), x, y)
    a = pull((ops.ones_like(out[0]), ms.Tensor(0.5)))
    b = pull((ops.zeros_like(out[0]), ms.Tensor(2.0)))
""",
    'third order and a Hessian': """
def f(x):
    return (ops.exp(x) * x * x).sum()

x = ms.Tensor([0.1, 0.4])
with ms.Tape() as tape:
    third = ms.grad(lambda x: ms.grad(lambda x: ms.grad(f)(x).sum())(x).sum())(x)
    hessian = ms.jacfwd(ms.grad(f))(x)
    other = ms.jacrev(ms.jacrev(f))(x)
""",
    'has_aux': """
def f(x, y):
    h = x * y
    return h.sum(), h, {'mean': h.mean()}

with ms.Tape() as tape:
    (value, *aux), (dx, dy) = ms.value_and_grad(f, (0, 1), has_aux=True)(ms.Tensor([1.0, 2.0]), ms.Tensor([3.0, 4.0]))
""",
    'tuples, dicts and None come in': """
class Net(nn.Cell):
    def construct(self, pair, extra=None, table=None):
        a, (b, c) = pair
        return a * b + c + (0 if extra is None else extra) + table['w']

net = Net()
w = ms.Tensor([1.0, 1.0])
with ms.Tape() as tape:
    dx = ms.grad(lambda a, b: net((a, (b, a)), None, {'w': w}).sum(), (0, 1))(ms.Tensor([1.0, 2.0]), w * 2)
""",
    'a bprop of a tuple': """
class Net(nn.Cell):
    def construct(self, pair, k=None):
        a, b = pair
        return a * b, a + b

    def bprop(self, pair, k, out, dout):
        a, b = pair
        d, e = dout
        return ((d * b + e, d * a + e), None)

net = Net()
with ms.Tape() as tape:
    g = ms.grad(lambda a, b: sum(net((a, b), None)).sum(), (0, 1))(ms.Tensor([1.0, 2.0]), ms.Tensor([3.0, 4.0]))
""",
    'momentum': """
net = nn.SequentialCell(nn.Dense(2, 3), nn.ReLU(), nn.Dense(3, 1))
optimizer = nn.SGD(net.trainable_params(), 0.1, momentum=0.9)
loss_fn = nn.MSELoss()
x, y = ms.Tensor([[1.0, 2.0], [0.0, -1.0]]), ms.Tensor([[1.0], [0.0]])
step = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, optimizer.parameters)
with ms.Tape() as tape:
    for epoch in range(3):
        loss, grads = step(x, y)
        optimizer(grads)
""",
    'adam': """
net = nn.Dense(2, 2)
optimizer = nn.Adam(net.trainable_params(), 0.01)
x = ms.Tensor([[1.0, 2.0]])
with ms.Tape() as tape:
    for epoch in range(2):
        optimizer(ms.grad(lambda: (net(x) ** 2).sum(), None, optimizer.parameters)())
""",
    'writes into a tensor': """
x = ms.Tensor([[1.0, 2.0], [3.0, 4.0]])

def f(x):
    y = x * 2
    y[0] = y[1] * 3
    y[1, 0] = 7.0
    return (y * y).sum()

with ms.Tape() as tape:
    dx = ms.grad(f)(x)
    x[0, 1] = 9.0
    x.assign_value(x * 2)
""",
    'a parameter written in construct': """
class Counter(nn.Cell):
    def __init__(self):
        super().__init__()
        self.n = ms.Parameter(ms.Tensor(0.0), name='n', requires_grad=False)
        self.w = ms.Parameter(ms.Tensor(2.0), name='w')

    def construct(self, x):
        ops.assign_add(self.n, ms.Tensor(1.0))
        return x * self.w * self.n

net = Counter()
with ms.Tape() as tape:
    for _ in range(2):
        dx, dw = ms.grad(net, 0, net.trainable_params())(ms.Tensor(3.0))
print(net.n)
""",
    'values written after the block': """
x = ms.Tensor([1.0, 2.0])
w = ms.Parameter(ms.Tensor([3.0, 4.0]), name='w')
with ms.Tape() as tape:
    dx, dw = ms.grad(lambda x: (x * w * w).sum(), 0, [w])(x)
w.set_data(w * 0)
x[0] = -100.0
""",
    'batch norm': """
bn = nn.BatchNorm1d(2)
x = ms.Tensor([[1.0, 2.0], [3.0, -1.0], [0.5, 0.0]])
with ms.Tape() as tape:
    bn.set_train()
    a = ms.grad(lambda x: (bn(x) ** 3).sum(), 0, bn.trainable_params())(x)
    bn.set_train(False)
    b = ms.grad(lambda x: (bn(x) ** 3).sum(), 0, bn.trainable_params())(x)
""",
    'dropout': """
ms.set_seed(3)
drop = nn.Dropout(p=0.4)
drop.set_train()
with ms.Tape() as tape:
    dx = ms.grad(lambda x: (drop(x) * x).sum())(ms.Tensor(np.arange(12.0, dtype=np.float32)))
    drop.set_train(False)
    dy = ms.grad(lambda x: (drop(x) * x).sum())(ms.Tensor([1.0, 2.0]))
""",
    'convolution and pooling': """
class CNN(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 2, 3, pad_mode='valid')
        self.pool = nn.MaxPool2d(2, 2)
        self.mean = nn.AvgPool2d(1)
        self.flat = nn.Flatten()
        self.fc = nn.Dense(8, 2)

    def construct(self, x):
        return self.fc(self.flat(self.mean(self.pool(ops.relu(self.conv(x))))))

ms.set_seed(0)
net = CNN()
x = ms.Tensor(np.random.default_rng(0).normal(size=(1, 1, 6, 6)).astype(np.float32))
loss = nn.CrossEntropyLoss()
with ms.Tape() as tape:
    value, (dx, grads) = ms.value_and_grad(
        lambda x: loss(net(x), ms.Tensor([1], ms.int32)), 0, net.trainable_params())(x)
""",
    'fifty moments of an RNN': """
w, u = ms.Tensor([[0.5, -0.3], [0.2, 0.1]]), ms.Tensor([[1.0, 0.0], [0.0, 1.0]])
xs = [ms.Tensor([[float(t % 3), 1.0]]) for t in range(50)]

def rnn(w, u):
    h = ops.zeros((1, 2))
    for x in xs:
        h = ops.tanh(ops.matmul(h, w) + ops.matmul(x, u))
    return h.sum()

with ms.Tape() as tape:
    dw, du = ms.grad(rnn, (0, 1))(w, u)
""",
    'spikes over fifty moments': """
class Spike(nn.Cell):
    def construct(self, v):
        return (v > 0).astype(ms.float32)

    def bprop(self, v, out, dout):
        s = ops.sigmoid(4 * v)
        return (dout * 4 * s * (1 - s),)

class LIF(nn.Cell):
    def __init__(self):
        super().__init__()
        self.spike = Spike()

    def construct(self, x, v):
        v = v * 0.9 + x
        s = self.spike(v - 1.0)
        return s, v * (1 - s)

lif = LIF()

def run(x):
    v, total = ms.Tensor([0.0, 0.0]), 0
    for t in range(50):
        s, v = lif(x, v)
        total = total + s
    return total.sum()

with ms.Tape() as tape:
    dx = ms.grad(run)(ms.Tensor([0.3, 0.15]))
""",
    'recursion': """
def power(x, n):
    return x if n == 1 else x * power(x, n - 1)

class Deep(nn.Cell):
    def construct(self, x, n):
        return x if n == 0 else ops.sin(self(x, n - 1))

deep = Deep()
with ms.Tape() as tape:
    dx = ms.grad(lambda x: power(x, 5) + deep(x, 3))(ms.Tensor(1.1))
""",
    'generators': """
def parts(x):
    for k in range(3):
        yield x[k] * k
    yield from (t * t for t in x)

with ms.Tape() as tape:
    dx = ms.grad(lambda x: sum(parts(x)))(ms.Tensor([1.0, 2.0, 3.0]))
""",
    'construct raises inside': """
class Inner(nn.Cell):
    def construct(self, x):
        y = x * 2
        if y.shape[0] == 2:
            raise ValueError('two are too few')
        return y

class Outer(nn.Cell):
    def __init__(self):
        super().__init__()
        self.inner = Inner()

    def construct(self, x):
        return self.inner(x + 1)

    def bprop(self, x, out, dout):
        return (dout,)

outer = Outer()
with ms.Tape() as tape:
    try:
        ms.grad(outer)(ms.Tensor([1.0, 2.0]))
    except ValueError as error:
        print(error)
    dx = ms.grad(lambda x: outer(x).sum())(ms.Tensor([1.0, 2.0, 3.0]))
""",
    'bprop raises in a gradient of a gradient': """
class Net(nn.Cell):
    def construct(self, x):
        return x * x

    def bprop(self, x, out, dout):
        h = dout * 2
        raise ArithmeticError('half way')

net = Net()
with ms.Tape() as tape:
    ms.grad(lambda x: ms.grad(lambda x: net(x).sum())(x).sum())(ms.Tensor([1.0]))
""",
    'code made by exec': """
space = {'ms': ms, 'ops': ops, 'nn': nn}
exec('''
class Made(nn.Cell):
    def construct(self, x):
        return ops.exp(x) * x
    def bprop(self, x, out, dout):
        return (dout * out,)
def f(x):
    y = Made()(x) + x
    return (y * y).sum()
''', space)
with ms.Tape() as tape:
    dx = ms.grad(space['f'])(ms.Tensor([0.5, 1.0]))
""",
    'lambdas on one line': """
f, g, h = (lambda x: x * 2), (lambda x: x * x), (lambda x: (lambda y: y + x)(x * 3))
with ms.Tape() as tape:
    a, b, c = [ms.grad(k)(ms.Tensor(2.0)) for k in (f, g, h)]; d = ms.grad(lambda x: f(g(h(x))))(ms.Tensor(1.5))
""",
    'decorators': """
import functools

def twice(function):
    @functools.wraps(function)
    def wrapped(*args, **kwargs):
        return function(*args, **kwargs) + function(*args, **kwargs)
    return wrapped

class Net(nn.Cell):
    @twice
    def construct(self, x):
        return x * x

    @staticmethod
    def scaled(x):
        return x * 3

class Custom(nn.Cell):
    @twice
    def construct(self, x):
        return x * x

    @functools.lru_cache
    def helper(self):
        return 2.0

    def bprop(self, x, out, dout):
        return (dout * x * self.helper() * 2,)

@twice
@ms.jit
def f(x):
    return ops.sin(x)

@ms.grad
@twice
def df(x):
    return Net.scaled(Net()(x)) + Custom()(x) + f(x)

with ms.Tape() as tape:
    dx = df(ms.Tensor(1.5))
""",
    'partial': """
from functools import partial, reduce

def f(a, b, *, c):
    return (a * b * c).sum()

with ms.Tape() as tape:
    da = ms.grad(partial(f, c=ms.Tensor([1.0, 2.0])), (0, 1))(ms.Tensor([3.0, 4.0]), ms.Tensor([5.0, 6.0]))
    db = ms.grad(partial(f, ms.Tensor([3.0, 4.0]), c=2.0))(ms.Tensor([1.0, 1.0]))
    dc = ms.grad(lambda x: reduce(ops.mul, [x, x, x]))(ms.Tensor(2.0))
""",
    'several Cells on one line': """
class P(nn.Cell):
    def construct(self, x): return x * x
    def bprop(self, x, out, dout): return (dout * x * 2,)

class Q(nn.Cell):
    def construct(self, x): return x + 1

p, q = P(), Q()
with ms.Tape() as tape:
    dx = ms.grad(lambda x: p(q(p(q(x)))) + q(p(x)) * p(x))(ms.Tensor(0.7))
""",
    'a very long line': """
with ms.Tape() as tape:
    dx = ms.grad(lambda a_rather_long_name_for_an_input: TERMS)(ms.Tensor(0.5))
""".replace('TERMS', ' + '.join(f'ops.sin(a_rather_long_name_for_an_input * {k}.0)' for k in range(30))),
    'unicode names': """
class Größe(nn.Cell):
    def construct(self, α, 入力):
        β = α * 入力; γ = β + α
        return γ

    def bprop(self, α, 入力, out, dout):
        dα = None if False else dout * 入力
        return dα, dout * α

größe = Größe()
with ms.Tape() as tape:
    dα, d入 = ms.grad(lambda é, ñ: größe(é, ñ).sum(), (0, 1))(ms.Tensor([1.0, 2.0]), ms.Tensor([3.0, 4.0]))
""",
    'nothing in it': """
class Net(nn.Cell):
    def construct(self, x):
        return x * 2

    def bprop(self, x, out, dout):
        return (dout * 3,)

net = Net()
with ms.Tape() as tape:
    dx = ms.grad(lambda x: net(x).sum() + (x * x).sum())(ms.Tensor(np.zeros((0, 3), np.float32)))
    dy = ms.grad(lambda x: ops.concat((x, ops.ones((2, 3)))).sum())(ms.Tensor(np.zeros((0, 3), np.float32)))
""",
    'many dtypes': """
class Mixed(nn.Cell):
    def construct(self, x, k, on):
        return x * k * on

    def bprop(self, x, k, on, out, dout):
        return dout * k * on, None, None

mixed = Mixed()
with ms.Tape() as tape:
    half = ms.grad(lambda x: (x * x).sum())(ms.Tensor([1.0, 2.5], ms.float16))
    wide = ms.grad(lambda x: (x ** 3).sum())(ms.Tensor([1.0, 2.5], ms.float64))
    some = ms.grad(lambda x: mixed(x, ms.Tensor([2, 3]), ms.Tensor([True, False])).sum())(ms.Tensor([1.0, 2.0]))
    cast = ms.grad(lambda x: x.astype(ms.float16).astype(ms.float64).sum())(ms.Tensor([1.0, 2.0]))
""",
    'NaN and infinity': """
class Root(nn.Cell):
    def construct(self, x):
        return ops.sqrt(x)

    def bprop(self, x, out, dout):
        return (dout / (2 * out),)

root = Root()
x = ms.Tensor([0.0, -1.0, np.inf, np.nan, 4.0])
with ms.Tape() as tape:
    dx = ms.grad(lambda x: (root(x) + ops.log(x) * x + ops.maximum(x, 1 / x)).sum())(x)
    dz = ms.grad(lambda x: (x * 1e30 * 1e30).sum())(x)
""",
    'a gradient in a bprop at second order': """
class Net(nn.Cell):
    def construct(self, x):
        return x ** 3

    def bprop(self, x, out, dout):
        return (ms.grad(lambda t: (t ** 3 * dout).sum())(x),)

net = Net()
with ms.Tape() as tape:
    h = ms.grad(lambda x: (ms.grad(lambda x: net(x).sum())(x) ** 2).sum())(ms.Tensor([0.5, 2.0]))
""",
    'stop_gradient everywhere': """
class Quantize(nn.Cell):
    def construct(self, x):
        return x + ops.stop_gradient(ops.round(x) - x)

quantize = Quantize()
with ms.Tape() as tape:
    dx = ms.grad(lambda x: (quantize(x) * ops.stop_gradient(x)).sum())(ms.Tensor([0.4, 1.7]))
    none = ms.grad(lambda x: ops.stop_gradient(x * x).sum() + x.sum() * 0)(ms.Tensor([0.4, 1.7]))
""",
    'jit inside': """
@ms.jit
def inner(x, y):
    return ops.tanh(x) * y, x + y

@ms.jit
def outer(x):
    a, b = inner(x, x * 2)
    return (a * b).sum()

with ms.Tape() as tape:
    for _ in range(3):
        dx = ms.grad(outer)(ms.Tensor([0.3, 0.6]))
    dy = ms.grad(lambda x: sum(inner(x, x)).sum() * outer(x))(ms.Tensor([0.3, 0.6]))
    dd = ms.grad(lambda x: ms.grad(outer)(x).sum())(ms.Tensor([0.3, 0.6]))
""",
    'jit of a Cell with a bprop': """
class Net(nn.Cell):
    def construct(self, x):
        return x * x

    def bprop(self, x, out, dout):
        return (dout * x * 2,)

net = Net()

@ms.jit
def f(x):
    return (net(x) * net(x + 1)).sum()

with ms.Tape() as tape:
    for _ in range(3):
        dx = ms.grad(f)(ms.Tensor([0.3, 0.6]))
""",
    'recomputed by hand': """
class Checkpoint(nn.Cell):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def construct(self, *x):
        return self.function(*x)

    def bprop(self, *args):
        *x, out, dout = args
        return ms.vjp(self.function, *x)[1](dout)

block = Checkpoint(lambda x, w: ops.tanh(ops.matmul(x, w)))
x, w = ms.Tensor([[0.3, 0.6]]), ms.Tensor([[0.5, -0.1], [0.2, 0.9]])
with ms.Tape() as tape:
    dx, dw = ms.grad(lambda x, w: block(block(x, w), w).sum(), (0, 1))(x, w)
""",
    'threads': """
import threading

results = {}

def work(k):
    results[k] = (ms.Tensor([1.0, 2.0]) * k).sum()

with ms.Tape() as tape:
    threads = [threading.Thread(target=work, args=(k,)) for k in range(3)]
    [t.start() for t in threads]
    dx = ms.grad(lambda x: (ops.sin(x) * x).sum())(ms.Tensor([1.0, 2.0]))
    [t.join() for t in threads]
""",
    'a Tape inside a Tape': """
def f(x):
    with ms.Tape() as inner:
        y = x * x
        g = ms.grad(lambda t: (t ** 3).sum())(ms.Tensor([1.0]))
    return (y * x).sum()

with ms.Tape() as tape:
    dx = ms.grad(f)(ms.Tensor([1.0, 2.0]))
    with ms.Tape() as other:
        dy = ms.grad(f)(ms.Tensor([3.0]))
""",
    'a Tape opened inside a gradient': """
def f(x):
    global tape
    with ms.Tape() as tape:
        y = ops.sin(x) * x
        z = ms.grad(lambda t: (t * x).sum())(y)
    return (y * z).sum()

dx = ms.grad(f)(ms.Tensor([1.0, 2.0]))
""",
    'a Tape around the way back alone': """
x = ms.Tensor([1.0, 2.0])
y, pull = ms.vjp(lambda x: (x * x, ops.sin(x)), x)
with ms.Tape() as tape:
    dx, = pull((x * 2, x))
""",
    'a Tape that sees nothing': """
tape = ms.Tape()
with tape:
    pass
""",
    'a Tape never opened': """
tape = ms.Tape()
""",
    'a thousand ops': """
def f(x):
    for k in range(500):
        x = x * 1.001 + 0.001
    return x.sum()

with ms.Tape() as tape:
    dx = ms.grad(f)(ms.Tensor([1.0, 2.0]))
""",
    'an argument used as itself': """
with ms.Tape() as tape:
    a = ms.grad(lambda x: x)(ms.Tensor(2.0))
    b = ms.grad(lambda x, y: x, (0, 1))(ms.Tensor([2.0]), ms.Tensor(1.0))
    c = ms.grad(lambda x: x + x)(ms.Tensor([2.0]))
    d = ms.grad(lambda x: (x * x - x / x).sum())(ms.Tensor([2.0]))
""",
    'the same Tensor twice': """
x = ms.Tensor([1.0, 2.0])

class Pair(nn.Cell):
    def construct(self, a, b):
        return a * b * b

    def bprop(self, a, b, out, dout):
        return dout * b * b, dout * a * b * 2

pair = Pair()
with ms.Tape() as tape:
    g = ms.grad(pair, (0, 1))(x, x)
    h = ms.grad(lambda x: pair(x, x).sum())(x)
""",
    'a takeover of several outputs': """
class Split(nn.Cell):
    def construct(self, x):
        return {'low': x[:1] * 2, 'high': [x[1:] * 3, (x > 0)]}, x.sum()

    def bprop(self, x, out, dout):
        parts, total = dout
        return (ops.concat((parts['low'] * 2, parts['high'][0] * 3)) + total,)

split = Split()

def f(x):
    parts, total = split(x)
    return parts['low'].sum() * total + (parts['high'][0] ** 2).sum()

with ms.Tape() as tape:
    dx = ms.grad(f)(ms.Tensor([1.0, 2.0, 3.0]))
""",
    'a takeover with parameters': """
class Affine(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = ms.Parameter(ms.Tensor([2.0, 3.0]), name='w')
        self.b = ms.Parameter(ms.Tensor([0.5, 0.5]), name='b')
        self.internal_params = [self.w, self.b]

    def construct(self, x):
        return self.w * x + self.b

    def bprop(self, x, out, dout):
        return (dout * self.w,), {self.w: dout * x, self.b: dout}

net = Affine()
optimizer = nn.SGD(net.trainable_params(), 0.1)
with ms.Tape() as tape:
    for _ in range(2):
        dx, dp = ms.grad(lambda x: (net(net(x)) ** 2).sum(), 0, optimizer.parameters)(ms.Tensor([1.0, -1.0]))
        optimizer(dp)
""",
    'attributes kept for bprop': """
class Max(nn.Cell):
    def construct(self, x):
        self.index = int(x.argmax())
        self.shape_ = x.shape
        return x.max()

    def bprop(self, x, out, dout):
        d = ops.zeros_like(x)
        d[self.index] = dout
        return (d,)

net = Max()
with ms.Tape() as tape:
    dx = ms.grad(lambda x: net(x) * net(x * -1))(ms.Tensor([1.0, 5.0, 2.0]))
""",
    'a bprop that writes into dout': """
class Net(nn.Cell):
    def construct(self, x):
        return x * 2

    def bprop(self, x, out, dout):
        d = dout.copy()
        d[0] = 0.0
        d += 1
        return (d,)

net = Net()
with ms.Tape() as tape:
    dx = ms.grad(lambda x: (net(x) * x).sum())(ms.Tensor([1.0, 5.0, 2.0]))
""",
    'NumPy on the way': """
class Net(nn.Cell):
    def construct(self, x):
        return ms.Tensor(np.cumsum(x.asnumpy()))

    def bprop(self, x, out, dout):
        return (ms.Tensor(np.cumsum(dout.asnumpy()[::-1])[::-1].copy()),)

net = Net()
with ms.Tape() as tape:
    dx = ms.grad(lambda x: (net(x) * x).sum())(ms.Tensor([1.0, 5.0, 2.0]))
""",
    'classes in functions, methods as functions': """
def make(scale):
    class Scaled(nn.Cell):
        def construct(self, x):
            return x * scale

        def bprop(self, x, out, dout):
            return (dout * scale,)
    return Scaled()

class Trainer:
    def __init__(self):
        self.net = make(3.0)

    def loss(self, x):
        return (self.net(x) ** 2).sum()

    def __call__(self, x):
        return ms.grad(self.loss)(x)

with ms.Tape() as tape:
    dx = Trainer()(ms.Tensor([1.0, 2.0]))
""",
    'a subclass with the bprop of another': """
class Base(nn.Cell):
    def construct(self, x):
        return self.forward(x)

    def bprop(self, x, out, dout):
        return (self.backward(x, dout),)

class Square(Base):
    def forward(self, x):
        return x * x

    def backward(self, x, dout):
        return 2 * x * dout

class Alias(nn.Cell):
    construct = Square.forward
    bprop = Base.bprop
    backward = Square.backward

a, b = Square(), Alias()
with ms.Tape() as tape:
    dx = ms.grad(lambda x: (a(x) * b(x)).sum())(ms.Tensor([1.0, 2.0]))
""",
    'comprehensions, star and walrus': """
def f(*xs, **more):
    first, *rest = [x * k for k, x in enumerate(xs, 1)]
    if (s := sum(rest)) is not None:
        first = first + s
    p, (q, *r) = first, [x for x in rest]
    return (p * q).sum() if (p.sum() > 0) else p.sum()

with ms.Tape() as tape:
    g = ms.grad(f, (0, 1, 2))(*[ms.Tensor([float(k), 1.0]) for k in range(3)])
""",
    'a class with a metaclass and slots': """
class Meta(type(nn.Cell)):
    pass

class Net(nn.Cell, metaclass=Meta):
    '''A docstring with "quotes" and \\\\ backslashes.'''

    def construct(self, x, *, flag=True):
        if flag:
            return x @ x.T
        return x

    def bprop(self, x, flag, out, dout): return ((dout + dout.T) @ x, None)

net = Net()
with ms.Tape() as tape:
    dx = ms.grad(lambda x: net(x).sum())(ms.Tensor([[1.0, 2.0], [3.0, 4.0], [0.0, 1.0]]))
""",
    'broadcasts and reductions': """
def f(x, b):
    y = x + b
    z = y / y.sum(axis=-1, keepdims=True)
    return (z * ops.log(z)).mean() + ops.softmax(x, -1)[0, 1] + x.max() - x.min(axis=0).sum() + ops.cumsum(x, 0).sum()

x = ms.Tensor([[1.0, 2.0, 3.0], [0.5, 0.25, 4.0]])
with ms.Tape() as tape:
    dx, db = ms.grad(f, (0, 1))(x, ms.Tensor([1.0, 1.5, 2.0]))
""",
    'moving numbers': """
def f(x):
    a, b = ops.split(x, 1, axis=0)
    c = ops.stack((a, b), 1).reshape(-1)[ms.Tensor([3, 0, 0, 1])]
    d = ops.concat((c, c * 2)).reshape(2, 4).transpose(1, 0)
    return (d[::2, 1:] * d[1:3, :1] * ops.tile(d, (2, 1))[3:5, :1]).sum()

with ms.Tape() as tape:
    dx = ms.grad(f)(ms.Tensor([[1.0, 2.0], [3.0, -4.0]]))
""",
    'inner gradient inside an outer one': """
def inner(w, x):
    return ((w * x) ** 2).sum()

def maml(w):
    fast = w
    for x in (ms.Tensor([1.0, 2.0]), ms.Tensor([0.5, -1.0])):
        fast = fast - 0.1 * ms.grad(inner)(fast, x)
    return inner(fast, ms.Tensor([2.0, 1.0]))

with ms.Tape() as tape:
    value, dw = ms.value_and_grad(maml)(ms.Tensor([0.3, 0.7]))
""",
    'gradient penalty with a takeover': """
class Critic(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = ms.Parameter(ms.Tensor([0.5, -1.0]), name='w')

    def construct(self, x):
        return ops.tanh(x * self.w).sum()

class Leaky(nn.Cell):
    def construct(self, x):
        return ops.relu(x)

    def bprop(self, x, out, dout):
        return (ops.where(x > 0, dout, dout * 0.1),)

critic, leaky = Critic(), Leaky()

def penalty(x):
    g = ms.grad(lambda x: critic(leaky(x) * x))(x)
    return ((g * g).sum() - 1) ** 2

with ms.Tape() as tape:
    dx, dw = ms.grad(penalty, 0, critic.trainable_params())(ms.Tensor([0.5, -0.5]))
""",
    'a gradient that is caught and tried again': """
class Flaky(nn.Cell):
    count = 0

    def construct(self, x):
        return x * 2

    def bprop(self, x, out, dout):
        Flaky.count += 1
        h = dout * 2
        if Flaky.count < 3:
            raise OSError(f'attempt {Flaky.count}')
        return (h,)

net = Flaky()
with ms.Tape() as tape:
    while True:
        try:
            dx = ms.grad(lambda x: (net(x) * x).sum())(ms.Tensor([1.0, 2.0]))
            break
        except OSError:
            continue
""",
    'interrupted from outside': """
class Stop(BaseException):
    pass

def f(x):
    y = x * x
    raise Stop('enough')

with ms.Tape() as tape:
    try:
        ms.grad(f)(ms.Tensor([1.0]))
    except Stop:
        pass
    dx = ms.grad(lambda x: x * 3)(ms.Tensor(1.0))
""",
    'takeovers that swallow': """
class Wrap(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(2, 2)

    def construct(self, x):
        return self.fc(x)

    def bprop(self, x, out, dout):
        return (dout @ self.fc.weight,)

net = Wrap()
with ms.Tape() as tape:
    dx, dp = ms.grad(lambda x: net(x).sum(), 0, net.trainable_params())(ms.Tensor([[1.0, 2.0]]))
""",
    'LayerNorm, attention': """
ms.set_seed(1)
norm, q, k, v = nn.LayerNorm((4,)), nn.Dense(4, 4), nn.Dense(4, 4), nn.Dense(4, 4)

def attend(x):
    h = norm(x)
    weights = ops.softmax(ops.matmul(q(h), k(h).T) / 2.0, -1)
    return (ops.matmul(weights, v(h)) ** 2).mean()

x = ms.Tensor(np.random.default_rng(2).normal(size=(3, 4)).astype(np.float32))
params = [*q.trainable_params(), *v.trainable_params()]
with ms.Tape() as tape:
    value, (dx, dp) = ms.value_and_grad(attend, 0, params)(x)
""",
    'with sens': """
class Net(nn.Cell):
    def construct(self, x, y):
        return x * y, x + y

with ms.Tape() as tape:
    grad = ops.GradOperation(get_all=True, sens_param=True)
    g = grad(Net())(ms.Tensor([1.0, 2.0]), ms.Tensor([3.0, 4.0]), (ms.Tensor([1.0, 0.5]), ms.Tensor([2.0, 2.0])))
""",
    'loops that branch': """
def newton(x):
    for _ in range(8):
        step = (x * x - 2.0) / (2.0 * x)
        if abs(float(step)) < 1e-4:
            break
        x = x - step
    else:
        x = x * 0
    return x

with ms.Tape() as tape:
    dx = ms.grad(newton)(ms.Tensor(1.0))
""",
    'assigned to attributes and items': """
class Box:
    pass

def f(x):
    box, table = Box(), {}
    box.value = x * 2
    table['a'], box.other = ops.sin(x), (x * 3, x * 4)
    table.setdefault('b', []).append(box.value * table['a'])
    return (table['b'][0] + box.other[1]).sum()

with ms.Tape() as tape:
    dx = ms.grad(f)(ms.Tensor([1.0, 2.0]))
""",
    'hooks on all things at once': """
calls = []

def a(g):
    calls.append('a')
    return g * 2

def b(g):
    calls.append('b')

def c(g):
    calls.append('c')
    return ops.clamp(g, -0.5, 0.5)

def d(cell, gi, go):
    calls.append('d')
    return (gi[0] + 1,)

class Net(nn.Cell):
    def construct(self, x):
        return x * x

    def bprop(self, x, out, dout):
        return (dout * x * 2,)

net = Net()
net.register_backward_hook(d)
insert = ops.InsertGradientOf(c)
w = ms.Parameter(ms.Tensor([1.0, -1.0]), name='w')
w.register_hook(a)
w.register_hook(b)

def f(x):
    y = insert(net(x * w))
    y.register_hook(b)
    return (y * w).sum()

with ms.Tape() as tape:
    g = ms.grad(f, 0, [w])(ms.Tensor([0.5, 2.0]))
    h = ms.grad(lambda x: ms.grad(f)(x).sum())(ms.Tensor([0.5, 2.0]))
""",
    'a hook with a takeover inside': """
calls = []

class Soft(nn.Cell):
    def construct(self, x):
        return ops.tanh(x)

    def bprop(self, x, out, dout):
        return (dout * 7,)

soft = Soft()

def squash(g):
    calls.append('squash')
    y, pull = ms.vjp(soft, g)
    return y + pull(g)[0]

def f(x):
    y = ops.exp(x)
    y.register_hook(squash)
    return (y * y).sum()

with ms.Tape() as tape:
    dx = ms.grad(f)(ms.Tensor([0.5, -1.0]))
""",
    'a hook that returns a constant, its argument, NumPy': """
calls = []

def one(g):
    calls.append('one')
    return ops.ones_like(g)

def same(g):
    calls.append('same')
    return g

def array(g):
    calls.append('array')
    return ms.Tensor(g.asnumpy() * np.array([3.0, 4.0], np.float32))

def f(x):
    for hook in (one, same, array):
        x = ops.sin(x) * 2
        x.register_hook(hook)
    return x.sum()

with ms.Tape() as tape:
    dx = ms.grad(f)(ms.Tensor([0.5, -1.0]))
""",
    'float16 that overflows': """
x = ms.Tensor([200.0, 300.0], ms.float16)
with ms.Tape() as tape:
    a = ms.grad(lambda x: (x * x * x).sum())(x)
    b = ms.grad(lambda b: (x * b * 20).sum() + (x * b * 15).sum() * 8)(ms.Tensor(40.0, ms.float16))
    c = ms.grad(lambda b: (ms.Tensor([60000.0, 60000.0], ms.float16) * b).sum())(ms.Tensor(1.0, ms.float16))
    d = ms.grad(lambda x: (ops.sqrt(x) * 1e-7).sum())(x)
""",
    'tiny and cancelling numbers': """
x = ms.Tensor([1e-20, 1e20, 1e-38])
with ms.Tape() as tape:
    a = ms.grad(lambda x: (x * x * x * x).sum())(x)
    b = ms.grad(lambda x: (x * 1e20 - x * 1e20 + x).sum())(x)
    c = ms.grad(lambda x: ops.softmax(x * 1e3, -1)[0])(ms.Tensor([1.0, 2.0, 3.0]))
    d = ms.grad(lambda x: ((x - x.mean()) / x.std()).sum())(ms.Tensor([1.0, 2.0, 3.0]))
""",
    'a gradient by a Parameter that comes in twice': """
w = ms.Parameter(ms.Tensor([1.0, 2.0]), name='w')
with ms.Tape() as tape:
    a = ms.grad(lambda x, y: (x * y * w).sum(), (0, 1), [w])(w, w)
    b = ms.grad(lambda: ms.grad(lambda: (w ** 3).sum(), None, [w])()[0].sum(), None, [w])()
""",
    'optimizer inside a Cell, TrainOneStep': """
class Train(nn.Cell):
    def __init__(self, net, optimizer):
        super().__init__()
        self.net, self.optimizer = net, optimizer
        self.weights = optimizer.parameters
        self.grad = ms.value_and_grad(self.loss, None, self.weights)

    def loss(self, x):
        return (self.net(x) ** 2).mean()

    def construct(self, x):
        loss, grads = self.grad(x)
        self.optimizer(grads)
        return loss

net = nn.Dense(2, 2)
train = Train(net, nn.Momentum(net.trainable_params(), 0.1, 0.9, weight_decay=0.01))
with ms.Tape() as tape:
    for _ in range(2):
        loss = train(ms.Tensor([[1.0, 2.0]]))
""",
    'a takeover that returns too few, in a try, in a loop': """
class Few(nn.Cell):
    def construct(self, x, y):
        return x * y

    def bprop(self, x, y, out, dout):
        return (dout * y,)

few = Few()
with ms.Tape() as tape:
    for k in range(2):
        try:
            ms.grad(few, (0, 1))(ms.Tensor([1.0]), ms.Tensor([2.0]))
        except Exception as e:
            print(type(e).__name__)
    ms.grad(lambda x: x * x)(ms.Tensor(1.0))
""",
    'an exception in the gradient of a gradient, caught between': """
class Net(nn.Cell):
    def construct(self, x):
        return x * x

    def bprop(self, x, out, dout):
        if float(x[0]) > 1:
            raise ValueError('too large')
        return (dout * 2 * x,)

net = Net()

def f(x):
    try:
        return ms.grad(lambda t: net(t).sum())(x).sum()
    except ValueError:
        return (x * x * x).sum()

with ms.Tape() as tape:
    a = ms.grad(f)(ms.Tensor([2.0, 0.5]))
    b = ms.grad(f)(ms.Tensor([0.5, 0.25]))
""",
    'a gradient in construct of a takeover': """
class Meta(nn.Cell):
    def construct(self, x):
        return ms.grad(lambda t: (t ** 3).sum())(x) * 2

    def bprop(self, x, out, dout):
        return (12 * x * dout,)

meta = Meta()
with ms.Tape() as tape:
    a = ms.grad(lambda x: (meta(x) * x).sum())(ms.Tensor([1.0, 2.0]))
    b = ms.grad(lambda x: ms.grad(lambda x: meta(x).sum())(x).sum())(ms.Tensor([1.0, 2.0]))
""",
    'a pull kept on self': """
class Keep(nn.Cell):
    def construct(self, x):
        y, self.pull = ms.vjp(lambda t: ops.sin(t) * t, x)
        return y

    def bprop(self, x, out, dout):
        return self.pull(dout)

keep = Keep()
with ms.Tape() as tape:
    a = ms.grad(lambda x: (keep(x) * x).sum())(ms.Tensor([1.0, 2.0]))
    b = ms.grad(lambda x: ms.grad(lambda x: keep(x).sum())(x).sum())(ms.Tensor([1.0, 2.0]))
""",
    'grad of jit of grad': """
@ms.jit
def df(x):
    return ms.grad(lambda t: (t ** 3).sum())(x)

with ms.Tape() as tape:
    for _ in range(2):
        a = ms.grad(lambda x: df(x).sum())(ms.Tensor([1.0, 2.0]))
    b = ms.jacrev(df)(ms.Tensor([1.0, 2.0]))
""",
    'a generator that is left open': """
def lazily(x):
    with ms.Tape() as t:
        yield t
        yield x * x

g = lazily(ms.Tensor(2.0))
tape = next(g)
dx = ms.grad(lambda x: x * x * x)(ms.Tensor(2.0))
g.close()
""",
    'jvp of a takeover, jacfwd of a hook': """
class Net(nn.Cell):
    def construct(self, x):
        return ops.sin(x)

    def bprop(self, x, out, dout):
        return (dout * ops.cos(x),)

net = Net()

def hooked(x):
    y = net(x) * x
    y.register_hook(lambda g: g * 2)
    return y

x = ms.Tensor([0.5, 1.5])
with ms.Tape() as tape:
    out, tangent = ms.jvp(net, x, ops.ones_like(x))
    j = ms.jacfwd(hooked)(x)
    k = ms.jacrev(hooked)(x)
""",
    'jit of a whole net, trained': """
net = nn.SequentialCell(nn.Dense(2, 3), nn.Tanh(), nn.Dense(3, 1))
optimizer = nn.SGD(net.trainable_params(), 0.1)

@ms.jit
def forward(x):
    return (net(x) ** 2).sum()

step = ms.value_and_grad(forward, None, optimizer.parameters)
with ms.Tape() as tape:
    for _ in range(3):
        loss, grads = step(ms.Tensor([[1.0, 2.0]]))
        optimizer(grads)
""",
    'complicated returns of a takeover': """
class Net(nn.Cell):
    def construct(self, a, b):
        return (a * b, (a + b, None)), [a]

    def bprop(self, a, b, out, dout):
        (p, (q, _)), (r,) = dout
        return p * b + q + r, p * a + q

net = Net()

def f(a, b):
    (p, (q, none)), (r,) = net(a, b)
    return (p * q).sum()

with ms.Tape() as tape:
    g = ms.grad(f, (0, 1))(ms.Tensor([1.0, 2.0]), ms.Tensor([3.0, 4.0]))
""",
    'many inputs, some unused, positions reversed': """
def f(a, b, c, d=None, *, e=2.0):
    unused = b * c
    return (a * c * e).sum()

with ms.Tape() as tape:
    g = ms.grad(f, (2, 0, 1))(ms.Tensor([1.0, 2.0]), ms.Tensor([3.0, 4.0]), ms.Tensor([5.0, 6.0]), e=3.0)
    h = ms.vjp(lambda a, b: (a * 2, b), ms.Tensor([1.0]), ms.Tensor(1.0))[1]((ms.Tensor([1.0]), ms.Tensor(2.0)))
""",
    'a Cell called with keywords and lists': """
class Net(nn.Cell):
    def construct(self, xs, *, scale=None):
        total = sum(x * k for k, x in enumerate(xs))
        return total if scale is None else total * scale['by']

net = Net()
x = ms.Tensor([1.0, 2.0])
with ms.Tape() as tape:
    g = ms.grad(lambda a, b: net([a, b, a], scale={'by': b}).sum(), (0, 1))(x, x + 1)
""",
    'deep Cells of Cells': """
class Leaf(nn.Cell):
    def construct(self, x):
        return ops.tanh(x)

class Twice(nn.Cell):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def construct(self, x):
        return self.inner(self.inner(x)) + x

class Own(Twice):
    def bprop(self, x, out, dout):
        return (ms.grad(lambda t: (super(Own, self).construct(t) * dout).sum())(x),)

net = Twice(Own(Twice(Leaf())))
with ms.Tape() as tape:
    dx = ms.grad(lambda x: net(x).sum())(ms.Tensor([0.5, -0.5]))
    dd = ms.grad(lambda x: ms.grad(lambda x: net(x).sum())(x).sum())(ms.Tensor([0.5, -0.5]))
""",
    'backslashes, comments, semicolons and strings': """
def f(x): y = x * \\
    2; z = y + 1; return (z * y).sum()

with ms.Tape() as tape:
    dx = ms.grad(f)(  # a comment (with a bracket
        ms.Tensor([1.0,
                   2.0]))
    s = f"{ms.grad(f)(ms.Tensor([1.0]))}"
""",
    'async': """
import asyncio

async def work(x):
    await asyncio.sleep(0)
    return ms.grad(lambda t: (t * t).sum())(x)

with ms.Tape() as tape:
    async def main():
        return await work(ms.Tensor([1.0])) + await work(ms.Tensor([2.0]))
    asyncio.run(main())
""",
}


def taped(name):
    """The tape of a program, who ran, and the lines of the hooks that ran (None where it does not say)."""
    source = PROGRAMS[name].strip() + '\n'
    if name in TRACED:
        return gallery.tape_of(source, f'foreign {name}'), None, None
    with ran.counting() as counts:
        space = gallery.space_of(source, f'foreign {name}')
    lines = source.splitlines()
    hooks = Counter(next(n for n, text in enumerate(lines, 1) if f'def {h}(' in text) for h in space.get('calls', ()))
    return space['tape'], counts, hooks if 'calls' in space else None


@pytest.mark.filterwarnings('ignore')
@pytest.mark.parametrize('name', PROGRAMS)
def test_all_that_is_asked(name):
    tape, counts, hooks = taped(name)
    record = tell(tape)
    assert record.unknown == ()
    for lens in ZOOMS.values():
        seen = lens(record)
        for step in seen.steps:
            for number, there in ((step.entry, seen.entries), (step.reading, seen.readings), (step.run, seen.passes)):
                assert number is None or 0 <= number < len(there)
        for run in seen.passes:
            for arrival in run.arrivals:
                assert arrival.parts or arrival.total is None or not arrival.total.data.any() or name in BEFORE
        with np.errstate(all='ignore'):
            assert all(len(reading.gradients) == len(reading.gave) for reading in seen.readings)
    told, called = ran.told(record)
    assert counts in (None, told) or name in BEFORE
    assert hooks in (None, called)
    assert tape.to_dot().source.count('{') == tape.to_dot().source.count('}')
    assert str(tape)
    assert ask.book_of(tape).by_name() or not any(run.arrivals for run in record.passes)
    with np.errstate(all='ignore'):
        assert everything.accounts(tape, len(name), NUMBERS, exact=True)[1] == []
