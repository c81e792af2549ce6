"""Cells and Parameters: what construct may return, what dout is then, attributes that are refused or said, dtypes."""

import subprocess
import sys

import numpy as np
import pytest

import minicell as ms
from minicell import Parameter, ParameterTuple, Tensor, nn, ops
from minicell.core.errors import DTypeError, NotATensorError, ShapeError
from minicell.errors import (
    NoPathWarning,
    ParameterAttributeError,
    ParameterError,
    PropertyError,
    ResultError,
    UnregisteredWarning,
)
from tests.core.cells import Cube, made, returning, values
from tests.messages import refused, tells, warned
from tests.traps.test_bypass import OfItself

X = Tensor([1.0, 2.0, 3.0])


RESULTS = {
    'a generator': lambda x: (v for v in (x,)),
    'a function': lambda x: (x, lambda: x),
    'a set': lambda x: {'found': {x}},
    'an OfItself': lambda x: OfItself(),
}


@pytest.mark.parametrize('what', RESULTS)
def test_a_result_that_hides_a_tensor_is_refused(what):
    kind = type('Hides', (Cube,), {'construct': lambda self, x: RESULTS[what](x)})
    kind()(X)
    with refused(ResultError, 'construct of Hides', f'returned {what}', 'a Tensor', line='kind()(x)'):
        ms.grad(lambda x: kind()(x))(X)


def test_what_cannot_hide_a_tensor_may_be_returned():
    class Several(Cube):
        def construct(self, x):
            return {'x': x * 2, 'name': 'double', 'mask': x.asnumpy() > 1, 'dtype': ms.float32, 'none': None, 'one': 1}

    assert ms.grad(lambda x: Several()(x)['one'] * x)(X).asnumpy().tolist() == [1, 1, 1]


def test_a_function_that_returns_an_object_is_told_what_it_returned():
    class Box:
        def __init__(self, x):
            self.x = x

    with warned(NoPathWarning, 'a Box', 'return Tensors'):
        ms.grad(lambda x: Box(x * 2))(X)
    with warned(NoPathWarning, '<lambda>', 'a Box', 'holds a Tensor'):
        ms.grad(lambda x: (x * 2, Box(x * 3)))(X)


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
    with refused(NotATensorError, 'argument 0', 'of Net', 'Int64 Tensor', 'only floats', '.astype('):
        ms.grad(net)(Tensor([1, 2, 3]))


def test_set_data_keeps_the_shape_and_the_integers_and_copies():
    p, k, net = Parameter(Tensor([1.0, 2.0]), name='p'), Parameter(Tensor([1, 2]), name='k'), nn.Cell()
    net.w = p
    with refused(ShapeError, 'set_data of p', (2,), (1,), line='p.set_data(Tensor'):
        p.set_data(Tensor([1.0]))
    with refused(ShapeError, (2,), ()):
        p.set_data(2.0)
    assert p.tolist() == [1, 2]
    with refused(ShapeError, 'set_data of p', line='net.w = Tensor([1.0])'):
        net.w = Tensor([1.0])
    with refused(ParameterError, 'set_data of k', 'floats', 'Int64', line='k.set_data(Tensor'):
        k.set_data(Tensor([1.5, 2.5]))
    source = Tensor([5.0, 6.0])
    p.set_data(source)
    source[0] = 99.0
    assert p.asnumpy().tolist() == [5, 6], 'the source is not aliased'


def test_required_grad_is_no_attribute():
    p = Parameter(Tensor([1.0]), name='p')
    with refused(ParameterAttributeError, 'p.requires_grad = False', line='p.required_grad = False'):
        p.required_grad = False
    with refused(ParameterAttributeError, 'is requires_grad'):
        assert p.required_grad
    with pytest.raises(TypeError):
        Parameter(Tensor([1.0]), required_grad=False)


@pytest.mark.parametrize(
    ('make', 'kind', 'what', 'due'),
    [
        (lambda: [Parameter(1.0)], 'a list', 'of Parameters', 'ParameterTuple'),
        (lambda: {'w': Parameter(1.0)}, 'a dict', 'of Parameters', 'ParameterTuple'),
        (lambda: (Parameter(1.0),), 'a tuple', 'of Parameters', 'ParameterTuple'),
        (lambda: [nn.ReLU()], 'a list', 'of Cells', 'nn.CellList'),
    ],
    ids=['list', 'dict', 'tuple', 'Cells'],
)
def test_what_no_cell_looks_into_is_said(make, kind, what, due):
    net = nn.Cell()
    with warned(UnregisteredWarning, 'Cell.parts', kind, what, due) as said:
        net.parts = make()
    assert said.line == 'net.parts = make()'


def test_plain_lists_and_a_parametertuple_are_nothing_to_say():
    net = nn.Cell()
    net.sizes, net.names, net.none = [1, 2], {'a': 'b'}, None
    net.ws = ParameterTuple([Parameter(1.0, 'a')])


def test_internal_params_is_a_list_of_parameters():
    net = nn.Cell()
    with refused(PropertyError, 'Cell.internal_params', 'a list', 'Parameters', line='net.internal_params = Param'):
        net.internal_params = Parameter(1.0)


def test_a_parameter_set_to_none_goes_away_and_that_is_said():
    net = nn.Cell()
    net.w, net.b = Parameter(1.0, 'w'), Parameter(2.0, 'b')
    with warned(UnregisteredWarning, 'Cell.w = None', 'Parameter w') as said:
        net.w = None
    assert said.line == 'net.w = None' and net.w is None and net.trainable_params() == [net.b]


def test_the_seams_between_dtypes():
    """Creation is as in MindSpore, and printed; the two silent truncations are not."""
    made = Tensor([1.0]), Tensor(np.array([1.0])), Tensor(2)
    assert [str(t.dtype) for t in made] == ['Float32', 'Float64', 'Int64']
    assert str(Parameter(2).dtype) == 'Int32'
    assert 'dtype=Float64' in repr(Tensor(np.array([1.0])))
    assert ops.full((2,), 3.5).asnumpy().tolist() == [3.5, 3.5], 'MindSpore: [3, 3]'
    with refused(DTypeError, 'ReduceMean of Int64', 'mean of integers', '.mean()', line='Tensor([1, 2]).mean()'):
        Tensor([1, 2]).mean()


def test_forward_hooks_run_on_cells_with_a_bprop():
    calls, net = [], Cube()
    net.register_forward_pre_hook(lambda cell, inputs: calls.append('before'))
    net.register_forward_hook(lambda cell, inputs, output: calls.append('after'))
    net.register_backward_hook(lambda cell, grad_input, grad_output: calls.append('back'))
    ms.grad(net)(X)
    assert calls == ['before', 'after', 'back']


@pytest.mark.parametrize('name', ['add_', 'mul_', 'sub_', 'div_', 'zero_', 'fill_'])
def test_methods_that_would_not_work_in_place_are_not_there(name):
    """In MindSpore v.add_(50) returns a new Tensor, and leaves v as it was."""
    assert not hasattr(X, name)
    v = Tensor([1.0, 2.0])
    same = v
    v[0] = 5.0
    assert same.asnumpy().tolist() == [5, 2], 'an index write is in place'
    v += 1
    assert same.asnumpy().tolist() == [5, 2] and v.asnumpy().tolist() == [6, 3], '+= makes a new Tensor'


def test_lambdas_and_typed_in_code_work_everywhere():
    space = {'ms': ms, 'ops': ops}
    exec('f = ms.jit(lambda x: ops.exp(x) * 2)\ng = lambda x: x * x', space)
    np.testing.assert_allclose(space['f'](X).asnumpy(), 2 * np.exp([1, 2, 3]), rtol=1e-6)
    assert ms.jvp(space['g'], X, X)[1].asnumpy().tolist() == [2, 8, 18]
    assert ms.grad(lambda x: ops.InsertGradientOf(lambda g: g * 3)(x))(X).asnumpy().tolist() == [3, 3, 3]

    applies = made(lambda self, f, x: f(x), lambda self, f, x, out, dout: (None, f(dout)))
    assert ms.grad(lambda x: applies(lambda v: v * 5, x))(X).asnumpy().tolist() == [5, 5, 5]


def test_a_tape_shows_the_bprop_its_dout_and_what_it_hid():
    with ms.Tape() as tape:
        ms.grad(lambda x: Cube()(x * 2).sum())(X)
    tells(tape, 'Cube.bprop', 'gets dout (3,)', 'hidden', 'its own bprop')


def test_it_starts_in_a_moment():
    """MindSpore needs 3.9 s; this brings a few dozen small files (how long they take, the benchmarks hold)."""
    code = 'import sys, numpy; before = set(sys.modules); import minicell; print(*set(sys.modules) - before)'
    done = subprocess.run([sys.executable, '-c', code], cwd=ms.__path__[0] + '/..', capture_output=True, text=True)
    brought = done.stdout.split()
    assert 'minicell' in brought and len(brought) < 80, done
