"""The limit: forward and backward written by hand in NumPy, in place wherever nobody reads the old value again.

Nothing here is an autodiff: each function is one formula, differentiated on paper. Nothing is kept from run to run.
"""

import numpy as np
from numpy import add, greater, maximum, multiply, subtract, tanh
from numpy.lib.stride_tricks import as_strided

from tests.bench.problems import SLOPE, THRESHOLD, Chain, Spikes, Training

zero, one, two = (np.array(value, np.float32) for value in (0, 1, 2))  # cheaper operands than Python's numbers


def numbers(result: object) -> list[np.ndarray]:
    """What a run returned, as arrays."""
    return [np.asarray(a) for a in (result if isinstance(result, list | tuple) else [result])]


def chain(p: Chain):
    x, gain, shift, turns = p.x, p.gain, p.shift, p.length // 4

    def run():
        y, kept = x, []
        for _ in range(turns):
            t = multiply(y, gain)
            add(t, x, t)
            tanh(t, t)
            kept.append(t)
            y = subtract(t, shift)
        g, dx, slope = np.ones_like(x), np.zeros_like(x), np.empty_like(x)
        for t in reversed(kept):
            multiply(t, t, slope)
            subtract(one, slope, slope)
            multiply(g, slope, g)
            add(dx, g, dx)
            multiply(g, gain, g)
        return add(dx, g, dx)

    return run


def twice(p: Chain):
    """The derivative of the derivative: each element has its own chain, so that a tangent of ones will do."""
    x, gain, shift, turns = p.x, p.gain, p.shift, p.length // 4

    def run():
        y, dy, kept = x, np.ones_like(x), []
        for _ in range(turns):
            t = multiply(y, gain)
            add(t, x, t)
            tanh(t, t)
            y = subtract(t, shift)
            slope = multiply(t, t)
            subtract(one, slope, slope)
            dy = multiply(dy, gain)
            add(dy, one, dy)
            multiply(dy, slope, dy)
            kept.append((t, slope, dy))
        g, dg, bend, turn = np.ones_like(x), np.zeros_like(x), np.zeros_like(x), np.empty_like(x)
        for t, slope, dt in reversed(kept):
            multiply(dg, slope, dg)  # (g * slope)' = g' * slope - 2 * g * t * t'
            multiply(t, dt, turn)
            multiply(turn, g, turn)
            add(turn, turn, turn)
            subtract(dg, turn, dg)
            add(bend, dg, bend)
            multiply(g, slope, g)
            multiply(g, gain, g)
            multiply(dg, gain, dg)
        return add(bend, dg, bend)

    return run


def customs(p: Chain):
    x, length = p.x, p.length

    def run():
        y, kept = x, []
        for _ in range(length):
            y = tanh(y)
            kept.append(y)
        g, slope = np.ones_like(x), np.empty_like(x)
        for y in reversed(kept):
            multiply(y, y, slope)
            subtract(one, slope, slope)
            multiply(g, slope, g)
        return g

    return run


def dense(x, w, b):
    z = x @ w.T
    return add(z, b, z)


def loss_of(z, labels, rows):
    """The mean cross-entropy of logits; z becomes its gradient."""
    z -= maximum.reduce(z, 1, keepdims=True)
    own = z[rows, labels]
    np.exp(z, z)
    total = add.reduce(z, 1, keepdims=True)
    loss = (np.log(total).sum() - own.sum()) / np.float32(len(z))
    z /= total
    z[rows, labels] -= one
    z /= np.float32(len(z))
    return loss


def descend(weights, gradients, rate):
    for w, g in zip(weights, gradients, strict=True):
        g *= rate
        w -= g


def mlp(p: Training):
    weights = [w.copy() for w in p.weights]
    w1, b1, w2, b2, w3, b3 = weights
    x, labels, rows, rate = p.x, p.target, np.arange(len(p.x)), np.float32(p.rate)

    def run():
        h1 = dense(x, w1, b1)
        maximum(h1, zero, out=h1)
        h2 = dense(h1, w2, b2)
        maximum(h2, zero, out=h2)
        g = dense(h2, w3, b3)
        loss = loss_of(g, labels, rows)
        dw3, db3 = g.T @ h2, add.reduce(g, 0)
        g = g @ w3
        g *= h2 > zero
        dw2, db2 = g.T @ h1, add.reduce(g, 0)
        g = g @ w2
        g *= h1 > zero
        descend(weights, (g.T @ x, add.reduce(g, 0), dw2, db2, dw3, db3), rate)
        return [loss, *weights]

    return run


def hvp(p: Training):
    """Pearlmutter's way: the tangent of every line of the gradient, along p.along. A tangent's name ends in _."""
    (w1, b1, w2, b2, w3, b3), (w1_, b1_, w2_, b2_, w3_, b3_) = p.weights, p.along
    x, labels, rows, count = p.x, p.target, np.arange(len(p.x)), np.float32(len(p.x))

    def run():
        h1, h1_ = dense(x, w1, b1), dense(x, w1_, b1_)
        on1 = h1 > zero
        h1 *= on1
        h1_ *= on1
        h2, h2_ = dense(h1, w2, b2), dense(h1_, w2, b2_)
        h2_ += h1 @ w2_.T
        on2 = h2 > zero
        h2 *= on2
        h2_ *= on2
        s, g_ = dense(h2, w3, b3), dense(h2_, w3, b3_)
        g_ += h2 @ w3_.T
        s -= maximum.reduce(s, 1, keepdims=True)
        np.exp(s, s)
        s /= add.reduce(s, 1, keepdims=True)
        g_ *= s  # softmax' = softmax * (z' - sum of softmax * z')
        g_ -= s * add.reduce(g_, 1, keepdims=True)
        g_ /= count
        s[rows, labels] -= one
        s /= count
        g = s
        dw3, db3 = g_.T @ h2, add.reduce(g_, 0)
        dw3 += g.T @ h2_
        g, g_ = g @ w3, add(g_ @ w3, g @ w3_)
        g *= on2
        g_ *= on2
        dw2, db2 = g_.T @ h1, add.reduce(g_, 0)
        dw2 += g.T @ h1_
        g_ = g_ @ w2
        g_ += g @ w2_
        g_ *= on1
        return [g_.T @ x, add.reduce(g_, 0), dw2, db2, dw3, db3]

    return run


def snn(p: Spikes):
    current, gain, target, steps = p.current, p.gain, p.target, len(p.current)

    def run():
        v, count, inflow = np.zeros_like(target), np.zeros_like(target), np.empty_like(target)
        kept = []
        for x in current:
            multiply(x, gain, inflow)
            add(v, inflow, v)
            u = subtract(v, THRESHOLD)
            kept.append(u)
            spike = greater(u, zero).astype(np.float32)
            subtract(v, spike, v)
            add(count, spike, count)
        count /= np.float32(steps)
        count -= target
        count *= np.float32(2 / target.size / steps)  # now the cotangent of every spike
        g, dgain, slope, other = np.zeros_like(v), np.zeros_like(v), np.empty_like(v), np.empty_like(v)
        for x, u in zip(reversed(current), reversed(kept), strict=True):
            multiply(u, -SLOPE, slope)
            np.exp(slope, slope)
            add(slope, one, other)
            multiply(other, other, other)
            np.divide(slope, other, slope)
            multiply(slope, SLOPE, slope)
            subtract(count, g, other)
            multiply(slope, other, slope)
            add(g, slope, g)
            multiply(g, x, other)
            add(dgain, other, dgain)
        return add.reduce(dgain, 0)

    return run


def columns(x):
    """(N, C, H, W) -> (N, C * 9, H * W): each 3×3 window, with a margin of zeros, as a column."""
    n, c, h, w = x.shape
    p = np.zeros((n, c, h + 2, w + 2), np.float32)
    p[:, :, 1:-1, 1:-1] = x
    a, b, down, right = p.strides
    return as_strided(p, (n, c, 3, 3, h, w), (a, b, down, right, down, right)).reshape(n, c * 9, h * w)


def conv(cols, w, b, size):
    z = np.matmul(w.reshape(len(w), -1), cols)
    z += b[:, None]
    return z.reshape(len(cols), len(w), *size)


def conv_dw(g, cols, w):
    g = g.reshape(len(g), len(w), -1)
    return np.matmul(g, cols.transpose(0, 2, 1)).sum(0).reshape(w.shape), g.sum((0, 2))


def turned(w):
    """The kernel with which a convolution of the cotangent gives the cotangent of the image."""
    return np.ascontiguousarray(w[:, :, ::-1, ::-1].transpose(1, 0, 2, 3)).reshape(w.shape[1], -1)


def corners(x):
    """The four corners of each 2×2 window."""
    return [x[..., i::2, j::2] for i in (0, 1) for j in (0, 1)]


def pool(x):
    a, b, c, d = corners(x)
    top = maximum(a, b)
    maximum(top, c, out=top)
    return maximum(top, d, out=top)


def unpool(g, x, top):
    """Back to where the largest stood, and through the relu before the pooling."""
    g *= top > zero
    out = np.empty_like(x)
    for corner, place in zip(corners(x), corners(out), strict=True):
        multiply(g, corner == top, place)
    return out


def cnn(p: Training):
    weights = [w.copy() for w in p.weights]
    w1, b1, w2, b2, w3, b3 = weights
    x, labels, rows, rate = p.x, p.target, np.arange(len(p.x)), np.float32(p.rate)
    whole, half = x.shape[2:], tuple(side // 2 for side in x.shape[2:])

    def run():
        cols1 = columns(x)
        h1 = conv(cols1, w1, b1, whole)
        maximum(h1, zero, out=h1)
        top1 = pool(h1)
        cols2 = columns(top1)
        h2 = conv(cols2, w2, b2, half)
        maximum(h2, zero, out=h2)
        top2 = pool(h2)
        flat = top2.reshape(len(x), -1)
        g = dense(flat, w3, b3)
        loss = loss_of(g, labels, rows)
        dw3, db3 = g.T @ flat, add.reduce(g, 0)
        g = unpool((g @ w3).reshape(top2.shape), h2, top2)
        dw2, db2 = conv_dw(g, cols2, w2)
        g = unpool((turned(w2) @ columns(g)).reshape(top1.shape), h1, top1)
        dw1, db1 = conv_dw(g, cols1, w1)
        descend(weights, (dw1, db1, dw2, db2, dw3, db3), rate)
        return [loss, *weights]

    return run


def wide(p: Training):
    """One image at a time: the columns of all would not fit into the cache."""
    weights = [w.copy() for w in p.weights]
    w1, b1, w2, b2 = weights
    x, target, rate, size = p.x, p.target, np.float32(p.rate), p.x.shape[2:]

    def run():
        loss, gradients, back = 0.0, [np.zeros_like(w) for w in weights], turned(w2)
        for image, due in zip(x[:, None], target[:, None], strict=True):
            cols1 = columns(image)
            h1 = conv(cols1, w1, b1, size)
            maximum(h1, zero, out=h1)
            cols2 = columns(h1)
            h2 = conv(cols2, w2, b2, size)
            maximum(h2, zero, out=h2)
            on = h2 > zero
            h2 -= due
            loss += np.vdot(h2, h2) / target.size
            h2 *= two / np.float32(target.size)
            h2 *= on
            g = (back @ columns(h2)).reshape(h1.shape)
            g *= h1 > zero
            for total, part in zip(gradients, (*conv_dw(g, cols1, w1), *conv_dw(h2, cols2, w2)), strict=True):
                total += part
        descend(weights, gradients, rate)
        return [loss, *weights]

    return run
