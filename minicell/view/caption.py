"""What a step says: title, caption and alt text, all computed from the record."""

from collections.abc import Sequence

from . import fold, thumb
from .model import Entry, Frame, Gradient, Mark, Part, Pass, Reading, Record, Step, Value, shape_text

MOST_SOURCES = 6  # more are counted


def words(frame: Frame) -> tuple[str, str]:
    """Title and caption of a frame."""
    if not frame.record.steps:
        return 'This tape is empty', 'Nothing was called inside `with Tape()`: 0 entries.'
    title, said = step_words(frame.record, frame.step, frame.look.compare)
    turn, turns = fold.turn(frame.record, frame.look, frame.record.steps[frame.step].entry)
    return title, f'{said} Turn {turn + 1} of {turns}.' if turns > 1 else said


def step_words(record: Record, number: int, compare: bool = True) -> tuple[str, str]:
    """Title and caption of a step; without `compare` nobody is told whether a bprop is right."""
    if not compare and record.steps[number].kind == 'give':
        return give(record, record.steps[number], number, False)
    return KINDS[record.steps[number].kind](record, record.steps[number], number)


def enter(record: Record, step: Step, number: int) -> tuple[str, str]:
    """A Cell is called."""
    if step.entry is None:
        if step.run is None:
            return (
                f'{step.what} is called',
                'No gradient has started, so what runs here leaves 0 entries.',
            )
        return f'{step.what} is called', f'Entries on the tape so far: {written(record, number)}.'
    entry = record.entries[step.entry]
    return (
        f'{step.what} is called with {listed([described(v) for v in entry.inputs])}',
        f'{step.what} has a bprop of its own: what its construct runs is not recorded. '
        f'Entries on the tape so far: {written(record, number)}.',
    )


def hidden(record: Record, step: Step, number: int) -> tuple[str, str]:
    """The ops inside a Cell with its own bprop run."""
    entry = record.entries[step.entry]
    count = len(entry.hidden)
    if any(s.kind == 'hidden' and s.entry == step.entry for s in record.steps[max(number - 1, 0) : number + 2 : 2]):
        ghost = next(g for g in entry.ghosts if g.first == number)
        would = 'It would have been an entry of its own' if ghost.lost else 'It would have left no entry anyway'
        return (
            f'{step.what} runs inside {entry.name}, hidden',
            f'{would}: {entry.ghosts.index(ghost) + 1} of {count}. Result: {result(ghost.out)}.',
        )
    return (
        f'{listed(tallied(entry.hidden))} {"runs" if count == 1 else "run"} inside {entry.name}, hidden',
        f'{plural(count, "inner op")}, 0 recorded: backward will not find '
        f'{"its rule" if count == 1 else "their rules"} on the tape.',
    )


def write(record: Record, step: Step, number: int) -> tuple[str, str]:
    """An entry is written, or none."""
    entry = record.entries[step.entry]
    out = listed([result(v) for v in entry.outputs])
    if entry.label == '←':
        before, after = (result(v._replace(name='')) for v in (entry.inputs[0], entry.outputs[0]))
        told = f'Before: {before}. After: {after}. A write is no op: no gradient goes through it.'
        return f'{entry.name} overwrites memory', told
    if entry.kind == 'loose':
        return f'{entry.name} leaves no entry', f'Nothing is recorded: {entry.why}. Result: {out}.'
    title = f'{entry.name} writes {entry_text(entry)}'
    if entry.kind == 'cell':
        inside = listed(tallied(entry.inside))
        return title, f'Inside are {inside}{own(entry)}. Result: {out}. Entries on the tape: {written(record, number)}.'
    if entry.kind == 'call':
        return title, f'One entry for the whole Cell: backward will call its bprop. Result: {out}.'
    if entry.note:
        return title, f'Written {entry.note}, because another gradient is watching this one. Result: {out}.'
    runs = 'leads to' if entry.through else 'runs'
    ours = 'A function of minicell’s runs it, and that'
    line = f'Line {entry.mark.line} {runs} {entry.source}, and that' if entry.mark and entry.source else ours
    return title, f'{line} is recorded. Result: {out}. Entries on the tape: {written(record, number)}.'


def start(record: Record, step: Step, number: int) -> tuple[str, str]:
    """Backward starts."""
    run = record.passes[step.run]
    seeds = listed([result(v) for v in run.seeds])
    which = which_gradient(record, run)
    title = f'The {which} gradient starts to read the tape back' if which else 'Backward starts'
    if not seeds:
        return title, 'No entry leads to the result: there is nothing to read back.'
    entries = plural(written(record, number) - run.written, 'entry', 'entries')
    comma = ',' if ', ' in seeds else ''
    return (
        title,
        f'It starts with {seeds}{comma} and reads {"the last" if run.written else "the"} {entries} from right to left.',
    )


def reach(record: Record, step: Step, number: int) -> tuple[str, str]:
    """Backward reaches an entry."""
    entry, reading = record.entries[step.entry], record.readings[step.reading]
    dout = listed([result(v) for v in reading.douts])
    came = f' It was added up: {sum_of(reading.parts)}.' if reading.parts else ''
    if entry.kind == 'cell':
        return (
            f'Backward enters {entry.name}',
            f'It reads {entry_text(entry)} there{own(entry)}, and brings {dout}.{came}',
        )
    if entry.kind != 'call':
        return f'Backward reaches entry {entry.label}, {entry.name}', f'Its built-in rule gets {dout}.{came}'
    your = 'your' if entry.yours else 'its'
    return (
        f'Backward reaches {entry.name} and calls {your} bprop',
        f'It does not look inside: it jumps over {rules(entry)}. {your.capitalize()} bprop gets {dout}.{came}',
    )


def inside(record: Record, step: Step, number: int) -> tuple[str, str]:
    """A line of a bprop runs."""
    entry = record.entries[step.entry]
    value = step.value
    name = f'{value.name} = ' if value.name else ''
    return (
        f'{entry.name}.bprop runs line {step.mark.line}: {name}{step.what}',
        f'{"Your" if entry.yours else "Its"} own code computes it. Result: {result(value)}.',
    )


def give(record: Record, step: Step, number: int, compare: bool = True) -> tuple[str, str]:
    """An entry hands out its gradients."""
    entry, reading = record.entries[step.entry], record.readings[step.reading]
    told = [g for g in reading.gave if g.value] or reading.gave
    unique = list(dict.fromkeys(g.name for g in told))
    names = listed(unique) + ', twice' * (len(unique) == 1 and len(told) == 2)
    if entry.kind == 'cell':
        handed = listed([given(g) for g in reading.gradients]) or 'nothing to the outside'
        handed_on = names if any(g.value for g in reading.gave) else 'nothing to its inputs'
        return f'{entry.name} hands out {handed_on}', f'{entry_text(entry).capitalize()} are read: {handed}.'
    if entry.kind != 'call':
        handed = listed([given(g) for g in reading.gradients])
        return f'{entry.name} hands out {names}', f'Its built-in rule computed {handed}.'
    handed = listed([given(g) for g in reading.gave]) + '.'
    them = 'it' if len(told) == 1 else 'them'
    whose = 'Your' if entry.yours else 'Its own'
    over = f'; {rules(entry)} did not run' if entry.hidden else ''
    return (
        f'{entry.name}.bprop hands out {names}',
        f'{whose} code{lines(entry)} computed {them}{over}. {verdicts(reading) if compare else handed}',
    )


def add(record: Record, step: Step, number: int) -> tuple[str, str]:
    """A cotangent is added up."""
    more = 'A second' if len(step.parts) == 2 else 'One more'
    return (
        f'{more} gradient for {step.what} is added: +=',
        f'{step.what} is used more than once, so its gradients are summed: {sum_of(step.parts)}.',
    )


def arrive(record: Record, step: Step, number: int) -> tuple[str, str]:
    """The gradients arrive."""
    run = record.passes[step.run]
    told = []
    for arrival in run.arrivals:
        name = arrival.name
        if not arrival.parts:
            told.append(f'{name} is {"zero" if arrival.total else "missing"}: {arrival.why}')
        else:
            shown = result(arrival.total._replace(name=name)) if arrival.total else name
            told.append(f'{shown}, from {sources(arrival.parts)}')
    which = which_gradient(record, run)
    which = f'{which} ' if which else ''
    what = f'The {which}gradient arrives' if len(run.arrivals) == 1 else f'The {which}gradients arrive'
    return f'{what} at {listed([a.of for a in run.arrivals])}', '; '.join(told) + '.'


def fail(record: Record, step: Step, number: int) -> tuple[str, str]:
    """An error ends the run."""
    entry = record.entries[step.entry]
    place = {'call': f'{entry.name}.bprop', 'torn': entry.source or 'the next call'}.get(entry.kind, entry.name)
    if entry.kind == 'call' and step.reading is None:
        place = entry.name
    first = next(iter(step.what.splitlines()), '')
    before = plural(written(record, number), 'entry', 'entries')
    ends = 'the run' if number == len(record.steps) - 1 else 'this gradient' if step.run is not None else 'this call'
    return f'An error in {place} ends {ends}', f'{first} ({before} before it.)'


KINDS = {f.__name__: f for f in (enter, hidden, write, start, reach, inside, give, add, arrive, fail)}


# ---- words and numbers ----


def entry_text(entry: Entry) -> str:
    """`entry 3`, `entries 3–5`."""
    return f'{"entries" if len(entry.inside) > 1 else "entry"} {entry.label}'


def tallied(items: Sequence[str]) -> list[str]:
    """`2 Mul`, `Add`: each name once, with how often it is there."""
    counts = {name: items.count(name) for name in items}
    return [f'{n} {name}' if n > 1 else name for name, n in counts.items()]


def own(entry: Entry) -> str:
    """How many entries of a Cell have a bprop of their own."""
    return f', {plural(entry.takeovers, "takeover")} among them' if entry.takeovers else ''


def verdicts(reading: Reading) -> str:
    """How the gradients of a bprop compare with the true ones."""
    wrong = [g for g in reading.gradients if g.ok is False]
    judged = [g for g in reading.gradients if g.ok is not None]
    if not judged:
        return next((g.why for g in reading.gradients if g.why), '')
    if not wrong:
        worst = max(g.error or 0.0 for g in judged)
        agree = 'it agrees' if len(judged) == 1 else 'all agree'
        return f'Gradient check: {agree} with the true gradient (largest difference {thumb.short(worst)}).'
    off = [f'off by up to {thumb.short(g.error)}' if g.error is not None else 'wrong' for g in wrong]
    told = [f'{g.name} is {how}' for g, how in zip(wrong, off, strict=True)]
    fine = [f'{g.name} agrees' for g in judged if g.ok]
    return f'{listed(told + fine)}.'


def lines(entry: Entry) -> str:
    """The lines of a bprop."""
    if not entry.facts:
        return ''
    first, last = entry.facts.start.line, entry.facts.end.last
    return f' (lines {first}–{last})' if last > first else f' (line {first})'


def given(g: Gradient) -> str:
    """One gradient that was handed out."""
    return result(g.value._replace(name=g.name)) if g.value else f'none for {g.of or "an input"} ({g.why})'


def result(v: Value) -> str:
    """A value in a sentence: its number, or its shape and range."""
    name = f'{v.name} ' if v.name else ''
    if v.data is None:
        return f'{name}{v.words}'
    if not v.data.size:
        return f'{name}{shape_text(v.shape)} without elements'
    if not v.shape:
        return f'{name}{"= " if name else ""}{thumb.numerals(v.data, 80, 12)[0]}'
    return f'{name}{shape_text(v.shape)}{thumb.told(v.data)}'


def described(v: Value) -> str:
    """An input in a title."""
    if v.data is None:
        return f'{v.name} = {v.words}'
    return f'{v.name} {shape_text(v.shape)}'.strip()


def sum_of(parts: tuple[Part, ...]) -> str:
    """`1.00 from 2 Add + 3.00 from 1 Mul`."""
    told = [f'{amount(p.value) or "that "}from {p.label}' for p in parts]
    return ' + '.join(told if len(told) <= MOST_SOURCES else [*told[:2], '…', told[-1]])


def amount(v: Value) -> str:
    """A scalar contribution's number, with a space after it."""
    return f'{thumb.short(float(v.data.item()))} ' if v.data is not None and v.data.size == 1 else ''


def sources(parts: tuple[tuple[int, Part], ...]) -> str:
    """Where a gradient came from."""
    labels = [part.label for _, part in parts]
    if len(labels) <= MOST_SOURCES:
        counts = {label: labels.count(label) for label in labels}
        return listed([label if n == 1 else f'{label} ({plural(n, "time")})' for label, n in counts.items()])
    return f'{len(labels)} entries: {labels[0]}, {labels[1]} … {labels[-1]}'


def rules(entry: Entry) -> str:
    """What backward does not use: `MatMul's rule`, `the rules of 3 hidden ops`."""
    count = len(entry.hidden)
    return (
        f'{entry.hidden[0]}’s rule' if count == 1 else f'the rules of {count} hidden ops' if count else 'what is inside'
    )


def which_gradient(record: Record, run: Pass) -> str:
    """Which of several nested gradients one is, or ''."""
    deepest = record.most_order
    if deepest == 1:
        return ''
    if deepest == 2:
        return 'inner' if run.order == 2 else 'outer'
    return {1: 'outermost', deepest: 'innermost'}.get(run.order, 'middle')


def listed(items: list[str]) -> str:
    """`a, b and c`; `a, all 1.00, and b` where one has a comma itself."""
    items = list(items)
    last = ', and ' if any(', ' in item for item in items) else ' and '
    return last.join([', '.join(items[:-1]), items[-1]] if len(items) > 1 else items)


def plural(count: int, one: str, many: str = '') -> str:
    """`1 entry`, `2 entries`."""
    return f'{count} {one if count == 1 else many or one + "s"}'


def written(record: Record, number: int) -> int:
    """How many entries are on the tape at a step."""
    return record.steps[number].written


def alt(frame: Frame) -> str:
    """The whole picture in words, for those who do not see it."""
    record, number = frame.record, frame.step
    out = [f'Step {number + 1} of {max(len(record.steps), 1)}. {frame.title}. {frame.caption}']
    if not record.steps:
        return out[0]
    if mark := record.steps[number].mark:
        out.append(f'Line {mark.line} of the code is marked: {line_text(record, mark)}')
    forward = [e for e in record.entries if e.written is not None and e.written <= number and e.kind != 'loose']
    if forward:
        some = forward[-4:]
        told = '; '.join(f'{e.label} {e.name}, giving {listed([numbers(v) for v in e.outputs])}' for e in some)
        out.append(f'Forward entries{" (the last 4)" if len(forward) > 4 else ""}: {told}.')
    back = [r for r in record.readings if r.given is not None and r.given <= number][-3:]
    for reading in back:
        entry = record.entries[reading.entry]
        handed = listed([f'{g.name} {numbers(g.value) if g.value else "none"}' for g in reading.gradients])
        custom = entry.kind == 'call'
        who = (
            f'{entry.name}.bprop, {"your" if entry.yours else "its"} own code,'
            if custom
            else f'The rule of {entry.label} {entry.name}'
        )
        out.append(f'{who} handed out {handed}.')
    return ' '.join(out)


def line_text(record: Record, mark: Mark) -> str:
    """The text of a marked line."""
    found = next((x.text for x in record.code if (x.file, x.number) == (mark.file, mark.line)), '')
    return found.strip() + '.' if found.strip() else ''


def numbers(v: Value) -> str:
    """A small tensor's numbers, a large one's range."""
    if v.data is None or not v.data.size:
        return v.words or 'no elements'
    shape = f'{shape_text(v.shape)}: ' if v.shape else ''
    if thumb.is_small(v.shape):
        return shape + ' '.join(thumb.numerals(v.data, 60, 12))
    return shape + thumb.span(v.data)
