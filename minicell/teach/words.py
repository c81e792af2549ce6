"""Text for a page: everything is escaped, `code` and **bold** are the only marks that mean something."""

import re
from html import escape

from minicell.ink.metrics import SANS
from minicell.ink.style import LIGHT

INK, MUTED, PAPER = (LIGHT[name] for name in ('ink', 'dim', 'paper'))
RULE, RIGHT, WRONG = (LIGHT[name] for name in ('hair', 'fwd', 'bad'))
BODY = (
    f'color:{INK};background:{PAPER};font:15px/1.5 {SANS};padding:10px 14px;'
    f'border:1px solid {RULE};border-radius:4px;margin:2px 0;box-sizing:border-box'
)
# A state is told by its sign and its words first; the colour of the edge only repeats it.
SIGNS = {'passed': '✓', 'failed': '✗', 'open': '○'}
EDGES = {'passed': RIGHT, 'failed': WRONG, 'plain': MUTED}


def inline(text: str) -> str:
    """One paragraph as HTML: escaped, with `code` and **bold**."""
    safe = escape(text, quote=True)
    safe = re.sub(r'`([^`]+)`', r'<code>\1</code>', safe)
    return re.sub(r'\*\*(.+?)\*\*', r'<b>\1</b>', safe)


def paragraphs(text: str) -> str:
    """Paragraphs, parted by empty lines, as HTML."""
    parts = [' '.join(part.split()) for part in text.strip().split('\n\n')]
    return ''.join(f'<p>{inline(part)}</p>' for part in parts if part)


def pre(text: str) -> str:
    """Code or printed text as HTML, as it stands; a line that is too long goes on in the next one."""
    return f'<pre style="white-space:pre-wrap;overflow-wrap:anywhere">{escape(text, quote=True)}</pre>'


def block(body: str, state: str = 'plain') -> str:
    """A block on white ground with a thick edge that tells its state."""
    return f'<div style="{BODY};border-left:5px solid {EDGES[state]}">{body}</div>'


def headline(state: str, words: str) -> str:
    """The first line of a block: a sign, and the words that say the same."""
    colour = WRONG if state == 'failed' else INK
    signed = f'{SIGNS[state]} {inline(words)}'.strip()
    return f'<p style="margin:0 0 6px;color:{colour}"><b>{signed}</b></p>'


def folded(summary: str, body: str, kind: str = '', opened: bool = False) -> str:
    """What a reader opens by a click."""
    named = f' class="{kind}"' if kind else ''
    return f'<details{named}{" open" * opened}><summary>{escape(summary)}</summary>{body}</details>'


def plain(text: str) -> str:
    """The same text without marks, but for the backticks of code."""
    return re.sub(r'\*\*(.+?)\*\*', r'\1', text)
