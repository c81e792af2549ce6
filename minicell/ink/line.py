"""The step line under a picture: a rail with a dot for each step, those of note named. It is also the slider."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from . import metrics, shapes

RAIL, WORDS = 14, 36  # the middle of the rail, the baseline of the names
HEIGHT, EDGE = 42, 10  # of the line, and how far from its ends the first and the last dot lie
NEAR = 90  # pixels between two steps of note whose names have no room under them
DOTS = 7  # pixels a dot needs; where there is less, only the playhead is drawn and the steps of note


class Mark(NamedTuple):
    """A step of note: its name under the line, if it has one, is seen from step `since` on."""

    step: int
    name: str
    look: str = 'dim'  # bf: the takeover, xx: what is wrong
    since: int = 0


def step_line(
    steps: int, marks: Sequence[Mark], width: float = 456, label: str = 'Step'
) -> tuple[dict[str, Any], list[tuple[float, float]]]:
    """The line as plain data for the player, and where on it each step lies. A shape is [tag, attributes, step]: before
    that step it is pale. Names that come first win the room. `label` is what the slider is called."""
    each = (width - 2 * EDGE) / max(steps - 1, 1)
    places = [(round(EDGE + i * each, 1), RAIL) for i in range(steps)]
    drawn: list[list] = [
        ['rect', dict(x=EDGE, y=RAIL - 1.5, width=width - 2 * EDGE, height=3, rx=1.5) | {'class': 'rail'}, 0]
    ]
    taken: list[tuple[float, float]] = []
    loud = sorted(places[mark.step][0] for mark in marks if mark.look != 'dim' and mark.name)
    for mark in marks:
        mark = mark._replace(name=metrics.clean(mark.name))
        x, wide = places[mark.step][0], shapes.width(mark.name, mark.look)
        left = x
        if mark.look != 'dim':
            kind = f'note {mark.look}' + ' later' * (mark.look == 'xx')
            drawn.append(['rect', dict(x=x - 5, y=RAIL - 5, width=10, height=10, rx=5) | {'class': kind}, mark.since])
            # of two that are near each other, each name points away
            before, after = (any(0 < way * (other - x) < NEAR for other in loud) for way in (-1, 1))
            left = x + 5 - wide if after else x - 5 if before else x - wide / 2
        left = min(max(left, 0), width - wide)
        if not mark.name or any(left < b + 6 and a < left + wide + 6 for a, b in taken):
            continue
        taken.append((left, left + wide))
        words = {'x': round(left, 1), 'y': WORDS, 'T': mark.name, 'class': f'{mark.look} later'}
        drawn.append(['text', words, mark.since])
    return dict(w=width, h=HEIGHT, label=label, shapes=drawn, dots=each >= DOTS, x=EDGE, y=RAIL - 1.5), places
