"""The layers: shapes, names, reprs, modes; dropout and normalization in training and out of it."""

import numpy as np
import pytest

import minicell as ms
from minicell import Parameter, Tensor, nn, ops
from minicell.core.errors import DTypeError, ShapeError
from minicell.errors import ParameterError, SettingError, UnknownNameError
from minicell.nn.layer.activation import KINDS, activation
from tests.messages import refused, tells


def ones(*shape):
    return Tensor(np.ones(shape, np.float32))


@pytest.mark.parametrize('kind', [nn.CellList, nn.SequentialCell])
def test_rows_hold_cells_only(kind):
    with refused(ParameterError, kind, 'Cells', 'a function'):
        kind([nn.ReLU(), ops.relu])
    with refused(TypeError, 'an int'):
        kind(nn.ReLU()).append(3)


def test_dense_settings():
    layer = nn.Dense(3, 2, 'ones', 'zeros', activation='relu')
    assert layer(-ones(4, 3)).asnumpy().tolist() == [[0, 0]] * 4
    assert nn.Dense(3, 2, has_bias=False).bias is None
    assert nn.Dense(3, 2)(ones(5, 4, 3)).shape == (5, 4, 2) and nn.Dense(3, 2)(ones(3)).shape == (2,)
    bare, x = nn.Dense(3, 2, has_bias=False), np.random.default_rng(0).standard_normal((4, 3)).astype(np.float32)
    np.testing.assert_allclose(bare(Tensor(x)).asnumpy(), x @ bare.weight.asnumpy().T, rtol=1e-5)
    assert [p.name for p in bare.get_parameters()] == ['weight'] and 'has_bias' not in repr(bare)
    given = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))
    np.testing.assert_array_equal(nn.Dense(3, 2, given, 0).weight.asnumpy(), given.asnumpy())
    bound = 1 / np.sqrt(400)
    for p in nn.Dense(400, 300).get_parameters():
        assert 0.9 * bound < np.abs(p.asnumpy()).max() <= bound
    with refused(ShapeError, (1, 3), (2, 3), line='nn.Dense(3, 2, Tensor('):
        nn.Dense(3, 2, Tensor([[1.0, 1.0, 1.0]]))
    with refused(SettingError, "'out_channels'", 'at least 1'):
        nn.Dense(3, 0)
    with refused(DTypeError, "'in_channels'", 'an int', 'a float'):
        nn.Dense(3.0, 1)
    with refused(UnknownNameError, "no activation 'rely'") as caught:
        nn.Dense(3, 1, activation='rely')
    assert isinstance(caught.value, KeyError) and str(caught.value)[0] != '"', 'a KeyError puts quotes around it'
    with refused(DTypeError, "'activation'", 'a name', 'an int'):
        nn.Dense(3, 1, activation=3)
    with refused(DTypeError, "'has_bias'", 'a bool', 'an int'):
        nn.Dense(3, 1, has_bias=1)
    with refused(ShapeError, 'Dense', '(out, in)', (2, 3), (4, 2)):
        nn.Dense(3, 2)(ones(4, 2))


@pytest.mark.parametrize('dtype', ['float64', 'int32', 'float16'])
def test_dense_takes_the_dtype_of_its_weight_alone(dtype):
    with refused(DTypeError, 'Dense', 'one dtype', line='nn.Dense(3, 2)(Tensor'):
        nn.Dense(3, 2)(Tensor(np.ones((1, 3), dtype)))
    with refused(DTypeError, 'MatMul', 'one dtype'):
        ops.ones((1, 3)) @ Tensor(np.ones((3, 1), dtype))
    for call, *facts in (
        (lambda: nn.Dense(1, 1)([1.0]), 'Dense', 'a list'),
        (lambda: nn.Dense(1, 1)(1.0), 'Dense', 'a float'),
        (lambda: ops.ones((1, 1)) @ 2.0, 'MatMul', 'a float'),
    ):
        with refused(TypeError, 'a Tensor', *facts):
            call()


def test_the_repr_of_layers_for_images():
    conv = repr(nn.Conv2d(1, 2, 3, pad_mode='valid', weight_init='normal', bias_init='zeros'))
    tells(conv, 'Conv2d(', 'kernel_size=(3, 3)', 'pad_mode=valid', 'padding=0', 'bias_init=zeros', 'format=NCHW)')
    tells(repr(nn.MaxPool2d(2, 2)), 'MaxPool2d(', 'kernel_size=2', 'stride=2', 'pad_mode=VALID')
    tells(repr(nn.Dense(1, 2, activation='relu')), 'Dense(', 'activation=ReLU()', '\n  (activation): ReLU()\n')
    assert repr(nn.Dropout(p=0.2)) == 'Dropout(p=0.2)'


@pytest.mark.parametrize(
    ('settings', 'shape'),
    [
        ({}, (2, 4, 7, 5)),
        ({'stride': 2}, (2, 4, 4, 3)),
        ({'pad_mode': 'valid'}, (2, 4, 5, 3)),
        ({'pad_mode': 'pad', 'padding': 1}, (2, 4, 7, 5)),
        ({'pad_mode': 'pad', 'padding': (1, 0, 2, 0)}, (2, 4, 6, 5)),
        ({'stride': (3, 1)}, (2, 4, 3, 5)),
    ],
)
def test_shapes_of_a_convolution(settings, shape):
    layer = nn.Conv2d(2, 4, 3, has_bias=True, **settings)
    assert layer(ones(2, 2, 7, 5)).shape == shape
    assert layer.weight.shape == (4, 2, 3, 3) and layer.bias.shape == (4,)


@pytest.mark.parametrize(
    ('make', 'facts'),
    [
        (lambda: nn.Conv2d(3, 4, 3, group=2), ("'group' is 1", 'got 2', 'use MindSpore')),
        (lambda: nn.MaxPool2d(2, dilation=2), ("'dilation' is 1", 'got 2', 'use MindSpore')),
        (lambda: nn.Conv2d(1, 1, 0), ("'kernel_size'", 'an int')),
        (lambda: nn.Conv2d(1, 1, 3, stride=(1, 2, 3)), ("'stride'", 'an int')),
        (lambda: nn.Conv2d(1, 1, 3, data_format='NHWC'), ("'NCHW'",)),
        (lambda: nn.Conv2d(1, 1, 3, pad_mode='full')(ones(1, 1, 4, 4)), ("'pad_mode'", "'same'", "'valid'", "'pad'")),
        (lambda: nn.Conv2d(1, 1, 3, padding=1)(ones(1, 1, 4, 4)), ("'padding'", 'zero', "'pad_mode'", "not 'pad'")),
        (lambda: nn.Conv2d(1, 1, 5, pad_mode='valid')(ones(1, 1, 4, 4)), ('window', (5, 5), 'not fit')),
        (lambda: nn.Conv2d(1, 1, 3)(ones(1, 4, 4)), ('Conv2D takes', '(N, C,', (1, 4, 4))),
        (lambda: nn.MaxPool2d(2, pad_mode='all'), ("'pad_mode'",)),
        (lambda: nn.MaxPool2d(2)(ones(4, 4)), ('MaxPool takes', '(N, C,')),
        (lambda: nn.MaxPool2d(9)(ones(1, 1, 4, 4)), ('not fit',)),
        (lambda: nn.Dropout(p=1.0), ('[0, 1)',)),
        (lambda: nn.Dropout(p=-0.1), ('[0, 1)',)),
        (lambda: nn.Dropout2d(p=1.5), ('[0, 1]',)),
        (lambda: nn.BatchNorm1d(2, momentum=2.0), ("'momentum'", '[0, 1]')),
        (lambda: nn.Conv2d(1, 1, 2, pad_mode='sam'), ("'pad_mode'", "'same'", "'valid'", "'pad'", "'sam'")),
        (lambda: nn.BatchNorm1d(0), ("'num_features'", 'at least 1')),
        (lambda: nn.BatchNorm1d(2)(ones(2, 3)), ('BatchNorm1d', '(N, 2)', (2, 3))),
        (lambda: nn.BatchNorm2d(2)(ones(2, 2)), ('(N, 2, H, W)', (2, 2))),
        (lambda: nn.LayerNorm((3,))(ones(2, 2)), ('last axes', (3,))),
        (lambda: nn.Conv2d(1, 1, 3, pad_mode='pad', padding=-1), ("'padding'", 'at least 0')),
        (lambda: nn.MaxPool2d(2, padding=1), ("'MaxPool2d'", "'padding'", 'zero')),
        (lambda: ops.Conv2D(1, 3, pad=1), ("'Conv2D'", "'padding'", 'zero')),
        (lambda: ops.Conv2D(1, 3, pad_mode='x'), ("'pad_mode'", "'same'", "'valid'", "'pad'")),
        (lambda: ops.avg_pool2d(ones(1, 1, 4, 4), 2, 2, 0, True), ("'avg_pool2d'", "'ceil_mode' is False", 'got True')),
        (lambda: ops.max_pool2d(ones(1, 1, 4, 4), 2, ceil_mode=True), ("'max_pool2d'", "'ceil_mode' is False")),
        (lambda: nn.Flatten()(ones(3)), ('Flatten', 'no axis 1', (3,))),
        (lambda: nn.Hardtanh(2, -2), ('min_val', 'max_val')),
    ],
)
def test_settings_and_shapes_that_do_not_fit(make, facts):
    with refused(ValueError, *facts, line='(lambda: '):
        make()


def test_nothing_in_nothing_out():
    """A batch of no examples goes through every layer."""
    for layer, shape in [
        (nn.Dense(3, 2), (0, 3)),
        (nn.Conv2d(2, 4, 3), (0, 2, 5, 5)),
        (nn.MaxPool2d(2, 2), (0, 2, 4, 4)),
        (nn.AvgPool2d(2, 2), (0, 2, 4, 4)),
        (nn.BatchNorm2d(2), (0, 2, 3, 3)),
        (nn.LayerNorm((3,)), (0, 3)),
        (nn.Dropout(p=0.5).set_train(), (0, 3)),
        (nn.Softmax(), (0, 3)),
    ]:
        value, g = ms.value_and_grad(layer)(ones(*shape))
        assert value.shape[0] == 0 and g.shape == shape, layer


@pytest.mark.parametrize('dtype', [ms.float16, ms.float64])
def test_layers_keep_the_dtype(dtype):
    net = nn.SequentialCell(
        nn.Conv2d(1, 2, 3, has_bias=True), nn.BatchNorm2d(2), nn.MaxPool2d(2, 2), nn.Flatten(), nn.Dense(8, 3)
    ).set_train()
    for cell in net.cells():
        for name, p in list(cell._params.items()):
            setattr(cell, name, Parameter(p.value().astype(dtype), p.name, p.requires_grad))
    x, loss = ones(4, 1, 4, 4).astype(dtype), nn.CrossEntropyLoss()
    value, g = ms.value_and_grad(lambda x: loss(net(x), Tensor([0, 1, 2, 0], ms.int32)), 0, net.trainable_params())(x)
    assert {t.dtype for t in (value, g[0], *g[1])} == {dtype}
    nn.Adam(net.trainable_params(), eps=1e-3)(g[1])
    assert {p.dtype for p in net.get_parameters()} == {dtype}
    assert all(np.isfinite(p.asnumpy()).all() for p in net.get_parameters())


def test_many_images_a_few_at_a_time(monkeypatch):
    """Beyond a size columns are not kept; the numbers are the same."""
    from minicell.ops import conv

    rng = np.random.default_rng(0)
    x, w = Tensor(rng.standard_normal((5, 2, 6, 6))), Tensor(rng.standard_normal((3, 2, 3, 3)))
    both = ms.value_and_grad(lambda x, w: (ops.conv2d(x, w, stride=2) ** 2).sum(), (0, 1))
    due, (dx, dw) = both(x, w)
    monkeypatch.setattr(conv, 'KEPT', 0)
    monkeypatch.setattr(conv, 'BLOCK', 3000)
    got, (ex, ew) = both(x, w)
    for a, b in ((got, due), (ex, dx), (ew, dw)):
        np.testing.assert_allclose(a.asnumpy(), b.asnumpy(), rtol=1e-12)


def test_of_equal_numbers_in_a_window_the_first_gets_the_gradient():
    g = ms.grad(lambda x: ops.max_pool2d(x, 2).sum())(ones(1, 1, 2, 4)).asnumpy()
    assert g.tolist() == [[[[1, 0, 1, 0], [0, 0, 0, 0]]]]


@pytest.mark.parametrize('kind', KINDS, ids=lambda k: k.__name__)
def test_activations_are_their_ops(kind):
    x = Tensor([[-2.0, 0.5, 3.0]])
    name = {'relu6': 'relu6', 'leakyrelu': 'leaky_relu', 'logsoftmax': 'log_softmax'}.get(kind.__name__.lower())
    op = getattr(ops, name or kind.__name__.lower())
    due = op(x, 'tanh') if kind is nn.GELU else op(x)
    np.testing.assert_array_equal(kind()(x).asnumpy(), due.asnumpy())
    assert repr(kind()) == f'{kind.__name__}()' and isinstance(activation(kind.__name__.lower()), kind)


def test_dropout_drops_in_training_only():
    layer, x = nn.Dropout(p=0.25), ones(1000)
    assert layer(x) is x
    ms.set_seed(0)
    y = layer.set_train()(x).asnumpy()
    assert set(np.round(y, 4)) == {0, np.float32(1.3333)} and abs((y == 0).mean() - 0.25) < 0.05
    ms.set_seed(0)
    np.testing.assert_array_equal(layer(x).asnumpy(), y)
    assert layer.set_train(False)(x) is x
    assert nn.Dropout(p=0).set_train()(x) is x
    assert nn.Dropout(0.5).set_train()(x) is not x  # MindSpore's older keep_prob


def test_dropout_passes_the_gradient_where_it_passed_the_number():
    ms.set_seed(0)
    x = Tensor(np.arange(1, 9, dtype=np.float32))
    y, g = ms.value_and_grad(lambda x: ops.dropout(x, 0.5))(x)
    np.testing.assert_array_equal(g.asnumpy() * x.asnumpy(), y.asnumpy())
    f = lambda x: (ops.dropout(x, 0.5, seed=3) ** 3).sum()
    bend = ms.grad(lambda x: ms.grad(f)(x).sum())(x).asnumpy()
    kept = ops.dropout(x, 0.5, seed=3).asnumpy() != 0
    np.testing.assert_allclose(bend, np.where(kept, 8 * 6 * x.asnumpy(), 0))
    with refused(TypeError, 'Dropout', 'floats'):
        ops.dropout(Tensor([1, 2]))


def test_dropout2d_primitive():
    ms.set_seed(1)
    x = ones(3, 4, 2, 2)
    y, mask = ops.Dropout2D(0.5)(x)
    m = mask.asnumpy()
    assert mask.dtype == ms.bool_ and m.shape == x.shape and 0 < m.mean() < 1
    assert (m == m[:, :, :1, :1]).all()
    np.testing.assert_array_equal(y.asnumpy(), m * 2.0)
    g = ms.grad(lambda x: (ops.Dropout2D(0.5)(x)[0] * x).sum())(x).asnumpy()
    assert set(g.reshape(-1)) == {0.0, 4.0}
    y, mask = ops.Dropout2D(0.0)(x)
    assert not y.asnumpy().any() and not mask.asnumpy().any()
    for keep_prob, error in ((1, TypeError), (1.5, ValueError), (True, TypeError)):
        with pytest.raises(error, match='keep_prob'):
            ops.Dropout2D(keep_prob)
    with refused(ValueError, 'rank of input', 'equal to 4'):
        ops.Dropout2D(0.5)(ones(2, 2))
    layer = nn.Dropout2d(0.5)
    assert layer(x) is x and layer.set_train()(x).shape == x.shape


def test_batch_norm_moves_its_statistics_in_training():
    norm = nn.BatchNorm1d(2)
    x = Tensor([[1.0, 10.0], [3.0, 30.0]])
    np.testing.assert_allclose(norm(x).asnumpy(), x.asnumpy() / np.sqrt(1 + 1e-5), rtol=1e-6)
    assert norm.moving_mean.asnumpy().tolist() == [0, 0]
    y = norm.set_train()(x).asnumpy()
    np.testing.assert_allclose(y, [[-1, -1], [1, 1]], rtol=1e-4)
    np.testing.assert_allclose(norm.moving_mean.asnumpy(), [0.2, 2.0])
    np.testing.assert_allclose(norm.moving_variance.asnumpy(), [1.1, 20.9], rtol=1e-6)
    assert [p.name for p in norm.trainable_params()] == ['gamma', 'beta']
    assert [p.name for p in norm.untrainable_params()] == ['mean', 'variance']
    norm.set_train(False)
    norm(x)
    np.testing.assert_allclose(norm.moving_mean.asnumpy(), [0.2, 2.0])


@pytest.mark.parametrize('train', [True, False])
@pytest.mark.parametrize(('kind', 'shape'), [('BatchNorm1d', (4, 3)), ('BatchNorm2d', (4, 3, 2, 5))])
def test_batch_norm_as_torchs(kind, shape, train):
    torch = pytest.importorskip('torch', reason='torch is a second opinion, where it is installed')
    rng = np.random.default_rng(0)
    x, c, v = (rng.standard_normal(shape) for _ in range(3))
    gamma, mean, var = rng.standard_normal(3), rng.standard_normal(3), rng.uniform(0.5, 2, 3)
    start = dict(zip(('gamma', 'beta', 'moving_mean', 'moving_var'), (gamma, np.zeros(3), mean, var), strict=True))
    ours = getattr(nn, kind)(3, **{f'{name}_init': Tensor(a) for name, a in start.items()})
    theirs = getattr(torch.nn, kind)(3, momentum=0.1).double()
    for p, a in ((theirs.weight, gamma), (theirs.running_mean, mean), (theirs.running_var, var)):
        p.data[...] = torch.tensor(a)
    ours.set_train(train)
    theirs.train(train)
    leaf = torch.tensor(x, requires_grad=True)
    loss = (theirs(leaf) ** 3 * torch.tensor(c)).sum()
    first = torch.autograd.grad(loss, (leaf, theirs.weight, theirs.bias), create_graph=True)
    (second,) = torch.autograd.grad((first[0] * torch.tensor(v)).sum(), leaf)

    f = lambda x: (ours(x) ** 3 * Tensor(c)).sum()
    dx, (dgamma, dbeta) = ms.grad(f, 0, ours.trainable_params())(Tensor(x))
    for got, due in zip((dx, dgamma, dbeta), first, strict=True):
        np.testing.assert_allclose(got.asnumpy(), due.detach().numpy(), rtol=1e-8, atol=1e-9)
    bend = ms.grad(lambda x: (ms.grad(f)(x) * Tensor(v)).sum())(Tensor(x))
    np.testing.assert_allclose(bend.asnumpy(), second.numpy(), rtol=1e-7, atol=1e-8)


def test_layer_norm_as_torchs():
    torch = pytest.importorskip('torch', reason='torch is a second opinion, where it is installed')
    x = np.random.default_rng(0).standard_normal((2, 3, 4))
    for axes in ((4,), (3, 4)):
        layer = nn.LayerNorm(axes, -len(axes), -len(axes), epsilon=1e-5)  # MindSpore's own is 1e-7
        got, g = ms.value_and_grad(lambda x, layer=layer: (layer(x) ** 3).sum())(Tensor(x))
        leaf = torch.tensor(x, requires_grad=True)
        due = (torch.nn.functional.layer_norm(leaf, axes) ** 3).sum()
        due.backward()
        np.testing.assert_allclose(got.asnumpy(), due.detach().numpy(), rtol=1e-8)
        np.testing.assert_allclose(g.asnumpy(), leaf.grad.numpy(), rtol=1e-7, atol=1e-8)


def test_a_network_of_everything_learns():
    ms.set_seed(0)
    net = nn.SequentialCell(
        nn.Conv2d(1, 4, 3, has_bias=True),
        nn.BatchNorm2d(4),
        nn.ReLU(),
        nn.MaxPool2d(2, 2),
        nn.AvgPool2d(2, 2),
        nn.Flatten(),
        nn.Dropout(p=0.1),
        nn.Dense(4, 3),
    ).set_train()
    x = Tensor(np.random.standard_normal((12, 1, 4, 4)).astype(np.float32))
    y = Tensor(np.arange(12) % 3, ms.int32)
    loss, opt = nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), 0.02)
    step = ms.value_and_grad(lambda x, y: loss(net(x), y), None, opt.parameters)
    for _ in range(300):
        value, g = step(x, y)
        opt(g)
    net.set_train(False)
    assert float(value) < 0.5 and (net(x).asnumpy().argmax(1) == y.asnumpy()).mean() > 0.9


def test_the_same_parameter_in_two_layers():
    shared = Parameter(Tensor([[2.0]]), 'w')
    a, b = nn.Dense(1, 1, has_bias=False), nn.Dense(1, 1, has_bias=False)
    a.weight = b.weight = shared
    g = ms.grad(lambda x: b(a(x)), None, shared)(Tensor([[3.0]]))
    assert g.asnumpy().tolist() == [[12]]


def test_keep_prob_is_a_float_in_the_layer_and_a_number_in_the_op():
    with refused(TypeError, "'Dropout'", "'keep_prob'", 'a float', 'an int'):
        nn.Dropout(keep_prob=1)
    out, mask = ops.Dropout(keep_prob=1)(ops.ones(3))
    assert out.tolist() == mask.tolist() == [1, 1, 1]
    tells(repr(ops.Dropout(0.5)), 'Prim[Dropout]<keep_prob=0.5', 'Seed0=0', 'side_effect_hidden=True>')
