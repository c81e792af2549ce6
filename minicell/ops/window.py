"""Windows that slide over images (N, C, H, W): where they lie; and pooling, the largest number or the mean of each.

Pooling reads the windows as strided slices: one slice for each place in the window.
"""

from collections.abc import Iterator
from functools import lru_cache
from math import inf
from typing import NamedTuple

import numpy as np

from ..core.errors import DTypeError, ShapeError, article, users_line
from ..core.primitives import apply, apply_many, getframe, on_both
from ..core.rules import Many, Rule, Unary
from ..core.tensor import Tensor
from ..errors import SettingError
from .checks import NUMBER, must, only
from .primitive import floats, in_float32


class Window(NamedTuple):
    """A window's extent, step and padding; pairs are (height, width)."""

    kernel: tuple[int, int]
    stride: tuple[int, int]
    pad: tuple[int, int, int, int]  # top, bottom, left, right

    def places(self, size: tuple[int, ...]) -> tuple[int, int]:
        """How many windows fit into padded images of this height and width."""
        return tuple([(n - k) // s + 1 for n, k, s in zip(size, self.kernel, self.stride)])  # noqa: B905

    def slices(self, places: tuple[int, int]) -> Iterator[tuple]:
        """For each place in the window, the index of what all windows have there."""
        (kh, kw), (sh, sw), _ = self
        h, w = (places[0] - 1) * sh + 1, (places[1] - 1) * sw + 1
        for i in range(kh):
            for j in range(kw):
                yield ..., slice(i, i + h, sh), slice(j, j + w, sw)

    def tiles(self, size: tuple[int, ...]) -> bool:
        """Whether the windows cover every pixel exactly once."""
        fits = size[0] % self.stride[0] == 0 and size[1] % self.stride[1] == 0
        return fits and self.kernel == self.stride and not any(self.pad)


def padded(x: np.ndarray, pad: tuple[int, int, int, int], value: float = 0.0) -> np.ndarray:
    """Images with a margin."""
    if not any(pad):
        return x
    top, bottom, left, right = pad
    n, c, h, w = x.shape
    shape = n, c, h + top + bottom, w + left + right
    out = np.full(shape, value, x.dtype) if value else np.zeros(shape, x.dtype)
    out[:, :, top : top + h, left : left + w] = x
    return out


def cropped(x: np.ndarray, pad: tuple[int, int, int, int]) -> np.ndarray:
    """Images without their margin."""
    if not any(pad):
        return x
    top, bottom, left, right = pad
    return x[:, :, top : x.shape[2] - bottom, left : x.shape[3] - right]


def check_margin(name: str, pad_mode: object, padding: object) -> None:
    """Raise for an unknown pad_mode, a margin below 0, or one that pad_mode does not ask for."""
    sides, mode = padding if isinstance(padding, (tuple, list)) else (padding,), str(pad_mode).lower()
    said = f"For '{name}', the 'pad_mode' is 'same', 'valid' or 'pad', but got {pad_mode!r}"
    must(mode in ('same', 'valid', 'pad'), SettingError, said)
    said = f"For '{name}', 'padding' must be zero when 'pad_mode' is not 'pad', but got {padding} and '{pad_mode}'"
    must(mode == 'pad' or not any(sides), SettingError, said)
    below = any(isinstance(n, NUMBER) and n < 0 for n in sides)
    must(not below, SettingError, f"For '{name}', 'padding' is at least 0, but got {padding}")


def pair(name: str, what: str, value: object) -> tuple[int, int]:
    """A setting for height and width, from an int or two."""
    both = (value, value) if isinstance(value, int) else value
    several = isinstance(both, (tuple, list))
    if several and len(both) == 1:
        both = (*both, *both)
    ints = several and all(type(n) is int for n in both)
    said = f"For '{name}', '{what}' is an int, or one for the height and one for the width, of at least 1"
    fits = ints and len(both) == 2 and min(both) >= 1
    must(fits, SettingError if ints else DTypeError, f'{said}, but got {value!r}')
    return tuple(both)


def window(name: str, size: tuple[int, ...], *settings: object) -> Window:
    """The Window for images of a size, from kernel, stride, pad_mode and padding as a user gives them.

    pad_mode 'same': as many windows as ceil(size / stride); 'valid': no margin; 'pad': a margin of `padding`, an int,
    (height, width) or (top, bottom, left, right).
    """
    return _window(name, size, *[tuple(s) if isinstance(s, list) else s for s in settings])


@lru_cache(maxsize=1024, typed=True)  # a training loop asks for the same few again
def _window(name, size, kernel, stride, pad_mode, padding) -> Window:
    kernel, stride = pair(name, 'kernel_size', kernel), pair(name, 'stride', stride)
    check_margin(name, pad_mode, padding)
    pad, mode = [0, 0, 0, 0], str(pad_mode).lower()
    if mode == 'same':
        missing = [max((-(-n // s) - 1) * s + k - n, 0) for n, k, s in zip(size, kernel, stride, strict=True)]
        pad = [n for m in missing for n in (m // 2, m - m // 2)]
    elif mode == 'pad':
        four = (padding,) * 4 if isinstance(padding, int) else tuple(padding)
        pad = [four[0], four[0], four[1], four[1]] if len(four) == 2 else list(four)
        said = f"For '{name}', 'padding' is an int, or (top, bottom, left, right), but got {padding!r}"
        must(len(pad) == 4 and all(type(n) is int for n in pad), SettingError, said)
    found = Window(kernel, stride, tuple(pad))
    fits = min(found.places((size[0] + pad[0] + pad[1], size[1] + pad[2] + pad[3]))) >= 1
    said = f"For '{name}', a window of {kernel} does not fit into images of {tuple(size)} once"
    must(fits, ShapeError, f"{said}: choose a smaller kernel, or pad_mode='same'")
    return found


def check_images(name: str, x: object) -> None:
    """Raise unless x is a Tensor of images."""
    if len(getattr(x, 'shape', ())) != 4:
        got = f'shape {x.shape}' if hasattr(x, 'shape') else article(type(x).__name__)
        raise ShapeError(f'{name} takes a Tensor of shape (N, C, H, W), but got {got}.{users_line()}')


# ---- pooling: the largest, and the mean ------------------------------------------------------------------------------


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
    """For each place in the window: its index, and which windows have their largest number, or a NaN, there.

    The first of equals wins, as in MindSpore, so that each window gives its cotangent away once.
    """
    *places, last = win.slices(out.shape[2:])
    free, strange = None, np.isnan(np.vdot(out, out))  # NaN where there is one
    for place in places:
        won = (x[place] == out) | np.isnan(x[place]) if strange else x[place] == out
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
        dx += 0  # -0 becomes 0
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


def _shares(win: Window, size: tuple[int, ...], dtype: np.dtype, count_pad: bool) -> np.ndarray:
    """1 / how many numbers each window holds."""
    if count_pad or not any(win.pad):
        return np.asarray(1 / (win.kernel[0] * win.kernel[1]), dtype)
    p = padded(np.ones((1, 1, *size), dtype), win.pad)
    return 1 / sum(p[place] for place in win.slices(win.places(p.shape[2:])))


@in_float32
def _avg_pool(x: np.ndarray, win: Window, count_pad: bool) -> np.ndarray:
    p = padded(x, win.pad)
    total = np.zeros((*p.shape[:2], *win.places(p.shape[2:])), x.dtype)
    for place in win.slices(total.shape[2:]):
        total += p[place]
    total *= _shares(win, x.shape[2:], x.dtype, count_pad)
    return total


@in_float32
def _avg_pool_dx(g: np.ndarray, win: Window, count_pad: bool, size: tuple[int, int]) -> np.ndarray:
    top, bottom, left, right = win.pad
    dx = np.zeros((*g.shape[:2], size[0] + top + bottom, size[1] + left + right), g.dtype)
    g = g * _shares(win, size, g.dtype, count_pad)
    for place in win.slices(g.shape[2:]):
        dx[place] += g
    return cropped(dx, win.pad)


# fmt: off
# The two ways back are linear in their first input and transposes of each other; in x and out constant but for jumps.
MAX_POOL = Unary('MaxPool', _max_pool, lambda g, out, x, win: max_pool_dx(g, x, out, win))
MAX_POOL_DX = Many('MaxPoolGrad', _max_pool_dx,
                   (lambda h, dx, win, g, x, out: max_pool_pick(h, x, out, win), None, None))
MAX_POOL_PICK = Many('MaxPoolGradGrad', _max_pool_pick,
                     (lambda k, picked, win, h, x, out: max_pool_dx(k, x, out, win), None, None))
max_pool_dx = on_both(lambda g, x, out, win: apply_many(MAX_POOL_DX, (g, x, out), (win,), getframe(2)),
                      lambda g, x, out, win: _max_pool_dx(win, g, x, out))
max_pool_pick = on_both(lambda h, x, out, win: apply_many(MAX_POOL_PICK, (h, x, out), (win,), getframe(2)),
                        lambda h, x, out, win: _max_pool_pick(win, h, x, out))
# Both are linear, and transposes of each other.
AVG_POOL = Unary('AvgPool', _avg_pool,
                 lambda g, out, x, win, count_pad: avg_pool_dx(g, win, count_pad, x.shape[2:]))
AVG_POOL_DX = Unary('AvgPoolGrad', _avg_pool_dx, lambda h, dx, g, win, count_pad, size: avg_pool(h, win, count_pad))
avg_pool = on_both(lambda x, *settings: apply(AVG_POOL, x, settings, getframe(2)), _avg_pool)
avg_pool_dx = on_both(lambda g, *settings: apply(AVG_POOL_DX, g, settings, getframe(2)), _avg_pool_dx)
# fmt: on


def _pool(rule: Rule, x: object, settings: tuple, more: tuple, frame) -> Tensor:
    check_images(rule.name, x)
    return apply(rule, floats(rule, x), (window(rule.name, x.shape[2:], *settings), *more), frame)


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

    Of equal numbers the first has the gradient. ValueError for what does not fit, TypeError for integers.

    >>> print(ops.max_pool2d(Tensor([[[[1.0, 4.0], [3.0, 2.0]]]]), 2))
    [[[[4.]]]]
    """
    only('max_pool2d', False, ceil_mode=ceil_mode, return_indices=return_indices)
    only('max_pool2d', 1, dilation=dilation)
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
    """The mean of each window of images (N, C, H, W), with count_include_pad the margin's zeros. Raises as max_pool2d.

    >>> print(ops.avg_pool2d(Tensor([[[[1.0, 4.0], [3.0, 2.0]]]]), 2))
    [[[[2.5]]]]
    """
    only('avg_pool2d', False, ceil_mode=ceil_mode)
    only('avg_pool2d', 0, divisor_override=divisor_override or 0)
    stride = kernel_size if stride is None else stride
    return _pool(AVG_POOL, input_x, (kernel_size, stride, pad_mode, padding), (bool(count_include_pad),), getframe(1))
