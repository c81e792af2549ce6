"""The data, the network and the training of lesson 12, as its notebook shows them: the exercises train here."""

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


class Neuron(nn.IFNode):
    """Integrate and fire: the lines of nn.IFNode, and a switch that takes the reset out of backward."""

    def __init__(self, surrogate, v_threshold=1.0, detached=False):
        super().__init__(v_threshold, surrogate_function=surrogate)
        self.detached = detached

    def construct(self, x, v):
        v = v + x  # integrate
        spike = self.surrogate_function(v - self.v_threshold) * self.v_threshold  # fire
        taken = ops.stop_gradient(spike) if self.detached else spike
        return spike, v - taken  # the soft reset


class Net(nn.Cell):
    """15 pixels, 32 neurons that spike, and 10 readouts that only add up."""

    def __init__(self, surrogate, seed=0, v_threshold=1.0, detached=False):
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
