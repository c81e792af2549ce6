"""Predict, commit, reveal: the answer stays locked until a choice is made, then both stand side by side."""

from collections.abc import Callable
from typing import NamedTuple

import ipywidgets as w

from . import words
from .shown import Shown, button, column, html, paged, row, spoken


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
    after: str = ''  # what to do now, whatever was chosen
    below: bool = False  # a cell below shows what happened, and the reply with it


HEIGHT = 186  # pixels kept free for the reply, so that nothing below moves when it comes
LARGE = '<style>.minicell-choices label{font-size:15px;line-height:1.6;height:auto}</style>'
LOW = 84  # where the reply comes with the result of a cell below


class Prediction:
    """One question of a lesson: the choice, once committed, is kept, and whoever waits for it is told."""

    def __init__(self, name: str, title: str, question: Question) -> None:
        self.name = name
        self.title = title
        self.question = question
        self.choice: Choice | None = None
        self.open = False  # a teacher may look without a choice
        self.waiting: list[Callable[[], None]] = []
        self.radio = w.RadioButtons(
            options=[(choice.text.replace('`', ''), k) for k, choice in enumerate(question.choices)],
            value=None,
            tooltip=f'Your answer to: {title}',
            layout=w.Layout(width='auto', max_width='100%'),
        )
        self.radio.add_class('minicell-choices')
        self.submit = button('Commit', f'Commit your answer to: {title}', self.commit, '120px')
        self.hint = spoken()
        self.height = LOW if question.below else HEIGHT
        self.answer = spoken(self.height)
        self.shown = Shown(
            column(
                html(words.block(words.headline('plain', title) + words.paragraphs(question.ask)) + LARGE),
                self.radio,
                row(self.submit, self.hint),
                self.answer,
            ),
            self.text(),
            self.page(),
        )
        self.draw()

    @property
    def state(self) -> str:
        """'locked', 'passed' or 'failed'; a wrong prediction is done all the same."""
        if self.choice is None:
            return 'locked'
        return 'passed' if self.choice.right else 'failed'

    @property
    def unlocked(self) -> bool:
        """Whether results may be seen."""
        return self.open or self.choice is not None

    def commit(self) -> None:
        """Take the choice that is marked, for good; without one, ask for it."""
        if self.choice is None and self.radio.value is not None:
            self.choice = self.question.choices[self.radio.value]
        ask = 'Choose an answer first. A wrong guess teaches more than none.'
        self.hint.value = '' if self.choice else words.inline(ask)
        self.tell()

    def unlock(self) -> None:
        """Show results without a choice: for teachers."""
        self.open = True
        self.tell()

    def reset(self) -> None:
        """As if nobody had chosen."""
        self.choice, self.open = None, False
        self.radio.value, self.hint.value = None, ''
        self.tell()

    def tell(self) -> None:
        """Draw what the choice changes, here and where it is waited for."""
        self.draw()
        for ready in self.waiting:
            ready()

    def draw(self) -> None:
        """The reply, or the place where it will be."""
        self.radio.disabled = self.submit.disabled = self.choice is not None
        if not self.unlocked:
            waits = 'The answer opens when you have committed to yours.'
            body = words.headline('locked', 'Locked') + words.paragraphs(waits)
        elif self.question.below:
            body = words.headline('plain', 'Committed' if self.choice else 'Unlocked')
            body += words.paragraphs('Now run the cell below. What happened stands under it, beside your answer.')
        elif self.choice is None:
            body = self.all_replies()
        else:
            right = next(choice for choice in self.question.choices if choice.right)
            said = words.paragraphs(self.choice.text)
            if self.choice is not right:
                said += f'<p style="margin:0 0 6px"><b>Right is:</b> {words.inline(right.text)}</p>'
            body = headline(self.choice) + words.columns(('You said', said), ('Why', reply(self.choice)))
            body += self.after()
        state = 'plain' if self.unlocked and (self.question.below or self.choice is None) else self.state
        self.answer.value = words.block(body, state, self.height)

    def after(self) -> str:
        """What to do now, as HTML."""
        return words.paragraphs(self.question.after)

    def all_replies(self) -> str:
        """Every answer with its reply, for a teacher and for a page without a kernel."""
        parts = (
            f'<p style="margin:6px 0 2px"><b>{words.inline(choice.text)}</b></p>{headline(choice)}{reply(choice)}'
            for choice in self.question.choices
        )
        return ''.join(parts) + self.after()

    def text(self) -> str:
        """The question as plain text."""
        asked = words.plain(' '.join(self.question.ask.split()))
        return '\n'.join([f'{self.title}: {asked}', *(f'  ( ) {choice.text}' for choice in self.question.choices)])

    def page(self) -> str:
        """The question as a page without a kernel: choices to read, replies to open."""
        items = ''.join(f'<li>{words.inline(choice.text)}</li>' for choice in self.question.choices)
        asked = words.headline('plain', self.title) + words.paragraphs(self.question.ask)
        answers = words.folded('Choose first, then open the answers', self.all_replies())
        return words.block(f'{asked}<ul>{items}</ul>{answers}')


def headline(choice: Choice) -> str:
    """Right, or the misconception by its name."""
    if choice.right:
        return words.headline('passed', 'Right.')
    return words.headline('failed', f'Not so. The belief behind it: “{choice.misconception}”.')


def reply(choice: Choice) -> str:
    """The reply to a choice."""
    return words.paragraphs(choice.reply)


def kept_back(prediction: Prediction, shown: Shown) -> Shown:
    """A figure that answers a question: it opens when the prediction is made, and until then a line says so."""
    said = 'This figure answers the question above. It opens when you have committed to a prediction.'
    notice = html(words.block(words.headline('locked', 'Locked') + words.paragraphs(said), 'locked'))
    inside = shown.widget or paged(shown.page)

    def draw() -> None:
        notice.layout.display = 'none' if prediction.unlocked else None
        inside.layout.display = None if prediction.unlocked else 'none'

    prediction.waiting.append(draw)
    draw()
    return Shown(column(notice, inside), shown.text, shown.page, shown.pictures)


class Result:
    """What a cell printed, kept back until the prediction is made, then beside it."""

    def __init__(self, prediction: Prediction, printed: str, height: int = 360) -> None:
        self.prediction = prediction
        self.printed = printed
        self.height = height
        self.view = html('', height)
        happened = words.folded('What the cell printed (predict first)', words.pre(printed))
        self.shown = Shown(self.view, printed.rstrip('\n'), words.block(happened))
        prediction.waiting.append(self.draw)
        self.draw()

    def draw(self) -> None:
        """Locked, or what was said beside what happened."""
        prediction = self.prediction
        if not prediction.unlocked:
            said = 'The cell has run. What it printed is shown when you have committed to a prediction above.'
            body, state = words.headline('locked', 'Locked') + words.paragraphs(said), 'locked'
        elif prediction.choice is None:
            body = words.headline('plain', 'What happened') + words.pre(self.printed, wrap=True) + prediction.after()
            state = 'plain'
        else:
            said = words.paragraphs(prediction.choice.text) + reply(prediction.choice)
            happened = words.pre(self.printed, wrap=True)
            state = prediction.state
            body = headline(prediction.choice)
            body += words.columns(('You said', said), ('What happened', happened), wide=True) + prediction.after()
        self.view.value = words.block(body, state, self.height)
