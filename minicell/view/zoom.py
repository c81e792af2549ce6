"""Other views of the same record: fewer steps, or a card for each Cell that the user's code calls."""

from bisect import bisect_right
from dataclasses import replace
from functools import lru_cache

from ..story.names import gradient
from ..story.record import Entry, Gradient, Reading, Record, Value
from . import style


@lru_cache(maxsize=style.RECORDS)
def ops(record: Record) -> Record:
    """What the tape keeps: all that a takeover hides runs in one step."""
    keep = [True] * len(record.steps)
    for i, step in enumerate(record.steps):
        keep[i] = step.kind != 'hidden' or record.entries[step.entry].hidden_at == i
    return record if all(keep) else shortened(record, keep, None)


@lru_cache(maxsize=style.RECORDS)
def cells(record: Record) -> Record:
    """One card for each Cell that the differentiated code calls, and for each op outside of Cells."""
    depth, home = groups(record)
    members: dict[int, list[int]] = {}
    for entry, group in enumerate(home):
        members.setdefault(group, []).append(entry)
    inner = {scope for e in record.entries for scope in e.scopes[depth + 1 :]}
    at = together(record, home, members)
    keep = [s.scope not in inner and is_kept(record, i, home, members, at) for i, s in enumerate(record.steps)]
    entries = {first: merged(record, first, found) for first, found in members.items()}
    return shortened(record, keep, (home, members, entries))


def groups(record: Record) -> tuple[int, list[int]]:
    """How deep to look, and for each entry the first one of its group: those of one call of a Cell.

    Where one Cell holds all, its own Cells are what there is to see.
    """
    depth = 0
    while True:
        at_depth = [(e.level, e.by, e.scopes[depth]) if len(e.scopes) > depth else None for e in record.entries]
        alike = [k for k, e in zip(at_depth, record.entries, strict=True) if e.level == 0 and e.kind != 'loose']
        if not alike or None in alike or len(set(alike)) > 1:
            break
        depth += 1
    seen: dict[object, int] = {}
    out = []
    for i, key in enumerate(at_depth):
        single = key is None or record.entries[i].kind == 'torn'
        out.append(i if single else seen.setdefault(key, i))
    return depth, out


def is_kept(record: Record, number: int, home: list[int], members: dict[int, list[int]], at: list[int]) -> bool:
    """Whether a step is still told when groups are."""
    step = record.steps[number]
    if step.kind == 'hidden' and record.entries[step.entry].hidden_at != number:
        return False
    found = members.get(home[step.entry], []) if step.entry is not None else []
    if len(found) < 2:
        return True
    if step.kind in ('enter', 'hidden'):
        return False
    if step.kind == 'write':
        return step.entry == [i for i in found if record.entries[i].written is not None][-1]
    if step.kind == 'add':
        giver = record.readings[step.reading].entry if step.reading is not None else None
        return giver is None or home[giver] != home[step.entry]
    if step.kind in ('reach', 'give', 'inside'):
        beside = step.reading + (-1 if step.kind == 'reach' else 1)
        alone = not 0 <= beside < len(at) or at[beside] != at[step.reading]
        return step.kind != 'inside' and alone  # the first to be reached, the last to give
    return True


def merged(record: Record, first: int, found: list[int]) -> Entry:
    """The card of a group: what its entries read from outside, and what the Cell returned."""
    entry = record.entries[first]
    if len(found) < 2:
        return entry
    parts = [record.entries[i] for i in found]
    scope = record.scopes[common(parts)]
    members = set(found)
    sources = tuple(dict.fromkeys(s for e in parts for s in e.sources if s not in members))
    recorded = [e for e in parts if e.kind in ('op', 'call', 'hook')]
    label = f'{recorded[0].label}–{recorded[-1].label}' if len(recorded) > 1 else (recorded or parts)[-1].label
    writes = all(e.label == '←' for e in parts)  # an optimizer's: what it overwrites is what there is to see
    return replace(
        entry,
        label=label,
        name=scope.name,
        kind='cell' if recorded else 'loose',
        first=entry.first,
        inputs=named(parts, 0) if writes else scope.inputs,
        keys=tuple(k for e in parts for k in e.keys) if writes else scope.keys,
        made=parts[-1].made,
        outputs=named(parts, 1) if writes else scope.outputs or parts[-1].outputs,
        sources=sources,
        written=max((e.written for e in parts if e.written is not None), default=None),
        mark=scope.mark or entry.mark,
        source='',
        op=None,
        wires=tuple(dict.fromkeys(w for e in parts for w in e.wires)),
        note=entry.note,
        inside=tuple(e.name for e in recorded) if recorded else tuple(e.target for e in parts if e.target),
        takeovers=sum(e.kind == 'call' for e in parts),
    )


def named(parts: list[Entry], which: int) -> tuple[Value, ...]:
    """What writes found, or left, by the names of what they overwrote."""
    pairs = [(e.target, e.outputs if which else e.inputs) for e in parts]
    return tuple(v._replace(name=target or v.name) for target, values in pairs for v in values)


def common(parts: list[Entry]) -> int:
    """The innermost Cell that all these entries ran in."""
    shared = parts[0].scopes
    for e in parts[1:]:
        count = next((i for i, (a, b) in enumerate(zip(shared, e.scopes, strict=False)) if a != b), None)
        shared = shared[: min(len(shared), len(e.scopes)) if count is None else count]
    return shared[-1]


def shortened(record: Record, keep: list[bool], grouped: tuple | None) -> Record:
    """The record with some steps left out, and with some entries as one."""
    kept = [i for i, k in enumerate(keep) if k]

    def at(step: int | None) -> int | None:
        return None if step is None else max(bisect_right(kept, step) - 1, 0)

    home, members, entries = grouped or (list(range(len(record.entries))), {}, dict(enumerate(record.entries)))
    number = {first: i for i, first in enumerate(entries)}
    place = [number[h] for h in home]
    reading_at = together(record, home, members)
    readings = joined(record, home, members, place, reading_at)
    out = Record(scopes=record.scopes, code=record.code, unknown=record.unknown)
    out.entries = [
        replace(
            e,
            first=at(e.first),
            hidden_at=at(e.hidden_at),
            written=at(e.written),
            ghosts=[g._replace(first=at(g.first)) for g in e.ghosts],
            sources=tuple(dict.fromkeys(place[s] for s in e.sources)),
            by=None if e.by is None or e.by < 0 else reading_at[e.by],
        )
        for e in entries.values()
    ]
    out.readings = [replace(r, reached=at(r.reached), given=at(r.given)) for r in readings]
    out.passes = [
        replace(
            run,
            inside=None if run.inside is None else reading_at[run.inside],
            begun=at(run.begun),
            started=at(run.started),
            ended=at(run.ended),
            arrivals=tuple(a._replace(parts=tuple((at(s), v) for s, v in a.parts)) for a in run.arrivals),
        )
        for run in record.passes
    ]
    if grouped is None:
        out.steps = [record.steps[i] for i in kept]
        return out
    for i in kept:
        step = record.steps[i]
        entry = None if step.entry is None else place[step.entry]
        reading = None if step.reading is None else reading_at[step.reading]
        mark = step.mark
        if entry is not None and out.entries[entry].kind == 'cell' and step.kind in ('write', 'reach', 'give'):
            mark = out.entries[entry].mark
            mark = mark and mark._replace(back=step.kind != 'write')
        out.steps.append(step._replace(entry=entry, reading=reading, mark=mark))
    return out


def together(record: Record, home: list[int], members: dict[int, list[int]]) -> list[int]:
    """For each reading, which one it is part of: those of a group by one gradient, one after the other, are one."""
    at, last = [], None
    for reading in record.readings:
        group = home[reading.entry]
        joins = last is not None and (home[last.entry], last.order) == (group, reading.order)
        at.append(at[-1] + (not joins or len(members.get(group, ())) < 2) if at else 0)
        last = reading
    return at


def joined(record: Record, home: list[int], members: dict[int, list[int]], place: list[int], at: list[int]) -> list:
    """The readings of each group as one."""
    out: list[Reading] = []
    for number, reading in zip(at, record.readings, strict=True):
        found = members.get(home[reading.entry], ())
        if number == len(out):
            origin = None if reading.origin is None else place[reading.origin]
            one = replace(reading, entry=place[reading.entry], origin=origin)
            out.append(replace(one, gave=(), judge=None) if len(found) > 1 else one)
        if len(found) > 1:
            out[number] = both(record, out[number], reading, found)
    return out


def both(record: Record, told: Reading, more: Reading, found: list[int]) -> Reading:
    """A group's reading with one more of its entries read: what it hands to the outside is added up."""
    scope = record.scopes[common([record.entries[i] for i in found])]
    named = dict(zip(scope.keys, scope.inputs, strict=True))
    entry = record.entries[more.entry]
    floats = [(k, v) for k, v in zip(entry.keys, entry.inputs, strict=False) if v.data is not None]
    sums: dict[int, Gradient] = dict(zip(told.keys, told.gave, strict=True))
    for (key, _), g in zip(floats, more.gave, strict=False):
        if key not in named:
            continue
        before = sums.get(key)
        if before is None or before.value is None:
            of = named[key].name
            value = g.value and g.value._replace(name=gradient(of))
            sums[key] = Gradient(gradient(of), of, value, g.why)
        elif g.value is not None and g.value.data.shape == before.value.data.shape:
            sums[key] = before._replace(value=before.value._replace(data=before.value.data + g.value.data))
    given = more.given if more.given is not None else told.given
    ordered = {k: sums[k] for k in scope.keys if k in sums}
    return replace(
        told, gave=tuple(ordered.values()), keys=tuple(ordered), given=given, error=told.error or more.error
    )  # fmt: skip
