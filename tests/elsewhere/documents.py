"""The Cells of MindSpore's documents, which `explain` draws as it draws minicell's own.

`python -m tests.elsewhere.documents`, where MindSpore is: each is explained, and beside it what the same file makes
with minicell's names.
"""

import linecache
import tempfile
from pathlib import Path

import mindspore
import numpy as np
from mindspore import Parameter, Tensor, nn, ops

import minicell
from tests.view.programs import PROGRAMS


class Net(nn.Cell):  # its first example: what its bprop returns is no gradient
    def __init__(self):
        super().__init__()
        self.matmul = ops.MatMul()

    def construct(self, x, y):
        return self.matmul(x, y)

    def bprop(self, x, y, out, dout):
        return x + 1, y + 1


class ReluNet(nn.Cell):
    def __init__(self):
        super().__init__()
        self.relu = ops.ReLU()

    def construct(self, x):
        return self.relu(x)


class ReLU6(nn.Cell):  # it leaves dout out, and the slope from 6 on
    def __init__(self):
        super().__init__()
        self.relu6, self.relu = ops.ReLU6(), ReluNet()

    def construct(self, x):
        return self.relu6(x)

    def bprop(self, x, out, dout):
        return (self.relu(x),)


class Dropout2d(nn.Cell):
    def __init__(self, keep_prob):
        super().__init__()
        self.keep_prob = keep_prob
        self.dropout2d = ops.Dropout2D(keep_prob)

    def construct(self, x):
        return self.dropout2d(x)

    def bprop(self, x, out, dout):
        _, mask = out
        dy, _ = dout
        if self.keep_prob != 0:
            dy = dy * (1 / self.keep_prob)
        dy = mask.astype(mindspore.float32) * dy
        return (dy.astype(x.dtype),)


class NetWithParam(nn.Cell):
    def __init__(self, own=True):
        super().__init__()
        self.w = Parameter(Tensor(np.array([2.0], np.float32)), name='weight')
        if own:
            self.internal_params = [self.w]

    def construct(self, x):
        return self.w * x

    def bprop(self, *args):
        return (self.w * args[-1],), {self.w: (args[0] * args[-1]).sum().reshape(1)}


class Threshold(nn.Cell):
    def __init__(self, threshold, value):
        super().__init__()
        self.threshold, self.value = threshold, value

    def construct(self, inputs):
        cond = ops.gt(inputs, self.threshold)
        value = ops.fill(inputs.dtype, inputs.shape, self.value)
        return ops.select(cond, inputs, value)


def listing(name, until, *of):
    """Cells of one of the gallery's programs, with the names of this file."""
    source, space = PROGRAMS[name].partition(until)[0], {'__name__': '', 'ms': mindspore, 'nn': nn, 'ops': ops}
    exec(compile(source, f'<{name}>', 'exec'), space)
    linecache.cache[f'<{name}>'] = len(source), None, source.splitlines(keepends=True), f'<{name}>'
    return [space[each] for each in of]


IFNode, relusigmoid = listing('ifnode', 'node = IFNode()', 'IFNode', 'relusigmoid')

CASES = [
    ('Net', (), [(2, 3), (3, 3)]),
    ('ReLU6', (), [(2, 3)]),
    ('Dropout2d', (0.8,), [(1, 4, 2, 2)]),
    ('IFNode', (), [(5,), (5,)]),
    ('NetWithParam', (), [(3,)]),
    ('Threshold', (0.1, 20.0), [(2, 3)]),
]


def drawn(cells, case):
    """What is printed of a Cell's gradient, and its whole page."""
    name, given, shapes = case
    rng = np.random.default_rng(5)
    inputs = [cells['Tensor'](rng.standard_normal(shape).astype(np.float32)) for shape in shapes]
    minicell.set_seed(2)
    tape = minicell.explain(cells[name](*given), *inputs)
    with tempfile.TemporaryDirectory() as folder:
        return str(tape), tape.save(Path(folder, 'page.html')).read_text(encoding='utf-8')


def main():
    """Name each, once both are the same."""
    source, own = Path(__file__).read_text(encoding='utf-8'), {'__name__': '', '__file__': __file__}
    source = source.replace('import mindspore\n', 'import minicell as mindspore\n')
    exec(compile(source.replace('from mindspore import', 'from minicell import'), __file__, 'exec'), own)
    for case in CASES:
        theirs, mine = drawn(globals(), case), drawn(own, case)
        assert theirs == mine, (case, *(text[0] for text in (theirs, mine)))
        print(case[0])


if __name__ == '__main__':
    main()
