"""One lesson on the page: `L = lesson('03')` sets it up, and everything else hangs on L."""

import shutil
from collections.abc import Callable
from importlib.resources import files
from typing import Any

from IPython import get_ipython
from IPython.display import display
from IPython.utils.capture import capture_output

from minicell import __version__, set_seed

from . import words
from .about import about
from .beats import beats, notebook_of
from .bridge import MISSING, bridge
from .card import Card, Progress, Sentence
from .exercise import Exercise, Verdict
from .figure import Shown
from .live import TURN, Live, follow
from .order import Ordering
from .order import exercise as exercise_of
from .present import Presentation
from .progress import Kept
from .question import Prediction, Result, Waits
from .task import Order, Task

EDITOR = 'editor'  # the card of an exercise in which one writes
ASKED = {'': '○ {}: to do', 'passed': '✓ {}: done', 'failed': '✓ {}: done, and surprised'}
TRIED = {'': '○ {}: to do', 'passed': '✓ {}: passed', 'failed': '✗ {}: not yet'}


def lesson(number: str, keep: bool = True) -> 'Lesson':
    """Set up a lesson: fix the seed, and say which lesson and which version this is, and what it does without.

    Progress is kept in a file of yours on this machine; with keep=False it is neither read nor written.
    """
    return Lesson(number, keep)


class Lesson:
    """The questions, exercises and figures of one lesson, and how far a learner has come.

    What was answered is kept in one place, `kept`; the cards are drawn from there.
    """

    def __init__(self, number: str, keep: bool = True) -> None:
        self.number = number
        self.about = about(number)
        self.cards: dict[str, Card] = {}  # those that are shown, by their ids
        self.predictions: dict[str, Prediction] = {}
        self.exercises: dict[str, Exercise] = {}
        self.tasks: dict[tuple[str, str], Task] = {}
        self.checked = 0
        self.figures: dict[str, Any] = {}
        self.following: dict[str, Live] = {}  # those with controls, by their ids: every page that shows one is heard
        self.unlocked = False
        self.presenting = False  # on a projector there is no cell to write in
        self.watching: list[Callable[[Card], None]] = []  # told of each card that is drawn again
        sentences = (f'sentence {name}' for name in self.about.sentences)
        self.kept = Kept(number, {*self.about.questions, *self.about.exercises, *sentences}, keep)
        set_seed(self.about.seed)
        shell = get_ipython()
        self.bridge = None
        if shell is not None:
            shell.register_magic_function(self.result, 'cell', 'result')
            shell.set_custom_exc((NameError,), self.missing)
            self.bridge = bridge(number, self.hear)
        print(self._set_up(shell is not None))

    def _set_up(self, notebook: bool) -> str:
        """What was set up, and what is known of the machine. Whether there is a network is not tried: none is used."""
        dot = 'dot found' if shutil.which('dot') else 'no dot program (none is needed)'
        parts = (f'minicell {__version__}', repr(self), f'seed {self.about.seed}', 'works offline', dot)
        said = [' · '.join(parts), self.kept.trouble, MISSING if notebook and self.bridge is None else '']
        if self.kept.states:
            said.append(f'So far: {self._progress()[0]}. L.again() starts over.')
        return '\n'.join(filter(None, said))

    def missing(self, shell: Any, kind: type, error: NameError, trace: Any, tb_offset: int | None = None) -> None:
        """A cell that was skipped has made no names: the error says which cell it is."""
        shell.showtraceback((kind, error, trace), tb_offset=tb_offset)
        if heading := self.about.made.get(str(error.name)):
            print(f'{error.name} is made in a cell under “{heading}”: run that cell first.')

    def __repr__(self) -> str:
        return f'Lesson {self.number}: {self.about.title}'

    # ---- what the page says -----------------------------------------------------------------------------------------

    def hear(self, said: dict[str, Any]) -> None:
        """What a card was told on the page: an answer, a hint more, a sentence, an order, code."""
        with TURN:  # the kernel may hear it in a thread of its own, and there is one tape
            if str(said.get('of')) in self.following:
                self.following[said['of']].hear(said)
                return
            card = self._card(str(said.get('of', '')))
            if card is None:
                return
            self.kept.look()  # another notebook may have written meanwhile
            card.turns += 1
            if isinstance(card, Prediction) and card.choice is None:
                chosen = said.get('chosen')
                if isinstance(chosen, int) and 0 <= chosen < len(card.question.choices):
                    choice = card.question.choices[chosen]
                    self.kept.tell(card.name, state='passed' if choice.right else 'failed', said=choice.text)
            elif isinstance(card, Sentence) and isinstance(said.get('said'), str):
                self.kept.tell(f'sentence {card.name}', said=said['said'])
            elif isinstance(card, Task):
                self._work(card, said)
            self.draw()

    def _card(self, of: str) -> Card | None:
        """The card of an id. One that an earlier kernel has shown is made anew."""
        _, kind, name = (*of.split(' ', 2), '', '')[:3]
        task, _, which = name.partition(' ')
        if of not in self.cards and kind == 'question' and name in self.about.questions:
            self._shown(self.predict(name))
        elif of not in self.cards and kind in ('exercise', 'order') and task in self.about.exercises:
            self._shown(self._task(task, which))
        elif of not in self.cards and kind == 'sentence' and name in self.about.sentences:
            self._shown(self.sentence(name))
        return self.cards.get(of)

    def _work(self, card: Task, said: dict[str, Any]) -> None:
        """What was done on the card of an exercise."""
        if isinstance(said.get('hints'), int):
            self.kept.tell(card.name, hints=said['hints'])
        elif isinstance(said.get('code'), str) and card.editor is not None:
            card.editor = said['code']
            self._note(card.name, card.judged(card.exercise.check_code(card.editor)))
        elif isinstance(said.get('order'), list) and isinstance(card, Order):
            card.order = [key for key in said['order'] if key in card.exercise.lines]
            self._note(card.name, card.judged(card.exercise.check(card.order)))
        elif said.get('tape') and card.verdict.trial and card.verdict.trial.shows:
            card.show_tape()

    def _shown(self, card: Card) -> Card:
        """A card that is shown already."""
        self.cards[card.id] = card
        card.shown = card.shown or 'before'  # as it was shown, nobody knows
        return card

    def draw(self) -> None:
        """Draw every card again that has changed."""
        for card in list(self.cards.values()):
            if fresh := card.draw():
                if self.bridge is not None:
                    self.bridge.send({'of': card.id, 'data': fresh})
                for see in self.watching:
                    see(card)

    # ---- questions --------------------------------------------------------------------------------------------------

    def predict(self, name: str) -> Prediction:
        """Ask a question of the lesson, before the answer is seen or from memory."""
        if name not in self.predictions:
            asked, told = self._of(self.about.questions, name), lambda: self.kept.told.get(name, {})
            self.predictions[name] = Prediction(self.number, name, asked, told, lambda: self.unlocked)
        return self._on_page(self.predictions[name])

    recall = predict

    def _on_page(self, card: Any) -> Any:
        """Once this card is shown, it is drawn again whenever it changes."""
        card.onwards = lambda card: self.cards.update({card.id: card})
        return card

    def result(self, line: str, cell: str) -> Card | None:
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
            print(printed, end='')
            return None
        return self._on_page(Result(self.predictions[name], printed))

    def unlock(self) -> None:
        """Show all results, without a prediction: for teachers."""
        self.unlocked = True
        self.draw()
        print('Unlocked: every answer and result of this lesson is open.')

    def again(self) -> None:
        """Begin anew: every question and exercise of the lesson, and its progress. Your cells stay as they are."""
        self.unlocked = False
        self.kept.tell(None)
        for task in self.tasks.values():
            task.begin()
        self.draw()
        print(f'{self} begins anew: every question and every exercise.')

    def reset(self) -> None:
        """Start over: the seed, all controls, questions, exercises and progress are as at the beginning.

        Names that your cells have defined stay as they are; to lose them too, restart the kernel.
        """
        set_seed(self.about.seed)
        for figure in self.following.values():
            figure.reset()
        self.again()
        print(f'The seed is {self.about.seed}, and every control is as at the beginning.')

    # ---- exercises --------------------------------------------------------------------------------------------------

    def exercise(self, name: str) -> Card:
        """The card of an exercise with a place to write of its own, for where there is no cell to write in."""
        return self._task(name, EDITOR)

    def order(self, name: str) -> Card:
        """An exercise whose lines are to be put into order."""
        if not isinstance(self._exercise(name), Ordering):
            raise ValueError(f'exercise {name} asks for code, not for an order: write L.exercise({name!r})')
        return self._task(name)

    def _task(self, name: str, which: str = '') -> Task:
        exercise = self._exercise(name)
        if (name, which) not in self.tasks:
            kind = Order if isinstance(exercise, Ordering) else Task
            told = lambda: self.kept.told.get(name, {})
            self.tasks[name, which] = kind(self.number, exercise, told, which, which == EDITOR)
        return self._on_page(self.tasks[name, which])

    def check(self, name: str, answer: Any = ...) -> Verdict:
        """Check an answer. Never raises: not attempted, passed, or failed because of a named misconception."""
        try:
            self.checked += 1  # a card under each cell that asks: what stands in it is about that cell
            task = self._task(name, EDITOR if self.presenting else str(self.checked))
        except ValueError as error:
            return Verdict('open', str(error))
        verdict = task.judged(task.exercise.check(answer))
        self._note(name, verdict)
        self.draw()
        return verdict

    def insert(self, name: str, which: str = 'solution') -> None:
        """Put stored code into a new cell below: the 'solution' of an exercise, its 'start', or a mistake by name."""
        asked = self._exercise(name)
        stored = {'solution': asked.solution, 'start': asked.start, **{each.name: each.code for each in asked.mistakes}}
        code = self._of(stored, which, f'Exercise {name}')
        shell = get_ipython()
        if shell is None:
            print(code)
        else:
            shell.set_next_input(f'{code}\n\nL.check({name!r}, {asked.answer_name})')

    def _exercise(self, name: str) -> Exercise:
        if name not in self.exercises:
            if name not in self.about.exercises:
                raise ValueError(f'{self} has no exercise {name!r}; it has {", ".join(self.about.exercises)}')
            self.exercises[name] = exercise_of(name)
        return self.exercises[name]

    def _note(self, name: str, verdict: Verdict) -> None:
        if verdict.state != 'open' and self.kept.states.get(name) not in (verdict.state, 'passed'):
            self.kept.tell(name, state=verdict.state)

    # ---- the rest ---------------------------------------------------------------------------------------------------

    def figure(self, name: str, *arguments: Any, after: str = '') -> Shown | Card:
        """A figure of the lesson with its one control; with `after`, it opens when that prediction is committed."""
        shown = self._figure(name, self._of(self.about.python.FIGURES, name)(*arguments))
        asked = self.predictions.get(after)
        return self._on_page(Waits(asked, name, shown)) if asked else shown

    def _figure(self, name: str, figure: Any) -> Shown:
        """What a figure shows; one with controls is heard, and told of."""
        self.figures[name] = figure
        if isinstance(figure, Live):
            figure.lesson, self.following[figure.id] = self.number, figure
            if self.bridge is not None:
                figure.tells = self.bridge.send
        return figure.shown

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
        return self._figure(figure.name, figure)

    def sentence(self, name: str) -> Card:
        """Room for the learner's own sentence, and a model answer to compare it with."""
        asked = self._of(self.about.sentences, name)
        said = lambda: self.kept.told.get(f'sentence {name}', {}).get('said')
        return self._on_page(Sentence(self.number, name, asked, said))

    def present(self, at: str = '') -> Presentation:
        """The lesson on a projector, beat by beat; `at` is a jump code such as 'L03-s4-x2'.

        Page Down and Page Up, as a clicker sends them, go on and back; Escape leaves.
        """
        shell = get_ipython()
        if shell is None:
            raise RuntimeError('present() shows the cells of a notebook: call it in one')
        presentation = Presentation(self, beats(self.number, notebook_of(self.number)), shell, at)
        script = files(__package__).joinpath('present.js').read_text(encoding='utf-8')
        display({'application/javascript': script}, raw=True)
        return presentation

    def progress(self) -> Card:
        """How far this lesson has come, at a glance; it follows what happens elsewhere on the page."""
        kept = self.kept
        kept.look()
        where = lambda: kept.trouble or (f'Kept in {kept.path}, on this machine alone.' if kept.on else '')
        return self._on_page(Progress(self.number, self._progress, where))

    def _progress(self) -> tuple[str, list[str]]:
        """How many are done, and a line for each question and exercise. A wrong prediction is done, too."""
        states = self.kept.states
        said = [ASKED[states.get(name, '')].format(name) for name in self.about.questions]
        said += [TRIED[states.get(name, '')].format(f'exercise {name}') for name in self.about.exercises]
        done = sum(line.startswith(words.SIGNS['passed']) for line in said)
        return f'Lesson {self.number}: {done} of {len(said)} done', said

    def _of(self, things: dict[str, Any], name: str, whose: str = '') -> Any:
        if name not in things:
            raise ValueError(f'{whose or self} has no {name!r}; it has {", ".join(things)}')
        return things[name]
