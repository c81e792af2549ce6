"""PyTorch, eager. Functional, with the step of SGD written out: leaner than Modules and torch.optim."""

import numpy as np
import torch
from torch.nn import functional as f

from tests.bench.problems import SLOPE, THRESHOLD, Chain, Spikes, Training

torch.set_num_threads(1)


def numbers(result: object) -> list[np.ndarray]:
    return [t.detach().numpy() for t in result]


def leaf(array: np.ndarray) -> torch.Tensor:
    return torch.tensor(array, requires_grad=True)


def walk(p: Chain):
    gain, shift = torch.tensor(p.gain), torch.tensor(p.shift)

    def forward(x):
        y = x
        for _ in range(p.length // 4):
            y = y * gain
            y = y + x
            y = torch.tanh(y)
            y = y - shift
        return y.sum()

    return forward


def chain(p: Chain):
    x, forward = leaf(p.x), walk(p)
    return lambda: torch.autograd.grad(forward(x), x)


def twice(p: Chain):
    x, forward = leaf(p.x), walk(p)

    def run():
        (slope,) = torch.autograd.grad(forward(x), x, create_graph=True)
        return torch.autograd.grad(slope.sum(), x)

    return run


class Tanh(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        out = torch.tanh(x)
        ctx.save_for_backward(out)
        return out

    @staticmethod
    def backward(ctx, g):
        (out,) = ctx.saved_tensors
        return g * (1 - out * out)


def customs(p: Chain):
    x = leaf(p.x)

    def run():
        y = x
        for _ in range(p.length):
            y = Tanh.apply(y)
        return torch.autograd.grad(y.sum(), x)

    return run


def training(loss_fn, p: Training):
    weights = [leaf(w) for w in p.weights]

    def run():
        loss = loss_fn(*weights)
        gradients = torch.autograd.grad(loss, weights)
        with torch.no_grad():
            for w, g in zip(weights, gradients, strict=True):
                w.sub_(g, alpha=p.rate)
        return [loss, *weights]

    return run


def labelled(p: Training) -> tuple[torch.Tensor, torch.Tensor]:
    return torch.tensor(p.x), torch.tensor(p.target, dtype=torch.int64)


def mlp_loss(p: Training):
    x, labels = labelled(p)

    def loss(w1, b1, w2, b2, w3, b3):
        h = f.relu(f.linear(x, w1, b1))
        h = f.relu(f.linear(h, w2, b2))
        return f.cross_entropy(f.linear(h, w3, b3), labels)

    return loss


def mlp(p: Training):
    return training(mlp_loss(p), p)


def hvp(p: Training):
    loss, weights, along = mlp_loss(p), [leaf(w) for w in p.weights], [torch.tensor(v) for v in p.along]

    def run():
        slope = torch.autograd.grad(loss(*weights), weights, create_graph=True)
        return torch.autograd.grad(slope, weights, along)

    return run


class Spike(torch.autograd.Function):
    """A step at 0, with the slope of a sigmoid."""

    @staticmethod
    def forward(ctx, u):
        ctx.save_for_backward(u)
        return (u > 0).to(u.dtype)

    @staticmethod
    def backward(ctx, g):
        (u,) = ctx.saved_tensors
        s = torch.sigmoid(u * float(SLOPE))
        return g * s * (1 - s) * float(SLOPE)


def snn(p: Spikes):
    gain, target, threshold = leaf(p.gain), torch.tensor(p.target), float(THRESHOLD)
    current = [torch.tensor(x) for x in p.current]

    def run():
        v = count = torch.zeros_like(target)
        for x in current:
            v = v + x * gain
            s = Spike.apply(v - threshold)
            v = v - s
            count = count + s
        off = count / len(current) - target
        return torch.autograd.grad((off * off).mean(), gain)

    return run


def cnn(p: Training):
    x, labels = labelled(p)

    def loss(w1, b1, w2, b2, w3, b3):
        h = f.max_pool2d(f.relu(f.conv2d(x, w1, b1, padding=1)), 2)
        h = f.max_pool2d(f.relu(f.conv2d(h, w2, b2, padding=1)), 2)
        return f.cross_entropy(f.linear(h.flatten(1), w3, b3), labels)

    return training(loss, p)


def wide(p: Training):
    x, target = torch.tensor(p.x), torch.tensor(p.target)

    def loss(w1, b1, w2, b2):
        h = f.relu(f.conv2d(x, w1, b1, padding=1))
        return f.mse_loss(f.relu(f.conv2d(h, w2, b2, padding=1)), target)

    return training(loss, p)
