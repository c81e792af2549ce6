"""The losses: against their definitions, against torch, and what they say about labels that do not fit."""

import warnings

import numpy as np
import pytest

import minicell as ms
from minicell import Tensor, nn, ops
from minicell.core.errors import DTypeError, ShapeError
from minicell.errors import LabelError, LeavesTapeError, SettingError
from tests.messages import refused

Z = np.array([[1.0, 2.0, 3.0], [0.5, -1.0, 0.0]])
LABELS = Tensor([2, 0], ms.int32)


def test_cross_entropy_is_minus_the_log_of_the_softmax():
    p = np.exp(Z) / np.exp(Z).sum(1, keepdims=True)
    np.testing.assert_allclose(nn.CrossEntropyLoss()(Tensor(Z), LABELS).asnumpy(), -np.log(p[[0, 1], [2, 0]]).mean())
    g = ms.grad(nn.CrossEntropyLoss())(Tensor(Z), LABELS).asnumpy()
    np.testing.assert_allclose(g, (p - np.eye(3)[[2, 0]]) / 2)


def test_large_logits_overflow_nowhere():
    z = Tensor([[1000.0, 0.0], [-1000.0, 0.0]])
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        value, g = ms.value_and_grad(nn.CrossEntropyLoss())(z, Tensor([0, 1], ms.int32))
    assert float(value) == 0 and not g.asnumpy().any()


@pytest.mark.parametrize('reduction', ['mean', 'sum', 'none'])
def test_a_class_that_is_impossible_and_not_due(reduction):
    """A logit of -inf, as masks make them: 0 * inf must not spoil the loss."""
    z = Tensor([[0.0, -np.inf, 0.0]])
    loss = nn.CrossEntropyLoss(reduction=reduction)
    with np.errstate(invalid='ignore'):
        value, g = ms.value_and_grad(loss)(z, Tensor([0], ms.int32))
    np.testing.assert_allclose(value.asnumpy().reshape(()), np.log(2), rtol=1e-6)
    np.testing.assert_allclose(g.asnumpy(), [[-0.5, 0, 0.5]])


def test_where_every_label_is_ignored_the_mean_is_of_nothing():
    assert np.isnan(float(nn.CrossEntropyLoss(ignore_index=2)(Tensor([[1.0, 2.0, 3.0]]), Tensor([2], ms.int32))))


def test_a_negative_ignore_index():
    loss = nn.CrossEntropyLoss()
    got = loss(Tensor(Z), Tensor([2, -100], ms.int32))
    np.testing.assert_allclose(got.asnumpy(), loss(Tensor(Z[:1]), Tensor([2], ms.int32)).asnumpy())


@pytest.mark.parametrize('dtype', [ms.int64, ms.int8, ms.bool_])
def test_labels_are_int32(dtype):
    with refused(DTypeError, 'be Int32', f'got {dtype}', '.astype(ms.int32)', line='nn.CrossEntropyLoss()('):
        nn.CrossEntropyLoss()(Tensor(Z), Tensor([1, 0], dtype))
    assert issubclass(DTypeError, TypeError)


def test_the_functions_take_int64_labels():
    for loss in (ops.cross_entropy, ops.nll_loss):
        assert float(loss(Tensor(Z), Tensor([1, 0]))) == float(loss(Tensor(Z), Tensor([1, 0], ms.int32)))
    with refused(TypeError, 'Int32 or Int64', 'got Int8'):
        ops.cross_entropy(Tensor(Z), Tensor([1, 0], ms.int8))


@pytest.mark.parametrize('label', [3, -1])
def test_a_label_counts_from_0(label):
    with refused(LabelError, f'class {label}', '0 to 2', line='nn.CrossEntropyLoss()('):
        nn.CrossEntropyLoss()(Tensor(Z), Tensor([0, label], ms.int32))


@pytest.mark.parametrize(
    'target',
    [Tensor([1.0, 0.0]), Tensor([[1], [0]], ms.int32), Tensor([1, 0, 2], ms.int32), Tensor(1, ms.int32)],
    ids=['floats', 'a column', 'too many', 'one'],
)
def test_targets_of_another_shape(target):
    with refused(ShapeError, 'cross_entropy', 'logits', (2, 3)):
        ops.cross_entropy(Tensor(Z), target)


def test_a_weight_of_another_shape():
    with refused(ShapeError, (3,), 'got shape (2,)'):
        ops.cross_entropy(Tensor(Z), LABELS, Tensor([1.0, 2.0]))


def test_class_weights_are_constants():
    w = Tensor([1.0, 2.0, 3.0])
    with refused(LeavesTapeError, 'weight', 'constant', 'ops.stop_gradient'):
        ms.grad(lambda w: ops.cross_entropy(Tensor(Z), LABELS, w))(w)
    assert ms.grad(lambda w: ops.cross_entropy(Tensor(Z), LABELS, ops.stop_gradient(w)) + w.sum())(w).asnumpy().all()


@pytest.mark.parametrize('kind', [nn.CrossEntropyLoss, nn.MSELoss, nn.L1Loss, nn.BCELoss, nn.NLLLoss])
def test_another_reduction(kind):
    with refused(SettingError, kind, 'reduction', "'mean'", "'sum'", "'none'", "'avg'"):
        kind(reduction='avg')


def test_a_loss_of_ones_own():
    class Cubed(nn.LossBase):
        def construct(self, x, y):
            return self.get_loss((x - y) ** 3)

    assert float(Cubed()(Tensor([1.0, 2.0]), Tensor([0.0, 0.0]))) == 4.5
    assert float(Cubed('sum')(Tensor([1.0, 2.0]), Tensor([0.0, 0.0]))) == 9


def test_bce_at_its_ends_is_finite():
    p, t = Tensor([0.0, 1.0, 0.0, 1.0]), Tensor([0.0, 1.0, 1.0, 0.0])
    value, g = ms.value_and_grad(nn.BCELoss(reduction='sum'))(p, t)
    assert float(value) == 200 and np.isfinite(g.asnumpy()).all()


def test_against_torch():
    torch = pytest.importorskip('torch', reason='torch is a second opinion, where it is installed')
    rng = np.random.default_rng(0)
    z, t = rng.standard_normal((4, 5, 2, 3)), rng.integers(0, 5, (4, 2, 3)).astype(np.int32)
    t[0, 0, 0] = 3
    w = rng.uniform(0.5, 2, 5)
    probabilities = rng.dirichlet(np.ones(5), (4, 2, 3)).transpose(0, 3, 1, 2)
    x, y = rng.uniform(0.1, 0.9, (2, 3)), rng.uniform(0.1, 0.9, (2, 3))
    weight, theirs = Tensor(w), torch.tensor(w)
    for ours, other, inputs in [
        (
            nn.CrossEntropyLoss(weight, 3, 'mean', 0.1),
            torch.nn.CrossEntropyLoss(theirs, ignore_index=3, label_smoothing=0.1),
            (z, t),
        ),
        (nn.CrossEntropyLoss(reduction='none'), torch.nn.CrossEntropyLoss(reduction='none'), (z, t)),
        (
            nn.CrossEntropyLoss(weight, label_smoothing=0.2),
            torch.nn.CrossEntropyLoss(theirs, label_smoothing=0.2),
            (z, probabilities),
        ),
        (nn.NLLLoss(weight), torch.nn.NLLLoss(theirs), (z[..., 0, 0], t[..., 0, 0])),
        (nn.BCELoss(), torch.nn.BCELoss(), (x, y)),
        (
            nn.BCEWithLogitsLoss(pos_weight=Tensor(2.0, ms.float64)),
            torch.nn.BCEWithLogitsLoss(pos_weight=torch.tensor(2.0)),
            (x, y),
        ),
        (nn.SmoothL1Loss(0.5, 'mean'), torch.nn.SmoothL1Loss(beta=0.5), (3 * x, y)),
    ]:
        leaf = torch.tensor(inputs[0], requires_grad=True)
        target = torch.tensor(inputs[1], dtype=torch.int64 if inputs[1].dtype == np.int32 else torch.float64)
        due = other(leaf, target)
        due.sum().backward()
        value, g = ms.value_and_grad(ours)(Tensor(inputs[0]), Tensor(inputs[1]))
        np.testing.assert_allclose(value.asnumpy(), due.detach().numpy(), rtol=1e-9, err_msg=repr(ours))
        np.testing.assert_allclose(g.asnumpy(), leaf.grad.numpy(), rtol=1e-9, atol=1e-12, err_msg=repr(ours))


ROW, DUE = Tensor([[0.5, 1.0]]), Tensor([[1.0, 0.0]])


@pytest.mark.parametrize(
    ('call', 'kind', 'facts'),
    [
        (lambda: nn.MSELoss()(ROW, 0.5), TypeError, ('mse_loss', 'two Tensors', 'a float')),
        (lambda: nn.L1Loss()(ROW, [0.5]), TypeError, ('l1_loss', 'two Tensors', 'a list')),
        (lambda: nn.CrossEntropyLoss()(ROW, 1), TypeError, ('CrossEntropyLoss', 'two Tensors', 'an int')),
        (lambda: nn.CrossEntropyLoss()(ROW, Tensor([1.0])), TypeError, ('classes', 'be Int32', 'got Float32')),
        (lambda: nn.SmoothL1Loss()(ROW, DUE[0]), ValueError, ('one shape', '(1, 2) and (2,)')),
        (lambda: nn.SmoothL1Loss()(Tensor([1]), Tensor([2])), TypeError, ('one dtype', 'Int64 and Int64')),
        (lambda: nn.BCELoss()(ROW, DUE.half()), TypeError, ('one dtype', 'Float32 and Float16')),
        (lambda: nn.BCEWithLogitsLoss()(ROW, DUE[0]), ValueError, ('one shape', '(1, 2) and (2,)')),
        (lambda: nn.BCEWithLogitsLoss()(ROW, Tensor([[1, 0]])), TypeError, ('one dtype', 'Float32 and Int64')),
        (
            lambda: nn.SoftmaxCrossEntropyWithLogits()(ROW, Tensor([1])),
            TypeError,
            ('Float32 probabilities', 'got Int64'),
        ),
        (lambda: nn.SoftmaxCrossEntropyWithLogits(True)(ROW, DUE), TypeError, ('Int32 classes', 'got Float32')),
        (lambda: ops.smooth_l1_loss(ROW, DUE, 0.0), ValueError, ('beta', 'above 0')),
        (lambda: ops.cross_entropy(ROW, DUE, label_smoothing=2.0), ValueError, ('label_smoothing', 'between')),
    ],
)
def test_what_a_loss_cannot_take(call, kind, facts):
    with refused(kind, *facts, line='lambda: '):
        call()
