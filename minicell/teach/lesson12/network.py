"""What lesson 12 trains, as its notebook and exercise 12a show it: the data, the neuron, the network, the training."""

import numpy as np

import minicell as ms
from minicell import nn, ops

ROWS = """
111 .1. 111 111 1.1 111 111 111 111 111
1.1 11. ..1 ..1 1.1 1.. 1.. ..1 1.1 1.1
1.1 .1. 111 111 111 111 111 .1. 111 111
1.1 .1. 1.. ..1 ..1 ..1 1.1 .1. 1.1 ..1
111 111 111 111 ..1 111 111 .1. 111 111
"""
lines = [row.split() for row in ROWS.split('\n') if row]
bitmaps = np.array([[[c == '1' for c in row[d]] for row in lines] for d in range(10)]).reshape(10, 15)


def digits(n, rng, moments=12):
    """n digits of 15 pixels, seen at 12 moments: at each, a pixel shows the wrong thing with probability 0.2."""
    t = np.arange(n) % 10
    seen = bitmaps[t] ^ (rng.random((moments, n, 15)) < 0.2)
    return ms.Tensor(seen + 0.05 * rng.standard_normal(seen.shape)), ms.Tensor(t, ms.int32)


class relusigmoid(nn.Cell):
    """A step; and backward the slope of sigmoid(5 x)."""

    def construct(self, x):
        return ops.greater(x, 0).astype(x.dtype)

    def bprop(self, x, out, dout):
        s = ops.sigmoid(5.0 * x)
        return (dout * 5.0 * s * (1 - s),)


class Neuron(nn.Cell):
    """Integrate and fire, with a soft reset."""

    def __init__(self, surrogate=None, v_threshold=1.0, detached=False):
        super().__init__()
        self.surrogate = relusigmoid() if surrogate is None else surrogate
        self.v_threshold, self.detached = v_threshold, detached

    def construct(self, x, v):
        v = v + x
        spike = self.surrogate(v - self.v_threshold) * self.v_threshold
        taken = ops.stop_gradient(spike) if self.detached else spike
        return spike, v - taken


class Net(nn.Cell):
    """15 pixels, 32 neurons that spike, and 10 readouts that only add up."""

    def __init__(self, surrogate=None, seed=0, v_threshold=1.0, detached=False):
        super().__init__()
        rng = np.random.default_rng(seed)
        self.w1 = ms.Parameter(ms.Tensor(0.13 * rng.standard_normal((15, 32))), name='w1')
        self.w2 = ms.Parameter(ms.Tensor(0.35 * rng.standard_normal((32, 10))), name='w2')
        self.hidden = Neuron(surrogate, v_threshold, detached)
        self.readout = nn.IFNode(fire=False)
        self.unit = v_threshold  # currents and spikes are measured in thresholds

    def moments(self, x):
        """At each moment: the spikes, the hidden membranes after them, and the readout's membranes."""
        v, u = ops.zeros((x.shape[1], 32), x.dtype), ops.zeros((x.shape[1], 10), x.dtype)
        for seen in x:
            spike, v = self.hidden(self.unit * (seen @ self.w1), v)
            u, _ = self.readout(spike @ self.w2 / self.unit, u)
            yield spike, v, u

    def construct(self, x):
        *_, (_, _, u) = self.moments(x)
        return u / 4


loss_of = nn.CrossEntropyLoss()


def train(net, x, t, frozen=False, steps=300, learning_rate=0.01):
    """Adam; the loss of each step, one after the other. A frozen readout keeps its random w2."""
    weights = [net.w1] if frozen else [net.w1, net.w2]
    optimizer = nn.Adam(weights, learning_rate=learning_rate)
    step = ms.value_and_grad(lambda: loss_of(net(x), t), None, weights)
    for _ in range(steps):
        loss, gradients = step()
        optimizer(gradients)
        for w in weights:
            w.set_data(ms.Tensor(w.asnumpy().round(6)))  # so that all machines arrive at the same numbers
        yield float(loss)


def accuracy(net, x, t):
    """The share of digits whose readout is the largest."""
    return np.mean(net(x).asnumpy().argmax(axis=1) == t.asnumpy())


def gradient(net, x, t):
    """|dW1|: the length of the gradient of the loss with respect to w1."""
    return np.linalg.norm(ms.grad(lambda: loss_of(net(x), t), None, net.w1)().asnumpy())


def silent(net, x):
    """How many of the 32 neurons never spike: at no moment, for no digit."""
    spikes = np.array([spike.asnumpy() for spike, _, _ in net.moments(x)])
    return int((spikes.max(axis=(0, 1)) == 0).sum())


def measure(surrogate, frozen, detached, seed):
    """Train once: the accuracy, |dW1| before training, and how many neurons are silent after it."""
    net, data = Net(surrogate, seed, detached=detached), digits(100, np.random.default_rng(seed))
    before = gradient(net, *data)
    list(train(net, *data, frozen))
    return accuracy(net, *digits(400, np.random.default_rng(100 + seed))), before, silent(net, data[0])
