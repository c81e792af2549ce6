"""What a step says: first what happens, then why. Title, caption, and the voice under the code."""

from typing import TYPE_CHECKING

import numpy as np

from ..judge.verdict import UNKNOWN, WRONG
from ..story.names import gradient
from ..story.record import Entry, Pass, Record, Step, Value
from . import style
from .formula import name_of
from .phrases import (
    GATES,
    amount,
    capital,
    code_of,
    come,
    displaced,
    few,
    given,
    hook_of,
    levels,
    lifted,
    listed,
    many_rules,
    missing,
    nth,
    read,
    road,
    rule_of,
    rules_of,
    sentence,
    single,
    some,
    takeover_around,
    times,
    told,
    which_gradient,
    yours,
)

if TYPE_CHECKING:
    from .moment import Story

Said = tuple[str, str]


EMPTY = 'This tape is empty', 'Nothing was called inside the block of this Tape.'


def step_words(story: 'Story', number: int) -> Said:
    """Title and caption of a step."""
    record, step = story.record, story.record.steps[number]
    if step.kind == 'arrive' and story.named(record.passes[step.run]):
        return final(story, step.run)
    if step.kind in ('give', 'start'):
        return (give if step.kind == 'give' else start)(record, step, number, story)
    return KINDS[step.kind](record, step, number)


def final(story: 'Story', number: int) -> Said:
    """A gradient of a gradient arrives, to which the user's line gives a name."""
    record, run, names = story.record, story.record.passes[number], story.named(story.record.passes[number])
    told_ = [told(a.total._replace(name=names.get(a.name, a.name))) for a in run.arrivals if a.total]
    unknown = next((v.why for v in run.verdicts if v.verdict == UNKNOWN), '')
    way = unknown or way_of(story, number)
    verdicts = zip(run.arrivals, run.verdicts, strict=False)
    wrong = [names.get(a.name, a.name) for a, v in verdicts if v.verdict == WRONG]
    if wrong:
        return f'Your {some(wrong)} {"are" if len(wrong) > 1 else "is"} wrong, and nobody noticed', way
    if (found := derivative(record, run)) is not None and levels(record, number) and yours(record, number):
        return f'{told_[0]}, the second derivative: how {found[0]} changes with {found[1]}', way
    what = 'a gradient through another gradient'
    if run.result_of is not None:
        what = f'the gradient of your {record.passes[run.result_of].asked or "gradient"}'
    if not run.seeds:
        what = f'nothing leads back to {listed([a.of for a in run.arrivals])}'
    return f'{", ".join(told_)}: {what}', way


def way_of(story: 'Story', number: int) -> str:
    """Which way a gradient of a gradient came, or why there was none."""
    record, run = story.record, story.record.passes[number]
    rules = rules_of(record, number)
    if rules and yours(record, number):
        start = record.steps[run.started].entry
        last = record.entries[start] if start is not None else None
        ends = last is not None and last.source and any(v is story.again for v in last.outputs)
        made = f', {story.again.name} = {last.source}' if ends else ''
        return f'The outer grad recorded your bprop while it ran, and then differentiated its result{made}.'
    if rules or record.unknown:
        return f'It came back through {rules}.' * bool(rules)
    inner = [k for k, each in enumerate(record.passes) if each.around == number]
    if any(e.kind == 'call' and e.yours for k in inner for e in read(record, k)):
        return 'The second tape is empty: what your lines used was a constant there, and a constant has no gradient.'
    of = listed([a.of for a in run.arrivals])
    return f'Nothing on the tapes leads from the gradient inside back to {of}.'


def derivative(record: Record, run: Pass) -> tuple[str, str] | None:
    """Of a second derivative: what the first one is called, and with respect to what it is taken."""
    inner = record.passes[run.result_of] if run.result_of is not None else None
    if inner is None or inner.inner or len(run.arrivals) != 1 or len(inner.arrivals) != 1:
        return None
    (second,), (first,) = run.arrivals, inner.arrivals
    at = next((v for e in record.entries for v in e.inputs if v.name == first.of and single(v)), None)
    return (first.name, at.name) if at is not None and single(first.total) and first.of == second.of else None


def enter(record: Record, step: Step, number: int) -> Said:
    """A Cell is called."""
    if step.run is None:
        return f'{step.what} is called', 'No gradient is being taken, so nothing that runs here is taped.'
    if step.entry is not None:
        whose = 'It brings its own bprop.' if record.entries[step.entry].yours else 'It has a bprop of its own.'
        empty = all(e.written is None or not e.label[:1].isdigit() or e.written > number for e in record.entries)
        first = 'The tape is the list of what ran, kept for the way back.' if empty else ''
        return f'{step.what} is called. {whose}', f'A bprop is a backward rule of its own. {first}'.strip()
    return f'{step.what} is called', 'Each operation that it runs writes an entry on the tape.'


def hidden(record: Record, step: Step, number: int) -> Said:
    """An op inside a Cell with its own bprop runs."""
    entry = record.entries[step.entry]
    ghost = next((g for g in entry.ghosts if g.first == number), None)
    if len(entry.hidden) > 1 and (ghost is None or entry.hidden_at == number):
        if step.run is None:
            return f'{len(entry.hidden)} operations run inside {entry.name}', (
                'No gradient is being taken, so nothing is taped here.'
            )
        return f'{len(entry.hidden)} operations run inside {entry.name}, and none is taped', (
            'A Cell with its own bprop leaves one entry: backward will not look inside.'
        )
    what = ghost.source if ghost and ghost.source else step.what
    if step.run is None:
        return f'Inside {entry.name}, {what} runs', 'No gradient is being taken, so nothing is taped here.'
    if ghost is not None and not ghost.lost:
        return f'Inside {entry.name}, {what} runs', 'It has no gradient, so it would not be taped anyway.'
    return f'Inside {entry.name}, {what} runs, and is not taped', (
        f'Without the bprop, {what} would now be an entry of the tape.'
    )


def write(record: Record, step: Step, number: int) -> Said:
    """An entry is written, or none."""
    entry = record.entries[step.entry]
    outs = ', '.join(told(v) for v in entry.outputs)
    if entry.label == '←':
        return f'{entry.name} writes into memory', 'A write is not an operation: it leaves no entry, and no gradient.'
    if entry.kind == 'loose':
        return f'{name_of(entry)} is not taped', f'{sentence(entry.why)} Result: {outs}.'
    if entry.kind == 'call':
        call = f'Entry {entry.label} says: for my gradients, call {entry.name}.bprop.'
        return f'{entry.name} writes one entry on the tape', call
    if entry.kind == 'hook':
        gate = 'Forward passes through it unchanged. When backward reads it, it calls the hook.'
        return f'Entry {entry.label} is for your {hook_of(entry)}', gate
    if entry.name in GATES:
        gate = 'Forward passes through it unchanged, and backward too: the hook is called at another entry.'
        return f'Entry {entry.label} marks {rule_of(entry)}', gate
    title = f'{name_of(entry)} writes entry {entry.label}'
    if entry.kind == 'cell':
        return f'{entry.name} writes entries {entry.label}', f'Inside: {", ".join(entry.inside)}.'
    if entry.level:
        gives = f'Entry {entry.label} is {entry.source or name_of(entry)}: {outs}.'
        reading = record.readings[entry.by] if entry.by is not None else None
        if reading is not None and not record.passes[reading.run].watched:  # nobody follows this backward
            return title, f'{gives} A gradient inside {code_of(record.entries[reading.entry])} records it.'
        if lifted(record, entry) is not None and entry.mark:
            return f'Your line {entry.mark.line} lifts off, onto the {nth(entry.level)} tape', gives
        return title, f'{gives} Backward is taped too: another gradient will read it.'
    return (
        title,
        f'{entry.source if entry.source and whole(record, entry) else name_of(entry)} gives {outs}.' if outs else '',
    )


def whole(record: Record, entry: Entry) -> bool:
    """Whether the line that an entry stands for is its own, and does not call a Cell of which it is one of several."""
    around = [s for s in entry.scopes if record.scopes[s].mark == entry.mark]
    return not any(s in e.scopes for s in around for e in record.entries if e is not entry)


def start(record: Record, step: Step, number: int, story: 'Story') -> Said:
    """Backward starts."""
    run = record.passes[step.run]
    which = which_gradient(run) if run.outermost else ''
    seeds = ', '.join(amount(v) for v in run.seeds)
    if not seeds:
        return f'{which or "Backward"} finds nothing to read back', 'No entry of the tape leads to the result.'
    way = f'It reads {road(record, step.run)}'
    watched = ' Backward is taped too, for the gradient around it.' * run.watched
    if run.asked:
        return asked(run, seeds, way)
    if (by := takeover_around(record, run)) is not None:
        whose = '' if run.watched else f'It is a part of this {"bprop" if by.kind == "call" else "hook"}. '
        name = which_gradient(run).replace('The', 'the') if run.outermost or run.inner else 'a gradient'
        return f'Inside {code_of(by)}, {name} starts with {seeds}', f'{whose}{way}.{watched}'
    if run.outermost:
        return f'{which} starts with {seeds}', f'{way}{": your own lines, backwards" * yours(record, step.run)}.'
    return f'Backward starts with {seeds}', f'{way}{", entry by entry" * (", then" not in way)}.{watched}'


def asked(run: Pass, seeds: str, way: str) -> Said:
    """Backward starts for a jvp: it reads back twice, the second time to see what the first did with its start."""
    if not run.again:
        twice = f'{"For a column " * (run.asked == "jacfwd")}{run.asked} reads back twice; this is taped.'
        return f'The first reading of {run.asked} starts with {seeds}', f'{twice} {way}.'
    what = 'That is the direction v.' if run.asked == 'jvp' else 'The 1 chooses the column.'
    return f'The second reading of {run.asked} starts with {seeds}', f'{what} {way}.'


def asked_arrives(run: Pass) -> Said:
    """What a reading of a jvp hands over."""
    said = '; '.join(told(a.total._replace(name=a.name)) if a.total else missing(a) for a in run.arrivals)
    if not run.again:
        then = 'The second reading asks how that depends on what this one started with.'
        return f'The first reading of {run.asked} ends', f'{said}. {then}'
    if run.asked == 'jvp':
        return f'{said}: the derivative along v', 'It is the Jacobian times v: how the result changes along v.'
    return f'A column of the Jacobian arrives: {said}', 'jacfwd puts the columns side by side.'


def reach(record: Record, step: Step, number: int) -> Said:
    """Backward reaches an entry."""
    entry, reading = record.entries[step.entry], record.readings[step.reading]
    dout = ', '.join(told(v) for v in reading.douts)
    if entry.kind == 'call':
        into, be = 'your own lines' if entry.yours else 'its own bprop', 'are' if many_rules(entry) else 'is'
        instead = (
            f'{entry.name} has its own bprop, so {displaced(entry)} {be} never called: {entry.name}.bprop runs instead.'
        )
        return f'Takeover: backward turns off its road, into {into}', instead
    if entry.kind == 'hook':
        alone = len(reading.douts) == 1 and reading.douts[0].name.startswith('dout[')
        came = told(reading.douts[0]._replace(name='dout')) if alone else dout
        told_ = f'It gets {came}, and may put another in its place.'
        return f'Takeover: backward calls your {hook_of(entry)}', told_
    if entry.kind == 'cell':
        return f'Backward enters {entry.name}', f'It brings {dout}.'
    return f'Backward reads entry {entry.label}: {rule_of(entry)}', f'It gets {come(record, entry, reading)}.'


def inside(record: Record, step: Step, number: int) -> Said:
    """A line of a bprop runs."""
    entry, value = record.entries[step.entry], step.value
    line = f'line {step.mark.line}' if step.mark else 'code'
    whose = f'Your {line}' if entry.yours else f'Its {line}'
    unread = (
        entry.kind == 'call' and entry.facts and not entry.facts.reads_dout and ' It does not look at dout.'
    ) or ''
    if value.name:
        return f'{whose} makes {value.name}', f'{value.name} = {step.what}: {told(value._replace(name=""))}.{unread}'
    return f'{whose} runs {step.what}', f'The result is {told(value)}.{unread}'


def give(record: Record, step: Step, number: int, story: 'Story') -> Said:
    """An entry hands out its gradients."""
    entry, reading = record.entries[step.entry], record.readings[step.reading]
    gave = [g for g in given(record, entry, reading) if g.value]
    gave = [g._replace(name='') if g.name == gradient('') else g for g in gave]
    names = listed(list(dict.fromkeys(g.name or 'a gradient' for g in gave))) or 'nothing'
    if entry.kind == 'cell':
        handed = ', '.join(told(g.value) for g in gave) or 'Its Parameters have their gradients.'
        return f'{entry.name} has been read', handed
    if entry.kind == 'call':
        taken = 'It is taken as it is' if len(gave) < 2 else 'They are taken as they are'
        return f'{"Your" if entry.yours else "Its"} bprop returns {names}', f'{taken}: nobody checks the numbers.'
    if entry.kind == 'hook':
        if all(h.after is None for h in reading.hooks):
            return f'Your {hook_of(entry)} changes nothing', 'It returned None: the gradient goes on as it came.'
        was, now = reading.hooks[0].before, [v for h in reading.hooks for v in [h.after or h.before]][-1]
        changed = [b.name for a, b in zip(was, now, strict=False) if not alike(a, b)]
        handed = ', '.join(told(g.value) for g in gave)
        if not changed:
            return f'Your {hook_of(entry)} changes nothing', f'It returned what it had got: {handed}.'
        return f'Your {hook_of(entry)} changes {listed(list(dict.fromkeys(changed)))}', f'{handed}.'
    none = [g for g in reading.gave if g.value is None and g.of]
    rest = f' {none[0].of} gets no gradient: {none[0].why}.' if none and none[0].why else ''
    handed = ', '.join(told(g.value._replace(name=g.name)) for g in gave)
    return f'{capital(rule_of(entry))} gives {names}', (f'{handed}.{rest}' if handed else rest).strip() or 'None.'


def add(record: Record, step: Step, number: int) -> Said:
    """Contributions are added."""
    title = f'{step.what or "A tensor without a name"} was used {times(step.ways)}: its gradients are added'
    if not step.parts or not all(map(few, step.parts)):
        return title, f'Each use sent back a gradient of its own: {step.ways} so far.'
    total = step.parts[0]._replace(name='', data=sum(v.data for v in step.parts))
    return title, f'{" + ".join(map(amount, step.parts))} = {told(total)}.'


def arrive(record: Record, step: Step, number: int) -> Said:
    """The gradients arrive."""
    run = record.passes[step.run]
    if run.asked:
        return asked_arrives(run)
    which = which_gradient(run) if run.inner or takeover_around(record, run) is None else ''
    said = [told(a.total._replace(name=a.name)) if a.total and a.parts else missing(a) for a in run.arrivals]
    count = len(run.arrivals)
    names = listed([a.name for a in run.arrivals]) if count < style.FEW else f'{count} gradients'
    head = f'{which}: {names}' if which else names
    rest = f'; and {count - 2} more' if count >= style.FEW else ''
    return f'{head} {"arrives" if count == 1 else "arrive"}', f'{"; ".join(said[: 2 if rest else style.FEW])}{rest}.'


def fail(record: Record, step: Step, number: int) -> Said:
    """An error ends the run."""
    entry = record.entries[step.entry]
    place = {'call': f'{entry.name}.bprop', 'torn': entry.source or 'the next call'}.get(entry.kind, name_of(entry))
    return f'An error in {place}', next(iter(step.what.splitlines()), '')


def alike(one: Value, other: Value) -> bool:
    """Whether two values are the same numbers."""
    if one.data is None or other.data is None:
        return one.words == other.words and one.data is other.data
    return np.array_equal(one.data, other.data, equal_nan=one.data.dtype.kind in 'fc')


KINDS = {f.__name__: f for f in (enter, hidden, write, reach, inside, add, arrive, fail)}
