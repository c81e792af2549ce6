"""Layers that pool images (N, C, H, W): the largest number, or the mean, of each window."""

from ... import ops
from ...core.tensor import Tensor
from ...ops.checks import only
from ...ops.window import check_margin, pair
from ..cell import Cell
from .activation import cell_of


class _Pool(Cell):
    shown = 'kernel_size stride pad_mode'


def _check(cell: _Pool) -> None:
    name = type(cell).__name__
    only(name, 'NCHW', data_format=cell.data_format)
    only(name, 1, dilation=getattr(cell, 'dilation', 1))
    pair(name, 'kernel_size', cell.kernel_size)
    pair(name, 'stride', cell.stride)
    check_margin(name, cell.pad_mode, cell.padding)
    cell.pad_mode = str(cell.pad_mode).upper()


def _mean(x: Tensor, kernel_size, stride, pad_mode, padding, counts: bool, _) -> Tensor:
    counts = counts and pad_mode == 'PAD'
    return ops.avg_pool2d(x, kernel_size, stride, padding, count_include_pad=counts, pad_mode=pad_mode)


# fmt: off
BOTH = {'base': _Pool, 'check': _check, 'kernel_size': 1, 'stride': 1, 'pad_mode': 'valid', 'padding': 0}
MaxPool2d = cell_of('MaxPool2d', lambda x, size, step, mode, pad, *_: ops.max_pool2d(x, size, step, pad, pad_mode=mode),
    """The largest number of each window of images (N, C, H, W): see `ops.max_pool2d`.

    >>> nn.MaxPool2d(kernel_size=2, stride=2)(ops.ones((1, 1, 4, 4))).shape
    (1, 1, 2, 2)
    """, **BOTH, dilation=1, data_format='NCHW')
AvgPool2d = cell_of('AvgPool2d', _mean,
    """The mean of each window of images (N, C, H, W): see `ops.avg_pool2d`. With pad_mode 'same' no margin counts.

    >>> nn.AvgPool2d(kernel_size=2, stride=2)(ops.ones((1, 1, 4, 4))).shape
    (1, 1, 2, 2)
    """, **BOTH, count_include_pad=True, data_format='NCHW')
# fmt: on
