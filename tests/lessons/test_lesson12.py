"""What is particular to lesson 12: its data, its table is what its own code measures, its texts, and its figures."""

import io
import re
from contextlib import redirect_stdout

import numpy as np
import pytest

import minicell as ms
from minicell import nn, ops
from minicell.ink.numbers import said as number
from minicell.teach.lesson12 import figures, network, table
from minicell.teach.lesson12.surrogates import surrogates
from tests.lessons.answers import shaken
from tests.lessons.figures import holds, of, texts
from tests.lessons.notebooks import fault
from tests.lessons.page import Page
from tests.messages import tells

PAGE = Page('12')


@pytest.fixture(scope='module')
def page() -> dict:
    """What the cells of the notebook define, up to the table; its neuron is that of the stored solution."""
    return PAGE.run('yours', 'data', 'encoders', 'network', 'table', Neuron=..., np=np, ms=ms, nn=nn, ops=ops)


# ---- the digits ----------------------------------------------------------------------------------------------------


def test_the_digits_come_with_their_source_and_licence():
    head = network.FILE.read_text(encoding='ascii').partition('----')[0]
    assert all(fact in head for fact in ('E. Alpaydin and C. Kaynak', 'CC BY 4.0', 'doi.org/10.24432/C50P49'))
    (x, t), (x_new, t_new) = network.handwriting()
    assert x.shape == (1347, 64) and x_new.shape == (450, 64) and (x.min(), x.max()) == (0, 1)
    # as scikit-learn counts them: its load_digits has the same file
    assert np.bincount(np.r_[t, t_new]).tolist() == [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]
    assert 16 * (x.sum() + x_new.sum()) == 561718
    near = ((x_new[:, None] - x) ** 2).sum(axis=2).argmin(axis=1)
    assert f'1-NN {np.mean(t[near] == t_new):.3f}, the' in PAGE.told('nearest')


def test_encoders(page):
    x, rng = np.array([[0.0, 0.5, 1.0]]), np.random.default_rng(0)
    assert np.array_equal(page['current'](x, 4, rng), np.repeat(x[None], 4, axis=0))
    rates = page['poisson'](x, 4000, rng)
    assert set(np.unique(rates)) == {0, 1} and np.allclose(rates.mean(axis=0), x, atol=0.03)
    once = page['latency'](x, 5, rng)[:, 0]
    assert once.sum(axis=0).tolist() == [0, 1, 1] and once[0, 2] == once[2, 1] == 1


# ---- the table -----------------------------------------------------------------------------------------------------

RUNS = [
    ('leaky', 'a = 5', True, False, 0),
    ('leaky', 'a = 100', True, True, 4),
    ('plain', 'triangular', False, False, 2),
]


@pytest.mark.slow
@pytest.mark.parametrize('run', RUNS, ids=lambda run: run[1])
def test_the_stored_table_is_what_its_command_measures(run):
    *run, seed = run
    assert table.measure(*run, seed) == pytest.approx(table.stored()[tuple(run)][seed], rel=1e-4)


def test_what_the_text_says_of_it(page):
    assert len(surrogates) == 9 and len(page['of']) == 72 and page['runs'] == 360
    mean, _, dw, quiet = (
        {run: summary[k] for run, summary in page['of'].items()} for k in range(len(table.Summary._fields))
    )
    at = lambda name, frozen=True, detached=False, net='leaky': (net, name, frozen, detached)
    for net in table.NETS:
        assert mean[at('a = 5', False, net=net)] > mean[at('true derivative', False, net=net)] > 0.75
        assert mean[at('true derivative', net=net)] < 0.15 < 0.85 < mean[at('a = 5', net=net)]
        assert mean[at('a = 100', net=net)] < 0.3, 'steep slopes compound'
        assert mean[at('triangular', False, net=net)] < mean[at('true derivative', False, net=net)]
    assert mean[at('true derivative', False)] > 0.9, 'the vote: still more than nine in ten'
    assert abs(mean[at('a = 1')] - mean[at('a = 5')]) < 0.02, 'both are right answers of the vote'
    assert max(mean[at('a = 25')], mean[at('a = 100')]) < 0.3
    # two cures; neither changes how many are reached
    cured, low = at('a = 100', detached=True), at('a = 100, height 1')
    assert dw[at('a = 100')] > 1e6 * dw[cured] and min(mean[cured], mean[low]) > 0.9
    assert mean[at('a = 5', detached=True)] - 0.05 < mean[cured] < mean[at('a = 5', detached=True)]
    assert quiet[at('a = 100')] > quiet[at('a = 5')] > quiet[at('a = 1')]


@pytest.mark.slow
def test_the_table_shows_every_run(page):
    words = holds(table.shown(page['of'])).shown.text
    for (net, name, frozen, detached), seeds in table.stored().items():
        drawn = table.draw(page['of'], net, frozen)
        written = set(texts(of(drawn)))
        mean, spread = np.mean([seed[0] for seed in seeds]), np.std([seed[0] for seed in seeds], ddof=1)
        dw, quiet = np.median([seed[1] for seed in seeds]), np.mean([seed[2] for seed in seeds])
        assert {name, f'{mean:.3f} ±{spread:.3f}', number(dw), f'{quiet:.0%}'} <= written
        head = 'reset detached' if detached else 'reset in the graph'
        said = f'{head} {mean:.3f} ±{spread:.3f}, |dW1| {number(dw)}, {quiet:.0%} silent'
        assert said in next(line for line in drawn.words.splitlines() if line.startswith(f'{name}: '))
        assert drawn.words in words, 'a page without a kernel has all'


def test_the_fast_sigmoid_is_narrower_than_a_100_and_its_tails_are_longer():
    at = ms.Tensor([0.0, 0.003, 1.0])
    fast, steep = (surrogates[name].slope(at).asnumpy() for name in ('fast sigmoid', 'a = 100'))
    assert fast[1] / fast[0] < steep[1] / steep[0] and fast[2] > steep[2]
    low = surrogates['a = 100, height 1'].slope(at).asnumpy()
    assert low[0] == 1 and np.allclose(low * 25, steep)


# ---- the network ---------------------------------------------------------------------------------------------------


def test_steep_slopes_compound_through_the_reset(page):
    """As the text says: going back one time step multiplies the gradient of the membrane by beta times 1 - slope."""
    v = ms.Tensor([1 / 0.9])
    for a in (5, 100):
        node = page['Neuron'](nn.relusigmoid(a))
        dv = ms.grad(lambda v, node=node: node(ops.zeros_like(v), v)[1].sum())(v).item()
        assert dv == pytest.approx(0.9 * (1 - a / 4))
    assert 0.9 * (25 - 1) > 20


def test_snntorch_detaches_the_reset_and_its_leaky_is_this_neuron(page):
    """The listing of the text, and what the solution of 12a says, where snnTorch is there to run it."""
    snn, torch = pytest.importorskip('snntorch'), pytest.importorskip('torch')
    listing = re.search(r'```python\n(.*?)```', PAGE.source('table-note'), re.DOTALL)[1]
    printed = io.StringIO()
    with redirect_stdout(printed):
        exec(listing, {})
    assert fault(listing, printed.getvalue()) == ''
    theirs, v, mine, w = snn.Leaky(beta=0.9, reset_delay=False), torch.zeros(1), page['Neuron'](), ops.zeros((1,))
    for _ in range(10):
        spike, v = theirs(torch.tensor([0.7]), v)
        own, w = mine(ms.Tensor([0.7]), w)
        assert spike.item() == own.item() and v.item() == pytest.approx(w.item(), abs=1e-6)


def test_the_surrogate_gradient_is_no_gradient():
    printed = PAGE.told('jacobian').splitlines()
    rows = [[float(n) for n in row.strip('[ ]').split()] for row in printed if row.startswith('[')]
    assert abs(rows[0][1]) > 0.1 and rows[1][0] == 0, 'by differences'
    assert rows[2][1] == rows[3][0] == rows[0][1] and rows[2][0] != rows[0][0], 'by grad of grad it is symmetric'


def test_without_a_leak_the_neuron_of_the_notebook_is_minicells(page):
    rng = np.random.default_rng(0)
    x, v = (ms.Tensor(rng.standard_normal((4, 5))) for _ in range(2))
    mine, theirs = page['Neuron'](beta=1.0), nn.IFNode()
    for one, other in zip(mine(x, v), theirs(x, v), strict=True):
        assert np.array_equal(one.asnumpy(), other.asnumpy())
    slopes = [ms.grad(lambda x, cell=cell: (cell(x, v)[1] ** 2).sum())(x).asnumpy() for cell in (mine, theirs)]
    assert np.allclose(*slopes)
    cut = page['Neuron'](detached=True)
    assert np.array_equal(ms.grad(lambda x: cut(x, v)[1].sum())(x).asnumpy(), np.ones((4, 5)))


@pytest.mark.slow
@pytest.mark.parametrize('a', [5, 100])
def test_the_last_digits_of_a_machine_change_nothing(page, a):
    x, t = (each[:640] for each in network.handwriting()[0])
    kinds = nn.relusigmoid, shaken(nn.relusigmoid)
    runs = [list(page['train'](page['Net'](kind(a)), x, t)) for kind in kinds]
    assert np.allclose(*runs, rtol=1e-9, atol=0)


def test_a_frozen_readout_stays_and_a_dead_layer_does_not_move(page):
    x, t = (each[:64] for each in network.handwriting()[0])
    net = page['Net'](nn.relusigmoid())
    before = net.w1.asnumpy().copy(), net.w2.asnumpy().copy()
    list(page['train'](net, x, t, frozen=True, epochs=3))
    assert np.array_equal(net.w2.asnumpy(), before[1]) and not np.allclose(net.w1.asnumpy(), before[0])
    dead = page['Net'](nn.true_derivative())
    list(page['train'](dead, x, t, epochs=3))
    assert np.allclose(dead.w1.asnumpy(), before[0], atol=1e-6) and not np.allclose(dead.w2.asnumpy(), before[1])


def test_the_threshold_is_only_a_unit(page):
    """As exercise 12c says: the same spikes, and a times the threshold is what counts."""
    x, t = (each[:20] for each in network.handwriting()[0])
    nets = [page['Net'](nn.relusigmoid(a), v_threshold=v) for a, v in ((100, 0.05), (5, 1.0))]
    fired = [[spike.asnumpy() > 0 for spike, _, _ in net.time_steps(net.seen(x))] for net in nets]
    assert np.mean(np.array(fired[0]) != np.array(fired[1])) < 1e-3
    assert page['gradient'](nets[0], x, t) == pytest.approx(page['gradient'](nets[1], x, t), rel=0.02)


def test_a_silent_neuron_is_reached_below_its_threshold_alone(page):
    """As the text says: with the true derivative, no cost of silence would wake anybody."""
    x = network.handwriting()[0][0][:20]
    for surrogate, reached in ((None, True), (nn.true_derivative(), False)):
        net = page['Net'](surrogate)
        net.w1.set_data(net.w1 * 0.05)
        total = lambda net=net: sum(spike for spike, _, _ in net.time_steps(net.seen(x))).sum()
        assert total().item() == 0 and bool(ms.grad(total, None, net.w1)().asnumpy().any()) == reached


def test_the_cost_of_spikes_silences_and_the_regularizer_wakes():
    rows = [line.rsplit(maxsplit=3)[1:] for line in PAGE.told('silent').splitlines()[1:]]
    right, many, quiet = np.array(rows, float).T
    assert many[1] < many[2] < many[0] / 3 and quiet[1] > 50 > quiet[0] > quiet[2] == 0 and right.min() > 0.95


def test_the_tape_shows_the_lines_of_that_neuron():
    assert 'node = Neuron()' in PAGE.source('tape')
    assert 'IFNode' not in tells(PAGE.told('tape'), 'spike = self.surrogate(', 'v - self.v_threshold)')


# ---- the figures ---------------------------------------------------------------------------------------------------


def test_the_confusion_matrix_counts_and_the_curves_end_with_it():
    t = np.array([3, 3, 9, 1])
    so_far = [np.array([0, 0, 0, 0]), np.array([3, 5, 5, 1])]
    shown = holds(figures.learning([2.0, 1.0], so_far, t))
    tells(shown[1].words, '2 of 4', 'a 3 read as 5: 1', 'a 9 read as 5: 1')
    written = texts(of(shown[1]))
    assert sorted(each for each in written if each == '·') == ['·'] * 96


def trained(page, monkeypatch, *settings):
    """A training of three minibatches, each of which is looked at."""
    monkeypatch.setattr(figures, 'LOOKS', 1)
    some = lambda net, x, t, frozen: page['train'](net, x[:64], t[:64], frozen, epochs=3)
    return figures.training(surrogates, page['Net'], some, page['accuracy'], *settings)


@pytest.mark.slow
def test_the_still_tells_of_every_surrogate(page, monkeypatch):
    figure = trained(page, monkeypatch, 'a = 1', False, False)
    untrained, *each = figure.shown.text.splitlines()
    tells(untrained, 'seed 0', 'before training')
    assert [line.split(' reaches')[0] for line in each] == list(surrogates)
    tells(each[-1], 'reaches 0%')
    tells(each[-2], '−1 to 1')


@pytest.mark.slow
@pytest.mark.parametrize('chosen', surrogates)
def test_a_training_from_before_to_after(page, monkeypatch, chosen):
    odd = len(chosen) % 2 == 1  # one of the two in each
    figure = holds(trained(page, monkeypatch, chosen, odd, not odd))
    due = ['frozen readout'] if odd else ['free readout', 'reset detached']
    assert figure.values == [0, 1, 2, 3] and figure.opens == 3
    tells(figure[0].caption, *due, 'before training', keep=False)
    tells(figure[3].caption, *due, 'after 3', keep=False)
    assert '?' in texts(figure.film, 0) and '?' not in texts(figure.film, 3)
    dead = {'w1 learns nothing', '0%'} <= set(texts(figure.film, 0))
    assert dead == (chosen == 'true derivative')


def test_both_figures_wait_for_the_vote():
    """What they show answers it; the kit keeps a figure back that names a vote."""
    drawn = [PAGE.cell(name).source for name in ('shown', 'surrogates')]
    assert all(source.startswith('L.figure(') and source.endswith(", after='steeper')") for source in drawn)
