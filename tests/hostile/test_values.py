"""Values that are shared: Parameters as inputs, memory that others hold too, what a bprop reads."""

import types

import pytest

import minicell as ms
from minicell import Parameter, Tensor, nn, ops
from minicell.core.errors import OperandError
from minicell.core.watch import Tape
from tests.hostile.said import X, cell, quiet, right, said
from tests.messages import refused

one = lambda: Tensor([1.0, 1.0, 1.0])
weight = lambda name, value=1.0, **kept: Parameter(one() * value, name=name, **kept)
fill = lambda t, value: t.__setitem__(slice(None), value)


# ---- a Parameter as an input -----------------------------------------------------------------------------------------


def test_a_parameter_is_one_inside_construct_too():
    def construct(self, x, p):
        ops.assign(p, p * 0.5)
        return x * (2 if isinstance(p, Parameter) and p.name == 'p' else 3)

    p = weight('p', 4.0, requires_grad=False)
    net = cell(construct, lambda self, x, p, out, dout: (dout * 2, None))
    with Tape():
        quiet(lambda: net(X, p), [2, 4, 6])
    quiet(lambda: ms.grad(lambda x: net(x, p).sum())(X), [2, 2, 2])
    assert right(p, [1, 1, 1])
    q = weight('p')
    net = cell(lambda self, x, p: x * (2 if isinstance(p, Parameter) else 3), lambda self, x, p, o, d: (d * 2, d * 0))
    assert right(ms.value_and_grad(lambda x: net(x, q).sum(), 0, [q])(X)[0], 12)


# ---- memory that others hold -----------------------------------------------------------------------------------------


@pytest.mark.parametrize('take', ['by place', 'by name', 'in a list'])
def test_what_construct_writes_into_an_input_is_hidden(take):
    read = (lambda b: b[0]) if take == 'in a list' else lambda b: b
    net = cell(lambda self, x, b: (fill(read(b), x * 2), x * 3)[1], lambda self, x, b, out, dout: (dout * 3, None))
    buffer = one()

    def f(x):
        y = net(x, b=buffer) if take == 'by name' else net(x, [buffer] if take == 'in a list' else buffer)
        return (y * buffer).sum()

    for _ in range(2):
        said(lambda: ms.grad(f)(X), 'construct of Net', 'its own bprop')
        with Tape():
            said(lambda: ms.grad(f)(X), 'construct of Net', 'its own bprop')
    buffer = Tensor(0.0)  # of rank 0, NumPy gives it other memory
    net = cell(lambda self, x, b: (b.__setitem__(..., x.sum()), x * 3)[1], lambda self, x, b, o, d: (d * 3, None))
    said(lambda: ms.grad(lambda x: (net(x, buffer) * buffer).sum())(X), 'construct of Net', 'its own bprop')


@pytest.mark.parametrize(
    ('write', 'read'),
    [
        (lambda b, v: v, lambda b, v: b),
        (lambda b, v: b[0], lambda b, v: b),
        (lambda b, v: b.reshape((3,)), lambda b, v: v),
    ],
    ids=['a view, then all', 'a view of its own', 'a view, then another'],
)
def test_what_construct_writes_through_a_view_is_said(write, read):
    b = Tensor([[0.0, 0.0, 0.0]])
    v = b[0]
    net = cell(lambda self, x: (fill(write(b, v), x * 2), x * 3)[1], lambda self, x, out, dout: (dout * 3,))
    said(lambda: ms.grad(lambda x: (net(x) * read(b, v)).sum())(X), 'Mul uses', 'No gradient passes')


def test_a_value_that_was_added_is_not_hidden_by_a_later_write():
    b = one()
    net = cell(lambda self, x: (fill(b, x * 2), x * 3)[1], lambda self, x, out, dout: (dout * 3,))
    quiet(lambda: ms.grad(lambda x: ((x + b), net(x))[0].sum())(X), [1, 1, 1])


RESULTS = {
    'a product': lambda a, b: (a * b).sum(),
    'a sum': lambda a, b: (a + b).sum(),
    'the first': lambda a, b: a.sum(),
}


@pytest.mark.parametrize('result', RESULTS.values(), ids=RESULTS)
@pytest.mark.parametrize(
    'part', [lambda b: b, lambda b: b[0:3], lambda b: b.reshape((3,))], ids=['it', 'a part', 'a view']
)
def test_a_buffer_that_the_next_call_overwrites_is_refused(result, part):
    b = one()
    net = cell(lambda self, x: (fill(b, x * x), part(b))[1], lambda self, x, out, dout: (dout * 2 * x,))
    said(lambda: ms.grad(lambda x: result(net(x), net(x * 2)))(X), 'being differentiated', 'written since', 'x[i] = v')
    quiet(lambda: ms.grad(lambda x: net(x).sum())(X), [2, 4, 6])


def test_a_view_of_an_argument_is_no_way_round():
    x = Tensor([1.0, 2.0, 3.0])
    said(lambda: ms.grad(lambda t: (fill(x, one()), (t * t).sum())[1])(x), 'being differentiated', 'written since')


WRITES = {'an input': lambda x, out: x, 'a view of one': lambda x, out: x[0:2], 'its out': lambda x, out: out}


@pytest.mark.parametrize('which', WRITES.values(), ids=WRITES)
def test_a_bprop_writes_into_nothing_that_it_was_given(which):
    net = cell(lambda self, x: x * x, lambda self, x, out, dout: (fill(which(x, out), 5.0), (dout * x,))[1])
    said(lambda: ms.vjp(net, X)[1](one()), 'Net.bprop writes', 'x[i] = v', 'Write into a')
    net = cell(lambda self, x, p: x * p, lambda self, x, p, out, dout: (ops.assign(p, p * 5), (dout * 2, None))[1])
    p = weight('p', 2.0)
    assert right((ms.grad(lambda x: net(x, p).sum())(X), p), ([2, 2, 2], [10, 10, 10]))  # but a Parameter is for that


@pytest.mark.parametrize(('own', 'speaks'), [(lambda b: fill(b, 1.0), False), (lambda b: b.__setitem__(0, 1.0), True)])
def test_a_part_that_bprop_wrote_itself_excuses_no_other_part(own, speaks):
    b = one()
    net = cell(lambda self, x: x * b, lambda self, x, out, dout: (own(b), (dout * b,))[1])
    program = lambda: ms.grad(lambda x: (net(x), fill(b, 50.0))[0].sum())(X)
    said(program, 'of Net needs', 'written since') if speaks else quiet(program, [1, 1, 1])
    quiet(lambda: (fill(b, 1.0), ms.grad(lambda x: net(x).sum())(X))[1], [1, 1, 1])


def test_an_inner_problem_of_construct_with_a_parameter_of_its_own_is_its_own():
    z = weight('z')

    def solve(self, x):
        ops.assign(z, x)
        return ms.grad(lambda: (z * z).sum(), None, [z])()[0]

    net = cell(solve, lambda self, x, out, dout: (dout * 2,))
    quiet(lambda: ms.grad(lambda x: net(x).sum())(X), [2, 2, 2])
    said(lambda: ms.grad(lambda x: (net(x) * z).sum())(X), 'No gradient passes', 'ops.assign(z')


# ---- optimizers ------------------------------------------------------------------------------------------------------

OPTIMIZERS = {
    'Momentum': lambda w: nn.Momentum([w], 0.1, 0.9),
    'Adam': lambda w: nn.Adam([w], 0.1),
    'SGD': lambda w: nn.SGD([w], 0.1, momentum=0.9),
}


@pytest.mark.parametrize('make', OPTIMIZERS.values(), ids=OPTIMIZERS)
def test_what_an_optimizer_remembers_is_severed_with_the_weight(make):
    w = weight('w')
    optimizer = make(w)
    step = lambda x, g: (optimizer((g,)), w.set_data(one()), optimizer((one(),)), (w * x).sum())[-1]
    said(lambda: ms.grad(lambda x: step(x, x * x))(X), 'Mul uses', 'No gradient passes')
    w.set_data(one())
    assert ms.grad(lambda x: step(x, one()))(X) is not None
    quiet(lambda: ms.grad(lambda x: step(x, one()) * 0 + x.sum())(X) - ms.grad(lambda x: x.sum())(X), [0, 0, 0])


@pytest.mark.parametrize(
    'make', [nn.SGD, nn.Adam, lambda w, lr: nn.Momentum(w, lr, 0.9)], ids=['SGD', 'Adam', 'Momentum']
)
def test_a_differentiated_learning_rate_is_said(make):
    w = weight('w')
    program = lambda lr: (make([w], lr)((one(),)), (w * lr).sum())[1]
    said(lambda: ms.grad(program)(Tensor(0.1)), 'a learning rate', 'being differentiated')


# ---- what a bprop reads ----------------------------------------------------------------------------------------------


def scale(x):
    return x * scale.k * RATE


RATE = 2.0


class Config:
    k, table = 2.0, {'k': 2.0}


READS = {  # what bprop reads of its second input, and who changes it
    'a function with an attribute': (scale, lambda f, x: f(x), lambda: setattr(scale, 'k', 9.0)),
    'a function with a global': (scale, lambda f, x: f(x), lambda: globals().update(RATE=9.0)),
    'a class': (Config, lambda c, x: x * c.k, lambda: setattr(Config, 'k', 9.0)),
    'a dict of its class': (Config(), lambda c, x: x * c.table['k'], lambda: Config.table.update(k=9.0)),
}


@pytest.mark.parametrize(('given', 'read', 'change'), READS.values(), ids=READS)
@pytest.mark.parametrize('on_self', [True, False])
def test_what_a_class_or_a_function_holds_is_compared(given, read, change, on_self):
    def start():
        scale.k, Config.k, Config.table['k'] = 1.0, 2.0, 2.0
        globals().update(RATE=2.0)

    if on_self:
        net = cell(lambda self, x: read(self.v, x), lambda self, x, out, dout: (read(self.v, dout),), v=given)
        call = lambda x: net(x)
    else:
        net = cell(lambda self, x, v: read(v, x), lambda self, x, v, out, dout: (read(v, dout), None))
        call = lambda x: net(x, given)
    said(lambda: (start(), ms.grad(lambda x: (call(x), change())[0].sum())(X))[1], 'Net.bprop reads', 'has changed')
    quiet(lambda: (start(), ms.grad(lambda x: call(x).sum())(X))[1], [2, 2, 2])


def test_a_counter_is_no_read_and_a_cell_is_known_by_its_place():
    def counting(self, x, log):
        log.n += 1
        return x * 2

    def bprop(self, x, log, out, dout):
        log.n += 1
        return dout * 2, None

    log, net = types.SimpleNamespace(n=0), cell(counting, bprop)
    quiet(lambda: ms.grad(lambda x: net(net(x, log), log).sum())(X), [4, 4, 4])
    inner = cell(lambda self, x: x * self.j, lambda self, x, out, dout: (dout * self.j,), k=2.0, j=3.0)
    outer = cell(lambda self, x, a: x * a.k, lambda self, x, a, out, dout: (dout * a.k, None), 'Outer')
    quiet(lambda: ms.grad(lambda x: (outer(x, inner) + inner(x)).sum())(X), [5, 5, 5])
    change = lambda x: (inner(x) + outer(x, inner), setattr(inner, 'k', 100.0))[0].sum()
    said(lambda: ms.grad(change)(X), 'Outer.bprop reads', 'its input a', 'has changed')
    config = types.SimpleNamespace(k=2.0, other=[])  # of which bprop reads k alone
    quiet(lambda: ms.grad(lambda x: (outer(x, config), config.other.append(1))[0].sum())(X), [2, 2, 2])


def test_another_class_of_the_cell_is_another_bprop():
    net = cell(lambda self, x: x * 2, lambda self, x, out, dout: (dout * 2,))
    other = type(cell(lambda self, x: x * 2, lambda self, x, out, dout: (dout * 50,), 'Other'))
    said(lambda: ms.grad(lambda x: (net(x), setattr(net, '__class__', other))[0].sum())(X), 'bprop was replaced')


def test_what_only_the_bprop_of_an_inner_gradient_reads_is_captured():
    p = weight('p', 2.0)
    inner = cell(lambda self, x: x * 2, lambda self, x, out, dout: (dout * p,), 'Inner')
    net = cell(lambda self, x: ms.grad(lambda t: inner(t).sum())(x), lambda self, x, out, dout: (dout * 0,))
    said(lambda: ms.grad(lambda x: (net(x) + p * 0).sum(), None, [p])(X), 'The Parameter p', 'inside Net')


def test_an_internal_parameter_is_a_constant_of_the_gradients_around_it():
    def construct(self, x):
        inner = lambda t: ms.grad(lambda: (t * t * self.w * self.w).sum(), None, [self.w])()[0].sum()
        return ms.grad(inner)(x)

    net = cell(construct, lambda self, x, out, d: ((d * 4 * self.w,), {self.w: d * 4 * x}))
    net.w = weight('w', 2.0)
    net.internal_params = [net.w]
    quiet(lambda: ms.value_and_grad(lambda x: net(x).sum(), 0, [net.w])(X), (48, ([8, 8, 8], ([4, 8, 12],))))


@pytest.mark.parametrize('holds', [lambda x: {x: 1}, lambda x: [{x: 1}], lambda x: ({'a': {x: x}},)])
def test_a_tensor_as_a_key_is_not_stopped_and_refused(holds):
    with refused(OperandError, 'stop_gradient takes', 'a dict'):
        ms.grad(lambda x: (ops.stop_gradient(holds(x)), x.sum())[1])(X)


# ---- what is not noticed: rows of MINDSPORE.md -----------------------------------------------------------------------


@pytest.mark.parametrize('keep', [lambda h: h, lambda h: float(h.sum()) / 6], ids=['a value', 'a number'])
def test_what_is_kept_from_call_to_call_and_nobody_notices(keep):
    kept = [0.0]
    net = cell(lambda self, x: (x + kept[-1], kept.append(keep(x * 2)))[0], lambda self, x, out, dout: (dout,))
    quiet(lambda: ms.grad(lambda x: (net(x) * 0 + net(x)).sum())(X), [1, 1, 1])


def test_an_older_view_of_a_parameter_is_severed_only_where_it_is_used_at_once():
    q = weight('q')
    f = lambda use: ms.grad(lambda x: (lambda v: (ops.assign(q, x * x), use(v, x))[1])(q[0:3]).sum())(X)
    said(lambda: f(lambda v, x: v * x), 'Mul uses', 'No gradient passes')
    quiet(lambda: f(lambda v, x: (v * 2) * x), [2, 8, 18])


class Masked(ops.Primitive):
    def kernel(self, x):
        self.mask = x > 1.5
        return x * self.mask

    def rule(self, g, out, x):
        return (g * self.mask,)


def test_what_others_than_bprop_read_and_nobody_notices():
    mask, p = Masked(), weight('p', 2.0)
    quiet(lambda: ms.grad(lambda x: (mask(x) + mask(x * 0.5)).sum())(X), [0, 0, 0])
    hooked = lambda t: (lambda y: (y.register_hook(lambda g: g * p), y.sum())[1])(t * 1)
    net = cell(lambda self, x: ms.grad(hooked)(x), lambda self, x, out, dout: (dout * 0,))
    quiet(lambda: ms.grad(lambda x: (net(x) + p * 0).sum(), None, p)(X), [0, 0, 0])
    backs = []
    keeps = lambda self, x: (lambda out, back: (backs.append(back), out)[1])(*ms.vjp(lambda t: t * t * x, x))
    net = cell(keeps, lambda self, x, out, dout: (backs[-1](dout)[0] * 1.5,))
    assert right(ms.grad(lambda x: ms.grad(lambda y: net(y).sum())(x).sum())(X), [3, 6, 9])  # due 6, 12, 18
