"""A whole training step in a graph: the optimizer is one node, called as it is in every replay."""

import numpy as np
import pytest

import minicell as ms
from minicell import Parameter, Tensor, nn, ops
from tests.messages import refused, tells

OPTIMIZERS = {
    'SGD': lambda params: nn.SGD(params, 0.1),
    'Momentum': lambda params: nn.Momentum(params, 0.1, 0.9),
    'Adam': lambda params: nn.Adam(params, 0.1),
    'a rate a step': lambda params: nn.SGD(params, [0.1, 0.05, 0.01, 0.01]),
}


class SignDescent(nn.Optimizer):
    """A user's own, of ops; what it returns is computed."""

    def __init__(self, params):
        super().__init__(0.5, params)

    def construct(self, gradients):
        rate = self.get_lr()
        for p, g in zip(self.parameters, gradients, strict=True):
            ops.assign(p, p - rate * ops.sign(g))
        return gradients[0] * 2


def setup(optimizer):
    net = nn.SequentialCell(nn.Dense(2, 3, 0.3, 0.1), nn.Tanh(), nn.Dense(3, 1, 0.2, 0.0))
    opt = optimizer(net.trainable_params())
    both = ms.value_and_grad(lambda x, y: ((net(x) - y) ** 2).mean(), None, opt.parameters)

    def step(x, y):
        loss, gradients = both(x, y)
        return loss, opt(gradients)

    return net, step


DATA = [(Tensor([[1.0, float(k)]]), Tensor([[0.5 * k]])) for k in range(4)]


@pytest.mark.parametrize('name', OPTIMIZERS)
@pytest.mark.parametrize('looked_at', [False, True])
def test_it_trains_as_in_eager_mode(name, looked_at):
    eager_net, eager = setup(OPTIMIZERS[name])
    net, step = setup(OPTIMIZERS[name])
    step = ms.jit(step)
    for x, y in DATA:
        due, _ = eager(x, y)
        if looked_at:
            with ms.Tape() as tape:
                loss, done = step(x, y)
            assert 'weight' in str(tape)
        else:
            loss, done = step(x, y)
        assert float(loss) == float(due) and all(done)
    assert step.traced == 1
    for a, b in zip(eager_net.get_parameters(), net.get_parameters(), strict=True):
        np.testing.assert_array_equal(a.asnumpy(), b.asnumpy())


def test_what_an_optimizer_computes_is_computed_again():
    (eager_net, eager), (net, step) = setup(SignDescent), setup(SignDescent)
    step = ms.jit(step)
    for x, y in DATA:
        np.testing.assert_array_equal(step(x, y)[1].asnumpy(), eager(x, y)[1].asnumpy())
    assert step.traced == 1 and net[0].weight.tolist() == eager_net[0].weight.tolist()


def test_a_cell_that_trains_in_graph_mode():
    class Train(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = Parameter(Tensor([2.0]), name='w')
            self.opt = nn.SGD([self.w], 0.1)

        def construct(self, x):
            self.opt(ms.grad(lambda a: a * self.w * self.w, None, [self.w])(x))
            return self.w * 1

    trained = {}
    for mode in (ms.PYNATIVE_MODE, ms.GRAPH_MODE):
        ms.set_context(mode=mode)
        try:
            net = Train()
            trained[mode] = [net(Tensor([1.0])).tolist() for _ in range(3)]
        finally:
            ms.set_context(mode=ms.PYNATIVE_MODE)
    assert trained[0] == trained[1] and trained[0][0] == pytest.approx([1.6])


def test_it_stands_in_the_printed_graph():
    _, step = setup(OPTIMIZERS['SGD'])
    step = ms.jit(step)
    step(*DATA[0])
    tells(step.graphs[0], 'SGD(%1, %2, %3, %4)', 'writes 0.weight, 0.bias')


def test_an_error_of_an_optimizer_comes_out_of_the_graph():
    net, _ = setup(OPTIMIZERS['SGD'])
    opt = nn.SGD([net[0].weight], 0.1)
    f = ms.jit(lambda x: opt((x, x)))
    with refused(RuntimeError, 'SGD', '1 Parameter', '2 gradients'):
        f(Tensor([[1.0, 2.0]]))
    assert ms.jit(lambda x: x * 2)(Tensor(1.0)).item() == 2  # the tracer is as it was
