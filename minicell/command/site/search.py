"""The search over the site: each part of a page with its words, in a file that `search.js` reads when it is asked."""

import json
import re
from collections.abc import Iterable, Iterator
from html import unescape

from .document import INDEX, Page

# Where a part begins: a heading that can be linked. The text of a picture or a script is not the page's.
PART = re.compile(r'<h[1-3](?: id="([^"]*)")?[^>]*>(.*?)</h[1-3]>', re.S)
UNSEEN = re.compile(r'<(script|style|svg|picture|nav)\b.*?</\1>|<img\b[^>]*>', re.S)


def words(markup: str) -> str:
    """The text of a piece of a page, on one line."""
    return re.sub(r'\s+', ' ', unescape(re.sub(r'<[^>]+>', ' ', markup))).strip()


def parts(page: Page) -> Iterator[tuple[str, str, str]]:
    """Each part of a page: where it is on it, its heading, and its words."""
    main = UNSEEN.sub(' ', page.main)
    if page.path.startswith('how/'):
        yield '', page.title, page.about
        return
    found = list(PART.finditer(main))
    for at, head in enumerate(found):
        end = found[at + 1].start() if found[at + 1 :] else len(main)
        yield head[1] or '', words(head[2]), words(main[head.end() : end])


def index(pages: Iterable[Page]) -> str:
    """All parts of all pages, as a script: a page that was opened as a file can load nothing else."""
    told = [[page.path, page.title, [list(part) for part in parts(page)]] for page in pages]
    return f'window.{INDEX} = {json.dumps(told, ensure_ascii=False, separators=(",", ":"))};\n'
