"""Right and wrong rules of PyTorch, as rows: the classics, the examples of its documentation, public mistakes."""

import numpy as np
import torch
from torch.autograd import Function
from torch.autograd.function import once_differentiable
from torch.nn import functional as F


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
POS = X.abs() + 0.5
ROWS = torch.tensor([0, 2, 2, 1, 0])
LABELS = torch.tensor([0, 2, 1, 2, 3, 0])
SIG = lambda x: 1 / (1 + torch.exp(-x))
up = lambda x: torch.exp(x - x.amax(-1, keepdim=True))
SOFT = lambda x: up(x) / up(x).sum(-1, keepdim=True)
LOSS = lambda x: -torch.log(SOFT(x))[torch.arange(6), LABELS].mean()
hot = lambda x: F.one_hot(LABELS, x.shape[-1])
mean0, var0 = lambda x: x.mean(-1, keepdim=True), lambda x: x.var(-1, unbiased=False, keepdim=True)
normed = lambda x: (x - mean0(x)) / torch.sqrt(var0(x) + 1e-5)
onto = lambda x, i: torch.stack([x[k] for k in i])


def added(x, i, g):
    return torch.zeros_like(x).index_add_(0, i, g)


# name: (forward, the right backward, inputs, {a mistake: (its backward, a word of the sentence that names it)})
TABLE = {
    'square': (lambda x: x * x, lambda g, x: 2 * g * x, (X,), {
        'half of it': (lambda g, x: g * x, '0.5 times'),
        'grad_output is missing': (lambda g, x: 2 * x, 'ones'),
        'opposite sign': (lambda g, x: -2 * g * x, 'opposite'),
        'abs of grad_output': (lambda g, x: 2 * g.abs() * x, 'grad_output'),
        'clipped': (lambda g, x: (2 * g * x).clamp(-1, 1), 'grad_output'),
        'nothing': (lambda g, x: None, 'None counts as zero'),
        'NaN': (lambda g, x: 2 * g * x * float('nan'), 'NaN'),
        'too small a dtype': (lambda g, x: (2 * g * x).bfloat16().to(g.dtype), ''),
    }),
    'product': (lambda x, y: x * y, lambda g, x, y: (g * y, g * x), (X, Y), {
        'swapped': (lambda g, x, y: (g * x, g * y), 'gradient of'),
        'None for y': (lambda g, x, y: (g * y, None), 'None counts as zero'),
        'both the same': (lambda g, x, y: (g * y, g * y), 'gradient of x'),
        'the values, not the gradients': (lambda g, x, y: (y, x), 'ones'),
    }),
    'quotient': (lambda x, y: x / y, lambda g, x, y: (g / y, -g * x / y**2), (X, POS), {
        'sign of y': (lambda g, x, y: (g / y, g * x / y**2), 'opposite'),
        'y once': (lambda g, x, y: (g / y, -g * x / y), 'y'),
        'y instead of 1 / y': (lambda g, x, y: (g * y, -g * x / y**2), 'y'),
    }),
    'exp': (torch.exp, lambda g, x: g * torch.exp(x), (X,), {
        'its slope is missing': (lambda g, x: g, 'missing'),
        'x instead of out': (lambda g, x: g * x, 'in the place of'),
    }),
    'log': (torch.log, lambda g, x: g / x, (POS,), {'x instead of 1 / x': (lambda g, x: g * x, 'x')}),
    'root': (torch.sqrt, lambda g, x: g / (2 * torch.sqrt(x)), (POS,), {
        'a half is missing': (lambda g, x: g / torch.sqrt(x), '2 times'),
        'the root is missing': (lambda g, x: g / 2 / x, 'factor'),
    }),
    'cube': (lambda x: x**3, lambda g, x: 3 * g * x**2, (X,), {
        'the power is kept': (lambda g, x: 3 * g * x**3, 'factor'),
        'the exponent is missing': (lambda g, x: g * x**2, 'times'),
    }),
    'Legendre polynomial': (lambda x: 0.5 * (5 * x**3 - 3 * x), lambda g, x: g * 1.5 * (5 * x**2 - 1), (X,), {
        'a constant is lost': (lambda g, x: g * 1.5 * 5 * x**2, ''),
    }),
    'sine': (torch.sin, lambda g, x: g * torch.cos(x), (X,), {
        'sine again': (lambda g, x: g * torch.sin(x), 'sin'),
        'cosine of nothing': (lambda g, x: torch.cos(x), ''),
    }),
    'sigmoid': (SIG, lambda g, x: g * SIG(x) * (1 - SIG(x)), (X,), {
        '1 - out is missing': (lambda g, x: g * SIG(x), '(1 − '),
        'of x instead of out': (lambda g, x: g * x * (1 - x), ''),
        'twice': (lambda g, x: g * SIG(x) ** 2 * (1 - SIG(x)), 'once too often'),
    }),
    'tanh': (torch.tanh, lambda g, x: g * (1 - torch.tanh(x) ** 2), (X,), {
        'the square is missing': (lambda g, x: g * (1 - torch.tanh(x)), 'out'),
        'the sign inside': (lambda g, x: g * (1 + torch.tanh(x) ** 2), ''),
    }),
    'swish': (lambda x: x * SIG(x), lambda g, x: g * (SIG(x) + x * SIG(x) * (1 - SIG(x))), (X,), {
        'one path': (lambda g, x: g * SIG(x), 'path through'),
    }),
    'relu': (lambda x: x.clamp(min=0), lambda g, x: g * (x > 0), (X,), {
        'no mask': (lambda g, x: g, 'where 0 is due'),
        'the other half': (lambda g, x: g * (x < 0), ''),
        'the mask of grad_output': (lambda g, x: g * (g > 0), ''),
    }),
    'leaky relu': (lambda x: torch.where(x > 0, x, 0.1 * x), lambda g, x: torch.where(x > 0, g, 0.1 * g), (X,), {
        'no slope': (lambda g, x: g * (x > 0), 'negative'),
        'the wrong way round': (lambda g, x: torch.where(x < 0, g, 0.1 * g), '10 times'),
    }),
    'relu6': (lambda x: (4 * x).clamp(0, 6), lambda g, x: 4 * g * ((4 * x > 0) & (4 * x < 6)), (2 * X,), {
        'no upper end': (lambda g, x: 4 * g * (x > 0), ''),
    }),
    'abs': (torch.abs, lambda g, x: g * torch.sign(x), (X,), {'no sign': (lambda g, x: g, 'negative')}),
    'linear': (
        lambda x, w, b: x @ w.t() + b, lambda g, x, w, b: (g @ w, g.t() @ x, g.sum(0)), (X, W, drawn(5, seed=5)), {
            'a mean for b': (lambda g, x, w, b: (g @ w, g.t() @ x, g.mean(0)), '0.1667 times'),
            'averaged over the batch': (lambda g, x, w, b: (g @ w, g.t() @ x / len(x), g.sum(0)), '0.1667 times'),
            'one row for b': (lambda g, x, w, b: (g @ w, g.t() @ x, g[0]), 'row 0'),
            'b has none': (lambda g, x, w, b: (g @ w, g.t() @ x, None), 'None counts as zero'),
        },
    ),
    'matmul': (lambda x, y: x @ y, lambda g, x, y: (g @ y.t(), x.t() @ g), (drawn(3, 3, seed=7), drawn(3, 3, seed=8)), {
        'y not transposed': (lambda g, x, y: (g @ y, x.t() @ g), 'grad_output @ y'),
        'x not transposed': (lambda g, x, y: (g @ y.t(), x @ g), 'x @ grad_output'),
        'transposed as a whole': (lambda g, x, y: ((g @ y.t()).t(), x.t() @ g), 'transposed'),
    }),
    'mean': (lambda x: x.mean(), lambda g, x: (g / x.numel()).expand_as(x), (X,), {
        'not divided': (lambda g, x: g.expand_as(x), '24 times'),
        'by the rows alone': (lambda g, x: (g / len(x)).expand_as(x), '4 times'),
    }),
    'softmax': (SOFT, lambda g, x: SOFT(x) * (g - (g * SOFT(x)).sum(-1, keepdim=True)), (X,), {
        'the diagonal alone': (lambda g, x: g * SOFT(x) * (1 - SOFT(x)), ''),
        'no sum': (lambda g, x: g * SOFT(x), ''),
        'summed over the batch': (lambda g, x: SOFT(x) * (g - (g * SOFT(x)).sum(0, keepdim=True)), ''),
    }),
    'logsumexp': (lambda x: torch.logsumexp(x, -1), lambda g, x: g[:, None] * SOFT(x), (X,), {
        'the weights are missing': (lambda g, x: g[:, None].expand_as(x), ''),
    }),
    'cross entropy': (
        LOSS, lambda g, x: g * (SOFT(x) - hot(x)) / len(x), (X,), {
            'a sum instead of the mean': (lambda g, x: g * (SOFT(x) - hot(x)), '6 times'),
            'the label is not subtracted': (lambda g, x: g * SOFT(x) / len(x), ''),
            'the sign': (lambda g, x: g * (hot(x) - SOFT(x)) / len(x), 'opposite'),
        },
    ),
    'layer norm': (
        normed, lambda g, x: (g - mean0(g) - normed(x) * mean0(g * normed(x))) / torch.sqrt(var0(x) + 1e-5), (X,), {
            'statistics as constants': (lambda g, x: g / torch.sqrt(var0(x) + 1e-5), 'paths through'),
            'the mean alone': (lambda g, x: (g - mean0(g)) / torch.sqrt(var0(x) + 1e-5), 'path through'),
        },
    ),
    'norm': (lambda x: (x * x).sum().sqrt(), lambda g, x: g * x / (x * x).sum().sqrt(), (X,), {
        'not divided': (lambda g, x: g * x, 'out'),
    }),
    'broadcast': (lambda x, b: x * b, lambda g, x, b: (g * b, (g * x).sum(0)), (X, B), {
        'a mean': (lambda g, x, b: (g * b, (g * x).mean(0)), '0.1667 times'),
        'the last row': (lambda g, x, b: (g * b, (g * x)[-1]), 'row -1'),
    }),
    'rows by index': (lambda x, i: onto(x, i), lambda g, x, i: (added(x, i, g), None), (X, ROWS), {
        'written, not added': (lambda g, x, i: (torch.zeros_like(x).index_copy_(0, i, g), None), ''),
    }),
    'cumsum': (lambda x: x.cumsum(0), lambda g, x: g.flip(0).cumsum(0).flip(0), (X,), {
        'forwards again': (lambda g, x: g.cumsum(0), ''),
        'not flipped back': (lambda g, x: g.flip(0).cumsum(0), ''),
    }),
    'largest': (lambda x: x.amax(-1), lambda g, x: g[:, None] * (x == x.amax(-1, keepdim=True)), (X,), {
        'to all': (lambda g, x: g[:, None].expand_as(x), ''),
    }),
    'scaled by a number': (lambda x, c: x * c, lambda g, x, c: g * c, (X, 3.0), {
        'the number is missing': (lambda g, x, c: g, 'times'),
        'divided': (lambda g, x, c: g / c, 'times'),
    }),
    'Huber': (
        lambda x, y: torch.where((x - y).abs() < 1, 0.5 * (x - y) ** 2, (x - y).abs() - 0.5),
        lambda g, x, y: (g * (x - y).clamp(-1, 1), -g * (x - y).clamp(-1, 1)), (X, Y), {
            'quadratic everywhere': (lambda g, x, y: (g * (x - y), g * (y - x)), ''),
            'the sign of y': (lambda g, x, y: (g * (x - y).clamp(-1, 1), g * (x - y).clamp(-1, 1)), 'opposite'),
        },
    ),
    'inverse': (torch.inverse, lambda g, x: -x.inverse().t() @ g @ x.inverse().t(), (drawn(3, 3) + 3 * torch.eye(3),), {
        'not transposed': (lambda g, x: -x.inverse() @ g @ x.inverse(), ''),
    }),
}  # fmt: skip

RIGHT = {name: (made(forward, backward), inputs) for name, (forward, backward, inputs, _) in TABLE.items()}
WRONG = {
    f'{name}, {mistake}': (made(forward, backward), inputs, word)
    for name, (forward, _, inputs, mistakes) in TABLE.items()
    for mistake, (backward, word) in mistakes.items()
}


# ---- what only PyTorch has: (rule, inputs), and for a wrong one a word of the sentence that names it ----------------


def saves(ctx, x):
    ctx.save_for_backward(x)
    return x * x


def slope(ctx, g):
    return 2 * g * ctx.saved_tensors[0]


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


def doubles_unmarked(ctx, x):
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


def both(ctx, x):
    ctx.save_for_backward(x)
    return x * x, torch.sin(x)


def both_slopes(ctx, g, h):
    (x,) = ctx.saved_tensors
    return 2 * g * x + h * torch.cos(x)


def asked(ctx, g):
    x, y = ctx.saved_tensors
    return (g * y if ctx.needs_input_grad[0] else None), (g * x if ctx.needs_input_grad[1] else None)


def asked_swapped(ctx, g):
    x, y = ctx.saved_tensors
    return (g * y if ctx.needs_input_grad[1] else None), (g * x if ctx.needs_input_grad[0] else None)


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


def clipped(ctx, x):
    ctx.save_for_backward(x)
    return x.clamp(min=0)


def flat_memory(ctx, g):
    return torch.as_strided(g, g.shape, (g[0].numel(), 1)) * 2 * ctx.saved_tensors[0]


def views(ctx, g):
    (x,) = ctx.saved_tensors
    return (2 * g.view(-1) * x.view(-1)).view(x.shape)


def changed(ctx, x):
    ctx.x = x.clone()
    out = ctx.x * ctx.x
    ctx.x.add_(1)
    return out


def fast_in_single(ctx, g):
    (x,) = ctx.saved_tensors
    return (2 if x.dtype == torch.float64 else 2.1) * g * x


def outs(ctx, x):
    ctx.save_for_backward(x)
    return torch.mul(x, x, out=torch.empty_like(x))


def wiped(ctx, x):
    ctx.save_for_backward(x)
    half = x.clone()
    out = half * x
    half.zero_()
    return out


def single_kernel(ctx, x):
    ctx.save_for_backward(x)
    return (x.float() ** 2).to(x.dtype)


def moving(ctx, x):
    Moving.mean.mul_(0.9).add_(0.1 * x.mean())
    ctx.save_for_backward(x)
    return x * x


class Moving(Function):
    mean = torch.zeros(())
    forward, backward = staticmethod(moving), staticmethod(slope)


class Net(torch.nn.Module):
    """A layer of which a Function computes the product."""

    def __init__(self, function):
        super().__init__()
        self.lin, self.function = torch.nn.Linear(4, 5), function
        with torch.no_grad():
            self.lin.weight.copy_(W)

    def forward(self, x):
        return self.function(x, self.lin.weight)


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
detached = lambda ctx, x: (ctx.save_for_backward(x), x.detach() * x.detach())[1]
no_grad = torch.no_grad()(saves)
halves = lambda of_: lambda x: of_(x)[..., ::2] * 3

RIGHT |= {
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
