"""What a static graph has no place for is refused: each by its own message, with the user's line."""

import builtins
import contextlib
import copy
import pickle
import sys
from dataclasses import dataclass

import numpy as np
import pytest

import minicell as ms
from minicell import Parameter, Tensor, nn, ops, tracing
from minicell.core import tape
from minicell.errors import (
    GraphArgumentError,
    GraphBpropError,
    GraphCaptureError,
    GraphPrintWarning,
    GraphSyntaxError,
    GraphTupleError,
    GraphValueError,
    GraphWriteError,
)
from minicell.nn import Cell
from tests.core.cells import Product, made
from tests.messages import refused, tells, warned

X = Tensor([1.0, 2.0])
array = Tensor.array


@pytest.fixture(autouse=True)
def all_is_put_back():
    """Whatever happened, nothing of the tracing stays."""
    trace, printer = sys.gettrace(), builtins.print
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)
    assert sys.gettrace() is trace and builtins.print is printer
    assert '__getattribute__' not in vars(Cell) and tracing.tracer is None
    assert tape.recorded_from == tape.NOWHERE and not tape.looking and not tape.gradients and not tape.hidden_address


def chooses(x):
    if x.sum() > 1:
        return x
    return x * 2


def loops(x):
    while x.sum() < 100:
        x = x * 2
    return x


NUMBERS = {
    'asnumpy': ('asnumpy() of', lambda x: x * Tensor(x.asnumpy()), 'x.asnumpy()'),
    'tolist': ('tolist() of', lambda x: x * Tensor(x.tolist()), 'x.tolist()'),
    'item': ('item() of', lambda x: x * x.sum().item(), 'x.sum().item()'),
    'float': ('float() of', lambda x: x * float(x.sum()), 'float(x.sum())'),
    'int': ('int() of', lambda x: x * int(x.sum()), 'int(x.sum())'),
    'if': ('bool() of', chooses, 'if x.sum() > 1:'),
    'while': ('bool() of', loops, 'while x.sum() < 100:'),
    'an index': ('an index', lambda x: [1.0, 2.0, 3.0][x.sum().astype(ms.int32)], '[x.sum().astype(ms.int32)]'),
    'an index of a Tensor': ('x[i] with', lambda x: x[(x * 0).astype(ms.int64)], 'x[(x * 0)'),
    'np.array': ('a NumPy array', lambda x: Tensor(np.array(x)), 'np.array(x)'),
    'np.asarray': ('a NumPy array', lambda x: Tensor(np.asarray(x * 2)), 'np.asarray(x * 2)'),
    'Tensor': ('Tensor(...) of', lambda x: Tensor(x * 2), 'Tensor(x * 2)'),
    'a list': ('Tensor(...) of', lambda x: x * [x[0], x[1]], '[x[0], x[1]]'),
    'array': ('.array of', lambda x: x * float(x.array.sum()), 'float(x.array.sum())'),
    'array of a result': ('.array of', lambda x: x * (x * 2).array, '(x * 2).array'),
    'getattr': ('.array of', lambda x: x * getattr(x, 'array')[0], "getattr(x, 'array')"),  # noqa: B009
    'a write into array': ('.array of', lambda x: (x.array.fill(5), x)[1], 'x.array.fill(5)'),
    'str': ('str() of', lambda x: x * len(str(x)), 'len(str(x))'),
    'an f-string': ('str() of', lambda x: x * len(f'{x * 2}'), "len(f'{x * 2}')"),
    'repr': ('str() of', lambda x: x * len(repr(x)), 'len(repr(x))'),
    'in': ('bool() of', lambda x: x * (1.0 in x), '(1.0 in x)'),
    'not in': ('bool() of', lambda x: x if 9.0 not in x * 2 else -x, '9.0 not in x * 2'),
}


@pytest.mark.parametrize(('what', 'function', 'line'), NUMBERS.values(), ids=NUMBERS)
def test_the_numbers_of_a_traced_tensor_are_refused(what, function, line):
    with refused(GraphValueError, what, f'graph of {function.__name__}', 'ops.select', line=line):
        ms.jit(function)(X)
    assert ms.jit(lambda x: x * 2)(X).asnumpy().tolist() == [2, 4], 'and the next graph is fine'


def test_the_numbers_of_a_parameter_are_refused_and_those_of_a_constant_are_not():
    p, c = Parameter(Tensor([3.0]), name='p'), Tensor([3.0])
    with refused(GraphValueError, 'float() of', line='float(p)'):
        ms.jit(lambda x: x * float(p))(X)
    f = ms.jit(lambda x: x * float(c))
    assert f(X).asnumpy().tolist() == f(X).asnumpy().tolist() == [3, 6] and f.traced == 1
    with refused(GraphValueError, '.array of', line='p.array'):
        ms.jit(lambda x: x * float(p.array[0]))(X)
    for copied in (p.copy, p.clone, lambda: copy.copy(p), lambda: copy.deepcopy(p), lambda: pickle.dumps(p)):
        with refused(GraphValueError, 'a copy of', keep=False):
            ms.jit(lambda x, f: (f(), x)[1])(X, copied)
    by_array = ms.jit(lambda x: x * float(c.array[0]))
    assert by_array(X).asnumpy().tolist() == [3, 6] and Tensor.array is array
    c[0] = 5.0
    assert by_array(X).asnumpy().tolist() == [5, 10]
    assert f(X).asnumpy().tolist() == [5, 10], 'the number that was looked at is part of what the trace depends on'


def test_inside_a_gradient_inside_a_graph_they_are_refused_too():
    with refused(GraphValueError, 'float() of', 'graph of outer', line='return y * float(y.sum())'):

        def inner(y):
            return y * float(y.sum())

        def outer(x):
            return ms.grad(inner)(x)

        ms.jit(outer)(X)


def tries(x):
    try:
        return x * 2
    finally:
        pass


def yields(x):
    def parts():
        yield x

    return next(parts())


def deeper(x):
    return tries(x) + 1


@pytest.mark.parametrize(
    ('function', 'said', 'line'),
    [
        (tries, "statement 'Try'", 'try:'),
        (yields, "expression 'Yield'", 'yield x'),
        (deeper, "statement 'Try'", 'try:'),
    ],
    ids=['try', 'yield', 'try in a function that is called'],
)
def test_try_and_yield_are_refused(function, said, line):
    with refused(GraphSyntaxError, said, line=line):
        ms.jit(function)(X)


def test_an_exception_that_a_with_catches_is_refused():
    class Fails(nn.Cell):
        def construct(self, x):
            raise KeyError('no')

        def bprop(self, x, out, dout):
            return (dout,)

    net = Fails()

    def f(x):
        with contextlib.suppress(KeyError):
            net(x)
        return x

    with refused(GraphValueError, 'Fails', 'a graph', line='net(x)'):
        ms.jit(f)(X)


class Writes(nn.Cell):
    def __init__(self, write):
        super().__init__()
        self.w = Parameter(Tensor([1.0, 1.0]), name='w')
        self.saved, self.write = [], write

    def construct(self, x):
        self.write(self, x)
        return x * 2


def attribute(self, x):
    self.k = 3


def data(self, x):
    self.w.set_data(x)


def parameter(self, x):
    self.w = x


def grows(self, x):
    self.saved.append(x)


@pytest.mark.parametrize(
    ('write', 'parts', 'line'),
    [
        (attribute, ('Writes.k', 'graph of Writes', 'ops.assign'), 'self.k = 3'),
        (data, ('w.set_data', 'graph of Writes', 'ops.assign(w,'), 'self.w.set_data(x)'),
        (parameter, ('w.set_data', 'ops.assign'), 'self.w = x'),
        (grows, ('Writes.saved', 'graph of Writes'), 'ms.jit(Writes(write))(X)'),
    ],
    ids=['attribute', 'set_data', 'a Parameter', 'a list that grows'],
)
def test_a_write_that_later_calls_would_not_make_is_refused(write, parts, line):
    with refused(GraphWriteError, *parts, line=line):
        ms.jit(Writes(write))(X)


def cell(bprop, name='Net'):
    return made(lambda self, x: x * 2, bprop, name)


def test_a_bare_tensor_and_a_list_are_refused():
    ms.set_context(mode=ms.GRAPH_MODE)
    for value, kind in ((lambda d: d, 'a Tensor'), (lambda d: [d], 'a list')):
        net = cell(lambda self, x, out, dout: value(dout))  # noqa: B023
        with refused(GraphTupleError, 'Net.bprop', kind, '`return (dx,)`', line='ms.grad(net)(X)'):
            ms.grad(net)(X)


def test_star_args_are_refused():
    ms.set_context(mode=ms.GRAPH_MODE)
    net = cell(lambda self, *args: (args[-1],))
    with refused(GraphBpropError, 'Net.bprop', '*args', 'bprop: test_refusals.py', line='ms.grad(net)(X)'):
        ms.grad(net)(X)


def test_a_parameter_in_bprop_and_internal_params_are_refused():
    ms.set_context(mode=ms.GRAPH_MODE)
    net = cell(lambda self, x, out, dout: (dout * self.w,))
    net.w = Parameter(Tensor([2.0, 2.0]), name='w')
    with refused(GraphBpropError, 'Net.bprop', 'Parameter w', 'not support'):
        ms.grad(net)(X)
    own = cell(lambda self, x, out, dout: ((dout,), {self.w: dout}), 'Own')
    own.w = Parameter(Tensor([2.0, 2.0]), name='w')
    own.internal_params = [own.w]
    with refused(GraphBpropError, 'Own', 'internal_params', 'eager mode'):
        ms.grad(own)(X)


def test_a_parameter_that_bprop_gets_as_an_input_is_allowed():
    p, net = Parameter(Tensor([3.0, 3.0]), name='p'), Product()
    ms.set_context(mode=ms.GRAPH_MODE)
    for _ in range(2):
        dx, dp = ms.grad(lambda x: net(x, p), 0, p)(X)
        assert dx.asnumpy().tolist() == [30, 30] and dp.asnumpy().tolist() == [100, 200]


def test_a_data_dependent_if_in_bprop_is_refused():
    def bprop(self, x, out, dout):
        if dout.sum() > 0:
            return (dout,)
        return (dout * x,)

    ms.set_context(mode=ms.GRAPH_MODE)
    with refused(GraphValueError, 'bool() of', 'of Net.bprop', line='if dout.sum() > 0:') as got:
        ms.grad(cell(bprop))(X)
    (note,) = got.value.__notes__
    tells(note, 'bprop', 'Cell Net')


def test_a_captured_tensor_that_is_differentiated_is_refused():
    with refused(GraphCaptureError, 'differentiated Tensor', 'arguments', line='ms.jit(lambda y'):
        ms.grad(lambda x: ms.jit(lambda y: y * x)(X))(X)


def test_vjp_inside_is_refused_and_outside_it_works():
    with refused(GraphValueError, 'vjp of square', 'ms.grad', line='ms.vjp(square, x)'):

        def square(x):
            return x * x

        ms.jit(lambda x: ms.vjp(square, x)[1](x))(X)
    assert ms.vjp(ms.jit(square), X)[1](X)[0].asnumpy().tolist() == [2, 8]


def test_hooks_are_refused_also_when_they_come_later():
    net = nn.Tanh()
    f = ms.jit(lambda x: net(x))
    f(X)
    handle = net.register_forward_hook(lambda cell, inputs, output: None)
    with refused(GraphValueError, 'Tanh has hooks', line='net(x)'):
        f(X)
    handle.remove()
    f(X)
    with refused(GraphValueError, 'HookBackward', 'graph', line='ops.HookBackward(abs)(x)'):
        ms.jit(lambda x: ops.HookBackward(abs)(x))(X)


@dataclass
class Result:
    value: Tensor


@pytest.mark.parametrize(
    ('out', 'kind'),
    [(lambda x: Result(x), 'Result'), (lambda x: [(lambda: x)], 'function'), (lambda x: {'a': np.ones(2)}, 'ndarray')],
    ids=['an object', 'a function', 'an array'],
)
def test_a_result_that_would_go_stale_is_refused(out, kind):
    with refused(GraphValueError, f'returns a {kind}', 'Tensors, numbers', line='ms.jit(out)(X)'):
        ms.jit(out)(X)


def test_print_is_reported_once_and_runs_once(capsys):
    def f(x):
        print('tracing', x.shape, sep='-', file=None, flush=True)
        print()
        return x * 2

    f = ms.jit(f)
    with warned() as said:
        for _ in range(3):
            f(X)
    assert capsys.readouterr().out == 'tracing-(2,)\n\n'
    assert [w.category for w in said.caught] == [GraphPrintWarning] * 2
    tells(said.caught[0].message, 'print', 'graph of f', 'once')
    assert said.line.startswith("print('tracing'")


def test_settings_of_the_context():
    with refused(GraphArgumentError, 'mode', 'GRAPH_MODE (0)', 'PYNATIVE_MODE (1)', 'got 7', line='mode=7'):
        ms.set_context(mode=7)
    with refused(GraphArgumentError, 'set_context', "no setting 'mod'", line='mod=0'):
        ms.set_context(mod=0)
    ms.set_context(pynative_synchronize=True)  # MindSpore's own: accepted
    with refused(GraphArgumentError, "no setting 'speed'", line="get_context('speed')"):
        ms.get_context('speed')
    assert ms.get_context('mode') == ms.PYNATIVE_MODE == 1 and ms.GRAPH_MODE == 0
    assert ms.get_context('pynative_synchronize') is True and ms.get_context('max_call_depth') == 1000
    ms.context.set_context(pynative_synchronize=False)
    with refused(GraphArgumentError, 'pynative_synchronize', 'a bool', 'a str', line='pynative_synchronize='):
        ms.set_context(pynative_synchronize='yes')
    for call in (lambda: ms.set_context(device_target='XPU'), lambda: ms.set_device('XPU')):
        with refused(ValueError, 'device_target', 'CPU, GPU, Ascend', "got 'XPU'"):
            call()
    ms.set_device('CPU')
    assert ms.context.get_context('device_target') == 'CPU' and ms.context.GRAPH_MODE == 0


@pytest.mark.parametrize(('name', 'value'), [('capture_mode', 'no'), ('jit_level', 'O9'), ('dynamic', 7)])
def test_options_of_jit(name, value):
    with refused(GraphArgumentError, "'jit'", f"'{name}'", f'got {value!r}', line='ms.jit('):
        ms.jit(lambda x: x, **{name: value})
    with refused(GraphArgumentError, "'jit'", 'a function', 'a Cell', 'an int', line='ms.jit('):
        ms.jit(3)
    assert ms.jit(function=lambda x: x * 2, backend='ms_backend', fullgraph=True)(Tensor(1.0)).item() == 2
    assert ms.jit(jit_level='O0')(lambda x: x * 3)(Tensor(1.0)).item() == 3


def test_the_users_own_exception_is_unchanged_and_leaves_nothing():
    def f(x):
        raise KeyError('mine')

    for g in (ms.jit(f), ms.grad(ms.jit(f)), ms.jit(ms.grad(f))):
        with pytest.raises(KeyError, match='mine'):
            g(X)


def test_a_value_from_inside_a_custom_cell_is_refused_outside_it():
    kept = []

    class Leaks(nn.Cell):
        def construct(self, x):
            kept.append(x * x)
            return kept[-1] * 1

        def bprop(self, x, out, dout):
            return (dout,)

    net = Leaks()

    def f(x):
        y = net(x)
        return y + kept[-1]

    with refused(GraphValueError, 'construct of Leaks', 'return it', line='y = net(x)'):
        ms.jit(f)(X)


@pytest.mark.parametrize(
    ('body', 'name'),
    [('import math', 'Import'), ('from math import pi', 'Import'), ('class A: pass', 'ClassDef'), ('del x', 'Delete')],
)
def test_statements_that_a_graph_has_no_place_for(body, name, tmp_path):
    path = tmp_path / 'body.py'
    path.write_text(f'def f(x):\n    y = x * 2\n    {body}\n    return y\n')
    space = {}
    exec(compile(path.read_text(), str(path), 'exec'), space)
    with refused(GraphSyntaxError, f"statement '{name}'", 'body.py, line 3', body.split()[0], keep=False):
        ms.jit(space['f'])(Tensor(1.0))


def test_a_bprop_without_out_and_dout_is_refused():
    net = cell(lambda self, dout: (dout,), 'Short')
    with refused(GraphBpropError, 'Short.bprop', '1 parameter', 'out and dout'):
        ms.grad(ms.jit(lambda x: net(x)))(Tensor(1.0))
