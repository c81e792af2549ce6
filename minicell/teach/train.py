"""What takes a moment: its progress bar under the cell, and how its loss is drawn."""

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from IPython.display import display

from minicell.ink.boxes import Box, Column, Text
from minicell.ink.numbers import said
from minicell.view.picture import STILL

from .plot import Plot


def bar(items: Iterable[Any], of: int) -> Iterator[Any]:
    """Go through `of` items, with a progress bar under the cell until the last one is done."""

    def said(done: int) -> dict[str, str]:
        shown = f'<progress max="{of}" value="{done}" aria-label="Progress" style="width:240px"></progress>'
        return {'text/plain': f'{done} of {of}', 'text/html': f'{shown} &nbsp;{done} of {of}'}

    shown = None if os.environ.get(STILL) else display(said(0), raw=True, display_id=True)
    for done, item in enumerate(items, 1):
        yield item
        if shown is not None:
            shown.update(said(done), raw=True)
    if shown is not None:
        shown.update({'text/plain': '', 'text/html': ''}, raw=True)


class Line(NamedTuple):
    """A line of a chart: its losses, its name, and whether it is the one to look at (the others are dashed)."""

    losses: Sequence[float]
    name: str
    first: bool = True


def chart(lines: Sequence[Line], steps: int, top: float, size: tuple[float, float], key: str = 'loss') -> Box:
    """Losses against steps. What is above `top` runs along the upper edge, and says so."""
    last, levels = steps - 1, {level: said(level) for level in (0, top / 2, top)}
    plane = Plot(*size, (0, last), (0, top), {0: '0', last: str(steps)}, levels, key)
    for line in sorted(lines, key=lambda line: line.first):
        losses = np.nan_to_num(np.asarray(line.losses, np.float64), nan=top, posinf=top)
        plane.line(line.name, range(losses.size), losses, 'pen f' if line.first else 'pen dash')
        if line.first and line.losses and not line.losses[-1] <= top:
            plane.note('now', 0, top, f'↑ now at {said(line.losses[-1])}', 'b', up=-18)
    return Column(Text('loss, step by step', 'dim'), plane)
