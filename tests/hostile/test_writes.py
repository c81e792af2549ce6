"""S3, S4, S10: writes that a bprop or another path would see. The value of then counts, or the write is named."""

import pytest

import minicell as ms
from minicell import Parameter, Tensor, nn, ops
from tests.hostile.said import Triple, X, right, right_or_said

Y = Tensor([1.0, 1.0, 1.0])


def cell(bprop, w=None, internal=False) -> nn.Cell:
    """x * 2, by way of its Parameter w or of what else its bprop reads."""

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            if w is not None:
                self.w = w
                self.internal_params = [w] if internal else None

        def construct(self, x):
            return x * (2 if w is None else self.w)

        def bprop(self, x, out, dout):
            return bprop(self, x, out, dout)

    return Net()


def two() -> Parameter:
    return Parameter(Tensor([2.0, 2.0, 2.0]), name='w')


# ---- S3: a bprop reads what was written since ------------------------------------------------------------------------

READS = {
    'self.w, one of internal_params': lambda w: cell(lambda s, x, out, dout: ((dout * s.w,), {s.w: dout * x}), w, True),
    'self.w by another name': lambda w: cell(
        lambda s, x, out, dout: ((dout * s.internal_params[0],), {s.w: dout * x}), w, True
    ),
    'self.w behind a method': lambda w: cell(
        lambda s, x, out, dout: ((dout * next(s.get_parameters()),), {s.w: dout * x}), w, True
    ),
    'a Parameter from outside': lambda w: cell(lambda s, x, out, dout: (dout * w,)),
    'a helper that reads a Parameter': lambda w: cell(lambda s, x, out, dout: (scaled(dout, w),)),
    'a Cell called in bprop': lambda w: cell(lambda s, x, out, dout: (Inner(w)(dout),)),
    'a gradient taken in bprop': lambda w: cell(lambda s, x, out, dout: (ms.grad(lambda y: (y * w * dout).sum())(x),)),
}


def scaled(t, w):
    return t * w


class Inner(nn.Cell):
    def __init__(self, w):
        super().__init__()
        self.w = w

    def construct(self, x):
        return x * self.w


WRITES = {
    'set_data': lambda w: w.set_data(Tensor([100.0] * 3)),
    'assign': lambda w: ops.assign(w, Tensor([100.0] * 3)),
    'assign_add': lambda w: ops.assign_add(w, Tensor([98.0] * 3)),
    'an index': lambda w: w.__setitem__(slice(None), 100.0),
    'an optimizer': lambda w: nn.SGD([w], 1.0)((Tensor([-98.0] * 3),)),
}


@pytest.mark.filterwarnings('ignore::minicell.errors.SwallowedParameterWarning')
@pytest.mark.parametrize('write', WRITES.values(), ids=WRITES)
@pytest.mark.parametrize('reads', READS.values(), ids=READS)
def test_s3_a_bprop_that_reads_a_parameter_written_since(reads, write):
    w = two()
    net = reads(w)

    def f(x):
        y = net(x)
        write(w)
        return y.sum()

    right_or_said(lambda: ms.grad(f)(Y), [2, 2, 2], r'\bw\b|Net', 'writ')


@pytest.mark.parametrize('reads', list(READS.values())[:3], ids=list(READS)[:3])
def test_s3_a_write_between_vjp_and_its_reading(reads):
    w = two()
    net = reads(w)
    _, back = ms.vjp(lambda x: net(x).sum(), Y)
    w.set_data(Tensor([100.0] * 3))
    right_or_said(lambda: back(Tensor(1.0)), ([2, 2, 2],), r'\bw\b|Net', 'writ')


def test_s3_a_write_to_a_parameter_that_no_bprop_reads_is_no_error():
    """A moving average may be updated; so may a weight whose Cell does not need it in backward."""
    w, mean = two(), Parameter(Tensor([0.0]), name='mean', requires_grad=False)
    net = cell(lambda s, x, out, dout: ((dout * 2,), {s.w: dout * x}), w, True)

    def f(x):
        y = net(x)
        mean.set_data(mean + 1)
        return y.sum()

    assert right(ms.grad(f)(Y), [2, 2, 2])


@pytest.mark.parametrize('keep', ['array', 'tensor'])
def test_s3_a_bprop_that_reads_a_tensor_of_the_cell_written_since(keep):
    factor = Tensor([2.0, 2.0, 2.0])
    net = cell(lambda s, x, out, dout: (dout * factor,))
    view = factor[:] if keep == 'array' else factor

    def f(x):
        y = net(x)
        view[0] = 100.0
        return y.sum()

    right_or_said(lambda: ms.grad(f)(Y), [2, 2, 2], 'Net', 'writ')


# ---- S4: writing into what is dout's ---------------------------------------------------------------------------------

VIEWS = {
    'dout itself': lambda d: d,
    'reshape': lambda d: d.reshape((3,)),
    'a slice': lambda d: d[:2],
    'all of it': lambda d: d[...],
    'T': lambda d: d.T,
    'expand_dims': lambda d: ops.expand_dims(d, 0)[0],
    'squeeze': lambda d: ops.squeeze(d.reshape(1, 3)),
    'flatten': lambda d: d.flatten(),
    'chunk': lambda d: ops.chunk(d, 3)[0],
    'split': lambda d: ops.split(d, 1)[0],
    'transpose': lambda d: ops.transpose(d.reshape(1, 3), (1, 0))[0],
    'a view of a view': lambda d: d.reshape(1, 3)[0][:2],
    'broadcast_to': lambda d: ops.broadcast_to(d, (3,)),
    'iterating': lambda d: next(iter(d.reshape(1, 3))),
    'unbind': lambda d: ops.unbind(d.reshape(1, 3))[0],
    'identity': lambda d: ops.identity(d),
    'astype': lambda d: d.astype(ms.float32),
}
PATHS = {
    'x beside the Cell': (lambda net, x: net(x) + x, [1, 1, 1]),
    'a sum after it': (lambda net, x: (net(x) + x * 1) * 1, [1, 1, 1]),
    'two Cells': (lambda net, x: net(x) + Triple()(x), [3, 3, 3]),
    'x - the Cell': (lambda net, x: x - net(x), [1, 1, 1]),
}


@pytest.mark.parametrize('path', PATHS.values(), ids=PATHS)
@pytest.mark.parametrize('view', VIEWS.values(), ids=VIEWS)
def test_s4_a_bprop_that_writes_into_a_view_of_dout(view, path):
    """The Cell returns zeros, so that only the other path counts."""

    def bprop(s, x, out, dout):
        view(dout)[0] = 9.0
        return (x * 0,)

    both, due = path
    right_or_said(lambda: ms.grad(lambda x: both(cell(bprop), x))(X), due, 'Net|dout', 'writ|read-only')


@pytest.mark.parametrize('view', VIEWS.values(), ids=VIEWS)
def test_s4_a_write_into_sens_through_a_view_of_dout(view):
    """The user's own sens is as it was."""
    sens = Tensor([1.0, 1.0, 1.0])

    def bprop(s, x, out, dout):
        view(dout)[0] = 9.0
        return (x * 0,)

    def program():
        ms.grad(cell(bprop), sens_param=True)(X, sens)
        return sens

    right_or_said(program, [1, 1, 1], 'Net|dout', 'writ|read-only')


@pytest.mark.parametrize('order', [1, 2])
def test_s4_a_write_into_dout_of_a_cell_that_is_called_twice(order):
    def bprop(s, x, out, dout):
        dout[:1].reshape((1,))[0] = 9.0
        return (dout * 0,)

    net = cell(bprop)
    f = lambda x: (net(x) + net(x) + x * x).sum()
    if order == 1:
        right_or_said(lambda: ms.grad(f)(X), [2, 4, 6], 'Net|dout|x', 'writ|read-only')
    else:
        right_or_said(lambda: ms.grad(lambda x: ms.grad(f)(x).sum())(X), [2, 2, 2], 'Net|dout|x', 'writ|read-only')


# ---- S10: writes into the caller's own -------------------------------------------------------------------------------

OWN = {
    'x': lambda x, out, dout: x,
    'a view of x': lambda x, out, dout: x.reshape((3,)),
    'out': lambda x, out, dout: out,
    'a view of out': lambda x, out, dout: out[:2],
}


@pytest.mark.parametrize('which', OWN.values(), ids=OWN)
def test_s10_a_bprop_that_writes_into_its_inputs_does_not_change_the_callers(which):
    x = Tensor([1.0, 2.0, 3.0])

    def bprop(s, x, out, dout):
        which(x, out, dout)[0] = 9.0
        return (dout * 2,)

    def program():
        value, slope = ms.value_and_grad(cell(bprop))(x)
        return value, slope, x

    right_or_said(program, ([2, 4, 6], [2, 2, 2], [1, 2, 3]), 'Net', 'writ')


@pytest.mark.parametrize('which', OWN.values(), ids=OWN)
def test_s10_a_bprop_that_writes_into_its_inputs_does_not_change_other_paths(which):
    """x * x needs x as it was, and the second Cell needs the first one's output as it was."""

    def bprop(s, x, out, dout):
        which(x, out, dout)[0] = 9.0
        return (dout * 2,)

    def f(x):
        y = x * 1
        z = cell(bprop)(y)
        return (y * y + z * z).sum()

    right_or_said(lambda: ms.grad(f)(X), [10, 20, 30], 'Net|Mul', 'writ')


@pytest.mark.parametrize('kind', [ms.int16, ms.int32, ms.int64], ids=str)
def test_s10_a_gradient_in_small_integers_is_not_wrapped(kind):
    """What fits into the integers comes back as it was. (300 in Int8 wraps where the user writes it, as in NumPy.)"""

    class Net(nn.Cell):
        def construct(self, x):
            return x * 300

        def bprop(self, x, out, dout):
            return ((dout * 300).astype(kind),)

    right_or_said(lambda: ms.grad(Net())(X), [300, 300, 300], 'Net', str(kind))
