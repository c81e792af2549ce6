"""Draws takeover.png, the README's picture: one step of the takeover in MindSpore's own MatMul listing."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import minicell as ms  # noqa: E402
from minicell import nn, ops, view  # noqa: E402


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.matmul = ops.MatMul()

    def construct(self, x, y):
        return self.matmul(x, y)

    def bprop(self, x, y, out, dout):
        dx = x + 1
        dy = y + 1
        return dx, dy


x = ms.Tensor([[0.5, 0.6, 0.4], [1.2, 1.3, 1.1]], dtype=ms.float32)
y = ms.Tensor([[0.01, 0.3, 1.1], [0.1, 0.2, 1.3], [2.1, 1.2, 3.3]], dtype=ms.float32)

with ms.Tape() as tape:
    ms.grad(Net(), (0, 1))(x, y)
moment = next(frame for frame in view.frames(tape) if 'Net.bprop hands out' in view.alt(frame))
(HERE / 'takeover.png').write_bytes(view.png(moment))
