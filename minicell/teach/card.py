"""A card: what stands on the page for one thing that a lesson asks, and is still there tomorrow.

A card is a piece of the notebook's own output: a still, which every reader sees, and beside it the script that makes it
live (`card.js`). What a learner does goes by a DOM event to the one widget of the lesson, which is never displayed
(`bridge`), and so to the kernel. The kernel keeps it (`progress`) and draws the card again in its place. So saving the
notebook saves the answer, and whoever opens it without a kernel misses nothing.
"""

import json
import os
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from IPython import get_ipython
from IPython.display import display, update_display

from minicell.ink.page import fragment
from minicell.ink.style import DARK, LIGHT, variables
from minicell.view.picture import STILL

from . import words

# The picture's colours: blue is right, red is wrong, and nothing else has a hue.
USED = 'ink', 'dim', 'hair', 'paper', 'panel', 'auto', 'fwd', 'zf', 'bad', 'bad1'
DAY, NIGHT = ({name: palette[name] for name in USED} for palette in (LIGHT, DARK))
START = '00'  # the lesson that asks nothing
DOT = '<i> · </i>'
# What a reader sees who drops style sheets: a notebook that is not trusted, GitHub.
PLAIN = f'border:1px solid {LIGHT["hair"]};padding:8px 16px;margin:6px 0'


class Card:
    """Something that a `lesson` asks or tells; `which` tells apart those of one kind and name.

    A kind says its `facts` and its `body`, and what becomes of what it `hear`s.
    """

    kind = ''
    label = '{0.name}'  # what it is called for somebody who hears the page
    among = ''  # where its lesson has those that are asked for by name
    kept_as = ''  # what stands before its name in what is kept

    def __init__(self, lesson: Any, name: str, which: str = '') -> None:
        self.lesson, self.name = lesson, name
        self.number = START if lesson is None else lesson.number
        self.id = f'{self.number} {self.kind} {name} {which}'.rstrip()  # what it is called among all cards
        self.about = getattr(lesson.about, self.among)[name] if self.among else None
        self.shown = ''  # the page that was shown last; '' before it is shown
        self.turns = 0  # how often it was told something: each time it is drawn anew

    @property
    def told(self) -> dict[str, Any]:
        """What is kept of it."""
        return self.lesson.kept.told.get(self.kept_as + self.name, {})

    def keep(self, **said: Any) -> None:
        """Keep what was said of it."""
        self.lesson.kept.tell(self.kept_as + self.name, **said)

    def reset(self) -> None:
        """Be as if nobody had been here."""

    def hear(self, said: dict[str, Any]) -> None:
        """Take what was done on the page, as far as it makes sense."""

    def facts(self) -> dict[str, Any]:
        """What its script has to know."""
        return {}

    def body(self) -> str:
        """What stands in it, as HTML that reads by itself."""
        raise NotImplementedError

    def __repr__(self) -> str:
        """The same as plain text."""
        return words.told(self.body())

    def html(self) -> str:
        """The still: HTML that every reader shows."""
        facts = {'lesson': self.number, 'name': self.name, 'kind': self.kind, **self.facts(), 'turns': self.turns}
        return (
            f'<section class="mc-card {self.kind}" style="{PLAIN}" aria-label="{escape(self.label.format(self))}" '
            f'data-of="{escape(self.id)}" data-card="{escape(json.dumps(facts))}">{self.body()}</section>'
        )

    def bundle(self) -> dict[str, str]:
        """What the notebook shows. Where a notebook is built to be kept, it is the still alone."""
        self.shown = self.html()
        live = '' if os.environ.get(STILL) else f'<script>{script()}</script>'
        return {'text/plain': repr(self), 'text/html': self.shown + live}

    def _ipython_display_(self) -> None:
        fresh = self.bundle()
        if get_ipython() is None:
            print(self)
        else:
            display(fresh, raw=True, display_id=self.id)

    def draw(self) -> dict[str, str] | None:
        """Draw it again where it stands, if it has changed; return what was drawn."""
        if not self.shown or self.shown == self.html():
            return None
        fresh = self.bundle()
        if get_ipython() is not None:
            update_display(fresh, raw=True, display_id=self.id)
        return fresh


@cache
def script() -> str:
    """What makes a card live: its style, once a page, and card.js."""
    dark = f'.mc-card{{{variables(NIGHT)}}}'
    style = (
        f'{fragment.sheet_of(Path(__file__).with_name("card.css"))}.mc-card{{{variables(DAY)}}}'
        f'@media (prefers-color-scheme:dark){{html:not(:has([data-jp-theme-light])) {dark}}}'
        f':is([data-jp-theme-light=false],.vscode-dark,html[theme=dark]) {dark}'
    )
    scripts = fragment.stripped(fragment.HERE / 'keys.js', Path(__file__).with_name('card.js'))
    return (
        '(()=>{const here=document.currentScript?.previousElementSibling??'
        "[...document.querySelectorAll('.mc-card:not(.live)')].pop();\n"
        "if(!document.getElementById('minicell-card'))document.head.append(Object.assign("
        f"document.createElement('style'),{{id:'minicell-card',textContent:{fragment.script(style)}}}));\n"
        f'{scripts}\nwindow.minicellCard=mount;mount(here)}})()'
    )


def head(title: str, state: str = '', about: str = '') -> str:
    """The first line of a card: what it is, and how it stands."""
    told = f'{DOT}<span>{words.inline(about)}</span>' if about else ''
    stands = f'{DOT}<span class="state">{words.inline(state)}</span>' if state else ''
    return f'<header><b>{words.inline(title)}</b>{told}{stands}</header>'
