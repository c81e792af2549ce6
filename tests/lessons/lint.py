"""A linter for lessons: each rule takes a notebook as committed and returns what is wrong, in sentences."""

import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any

WORDS_A_MINUTE, MINUTES_A_TASK = 180, 2
SHORTEST, LONGEST = 12, 25
SMALLEST_TEXT = 11  # pixels
MACHINE = re.compile(r'/work/|/tmp/|/home/|/root/|/usr/|site-packages|ipykernel_\d| at 0x[0-9a-f]{6}')
ADDRESS = re.compile(
    r'https?://|ftp://|\bwww\.|\bpip install|\burlopen|\brequests\.|^\s*[!%]\w*\s*(?:pip|curl|wget|conda)', re.M
)
ASKS = re.compile(r'\bL\.(predict|exercise)\(')


def code(notebook: Any) -> list[Any]:
    return [cell for cell in notebook.cells if cell.cell_type == 'code']


def text(notebook: Any) -> list[Any]:
    return [cell for cell in notebook.cells if cell.cell_type == 'markdown']


def outputs(notebook: Any) -> list[tuple[str, Any]]:
    return [(cell.id, output) for cell in code(notebook) for output in cell.outputs]


def prose(source: str) -> str:
    """Markdown without its listings and inline code."""
    return re.sub(r'`[^`]*`', ' ', re.sub(r'```.*?```', ' ', source, flags=re.DOTALL))


def predicts_first(notebook: Any) -> list[str]:
    """A prediction comes before the first tape view, and a result is locked by one that was asked before it."""
    tapes = [i for i, cell in enumerate(notebook.cells) if cell.cell_type == 'code' and 'Tape()' in cell.source]
    asked = {
        m[1]: i for i, cell in enumerate(notebook.cells) for m in re.finditer(r"L\.predict\('([^']+)'", cell.source)
    }
    found = []
    if not asked or (tapes and min(asked.values()) > tapes[0]):
        found.append('no prediction before the first tape view')
    for i, cell in enumerate(notebook.cells):
        magic = re.match(r'%%result (.+)', cell.source)
        if magic and asked.get(magic[1], len(notebook.cells)) > i:
            found.append(f'{cell.id}: nobody has predicted {magic[1]!r} before it')
    if not any(cell.source.startswith('%%result') for cell in code(notebook)):
        found.append('no result waits for a prediction')
    return found


def one_figure_a_cell(notebook: Any) -> list[str]:
    """One thing to move in a cell's output. (That a figure has one control is for a test with widgets.)"""
    shows = re.compile(r'L\.(?:figure|predict|recall|exercise|sentence)\(|^tape$|\.show\(', re.MULTILINE)
    return [f'{cell.id}: several things to move' for cell in code(notebook) if len(shows.findall(cell.source)) > 1]


def pictures_have_words(notebook: Any) -> list[str]:
    """Alt text on every picture, and no small print in it."""
    found = []
    for name, output in outputs(notebook):
        data = output.get('data', {})
        for svg in filter(None, [''.join(data.get('image/svg+xml', ''))]):
            for part in ('role="img"', '<title', '<desc'):
                if part not in svg:
                    found.append(f'{name}: its SVG has no {part}')
            sizes = [float(size) for size in re.findall(r'font-size="([\d.]+)"', svg)]
            if min(sizes, default=99) < SMALLEST_TEXT:
                found.append(f'{name}: its SVG has text of {min(sizes)} px')
        if 'image/png' in data:
            if len(output.metadata.get('image/png', {}).get('alt', '')) < 40:
                found.append(f'{name}: its PNG has no alt text')
            if 'image/svg+xml' not in data or not data.get('text/plain'):
                found.append(f'{name}: a PNG without SVG and text beside it')
        for tag in re.findall(r'<img\b[^>]*>', ''.join(data.get('text/html', ''))):
            if not re.search(r'alt="[^"]+"', tag):
                found.append(f'{name}: <img> without alt')
    for cell in text(notebook):
        if '![](' in cell.source or re.search(r'<img\b(?![^>]*alt="[^"]+")', cell.source):
            found.append(f'{cell.id}: a picture without alt text')
    return found


def no_network(notebook: Any) -> list[str]:
    """No address and no installer in a code cell, and nothing from elsewhere in what is shown."""
    found = [f'{cell.id}: {m[0]!r} in code' for cell in code(notebook) if (m := ADDRESS.search(cell.source))]
    for name, output in outputs(notebook):
        page = ''.join(output.get('data', {}).get('text/html', ''))
        if re.search(r'(?:src|href)\s*=|<script|<link|@import|url\(', page):
            found.append(f'{name}: its page loads something')
    return found


def no_errors(notebook: Any) -> list[str]:
    """Every cell has run, and none has complained."""
    found = [f'{cell.id}: has not run' for cell in code(notebook) if not cell.execution_count]
    bad = [(name, o) for name, o in outputs(notebook) if o.output_type == 'error' or o.get('name') == 'stderr']
    return found + [f'{name}: {o.output_type} {o.get("ename", "stderr")}' for name, o in bad]


def headings_in_order(notebook: Any) -> list[str]:
    """One first-level heading, the first; no level is jumped over."""
    levels = []
    for cell in text(notebook):
        outside = re.sub(r'```.*?```', '', cell.source, flags=re.DOTALL)
        levels += [(cell.id, len(marks)) for marks in re.findall(r'^(#+) ', outside, re.MULTILINE)]
    found = [] if levels and levels[0][1] == 1 else ['the first heading is not of the first level']
    for (_, before), (name, level) in pairwise(levels):
        if level == 1:
            found.append(f'{name}: a second heading of the first level')
        elif level > before + 1:
            found.append(f'{name}: heading level {before} is followed by {level}')
    return found


def minutes(notebook: Any) -> float:
    """How long a lesson takes: its words, those of its questions too, and its predictions and exercises."""
    words = sum(len(prose(cell.source).split()) for cell in text(notebook))
    for cell in code(notebook):
        if re.search(r'L\.(predict|recall)\(', cell.source):
            words += sum(len(''.join(o.get('data', {}).get('text/plain', '')).split()) for o in cell.outputs)
    tasks = sum(len(ASKS.findall(cell.source)) for cell in code(notebook))
    return words / WORDS_A_MINUTE + MINUTES_A_TASK * tasks


def fits_its_time(notebook: Any) -> list[str]:
    """12 to 25 minutes."""
    time = minutes(notebook)
    return [] if SHORTEST <= time <= LONGEST else [f'{time:.1f} minutes, not {SHORTEST} to {LONGEST}']


def numbers_are_computed(notebook: Any) -> list[str]:
    """A decimal in prose is one of the document's listing, or was filled in and says by which cell."""
    listing = next((cell for cell in code(notebook) if cell.source.startswith('%%result')), None)
    given = re.findall(r'\d+\.\d+', listing.source) if listing else []
    for output in listing.outputs if listing else ():
        printed = ''.join(output.get('data', {}).get('text/plain', ''))
        given += [f'{float(number):g}' for number in re.findall(r'\d\.\d+e[+-]\d+', printed)]
    known = {float(number) for number in given}
    names = {cell.id.partition('-')[2] for cell in code(notebook)}
    found = []
    for cell in text(notebook):
        filled = cell.metadata.get('minicell', {}).get('numbers', [])
        found += [f'{cell.id}: no cell {each["cell"]}' for each in filled if each['cell'] not in names]
        left = re.sub(r'(?:version|Python) \d+\.\d+', '', prose(cell.source))
        for each in filled:
            if each['shown'] not in left:
                found.append(f'{cell.id}: {each["shown"]} was filled in and is not there')
            left = left.replace(each['shown'], '', 1)
        typed = [number for number in re.findall(r'\d+\.\d+', left) if float(number) not in known]
        found += [f'{cell.id}: {number} was typed' for number in typed]
        if '{{' in left:
            found.append(f'{cell.id}: a placeholder was not filled in')
    return found


def frozen(notebook: Any) -> list[str]:
    """Nothing of one run or one machine: no widgets, no times, no paths; ids from the source."""
    found = [] if set(notebook.metadata) == {'kernelspec', 'language_info'} else ['metadata of a run']
    for cell in notebook.cells:
        if not re.fullmatch(r'l\d\d-[a-z0-9-]+', cell.id):
            found.append(f'{cell.id}: an id that is not of the source')
        if set(cell.metadata) - {'minicell'}:
            found.append(f'{cell.id}: metadata {", ".join(cell.metadata)}')
    for name, output in outputs(notebook):
        kinds = output.get('data', {})
        if any('widget' in kind for kind in kinds):
            found.append(f'{name}: a widget without its kernel')
        shown = ''.join(output.get('text', '')) + ''.join(
            ''.join(body) for kind, body in kinds.items() if kind != 'image/png'
        )
        if path := MACHINE.search(shown):
            found.append(f'{name}: {path[0]!r}, which is of one machine or one run')
    return found


def shows_without_kernel(notebook: Any) -> list[str]:
    """Whatever is shown has words that a reader without a kernel can read."""
    found = []
    for cell in code(notebook):
        if re.search(r'^(?:L\.(?!unlock)\w+\(|tape$)', cell.source, re.MULTILINE):
            words = sum(len(''.join(o.get('data', {}).get('text/plain', ''))) for o in cell.outputs)
            if words < 40:
                found.append(f'{cell.id}: nothing to read without a kernel')
    return found


RULES: tuple[Callable[[Any], list[str]], ...] = (
    predicts_first,
    one_figure_a_cell,
    pictures_have_words,
    no_network,
    no_errors,
    headings_in_order,
    fits_its_time,
    numbers_are_computed,
    frozen,
    shows_without_kernel,
)
