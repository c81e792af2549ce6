"""What a step says: first what happens, then why. Title, caption, and the voice under the code."""

from typing import TYPE_CHECKING

from ...story.record import Pass, Record, Step
from .forward import yours
from .phrases import (
    amount,
    capital,
    code_of,
    come,
    displaced,
    few,
    given,
    listed,
    many_rules,
    missing,
    rule_of,
    sentence,
    single,
    some,
    times,
    told,
    which_gradient,
)
from .strip import name_of

if TYPE_CHECKING:
    from .moment import Story

Said = tuple[str, str]


EMPTY = 'This tape is empty', 'Nothing was called inside the block of this Tape.'


def step_words(story: 'Story', number: int) -> Said:
    """Title and caption of a step."""
    record, step = story.record, story.record.steps[number]
    if step.kind == 'arrive' and story.targets and record.passes[step.run].order == 1:
        return final(story, record.passes[step.run])
    if step.kind in ('give', 'start'):
        return (give if step.kind == 'give' else start)(record, step, number, story)
    return KINDS[step.kind](record, step, number)


def final(story: 'Story', run: Pass) -> Said:
    """The gradient of a gradient arrives."""
    rules = listed([rule_of(e) for e in reversed(story.record.entries) if e.level == 1 and e.kind == 'op'][:3])
    told_ = [told(a.total._replace(name=story.targets.get(a.name, a.name))) for a in run.arrivals if a.total]
    if yours(story.record):
        last = next(e for e in reversed(story.record.entries) if e.level)
        made = f', {story.again.name} = {last.source}' if story.again is not None and last.source else ''
        way = f'The outer grad recorded your bprop while it ran, and then differentiated its result{made}.'
    else:
        way = (
            f'It came back through {rules}.'
            if rules
            else ''
            if story.record.unknown
            else 'The second tape is empty: what your lines used was a constant there, and a constant has no gradient.'
        )
    names = [story.targets.get(g.name, g.name) for g in run.verdicts if g.ok is False]
    if names:
        return f'Your {some(names)} {"are" if len(names) > 1 else "is"} wrong, and nobody noticed', way
    if (found := derivative(story.record)) is not None and rules and yours(story.record):
        return f'{told_[0]}, the second derivative: how {found[0]} changes with {found[1]}', way
    return f'{", ".join(told_)}: the gradient of your gradient', way


def derivative(record: Record) -> tuple[str, str] | None:
    """Of a second derivative: what the first one is called, and with respect to what it is taken."""
    runs = sorted(record.passes, key=lambda run: run.order)
    if [run.order for run in runs] != [1, 2] or any(len(run.arrivals) != 1 for run in runs):
        return None
    (second,), (first,) = (run.arrivals for run in runs)
    start = record.steps[runs[0].started].entry if runs[0].started is not None else None
    starts = record.entries[start].outputs if start is not None else ()
    same = len(starts) == 1 and single(starts[0]) and single(first.total) and first.of == second.of
    at = next((v for e in record.entries for v in e.inputs if v.name == first.of and single(v)), None)
    if not same or at is None or starts[0].data.item() != first.total.data.item():
        return None
    return first.name, at.name


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
        where = f': entry {entry.label}' if entry.label else ''
        return f'Your {entry.name} is registered{where}', 'It changes nothing now. Backward will call it.'
    title = f'{name_of(entry)} writes entry {entry.label}'
    if entry.kind == 'cell':
        return f'{entry.name} writes entries {entry.label}', f'Inside: {", ".join(entry.inside)}.'
    if entry.level:
        by = record.entries[record.readings[entry.by].entry] if entry.by is not None else None
        gives = f'Entry {entry.label} is {entry.source or name_of(entry)}: {outs}.'
        if by is not None and by.kind == 'call' and by.yours and entry.mark:
            return f'Your line {entry.mark.line} lifts off, onto the second tape', gives
        return title, f'{gives} Backward is taped too: another gradient will read it.'
    return title, f'{entry.source or name_of(entry)} gives {outs}.' if outs else ''


def start(record: Record, step: Step, number: int, story: 'Story') -> Said:
    """Backward starts."""
    run = record.passes[step.run]
    which = which_gradient(record, run)
    seeds = ', '.join(amount(v) for v in run.seeds)
    if run.inside is not None:
        by = record.entries[record.readings[run.inside].entry]
        whose = f'It is a part of this {"bprop" if by.kind == "call" else "hook"}.'
        return f'Inside {code_of(by)}, a gradient starts with {seeds}', (
            f'{whose} What it recorded stands on a tape of its own, which it reads from its end.'
        )
    if not seeds:
        return f'{which or "Backward"} finds nothing to read back', 'No entry of the tape leads to the result.'
    if run.order == 1 and record.most_order > 1:
        whose = ': your own lines, backwards' if yours(record) else ''
        way = 'the second tape from its end' if story.starts(run) else 'the first tape from its end, then the second'
        return f'{which} starts with {seeds}', f'It reads {way}{whose}.'
    more = ' Backward is taped too, for the gradient around it.' if run.watched else ''
    return f'Backward starts with {seeds}', f'It reads the tape from its end, entry by entry.{more}'


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
        return f'Takeover: backward calls your {entry.name}', told_
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
    run = record.passes[step.run] if step.run is not None else None
    gave = [g._replace(name=story.final_name(g.name, entry, run)) for g in given(record, entry, reading) if g.value]
    names = listed(list(dict.fromkeys(g.name for g in gave))) or 'nothing'
    if entry.kind == 'cell':
        handed = ', '.join(told(g.value) for g in gave) or 'Its Parameters have their gradients.'
        return f'{entry.name} has been read', handed
    if entry.kind == 'call':
        taken = 'It is taken as it is' if len(gave) < 2 else 'They are taken as they are'
        return f'{"Your" if entry.yours else "Its"} bprop returns {names}', f'{taken}: nobody checks the numbers.'
    if entry.kind == 'hook':
        if all(h.after is None for h in reading.hooks):
            return f'Your {entry.name} changes nothing', 'It returned None: the gradient goes on as it came.'
        return f'Your {entry.name} changes {names}', f'{", ".join(told(g.value) for g in gave)}.'
    none = [g for g in reading.gave if g.value is None and g.of]
    rest = f' {none[0].of} gets no gradient: {none[0].why}.' if none and none[0].why else ''
    handed = ', '.join(told(g.value._replace(name=g.name)) for g in gave)
    return f'{capital(rule_of(entry))} gives {names}', (f'{handed}.{rest}' if handed else rest).strip() or 'None.'


def add(record: Record, step: Step, number: int) -> Said:
    """Contributions are added."""
    title = f'{step.what} was used {times(step.ways)}: its gradients are added'
    if not step.parts or not all(map(few, step.parts)):
        return title, f'Each use sent back a gradient of its own: {step.ways} so far.'
    total = step.parts[0]._replace(name='', data=sum(v.data for v in step.parts))
    return title, f'{" + ".join(map(amount, step.parts))} = {told(total)}.'


def arrive(record: Record, step: Step, number: int) -> Said:
    """The gradients arrive."""
    run = record.passes[step.run]
    which = which_gradient(record, run)
    said = [told(a.total._replace(name=a.name)) if a.total and a.parts else missing(a) for a in run.arrivals]
    count = len(run.arrivals)
    names = listed([a.name for a in run.arrivals]) if count < 4 else f'{count} gradients'
    head = f'{which}: {names}' if which else names
    rest = f'; and {count - 2} more' if count > 3 else ''
    return f'{head} {"arrives" if count == 1 else "arrive"}', f'{"; ".join(said[: 2 if rest else 3])}{rest}.'


def fail(record: Record, step: Step, number: int) -> Said:
    """An error ends the run."""
    entry = record.entries[step.entry]
    place = {'call': f'{entry.name}.bprop', 'torn': entry.source or 'the next call'}.get(entry.kind, name_of(entry))
    return f'An error in {place}', next(iter(step.what.splitlines()), '')


KINDS = {f.__name__: f for f in (enter, hidden, write, reach, inside, add, arrive, fail)}
