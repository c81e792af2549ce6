"""The figure of lesson 13: the entries of the learner's engine under those of minicell, for three programs."""

from collections.abc import Callable
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

import minicell as ms
from minicell.core import tape
from minicell.core.cell import Cell
from minicell.core.differentiate import Gradient, read_back
from minicell.teach.figure import Drawing, Figure, choice
from minicell.teach.ink.shapes import (
    BACKWARD,
    BACKWARD_TEXT,
    FORWARD,
    INK,
    MUTED,
    PAPER,
    RULE,
    Box,
    Shape,
    arrow,
    text,
    tick,
)
from minicell.view.model import shape_text

from .programs import CLOSE, PEER, document, sine

WIDTH, HEIGHT = 760, 478
LEFT, GAP, WIDE, HIGH, LINE = 16, 14, 200, 104, 16  # of the cards, the widest, and of a line in them
ROWS = {'minicell': 92, 'yours': 304}  # where the cards of each begin


class Entry(NamedTuple):
    """An entry, as both engines have it: an address counts from the first leaf, and is −1 for a constant."""

    name: str
    inputs: tuple[int, ...]
    custom: bool  # the entry of a Cell with a bprop
    out: np.ndarray
    dout: np.ndarray | None  # what the walk of the outermost gradient brought there


class Program(NamedTuple):
    """What is differentiated: its name, its line, a function from an engine to the program, and the inputs."""

    name: str
    line: str
    made: Callable[[Any], Callable]
    given: tuple[Any, ...]


X, Y = [[0.5, 0.6, 0.4], [1.2, 1.3, 1.1]], [[0.01, 0.3, 1.1], [0.1, 0.2, 1.3], [2.1, 1.2, 3.3]]  # the document's
PROGRAMS = (
    Program('fan-out', 'gradients(lambda x, y: x * y + x)(x, y)', lambda m: lambda x, y: x * y + x, (3.0, 2.0)),
    Program('a takeover', 'gradients(Net())(x, y)', document, (X, Y)),
    Program('grad of grad', 'grad(grad(Sin()))(x)', lambda m: m.grad(sine(m)), (0.5,)),
)


def of_minicell(program: Program) -> list[Entry]:
    """The entries that minicell keeps, and what its walk brings to each."""
    inputs = tuple(map(ms.Tensor, program.given))
    gradient = Gradient(program.made(PEER), inputs, {}, tuple(range(len(inputs))), ())

    def run() -> list[Entry]:
        gradient.run_forward()
        kept = tape.entries[gradient.begin : gradient.end]
        tape.record_from(tape.NOWHERE)
        cts: list = [None] * len(kept)
        cts[gradient.result.at - gradient.offset] = np.ones_like(gradient.result.array)
        read_back(gradient, cts)
        return [
            Entry(entry[0].title(entry), addresses(entry[0].tensors(*entry[1:3]), gradient.offset),
                  isinstance(entry[2], Cell), entry[3].array, dout)
            for entry, dout in zip(kept, cts, strict=True)
        ]  # fmt: skip

    return gradient.while_open(run)


def of_module(m: ModuleType, program: Program) -> list[Entry]:
    """The same of an engine that is a module, with `entries`, `leaf` and `walk_back`."""
    kept, begin = m.entries[:], len(m.entries)
    try:
        leaves = [m.leaf(m.Tensor(each)) for each in program.given]
        out = program.made(m)(*leaves)
        entries = m.entries[begin:]
        arrived = m.walk_back(out, m.Tensor(np.ones_like(out.array)), leaves[-1].at + 1)
        douts = [arrived.get(made.at) for *_, made in entries]
        return [
            Entry(name, addresses(inputs, begin), False, made.array, None if dout is None else dout.array)
            for (name, _, inputs, made), dout in zip(entries, douts, strict=True)
        ]
    finally:
        m.entries[:] = kept


def addresses(tensors: Any, first: int) -> tuple[int, ...]:
    """The addresses of Tensors, counted from the first leaf; −1 for what is on no tape of this gradient."""
    return tuple(max(t.at - first, -1) for t in tensors)


def same(a: Entry, b: Entry) -> bool:
    """Whether two engines have the same entry."""
    if a[:2] != b[:2] or (a.dout is None) != (b.dout is None):
        return False
    pairs = [(a.out, b.out)] + ([] if a.dout is None else [(a.dout, b.dout)])
    return all(np.shape(x) == np.shape(y) and np.allclose(x, y, **CLOSE) for x, y in pairs)


def rows(array: np.ndarray) -> list[str]:
    """The numbers of an array, a line for each of its rows; there are at most three."""
    table = np.reshape(array, (-1, np.shape(array)[-1] if np.ndim(array) else 1))
    return ['  '.join(f'{value:5.2f}'.replace('-', '−') for value in row) for row in table.tolist()]


def told(array: np.ndarray | None) -> str:
    """The same in a sentence."""
    if array is None:
        return 'none'
    said = ' / '.join(' '.join(row.split()) for row in rows(array))
    return f'{said} of shape {shape_text(np.shape(array))}' if np.ndim(array) else said


def made_of(entry: Entry) -> str:
    """Where the inputs of an entry come from."""
    if entry.name == 'Leaf' and entry.inputs in ((), (-1,)):
        return 'an input'
    return 'from ' + ', '.join('a constant' if at < 0 else str(at) for at in entry.inputs)


class Pair:
    """The entries of both engines for each program."""

    def __init__(self, m: ModuleType) -> None:
        self.both = [(of_minicell(program), of_module(m, program)) for program in PROGRAMS]
        for theirs, mine in self.both:  # how an engine knows a Cell with a bprop is its own affair
            mine[: len(theirs)] = [b._replace(custom=a.custom) for a, b in zip(theirs, mine, strict=False)]

    def judged(self, k: int) -> tuple[int, int]:
        """How many entries are the same, and how many there are."""
        theirs, mine = self.both[k]
        return sum(map(same, theirs, mine)), max(len(theirs), len(mine))

    def draw(self, k: int) -> Drawing:
        """The picture for one program."""
        out: list[Shape] = [Box(0.5, 0.5, WIDTH - 1, HEIGHT - 1, stroke=RULE, radius=4)]
        out.append(text(LEFT, 28, WIDTH - 2 * LEFT, PROGRAMS[k].line, 15, mono=True))
        columns = max(map(len, self.both[k]))
        wide = min(WIDE, (WIDTH - 2 * LEFT + GAP) / columns - GAP)
        for (who, top), entries in zip(ROWS.items(), self.both[k], strict=True):
            out += strip(who, top, entries, columns, wide)
        good, whole = self.judged(k)
        between = ROWS['yours'] - 32
        for column, (a, b) in enumerate(zip(*self.both[k], strict=False)):
            ok, x = same(a, b), LEFT + column * (wide + GAP)
            colour = INK if ok else BACKWARD_TEXT
            out.append(tick(x + wide / 2 - 24, between - 10, ok, colour, 11))
            word = 'same' if ok else 'other'
            out.append(text(x + wide / 2 - 8, between, wide / 2 + 8, word, 12.5, colour, bold=True))
        said = f'{good} of {whole} entries agree in name, inputs, numbers and dout.'
        out.append(text(LEFT, 50, WIDTH - 2 * LEFT, said, 13, MUTED))
        return Drawing(out, (WIDTH, HEIGHT), f'Two tapes: {PROGRAMS[k].name}', self.says(k))

    def says(self, k: int) -> str:
        """The picture in words."""
        good, whole = self.judged(k)
        entries = '; '.join(
            f'{at} {entry.name}, {made_of(entry)}, out {told(entry.out)}, dout {told(entry.dout)}'
            for at, entry in enumerate(self.both[k][1])
        )
        return f'{PROGRAMS[k].line}. Your entries: {entries}. {good} of {whole} entries are as those of minicell.'


def strip(who: str, top: float, entries: list[Entry], columns: int, wide: float) -> list[Shape]:
    """The tape of one engine, from left to right, with what the walk back brought under each entry."""
    what = {'minicell': 'the tape of minicell', 'yours': 'the tape of your engine'}[who]
    out: list[Shape] = [text(LEFT, top - 10, 300, what, 13, FORWARD, bold=True)]
    for column in range(columns):
        x = LEFT + column * (wide + GAP)
        if column >= len(entries):
            out += [Box(x, top, wide, HIGH, stroke=MUTED, dash='5 4', radius=5)]
            out += [text(x + 10, top + 42, wide - 14, 'no entry', 12, MUTED)]
            continue
        out += card(x, top, wide, column, entries[column])
    return out


def card(x: float, top: float, wide: float, at: int, entry: Entry) -> list[Shape]:
    """One entry. That of a Cell with a bprop has a double edge."""
    out: list[Shape] = [Box(x, top, wide, HIGH, PAPER, FORWARD, 2, 5)]
    if entry.custom:
        out.append(Box(x + 4, top + 4, wide - 8, HIGH - 8, stroke=FORWARD, radius=3))
    room = wide - 20
    out += [
        Box(x + 9, top + 9, 22, 18, FORWARD, radius=3),
        text(x + 20, top + 22.5, 20, str(at), 12, PAPER, 'middle', True),
        text(x + 38, top + 23, wide - 84, entry.name, 13, bold=True),
        text(x + wide - 10, top + 23, 40, shape_text(np.shape(entry.out)), 12, MUTED, 'end'),
        text(x + 10, top + 44, room, made_of(entry), 12, MUTED),
        text(x + 10, top + 62, 30, 'out', 12),
    ]
    out += [text(x + 32, top + 62 + k * LINE, wide - 40, row, 12, mono=True) for k, row in enumerate(rows(entry.out))]
    below = top + HIGH + 17
    if entry.dout is None:
        return [*out, text(x + 10, below, room, 'no dout arrives', 12, MUTED)]
    word = 'grad' if made_of(entry) == 'an input' else 'dout'
    out.append(text(x + 10, below, 34, word, 12, BACKWARD_TEXT, bold=True))
    for k, row in enumerate(rows(entry.dout)):
        out.append(text(x + 44, below + k * LINE, wide - 50, row, 12, BACKWARD_TEXT, mono=True))
    end = below + 6 + LINE * (len(rows(entry.dout)) - 1)
    return [*out, *arrow([(x + wide - 8, end), (x + 8, end)], BACKWARD, 1.6, 7)]


def side_by_side(m: ModuleType) -> Figure:
    """A choice among three programs, and the tape that each leaves in minicell and in an engine."""
    pair = Pair(m)
    control = choice('Program', [program.name for program in PROGRAMS])
    return Figure('side-by-side', control, lambda k: pair.draw(int(k)), stills=range(len(PROGRAMS)))


FIGURES = {'side by side': side_by_side}
