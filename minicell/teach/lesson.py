"""One lesson on the page: `L = lesson('03')` sets it up, and everything else hangs on L."""

import shutil
from collections.abc import Callable
from typing import Any

import ipywidgets as w
from IPython import get_ipython
from IPython.utils.capture import capture_output

from minicell import __version__, set_seed

from . import places, words
from .about import about
from .beats import beats, notebook_of
from .exercise import Exercise, Verdict
from .live import follow
from .order import Ordering, OrderPanel
from .order import exercise as exercise_of
from .panel import Panel, hint_page, solution_page
from .present import Presentation
from .progress import Kept
from .question import Choice, Prediction, Question, Result, kept_back
from .shown import Shown, button, column, html, row, script, spoken

SENTENCE_HEIGHT = 96
GLANCE_HEIGHT = 120
ASKED = {'locked': '○ {}: to do', 'passed': '✓ {}: done', 'failed': '✓ {}: done, and surprised'}
TRIED = {'open': '○ {}: to do', 'passed': '✓ {}: passed', 'failed': '✗ {}: not yet'}


def lesson(number: str, keep: bool = True) -> 'Lesson':
    """Set up a lesson: fix the seed, and say which lesson and which version this is, and what it does without.

    Progress is kept in a file of yours on this machine; with keep=False it is neither read nor written.
    """
    return Lesson(number, keep)


class Page:
    """Something that a call answers with: text, and HTML in a notebook."""

    def __init__(self, text: str, page: str) -> None:
        self.text = text
        self.page = page

    def __repr__(self) -> str:
        return self.text

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {'text/plain': self.text, 'text/html': self.page}


class Lesson:
    """The questions, exercises and figures of one lesson, and how far a learner has come."""

    def __init__(self, number: str, keep: bool = True) -> None:
        self.number = number
        self.about = about(number)
        self.predictions: dict[str, Prediction] = {}
        self.exercises: dict[str, Exercise] = {}
        self.panels: dict[str, Panel] = {}
        self.figures: dict[str, Any] = {}
        self.verdicts: dict[str, str] = {}
        self.unlocked = False
        self.starting_over: list[Callable[[], None]] = []
        self.kept = Kept(number, (*self.about.questions, *self.about.exercises), keep)
        self.glance = html('', GLANCE_HEIGHT)
        places.watch()
        set_seed(self.about.seed)
        shell = get_ipython()
        if shell is not None:
            shell.register_magic_function(self.result, 'cell', 'result')
            script('page.js')
        print(self._set_up())

    def _set_up(self) -> str:
        """What was set up, and what is known of the machine. Whether there is a network is not tried: none is used."""
        dot = 'dot found' if shutil.which('dot') else 'no dot program (none is needed)'
        parts = (f'minicell {__version__}', repr(self), f'seed {self.about.seed}', 'works offline', dot)
        said = [' · '.join(parts), self.kept.trouble]
        if self.kept.states:
            said.append(f'So far: {self._progress()[0]}. L.reset() starts over.')
        return '\n'.join(filter(None, said))

    def __repr__(self) -> str:
        return f'Lesson {self.number}: {self.about.title}'

    # ---- questions --------------------------------------------------------------------------------------------------

    def predict(self, name: str, question: str = '', choices: tuple[Choice, ...] = ()) -> Shown:
        """Ask for a prediction: the lesson's own, or with `question` and `choices` one of a teacher's."""
        return self._ask(name, 'Predict', question, choices)

    def recall(self, name: str, question: str = '', choices: tuple[Choice, ...] = ()) -> Shown:
        """Ask for something that an earlier lesson taught."""
        return self._ask(name, 'Recall', question, choices)

    def _ask(self, name: str, kind: str, question: str, choices: tuple[Choice, ...]) -> Shown:
        if name not in self.predictions:
            asked = Question(question, tuple(choices)) if question else self._of(self.about.questions, name)
            self.predictions[name] = Prediction(name, kind, asked)
            self.predictions[name].waiting.append(self._moved)
            self.starting_over.append(self.predictions[name].reset)
            if self.unlocked:
                self.predictions[name].unlock()
        return self.predictions[name].shown

    def result(self, line: str, cell: str) -> Shown | None:
        """The magic `%%result NAME`: run the cell, and keep what it prints until the prediction NAME is committed."""
        name, shell = line.strip(), get_ipython()
        with capture_output() as caught:
            # the first line stays a line, so that lines are numbered as on the page
            ran = shell.run_cell(f'# %%result {name}\n{cell}', store_history=False)
        if not ran.success:
            caught.show()  # the error is there already, as the cell's own output
            return None
        printed = caught.stdout + ''.join(str(out) for out in caught.outputs)
        if name not in self.predictions:
            return Page(printed, words.pre(printed))
        return Result(self.predictions[name], printed).shown

    def unlock(self) -> None:
        """Show all results, without a prediction: for teachers."""
        self.unlocked = True
        for prediction in self.predictions.values():
            prediction.unlock()
        print('Unlocked: every answer and result of this lesson is open.')

    def reset(self) -> None:
        """Start over: the seed, all controls, questions, exercises and progress are as at the beginning.

        Names that your cells have defined stay as they are; to lose them too, restart the kernel.
        """
        set_seed(self.about.seed)
        places.back()
        self.unlocked = False
        self.verdicts.clear()
        self.kept.keep({})
        for start_over in self.starting_over:
            start_over()
        self._moved()
        print(f'{self} starts over: seed {self.about.seed}, every control, every question and exercise.')

    # ---- exercises --------------------------------------------------------------------------------------------------

    def exercise(self, name: str) -> Shown:
        """The panel of an exercise: hints, a box of code, and a way through without typing."""
        return self._panel(name).shown

    def order(self, name: str) -> Shown:
        """An exercise whose lines are to be put into order: hints, a place for each line, and the stored orders."""
        if not isinstance(self._exercise(name), Ordering):
            raise ValueError(f'exercise {name} asks for code, not for an order: write L.exercise({name!r})')
        return self._panel(name).shown

    def _panel(self, name: str) -> Panel:
        if name not in self.panels:
            exercise = self._exercise(name)
            kind = OrderPanel if isinstance(exercise, Ordering) else Panel
            self.panels[name] = kind(exercise, lambda verdict: self._note(name, verdict))
            self.starting_over.append(self.panels[name].reset)
        return self.panels[name]

    def check(self, name: str, answer: Any = ...) -> Verdict:
        """Check an answer. Never raises: not attempted, passed, or failed because of a named misconception."""
        try:
            verdict = self._exercise(name).check(answer)
        except ValueError as error:
            return Verdict('open', str(error))
        self._note(name, verdict)
        return verdict

    def hint(self, name: str, number: int = 1) -> Page:
        """Hint 1, 2 or 3 of an exercise."""
        hints = self._exercise(name).hints
        number = min(max(int(number), 1), len(hints))
        return Page(
            f'Hint {number}: {words.plain(hints[number - 1])}', words.block(hint_page(number, hints[number - 1]))
        )

    def reveal(self, name: str) -> Page:
        """The solution of an exercise, with its reasons."""
        exercise = self._exercise(name)
        return Page(f'{exercise.why}\n\n{exercise.printed(exercise.solution)}', words.block(solution_page(exercise)))

    def solution(self, name: str) -> str:
        """The code of the solution, as text."""
        return self._exercise(name).solution

    def _exercise(self, name: str) -> Exercise:
        if name not in self.exercises:
            if name not in self.about.exercises:
                raise ValueError(f'{self} has no exercise {name!r}; it has {", ".join(self.about.exercises)}')
            self.exercises[name] = exercise_of(name)
        return self.exercises[name]

    def _note(self, name: str, verdict: Verdict) -> None:
        if self.verdicts.get(name) != 'passed':  # what is passed stays passed
            self.verdicts[name] = verdict.state
        self._moved()

    # ---- the rest ---------------------------------------------------------------------------------------------------

    def figure(self, name: str, *arguments: Any, after: str = '') -> Shown:
        """A figure of the lesson with its one control; with `after`, it opens when that prediction is committed."""
        figure = self._of(self.about.figures, name)(*arguments)
        self.figures[name] = figure
        if hasattr(figure, 'reset'):
            self.starting_over.append(figure.reset)
        asked = self.predictions.get(after)
        return kept_back(asked, figure.shown) if asked else figure.shown

    def live(self, function: Callable, start: float, stop: float, value: float | None = None) -> Shown:
        """The picture of a function of yours, with a slider for its input: move it, and the function runs again.

        The slider goes from `start` to `stop`, and stands at `value`, by default in the middle. The function gets a
        Tensor with that one number. What it returns is differentiated, and the picture shows your own lines:

            def f(x):
                return x * x + 3 * x

            L.live(f, -2, 2)

        A function that takes a gradient itself is shown as it is. So you may drag something else than the input:

            def scaled(scale):
                return ms.grad(lambda x, y: (scale * net(x, y)).sum(), (0, 1))(x, y)

            L.live(scaled, 0.1, 10)

        The picture stays at the step that it shows. Where the function raises an exception, the reason is told over
        the picture, and the next value is tried as if nothing had happened.
        """
        figure = follow(function, start, stop, value)
        self.figures[figure.name] = figure
        return figure.shown

    def sentence(self, name: str) -> Shown:
        """Room for the learner's own sentence, and a model answer to compare it with."""
        asked, model = self._of(self.about.sentences, name)
        own = w.Textarea(
            placeholder='In your own words', tooltip=asked, layout=w.Layout(width='auto', height=f'{SENTENCE_HEIGHT}px')
        )
        waits = words.paragraphs('A model answer waits here. Write yours first.')
        shows = words.headline('plain', 'A model answer') + words.paragraphs(model)
        answer = spoken(SENTENCE_HEIGHT)

        def show() -> None:
            answer.value = words.block(shows, 'plain', SENTENCE_HEIGHT)

        def hide() -> None:
            answer.value = words.block(waits, 'locked', SENTENCE_HEIGHT)

        hide()
        self.starting_over.append(hide)

        body = column(
            html(words.block(words.paragraphs(asked))),
            own,
            row(button('Show the model answer', 'Show a model answer to compare yours with', show)),
            answer,
        )
        page = words.block(words.paragraphs(asked) + words.folded('A model answer', words.paragraphs(model)))
        return Shown(body, f'{asked}\nA model answer: {model}', page)

    def present(self, at: str = '') -> Shown:
        """The lesson on a projector, beat by beat; `at` is a jump code such as 'L03-s4-x2'.

        Page Down and Page Up, as a clicker sends them, go on and back; Escape leaves.
        """
        shell = get_ipython()
        if shell is None:
            raise RuntimeError('present() shows the cells of a notebook: call it in one')
        presentation = Presentation(self, beats(self.number, notebook_of(self.number)), shell, at)
        script('present.js')
        return presentation.shown

    def progress(self) -> Shown:
        """How far this lesson has come, at a glance; it follows what happens elsewhere on the page."""
        self._moved()
        head, said = self._progress()
        return Shown(self.glance, '\n  '.join([head, *said]), progress_page(head, said))

    def _states(self) -> dict[str, str]:
        """How each question and exercise stands: in this session, or else before it."""
        now = {name: asked.state for name, asked in self.predictions.items() if asked.choice is not None}
        before = self.kept.states
        questions = {name: now.get(name, before.get(name, 'locked')) for name in self.about.questions}
        done = {name: before.get(name, 'open') for name in self.about.exercises}
        return questions | {
            name: 'passed' if 'passed' in (state, self.verdicts.get(name)) else self.verdicts.get(name, state)
            for name, state in done.items()
        }

    def _progress(self) -> tuple[str, list[str]]:
        """How many are done, and a line for each question and exercise. A wrong prediction is done, too."""
        states = self._states()
        said = [ASKED[states[name]].format(name) for name in self.about.questions]
        said += [TRIED[states[name]].format(f'exercise {name}') for name in self.about.exercises]
        done = sum(line.startswith(words.SIGNS['passed']) for line in said)
        return f'Lesson {self.number}: {done} of {len(said)} done', said

    def _moved(self) -> None:
        self.kept.keep(self._states())
        head, said = self._progress()
        self.glance.value = progress_page(head, said, self.kept)

    def _of(self, things: dict[str, Any], name: str) -> Any:
        if name not in things:
            raise ValueError(f'{self} has no {name!r}; it has {", ".join(things)}')
        return things[name]


def progress_page(head: str, said: list[str], kept: Kept | None = None) -> str:
    """Progress as HTML, and where it is kept."""
    cells = ''.join(f'<li style="margin-right:22px">{words.inline(each)}</li>' for each in said)
    line = f'<ul style="display:flex;flex-wrap:wrap;list-style:none;margin:4px 0 0;padding:0">{cells}</ul>'
    where = kept.trouble or (f'Kept in {kept.path}, on this machine alone.' if kept.on else '') if kept else ''
    note = f'<p style="margin:4px 0 0;font-size:14px">{words.inline(where)}</p>' if where else ''
    return words.block(f'<b>{words.inline(head)}</b>{line}{note}')
