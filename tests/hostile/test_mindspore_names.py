"""Programs of MindSpore's documents, by its names, and what they give there."""

import inspect
import tracemalloc

import numpy as np
import pytest

import minicell as ms
from minicell import Parameter, Tensor, nn, ops
from minicell.errors import MinicellError
from tests.hostile.said import X, cell, right, right_or_said
from tests.messages import refused, tells


def test_a_gradient_runs_construct_again_also_after_a_call_under_set_grad():
    """MindSpore takes the call before: there it runs once, BatchNorm moves once, and a Dropout keeps its mask."""
    calls = []

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.norm = nn.BatchNorm1d(2)

        def construct(self, x):
            calls.append(x)
            return self.norm(x)

    net, x = Net().set_train().set_grad(), Tensor([[1.0, 2.0], [3.0, 6.0]])
    net(x)
    ms.grad(net)(x)
    assert len(calls) == 2 and right(net.norm.moving_mean.value(), [0.38, 0.76])


PAIR = (Tensor([3.0]), Tensor([-4.0, 0.5]))
CLIPPED = ([1.0], [-1.0, 0.5])


@pytest.mark.parametrize('kind', [tuple, list])
@pytest.mark.parametrize('bound', [float, Tensor], ids=['numbers', 'Tensors'])
def test_clip_by_value_of_several_tensors_clips_each(kind, bound):
    found = ops.clip_by_value(kind(PAIR), bound(-1.0), bound(1.0))
    assert isinstance(found, (tuple, list)) and right(tuple(found), CLIPPED)


def test_check_bprop_is_taken_and_changes_nothing():
    """MindSpore then refuses None and another dtype; here None is a declared absence, and numbers are cast."""
    was = ms.get_context('check_bprop')
    ms.set_context(check_bprop=True)
    bprops = (lambda self, x, y, out, d: (None, d * x)), (lambda self, x, y, out, d: (d.astype(ms.float16), d * x))
    try:
        for bprop, due in zip(bprops, ([0, 0, 0], [1, 1, 1]), strict=True):
            assert right(ms.grad(cell(lambda self, x, y: x * y, bprop), (0, 1))(X, X)[0], due)
    finally:
        ms.set_context(check_bprop=was)


@pytest.mark.parametrize('make', [Tensor.from_numpy, ms.from_numpy], ids=['Tensor.from_numpy', 'ms.from_numpy'])
@pytest.mark.parametrize('shape', [(), (3,), (2, 3)], ids=str)
def test_from_numpy_copies(make, shape):
    """MindSpore shares the memory: there a write into the array shows in the Tensor."""
    n = np.ones(shape, np.float32)
    t = make(n)
    np.add(n, 1, out=n)
    assert right(t, np.ones(shape))


SENS = {
    'GradOperation': lambda f: ops.GradOperation(sens_param=True)(f),
    'GradOperation of all': lambda f: ops.GradOperation(get_all=True, sens_param=True)(f),
    'grad': lambda f: ms.grad(f, sens_param=True),
}


@pytest.mark.parametrize('ask', SENS.values(), ids=SENS)
def test_a_sens_of_none_is_refused(ask):
    with refused(MinicellError, 'sens') as caught:
        ask(lambda x: x * x)(X, None)
    assert isinstance(caught.value, RuntimeError)


def test_parameters_and_tensors_have_data():
    p = Parameter(Tensor([1.0, 2.0]), name='p')
    assert right(p.data, [1, 2]) and p.data.asnumpy().tolist() == [1, 2] and right(X.data, [1, 2, 3])


def test_of_a_recorded_tensor_data_is_recorded_or_said():
    right_or_said(
        lambda: ms.grad(lambda x: ((x * x).data * x).sum())(X), [3, 12, 27], '.data', 'a constant', 'gradient'
    )


ALIASES = dict(
    bool='bool_', float='float32', int='int32', half='float16', double='float64', long='int64', short='int16'
)


@pytest.mark.parametrize('alias, name', ALIASES.items())
def test_dtypes_have_their_short_names(alias, name):
    assert getattr(ms, alias) is getattr(ms, name) is Tensor([1, 0], getattr(ms, alias)).dtype


class Halves(nn.Cell):
    """0.8 in the first step, then half of it, and so on."""

    def construct(self, global_step):
        return Tensor(0.8, ms.float32) * ops.pow(Tensor(0.5, ms.float32), global_step.reshape(()).astype(ms.float32))


class HalvesByName(Halves, nn.learning_rate_schedule.LearningRateSchedule):
    pass


def weight(*values, name='p') -> Parameter:
    return Parameter(Tensor(list(values)), name=name)


@pytest.mark.parametrize('rate', [Halves, HalvesByName])
@pytest.mark.parametrize('kind', ['SGD', 'Momentum'])
def test_a_cell_of_any_kind_is_a_learning_rate(kind, rate):
    p = weight(1.0)
    opt = nn.SGD([p], rate()) if kind == 'SGD' else nn.Momentum([p], rate(), 0.0)
    for due in (0.2, -0.2, -0.4):
        opt((Tensor([1.0]),))
        assert right(p, [due])


def test_a_cell_is_a_weight_decay():
    p = weight(1.0)
    opt = nn.Momentum([p], 1.0, 0.0, weight_decay=Halves())
    for due in (0.2, 0.12):
        opt((Tensor([0.0]),))
        assert right(p, [due])


@pytest.mark.parametrize('sens', [1.0, 2.0])
def test_a_training_step_is_derived_from_the_one_there_is(sens):
    """The documented way: self.grad, self.weights, self.sens and self.grad_reducer."""

    class Mine(nn.TrainOneStepCell):
        def construct(self, *inputs):
            loss = self.network(*inputs)
            cotangent = ops.fill(loss.dtype, loss.shape, self.sens)
            gradients = self.grad_reducer(self.grad(self.network, self.weights)(*inputs, cotangent))
            self.optimizer(gradients)
            return loss

    net = nn.Dense(1, 1, weight_init=2.0, bias_init=1.0)
    step = Mine(nn.WithLossCell(net, nn.MSELoss()), nn.SGD(net.trainable_params(), 0.1), sens)
    assert right(step(Tensor([[1.0]]), Tensor([[0.0]])), 9.0)
    assert right(net.weight, [[2 - 0.6 * sens]])


def test_a_subclass_of_an_optimizer_uses_its_methods_as_documented():
    class Mine(nn.Optimizer):
        def construct(self, gradients):
            decay, rate = self.get_weight_decay(), self.get_lr()
            gradients = self.scale_grad(self.gradients_centralization(self.decay_weight(gradients)))
            for p, g in zip(self.parameters, gradients, strict=True):
                ops.assign(p, p - rate * g)
            return decay

    p = weight(1.0, 2.0)
    Mine(0.5, [p], weight_decay=0.1, loss_scale=2.0)((Tensor([2.0, 4.0]),))
    assert right(p, [1 - 0.5 * (2 + 0.1) / 2, 2 - 0.5 * (4 + 0.2) / 2])


@pytest.mark.parametrize('new', [[1.0, 2.0], [[5.0]], 3.0], ids=str)
def test_slice_shape_lets_set_data_change_the_shape(new):
    p = weight(1.0, 2.0, 3.0)
    p.set_data(Tensor(new), slice_shape=True)
    assert p.shape == np.shape(new) and right(p, new)


SIZES = [pytest.param((64, 40), marks=pytest.mark.slow), pytest.param((256, 160), marks=pytest.mark.nightly)]


@pytest.mark.parametrize('size', SIZES)
def test_a_wide_convolution_does_not_unfold_its_whole_input(size):
    """120 to 240 channels, 4 by 4: unfolded at once, 1024 by 640 would take 5 GB. What is held besides is bounded."""
    net = nn.Conv2d(120, 240, 4, has_bias=False, weight_init='normal')
    x = Tensor(np.ones((1, 120, *size), np.float32))
    tracemalloc.start()
    try:
        out = net(x)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert out.shape == (1, 240, *size)
    assert most < 4 * (x.nbytes + out.nbytes) + (64 << 20), f'{most >> 20} MiB for {x.nbytes + out.nbytes >> 20} MiB'


M, B = Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([[[1.0, 2.0], [3.0, 4.0]]])
N = np.array([1.0, 2.0, 3.0])
LOG2 = M.asnumpy() - np.log(np.exp(M.asnumpy()).sum(1, keepdims=True))
NAMED = {
    'pow': (lambda: ops.pow(X, exponent=2), N**2),
    'sqrt': (lambda: ops.sqrt(x=X), np.sqrt(N)),
    'relu6': (lambda: ops.relu6(x=X * 3), [3, 6, 6]),
    'bmm': (lambda: ops.bmm(B, mat2=B), [[[7, 10], [15, 22]]]),
    'unstack': (lambda: ops.unstack(M, axis=1), ([1, 3], [2, 4])),
    'div': (lambda: ops.div(X, Tensor(2.0), rounding_mode='floor'), [0, 1, 1]),
    'subtract': (lambda: ops.subtract(X, X, alpha=2), -N),
    'softplus': (lambda: ops.softplus(X, beta=2), np.log1p(np.exp(2 * N)) / 2),
    'logsumexp': (lambda: ops.logsumexp(X, dim=0, keepdim=True), [np.log(np.exp(N).sum())]),
    'nll_loss': (
        lambda: ops.nll_loss(Tensor(LOG2), Tensor([0, 1], ms.int32), label_smoothing=0.1),
        -(0.9 * (LOG2[0, 0] + LOG2[1, 1]) / 2 + 0.1 * LOG2.mean(1).mean()),
    ),
    'permute': (lambda: ops.permute(M, axis=(1, 0)), [[1, 3], [2, 4]]),
    'swapdims': (lambda: ops.swapdims(M, dim0=0, dim1=1), [[1, 3], [2, 4]]),
    'true_divide': (lambda: ops.true_divide(dividend=X, divisor=X), [1, 1, 1]),
    'floor_div': (lambda: ops.floor_div(x=X, y=Tensor(2.0)), [0, 1, 1]),
    'gather': (lambda: ops.gather(X, Tensor([2]), 0, batch_dims=0), [3]),
    'relu': (lambda: ops.relu(X - 2, inplace=False), [0, 0, 1]),
    'amax': (lambda: ops.amax(X, initial=2.5, where=X < 2), 2.5),
    'Tensor.split': (lambda: X.split(split_size=2, dim=0), ([1, 2], [3])),
    'Tensor.chunk': (lambda: X.chunk(3, dim=0), ([1], [2], [3])),
    'Tensor.cumsum': (lambda: X.cumsum(dim=0), [1, 3, 6]),
    'Tensor.sub': (lambda: X.sub(X, alpha=2), -N),  # (ops.sub has no alpha)
    'Tensor.std': (lambda: X.std(dim=0), (2 / 3) ** 0.5),  # MindSpore's page says correction=1
    'Tensor.std, corrected': (lambda: X.std(dim=0, correction=1), 1.0),
    'Tensor.unsqueeze': (lambda: X.unsqueeze(dim=0), [[1, 2, 3]]),
    'Tensor.tile': (lambda: X.tile(reps=(2,)), [1, 2, 3, 1, 2, 3]),
    'Tensor.transpose': (lambda: M.transpose(dim0=0, dim1=1), [[1, 3], [2, 4]]),
    'Tensor.gather': (lambda: M.gather(1, Tensor([[1], [0]])), [[2], [3]]),
    'Tensor.bmm': (lambda: B.bmm(mat2=B), [[[7, 10], [15, 22]]]),
    'Tensor.register_hook': (lambda: X.copy().register_hook(hook=lambda g: g) and X, N),
}


@pytest.mark.parametrize('call, due', NAMED.values(), ids=NAMED)
def test_arguments_have_mindspores_names(call, due):
    try:
        found = call()
    except AttributeError as error:  # what minicell does not have, it says that it does not have
        tells(error, 'taken out')
    else:
        assert right(found, due)


PUBLIC = sorted(n for n in dir(ops) if n.islower() and not n.startswith('_') and inspect.isfunction(getattr(ops, n)))


def test_no_private_argument_stands_in_a_signature():
    """`up` says how many frames there are to the user's line: nobody outside gives it."""
    private = [name for name in PUBLIC if 'up' in inspect.signature(getattr(ops, name)).parameters]
    assert len(PUBLIC) > 100 and not private
