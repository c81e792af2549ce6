"""autograd (HIPS): ordinary NumPy through its wrapper, as in its examples."""

import autograd.numpy as np
import numpy
from autograd import grad, value_and_grad
from autograd.differential_operators import make_hvp
from autograd.extend import defvjp, primitive

from tests.bench import limit
from tests.bench.limit import numbers
from tests.bench.problems import SLOPE, THRESHOLD, Chain, Spikes, Training

__all__ = ['numbers']  # its results are arrays, as the limit's
zero, one = numpy.float32(0), numpy.float32(1)


def walk(p: Chain):
    def forward(x):
        y = x
        for _ in range(p.length // 4):
            y = y * p.gain
            y = y + x
            y = np.tanh(y)
            y = y - p.shift
        return np.sum(y)

    return forward


def chain(p: Chain):
    slope = grad(walk(p))
    return lambda: slope(p.x)


def twice(p: Chain):
    slope = grad(walk(p))
    bend = grad(lambda x: np.sum(slope(x)))
    return lambda: bend(p.x)


@primitive
def tanh(x):
    return numpy.tanh(x)


defvjp(tanh, lambda out, x: lambda g: g * (1 - out * out))


def customs(p: Chain):
    def forward(x):
        for _ in range(p.length):
            x = tanh(x)
        return np.sum(x)

    slope = grad(forward)
    return lambda: slope(p.x)


def mean(x):
    """np.mean would go on in float64, at twice the cost."""
    return np.sum(x) / numpy.float32(x.size)


def cross_entropy(z, labels):
    z = z - np.max(z, axis=1, keepdims=True)
    return mean(np.log(np.sum(np.exp(z), axis=1)) - z[numpy.arange(len(labels)), labels])


def mlp_loss(p: Training):
    def loss(weights):
        w1, b1, w2, b2, w3, b3 = weights
        h = np.maximum(np.dot(p.x, w1.T) + b1, zero)
        h = np.maximum(np.dot(h, w2.T) + b2, zero)
        return cross_entropy(np.dot(h, w3.T) + b3, p.target)

    return loss


def training(loss_fn, p: Training):
    weights, slope = [w.copy() for w in p.weights], value_and_grad(loss_fn)

    def run():
        loss, gradients = slope(weights)
        limit.descend(weights, gradients, numpy.float32(p.rate))
        return [loss, *weights]

    return run


def mlp(p: Training):
    return training(mlp_loss(p), p)


def hvp(p: Training):
    product = make_hvp(mlp_loss(p))
    return lambda: product(p.weights)[0](p.along)


@primitive
def spike(u):
    """A step at 0, with the slope of a sigmoid."""
    return (u > 0).astype(numpy.float32)


def surrogate(out, u):
    def backward(g):
        s = one / (one + np.exp(u * -SLOPE))
        return g * s * (one - s) * SLOPE

    return backward


defvjp(spike, surrogate)


def snn(p: Spikes):
    def loss(gain):
        v = count = numpy.zeros_like(p.target)
        for x in p.current:
            v = v + x * gain
            s = spike(v - THRESHOLD)
            v = v - s
            count = count + s
        off = count / numpy.float32(len(p.current)) - p.target
        return mean(off * off)

    slope = grad(loss)
    return lambda: slope(p.gain)


@primitive
def conv(x, w, b):
    """It has no convolution of its own without SciPy: it gets the limit's."""
    return limit.conv(limit.columns(x), w, b, x.shape[2:])


defvjp(
    conv,
    lambda out, x, w, b: lambda g: (limit.turned(w) @ limit.columns(g)).reshape(x.shape),
    lambda out, x, w, b: lambda g: limit.conv_dw(g, limit.columns(x), w)[0],
    lambda out, x, w, b: lambda g: g.sum((0, 2, 3)),
)


def pool(x):
    n, c, h, w = x.shape
    return np.max(np.max(np.reshape(x, (n, c, h // 2, 2, w // 2, 2)), axis=3), axis=4)


def cnn(p: Training):
    def loss(weights):
        w1, b1, w2, b2, w3, b3 = weights
        h = pool(np.maximum(conv(p.x, w1, b1), zero))
        h = pool(np.maximum(conv(h, w2, b2), zero))
        return cross_entropy(np.dot(np.reshape(h, (len(p.x), -1)), w3.T) + b3, p.target)

    return training(loss, p)


def wide(p: Training):
    def loss(weights):
        w1, b1, w2, b2 = weights
        h = np.maximum(conv(p.x, w1, b1), zero)
        off = np.maximum(conv(h, w2, b2), zero) - p.target
        return mean(off * off)

    return training(loss, p)
