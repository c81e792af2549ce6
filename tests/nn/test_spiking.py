"""Spiking neurons: the document's numbers, every surrogate's slope, and that one can learn."""

import numpy as np
import pytest

import minicell as ms
from minicell import Tensor, nn, ops
from minicell.errors import SettingError
from minicell.nn.spiking import IFNode, Surrogate, relusigmoid, straight_through, triangular, true_derivative
from tests.messages import refused

X = [0.3, 0.5, 0.4, 0.9, 0.1, 0.7, 0.2, 0.6]


def spikes(node, weights=range(1, 9)):
    def loss(x):
        v, total = ops.zeros((1,)), 0.0
        for t, w in enumerate(weights):
            s, v = node(x[t : t + 1], v)
            total = total + (s * float(w)).sum()
        return total

    value, g = ms.value_and_grad(loss)(Tensor(X))
    return float(value), g.asnumpy()


def test_the_documents_neuron_over_eight_steps():
    """The recorded case snn_ifnode_T8_grad, with the layer in the place of the listing's class."""
    value, g = spikes(IFNode())
    assert value == 14
    due = [1.872437, 2.017140, 3.011832, 3.698400, 5.723245, 5.793304, 7.180994, 5.965858]
    np.testing.assert_allclose(g, due, rtol=1e-5)


def test_without_fire_it_adds_up():
    value, g = spikes(IFNode(fire=False))
    assert g.tolist() == [36, 35, 33, 30, 26, 21, 15, 8] and value == pytest.approx(np.cumsum(X) @ range(1, 9))


def test_the_true_derivative_teaches_nothing():
    assert not spikes(IFNode(surrogate_function=true_derivative()))[1].any()


@pytest.mark.filterwarnings('ignore::minicell.errors.ImplicitSumWarning')
def test_all_outputs_summed_hide_the_surrogate():
    """grad of both outputs is exactly 1, whatever the surrogate: take output 0."""
    x, v = Tensor([0.5, 1.0, 1.5]), ops.zeros((3,))
    assert ms.grad(IFNode())(x, v).asnumpy().tolist() == [1, 1, 1]
    np.testing.assert_allclose(ms.grad(lambda x: IFNode()(x, v)[0])(x).asnumpy(), [0.350517, 1.25, 0.350517], rtol=1e-5)


@pytest.mark.parametrize('a', [1, 5, 25, 100])
def test_relusigmoid(a):
    x = np.linspace(-1, 1, 9)
    surrogate = relusigmoid(a)
    value, g = ms.value_and_grad(surrogate)(Tensor(x))
    s = 1 / (1 + np.exp(-a * x))
    assert value.asnumpy().tolist() == (x > 0).astype(float).tolist() and value.dtype == ms.float64
    np.testing.assert_allclose(g.asnumpy(), a * s * (1 - s), rtol=1e-9, atol=1e-12)
    second = ms.grad(ms.grad(surrogate))(Tensor(x)).asnumpy()
    np.testing.assert_allclose(second, a * a * s * (1 - s) * (1 - 2 * s), rtol=1e-8, atol=1e-9)
    assert repr(surrogate) == f'relusigmoid(a={a})'


def test_the_others():
    x = Tensor([-2.0, -0.5, 0.0, 0.25, 2.0])
    for surrogate, due in [
        (straight_through(), [1, 1, 1, 1, 1]),
        (true_derivative(), [0, 0, 0, 0, 0]),
        (triangular(), [0, 0.5, 1, 0.75, 0]),
        (triangular(2.0), [0, 0.375, 0.5, 0.4375, 0]),
    ]:
        assert surrogate(x).asnumpy().tolist() == [0, 0, 0, 1, 1]
        np.testing.assert_array_equal(ms.grad(surrogate)(x).asnumpy(), due, err_msg=repr(surrogate))
        np.testing.assert_array_equal(
            ms.grad(lambda x, s=surrogate: 3 * s(x))(x).asnumpy(), 3 * np.array(due), err_msg='dout was lost'
        )


def test_check_bprop_says_that_a_surrogate_is_none():
    assert not ms.check_bprop(relusigmoid(), Tensor([0.1]))
    assert ms.check_bprop(true_derivative(), Tensor([0.1, -2.0]))


def test_each_neuron_has_a_surrogate_of_its_own():
    assert IFNode().surrogate_function is not IFNode().surrogate_function
    assert nn.IFNode is IFNode


@pytest.mark.parametrize('make', [lambda: relusigmoid(0), lambda: triangular(-1.0), lambda: IFNode(0.0)])
def test_settings_that_do_not_fit(make):
    with pytest.raises(SettingError, match='above 0'):
        make()


def test_a_surrogate_without_a_slope():
    with refused(NotImplementedError, 'a method slope'):
        ms.grad(Surrogate())(Tensor([1.0]))


def test_a_spiking_network_learns_which_input_matters():
    ms.set_seed(0)
    x = np.random.random((64, 2)).astype(np.float32)
    labels = Tensor((x[:, 0] > x[:, 1]).astype(np.int32))
    first, node, last, readout = nn.Dense(2, 16), IFNode(), nn.Dense(16, 2), IFNode(fire=False)
    net = nn.SequentialCell(first, last)

    def forward(x):
        v, u = ops.zeros((64, 16)), ops.zeros((64, 2))
        for _ in range(6):
            s, v = node(first(x), v)
            _, u = readout(last(s), u)
        return u

    loss, opt = nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), 0.02)
    step = ms.value_and_grad(lambda x: loss(forward(x), labels), None, opt.parameters)
    for _ in range(150):
        opt(step(Tensor(x))[1])
    assert (forward(Tensor(x)).asnumpy().argmax(1) == labels.asnumpy()).mean() > 0.9
