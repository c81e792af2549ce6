"""How every shape looks: one table of classes, from which come the style sheet of the page and the ink of the stills.

One hue has one meaning. Blue is forward, slate is backward by autodiff's own rules, orange is where your own code takes
over, red is wrong and nothing else, amber is the line that runs now. Every hue has a second cue, so that the picture
reads in greyscale too.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

LIGHT = {
    'ink': '#16191d', 'dim': '#59616a', 'faint': '#626970', 'hair': '#cfd5dc', 'paper': '#ffffff', 'panel': '#f5f6f8',
    'tile': '#eaeef3', 'way': '#e6eaee', 'auto': '#40566b', 'autot': '#ccd6df',
    'fwd': '#0067a8', 'fwdq': '#7fb3d3', 'fwdt': '#c3dff4', 'bwd': '#cc4b00',
    'tint': '#f6cfb2', 'bwdt': '#9c3d00', 'zf': '#e8f2fa', 'zb': '#f8f4f0', 'film': '#d5dde6', 'bad': '#b3003b',
    'bad1': '#fce4ea', 'mark': '#ffedb8',
    'mark2': '#ffd257',
}  # fmt: skip
DARK = {
    'ink': '#e9ebee', 'dim': '#a6adb5', 'faint': '#8f979f', 'hair': '#454b52', 'paper': '#121416', 'panel': '#1b1e21',
    'tile': '#2a2e33', 'way': '#24292e', 'auto': '#a9bccd', 'autot': '#2e3b47',
    'fwd': '#62b8ee', 'fwdq': '#3a6683', 'fwdt': '#173a52', 'bwd': '#ff9d52',
    'tint': '#57331a', 'bwdt': '#ff9d52', 'zf': '#131f29', 'zb': '#1e1b18', 'film': '#343b43', 'bad': '#ff7096',
    'bad1': '#3a1a26', 'mark': '#443a12',
    'mark2': '#7a6410',
}  # fmt: skip

# Selectors as in a style sheet: 'tile.wrong' is what has both classes. A text has size, bold, mono, anchor and fill.
TEXTS = {
    'm': dict(mono=True), 'ln': dict(mono=True, anchor='end', fill='dim'), 'mid2': dict(size=15, bold=True),
    'mid3': dict(size=17), 'num': dict(size=15),
    'big': dict(size=22), 'h1': dict(size=22, bold=True), 'h2': dict(size=15, fill='dim'),
    'ques': dict(size=44, bold=True, fill='hair'), 'mid': dict(anchor='middle'), 'end': dict(anchor='end'),
    'b': dict(bold=True), 'on': dict(bold=True, fill='ink'), 'dim': dict(fill='dim'), 'fut': dict(fill='faint'),
    'ff': dict(fill='fwd'), 'af': dict(fill='auto'), 'bf': dict(fill='bwdt'), 'xx': dict(fill='bad', bold=True),
    'zero': dict(opacity=0), 'onr': dict(size=15, fill='paper', bold=True),
    'onr.past': dict(fill='ink'), 'onw': dict(size=13), 'ont': dict(fill='paper'),
    'xxl': dict(size=30, bold=True), 'hero': dict(size=60, bold=True),
}  # fmt: skip
SHAPES = {
    'paper': dict(fill='paper'), 'ahead': dict(fill='zf'), 'aback': dict(fill='zb'), 'panel': dict(fill='panel'),
    'tile': dict(fill='paper'), 'tile.on': dict(fill='tile'), 'tile.tru': dict(fill='none'),
    'tile.wrong': dict(fill='bad1'), 'tile.res': dict(stroke='auto', line=2.5),
    'tile.bare': dict(fill='none'), 'tile.gave': dict(fill='tint'), 'cell.rl': dict(fill='clear'),
    'cell': dict(fill='clear'), 'peer': dict(stroke='dim', line=2),
    'peer.worst': dict(stroke='bad', line=3),
    'hp': dict(fill='ink'), 'hn': dict(stroke='ink'), 'hx': dict(stroke='bad', line=2),
    'card': dict(fill='paper', stroke='hair'), 'card.f': dict(stroke='fwd', line=1.5), 'card.bk': dict(stroke='auto'),
    'card.q2': dict(stroke='fwdq', line=1), 'card.cur': dict(line=3), 'card.torn': dict(stroke='bad', line=2),
    'ghost': dict(fill='paper', stroke='faint', dash='5 4'), 'ghost.q': dict(stroke='hair'),
    'fw': dict(stroke='fwd', line=2), 'fh': dict(fill='fwd'), 'fw.q2': dict(stroke='fwdq', line=1),
    'fh.q2': dict(fill='fwdq'),
    'fw.q': dict(stroke='hair', line=1), 'fh.q': dict(fill='hair'),
    'film.rib': dict(fill='fwdt'),
    'rl': dict(fill='auto'), 'rl.past': dict(fill='autot'), 'rb': dict(stroke='auto', line=36),
    'rb.past': dict(stroke='autot'), 'rl.todo': dict(fill='way'),
    'chev': dict(stroke='paper', line=2.5),
    'fat': dict(stroke='bwd', line=36), 'fatk': dict(fill='bwd'), 'fatk.past': dict(fill='tint'),
    'fat.past': dict(stroke='tint'),
    'road': dict(stroke='way', line=36),
    'mine': dict(fill='paper', stroke='bwd', line=3), 'mine0': dict(fill='paper', stroke='tint', line=2),
    'now': dict(fill='mark'), 'row': dict(fill='clear'), 'piece': dict(fill='clear'), 'piece.cur': dict(fill='mark2'),
    'later.todo': dict(opacity=0),
    'film': dict(fill='film'),
    'holes': dict(stroke='paper', line=3, dash='5 11'),
    'slot': dict(stroke='dim', dash='3 3'), 'block': dict(fill='paper'), 'block.own': dict(fill='fwdt'),
    'block.cur': dict(fill='mark2'), 'block.wrong': dict(fill='bad'),
    'place': dict(stroke='way', line=1.5), 'ring': dict(stroke='ink', line=2), 'ring.f': dict(stroke='fwd'),
    'ring.bk': dict(stroke='auto'), 'pen': dict(stroke='ink', line=1.5), 'pen.thin': dict(stroke='hair', line=1),
    'pen.f': dict(stroke='fwd', line=2.5), 'pen.bk': dict(stroke='auto', line=2), 'pen.o': dict(stroke='bwd', line=3),
    'pen.dim': dict(stroke='dim', line=4), 'pen.dash': dict(dash='5 4'), 'pen.dots': dict(dash='2 4'),
    'dab': dict(fill='ink'), 'dab.f': dict(fill='fwd'), 'dab.bk': dict(fill='auto'), 'dab.o': dict(fill='bwd'),
    'dab.xx': dict(fill='bad'), 'dab.t': dict(fill='fwdt'),
    'call': dict(stroke='dim', line=1.5), 'call.q': dict(line=1), 'dout': dict(fill='tint'),
    'link': dict(stroke='dim'), 'link.f': dict(stroke='fwd', line=2),
    'sheet': dict(fill='paper', stroke='hair'),
    'sheet.ahead': dict(fill='none', dash='5 4'),
    'rail': dict(fill='hair'), 'run': dict(fill='dim'), 'dot': dict(fill='hair'), 'dot.past': dict(fill='dim'),
    'note': dict(fill='bwd'), 'note.ff': dict(fill='fwd'), 'note.on': dict(fill='dim'),
    'note.xx': dict(fill='bad'), 'dot.cur': dict(fill='ink', stroke='paper', line=2),
}  # fmt: skip
PLAIN_TEXT = dict(size=13, fill='ink')


# What each property of a look is called in SVG, and in a style sheet.
NAMES = {
    'fill': 'fill', 'stroke': 'stroke', 'line': 'stroke-width', 'dash': 'stroke-dasharray', 'opacity': 'opacity',
    'size': 'font-size', 'bold': 'font-weight', 'mono': 'font-family', 'anchor': 'text-anchor',
}  # fmt: skip


@lru_cache(maxsize=4096)
def look(tag: str, classes: str) -> dict:
    """How an element looks, whatever the theme: `fill`, `stroke` name a colour; a text has `size`, `bold`, `mono`."""
    has, table, found = set(classes.split()), TEXTS if tag == 'text' else SHAPES, {}
    fits = [selector for selector in table if has.issuperset(selector.split('.'))]
    for selector in sorted(fits, key=lambda fit: fit.count('.')):  # as in a style sheet: those with more classes win
        found |= table[selector]
    return PLAIN_TEXT | found if tag == 'text' else found


def attributes(rule: dict, ink: Callable[[str], str], mono: str) -> dict[str, Any]:
    """A look as attributes of SVG, which are properties of CSS; `ink` and `mono` say how a colour and a font are."""
    values = {'bold': 'bold', 'mono': mono} | {name: ink(rule[name]) for name in ('fill', 'stroke') if name in rule}
    return {said: values.get(name, rule[name]) for name, said in NAMES.items() if name in rule}


def css() -> str:
    """The table as a style sheet."""
    out = [f'.mc2{{{variables(LIGHT)}}}']
    dark = variables(DARK)
    prefers = '@media screen and (prefers-color-scheme:dark)'  # what is printed is light
    out.append(f'{prefers}{{html:not(:has([data-jp-theme-light])) .mc2:not(.still){{{dark}}}}}')
    themes = '[data-jp-theme-light=false] .mc2,.vscode-dark .mc2,html[theme=dark] .mc2,.mc2.dark'
    out.append(f'@media screen{{{themes}{{{dark}}}}}')
    out.append('.mc2 text{font-size:13px;fill:var(--ink);stroke:none;white-space:pre;pointer-events:none}')
    out.append('.mc2 rect,.mc2 path,.mc2 circle{fill:none;stroke:none}')
    for table, tag in ((TEXTS, 'text.'), (SHAPES, '.')):
        out += [f'.mc2 {tag}{name}{{{declared(rule)}}}' for name, rule in table.items() if name not in ('h1', 'h2')]
    return '\n'.join(out)


def variables(palette: dict[str, str]) -> str:
    """The colours as custom properties."""
    return ';'.join(f'--{name}:{colour}' for name, colour in palette.items())


def declared(rule: dict) -> str:
    """One rule as CSS. `clear` can be pressed, and shows nothing."""
    ink = lambda name: {'none': 'none', 'clear': 'transparent'}.get(name, f'var(--{name})')
    said = attributes(rule, ink, 'var(--mono)')
    return ';'.join(f'{name}:{value}{"px" * (name == "font-size")}' for name, value in said.items())
