"""The six cases of exercise 8a: one number, on a threshold. The lesson shows this very text."""

import minicell as ms
from minicell import ops

CASES = {
    'A': (lambda x: ops.select(x > 1, x, 20.0), ms.Tensor([1.0])),
    'B': (lambda x: ops.select(x >= 1, x, 20.0), ms.Tensor([1.0])),
    'C': (lambda x: ops.select(x > 1, 1.0, x), ms.Tensor([1.0])),
    'D': (lambda x: ops.select(x >= 1, 1.0, x), ms.Tensor([1.0])),
    'E': (lambda x: ops.maximum(x, 1.0), ms.Tensor([1.0])),
    'F': (lambda x: ops.relu(x - 1), ms.Tensor([1.0])),
}
