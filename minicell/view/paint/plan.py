"""Where everything stands: four layouts, for one tape or two, on a screen or on a phone. All in px at scale 1."""

from typing import NamedTuple


class Lane(NamedTuple):
    """The stage of one tape: forward above, backward under it in the same columns, and between them the tape."""

    x: float
    w: float
    forward: float  # the top of forward
    forward_h: float
    tape: float  # the top of the tape itself; 0 where there is no room for it
    road: float  # the middle of backward's road
    backward_h: float
    least: float  # the width that an open entry needs


class Plan(NamedTuple):
    """One layout."""

    w: float
    h: float
    code: tuple[float, float, float, float]  # the panel: x, y, w, h
    top: int  # rows of code above the bprop
    own: tuple[float, float, float]  # the block of bprop: x, the baseline of its first line, w
    own_rows: int
    lanes: tuple[Lane, ...]
    under: float  # the middle of the band that takes over
    tables: tuple[float, float, float, float]  # the gradients: x, y, w, h
    voice: tuple[float, float, float]  # x, baseline, w
    narrow: bool = False
    second: tuple[float, float] = (0, 0)  # the panel of the second tape: y, h


def plans(own: int, calls: int, second: bool, tables: int = 2) -> tuple[Plan, Plan]:
    """The layouts for a screen and for a phone. `own`: lines of the longest bprop; `calls`: lines of code above it;
    `tables`: how many gradients lie below one another on a phone."""
    own = max(3, min(own, 6))
    return (wide2(own) if second else wide(own)), narrow(own, min(max(calls, 3), 9), second, min(max(tables, 1), 2))


def wide(own: int) -> Plan:
    """900 px: the code on the left, its bprop where the takeover arrives."""
    first, last = 289, 289 + 20 * (own - 1)
    end = last + 112 + 12 * (own < 4)
    panel = (0, 0, 326, last + 20)
    lane = Lane(346, 554, 20, 106, 132, 218, 88, 330)
    return Plan(900, end, panel, 11, (0, first, 326), own, (lane,), first - 5, (346, last + 44, 554, 72),
                (4, last + 50, 318))  # fmt: skip


def wide2(own: int) -> Plan:
    """The same with a second tape under the first."""
    first = 188
    last = first + 20 * (own - 1)
    lane = Lane(346, 554, 22, 58, 86, 136, 44, 300)
    y = last + 32
    second = Lane(186, 700, y + 26, 62, y + 96, y + 158, 56, 330)
    return Plan(900, y + 196, (0, 0, 326, last + 20), 5, (0, first, 326), own, (lane, second), first - 5,
                (376, last - 17, 520, 30), (14, y + 122, 160), second=(y, 196))  # fmt: skip


def narrow(own: int, calls: int, second: bool, tables: int) -> Plan:
    """372 px: one thing below the other, the lines of bprop in the arrow's way."""
    code_h = 30 + 20 * calls
    y = code_h + 24
    lane = Lane(0, 372, y + 8, 106, y + 120, y + 206, 88, 264)
    first = y + 312
    last = first + 20 * (own - 1)
    place = (0, last + 62, 372, 92 * tables)
    end = last + 62 + 92 * tables
    lanes, panel = (lane,), (0, 0)
    if second:
        panel = (end + 8, 250)
        lanes += (Lane(8, 356, end + 60, 62, end + 128, end + 190, 54, 264),)
        end += 258
    return Plan(372, end + 84, (0, 0, 372, code_h), calls, (0, first, 372), own, lanes, first - 20, place,
                (2, end + 22, 368), True, panel)  # fmt: skip
