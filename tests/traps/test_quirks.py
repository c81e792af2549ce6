"""The quirk cases of MindSpore's recorded behaviour: minicell refuses, says what is odd, or does what is right."""

import minicell as ms
from minicell import Parameter, Tensor, nn, ops
from minicell.core.errors import BpropCountError, BpropShapeError, NotATensorError, ShapeError
from minicell.errors import NearMissWarning, UnregisteredWarning, WriteAfterUseError
from tests.core.cells import returning
from tests.traps.said import refused, warned

X = Tensor([1.0, 2.0, 3.0])


def values(t):
    return t.asnumpy().tolist() if isinstance(t, Tensor) else tuple(map(values, t)) if isinstance(t, tuple) else t


def test_bprop_too_many_truncated():
    with refused(BpropCountError, 'Net.bprop returned 2 gradients for 1 input (x): write `return (dx,)`'):
        ms.grad(returning(lambda x, out, dout: (x + 100, x + 200), name='Net'))(X)


def test_bprop_shape_bigger_sum_reduced():
    net = returning(lambda x, out, dout: (ops.stack([x, x + 10]),), name='Net')
    with refused(BpropShapeError, 'Net.bprop', '(2, 3) for x, which has shape (3,)', 'Write .sum(0)'):
        ms.grad(net)(X)


class Shows(nn.Cell):
    """Its bprop keeps what it was given."""

    def __init__(self, construct):
        super().__init__()
        self.makes = construct

    def construct(self, x):
        return self.makes(x)

    def bprop(self, x, out, dout):
        self.seen = out, dout
        return (dout[0] * 2,)


def test_dout_nested_output_flat():
    """dout has the structure of out; in MindSpore out is nested, and dout flat."""
    net = Shows(lambda x: (x * 2, (x * 3, x * 4)))
    assert values(ms.grad(lambda a: net(a)[0])(X)) == [2, 2, 2]
    out, dout = map(values, net.seen)
    assert out == ([2, 4, 6], ([3, 6, 9], [4, 8, 12]))
    assert dout == ([1, 1, 1], ([0, 0, 0], [0, 0, 0]))


def test_dout_non_tensor_output():
    """What is no Tensor has the place of a None in dout; in MindSpore the place is missing, and the tuple too."""
    net = Shows(lambda x: (x * 2, 7))
    value, slope = ms.value_and_grad(lambda a: net(a)[0])(X)
    assert (values(value), values(slope)) == ([2, 4, 6], [2, 2, 2])
    assert values(net.seen[0]) == ([2, 4, 6], 7) and values(net.seen[1]) == ([1, 1, 1], None)


def test_input_int_tensor_grad_dtype():
    net = returning(lambda x, out, dout: (dout * 9,), name='Net')
    with refused(NotATensorError, 'argument 0 of Net is an Int64 Tensor, and only floats have gradients', '.astype('):
        ms.grad(net)(Tensor([1, 2, 3]))


def test_param_dict_reversed_order_misassigned():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = Parameter(Tensor([2.0]), name='w')
            self.b = Parameter(Tensor([5.0]), name='b')
            self.internal_params = [self.w, self.b]

        def construct(self, x):
            return self.w * x + self.b

        def bprop(self, *args):
            x, dout = args[0], args[-1]
            return (self.w * dout,), {self.b: dout * 100, self.w: x * dout}

    net = Net()
    got = ops.GradOperation(get_all=True, get_by_list=True)(net, net.trainable_params())(Tensor([3.0]))
    assert values(got) == (([2.0],), ([3.0], [100.0])), 'w gets its own, and b its own'


def test_nest_misnamed_bprop_ignored():
    with warned() as said:

        class Net(nn.Cell):
            def construct(self, x):
                return x * 2

            def backward(self, x, out, dout):
                return (dout * 50,)

    assert 'Net has a method called backward, and none called bprop' in said.one(NearMissWarning)
    assert values(ms.grad(Net())(X)) == [2, 2, 2]


def test_grad_python_float_input_empty():
    with refused(NotATensorError, 'argument 0 of <lambda> is a float, not a Tensor', 'Write Tensor(...) around it'):
        ms.grad(lambda a: a * a)(3.0)


def test_grad_param_changed_after_use():
    p = Parameter(Tensor([2.0]), name='p')

    def f(a):
        o = a * p
        p.set_data(Tensor([100.0]))
        return o

    with refused(WriteAfterUseError, 'Mul', 'p.set_data', line='o = a * p'):
        ms.grad(f)(Tensor([3.0]))


def test_param_set_data_shape_changes():
    p = Parameter(Tensor([1.0, 2.0, 3.0]), name='b')
    with refused(ShapeError, 'set_data of b: the shape stays (3,), but the new data has (2,)'):
        p.set_data(Tensor([1.0, 2.0]))
    assert values(p.value()) == [1, 2, 3]


def test_cell_assign_none_removes_param():
    net = nn.Cell()
    net.w, net.b = Parameter(Tensor([1.0]), name='w'), Parameter(Tensor([2.0]), name='b')
    with warned() as said:
        net.b = None
    assert 'Cell.b = None takes the Parameter b away' in said.one(UnregisteredWarning)
    assert net.b is None and [p.name for p in net.get_parameters()] == ['w']
