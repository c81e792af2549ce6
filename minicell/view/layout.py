"""Where everything stands. Sizes follow from shapes and names alone, so that nothing moves while stepping."""

from functools import lru_cache
from typing import NamedTuple

from . import caption, fold, names, thumb
from .fold import Slot
from .metrics import width
from .model import PLAIN, Entry, Look, Reading, Record, Value, Wire
from .thumb import NAME_W

WIDTH = 1264
MARGIN = 16
PANEL_X, PANEL_W = 16, 320
LANE_X = 366
LANE_W = WIDTH - MARGIN - LANE_X
LINE_H = 20
CAPTION = 14  # the caption's font size
GAP = 32  # between cards: room for an arrow, and for the detour's way down
PAD = 14
HEAD = 40  # a card's header
GHOST_W, ARROW_W = 98, 22
INNER_W, INNER_H, INNER_GAP = 126, 46, 6  # one hidden op
MOST_INNER = 9
CHECK_W = 122
BETWEEN = 12
DETOUR_H = 26
SMALL_CARDS = 13
MOST_INPUTS = 4
WIRE_H, WIRE_W = 18, 46  # a Parameter's row, and its wire
MOST_WIRES = 3
FOLDED_W = 300  # of a card that stands for several turns, at least
TURN_W = 130  # what a caption adds for them
LANE_HEAD = 26  # the name of a lane
TIE_HEAD = 50  # and room for the line that ties a card to what wrote it
MEASURED = 200  # captions of up to so many steps are measured; longer tapes get two lines at once


class Column(NamedTuple):
    """One entry's place: the width of its cards and where its values stand in them."""

    w: float
    forward_h: float
    backward_h: float
    inputs: tuple[float, ...]  # x of each input that is shown
    out: float
    more: int  # inputs that are not shown
    compare: tuple[float, float, float, float]  # x of yours, true, difference, dout in a bprop's card
    rows: tuple[Value, ...] = ()  # the gradients that a bprop answers for
    grid: tuple[int, int] = (0, 0)  # columns and rows of the hidden ops that are shown one by one


class Place(NamedTuple):
    """The two lanes of one tape, from the height `top` on."""

    top: float
    head: float  # the room above the forward cards: the lane's name, and under the first tape the tie
    forward: float
    detour: float
    backward: float

    @property
    def y_forward(self) -> float:
        """The top of the forward cards."""
        return self.top + self.head

    @property
    def y_detour(self) -> float:
        """The height at which the detour runs."""
        return self.y_forward + self.forward + 44

    @property
    def y_backward(self) -> float:
        """The top of the backward cards."""
        return self.y_forward + self.forward + 38 + self.detour

    @property
    def bottom(self) -> float:
        """The end of the backward cards."""
        return self.y_backward + self.backward


class Tier(NamedTuple):
    """One of the tapes: the places of its entries, in pages of those that stand together."""

    slots: tuple[Slot, ...]
    pages: tuple[tuple[int, int], ...]  # the first and last slot on a page
    home: dict[int, int]  # the page on which each entry is looked at


class Plan(NamedTuple):
    """The layout of a whole record."""

    columns: tuple[Column, ...]
    tiers: tuple[Tier, ...]
    places: tuple[Place, ...]  # one, or two: the tape that is read, and the one that this writes
    top: float  # below title and caption
    strip: float  # the heights of the rows; 0 where a row is not needed
    band: float

    @property
    def y_band(self) -> float:
        """The top of the gradients that arrive."""
        return self.places[-1].bottom + 34

    @property
    def y_steps(self) -> float:
        """The line of the steps."""
        return self.y_band + self.band + 24

    @property
    def bottom(self) -> float:
        """Where lanes and code panel end."""
        return self.y_band + self.band

    @property
    def height(self) -> float:
        """Of the whole picture."""
        return self.y_steps + 40


def plan(record: Record, look: Look = PLAIN) -> Plan:
    """The layout of a record."""
    return planned(record, look._replace(turn=None))


@lru_cache(maxsize=16)
def planned(record: Record, look: Look) -> Plan:
    """The layout of a record: the same whatever turn is looked at."""
    columns = [column(e, record.readings_of.get(i, ()), look) for i, e in enumerate(record.entries)]
    levels = range(record.depth + 1)
    tiers = tuple(tier(fold.slots(record, n, look.fold), columns) for n in levels)
    few = len(record.steps) <= MEASURED
    room = WIDTH - 2 * MARGIN - (TURN_W if fold.most(record, look) > 1 else 0)
    top = 78.0 if few and all(one_line(record, i, room) for i in range(len(record.steps))) else 97.0
    strip = strip_height(record, tiers)
    places = [place(record, columns, tiers[:-1] or tiers, top + strip, LANE_HEAD)]
    if len(tiers) > 1:
        places.append(place(record, columns, tiers[1:], places[0].bottom + 34, TIE_HEAD))
    return Plan(tuple(columns), tiers, tuple(places), top, strip, band_height(record))


def strip_height(record: Record, tiers: tuple[Tier, ...]) -> float:
    """The room of the whole tape at a glance: none where all of it is seen anyway."""
    folded = any(len(slot.entries) > 1 for t in tiers for slot in t.slots)
    if not folded and all(len(t.pages) < 2 for t in tiers):
        return 0.0
    if not folded and len(record.entries) <= SMALL_CARDS:
        return 52.0
    return 88.0 if any(e.scopes for e in record.entries) else 72.0


def tier(slots: tuple[Slot, ...], columns: list[Column]) -> Tier:
    """The pages of one tape; all turns in a slot get the same room."""
    for slot in slots:
        w = max(columns[i].w for i in slot.entries) if len(slot.entries) > 1 else 0
        w = max(w, FOLDED_W) if w else 0
        for i in slot.entries if w else ():
            columns[i] = columns[i]._replace(w=w)
    pages = paginate([columns[slot.entries[0]].w for slot in slots])
    home = homes(pages, len(slots))
    return Tier(slots, pages, {i: home[n] for n, slot in enumerate(slots) for i in slot.entries})


def place(record: Record, columns: list[Column], tiers: tuple[Tier, ...], top: float, head: float) -> Place:
    """The lanes that have room for any of these tapes."""
    entries = [i for t in tiers for slot in t.slots for i in slot.entries]
    forward = max((columns[i].forward_h for i in entries), default=90)
    backward = max((columns[i].backward_h for i in entries), default=90)
    detour = DETOUR_H if any(record.entries[i].kind == 'call' for i in entries) else 0.0
    return Place(top, head, forward, detour, backward)


def one_line(record: Record, number: int, room: float) -> bool:
    """Whether a step's caption needs no second line."""
    return width(caption.step_words(record, number)[1], CAPTION) <= room


def slot(value: Value) -> tuple[float, float]:
    """The room of a value with its name."""
    w, h = thumb.size(value)
    return max(w, min(thumb.label_width(value), 168)), h + thumb.LABEL_H


def both(value: Value, cotangent: str) -> tuple[float, float]:
    """The room of a value, which its gradient under it needs too, by its own name."""
    return max(slot(value), slot(value._replace(name=cotangent)))


def column(entry: Entry, readings: list[Reading] | tuple, look: Look) -> Column:
    """The sizes of one entry's two cards."""
    if entry.kind == 'torn':
        return Column(360, 150, 60, (), 0, 0, (0, 0, 0, 0))
    dout = 'dout' if len(entry.outputs) < 2 else 'dout[0]'
    outs = [both(v, dout) for v in entry.outputs] or [(thumb.SLOT, thumb.SCALAR_H + thumb.LABEL_H)]
    out_w, out_h = max(w for w, _ in outs), sum(h + 6 for _, h in outs) - 6
    grid = ghost_grid(entry) if look.zoom == 'inside' else (0, 0)
    ghost_w = grid[0] * (INNER_W + INNER_GAP) - INNER_GAP if grid[0] else GHOST_W
    middle = 2 * ARROW_W + ghost_w + 10 if entry.kind == 'call' else ARROW_W + 12
    xs, high, x = [], out_h, float(PAD)
    for value in entry.inputs[:MOST_INPUTS]:
        w, h = both(value, names.gradient(value.name))
        if x + w + middle + out_w + PAD > LANE_W:
            break
        xs.append(x)
        high, x = max(high, h), x + w + BETWEEN
    out = x - (BETWEEN if xs else 0) + (middle if xs else 0)
    w = max(out + out_w + PAD, head_width(entry))
    if entry.kind == 'call':
        high = max(high, thumb.LABEL_H + 58, grid[1] * (INNER_H + INNER_GAP) + 16)
    high_back = HEAD + high + PAD
    if any(r.parts for r in readings):
        high_back += 20
    if any(g.value is None and g.why for r in readings for g in r.gave):
        high_back += 18
    more = len(entry.inputs) - len(xs)
    extra = (16 if more else 0) + WIRE_H * min(len(entry.wires), MOST_WIRES)
    w = max(w, min(max((wire_width(v) for v in entry.wires), default=0), 360))
    compare, rows = (0.0, 0.0, 0.0, 0.0), ()
    if entry.kind == 'call':
        rows = answers(entry, readings)
        came = max((sum(slot(v)[1] + 6 for v in r.douts) for r in readings), default=0)
        compare, w_back, high_back = compare_room(rows, out_w, max(out_h, came), any(r.parts for r in readings))
        high_back += 18 * any(len(r.gave) > len(rows) for r in readings)
        w = max(w, w_back)
    return Column(w, HEAD + high + PAD + extra, high_back + extra, tuple(xs), out, more, compare, rows, grid)


def ghost_grid(entry: Entry) -> tuple[int, int]:
    """Columns and rows for the ops that a takeover hid."""
    count = min(len(entry.ghosts), MOST_INNER)
    columns = min(count, 3)
    return (columns, -(-count // columns)) if count else (0, 0)


def wire_width(wire: Wire) -> float:
    """What a Parameter's wire and its words need."""
    return 2 * PAD + min(width(wire.name, 12, True), NAME_W) + WIRE_W + 16 + width(wire.words, 11) + 2


def head_width(entry: Entry) -> float:
    """What a card's header needs: number, name and a short note."""
    note = max(84, width(entry.note, 12) + 12)
    bprop = {'call': width('.bprop', 14, True) + 130, 'cell': 130}.get(entry.kind, note)
    return min(2 * PAD + badge_width(entry.label) + 10 + width(entry.name, 14, True) + bprop, 360)


def badge_width(label: str) -> float:
    """The number's own small box."""
    return max(24, width(label, 12, True) + 12)


def answers(entry: Entry, readings: list[Reading] | tuple) -> tuple[Value, ...]:
    """What a bprop answers for: the tensors among its inputs, and behind them its Parameters."""
    inputs = tuple(v for v in entry.inputs if v.data is not None)
    given = next((r.gave for r in readings if r.gave), ())
    more = tuple(Value(g.of, g.value.shape, g.value.dtype, g.value.data) for g in given[len(inputs) :] if g.value)
    return (inputs + more)[:MOST_INPUTS]


def compare_room(rows: tuple[Value, ...], out_w: float, out_h: float, added: bool) -> tuple[tuple, float, float]:
    """Rows of yours, true and difference, with dout and the verdict at the right."""
    sizes = [thumb.size(v) for v in rows] or [(thumb.SLOT, thumb.SCALAR_H)]
    # the words above them need room too
    w = max(max(s[0] for s in sizes), 98)
    xs = tuple(PAD + i * (w + BETWEEN) for i in range(3))
    side = xs[2] + w + 14
    rows_h = sum(h + ROW_HEAD + 10 for _, h in sizes)
    high = max(rows_h, out_h + (20 if added else 0) + 12 + VERDICT_H)
    return (*xs, side), side + max(out_w, CHECK_W) + PAD, HEAD + high + PAD - 6


ROW_HEAD = 38  # name with verdict, and the words above the three pictures
VERDICT_H = 70


def paginate(widths: list[float]) -> tuple[tuple[int, int], ...]:
    """Runs of entries that fit beside each other; neighbouring pages share an entry where they can."""
    pages: list[tuple[int, int]] = []
    first = 0
    while first < len(widths):
        last, used = first, widths[first]
        while last + 1 < len(widths) and used + GAP + widths[last + 1] <= LANE_W and last - first < SMALL_CARDS - 1:
            last += 1
            used += GAP + widths[last]
        pages.append((first, last))
        if last == len(widths) - 1:
            break
        first = last if last > first else last + 1
    return tuple(pages) or ((0, -1),)


def homes(pages: tuple[tuple[int, int], ...], count: int) -> tuple[int, ...]:
    """For each entry the page where it has the most neighbours on its poorer side."""
    best = [(-1, 0)] * count
    for number, (first, last) in enumerate(pages):
        for entry in range(first, last + 1):
            best[entry] = max(best[entry], (min(entry - first, last - entry), -number))
    return tuple(-number for _, number in best)


def band_height(record: Record) -> float:
    """The room of the gradients that arrive at the inputs."""
    arrivals = [a for run in record.passes for a in run.arrivals]
    if not arrivals:
        return 0.0 if not record.passes else 44.0
    highs = [max(slot(a.total or Value('', a.shape))[1], 20 + 16 * min(len(a.parts), 3)) for a in arrivals]
    return max(highs) + 8
