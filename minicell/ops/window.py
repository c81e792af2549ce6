"""Windows that slide over images: where they lie, for convolution and pooling."""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ..core.errors import DTypeError, ShapeError, article, users_line
from ..errors import SettingError


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
    if mode not in ('same', 'valid', 'pad'):
        raise SettingError(
            f"For '{name}', the 'pad_mode' is 'same', 'valid' or 'pad', but got {pad_mode!r}.{users_line()}"
        )
    if mode != 'pad' and any(sides):
        raise SettingError(
            f"For '{name}', 'padding' must be zero when 'pad_mode' is not 'pad', but got {padding} and "
            f"'{pad_mode}'.{users_line()}"
        )
    if any(isinstance(n, (int, float)) and n < 0 for n in sides):
        raise SettingError(f"For '{name}', 'padding' is at least 0, but got {padding}.{users_line()}")


def only_1(name: str, **settings: object) -> None:
    """Raise for a dilation, or a number of groups, other than 1."""
    for what, value in settings.items():
        if value not in (1, (1, 1), [1, 1]):
            raise SettingError(
                f"For '{name}', '{what}' is 1, but got {value!r}: the others were taken out; use MindSpore for "
                f'them.{users_line()}'
            )


def pair(name: str, what: str, value: object) -> tuple[int, int]:
    """A setting for height and width, from an int or two."""
    both = (value, value) if isinstance(value, int) else value
    several = isinstance(both, (tuple, list))
    if several and len(both) == 1:
        both = (*both, *both)
    ints = several and all(type(n) is int for n in both)
    if not ints or len(both) != 2 or min(both) < 1:
        raise (SettingError if ints else DTypeError)(
            f"For '{name}', '{what}' is an int, or one for the height and one for the width, of at least 1, but "
            f'got {value!r}.{users_line()}'
        )
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
        if len(pad) != 4 or not all(type(n) is int for n in pad):
            raise SettingError(
                f"For '{name}', 'padding' is an int, or (top, bottom, left, right), but got {padding!r}.{users_line()}"
            )
    found = Window(kernel, stride, tuple(pad))
    if min(found.places((size[0] + pad[0] + pad[1], size[1] + pad[2] + pad[3]))) < 1:
        raise ShapeError(
            f"For '{name}', a window of {kernel} does not fit into images of {tuple(size)} once: choose a smaller "
            f"kernel, or pad_mode='same'.{users_line()}"
        )
    return found


def check_images(name: str, x: object) -> None:
    """Raise unless x is a Tensor of images."""
    if len(getattr(x, 'shape', ())) != 4:
        got = f'shape {x.shape}' if hasattr(x, 'shape') else article(type(x).__name__)
        raise ShapeError(f'{name} takes a Tensor of shape (N, C, H, W), but got {got}.{users_line()}')
