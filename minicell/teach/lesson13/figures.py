"""The figure of lesson 13: the learner's tape under that of minicell, step by step, for three programs."""

from collections.abc import Callable
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

import minicell as ms
from minicell.core import tape
from minicell.core.cell import Cell
from minicell.core.differentiate import Gradient
from minicell.ink.boxes import Box, Card, Column, Grid, Row, Space, Span, Text
from minicell.ink.metrics import shape_text
from minicell.ink.numbers import said
from minicell.teach.figure import WIDTH, Drawing, Figure
from minicell.teach.plot import tile

from .programs import CLOSE, PEER, document, sine

GAP = 13
WIDE, HIGH = 196, 112  # pixels of a card, at most


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


def told(array: np.ndarray | None) -> str:
    """The numbers of an array in a sentence."""
    if array is None:
        return 'none'
    numbers = ' / '.join(' '.join(map(said, row)) for row in np.atleast_2d(array))
    return f'{numbers} of shape {shape_text(np.shape(array))}' if np.ndim(array) else numbers


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
        k, now = frame.program, self.current(frame)
        both, back = self.both[k], frame.read is not None
        columns = max(map(len, both))
        wide = min(WIDE, (WIDTH + GAP) / columns - GAP)
        agree = [same(a, b, frame.read) for a, b in zip(*(entries[: frame.written] for entries in both), strict=False)]
        marks = [Text('✓ same' if ok else '✗ other', 'b mid' if ok else 'xx mid') for ok in agree]
        rows: list[list[Box | Span | None]] = []
        for who, entries in zip(('the tape of minicell', 'the tape of your engine'), both, strict=True):
            cards = [card(at, entries, at == now, back, wide) for at in range(frame.written)]
            under = [
                brought(entries[at], dout_of(entries[at], frame.read), at >= frame.written - frame.read, wide)
                if back and at < len(entries) else Space(wide, DOUT)
                for at in range(frame.written)
            ]  # fmt: skip
            rows += [[Span(Text(who, 'ff b'), columns)], cards, under or [Space(h=DOUT)]]
        rows.insert(3, marks)
        rows.append([Space(wide) for _ in range(columns)])
        good, whole = self.judged(frame)
        return Drawing(
            Column(Text(PROGRAMS[k].line, 'm'), Grid(rows, gap=(GAP, 5), stretch=()),
                   Text(f'{good} of {whole} agree in name, inputs, numbers and dout', 'dim')),
            f'{k + 1} of {len(PROGRAMS)}: {PROGRAMS[k].name}',
            self.happens(frame),
            self.says(frame),
        )  # fmt: skip

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


DOUT = 62  # pixels of what has been brought to an entry


def card(at: int, entries: list[Entry], now: bool, back: bool, wide: float) -> Box:
    """One entry. That of a Cell with a bprop has a double edge, and that of this step a thick one."""
    if at >= len(entries):
        return Card(Text('no entry', 'dim'), 'ghost', least=(wide, HIGH))
    entry = entries[at]
    edge = f'card {"bk" if now and back else "f"}'
    shape = Text(shape_text(np.shape(entry.out)), 'dim')
    head = Row(Text(str(at), 'ff b'), Text(entry.name, 'b'), Space(grows=1), shape)
    inside = Column(head, Text(made_of(entry), 'dim'), Row(Text('out'), tile(entry.out, (wide - 50, 62))), gap=3)
    whole = Card(inside, edge + ' cur' * now, (10, 7), (wide, HIGH), (None, 0))
    return Card(Card(whole, edge, (-4, -4), at=(None, None), layer=3), '', (4, 4)) if entry.custom else whole


def brought(entry: Entry, dout: np.ndarray | None, read: bool, wide: float) -> Box:
    """What the walk has brought to an entry by now; `read`: whether the walk has come by."""
    if dout is None:
        return Card(Text('no dout arrives' if read else 'no dout yet', 'dim'), '', (10, 0), (wide, DOUT), (0, 0))
    word = Text('← grad' if made_of(entry) == 'an input' else '← dout', 'af b')
    return Card(Row(word, tile(dout, (wide - 66, DOUT)), gap=4), '', (8, 0), (wide, DOUT), (0, 0))


def side_by_side(m: ModuleType) -> Figure:
    """A slider that walks through three programs, entry by entry, in minicell and in an engine at once."""
    pair = Pair(m)
    begins = [1, *(end + 2 for end in pair.ends[:-1])]
    names = {step: program.name for step, program in zip(begins, PROGRAMS, strict=True)}
    return Figure('side-by-side', 'How far both engines have come', range(1, len(pair.frames) + 1), pair.draw, 1,
                  [end + 1 for end in pair.ends], names)  # fmt: skip


FIGURES = {'side by side': side_by_side}
