"""Predict, commit, reveal: a question, and what waits until it is answered."""

import os
from collections.abc import Callable
from typing import Any, NamedTuple

from minicell.view.picture import STILL

from . import words
from .card import Card, head

EARLIER = 'You have answered this before, but none of these answers is kept. Answer again, and it counts as before.'


class Choice(NamedTuple):
    """One answer on offer. `misconception`: the belief behind a wrong one, in the words of who holds it."""

    text: str
    reply: str
    misconception: str = ''

    @property
    def right(self) -> bool:
        """Whether this is the right answer: it stands for no misconception."""
        return not self.misconception


class Question(NamedTuple):
    """What is asked, and every answer with its own reply."""

    ask: str
    choices: tuple[Choice, ...]
    kind: str = 'Predict'  # or 'Recall'
    after: str = ''  # what to do now, whatever was chosen
    below: bool = False  # a cell below shows what happened, and what is said after it


class Prediction(Card):
    """One question of a lesson. `told()` is what is kept of it; `opened()`: a teacher may look."""

    kind = 'question'

    def __init__(
        self, lesson: str, name: str, question: Question, told: Callable[[], dict[str, Any]], opened: Callable[[], bool]
    ) -> None:
        super().__init__(lesson, name)
        self.title, self.question, self.told, self.opened = question.kind, question, told, opened

    @property
    def choice(self) -> Choice | None:
        """The answer that was committed, if the question still has it."""
        said = self.told().get('said')
        return next((choice for choice in self.question.choices if choice.text == said), None)

    @property
    def unlocked(self) -> bool:
        """Whether results may be seen."""
        return self.opened() or self.choice is not None

    def facts(self) -> dict[str, Any]:
        """Which answer is right, which one was chosen, and whether a teacher has opened it."""
        choices = self.question.choices
        chosen = {} if self.choice is None else {'chosen': choices.index(self.choice)}
        right = next(k for k, choice in enumerate(choices) if choice.right)
        return {'right': right, **chosen, **({'open': True} if self.opened() else {})}

    def label(self) -> str:
        """What it is called for somebody who hears the page."""
        return f'{self.title}: {self.name}'

    def body(self) -> str:
        """What is asked, and under each answer its reply."""
        rows = ''.join(map(self.row, self.question.choices))
        waits = 'from memory' if self.title == 'Recall' else 'before you run it'
        state = 'answered' if self.choice else 'unlocked' if self.unlocked else waits
        after = words.paragraphs('' if self.question.below else self.question.after)
        if after and not self.unlocked:
            after = words.folded('And then', after, 'after')
        elif after:
            after = f'<div class="after">{after}</div>'
        asked = words.paragraphs(self.question.ask)
        if self.told() and not self.choice:
            asked += f'<p class="note">{EARLIER}</p>'
        return f'{head(self.title, state)}<div class="ask">{asked}</div><ol class="choices" type="A">{rows}</ol>{after}'

    def row(self, choice: Choice) -> str:
        """An answer, and its reply: folded until it is wanted."""
        told = '' if choice.right else f'<p>The belief behind it: “{words.inline(choice.misconception)}”.</p>'
        answered = self.choice is not None
        mark = ''
        if choice is self.choice:
            mark = ' <span class="mark"><b>(your answer: right)</b></span>' if choice.right else (
                ' <span class="mark"><b>(your answer: not so)</b></span>')  # fmt: skip
        elif choice.right and answered:
            mark = ' <span class="mark"><b>(right)</b></span>'
        reply = words.folded('Reply', told + words.paragraphs(choice.reply), 'reply', bool(mark) or self.opened())
        return f'<li><span class="text">{words.inline(choice.text)}{mark}</span>{reply}</li>'

    def text(self) -> str:
        """The question as plain text."""
        asked = words.plain(' '.join(self.question.ask.split()))
        signs = {choice: '(✓)' if choice.right else '(✗)' for choice in self.question.choices if choice is self.choice}
        rows = (f'  {signs.get(choice, "( )")} {choice.text}' for choice in self.question.choices)
        return '\n'.join([f'{self.title}: {asked}', *rows])


class Result(Card):
    """What a cell printed, kept back until the question is answered."""

    kind = 'lock'

    def __init__(self, prediction: Prediction, printed: str) -> None:
        super().__init__(prediction.lesson, prediction.name)
        self.prediction, self.printed = prediction, printed

    def facts(self) -> dict[str, Any]:
        """Whether it is open."""
        return {'open': True} if self.prediction.unlocked else {}

    def label(self) -> str:
        """What it is called for somebody who hears the page."""
        return f'What the cell printed, after {self.prediction.title}: {self.name}'

    def body(self) -> str:
        """A line while it waits; then what was said, and what happened."""
        asked, opened = self.prediction, self.prediction.unlocked
        waits = f'The cell has run. Its output opens when you have answered **{asked.title}** above.'
        said = '' if asked.choice is None else f'You said: {asked.choice.text}'
        inside = f'<p class="said">{words.inline(said)}</p>{words.pre(self.printed)}'
        inside += words.paragraphs(asked.question.after)
        line = '' if opened else f'<p class="wait">{words.inline(waits)}</p>'
        return line + words.folded('What the cell printed', inside, 'opened', opened)

    def text(self) -> str:
        """What was printed."""
        return self.printed.rstrip('\n')


class Waits(Card):
    """A line where a figure will be that answers a question: it opens when that is answered."""

    kind = 'lock'

    def __init__(self, prediction: Prediction, called: str, shown: Any) -> None:
        super().__init__(prediction.lesson, prediction.name)
        self.prediction, self.called, self.figure = prediction, called, shown

    @property
    def id(self) -> str:
        """A result and several figures may wait for the same question."""
        return f'{super().id} figure {self.called}'

    def bundle(self) -> dict[str, str]:
        """The figure itself, once the question is answered; where a notebook is kept, its stills."""
        if not (self.prediction.unlocked or os.environ.get(STILL)):
            return super().bundle()
        self.shown = self.html()
        return self.figure._repr_mimebundle_()

    def html(self) -> str:
        """The line; once the question is answered, no card at all."""
        return 'the figure' if self.prediction.unlocked else super().html()

    def label(self) -> str:
        """What it is called for somebody who hears the page."""
        return f'A figure, after {self.prediction.title}: {self.name}'

    def body(self) -> str:
        """The line, and for a page without a kernel what the figure shows there."""
        said = f'A figure answers this. It opens when you have answered **{self.prediction.title}** above.'
        return (
            f'<p class="wait">{words.inline(said)}</p><details class="opened"><summary>The figure</summary>'
            f'<p class="said"></p>{self.figure.still()}</details>'
        )

    def text(self) -> str:
        """The figure in words."""
        return repr(self.figure)
