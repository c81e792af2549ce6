"""A lesson on a projector: one beat at a time, large, with the lesson's own cards and figures. A beat is what stands on
the screen at once.

The cells of a beat run when the beat is first shown, after all cells before it. So whoever goes to a jump code is in
the state of whoever walked there. `present.js` makes the panel fill the screen, hears the Page keys of a clicker, and
draws what the kernel says is on the screen, with JupyterLab's own renderers (in VS Code and Colab this was not tried).
"""

import io
import json
import re
import sys
from contextlib import redirect_stdout
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

from IPython.utils.capture import capture_output

from minicell.ink.page.fragment import HERE, script, sheet_of, stripped
from minicell.ink.style import LIGHT, variables

from .card import DAY, Card
from .source import paths

HEADING = re.compile(r'^#{1,6} +(.+?)\s*$', re.MULTILINE)
STYLE, SCRIPT = (Path(__file__).with_name(f'present.{end}') for end in ('css', 'js'))
# The panel is light in every theme.
PANEL = """\
<div class="minicell-present" data-of="{0.id}" data-lesson="{0.lesson.number}">
<style>{style}</style>
<div class="minicell-stage" tabindex="0" role="group" aria-label="The beat"><pre>{words}</pre></div>
<div class="minicell-bar">
<button class="minicell-back" data-ask='{{"on": -1}}' title="Go to the beat before (Page Up)">Back</button>
<button class="minicell-next" data-ask='{{"on": 1}}' title="Go to the next beat (Page Down)">Next</button>
<div role="status"><b class="minicell-code-here"></b> · <span></span><i class="minicell-screen"></i></div>
<label>Go to <input placeholder="{code}" title="Type a jump code and press Enter"></label>
<button data-ask='{{"act": "unlock"}}' title="Open all answers and results, without a prediction">Unlock</button>
<button data-ask='{{"act": "reset"}}' title="The seed, all questions and exercises as at the beginning">\
Reset</button>
<button class="minicell-leave" title="Back to the notebook (Escape)">Leave</button></div></div>
<script>(()=>{{const panel=document.currentScript.previousElementSibling;
{script}
present(panel)}})()</script>"""


class Part(NamedTuple):
    """A cell, without what the notebook knows beside it."""

    kind: str  # 'markdown' or 'code'
    text: str


class Beat(NamedTuple):
    """Text up to and with one code cell. Its `code`, such as L03-s4-x2, is shown on the screen: the fourth heading, and
    the second beat under it. Whoever types it is in the same place."""

    code: str
    title: str
    parts: list[Part]


def beats(lesson: str) -> list[Beat]:
    """The beats of a lesson, from its notebook as it is shipped: what a teacher has solved, or added, is no beat.

    The cell that sets up the lesson is not for the screen.
    """
    found: list[Beat] = []
    section, step, title = 0, 0, ''
    source = paths()[lesson]
    notebook = source.parents[1] / f'{source.stem}.ipynb'
    for cell in json.loads(notebook.read_text(encoding='utf-8'))['cells']:
        part = Part(cell['cell_type'], ''.join(cell['source']))
        if part.kind == 'code' and ' lesson(' in part.text:
            continue
        heading = HEADING.match(part.text) if part.kind == 'markdown' else None
        if heading:
            section, step, title = section + 1, 0, heading[1]
        if heading or not found or found[-1].parts[-1].kind == 'code':
            step += 1
            found.append(Beat(f'L{lesson}-s{section}-x{step}', title, []))
        found[-1].parts.append(part)
    return found


def place(found: list[Beat], code: str) -> int:
    """Which beat a jump code names; raises ValueError, in a sentence, for what names none."""
    codes = [beat.code.lower() for beat in found]
    if code.strip().lower() not in codes:
        raise ValueError(f'{code!r} is no jump code here; they go from {found[0].code} to {found[-1].code}')
    return codes.index(code.strip().lower())


class Presentation(Card):
    """The beats of a lesson, and the panel that shows them: a card full of others, so it is never drawn again.

    `screens`: of the beats whose cells have run, what each has on the screen.
    """

    kind = 'presentation'

    def __init__(self, lesson: Any, shell: Any, at: str = '') -> None:
        super().__init__(lesson, str(len(lesson.cards)))
        lesson.cards[self.id] = self
        self.shell, self.beats = shell, beats(lesson.number)
        self.screens: list[list[dict[str, Any]]] = []
        self.at = place(self.beats, at) if at else 0
        self.said = ''

    def html(self) -> str:
        """The panel, and its script."""
        light = f'.minicell-present,.minicell-present .mc2{{{variables(LIGHT)}}}'
        style = f'{sheet_of(STYLE)}{light}.minicell-present .mc-card{{{variables(DAY)}}}'
        words, code = escape(repr(self)), self.beats[0].code
        return PANEL.format(self, style=style, words=words, code=code, script=stripped(HERE / 'keys.js', SCRIPT))

    def bundle(self) -> dict[str, str]:
        self.shown = self.html()
        return {'text/plain': repr(self), 'text/html': self.shown}

    def __repr__(self) -> str:
        """The beats and their jump codes, as text."""
        lines = [f'{self.lesson} in {len(self.beats)} beats', *(f'  {beat.code}  {beat.title}' for beat in self.beats)]
        return '\n'.join(lines)

    def hear(self, said: dict[str, Any]) -> None:
        """Take what was pressed: a way on, a jump code, unlock or reset."""
        with redirect_stdout(io.StringIO()):
            if said.get('act') == 'unlock':
                self.lesson.unlock()
                self.tell('unlocked')
            elif said.get('act') == 'reset':  # then the way to this beat again
                self.lesson.again()
                self.go(self.at, 'as at the beginning')
            elif code := str(said.get('code', '')).strip():
                try:
                    self.go(place(self.beats, code))
                except ValueError:
                    self.tell('no such code')
            elif isinstance(said.get('on'), int):
                self.go(self.at + said['on'])

    def reset(self) -> None:
        """No cell has run: the next beat is reached by all before it."""
        self.screens.clear()

    def go(self, index: int, said: str = '') -> None:
        """Show a beat; before the first and after the last there is nothing to go to."""
        self.at = min(max(index, 0), len(self.beats) - 1)
        while len(self.screens) <= self.at:
            parts = self.beats[len(self.screens)].parts
            self.screens.append([output for part in parts for output in self.outputs(part)])
        screen, cards = self.screens[self.at], self.lesson.cards  # of each card, how it stands now
        beat = [out | {'data': cards[out['id']].bundle()} if out['id'] in cards else out for out in screen]
        here = {'code': self.beats[self.at].code, 'first': self.at == 0, 'final': self.at == len(self.beats) - 1}
        self.tell(said or f'beat {self.at + 1} of {len(self.beats)}', beat=beat, **here)

    def tell(self, said: str, **screen: Any) -> None:
        """Tell the page what stands beside the jump code, and perhaps what is on the screen."""
        self.said = said
        if self.lesson.bridge is not None:
            self.lesson.bridge.send({'of': self.id, 'screen': script({'said': said, **screen})})

    def outputs(self, part: Part) -> list[dict[str, Any]]:
        """What a cell shows: its text; or its code, where it is more than a call of the lesson, and what that shows."""
        if part.kind == 'markdown':
            return [shown({'text/markdown': part.text})]
        found = [] if is_call(part.text) else [shown({'text/markdown': f'```python\n{part.text}\n```'})]
        trap = self.shell.display_trap
        with capture_output() as caught:
            hook, trap.hook = trap.hook, sys.displayhook  # else a result is shown at once, and by the shell
            self.lesson.presenting = True
            try:
                ran = self.shell.run_cell(part.text, store_history=False)
            finally:
                trap.hook, self.lesson.presenting = hook, False
        error = '' if ran.success else f'{type(ran.error_in_exec).__name__}: {ran.error_in_exec}'
        for name, said in (('stdout', caught.stdout), ('stderr', caught.stderr), ('stderr', error)):
            found += [shown({f'application/vnd.jupyter.{name}': said})] if said else []
        drawn = {(output.transient or {}).get('display_id', k): output for k, output in enumerate(caught.outputs)}
        return found + [shown(output.data, str(id)) for id, output in drawn.items() if any(output.data.values())]


def shown(data: dict[str, Any], id: str = '') -> dict[str, Any]:
    """A piece of the screen; of a card, which one it is."""
    return {'id': id, 'data': data}


def is_call(source: str) -> bool:
    """Whether a cell is one call of the lesson: what it shows says it all."""
    return source.startswith('L.') and '\n' not in source.strip()
