"""Pooling of images (N, C, H, W): the largest, or the mean, of each window. Windows are read as strided slices."""

import sys
from math import inf

import numpy as np

from ..core.errors import users_line
from ..core.primitives import apply, apply_many, on_both, operand, refuse_dtype
from ..core.rules import Many, Rule, UnaryWith
from ..core.tensor import Tensor
from ..errors import SettingError
from .window import Window, check_images, cropped, only_1, padded, window

getframe = sys._getframe

# ---- the largest ---------------------------------------------------------------------------------------------------


def _max_pool(x: np.ndarray, win: Window) -> np.ndarray:
    p = padded(x, win.pad, -inf)
    first, *rest = [p[place] for place in win.slices(win.places(p.shape[2:]))]
    if not rest:
        return first.copy()
    out = np.maximum(first, rest[0])
    for other in rest[1:]:
        np.maximum(out, other, out=out)
    return out


def _winners(x: np.ndarray, out: np.ndarray, win: Window):
    """For each place in the window: its index, and which windows have their largest number there.

    The first of equals wins, as in MindSpore, so that each window gives its cotangent away once.
    """
    *places, last = win.slices(out.shape[2:])
    free = None
    for place in places:
        won = x[place] == out
        if free is None:
            free = ~won
        else:
            won &= free
            free ^= won
        yield place, won
    yield last, np.ones(out.shape, bool) if free is None else free


def _max_pool_dx(win: Window, g: np.ndarray, x: np.ndarray, out: np.ndarray) -> np.ndarray:
    """Each window's cotangent goes where its largest number was."""
    if win.tiles(x.shape[2:]):
        dx = np.empty(x.shape, g.dtype)
        for place, won in _winners(x, out, win):
            np.multiply(g, won, out=dx[place])
        return dx
    p = padded(x, win.pad, -inf)
    dx = np.zeros(p.shape, g.dtype)
    for place, won in _winners(p, out, win):
        dx[place] += g * won
    return cropped(dx, win.pad)


def _max_pool_pick(win: Window, h: np.ndarray, x: np.ndarray, out: np.ndarray) -> np.ndarray:
    """From h, shaped as x, what lies where the windows of x have their largest number."""
    h, total = padded(h, win.pad), np.zeros(out.shape, h.dtype)
    for place, won in _winners(padded(x, win.pad, -inf), out, win):
        total += h[place] * won
    return total


# Both are linear in their first input and transposes of each other; in x and out they are constant but for jumps.
# fmt: off
MAX_POOL = UnaryWith('MaxPool', _max_pool, lambda g, out, x, win: max_pool_dx(g, x, out, win))
MAX_POOL_DX = Many('MaxPoolGrad', _max_pool_dx,
                   (lambda h, dx, win, g, x, out: max_pool_pick(h, x, out, win), None, None))
MAX_POOL_PICK = Many('MaxPoolGradGrad', _max_pool_pick,
                     (lambda k, picked, win, h, x, out: max_pool_dx(k, x, out, win), None, None))
max_pool_dx = on_both(lambda g, x, out, win: apply_many(MAX_POOL_DX, (g, x, out), (win,), getframe(2)),
                      lambda g, x, out, win: _max_pool_dx(win, g, x, out))
max_pool_pick = on_both(lambda h, x, out, win: apply_many(MAX_POOL_PICK, (h, x, out), (win,), getframe(2)),
                        lambda h, x, out, win: _max_pool_pick(win, h, x, out))
# fmt: on

# ---- the mean ------------------------------------------------------------------------------------------------------


def _shares(win: Window, size: tuple[int, ...], dtype: np.dtype, count_pad: bool) -> np.ndarray:
    """1 / how many numbers each window holds."""
    if count_pad or not any(win.pad):
        return np.asarray(1 / (win.kernel[0] * win.kernel[1]), dtype)
    p = padded(np.ones((1, 1, *size), dtype), win.pad)
    return 1 / sum(p[place] for place in win.slices(win.places(p.shape[2:])))


def _avg_pool(x: np.ndarray, win: Window, count_pad: bool) -> np.ndarray:
    p = padded(x, win.pad)
    total = np.zeros((*p.shape[:2], *win.places(p.shape[2:])), x.dtype)
    for place in win.slices(total.shape[2:]):
        total += p[place]
    total *= _shares(win, x.shape[2:], x.dtype, count_pad)
    return total


def _avg_pool_dx(g: np.ndarray, win: Window, count_pad: bool, size: tuple[int, int]) -> np.ndarray:
    top, bottom, left, right = win.pad
    dx = np.zeros((*g.shape[:2], size[0] + top + bottom, size[1] + left + right), g.dtype)
    g = g * _shares(win, size, g.dtype, count_pad)
    for place in win.slices(g.shape[2:]):
        dx[place] += g
    return cropped(dx, win.pad)


# Both are linear, and transposes of each other.
# fmt: off
AVG_POOL = UnaryWith('AvgPool', _avg_pool,
                 lambda g, out, x, win, count_pad: avg_pool_dx(g, win, count_pad, x.shape[2:]))
AVG_POOL_DX = UnaryWith('AvgPoolGrad', _avg_pool_dx, lambda h, dx, g, win, count_pad, size: avg_pool(h, win, count_pad))
avg_pool = on_both(lambda x, *settings: apply(AVG_POOL, x, settings, getframe(2)), _avg_pool)
avg_pool_dx = on_both(lambda g, *settings: apply(AVG_POOL_DX, g, settings, getframe(2)), _avg_pool_dx)
# fmt: on

# ---- called --------------------------------------------------------------------------------------------------------


def _pool(rule: Rule, x: object, settings: tuple, more: tuple, frame) -> Tensor:
    check_images(rule.name, x)
    if x.array.dtype.kind != 'f':
        refuse_dtype(rule, operand(rule, x), frame)
    return apply(rule, x, (window(rule.name, x.shape[2:], *settings), *more), frame)


def _only(name: str, **settings: object) -> None:
    """Raise for settings of MindSpore's that minicell does without."""
    for what, value in settings.items():
        if value:
            raise SettingError(f"'{name}' has no {what} here: leave it out.{users_line()}")


def max_pool2d(
    x: Tensor,
    kernel_size: int | tuple[int, int],
    stride: int | tuple[int, int] | None = None,
    padding: int | tuple[int, ...] = 0,
    dilation: int | tuple[int, int] = 1,
    return_indices: bool = False,
    ceil_mode: bool = False,
    *,
    pad_mode: str = 'pad',
) -> Tensor:
    """The largest number of each window of images (N, C, H, W); stride None: that of the kernel.

    Of equal numbers the first one gets the gradient. Raises ValueError for shapes and settings that do not fit,
    TypeError for integers.

    >>> from minicell import Tensor, ops
    >>> print(ops.max_pool2d(Tensor([[[[1.0, 4.0], [3.0, 2.0]]]]), 2))
    [[[[4.]]]]
    """
    _only('max_pool2d', ceil_mode=ceil_mode, return_indices=return_indices)
    only_1('max_pool2d', dilation=dilation)
    stride = kernel_size if stride is None else stride
    return _pool(MAX_POOL, x, (kernel_size, stride, pad_mode, padding), (), getframe(1))


def avg_pool2d(
    input_x: Tensor,
    kernel_size: int | tuple[int, int] = 1,
    stride: int | tuple[int, int] | None = 1,
    padding: int | tuple[int, ...] = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int = 0,
    *,
    pad_mode: str = 'pad',
) -> Tensor:
    """The mean of each window of images (N, C, H, W); count_include_pad: the margin's zeros count.

    Raises ValueError for shapes and settings that do not fit, TypeError for integers.

    >>> from minicell import Tensor, ops
    >>> print(ops.avg_pool2d(Tensor([[[[1.0, 4.0], [3.0, 2.0]]]]), 2))
    [[[[2.5]]]]
    """
    _only('avg_pool2d', ceil_mode=ceil_mode, divisor_override=divisor_override)
    stride = kernel_size if stride is None else stride
    return _pool(AVG_POOL, input_x, (kernel_size, stride, pad_mode, padding), (bool(count_include_pad),), getframe(1))
