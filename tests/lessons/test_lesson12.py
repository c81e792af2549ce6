"""What is particular to lesson 12: its table is what its own code measures, its texts, and its figures."""

import io
import json
import re
from contextlib import redirect_stdout

import numpy as np
import pytest

import minicell as ms
from minicell import nn, ops
from minicell.ink.numbers import said as number
from minicell.teach import train
from minicell.teach.lesson12 import figures, network, table
from tests.lessons.answers import shaken
from tests.lessons.figures import MOST, calls, holds, of, texts
from tests.lessons.notebooks import fault
from tests.lessons.page import Page
from tests.messages import tells

PAGE = Page('12')


@pytest.fixture(scope='module')
def page() -> dict:
    """What the cells of the notebook define, up to the table; its neuron is that of the stored solution."""
    return PAGE.run('imports', 'yours', 'data', 'network', 'table', Neuron=...)


RUNS = [('a = 5', True, False, 0), ('a = 100', True, True, 4), ('triangular', False, False, 2)]


@pytest.mark.slow
@pytest.mark.parametrize('run', RUNS, ids=lambda run: run[0])
def test_the_stored_table_is_what_the_notebooks_code_measures(page, run):
    name, frozen, detached, seed = run
    found = page['measure'](page['surrogates'][name], frozen, detached, seed)
    assert found == pytest.approx(page['table'][name, frozen, detached][seed], abs=0.006, rel=1e-4)


def test_what_the_text_says_of_it(page):
    assert len(page['surrogates']) == 9 and len(page['of']) == 36 and page['runs'] == 180
    mean, _, dw, quiet = (
        {run: summary[k] for run, summary in page['of'].items()} for k in range(len(table.Summary._fields))
    )
    assert mean['true derivative', False, False] > 0.85 and mean['true derivative', True, False] < 0.1, 'than guessing'
    assert abs(mean['a = 1', True, False] - mean['a = 5', True, False]) < 0.02, 'both are right answers of the vote'
    assert mean['a = 100', True, False] < mean['a = 25', True, False] < 0.6
    # heights multiply; two cures, of which neither changes how many are reached
    high, cured, low = ('a = 100', True, False), ('a = 100', True, True), ('a = 100, height 1', True, False)
    assert dw[high] > 10 * dw[cured] and mean[high] < 0.2
    assert 0.7 < mean[low] < 0.85 and 0.7 < mean[cured] < 0.85
    # few are reached, and long tails cure that
    assert max(mean[low], mean[cured]) < mean['a = 5', True, False] - 0.1
    assert mean['fast sigmoid', True, False] > 0.9
    assert mean['triangular', False, False] < mean['true derivative', False, False]
    # what a ratio of ten misses
    steep, cut = ('a = 25', True, False), ('a = 25', True, True)
    assert dw[steep] < dw[cut] and mean[steep] + 0.2 < mean[cut]
    assert quiet[high] > quiet['a = 5', True, False] > quiet['a = 1', True, False]
    assert max(dw[name, True, False] for name in page['surrogates'] if name != 'a = 100') * 10 < dw[high]


@pytest.mark.slow
def test_the_table_shows_every_run(page):
    words = holds(table.shown(page['table'])).shown.text
    for (name, frozen, detached), seeds in page['table'].items():
        drawn = table.draw(page['of'], frozen)
        written = set(texts(of(drawn)))
        mean, spread = np.mean([seed[0] for seed in seeds]), np.std([seed[0] for seed in seeds], ddof=1)
        dw, quiet = np.median([seed[1] for seed in seeds]), np.mean([seed[2] for seed in seeds])
        assert {name, f'{mean:.2f} ±{spread:.2f}', number(dw), f'{quiet:.0f}'} <= written
        head = 'reset detached' if detached else 'reset in the graph'
        said = f'{head} {mean:.3f} ±{spread:.3f}, |dW1| {number(dw)}, {quiet:.0f} silent'
        assert said in next(line for line in drawn.words.splitlines() if line.startswith(f'{name}: '))
        assert drawn.words in words, 'a page without a kernel has both'


def test_the_figure_is_seed_0_of_the_table(page):
    for name, surrogate in page['surrogates'].items():
        net, data = page['Net'](surrogate), page['digits'](100, np.random.default_rng(0))
        assert figures.look(net, *data).gradient == pytest.approx(page['table'][name, True, False][0][1], rel=1e-4)


def test_the_fast_sigmoid_is_narrower_than_a_100_and_its_tails_are_longer(page):
    at = ms.Tensor([0.0, 0.003, 1.0])
    fast, steep = (page['surrogates'][name].slope(at).asnumpy() for name in ('fast sigmoid', 'a = 100'))
    assert fast[1] / fast[0] < steep[1] / steep[0] and fast[2] > steep[2]
    low = page['surrogates']['a = 100, height 1'].slope(at).asnumpy()
    assert low[0] == 1 and np.allclose(low * 25, steep)


def test_heights_multiply_through_the_reset(page):
    """As the text says: with respect to the membrane, the one after the reset has the gradient 1 - slope."""
    v = ms.Tensor([1.0])
    for a in (5, 100):
        node = page['Neuron'](nn.relusigmoid(a))
        dv = ms.grad(lambda v, node=node: node(ops.zeros_like(v), v)[1].sum())(v).item()
        assert dv == 1 - a / 4


def test_snntorch_detaches_the_reset():
    """The listing of the text, where snnTorch is there to run it."""
    pytest.importorskip('snntorch')
    listing = re.search(r'```python\n(.*?)```', PAGE.source('table-note'), re.DOTALL)[1]
    printed = io.StringIO()
    with redirect_stdout(printed):
        exec(listing, {})
    assert fault(listing, printed.getvalue()) == ''


def test_the_surrogate_gradient_is_no_gradient():
    printed = PAGE.told('jacobian').splitlines()
    rows = [[float(n) for n in row.strip('[ ]').split()] for row in printed if row.startswith('[')]
    assert abs(rows[0][1]) > 0.1 and rows[1][0] == 0, 'by differences'
    assert rows[2][1] == rows[3][0] == rows[0][1] and rows[2][0] != rows[0][0], 'by grad of grad it is symmetric'


def test_the_neuron_of_the_notebook_is_minicells(page):
    rng = np.random.default_rng(0)
    x, v = (ms.Tensor(rng.standard_normal((4, 5))) for _ in range(2))
    mine, theirs = page['Neuron'](), nn.IFNode()
    for one, other in zip(mine(x, v), theirs(x, v), strict=True):
        assert np.array_equal(one.asnumpy(), other.asnumpy())
    slopes = [ms.grad(lambda x, cell=cell: (cell(x, v)[1] ** 2).sum())(x).asnumpy() for cell in (mine, theirs)]
    assert np.allclose(*slopes)
    cut = page['Neuron'](detached=True)
    assert np.array_equal(ms.grad(lambda x: cut(x, v)[1].sum())(x).asnumpy(), np.ones((4, 5)))


def test_anew_measures_every_run():
    asked = []

    def measure(*run):
        asked.append(run)
        return len(asked) / 8, 2.0, 3

    made = table.kept(measure, {'b': 'its Cell'}, anew=True)
    assert made['b', False, True] == [[k / 8, 2.0, 3.0] for k in range(6, 11)]
    assert asked == [('its Cell', f, d, seed) for f in (False, True) for d in (False, True) for seed in range(5)]


@pytest.mark.slow
@pytest.mark.parametrize('a', [5, 100])
def test_the_last_digits_of_a_machine_change_nothing(page, a):
    x, t = page['digits'](100, np.random.default_rng(0))
    kinds = nn.relusigmoid, shaken(nn.relusigmoid)
    runs = [list(page['train'](page['Net'](kind(a)), x, t, steps=100)) for kind in kinds]
    assert np.allclose(*runs, rtol=1e-9, atol=0)


def test_a_frozen_readout_stays_and_a_dead_layer_does_not_move(page):
    x, t = page['digits'](20, np.random.default_rng(0))
    net = page['Net'](nn.relusigmoid())
    before = net.w1.asnumpy().copy(), net.w2.asnumpy().copy()
    list(page['train'](net, x, t, frozen=True, steps=3))
    assert np.array_equal(net.w2.asnumpy(), before[1]) and not np.allclose(net.w1.asnumpy(), before[0])
    dead = page['Net'](nn.true_derivative())
    list(page['train'](dead, x, t, steps=3))
    assert np.allclose(dead.w1.asnumpy(), before[0], atol=1e-6) and not np.allclose(dead.w2.asnumpy(), before[1])


def test_the_threshold_is_only_a_unit(page):
    """As exercise 12c says: the same spikes, and a times the threshold is what counts."""
    x, t = page['digits'](20, np.random.default_rng(0))
    nets = [page['Net'](nn.relusigmoid(a), 0, v) for a, v in ((100, 0.05), (5, 1.0))]
    spikes = [[spike.asnumpy() > 0 for spike, _, _ in net.moments(x)] for net in nets]
    assert np.array_equal(*spikes)
    slopes = [ms.grad(lambda net=net: page['loss_of'](net(x), t), None, net.w1)().asnumpy() for net in nets]
    assert np.allclose(*slopes)


def test_the_sum_of_both_outputs_hides_the_surrogate():
    hidden, apart, warned = PAGE.told('trap').splitlines()[:3]
    assert hidden.endswith('[1. 1. 1.]') and '1.25' in apart
    tells(warned, 'IFNode', '2 float outputs')


def test_the_tape_shows_the_lines_of_that_neuron():
    assert 'node = Neuron()' in PAGE.source('tape')
    assert 'IFNode' not in tells(PAGE.told('tape'), 'spike = self.surrogate(', 'v - self.v_threshold)')


@pytest.fixture
def bench(page) -> figures.Bench:
    return figures.bench(
        page['surrogates'],
        page['Net'],
        lambda net, x, t, frozen: page['train'](net, x, t, frozen, steps=20),
        page['accuracy'],
        page['digits'],
    )


@pytest.mark.slow
def test_the_still_tells_of_every_surrogate(page, bench):
    trained, untrained, *each = bench.shown.text.splitlines()
    tells(trained, 'a = 5, seed 0', 'frozen readout', 'after 20 steps', 'digit 3')
    tells(untrained, 'seed 0', 'before training')
    assert [line.split(' reaches')[0] for line in each] == list(page['surrogates'])
    tells(each[-1], 'reaches 0%')
    tells(each[-2], '−1 to 1')


@pytest.mark.slow
def test_train_and_freeze(bench, monkeypatch):
    monkeypatch.setattr(train, 'FRAME', 0)

    def says(*due):
        shown = {bench.drawn.caption, *texts(of(bench.drawn))}
        assert [each for each in due if not any(each in words for words in shown)] == []

    says('free readout', 'before training')
    assert 'w1 learns nothing' not in texts(of(bench.drawn))
    bench.train()
    says('free readout', 'after 20 steps')
    assert '?' not in texts(of(bench.drawn))
    w2 = bench.nets[0, False, False].w2.asnumpy()
    bench.set(frozen=True)
    says('frozen readout', 'before training')
    bench.train()
    assert not np.allclose(bench.nets[0, True, False].w2.asnumpy(), w2)
    assert np.allclose(bench.nets[0, True, False].w2.asnumpy(), network.Net(nn.relusigmoid()).w2.asnumpy())
    bench.set(detached=True)
    says('frozen readout', 'reset detached', 'before training')
    bench.train()
    assert bench.nets[0, True, True].hidden.detached and not bench.nets[0, True, False].hidden.detached
    bench.set(detached=False)
    bench.set(surrogate=8)
    says('w1 learns nothing', '0%')
    bench.set(frozen=False, surrogate=0)
    says('free readout', 'after 20 steps')
    bench.reset()
    says('before training')
    assert bench.kept == {} and not bench.values['frozen']


@pytest.mark.slow
def test_pictures_keep_their_size_cut_no_words_and_come_quickly(bench, page):
    curves = bench.curve, train.Curve((3.0, 9e5), 300, 0.5)
    each = [bench.values | {'surrogate': choice} for choice in range(10)]
    drawn = [of(bench.picture(values, curve)) for values in each for curve in curves]
    assert len({(each.width, each.height) for each in drawn}) == 1
    assert all(calls(lambda values=values: bench.picture(values, bench.curve)) < MOST for values in each)
    start = figures.Start(*(page[name] for name in ('surrogates', 'Net', 'train', 'accuracy', 'digits')))
    of(figures.gallery(start, list(page['surrogates'])))


@pytest.mark.slow
def test_more_is_closed_at_first(bench):
    known = json.loads(bench.script().partition('const data=')[2].partition(';\n')[0])['controls']
    assert [one['folded'] for one in known] == [False, True, True, True, True]


@pytest.mark.slow
def test_the_figure_takes_a_surrogate_of_ones_own_and_a_triangle_in_any_shape(page, monkeypatch):
    monkeypatch.setattr(train, 'FRAME', 0)
    few = lambda net, x, t, frozen: page['train'](net, x, t, frozen, steps=20)
    two = {'a = 5': page['surrogates']['a = 5'], 'mine': nn.straight_through()}
    shown = figures.bench(two, page['Net'], few, page['accuracy'], page['digits'])
    shown.set(surrogate=1)
    assert shown.drawn.title == 'Surrogate: mine' and '100%' in texts(of(shown.drawn))
    told = []
    shown.tells = lambda said: told.append(json.loads(said['figure']))
    shown.hear({'values': {'width': 0.02}})
    assert told[-1]['values']['surrogate'] == 2 and shown.drawn.title == 'Surrogate: your triangle'
    narrow = shown.drawn.words
    shown.train()
    assert 'after 20 steps' in shown.drawn.caption
    shown.set(height=10.0)
    assert 'before training' in shown.drawn.caption and shown.drawn.words != narrow
    shown.reset()
    assert tuple(shown.values.values()) == (0, False, False, 1.0, 1.0)


@pytest.mark.slow
def test_one_run_is_far_below_ten_seconds(page):
    assert calls(lambda: page['measure'](nn.relusigmoid(), False, False, 0)) < 3_000_000


def test_both_figures_wait_for_the_vote():
    """What they show answers it; the kit keeps a figure back that names a vote."""
    drawn = [cell.source for cell in PAGE.cells.values() if cell.source.startswith('L.figure(')]
    assert len(drawn) == 2 and all(source.endswith(", after='steeper')") for source in drawn)
