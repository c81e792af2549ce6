"""Text for a page: everything is escaped, `code` and **bold** are the only marks that mean something."""

import re
from html import escape

from minicell.ink.metrics import SANS
from minicell.ink.style import LIGHT

INK, MUTED, PAPER, PANEL = (LIGHT[name] for name in ('ink', 'dim', 'paper', 'panel'))
RULE, RIGHT, WRONG = (LIGHT[name] for name in ('hair', 'fwd', 'bad'))
BODY = (
    f'color:{INK};background:{PAPER};font:15px/1.5 {SANS};padding:10px 14px;'
    f'border:1px solid {RULE};border-radius:4px;margin:2px 0;box-sizing:border-box'
)
CODE = f"font:13px/1.45 'DejaVu Sans Mono',Menlo,Consolas,monospace;color:{INK};background:{PANEL}"
PRE = f'{CODE};padding:8px 10px;margin:4px 0;white-space:pre;overflow:auto'
# A state is told by its sign and its words first; the colour of the edge only repeats it.
SIGNS = {'passed': '✓', 'failed': '✗', 'open': '○', 'locked': '○', 'plain': ''}
GROUNDS = {'locked': PANEL}  # a place that is still empty
EDGES = {'passed': RIGHT, 'failed': WRONG, 'open': MUTED, 'locked': MUTED, 'plain': MUTED}


def inline(text: str) -> str:
    """One paragraph as HTML: escaped, with `code` and **bold**."""
    safe = escape(text, quote=True)
    safe = re.sub(r'`([^`]+)`', rf'<code style="{CODE};padding:0 3px">\1</code>', safe)
    return re.sub(r'\*\*(.+?)\*\*', r'<b>\1</b>', safe)


def paragraphs(text: str) -> str:
    """Paragraphs, parted by empty lines, as HTML."""
    parts = [' '.join(part.split()) for part in text.strip().split('\n\n')]
    return ''.join(f'<p style="margin:0 0 6px">{inline(part)}</p>' for part in parts if part)


def pre(text: str, wrap: bool = False) -> str:
    """Code or printed text as HTML, as it stands; with `wrap`, a line that is too long goes on in the next one."""
    style = f'{PRE};white-space:pre-wrap;word-break:normal;overflow-wrap:anywhere' if wrap else PRE
    return f'<pre style="{style}">{escape(text, quote=True)}</pre>'


def block(body: str, state: str = 'plain', height: int | None = None) -> str:
    """A block on white ground with a thick edge that tells its state; with `height`, it scrolls inside."""
    fixed = f';height:{height}px;overflow:auto' if height else ''
    ground = f';background:{GROUNDS[state]}' if state in GROUNDS else ''
    return f'<div style="{BODY};border-left:5px solid {EDGES[state]}{ground}{fixed}">{body}</div>'


def headline(state: str, words: str) -> str:
    """The first line of a block: a sign, and the words that say the same."""
    colour = WRONG if state == 'failed' else INK
    signed = f'{SIGNS[state]} {inline(words)}'.strip()
    return f'<p style="margin:0 0 6px;color:{colour}"><b>{signed}</b></p>'


def columns(*cells: tuple[str, str], wide: bool = False) -> str:
    """Things side by side, each under its own heading; on a narrow page one under the other.

    With `wide`, the last one gets most of the room.
    """
    rooms = ['1 1 180px', '2 1 480px'] if wide else ['1 1 280px'] * len(cells)
    head = f'<p style="margin:0 0 4px;color:{MUTED}"><b>'
    parts = (
        f'<div style="flex:{room};min-width:0">{head}{escape(of)}</b></p>{body}</div>'
        for room, (of, body) in zip(rooms, cells, strict=True)
    )
    return f'<div style="display:flex;flex-wrap:wrap;gap:8px 24px">{"".join(parts)}</div>'


def folded(summary: str, body: str) -> str:
    """What a reader without a kernel opens by a click."""
    return f'<details><summary><b>{escape(summary)}</b></summary>{body}</details>'


def plain(text: str) -> str:
    """The same text without marks, but for the backticks of code."""
    return re.sub(r'\*\*(.+?)\*\*', r'\1', text)
