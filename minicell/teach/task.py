"""The card of an exercise: it stands under the cell in which a learner writes, and says how that goes.

What is asked, a list of checks that fills, one finding at a time, and hints, one after another. The solution and the
common mistakes are code to copy, or to be put into a cell: `L.insert('3a', 'solution')`. Where there is no
cell, as in a presentation, code is written in the card itself.
"""

import re
from html import escape
from typing import Any

from minicell.ops import GradOperation
from minicell.view.picture import Picture

from . import words
from .bprop_check import dout_of
from .card import Card, head
from .exercise import STANDS, Check, Verdict
from .figure import tape_of
from .trials import quiet

# A number of the answer's in what a check says, and the one that is due.
NUMBERS = re.compile(r' is ([^\s,;]+)(?:, and ([^\s,;]+) is due|(?:, and should be|; expected) ([^\s,;]+?)\.(?=\s|$))')
EDITOR = 'editor'  # which card it is, where one writes in the card


class Task(Card):
    """An exercise: a card under each cell that asks for a check, or one with a place to write in."""

    kind, among = 'exercise', 'exercises'
    label = 'Exercise {0.name}'

    def __init__(self, lesson: Any, name: str, which: str = '') -> None:
        super().__init__(lesson, name, which)
        self.editor = self.about.start if which == EDITOR else None
        self.reset()

    def reset(self) -> None:
        self.verdict, self.tape = self.about.check(), ''

    def judged(self, verdict: Verdict) -> None:
        """From here on it shows this verdict; that it has passed is kept."""
        self.verdict, self.tape = verdict, ''
        if verdict.state != 'open' and self.told.get('state') not in (verdict.state, 'passed'):
            self.keep(state=verdict.state)

    def hear(self, said: dict[str, Any]) -> None:
        if isinstance(said.get('hints'), int):
            self.keep(hints=said['hints'])
        elif isinstance(said.get('code'), str) and self.editor is not None:
            self.editor = said['code']
            self.judged(self.about.check_code(self.editor))
        elif said.get('tape') and self.verdict.trial and self.verdict.trial.shows:
            self.show_tape()

    def facts(self) -> dict[str, Any]:
        """How many hints are open, whether there is a tape to show, and the code in the editor."""
        trial = self.verdict.trial
        found = {'hints': self.told.get('hints', 0), 'tape': bool(trial and trial.shows and not self.tape)}
        return found if self.editor is None else found | {'editor': self.editor}

    def body(self) -> str:
        """All of it; hints, solution and mistakes are folded until they are wanted."""
        asked, verdict = self.about, self.verdict
        checks = asked.checks(verdict.trial)
        lines = ''
        for check in checks:
            state = 'open' if check.ok is None else 'passed' if check.ok else 'failed'
            lines += f'<li class="{state}"><span>{words.SIGNS[state]}</span> {words.inline(check.said)}</li>'
        hints = ''  # each stands in the one before it: they open one after another
        for k, hint in reversed([*enumerate(asked.hints, 1)]):
            hints = words.folded(f'Hint {k} of {len(asked.hints)}', words.paragraphs(hint) + hints, 'hint')
        tries = words.note(f'{len(asked.mistakes)} common mistakes, each by the belief behind it')
        for each in asked.mistakes:
            tries += words.folded(f'“{each.misconception}”', self.code(each.code, each.name))
        solution = words.paragraphs(asked.why) + self.code(asked.solution, 'solution')
        folds = hints + words.folded('Try a common mistake', tries, 'tries')
        folds += words.folded('Solution', solution, 'solution')
        return (
            f'{head(f"Exercise {asked.name}", self.state(checks), asked.title)}'
            f'<div class="ask">{words.paragraphs(asked.task)}</div><ul class="checks">{lines}</ul>'
            f'{self.finding()}{self.tape}<div class="act">{folds}</div>'
        )

    def state(self, checks: list[Check]) -> str:
        """How it stands, in a few words."""
        if self.verdict.state == 'failed':
            return f'{sum(bool(check.ok) for check in checks)} of {len(checks)} checks'
        before = self.verdict.state == 'open' and self.told.get('state') == 'passed'
        return 'passed before' if before else STANDS[self.verdict.state]

    def code(self, code: str, which: str) -> str:
        """Stored code to copy, and the line that puts it into a cell."""
        line = f'To put it into the cell below: `L.insert({self.name!r}, {which!r})`' if self.editor is None else ''
        return f'<div class="code">{words.pre(code)}</div>{words.note(line)}'

    def finding(self) -> str:
        """What the check found: the belief, what to look at, and the numbers that the check says, large."""
        verdict = self.verdict
        if verdict.state == 'open':
            return ''
        lines = verdict.said.splitlines()
        wrong = [each for each in lines if each[:2] == '✗ ']
        said = '\n'.join(each for each in lines if each[:2] != '✓ ' and each not in wrong[1:])  # one at a time
        plain = f'**{STANDS[verdict.state].capitalize()}.**'
        inside = words.paragraphs('\n\n'.join(verdict.belief) or plain)
        numbers = NUMBERS.search(said)
        if numbers and verdict.state == 'failed':
            mine, due = map(escape, filter(None, numbers.groups()))
            inside += f'<p class="pair"><b>{mine}</b>≠<b>{due}</b> yours, and what is due</p>'
        inside += words.pre(said) if said else ''
        return f'<div class="finding {verdict.state}">{inside}</div>'

    def show_tape(self) -> None:
        """The learner's own Cell on the tape, at the step that answers."""
        cell, inputs = self.verdict.trial.shows
        with quiet():
            backward = GradOperation(get_all=True, get_by_list=True, sens_param=True)(cell)
            given = {'inputs': inputs, 'dout': dout_of(cell.construct(*inputs)), 'backward': backward}
            tape = tape_of('backward(*inputs, dout)', stops=True, **given)
        steps = [step.jump.lower() for step in Picture(tape).films[0].steps]
        answers = next((word for word in ('error', 'compare', 'takeover') if word in steps), None)
        self.tape = f'<div class="tape">{Picture(tape, step=answers).html()}</div>'
