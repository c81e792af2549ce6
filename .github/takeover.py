"""Draws the README's pictures of a takeover: takeover.gif and, for a phone, takeover-narrow.gif, of the site's first
page, and example.png, of the README's code.

The moving picture shows what a reader of that page sees first: backward leaves its road, your `bprop` returns, and the
true gradients stand beside yours. After that page or the picture of a tape has changed: run this, and look.
"""

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path.insert(0, str(ROOT))
os.environ['MINICELL_PROGRESS'] = 'off'

from IPython.core.interactiveshell import InteractiveShell  # noqa: E402
from IPython.utils.capture import capture_output  # noqa: E402

from minicell import Tape  # noqa: E402
from minicell.command.site.front import picture  # noqa: E402
from minicell.command.site.front.scenes import OPENS, SCENES, programs  # noqa: E402
from minicell.ink import gif  # noqa: E402
from minicell.ink.film import Film, Step  # noqa: E402
from minicell.ink.shapes import Frame, Shape, wrapped  # noqa: E402
from minicell.view.picture import Picture  # noqa: E402

MOVES, MOVE = 6, 0.06  # pictures on the way to a step, and the seconds of each
MOVING = 'x', 'y', 'width', 'height', 'd'
NUMBER = re.compile(r'-?\d+\.?\d*')


def tape(*cells: str) -> Tape:
    """The `tape` that there is after these cells have run, as in a notebook."""
    shell = InteractiveShell.instance()
    for cell in cells:
        with capture_output():
            shell.run_cell(cell, store_history=True).raise_error()
    return shell.user_ns['tape']


def of_first_page() -> Picture:
    """The picture that the site opens with."""
    return picture(programs()[SCENES[OPENS].program])


def moving(shown: Picture, layout: int) -> bytes:
    """Its takeover as a GIF, of the wide layout or the narrow one. It opens on what a page shows that plays none."""
    film = shown.films[layout]
    returns = next(i for i, step in enumerate(film.steps) if step.title.startswith('Your bprop returns'))
    steps = shown.place('takeover'), returns, shown.place('compare')
    made, times = Film(film.width, film.height), []
    # from each to the next; and at the end, from before the first to the first
    for step, before, after in zip(steps, (*steps[:-1], steps[0] - 1), (*steps[1:], steps[0]), strict=True):
        made.add(film.frames[step], fitting(film.steps[step], film.width))
        times.append(gif.reading(film.steps[step]))
        for part in range(1, MOVES):
            way = under_way(film.frames[before], film.frames[after], part / MOVES)
            made.add(way, fitting(film.steps[after], film.width))
            times.append(MOVE)
    return gif.animation(made, times=times)


def fitting(step: Step, room: float) -> Step:
    """A step with a title of two rows at most, as a still has room for: else what is before its comma says enough."""
    short = len(wrapped(step.title, room - 2, 'h1')) <= 2
    return step if short else step._replace(title=step.title.partition(',')[0])


def under_way(before: Frame, after: Frame, part: float) -> Frame:
    """Between two frames: what is in both moves, what comes fades in, and what goes has gone."""
    made = Frame()
    for key, shape in after.items():
        if key in before:
            changed = dict(moved(before[key], shape, 1 - (1 - part) ** 3))
        else:
            changed = {'opacity': part * shape.attrs.get('opacity', 1)}
        made[key] = shape._replace(attrs=shape.attrs | changed)
    return made


def moved(before: Shape, after: Shape, part: float) -> Iterator[tuple[str, Any]]:
    """Where a shape is between two places; where they differ in more than numbers, it is there already."""
    for name in MOVING:
        one, other = str(before.attrs.get(name, '')), str(after.attrs.get(name, ''))
        if one != other and NUMBER.sub('', one) == NUMBER.sub('', other):
            ends = zip(map(float, NUMBER.findall(one)), map(float, NUMBER.findall(other)), strict=True)
            way = [f'{begin + (end - begin) * part:.2f}' for begin, end in ends]
            yield name, filled(NUMBER.split(one), way) if name == 'd' else float(way[0])


def filled(words: list[str], numbers: list[str]) -> str:
    """Words with numbers between them."""
    return ''.join(word + number for word, number in zip(words, [*numbers, ''], strict=True))


def main() -> None:
    """Draw them."""
    for layout, name in enumerate(('takeover.gif', 'takeover-narrow.gif')):
        (HERE / name).write_bytes(moving(of_first_page(), layout))
    readme = (ROOT / 'README.md').read_text(encoding='utf-8')
    example = re.search(r'^<!-- example -->\n```python\n(.*?)^```$', readme, re.M | re.S)[1]
    tape(example, 'tape = ms.explain(Product(), x, y)').save(HERE / 'example.png')


if __name__ == '__main__':
    sys.exit(main())
