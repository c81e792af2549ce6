"""`ms.explain(fn, *args)`: one call and its gradient, on a Tape."""

import sys
from types import SimpleNamespace

import pytest

import minicell as ms
from minicell import Tensor, nn, ops
from minicell.core.watch import End
from tests.core.cells import of_kind
from tests.messages import refused


def gradients(tape):
    (end,) = of_kind(tape, End)
    return end.gradients


def test_a_function_is_differentiated_by_every_float_tensor():
    tape = ms.explain(lambda a, n, b: a * b * n, Tensor(2.0), 3, Tensor(5.0))
    assert [float(g) for g in gradients(tape)] == [15.0, 6.0]


def test_a_cell_is_differentiated_by_its_parameters_too():
    tape = ms.explain(nn.Dense(3, 2), Tensor([[1.0, 2.0, 3.0]]))
    assert [tuple(g.shape) for g in gradients(tape)] == [(1, 3), (2, 3), (2,)]


def test_indices_are_no_reason_to_refuse_a_cell_with_parameters():
    rows = nn.Cell()
    rows.w = ms.Parameter(ops.ones((5, 2)), name='w')
    rows.construct = lambda places: rows.w[places]
    assert [tuple(g.shape) for g in gradients(ms.explain(rows, Tensor([1, 3])))] == [(5, 2)]


@pytest.mark.parametrize(
    ('arguments', 'facts'),
    [
        ((Tensor(3.0),), ['explain(net, x)', 'not explain(']),
        ((3,), ['got an int']),
        ((ops.exp, 3.0), ['Exp', '1 argument', 'no float Tensor']),
        ((ops.exp, Tensor([1, 2])), ['explain(Exp, Tensor(3.0))']),
    ],
    ids=['a Tensor', 'an int', 'a float', 'integers'],
)
def test_what_cannot_be_explained_gets_a_sentence(arguments, facts):
    with refused(TypeError, *facts, line='ms.explain(*arguments)'):
        ms.explain(*arguments)


def test_an_error_is_raised_and_in_a_notebook_the_torn_tape_is_shown(monkeypatch):
    shown = []
    display = SimpleNamespace(display=shown.append)
    for shell in (None, 'a notebook'):
        assert not shown, 'a script has its traceback'
        monkeypatch.setitem(sys.modules, 'IPython', SimpleNamespace(get_ipython=lambda s=shell: s, display=display))
        with pytest.raises(ms.errors.ShapeError) as caught:
            ms.explain(lambda x: ops.matmul(x, x), Tensor(3.0))
    (tape,) = shown
    assert tape.error is caught.value
