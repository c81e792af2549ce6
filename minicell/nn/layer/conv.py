"""Layers for images (N, C, H, W): convolution."""

from ... import ops
from ...common.initializer import HeUniform, Initializer, Uniform, initializer
from ...common.parameter import Parameter
from ...core.dtype import DType, float32
from ...core.tensor import Tensor
from ...ops.checks import only, positive_int
from ...ops.window import check_margin, pair
from ..cell import Cell


class Conv2d(Cell):
    """Slide out_channels kernels over images (N, in_channels, H, W): see `ops.conv2d`.

    weight has the shape (out_channels, in_channels, *kernel_size); dilation and group are 1. weight_init and bias_init
    are what `initializer` takes, by default uniform in ±1/sqrt(inputs of one output). Other settings are refused.

    >>> nn.Conv2d(1, 2, 3)(ops.ones((1, 1, 4, 4))).shape
    (1, 2, 4, 4)
    """

    shown = 'kernel_size stride pad_mode padding dilation group has_bias'

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int | tuple[int, int],
        stride: int | tuple[int, int] = 1,
        pad_mode: str = 'same',
        padding: int | tuple[int, ...] = 0,
        dilation: int | tuple[int, int] = 1,
        group: int = 1,
        has_bias: bool = False,
        weight_init: object = None,
        bias_init: object = None,
        data_format: str = 'NCHW',
        dtype: DType = float32,
    ) -> None:
        super().__init__()
        only('Conv2d', 'NCHW', data_format=data_format)
        positive_int('Conv2d', in_channels=in_channels, out_channels=out_channels)
        only('Conv2d', 1, dilation=dilation, group=group)
        check_margin('Conv2d', pad_mode, padding)
        self.in_channels, self.out_channels, self.group, self.has_bias = in_channels, out_channels, group, has_bias
        self.kernel_size = pair('Conv2d', 'kernel_size', kernel_size)
        self.stride = pair('Conv2d', 'stride', stride)
        self.dilation = pair('Conv2d', 'dilation', dilation)
        self.pad_mode, self.padding, self.data_format = pad_mode, padding, data_format
        inputs = in_channels * self.kernel_size[0] * self.kernel_size[1]
        self.weight_init = HeUniform(5**0.5) if weight_init is None else weight_init
        shape = (out_channels, in_channels, *self.kernel_size)
        self.weight = Parameter(initializer(self.weight_init, shape, dtype), name='weight')
        self.bias_init = Uniform(inputs**-0.5) if bias_init is None and has_bias else bias_init
        self.bias = Parameter(initializer(self.bias_init, (out_channels,), dtype), name='bias') if has_bias else None

    def construct(self, x: Tensor) -> Tensor:
        return ops.conv2d(x, self.weight, self.bias, self.stride, self.pad_mode, self.padding)

    def extend_repr(self) -> str:
        """As MindSpore prints it, whose Initializers have no form of their own."""
        by_name = lambda v: type(v).__name__ if isinstance(v, Tensor) else v
        show = lambda v: object.__repr__(v) if isinstance(v, Initializer) else by_name(v)
        channels = f'input_channels={self.in_channels}, output_channels={self.out_channels}'
        inits = f'weight_init={show(self.weight_init)}, bias_init={show(self.bias_init)}, format={self.data_format}'
        return f'{channels}, {super().extend_repr()}, {inits}'
