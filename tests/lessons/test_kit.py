"""The parts of the kit, without a kernel."""

import base64
import copy

import ipywidgets as w
import nbformat
import numpy as np
import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output

import minicell as ms
from minicell.teach import build, lesson, words
from minicell.teach.exercise import Verdict
from minicell.teach.freeze import WIDGET, freeze
from minicell.teach.order import exercise
from minicell.teach.panel import Panel
from minicell.teach.question import Choice, Prediction, Question, Result, kept_back
from minicell.teach.shown import Shown
from minicell.teach.source import SourceError, parse
from tests.lessons.drive import commit, within
from tests.messages import refused, tells

EXERCISE = exercise('3a')

QUESTION = Question(
    'Is `<b>` safe?', (Choice('yes <i>', 'It is & was.'), Choice('no', 'It is not.', 'all <u> is lost'))
)


def test_predict_commit_reveal():
    asked = Prediction('p', 'Predict', QUESTION)
    result = Result(asked, 'printed <s>42</s>')
    assert asked.radio.value is None and 'Locked' in asked.answer.value and '42' not in result.view.value
    asked.submit.click()  # nothing chosen
    assert asked.choice is None and 'Choose' in asked.hint.value and '42' not in result.view.value
    asked.radio.value = 1
    assert '42' not in result.view.value  # chosen, not committed
    asked.submit.click()
    assert all(each in asked.answer.value for each in ('&lt;u&gt;', ' is lost', 'no'))
    # the reply says why 'no' is wrong, not what is right
    assert asked.answer.value.index('Right is:') < asked.answer.value.index('yes &lt;')
    assert '42' in result.view.value and '<s>' not in result.view.value
    asked.radio.value = 0
    asked.submit.click()
    assert asked.choice.text == 'no'  # a commitment is kept
    assert asked.radio.disabled and asked.submit.disabled


def test_a_figure_that_answers_waits_for_the_answer():
    asked = Prediction('p', 'Predict', QUESTION)
    figure = Shown(w.HTML('42'), 'forty-two')
    shown = kept_back(asked, figure)
    notice, inside = shown.widget.children

    def seen():
        return [one.layout.display != 'none' for one in (notice, inside)]

    assert seen() == [True, False] and 'Locked' in notice.value and shown.text == 'forty-two'
    asked.radio.value = 1
    assert seen() == [True, False]
    asked.submit.click()
    assert seen() == [False, True]
    asked.reset()
    assert seen() == [True, False]
    asked.unlock()
    assert seen() == [False, True]


def test_text_from_anybody_is_escaped():
    asked = Prediction('p', 'Predict', QUESTION)
    asked.unlock()
    for page in (asked.answer.value, asked.shown.page):
        assert '<i>' not in page and '<u>' not in page and '<b>`' not in page
    assert words.inline('`<b>` **<i>**') == words.inline('`<b>` **<i>**').replace('<i>', '')
    assert '<script' not in Verdict('failed', '<script>', '<script>').page()


def test_question_reads_as_text():
    asked = Prediction('p', 'Predict', QUESTION)
    bundle = asked.shown._repr_mimebundle_()
    assert '( ) no' in bundle['text/plain'] and repr(asked.shown) == bundle['text/plain']
    assert WIDGET in bundle and '<li>no</li>' in bundle['text/html']


def test_lesson_without_a_notebook(capsys):
    L = lesson('03')
    said = capsys.readouterr().out
    assert 'Lesson 03: Takeover' in said and ms.__version__ in said and said.count('\n') == 1
    first = np.random.rand()
    lesson('03')
    assert np.random.rand() == first
    assert '0 of 6 done' in repr(L.progress())
    assert L.check('3a').state == 'open' and L.check('no such thing').state == 'open'
    assert 'x.T' in repr(L.reveal('3a')) and 'Hint 3' in repr(L.hint('3a', 9))
    with refused(ValueError, 'no lesson', '99'):
        lesson('99')
    with refused(ValueError, 'nothing', 'recall 1'):
        L.predict('nothing')


def test_unlock_opens_what_is_there_and_what_comes():
    L = lesson('03')
    L.predict('takeover')
    L.unlock()
    L.recall('recall 1')
    assert all(asked.unlocked for asked in L.predictions.values())
    assert 'Nobody reads' in L.predictions['recall 1'].answer.value


def test_progress_follows():
    L = lesson('03')
    L.progress()
    commit(L, 'scale', right=False)
    assert '1 of 6 done' in L.glance.value and 'surprised' in L.glance.value
    L.check('3a', 3)
    assert 'not yet' in L.glance.value
    assert EXERCISE.check_code(EXERCISE.solution).passed
    next(b for b in within(L.exercise('3a').widget, w.Button) if b.description == 'Insert the solution').click()
    assert '2 of 6 done' in L.glance.value


def test_hints_come_one_by_one():
    panel = Panel(EXERCISE, lambda verdict: None)
    for number in (1, 2, 3):
        assert panel.more.description == f'Hint {number} of 3'
        assert f'Hint {number}' not in panel.hints.value
        panel.more.click()
        assert f'Hint {number}' in panel.hints.value
    assert '(dout, y.T)' not in panel.hints.value
    panel.more.click()
    assert '(dout, y.T)' in panel.hints.value and panel.more.disabled


def test_the_way_without_typing():
    said = []
    panel = Panel(EXERCISE, said.append)
    for mistake in EXERCISE.mistakes:
        panel.insert_mistake()
        assert panel.code.value == mistake.code and words.inline(mistake.misconception) in panel.verdict.value
    assert len({verdict.misconception for verdict in said}) == len(EXERCISE.mistakes)
    panel.insert_solution()
    assert said[-1].passed and panel.code.value == EXERCISE.solution
    panel.start_again()
    assert said[-1].state == 'open'


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
    cells = parse(SOURCE)
    assert [(cell.kind, cell.name) for cell in cells] == [('markdown', 'a'), ('code', 'b'), ('markdown', 'c')]
    assert 'listing' in cells[0].text and cells[1].text == 'x = 1'
    assert cells[2].numbers() == [('{{b: x:.2f}}', 'b', 'x:.2f')]


@pytest.mark.parametrize(
    'text',
    [
        'text\n',
        '<!-- cell a -->\na\n<!-- cell a -->\nb\n',
        '```python cell=a\nx\n',
        '```python cell=a\nx\n<!-- cell b -->\n',
        '<!-- cell a -->\n{{b: 1}}\n',
    ],
)
def test_bad_source(text):
    with pytest.raises(SourceError):
        parse(text)


def test_printed_text_is_one_piece():
    """A busy kernel sends it in several, wherever it happens to."""
    cut = [new_output('stream', name=name, text=text) for name, text in (('stdout', 'a\n'), ('stdout', 'b\n'))]
    picture = new_output('display_data', data={'text/plain': 'p'})
    notebook = new_notebook(cells=[new_code_cell(outputs=[*cut, picture, cut[0].copy()])])
    freeze(notebook)
    assert [out.get('text') for out in notebook.cells[0].outputs] == ['a\nb\n', None, 'a\n']


def test_difference_is_seen(lesson_03, tmp_path):
    path = tmp_path / '03.ipynb'
    changes = [
        lambda nb: nb.cells[0].update(source='# other'),
        lambda nb: nb.cells[2].update(id='other'),
        lambda nb: nb.cells.pop(),
        lambda nb: nb.metadata.update(more=1),
        lambda nb: next(c for c in nb.cells if c.id == 'l03-check').outputs[0].data.update({'text/plain': 'other'}),
        lambda nb: drawn(nb).update({'image/png': png(other_size=True)}),
    ]

    def drawn(nb):
        return next(o.data for c in nb.cells for o in c.get('outputs', ()) if 'image/png' in o.get('data', {}))

    def png(other_size=False):  # with other pixels
        head = base64.b64decode(drawn(lesson_03)['image/png'])[:24]
        return base64.b64encode(head[:20] + b'AAAA' * 2 if other_size else head + b'AAAA').decode()

    for change in changes:
        other = copy.deepcopy(lesson_03)
        change(other)
        nbformat.write(other, path)
        assert build.difference(path, lesson_03)
    same = copy.deepcopy(lesson_03)
    drawn(same)['image/png'] = png()  # another machine's fonts
    nbformat.write(same, path)
    assert build.difference(path, lesson_03) == ''
    assert build.difference(tmp_path / 'none.ipynb', lesson_03)


def test_build_says_what_is_missing(capsys):
    assert build.main(['77']) == 1
    assert '77' in capsys.readouterr().err


def test_build_checks_and_writes_nothing(lesson_03, monkeypatch, capsys):
    """That each lesson passes the check is in test_run, which executes it."""
    monkeypatch.setattr(build, 'build', lambda source: lesson_03)
    assert build.main(['03', '--check']) == 0 and capsys.readouterr() == ('', '')
    lesson_03.cells[0].source = '# other'
    assert build.main(['03', '--check']) == 1
    tells(capsys.readouterr().err.strip(), '03_takeover.ipynb', 'cell l03-title', 'in source', 'build 03')
