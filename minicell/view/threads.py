"""The thin lines: what forward keeps for backward, and the Parameters that an entry is wired to."""

from .layout import MOST_WIRES, NAME_W, PAD, WIRE_H, WIRE_W, Column, Place
from .metrics import fit, width
from .model import Entry, Saved, Wire
from .shapes import BACKWARD, BACKWARD_TEXT, INK, MUTED, Box, Path, Shape, text

IN = 9  # from a card's right edge to the first line


def saves(entry: Entry, col: Column, x: float, place: Place, clear: float, step: int, read: bool) -> list[Shape]:
    """From the forward card down to the backward card, right of `clear`: what backward will need."""
    if entry.written is None or step < entry.written:
        return []
    left = max(x + 4, clear)
    right = x + col.w - IN
    out: list[Shape] = []
    for whole in (True, False):
        found = [s for s in entry.saves if s.whole == whole]
        if not found:
            continue
        room = right - 7 - left
        if room < 0:
            break
        words = next((w for w in says(found) if width(w, 11) <= room), '')
        w = width(words, 11)
        out += line(right, place.y_forward + place.forward, place.y_backward, whole, read)
        out.append(text(right - 6, place.y_forward + place.forward + 22, w + 1, words, 11, MUTED, 'end'))
        right -= w + 20
    return out


def reach(entry: Entry, right: float) -> float:
    """How far to the left the lines and words of what is saved want to reach, on a card with this right edge."""
    both = [[s for s in entry.saves if s.whole == whole] for whole in (True, False)]
    return right - IN - sum(width(says(found)[0], 11) + 20 for found in both if found)


def says(found: list[Saved]) -> tuple[str, ...]:
    """What is kept, and where; in fewer words where there is less room."""
    names = ', '.join(s.name for s in found)
    few = f'{len(found)} saved'
    return (f'saved: {names}', few) if found[0].whole else (f'{names} (on self, not on the tape)', names)


def line(x: float, top: float, bottom: float, whole: bool, read: bool) -> list[Shape]:
    """A thin line from lane to lane; broken where what it brings is not on the tape."""
    thick = 1.5 if read else 1
    if whole:
        return [Path((((x, top + 1), (x, bottom - 1)),), INK if read else MUTED, thick)]
    middle = (top + bottom) / 2 + 8
    cut = tuple(((x - 5, middle + d + 3), (x + 5, middle + d - 3)) for d in (-4, 4))
    return [
        Path((((x, top + 1), (x, middle - 5)), ((x, middle + 5), (x, bottom - 1))), BACKWARD, thick, dash='3 2'),
        Path(cut, BACKWARD, 2),
    ]


def wires(entry: Entry, x: float, y: float, w: float) -> list[Shape]:
    """The Parameters of an entry, a row each: a whole wire, or one that is cut."""
    out: list[Shape] = []
    shown = entry.wires[:MOST_WIRES]
    for i, wire in enumerate(shown):
        last = i == MOST_WIRES - 1 and len(entry.wires) > MOST_WIRES
        words = f'and {len(entry.wires) - i} more Parameters' if last else ''
        out += row(wire, x + PAD, y + i * WIRE_H, w - 2 * PAD, words)
    return out


def row(wire: Wire, x: float, y: float, room: float, instead: str) -> list[Shape]:
    """One Parameter."""
    if instead:
        return [text(x, y + 12, room, instead, 11, MUTED)]
    name = fit(wire.name, min(NAME_W, room), 12, True)
    used = width(name, 12, True)
    left, middle = x + used + 6, y + 8
    end = left + WIRE_W
    out: list[Shape] = [text(x, y + 12, used + 1, name, 12, bold=True)]
    if wire.whole:
        out.append(Path((((left, middle), (end, middle)),), INK, 2))
        out.append(Box(end - 2, middle - 4, 8, 8, INK, radius=4))
    else:
        half = (left + end) / 2
        out.append(Path((((left, middle), (half - 6, middle)), ((half + 6, middle), (end, middle))), BACKWARD, 2))
        cut = tuple(((half + d - 3, middle + 5), (half + d + 3, middle - 5)) for d in (-4, 4))
        out.append(Path(cut, BACKWARD, 2))
        out.append(Box(end - 2, middle - 4, 8, 8, 'none', BACKWARD, 1.5, 4))
    colour = MUTED if wire.whole else BACKWARD_TEXT
    out.append(text(end + 10, y + 12, x + room - end - 10, wire.words, 11, colour))
    return out
