"""minicell, as a user writes it: its public names, in the idiom of MindSpore's tutorials."""

import numpy as np

import minicell as ms
from minicell import Tensor, nn, ops
from tests.bench.problems import SLOPE, THRESHOLD, Chain, Spikes, Training


def numbers(result: object) -> list[np.ndarray]:
    return [t.asnumpy() for t in (result if isinstance(result, list | tuple) else [result])]


def walk(p: Chain):
    gain, shift = Tensor(p.gain), Tensor(p.shift)

    def forward(x):
        y = x
        for _ in range(p.length // 4):
            y = y * gain
            y = y + x
            y = ops.tanh(y)
            y = y - shift
        return y.sum()

    return forward


def chain(p: Chain):
    x, slope = Tensor(p.x), ms.grad(walk(p))
    return lambda: slope(x)


def twice(p: Chain):
    x, slope = Tensor(p.x), ms.grad(walk(p))
    bend = ms.grad(lambda x: slope(x).sum())
    return lambda: bend(x)


class Tanh(nn.Cell):
    def construct(self, x):
        return ops.tanh(x)

    def bprop(self, x, out, dout):
        return (dout * (1 - out * out),)


def customs(p: Chain):
    x, cell = Tensor(p.x), Tanh()

    def forward(x):
        for _ in range(p.length):
            x = cell(x)
        return x.sum()

    slope = ms.grad(forward)
    return lambda: slope(x)


def dense(w: np.ndarray, b: np.ndarray) -> nn.Dense:
    return nn.Dense(w.shape[1], w.shape[0], weight_init=Tensor(w), bias_init=Tensor(b))


def conv(w: np.ndarray, b: np.ndarray) -> nn.Conv2d:
    return nn.Conv2d(w.shape[1], w.shape[0], 3, has_bias=True, weight_init=Tensor(w), bias_init=Tensor(b))


def training(net: nn.Cell, loss_fn: nn.Cell, p: Training):
    data, target = Tensor(p.x), Tensor(p.target)
    net.set_train()
    optimizer = nn.SGD(net.trainable_params(), p.rate)

    def forward_fn(data, target):
        return loss_fn(net(data), target)

    grad_fn = ms.value_and_grad(forward_fn, None, optimizer.parameters)

    def train_step():
        loss, grads = grad_fn(data, target)
        optimizer(grads)
        return [loss, *optimizer.parameters]

    return train_step


def mlp(p: Training):
    w1, b1, w2, b2, w3, b3 = p.weights
    net = nn.SequentialCell(dense(w1, b1), nn.ReLU(), dense(w2, b2), nn.ReLU(), dense(w3, b3))
    return training(net, nn.CrossEntropyLoss(), p)


def hvp(p: Training):
    data, labels = Tensor(p.x), Tensor(p.target)
    weights, along = [Tensor(w) for w in p.weights], [Tensor(v) for v in p.along]
    places = tuple(range(len(weights)))

    def loss(w1, b1, w2, b2, w3, b3):
        h = ops.relu(ops.dense(data, w1, b1))
        h = ops.relu(ops.dense(h, w2, b2))
        return ops.cross_entropy(ops.dense(h, w3, b3), labels)

    slope = ms.grad(loss, places)

    def slope_along(*weights):
        total = 0
        for g, v in zip(slope(*weights), along, strict=True):
            total = total + (g * v).sum()
        return total

    bend = ms.grad(slope_along, places)
    return lambda: bend(*weights)


class Spike(nn.Cell):
    """A step at 0, with the slope of a sigmoid."""

    def construct(self, u):
        return (u > 0).astype(ms.float32)

    def bprop(self, u, out, dout):
        s = ops.sigmoid(u * float(SLOPE))
        return (dout * s * (1 - s) * float(SLOPE),)


def snn(p: Spikes):
    spike, gain, target, threshold = Spike(), Tensor(p.gain), Tensor(p.target), float(THRESHOLD)
    current, rest = [Tensor(x) for x in p.current], ops.zeros_like(target)

    def loss(gain):
        v, count = rest, rest
        for x in current:
            v = v + x * gain
            s = spike(v - threshold)
            v = v - s
            count = count + s
        off = count / len(current) - target
        return (off * off).mean()

    slope = ms.grad(loss)
    return lambda: slope(gain)


def cnn(p: Training):
    w1, b1, w2, b2, w3, b3 = p.weights
    net = nn.SequentialCell(
        conv(w1, b1),
        nn.ReLU(),
        nn.MaxPool2d(2, 2),
        conv(w2, b2),
        nn.ReLU(),
        nn.MaxPool2d(2, 2),
        nn.Flatten(),
        dense(w3, b3),
    )
    return training(net, nn.CrossEntropyLoss(), p)


def wide(p: Training):
    w1, b1, w2, b2 = p.weights
    net = nn.SequentialCell(conv(w1, b1), nn.ReLU(), conv(w2, b2), nn.ReLU())
    return training(net, nn.MSELoss(), p)
