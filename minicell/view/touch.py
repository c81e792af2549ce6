"""What a touch answers: the numbers that one was computed from, what is read out, and how a gradient's number was made.

A `{}` in what is read out stands for the number as the picture shows it at that step: the two never differ.
"""

import ast
from collections.abc import Iterator
from string import Formatter
from typing import Any

import numpy as np

from ..ink import numbers, tiles
from ..ink.metrics import shape_text
from ..story.followed import follow
from ..story.record import Entry, Gradient, Reading, Record, Value
from . import formula, phrases, style, verdict
from .columns import TAGS
from .formula import name_of
from .moment import Story
from .strip import taken

Sources = list[tuple[str, Value]]  # the pictures of tensors


class Touch:
    """The links of a record: value id -> {l: the ids of the numbers that it was computed from, r: what is read out}."""

    def __init__(self, record: Record, story: Story) -> None:
        self.record, self.story = record, story
        self.links: dict[str, dict[str, Any]] = {}

    def all(self) -> dict[str, dict[str, Any]]:
        """Forward's values, the gradients under them, what takeovers return, the truth beside it, and what arrives."""
        for number, reading in enumerate(self.record.readings):
            if taken(self.record.entries[reading.entry]):
                self.returned(number, reading)
        for i, entry in enumerate(self.record.entries):
            tag, given = TAGS[entry.level], self.inputs(entry)
            for key, value in zip(entry.made, entry.outputs, strict=False):
                by = f'{self.record.entries[i].source or name_of(entry)}{line(entry)}'
                self.value(f'{tag}{key}', value, value.name or 'out', by, given, entry)
            for key, value in zip(entry.keys, entry.inputs, strict=False):
                maker = self.story.made.get(key)
                if maker is None or self.record.entries[maker].level != entry.level:
                    self.value(f'{tag}{key}', value, value.name, '', [], entry)
            self.gradients(i, entry, tag)
        for number, run in enumerate(self.record.passes):
            for k, a in enumerate(run.arrivals):
                if a.total is not None:
                    level = next((e.level for e in self.record.entries if a.key in e.keys), 0)
                    self.value(f'p{number}.{k}', a.total, a.name, '', [(f'{TAGS[level]}d{a.key}', a.total)])
        return self.links

    def inputs(self, entry: Entry) -> Sources:
        """The pictures of what an entry reads."""
        return [(f'{TAGS[entry.level]}{key}', v) for key, v in zip(entry.keys, entry.inputs, strict=False)]

    def gradients(self, i: int, entry: Entry, tag: str) -> None:
        """What came back to an entry, and what it was made of: each part by a rule of an entry that read the value."""
        number = self.story.reading(i, len(self.record.steps))
        if number is None:
            return
        reading = self.record.readings[number]
        for key, dout in zip(entry.made, reading.douts, strict=False):
            if key not in self.story.parts:
                self.value(f'{tag}d{key}', dout, dout.name, 'all starts with it', [])
        for key, g in self.story.gave(reading):
            k = list(entry.keys).index(key)
            sources = self.read(entry, k, number) if entry.kind == 'op' else self.lines(entry, number, g)
            who = phrases.rule_of(entry) if entry.kind == 'op' else 'your lines' if entry.yours else 'its bprop'
            self.value(f'{tag}d{key}', g.value, g.name, f'{who}{line(entry)}', sources, entry, more=True, back=k)

    def read(self, entry: Entry, k: int, number: int) -> Sources:
        """The pictures of what a rule reads for its k-th input: the dout, and what it finds on the tape."""
        tag, douts = TAGS[entry.level], self.record.readings[number].douts
        back = [(f'{tag}d{key}', v) for key, v in zip(entry.made, douts, strict=False)]
        how = formula.template_of(entry, k) if entry.outputs else ''
        fields = {field for _, field, _, _ in Formatter().parse(how) if field}
        found = [pair for j, pair in enumerate(self.inputs(entry)) if str(j) in fields]
        outs = (
            [(f'{tag}{key}', v) for key, v in zip(entry.made, entry.outputs, strict=False)] if 'out' in fields else []
        )
        return back + found + outs

    def lines(self, entry: Entry, number: int, g: Gradient) -> Sources:
        """The pictures of what the lines of a bprop name for a gradient."""
        used = names_in(g.formula)
        found = [pair for pair in self.inputs(entry) if pair[1].name in used]
        if entry.facts and entry.facts.dout in used:
            tag, douts = TAGS[entry.level], self.record.readings[number].douts
            found += [(f'{tag}d{key}', v) for key, v in zip(entry.made, douts, strict=False)]
        return found

    def returned(self, number: int, reading: Reading) -> None:
        """What a takeover returned, and beside it what is true."""
        entry = self.record.entries[reading.entry]
        known = verdict.known(reading)
        for place, g in enumerate(reading.gave):
            if g.value is None:
                continue
            by = ('yours' if entry.yours else f'{entry.name}.bprop') + (
                f': {g.formula}, line {g.line}' if g.formula else ''
            )
            due = verdict.due(known[place], f'the true {g.name}') if known else None
            self.value(f'g{number}.{place}', g.value, g.name, by, self.lines(entry, number, g), due=due)
            if due is not None:
                self.value(f's{number}.{place}', due, due.name, 'by the rules', [])

    def value(
        self, tile: str, value: Value, name: str, by: str, sources: Sources, entry: Entry | None = None,
        due: Value | None = None, more: bool = False, back: int | None = None,
    ) -> None:  # fmt: skip
        """A tensor's picture: each of its numbers, or all of it where it is drawn as squares. `more`: one more part of
        a sum; `due`: what it should be."""
        if value is None or value.data is None or not value.data.size:
            return
        if value.data.size > style.LARGE:
            link = dict(
                l=list(dict.fromkeys(t for t, _ in sources if t != tile)), r=f'{name}  {shape_text(value.shape)}   {by}'
            )
            self.links.setdefault(tile, link)
            return
        true = due.data if due is not None and due.shape == value.shape else None
        for n, (place, index, number) in enumerate(cells(value.data)):
            at = np.unravel_index(n, value.shape)
            lit = list(dict.fromkeys(c for source in sources for c in meets(source, value, at, entry, back)))
            should = '' if true is None else numbers.said(true.flat[n])
            off = f', should be {should}' if should not in ('', numbers.said(number)) else ''
            told = f'{name}{index} = {{}}{off}' + (f'   {by}' if by else '')
            before = self.links.setdefault(f'{tile}{place}', dict(l=lit, r=told))
            if more and before['l'] is not lit:
                before['l'] = list(dict.fromkeys([*before['l'], *lit]))
                before['r'] += f' and {by}' * (by not in before['r'])


def names_in(source: str) -> set[str]:
    """The names in an expression."""
    try:
        return {node.id for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name)}
    except (SyntaxError, ValueError):
        return set()


def meets(source: tuple[str, Value], value: Value, at: tuple, entry: Entry | None, back: int | None) -> Iterator[str]:
    """The numbers of a source that one number was computed from: of the same place, of a row or a column; else all."""
    tile, other = source
    if other.data is None or not other.data.size:
        return
    if other.data.size > style.LARGE:
        yield tile
        return
    mask = np.ones(other.shape, bool)
    pairs = products(entry, back)
    if pairs is not None and other.data.ndim == value.data.ndim == 2:
        axes = pairs.get(tile)
        if axes is not None:
            mask[...] = False
            mask[(at[axes[1]], slice(None)) if axes[0] == 0 else (slice(None), at[axes[1]])] = True
    elif aligned(other.shape, value.shape):  # broadcast to it
        mask[...] = False
        mask[tuple(k * (m > 1) for k, m in zip(at[len(at) - other.data.ndim :], other.shape, strict=True))] = True
    elif aligned(value.shape, other.shape):  # added up to it
        mask[...] = False
        own = (slice(None) if m == 1 else k for k, m in zip(at, value.shape, strict=True))
        mask[(*[slice(None)] * (other.data.ndim - len(at)), *own)] = True
    for n in np.flatnonzero(mask):
        i, j = tiles.cell_of(tuple(np.unravel_index(n, other.shape)), other.shape)
        yield f'{tile}[{i},{j}]'


def aligned(small: tuple[int, ...], large: tuple[int, ...]) -> bool:
    """Whether one shape is broadcast to another."""
    try:
        return np.broadcast_shapes(small, large) == large
    except ValueError:
        return False


def products(entry: Entry | None, back: int | None) -> dict[str, tuple[int, int]] | None:
    """Of a product of two matrices, for each source: which of its axes is fixed, and by which axis of the result."""
    if entry is None or entry.name != 'MatMul' or len(entry.keys) < 2 or not entry.made:
        return None
    a, b = (v.data for v in entry.inputs[:2])
    if (
        a.ndim != 2
        or b.ndim != 2
        or a.shape[1] != b.shape[0]
        or not np.allclose(a @ b, entry.outputs[0].data, equal_nan=True)
    ):
        return None  # (one of the two is turned)
    tag = TAGS[entry.level]
    x, y, dout = f'{tag}{entry.keys[0]}', f'{tag}{entry.keys[1]}', f'{tag}d{entry.made[0]}'
    if back is None:
        return {x: (0, 0), y: (1, 1)}
    return {dout: (0, 0), y: (0, 1)} if back == 0 else {dout: (1, 1), x: (1, 0)}  # dout @ y.T, x.T @ dout


def cells(array: np.ndarray) -> Iterator[tuple[str, str, float]]:
    """(its place in the picture, its index as it is written, the number) of each number."""
    flat = tiles.folded(array)
    for k, number in enumerate(np.asarray(array).ravel()):
        i, j = divmod(k, flat.shape[1])
        yield f'[{i},{j}]', numbers.index(tuple(map(int, np.unravel_index(k, array.shape)))), float(number)


def line(entry: Entry) -> str:
    """Where it stands."""
    return f', line {entry.mark.line}' if entry.mark else ''


# ---- how numbers were made ----


def accounts(record: Record, story: Story) -> dict[str, dict[str, Any]]:
    """How each number of a small gradient was made: value id -> the rows of `tape.why`."""
    out: dict[str, dict[str, Any]] = {}
    for tile, tensor, value in asked(record, story):
        if value.data.size > style.LARGE or len(out) + value.data.size > style.ACCOUNTS:
            continue
        for (place, _, _), index in zip(cells(value.data), np.ndindex(value.shape), strict=True):
            told = follow(record, f'how {value.name} was made', account, record, tensor, index)
            if told is None:
                break
            out[f'{tile}{place}'] = told
    return out


def account(record: Record, tensor: Any, index: tuple[int, ...]) -> dict[str, Any] | None:
    """How a number was made; None for one that no entry handed out: that a hook on a tensor returned, say."""
    from .account import ask, table

    try:
        return table.data(record.why(tensor, index))
    except ask.NotHandedOut:
        return None


def asked(record: Record, story: Story) -> Iterator[tuple[str, Any, Value]]:
    """(its picture, the tensor, its numbers) of the gradients that can be asked for, those of takeovers first."""
    for number, reading in enumerate(record.readings):
        if taken(record.entries[reading.entry]):
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
        tag, number = TAGS[entry.level], story.reading(i, len(record.steps))
        if number is not None:
            told = record.readings[number]
            for key, tensor, value in zip(entry.made, told.cotangents, told.douts, strict=False):
                if tensor is not None and value.data is not None and (tag, key) not in seen:
                    seen.add((tag, key))
                    yield f'{tag}d{key}', tensor, value
        for key, value in zip(entry.keys, entry.inputs, strict=False):
            arrival = by_name.get(value.name)
            if arrival is not None and key not in story.made and (tag, key) not in seen:
                seen.add((tag, key))
                yield f'{tag}d{key}', arrival.tensor, arrival.total
