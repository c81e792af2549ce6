"""`ms.explain(fn, *args)`: one call and its gradient, on a Tape."""

import sys
from types import SimpleNamespace

import pytest

import minicell as ms
from minicell import Tensor, nn, ops


def ends(tape):
    return [event for event in tape.events if type(event).__name__ == 'End']


def test_a_function_is_differentiated_by_every_float_tensor():
    tape = ms.explain(lambda a, n, b: a * b * n, Tensor(2.0), 3, Tensor(5.0))
    (end,) = ends(tape)
    assert [float(g) for g in end.gradients] == [15.0, 6.0]


def test_a_cell_is_differentiated_by_its_parameters_too():
    tape = ms.explain(nn.Dense(3, 2), Tensor([[1.0, 2.0, 3.0]]))
    (end,) = ends(tape)
    assert [tuple(g.shape) for g in end.gradients] == [(1, 3), (2, 3), (2,)]


def test_indices_are_no_reason_to_refuse_a_cell_with_parameters():
    class Rows(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = ms.Parameter(ops.ones((5, 2)), name='w')

        def construct(self, places):
            return self.w[places]

    (end,) = ends(ms.explain(Rows(), Tensor([1, 3])))
    assert [tuple(g.shape) for g in end.gradients] == [(5, 2)]


@pytest.mark.parametrize(
    ('arguments', 'said'),
    [
        ((Tensor(3.0),), 'write explain(net, x), not explain(net(x))'),
        ((3,), 'It got an int.'),
        ((ops.exp, 3.0), 'Exp is called with 1 argument, and no float Tensor is among them'),
        ((ops.exp, Tensor([1, 2])), 'Write explain(Exp, Tensor(3.0))'),
    ],
)
def test_what_cannot_be_explained_gets_a_sentence(arguments, said):
    with pytest.raises(TypeError) as caught:
        ms.explain(*arguments)
    assert said in str(caught.value) and 'your line: test_explain.py' in str(caught.value)


def test_an_error_is_raised_and_in_a_notebook_the_torn_tape_is_shown(monkeypatch):
    shown = []
    display = SimpleNamespace(display=shown.append)
    monkeypatch.setitem(sys.modules, 'IPython', SimpleNamespace(get_ipython=lambda: None, display=display))
    with pytest.raises(ms.errors.ShapeError):
        ms.explain(lambda x: ops.matmul(x, x), Tensor(3.0))
    assert not shown, 'a script has its traceback'
    monkeypatch.setitem(sys.modules, 'IPython', SimpleNamespace(get_ipython=lambda: 'a notebook', display=display))
    with pytest.raises(ms.errors.ShapeError) as caught:
        ms.explain(lambda x: ops.matmul(x, x), Tensor(3.0))
    (tape,) = shown
    assert tape.error is caught.value
