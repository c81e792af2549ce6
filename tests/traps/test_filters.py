"""The warnings are ordinary ones: silent where nothing is wrong, once a place, and ruled by Python's filters."""

import subprocess
import sys
import textwrap
import warnings
from pathlib import Path

import numpy as np
import pytest

import minicell as ms
from minicell import Parameter, Tensor, nn, ops
from minicell.errors import ImplicitSumWarning, MinicellWarning, NoPathWarning
from tests.core.cells import Cube, Product, Scale, made, returning
from tests.messages import warned

X = Tensor([1.0, 2.0, 3.0])


class Net(nn.Cell):
    """A small network with a Cell that has a bprop, internal_params and a frozen Parameter."""

    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(3, 3)
        self.scale = Scale(3.0)
        self.frozen = Parameter(Tensor([1.0]), name='frozen', requires_grad=False)

    def construct(self, x):
        mask = (x > 0.5).astype(ms.float32)
        return (self.scale(Cube()(self.dense(x.reshape((1, 3)))).sum()) * mask * self.frozen).sum()


def a_training_step():
    net = Net().set_train()
    step = ms.value_and_grad(net, None, net.trainable_params())
    for _ in range(2):
        loss, gradients = step(X)
        for p, g in zip(net.trainable_params(), gradients, strict=True):
            p.set_data(p - 0.01 * g)
    print(f'loss {loss}', float(loss), loss.asnumpy(), gradients[0].asnumpy().sum())


QUIET = {
    'a training step': a_training_step,
    'the slope of a slope of a straight line': lambda: ms.grad(ms.grad(lambda x: 3 * x))(X),
    'the same, summed': lambda: ms.grad(lambda x: ms.grad(lambda y: (3 * y).sum())(x).sum())(X),
    'a third slope of a square': lambda: ms.grad(ms.grad(ms.grad(lambda x: x * x)))(X),
    'a slope along a weight': lambda: slope_of_weights(),
    'a Hessian-vector product': lambda: ms.jvp(ms.grad(lambda x: (x * 2).sum()), X, X),
    'jvp of a straight line': lambda: ms.jvp(lambda x: x * 2, X, X),
    'a mask of booleans': lambda: ms.grad(lambda x: ops.select(ops.logical_and(x > 1, x < 3), x, 0.0))(X),
    'has_aux': lambda: ms.value_and_grad(lambda x: (x.sum(), x * 2), has_aux=True)(X),
    'sens for two outputs': lambda: ops.GradOperation(sens_param=True)(lambda x: (x, x * x))(X, (X, X)),
    'one output taken': lambda: ms.grad(lambda x: (x, x * x)[1])(X),
    'requires_grad False': lambda: ms.grad(lambda x: x * 2, 0, Parameter(1.0, 'w', requires_grad=False))(X),
    'printing inside': lambda: ms.grad(lambda x: (print(x, repr(x), f'{x}'), x * 2)[1])(X),
    'its shape and length': lambda: ms.grad(lambda x: x * len(x) * x.shape[0] * x.size)(X),
    'numbers of what is not differentiated': lambda: ms.grad(lambda x: x * float(X.sum()) * X.asnumpy().sum())(X),
    'numbers of a stopped value': lambda: ms.grad(lambda x: x * float(ops.stop_gradient(x).sum()))(X),
    'a choice by value': lambda: ms.grad(lambda x: x * 2 if x.sum() > 3 else x)(X),
    'NumPy in a construct that has a bprop': lambda: ms.grad(by_numpy)(X),
    'a bprop that asks autodiff of its own construct': lambda: ms.grad(asks_itself)(X),
    'a tape read in a gradient': lambda: ms.grad(lambda x: read_a_tape(x))(X),
    'vjp': lambda: ms.vjp(Product(), X, X)[1](X),
    'has_aux without the value': lambda: ms.grad(both, has_aux=True)(X),
    'vjp of two outputs': lambda: ms.vjp(both, X)[1](X, X),
    'jvp of two outputs': lambda: ms.jvp(both, X, X),
    'a mask beside it': lambda: ms.grad(lambda x: (both(x)[0], x > 1))(X),
    'an empty input': lambda: ms.grad(lambda x: x * 2)(Tensor(np.zeros((0, 3), np.float32))),
}


by_numpy = made(
    lambda self, x: Tensor(np.sin(x.asnumpy()) + float(x.sum()) + np.asarray(x)), lambda self, x, out, dout: (dout,)
)
asks_itself = made(lambda self, x: x * x, lambda self, x, out, dout: (ms.grad(self.construct)(x) * dout,))


def both(x):
    return x * 2, x * 3


def slope_of_weights():
    w = Parameter(Tensor([2.0]), 'w')
    return ms.grad(lambda x: ms.grad(lambda y: (y * w).sum(), None, w)(x).sum(), 0, [w])(X)


def read_a_tape(x):
    with ms.Tape() as tape:
        y = x * 2
    assert tape.value(y, 0).sum() == 12 and str(tape)
    return y


@pytest.mark.parametrize('what', QUIET)
def test_where_nothing_is_wrong_nothing_is_said(what, capsys):
    with warned() as said:
        QUIET[what]()
    assert not said.caught, [str(w.message) for w in said.caught]


PROGRAM = """
import minicell as ms
from minicell import Tensor, nn, ops

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = ms.Parameter(Tensor([2.0]), name='w')
    def backward(self, x): return x
    def construct(self, x):
        return self.w * x, x

class Own(Net):
    def construct(self, x):
        self.kept = x * self.w
        return self.kept
    def bprop(self, x, out, dout):
        return (dout * self.kept,)

for _ in range(3):
    ms.grad(Net())(Tensor([1.0]))
    own = Own()
    ms.grad(own, 0, own.w)(Tensor([1.0]))
    ms.grad(lambda x: Tensor([1.0]))(Tensor([1.0]))
    ms.grad(lambda x: x * float(x))(Tensor([1.0]))
    ms.grad(ops.sqrt)(Tensor([0.0]))
"""


def run(tmp_path: Path, *options: str) -> list[str]:
    """The warnings that a program shows, by class."""
    path = tmp_path / 'program.py'
    path.write_text(textwrap.dedent(PROGRAM))
    ran = subprocess.run(
        [sys.executable, *options, str(path)],
        capture_output=True,
        text=True,
        env={'PYTHONPATH': str(Path(ms.__path__[0]).parent)},
        check=False,
    )
    return [line.split(': ')[1] for line in ran.stderr.splitlines() if 'program.py:' in line and 'Warning: ' in line]


def test_by_default_each_is_shown_once_a_place(tmp_path):
    """Three rounds, and each line is shown once for what it does."""
    due = 'NearMiss ImplicitSum KeptOnSelf SwallowedParameter HiddenValue NoPath NoPath LeavesTape NotANumber'
    assert [name.removesuffix('Warning') for name in run(tmp_path)] == due.split()


@pytest.mark.slow
@pytest.mark.parametrize('how', ['ignore', 'ignore::UserWarning', 'ignore::UserWarning:__main__'])
def test_the_command_line_turns_them_off(how, tmp_path):
    assert run(tmp_path, f'-W{how}') == []


def test_one_class_is_turned_off_and_the_others_stay():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        warnings.simplefilter('ignore', NoPathWarning)
        ms.grad(lambda x: (X, X))(X)
    assert [w.category for w in caught] == [ImplicitSumWarning]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('ignore', MinicellWarning)
        ms.grad(lambda x: (X, X))(X)
    assert not caught


def test_a_filter_by_module_works():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        warnings.filterwarnings('ignore', module=__name__.replace('.', r'\.') + '$')
        ms.grad(lambda x: X)(X)
    assert not caught


def test_as_an_error_it_leaves_nothing_behind():
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        with pytest.raises(NoPathWarning):
            ms.grad(lambda x: X)(X)
    assert float(ms.grad(lambda x: x * x)(Tensor(3.0))) == 6.0


def test_check_bprop_says_it_in_its_result_alone():
    cells = returning(lambda x, out, dout: (dout * float('nan'),)), returning(lambda x, *_: (ops.zeros_like(x),))
    with warned() as said:
        results = [ms.check_bprop(cell, X) for cell in cells]
    assert not said.caught and not any(r.ok for r in results)
