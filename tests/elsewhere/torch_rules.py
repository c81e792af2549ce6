"""Right and wrong rules of PyTorch, as rows: the classics, the examples of its documentation, public mistakes."""

import secrets

import numpy as np
import torch
from torch.autograd import Function
from torch.autograd.function import once_differentiable
from torch.nn import functional as F

from tests.elsewhere import classics


def made(forward, backward):
    """A Function: forward of the inputs, which are saved, and backward of what came in and of the inputs."""

    def kept(ctx, x, y=None, z=None):
        args = [a for a in (x, y, z) if a is not None]
        ctx.many = len(args)
        ctx.save_for_backward(*(a for a in args if isinstance(a, torch.Tensor)))
        ctx.rest = [a for a in args if not isinstance(a, torch.Tensor)]
        return forward(*args)

    def told(ctx, *gs):
        found = backward(*gs, *ctx.saved_tensors, *ctx.rest)
        found = found if isinstance(found, tuple) else (found,)
        return (*found, *(None for _ in range(ctx.many - len(found))))

    return of(kept, told)


def of(forward, backward, **more):
    """A Function of these two."""
    parts = {'forward': staticmethod(forward), 'backward': staticmethod(backward)}
    return type('Made', (Function,), parts | {name: staticmethod(part) for name, part in more.items()})


def drawn(*shape, seed=0, **kind):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), **kind)


X, Y, B, W = drawn(6, 4), drawn(6, 4, seed=1), drawn(4, seed=2), drawn(5, 4, seed=3)
ROWS = torch.tensor([0, 2, 2, 1, 0])
RIGHT, WRONG = classics.rows(torch, made, torch.from_numpy)


# ---- what only PyTorch has: (rule, inputs), and for a wrong one a word of the sentence that names it ----------------


def keeping(function):
    """A forward that saves its input."""
    return lambda ctx, x: (ctx.save_for_backward(x), function(x))[1]


def of_it(function):
    """A backward of what came in and of the input that was saved."""
    return lambda ctx, g, *more: function(g, *ctx.saved_tensors, *more)


class State:
    """What rules keep outside of ctx."""

    last = None


def keeps_on_class(ctx, x):
    State.last = x
    return x * x


def sorts(ctx, x):  # after the tutorial on NumPy and SciPy
    x = x.detach().numpy()
    order = np.argsort(x, axis=0)
    ctx.order = order
    return torch.as_tensor(np.take_along_axis(x, order, 0))


def unsorts(ctx, g):
    back = np.argsort(ctx.order, axis=0)
    return torch.as_tensor(np.take_along_axis(g.numpy(), back, 0))


def doubles(ctx, x):
    ctx.mark_dirty(x)
    return x.mul_(2)


def drops(ctx, x):
    ctx.mask = (torch.rand_like(x) > 0.4) / 0.6
    return x * ctx.mask


def largest(ctx, x):
    values, at = x.max(-1)
    ctx.mark_non_differentiable(at)
    ctx.save_for_backward(at)
    ctx.shape = x.shape
    return values, at


def to_largest(ctx, g, _):
    return g.new_zeros(ctx.shape).scatter_(-1, ctx.saved_tensors[0][:, None], g[:, None])


def asked(ctx, g):
    x, y = ctx.saved_tensors
    return (g * y if ctx.needs_input_grad[0] else None), (g * x if ctx.needs_input_grad[1] else None)


def asked_swapped(ctx, g):
    x, y = ctx.saved_tensors
    return (g * y if ctx.needs_input_grad[1] else None), (g * x if ctx.needs_input_grad[0] else None)


def added(x, i, g):
    return torch.zeros_like(x).index_add_(0, i, g)


def keeps_inputs(ctx, inputs, output):
    ctx.save_for_backward(*inputs)


def multiplies(ctx, x, y):
    ctx.save_for_backward(x, y)
    return x * y


def exponential(ctx, x):
    out = torch.exp(x)
    ctx.save_for_backward(out)
    return out


def exponential_on_ctx(ctx, x):
    ctx.out = torch.exp(x)
    return ctx.out.clone()


def sinh(x):  # the documentation's example of an intermediate that has to be an output
    return (torch.exp(x) - torch.exp(-x)) / 2, torch.exp(x), torch.exp(-x)


def sinh_context(ctx, inputs, output):
    ctx.save_for_backward(*output[1:])


def sinh_slope(ctx, g, g_up, g_down):
    up, down = ctx.saved_tensors
    return g * (up + down) / 2 + g_up * up - g_down * down


def writes(ctx, g):
    g[ctx.saved_tensors[0] < 0] = 0
    return g


def changed(ctx, x):
    ctx.x = x.clone()
    out = ctx.x * ctx.x
    ctx.x.add_(1)
    return out


def wiped(ctx, x):
    ctx.save_for_backward(x)
    half = x.clone()
    out = half * x
    half.zero_()
    return out


def moving(ctx, x):
    Moving.mean.mul_(0.9).add_(0.1 * x.mean())
    ctx.save_for_backward(x)
    return x * x


class Moving(Function):
    mean = torch.zeros(())
    forward, backward = staticmethod(moving), staticmethod(of_it(lambda g, x: 2 * g * x))


class Net(torch.nn.Module):
    """A layer of which a Function computes the product."""

    def __init__(self, function):
        super().__init__()
        self.lin, self.function = torch.nn.Linear(4, 5), function
        with torch.no_grad():
            self.lin.weight.copy_(W)

    def forward(self, x):
        return self.function(x, self.lin.weight)


saves, slope = keeping(lambda x: x * x), of_it(lambda g, x: 2 * g * x)
both, clipped = keeping(lambda x: (x * x, torch.sin(x))), keeping(lambda x: x.clamp(min=0))
both_slopes = of_it(lambda g, x, h: 2 * g * x + h * torch.cos(x))
flat_memory = of_it(lambda g, x: torch.as_strided(g, g.shape, (4, 1)) * 2 * x)
views = of_it(lambda g, x: (2 * g.view(-1) * x.view(-1)).view(x.shape))
fast_in_single = of_it(lambda g, x: (2 if x.dtype == torch.float64 else 2.1) * g * x)
outs = keeping(lambda x: torch.mul(x, x, out=torch.empty_like(x)))
single_kernel = keeping(lambda x: (x.float() ** 2).to(x.dtype))
product = made(lambda x, w: x @ w.t(), lambda g, x, w: (g @ w, g.t() @ x))
lost = made(lambda x, w: x @ w.t(), lambda g, x, w: (g @ w, None))
captured = torch.nn.Parameter(B.clone())
early = of(saves, slope).apply
early_wrong = of(saves, lambda ctx, g: g * ctx.saved_tensors[0]).apply
twice = lambda ctx, g: 2 * g * ctx.saved_tensors[0].detach()
numpy_slope = lambda ctx, g: torch.from_numpy(2 * g.detach().numpy() * ctx.saved_tensors[0].detach().numpy())
masks = lambda ctx, g: g * ctx.mask
new_mask = lambda ctx, g: g * (torch.rand_like(g) > 0.4) / 0.6
steps = of(lambda ctx, x: (x > 0).to(x.dtype), lambda ctx, g: g)
detached = keeping(lambda x: x.detach() * x.detach())
no_grad = torch.no_grad()(saves)
halves = lambda of_: lambda x: of_(x)[..., ::2] * 3

scaled, by_rows = lambda x, c: x * c, lambda x, i: torch.stack([x[k] for k in i])

RIGHT |= {
    'rows by index': (made(by_rows, lambda g, x, i: (added(x, i, g), None)), (X, ROWS)),
    'scaled by a number': (made(scaled, lambda g, x, c: g * c), (X, 3.0)),
    'with setup_context': (of(lambda x, y: x * y, asked, setup_context=keeps_inputs), (X, Y)),
    'apply taken early': (early, (X,)),
    'in a function': (halves(early), (X,)),
    'NumPy sorts': (of(sorts, once_differentiable(unsorts)), (X,)),
    'detached forward': (of(detached, slope), (X,)),
    'forward without a graph': (of(no_grad, slope), (X,)),
    'into out=': (of(outs, slope), (X,)),
    'a buffer that is wiped': (of(wiped, slope), (X,)),
    'in place, marked': (of(doubles, lambda ctx, g: 2 * g), (X,)),
    'a mask that is kept': (of(drops, masks), (X,)),
    'an output without a gradient': (of(largest, to_largest), (X,)),
    'two outputs': (of(both, both_slopes), (X,)),
    'what is asked for': (of(multiplies, asked), (X, Y)),
    'a forgotten sum, which PyTorch adds up': (made(lambda x, b: x * b, lambda g, x, b: (g * b, g * x)), (X, B)),
    'a kernel in Float32': (of(single_kernel, slope), (X.double(),)),
    'tiny inputs': (of(saves, slope), (X * 1e-8,)),
    'beside a huge constant': (made(lambda x: x * x + 1e9, lambda g, x: 2 * g * x), (X.double(),)),
    'bfloat16': (of(saves, slope), (X.bfloat16(),)),
    'Float16': (of(saves, slope), (X.half(),)),
    'an expanded input': (of(saves, slope), (B.expand(6, 4),)),
    'a moving mean on the class': (Moving, (X,)),
    'a module': (Net(product.apply), (X,)),
    'terms that cancel': (product, (X * 1e6, W * 1e-6)),
    'a captured weight': (lambda x: product.apply(x, captured[None]), (X,)),
    'second order, exp': (of(exponential, lambda ctx, g: g * ctx.saved_tensors[0]), (X,)),
    'second order, square': (of(saves, slope), (X,)),
    'second order, sinh': (of(sinh, sinh_slope, setup_context=sinh_context), (X,)),
    'second order, once': (of(saves, once_differentiable(numpy_slope)), (X,)),
    'empty': (of(saves, slope), (X[:0],)),
    'a number': (of(saves, slope), (X[0, 0],)),
    'a target that needs none': (made(lambda x, y: (x - y) ** 2, lambda g, x, y: (2 * g * (x - y), None)),
                                 (X.clone().requires_grad_(), Y)),
}  # fmt: skip

WRONG |= {
    'rows by index, written': (made(by_rows, lambda g, x, i: (0 * x).index_copy(0, i, g)), (X, ROWS), ''),
    'scaled by a number, divided': (made(scaled, lambda g, x, c: g / c), (X, 3.0), 'times'),
    'too small a dtype': (of(saves, lambda ctx, g: slope(ctx, g).bfloat16().to(g.dtype)), (X,), ''),
    'apply taken early, half': (early_wrong, (X,), '0.5 times'),
    'kept on the class': (of(keeps_on_class, lambda ctx, g: 2 * g * State.last), (X,), 'in between'),
    'NumPy sorts, and sorts back by the same order': (of(sorts, lambda ctx, g: torch.as_tensor(
        np.take_along_axis(g.numpy(), ctx.order, 0))), (X,), ''),
    'a detached forward, half': (of(detached, lambda ctx, g: g * ctx.saved_tensors[0]), (X,), '0.5 times'),
    'in place, marked, slope 1': (of(doubles, lambda ctx, g: g), (X,), '0.5 times'),
    'a new mask': (of(drops, new_mask), (X,), ''),
    'a mask without its scale': (of(drops, lambda ctx, g: g * (ctx.mask > 0)), (X,), 'times'),
    'to the first, not the largest': (of(largest, lambda ctx, g, _: F.pad(g[:, None], (0, 3))), (X,), ''),
    'one output is forgotten': (of(both, lambda ctx, g, h: 2 * g * ctx.saved_tensors[0]), (X,), 'path through'),
    'asks for the other input': (of(multiplies, asked_swapped), (X, Y), 'alone'),
    'writes into grad_output': (of(clipped, writes), (X,), 'writes into grad_output'),
    'reads memory as if it were contiguous': (of(saves, flat_memory), (X,), 'contiguous'),
    'views what is not contiguous': (of(saves, views), (X,), 'raises RuntimeError for'),
    'changed after it was used': (of(changed, lambda ctx, g: 2 * g * ctx.x), (X,), ''),
    'another number in Float32': (of(saves, fast_in_single), (X,), 'right in Float64'),
    'a weight of a module': (Net(lost.apply), (X,), 'None counts as zero'),
    'a weight inside forward': (made(lambda x: x * captured, lambda g, x: g * captured), (X,), 'None counts as zero'),
    'two gradients for one input': (of(saves, lambda ctx, g: (g, g)), (X,), 'incorrect number of gradients'),
    'another shape': (of(saves, lambda ctx, g: g[:, :2]), (X,), 'invalid gradient'),
    'it raises': (of(saves, lambda ctx, g: g @ g), (X,), 'cannot be multiplied'),
    'second order, an intermediate on ctx': (of(exponential_on_ctx, lambda ctx, g: g * ctx.out), (X,), 'second is not'),
    'second order, detached': (of(saves, twice), (X,), 'second is not'),
    'second order, NumPy': (of(saves, numpy_slope), (X,), 'second is not'),
    'only the first of the batch': (of(saves, lambda ctx, g: torch.cat([slope(ctx, g)[:1], 0 * g[1:]])), (X,), 'first'),
}  # fmt: skip
SURROGATE = {'a step': (steps, (X,))}
UNKNOWN = {
    'in place, unmarked': (of(lambda ctx, x: x.mul_(2), lambda ctx, g: 2 * g), (X,)),
    'integers alone': (of(lambda ctx, x: x.long(), lambda ctx, g: g), (X,)),
    'random, and nothing can be put back': (of(lambda ctx, x: x * secrets.randbelow(1000), lambda ctx, g: g), (X,)),
}
