"""Programs of the gallery that show one encoding of the tape view each, and tapes that are long or odd."""

ENCODINGS = {
    'hidden_ops': """
class Softsign(nn.Cell):
    def construct(self, x):
        size = ops.abs(x)
        below = size + 1
        ratio = x / below
        scaled = ratio * 2
        return scaled - ratio

    def bprop(self, x, out, dout):
        below = 1 + ops.abs(x)
        return (dout / (below * below),)

with ms.Tape() as tape:
    ms.grad(Softsign())(ms.Tensor([[1.0, -3.0], [0.0, 0.5]]))
""",
    'add_thrice': """
def f(x):
    return x * 2.0 + x * 3.0 + x

with ms.Tape() as tape:
    ms.grad(f)(ms.Tensor(5.0))
""",
    'stopped': """
def f(x):
    target = ops.stop_gradient(x * x)
    return ((x - target) ** 2).sum()

with ms.Tape() as tape:
    ms.grad(f)(ms.Tensor([0.5, 2.0]))
""",
    'whole_numbers': """
class Scale(nn.Cell):
    def construct(self, x, times, on):
        return x * times

    def bprop(self, x, times, on, out, dout):
        return dout * times, None, None

with ms.Tape() as tape:
    y = Scale()(ms.Tensor([1.0, 2.0]), ms.Tensor([3, 4]), ms.Tensor([True, False]))
    ms.grad(Scale())(ms.Tensor([1.0, 2.0]), ms.Tensor([3, 4]), ms.Tensor([True, False]))
""",
    'not_finite': """
x = ms.Tensor(np.array([[1.0, 0.0, -1.0, np.inf], [np.nan, 1e-30, 4.0, -np.inf]], np.float32))
with ms.Tape() as tape:
    ms.grad(lambda x: ops.log(x).sum())(x)
""",
    'heat_not_finite': """
class Root(nn.Cell):
    def construct(self, x):
        return ops.sqrt(x)

    def bprop(self, x, out, dout):
        return (dout / out,)

x = ms.Tensor(np.arange(-20, 80, dtype=np.float32).reshape(10, 10) / 4)
root = Root()
with ms.Tape() as tape:
    ms.grad(lambda x: root(x).sum())(x)
""",
    'clipped': """
x = ms.Tensor(np.linspace(-3, 3, 48, dtype=np.float32).reshape(6, 8))
with ms.Tape() as tape:
    ms.grad(lambda x: ops.clamp(x, -1.0, 1.0).sum())(x)
""",
    'masked': """
x = ms.Tensor(np.arange(-24, 24, dtype=np.float32).reshape(6, 8))
keep = x > 4
with ms.Tape() as tape:
    ms.grad(lambda x: ops.where(keep, x * x, x * 0.0).sum())(x)
""",
    'large_wrong': """
class Square(nn.Cell):
    def construct(self, x):
        return x * x

    def bprop(self, x, out, dout):
        return (x,)

x = ms.Tensor(np.arange(-60, 60, dtype=np.float32).reshape(10, 12) / 8)
square = Square()
with ms.Tape() as tape:
    ms.grad(lambda x: square(x).sum())(x)
""",
    'swallowed': """
class Gain(nn.Cell):
    def __init__(self):
        super().__init__()
        self.gain = ms.Parameter(ms.Tensor([2.0, 0.5]), name='gain')

    def construct(self, x):
        return self.gain * x

    def bprop(self, x, out, dout):
        return (self.gain * dout,)

net = Gain()
x = ms.Tensor([1.0, -4.0])
with ms.Tape() as tape:
    ms.grad(lambda x: net(x).sum(), 0, net.trainable_params())(x)
""",
    'sgd': """
net = nn.Dense(2, 1, has_bias=False)
net.weight.set_data(ms.Tensor([[1.0, -2.0]]))
optimizer = nn.SGD(net.trainable_params(), learning_rate=0.25)
x, y = ms.Tensor([[1.0, 0.5], [0.0, 2.0]]), ms.Tensor([[1.0], [0.0]])

def loss(x, y):
    error = net(x) - y
    return (error * error).sum()

with ms.Tape() as tape:
    for _ in range(2):
        value, gradients = ms.value_and_grad(loss, None, optimizer.parameters)(x, y)
        optimizer(gradients)
""",
    'ifnode12': """
node = nn.IFNode()

def count(x):
    v = x * 0.0
    total = v
    for t in range(12):
        spike, v = node(x, v)
        total = total + spike
    return total.sum()

with ms.Tape() as tape:
    ms.grad(count)(ms.Tensor([0.25, 0.5, 1.25]))
""",
    'empty': """
with ms.Tape() as tape:
    pass
""",
    'structures': """
class Split(nn.Cell):
    def construct(self, pair, scale):
        low, high = pair
        return {'low': low * scale, 'high': [high, (high * high,)]}

    def bprop(self, pair, scale, out, dout):
        low, high = pair
        return (dout['low'] * scale, dout['high'][0] + 2 * high * dout['high'][1][0]), None

split = Split()

def loss(low, high):
    out = split((low, high), ms.Tensor(3.0))
    return (out['low'] + out['high'][1][0]).sum()

with ms.Tape() as tape:
    ms.grad(loss, (0, 1))(ms.Tensor([1.0, 2.0]), ms.Tensor([0.5, -1.0]))
""",
    'random_mask': """
ms.set_seed(3)
drop = nn.Dropout(p=0.5)
drop.set_train()
with ms.Tape() as tape:
    ms.grad(lambda x: (drop(x) * x).sum())(ms.Tensor(np.ones((4, 4), np.float32)))
""",
    'many_inputs': """
class Mix(nn.Cell):
    def construct(self, a, b, c, d, e, f):
        return a * b + c * d + e * f

    def bprop(self, a, b, c, d, e, f, out, dout):
        return b * dout, a * dout, d * dout, c * dout, f * dout, e

with ms.Tape() as tape:
    ms.grad(Mix(), (0, 1, 2, 3, 4, 5))(*[ms.Tensor([float(i), 1.0]) for i in range(6)])
""",
    'relu6_to_relu6': """
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.relu6 = ops.ReLU6()

    def construct(self, x):
        return self.relu6(x)

    def bprop(self, x, out, dout):
        inside = ops.logical_and(x > 0, x < 6)
        return (dout * inside.astype(ms.float32),)

with ms.Tape() as tape:
    ms.grad(ms.grad(Net()))(ms.Tensor([[-1.0, 0.5, 6.5]]))
""",
    'deep': """
class Block(nn.Cell):
    def __init__(self, inside):
        super().__init__()
        self.inside = inside

    def construct(self, x):
        return ops.tanh(self.inside(x))

net = Block(Block(Block(nn.ReLU())))
with ms.Tape() as tape:
    ms.grad(lambda x: net(x).sum())(ms.Tensor([0.5, -0.5]))
""",
    'twice': """
square = lambda x: x * x

with ms.Tape() as tape:
    ms.grad(square)(ms.Tensor(2.0))
    ms.grad(square)(ms.Tensor(3.0))
""",
}

# Too long to draw each step of: a few are looked at.
LONG = {
    'thousand': """
def f(x):
    for _ in range(500):
        x = x * 1.0 + 0.5
    return x

with ms.Tape() as tape:
    ms.grad(f)(ms.Tensor(1.0))
""",
    'long_cells': """
class Leak(nn.Cell):
    def construct(self, v, x):
        return v * 0.5 + x

    def bprop(self, v, x, out, dout):
        return dout * 0.5, dout

leak = Leak()

def run(x):
    v = x
    for _ in range(200):
        v = leak(v, x)
    return v.sum()

with ms.Tape() as tape:
    ms.grad(run)(ms.Tensor([1.0, 2.0]))
""",
}
