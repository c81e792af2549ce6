"""An exercise as it is written: one Markdown file, `lessons/source/NN_name/3a.md`.

    # 3a: The right bprop of a matrix product

    What is asked.

    1. A hint; there are three, each says more than the one before.

    ## start
    The unfinished code, in a ```python fence.

    ## solution
    Why it is right, then its code.

    ## mistake no-dout: What somebody believes who writes this.
    Its hint, then its code. `no-dout` is its name for good.

A solution shows only the lines in which it differs from the start, and a mistake those in which it differs from the
solution: in a ```diff fence, as `-` what stands there and `+` what takes its place. Lines that begin with a blank say
where; `@@` goes on to the next place. In a ```python fence an answer stands whole.

What is called at the end is the last name that the start defines.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from .exercise import Exercise, Mistake
from .source import Source, definitions, opened, paragraphs

FENCE = re.compile(r'^```(\w+) *\n((?:(?!```).*\n)*)``` *$', re.MULTILINE)
FENCES = 'this fence stands alone: code begins with ```python or ```diff, and ends with ```.'
TITLE = re.compile(r'# (\S+): (\S.*)')
SECTION = re.compile(r'## (start|solution|mistake ([a-z0-9-]+): (\S.*))')


class Section(NamedTuple):
    """A part of the file: where it stands, its heading, its words, and its fenced block."""

    source: Source
    kind: str
    title: str
    words: str
    fence: str  # 'python', 'diff', or '' where there is none
    code: Source


def read(path: Path, trial: Callable[..., Any] | None) -> Exercise:
    """The exercise that stands in a file, with the trial of its answers; raises SourceError where it cannot be read."""
    source = opened(path)
    parts = sections(source)
    name, head = next(iter(parts.items()))
    if name != path.stem:
        raise source.wrong(f'the first line is `# {path.stem}: what it is about`, with the name of the file.')
    for kind in ('start', 'solution'):
        if kind not in parts:
            raise head.source.wrong(f'the exercise has no `## {kind}`.')
    start = answer(parts['start'], '')
    solution, why = answer(parts['solution'], start), parts['solution'].words
    mistakes = tuple(
        Mistake(name, part.title.strip('“”" '), paragraphs(part.words), answer(part, solution))
        for name, part in parts.items()
        if part.kind == 'mistake'
    )
    task, *hints = map(paragraphs, re.split(r'^\d+\. ', head.words, flags=re.M))
    called = last_name(start, parts['start'])
    return Exercise(name, head.title, task, tuple(hints), start, why, solution, mistakes, called, trial)


def sections(source: Source) -> dict[str, Section]:
    """The file cut at its headings; what begins with # in a fence is none."""
    bare = FENCE.sub(lambda fence: re.sub(r'[^\n]', ' ', fence[0]), source.text)
    if alone := re.search(r'^```', bare, re.M):
        raise source.wrong(FENCES, alone.start())
    found: dict[str, Section] = {}
    starts = [0, *(heading.start() for heading in re.finditer(r'(?<=\n)#', bare))]
    for start, end in zip(starts, [*starts[1:], None], strict=True):
        name, part = section(source.part(start, end))
        if name in found:
            raise part.source.wrong(f'there is a {part.kind} {name} already.')
        found[name] = part
    return found


def section(source: Source) -> tuple[str, Section]:
    """The name of one part, and the part: its heading read, its words and its fence apart."""
    heading, _, rest = source.text.partition('\n')
    first = source.line == 1
    read = (TITLE if first else SECTION).fullmatch(heading.rstrip())
    if read is None:
        due = '`# 3a: a title`' if first else '`## start`, `## solution` or `## mistake name: a belief`'
        raise source.wrong(f'{heading!r} is no heading of an exercise; here stands {due}.')
    kind, name, title = ('head', read[1], read[2]) if first else (read[1].split()[0], read[2] or read[1], read[3] or '')
    fence, *more = *FENCE.finditer(source.text), None
    if more[1:]:
        raise source.wrong('there is one fence under a heading.', more[0].start())
    code = source.part(*fence.span(2)) if fence else source.part(0, 0)
    return name, Section(source, kind, title, FENCE.sub('', rest).strip(), fence[1] if fence else '', code)


def answer(part: Section, base: str) -> str:
    """The code of a part: as it stands, or the base with what differs in it."""
    if part.fence == 'python':
        return part.code.text
    if part.fence == 'diff' and base:
        return patched(base, part)
    kinds = '```python or ```diff' if base else '```python'
    raise part.source.wrong(f'`## {part.kind}` has no code in a {kinds} fence.')


def patched(base: str, part: Section) -> str:
    """The base with the lines of a diff exchanged. Each place is looked for after the one before it."""
    made = ''
    for hunk in re.split(r'^@@.*\n', part.code.text, flags=re.M):
        for line in hunk.splitlines():
            if line and line[0] not in ' +-':
                said = f'{line!r} begins with none of -, + and a blank, as lines of a diff do.'
                raise part.code.wrong(said, part.code.text.index(f'{line}\n'))
        old, new = (''.join(f'{line[1:]}\n' for line in hunk.splitlines() if line[:1] != way) for way in '+-')
        before, found, after = f'\n{base}'.partition(f'\n{old}')
        if not found or not old:
            there = base.splitlines()
            missing = next((line for line in old.splitlines() if line not in there), old.partition('\n')[0])
            against = 'start' if part.kind == 'solution' else 'solution'
            said = f'{missing!r} is not there in the {against} (any more)' if old else 'it does not say where'
            raise part.code.wrong(f'the diff does not fit: {said}.', part.code.text.index(hunk))
        made += f'{before}\n'[1:] + new
        base = after
    return made + base


def last_name(code: str, part: Section) -> str:
    """What the last statement of the start that defines something defines."""
    try:
        found = [*definitions(code)]
    except SyntaxError as error:
        said = f'the start is no Python: {error.msg}.'
        raise part.code._replace(line=part.code.line + (error.lineno or 1) - 1).wrong(said) from None
    if not found:
        raise part.source.wrong('the start defines nothing, so the answer has no name.')
    return found[-1]
