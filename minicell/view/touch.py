"""What a touch answers: the numbers that one was computed from, what is read out, and how a gradient's number was made.

A `{}` in what is read out stands for the number as the picture shows it at that step: the two never differ.
"""

import ast
from collections.abc import Callable, Iterator
from string import Formatter
from typing import Any, NamedTuple

import numpy as np

from ..account import ask, table
from ..ink import numbers, tiles
from ..ink.metrics import shape_text
from ..story.followed import follow
from ..story.record import Entry, Gradient, Reading, Record, Value
from . import formula, phrases, sources, style, verdict
from .columns import TAGS
from .formula import name_of
from .moment import Story
from .strip import taken


class Source(NamedTuple):
    """The picture of a tensor that others were computed from, and which of its numbers each of theirs reads."""

    tile: str
    value: Value
    table: np.ndarray | None

    def whole(self) -> list[str]:
        """All of it, as squares and as numbers."""
        return [self.tile, *self._replace(table=None).cells(0)]

    def cells(self, n: int) -> list[str]:
        """The numbers that the n-th number was computed from; of squares, the picture."""
        if self.value.data is None or not self.value.data.size:
            return []
        if self.value.data.size > style.LARGE:
            return [self.tile]
        at = range(self.value.data.size) if self.table is None else np.flatnonzero(self.table[n])
        columns = tiles.folded(self.value.data).shape[1]
        return [f'{self.tile}[{m // columns},{m % columns}]' for m in at]


def pictures(tag: str, keys: tuple[int, ...], values: tuple[Value, ...]) -> list[tuple[str, Value]]:
    """The pictures of some tensors."""
    return [(f'{tag}{key}', value) for key, value in zip(keys, values, strict=False)]


class Touch:
    """The links of a record: value id -> {l: the ids of the numbers that it was computed from, r: what is read out},
    of the numbers that are shown."""

    def __init__(self, record: Record, story: Story, shown: set[str]) -> None:
        self.record, self.story = record, story
        self.shown, self.tiles = shown, {value.partition('[')[0] for value in shown}
        self.links: dict[str, dict[str, Any]] = {}
        self.digits: dict[str, dict[str, Any]] = {}  # of what is drawn as squares, for a press
        self.asked: dict[str, tuple[Any, Value]] = {}  # the gradients whose accounts can be asked for

    def all(self) -> dict[str, dict[str, Any]]:
        """Forward's values, the gradients under them, what takeovers return, the truth beside it, and what arrives."""
        for number, reading in enumerate(self.record.readings):
            if taken(self.record.entries[reading.entry]):
                self.returned(number, reading)
        for number, run in enumerate(self.record.passes):
            for k, a in enumerate(run.arrivals):
                if a.total is not None:
                    places = [f'{TAGS[e.level]}d{a.key}' for e in self.record.entries if a.key in e.keys]
                    same = [Source(tile, a.total, sources.itself(a.total)) for tile in places[:1]]
                    self.value(f'p{number}.{k}', a.total, a.name, '', same)
                    shown = self.tiles.intersection((f'p{number}.{k}', *places))
                    self.asked |= dict.fromkeys(sorted(shown, reverse=True), (a.tensor, a.total))
        for i, entry in enumerate(self.record.entries):
            tag = TAGS[entry.level]
            for n, (key, value) in enumerate(zip(entry.made, entry.outputs, strict=False)):
                if f'{tag}{key}' in self.tiles:
                    pairs = zip(self.inputs(entry), sources.forward(entry, n), strict=False)
                    given = [Source(*pair, table) for pair, table in pairs]
                    by = f'{entry.source or name_of(entry)}{line(entry)}'
                    self.value(f'{tag}{key}', value, value.name or 'out', by, given)
            for k, (key, value) in enumerate(zip(entry.keys, entry.inputs, strict=False)):
                maker = formula.makers(self.record).get(key)
                if maker is None or self.record.entries[maker].level != entry.level:
                    named = formula.names_of_inputs(self.record, entry)[k] if value.name else ''
                    self.value(f'{tag}{key}', value, named, '', [])
            self.gradients(i, entry, tag)
        return self.links

    def accounts(self) -> dict[str, dict[str, Any]]:
        """How each number of a small gradient was made: value id -> the rows of `tape.why`; takeovers come first."""
        out: dict[str, dict[str, Any]] = {}
        for tile, (tensor, value) in self.asked.items():
            if value.data is None or value.data.size > style.LARGE or len(out) + value.data.size > style.ACCOUNTS:
                continue
            for (place, _, _), index in zip(cells(value.data), np.ndindex(value.shape), strict=True):
                told = follow(self.record, f'how {value.name} was made', account, self.record, tensor, index)
                if told is None:
                    break
                out[f'{tile}{place}'] = told
        return out

    def inputs(self, entry: Entry) -> list[tuple[str, Value]]:
        """The pictures of what an entry reads."""
        return pictures(TAGS[entry.level], entry.keys, entry.inputs)

    def gradients(self, i: int, entry: Entry, tag: str) -> None:
        """What came back to an entry, and what it was made of: each part by a rule of an entry that read the value."""
        reading = self.story.reading(i, len(self.record.steps))
        if reading is None:
            return
        for key, dout, tensor in zip(entry.made, reading.douts, reading.cotangents, strict=False):
            if f'{tag}d{key}' in self.tiles and tensor is not None:
                self.asked.setdefault(f'{tag}d{key}', (tensor, dout))
            if key not in self.story.parts:
                self.value(f'{tag}d{key}', dout, dout.name, 'all starts with it', [])
        for k, g in enumerate(reading.gave):
            tile, parts = f'{tag}d{g.key}', self.story.parts.get(g.key, ())
            if g.when is None or tile not in self.tiles:
                continue
            given, who = self.lines(entry, reading, g), 'your lines' if entry.yours else 'its bprop'
            who = f'inside {entry.name}' if entry.kind == 'cell' else who
            if entry.kind == 'op':
                seen = any(f'{tag}d{key}' in self.tiles for key in entry.made)
                given, who = self.rule(entry, reading, k) if seen else [], phrases.rule_of(entry)
            self.value(tile, g.value, g.name, f'{who}{line(entry)}', given, more=len(parts) > 1)

    def rule(self, entry: Entry, reading: Reading, k: int) -> list[Source]:
        """The pictures of what a rule reads for its k-th input: dout, and what it finds on the tape."""
        how = formula.template(entry, k) if entry.outputs else ''
        named = {field for _, field, _, _ in Formatter().parse(how) if field}
        tables = sources.backward(entry, reading, k, bool(named) and 'out' not in named)
        return self.read(entry, reading, tables, lambda kind, j, value: (kind or str(j)) in {'dout', *named})

    def lines(self, entry: Entry, reading: Reading, g: Gradient) -> list[Source]:
        """The pictures of what the lines of a bprop read for a gradient; what no op tells, by the names in its line."""
        used, own = names_in(g.formula), {'dout': entry.facts and entry.facts.dout, 'out': 'out'}
        tables = sources.returned(entry, reading, g)
        return self.read(entry, reading, tables, lambda kind, j, value: own.get(kind, value.name) in used)

    def read(self, entry: Entry, reading: Reading, tables: tuple, named: Callable) -> list[Source]:
        """The pictures of douts, inputs and outputs that are read; where no table tells, those that are `named`."""
        tag, found = TAGS[entry.level], []
        douts, outs = pictures(f'{tag}d', entry.made, reading.douts), pictures(tag, entry.made, entry.outputs)
        for kind, pairs, known in zip(('dout', '', 'out'), (douts, self.inputs(entry), outs), tables, strict=True):
            for j, (tile, value) in enumerate(pairs):
                table = known[j] if j < len(known) else None
                if named(kind, j, value) if table is None else table.any():
                    found.append(Source(tile, value, table))
        return found

    def returned(self, number: int, reading: Reading) -> None:
        """What a takeover returned, and beside it what is true."""
        entry = self.record.entries[reading.entry]
        known = verdict.known(reading)
        for place, g in enumerate(reading.gave):
            if g.value is None:
                continue
            if g.tensor is not None and f'g{number}.{place}' in self.tiles:
                self.asked[f'g{number}.{place}'] = g.tensor, g.value
            whose = 'yours' if entry.yours else f'{entry.name}.bprop'
            by = whose + (f': {g.formula}, line {g.line}' if g.formula else '')
            due = verdict.due(known[place], f'the true {g.name}') if known else None
            self.value(f'g{number}.{place}', g.value, g.name, by, self.lines(entry, reading, g), due=due)
            if due is not None:
                self.value(f's{number}.{place}', due, due.name, 'by the rules', [])

    def value(
        self, tile: str, value: Value, name: str, by: str, given: list[Source], due: Value | None = None,
        more: bool = False
    ) -> None:  # fmt: skip
        """A tensor's picture: each of its numbers, or all of it where it is drawn as squares. `more`: one more part of
        a sum; `due`: what it should be."""
        if tile not in self.tiles or value is None or value.data is None or not value.data.size:
            return
        by = f'   {by}' * bool(by)
        if tile in self.shown:  # as squares
            title = f'{name}  {shape_text(value.shape)}'
            lit = [cell for source in given if source.tile != tile for cell in source.whole()]
            self.links.setdefault(tile, dict(l=list(dict.fromkeys(lit)), r=f'{title}{by}'))
            if value.data.size <= style.DIGITS and not more:
                self.digits[tile] = written(title, value.data)
        if value.data.size > style.LARGE:
            return
        true = due.data if due is not None and due.shape == value.shape else None
        for n, (place, index, number) in enumerate(cells(value.data)):
            lit = list(dict.fromkeys(cell for source in given for cell in source.cells(n)))
            should = '' if true is None else numbers.said(true.flat[n])
            off = f', should be {should}' if should not in ('', numbers.said(number)) else ''
            before = self.links.setdefault(f'{tile}{place}', dict(l=lit, r=f'{name}{index} = {{}}{off}{by}'))
            if more and before['l'] is not lit:
                before['l'] = list(dict.fromkeys([*before['l'], *lit]))
                before['r'] += f' and {by.strip()}' * (by.strip() not in before['r'])


def names_in(source: str) -> set[str]:
    """The names in an expression."""
    try:
        return {node.id for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name)}
    except (SyntaxError, ValueError):
        return set()


def cells(array: np.ndarray) -> Iterator[tuple[str, str, float]]:
    """(its place in the picture, its index as it is written, the number) of each number."""
    flat = tiles.folded(array)
    for k, number in enumerate(np.asarray(array).ravel()):
        i, j = divmod(k, flat.shape[1])
        yield f'[{i},{j}]', numbers.index(tuple(map(int, np.unravel_index(k, array.shape)))), float(number)


def written(title: str, array: np.ndarray) -> dict[str, Any]:
    """The digits of a tensor that is drawn as squares, as the page shows an account."""
    rows = tiles.folded(array)
    heads = [f'>{numbers.index((k,))}' for k in range(rows.shape[1])]
    return dict(t=title, h=heads, rows=[['', *map(tiles.shown, row)] for row in rows], p='')


def line(entry: Entry) -> str:
    """Where it stands."""
    return f', line {entry.mark.line}' if entry.mark else ''


def account(record: Record, tensor: Any, index: tuple[int, ...]) -> dict[str, Any] | None:
    """How a number was made; None for one that no entry handed out: that a hook on a tensor returned, say."""
    try:
        return table.data(record.why(tensor, index))
    except ask.NotHandedOut:
        return None
