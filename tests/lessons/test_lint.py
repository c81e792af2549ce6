"""The committed lessons keep the linter's rules, and each rule can be broken."""

import copy
from pathlib import Path

import nbformat
import pytest

from tests.lessons import lint
from tests.lessons.kernels import ROOT

LESSONS = sorted((ROOT / 'lessons').glob('[0-9][0-9]_*.ipynb'))


def test_there_are_lessons():
    assert LESSONS


@pytest.mark.parametrize('path', LESSONS, ids=lambda path: path.stem)
@pytest.mark.parametrize('rule', lint.RULES, ids=lambda rule: rule.__name__)
def test_lesson(path: Path, rule):
    assert rule(nbformat.read(path, as_version=4)) == []


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
    ('predicts_first', edit('run', '%%result takeover\n', '')),
    ('one_figure_a_cell', edit('scale', "L.figure('loss scale', net, x, y)", "L.figure('a')\nL.figure('b')")),
    ('pictures_have_words', output('scale', metadata={})),
    ('pictures_have_words', data('scale', 'image/svg+xml', '<desc', '<dsc')),
    ('pictures_have_words', data('scale', 'image/svg+xml', 'font-size="12"', 'font-size="9"')),
    ('pictures_have_words', edit('title', '# Lesson', '![](a.png)\n# Lesson')),
    ('no_network', edit('setup', 'L = ', "u = 'https://example.invalid'\nL = ")),
    ('no_network', edit('setup', 'L = ', '!pip install x\nL = ')),
    ('no_network', data('check', 'text/html', '<pre', '<img src="a"><pre')),
    ('no_errors', output('setup', name='stderr')),
    ('no_errors', lambda nb: cell(nb, 'run').update(execution_count=None)),
    ('headings_in_order', edit('recall', '## Two', '### Two')),
    ('headings_in_order', edit('recall', '## Two', '# Two')),
    ('fits_its_time', lambda nb: [drop(name)(nb) for name in ('panel-3a', 'why', 'prediction-2')]),
    ('fits_its_time', edit('title', 'Why would it?', 'Why? ' * 3000)),
    ('numbers_are_computed', edit('why', 'Two entries', '5.21 entries')),
    ('numbers_are_computed', edit('off', '5.20', '5.21')),
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
