"""What is particular to lesson 13: the engine that its solutions make, beside minicell; its trials, figure and text."""

import importlib
import re
from itertools import pairwise
from operator import attrgetter
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import minicell as ms
from minicell.teach.about import exercise
from minicell.teach.exercise import run
from minicell.teach.lesson13 import HIDDEN, LAST, TRIALS, WORDS, changed, so_far, stored, whole
from minicell.teach.lesson13.engine import STEPS
from minicell.teach.lesson13.figures import PROGRAMS, Pair, dout_of, of_minicell, of_module, side_by_side
from minicell.teach.lesson13.programs import PEER
from tests.lessons.answers import Answers, facts, table
from tests.lessons.answers import changed as edited
from tests.lessons.figures import holds
from tests.lessons.page import Page, listing_of_the_document
from tests.messages import tells

PAGE = Page('13')
EXERCISES = {name: exercise(name) for name in (*STEPS, '13g')}


@pytest.fixture
def mine():
    """The engine of the stored solutions, as a module."""
    return stored()


RIGHT = [
    ('13a', 'out.at = len(entries)', 'out.at = sum(1 for entry in entries)'),
    ('13a', '    entries.append((name, rule, inputs, out))', '    entries.append([name, rule, inputs, out])'),
    ('13a', '        self.at = -1', '        at = -1\n        self.at = at'),
    ('13b', 'any(x.at >= 0 for x in inputs)', 'max(x.at for x in inputs) != -1'),
    ('13b', 'any(x.at >= 0 for x in inputs)', 'not all(x.at < 0 for x in inputs)'),
    ('13b', '(-dout * sin(x),)', '[neg(sin(x)) * dout]'),
    ('13b', '(-dout * sin(x),)', '(dout * sin(x) * -1,)'),
    ('13c', 'for at in range(out.at, first - 1, -1):', 'for at in reversed(range(first, out.at + 1)):'),
    ('13c', 'for at in range(out.at, first - 1, -1):', 'for at in sorted(range(first, len(entries)), reverse=True):'),
    ('13c', 'leaves = [leaf(x) for x in inputs]', 'leaves = tuple(map(leaf, inputs))'),
    ('13c', 'arrived[x.at] = dx', 'arrived[x.at] = arrived[x.at] + dx if x.at >= 0 and x.at in arrived else dx'),
    ('13c', 'return tuple(arrived.get', 'return list(arrived.get'),
    ('13d', 'arrived[x.at] + dx if x.at in arrived else dx', 'add(dx, arrived[x.at]) if x.at in arrived else dx'),
    ('13d', 'if x.at >= 0:', 'if x.at != -1:'),
    ('13d', 'arrived[x.at] = arrived[x.at] + dx if x.at in arrived else dx',
            'arrived[x.at] = dx + arrived.get(x.at, Tensor(np.zeros_like(dx.array)))'),
    ('13e', '*[Tensor(x.array) for x in inputs]', '*map(lambda x: Tensor(x.array.copy()), inputs)'),
    ('13e', 'self.rule, inputs, out.array)', 'lambda d, o, *x: self.bprop(*x, o, d), inputs, out.array)'),
    ('13f', '(dout,), (x,), x.array', '(dout,), (x,), x.array + 0'),
    ('13f', '(dout,), (x,), x.array', '(dout * 1,), (x,), x.array'),
]  # fmt: skip

# One change of a solution that makes it wrong, and something of what the check says.
WRONG = [
    ('13a', 'len(entries)', 'len(entries) - 1', ('be 0, 1, 2, 3;', 'are -1, 0, 1, 2')),
    ('13a', 'np.asarray(array, dtype)', 'np.zeros(2)', ('numbers', 'were given')),
    ('13a', '(name, rule, inputs, out))', '(rule, name, inputs, out))', ('name', 'the rule')),
    ('13a', '(name, rule, inputs, out))', '(name, rule, out))', 'four parts'),
    ('13a', '(name, rule, inputs, out))', '(name, rule, (), out))', ('third part', 'the inputs')),
    ('13a', '    out.at = len(entries)\n', '', 'yours are -1, -1, -1, -1'),
    ('13a', '    return out\n', '    return entries\n', ('AttributeError', "'list'", "'at'")),
    ('13a', "write('Leaf', None, (), x.array)", "write('Leaf', None, (), x.array) and x", 'yours are -1, -1'),
    ('13b', 'any(x.at >= 0', 'any(x.at >= 1', 'at address 0'),
    ('13b', 'return Tensor(array)', 'return array', 'code stops'),
    ('13b', 'any(x.at >= 0 for x in inputs)', 'inputs[-1].at >= 0', ('x * a', 'constant a', 'leave Mul')),
    ('13b', 'write(name, rule, inputs, array)', 'write(name, rule, inputs, -array)', ''),
    ('13b', '-dout * sin(x)', '-sin(x)', ('rule of cos', 'input 1')),
    ('13b', '-dout * sin(x)', '-dout * sin(out)', ('rule of cos', 'input 1')),
    ('13b', '(-dout * sin(x),)', '-dout * sin(x)', ('rule of cos', 'a tuple')),
    ('13b', 'write(name, rule, inputs, array)', 'write(rule, name, inputs, array)', 'yours leaves'),
    ('13a', 'np.asarray(array, dtype)', 'np.asarray(array)', 'float32, not int64'),
    ('13b', '(-dout,)', '-dout', ('rule of neg', 'a tuple')),
    ('13b', '(-dout,)', '(Tensor(-dout.array),)', ('rule of neg', 'right numbers')),
    ('13b', '(dout * y, dout * x)', '(dout * y,)', ('rule of mul', 'a tuple')),
    ('13b', 'turn(dout)', 'dout', ('rule of turn', 'input 1')),
    ('13b', 'dout * y, dout * x', 'dout * x, dout * y', ('rule of mul', 'input 1')),
    ('13b', '(turn(x), dout)', '(dout, turn(x))', ('rule of matmul', 'input 2')),
    ('13c', '(*inputs)[0]', '(*inputs)[1]', 'grad(matmul)'),
    ('13c', 'rule(arrived[at], made, *inputs)', 'rule(arrived[at], out, *inputs)', 'sin(exp(x))'),
    ('13d', 'if at in arrived:', 'if True:', 'KeyError'),
    ('13c', 'first - 1, -1', 'first - 1, -2', ('arrive at x', 'sin(cos(x))')),
    ('13c', 'rule(arrived[at], made, *inputs)', 'rule(dout, made, *inputs)', ''),
    ('13c', 'rule(arrived[at], made, *inputs)', 'rule(arrived[at], made, *inputs[::-1])', 'sin(matmul('),
    ('13c', 'zip(inputs, rule', 'zip(inputs[::-1], rule', 'sin(matmul('),
    ('13c', 'leaves[-1].at + 1', 'leaves[0].at + 2', ''),
    ('13c', 'return tuple(', 'return (', ('gradients', 'a tuple')),
    ('13c', 'for x in leaves)', 'for x in leaves[::-1])', 'input 1'),
    ('13c', 'if at in arrived:', 'if True:', 'KeyError'),
    ('13c', 'np.zeros_like(x.array)', 'np.ones_like(x.array)', 'three inputs'),
    ('13c', 'np.ones_like(out.array)', 'np.ones(1)', ''),
    ('13c', '[leaf(x) for x in inputs]', '[leaf(inputs[0]) for x in inputs]', ''),
    ('13d', 'arrived[x.at] + dx', 'dx + dx', ('y * y * y', '+ sin(y)')),
    ('13d', 'arrived[x.at] + dx', 'arrived[x.at] + dx * 0.5', 'x * x'),
    ('13d', 'if x.at in arrived else dx', 'if x.at not in arrived else dx', 'KeyError'),
    ('13d', 'if x.at >= 0:', 'if x.at >= first:', 'yours is'),
    ('13d', 'first - 1, -1', 'first, -1', ''),
    ('13e', 'if self.bprop is None:', 'if self.bprop is not None:', ''),
    ('13e', 'Tensor(x.array) for x in inputs', 'Tensor(inputs[0].array) for x in inputs', ''),
    ('13e', 'inputs, out.array)', 'inputs[:1], out.array)', ''),
    ('13e', 'self.bprop(*inputs, out, dout)', 'self.bprop(*inputs, out, dout)[::-1]', ''),
    ('13e', 'self.bprop(*inputs, out, dout)', 'self.bprop(*inputs, out, Tensor(np.ones_like(out.array)))', ''),
    ('13b', '(dout * cos(x),)', '(dout * np.cos(x.array),)', ('rule of sin', 'the inputs')),
    ('13b', '(dout * cos(x),)', '(Tensor(dout.array) * cos(x),)', ('rule of sin', 'of dout')),
    ('13b', 'rule, inputs, array)\n', 'rule, [x for x in inputs if x.at >= 0], array)\n', 'also constants'),
    ('13c', 'leaves[-1].at + 1)\n', 'leaves[-1].at + 1)\n        entries.clear()\n', 'are gone'),
    (
        '13d',
        'arrived[x.at] = arrived[x.at] + dx if x.at in arrived else dx',
        'arrived.setdefault(x.at, Tensor(0.0)).array += dx.array',
        '',
    ),
    ('13e', 'self.bprop(*inputs, out, dout)', 'self.bprop(*[Tensor(x.array) for x in inputs], out, dout)', 'x, y'),
    ('13e', 'self.bprop(*inputs, out, dout)', 'self.bprop(*inputs, Tensor(out.array), dout)', 'so: out'),
    ('13e', 'self.bprop(*inputs, out, dout)', 'self.bprop(*inputs, out, Tensor(dout.array))', 'so: dout'),
    ('13f', '(dout,), (x,), x.array', '(dout * 2,), (x,), x.array', 'order 2'),
    ('13f', '(dout,), (x,), x.array', '(-dout,), (x,), x.array', 'order 2'),
    ('13f', '(dout,), (x,), x.array', '(x,), (x,), x.array', 'order 2'),
    ('13f', '(dout,), (x,), x.array', '(dout,), (Tensor(x.array),), x.array', 'order 2'),
    ('13f', '(dout,), (x,), x.array', '(dout,), (x,), x.array * 2', ''),
]  # fmt: skip


def changed_code(name: str, old: str, new: str) -> str:
    """The solution with the last of these places written otherwise."""
    head, last = edited(EXERCISES[name].solution, (old, old)).rpartition(old)[::2]
    return f'{head}{new}{last}'


@table('name, old, new', *RIGHT)
def test_another_right_answer_passes(name, old, new):
    verdict = EXERCISES[name].check_code(changed_code(name, old, new))
    assert verdict.passed, verdict


@table('name, old, new, said', *WRONG)
def test_a_wrong_answer_fails_with_a_sentence(name, old, new, said):
    verdict = EXERCISES[name].check_code(changed_code(name, old, new))
    assert verdict.state == 'failed', verdict
    told = tells(repr(verdict), '✗', *facts(said))
    assert '✗' in verdict.said and not any(word in told for word in ('Traceback', '__init__.py'))


def test_each_step_has_enough_stored_mistakes():
    assert all(len(each.mistakes) >= 5 for each in EXERCISES.values())
    assert sum(len(each.mistakes) for each in EXERCISES.values()) >= 30


@pytest.mark.parametrize(('step', 'missing'), [(2, 1), (3, 1), (3, 2), (4, 3), (5, 2), (5, 4), (6, 4), (6, 5)])
def test_an_earlier_step_that_is_missing_is_named(step, missing):
    """As in a notebook where one step was left out."""
    space: dict[str, Any] = {}
    for number, name in enumerate(STEPS[:step], 1):
        code = EXERCISES[name].start if number == missing else EXERCISES[name].solution
        exec('\n'.join(line for line in code.splitlines() if not line.startswith('exec(so_far')), space)
    trial = TRIALS[STEPS[step - 1]](space[LAST[step - 1]])
    assert trial.attempted and not trial.passed
    tells(trial.said, f'on step {missing}')


def test_an_untouched_step_is_not_attempted_whatever_is_missing_before():
    space: dict[str, Any] = {}
    for name in STEPS:
        exec('\n'.join(line for line in EXERCISES[name].start.splitlines() if not line.startswith('exec(so')), space)
        assert not TRIALS[name](space[EXERCISES[name].answer_name]).attempted, name


@pytest.mark.parametrize('name', STEPS)
def test_a_trial_leaves_the_tape_as_it_was(name):
    exec(so_far(6), space := {})
    space['grad'](space['sin'])(space['Tensor'](0.5))
    tape = space['entries']
    before = tape[:]
    assert len(before) > 1
    TRIALS[name](space[LAST[STEPS.index(name)]])
    assert space['entries'] is tape and tape == before


def test_a_tape_of_another_kind_is_told():
    code = EXERCISES['13a'].solution.replace('entries = []', 'entries = {}')
    tells(EXERCISES['13a'].check_code(code).said, 'no list', 'entries')


def test_the_check_finds_nothing_in_the_stored_engine_and_the_fault_in_the_colleagues():
    diagnose = run(EXERCISES['13g'].solution, 'diagnose', 'a test')
    assert diagnose(stored()) == 'right'
    old, new = re.search(r"replace\('(.*?)', '(.*?)'\)", PAGE.source('colleague')).groups()
    assert diagnose(changed(old, new)) == 'first'
    assert (f'{old}:', f'{new}:', 'first') in HIDDEN


def test_the_eight_engines_are_what_they_are_called():
    """By minicell, and not by differences: a gradient on an empty tape, a fan-out, and both at second order."""
    programs = {
        'first': lambda m: m.sin,
        'no sum': lambda m: lambda x: x * x,
        'leaf': lambda m: m.grad(m.sin),
        'off the tape': lambda m: m.grad(lambda x: x * x),
    }
    for old, new, word in HIDDEN:
        off = []
        for name, program in programs.items():
            m = changed(old, new)
            due = PEER.grad(program(PEER))(ms.Tensor(0.7)).asnumpy()
            if not np.allclose(m.grad(program(m))(m.Tensor(0.7)).array, due, rtol=1e-4):
                off.append(name)
        assert (off or ['right'])[0] == word, (new, off)
    assert {word for *_, word in HIDDEN} == set(WORDS)


test_the_hunt_is_for_any_good_experiment = Answers(EXERCISES['13g']).experiments(
    ('(f(x + eps) - f(x - eps)) / (2 * eps)', '(f(x + eps) - f(x)) / eps', 'Your slope'),
    ('x=0.7', 'x=-1.3', ''),
    ("lambda x: x * x):\n        return 'no sum'", "lambda x: x + x):\n        return 'no sum'", ''),
    ('wrong(m.grad(m.sin))', 'wrong(m.grad(m.cos))', ''),
    ('wrong(m.grad(lambda x: x * x))', 'wrong(m.grad(lambda x: m.sin(x) * x))', ''),
    ('eps=0.01', 'eps=1e-7', '✗ Engine 3'),
    ('if wrong(m.sin)', 'if not wrong(m.sin)', '✗ Engine 1'),
)


@pytest.fixture(scope='module')
def pair():
    return Pair(stored())


def test_every_entry_is_as_in_minicell_at_every_step(pair):
    for frame in pair.frames:
        good, whole = pair.judged(frame)
        assert good == whole == frame.written
        assert f'{good} of {whole} entries' in pair.says(frame)
    net = of_minicell(PROGRAMS[1])[2]
    assert net.name == 'Net' and net.custom and net.inputs == (0, 1)
    assert [entry.name for entry in of_minicell(PROGRAMS[2])] == ['Leaf', 'Leaf', 'Sin', 'Cos', 'Mul']


def test_a_step_writes_one_entry_or_reads_one(pair):
    assert pair.frames[0] == (0, 1, None)
    for before, after in pairwise(pair.frames):
        if before.program != after.program:
            assert after == (before.program + 1, 1, None)
        elif after.read is None:
            assert after.written == before.written + 1 and before.read is None
        else:
            assert after.written == before.written and after.read == (0 if before.read is None else before.read + 1)
    assert [pair.frames[end].program for end in pair.ends] == [0, 1, 2]


def test_the_last_step_brings_the_gradients(pair):
    """Those that minicell gives who is asked in the usual way."""
    for program, end in zip(PROGRAMS, pair.ends, strict=True):
        due = PEER.gradients(program.made(PEER))(*map(ms.Tensor, program.given))
        for entry, dx in zip(of_minicell(program), due, strict=False):
            np.testing.assert_allclose(dout_of(entry, pair.frames[end].read), dx.asnumpy(), rtol=1e-6)


def test_what_a_step_says(pair):
    said = [pair.happens(frame) for frame in pair.frames]
    for step, due in (
        (0, ('Forward', 'entry 0, Leaf')),
        (1, ('Forward', 'entry 1, Leaf')),
        (4, ('Backward begins', 'entry 3, Add')),
        (5, ('Backward reads', 'entry 3, Add', '2 and to 0')),
        (6, ('Backward reads', 'entry 2, Mul', 'to 0', 'added', 'to 1')),
        (-2, ('passes over', 'entry 2, Sin', 'nothing')),
        (-1, ('Backward reads', 'entry 1, Leaf', 'to 0')),
    ):
        tells(said[step], *due)


@pytest.mark.parametrize(
    ('old', 'new', 'k'),
    [
        ('arrived[x.at] + dx if x.at in arrived else dx', 'dx', 0),
        ('self.bprop(*inputs, out, dout)', 'tuple(dx + 1 for dx in self.bprop(*inputs, out, dout))', 1),
        ("lambda dout, out, x: (dout,), (x,)", 'lambda dout, out: (), ()', 2),
        ('self.construct(*[Tensor(x.array) for x in inputs])', 'self.construct(*inputs)', 1),
    ],
)  # fmt: skip
def test_a_wrong_engine_looks_otherwise(old, new, k):
    exec(edited(so_far(6), (old, new)), space := {})
    drawn = Pair(SimpleNamespace(**space))
    good, whole = drawn.judged(drawn.frames[drawn.ends[k]])
    assert good < whole
    tells(drawn.draw(drawn.ends[k] + 1).words, f'{good} of {whole}')


def test_the_figure_leaves_the_tape_alone(mine):
    mine.leaf(mine.Tensor(1.0))
    before = mine.entries[:]
    for program in PROGRAMS:
        of_module(mine, program)
    assert mine.entries == before


def test_the_figure_can_be_read(mine):
    holds(side_by_side(mine))


def test_the_whole_engine_is_shown_folded():
    shown = whole()
    assert repr(shown) == so_far(6) and PAGE.told('whole').strip() == so_far(6).strip()
    assert '<details><summary>' in shown._repr_html_() and 'def walk_back' in shown._repr_html_()


def test_the_listing_is_the_documents_and_prints_the_text_of_lesson_03():
    """But for its imports."""
    assert PAGE.told('document').strip() == Page('03').told('run').strip() != ''
    document, ours = listing_of_the_document().split(), PAGE.source('document').split()
    assert ours[:7] == ['nn', '=', 'ms', '=', 'ops', '=', 'mine']
    assert ours[7:] == document[document.index('class') :]


def test_what_the_cells_show():
    leaves = ['0 Leaf from [] gave 3.0', '1 Leaf from [] gave 2.0']
    assert PAGE.told('run').splitlines() == [*leaves, '2 Mul from [0, 1] gave 6.0', '3 Add from [2, 0] gave 9.0']
    assert PAGE.told('captured').splitlines() == ['2.0 at 4', '0.0 at -1']
    assert PAGE.told('fan').splitlines() == ['(3.0 at 3,)', '(1.0 at -1,)']
    first, *entries = PAGE.told('almost').splitlines()
    assert first.startswith('TypeError') and entries[:2] == ['0 Leaf from []', '1 Leaf from []']
    first, *later = map(float, PAGE.told('colleague').split())
    assert first == 0 and later == pytest.approx([np.cos(0.5)] * 2)
    tells(PAGE.told('names'), 'Step 1', 'its dots')
    assert PAGE.told('figure').count('of minicell') == 3


@pytest.mark.parametrize('step', range(1, 7))
def test_the_notebook_names_what_does_each_step_in_the_core(step):
    text = PAGE.source(f'core-{step}').replace('\n> ', ' ')
    named = re.findall(r'(?:`(\w+)` and )?`([\w.]+)` in `(?:minicell/core/)?(\w+)\.py`', text)
    assert '**In minicell**' in text and (named or step == 2)
    for *names, module in named:
        for name in filter(None, names):
            assert callable(attrgetter(name)(importlib.import_module(f'minicell.core.{module}'))), name


def test_a_learner_who_types_all_of_it(capsys):
    """The notebook from top to bottom, with each solution where the dots are."""
    here: dict[str, Any] = {}
    for cell in PAGE.cells.values():
        if cell.cell_type != 'code' or cell.id in ('l13-tape', 'l13-moons'):  # which leaves entries of its own
            continue
        source = re.sub(r'^%%result .*', '', cell.source)
        if asked := re.search(r"^L\.check\('(\w+)', .*$", source, re.MULTILINE):
            typed = EXERCISES[asked[1]].solution.partition('as in the solution')[2].partition('\n')[2]
            source = f'{typed or EXERCISES[asked[1]].solution}\nverdict = {asked[0]}'
        exec(source, here)
        assert not asked or here['verdict'].verdict.passed, cell.id
    out = capsys.readouterr().out
    assert 'six steps are' in out and PAGE.told('document').strip() in out
    assert here['mine'].Tensor is here['Tensor']
    assert [name for name, *_ in here['entries']] == ['Leaf', 'Leaf', 'Net', 'Add', 'Add'], (
        'the listing, and nothing else'
    )
