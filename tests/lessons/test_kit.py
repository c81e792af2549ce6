"""The parts of the kit, without a kernel."""

import re
import sys

import numpy as np
import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output

import minicell as ms
from minicell.teach import build, lesson, trials, words
from minicell.teach.about import about, exercise
from minicell.teach.bridge import MISSING, bridge
from minicell.teach.exercise import named, run
from minicell.teach.figure import Shown
from minicell.teach.lesson05 import HIDDEN
from minicell.teach.question import Choice, Question, Waits
from minicell.teach.source import Source, parse
from minicell.view.picture import STILL
from tests.lessons.drive import commit
from tests.messages import refused, tells

EXERCISE = exercise('3a')

QUESTION = Question(
    'Is `<b>` safe?',
    (Choice('yes <i>', 'It is & was.'), Choice('no', 'It is not.', 'all <u> is lost')),
    after='See <s>42</s>.',
)


@pytest.fixture
def asked():
    """A question; what its lesson keeps of it, and whether that is unlocked, says how it stands."""
    L = lesson('03', keep=False)
    L.about = L.about._replace(questions={'p': QUESTION}, sentences={'s': ('<i>', '<u>')})
    return L.predict('p')


def answer(asked, said):
    asked.lesson.kept.told['p'] = {'said': said}


def test_predict_commit_reveal(asked):
    result = Waits(asked, 'printed <s>42</s>')
    assert asked.facts() == {'right': 0} and result.facts() == {}
    assert '<details class="reply">' in asked.html() and ' open>' not in asked.html() + result.html()
    tells(result.html(), 'The cell has', '<b>Predict</b>', keep=False)
    answer(asked, 'no')
    assert asked.facts() == {'right': 0, 'chosen': 1} and result.facts() == {'open': True}
    assert asked.html().count(' open>') == 2, 'the reply to what was chosen, and to what is right'
    assert 'You said: no' in result.html() and 'The cell has run' not in result.html()
    answer(asked, 'of an earlier lesson')
    assert asked.choice is None and not asked.unlocked, 'a question that was written anew is asked anew'
    asked.lesson.unlocked = True
    assert asked.unlocked and asked.facts() == {'right': 0, 'open': True} and result.facts() == {'open': True}


def test_a_figure_that_answers_waits_for_the_answer(asked, monkeypatch):
    figure = Waits(asked, figure=Shown('six times seven', '<svg>six</svg>', {'image/png': 'six'}), which='f')
    assert figure.id != Waits(asked, figure=figure.figure, which='g').id, 'two figures may wait for one question'
    assert 'mc-card lock' in figure.bundle()['text/html'] and repr(figure) == 'six times seven' and not figure.draw()
    asked.lesson.unlocked = True
    assert figure.draw() and ' open><summary>The figure' in figure.shown and '<svg>six</svg>' in figure.shown
    asked.lesson.unlocked = False
    assert figure.draw() and ' open>' not in figure.shown
    monkeypatch.setenv(STILL, 'yes')
    kept = figure.bundle()
    assert kept['image/png'] == 'six' and 'six times seven</pre></details>' in kept['text/html'], 'folded, in words'
    scale = lesson('03', keep=False).predict('scale')
    assert 'Now try it' in scale.body() and 'Now try it' not in Waits(scale, 'wrong').body(), 'said once'


HUNTED = 'right', 'wrong', 'wrong', 'right', 'wrong', 'wrong', 'right', 'wrong'


@pytest.mark.parametrize('seed', range(4))
def test_words_that_were_copied_from_a_verdict_do_not_pass_a_hunt(seed, monkeypatch):
    monkeypatch.setattr(trials, 'ORDER', np.random.default_rng(seed))
    hunt = trials.Hunt(('right', 'wrong'), list(enumerate(HUNTED)))
    copied = iter(HUNTED)
    assert hunt(lambda suspect: HUNTED[suspect]).passed and not hunt(lambda suspect: next(copied)).passed
    told = hunt(lambda suspect: 'right')
    assert re.findall(r'^[✓✗] Cell (\d)', told.said, re.M) == list('12345678'), 'each has its number in every order'


@pytest.mark.parametrize(('name', 'due'), [('4c', 5 * [True] + 99 * [False]), ('5c', [w for _, w in HIDDEN.values()])])
def test_nor_do_they_pass_another_exercise_with_hidden_cells(name, due, monkeypatch):
    monkeypatch.setattr(trials, 'ORDER', np.random.default_rng(0))
    copied = iter(due)
    assert not exercise(name).check(lambda *given: next(copied)).passed


def test_a_helper_that_is_called_in_its_own_way_is_not_held_against_a_hunt():
    code = exercise('8c').solution.replace('slope(', 'rise(')
    assert exercise('8c').check_code(f'{code}\n\ndef slope(cell, x):\n    return cell.construct(x, x)\n').passed


def test_text_from_anybody_is_escaped(asked):
    L = lesson('03', keep=False)
    task = L.check('3a', '</section><script>')
    task.verdict.said = '</pre><script>1</script>'
    for state in (None, 'no', 'yes <i>'):
        answer(asked, state)
        for page in (asked.html(), Waits(asked, '<script>').html(), task.html()):
            assert not re.search('<(i|u|s|script)>', page.replace('<i> · </i>', '')) and '<b>`' not in page
    assert words.inline('`<b>` **<i>**') == words.inline('`<b>` **<i>**').replace('<i>', '')
    asked.lesson.kept.told['sentence s'] = {'said': '</p><s>'}
    assert not re.search('<(i|u|s)>', asked.lesson.sentence('s').html().replace('<i> · </i>', ''))


def test_a_card_is_a_still_with_a_script_and_a_kept_one_is_the_still_alone(asked, monkeypatch):
    bundle = asked.bundle()
    still, script, _ = re.split('<script>|</script>', bundle['text/html'])
    assert still == asked.html() and 'mount(here)' in script
    assert (
        '\nno' in bundle['text/plain']
        and 'It is not.' not in bundle['text/plain']
        and repr(asked) == bundle['text/plain']
    )
    monkeypatch.setenv(STILL, 'yes')
    assert asked.bundle()['text/html'] == still


def test_lesson_without_a_notebook(capsys):
    L = lesson('03')
    said = capsys.readouterr().out
    assert 'Lesson 03: Takeover' in said and ms.__version__ in said and said.count('\n') == 1
    first = np.random.rand()
    lesson('03')
    assert np.random.rand() == first
    assert '0 of 6 done' in repr(L.progress())
    assert L.check('3a').verdict.state == 'open'
    assert 'x.T' in L.exercise('3a').html() and 'Hint 3' in L.exercise('3a').html()
    capsys.readouterr()
    L.insert('3a', 'document')
    assert 'dx = x + 1' in capsys.readouterr().out
    with refused(ValueError, 'no lesson', '99'):
        lesson('99')
    with refused(ValueError, 'exercise', 'no such thing', '3a, 3b'):
        L.check('no such thing')
    with refused(ValueError, 'nothing', 'recall 1'):
        L.predict('nothing')
    with refused(ValueError, 'Exercise 3a', "'nothing'", 'solution'):
        L.insert('3a', 'nothing')


def test_a_cell_that_was_skipped_is_named(capsys):
    assert about('03').made['net'] == 'Watch where backward goes'
    assert about('03').made['nn'] == "Run it: the documentation's listing"
    told = []
    shell = type('Shell', (), {'showtraceback': lambda self, *error, tb_offset: told.append(error)})()
    lesson('03').missing(shell, NameError, NameError('no net', name='net'), None)
    tells(capsys.readouterr().out.splitlines()[1], 'net is made', 'Watch where backward')
    lesson('03').missing(shell, NameError, NameError('no other', name='other'), None)
    assert len(told) == 2 and 'other' not in capsys.readouterr().out


def test_unlock_opens_what_is_there_and_what_comes():
    L = lesson('03')
    L.predict('takeover')
    L.unlock()
    later = L.recall('recall 1')
    assert L.predict('takeover').unlocked and later.unlocked
    assert later.facts()['open'] and ' open>' in later.html()


def test_every_card_follows_what_one_was_told():
    L = lesson('03')
    glance = L.progress()
    glance._ipython_display_()
    commit(L, 'scale', right=False)
    assert '1 of 6 done' in glance.shown and 'surprised' in glance.shown
    commit(L, 'scale', right=True)
    assert not L.predict('scale').choice.right, 'a commitment is kept'
    L.check('3a', 3)
    assert 'not yet' in glance.shown
    assert EXERCISE.check_code(EXERCISE.solution).passed
    box = L.exercise('3a')
    L.hear({'of': box.id, 'code': EXERCISE.solution})
    assert '2 of 6 done' in glance.shown and box.verdict.passed and box.facts()['editor'] == EXERCISE.solution
    for strange in (
        {},
        {'of': None},
        {'of': '03 question nothing'},
        {'of': '03'},
        {'of': '03 exercise 9z', 'hints': 1},
    ):
        L.hear(strange)


def test_an_exercise_shows_one_finding_and_the_place_that_is_furthest_off():
    L = lesson('03')
    card = L.check('3a')
    parts = 'returned', 'a part: second', 'a part: told'
    assert [named(part, None) for part in parts] == ['what `bprop` returns', 'a part: second order', '']
    assert [check.ok for check in EXERCISE.checks(None)] == [None] * 4 and 'fill in' in card.html()
    exec(EXERCISE.solution.replace('x.T, dout', 'x.T, -dout'), space := {})
    card = L.check('3a', space['MatMul'])
    assert [bool(check.ok) for check in EXERCISE.checks(card.verdict.trial)] == [True, True, False, False]
    assert '2 of 4' in card.html()
    pair, printed = card.finding().split('</p><pre')
    mine, due = re.findall('<b>([^<]*)</b>', pair.split('class="pair"')[1])
    assert f'it is {mine}, and {due} is due' in printed, 'the numbers are those of the sentence'
    L.hear({'of': card.id, 'tape': True})
    assert 'class="mc2"' in card.html() and not card.facts()['tape'], 'the Cell on the tape'
    assert f'it is {mine}, and {due} is due' in card.tape, 'which is that of the sentence'
    L.hear({'of': card.id, 'hints': 2})
    assert card.facts()['hints'] == 2
    exec(EXERCISE.solution, space)
    other = L.check('3a', space['MatMul'])
    assert 'class="mc2"' not in other.html() and card.verdict.state == 'failed', 'a card is about its own cell'
    hunt = exercise('3b')
    lost = hunt.checks(hunt.check_code(hunt.mistakes[0].code).trial)
    assert len(lost) == len(hunt.checks(None)) == 9 and {check.ok for check in lost} == {True, False}
    assert L.check('3b', lambda cell: 'right').finding().count('✗') == 1, 'one at a time'


def test_a_cell_on_the_tape_opens_at_the_step_that_answers():
    L = lesson('05')
    asked = exercise('5b')  # with an input that is no Tensor
    for code in (asked.solution, *(mistake.code for mistake in asked.mistakes[:2])):
        card = L.check('5b', run(code, asked.answer_name, 'a test'))
        if card.facts()['tape']:
            card.show_tape()
            assert 'class="mc2"' in card.tape


def test_without_anywidget_a_sentence_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, 'anywidget', None)
    assert bridge('03', print) is None
    tells(MISSING, 'anywidget', 'pip install anywidget')


SOURCE = """\
<!-- cell a -->
# T

```python
listing
```

```python cell=b
x = 1
```
<!-- cell c -->
{{b: x:.2f}}
"""


def test_source():
    cells = parse(Source(SOURCE, 'a file'))
    assert [(cell.kind, cell.name) for cell in cells] == [('markdown', 'a'), ('code', 'b'), ('markdown', 'c')]
    assert 'listing' in cells[0].text and cells[1].text == 'x = 1'
    assert cells[2].numbers() == [('{{b: x:.2f}}', 'b', 'x:.2f')]


def test_printed_text_is_one_piece():
    """A busy kernel sends it in several, wherever it happens to."""
    cut = [new_output('stream', name=name, text=text) for name, text in (('stdout', 'a\n'), ('stdout', 'b\n'))]
    picture = new_output('display_data', data={'text/plain': 'p'})
    notebook = new_notebook(cells=[new_code_cell(outputs=[*cut, picture, cut[0].copy()])])
    build.freeze(notebook)
    assert [out.get('text') for out in notebook.cells[0].outputs] == ['a\nb\n', None, 'a\n']


def test_build_says_what_is_missing(capsys):
    assert build.main(['77']) == 1
    assert '77' in capsys.readouterr().err
