"""What a touch answers: the numbers that one was computed from, what is read out, and how a gradient's number was made.

A `{}` in what is read out stands for the number as the picture shows it at that step: the two never differ.
"""

from collections.abc import Callable, Iterator
from functools import partial
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from ..account import ask, table
from ..ink import numbers, tiles
from ..ink.metrics import shape_text
from ..story.followed import follow
from ..story.record import Entry, Record, Value
from . import formula, style, verdict
from .columns import TAGS
from .moment import Story
from .sources import Source, backward, forward, pictures, sources
from .strip import taken

Links = dict[str, dict[str, Any]]


class Told(NamedTuple):
    """A picture of a tensor: what it is called, and what it was made from. Of a sum each part is told."""

    tile: str
    value: Value
    name: str
    made: Callable[[], list[Source] | None] = list
    tensor: object = None  # of a gradient: its account can be asked for


def answers(record: Record, story: Story, shown: set[str], asked: bool) -> tuple[Links, Links]:
    """Of each value that is shown {l: the numbers that it was computed from, r: what is read out}; and what a press on
    it opens: the digits of what is drawn as squares, and, where they are `asked` for, accounts as of `tape.why`."""
    drawn = {value.partition('[')[0] for value in shown}
    links: Links = {}
    digits: Links = {}
    grads: dict[str, Told] = {}
    for one in told(record, story):
        data = one.value.data
        if one.tile not in drawn or data is None or not data.size:
            continue
        if one.tensor is not None:
            grads.setdefault(one.tile, one)
        title, made = f'{one.name}  {shape_text(data.shape)}', one.made() or ()
        found = []  # (what can be touched, what lights with it, what is read out)
        if one.tile in shown:  # as squares
            found = [(one.tile, [cell for s in made if s.tile != one.tile for cell in s.cells()], title)]
            digits[one.tile] = {} if one.tile in links or data.size > style.DIGITS else written(title, data)
        for n, (place, index) in enumerate(cells(data) if data.size <= style.LARGE else ()):
            lit = [cell for s in made for cell in s.cells(n)]
            found.append((f'{one.tile}{place}', lit, f'{one.name}{index} = {{}}'))
        for value, lit, said in found:  # of a part of a sum this is added to what the others say
            before = links.setdefault(value, dict(l=[], r=said))
            before['l'] = list(dict.fromkeys([*before['l'], *lit]))
    opened = {tile: rows for tile, rows in digits.items() if rows}
    opened |= accounts(record, grads) if asked else {}
    return {value: links[value] for value in links if value in shown}, opened


def told(record: Record, story: Story) -> Iterator[Told]:
    """What takeovers return and the truth beside it, what arrives, forward's values and the gradients under them."""
    for number, reading in enumerate(record.readings):
        entry, known = record.entries[reading.entry], vars(reading).get('verdicts')  # if a frame has asked for them
        for place, g in enumerate(reading.gave if taken(entry) else ()):
            if g.value is not None:
                due = verdict.due(known[place], f'the true {g.name}') if known else None
                yield Told(f'g{number}.{place}', g.value, g.name, partial(backward, entry, reading, place), g.tensor)
                if due is not None:
                    yield Told(f's{number}.{place}', due, due.name)
    whose: dict[int, object] = {}  # tensor -> its gradient
    for number, run in enumerate(record.passes):
        for k, a in enumerate(run.arrivals):
            if a.total is not None:
                whose[a.key] = a.tensor
                there = [(f'{TAGS[e.level]}d{a.key}', a.total) for e in record.entries if a.key in e.keys]
                same = partial(sources, there[:1], itemgetter(0))  # on the road the same numbers have come
                yield Told(f'p{number}.{k}', a.total, a.name, made=same, tensor=a.tensor)
    for i, entry in enumerate(record.entries):
        tag = TAGS[entry.level]
        ins = pictures(tag, entry.keys, entry.inputs)
        for n, (tile, value) in enumerate(pictures(tag, entry.made, entry.outputs)):
            yield Told(tile, value, value.name or 'out', partial(forward, entry, n, ins))
        names = formula.names_of_inputs(entry)
        for key, (tile, value), name in zip(entry.keys, ins, names, strict=False):
            maker = formula.makers(record).get(key)
            if maker is None or record.entries[maker].level != entry.level:
                yield Told(tile, value, name if value.name else '')
        yield from gradients(story, i, entry, whose)


def gradients(story: Story, i: int, entry: Entry, whose: dict[int, object]) -> Iterator[Told]:
    """What came back to an entry, and what it was made of: each part by a rule of an entry that read the value."""
    reading, tag = story.reading(i, len(story.record.steps)), TAGS[entry.level]
    if reading is None:
        return
    for key, dout, tensor in zip(entry.made, reading.douts, reading.cotangents, strict=False):
        whose.setdefault(key, tensor)
        if key not in story.parts:
            yield Told(f'{tag}d{key}', dout, dout.name, tensor=tensor)
    for k, g in enumerate(reading.gave):
        if g.when is not None:
            made = partial(backward, entry, reading, k)
            yield Told(f'{tag}d{g.key}', g.value, g.name, made, whose.get(g.key))


def accounts(record: Record, grads: dict[str, Told]) -> Links:
    """How each number of a small gradient was made: value -> the rows of `tape.why`; takeovers come first."""
    out: Links = {}
    for tile, (_, value, *_, tensor) in grads.items():
        if value.data.size > style.LARGE or len(out) + value.data.size > style.ACCOUNTS:
            continue
        for (place, _), index in zip(cells(value.data), np.ndindex(value.shape), strict=True):
            made = follow(record, f'how {value.name} was made', account, record, tensor, index)
            if made is None:
                break
            out[f'{tile}{place}'] = made
    return out


def cells(array: np.ndarray) -> Iterator[tuple[str, str]]:
    """(its place in the picture, its index as it is written) of each number."""
    for index in np.ndindex(np.shape(array)):
        i, j = tiles.cell_of(index, np.shape(array))
        yield f'[{i},{j}]', numbers.index(index)


def written(title: str, array: np.ndarray) -> dict[str, Any]:
    """The digits of a tensor that is drawn as squares, as the page shows an account."""
    rows = tiles.folded(array)
    heads = [f'>{numbers.index((k,))}' for k in range(rows.shape[1])]
    return dict(t=title, h=heads, rows=[['', *map(tiles.shown, row)] for row in rows], p='')


def account(record: Record, tensor: Any, index: tuple[int, ...]) -> dict[str, Any] | None:
    """How a number was made; None for one that no entry handed out: that a hook on a tensor returned, say."""
    try:
        return table.data(record.why(tensor, index))
    except ask.NotHandedOut:
        return None
