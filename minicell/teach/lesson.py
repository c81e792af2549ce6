"""One lesson on the page: `L = lesson('03')` sets it up, and everything else hangs on L."""

import importlib
from typing import Any

import ipywidgets as w
import numpy as np
from IPython import get_ipython
from IPython.utils.capture import capture_output

from minicell import __version__

from . import words
from .exercise import Exercise, Verdict
from .order import Ordering, OrderPanel
from .order import exercise as exercise_of
from .panel import Panel, hint_page, solution_page
from .question import Choice, Prediction, Question, Result
from .shown import Shown, button, column, html, row

SENTENCE_HEIGHT = 96
GLANCE_HEIGHT = 96
ASKED = {'locked': '○ {}: to do', 'passed': '✓ {}: done', 'failed': '✓ {}: done, and surprised'}
TRIED = {'open': '○ {}: to do', 'passed': '✓ {}: passed', 'failed': '✗ {}: not yet'}


def lesson(number: str) -> 'Lesson':
    """Set up a lesson: fix the seed, and say which lesson and which version this is."""
    return Lesson(number)


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

    def __init__(self, number: str) -> None:
        self.number = number
        package = f'{__package__}.lesson{number}'
        try:
            self.about = importlib.import_module(package)
        except ModuleNotFoundError as error:
            if error.name != package:
                raise
            raise ValueError(f'there is no lesson {number!r}; a lesson is named by two digits, such as 03') from None
        self.package = package
        self.predictions: dict[str, Prediction] = {}
        self.exercises: dict[str, Exercise] = {}
        self.verdicts: dict[str, str] = {}
        self.unlocked = False
        self.glance = html('', GLANCE_HEIGHT)
        np.random.seed(self.about.SEED)
        shell = get_ipython()
        if shell is not None:
            shell.register_magic_function(self.result, 'cell', 'result')
        print(f'minicell {__version__} · Lesson {number}: {self.about.TITLE} · seed {self.about.SEED} · ready, offline')

    def __repr__(self) -> str:
        return f'Lesson {self.number}: {self.about.TITLE}'

    # ---- questions --------------------------------------------------------------------------------------------------

    def predict(self, name: str, question: str = '', choices: tuple[Choice, ...] = ()) -> Shown:
        """Ask for a prediction: the lesson's own, or with `question` and `choices` one of a teacher's."""
        return self._ask(name, 'Predict', question, choices)

    def recall(self, name: str, question: str = '', choices: tuple[Choice, ...] = ()) -> Shown:
        """Ask for something that an earlier lesson taught."""
        return self._ask(name, 'Recall', question, choices)

    def _ask(self, name: str, kind: str, question: str, choices: tuple[Choice, ...]) -> Shown:
        if name not in self.predictions:
            asked = Question(question, tuple(choices)) if question else self._of(self.about.QUESTIONS, name)
            self.predictions[name] = Prediction(name, kind, asked)
            self.predictions[name].waiting.append(self._moved)
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
        exercise = self._exercise(name)
        kind = OrderPanel if isinstance(exercise, Ordering) else Panel
        return kind(exercise, lambda verdict: self._note(name, verdict))

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
            if name not in self.about.EXERCISES:
                raise ValueError(f'{self} has no exercise {name!r}; it has {", ".join(self.about.EXERCISES)}')
            self.exercises[name] = exercise_of(name, f'{self.package}.exercise_{name}')
        return self.exercises[name]

    def _note(self, name: str, verdict: Verdict) -> None:
        if self.verdicts.get(name) != 'passed':  # what is passed stays passed
            self.verdicts[name] = verdict.state
        self._moved()

    # ---- the rest ---------------------------------------------------------------------------------------------------

    def figure(self, name: str, *arguments: Any) -> Shown:
        """A figure of the lesson with its one control."""
        return self._of(self.about.FIGURES, name)(*arguments).shown

    def sentence(self, name: str) -> Shown:
        """Room for the learner's own sentence, and a model answer to compare it with."""
        asked, model = self._of(self.about.SENTENCES, name)
        own = w.Textarea(
            placeholder='In your own words', tooltip=asked, layout=w.Layout(width='auto', height=f'{SENTENCE_HEIGHT}px')
        )
        waits = words.paragraphs('A model answer waits here. Write yours first.')
        shows = words.headline('plain', 'A model answer') + words.paragraphs(model)
        answer = html(words.block(waits, 'locked', SENTENCE_HEIGHT), SENTENCE_HEIGHT)

        def show() -> None:
            answer.value = words.block(shows, 'plain', SENTENCE_HEIGHT)

        body = column(
            html(words.block(words.paragraphs(asked))),
            own,
            row(button('Show the model answer', 'Show a model answer to compare yours with', show)),
            answer,
        )
        page = words.block(words.paragraphs(asked) + words.folded('A model answer', words.paragraphs(model)))
        return Shown(body, f'{asked}\nA model answer: {model}', page)

    def progress(self) -> Shown:
        """How far this lesson has come, at a glance; it follows what happens elsewhere on the page."""
        head, said = self._progress()
        self.glance.value = progress_page(head, said)
        return Shown(self.glance, '\n  '.join([head, *said]), progress_page(head, said))

    def _progress(self) -> tuple[str, list[str]]:
        """How many are done, and a line for each question and exercise."""
        said, done = [], 0
        for name in self.about.QUESTIONS:
            state = self.predictions[name].state if name in self.predictions else 'locked'
            said.append(ASKED[state].format(name))  # a wrong prediction is done, too: that is what it was for
            done += state != 'locked'
        for name in self.about.EXERCISES:
            state = self.verdicts.get(name, 'open')
            said.append(TRIED[state].format(f'exercise {name}'))
            done += state == 'passed'
        return f'Lesson {self.number}: {done} of {len(said)} done', said

    def _moved(self) -> None:
        self.glance.value = progress_page(*self._progress())

    def _of(self, things: dict[str, Any], name: str) -> Any:
        if name not in things:
            raise ValueError(f'{self} has no {name!r}; it has {", ".join(things)}')
        return things[name]


def progress_page(head: str, said: list[str]) -> str:
    """Progress as HTML."""
    cells = ''.join(f'<li style="margin-right:22px">{words.inline(each)}</li>' for each in said)
    line = f'<ul style="display:flex;flex-wrap:wrap;list-style:none;margin:4px 0 0;padding:0">{cells}</ul>'
    return words.block(f'<b>{words.inline(head)}</b>{line}')
