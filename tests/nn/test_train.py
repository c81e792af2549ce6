"""MindSpore's Cells for a loss and for one step of training."""

import pytest

import minicell as ms
from minicell import Parameter, Tensor, nn
from tests.messages import refused, tells

X, Y = Tensor([[1.0]]), Tensor([[0.0]])


def setup(**options):
    net = nn.Dense(1, 1, 2.0, 1.0)
    return net, nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.SGD(net.trainable_params(), 0.1), **options)


@pytest.mark.parametrize('mode', [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_a_step(mode):
    net, step = setup()
    assert step.set_train() is step and net.training
    ms.set_context(mode=mode)
    try:
        losses = [float(step(X, Y)) for _ in range(2)]
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    assert losses == pytest.approx([9, 3.24]) and net.weight.tolist() == [[pytest.approx(1.04)]]


def test_it_is_printed_as_in_mindspore():
    _, step = setup()
    inner = '\n    (_backbone): Dense(', '\n    (_loss_fn): MSELoss()'
    tells(
        repr(step),
        'TrainOneStepCell(\n  (network): WithLossCell(',
        *inner,
        '(optimizer): SGD()',
        '(grad_reducer): Identity()',
    )
    assert [p.name for p in step.trainable_params()][:2] == ['weight', 'bias'] and step.sens == 1.0
    assert step.network.backbone_network.weight is step.weights[0]


def test_sens_is_the_cotangent_of_the_loss():
    class Slope(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = Parameter(Tensor([2.0]), name='w')
            self.internal_params = [self.w]

        def construct(self, x):
            return x * self.w

        def bprop(self, *args):
            x, _, dout = args
            seen.append(dout.array.tolist())
            return (dout * self.w,), {self.w: dout * x}

    seen = []
    net = Slope()
    step = nn.TrainOneStepCell(net, nn.SGD([net.w], 0.1), sens=10.0)
    assert step(Tensor([1.0])).tolist() == [2] and seen == [[10]] and net.w.tolist() == [1]


def test_the_gradients_if_asked_for():
    _, step = setup(return_grad=True)
    loss, gradients = step(X, Y)
    assert float(loss) == 9 and {k: g.item() for k, g in gradients.items()} == {'weight': 6, 'bias': 6}


def test_what_it_refuses():
    net, step = setup()
    with refused(ValueError, 'sens is 0'):
        setup(sens=0)
    for given in ((3, step.optimizer), (net, 3), (net, net)):
        with refused(AttributeError, 'TrainOneStepCell', 'a Cell', 'an Optimizer', line='nn.TrainOneStepCell('):
            nn.TrainOneStepCell(*given)
