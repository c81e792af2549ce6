"""The optimizers: against torch and by hand, their settings, and what they say about gradients that do not fit."""

import numpy as np
import pytest

import minicell as ms
from minicell import Parameter, Tensor, nn, ops
from minicell.core.errors import ShapeError
from minicell.errors import OptimizerError, ParameterError, SettingError
from tests.messages import refused

A = np.array([[1.0, -2.0], [0.5, 3.0]])


def trained(make, steps=7, names=('w', 'b')):
    """What is left of two Parameters after some steps down a bowl."""
    params = [Parameter(Tensor(A), names[0]), Parameter(Tensor(A[0]), names[1])]
    opt = make(params)
    step = ms.grad(lambda: (params[0] * params[0] * params[0]).sum() * 0.1 + ((params[1] - 1) ** 2).sum(), None, params)
    for _ in range(steps):
        assert opt(step()) == (True, True)
    return [p.asnumpy() for p in params]


def trained_by_torch(make, steps=7):
    torch = pytest.importorskip('torch', reason='torch is a second opinion, where it is installed')
    w, b = torch.tensor(A, requires_grad=True), torch.tensor(A[0], requires_grad=True)
    opt = make(torch.optim, [w, b])
    for _ in range(steps):
        opt.zero_grad()
        ((w * w * w).sum() * 0.1 + ((b - 1) ** 2).sum()).backward()
        opt.step()
    return [w.detach().numpy(), b.detach().numpy()]


@pytest.mark.parametrize(
    ('ours', 'theirs'),
    [
        (lambda p: nn.SGD(p, 0.1), lambda o, p: o.SGD(p, 0.1)),
        (lambda p: nn.SGD(p, 0.1, 0.9), lambda o, p: o.SGD(p, 0.1, 0.9)),
        (lambda p: nn.SGD(p, 0.1, 0.9, 0.5), lambda o, p: o.SGD(p, 0.1, 0.9, 0.5)),
        (lambda p: nn.SGD(p, 0.1, 0.9, 0.0, 0.01), lambda o, p: o.SGD(p, 0.1, 0.9, 0, 0.01)),
        (lambda p: nn.SGD(p, 0.1, 0.9, nesterov=True), lambda o, p: o.SGD(p, 0.1, 0.9, nesterov=True)),
        (lambda p: nn.Momentum(p, 0.1, 0.9), lambda o, p: o.SGD(p, 0.1, 0.9)),
        (lambda p: nn.Momentum(p, 0.1, 0.9, 0.01), lambda o, p: o.SGD(p, 0.1, 0.9, 0, 0.01)),
        (lambda p: nn.Momentum(p, 0.1, 0.9, use_nesterov=True), lambda o, p: o.SGD(p, 0.1, 0.9, nesterov=True)),
        (lambda p: nn.Adam(p, 0.1, eps=1e-12), lambda o, p: o.Adam(p, 0.1, eps=1e-12)),
        (
            lambda p: nn.Adam(p, 0.1, 0.8, 0.9, eps=1e-12, weight_decay=0.1),
            lambda o, p: o.Adam(p, 0.1, (0.8, 0.9), eps=1e-12, weight_decay=0.1),
        ),
    ],
)
def test_as_torch(ours, theirs):
    for got, due in zip(trained(ours), trained_by_torch(theirs), strict=True):
        np.testing.assert_allclose(got, due, rtol=1e-6)  # the learning rate is a float32


@pytest.mark.parametrize('settings', [{}, {'use_nesterov': True}, {'use_amsgrad': True}])
def test_adam_is_its_formula(settings):
    w = Parameter(Tensor([1.0, -1.0], ms.float64), 'w')
    opt = nn.Adam([w], 0.125, 0.9, 0.99, 1e-3, **settings)
    p, m, v, top = np.array([1.0, -1.0]), 0.0, 0.0, 0.0
    for t, g in enumerate(([1.0, 2.0], [-3.0, 0.5], [0.1, 0.1]), 1):
        g = np.array(g)
        opt((Tensor(g),))
        m, v = 0.9 * m + 0.1 * g, 0.99 * v + 0.01 * g * g
        top = np.maximum(top, v)
        ahead = 0.9 * m + 0.1 * g if settings.get('use_nesterov') else m
        root = np.sqrt(top if settings.get('use_amsgrad') else v)
        p = p - 0.125 * np.sqrt(1 - 0.99**t) / (1 - 0.9**t) * ahead / (root + 1e-3)
        np.testing.assert_allclose(w.asnumpy(), p, rtol=1e-12)


def test_weight_decay_leaves_out_beta_and_gamma():
    """As in MindSpore: the optimizers filter by name."""
    zero = (Tensor(np.zeros_like(A)), Tensor(np.zeros_like(A[0])))
    for make in (
        lambda p: nn.Momentum(p, 0.5, 0.0, 0.1),
        lambda p: nn.SGD(p, 0.5, weight_decay=0.1),
        lambda p: nn.SGD(p, 0.5, momentum=0.5, weight_decay=0.1),
    ):
        params = [Parameter(Tensor(A), 'w'), Parameter(Tensor(A[0]), 'bn.gamma')]
        make(params)(zero)
        np.testing.assert_allclose(params[0].asnumpy(), A * 0.95)
        np.testing.assert_array_equal(params[1].asnumpy(), A[0])


def test_groups():
    w, b, c = (Parameter(Tensor([1.0]), n) for n in 'wbc')
    groups = [
        {'params': [w], 'lr': 0.5},
        {'params': [b], 'weight_decay': 1.0},
        {'params': [c]},
        {'order_params': [c, b, w]},
    ]
    opt = nn.Momentum(groups, 0.25, 0.0)
    assert opt.parameters == (c, b, w) and isinstance(opt.parameters, ms.ParameterTuple)
    opt(tuple(Tensor([1.0]) for _ in range(3)))
    assert [float(p) for p in (w, b, c)] == [0.5, 0.5, 0.75]
    with refused(SettingError, 'Parameter', 'one group'):
        nn.SGD([{'params': [w]}, {'params': [b]}, {'order_params': [w]}])


@pytest.mark.parametrize('kind', [list, Tensor, iter])
def test_a_rate_a_step_and_none_after_the_last(kind):
    w = Parameter(Tensor([0.0]), 'w')
    opt = nn.SGD([w], kind([0.5, 0.25]))
    values = []
    for _ in range(2):
        opt((Tensor([-1.0]),))
        values.append(float(w))
    assert values == [0.5, 0.75]
    with refused(RuntimeError, 'learning rates', '2 steps', line='opt((Tensor([-1.0]),))'):
        opt((Tensor([-1.0]),))


def test_the_rate_can_be_written():
    w = Parameter(Tensor([0.0]), 'w')
    opt = nn.SGD([w], 1.0)
    opt.learning_rate.set_data(Tensor(0.5))
    opt((Tensor([1.0]),))
    assert float(w) == -0.5 and float(opt.get_lr()) == 0.5


def test_loss_scale_divides():
    w = Parameter(Tensor([0.0]), 'w')
    nn.SGD([w], 1.0, loss_scale=4.0)((Tensor([4.0]),))
    assert float(w) == -1


def test_updates_are_in_place_and_gradients_stay():
    w = Parameter(Tensor([1.0, 2.0]), 'w')
    memory, g = w.array, Tensor([1.0, 1.0])
    for opt in (nn.SGD([w], 0.1, 0.9, nesterov=True), nn.Momentum([w], 0.1, 0.9), nn.Adam([w])):
        opt((g,))
        opt((g,))
        np.testing.assert_array_equal(g.asnumpy(), [1, 1])
    assert w.array is memory


def test_the_state_is_not_the_networks():
    net = nn.Dense(1, 1)
    for opt in (nn.SGD(net.trainable_params(), momentum=0.9), nn.Adam(net.trainable_params())):
        assert opt.parameters == tuple(net.trainable_params())
        names = [p.name for p in opt.trainable_params()]  # as in MindSpore, which lists what it writes, too
        assert names[:4] == ['global_step', 'learning_rate', 'weight', 'bias'] and names[-1].endswith('.bias')
    assert [p.name for p in net.get_parameters()] == ['weight', 'bias']


class Documents(nn.Optimizer):
    """An optimizer as MindSpore's guide writes one: with ops and assign alone."""

    def __init__(self, params, learning_rate, momentum=0.9):
        super().__init__(learning_rate, params)
        self.momentum = Parameter(Tensor(momentum, ms.float32), name='momentum')
        self.moments = self.parameters.clone(prefix='moments', init='zeros')
        self.assign = ops.Assign()

    def construct(self, gradients):
        lr = self.get_lr()
        for i in range(len(self.parameters)):
            self.assign(self.moments[i], self.moments[i] * self.momentum + gradients[i])
            self.assign(self.parameters[i], self.parameters[i] - self.moments[i] * lr)
        return (True,) * len(gradients)


def test_a_custom_optimizer_does_what_ours_does():
    for got, due in zip(trained(lambda p: Documents(p, 0.1)), trained(lambda p: nn.Momentum(p, 0.1, 0.9)), strict=True):
        np.testing.assert_allclose(got, due, rtol=1e-6)


@pytest.mark.parametrize('make', [nn.SGD, nn.Adam, lambda p: nn.Momentum(p, 0.1, 0.9)])
def test_gradients_that_do_not_fit(make):
    opt = make([Parameter(Tensor([1.0, 2.0]), 'w'), Parameter(Tensor(1.0), 'b')])
    g = Tensor([1.0, 2.0])
    with refused(OptimizerError, '2 Parameters', '(w, b)', '1 gradient', 'opt.parameters'):
        opt((g,))
    with refused(RuntimeError, 'a tuple', 'got one Tensor'):
        opt(g)
    with refused(OptimizerError, 'gradient of b', 'a float'):
        opt((g, 1.0))
    with refused(ShapeError, 'gradient of w', (), 'w has (2,)', 'opt.parameters'):
        opt((Tensor(1.0), g))


@pytest.mark.parametrize(
    ('make', 'error', 'facts'),
    [
        (lambda p: nn.SGD(p[0]), TypeError, ('net.trainable_params()', 'a Parameter')),
        (lambda p: nn.SGD(nn.Dense(1, 1)), ParameterError, ('net.trainable_params()', 'a Dense')),
        (lambda p: nn.SGD([Tensor(1.0)]), TypeError, ('Parameters', 'a Tensor')),
        (lambda p: nn.SGD([]), ValueError, ('no Parameter', 'net.trainable_params')),
        (lambda p: nn.SGD(p, -0.1), ValueError, ("'learning_rate'", 'at least 0')),
        (lambda p: nn.SGD(p, True), TypeError, ("'learning_rate'", 'a number')),
        (lambda p: nn.SGD(p, 'fast'), TypeError, ("'learning_rate'", 'a number')),
        (lambda p: nn.SGD(p, momentum=-1.0), ValueError, ("'momentum'", 'at least 0.0')),
        (lambda p: nn.SGD(p, momentum='0.9'), TypeError, ("'momentum'", 'a float', 'a str')),
        (lambda p: nn.SGD(p, nesterov=True), ValueError, ("'nesterov'", "'momentum'")),
        (lambda p: nn.SGD(p, weight_decay=-1.0), ValueError, ("'weight_decay'", 'at least 0.0')),
        (lambda p: nn.SGD(p, loss_scale=0.0), ValueError, ("'loss_scale'", 'above 0')),
        (lambda p: nn.Adam(p, beta1=1.0), ValueError, ("'beta1'", 'between')),
        (lambda p: nn.Adam(p, eps=0.0), ValueError, ("'eps'", 'above 0')),
        (lambda p: nn.SGD([*p, Parameter(1.0, 'w')]), ValueError, ('name w', 'twice')),
    ],
)
def test_settings_that_do_not_fit(make, error, facts):
    with refused(error, *facts):
        make([Parameter(Tensor([1.0]), 'w')])
