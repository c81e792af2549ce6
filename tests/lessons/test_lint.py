"""The committed lessons keep the linter's rules, and each rule can be broken."""

import copy

import pytest

from tests.lessons import lint
from tests.lessons.notebooks import NUMBERS, read


@pytest.mark.parametrize('number', NUMBERS)
@pytest.mark.parametrize('rule', lint.RULES, ids=lambda rule: rule.__name__)
def test_lesson(number, rule):
    assert rule(read(number)) == []


@pytest.mark.parametrize('rule', lint.RULES, ids=lambda rule: rule.__name__)
def test_the_map(rule):
    excused = rule.__name__ in lint.NOT_FOR_THE_MAP
    assert (rule(read('00')) != []) == excused, 'the list of what is no rule for it is neither too long nor too short'


def test_each_rule_can_be_broken():
    assert {rule for rule, _ in BREAKS} == {rule.__name__ for rule in lint.RULES}


def cell(notebook, name):
    return next(cell for cell in notebook.cells if cell.id == f'l03-{name}')


def drop(name):
    return lambda nb: nb.cells.remove(cell(nb, name))


def edit(name, old, new):
    def change(nb):
        assert old in cell(nb, name).source
        cell(nb, name).source = cell(nb, name).source.replace(old, new)

    return change


def output(of, **changes):
    return lambda nb: cell(nb, of).outputs[0].update(changes)


def data(name, kind, old, new):
    def change(nb):
        out = cell(nb, name).outputs[0]
        body = ''.join(out.data[kind])
        assert old in body
        out.data[kind] = body.replace(old, new)

    return change


def late(nb):
    nb.cells.append(nb.cells.pop(nb.cells.index(cell(nb, 'prediction'))))


BREAKS = [
    ('predicts_first', drop('prediction')),
    ('predicts_first', late),
    ('predicts_first', lambda nb: [edit(name, '%%result', '#')(nb) for name in ('run', 'check')]),
    ('predicts_first', edit('check', '%%result scale', '%%result takeover')),
    ('predicts_first', edit('scale', "after='scale'", "after='scales'")),
    ('one_figure_a_cell', edit('scale', 'L.figure(', 'tape\nL.figure(')),
    ('pictures_have_words', output('scale', metadata={})),
    ('pictures_have_words', lambda nb: cell(nb, 'scale').outputs[0].data.pop('image/svg+xml')),
    ('pictures_have_words', output('tape', metadata={})),
    ('pictures_have_words', lambda nb: cell(nb, 'tape').outputs[0].data.pop('text/plain')),
    ('pictures_have_words', data('scale', 'image/svg+xml', '<desc', '<dsc')),
    ('pictures_have_words', data('scale', 'image/svg+xml', 'font-size="13"', 'font-size="9"')),
    ('pictures_have_words', edit('title', '# Lesson', '![](a.png)\n# Lesson')),
    ('no_network', edit('setup', 'L = ', "'http://'\nL = ")),
    ('no_network', edit('setup', 'L = ', '!pip install\nL = ')),
    ('no_network', data('check', 'text/html', '<pre', '<link><pre')),
    ('no_errors', output('setup', name='stderr')),
    ('no_errors', lambda nb: cell(nb, 'run').update(execution_count=None)),
    ('headings_in_order', edit('recall', '## Two', '### Two')),
    ('headings_in_order', edit('recall', '## Two', '# Two')),
    ('fits_its_time', lambda nb: [drop(name)(nb) for name in ('exercise-3a', 'exercise-3b', 'why', 'prediction-2')]),
    ('fits_its_time', edit('off', 'Some', '**A break.** This part takes about 20 minutes, the next about 25. Some')),
    ('fits_its_time', edit('title', 'step by step.', 'Why? ' * 9000)),
    ('numbers_are_computed', edit('why', 'Two entries', '5.21 entries')),
    ('numbers_are_computed', edit('off', '5.20', '5.21')),
    ('numbers_are_computed', edit('why', 'Two entries', '77 entries')),
    ('numbers_are_computed', edit('why', 'Two entries', '4 % of the entries')),
    ('numbers_are_computed', edit('why', 'Two entries', '3e-4 entries')),
    ('numbers_are_computed', edit('why', 'Two entries', '{{tape: 2}} entries')),
    ('numbers_are_computed', lambda nb: cell(nb, 'off').metadata['minicell']['numbers'][0].update(cell='gone')),
    ('questions_quote_the_notebook', data('prediction', 'text/html', 'No error came.', 'Error 0.57 came.')),
    ('recalls_first', drop('recall-1')),
    ('recalls_first', lambda nb: nb.cells.append(nb.cells.pop(nb.cells.index(cell(nb, 'recall-2'))))),
    ('recalls_first', data('recall-2', 'text/html', 'lesson 02', 'yesterday')),
    ('set_up_in_one_line', edit('setup', 'L = ', 'import numpy\nL = ')),
    ('set_up_in_one_line', edit('setup', "'03'", "'04'")),
    ('exercises_have_mistakes', lambda nb: [drop(name)(nb) for name in ('exercise-3a', 'exercise-3b')]),
    ('exercises_have_mistakes', data('exercise-3a', 'text/html', '21 common mistakes', '2 common mistakes')),
    ('exercises_have_mistakes', data('exercise-3a', 'text/html', 'Hint 3', 'Hint')),
    ('ends_as_lessons_do', drop('sentence-1')),
    ('ends_as_lessons_do', drop('progress')),
    ('ends_as_lessons_do', drop('home')),
    ('ends_as_lessons_do', edit('home', 'jax', 'nothing')),
    ('ends_as_lessons_do', edit('home', 'check_bprop', 'nothing')),
    ('frozen', lambda nb: cell(nb, 'run').update(id='5e1f0a')),
    ('frozen', lambda nb: nb.metadata.update(widgets={})),
    ('frozen', lambda nb: cell(nb, 'scale').outputs[0].data.update({'application/vnd.jupyter.widget-view+json': {}})),
    ('frozen', data('check', 'text/plain', 'Net.bprop', '/tmp/ipykernel_12/3.py')),
    ('frozen', lambda nb: cell(nb, 'run').metadata.update(execution={'iopub.status.busy': ''})),
    ('shows_without_kernel', lambda nb: cell(nb, 'recall-1').update(outputs=[])),
]


@pytest.mark.parametrize(('rule', 'change'), BREAKS, ids=lambda value: value if isinstance(value, str) else '')
def test_a_rule_can_be_broken(rule, change, lesson_03):
    check = getattr(lint, rule)
    broken = copy.deepcopy(lesson_03)
    change(broken)
    assert check(broken) != []
