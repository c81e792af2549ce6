"""Layers that pool images (N, C, H, W): the largest number, or the mean, of each window."""

from ... import ops
from ...core.tensor import Tensor
from ...ops.checks import only_nchw
from ...ops.window import check_margin, only_1, pair
from ..cell import Cell


class _Pool(Cell):
    """What both poolings have in common."""

    shown = 'kernel_size stride pad_mode'

    def __init__(self, kernel_size, stride, pad_mode, padding, data_format) -> None:
        super().__init__()
        name = type(self).__name__
        only_nchw(name, data_format)
        pair(name, 'kernel_size', kernel_size)
        pair(name, 'stride', stride)
        self.kernel_size, self.stride, self.padding = kernel_size, stride, padding
        check_margin(name, pad_mode, padding)
        self.pad_mode = str(pad_mode).upper()


class MaxPool2d(_Pool):
    """The largest number of each window of images (N, C, H, W): see `ops.max_pool2d`.

    >>> nn.MaxPool2d(kernel_size=2, stride=2)(ops.ones((1, 1, 4, 4))).shape
    (1, 1, 2, 2)
    """

    def __init__(
        self,
        kernel_size: int | tuple[int, int] = 1,
        stride: int | tuple[int, int] = 1,
        pad_mode: str = 'valid',
        padding: int | tuple[int, ...] = 0,
        dilation: int | tuple[int, int] = 1,
        data_format: str = 'NCHW',
    ) -> None:
        super().__init__(kernel_size, stride, pad_mode, padding, data_format)
        only_1('MaxPool2d', dilation=dilation)

    def construct(self, x: Tensor) -> Tensor:
        return ops.max_pool2d(x, self.kernel_size, self.stride, self.padding, pad_mode=self.pad_mode)


class AvgPool2d(_Pool):
    """The mean of each window of images (N, C, H, W): see `ops.avg_pool2d`. With pad_mode 'same' no margin counts.

    >>> nn.AvgPool2d(kernel_size=2, stride=2)(ops.ones((1, 1, 4, 4))).shape
    (1, 1, 2, 2)
    """

    def __init__(
        self,
        kernel_size: int | tuple[int, int] = 1,
        stride: int | tuple[int, int] = 1,
        pad_mode: str = 'valid',
        padding: int | tuple[int, ...] = 0,
        count_include_pad: bool = True,
        data_format: str = 'NCHW',
    ) -> None:
        super().__init__(kernel_size, stride, pad_mode, padding, data_format)
        self.count_include_pad = count_include_pad

    def construct(self, x: Tensor) -> Tensor:
        counts = self.count_include_pad and self.pad_mode == 'PAD'
        return ops.avg_pool2d(
            x, self.kernel_size, self.stride, self.padding, count_include_pad=counts, pad_mode=self.pad_mode
        )
