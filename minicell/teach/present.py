"""A lesson on a projector: one beat at a time, large, with the lesson's own live widgets.

The cells of a beat run when the beat is first shown, after all cells before it. So whoever goes to a jump code is in
the state of whoever walked there. The script beside this file makes the panel fill the screen and hears the Page keys
of a clicker; where no script may run, the panel stays in its cell, and its buttons do the same.
"""

import io
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from html import escape
from typing import Any

import ipywidgets as w
from IPython.utils.capture import capture_output

from minicell.ink.style import LIGHT, variables

from .beats import Beat, Part, place
from .bridge import by_itself
from .card import DAY

OF = 'application/vnd.minicell.card'  # which card an output is
HOST = (  # what is displayed: the bridge puts the panel there, and a notebook without its kernel misses no widget
    '<div class="minicell-host" data-model="{}"><pre>{}</pre></div>'
    "<script>document.dispatchEvent(new Event('minicell-host'))</script>"
)
SCALE = 1.6  # 14 pixels become 22
# What is read is 14 pixels at least before it is scaled; long lines of code go on in the next one.
STYLE = f"""<style>
.minicell-present :focus-visible {{ outline: 3px solid {LIGHT['fwd']} !important; outline-offset: -1px !important; }}
.minicell-present {{ background: {LIGHT['paper']}; color: {LIGHT['ink']}; }}
.minicell-beat, .minicell-bar {{ zoom: {SCALE};
  --jp-content-font-size1: 14.5px; --jp-code-font-size: 14px; --jp-ui-font-size1: 14px;
  --jp-widgets-font-size: 14px; --jp-widgets-inline-height: 32px; --jp-content-line-height: 1.45;
  --jp-content-heading-line-height: 1.2; }}
.minicell-beat code, .minicell-beat pre, .minicell-beat textarea {{ font-size: 14px !important; }}
.minicell-beat p, .minicell-beat li, .minicell-beat td, .minicell-beat summary {{ font-size: max(14.5px, 1em); }}
.minicell-beat pre {{ white-space: pre-wrap !important; overflow-wrap: anywhere; }}
.minicell-beat svg, .minicell-beat img {{ max-width: 100%; height: auto; }}
.minicell-beat .mc2 {{ zoom: {1 / SCALE}; }} /* seen whole: the script makes it as large as the screen allows */
.minicell-present .minicell-beat .mc2 {{ {variables(LIGHT)} }} /* the panel is light in every theme */
.minicell-present .minicell-beat .mc-card {{ {variables(DAY)} }}
.minicell-beat .mc-card header, .minicell-beat .mc-card .copy {{ font-size: 14px; }}
.minicell-beat .mc2 .view:not(.narrow) {{ max-width: 900px !important; }}
.minicell-beat .widget-html, .minicell-beat .widget-html-content {{ min-width: 0; }}
.minicell-bar label, .minicell-bar input, .minicell-bar button {{ font-size: 14px; }}
.minicell-present:popover-open {{ position: fixed; inset: 0; width: 100vw; height: 100vh; max-height: none;
  margin: 0; padding: 0; border: 0; box-sizing: border-box; display: flex; flex-direction: column; overflow: hidden; }}
.minicell-present:popover-open > .minicell-stage {{ flex: 1 1 0; min-height: 0; }}
.minicell-beat .mc2 .bar {{ margin-top: 2px; }}
.minicell-stage {{ overflow: auto; display: block; padding: 12px 24px 0; box-sizing: border-box; max-height: 75vh; }}
.minicell-present:popover-open > .minicell-stage {{ max-height: none; }}
.minicell-present .minicell-stage:focus {{ outline: none !important; }}
.minicell-present:has(> .minicell-stage:focus-visible) .minicell-code-here {{ outline: 3px solid {LIGHT['fwd']};
  outline-offset: 3px; }}
.minicell-bar {{ border-top: 1px solid {LIGHT['hair']}; background: {LIGHT['paper']}; }}
.minicell-bar .widget-html-content {{ white-space: nowrap; font-size: 14px; line-height: 32px; }}
</style>"""


class Presentation:
    """The beats of a lesson, and the panel that shows them. `lesson` can be reset and unlocked."""

    def __init__(self, lesson: Any, found: list[Beat], shell: Any, at: str = '') -> None:
        self.lesson, self.beats, self.shell = lesson, found, shell
        self.ran = 0  # beats whose cells have run
        self.boxes: dict[int, w.VBox] = {}
        lesson.watching.append(self.follow)
        self.at = place(found, at) if at else 0
        self.stage = w.Box()
        self.stage.add_class('minicell-stage')
        go = lambda on: lambda _: self.go(self.at + on)
        self.back, self.next, unlock, reset, leave = (
            button(*each)
            for each in (
                ('Back', 'Go to the beat before (Page Up)', go(-1)),
                ('Next', 'Go to the next beat (Page Down)', go(1)),
                ('Unlock', 'Open all answers and results, without a prediction', lambda _: self.unlock()),
                (
                    'Reset',
                    'The seed, all controls, questions and exercises as at the beginning',
                    lambda _: self.reset(),
                ),
                ('Leave', 'Back to the notebook (Escape)', lambda _: None),
            )
        )
        self.where = w.HTML(layout=w.Layout(flex='1 1 auto', margin='0 8px'))
        self.jump = w.Text(
            placeholder=found[0].code, description='Go to', tooltip='Type a jump code and press Enter',
            continuous_update=False, layout=w.Layout(width='172px'), style={'description_width': '44px'},
        )  # fmt: skip
        self.jump.observe(lambda change: self.go_to(change['new']), 'value')
        line = w.Layout(flex_flow='row wrap', align_items='center', padding='4px 8px')
        bar = w.HBox([self.back, self.next, self.where, self.jump, unlock, reset, leave], layout=line)
        bar.add_class('minicell-bar')
        self.panel = w.VBox([w.HTML(STYLE), self.stage, bar])
        self.panel.add_class('minicell-present')
        self.go(self.at)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        if by_itself():
            return self.panel._repr_mimebundle_() | {'text/plain': repr(self)}
        return {'text/plain': repr(self), 'text/html': HOST.format(self.panel.model_id, escape(repr(self)))}

    def __repr__(self) -> str:
        """The beats and their jump codes, as text."""
        lines = [f'{self.lesson} in {len(self.beats)} beats', *(f'  {beat.code}  {beat.title}' for beat in self.beats)]
        return '\n'.join(lines)

    def go(self, index: int) -> None:
        """Show a beat; before the first and after the last there is nothing to go to."""
        self.at = min(max(index, 0), len(self.beats) - 1)
        while self.ran <= self.at:
            self.boxes[self.ran] = self.box(self.beats[self.ran])
            self.ran += 1
        self.stage.children = [self.boxes[self.at]]
        self.back.disabled, self.next.disabled = self.at == 0, self.at == len(self.beats) - 1
        self.say(f'beat {self.at + 1} of {len(self.beats)}')

    def say(self, said: str) -> None:
        """Show the jump code, and what is to be said beside it."""
        self.where.value = f'<b class="minicell-code-here">{self.beats[self.at].code}</b> · {said}'

    def go_to(self, code: str) -> None:
        """Show the beat of a jump code; say so where there is none."""
        if not code.strip():
            return
        try:
            self.go(place(self.beats, code))
        except ValueError:
            self.say('no such code')
        self.jump.value = ''

    def reset(self) -> None:
        """Everything as at the beginning, then the way to this beat again."""
        with redirect_stdout(io.StringIO()):
            self.lesson.reset()
        self.boxes.clear()
        self.ran = 0
        self.go(self.at)
        self.say('as at the beginning')

    def unlock(self) -> None:
        """Open all answers and results."""
        with redirect_stdout(io.StringIO()):
            self.lesson.unlock()
        self.say('unlocked')

    def box(self, beat: Beat) -> w.VBox:
        """A beat on the screen; its code runs."""
        outputs = [output for part in beat.parts for output in self.outputs(part)]
        made = w.VBox([w.Output(outputs=tuple(outputs))], layout=w.Layout(width='100%'))
        made.add_class('minicell-beat')
        return made

    def follow(self, card: Any) -> None:
        """A card is drawn again: so it is on the screen, whose outputs the notebook does not know."""
        for box in self.boxes.values():
            shown = box.children[0].outputs
            if any(out.get('data', {}).get(OF) == card.id for out in shown):
                fresh = data({**card.bundle(), OF: card.id})
                box.children[0].outputs = tuple(
                    fresh if out.get('data', {}).get(OF) == card.id else out for out in shown
                )

    def outputs(self, part: Part) -> list[dict[str, Any]]:
        """What a cell shows: its text; or its code, where it is more than a call of the lesson, and what that shows."""
        if part.kind == 'markdown':
            return [data({'text/markdown': part.text})]
        shown = [] if is_call(part.text) else [data({'text/markdown': f'```python\n{part.text}\n```'})]
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
            if said:
                shown.append({'output_type': 'stream', 'name': name, 'text': said})
        for output in caught.outputs:
            known = (output.transient or {}).get('display_id')
            shown.append(data({**output.data, **({OF: known} if known else {})}, output.metadata))
        return shown


def button(words: str, tooltip: str, act: Callable[[Any], None]) -> w.Button:
    """A button of the bar."""
    made = w.Button(description=words, tooltip=tooltip, layout=w.Layout(width='auto'))
    made.add_class(f'minicell-{words.lower()}')
    made.on_click(act)
    return made


def data(bundle: dict[str, Any], metadata: dict[str, Any] | None = None) -> dict[str, Any]:
    """A mime bundle as an output."""
    return {'output_type': 'display_data', 'data': bundle, 'metadata': metadata or {}}


def is_call(source: str) -> bool:
    """Whether a cell is one call of the lesson: its widget says it all."""
    return source.startswith('L.') and '\n' not in source.strip()
