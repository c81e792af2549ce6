"""Predict, commit, reveal: a question, what waits until it is answered, and a sentence of the learner's own."""

from html import escape
from typing import Any, NamedTuple

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
    """One question of a lesson."""

    kind, among = 'question', 'questions'
    label = '{0.about.kind}: {0.name}'

    @property
    def choice(self) -> Choice | None:
        """The answer that was committed, if the question still has it."""
        return next((choice for choice in self.about.choices if choice.text == self.told.get('said')), None)

    @property
    def unlocked(self) -> bool:
        """Whether results may be seen."""
        return self.lesson.unlocked or self.choice is not None

    def hear(self, said: dict[str, Any]) -> None:
        chosen, choices = said.get('chosen'), self.about.choices
        if self.choice is None and isinstance(chosen, int) and 0 <= chosen < len(choices):
            choice = choices[chosen]
            self.keep(state='passed' if choice.right else 'failed', said=choice.text)

    def facts(self) -> dict[str, Any]:
        choices = self.about.choices
        chosen = {} if self.choice is None else {'chosen': choices.index(self.choice)}
        right = next(k for k, choice in enumerate(choices) if choice.right)
        return {'right': right, **chosen, **({'open': True} if self.lesson.unlocked else {})}

    def body(self) -> str:
        asked = self.about
        waits = 'from memory' if asked.kind == 'Recall' else 'before you run it'
        state = 'answered' if self.choice else 'unlocked' if self.unlocked else waits
        after = words.paragraphs('' if asked.below else asked.after)
        if after:
            after = f'<div class="after">{after}</div>' if self.unlocked else words.folded('And then', after, 'after')
        earlier = words.note(EARLIER if self.told and not self.choice else '')
        rows = ''.join(map(self.row, asked.choices))
        return (
            f'{head(asked.kind, state)}<div class="ask">{words.paragraphs(asked.ask)}{earlier}</div>'
            f'<ol class="choices" type="A" style="list-style:upper-alpha">{rows}</ol>{after}'
        )

    def row(self, choice: Choice) -> str:
        """An answer, and its reply: folded until it is wanted."""
        told = '' if choice.right else f'<p>The belief behind it: “{words.inline(choice.misconception)}”.</p>'
        mark = ''
        if choice is self.choice:
            mark = f'your answer: {"right" if choice.right else "not so"}'
        elif choice.right and self.choice:
            mark = 'right'
        shown = f' <span class="mark"><b>({mark})</b></span>' if mark else ''
        opened = bool(mark) or self.lesson.unlocked
        reply = words.folded('Reply', told + words.paragraphs(choice.reply), 'reply', opened)
        return f'<li><span class="text">{words.inline(choice.text)}{shown}</span>{reply}</li>'


class Waits(Card):
    """What answers a question, kept back until that is answered: what a cell printed, or a figure."""

    kind, among = 'lock', 'questions'
    label = 'What answers {0.about.kind}: {0.name}'

    def __init__(self, prediction: Prediction, printed: str = '', figure: Any = None, which: str = '') -> None:
        super().__init__(prediction.lesson, prediction.name, which)
        self.prediction, self.printed, self.figure = prediction, printed, figure

    def facts(self) -> dict[str, Any]:
        return {'open': True} if self.prediction.unlocked else {}

    def body(self) -> str:
        """The line, and for a page without a kernel what it opens to."""
        asked, opened = self.prediction, self.prediction.unlocked
        what = 'The cell has run. Its output' if self.figure is None else 'A figure answers this. It'
        waits = f'{what} opens when you have answered **{self.about.kind}** above.'
        said = '' if asked.choice is None else f'You said: {asked.choice.text}'
        inside = words.pre(self.printed) + words.paragraphs(self.about.after * self.about.below)
        if self.figure is not None:
            inside = self.figure._repr_mimebundle_().get('text/html', words.pre(self.figure.text))
        inside = f'<p class="said">{words.inline(said)}</p>{inside}'
        line = '' if opened else f'<p class="wait">{words.inline(waits)}</p>'
        return line + words.folded('The figure' if self.figure else 'What the cell printed', inside, 'opened', opened)

    def __repr__(self) -> str:
        return self.printed.rstrip('\n') if self.figure is None else repr(self.figure)

    def bundle(self) -> dict[str, str]:
        """Where a notebook is kept, the figure is folded and in words; its pictures are for tools that ask for one."""
        return (self.figure._repr_mimebundle_() if self.figure else {}) | super().bundle()


class Sentence(Card):
    """Room for a sentence of the learner's own, and a model answer to compare it with."""

    kind, among = 'sentence', 'sentences'
    label = 'Sentence {0.name}'
    kept_as = 'sentence '

    def hear(self, said: dict[str, Any]) -> None:
        if isinstance(said.get('said'), str):
            self.keep(said=said['said'])

    def facts(self) -> dict[str, Any]:
        return self.told

    def body(self) -> str:
        (asked, model), said = self.about, self.told.get('said')
        return (
            f'{head("In one sentence", "to do" if said is None else "done")}'
            f'<div class="ask">{words.paragraphs(asked)}</div><p class="own">{escape(said or "")}</p>'
            f'{words.folded("Show the model answer", words.paragraphs(model), "model", said is not None)}'
        )
