"""A lesson's notebook cut into beats: what stands on the screen at once when a lesson is presented."""

import json
import re
from pathlib import Path
from typing import NamedTuple

HEADING = re.compile(r'^#{1,6} +(.+?)\s*$', re.MULTILINE)
SETUP = re.compile(r'\blesson\(')
CODE = re.compile(r'L(\d\d)-s(\d+)-x(\d+)', re.IGNORECASE)


class Part(NamedTuple):
    """A cell, without what the notebook knows beside it."""

    kind: str  # 'markdown' or 'code'
    text: str


class Beat(NamedTuple):
    """Text up to and with one code cell. `section` counts headings, `step` the beats under one, both from 1."""

    lesson: str
    section: int
    step: int
    title: str
    parts: tuple[Part, ...]

    @property
    def code(self) -> str:
        """What is shown on the screen, and typed by who wants to be in the same place."""
        return f'L{self.lesson}-s{self.section}-x{self.step}'


def notebook_of(lesson: str) -> Path:
    """A lesson's notebook: the learner's own, the checkout's, or that of the package."""
    package = Path(__file__).resolve().parents[1]
    for folder in (Path.cwd(), package.parent / 'lessons', package / 'lessons'):
        for path in sorted(folder.glob(f'{lesson}_*.ipynb')):
            return path
    raise FileNotFoundError(f'the notebook of lesson {lesson} is not here: open it in its own folder')


def beats(lesson: str, path: Path) -> list[Beat]:
    """The beats of a notebook. The cell that sets up the lesson is not for the screen."""
    found: list[Beat] = []
    section, title, waiting = 0, '', []

    def end() -> None:
        if waiting:
            step = 1 + sum(beat.section == section for beat in found)
            found.append(Beat(lesson, section, step, title, tuple(waiting)))
            waiting.clear()

    for cell in json.loads(path.read_text(encoding='utf-8'))['cells']:
        part = Part(cell['cell_type'], ''.join(cell['source']))
        if part.kind == 'markdown':
            heading = HEADING.match(part.text)
            if heading:
                end()
                section, title = section + 1, heading[1]
            waiting.append(part)
        elif part.kind == 'code' and part.text.strip() and not SETUP.search(part.text):
            waiting.append(part)
            end()
    end()
    return found


def place(found: list[Beat], code: str) -> int:
    """Which beat a jump code names; raises ValueError, in a sentence, for what names none."""
    read = CODE.fullmatch(code.strip())
    if read is None:
        raise ValueError(f'{code!r} is no jump code; they look like {found[0].code}')
    for index, beat in enumerate(found):
        if (beat.lesson, beat.section, beat.step) == (read[1], int(read[2]), int(read[3])):
            return index
    raise ValueError(f'there is no {code.strip()} here; the last one is {found[-1].code}')
