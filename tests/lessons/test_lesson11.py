"""What is particular to lesson 11: who runs what in which mode, its figure, and its exercises."""

import linecache
import re
import time

import numpy as np
import pytest

import minicell as ms
from minicell import nn, ops
from minicell.errors import GraphWriteError
from minicell.graph.jitted import bprop_graph
from minicell.teach import lesson
from minicell.teach.ink.shapes import Box, Text
from minicell.teach.lesson11 import figures
from minicell.teach.lesson11.hunt import HIDDEN, changes
from minicell.teach.lesson11.statements import STATEMENTS, modes
from minicell.teach.order import exercise
from tests.lessons.hunts import experiments
from tests.lessons.notebooks import by_id, read

CHOICE, WEIGHT, HUNT = map(exercise, ('11a', '11b', '11c'))


@pytest.fixture(autouse=True)
def eager_again():
    yield
    assert ms.get_context('mode') == ms.PYNATIVE_MODE, 'a lesson leaves the mode as it was'


def shown(name: str) -> str:
    """What a cell of the committed lesson printed."""
    (out,) = by_id(read('11').cells)[f'l11-{name}'].outputs
    return ''.join(out.get('text', '')) or ''.join(out.data['text/plain'])


@pytest.fixture(scope='module')
def stops() -> tuple[type, list]:
    """The class of the notebook, and its list; its lines can be looked up, as those of a cell can."""
    source = 'import minicell as ms\nfrom minicell import nn, ops\n' + by_id(read('11').cells)['l11-stops'].source
    linecache.cache['<lesson 11>'] = (len(source), None, source.splitlines(keepends=True), '<lesson 11>')
    space: dict = {'__name__': '__main__'}
    exec(compile(source, '<lesson 11>', 'exec'), space)
    return space['Stops'], space['calls']


# ---- what the cells show -------------------------------------------------------------------------------------------


def test_five_runs_against_one_and_the_same_gradients():
    eager, graph = shown('run').splitlines()
    assert eager.endswith('by Python: 5') and graph.endswith('by Python: 1')
    assert re.search(r'\[.*\]', eager)[0] == re.search(r'\[.*\]', graph)[0] == '[2.0, 4.0, 6.0, 8.0, 10.0]'


def test_the_ir_is_that_of_the_real_graph_mode():
    said = shown('ir')
    assert 'graph loss(x0: Float32 (2,))' in said and '# bprop: its own' in said
    assert 'graph Square.bprop(x0: Float32 (2,), x1: Float32 (2,), x2: Float32 (2,))' in said
    assert said.rstrip().endswith('runs by Python: loss 1, bprop 1')
    assert shown('shapes').startswith('2 traces') and '✓' in shown('shapes') and '✗' not in shown('shapes')


def test_a_check_of_a_rule_that_counts_depends_on_when_it_is_run():
    assert re.findall('^[✓✗]', shown('checked'), re.M) == ['✓', '✗']


def test_print_comes_once_with_a_warning():
    assert shown('printing').count('here is bprop') == 1 and 'it runs once, now' in shown('printing')


def test_four_constraints_are_refused_each_with_its_sentence():
    said = shown('refused').split('\n\n')
    for part, line in zip(
        ('bool() of a Tensor', 'is a tuple', 'takes *args', 'uses the Parameter w'), said, strict=False
    ):
        assert part in line


def test_a_write_is_a_node_and_pythons_is_refused():
    assert shown('write').splitlines()[0] == 'True [7. 8. 9.]' and 'b <- c0' in shown('write')
    assert 'b = Parameter' in shown('write')
    net = STATEMENTS['A']()

    @ms.jit
    def write():
        net.w = ms.Tensor([1.0, 2.0])

    with pytest.raises(GraphWriteError):
        write()


def test_the_rule_about_parameters_is_for_bprop_alone():
    """As the text says: a graph could use one. That of a construct follows a new value without a new trace."""

    class Scales(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = ms.Parameter(ms.Tensor(2.0), name='w')

        def construct(self, x):
            return self.w * x

    net = Scales()
    fast = ms.jit(net)
    assert fast(ms.Tensor(3.0)).item() == 6 and 'w = Parameter' in str(fast.graphs[0])
    net.w.set_data(ms.Tensor(5.0))
    assert fast(ms.Tensor(3.0)).item() == 15 and fast.traced == 1


def test_a_setting_that_changes_is_traced_anew():
    """As the text says: attributes and plain numbers are remembered, a list is not."""

    class Setting(nn.Cell):
        def __init__(self):
            super().__init__()
            self.loud = True

        def construct(self, x):
            return x * x

        def bprop(self, x, out, dout):
            return (2 * x * dout if self.loud else 0 * dout,)

    net = Setting()
    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        assert ms.grad(net)(ms.Tensor(3.0)).item() == 6
        net.loud = False
        assert ms.grad(net)(ms.Tensor(3.0)).item() == 0
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)


def test_a_bprop_without_a_graph_has_none_to_show():
    with pytest.raises(ValueError, match=r'no graph of A\.bprop yet: take a gradient in graph mode first'):
        bprop_graph(STATEMENTS['A']())


def test_torch_fx_traces_the_forward_of_a_function_and_leaves_its_backward_out():
    torch = pytest.importorskip('torch')
    fx = pytest.importorskip('torch.fx')
    ran = []

    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * x

        @staticmethod
        def backward(ctx, dout):
            ran.append('backward')
            return 100 * dout

    graph = fx.symbolic_trace(lambda x: Square.apply(x).sum())
    x = torch.tensor([3.0], requires_grad=True)
    graph(x).backward()
    assert (x.grad.tolist(), ran) == ([6.0], [])


# ---- the figure ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize('n', range(1, 9))
def test_python_runs_n_times_against_once(stops, n):
    eager, graph = (figures.runs(*stops, n, mode) for mode in (ms.PYNATIVE_MODE, ms.GRAPH_MODE))
    assert (sum(eager.python), sum(graph.python)) == (n, 1)
    assert eager.gradients == [2.0, 4.0, 6.0, 0.0, 0.0, 0.0, 0.0, 0.0][:n]
    assert graph.gradients == [2.0 * k for k in range(1, n + 1)]


def test_the_figure_leaves_the_learners_list_and_mode_alone(stops):
    stops[1][:] = [7]
    figures.runs(*stops, 3, ms.GRAPH_MODE)
    assert stops[1] == [7]

    class Broken(nn.Cell):
        def construct(self, x):
            return x.nothing

    with pytest.raises(AttributeError):
        figures.runs(Broken, stops[1], 3, ms.GRAPH_MODE)
    assert stops[1] == [7]


def test_one_branch_is_lit_and_the_frozen_line(stops):
    for n, line in ((3, 'dx = 2 * x * dout'), (4, 'dx = 0 * dout')):
        drawn = figures.draw(*stops, n)
        lit = [shape.text.strip() for shape in drawn.shapes if isinstance(shape, Text) and shape.mono and shape.bold]
        assert lit == [line, 'frozen: `if len(calls) > 3` was False']


def test_pictures_keep_their_size_and_cut_no_words_and_come_quickly(stops):
    drawn, times = [], []
    for n in range(1, 9):
        begun = time.perf_counter()
        drawn.append(figures.draw(*stops, n))
        times.append(time.perf_counter() - begun)
    assert len({each.size for each in drawn}) == 1 and np.median(times) < 0.15
    for each in drawn:
        for shape in each.shapes:
            if isinstance(shape, Text):
                x, _, w, _ = shape.box
                assert not shape.full and x >= 0 and x + w <= figures.WIDTH, shape
            elif isinstance(shape, Box):
                assert shape.x >= 0 and shape.x + shape.w <= figures.WIDTH and shape.y + shape.h <= figures.HEIGHT


def test_the_slider(stops):
    figure = figures.run_times(*stops)
    assert (figure.control.min, figure.control.value, figure.control.max) == (1, 1, 8)
    figure.control.value = 8
    assert 'Python ran bprop 8 times' in figure.picture.value and 'Python ran bprop once' in figure.picture.value
    still = figure.shown._repr_mimebundle_()['text/plain']
    assert '×1.' in still and '×5.' in still and '2 of them not as in eager mode' in still


# ---- the exercises -------------------------------------------------------------------------------------------------


class Leaky(nn.Cell):
    def construct(self, x):
        return ops.select(x > 0, x, 0.1 * x)


def test_other_right_answers_pass():
    class ByMask(Leaky):
        def bprop(self, x, out, dout):
            mask = (x > 0).astype(dout.dtype)
            return (dout * (mask + 0.1 * (1 - mask)),)

    assert CHOICE.check(ByMask).passed and CHOICE.check(ByMask()).passed
    ms.set_context(mode=ms.GRAPH_MODE)
    assert CHOICE.check(ByMask).passed and ms.get_context('mode') == ms.GRAPH_MODE
    ms.set_context(mode=ms.PYNATIVE_MODE)


def test_what_the_choice_says():
    class Half(Leaky):
        def bprop(self, x, out, dout):
            return (... * dout,)

    class Bare(Leaky):
        def bprop(self, x, out, dout):
            return ops.select(x > 0, dout, 0.1 * dout)

    assert CHOICE.check(Half).state == 'open' and 'is a tuple' in CHOICE.check(Bare).said
    assert 'Leaky has no bprop of its own' in CHOICE.check(Leaky).said
    said = CHOICE.check_code(CHOICE.mistakes[5].code).said.splitlines()
    assert said[0].startswith('✓ traced') and said[1].startswith('✗ replayed')


def leaky(bprop):
    """A Leaky with this bprop."""
    return type('Mine', (Leaky,), {'bprop': bprop})


@pytest.mark.parametrize(
    ('bprop', 'named'),
    [
        (lambda self, x, out, dout: (ops.select(x <= 0, 0.1 * dout, dout),), ''),
        (lambda self, x, out, dout: (dout * ops.select(x > 0, ops.ones_like(x), 0.1 * ops.ones_like(x)),), ''),
        (lambda self, x, out, dout: (ops.select(out > 0, dout, 0.1 * dout),), ''),
        (lambda self, x, out, dout: (0.1 * dout + 0.9 * dout * (x > 0).astype(dout.dtype),), ''),
        (lambda self, x, out, dout: (ops.select(x < 0, 0.1 * dout, dout),), 'at-zero'),
        (lambda self, x, out, dout: (dout * out / x,), 'divide'),
        (lambda self, x, out, dout: (out * dout,), 'construct'),
        (lambda self, x, out, dout: (0.1 * dout,), None),
        (lambda self, x, out, dout: (ops.select(x > 1, dout, 0.1 * dout),), None),
    ],
)
def test_zero_is_tried_and_a_nan_is_said(bprop, named):
    verdict = CHOICE.check(leaky(bprop))
    assert verdict.passed == (named == ''), verdict
    assert (verdict.mistake.name if verdict.mistake else None) == (named or None)
    assert named != 'divide' or 'at x = 0 your gradient is nan' in verdict.said


@pytest.mark.parametrize(('kind', 'due'), HIDDEN)
def test_each_cell_of_the_hunt_is_what_is_said_of_it(kind, due):
    """Nothing is raised, and the last gradient of a graph is stale after what is named, and only then."""
    for event, n in ((None, 3), (None, 10), ('file', 3), ('global', 3)):
        found = []
        for mode in (ms.PYNATIVE_MODE, ms.GRAPH_MODE):
            ms.set_context(mode=mode)
            with changes() as change:
                cell = kind()
                for _ in range(n - 1):
                    ms.grad(cell)(ms.Tensor([-1.0, 2.0]))
                if event:
                    change[event]()
                found.append(ms.grad(cell)(ms.Tensor([-1.0, 2.0])).asnumpy().tolist())
        ms.set_context(mode=ms.PYNATIVE_MODE)
        stale = due == (event or ('count' if n == 10 else None))
        assert (found[0] != found[1]) == stale, (event, n, found)


test_the_hunt_is_for_any_good_check = experiments(
    HUNT,
    [
        ('[-1.5, 2.0]', '[3.0, -0.5, 1.0]', ''),
        ('same(kind, 10)', 'same(kind, 20)', ''),
        ('same(kind, 2, change)', 'same(kind, 3, change)', ''),
        ('(ms.PYNATIVE_MODE, ms.GRAPH_MODE)', '(ms.GRAPH_MODE, ms.PYNATIVE_MODE)', ''),
        ('    ms.set_context(mode=ms.PYNATIVE_MODE)\n', '', ''),  # the check puts the mode back
        ('[-1.5, 2.0]', '[-1.5]', 'Cell 8: you say “right”; it is “global”'),
        ('same(kind, 10)', 'same(kind, 8)', 'Cell 6: you say “right”; it is “count”'),
    ],
)


def test_same_says_of_two_cells_what_the_text_says(stops):
    space: dict = {'__name__': '__main__'}
    exec(HUNT.solution, space)
    listing = by_id(read('11').cells)['l11-run'].source
    exec(listing[listing.index('import minicell') : listing.index('for mode')], space)
    kind, calls = stops
    calls.clear()
    assert space['same'](space['Square'], 5) and not space['same'](kind, 5)


def test_the_hunt_leaves_files_options_and_mode_alone():
    before = np.get_printoptions()
    verdict = HUNT.check(lambda kind, changes: [kind(), changes['global'](), changes['file'](), 'nothing'][-1])
    assert "Cell 1: you say 'nothing', which is none of the four words; it is “global”" in verdict.said
    assert np.get_printoptions() == before and HUNT.check(lambda kind, changes: ...).state == 'open'


def test_each_statement_is_run_in_both_modes():
    assert {letter: modes(kind)[0] for letter, kind in STATEMENTS.items()} == {
        'A': 'eager only',
        'B': 'both',
        'C': 'eager only',
        'D': 'neither',
        'E': 'eager only',
        'F': 'both',
    }


def test_what_the_sorting_says():
    right = {letter: modes(kind)[0] for letter, kind in STATEMENTS.items()}
    assert WEIGHT.check(right).passed
    assert 'Still open: F.' in WEIGHT.check({**right, 'F': ...}).said
    assert "'never' is none of the three words" in WEIGHT.check({**right, 'B': 'never'}).said
    assert 'B is not “neither”. Tried in both modes: it runs' in WEIGHT.check({**right, 'B': 'neither'}).said
    assert 'the dict modes; it got int' in WEIGHT.check(3).said


def test_the_lesson_is_set_up():
    L = lesson('11')
    assert list(L.about.exercises) == ['11a', '11b', '11c'] and L.check('11a').state == 'open'
