"""What is particular to lesson 12: its table is what its own code measures, its figure, and its exercises."""

import ast
import json
import time
from pathlib import Path

import numpy as np
import pytest

import minicell as ms
from minicell import nn, ops
from minicell.teach import lesson, train
from minicell.teach.ink.shapes import Text
from minicell.teach.lesson12 import figures, network, surrogates, table
from minicell.teach.lesson12.trials import found
from minicell.teach.order import exercise
from tests.lessons.notebooks import by_id, read

RULE, OWN, RESCUE, HUNT = map(exercise, ('12a', '12b', '12c', '12d'))


@pytest.fixture(scope='module')
def page() -> dict:
    """What the cells of the notebook define, up to the table."""
    cells, space = by_id(read('12').cells), {}
    for name in ('data', 'network', 'table'):
        exec(cells[f'l12-{name}'].source, space)
    return space


def defined(source: str) -> dict[str, str]:
    """The functions, classes and constants of a source."""
    return {
        ast.unparse(node).split('(')[0].split(' =')[0]: ast.dump(node)
        for node in ast.parse(source).body
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Assign)
    }


def test_the_exercises_train_what_the_notebook_shows():
    cells = by_id(read('12').cells)
    shown = defined(cells['l12-data'].source) | defined(cells['l12-network'].source)
    for name, code in defined(Path(network.__file__).read_text(encoding='utf-8')).items():
        assert shown[name] == code, name


# ---- the table -----------------------------------------------------------------------------------------------------


def test_the_stored_table_is_what_the_notebooks_code_measures(page):
    for name, frozen in page['table']:
        again = page['measure'](name, frozen, 0)
        assert again == pytest.approx(page['table'][name, frozen][0], abs=0.006), (name, frozen)


def test_it_has_seven_surrogates_two_readouts_and_three_seeds(page):
    assert len(page['surrogates']) == 7 and len(page['table']) == 14
    assert all(len(of) == table.SEEDS == 3 for of in page['table'].values())


def test_what_the_text_says_of_it(page):
    mean = page['mean']
    assert mean['true derivative', False] > 0.85 and mean['true derivative', True] < 0.15
    assert mean['a = 25', False] > 0.9 and 0.3 < mean['a = 25', True] < 0.7
    assert mean['a = 100', True] < 0.25
    assert all(mean[name, frozen] > 0.9 for name in ('a = 1', 'a = 5') for frozen in (False, True))
    assert 0.8 < mean['straight through', True] < 0.92 < mean['straight through', False]
    assert mean['triangular', False] < mean['true derivative', False] and mean['triangular', True] < 0.35
    printed = by_id(read('12').cells)['l12-shown'].outputs[0].data['text/plain']
    for name in page['surrogates']:
        assert f'{mean[name, False]:.3f}' in printed and f'{mean[name, True]:.3f}' in printed


def test_anew_measures_every_run_and_a_build_keeps_them(monkeypatch, tmp_path):
    asked = []

    def measure(*run):
        asked.append(run)
        return len(asked) / 8

    assert table.kept(measure, ['a = 1'], anew=True)['a = 1', True] == [0.5, 0.625, 0.75]
    assert asked == [('a = 1', frozen, seed) for frozen in (False, True) for seed in range(3)]
    monkeypatch.setattr(table, 'FILE', tmp_path / 'table.json')
    monkeypatch.setenv(table.SWITCH, '1')
    made = table.kept(measure, ['b'])
    assert json.loads(table.FILE.read_text()) == {'b, free': made['b', False], 'b, frozen': made['b', True]}
    monkeypatch.delenv(table.SWITCH)
    assert table.kept(measure, ['b']) == made and len(asked) == 12


@pytest.mark.parametrize('a', [5, 100])
def test_the_last_digits_of_a_machine_change_nothing(page, a):
    rng = np.random.default_rng(0)

    class Shaken(nn.relusigmoid):
        def bprop(self, x, out, dout):
            (dx,) = super().bprop(x, out, dout)
            return (dx * ms.Tensor(1 + 4e-16 * rng.standard_normal(dx.shape)),)

    x, t = page['digits'](100, np.random.default_rng(0))
    runs = [list(page['train'](page['Net'](of), x, t, steps=100)) for of in (nn.relusigmoid(a), Shaken(a))]
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
    printed = by_id(read('12').cells)['l12-trap'].outputs[0].text.splitlines()
    assert printed[0].endswith('[1. 1. 1.]') and '1.25' in printed[1] and 'IFNode has 2 float outputs' in printed[2]


# ---- the figure ----------------------------------------------------------------------------------------------------


@pytest.fixture
def bench(page) -> figures.Bench:
    return figures.bench(
        page['table'],
        page['surrogates'],
        page['Net'],
        lambda net, x, t, frozen: page['train'](net, x, t, frozen, steps=20),
        page['accuracy'],
        page['digits'],
    )


def test_the_still_tells_of_every_surrogate(page, bench):
    said = bench.shown._repr_mimebundle_()['text/plain'].splitlines()
    assert said[0].startswith('Surrogate a = 5, frozen readout, after 20 steps') and 'spikes for the digit 3' in said[0]
    assert [line.split(':')[0] for line in said[1:]] == list(page['surrogates'])
    assert 'reaches 0% of the membranes' in said[-1] and '|dW1| 0.00' in said[-1]
    assert 'slope goes from −1.00 to 1.00' in said[-2]


def test_train_and_freeze(bench, monkeypatch):
    monkeypatch.setattr(train, 'FRAME', 0)
    assert 'free readout, before training' in bench.picture.value and 'w1 hears' not in bench.picture.value
    bench.start.click()
    assert 'free readout, after 20 steps' in bench.picture.value and '>?<' not in bench.picture.value
    w2 = bench.nets[0, False].w2.asnumpy()
    bench.frozen.value = True
    assert 'frozen readout, before training' in bench.picture.value
    bench.start.click()
    assert not np.allclose(bench.nets[0, True].w2.asnumpy(), w2)
    assert np.allclose(bench.nets[0, True].w2.asnumpy(), network.Net(nn.relusigmoid()).w2.asnumpy())
    bench.choice.value = 6
    assert 'w1 hears nothing' in bench.picture.value and '>0%<' in bench.picture.value
    bench.frozen.value, bench.choice.value = False, 0
    assert 'free readout, after 20 steps' in bench.picture.value
    bench.reset()
    assert 'before training' in bench.picture.value and not bench.kept and not bench.other


def test_pictures_keep_their_size_cut_no_words_and_come_quickly(bench, page):
    drawn, times = [], []
    for choice in range(7):
        begun = time.perf_counter()
        drawn.append(bench.draw(choice, bench.curve))
        times.append(time.perf_counter() - begun)
        drawn.append(bench.draw(choice, train.Curve((3.0, 9e5), 300, 0.5)))
    assert len({each.size for each in drawn}) == 1 and np.median(times) < 0.15
    start = figures.Start(*(page[name] for name in ('surrogates', 'Net', 'train', 'accuracy', 'digits')))
    for each in [*drawn, figures.gallery(page['table'], start)]:
        for shape in each.shapes:
            if isinstance(shape, Text):
                x, _, w, _ = shape.box
                assert not shape.full and x >= 0 and x + w <= each.size[0], shape


def test_one_run_is_far_below_ten_seconds(page):
    begun = time.process_time()
    page['measure']('a = 5', False, 0)
    assert time.process_time() - begun < 5


# ---- the exercises -------------------------------------------------------------------------------------------------


def test_other_right_answers_pass():
    class Atan(nn.Surrogate):
        def slope(self, x):
            return 1 / (1 + (2 * x) ** 2)

    assert OWN.check(Atan).passed and OWN.check(Atan()).passed
    assert RESCUE.check({'v_threshold': 0.02, 'learning_rate': 0.01, 'steps': 300}).passed

    class Other(nn.Cell):
        def construct(self, x):
            return ops.greater(x, 0).astype(x.dtype)

        def bprop(self, x, out, dout):
            return (dout * 1.25 * (1 - ops.tanh(2.5 * x) ** 2),)

    assert RULE.check(Other).passed


def test_what_the_checks_say():
    class Sum(nn.Surrogate):
        def slope(self, x):
            return x.sum()

    class Smooth(nn.relusigmoid):
        def construct(self, x):
            return ops.sigmoid(5 * x)

    assert 'one number for each x, in its shape; got shape ()' in OWN.check(Sum).said
    assert 'no longer the step' in RULE.check(Smooth).said
    assert (
        'the class relusigmoid, or a Cell made of it; it got list' in RULE.check([]).said
        and 'an nn.Surrogate; it got int' in OWN.check(3).said
    )
    assert 'Still open: steps. It was 300.' in RESCUE.check({'v_threshold': 0.1, 'learning_rate': 0.01}).said
    assert "number above 0, but got 'x'" in RESCUE.check({'v_threshold': 'x', 'learning_rate': 1, 'steps': 1}).said
    said = RESCUE.check({'v_threshold': 1, 'learning_rate': 0.01, 'steps': 9999}).said
    assert 'no more than 600 steps are tried' in said
    half = {letter: word for letter, (word, _) in found().items() if letter in 'AB'}
    assert 'Still open: C, D, E.' in HUNT.check(half).said
    assert (
        "'odd' is none of the five words" in HUNT.check({'A': 'odd'}).said and 'the dict verdicts' in HUNT.check(3).said
    )


def test_the_hunt_is_decided_by_measuring():
    assert sorted(word for word, _ in found().values()) == sorted(surrogates.FAULTS)
    assert found()['C'][0] == 'sign' and surrogates.SUSPECTS['C'] is surrogates.Triangular


def test_the_lesson_is_set_up():
    L = lesson('12')
    assert list(L.about.exercises) == ['12a', '12b', '12c', '12d'] and L.check('12a').state == 'open'
