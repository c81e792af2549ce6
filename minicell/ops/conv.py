"""Convolution of images (N, C, H, W), as a matrix product with the columns of the image.

The columns of an image are its windows, each written out as a vector: (C * kernel height * kernel width, places). Three
ops belong together, each linear in both its inputs, so that the derivatives of each are the other two:

    out = conv(x, w)        dx = conv_dx(g, w)        dw = conv_dw(x, g)

which makes their rules right to any order.
"""

from collections.abc import Iterator
from functools import partial
from itertools import product

import numpy as np

from ..core.errors import ShapeError, users_line
from ..core.primitives import apply_many, binary, getframe, on_both
from ..core.rules import Many
from ..core.tensor import Tensor
from .checks import must, only
from .matmul import of_one_dtype
from .primitive import Primitive, Saving, apply_saving, floats, in_float32, primitive
from .window import Window, check_images, check_margin, cropped, padded, window

KEPT = 1 << 24  # bytes of columns that are kept for the way back; beyond, they are written out again
BLOCK = 1 << 20  # and beyond, a few images at a time, so that their columns stay in the cache, or a few rows of one


def _columns(p: np.ndarray, win: Window) -> np.ndarray:
    """(N, C * kernel, places) of images with their margin: copied once, out of overlapping strides."""
    p = np.ascontiguousarray(p)
    n, c, *size = p.shape
    (kh, kw), (sh, sw), _ = win
    oh, ow = win.places(size)
    if kh == kw == sh == sw == 1:
        return p.reshape(n, c, oh * ow)
    a, b, down, right = p.strides
    strides = a, b, down, right, down * sh, right * sw
    windows = np.ndarray((n, c, kh, kw, oh, ow), p.dtype, p, 0, strides)  # as as_strided does, in a tenth of its time
    return windows.reshape(n, c * kh * kw, oh * ow)


def _blocks(x: np.ndarray, win: Window, places: tuple[int, int]) -> tuple[list[slice], list[tuple[int, int]]]:
    """All images at once or a few at a time, and of each all rows of windows or a few."""
    n, c, (oh, ow) = len(x), x.shape[1], places
    one = c * win.kernel[0] * win.kernel[1] * oh * ow * x.itemsize
    step = max(1, n if one * n <= KEPT else BLOCK // one)
    band = max(1, oh if one <= KEPT else KEPT * oh // one)
    return [slice(k, k + step) for k in range(0, n, step)], [(a, min(a + band, oh)) for a in range(0, oh, band)]


def _parts(x: np.ndarray, win: Window, places: tuple[int, int]) -> Iterator[tuple[slice, slice, np.ndarray]]:
    """The columns of images, block by block, with which images and which places those are."""
    images, bands = _blocks(x, win, places)
    for part in images:
        p = padded(x[part], win.pad)
        for a, b in bands:
            rows = slice(a * win.stride[0], (b - 1) * win.stride[0] + win.kernel[0])
            yield part, slice(a * places[1], b * places[1]), _columns(p[:, :, rows], win)


def _conv(win: Window, x: np.ndarray, w: np.ndarray, b: np.ndarray | None = None) -> tuple:
    n, o = len(x), len(w)
    t, u, v, r = win.pad
    oh, ow = win.places((x.shape[2] + t + u, x.shape[3] + v + r))
    out, columns = np.empty((n, o, oh * ow), x.dtype), None
    for part, places, columns in _parts(x, win, (oh, ow)):
        np.matmul(w.reshape(o, -1), columns, out=out[part, :, places])
    whole = columns is not None and len(columns) == n and columns.shape[2] == oh * ow
    out = out.reshape(n, o, oh, ow)
    if b is not None:
        out += b[:, None, None]
    return out, columns if whole else None


def _conv_dx(win: Window, size: tuple[int, int], g: np.ndarray, w: np.ndarray) -> np.ndarray:
    """Each window's cotangent, added where the window lay."""
    (n, o, oh, ow), (_, c, kh, kw) = g.shape, w.shape
    t, u, v, r = win.pad
    far = kh - 1 - t, kh - 1 - u, kw - 1 - v, kw - 1 - r
    if 2 * c >= o and win.stride == (1, 1) and min(far) >= 0:
        # the same as a convolution of g with the kernel turned round: quicker unless g has far more channels
        back = np.ascontiguousarray(w[:, :, ::-1, ::-1].transpose(1, 0, 2, 3))
        return _conv(Window(win.kernel, (1, 1), far), g, back)[0]
    out = np.zeros((n, c, size[0] + t + u, size[1] + v + r), g.dtype)
    images, bands = _blocks(out, win, (oh, ow))
    for part, (a, b) in product(images, bands):
        columns = np.matmul(w.reshape(o, -1).T, g[part, :, a:b].reshape(-1, o, (b - a) * ow))
        columns, below = columns.reshape(-1, c, kh * kw, b - a, ow), out[part, :, a * win.stride[0] :]
        for k, place in enumerate(win.slices((b - a, ow))):
            below[place] += columns[:, :, k]
    return cropped(out, win.pad)


def _conv_dw(win: Window, x: np.ndarray, g: np.ndarray, kept: np.ndarray | None = None) -> np.ndarray:
    n, o, *places = g.shape
    flat, total = g.reshape(n, o, -1), np.zeros((o, x.shape[1] * win.kernel[0] * win.kernel[1]), g.dtype)
    for part, where, columns in _parts(x, win, places) if kept is None else [(slice(None), slice(None), kept)]:
        total += np.add.reduce(np.matmul(flat[part, :, where], columns.transpose(0, 2, 1)), 0)
    return total.reshape(o, x.shape[1], *win.kernel)


_dw = lambda g, out, win, kept, x, w, *b: conv_dw(x, g, win) if isinstance(g, Tensor) else _conv_dw(win, x, g, kept)

# fmt: off
CONV = Saving('Conv2D', _conv, (
    lambda g, out, win, kept, x, w, *b: conv_dx(g, w, win, x.shape[2:]),
    _dw,
    # half the time of all three axes at once
    in_float32(lambda g, out, win, kept, x, w, *b: g.sum((0,)).sum((1, 2))),
))
CONV_DX = Many('Conv2DBackpropInput', _conv_dx, (lambda h, out, win, size, g, w: conv(h, w, win),
                                                 lambda h, out, win, size, g, w: conv_dw(h, g, win)))
CONV_DW = Many('Conv2DBackpropFilter', _conv_dw, (lambda k, out, win, x, g: conv_dx(g, k, win, x.shape[2:]),
                                                  lambda k, out, win, x, g: conv(x, k, win)))
conv = on_both(lambda x, w, win: apply_saving(CONV, (x, w), (win,), getframe(2)), lambda x, w, win: _conv(win, x, w)[0])
conv_dx = on_both(lambda g, w, win, size: apply_many(CONV_DX, (g, w), (win, size), getframe(2)),
                  lambda g, w, win, size: _conv_dx(win, size, g, w))
conv_dw = on_both(lambda x, g, win: apply_many(CONV_DW, (x, g), (win,), getframe(2)),
                  lambda x, g, win: _conv_dw(win, x, g))
_bias_add = binary('BiasAdd', lambda x, b: x + b.reshape((b.shape[0], *(1,) * (x.ndim - 2))),
                   lambda g, out, x, b: g, in_float32(lambda g, out, x, b: g.sum((0, *range(2, len(g.shape))))))
# fmt: on


def conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: int | tuple[int, int] = 1,
    pad_mode: str = 'valid',
    padding: int | tuple[int, ...] = 0,
    dilation: int | tuple[int, int] = 1,
    groups: int = 1,
) -> Tensor:
    """Slide weight (Cout, C, h, w) over images (N, C, H, W), and sum the products: (N, Cout, H', W').

    pad_mode: 'valid' (no margin), 'same' (H' = ceil(H / stride)), 'pad' (a margin of `padding`). As in every framework
    the kernel is not flipped, so that this is a cross-correlation. dilation and groups are 1; ValueError for a misfit.

    >>> print(ops.conv2d(ops.ones((1, 1, 2, 2)), ops.ones((1, 1, 2, 2))))
    [[[[4.]]]]
    """
    frame = getframe(1)
    check_images('Conv2D', input)
    x, w = of_one_dtype(CONV, input, weight)
    floats(CONV, x, frame)
    only('Conv2D', 1, dilation=dilation, groups=groups)
    c, shape = x.shape[1], w.shape
    if len(shape) != 4 or shape[1] != c:
        said = f'images of shape {x.shape} have {c} channels, so that a weight of shape (Cout, {c}, h, w) is due'
        raise ShapeError(f'Conv2D: {said}, but got {shape}.{users_line(frame)}')
    if bias is not None and bias.shape != shape[:1]:
        raise ShapeError(f'Conv2D: a bias of shape {shape[:1]} is due, but got {bias.shape}.{users_line(frame)}')
    win = window('Conv2D', x.shape[2:], shape[2:], stride, pad_mode, padding)
    return apply_saving(CONV, (x, w) if bias is None else (x, w, bias), (win,), frame)


def bias_add(input_x: Tensor, bias: Tensor) -> Tensor:
    """Add one number a channel: input (N, C, ...), bias (C,). Raises ValueError where they do not fit.

    >>> print(ops.bias_add(ops.zeros((1, 2)), Tensor([1.0, 2.0])))
    [[1. 2.]]
    """
    shape = getattr(input_x, 'shape', ())
    said = f'BiasAdd: (N, C, ...) goes with a bias (C,), but got {shape} and {getattr(bias, "shape", bias)}'
    must(len(shape) >= 2 and getattr(bias, 'shape', None) == shape[1:2], ShapeError, said)
    return _bias_add(input_x, bias, up=2)


BiasAdd = primitive('BiasAdd', bias_add)


class Conv2D(Primitive):
    """The convolution of images with a weight; see `conv2d`. mode is 1, and out_channel that of the weight."""

    def __init__(
        self,
        out_channel: int,
        kernel_size: int | tuple[int, int],
        mode: int = 1,
        pad_mode: str = 'valid',
        pad: int | tuple[int, ...] = 0,
        stride: int | tuple[int, int] = 1,
        dilation: int | tuple[int, int] = 1,
        group: int = 1,
    ) -> None:
        check_margin('Conv2D', pad_mode, pad)
        self.out_channel, self.kernel_size = out_channel, kernel_size
        self.function = partial(conv2d, stride=stride, pad_mode=pad_mode, padding=pad, dilation=dilation, groups=group)
