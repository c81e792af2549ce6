"""What a touch answers: which shapes light with a value, what is read out, and how a gradient's number was made."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...ink import numbers, tiles
from ...ink.metrics import shape_text
from ...story.followed import follow
from ...story.record import Entry, Reading, Record, Value
from . import phrases, verdict
from .moment import Story
from .strip import TAKEN, name_of

MOST = 16  # numbers of a tensor that answer one by one
TOUCHED = 400  # entries; to ask and to tell how the numbers of a longer tape were made would take too long
ACCOUNTS = 64  # of a picture: more would not travel


class Touch:
    """The links of a record: value id -> {l: the ids that light with it, r: what is read out}."""

    def __init__(self, record: Record, story: Story) -> None:
        self.record, self.story = record, story
        self.links: dict[str, dict[str, Any]] = {}

    def all(self) -> dict[str, dict[str, Any]]:
        """Forward's values, the gradients under them, the tables of takeovers and the truth beside them."""
        for i, entry in enumerate(self.record.entries):
            tag = 'ab'[min(entry.level, 1)]
            for key, value in zip(entry.keys, entry.inputs, strict=False):
                self.value(f'{tag}{key}', value, '', [f'{tag}d{key}'])
            for key, value in zip(entry.made, entry.outputs, strict=False):
                made = f'   {entry.source or name_of(entry)}{line(entry)}'
                self.value(f'{tag}{key}', value._replace(name=value.name or 'out'), made, [f'{tag}d{key}'])
            if entry.outputs:
                self.value(f'w{i}', entry.outputs[0], f'   {entry.source or name_of(entry)}{line(entry)}', [])
            number = self.story.reading(i, len(self.record.steps))
            if number is not None:
                self.reading(tag, entry, self.record.readings[number])
        for number, run in enumerate(self.record.passes):
            for k, a in enumerate(run.arrivals):
                if a.total is not None:
                    parts = len(a.parts)
                    came = f'   from {parts} part{"s" * (parts != 1)}' if parts else ''
                    self.value(f'p{number}.{k}', a.total._replace(name=a.name), came, [])
            for tag in 'ab':
                if run.seeds:
                    self.value(f'{tag}seed', run.seeds[0]._replace(name=''), '   where backward starts', [])
        return self.links

    def reading(self, tag: str, entry: Entry, reading: Reading) -> None:
        """What came in at an entry, and what it gave."""
        for key, dout in zip(entry.made, reading.douts, strict=False):
            self.value(f'{tag}d{key}', dout, '   what the entry is told about the loss', [f'{tag}{key}'])
        by = f'   {phrases.rule_of(entry)}{line(entry)}'
        for key, value in self.story.handed(reading):
            if entry.kind == 'op':
                self.value(f'{tag}d{key}', value, by, [f'{tag}{key}'])
        if entry.kind not in ('call', 'hook'):
            return
        number = self.record.readings.index(reading)
        of = {id(v): key for key, v in self.story.handed(reading)}
        known = verdict.known(reading)
        for place, g in enumerate(reading.gave):
            if g.value is None:
                continue
            key = of.get(id(g.value))
            whose = 'yours' if entry.yours else f'{entry.name}.bprop'
            said = f'   {whose}: {g.formula}, line {g.line}' if g.formula and g.line else f'   {whose}'
            due = verdict.due(known[place], f'the true {g.name}') if known else None
            mine, true = f'g{number}.{place}', f's{number}.{place}'
            self.value(mine, g.value, said, [true] + ([f'{tag}{key}'] if key is not None else []), due)
            if due is not None:
                self.value(true, due, '', [mine])

    def value(self, tile: str, value: Value, more: str, partners: list[str], true: Value | None = None) -> None:
        """A tensor's picture: each of its numbers, or all of it where it is drawn as squares. `true`: what they should
        be."""
        if value.data is None or not value.data.size:
            return
        if value.data.size > MOST:
            shape = shape_text(value.shape)
            self.links.setdefault(tile, dict(l=partners, r=f'{value.name}  {shape}{more}'))
            return
        due = true.data if true is not None and true.shape == value.shape else value.data
        unknown = np.isnan(due) if true is not None and true.words else np.zeros(due.shape, bool)
        for (place, index, number), other, blank in zip(cells(value.data), due.flat, unknown.flat, strict=True):
            own = numbers.said(number) if number == number or not value.words else value.words
            said = f'{value.name}{index} = {own}'
            same = blank or numbers.said(other) == numbers.said(number)
            said += more if same else f', should be {numbers.said(other)}{more}'
            self.links.setdefault(f'{tile}{place}', dict(l=[f'{p}{place}' for p in partners], r=said))


def accounts(record: Record, story: Story) -> dict[str, dict[str, Any]]:
    """How each number of a small gradient was made: value id -> the rows of `tape.why`."""
    out: dict[str, dict[str, Any]] = {}
    for tile, tensor, value in gradients(record, story):
        if value.data.size > MOST or len(out) + value.data.size > ACCOUNTS:
            continue
        for (place, _, _), index in zip(cells(value.data), np.ndindex(value.shape), strict=True):
            told = follow(record, f'how {value.name} was made', account, record, tensor, index)
            if told is None:
                break
            out[f'{tile}{place}'] = told
    return out


def account(record: Record, tensor: Any, index: tuple[int, ...]) -> dict[str, Any] | None:
    """How a number was made; None for one that no entry handed out: that a hook on a tensor returned, say."""
    from ..account import ask, table

    try:
        return table.data(record.why(tensor, index))
    except ask.NotHandedOut:
        return None


def gradients(record: Record, story: Story) -> Iterator[tuple[str, Any, Value]]:
    """(its picture, the tensor, its numbers) of the gradients that can be asked for, those of takeovers first."""
    for number, reading in enumerate(record.readings):
        if record.entries[reading.entry].kind in TAKEN:
            for place, g in enumerate(reading.gave):
                if g.tensor is not None and g.value is not None and g.value.data is not None:
                    yield f'g{number}.{place}', g.tensor, g.value
    by_name = {}
    for number, run in enumerate(record.passes):
        for k, a in enumerate(run.arrivals):
            if a.total is not None and a.total.data is not None:
                by_name[a.of] = a
                yield f'p{number}.{k}', a.tensor, a.total
    seen = set()
    for i, entry in enumerate(record.entries):
        tag = 'ab'[min(entry.level, 1)]
        number = story.reading(i, len(record.steps))
        if number is not None:
            for key, tensor, value in zip(
                entry.made, record.readings[number].cotangents, record.readings[number].douts, strict=False
            ):
                if tensor is not None and value.data is not None and (tag, key) not in seen:
                    seen.add((tag, key))
                    yield f'{tag}d{key}', tensor, value
        for key, value in zip(entry.keys, entry.inputs, strict=False):
            arrival = by_name.get(value.name)
            if arrival is not None and key not in story.made and (tag, key) not in seen:
                seen.add((tag, key))
                yield f'{tag}d{key}', arrival.tensor, arrival.total


def cells(array: np.ndarray) -> Iterator[tuple[str, str, float]]:
    """(its place in the picture, its index as it is written, the number) of each number."""
    flat = tiles.folded(array)
    for k, number in enumerate(np.asarray(array).ravel()):
        i, j = divmod(k, flat.shape[1])
        yield f'[{i},{j}]', numbers.index(tuple(map(int, np.unravel_index(k, array.shape)))), float(number)


def line(entry: Entry) -> str:
    """Where it stands."""
    return f', line {entry.mark.line}' if entry.mark else ''
