"""What is particular to lesson 01: the tape that it counts, its figure and its ordering."""

import re

import pytest

import minicell as ms
from minicell import nn, ops
from minicell.core.watch import Op
from minicell.teach.about import exercise
from minicell.teach.exercise import run
from minicell.teach.lesson01 import PROGRAMS, STEPS, right
from minicell.teach.lesson01.entries import HIDDEN, WORDS, engine, entries_of
from minicell.teach.lesson01.figures import branch, called
from tests.lessons.answers import Answers, changed, indented, mistake_of
from tests.lessons.figures import holds
from tests.lessons.page import Page
from tests.messages import tells

ORDER, LOOP, RULE, HUNT = map(exercise, ('1a', '1b', '1c', '1d'))
RIGHT = ['start', 'log', 'mul 2', 'mul 1', 'sin', 'dx']
PAGE = Page('01')


class Steps(nn.Cell):
    """The Cell of the lesson."""

    def construct(self, x):
        y = x
        for _ in range(3):
            y = y * 2
        if y > 20:
            y = ops.sqrt(y)
        return y


NET = Steps()


def entries(tape):
    return [event.rule.name for event in tape.events if isinstance(event, Op) and event.state == 'recorded']


@pytest.mark.parametrize(('x', 'names', 'slope'), [(2.0, ['Mul'] * 3, 8.0), (3.0, ['Mul'] * 3 + ['Sqrt'], 4 / 24**0.5)])
def test_what_ran_has_left_entries(x, names, slope):
    with ms.Tape() as tape:
        got = ms.grad(NET)(ms.Tensor(x))
    assert entries(tape) == names
    assert float(got) == pytest.approx(slope, rel=1e-6)


def test_the_notebook_says_how_many():
    shown = {
        name: [each['shown'] for each in PAGE.cell(name).metadata['minicell']['numbers']]
        for name in ('predict', 'why', 'document-note', 'branch-note')
    }
    assert shown['why'] == ['3', '8'] and shown['document-note'] == ['2'] and shown['predict'] == ['16']
    assert float(shown['branch-note'][0]) * 8 == 20  # where the slider crosses the `if`
    assert [float(number) for number in shown['branch-note'][1:]] == [8.0, round(4 / 20.8**0.5, 2)]


def test_the_graph_needs_no_dot(monkeypatch):
    """The aside in the lesson: without the program, the picture of the tape and a line that says so."""
    assert re.findall(r'> ```python\n> (.*)\n> ```', PAGE.source('graph')) == ['tape.to_dot()']
    monkeypatch.setenv('PATH', '')
    with ms.Tape() as tape:
        ms.grad(NET)(ms.Tensor(2.0))
    bundle = tape.to_dot()._repr_mimebundle_()
    assert 'class="mc2"' in bundle['text/html'] and 'Mul writes entry 1' in bundle['text/html']
    assert 'dot' in bundle['text/html'].partition('</p>')[0] and 'dot' in bundle['text/plain'].splitlines()[0]


def test_entries_come_and_go_with_the_input():
    figure = holds(branch(NET))
    for x, count, slope in ((0.0, 3, '8.'), (2.5, 3, '8.'), (2.6, 4, '0.877'), (5.0, 4, '0.632')):
        page = figure[x].words
        tells(page, f'{count} entries', f'Gradient of x: {slope}', 'left none' if count == 3 else '4 Sqrt')


def test_the_line_that_did_not_run_wrote_nothing():
    figure = branch(NET)
    tells(figure[2.0].words, 'ops.sqrt(y)', 'did not run', '3 entries')
    assert 'did not run' not in tells(figure[3.0].words, '4 Sqrt giving 4.90')
    lines = [entry.line for entry in called(NET, 3.0).entries]
    assert lines[0] == lines[1] == lines[2] == lines[3] - 2  # one line three times, and another one


def test_the_order_is_that_of_the_real_tape():
    assert right() == RIGHT
    assert set(STEPS) - set(right()) == {'exp', 'if'}
    assert [step for step in STEPS if step in right()] != right(), 'offered in the right order'
    assert all(f"# '{step}' " in ORDER.start for step in STEPS)


def test_the_program_on_the_page_is_the_one_that_runs():
    """Read from the page, run, and ordered: the same steps."""
    page = re.search(r'```python\n(.*?)```', PAGE.source('exercise'), re.DOTALL)[1]
    for source in (page, PAGE.source('entries')):  # 1a, and 1b, where it is written shorter
        space = {'ops': ops}
        exec(source, space)
        with ms.Tape() as tape:
            ms.grad(space['wave'])(ms.Tensor(1.0))
        assert entries(tape) == ['Sin', 'Mul', 'Mul', 'Log']


@pytest.mark.parametrize(
    ('order', 'named'),
    [
        (['start', 'log', 'mul 1', 'mul 2', 'dx', 'sin'], ''),
        (['start', 'sin', 'mul 1', 'mul 2', 'log', 'dx'], 'forward'),
        (['start', 'sin', 'mul 2', 'mul 1', 'log', 'dx'], ''),  # two are exchanged: not all lines from top to bottom
        (['start', 'mul 2', 'log', 'mul 1', 'sin', 'dx'], ''),
        (['dx', 'log', 'mul 2', 'mul 1', 'sin', 'start'], ''),
        (['start', 'exp', 'mul 2', 'mul 1', 'sin', 'dx'], 'other-branch'),
        (['start', 'log', 'exp', 'mul 2', 'mul 1', 'sin'], 'both-branches'),
        (['log', 'mul 2', 'mul 1', 'sin', 'dx', 'start'], 'starts-late'),
        (['start', 'if', 'log', 'mul 2', 'mul 1', 'sin'], 'decides-again'),
    ],
)
def test_a_half_right_order_is_told_its_belief(order, named):
    verdict = ORDER.check(order)
    assert verdict.state == 'failed' and (mistake_of(verdict) or '') == named, verdict


@pytest.mark.parametrize(
    ('given', 'told'),
    [
        ((*RIGHT[1:], 'start'), 'is place 1'),
        ([*RIGHT[:5], ...], '6 places; 5'),
        (RIGHT[:2], '6 places; 2'),
        ([*RIGHT[:5], 'cos', 3], "no step 'cos', 3"),
        ([['sin'], 'log'], 'no step'),
        ('start', 'got str'),
        (dict.fromkeys(RIGHT), 'got dict'),
    ],
)
def test_an_order_is_told_where_to_look(given, told):
    verdict = ORDER.check(given)
    assert verdict.state == 'failed' and ORDER.check(tuple(RIGHT)).passed
    tells(repr(verdict), '1a', told)
    assert ORDER.check([..., ...]).state == ORDER.check([]).state == 'open'


@pytest.mark.parametrize('stored', [m for m in ORDER.mistakes if 'branch' in m.name], ids=lambda stored: stored.name)
def test_no_hint_tells_of_an_order_that_is_not_there(stored):
    """These hints are given wherever `exp` stands in an answer: they speak of nothing but the tape."""
    assert 'left out' not in tells(stored.hint, '`ops.exp`', 'rule')


def loop(body: str, first: str = 'gradients = {result: 1.0}') -> str:
    before = 'from collections import defaultdict\nNAN = float("nan")\n'
    return f'{before}def read_back(entries, result):\n    {first}\n{indented(body, 4)}\n'


FILL = 'for name, g in zip(entry.inputs, entry.rule({dout})): gradients[name] = gradients.get(name, 0.0) + g'
SKIP = 'if entry.out not in gradients: continue'

test_other_right_loops_pass = Answers(LOOP, str).passing(
    loop(f'for entry in entries[::-1]:\n  {SKIP}\n  {FILL.format(dout="gradients[entry.out]")}\nreturn gradients'),
    loop(
        'rest = [*entries]\nwhile rest:\n  entry = rest.pop()\n  dout = gradients.get(entry.out)\n'
        '  if dout is None: continue\n'
        f'  {FILL.format(dout="dout")}\nreturn gradients'
    ),
    loop(
        'for k in range(len(entries) - 1, -1, -1):\n  e = entries[k]\n'
        '  for name, g in zip(e.inputs, e.rule(gradients[e.out])): gradients[name] += g\nreturn gradients',
        'gradients = defaultdict(float); gradients[result] += 1',
    ),
    loop(
        'for op, inputs, out, rule in entries[::-1]:\n  if out in gradients:\n'
        '    gs = rule(gradients[out])\n    for k in range(len(gs)):\n'
        '      gradients[inputs[k]] = gs[k] + gradients.get(inputs[k], 0)\nreturn gradients'
    ),
    loop(
        'for entry in sorted(entries, key=lambda e: -int(e.out[1:])):\n'
        f'  {FILL.format(dout="gradients.get(entry.out, 0)")}\nreturn gradients'
    ),
)

GET, END = FILL.format(dout='gradients[entry.out]'), 'return gradients'

test_a_wrong_loop_fails_on_some_program = Answers(LOOP, loop).failing(
    (f'for entry in entries:\n  {SKIP}\n  {GET}\n{END}', 'forward'),
    (f'for entry in reversed(entries):\n  {GET}\n{END}', 'all-lead-there'),
    (f'for entry in reversed(entries):\n  {SKIP}\n  {GET.replace("+ g", "- g")}\n{END}', None),
    (f'for entry in reversed(entries):\n  if entry.out in gradients:\n    {GET}\n  {END}', 'returns-inside'),
    (f'for entry in reversed(entries):\n  {SKIP}\n  {GET}', None),
    (f'for entry in reversed(entries[1:]):\n  {SKIP}\n  {GET}\n{END}', None),
    (f'gradients = {{entries[-1].out: 1.0}}\nfor entry in reversed(entries):\n  {SKIP}\n  {GET}\n{END}', None),
    (f'for entry in reversed(entries):\n  {SKIP}\n  {GET.replace("0.0", "1.0")}\n{END}', None),
    (f'for entry in reversed(entries):\n  {SKIP}\n  {GET.replace("+ g", "+ abs(g)")}\n{END}', None),
    (f'for entry in reversed(entries):\n  {SKIP}\n  {GET.replace("+ g", "* NAN")}\n{END}', None),
    (
        f'for entry in reversed(entries):\n  {SKIP}\n  {GET.replace("gradients.get(name, 0.0) + ", "")}\n{END}',
        'overwrites',
    ),
    ('return {result: 1.0, "x": 0.642092615934331}', None),
    (f'entries.reverse()\nfor entry in entries:\n  {SKIP}\n  {GET}\n{END}', 'changed the list', None),
    (f'for entry in reversed(entries):\n  {SKIP}\n  {GET.replace("s[entry.out]", "s.pop(entry.out)")}\n{END}', None),
)


def test_the_programs_of_the_loop_ask_for_all_of_it():
    """A value used twice by two entries and by one, an entry that leads nowhere, and a tape without an entry."""
    tapes = [entries_of(function, *inputs) for function, inputs in PROGRAMS.values()]
    used = [[name for entry in entries for name in entry.inputs] for entries, _ in tapes]
    assert any(len(entry.inputs) == 2 > len(set(entry.inputs)) for entries, _ in tapes for entry in entries)
    assert any(len(set(names)) < len(names) for names in used)
    assert any(entries[-1].out != result for entries, result in tapes if entries)
    assert any(
        entries[0].out not in {*names, result} for (entries, result), names in zip(tapes, used, strict=True) if entries
    )
    assert ([], 'x') in tapes


def test_a_dout_goes_into_a_rule_as_a_factor():
    for entry in entries_of(PROGRAMS['x * y + x'][0], 3.0, 2.0)[0]:
        assert entry.rule(-2.5) == tuple(-2.5 * gradient for gradient in entry.rule(1.0))


def test_the_engine_of_the_lesson_agrees_with_ms_grad():
    mine, due = (float(line.split()[-1]) for line in PAGE.told('engine').splitlines())
    assert mine == due != 0


@pytest.mark.parametrize('function', [f for f, inputs in PROGRAMS.values() if len(inputs) == 1])
@pytest.mark.parametrize('x', [0.1, 0.7, 2.0])
def test_the_right_engine_is_right(function, x):
    assert engine(function, x) == pytest.approx(ms.grad(function)(ms.Tensor(x, ms.float64)).item())


def test_a_rule_that_is_handed_in_is_the_one_that_is_called():
    assert engine(lambda x: ops.sin(x) * 3, 2.0, Sin=lambda x, out, dout: (7 * dout,)) == 21.0


product = lambda returned: changed(RULE.solution, ('y * dout, x * dout', returned))
test_a_list_of_gradients_is_a_rule = Answers(RULE, product).passing('[y * dout, x * dout]')
test_another_rule_of_a_product_fails = Answers(RULE, product).failing(
    ('x * y / x * dout, out / y * dout', ('at x = 0', 'x = 2 and -1'), 'divides'),
    *[(each, None) for each in ('y * dout, 0', 'y * dout', 'dout / 0, x', 'None')],
)


def test_the_learners_rule_runs_as_the_bprop_of_a_cell(capsys):
    """The swap shows where the inputs differ; a rule that is not right yet gives way to that of the solution."""
    for code in (RULE.solution, RULE.start, *(mistake.code for mistake in RULE.mistakes)):
        exec(code, space := {'ms': ms, 'nn': nn, '__name__': '__main__'})
        exec(PAGE.source('product'), space)
        printed = tells(capsys.readouterr().out, 'its dx', 'y: 1.0\n')
        assert 'ellipsis' not in printed and re.findall(r': ([✓✗])', printed) == list('✓✗✓✓')
        assert ('yours' in printed.splitlines()[0]) == (code == RULE.solution)
    for mistake in (each for each in RULE.mistakes if each.name != 'divides'):  # that one is wrong at 0 alone
        wrong = space['Product'](run(mistake.code, 'mul', mistake.name))
        assert not ms.check_bprop(wrong, ms.Tensor(3.0), ms.Tensor(2.0)).ok


def test_every_bug_is_silent_and_each_word_is_due():
    assert {word for _, word in HIDDEN} == set(WORDS)
    for suspect, word in HIDDEN:
        off = [suspect(f, x) != pytest.approx(engine(f, x)) for f in SMALL for x in (-2.0, 0.5, 2.0)]
        assert any(off) == (word != 'right'), word


SMALL = (ops.sin, ops.exp, lambda x: ops.sin(ops.sin(x)), lambda x: x * x)

test_the_hunt_is_for_any_good_experiment = Answers(HUNT).experiments(
    ('x * x)', 'x + x)', ''),
    ('ops.sin(ops.sin(x))', 'ops.exp(ops.sin(x))', ''),
    ('ops.sin(ops.sin(x))', 'ops.exp(ops.exp(x))', ''),  # a slope of thousands
    ('ops.sin(ops.sin(x))', '2 * ops.sin(x)', ''),
    ('(-2.0, 0.5, 2.0)', '(0.5, 2.0)', ''),
    ('(-2.0, 0.5, 2.0)', '(0.5,)', ('Engine 5', '“right”', 'is “wrong rule”')),
    ('wrong(ops.exp)', 'abs(engine(ops.exp, 0.5) - math.exp(0.5)) > 0.1', ('Engine 2', 'is “wrong rule”')),
    ('slope(f, x),', 'float("nan"),', ('Engine 1', 'say “wrong rule”')),
    ('ops.sin(ops.sin(x))', 'ops.sin(x) + x', ('Engine 1', 'say “no dout”')),
)


@pytest.mark.slow
def test_pytorch_leaves_as_many_entries_and_the_same_gradients(capsys):
    torch = pytest.importorskip('torch')
    exec(PAGE.listing('torch'), space := {'__name__': '__main__'})
    said = capsys.readouterr().out.splitlines()
    for x, line in zip((2.0, 3.0), said, strict=True):
        with ms.Tape() as tape:
            slope = ms.grad(NET)(ms.Tensor(x))
        count, last, gradient = line.split()
        assert int(count) == len(entries(tape)) and last.startswith(entries(tape)[-1])
        assert float(gradient) == pytest.approx(float(slope), abs=5e-4)
        there = torch.tensor(x, requires_grad=True)
        space['steps'](there).backward()
        assert float(slope) == pytest.approx(there.grad.item(), rel=1e-6)
