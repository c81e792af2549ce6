"""A gallery of programs, each run as a notebook cell would be: compiled from text that linecache knows."""

import linecache
from functools import cache

import minicell as ms

HEAD = 'import numpy as np\nimport minicell as ms\nfrom minicell import nn, ops\n'

PROGRAMS = {
    'matmul': """
class Net(nn.Cell):
    def __init__(self):
        super(Net, self).__init__()
        self.matmul = ops.MatMul()

    def construct(self, x, y):
        out = self.matmul(x, y)
        return out

    def bprop(self, x, y, out, dout):
        dx = x + 1
        dy = y + 1
        return dx, dy

class GradNet(nn.Cell):
    def __init__(self, net):
        super(GradNet, self).__init__()
        self.net = net
        self.grad_op = ops.GradOperation(get_all=True)

    def construct(self, x, y):
        gradient_function = self.grad_op(self.net)
        return gradient_function(x, y)

x = ms.Tensor([[0.5, 0.6, 0.4], [1.2, 1.3, 1.1]], dtype=ms.float32)
y = ms.Tensor([[0.01, 0.3, 1.1], [0.1, 0.2, 1.3], [2.1, 1.2, 3.3]], dtype=ms.float32)
with ms.Tape() as tape:
    out = GradNet(Net())(x, y)
""",
    'matmul_loss': """
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.matmul = ops.MatMul()

    def construct(self, x, y):
        return self.matmul(x, y)

    def bprop(self, x, y, out, dout):
        dx = x + 1
        dy = y + 1
        return dx, dy

net = Net()

def loss(x, y):
    z = net(x, y)
    return z.sum()

x = ms.Tensor([[0.5, 0.6, 0.4], [1.2, 1.3, 1.1]])
y = ms.Tensor([[0.01, 0.3, 1.1], [0.1, 0.2, 1.3], [2.1, 1.2, 3.3]])
with ms.Tape() as tape:
    dx, dy = ms.grad(loss, (0, 1))(x, y)
""",
    'right': """
class Net(nn.Cell):
    def construct(self, x, y):
        return ops.matmul(x, y)

    def bprop(self, x, y, out, dout):
        dx = ops.matmul(dout, y.T)
        dy = ops.matmul(x.T, dout)
        return dx, dy

x = ms.Tensor([[0.5, -0.6], [1.2, 1.3]])
y = ms.Tensor([[0.01, 0.3], [0.1, -2.2]])
with ms.Tape() as tape:
    dx, dy = ms.grad(Net(), (0, 1))(x, y)
""",
    'fanout': """
def f(a, b):
    return a * b + a

with ms.Tape() as tape:
    da, db = ms.grad(f, (0, 1))(ms.Tensor(2.0), ms.Tensor(3.0))
""",
    'fanout_inside': """
def f(x):
    h = x * x
    left = ops.exp(h)
    right = h * 3.0
    return (left + right).sum()

with ms.Tape() as tape:
    dx = ms.grad(f)(ms.Tensor([0.5, -0.25, 1.0]))
""",
    'relu6': """
class ReluNet(nn.Cell):
    def __init__(self):
        super().__init__()
        self.relu = ops.ReLU()

    def construct(self, x):
        return self.relu(x)

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.relu6 = ops.ReLU6()
        self.relu = ReluNet()

    def construct(self, x):
        return self.relu6(x)

    def bprop(self, x, out, dout):
        dx = self.relu(x)
        return (dx,)

x = ms.Tensor([[0.5, 0.6, 0.4], [1.2, 1.3, 1.1]])
net = Net()
with ms.Tape() as tape:
    out = ops.grad(ops.grad(net))(x)
""",
    'cube': """
def cube(x):
    return x * x * x

with ms.Tape() as tape:
    out = ms.grad(ms.grad(cube))(ms.Tensor(2.0))
""",
    'dropout': """
class Dropout2d(nn.Cell):
    def __init__(self, keep):
        super().__init__()
        self.keep = keep

    def construct(self, x):
        mask = ms.Tensor([[[[1.0]], [[0.0]], [[1.0]]]])
        return x * mask / self.keep, mask

    def bprop(self, x, out, dout):
        _, mask = out
        dy, _ = dout
        return (dy * mask / self.keep,)

drop = Dropout2d(0.8)

def loss(x):
    y, mask = drop(x)
    return (y * y).sum()

x = ms.Tensor(np.arange(12, dtype=np.float32).reshape(1, 3, 2, 2) / 4)
with ms.Tape() as tape:
    dx = ms.grad(loss)(x)
""",
    'ifnode': """
class relusigmoid(nn.Cell):
    def __init__(self):
        super().__init__()
        self.sigmoid = ops.Sigmoid()
        self.greater = ops.Greater()

    def construct(self, x):
        spike = self.greater(x, 0)
        return spike.astype(ms.float32)

    def bprop(self, x, out, dout):
        sgax = self.sigmoid(x * 5.0)
        grad_x = dout * (1 - sgax) * sgax * 5.0
        return (grad_x,)

class IFNode(nn.Cell):
    def __init__(self, v_threshold=1.0, fire=True, surrogate_function=relusigmoid()):
        super().__init__()
        self.v_threshold = v_threshold
        self.fire = fire
        self.surrogate_function = surrogate_function

    def construct(self, x, v):
        v = v + x
        if self.fire:
            spike = self.surrogate_function(v - self.v_threshold) * self.v_threshold
            v -= spike
            return spike, v
        return v, v

node = IFNode()

def count(x):
    v = x * 0.0
    total = v
    for t in range(3):
        spike, v = node(x, v)
        total = total + spike
    return total.sum()

with ms.Tape() as tape:
    dx = ms.grad(count)(ms.Tensor([0.3, 0.6, 1.2]))
""",
    'wrong_shape': """
class Net(nn.Cell):
    def construct(self, x, w):
        return ops.matmul(x, w)

    def bprop(self, x, w, out, dout):
        dx = ops.matmul(dout, w.T)
        dw = dout
        return dx, dw

x, w = ms.Tensor(np.ones((2, 3), np.float32)), ms.Tensor(np.ones((3, 4), np.float32))
with ms.Tape() as tape:
    ms.grad(Net(), (0, 1))(x, w)
""",
    'bad_op': """
def f(x, y):
    h = x + 1
    return ops.matmul(h, y)

with ms.Tape() as tape:
    ms.grad(f, (0, 1))(ms.Tensor([[1.0, 2.0]]), ms.Tensor([[1.0, 2.0, 3.0]]))
""",
    'raises': """
class Net(nn.Cell):
    def construct(self, x):
        return x * 2

    def bprop(self, x, out, dout):
        raise ValueError('a message with <b>markup</b> & ]]> and ' + 'a long long tail ' * 12)

with ms.Tape() as tape:
    ms.grad(Net())(ms.Tensor([1.0, 2.0]))
""",
    'none': """
class Net(nn.Cell):
    def construct(self, x, scale):
        return x * scale

    def bprop(self, x, scale, out, dout):
        return dout * scale, None

with ms.Tape() as tape:
    ms.grad(Net(), (0, 1))(ms.Tensor([[1.0, -2.0], [0.5, 4.0]]), ms.Tensor(3.0))
""",
    'large': """
class Layer(nn.Cell):
    def construct(self, x, w):
        return ops.tanh(ops.matmul(x, w))

    def bprop(self, x, w, out, dout):
        g = dout * (1 - out * out)
        return ops.matmul(g, w.T), ops.matmul(x.T, g)

rng = np.random.default_rng(0)
x = ms.Tensor(rng.normal(size=(8, 12)).astype(np.float32))
w = ms.Tensor(rng.normal(size=(12, 20)).astype(np.float32))
layer = Layer()
with ms.Tape() as tape:
    ms.grad(lambda x, w: layer(x, w).sum(), (0, 1))(x, w)
""",
    'forward_only': """
x = ms.Tensor([1.0, 2.0])
with ms.Tape() as tape:
    y = x * 2
    z = y > 3
""",
    'params': """
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = ms.Parameter(ms.Tensor([2.0, -1.0]), name='weight')
        self.internal_params = [self.w]

    def construct(self, x):
        return self.w * x

    def bprop(self, x, out, dout):
        return (self.w * dout,), {self.w: dout * x}

net = Net()
x = ms.Tensor([0.5, 3.0])
with ms.Tape() as tape:
    ops.grad(lambda x: net(x).sum(), 0, net.trainable_params())(x)
""",
    'dense': """
net = nn.SequentialCell(nn.Dense(3, 4), nn.ReLU(), nn.Dense(4, 2))
for n, p in enumerate(net.trainable_params()):
    p.set_data(ms.Tensor(np.linspace(-1, 1, p.size, dtype=np.float32).reshape(p.shape)))

def loss(x):
    return net(x).sum()

with ms.Tape() as tape:
    ms.grad(loss, None, net.trainable_params())(ms.Tensor(np.ones((2, 3), np.float32)))
""",
    'third': """
def f(x):
    return x * x * x

with ms.Tape() as tape:
    ms.grad(ms.grad(ms.grad(f)))(ms.Tensor(2.0))
""",
    'custom_cube': """
class Cube(nn.Cell):
    def construct(self, x):
        return x * x * x

    def bprop(self, x, out, dout):
        return (3 * x * x * dout,)

with ms.Tape() as tape:
    ms.grad(ms.grad(Cube()))(ms.Tensor(2.0))
""",
    'nested_custom': """
class Inner(nn.Cell):
    def construct(self, x):
        return ops.exp(x)

    def bprop(self, x, out, dout):
        return (dout * out,)

class Outer(nn.Cell):
    def __init__(self):
        super().__init__()
        self.inner = Inner()

    def construct(self, x):
        return self.inner(x) * 2

    def bprop(self, x, out, dout):
        return (dout * out,)

outer = Outer()
with ms.Tape() as tape:
    ms.grad(lambda x: outer(outer(x)))(ms.Tensor(0.5))
""",
    'caught': """
class Net(nn.Cell):
    def construct(self, x):
        return x * 2

    def bprop(self, x, out, dout):
        return dout

with ms.Tape() as tape:
    try:
        ms.grad(Net())(ms.Tensor(1.0))
    except TypeError:
        pass
    ms.grad(lambda x: x * x)(ms.Tensor(3.0))
""",
    'broken_construct': """
class Net(nn.Cell):
    def construct(self, x):
        y = x * 2
        return ops.matmul(y, y)

    def bprop(self, x, out, dout):
        return (dout,)

with ms.Tape() as tape:
    ms.grad(Net())(ms.Tensor([[1.0, 2.0]]))
""",
    'no_gradient': """
class Net(nn.Cell):
    def construct(self, x):
        return x * 2

    def bprop(self, x, out, dout):
        return (dout,)

with ms.Tape() as tape:
    Net()(ms.Tensor([[1.0, 2.0]]))
""",
    'step': """
w = ms.Parameter(ms.Tensor([1.0, -2.0]), name='w')

def loss(x):
    return ((w * x) ** 2).sum()

with ms.Tape() as tape:
    for _ in range(2):
        value, dw = ms.value_and_grad(loss, None, [w])(ms.Tensor([0.5, 0.25]))
        w.set_data(w - dw[0] * 0.1)
""",
    'unused': """
def f(a, b):
    c = ops.exp(b)
    return a * 2

with ms.Tape() as tape:
    ms.grad(f, (0, 1))(ms.Tensor(2.0), ms.Tensor(3.0))
""",
}


@cache
def run(name):
    """The tape of a program; an exception that the program ends with is on it."""
    return tape_of(PROGRAMS[name].strip() + '\n', name)


def tape_of(source, name):
    file = f'<cell {name}>'
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    space = {}
    exec(compile(HEAD, '<head>', 'exec'), space)
    try:
        exec(compile(source, file, 'exec'), space)
    except Exception:
        assert isinstance(space.get('tape'), ms.Tape)
    return space['tape']
