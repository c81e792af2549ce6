"""What is true of a takeover's gradients: the decision, one input at a time.

The rules speak first, over the ops that construct ran. Where they do not see everything, construct is called again and
differences are taken; before anything is called wrong, slopes beside the point are looked at, which may not meet there.
Where nobody can know, the verdict says why.
"""

from contextlib import suppress
from operator import is_not

import numpy as np

from ..core.errors import MinicellError
from ..replay import differences
from ..replay.harmless import Harm
from .takeover import FAR, FEW, MANY, Takeover
from .verdict import KINK, NOT_ASKED, RIGHT, SURROGATE, UNKNOWN, WRONG, Verdict, apart, differs

BETWEEN = 'There is no derivative at this {}: yours lies between the slopes on both sides.'
ODD = 'An op has a kink at this {}, and its rule gives another slope than there is around it: that is what yours is.'
NO_SLOPE = 'Every way from {} to the result leads through an operation without a slope: the true gradient is 0.'
STRAIGHT = 'It is what would be due if each operation without a slope had the slope 1: a straight-through estimator.'
JUMPS = 'It is what is due as long as nothing comes to the outputs that change by jumps alone: a surrogate for these.'
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
            values, slopes = t.program.leads(place, t.came)
            chosen = (t.program.chosen | t.program.selects) >> place & 1  # what is computed, by its values
            if not t.blind and not slopes and (chosen or not values):
                return unled(t, told, given)
            return (by_differences if t.blind else by_rules)(t, told, given)
    except Harm as harm:
        return told._replace(why=sentence(t.blind, str(harm)))
    except MinicellError as error:  # an op without a rule
        return told._replace(why=str(error).splitlines()[0].rstrip('.') + '.')


def unled(t: Takeover, told: Verdict, given: np.ndarray) -> Verdict:
    """No op leads from the input to an output: it may have no influence, or one that no op shows, as a search has."""
    try:
        if not t.trying(told.place).flat():
            t.blind = f'no operation leads from {told.name} to the result'
            return by_differences(t, told, given)
    except Harm:
        if t.program.chosen >> told.place & 1:
            raise
    finally:
        t.blind = ''
    return by_rules(t, told, given)


def sentence(*parts: str) -> str:
    """Reasons as a sentence."""
    said = '; '.join(filter(None, parts))
    return f'{said[:1].upper()}{said[1:]}.'.replace('Construct', 'construct')


# ---- the rules see everything ----------------------------------------------------------------------------------------


def by_rules(t: Takeover, told: Verdict, given: np.ndarray) -> Verdict:
    """The rules decide: what agrees within rounding is right."""
    due, largest = t.due[told.place], np.finfo(t.inputs[told.place].dtype).max
    given = np.where((np.abs(due) > largest) & (given == np.sign(due) * np.inf), due, given)  # no number is so large
    by = 'rules and differences' if t.blind else 'rules'  # what the rules do not see has turned out to be nothing
    told = told._replace(due=due, by=by, room=8 * t.eps * np.abs(due) + t.tiny(told.place))
    if np.isfinite(due).all():
        for times in (0, FEW, MANY):
            room = t.rooms(told.place, times) if times else told.room
            if not differs(given, due, room).any():
                told, hides = drowned(t, told._replace(room=room), given)
                if not hides:
                    return confirmed(t, told._replace(verdict=RIGHT), given)
                break
            told = told._replace(room=room)
            if times and (apart(given, due) > FAR * room).any():
                break  # that is no rounding
    return stepped(told, given) if t.program.leads(told.place, t.came) == (True, False) else doubted(t, told, given)


def drowned(t: Takeover, told: Verdict, given: np.ndarray) -> tuple[Verdict, bool]:
    """Whether numbers that are mere rounding in their dtype differ in Float64: there, they are compared."""
    exact, tiny = t.exact[told.place], t.tiny(told.place)
    mostly = (told.room > 0.125 * np.abs(exact)) & differs(given, exact, 1e-6 * np.abs(exact) + tiny)
    once = t.answered()[told.place] if mostly.any() else None
    if once is None:
        return told, False
    exact = t.replay.read(t.came)[told.place]  # its constants are in Float64, too
    mostly &= differs(once, exact, 1e-6 * np.abs(exact) + 5e-3 * told.room)
    room = np.where(mostly, 1e-6 * np.abs(exact), told.room)
    return told._replace(due=np.where(mostly, exact, told.due), room=room), bool(mostly.any())


def stepped(told: Verdict, given: np.ndarray) -> Verdict:
    """Every way leads through an op without a slope."""
    if not np.isfinite(given).all():
        return told._replace(verdict=WRONG, why=f'The gradient of {told.name} is NaN or infinite at some places.')
    return told._replace(verdict=SURROGATE, why=NO_SLOPE.format(told.name))


def limit(t: Takeover, told: Verdict) -> Verdict:
    """The rules gave NaN or infinity: in Float64 they may not, and differences may tend to a number."""
    given, place = told.given, told.place
    due, gap = np.where(np.isfinite(told.due), told.due, t.at(t.xs)[place]), 0.0
    known = np.isfinite(due) | (due == given)  # an infinite slope, as sqrt has at 0, is due if it is yours
    if not known.all():
        trying = t.trying(place) if t.program.chosen else t.replaying(place)
        found, gap, _ = (given, 0.0, False) if trying.holds(given) else trying.one_by_one(given)
        due = np.where(known, due, found)
    room = np.where(np.isfinite(told.due), told.room, gap + 64 * t.eps * np.abs(due) + t.tiny(place))
    why = 'The rules give NaN or infinity here: this is the limit.'
    return told._replace(due=due, room=np.nan_to_num(room), why=why)


def doubted(t: Takeover, told: Verdict, given: np.ndarray) -> Verdict:
    """Yours differs, or the truth is not known everywhere: it may be a kink, and yours may be rounded badly."""
    kinks, meet, nearest = t.kinks(told.place, given)
    kinks &= differs(given, told.due, told.room) | ~np.isfinite(told.due)
    if kinks.any():  # the due number is the nearest of those between the slopes
        slack = 1e-6 * np.abs(nearest) + np.nan_to_num(told.room)
        told = told._replace(due=np.where(kinks, nearest, told.due), room=np.where(kinks, slack, told.room))
    told = told if np.isfinite(told.due).all() else limit(t, told)
    off = apart(given, told.due)
    far = (off > FAR * told.room + t.lost(t.eps, told.due, told.place)) & (off > np.abs(told.due) / 16)
    if told.differs.any() and ((far.any() and not t.blind) or not t.badly_rounded(told)):
        return wrong(t, told, given)
    unknown, nowhere = np.isnan(told.due), any(np.isnan(out).any() for out in t.outs)
    if unknown.any() and not (nowhere and np.isnan(given[unknown]).all()):
        return told._replace(verdict=UNKNOWN, why='The rules give NaN or infinity here, and no limit is found.')
    if (kinks & ~meet).any():
        return told._replace(verdict=KINK, why=BETWEEN.format(told.name))
    return told._replace(verdict=RIGHT, by='the slopes around it' if kinks.any() else told.by)


def wrong(t: Takeover, told: Verdict, given: np.ndarray) -> Verdict:
    """A gradient that differs from the due one; a step that is no op makes it a surrogate, or so it may."""
    place, flat = told.place, not told.due[told.differs].any()
    values, slopes = t.program.leads(place, t.came)
    if flat and values and not slopes:
        return stepped(told, given)
    chosen = t.blind or (t.program.chosen >> place & 1 and not slopes)
    seen = slopes and differs(given, t.due[place], told.room).any()  # a slope that an op has is hidden by no jump
    stops = t.blind and t.program.stopped >> place & 1
    if flat and (stops or (chosen and not seen and t.trying(place).steps())):
        why = f'it {"stops a gradient" if stops else "changes by jumps alone"}, so that yours may be a surrogate'
        return told._replace(why=sentence(t.blind, why)) if t.blind else stepped(told, given)
    as_one = [] if t.blind else t.program.straight(t.came)
    if as_one and not differs(given, as_one[place], told.room + 8 * t.eps * np.abs(as_one[place])).any():
        return told._replace(verdict=SURROGATE, why=STRAIGHT)
    if slopes and len(t.came) > 1 and beside_jumps(t, told):
        return told._replace(verdict=SURROGATE, why=JUMPS)
    v = differences.scale(t.xs[place]) * told.differs * t.rng.uniform(0.5, 1, told.due.shape)
    tried = None if t.blind or np.isnan(told.due).any() else t.replaying(place).along(told.due, v)
    if tried is not None and tried.sure and not tried.agrees and not tried.slope.kink:
        if t.replaying(place).holds(given):
            return told._replace(due=given.astype(np.float64), verdict=RIGHT, by='differences', unseen=SEEN)
        if not t.replaying(place).holds(t.exact[place]):
            t.blind = SEEN
            return by_differences(t, told, given)
        told = told._replace(due=t.exact[place])
        if not told.differs.any() or t.badly_rounded(told):
            return told._replace(verdict=RIGHT)
    off, size = apart(given, told.due), np.abs(told.due)
    if (t.blind or t.program.chosen) and (off <= size / 32).all():
        with suppress(Harm):
            if t.trying(place).leaves_open(off, size):
                return told._replace(verdict=RIGHT, room=off)
    return told._replace(verdict=WRONG, why=told.numbers)


def beside_jumps(t: Takeover, told: Verdict) -> bool:
    """Whether it is right where nothing comes to the outputs that change by jumps alone, as the spikes of a neuron."""
    came = list(t.came)
    with suppress(Harm):
        for k, g in enumerate(t.came):
            alone = [g if k == j else None for j, _ in enumerate(came)]
            if g is not None and not t.program.leads(told.place, alone)[1] and t.trying(told.place, came=alone).steps():
                came[k] = np.zeros_like(g)
        once = t.again.bprop(t.inputs, t.out, t.outs, came)[told.place]
        return any(map(is_not, came, t.came)) and once is not None and not differs(once, told.due, told.room).any()
    return False


# ---- construct is called again ---------------------------------------------------------------------------------------


def confirmed(t: Takeover, told: Verdict, given: np.ndarray) -> Verdict:
    """The rules say that it is right; where everything is tried, differences are asked as well."""
    if not t.thorough:
        return told
    try:
        tried = [*t.trying(told.place).tries(told.due, often=1)]
        if all(one.agrees for one in tried):
            return told._replace(by='rules and differences')
        kinks, meet, _ = t.kinks(told.place, given)
        if kinks.any():
            return told._replace(verdict=KINK, why=(ODD if meet[kinks].all() else BETWEEN).format(told.name))
    except Harm as harm:
        return told._replace(why=f'Differences were not tried: {harm}.')
    if t.blind or not any(one.sure and abs(one.slope.middle - one.said) > 16 * one.room for one in tried):
        return told  # the differences are not sure
    t.blind = SEEN
    return by_differences(t, told, given)


def by_differences(t: Takeover, told: Verdict, given: np.ndarray) -> Verdict:
    """The rules do not see everything: construct is called again. What they do see may still be all there is."""
    told, trying = told._replace(by='differences', unseen=t.blind), t.trying(told.place)
    fine, once, jump = t.trying(told.place, differences.FINEST), t.answered()[told.place], trying.steps()
    due, room, kinks = once, 0.0, False
    if jump or not fine.holds(once):  # in a coarser dtype, rounding may hide one number among many
        if not jump and (once is None or differs(given, once, 64 * t.eps * np.abs(once)).any()) and trying.holds(given):
            return told._replace(due=given.astype(np.float64), verdict=RIGHT)
        if trying.holds(t.due[told.place]):
            return by_rules(t, told, given)
        due = np.zeros(given.shape)
        if not jump:
            due, room, kinks = trying.one_by_one(given) if once is None else fine.one_by_one(once)
    told = told._replace(due=due, room=room + 64 * t.eps * np.abs(due) + t.tiny(told.place))
    if told.differs.any() and not t.badly_rounded(told):
        return wrong(t, told, given)
    if np.isnan(due).any():
        return told._replace(why=sentence(t.blind, 'differences are not sure'))
    return told._replace(verdict=KINK, why=BETWEEN.format(told.name)) if kinks else told._replace(verdict=RIGHT)
