"""What is true of a takeover's gradients: the decision, one input at a time.

The rules speak first, over the ops that construct ran. Where they do not see everything, construct is called again and
differences are taken; before anything is called wrong, slopes beside the point are looked at, which may not meet there.
Where nobody can know, the verdict says why.
"""

from collections.abc import Callable

import numpy as np

from ..core.errors import MinicellError
from ..replay import differences
from ..replay.harmless import Harm
from .takeover import FAR, Takeover
from .verdict import KINK, NOT_ASKED, RIGHT, SURROGATE, UNKNOWN, WRONG, Verdict, apart, differs

FEW, MANY = 4, 16  # how often all numbers are rounded at random: at first, and before something is called wrong
NEARER = tuple(10.0**-k for k in range(1, 9))  # how near to a point a limit is looked for
SINGLES = 256  # up to so many numbers, differences are taken one by one
BETWEEN = 'There is no derivative at this {}: yours lies between the slopes on both sides.'
NO_SLOPE = 'Every way from {} to the result leads through an operation without a slope: the true gradient is 0.'
SEEN = 'differences see what no rule does'


def verdicts(t: Takeover) -> list[Verdict]:
    """One for each Tensor of the inputs, and for each of internal_params."""
    return [verdict(t, place) for place, _ in enumerate(t.inputs)]


def verdict(t: Takeover, place: int) -> Verdict:
    """The verdict on one of them."""
    name, yours, x = t.names[place], t.yours[place], t.inputs[place]
    told = Verdict(t.name, name, place, bool(t.asked[place]) and x.dtype.kind == 'f', yours, None, '', UNKNOWN)
    if not told.asked:
        why = 'It has none' if x.dtype.kind in 'iub' else 'Nobody asked for it'
        return told._replace(verdict=NOT_ASKED, why=f'{why}.')
    given = np.zeros(x.shape) if yours is None else yours
    try:
        with np.errstate(all='ignore'):
            if t.program is None:
                t.program, t.blind = t.replay, t.replay.blind
            return (by_differences if t.blind else by_rules)(t, told, given)
    except Harm as harm:
        return told._replace(why=sentence(t.blind, str(harm)))
    except MinicellError as error:  # an op without a rule
        return told._replace(why=' '.join(str(error).splitlines()[0].split()))


def sentence(*parts: str) -> str:
    """Reasons as a sentence."""
    said = '; '.join(filter(None, parts))
    return f'{said[:1].upper()}{said[1:]}.'


# ---- the rules see everything ----------------------------------------------------------------------------------------


def by_rules(t: Takeover, told: Verdict, given: np.ndarray) -> Verdict:
    """The rules decide: what agrees within rounding is right."""
    due = t.due[told.place]
    by = 'rules and differences' if t.blind else 'rules'  # what the rules do not see has turned out to be nothing
    told = told._replace(due=due, by=by, room=8 * t.eps * np.abs(due) + t.tiny(told.place))
    if np.isfinite(due).all():
        for times in (0, FEW, MANY):
            room = t.rooms(told.place, times) if times else told.room
            if not differs(given, due, room).any():
                return confirmed(t, told._replace(verdict=RIGHT, room=room), given)
            told = told._replace(room=room)
            if times and (apart(given, due) > FAR * room).any():
                break  # that is no rounding
    values, slopes = t.program.leads(told.place, t.came)
    if values and not slopes:
        return stepped(told, given)
    return doubted(t, told if np.isfinite(due).all() else limit(t, told), given)


def stepped(told: Verdict, given: np.ndarray) -> Verdict:
    """Every way leads through an op without a slope."""
    if not np.isfinite(given).all():
        return told._replace(verdict=WRONG, why=f'The gradient of {told.name} is NaN or infinite at some places.')
    return told._replace(verdict=SURROGATE, why=NO_SLOPE.format(told.name))


def limit(t: Takeover, told: Verdict) -> Verdict:
    """The rules gave NaN or infinity: in Float64, or nearer and nearer to the point, they may tend to a number."""
    bad, tiny = ~np.isfinite(told.due), t.tiny(told.place)
    due = np.where(bad, t.at(t.xs)[told.place], told.due)
    gap = np.zeros(due.shape)
    if not np.isfinite(due).all():
        v = t.directions(told.place)
        sides = np.stack([[t.at(xs)[told.place] for xs in t.moved(v, radius)] for radius in NEARER])
        sides = np.where(np.isfinite(sides), sides, sides[:, ::-1])  # log and sqrt have one side
        means, spreads = sides.mean(1), np.abs(sides[:, 0] - sides[:, 1])
        gaps = np.where(np.isfinite(gaps := np.abs(np.diff(means, axis=0))), gaps, np.inf)
        at = np.argmin(gaps, 0)[None]
        mean, gap, before, after = (
            np.take_along_axis(a, at, 0)[0] for a in (means[1:], gaps, spreads[:-1], spreads[1:])
        )
        size = np.abs(mean)
        steady = (gap <= 1e-3 * size + tiny) & ((after <= 0.5 * before) | (after <= 1e-6 * size))
        due = np.where(np.isfinite(due), due, np.where(steady, mean, np.nan))
    room = np.where(bad, np.nan_to_num(4 * gap + 64 * t.eps * np.abs(due)) + tiny, told.room)
    return told._replace(due=due, room=room, why='The rules give NaN or infinity here: this is the limit.')


def doubted(t: Takeover, told: Verdict, given: np.ndarray) -> Verdict:
    """Yours differs, or the truth is not known everywhere: it may be a kink, and yours may be rounded badly."""
    off = differs(given, told.due, told.room) | np.isnan(told.due)
    kinks, nearest = t.kinks(told.place, given)
    kinks &= off & np.isfinite(given)
    if kinks.any():  # the due number is the nearest of those between the slopes
        slack = 1e-6 * np.abs(nearest) + np.nan_to_num(told.room)
        told = told._replace(due=np.where(kinks, nearest, told.due), room=np.where(kinks, slack, told.room))
    if told.differs.any() and not t.badly_rounded(told):
        return wrong(t, told, given)
    unknown, nowhere = np.isnan(told.due), any(np.isnan(out).any() for out in t.outs)
    if unknown.any() and not (nowhere and np.isnan(given[unknown]).all()):
        return told._replace(verdict=UNKNOWN, why='The rules give NaN or infinity here, and so they do beside it.')
    return told._replace(verdict=KINK, why=BETWEEN.format(told.name)) if kinks.any() else told._replace(verdict=RIGHT)


def wrong(t: Takeover, told: Verdict, given: np.ndarray) -> Verdict:
    """A gradient that differs from the due one; a step that is no op makes it a surrogate, or so it may."""
    place = told.place
    chosen = t.program.chosen >> place & 1 and not t.program.leads(place, t.came)[1]
    if (t.blind or chosen) and not told.due[told.differs].any() and differences.jumps(t.function(place), t.xs[place]):
        if not t.blind:
            return stepped(told, given)
        return told._replace(why=sentence(t.blind, 'its value jumps near here, so that yours may be a surrogate'))
    at = told.worst
    where = f'd{told.name}{list(at) if at else ""}'
    said = f'None counts as zero, and {where}' if told.yours is None else f'{where} is {given[at]:.4g}, and'
    return told._replace(verdict=WRONG, why=f'{said} should be {told.due[at]:.4g}.')


# ---- construct is called again ---------------------------------------------------------------------------------------


def confirmed(t: Takeover, told: Verdict, given: np.ndarray) -> Verdict:
    """The rules say that it is right; where everything is tried, differences are asked as well."""
    if not t.thorough:
        return told
    try:
        tried = differences.tried(t.function(told.place), t.xs[told.place], told.due, t.came, t.eps)
        if all(map(differences.agrees, tried)):
            return told._replace(by='rules and differences')
        if t.kinks(told.place, given)[0].any():
            return told._replace(verdict=KINK, why=BETWEEN.format(told.name))
    except Harm as harm:
        return told._replace(why=f'Differences were not tried: {harm}.')
    if not t.blind and any(abs(measured.middle - said) > 16 * room for _, measured, said, room in tried):
        t.blind = SEEN
        return by_differences(t, told, given)
    return told  # the differences are not sure


def by_differences(t: Takeover, told: Verdict, given: np.ndarray) -> Verdict:
    """The rules do not see everything: construct is called again. What they do see may still be all there is."""
    function, x = t.function(told.place), t.xs[told.place]
    for candidate in (t.due[told.place], given):
        tried = np.isfinite(candidate).all() and differences.tried(function, x, candidate, t.came, t.eps)
        if tried is not False and all(map(differences.agrees, tried)):
            right = told._replace(due=given.astype(np.float64), by='differences', verdict=RIGHT)
            return right if candidate is given else by_rules(t, told, given)
    due, room, kinks = one_by_one(t, function, x, given)
    told = told._replace(due=due, room=room + 64 * t.eps * np.abs(due) + t.tiny(told.place), by='differences')
    if told.differs.any() and not t.badly_rounded(told):
        return wrong(t, told, given)
    if np.isnan(due).any():
        return told._replace(why=sentence(t.blind, 'differences are not sure'))
    return told._replace(verdict=KINK, why=BETWEEN.format(told.name)) if kinks else told._replace(verdict=RIGHT)


def one_by_one(t: Takeover, function: Callable, x: np.ndarray, given: np.ndarray) -> tuple:
    """The slope for each single number that may be wrong, NaN for the others; how far each may be off; whether yours
    lies between two slopes somewhere."""
    due, room, kinks = np.full(x.shape, np.nan), np.zeros(x.shape), False
    for at in suspects(t, function, x, given):
        for step in dict.fromkeys((float(differences.scale(x)[at]), differences.typical(x))):
            v = np.zeros(x.shape)
            v[at] = step
            found, said = differences.slope(function, x, v, t.came), given[at] * step
            if found.kink and found.between(said, 0.0):
                due[at], kinks = given[at], True
            elif found.room <= 1e-2 * abs(found.middle) or abs(found.middle - said) > 16 * found.room:
                due[at], room[at] = found.middle / step, 4 * found.room / step
            if not np.isnan(due[at]):
                break
    return due, room, kinks


def suspects(t: Takeover, function: Callable, x: np.ndarray, given: np.ndarray) -> list[tuple]:
    """The places to look at one by one: all, or where halves of a direction lead that the gradient fails."""
    if x.size <= SINGLES:
        return [*np.ndindex(*x.shape)]
    for one in differences.tried(function, x, given, t.came, t.eps):
        mask = one[0] != 0
        while not differences.agrees(one) and mask.sum() > 1:
            half = np.zeros(x.shape, bool)
            half[tuple(np.argwhere(mask)[: mask.sum() // 2].T)] = True
            first = differences.weighed(function, x, given, t.came, t.eps, one[0] * half)
            mask = half if not differences.agrees(first) else mask & ~half
            one = differences.weighed(function, x, given, t.came, t.eps, one[0] * mask)
        if mask.sum() == 1 and not differences.agrees(one):
            return [tuple(map(int, np.argwhere(mask)[0]))]
    return []
