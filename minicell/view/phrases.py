"""Parts of sentences: values, names, whose rule it is."""

from collections.abc import Sequence

import numpy as np

from ..core.rules import Plain
from ..ink import numbers
from ..story.facts import under
from ..story.names import gradient
from ..story.record import Arrival, Entry, Gradient, Pass, Reading, Record, Value
from . import formula, style
from .formula import NAMES, TAKEN, name_of

GATES = {'HookIn': 'the start', 'HookOut': 'the end'}  # entries at which no hook is called
ORDINALS = 'first', 'second', 'third', 'fourth', 'fifth'


# ---- values ----


def told(v: Value, name: str | None = None) -> str:
    """A value in a sentence, by its own name or another: `dz = 1`, `y = [3, −1.50]`, `dx: 2×3 numbers from 1 to 2`."""
    name = v.name if name is None else name
    if v.data is None:
        return f'{name} {v.words}'.strip()
    if not few(v):
        return f'{name}: {many(v)}' if name else many(v)
    return f'{name} = ' * bool(name) + nested(v.data.item() if single(v) else v.data.tolist())


def nested(n: object) -> str:
    """A number, or a list of them: `[[1, −1.50]]`."""
    if isinstance(n, list):
        return f'[{", ".join(map(nested, n))}]'
    return str(n) if isinstance(n, bool) else numbers.said(n)


def many(v: Value) -> str:
    """Numbers that are too many to be said one by one: `2×3 numbers from 1.40 to 2.30`."""
    size = '×'.join(map(str, v.shape))
    if v.data.dtype.kind == 'b' and v.data.size:
        return f'{size} truth values, {int(v.data.sum())} of them True'
    if not v.data.size:
        return f'{size} numbers, so none'
    low, high = float(v.data.min()), float(v.data.max())
    if low != low:
        return f'{size} numbers, NaN among them'
    least, most = numbers.said(low), numbers.said(high)
    if least == most:
        return f'{size} numbers, all {"about " * (low != high)}{least}'
    return f'{size} numbers from {least} to {most}'


def single(v: Value | None) -> bool:
    """Whether a value is one number."""
    return v is not None and v.data is not None and v.data.size == 1


def few(v: Value) -> bool:
    """Whether all its numbers are said."""
    return single(v) or (v.data is not None and v.data.ndim <= 2 and 0 < v.data.size <= style.FEW)


def amount(v: Value) -> str:
    """A value alone: its number, or its shape."""
    return told(v, '')


def added(parts: Sequence[Value]) -> str:
    """What a sum is made of, as it stands behind it: `= 0.40 − 0.32`; with ≈ where it does not add up as written."""
    shown = lambda v: [numbers.read(numbers.said(n)) for n in v.data.ravel().tolist()]
    total = parts[0]._replace(data=sum(v.data for v in parts))
    rows = zip(*map(shown, (*parts, total)), strict=True)
    sign = '≈' if any(round(sum(each) - due, numbers.MOST) for *each, due in rows if np.isfinite(due)) else '='
    return f'{sign} {" + ".join(map(amount, parts))}'.replace('+ −', '− ')


def missing(arrival: Arrival) -> str:
    """A gradient that nothing on the tape leads to, and why. Only a number that is zero is called so."""
    total = arrival.total
    if total is not None and (total.data is None or total.data.any()):
        return f'{told(total, arrival.name)}: {arrival.why}'
    return f'{arrival.name} is {"missing" if total is None else "zero"}: {arrival.why}'


def come(record: Record, entry: Entry, reading: Reading) -> str:
    """What a rule gets, by the name that the picture has for it."""
    if len(reading.douts) != 1 or not entry.outputs:
        return ', '.join(map(told, reading.douts))
    run = record.passes[reading.run] if reading.run is not None else None
    return told(reading.douts[0], formula.called(record, entry, run).dout)


def given(record: Record, entry: Entry, reading: Reading) -> list[Gradient]:
    """What was handed out, by the names that the picture has for it: two that the code calls alike, by what they belong
    to."""
    names = [g.name for g in reading.gave]
    alike = entry.kind != 'op' and len(set(names)) < len(names)
    return [g._replace(name=gradient(g.of)) if alike and names.count(g.name) > 1 else g for g in reading.gave]


# ---- whose rule ----


def rule_of(entry: Entry) -> str:
    """Whose rule it is: `sum's rule`."""
    return f'{name_of(entry)}’s rule' if entry.name not in GATES else f'{GATES[entry.name]} of a Cell with a hook'


def lost(entry: Entry) -> list[str]:
    """The ops whose rules a takeover displaces."""
    return [g.name for g in entry.ghosts if g.lost] or entry.hidden * (not entry.ghosts)


def displaced(entry: Entry) -> str:
    """What a takeover displaces."""
    names = [NAMES.get(name, name) for name in lost(entry)]
    if len(names) != 1:
        return f'the rules of {len(names)} operations' if names else 'the usual rule'
    return 'the built-in rule' if names == [entry.name] else f'{names[0]}’s rule'  # (two things of one name)


def without_rule(entry: Entry) -> str:
    """What it hides beside these: ` (Round has none)`; '' if all have one."""
    names = list(dict.fromkeys(g.name for g in entry.ghosts if isinstance(under(g.rule), Plain)))
    have = 'there is' if not lost(entry) else f'{len(names)} have' if names[1:] else f'{"".join(names)} has'
    return f' ({have} none)' * bool(names)


def no_slope(entry: Entry) -> str:
    """Why the true gradient is 0 everywhere: `Round has no slope`."""
    names = list(dict.fromkeys(g.name for g in entry.ghosts if isinstance(under(g.rule), Plain)))
    return f'{listed(names)} {"have" if names[1:] else "has"} no slope' * bool(names)


def true_formula(record: Record, entry: Entry, k: int) -> str:
    """How the displaced rule would have made the k-th gradient: `dout @ y.T`; of several rules, whose they are."""
    lost = [g for g in entry.ghosts if g.lost]
    said = formula.displaced(record, entry, lost[0], k) if len(lost) == 1 == len(entry.hidden) else ''
    return said or f'by {displaced(entry)}'


def hook_of(entry: Entry) -> str:
    """What a hook is called: a Cell may have one for what leaves it, and one for what comes back out of it."""
    return f'{"pre-" * (entry.hook == "backward_pre")}{entry.name}'


def code_of(entry: Entry) -> str:
    """What runs in a takeover: `Net.bprop`."""
    return f'{entry.name}.bprop' if entry.kind == 'call' else f'{"your " * entry.yours}{hook_of(entry)}'


# ---- which gradient ----


def which_gradient(run: Pass) -> str:
    """Which of the gradients of its nest one is, counted from the innermost, or ''."""
    return f'The {nth(run.inner)} gradient' if run.nested else ''


def reads_as(record: Record, run: Pass) -> str:
    """What the gradient is called that reads a tape."""
    if run.inside is not None:
        return f'grad in {code_of(record.entries[record.readings[run.inside].entry])}'
    return run.asked or ('outer grad' if run.outermost else 'inner grad' if run.nested else 'grad')


def takeover_around(record: Record, run: Pass) -> Entry | None:
    """The entry in whose bprop or hook a gradient runs."""
    if run.inside is not None:
        return record.entries[record.readings[run.inside].entry]
    when = run.begun if run.started is None else run.started
    ends = lambda r: r.reached if r.error else len(record.steps) if r.given is None else r.given
    around = (record.entries[r.entry] for r in reversed(record.readings) if r.reached < when < ends(r))
    return next((entry for entry in around if entry.kind in TAKEN), None)


def root(record: Record, number: int) -> int:
    """The gradient that all the others are a part of: around a gradient, or around the bprop that it runs in."""
    run = record.passes[number]
    inside = record.readings[run.inside].run if run.inside is not None else None
    around = run.around if run.around is not None else inside
    return number if around is None else root(record, around)


def read(record: Record, number: int) -> list[Entry]:
    """The entries that a gradient reads, in the order of time."""
    return [record.entries[reading.entry] for reading in record.readings if reading.run == number]


def road(record: Record, number: int) -> str:
    """From where to where a gradient reads: `the second tape from its end, then the first`."""
    written = (e.written for e in record.entries if e.level and e.written is not None)
    if not any(step < record.passes[number].started for step in written):
        return 'the tape from its end'  # there is only one as yet
    found = dict.fromkeys(nth(e.level) for e in read(record, number) if e.label)  # (a hook on a tensor stands on none)
    first, *rest = found or [nth(0)]
    return f'the {first} tape from its end' + (f', then the {listed(rest)}' if rest else '')


def rules_of(record: Record, number: int) -> str:
    """The rules and bprops that a gradient came back through; of many the first, the last, and how many."""
    entries = read(record, number)
    found = [rule_of(e) if e.kind == 'op' else e.name if e.kind == 'cell' else code_of(e) for e in entries]
    return listed(found) if len(found) < style.FEW else f'{len(found)} entries: {found[0]} first, {found[-1]} last'


def lifted(record: Record, entry: Entry) -> bool:
    """Whether a bprop of the user's has written an entry while a gradient around it followed it."""
    reading = record.readings[entry.by] if entry.by is not None else None
    if reading is None or not record.passes[reading.run].watched:
        return False
    by = record.entries[reading.entry]
    return by.kind == 'call' and by.yours


def yours(record: Record, number: int) -> bool:
    """Whether a gradient reads lines of a user's bprop."""
    return any(lifted(record, entry) for entry in read(record, number))


# ---- lists ----


def listed(items: list[str]) -> str:
    """`a, b and c`."""
    return ' and '.join([', '.join(items[:-1]), items[-1]] if len(items) > 1 else items)


def some(names: list[str]) -> str:
    """The names of a few gradients, or how many there are."""
    names = list(dict.fromkeys(names))
    short = len(names) < style.NAMES_SAID and sum(map(len, names)) < style.NAMES_WIDE
    return listed(names) if short else f'{len(names)} gradients'


def nth(number: int) -> str:
    """Which one, counted from 0: `first`."""
    return ORDINALS[number] if number < len(ORDINALS) else f'{number + 1}th'


def sentence(words: str) -> str:
    """With a capital, but for a name such as stop_gradient, and a full stop."""
    words = words.strip()
    if words.split(' ')[0].replace('’', '').isalpha():
        words = words[:1].upper() + words[1:]
    return words and words + ('' if words.endswith(('.', '!', '?')) else '.')
