"""The figure of lesson 01: move the input across an `if`, and see entries come and go."""

import inspect
from typing import Any, NamedTuple

import minicell as ms
from minicell.core.watch import Op, Pull
from minicell.teach.figure import Drawing, Figure, slider
from minicell.teach.ink import thumb
from minicell.teach.ink.shapes import (
    BACKWARD,
    FAINT,
    FORWARD,
    HIGHLIGHT,
    INK,
    MUTED,
    PAPER,
    RULE,
    Box,
    Path,
    Shape,
    arrow,
    text,
)

WIDTH = 760
LEFT, CODE_W, LANE = 16, 236, 278
LINE_H, TOP = 20, 88
CARD_H, GAP = 62, 18
LOW, HIGH = 0.0, 5.0


class Written(NamedTuple):
    """One entry: what it is called, what it computed, what backward brought to it, and the line that made it."""

    name: str
    out: float
    dout: float
    line: int


class Call(NamedTuple):
    """What one call left behind."""

    x: float
    out: float
    slope: float
    entries: tuple[Written, ...]


def called(net: Any, x: float) -> Call:
    """Call net at x for its gradient, and read the tape: forward entries with the dout that came back to each."""
    with ms.Tape() as tape:
        out, slope = ms.value_and_grad(net)(ms.Tensor(x))
    douts = {event.entry.at: float(event.cotangent) for event in tape.events if isinstance(event, Pull)}
    made = (event for event in tape.events if isinstance(event, Op) and event.state == 'recorded')
    entries = tuple(Written(e.rule.name, float(e.out), douts.get(e.at, 0.0), e.where.line) for e in made)
    return Call(x, float(out), float(slope), entries)


def draw(net: Any, x: float) -> Drawing:
    """The picture for one input: the code with how often each line wrote, and the tape, forward and backward."""
    call = called(net, x)
    ends = [called(net, LOW), called(net, HIGH)]
    longest = max(ends, key=lambda one: len(one.entries)).entries
    lines, first = inspect.getsourcelines(type(net).construct)
    missing = silent(call, longest, lines, first)
    height = TOP + max(len(lines) * LINE_H + 34, 2 * CARD_H + 86)
    count = len(call.entries)
    noun = 'entry' if count == 1 else 'entries'
    out: list[Shape] = [
        Box(0.5, 0.5, WIDTH - 1, height - 1, stroke=RULE, radius=4),
        text(LEFT, 32, 130, f'x = {call.x:.2f}', 20, bold=True),
        text(LEFT + 140, 32, WIDTH - LEFT * 2 - 140, f'the call leaves {count} {noun}', 20, bold=True),
        text(LEFT, 54, WIDTH - LEFT * 2, sentence(call, missing), 13, MUTED),
    ]
    out += code(call, lines, first, missing)
    out += lanes(call, longest)
    return Drawing(out, (WIDTH, height), f'The tape at x = {call.x:.2f}', says(call, missing))


def writes(call: Call, number: int) -> int:
    """How many entries a line of the code wrote."""
    return sum(entry.line == number for entry in call.entries)


def silent(call: Call, longest: tuple[Written, ...], lines: list[str], first: int) -> list[str]:
    """The lines that write an entry in another call, and did not in this one."""
    numbers = sorted({entry.line for entry in longest} - {entry.line for entry in call.entries})
    return [lines[number - first].strip() for number in numbers]


def sentence(call: Call, missing: list[str]) -> str:
    """What the picture says, in one line."""
    gone = f'“{missing[0]}” did not run: no entry' if missing else 'Each line with an operation has run'
    return f'{gone}. y = {thumb.short(call.out)}, gradient of x = {thumb.short(call.slope)}'


def code(call: Call, lines: list[str], first: int, missing: list[str]) -> list[Shape]:
    """The learner's own lines, each with the number of entries that it wrote."""
    out: list[Shape] = [
        text(LEFT, TOP, CODE_W - 60, 'your lines', 12, MUTED),
        text(LEFT + CODE_W, TOP, 60, 'entries', 12, MUTED, 'end'),
    ]
    indent = len(lines[0]) - len(lines[0].lstrip())
    for k, line in enumerate(lines):
        y = TOP + 24 + k * LINE_H
        count = writes(call, first + k)
        if count:
            out.append(Box(LEFT - 6, y - 15, CODE_W + 12, LINE_H, HIGHLIGHT, INK, 1, 3))
        colour = MUTED if line.strip() in missing else INK
        out.append(text(LEFT, y, CODE_W - 30, line.rstrip()[indent:], 12, colour, bold=bool(count), mono=True))
        if count or line.strip() in missing:
            out.append(text(LEFT + CODE_W, y, 26, str(count), 13, colour, 'end', bold=True))
    return out


def lanes(call: Call, longest: tuple[Written, ...]) -> list[Shape]:
    """Forward cards and backward cards, with an empty place for what another call would have written."""
    y, y_back = float(TOP + 10), float(TOP + CARD_H + 50)
    wide = (WIDTH - LEFT - LANE - 56 - (len(longest) - 1) * GAP) / len(longest)
    out: list[Shape] = [
        text(LANE, TOP, 90, 'FORWARD', 12, FORWARD, bold=True),
        text(LANE + 92, TOP, 380, 'each entry holds what was computed', 12, MUTED),
        text(LANE, y_back - 10, 90, 'BACKWARD', 12, BACKWARD, bold=True),
        text(LANE + 92, y_back - 10, 380, 'each rule returns a gradient, from right to left', 12, MUTED),
    ]
    count = len(call.entries)
    for k, other in enumerate(longest):
        x = LANE + k * (wide + GAP)
        if k < count:
            entry = call.entries[k]
            before = call.entries[k - 1].dout if k else call.slope
            out += card(x, y, wide, FORWARD, f'{k + 1} {entry.name}', entry.out)
            out += card(x, y_back, wide, BACKWARD, f'{k + 1} {entry.name}', before)
            if k:
                out += arrow([(x - GAP + 2, y + 31), (x - 2, y + 31)], FORWARD, 2, 8)
            end = 30 if k + 1 == len(longest) else GAP
            out += arrow([(x + wide + end - 2, y_back + 31), (x + wide + 2, y_back + 31)], BACKWARD, 2, 8)
        else:
            out += empty(x, y, wide, f'no {other.name}', 'no entry')
            out += empty(x, y_back, wide, f'no {other.name}', 'not read')
    if count < len(longest):  # the 1 goes past the empty place
        x = LANE + count * (wide + GAP)
        y_way = y_back + CARD_H + 12
        way = [(WIDTH - LEFT - 24, y_way), (x - GAP / 2 + 2, y_way), (x - GAP / 2 + 2, y_back + 31)]
        out.append(Path((tuple(way),), BACKWARD, 2))
        out.append(text(WIDTH - LEFT, y_way + 4, 20, '1', 14, BACKWARD, 'end', bold=True))
    else:
        out.append(text(WIDTH - LEFT, y_back + 36, 20, '1', 14, BACKWARD, 'end', bold=True))
    foot = y_back + CARD_H + 26
    out.append(
        text(LANE, foot, 200, f'gradient of x: {thumb.short(call.slope)}', 13, BACKWARD, bold=True),
    )
    return out


def card(x: float, y: float, wide: float, colour: str, head: str, value: float) -> list[Shape]:
    """One entry in one lane: its number and name, and a value."""
    return [
        Box(x, y, wide, CARD_H, PAPER, colour, 2, 6),
        text(x + wide / 2, y + 22, wide - 8, head, 13, colour, 'middle', bold=True),
        text(x + wide / 2, y + 47, wide - 8, thumb.short(value), 15, INK, 'middle', bold=True),
    ]


def empty(x: float, y: float, wide: float, head: str, why: str) -> list[Shape]:
    """The place of an entry that this call did not write."""
    return [
        Box(x, y, wide, CARD_H, 'none', FAINT, 1, 6, '5 4'),
        text(x + wide / 2, y + 22, wide - 8, head, 12, MUTED, 'middle'),
        Path((((x + wide / 2 - 14, y + 33), (x + wide / 2 + 14, y + 33)),), INK, 3),
        text(x + wide / 2, y + 52, wide - 6, why, 11, MUTED, 'middle'),
    ]


def says(call: Call, missing: list[str]) -> str:
    """The picture in words, with its numbers."""
    made = ', '.join(f'{k} {entry.name} giving {thumb.short(entry.out)}' for k, entry in enumerate(call.entries, 1))
    gone = ''.join(f' The line {line} did not run and left none.' for line in missing)
    return f'x = {call.x:.2f}: {len(call.entries)} entries: {made}.{gone} Gradient of x: {thumb.short(call.slope)}.'


def branch(net: Any) -> Figure:
    """A slider for the input of net, and under it the tape that the call leaves."""
    control = slider('Input x of the call', 'The number that net is called with', 2.0, (LOW, HIGH), 0.1)
    return Figure('branch', control, lambda x: draw(net, x), stills=(2.0, 3.0))


FIGURES = {'branch': branch}
