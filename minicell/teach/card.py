"""A card: what stands on the page for one thing that a lesson asks, and is still there tomorrow.

A card is a piece of the notebook's own output: a still, which every reader sees, and beside it the script that makes it
live (`card.js`). What a learner does goes by a DOM event to the one widget of the lesson, which is never displayed
(`bridge`), and so to the kernel. The kernel keeps it (`progress`) and draws the card again in its place. So saving the
notebook saves the answer, and whoever opens it without a kernel misses nothing.
"""

import json
import os
import re
import zlib
from collections.abc import Callable
from functools import cache
from html import escape
from importlib.resources import files
from typing import Any

from IPython import get_ipython
from IPython.display import display, update_display

from minicell.ink.page.fragment import script as data
from minicell.ink.style import DARK, LIGHT, variables
from minicell.view.picture import STILL

from . import words

# The picture's colours: blue is right, red is wrong, and nothing else has a hue.
USED = 'ink', 'dim', 'hair', 'paper', 'panel', 'auto', 'fwd', 'zf', 'bad', 'bad1'
DAY, NIGHT = ({name: palette[name] for name in USED} for palette in (LIGHT, DARK))
# What a reader sees who drops style sheets: a notebook that is not trusted, GitHub.
PLAIN = f'border:1px solid {LIGHT["hair"]};padding:8px 16px;margin:6px 0'


class Card:
    """Something a lesson asks or tells. A kind of card says its `facts`, its `body` and its `text`."""

    kind = ''

    def __init__(self, lesson: str, name: str) -> None:
        self.lesson, self.name = lesson, name
        self.shown = ''  # the page that was shown last; '' before it is shown
        self.turns = 0  # how often it was told something: each time it is drawn anew
        self.onwards: Callable[[Card], None] = lambda card: None  # told when it is shown

    @property
    def id(self) -> str:
        """What it is called among all cards."""
        return f'{self.lesson} {self.kind} {self.name}'

    def facts(self) -> dict[str, Any]:
        """What its script has to know."""
        return {}

    def body(self) -> str:
        """What stands in it, as HTML that reads by itself."""
        raise NotImplementedError

    def text(self) -> str:
        """The same as plain text."""
        raise NotImplementedError

    def html(self) -> str:
        """The still: HTML that every reader shows."""
        turns = {'turns': self.turns} if self.turns else {}
        facts = {'lesson': self.lesson, 'name': self.name, 'kind': self.kind, **self.facts(), **turns}
        body = self.body()
        at = zlib.crc32(body.encode('utf-8', 'replace'))
        return (
            f'<section class="mc-card {self.kind}" style="{PLAIN}" aria-label="{escape(self.label())}" '
            f'data-of="{escape(self.id)}" data-at="{at:x}" data-card="{escape(json.dumps(facts))}">{body}</section>'
        )

    def label(self) -> str:
        """What it is called for somebody who hears the page."""
        return f'{self.kind.capitalize()} {self.name}'

    def bundle(self) -> dict[str, str]:
        """What the notebook shows. Where a notebook is built to be kept, it is the still alone."""
        self.shown = self.html()
        live = '' if os.environ.get(STILL) else f'<script>{script()}</script>'
        return {'text/plain': self.text(), 'text/html': self.shown + live}

    def _ipython_display_(self) -> None:
        self.onwards(self)
        fresh = self.bundle()
        if get_ipython() is None:
            print(self.text())
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

    def __repr__(self) -> str:
        return self.text()


@cache
def script() -> str:
    """What makes a card live: its style, once a page, and card.js without comments and indentation."""
    read = lambda name: files(__package__).joinpath(name).read_text(encoding='utf-8')
    lines = (re.sub(r'(^|\s)//( .*|$)', '', line).strip() for line in read('card.js').splitlines())
    bare = re.sub(r'/\*.*?\*/', '', read('card.css'), flags=re.S)
    own = re.sub(r'\s*([{};,])\s*|:\s+', lambda found: found[1] or ':', bare).strip()
    dark = f'.mc-card{{{variables(NIGHT)}}}'
    style = (
        f'{own}.mc-card{{{variables(DAY)}}}@media (prefers-color-scheme:dark){{html:not(:has([data-jp-theme-light])) '
        f'{dark}}}:is([data-jp-theme-light=false],.vscode-dark,html[theme=dark]) {dark}'
    )
    body = '\n'.join(line for line in lines if line)
    return (
        '(()=>{const here=document.currentScript?.previousElementSibling??'
        "[...document.querySelectorAll('.mc-card:not(.live)')].pop();\n"
        "if(!document.getElementById('minicell-card'))document.head.append(Object.assign("
        f"document.createElement('style'),{{id:'minicell-card',textContent:{data(style)}}}));\n"
        f'{body}\nwindow.minicellCard=mount;mount(here)}})()'
    )


def head(title: str, state: str, about: str = '') -> str:
    """The first line of a card: what it is, and how it stands."""
    dot = '<i> · </i>'  # where there is no style sheet
    told = f'{dot}<span>{words.inline(about)}</span>' if about else ''
    stands = f'{dot}<span class="state">{words.inline(state)}</span>' if state else ''
    return f'<header><b>{words.inline(title)}</b>{told}{stands}</header>'


class Progress(Card):
    """How far the lesson has come, at a glance."""

    kind = 'progress'

    def __init__(self, lesson: str, states: Callable[[], tuple[str, list[str]]], where: Callable[[], str]) -> None:
        super().__init__(lesson, 'progress')
        self.states, self.where = states, where

    def label(self) -> str:
        """What it is called for somebody who hears the page."""
        return 'Progress'

    def body(self) -> str:
        """A line for each question and exercise, and where that is kept."""
        done, said = self.states()
        listed = ''.join(f'<li>{words.inline(each)}</li>' for each in said)
        where = f'<p class="note">{words.inline(self.where())}</p>' if self.where() else ''
        return f'{head(done, "")}<ul class="states">{listed}</ul>{where}'

    def text(self) -> str:
        """The same as text."""
        done, said = self.states()
        return '\n  '.join([done, *said])


class Sentence(Card):
    """Room for a sentence of the learner's own, and a model answer to compare it with."""

    kind = 'sentence'

    def __init__(self, lesson: str, name: str, asked: tuple[str, str], said: Callable[[], str | None]) -> None:
        super().__init__(lesson, name)
        self.asked, self.model = asked
        self.said = said

    def facts(self) -> dict[str, Any]:
        """What was written."""
        said = self.said()
        return {} if said is None else {'said': said}

    def body(self) -> str:
        """What is asked, what was written, and the model answer."""
        said = self.said()
        return (
            f'{head("In one sentence", "to do" if said is None else "done")}'
            f'<div class="ask">{words.paragraphs(self.asked)}</div><p class="own">{escape(said or "")}</p>'
            f'<details class="model"{" open" * bool(said)}><summary>A model answer</summary>'
            f'{words.paragraphs(self.model)}</details>'
        )

    def text(self) -> str:
        """The same as text."""
        return f'{self.asked}\nA model answer: {self.model}'
