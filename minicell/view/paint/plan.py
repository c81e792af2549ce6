"""Where everything stands: for one tape or two, on a screen or on a phone. All in px at scale 1.

On a screen the tape is a film across the whole picture. Above it your call and forward; under it the Cell whose bprop
takes over and backward, in the same columns; at the bottom the gradients. On a phone one thing stands under another.
"""

from typing import NamedTuple

WIDE, NARROW = 900, 372
CODE, STAGE = 332, 352  # where the code ends, and where the stage begins
EDGE = 14  # from the edge of a field to what stands on it
ROW = 20  # a line of code
TALL = 25  # a row of numbers on a gradient's card
PAD = 10  # above and below the lines of a card
CARD = 40  # above the numbers of a gradient's card, for its name and how it was made
GAP = 16
HEAD = 26  # above a card of code, for what it is called
FILM = 30  # the height of a tape
ASIDE = 22  # left of the lines of a bprop, where what writes the second tape goes down to it
SECOND = 282  # and that of the panel of the second


class Box(NamedTuple):
    """A rectangle."""

    x: float
    y: float
    w: float
    h: float


class Lane(NamedTuple):
    """The stage of one tape: forward above, backward under it in the same columns, and between them the tape."""

    x: float
    w: float
    forward: float  # the top of forward
    forward_h: float
    film: float  # the top of the tape
    film_h: float
    left: float  # where the tape begins: left of the stage it says what it is
    road: float  # the middle of backward's road
    backward_h: float
    least: float  # the width that an open entry needs

    @property
    def tall(self) -> bool:
        """Whether a card has room for what it hides."""
        return self.forward_h > 80

    @property
    def beside(self) -> bool:
        """Whether the tape lies beside the code: the first of two, in little."""
        return self.left > 0

    @property
    def head(self) -> float:
        """The baseline of backward's heading."""
        return self.film + self.film_h + 18


class Needs(NamedTuple):
    """What a record asks of a layout."""

    calls: int = 3  # lines of code outside of a Cell with a bprop
    cells: int = 0  # and inside of it, above the bprop
    own: int = 0  # lines of the longest bprop; 0: there is no takeover
    second: bool = False  # a second tape
    straight: bool = False  # the one takeover of the first tape is its first entry
    gradients: int = 2  # at most so many come from one takeover
    tall: int = 2  # rows of the tallest of them
    arrivals: int = 2  # gradients that were asked for


class Plan(NamedTuple):
    """One layout."""

    w: float
    h: float
    call: Box
    own: Box  # the lines of bprop: y is the first baseline
    own_rows: int
    cell: float  # the top of the Cell's card
    cell_rows: int  # above the bprop
    lanes: tuple[Lane, ...]
    under: float  # the middle of the band that takes over
    results: Box
    narrow: bool = False
    second: tuple[float, float] = (0, 0)  # the panel of the second tape: y, h
    cards: int = 2  # gradients that have room under one another
    fields: tuple[Box, ...] = ()  # the grounds of forward and of backward, tape by tape


def plans(needs: Needs) -> tuple[Plan, Plan]:
    """The layouts for a screen and for a phone."""
    return (two_tapes if needs.second else one_tape)(needs), narrow(needs)


def card_h(needs: Needs) -> float:
    """How high a gradient's card is."""
    return CARD + TALL * min(max(needs.tall, 1), 4)


def one_tape(needs: Needs) -> Plan:
    """A screen: call and forward, the tape, Cell and backward, gradients."""
    calls = min(max(needs.calls, 3), 5 if needs.own else 9)
    top = HEAD + max(106, 8 + ROW * calls)
    lane = Lane(STAGE, WIDE - STAGE - EDGE, HEAD, top - HEAD, top + 8, FILM, 0, top + 111, 84, 330)
    below = lane.head + 9
    call = Box(8, HEAD, CODE - 8, top - HEAD)
    if not needs.own:
        rows = min(max(needs.arrivals, 3), 9)
        high = max(lane.road + 112 - below, 2 * PAD + 24 + 22 * rows)
        return Plan(WIDE, below + high + EDGE, call, Box(0, 0, 0, 0), 0, below, 0, (lane,), 0,
                    Box(EDGE, below, CODE - EDGE, high), fields=fields(lane, 0, below + high + EDGE))  # fmt: skip
    own, cells = max(3, min(needs.own, 6)), min(needs.cells, 4)
    first = max(lane.road + 64, below + PAD + ROW * cells + 20)
    end = first + ROW * (own - 1) + 20
    results = Box(0, end + 24, WIDE, card_h(needs))
    return Plan(WIDE, results.y + results.h + 1, call, Box(8, first, CODE - 8, 0), own, below, cells, (lane,),
                first - 5, results, fields=fields(lane, 0, end))  # fmt: skip


def fields(lane: Lane, top: float, end: float, narrow: bool = False) -> tuple[Box, Box]:
    """The grounds of one tape: forward's from the top to the middle of the film, and backward's from there on."""
    middle = lane.film + lane.film_h / 2
    x, right = (-6, NARROW + 6) if narrow else (lane.left, WIDE)
    return Box(x, top, right - x, middle - top), Box(x, middle, right - x, end - middle)


def two_tapes(needs: Needs) -> Plan:
    """A screen: the same in little, the first tape beside the code, and under it a large panel with the second tape."""
    calls = HEAD + 2 * PAD + ROW * min(max(needs.calls, 1), 3)
    high = 58 if needs.tall > 1 else 44
    lane = Lane(STAGE, WIDE - STAGE - EDGE, HEAD, high, HEAD + 10 + high, FILM, STAGE - EDGE, HEAD + 78 + high, 44, 300)
    below, own, cells = calls + HEAD + 2, max(3, min(needs.own, 5)) if needs.own else 0, min(needs.cells, 1)
    straight = needs.straight and bool(own)  # nothing is read after the takeover: its band need not leave the road
    first = max(lane.road + (5 if straight else 48), below + PAD + ROW * cells + 21)
    lane = lane._replace(road=max(lane.road, first - 5)) if straight else lane
    end = first + ROW * (own - 1) + 14 if own else max(lane.road + 40, below + 62)
    results = Box(STAGE + 30, first + ROW * (own - 1) - 5, WIDE - STAGE - 30, 30) if own else Box(0, below, CODE, 62)
    y = end + 14
    second = Lane(206, WIDE - 206 - EDGE, y + 36, 78, y + 138, FILM, 0, y + 224, 56, 330)
    left = ASIDE * (own > 0)
    call, code = Box(left, HEAD, CODE - left, calls - HEAD), Box(left, first, CODE - left, 0)
    return Plan(WIDE, y + SECOND, call, code, own, below, cells, (lane, second), first - 5, results, second=(y, SECOND),
                fields=fields(lane, 0, end) + fields(second, y, y + SECOND))  # fmt: skip


def narrow(needs: Needs) -> Plan:
    """A phone: one thing under the other, the lines of bprop in the arrow's way."""
    calls = min(max(needs.calls + needs.cells, 3), 9)
    y = HEAD + 2 * PAD + ROW * calls + GAP
    lane = Lane(0, NARROW, y + 24, 106, y + 142, FILM, 0, y + 254, 84, 264)
    own = max(3, min(needs.own, 6)) if needs.own else 0
    first = lane.road + 110
    end = first + ROW * (own - 1) + 46 if own else lane.road + 112
    count = min(max(needs.gradients, 1), 2) if own else 1
    high = count * (card_h(needs) + 22) - 16 if own else 2 * PAD + 24 + 22 * min(max(needs.arrivals, 3), 12)
    results = Box(0, end, NARROW, high)
    end += high + 3
    lanes, panel, grounds = (lane,), (0.0, 0.0), fields(lane, y - 2, lane.road + 96, True)
    if needs.second:
        panel = (end + 12, 314)
        lanes += (Lane(8, 356, panel[0] + 56, 62, panel[0] + 126, FILM, 0, panel[0] + 212, 54, 264),)
        end = panel[0] + 317
        grounds += fields(lanes[1], panel[0], end, True)
    return Plan(NARROW, end, Box(0, HEAD, NARROW, y - GAP - HEAD), Box(0, first, NARROW, 0), own, 0, 0, lanes,
                first - 20, results, True, panel, count, grounds)  # fmt: skip
