"""The band that turns off autodiff's road into the lines of a bprop or of a hook, and why it does."""

from ...ink.shapes import width
from ...story.record import Entry
from .moment import Moment
from .plan import CODE


def label_of(entry: Entry, room: float) -> str:
    """What the band says, in as many words as it has room for."""
    into = 'your hook' if entry.kind == 'hook' else 'your own lines' if entry.yours else 'its own bprop'
    said = (f'takeover: into {into}', f'takeover: {into}'.replace('own lines', 'lines'), 'takeover')
    return next((words for words in said if width(words, 'onr') <= room), '')


def because(entry: Entry, room: float) -> str:
    """Why backward leaves its road here, in as many words as there is room for."""
    said = [f'{entry.name} has its own bprop', 'own bprop']
    if entry.kind == 'hook':
        said = ['you registered it'] * entry.yours
    return next((words for words in said if width(words) <= room), '')


def aside(m: Moment, x: float, bend: float, past: str, entry: Entry) -> None:
    """The band that turns off the road before the ghost, and goes left into the code."""
    frame, lane, under = m.frame, m.strips[0].lane, m.plan.under
    road, right = lane.road, x - 8
    near = min(bend + 52, x)
    far = near - 110 + 18 * (near == x)
    middle = (near + far) / 2
    bends = f'H{near:g}C{middle - 6:g},{road:g},{middle + 6:g},{under:g},{far:g},{under:g}'
    size, thin = (15, ' th') if m.behind else (34, '')
    to = f'M{x + 1:g},{road:g}{bends if under > road else ""}H{CODE + size:g}'
    frame.path('fat', to, f'fat{thin}{past}', 1, draw=600)
    frame.head('fath', CODE - 5, under, 'l', f'fatk{past}', 6, size, late=450)
    said = label_of(entry, (far + 22 if under > road else bend - 10) - CODE - 46)
    if not thin:
        frame.text('tk', CODE + 46, under + 5, said, 'mid2 bf' if past else 'onr', 6, late=450)
    signpost(m, entry, bend, lane.x + width('← backward') + 10, right)


def signpost(m: Moment, entry: Entry, x: float, left: float, right: float) -> None:
    """On the way from an entry to its rule, why backward does not go on to that."""
    lane, said = m.strips[0].lane, because(entry, right - left - 22)
    wide, y = width(said) + 20, lane.film + lane.film_h + (12 if lane.tall else 4)
    middle = max(min(x, right - wide / 2), left + wide / 2)
    if said and abs(x - middle) < wide / 2 - 4:
        m.frame.rect('sign', middle - wide / 2, y, wide, 21, 'block', 5, rx=10)
        m.frame.text('why', middle, y + 15, said, 'mid bf', 6)


def down(m: Moment, x: float, bend: float, past: str, entry: Entry) -> None:
    """The band that goes down into the lines of bprop: on a phone they lie in its way."""
    frame, road, tip, bend = m.frame, m.strips[0].lane.road, m.plan.own.y - 22, max(bend, 40)
    to = f'M{x + 1:g},{road:g}H{bend + 21:g}A21,21,0,0,0,{bend:g},{road + 21:g}V{tip - 34:g}'
    frame.path('fat', to, f'fat{past}', 1, draw=600)
    frame.head('fath', bend, tip, 'd', f'fatk{past}', 6, 24, late=450)
    side, ink = ' end' if bend > 200 else '', 'dim' if past else 'bf'
    room, x = (bend if side else m.plan.w - bend) - 24, bend + (-26 if side else 26)
    frame.text('tk', x, tip - 30, label_of(entry, room), f'{ink}{side}', 6, late=450)
    frame.text('why', x, tip - 12, because(entry, room), f'{ink}{side}', 6, late=450)
