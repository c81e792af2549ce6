"""One lesson on the page: `L = lesson('03')` sets it up, and everything else hangs on L."""

import shutil
import threading
from typing import Any

from IPython import get_ipython
from IPython.utils.capture import capture_output

from minicell import __version__, set_seed

from .about import about
from .bridge import MISSING, bridge
from .card import Card
from .figure import Shown
from .present import Presentation
from .progress import Kept, Progress
from .question import Prediction, Sentence, Waits
from .task import EDITOR, Task

TURN = threading.RLock()  # the kernel may hear the page in a thread of its own, and there is one tape


class Lesson:
    """The questions, exercises and figures of one lesson, and how far a learner has come.

    It fixes the seed, and says which lesson and which version this is, and what it does without. What was answered is
    kept in one place, `kept`, and in a file of yours on this machine; with keep=False that is neither read nor written.
    """

    presenting = False  # on a projector there is no cell to write in, nor on a page

    def __init__(self, number: str, keep: bool = True) -> None:
        self.number = number
        self.about = about(number)
        self.seed = int(number)
        self.cards: dict[str, Card] = {}  # by their ids
        self.checked = 0
        self.unlocked = False
        sentences = (Sentence.kept_as + name for name in self.about.sentences)
        self.kept = Kept(number, {*self.about.questions, *self.about.exercises, *sentences}, keep)
        set_seed(self.seed)
        shell = get_ipython()
        self.bridge = None
        if shell is not None:
            shell.register_magic_function(self.result, 'cell', 'result')
            shell.set_custom_exc((NameError,), self.missing)
            self.bridge = bridge(number, self.hear)
        # What is known of the machine, too. Whether there is a network is not tried: none is used.
        dot = 'dot found' if shutil.which('dot') else 'no dot program (none is needed)'
        parts = (f'minicell {__version__}', repr(self), f'seed {self.seed}', 'works offline', dot)
        said = [' · '.join(parts), self.kept.trouble, MISSING if shell is not None and self.bridge is None else '']
        if self.kept.states:
            said.append(f'So far: {self._card(Progress, "progress").states()[0]}. L.again() starts over.')
        print('\n'.join(filter(None, said)))

    def missing(self, shell: Any, kind: type, error: NameError, trace: Any, tb_offset: int | None = None) -> None:
        """A cell that was skipped has made no names: the error says which cell it is."""
        shell.showtraceback((kind, error, trace), tb_offset=tb_offset)
        if heading := self.about.made.get(str(error.name)):
            print(f'{error.name} is made in a cell under “{heading}”: run that cell first.')

    def __repr__(self) -> str:
        return f'Lesson {self.number}: {self.about.title}'

    # ---- its cards --------------------------------------------------------------------------------------------------

    def hear(self, said: dict[str, Any]) -> None:
        """What was done on the page, on a card."""
        of = str(said.get('of', ''))
        with TURN:
            card = self.cards.get(of) or self._earlier(of)
            if card is not None:
                self.kept.look()  # another notebook may have written meanwhile
                card.shown = card.shown or 'before'  # as it was shown, nobody knows
                card.turns += 1
                card.hear(said)
                self.draw()

    def _earlier(self, of: str) -> Card | None:
        """A card that an earlier kernel has shown, made anew; None for what is the id of none."""
        for kind in (Prediction, Sentence, Task):
            for name in getattr(self.about, kind.among):
                if f'{of} '.startswith(f'{self.number} {kind.kind} {name} '):
                    return self._card(kind, name, of.partition(f'{kind.kind} {name}')[2].strip())
        return None

    def _card(self, kind: type[Card], name: str, which: str = '') -> Any:
        """The card of a kind that is called so; ValueError where the lesson has no such thing."""
        if kind.among:
            self._of(getattr(self.about, kind.among), name, kind.kind)
        made = kind(self, name, which)
        return self.cards.setdefault(made.id, made)

    def draw(self) -> None:
        """Draw every card again that has changed."""
        for card in list(self.cards.values()):
            if (fresh := card.draw()) and self.bridge is not None:
                self.bridge.send({'of': card.id, 'data': fresh})

    def predict(self, name: str) -> Prediction:
        """Ask a question of the lesson, before the answer is seen or from memory."""
        return self._card(Prediction, name)

    recall = predict

    def sentence(self, name: str) -> Card:
        """Room for the learner's own sentence, and a model answer to compare it with."""
        return self._card(Sentence, name)

    def progress(self) -> Card:
        """How far this lesson has come, at a glance; it follows what happens elsewhere on the page."""
        self.kept.look()
        return self._card(Progress, 'progress')

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
        waits = self._waits(name, printed=printed)
        if waits is None:
            print(printed, end='')
        return waits

    def _waits(self, name: str, **what: Any) -> Card | None:
        """What waits for a question, each time anew; None if the page has not asked that."""
        asked = self.cards.get(f'{self.number} question {name}')
        if asked is None:
            return None
        card = Waits(asked, **what)
        self.cards[card.id] = card
        return card

    def unlock(self) -> None:
        """Show all results, without a prediction: for teachers."""
        self.unlocked = True
        self.draw()
        print('Unlocked: every answer and result of this lesson is open.')

    def again(self) -> None:
        """Start over: the seed, all questions, exercises and progress are as at the beginning.

        Names that your cells have defined stay as they are; to lose them too, restart the kernel.
        """
        set_seed(self.seed)
        self.unlocked = False
        self.kept.tell(None)
        for each in self.cards.values():
            each.reset()
        self.draw()
        print(f'{self} begins anew: its questions and exercises, and the seed, which is {self.seed}.')

    # ---- exercises --------------------------------------------------------------------------------------------------

    def exercise(self, name: str) -> Card:
        """The card of an exercise with a place to write of its own, for where there is no cell to write in."""
        return self._card(Task, name, EDITOR)

    def check(self, name: str, answer: Any = ...) -> Task:
        """Check an answer, whatever it does: not begun, passed, or failed because of a named misconception."""
        self.checked += 1  # a card under each cell that asks: what stands in it is about that cell
        task = self._card(Task, name, EDITOR if self.presenting else str(self.checked))
        task.judged(task.about.check(answer))
        self.draw()
        return task

    def insert(self, name: str, which: str = 'solution') -> None:
        """Put stored code into a new cell below: the 'solution' of an exercise, its 'start', or a mistake by name."""
        asked = self._of(self.about.exercises, name, 'exercise')
        stored = {'solution': asked.solution, 'start': asked.start, **{each.name: each.code for each in asked.mistakes}}
        code = self._of(stored, which, whose=f'Exercise {name}')
        shell = get_ipython()
        if shell is None:
            print(code)
        else:
            shell.set_next_input(f'{code}\n\nL.check({name!r}, {asked.answer_name})')

    # ---- figures, and the projector ---------------------------------------------------------------------------------

    def figure(self, name: str, *arguments: Any, after: str = '', **settings: Any) -> Shown | Card:
        """A figure of the lesson with its slider; with `after`, it opens when that prediction is committed."""
        shown = self._of(self.about.python.FIGURES, name, 'figure')(*arguments, **settings).shown
        return self._waits(after, figure=shown, which=f'figure {name}') or shown

    def present(self, at: str = '') -> Presentation:
        """The lesson on a projector, beat by beat; `at` is a jump code such as 'L03-s4-x2'.

        Page Down and Page Up, as a clicker sends them, go on and back; Escape leaves.
        """
        shell = get_ipython()
        if shell is None:
            raise RuntimeError('present() shows the cells of a notebook: call it in one')
        return Presentation(self, shell, at)

    def _of(self, things: dict[str, Any], name: str, what: str = '', whose: str = '') -> Any:
        if name not in things:
            raise ValueError(f'{whose or self} has no {what}{" " * bool(what)}{name!r}; it has {", ".join(things)}')
        return things[name]


lesson = Lesson  # as it is called on the page
