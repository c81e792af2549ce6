"""The figure of lesson 13: the learner's tape under that of minicell, step by step, for three programs."""

from collections.abc import Callable
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

import minicell as ms
from minicell.core import tape
from minicell.core.cell import Cell
from minicell.core.differentiate import Gradient
from minicell.ink.metrics import shape_text
from minicell.teach.figure import Drawing, Figure, slider
from minicell.teach.ink.shapes import BACKWARD, FORWARD, INK, MUTED, PAPER, RULE, WRONG, Box, Shape, arrow, text, tick

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
    douts: tuple[np.ndarray | None, ...]  # what has arrived there after 0, 1, 2 … steps of the outermost walk


class Frame(NamedTuple):
    """One step of the figure: so many entries have been written, and so many read (None: backward has not begun)."""

    program: int
    written: int
    read: int | None


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
    """The entries that minicell keeps, and what its rules bring to each, one entry read after the other."""
    inputs = tuple(map(ms.Tensor, program.given))
    gradient = Gradient(program.made(PEER), inputs, {}, tuple(range(len(inputs))), ())

    def run() -> list[Entry]:
        gradient.run_forward()
        kept = tape.entries[gradient.begin : gradient.end]
        tape.record_from(tape.NOWHERE)
        cts: list = [None] * len(kept)
        cts[gradient.result.at - gradient.offset] = np.ones_like(gradient.result.array)
        states = [cts[:]]
        for at in range(len(kept) - 1, len(inputs) - 1, -1):  # as `read_back` does, which does not stop in between
            rule, x, y, out, *_ = kept[at]
            if cts[at] is not None:
                rule.vjp_arrays(cts[at], cts, gradient.offset, x, y, out)
            states.append(cts[:])
        return [
            Entry(entry[0].title(entry), addresses(entry[0].tensors(*entry[1:3]), gradient.offset),
                  isinstance(entry[2], Cell), entry[3].array, douts)
            for entry, douts in zip(kept, zip(*states, strict=True), strict=True)
        ]  # fmt: skip

    return gradient.while_open(run)


def of_module(m: ModuleType, program: Program) -> list[Entry]:
    """The same of an engine that is a module, with `entries`, `leaf` and `walk_back`."""
    kept, begin = m.entries[:], len(m.entries)
    try:
        leaves = [m.leaf(m.Tensor(each)) for each in program.given]
        out = program.made(m)(*leaves)
        entries = m.entries[begin:]
        ones, down = m.Tensor(np.ones_like(out.array)), range(len(entries), len(leaves) - 1, -1)
        states = [m.walk_back(out, ones, begin + at) for at in down]
        arrived = [[state.get(made.at) for state in states] for *_, made in entries]
        return [
            Entry(name, addresses(inputs, begin), False, made.array, tuple(d and d.array for d in douts))
            for (name, _, inputs, made), douts in zip(entries, arrived, strict=True)
        ]
    finally:
        m.entries[:] = kept


def addresses(tensors: Any, first: int) -> tuple[int, ...]:
    """The addresses of Tensors, counted from the first leaf; −1 for what is on no tape of this gradient."""
    return tuple(max(t.at - first, -1) for t in tensors)


def same(a: Entry, b: Entry, read: int | None) -> bool:
    """Whether two engines have the same entry, and after so many steps back the same dout there."""
    if a[:2] != b[:2]:
        return False
    pairs = [(a.out, b.out)]
    if read is not None:
        pairs.append((dout_of(a, read), dout_of(b, read)))
    return all(
        x is y is None or (x is not None is not y and np.shape(x) == np.shape(y) and np.allclose(x, y, **CLOSE))
        for x, y in pairs
    )


def dout_of(entry: Entry, read: int) -> np.ndarray | None:
    """What has arrived at an entry after so many steps back. (Two engines may take different numbers of steps.)"""
    return entry.douts[min(read, len(entry.douts) - 1)]


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
    """The entries of both engines for each program, and the steps that walk through them."""

    def __init__(self, m: ModuleType) -> None:
        self.both = [(of_minicell(program), of_module(m, program)) for program in PROGRAMS]
        self.frames: list[Frame] = []
        for k, (theirs, mine) in enumerate(self.both):
            # how an engine knows a Cell with a bprop is its own affair
            mine[: len(theirs)] = [b._replace(custom=a.custom) for a, b in zip(theirs, mine, strict=False)]
            most = max(len(theirs), len(mine))
            self.frames += [Frame(k, written, None) for written in range(1, most + 1)]
            self.frames += [Frame(k, most, read) for read in range(len(theirs[0].douts))]
        self.ends = [max(f for f, frame in enumerate(self.frames) if frame.program == k) for k in range(len(PROGRAMS))]

    def judged(self, frame: Frame) -> tuple[int, int]:
        """How many entries are the same by now, and how many there are."""
        theirs, mine = (entries[: frame.written] for entries in self.both[frame.program])
        agree = [same(a, b, frame.read) for a, b in zip(theirs, mine, strict=False)]
        return sum(agree), max(len(theirs), len(mine))

    def current(self, frame: Frame) -> int:
        """The address of the entry that was written or read last."""
        return frame.written - 1 if frame.read is None else frame.written - max(frame.read, 1)

    def happens(self, frame: Frame) -> str:
        """What happens in a step, in a sentence."""
        at = self.current(frame)
        theirs = self.both[frame.program][0]
        entry = theirs[min(at, len(theirs) - 1)]
        what = f'entry {at}, {entry.name}'
        if frame.read is None:
            return f'Forward: {what}, is written.'
        if frame.read == 0:
            return f'Backward begins: ones arrive at {what}.'
        if dout_of(entry, frame.read) is None:
            return f'Backward passes over {what}: nothing has arrived there.'
        met = [each for each in dict.fromkeys(entry.inputs) if each >= 0]
        before = [dout_of(theirs[each], frame.read - 1) for each in met]
        to = ' and to '.join(
            f'{each}' if dout is None else f'{each}, where it is added,' for each, dout in zip(met, before, strict=True)
        )
        return f'Backward reads {what}. A gradient goes to {to.rstrip(",")}.'

    def draw(self, step: int) -> Drawing:
        """The picture of one step, counted from 1."""
        frame = self.frames[step - 1]
        k = frame.program
        out: list[Shape] = [Box(0.5, 0.5, WIDTH - 1, HEIGHT - 1, stroke=RULE, radius=4)]
        out.append(text(LEFT, 28, WIDTH - 2 * LEFT, f'{k + 1} of {len(PROGRAMS)}: {PROGRAMS[k].line}', 15, mono=True))
        out.append(text(LEFT, 52, WIDTH - 2 * LEFT, self.happens(frame), 14, bold=True))
        columns = max(map(len, self.both[k]))
        wide = min(WIDE, (WIDTH - 2 * LEFT + GAP) / columns - GAP)
        for (who, top), entries in zip(ROWS.items(), self.both[k], strict=True):
            out += strip(who, top, entries, wide, frame, self.current(frame))
        good, whole = self.judged(frame)
        between = ROWS['yours'] - 32
        for column, (a, b) in enumerate(zip(*(entries[: frame.written] for entries in self.both[k]), strict=False)):
            ok, x = same(a, b, frame.read), LEFT + column * (wide + GAP)
            colour = INK if ok else WRONG
            out.append(tick(x + wide / 2 - 24, between - 10, ok, colour, 11))
            word = 'same' if ok else 'other'
            out.append(text(x + wide / 2 - 8, between, wide / 2 + 8, word, 12.5, colour, bold=True))
        said = f'{good} of {whole} agree in name, inputs, numbers and dout'
        out.append(text(WIDTH - LEFT, ROWS['minicell'] - 10, 420, said, 13, MUTED, 'end'))
        return Drawing(out, (WIDTH, HEIGHT), f'Two tapes: {PROGRAMS[k].name}', self.says(frame))

    def says(self, frame: Frame) -> str:
        """The picture in words."""
        good, whole = self.judged(frame)
        entries = '; '.join(
            f'{at} {entry.name}, {made_of(entry)}, out {told(entry.out)}'
            + ('' if frame.read is None else f', dout {told(dout_of(entry, frame.read))}')
            for at, entry in enumerate(self.both[frame.program][1][: frame.written])
        )
        return (
            f'{PROGRAMS[frame.program].line}. {self.happens(frame)} Your entries: {entries}. '
            f'{good} of {whole} entries are as those of minicell.'
        )


def strip(who: str, top: float, entries: list[Entry], wide: float, frame: Frame, now: int) -> list[Shape]:
    """The tape of one engine, from left to right, with what the walk back brought under each entry."""
    what = {'minicell': 'the tape of minicell', 'yours': 'the tape of your engine'}[who]
    out: list[Shape] = [text(LEFT, top - 10, 300, what, 13, FORWARD, bold=True)]
    for column in range(frame.written):
        x = LEFT + column * (wide + GAP)
        if column >= len(entries):
            out += [Box(x, top, wide, HIGH, stroke=MUTED, dash='5 4', radius=5)]
            out += [text(x + 10, top + 42, wide - 14, 'no entry', 12, MUTED)]
            continue
        out += card(x, top, wide, column, entries[column], column == now, frame.read is not None)
        if frame.read is not None:
            read = column >= frame.written - frame.read
            out += brought(x, top + HIGH + 17, wide, entries[column], dout_of(entries[column], frame.read), read)
    return out


def card(x: float, top: float, wide: float, at: int, entry: Entry, now: bool, back: bool) -> list[Shape]:
    """One entry. That of a Cell with a bprop has a double edge, and that of this step a thick one."""
    edge = BACKWARD if now and back else FORWARD
    out: list[Shape] = [Box(x, top, wide, HIGH, PAPER, edge, 4.5 if now else 2, 5)]
    if entry.custom:
        out.append(Box(x + 5, top + 5, wide - 10, HIGH - 10, stroke=edge, radius=3))
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
    return out


def brought(x: float, top: float, wide: float, entry: Entry, dout: np.ndarray | None, read: bool) -> list[Shape]:
    """What the walk has brought to an entry by now; `read`: whether the walk has come by."""
    if dout is None:
        return [text(x + 10, top, wide - 20, 'no dout arrives' if read else 'no dout yet', 12, MUTED)]
    word = 'grad' if made_of(entry) == 'an input' else 'dout'
    out: list[Shape] = [text(x + 10, top, 34, word, 12, BACKWARD, bold=True)]
    for k, row in enumerate(rows(dout)):
        out.append(text(x + 48, top + k * LINE, wide - 54, row, 12, BACKWARD, mono=True))
    end = top + 9 + LINE * (len(rows(dout)) - 1)
    return [*out, *arrow([(x + wide - 8, end), (x + 8, end)], BACKWARD, 1.6, 7)]


def side_by_side(m: ModuleType) -> Figure:
    """A slider that walks through three programs, entry by entry, in minicell and in an engine at once."""
    pair = Pair(m)
    control = slider('Step', 'How far both engines have come', 1, (1, len(pair.frames)), 1)
    stills = [end + 1 for end in pair.ends]
    return Figure('side-by-side', control, lambda step: pair.draw(int(step)), stills=stills)


FIGURES = {'side by side': side_by_side}
