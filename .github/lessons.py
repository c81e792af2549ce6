"""Draws a still of each lesson, lessons/NN.png, and writes the map of the course into README.md.

The stills are cut from pictures that the committed notebooks hold. After a lesson has changed: run this, and look.
"""

import base64
import io
import json
import re
import sys
import tomllib
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from PIL import Image

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
WIDTH, HEIGHT = 480, 250  # at most, in the README; a still may be larger, for screens that can show it
ROOM = 32  # letters in a line beside a still
COLOURS = 64
ROW = re.compile(r'^(\d\d) (.+?) · (.+?) · (\d+) min', re.MULTILINE)
COLAB = 'https://colab.research.google.com/assets/colab-badge.svg'
BEGIN, END = '<!-- lessons: written by .github/lessons.py -->\n', '<!-- up to here: lessons -->'


class Still(NamedTuple):
    """A piece of a picture, and that piece in words."""

    cell: str
    box: tuple[int, int, int, int]
    alt: str


class Lesson(NamedTuple):
    """A row of lesson 00's map."""

    number: str
    title: str
    question: str
    minutes: str

    @property
    def notebook(self) -> Path:
        return next((ROOT / 'lessons').glob(f'{self.number}_*.ipynb'))


STILLS = {
    '00': Still(
        'l00-tape',
        (16, 222, 620, 432),
        'Backward turns off its road into the lines of a bprop, and what they return is wrong: 4 should be 2',
    ),
    '01': Still(
        'l01-branch',
        (262, 74, 780, 296),
        'Three products leave an entry each, forward and backward; the branch that was not taken leaves none',
    ),
    '02': Still(
        'l02-dout',
        (8, 74, 730, 345),
        'Backward takes dout through the rules of Mul and Add; the two gradients of a are added',
    ),
    '03': Still(
        'l03-tape',
        (16, 282, 620, 494),
        'Backward turns off its road into your own lines, and what they return is wrong: 1.40 should be 6.60',
    ),
    '04': Still(
        'l04-curve',
        (8, 902, 441, 1208),
        'The error of a difference quotient against eps: as eps shrinks, it falls, then grows (in float64 later)',
    ),
    '05': Still(
        'l05-traffic',
        (8, 76, 784, 264),
        'Eight ways to end a bprop: which raise an error, and which are silently wrong, in minicell and in MindSpore',
    ),
    '06': Still(
        'l06-suspects',
        (8, 74, 590, 248),
        'Three losses of wrong bprops beside that of the right one; one of them falls faster',
    ),
    '07': Still(
        'l07-figure',
        (192, 76, 784, 366),
        'Eight channels of a dropout: in backward the mask of forward fits them all, a new mask is wrong in several',
    ),
    '08': Still(
        'l08-figure',
        (8, 76, 526, 354),
        'A threshold layer and its gradient: 1 above the threshold, 0 on it and below',
    ),
    '09': Still(
        'l09-tape',
        (16, 429, 600, 647),
        'The lines of a bprop have written a second tape; reading it back gives the second derivative, −0.479',
    ),
    '10': Still(
        'l10-tape',
        (350, 74, 912, 412),
        'A product with a weight runs inside a Cell with a bprop: it is not taped, and its rule is never called',
    ),
    '11': Still(
        'l11-runs',
        (376, 576, 764, 772),
        'In graph mode Python ran bprop once, and four replays followed; the last two gradients are wrong',
    ),
    '12': Still(
        'l12-film',
        (128, 606, 648, 770),
        'Spikes of 32 neurons over twelve time steps, and triangles that show how the gradient comes back through them',
    ),
    '13': Still(
        'l13-figure',
        (8, 1262, 784, 1700),
        'The tapes of minicell and of the learner’s own engine for a second derivative: entry by entry the same',
    ),
    '14': Still(
        'l14-figure',
        (8, 74, 784, 420),
        'A staircase of four levels: a strict mask gives a gradient of 0 to every weight on the two outermost levels',
    ),
    '15': Still(
        'l15-figure',
        (8, 74, 784, 362),
        '64 layers in 8 parts: 8 inputs are kept, and a part is computed again; 8 and 16 parts take least memory',
    ),
}


def lessons() -> list[Lesson]:
    """All lessons, as lesson 00 lists them."""
    start = json.loads((ROOT / 'lessons/00_start_here.ipynb').read_text(encoding='utf-8'))
    shown = next(cell['outputs'][0]['data'] for cell in start['cells'] if cell['id'] == 'l00-map')
    return [Lesson(*row) for row in ROW.findall(''.join(shown['text/plain']))]


def still(lesson: Lesson) -> 'Image.Image':
    """The piece of a picture that tells a lesson's story."""
    from PIL import Image  # not above: address.py writes the map with any Python

    notebook = json.loads(lesson.notebook.read_text(encoding='utf-8'))
    cell, box, _ = STILLS[lesson.number]
    outputs = next(each['outputs'] for each in notebook['cells'] if each['id'] == cell)
    picture = next(output['data']['image/png'] for output in outputs if 'image/png' in output.get('data', {}))
    whole = Image.open(io.BytesIO(base64.b64decode(picture))).convert('RGBA').convert('RGB')
    if box[2] > whole.width or box[3] > whole.height:
        raise ValueError(
            f'The still of lesson {lesson.number} lies outside its picture of {whole.size}: choose its box'
        )
    return whole.crop(box)


def broken(text: str) -> str:
    """A text in short lines: a long one would take the room of the pictures."""
    return '<br>'.join(wrap(text, ROOM, break_on_hyphens=False))


def table() -> str:
    """The map in Markdown: each lesson with its question, its still, and badges once the project has an address."""
    place = tomllib.loads((ROOT / 'pyproject.toml').read_text(encoding='utf-8'))['tool']['minicell']
    rows = ['| lesson | a picture of it |', '| --- | --- |']
    for lesson in lessons():
        file = f'lessons/{lesson.notebook.name}'
        left, top, right, bottom = STILLS[lesson.number].box
        width = min(WIDTH, right - left, (right - left) * HEIGHT // (bottom - top))
        title, question = broken(f'{lesson.number} · {lesson.title}'), broken(lesson.question)
        rows.append(
            f'| **[{title}]({file})**<br>{question}<br>{lesson.minutes} minutes{badges(lesson, file, **place)} '
            f'| <img src=".github/lessons/{lesson.number}.png" width="{width}" alt="{STILLS[lesson.number].alt}"> |'
        )
    return '\n'.join(rows) + '\n'


def badges(lesson: Lesson, file: str, repository: str, tag: str) -> str:
    """Where a lesson runs without an installation; nothing while there is no address for them to lead to."""
    if not repository:
        return ''
    binder = f'https://mybinder.org/v2/gh/{repository}/{tag}?urlpath=lab/tree/{file}'
    colab = f'https://colab.research.google.com/github/{repository}/blob/{tag}/{file}'
    return (
        f'<br>[![Open lesson {lesson.number} on Binder](https://mybinder.org/badge_logo.svg)]({binder})'
        f' [![Open lesson {lesson.number} on Colab]({COLAB})]({colab})'
    )


def write_map() -> None:
    """Write the map into the README."""
    readme = ROOT / 'README.md'
    before, rest = readme.read_text(encoding='utf-8').split(BEGIN)
    readme.write_text(before + BEGIN + table() + END + rest.split(END)[1], encoding='utf-8')


def main() -> None:
    """Draw all stills, and write the map."""
    (HERE / 'lessons').mkdir(exist_ok=True)
    for lesson in lessons():
        small = still(lesson).quantize(COLOURS, dither=0)
        small.save(HERE / f'lessons/{lesson.number}.png', optimize=True)
    write_map()


if __name__ == '__main__':
    sys.exit(main())
