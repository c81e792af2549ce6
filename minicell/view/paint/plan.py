"""Where everything stands: for one tape or two, on a screen or on a phone. All in px at scale 1.

On a screen the tape is a film across the whole picture. Above it your call and forward; under it the Cell whose bprop
takes over and backward, in the same columns; at the bottom the gradients. On a phone one thing stands under another.
"""

from typing import NamedTuple

WIDE, NARROW = 900, 372
CODE, STAGE = 332, 352  # where the code ends, and where the stage begins
EDGE = 14  # from the edge of a field to what stands on it
ROW = 20  # a line of code
TALL = 28  # a row of numbers on a gradient's card
PAD = 10  # above and below the lines of a card
CARD = 48  # above the numbers of a gradient's card, for its name and how it was made
WIDTH = 36  # of backward's road
GAP = 16
HEAD = 26  # above a card of code, for what it is called
FILM = 30  # the height of a tape
BROAD = 84  # and of one on which the values lie, too
SECOND = 420  # where the entries of the second tape begin: the lines of a bprop flow into it from the left


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
    road: float  # the middle of backward's road
    backward_h: float
    least: float  # the width that an open entry needs

    @property
    def tall(self) -> bool:
        """Whether a card has room for what it hides."""
        return self.forward_h > 80

    @property
    def broad(self) -> bool:
        """Whether forward lies on the tape itself."""
        return self.film_h > FILM

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
    cards: int = 2  # gradients that have room under one another
    fields: tuple[Box, ...] = ()  # the grounds of forward and of backward
    answers: Box = Box(0, 0, 0, 0)  # the gradients that were asked for


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
    lane = Lane(STAGE, WIDE - STAGE - EDGE, HEAD, top - HEAD, top + 8, FILM, top + 106, 84, 330)
    below = lane.head + 9
    call = Box(8, HEAD, CODE - 8, top - HEAD)
    if not needs.own:
        rows = min(max(needs.arrivals, 3), 9)
        high = max(lane.road + 112 - below, 2 * PAD + 24 + 22 * rows)
        return Plan(WIDE, below + high + EDGE, call, Box(0, 0, 0, 0), 0, below, 0, (lane,), 0,
                    Box(EDGE, below, CODE - EDGE, high), fields=fields(lane, 0, below + high + EDGE),
                    answers=Box(EDGE, below, CODE - EDGE, high))  # fmt: skip
    own, cells = max(3, min(needs.own, 6)), min(needs.cells, 4)
    first = max(lane.road + 58, below + PAD + ROW * cells + 20)
    results = Box(EDGE + 10, first + ROW * (own - 1) + 20, WIDE - 2 * EDGE - 20, card_h(needs))
    end = results.y + results.h + 14
    return Plan(WIDE, end, call, Box(8, first, CODE - 8, 0), own, below, cells, (lane,),
                first - 5, results, fields=fields(lane, 0, end), answers=results)  # fmt: skip


def fields(lane: Lane, top: float, end: float, narrow: bool = False) -> tuple[Box, Box]:
    """The grounds of one tape: forward's from the top to the middle of the film, and backward's from there on."""
    middle = lane.film + lane.film_h / (1 if lane.broad else 2)
    x, right = (-6, NARROW + 6) if narrow else (0, WIDE)
    return Box(x, top, right - x, middle - top), Box(x, middle, right - x, end - middle)


def two_tapes(needs: Needs) -> Plan:
    """A screen: the first tape in little, beside the code; under both the second, on which forward itself lies."""
    calls, high = 2 * PAD + ROW * min(max(needs.calls, 1), 3), 58 if needs.tall > 1 else 44
    film = HEAD + max(high + 10, calls - 4)
    lane = Lane(STAGE, WIDE - STAGE - EDGE, film - 10 - high, high, film, FILM, film + FILM + 52, 44, 300)
    below, own, cells = lane.head + 9, max(3, min(needs.own, 5)) if needs.own else 0, min(needs.cells, 3)
    first = max(lane.road + 56, below + PAD + ROW * cells + 20)
    end = first + ROW * (own - 1) + 20 if own else lane.road + 40
    results = Box(SECOND + 20, first + ROW * (own - 1) - 5, WIDE - SECOND - 20, 30)
    top = end + 14
    second = on_film(SECOND, WIDE - SECOND - EDGE, top + 34)
    call, code = Box(8, HEAD, CODE - 8, film - HEAD), Box(8, first, CODE - 8, 0)
    return Plan(WIDE, second.road + 70, call, code, own, below, cells, (lane, second), first - 5, results,
                fields=fields(lane, 0, end) + fields(second, top, second.road + 70),
                answers=Box(EDGE + 8, second.road - 58, SECOND - 120, 150))  # fmt: skip


def on_film(x: float, w: float, top: float) -> Lane:
    """A tape on which forward itself lies, and backward's road under it."""
    return Lane(x, w, top + 12, BROAD - 24, top, BROAD, top + BROAD + 62, WIDTH, 264)


def narrow(needs: Needs) -> Plan:
    """A phone: one thing under the other, the lines of bprop in the arrow's way."""
    calls = min(max(needs.calls + needs.cells, 3), 9)
    y = HEAD + 2 * PAD + ROW * calls + GAP
    lane = Lane(0, NARROW, y + 24, 106, y + 142, FILM, y + 254, 84, 264)
    own = max(3, min(needs.own, 6)) if needs.own else 0
    first = lane.road + 110
    end = first + ROW * (own - 1) + 46 if own else lane.road + 112
    count = min(max(needs.gradients, 1), 2) if own else 1
    high = count * (card_h(needs) + 22) - 16 if own else 2 * PAD + 24 + 22 * min(max(needs.arrivals, 3), 12)
    results = Box(0, end, NARROW, high)
    end += high + 3
    lanes, answers, grounds = (lane,), results, fields(lane, y - 2, lane.road + 96, True)
    if needs.second:
        lanes += (on_film(8, 356, end + 60),)
        answers = Box(8, lanes[1].road + 56, NARROW - 16, 150)
        grounds += fields(lanes[1], end + 10, answers.y + 126, True)
        end = answers.y + 130
    return Plan(NARROW, end, Box(0, HEAD, NARROW, y - GAP - HEAD), Box(0, first, NARROW, 0), own, 0, 0, lanes,
                first - 20, results, True, count, grounds, answers)  # fmt: skip
