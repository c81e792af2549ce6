"""Frames of a tape: what is seen at which zoom, and what each step says. Pure data; drawing comes after."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from . import caption, record
from . import fold as folding
from . import zoom as lens
from .model import Frame, Look, Record

ZOOMS = ('cells', 'ops', 'inside')


def frames(
    tape: Any, zoom: str = 'ops', compare: bool = True, fold: bool | None = None, turn: int | None = None
) -> list[Frame]:
    """All frames of a tape, one a step; an empty tape has one that says so.

    zoom: 'cells' (one card for each Cell that your code calls), 'ops' (what the tape keeps), 'inside' (and what a
    takeover hid). compare: the true gradient beside that of a bprop. fold: equal neighbours as one card (IFNode × 12);
    None: where the tape is long. turn: which of them that card shows, from 0; None: the one that the step is about.

    Raises ValueError for another zoom.
    """
    with uncollected():
        return of(record.tell(tape), zoom, compare, fold, turn)


def of(
    told: Record, zoom: str = 'ops', compare: bool = True, fold: bool | None = None, turn: int | None = None
) -> list[Frame]:
    """All frames of a record; the options are those of `frames`. Telling a tape costs the most, so keep its record."""
    if zoom not in ZOOMS:
        raise ValueError(f'zoom is one of {", ".join(map(repr, ZOOMS))}, not {zoom!r}')
    look = Look(zoom, compare, fold, turn)
    with uncollected():
        told = {'cells': lens.cells, 'ops': lens.ops, 'inside': lambda record: record}[zoom](told)
    return [Frame(told, i, look, caption.words) for i in range(max(len(told.steps), 1))]


def turns(told: list[Frame]) -> int:
    """How many turns the longest folded row has, which `turn` chooses from; 1 where nothing is folded."""
    return folding.most(told[0].record, told[0].look)


@contextmanager
def uncollected() -> Iterator[None]:
    """No garbage collection in here: nothing that a record is made of is garbage, and looking for it takes longest."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()
