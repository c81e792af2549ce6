"""The html of one picture: a still that every reader sees, and beside it the script that replaces it by the player."""

import base64
import html
import json
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from .. import sheet, style, svg
from ..film import Film

HERE = Path(__file__).parent
FEW = 60  # so many frames are never too large


def fragment(
    films: Sequence[Film], still: str, open: int = 0, alt: str | None = None, scale: float = 1.0, live: str = ''
) -> str:  # fmt: skip
    """One picture as text/html, complete in itself: it asks for no address, takes no id, and leaves no global name.

    films: the wide layout, then perhaps the narrow one, with the same steps; still: an SVG text, for readers that drop
    scripts; open: the step to open at (-1 is the last); alt: what the still shows, by default the step it opens at;
    scale: how much larger everything is; live: a script with `listen(root, take)`, which hands over other pictures.
    """
    open %= len(films[0].steps)
    alt = films[0].alt(open) if alt is None else alt
    zoom = f' style="zoom:{scale:g}"' if scale != 1 else ''
    picture = base64.b64encode(safe(still).encode()).decode()
    root = f'document.currentScript?.previousElementSibling ?? {LAST}'
    run = f'play(root,{script(dict(layouts=layouts(films), open=open, lost=films[0].lost))},CSS)'
    if live:
        run = f'listen(root,{run})'
    return (
        f'<div class="mc2"{zoom}>'
        f'<img style="max-width:100%" alt="{html.escape(safe(alt))}" src="data:image/svg+xml;base64,{picture}"></div>'
        f'<script>(()=>{{const CSS={script(look())},root={root};\n{player()}\n{live}\n{run}}})()</script>'
    )


def layouts(films: Sequence[Film]) -> list[dict]:
    """The films as the player takes them."""
    out = [film.data() for film in films]
    for data in out[1:]:
        del data['l'], data['r']  # the same as those of the first
    return out


def size(films: Sequence[Film]) -> int:
    """About how many characters the films are."""
    if sum(len(film.frames) for film in films) < FEW:
        return 0
    return sum(len(json.dumps(film.data(), separators=(',', ':'))) for film in films)


# Where a reader runs scripts without saying which: the last picture that does not play yet.
LAST = "[...document.querySelectorAll('.mc2:has(>img)')].pop()"

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
html {{ color-scheme: light dark; background: {light}; }}
@media (prefers-color-scheme: dark) {{ html {{ background: {dark}; }} }}
body {{ margin: 0 auto; padding: 10px clamp(0px, (100vw - 900px) / 2, 8px); max-width: 1180px; }}
@media (max-width: 899px) {{ body {{ padding: 10px clamp(0px, (100vw - 372px) / 2, 8px); }} }}
</style></head>
<body><main>{body}</main></body></html>
"""


def page(films: Sequence[Film], title: str, still: str = '', open: int = 0, alt: str | None = None) -> str:
    """The same as a whole html page. Without a `still`, the step at which it opens is drawn as one."""
    return whole(fragment(films, still or svg.write(sheet.of(films[0], open)), open, alt), title)


def whole(body: str, title: str) -> str:
    """A piece of html as a whole page."""
    papers = dict(light=style.LIGHT['paper'], dark=style.DARK['paper'])
    return PAGE.format(title=html.escape(safe(title)), body=body, **papers)


def script(data: object) -> str:
    """Data as JavaScript. No `<`, so that nothing in a user's names can end the script that carries them."""
    return safe(json.dumps(data, ensure_ascii=False, separators=(',', ':'))).replace('<', '\\u003c')


def safe(text: str) -> str:
    """A text that can be written as UTF-8: half a surrogate pair, which Python lets into a name, becomes a mark."""
    return re.sub('[\ud800-\udfff]', '\ufffd', text)


@cache
def stripped(*files: Path) -> str:
    """Scripts, without comments and indentation."""
    lines = [line for file in files for line in file.read_text(encoding='utf-8').splitlines()]
    return '\n'.join(line for line in (re.sub(r'(^|\s)//( .*|$)', '', line).strip() for line in lines) if line)


def player() -> str:
    """The script that plays."""
    return stripped(*(HERE / f'{name}.js' for name in ('player', 'keys', 'motion', 'account', 'save')))


@cache
def look() -> str:
    """The whole style sheet: the shapes', and the player's own. On paper it is light."""
    return f'{style.css()}\n{sheet_of(HERE / "player.css")}'


def sheet_of(file: Path) -> str:
    """A style sheet, without comments and indentation."""
    bare = re.sub(r'/\*.*?\*/', '', file.read_text(encoding='utf-8'), flags=re.S)
    return re.sub(r'\s*([{};,])\s*', r'\1', bare).strip()
