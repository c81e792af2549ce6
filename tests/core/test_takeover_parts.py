"""Inputs that are tuples, lists or dicts of Tensors; and what construct may write inside itself."""

import numpy as np
import pytest

import minicell as ms
from minicell import Parameter, Tensor, nn, ops
from minicell.core.errors import BpropTupleError
from minicell.errors import IndexWriteError

A, B = Tensor([1.0, 2.0]), Tensor([3.0, 4.0])


def cell(compute, give):
    class Given(nn.Cell):
        def construct(self, *inputs):
            return compute(*inputs)

        def bprop(self, *args):
            return give(args[-1])

    return Given()


def values(t):
    return tuple(map(values, t)) if isinstance(t, tuple) else t.tolist()


# ---- parts ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize('kind', [tuple, list])
def test_the_gradient_mirrors_the_input_with_none_for_what_is_no_tensor(kind):
    net = cell(lambda x, t: x * t[0] * t[1][0], lambda d: (d, (d * 5, (None, d * 7))))
    got = ms.grad(lambda a, b, c: net(a, kind([b, (3, c)])), (0, 1, 2))(A, B, A)
    assert values(got) == ([1, 1], [5, 5], [7, 7])
    short = cell(lambda x, t: x * t[0], lambda d: (d, kind([d * 5, None])))
    assert values(ms.grad(lambda a, b: short(a, kind([b, 3])), (0, 1))(A, B)) == ([1, 1], [5, 5])


def test_a_dict_has_its_gradients_in_order_and_none_is_for_all():
    def ask(give):
        net = cell(lambda d: d['a'] * d['b'], give)
        return values(ms.grad(lambda a, b: net({'a': a, 'b': b, 'k': 3}), (0, 1))(A, B))

    assert ask(lambda d: ((d * 5, d * 7, None),)) == ([5, 5], [7, 7])
    assert ask(lambda d: (None,)) == ([0, 0], [0, 0])


@pytest.mark.parametrize('give', [lambda d: (d, (d,)), lambda d: (d, (d, d, d)), lambda d: (d, d), lambda d: (d, {})])
def test_another_structure_is_refused(give):
    net = cell(lambda x, t: x * t[0] * t[1], give)
    says = r'(?s)which is a tuple of 2: return a tuple of as many gradients in its place, with None.*its bprop'
    with pytest.raises(BpropTupleError, match=says):
        ms.grad(lambda a: net(a, (B, 3)))(A)


# ---- writes in construct -------------------------------------------------------------------------------------------


def test_construct_may_write_into_what_it_made_itself():
    """Nothing there is recorded: the gradient is bprop's."""
    seen = []

    class Marks(nn.Cell):
        def construct(self, x):
            y = x * 2
            y[0] = 100.0
            z = ops.zeros(3)
            z[1:] = y
            return z

        def bprop(self, x, out, dout):
            seen.append((x.array.tolist(), out.array.tolist()))
            return (dout[1:] * 3,)

    assert ms.grad(Marks())(A).tolist() == [3, 3] and seen == [([1, 2], [0, 100, 4])]
    assert ms.grad(ms.grad(lambda x: Marks()(x).sum() * x))(A).tolist() == [12, 12]
    with ms.Tape():
        assert ms.grad(Marks())(A).tolist() == [3, 3]


def test_what_it_wrote_is_still_known_to_come_from_there():
    kept = ops.zeros(2)

    def compute(x):
        kept[0] = x[0] * 2
        return x * 2

    net = cell(compute, lambda d: (d,))
    with pytest.raises(RuntimeError, match='computed inside construct of Given'):
        ms.grad(lambda x: net(x) + kept)(A)


def test_its_inputs_stay_as_they_are():
    def compute(x):
        x[0] = 5.0
        return x * 2

    with pytest.raises(IndexWriteError):
        ms.grad(cell(compute, lambda d: (d,)))(A)


@pytest.mark.parametrize('value', [None, 'text', [None, None], np.array(['a', 'b'])])
def test_what_is_no_number_is_not_written(value):
    p = Parameter(Tensor([1.0, 2.0]), name='p')
    with pytest.raises(TypeError, match=r'(?s)x\[i\] = v takes a Tensor or numbers, but got .*your line: test'):
        p[:] = value
    assert p.tolist() == [1, 2]
