"""The six cases of exercise 8a: one number, on a threshold or near it. The lesson shows this very text."""

import minicell as ms
from minicell import ops

CASES = {
    'A': (lambda x: ops.select(ops.gt(x, 0.1), x, 20.0), ms.Tensor([0.1], ms.float32)),
    'B': (lambda x: ops.select(ops.ge(x, 0.1), x, 20.0), ms.Tensor([0.1], ms.float32)),
    'C': (lambda x: ops.select(ops.gt(x, ms.Tensor([0.1], ms.float64)), x, 20.0), ms.Tensor([0.1], ms.float32)),
    'D': (lambda x: ops.select(ops.gt(x, 0.3), x, 20.0), ms.Tensor([0.1 + 0.2], ms.float64)),
    'E': (lambda x: ops.select(ops.gt(x, ms.Tensor([0.1], ms.float32)), x, 20.0), ms.Tensor([0.1], ms.float16)),
    'F': (lambda x: ops.maximum(x, 0.1), ms.Tensor([0.1], ms.float32)),
}
