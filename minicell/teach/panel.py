"""The panel of an exercise: hints one by one, and a way through it without typing."""

from collections.abc import Callable
from itertools import cycle

import ipywidgets as w

from . import words
from .exercise import Exercise, Mistake, Verdict
from .shown import Shown, button, column, html, row, spoken

HINT_HEIGHT = 210
VERDICT_HEIGHT = 310
MONO = '<style>.minicell-code textarea{font:14px/1.45 "DejaVu Sans Mono",Menlo,Consolas,monospace}</style>'


class Panel:
    """Buttons and a box of code for one exercise. `done` is told every verdict."""

    what = 'code'

    def __init__(self, exercise: Exercise, done: Callable[[Verdict], None]) -> None:
        self.exercise = exercise
        self.done = done
        self.more = button('', 'Show the next hint', self.next_hint, '200px')
        self.hints = spoken(HINT_HEIGHT)
        box = self.make_box()
        self.verdict = spoken(VERDICT_HEIGHT)
        buttons = row(
            button(f'Check this {self.what}', f'Check the {self.what} in the box', self.check),
            button('Insert the solution', 'Put the solution into the box and check it', self.insert_solution),
            button('Insert a common mistake', 'Put a common mistake into the box, and check it', self.insert_mistake),
            button('Start again', f'Put the unfinished {self.what} back', self.start_again),
        )
        title = words.block(self.asked())
        body = column(html(title + MONO), row(self.more), self.hints, box, buttons, self.verdict)
        self.shown = Shown(body, self.text(), self.page())
        self.reset()

    def reset(self) -> None:
        """As if nobody had been here."""
        self.shown_hints = 0
        self.mistakes = cycle(self.exercise.mistakes)
        self.put(self.exercise.start)
        self.draw_hints()
        self.say(self.exercise.untouched())

    def make_box(self) -> w.Widget:
        """The box of code."""
        self.code = w.Textarea(
            self.exercise.start,
            tooltip=f'Code of exercise {self.exercise.name}',
            layout=w.Layout(width='auto', height=f'{24 + 21 * longest(self.exercise)}px'),
        )
        self.code.add_class('minicell-code')
        return self.code

    def put(self, code: str) -> None:
        """Put a stored answer into the box."""
        self.code.value = code

    def verdict_of_box(self) -> Verdict:
        """Check what stands in the box."""
        return self.exercise.check_code(self.code.value)

    def next_hint(self) -> None:
        """One hint more; after the last one, the solution."""
        self.shown_hints = min(self.shown_hints + 1, len(self.exercise.hints) + 1)
        self.draw_hints()

    def draw_hints(self) -> None:
        """The hints that have been asked for, the newest on top."""
        hints, n = self.exercise.hints, self.shown_hints
        parts = [hint_page(i + 1, hint) for i, hint in enumerate(hints[:n])]
        if n > len(hints):
            why = words.headline('plain', 'The solution') + words.paragraphs(self.exercise.why)
            parts.append(why + words.pre(self.exercise.essence))
        body = ''.join(reversed(parts)) or words.paragraphs('No hint yet.')
        self.hints.value = words.block(body, 'plain', HINT_HEIGHT)
        self.more.description = f'Hint {n + 1} of {len(hints)}' if n < len(hints) else 'Show the solution'
        self.more.disabled = n > len(hints)

    def insert_solution(self) -> None:
        """Put the solution into the box, and check it."""
        self.put(self.exercise.solution)
        self.check()

    def insert_mistake(self) -> None:
        """Put the next common mistake into the box, and check it."""
        self.put(next(self.mistakes).code)
        self.check()

    def start_again(self) -> None:
        """Put the unfinished code back."""
        self.put(self.exercise.start)
        self.check()

    def check(self) -> None:
        """Check what stands in the box, and show and tell the verdict."""
        verdict = self.verdict_of_box()
        self.say(verdict)
        self.done(verdict)

    def say(self, verdict: Verdict) -> None:
        """Show a verdict."""
        self.verdict.value = verdict.page(VERDICT_HEIGHT)

    def text(self) -> str:
        """The exercise as plain text."""
        return f'Exercise {self.exercise.name}: {words.plain(self.exercise.task)}'

    def asked(self) -> str:
        """The task as HTML."""
        return words.headline('plain', f'Exercise {self.exercise.name}') + words.paragraphs(self.exercise.task)

    def page(self) -> str:
        """The exercise as a page without a kernel: hints, solution and common mistakes to open."""
        exercise = self.exercise
        parts = [self.asked()]
        parts += [words.folded(f'Hint {i + 1}', words.paragraphs(hint)) for i, hint in enumerate(exercise.hints)]
        parts.append(words.folded('The solution', solution_page(exercise)))
        wrong = ''.join(mistake_page(exercise, mistake) for mistake in exercise.mistakes)
        parts.append(words.folded(f'{len(exercise.mistakes)} common mistakes', f'<ul>{wrong}</ul>'))
        return words.block(''.join(parts))


def hint_page(number: int, hint: str) -> str:
    """One hint as HTML."""
    return words.headline('plain', f'Hint {number}') + words.paragraphs(hint)


def solution_page(exercise: Exercise) -> str:
    """The solution as HTML, with its reasons."""
    return words.paragraphs(exercise.why) + words.pre(exercise.printed(exercise.solution))


def mistake_page(exercise: Exercise, mistake: Mistake) -> str:
    """A common mistake as HTML."""
    belief = words.inline(f'**“{mistake.misconception}”** {mistake.hint}')
    return f'<li>{belief}{words.pre(exercise.printed(mistake.code))}</li>'


def longest(exercise: Exercise) -> int:
    """Lines of the longest code that the box will hold: it never grows."""
    return max(code.count('\n') for code in (exercise.start, exercise.solution, *(m.code for m in exercise.mistakes)))
