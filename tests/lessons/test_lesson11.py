"""What is particular to lesson 11: who runs what in which mode, its figure, and its exercises."""

import linecache
import re

import numpy as np
import pytest

import minicell as ms
from minicell import nn, ops
from minicell.errors import GraphWriteError
from minicell.graph.jitted import bprop_graph
from minicell.teach.about import exercise
from minicell.teach.exercise import run
from minicell.teach.lesson11 import figures
from minicell.teach.lesson11.hunt import CHANGES, HIDDEN, changes
from minicell.teach.lesson11.statements import STATEMENTS, modes
from tests.lessons.answers import Answers, filled
from tests.lessons.figures import holds, texts
from tests.lessons.page import Page
from tests.messages import refused, tells

CHOICE, WEIGHT, HUNT = map(exercise, ('11a', '11b', '11c'))
PAGE = Page('11')


@pytest.fixture(autouse=True)
def eager_again():
    yield
    assert ms.get_context('mode') == ms.PYNATIVE_MODE, 'a lesson leaves the mode as it was'


@pytest.fixture(scope='module')
def stops() -> tuple[type, list]:
    """The class of the notebook, and its list; its lines can be looked up, as those of a cell can."""
    source = 'import minicell as ms\nfrom minicell import nn, ops\n' + PAGE.source('stops')
    linecache.cache['<lesson 11>'] = (len(source), None, source.splitlines(keepends=True), '<lesson 11>')
    space: dict = {'__name__': '__main__'}
    exec(compile(source, '<lesson 11>', 'exec'), space)
    return space['Stops'], space['calls']


def test_five_runs_against_one_and_the_same_gradients():
    eager, graph = PAGE.told('run').splitlines()
    assert eager.endswith('by Python: 5') and graph.endswith('by Python: 1')
    assert re.search(r'\[.*\]', eager)[0] == re.search(r'\[.*\]', graph)[0] == '[2.0, 4.0, 6.0, 8.0, 10.0]'


def test_the_ir_is_that_of_the_real_graph_mode():
    x, square = 'Float32 (2,)', re.search(r'graph Square\.bprop\((.*)\)', PAGE.told('ir'))[1]
    tells(PAGE.told('ir'), 'graph loss(', f'(x0: {x})', '# bprop: its own')
    assert square == f'x0: {x}, x1: {x}, x2: {x}'
    assert '✗' not in tells(PAGE.told('shapes'), '2 traces', '✓')


def test_a_check_of_a_rule_that_counts_asks_it_again_and_puts_the_count_back():
    tells(PAGE.told('checked'), '✗', 'answers differently', 'calls []', keep=False)


def test_print_comes_once_with_a_warning():
    assert tells(PAGE.told('printing'), 'runs once').count('here is bprop') == 1


def test_four_constraints_are_refused_each_with_its_sentence():
    due = 'bool() of', 'a tuple', 'takes *args', 'the Parameter w'
    for part, said in zip(due, PAGE.told('refused').split('\n\n'), strict=False):
        tells(said, part)


def test_a_write_is_a_node_and_pythons_is_refused():
    assert PAGE.told('write').splitlines()[0] == 'True [7. 8. 9.]' and 'b <- c0' in PAGE.told('write')
    assert 'b = Parameter' in PAGE.told('write')
    net = STATEMENTS['A']()

    @ms.jit
    def write():
        net.w = ms.Tensor([1.0, 2.0])

    with refused(GraphWriteError, 'graph of write', 'ops.assign(w,', line='net.w = ms.Tensor'):
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
    with refused(ValueError, 'A.bprop', 'graph mode'):
        bprop_graph(STATEMENTS['A']())


@pytest.mark.slow
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
    film = figures.run_times(*stops).film
    for n, line in ((3, 'dx = 2 * x * dout'), (4, 'dx = 0 * dout')):
        lit = [each.strip() for each in texts(film, n - 1, 'm b')]
        assert lit[0] == line and len(lit) == 2
        tells(lit[1], 'frozen', '`if len(calls) > 3`', 'False')


def test_the_slider(stops):
    figure = holds(figures.run_times(*stops))
    assert (figure.values, figure.opens) == ([*range(1, 9)], 0)
    tells(figure[8].words, 'bprop 8 times', 'bprop once')
    tells(figure.shown.text, '×1.', '×5.', '2 of them')


leaky = filled(CHOICE)

test_other_right_answers_pass = Answers(CHOICE, leaky).passing(
    'mask = (x > 0).astype(dout.dtype)\nreturn (dout * (mask + 0.1 * (1 - mask)),)',
    'return (ops.select(x <= 0, 0.1 * dout, dout),)',
    'return (dout * ops.select(x > 0, ops.ones_like(x), 0.1 * ops.ones_like(x)),)',
    'return (ops.select(out > 0, dout, 0.1 * dout),)',
    'return (0.1 * dout + 0.9 * dout * (x > 0).astype(dout.dtype),)',
)

test_zero_is_tried_and_a_nan_is_said = Answers(CHOICE, leaky).failing(
    ('return (ops.select(x < 0, 0.1 * dout, dout),)', 'at-zero'),
    ('return (dout * out / x,)', ('at x = 0', 'is nan'), 'divide'),
    ('return (out * dout,)', 'construct'),
    ('return (0.1 * dout,)', None),
    ('return (ops.select(x > 1, dout, 0.1 * dout),)', None),
    ('return ops.select(x > 0, dout, 0.1 * dout)', 'a tuple', None),
)

test_construct_stays = Answers(CHOICE).failing((('x, 0.1 * x)', 'x, 0.0 * x)'), ('construct', 'no longer'), None))
test_half_begun_is_not_attempted = Answers(CHOICE, leaky).begun('return (... * dout,)')


def test_the_choice_is_checked_in_either_mode_and_leaves_it():
    right = run(CHOICE.solution, 'Leaky', 'a test')
    assert CHOICE.check(right()).passed
    ms.set_context(mode=ms.GRAPH_MODE)
    assert CHOICE.check(right).passed and ms.get_context('mode') == ms.GRAPH_MODE
    ms.set_context(mode=ms.PYNATIVE_MODE)


def test_what_the_choice_says():
    class Leaky(nn.Cell):
        def construct(self, x):
            return ops.select(x > 0, x, 0.1 * x)

    tells(CHOICE.check(Leaky).said, 'Leaky', 'no bprop')
    said = CHOICE.check_code(CHOICE.mistakes[5].code).said.splitlines()
    assert said[0].startswith('✓ traced') and said[1].startswith('✗ replayed')


@pytest.mark.parametrize(('kind', 'due'), HIDDEN)
def test_each_cell_of_the_hunt_is_what_is_said_of_it(kind, due):
    """Nothing is raised, and the last gradient of a graph is stale after what is named, and only then."""
    for event, n in ((None, 3), (None, 10), ('file', 3), ('global', 3)):
        found = []
        for mode in (ms.PYNATIVE_MODE, ms.GRAPH_MODE):
            ms.set_context(mode=mode)
            with changes():
                cell = kind()
                for _ in range(n - 1):
                    ms.grad(cell)(ms.Tensor([-1.0, 2.0]))
                if event:
                    CHANGES[event]()
                found.append(ms.grad(cell)(ms.Tensor([-1.0, 2.0])).asnumpy().tolist())
        ms.set_context(mode=ms.PYNATIVE_MODE)
        stale = due == (event or ('count' if n == 10 else None))
        assert (found[0] != found[1]) == stale, (event, n, found)


test_the_hunt_is_for_any_good_check = Answers(HUNT).experiments(
    ('[-1.5, 2.0]', '[3.0, -0.5, 1.0]', ''),
    ('same(kind, 10)', 'same(kind, 20)', ''),
    ('same(kind, 2, change)', 'same(kind, 3, change)', ''),
    ('(ms.PYNATIVE_MODE, ms.GRAPH_MODE)', '(ms.GRAPH_MODE, ms.PYNATIVE_MODE)', ''),
    ('    ms.set_context(mode=ms.PYNATIVE_MODE)\n', '', ''),  # the check puts the mode back
    ('[-1.5, 2.0]', '[-1.5]', ('Cell 8', '“right”', 'is “global”')),
    ('same(kind, 10)', 'same(kind, 8)', ('Cell 6', '“right”', 'is “count”')),
    ('    return found[', '    return True or found[', ('same(kind, 10)', 'is True', 'expected False')),
)


def test_same_says_of_two_cells_what_the_text_says(stops):
    exec(HUNT.solution, space := {'__name__': '__main__'})
    listing = PAGE.source('run')
    exec(listing[listing.index('import minicell') : listing.index('for mode')], space)
    kind, calls = stops
    calls.clear()
    assert space['same'](space['Square'], 5) and not space['same'](kind, 5)


def test_the_hunt_leaves_files_options_and_mode_alone():
    before = np.get_printoptions()
    verdict = HUNT.check(lambda kind, changes: [kind(), changes['global'](), changes['file'](), 'nothing'][-1])
    tells(verdict.said, 'Cell 1', "'nothing'", 'is “global”')
    assert np.get_printoptions() == before and HUNT.check(lambda kind, changes: ...).state == 'open'


def test_each_statement_is_run_in_both_modes():
    due = dict(zip('ABCDEF', ('eager only', 'both', 'eager only', 'neither', 'eager only', 'both'), strict=True))
    assert {letter: modes(kind)[0] for letter, kind in STATEMENTS.items()} == due == WEIGHT.due.did
    tells(WEIGHT.check(3).said, 'dict modes', 'int')


test_what_the_sorting_says = Answers(WEIGHT).words(
    ({}, '', 'passed'),
    ({'F': ...}, 'open: F.', ...),
    ({'B': 'never'}, ("'never'", 'none of'), ...),
    ({'B': 'neither', 'A': ...}, ('not “neither”', 'it runs.'), ...),
    ({'A': 'neither'}, ('runs in eager', 'out and dout.”'), ...),
)
