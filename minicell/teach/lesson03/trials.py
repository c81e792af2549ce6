"""The trial of exercise 3a, the right bprop of a matrix product."""

from minicell import ops
from minicell.teach.trials import bprop_check, points

SHAPES = ((2, 3, 3), (4, 2, 3), (1, 5, 2), (3, 1, 4))  # n, k, m: on the first, y is square, as in the document

matmul = bprop_check(
    'MatMul',
    ('dx', 'dy'),
    lambda x, y: ops.matmul(x, y),
    'the matrix product of x and y',
    {f'x {n}×{k}, y {k}×{m}': points((n, k), (k, m), seed=3) for n, k, m in SHAPES},
    # on square matrices no wrong transpose and no wrong order ends in an error: each mistake shows its own numbers
    by_hand=points((3, 3), (3, 3), seed=3),
)

TRIALS = {'3a': matmul}
