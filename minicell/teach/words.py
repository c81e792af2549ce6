"""Text for a page: everything is escaped, `code` and **bold** are the only marks that mean something."""

import re
from collections.abc import Iterable
from html import escape, unescape

# A state is told by its sign and its words; a colour only repeats it.
SIGNS = {'passed': '✓', 'failed': '✗', 'open': '○'}


def inline(text: str) -> str:
    """One paragraph as HTML: escaped, with `code` and **bold**."""
    safe = escape(text, quote=True)
    safe = re.sub(r'`([^`]+)`', r'<code>\1</code>', safe)
    return re.sub(r'\*\*(.+?)\*\*', r'<b>\1</b>', safe)


def paragraphs(text: str) -> str:
    """Paragraphs, parted by empty lines, as HTML."""
    return ''.join(f'<p>{inline(" ".join(part.split()))}</p>' for part in text.split('\n\n') if part.strip())


def pre(text: str) -> str:
    """Code or printed text as HTML, as it stands; a line that is too long goes on in the next one."""
    return f'<pre style="white-space:pre-wrap;overflow-wrap:anywhere">{escape(text, quote=True)}</pre>'


def folded(summary: str, body: str, kind: str = '', opened: bool = False) -> str:
    """What a reader opens by a click."""
    named = f' class="{kind}"' if kind else ''
    return f'<details{named}{" open" * opened}><summary>{escape(summary)}</summary>{body}</details>'


def listed(lines: Iterable[str]) -> str:
    """Lines that say how something stands, one under the other."""
    return f'<ul class="states">{"".join(f"<li>{inline(line)}</li>" for line in lines)}</ul>'


def note(text: str) -> str:
    """A line in small letters, if there is anything to say."""
    return f'<p class="note">{inline(text)}</p>' if text else ''


def told(page: str) -> str:
    """What a page says, as plain text: each block on a line; what is folded is left out."""
    page = re.sub(r'<details[^>]*(?<! open)>.*?</details>', '', page, flags=re.S)
    page = re.sub(r'</(?:p|li|header|pre|summary)>', '\n', page)
    lines = unescape(re.sub(r'<[^>]*>', '', re.sub(r'</?code>', '`', page))).splitlines()
    return '\n'.join(line.strip() for line in lines if line.strip())


def plain(text: str) -> str:
    """The same text without marks, but for the backticks of code."""
    return re.sub(r'\*\*(.+?)\*\*', r'\1', text)
