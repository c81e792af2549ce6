"""A linter for lessons: each rule takes a notebook as committed and returns what is wrong, in sentences."""

import re
from collections.abc import Callable
from html import unescape
from itertools import pairwise
from typing import Any

from tests.lessons import clock
from tests.lessons.clock import minutes, prose
from tests.lessons.notebooks import code, listings

SHORTEST = 25  # minutes
SMALLEST_TEXT = 11  # pixels
MACHINE = re.compile(r'/work/|/tmp/|/home/|/root/|/usr/|site-packages|ipykernel_\d| at 0x[0-9a-f]{6}')
NUMBER = re.compile(r'\d+(?:\.\d*)?(?:e[-+]?\d+)?')
ADDRESS = re.compile(
    r'https?://|ftp://|\bwww\.|\bpip install|\burlopen|\brequests\.|^\s*[!%]\w*\s*(?:pip|curl|wget|conda)', re.M
)
QUESTIONS = re.compile(r'\bL\.(predict|recall|sentence)\(')
SETUP = re.compile(r"from minicell\.teach import lesson\s+L = lesson\('(\d\d)'\)")
FRAMEWORKS = ('torch', 'jax', 'mindspore')
MISTAKES = 3  # at least, an exercise
# What a number in prose looks like: decimals, powers of ten, per cent, and whole numbers of two digits or more.
FIGURE = re.compile(r'(?<![\w.])[-−+]?(?:\d+\.\d+(?:e[-+]?\d+)?|\d+e[-+]?\d+|\d{2,}|\d+(?= ?%))(?![\w]|\.\d)')
# ... and what is no measurement: the names of lessons, exercises and versions, and listed items.
NAMES = re.compile(
    r'(?i:lessons?|exercises?|version|python|pytorch|numpy|minicell) (?:\d+(?:\.\d+)*(?:,? (?:and|to) )?)+|^\s*\d+\. ',
    re.M,
)


def text(notebook: Any) -> list[Any]:
    return [cell for cell in notebook.cells if cell.cell_type == 'markdown']


def outputs(notebook: Any) -> list[tuple[str, Any]]:
    return [(cell.id, output) for cell in code(notebook) for output in cell.outputs]


def of_kind(output: Any, kind: str) -> str:
    return ''.join(output.get('data', {}).get(kind, ''))


def predicts_first(notebook: Any) -> list[str]:
    """A prediction comes before the first tape view; a result or figure is locked by one that was asked before it."""
    tapes = [i for i, cell in enumerate(notebook.cells) if cell.cell_type == 'code' and 'Tape()' in cell.source]
    asked = {
        m[1]: i for i, cell in enumerate(notebook.cells) for m in re.finditer(r"L\.predict\('([^']+)'", cell.source)
    }
    late = not asked or (tapes and min(asked.values()) > tapes[0])
    found = ['no prediction before the first tape view'] if late else []
    for i, cell in enumerate(notebook.cells):
        magic = re.match(r"%%result (.+)|L\.figure\(.*after='([^']+)'\)$", cell.source)
        if magic and asked.get(magic[1] or magic[2], len(notebook.cells)) > i:
            found.append(f'{cell.id}: nobody has predicted {magic[1] or magic[2]!r} before it')
    results = [cell.source.splitlines()[0] for cell in code(notebook) if cell.source.startswith('%%result')]
    found += [f'{line} stands twice, and only one opens' for line in set(results) if results.count(line) > 1]
    if not results:
        found.append('no result waits for a prediction')
    return found


def one_figure_a_cell(notebook: Any) -> list[str]:
    """One thing to move in a cell's output. (That a figure has one control is for a test with widgets.)"""
    shows = re.compile(r'L\.(?:figure|predict|recall|exercise|sentence)\(|^tape$|\.show\(', re.MULTILINE)
    return [f'{cell.id}: several things to move' for cell in code(notebook) if len(shows.findall(cell.source)) > 1]


def pictures_have_words(notebook: Any) -> list[str]:
    """Alt text on every picture, and no small print in it."""
    found = []
    tapes = {cell.id for cell in code(notebook) if re.search(r'^tape(\.show\(.*\))?$', cell.source, re.MULTILINE)}
    for name, output in outputs(notebook):
        if svg := of_kind(output, 'image/svg+xml'):
            found += [f'{name}: no {part} in its SVG' for part in ('role="img"', '<title', '<desc') if part not in svg]
            smallest = min(map(float, re.findall(r'font-size="([\d.]+)"', svg)), default=99)
            if smallest < SMALLEST_TEXT:
                found.append(f'{name}: its SVG has text of {smallest} px')
        if 'image/png' in output.get('data', {}):
            faults = {
                'its PNG has no alt text': len(output.metadata.get('image/png', {}).get('alt', '')) < 40,
                'a PNG without text beside it': not of_kind(output, 'text/plain'),
                'a PNG of a figure without SVG beside it': not svg and name not in tapes,
            }
            found += [f'{name}: {fault}' for fault, there in faults.items() if there]
    pages = [(name, of_kind(output, 'text/html')) for name, output in outputs(notebook)]
    pages += [(cell.id, cell.source) for cell in text(notebook)]
    bare = re.compile(r'!\[\]\(|<img\b(?![^>]*alt="[^"]+")')
    return found + [f'{name}: a picture without alt text' for name, page in pages if bare.search(page)]


def no_network(notebook: Any) -> list[str]:
    """No address and no installer in a code cell, and nothing from elsewhere in what is shown."""
    found = [f'{cell.id}: {m[0]!r} in code' for cell in code(notebook) if (m := ADDRESS.search(cell.source))]
    loads = re.compile(r'(?:src|href)\s*=(?!"\d\d_\w+\.ipynb")|<script|<link|@import|url\(')
    pages = [name for name, output in outputs(notebook) if loads.search(of_kind(output, 'text/html'))]
    return found + [f'{name}: its page loads something' for name in pages]


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


def fits_its_time(notebook: Any) -> list[str]:
    """Over an hour, by the clock, it has a break, which says how long the parts are; and no part is too long."""
    time, parts = minutes(notebook.cells), [*clock.parts(notebook.cells)]
    found = [f'{time:.1f} minutes, less than {SHORTEST}'] if time < SHORTEST else []
    if (time > clock.LONGEST) != (len(parts) > 1):
        found.append(f'{time:.1f} minutes, with {len(parts) - 1} breaks')
    most = clock.PART if len(parts) > 1 else clock.LONGEST
    found += [f'a part of {minutes(part):.1f} minutes' for part in parts if minutes(part) > most]
    for part, after in pairwise(parts):
        due = clock.rounded(part), clock.rounded(after)
        if tuple(map(int, clock.BREAK.match(part[-1].source).groups())) != due:
            found.append(f'{part[-1].id}: the parts take {due} minutes')
    return found


def numbers(source: str) -> list[float]:
    """The numbers of a text, as they are to be compared."""
    return [value(found) for found in FIGURE.findall(NAMES.sub(' ', source))]


def value(number: str) -> float:
    return abs(float(number.replace('−', '-').replace('+', '')))  # a sign may be a dash, or said in words


def page(output: Any) -> str:
    """What an output says: its page without tags, or its text."""
    told = re.sub(r'<code.*?</code>|<pre.*?</pre>|<[^>]+>', ' ', of_kind(output, 'text/html'), flags=re.DOTALL)
    return unescape(told) or of_kind(output, 'text/plain') or ''.join(output.get('text', ''))


def rounded(said: str) -> list[float]:
    """The numbers of what was printed, as one would say what NumPy prints of a float32."""
    return [float(f'{value(number):.6g}') for number in NUMBER.findall(said)]


def given(notebook: Any) -> set[float]:
    """The numbers that stand in the lesson's code, and those that the document's listing prints."""
    found = {value(number) for cell in code(notebook) for number in NUMBER.findall(cell.source)}
    results = (cell for cell in code(notebook) if cell.source.startswith('%%result'))
    return found.union(*(rounded(of_kind(output, 'text/plain')) for cell in results for output in cell.outputs))


def numbers_are_computed(notebook: Any) -> list[str]:
    """A number in prose stands in the lesson's code or listing, or was filled in and says by which cell."""
    known = given(notebook)
    names = {cell.id.partition('-')[2] for cell in code(notebook)}
    found = []
    for cell in text(notebook):
        filled = cell.metadata.get('minicell', {}).get('numbers', [])
        found += [f'{cell.id}: no cell {each["cell"]}' for each in filled if each['cell'] not in names]
        left = prose(clock.BREAK.sub('', cell.source))  # of a break, `fits_its_time` counts
        for each in filled:
            if each['shown'] not in left:
                found.append(f'{cell.id}: {each["shown"]} was filled in and is not there')
            left = left.replace(each['shown'], ' ', 1)
        found += [f'{cell.id}: {number:g} was typed' for number in numbers(left) if number not in known]
        if '{{' in left:
            found.append(f'{cell.id}: a placeholder was not filled in')
    return found


def questions_quote_the_notebook(notebook: Any) -> list[str]:
    """A number in a question, in a reply or in a model answer stands elsewhere in the notebook: computed or given."""
    asked = [cell for cell in code(notebook) if QUESTIONS.search(cell.source)]
    known = given(notebook)
    for output in (output for cell in code(notebook) if cell not in asked for output in cell.outputs):
        kinds = [of_kind(output, kind) for kind in ('text/plain', 'text/html', 'image/svg+xml')]
        said = ' '.join([*kinds, ''.join(output.get('text', ''))])
        known |= {value(number) for number in NUMBER.findall(said)} | set(rounded(said))
    for cell in text(notebook):
        for each in cell.metadata.get('minicell', {}).get('numbers', []):
            known |= {value(number) for number in NUMBER.findall(each['shown'])}
    return [
        f'{cell.id}: {number:g} is nowhere else in the notebook'
        for cell in asked
        for output in cell.outputs
        for number in numbers(page(output))
        if number not in known
    ]


def recalls_first(notebook: Any) -> list[str]:
    """Two recalls before the first prediction, of lessons n-1 and n-3 as far as there are such."""
    number = lesson_of(notebook)
    cells = [i for i, cell in enumerate(notebook.cells) if cell.cell_type == 'code' and 'L.recall(' in cell.source]
    predictions = [i for i, cell in enumerate(notebook.cells) if 'L.predict(' in cell.source]
    found = [f'{len(cells)} recalls'] if len(cells) < min(2, number - 1) else []
    if cells and predictions and cells[-1] > predictions[0]:
        found.append('a recall after the first prediction')
    asked = ' '.join(page(output) for i in cells for output in notebook.cells[i].outputs).lower()
    due = [f'lesson {of:02}' for of in (number - 1, number - 3) if of > 0]
    return found + [f'no recall from {of}' for of in due if of not in asked]


def lesson_of(notebook: Any) -> int:
    """The number of a lesson, from the ids of its cells."""
    return int(notebook.cells[0].id[1:3])


def set_up_in_one_line(notebook: Any) -> list[str]:
    """The first code cell sets up this lesson, and does nothing else."""
    first = SETUP.fullmatch(code(notebook)[0].source.strip())
    if first and int(first[1]) == lesson_of(notebook):
        return []
    return [f"the first code cell is not `L = lesson('{lesson_of(notebook):02}')` with its import alone"]


def exercises_have_mistakes(notebook: Any) -> list[str]:
    """There is an exercise, and each offers hints, its solution and at least three common mistakes."""
    cells = [cell for cell in code(notebook) if re.search(r'\bL\.check\(', cell.source)]
    found = [] if cells else ['no exercise']
    for cell in cells:
        said = ' '.join(page(output) for output in cell.outputs)
        mistakes = re.search(r'(\d+) common mistakes', said)
        if not mistakes or int(mistakes[1]) < MISTAKES:
            found.append(f'{cell.id}: fewer than {MISTAKES} common mistakes')
        found += [f'{cell.id}: no {part}' for part in ('Hint 3', 'Solution') if part not in said]
    return found


def ends_as_lessons_do(notebook: Any) -> list[str]:
    """A sentence of the learner's own, the progress, and the same idea in three frameworks to take home, checked."""
    calls = ''.join(cell.source for cell in code(notebook))
    found = [f'no {call}' for call in ('L.sentence(', 'L.progress()') if call not in calls]
    home = next((cell for cell in text(notebook) if re.search(r'^## Take it home$', cell.source, re.MULTILINE)), None)
    if home is None:
        return [*found, 'no `## Take it home`']
    there = listings(notebook, home.id[1:3])  # of the cell `home`
    rules = [n for n, text in there.items() if re.search('def backward|defvjp|def bprop', text)]
    found += [f'{home.id}: a rule of {n} is not checked' for n in rules if 'check_bprop(' not in there[n]]
    return found + [f'{home.id}: no listing for {name}' for name in FRAMEWORKS if name not in there]


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
            of_kind(output, kind) for kind in kinds if kind != 'image/png'
        )
        if path := MACHINE.search(shown):
            found.append(f'{name}: {path[0]!r}, which is of one machine or one run')
    return found


def shows_without_kernel(notebook: Any) -> list[str]:
    """Whatever is shown has words that a reader without a kernel can read."""
    shows = [c for c in code(notebook) if re.search(r'^(?:L\.(?!unlock)\w+\(|tape$)', c.source, re.MULTILINE)]
    words = {c.id: sum(len(of_kind(o, 'text/plain')) for o in c.outputs) for c in shows}
    return [f'{name}: nothing to read without a kernel' for name, many in words.items() if many < 40]


# Lesson 00 is the map of the course, read and run in five minutes. What is no rule for it, and why:
NOT_FOR_THE_MAP = {
    'predicts_first': 'nothing is taught in it, so there is nothing to predict',
    'fits_its_time': 'five minutes is its own limit, and test_start holds it',
    'set_up_in_one_line': 'it has no questions and no progress, so there is no lesson to set up',
    'exercises_have_mistakes': 'it has no exercise',
    'ends_as_lessons_do': 'it has no idea to take home',
}

RULES: tuple[Callable[[Any], list[str]], ...] = (
    *(predicts_first, one_figure_a_cell, pictures_have_words, no_network, no_errors, headings_in_order, fits_its_time),
    *(numbers_are_computed, questions_quote_the_notebook, recalls_first, set_up_in_one_line, exercises_have_mistakes),
    *(ends_as_lessons_do, frozen, shows_without_kernel),
)
