"""Other views of the same record: fewer steps, or a card for each Cell that the user's code calls.

Nothing gets another number: a step that is left out has no kind, and where several entries, or readings of them, are
shown as one, that stands in the place of the first.
"""

from dataclasses import replace
from itertools import groupby, takewhile
from typing import Any

from ..story.names import gradient
from ..story.record import Entry, Gradient, Reading, Record, Step
from .formula import gradient_of, order

LEFT_OUT = Step('')
WITHIN = Entry('', '', 'within', level=-1)  # what stands on the card of another


def named(record: Record) -> Record:
    """With names that tell what a second gradient hands out from what the first does."""
    for run in record.passes:
        run.arrivals = tuple(renamed(a, 'total', order(run)) for a in run.arrivals)
    for reading in record.readings:
        if reading.run is not None and record.entries[reading.entry].kind == 'op':
            deep = order(record.passes[reading.run])
            reading.gave = tuple(renamed(g, 'value', deep) for g in reading.gave)
    return record


def renamed(found: Any, where: str, deep: int) -> Any:
    """A gradient under the name of its tensor, if the tensor has one; the gradient of a jvp has a name of its own."""
    if not deep or found.name != gradient(found.of):
        return found
    name, value = gradient_of(found.of, deep), getattr(found, where)
    return found._replace(name=name, **{where: value and value._replace(name=name)})


def ops(record: Record) -> Record:
    """What the tape keeps: all that a takeover hides runs in one step."""
    again = lambda i, step: step.kind == 'hidden' and record.entries[step.entry].hidden_at != i
    return replace(record, steps=[LEFT_OUT if again(i, step) else step for i, step in enumerate(record.steps)])


def cells(record: Record) -> Record:
    """One card for each Cell that the differentiated code calls, and for each op outside of Cells."""
    depth, home = groups(record)
    members: dict[int, list[int]] = {}
    for entry, first in enumerate(home):
        members.setdefault(first, []).append(entry)
    inner = {scope for e in record.entries for scope in e.scopes[depth + 1 :]}
    readings: list[Reading] = []
    begins: list[int] = []  # for each reading, where what it is part of begins: those of a group by one gradient
    for (first, _), numbers in groupby(record.readings, lambda r: (home[r.entry], r.order)):
        same, found = list(numbers), members[first]
        if found[1:]:
            begins += [len(readings)] * len(same)
            rest = [Reading(found[-1], r.order, r.reached, ()) for r in same[1:]]
            same = [joined(record, found, same), *rest]
        else:
            begins += range(len(readings), len(readings) + len(same))
        readings += same
    out = replace(
        record,
        entries=[merged(record, members[i], begins) if i in members else WITHIN for i in range(len(record.entries))],
        readings=readings,
        passes=[replace(p, inside=None if p.inside is None else begins[p.inside]) for p in record.passes],
        steps=[],
    )
    # Of a group is told when all of it is written, when backward reaches it, and when it has handed out all; of what
    # happens within nothing else, but what is added to what came from elsewhere.
    whole = [readings[first] for first in set(begins)]
    kept = {e.written for e in out.entries} | {when for r in whole for when in (r.reached, r.given)}
    for i, step in enumerate(ops(record).steps):
        entry = None if step.entry is None else home[step.entry]
        reading = None if step.reading is None else begins[step.reading]
        within = len(members.get(entry, ())) > 1 and step.kind not in ('start', 'arrive', 'fail')
        outside = step.kind == 'add' and (reading is None or home[record.readings[reading].entry] != entry)
        shown = step.scope not in inner and (not within or outside or i in kept)
        mark, of = step.mark, WITHIN if entry is None else out.entries[entry]
        if of.kind == 'cell' and step.kind in ('write', 'reach', 'give'):
            mark = of.mark and of.mark._replace(back=step.kind != 'write')
        out.steps.append(step._replace(entry=entry, reading=reading, mark=mark) if shown else LEFT_OUT)
        if not shown and out.steps[-2:][0].kind in ('give', 'add'):  # what is added behind is there with it
            out.steps[-2:] = reversed(out.steps[-2:])
    return out


def groups(record: Record) -> tuple[int, list[int]]:
    """How deep to look, and for each entry the first one of its group: those of one call of a Cell.

    Where one Cell holds all, its own Cells are what there is to see.
    """
    scopes = [e.scopes for e in record.entries if e.level == 0 and e.kind != 'loose']
    depth = len([*takewhile(lambda same: len(set(same)) == 1, zip(*scopes, strict=False))])  # that hold all
    seen: dict[object, int] = {}
    out = []
    for i, e in enumerate(record.entries):
        single = len(e.scopes) <= depth or e.kind == 'torn'
        out.append(i if single else seen.setdefault((e.level, e.by, e.scopes[depth]), i))
    return depth, out


def merged(record: Record, found: list[int], begins: list[int]) -> Entry:
    """The card of a group: what its entries read from outside, and what the Cell returned."""
    parts = [record.entries[i] for i in found]
    entry = parts[0] if parts[0].by is None else replace(parts[0], by=begins[parts[0].by])
    if len(parts) < 2:
        return entry
    scope = record.scopes[common(parts)]
    recorded = [e for e in parts if e.kind in ('op', 'call', 'hook')]
    label = f'{recorded[0].label}–{recorded[-1].label}' if len(recorded) > 1 else (recorded or parts)[-1].label
    return replace(
        entry,
        label=label,
        name=scope.name,
        kind='cell' if recorded else 'loose',
        inputs=scope.inputs,
        keys=scope.keys,
        made=parts[-1].made,
        outputs=scope.outputs or parts[-1].outputs,
        written=max((e.written for e in parts if e.written is not None), default=None),
        mark=scope.mark or entry.mark,
        source='',
        op=None,
        wires=tuple(dict.fromkeys(w for e in parts for w in e.wires)),
        inside=tuple(e.name for e in recorded) if recorded else tuple(e.target for e in parts if e.target),
    )


def common(parts: list[Entry]) -> int:
    """The innermost Cell that all these entries ran in."""
    return [same[0] for same in zip(*(e.scopes for e in parts), strict=False) if len(set(same)) == 1][-1]


def joined(record: Record, found: list[int], readings: list[Reading]) -> Reading:
    """The readings of a group as one: what it hands to the outside is added up."""
    scope = record.scopes[common([record.entries[i] for i in found])]
    of = {key: v.name for key, v in zip(scope.keys, scope.inputs, strict=True)}
    sums: dict[int, Gradient] = {}
    for g in (g for reading in readings for g in reading.gave if g.key in of):
        before = sums.get(g.key)
        if before is None or before.value is None:
            name = gradient(of[g.key])
            value = g.value and g.value._replace(name=name)
            sums[g.key] = g._replace(name=name, of=of[g.key], value=value, formula='', mark=None)
        elif g.value is not None and g.value.data.shape == before.value.data.shape:
            value = before.value._replace(data=before.value.data + g.value.data)
            sums[g.key] = before._replace(value=value, when=g.when, tensor=None)
    gave = tuple(sums[key] for key in dict.fromkeys(scope.keys) if key in sums)
    given = [r.given for r in readings if r.given is not None]
    error = next((r.error for r in readings if r.error), '')
    return replace(readings[0], entry=found[0], gave=gave, given=given[-1] if given else None, judge=None, error=error)
