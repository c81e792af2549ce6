"""The two listings of MindSpore's document whose output is exact, with only the import renamed, run as a script.

The document is "Customizing Reverse Propagation Function of Cell" (MindSpore r1.9). `listings/` has its code with the
line breaks put back; the text that it prints stands here, token by token the document's.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from minicell.core.errors import NoRuleError

LISTINGS = Path(__file__).with_name('listings')
PRINTED = {
    'matmul': """\
(Tensor(shape=[2, 3], dtype=Float32, value=
[[ 1.50000000e+00,  1.60000002e+00,  1.39999998e+00],
 [ 2.20000005e+00,  2.29999995e+00,  2.09999990e+00]]), Tensor(shape=[3, 3], dtype=Float32, value=
[[ 1.00999999e+00,  1.29999995e+00,  2.09999990e+00],
 [ 1.10000002e+00,  1.20000005e+00,  2.29999995e+00],
 [ 3.09999990e+00,  2.20000005e+00,  4.30000019e+00]]))
""",
    'relu6': """\
[[1. 1. 1.]
 [1. 1. 1.]]
""",
}
# what the document has on one line, to compare the tokens
DOCUMENT = {
    'matmul': 'import mindspore.nn as nn import mindspore as ms import mindspore.ops as ops class Net(nn.Cell): def '
    '__init__(self): super(Net, self).__init__() self.matmul = ops.MatMul() def construct(self, x, y): out = '
    'self.matmul(x, y) return out def bprop(self, x, y, out, dout): dx = x + 1 dy = y + 1 return dx, dy class '
    'GradNet(nn.Cell): def __init__(self, net): super(GradNet, self).__init__() self.net = net self.grad_op = '
    'ops.GradOperation(get_all=True) def construct(self, x, y): gradient_function = self.grad_op(self.net) return '
    'gradient_function(x, y) x = ms.Tensor([[0.5, 0.6, 0.4], [1.2, 1.3, 1.1]], dtype=ms.float32) y = '
    'ms.Tensor([[0.01, 0.3, 1.1], [0.1, 0.2, 1.3], [2.1, 1.2, 3.3]], dtype=ms.float32) out = GradNet(Net())(x, y) '
    'print(out)',
    'relu6': 'import mindspore.nn as nn from mindspore import Tensor from mindspore import dtype as mstype import '
    'mindspore.ops as ops class ReluNet(nn.Cell): def __init__(self): super(ReluNet, self).__init__() self.relu = '
    'ops.ReLU() def construct(self, x): return self.relu(x) class Net(nn.Cell): def __init__(self): super(Net, '
    'self).__init__() self.relu6 = ops.ReLU6() self.relu = ReluNet() def construct(self, x): return self.relu6(x) '
    'def bprop(self, x, out, dout): dx = self.relu(x) return (dx, ) x = Tensor([[0.5, 0.6, 0.4], [1.2, 1.3, 1.1]], '
    'dtype=mstype.float32) net = Net() out = ops.grad(ops.grad(net))(x) print(out)',
}


def tokens(code: str) -> list[str]:
    return re.findall(r'\w+|[^\w\s]', code)


@pytest.mark.parametrize('name', PRINTED)
def test_a_listing_is_the_documents(name):
    """Nothing but the name of the module differs."""
    ours = (LISTINGS / f'{name}.txt').read_text()
    assert tokens(ours.replace('minicell', 'mindspore')) == tokens(DOCUMENT[name])


@pytest.mark.parametrize('name', PRINTED)
def test_a_listing_prints_the_documents_text(name, tmp_path):
    script = tmp_path / f'{name}.py'
    script.write_text((LISTINGS / f'{name}.txt').read_text())
    root = str(Path(__file__).resolve().parents[2])
    ran = subprocess.run(
        [sys.executable, '-W', 'error', str(script)],
        env={**os.environ, 'PYTHONPATH': root},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (ran.stdout, ran.stderr, ran.returncode) == (PRINTED[name], '', 0)


def test_without_the_custom_cell_relu6_has_no_second_order():
    import minicell as ms
    from minicell import ops

    with pytest.raises(NoRuleError, match='the backward of ReLU6 has no rule, so ReLU6 has no second derivative'):
        ops.grad(ops.grad(ms.nn.ReLU6()))(ms.Tensor([[0.5, 0.6, 0.4]]))
