"""A replay on other numbers: no op's Python, in minicell as in the user's code, has decided anything by the first."""

import numpy as np
import pytest

import minicell as ms
from minicell import Tensor, nn, ops
from minicell.errors import LabelError
from tests.messages import refused
from tests.ops.declare import ALL, label

Z = Tensor([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]])
SETTINGS = {
    'plain': {},
    'ignore a class': {'ignore_index': 0},
    'weights': {'weight': Tensor([1.0, 2.0, 30.0])},
    'smoothing': {'label_smoothing': 0.2, 'ignore_index': 2},
    'all': {'label_smoothing': 0.2, 'ignore_index': 1, 'weight': Tensor([1.0, 2.0, 30.0])},
}


def parts(out):
    return [part.asnumpy() for part in (out if isinstance(out, tuple) else (out,))]


@pytest.mark.filterwarnings('ignore::minicell.errors.NotANumberWarning')  # where every label is ignored
@pytest.mark.parametrize('reduction', ['mean', 'sum', 'none'])
@pytest.mark.parametrize('loss', [ops.cross_entropy, ops.nll_loss], ids=lambda loss: loss.__name__)
@pytest.mark.parametrize('settings', SETTINGS.values(), ids=SETTINGS)
def test_other_labels_are_ignored_weighed_and_smoothed_in_each_call(loss, settings, reduction):
    eager = lambda z, t: loss(z, t, reduction=reduction, **settings)
    graph = ms.jit(eager)
    slope = lambda f, t: ms.grad(lambda z: f(z, t).sum())(Z).asnumpy()
    for labels in ([1, 1], [0, 1], [2, 0], [-100, 2] if settings.get('ignore_index', -100) == -100 else [2, 2], [0, 0]):
        t = Tensor(labels, ms.int32)
        np.testing.assert_allclose(graph(Z, t).asnumpy(), eager(Z, t).asnumpy(), rtol=1e-6)
        np.testing.assert_allclose(slope(graph, t), slope(eager, t), rtol=1e-5, atol=1e-7)
    assert graph.traced == 1


@pytest.mark.parametrize('dtype', [ms.int32, ms.int64], ids=str)
def test_a_label_that_is_not_there_is_refused_in_a_replay_too(dtype):
    graph = ms.jit(ops.cross_entropy)
    graph(Z[:1], Tensor([1], dtype))
    for bad in (3, -1):
        with refused(LabelError, f'class {bad} ', '0 to 2', line='graph(Z'):
            graph(Z[:1], Tensor([bad], dtype))


@pytest.mark.parametrize('count', [1, 2])
@pytest.mark.parametrize('loss', [ops.cross_entropy, ops.nll_loss], ids=lambda loss: loss.__name__)
def test_labels_of_both_dtypes_mean_the_same(loss, count):
    for k in range(3):
        wide, narrow = (loss(Z[:count], Tensor([k] * count, dtype)).item() for dtype in (ms.int64, ms.int32))
        assert wide == narrow


def test_a_function_inside_a_layer_reads_settings_too():
    net = nn.Dense(1, 1, weight_init=1, bias_init=0)
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.SGD(net.trainable_params(), 0.1))
    graph, one, none = ms.jit(step), Tensor([[1.0]]), Tensor([[0.0]])
    graph(one, none)
    step.sens = 10.0
    graph(one, none)
    assert net.weight.item() == pytest.approx(0.8 - 0.1 * 10 * 2 * 0.6)


@pytest.mark.parametrize('declared', ALL, ids=label)
def test_every_op_gives_in_a_replay_what_it_gives_in_an_eager_call(declared):
    graph = ms.jit(lambda *inputs: declared.op(*inputs))
    for seed in range(3):
        inputs = [Tensor(x.astype(np.float32)) for x in declared.inputs(declared.shapes[0], seed)]
        for got, due in zip(parts(graph(*inputs)), parts(declared.op(*inputs)), strict=True):
            np.testing.assert_allclose(got, due, rtol=1e-5, atol=1e-6)
    assert graph.traced == 1


def test_what_a_view_of_a_dict_shows_is_traced_anew():
    kept = {'a': 2.0}
    for view in (kept.values(), kept.keys(), kept.items()):
        graph = ms.jit(lambda x, view=view: x * len(list(view)))
        before = graph(Z).tolist()
        kept[f'b{len(kept)}'] = 3.0
        assert graph(Z).tolist() == (Z * len(kept)).tolist() != before
