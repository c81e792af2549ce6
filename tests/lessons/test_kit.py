"""The parts of the kit, without a kernel."""

import copy
from pathlib import Path

import ipywidgets as w
import numpy as np
import pytest

import minicell as ms
from minicell.teach import build, lesson, words
from minicell.teach.exercise import Exercise, Verdict
from minicell.teach.lesson03.figures import draw, loss_scale
from minicell.teach.panel import Panel
from minicell.teach.question import Choice, Prediction, Question, Result
from minicell.teach.source import SourceError, parse

EXERCISE = Exercise('3a', 'minicell.teach.lesson03.exercise_3a')
HEADER = """
import minicell as ms
import minicell.nn as nn
import minicell.ops as ops
class MatMul(nn.Cell):
    def construct(self, x, y):
        return ops.matmul(x, y)
    def bprop(self, x, y, out, dout):
"""


def answer(body: str) -> str:
    return HEADER + '\n'.join(f'        {line}' for line in body.splitlines())


# ---- exercise 3a -------------------------------------------------------------------------------------------------


def test_not_attempted():
    for verdict in (
        EXERCISE.check(...),
        EXERCISE.check_code(EXERCISE.start),
        EXERCISE.check_code(answer('return ..., ...')),
    ):
        assert verdict.state == 'open' and 'not attempted' in repr(verdict)
    assert EXERCISE.check_code(answer('dx = ... @ y.T\nreturn dx, dx')).state == 'open'


def test_the_solution_passes():
    assert EXERCISE.check_code(EXERCISE.solution).passed


@pytest.mark.parametrize('mistake', EXERCISE.mistakes, ids=lambda mistake: mistake.name)
def test_each_mistake_gets_its_own_hint(mistake):
    doc = (Path(str(EXERCISE.folder)) / f'{mistake.name}.py').read_text(encoding='utf-8').split('"""')[1]
    first, _, rest = doc.partition('\n')
    verdict = EXERCISE.check_code(mistake.code)
    assert verdict.state == 'failed'
    assert verdict.misconception == first.strip(' "')
    assert ' '.join(verdict.hint.split()) == ' '.join(rest.split())
    assert len(verdict.hint) > 40


def test_mistakes_differ():
    assert len(EXERCISE.mistakes) >= 3
    for part in ('misconception', 'hint', 'code'):
        assert len({getattr(mistake, part) for mistake in EXERCISE.mistakes}) == len(EXERCISE.mistakes)


@pytest.mark.parametrize(
    'body',
    [
        'return dout @ y.T, x.T @ dout',
        'return [ops.matmul(dout, y.T), ops.matmul(x.T, dout)]',
        'return ops.transpose(y @ dout.T, (1, 0)), (dout.T @ x).T',
        'return ms.grad(lambda x, y: (x @ y * dout).sum(), (0, 1))(x, y)',
    ],
)
def test_other_right_answers_pass(body):
    verdict = EXERCISE.check_code(answer(body))
    assert verdict.passed, verdict


@pytest.mark.parametrize(
    ('body', 'named'),
    [
        ('return dout @ y.T, x @ dout', 'mistake_04_no_transpose'),  # one of the two is right
        ('return dout @ y, x.T @ dout', 'mistake_04_no_transpose'),
        ('return y.T @ dout, x.T @ dout', 'mistake_05_order'),
        ('return x + 1, x.T @ dout', 'mistake_01_document'),
        ('return ops.ones_like(out) @ y.T, x.T @ dout', 'mistake_02_no_dout'),
        ('return None, x.T @ dout', None),
        ('return 2 * dout @ y.T, x.T @ dout', None),
        ('return dout, x, y', None),
        ('return 3', None),
        ('return x, "y"', None),
    ],
)
def test_half_right_is_wrong(body, named):
    verdict = EXERCISE.check_code(answer(body))
    assert verdict.state == 'failed'
    assert (verdict.mistake.name if verdict.mistake else None) == named, verdict


class Strange(ms.nn.Cell):
    def construct(self, x, y):
        return x @ y

    def bprop(self, x, y, out, dout):
        raise KeyError('<b>strange</b>')


@pytest.mark.parametrize(
    'given', [None, 3, 'text', Strange, Strange(), lambda x, y: x, ms.nn.Dense(2, 2), int, object(), np.ones(3)]
)
def test_check_never_raises(given):
    verdict = EXERCISE.check(given)
    assert verdict.state == 'failed' and repr(verdict) and verdict.page()
    assert '<b>strange' not in verdict.page()


@pytest.mark.parametrize(
    'code', ['', 'x =', '1/0', 'MatMul = 3', 'import nothing_like_it', answer('return foo, 1'), '\x00']
)
def test_checking_code_never_raises(code):
    assert EXERCISE.check_code(code).state == 'failed'


def test_changed_construct_fails():
    code = EXERCISE.solution.replace('return self.matmul(x, y)', 'return self.matmul(x, y) * 2')
    verdict = EXERCISE.check_code(code)
    assert not verdict.passed and 'construct' in repr(verdict)


def test_only_right_gradients_with_clean_inputs_pass():
    body = 'dx, dy = dout @ y.T, x.T @ dout\nx[0] = 0.\nreturn dx, dy'
    assert not EXERCISE.check_code(answer(body)).passed


# ---- questions ---------------------------------------------------------------------------------------------------

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
    assert 'all &lt;u&gt; is lost' in asked.answer.value and 'no' in asked.answer.value
    assert '42' in result.view.value and '<s>' not in result.view.value
    asked.radio.value = 0
    asked.submit.click()
    assert asked.choice.text == 'no'  # a commitment is kept
    assert asked.radio.disabled and asked.submit.disabled


def test_text_from_anybody_is_escaped():
    asked = Prediction('p', 'Predict', QUESTION)
    asked.unlock()
    for page in (asked.answer.value, asked.shown.page):
        assert '<i>' not in page and '<u>' not in page and '<b>`' not in page
    assert words.inline('`<b>` **<i>**') == words.inline('`<b>` **<i>**').replace('<i>', '')
    page = Verdict('failed', '<script>', '<script>').page()
    assert '<script' not in page


def test_question_reads_as_text():
    asked = Prediction('p', 'Predict', QUESTION)
    bundle = asked.shown._repr_mimebundle_()
    assert '( ) no' in bundle['text/plain'] and repr(asked.shown) == bundle['text/plain']
    assert 'application/vnd.jupyter.widget-view+json' in bundle and '<li>no</li>' in bundle['text/html']


def test_every_question_of_the_lesson_has_one_right_answer():
    L = lesson('03')
    for name, question in L.about.QUESTIONS.items():
        assert sum(choice.right for choice in question.choices) == 1, name
        assert 3 <= len(question.choices) <= 4, name
        assert all(choice.reply for choice in question.choices), name
    known = [choice.misconception for choice in L.about.QUESTIONS['takeover'].choices]
    assert {'custom is added to automatic', 'the framework checks my maths'} <= set(known)


# ---- the lesson --------------------------------------------------------------------------------------------------


def test_lesson_without_a_notebook(capsys):
    L = lesson('03')
    said = capsys.readouterr().out
    assert 'Lesson 03: Takeover' in said and ms.__version__ in said and said.count('\n') == 1
    first = np.random.rand()
    lesson('03')
    assert np.random.rand() == first
    assert '0 of 5 done' in repr(L.progress())
    assert L.check('3a').state == 'open' and L.check('no such thing').state == 'open'
    assert 'x.T' in repr(L.reveal('3a')) and 'Hint 3' in repr(L.hint('3a', 9))
    with pytest.raises(ValueError, match='no lesson'):
        lesson('99')
    with pytest.raises(ValueError, match='recall 1'):
        L.predict('nothing')


def test_unlock_opens_what_is_there_and_what_comes():
    L = lesson('03')
    L.predict('takeover')
    L.unlock()
    L.recall('recall 1')
    assert all(asked.unlocked for asked in L.predictions.values())
    assert 'Nobody reads your source' in L.predictions['recall 1'].answer.value


def test_progress_follows():
    L = lesson('03')
    L.progress()
    L.predict('scale')
    asked = L.predictions['scale']
    asked.radio.value = 0
    asked.submit.click()
    assert '1 of 5 done' in L.glance.value and 'surprised' in L.glance.value
    L.check('3a', 3)
    assert 'not yet' in L.glance.value
    assert EXERCISE.check_code(EXERCISE.solution).passed
    panel = L.exercise('3a').widget
    next(b for b in buttons(panel) if b.description == 'Insert the solution').click()
    assert '2 of 5 done' in L.glance.value


def buttons(widget):
    if isinstance(widget, w.Button):
        return [widget]
    return [found for child in getattr(widget, 'children', ()) for found in buttons(child)]


def test_hints_come_one_by_one():
    panel = Panel(EXERCISE, lambda verdict: None)
    for number in (1, 2, 3):
        assert panel.more.description == f'Hint {number} of 3'
        assert f'Hint {number}' not in panel.hints.value
        panel.more.click()
        assert f'Hint {number}' in panel.hints.value
    assert 'ops.matmul(dout, y.T)' not in panel.hints.value
    panel.more.click()
    assert 'ops.matmul(dout, y.T)' in panel.hints.value and panel.more.disabled


def test_the_way_without_typing():
    said = []
    panel = Panel(EXERCISE, said.append)
    seen = set()
    for mistake in EXERCISE.mistakes:
        panel.insert_mistake()
        assert panel.code.value == mistake.code and words.inline(mistake.misconception) in panel.verdict.value
        seen.add(said[-1].misconception)
    assert len(seen) == len(EXERCISE.mistakes)
    panel.insert_solution()
    assert said[-1].passed and panel.code.value == EXERCISE.solution
    panel.start_again()
    assert said[-1].state == 'open'


# ---- the figure --------------------------------------------------------------------------------------------------


class Frozen(ms.nn.Cell):
    def construct(self, x, y):
        return ms.ops.matmul(x, y)

    def bprop(self, x, y, out, dout):
        return x + 1, y + 1


X = ms.Tensor([[0.5, 0.6, 0.4], [1.2, 1.3, 1.1]])
Y = ms.Tensor([[0.01, 0.3, 1.1], [0.1, 0.2, 1.3], [2.1, 1.2, 3.3]])


def test_figure_scales_the_truth_and_leaves_yours():
    figure = loss_scale(Frozen(), X, Y)
    sizes = set()
    for value in (0.1, 1.0, 10.0):
        figure.control.value = value
        sizes.add(figure.picture.layout.height)
        drawn = draw(Frozen(), X, Y, value)
        sizes.add(drawn.size)
        assert f'loss = {value:.2f} × z.sum()' in figure.picture.value
        assert '>1.50<' in figure.picture.value and f'>{6.6 * value:.2f}<' in figure.picture.value
        assert 'role="img"' in figure.picture.value and 'wrong' in figure.picture.value
    assert len(sizes) == 2  # one height of the widget, one size of the drawing


def test_figure_has_one_control():
    body = loss_scale(Frozen(), X, Y).shown.widget
    controls = [child for child in body.children if isinstance(child, w.ValueWidget) and not isinstance(child, w.HTML)]
    assert len(controls) == 1 and 'multiplies the loss' in controls[0].description


@pytest.mark.parametrize('code', [EXERCISE.solution, EXERCISE.solution.replace('def bprop', 'def other')])
def test_figure_of_a_right_cell_has_ticks(code):
    space: dict = {}
    exec(code, space)
    for scale in (0.1, 10.0):
        drawn = draw(space['MatMul'](), X, Y, scale)
        assert drawn.words.count('is right') == 2 and 'wrong' not in drawn.words


# ---- source and build --------------------------------------------------------------------------------------------


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


def test_committed_notebook_equals_its_source(lesson_03, capsys):
    assert build.main(['--check']) == 0, capsys.readouterr().err


def test_difference_is_seen(lesson_03, tmp_path):
    import nbformat

    path = tmp_path / '03.ipynb'
    changes = [
        lambda nb: nb.cells[0].update(source='# other'),
        lambda nb: nb.cells[2].update(id='other'),
        lambda nb: nb.cells.pop(),
        lambda nb: nb.metadata.update(more=1),
        lambda nb: next(c for c in nb.cells if c.id == 'l03-check').outputs[0].data.update({'text/plain': 'other'}),
    ]
    for change in changes:
        other = copy.deepcopy(lesson_03)
        change(other)
        nbformat.write(other, path)
        assert build.difference(path, lesson_03)
    same = copy.deepcopy(lesson_03)
    picture = next(o for c in same.cells for o in c.get('outputs', ()) if 'image/png' in o.get('data', {}))
    picture.data['image/png'] = 'AAAA'  # another machine's fonts
    nbformat.write(same, path)
    assert build.difference(path, lesson_03) == ''
    assert build.difference(tmp_path / 'none.ipynb', lesson_03)


def test_build_says_what_is_missing(capsys):
    assert build.main(['77']) == 1
    assert '77' in capsys.readouterr().err
