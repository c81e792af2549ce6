"""What a step says: first what happens, then why. Title and caption, one method for each kind of step."""

import numpy as np

from ..judge.origin import lost
from ..judge.verdict import UNKNOWN, WRONG
from ..story.names import gradient
from ..story.record import Entry, Record, Value
from . import phrases as p
from . import style, verdict
from .formula import name_of

Said = tuple[str, str]

EMPTY = 'This tape is empty', 'Nothing was called inside the block of this Tape.'
UNTOLD = 'This tape cannot be shown', ''
IDLE = 'No gradient is being taken, so nothing is taped here.'
TAPE = 'A bprop is a backward rule of its own. The tape is the list of what ran, kept for the way back.'


def step_words(record: Record, number: int) -> Said:
    """Title and caption of a step."""
    return getattr(Telling(record, number), record.steps[number].kind)()


# What an entry says when it is written, by its kind.
WRITTEN = {
    'memory': ('{name} writes into memory', 'A write is not an operation: it leaves no entry, and no gradient.'),
    'loose': ('{name} is not taped', '{why} Result: {outs}.'),
    'call': ('{name} writes one entry on the tape', 'Entry {label} says: for my gradients, call {name}.bprop.'),
    'hook': ('Entry {label} is for your {hook}',
             'Forward passes through it unchanged. When backward reads this entry, it calls the hook.'),
    'gate': ('Entry {label} marks {rule}',
             'Forward passes through it unchanged, and backward too: the hook is called at another entry.'),
    'cell': ('{name} writes entries {label}', 'Inside: {inside}.'),
    'op': ('{name} writes entry {label}', '{source} gives {outs}.'),
    'late': ('{name} writes entry {label}', '{gives} Backward is taped too: another gradient will read it.'),
    'unwatched': ('{name} writes entry {label}', '{gives} A gradient inside {by} records it.'),
    'lifted': ('Your line {line} lifts off, onto the {nth} tape', '{gives}'),
}  # fmt: skip


class Telling:
    """A step of a record, and all that it is about."""

    def __init__(self, record: Record, number: int) -> None:
        self.record, self.number = record, number
        self.step = step = record.steps[number]
        found = (step.entry, record.entries), (step.reading, record.readings), (step.run, record.passes)
        self.entry, self.reading, self.run = (None if n is None else of[n] for n, of in found)
        own = self.entry is not None and self.entry.yours
        self.whose = 'Your' if own else 'Its'

    # ---- forward ----

    def enter(self) -> Said:
        """A Cell is called."""
        what = self.step.what
        if self.run is None or self.entry is None:
            return f'{what} is called', 'Each operation that it runs writes an entry on the tape.' if self.run else IDLE
        brings = 'It brings its own bprop' if self.entry.yours else 'It has a bprop of its own'
        return f'{what} is called. {brings}.', TAPE

    def hidden(self) -> Said:
        """An op inside a Cell with its own bprop runs, or all of them do."""
        entry = self.entry
        ghost = next((g for g in entry.ghosts if g.first == self.number), None)
        what = ghost.source if ghost and ghost.source else self.step.what
        title, none = f'Inside {entry.name}, {what} runs', 'it'
        if len(entry.hidden) > 1 and (ghost is None or entry.hidden_at == self.number):
            title, none = f'{len(entry.hidden)} operations run inside {entry.name}', 'none'
        title = f'{title}, and {"is not" if none == "it" else "none is"} taped' if self.run else title
        return title, 'A Cell with its own bprop leaves one entry: backward will not look inside.' if self.run else IDLE

    def write(self) -> Said:
        """An entry is written, or none."""
        record, entry = self.record, self.entry
        reading = record.readings[entry.by] if entry.by is not None else None
        kind = 'memory' if entry.label == '←' else 'gate' if entry.name in p.GATES else entry.kind
        if kind == 'op' and entry.level:
            kind = 'lifted' if p.lifted(record, entry) and entry.mark else 'late'
            if reading is not None and not record.passes[reading.run].watched:  # nobody follows this backward
                kind = 'unwatched'
        own = entry.source and (entry.level or whole(record, entry))
        source, outs = entry.source if own else name_of(entry), ', '.join(map(p.told, entry.outputs))
        title, caption = WRITTEN[kind]
        fields = dict(
            name=name_of(entry), label=entry.label, outs=outs, why=p.sentence(entry.why), source=source,
            gives=f'Entry {entry.label} is {source}: {outs}.', inside=', '.join(entry.inside), nth=p.nth(entry.level),
            line=entry.mark and entry.mark.line, hook=p.hook_of(entry), rule=p.rule_of(entry),
            by=reading and p.code_of(record.entries[reading.entry]),
        )  # fmt: skip
        return title.format(**fields), caption.format(**fields) * (kind != 'op' or bool(entry.outputs))

    def fail(self) -> Said:
        """An error ends the run."""
        entry = self.entry
        places = {'call': f'{entry.name}.bprop', 'torn': entry.source or 'the next call'}
        return f'An error in {places.get(entry.kind, name_of(entry))}', next(iter(self.step.what.splitlines()), '')

    # ---- backward ----

    def start(self) -> Said:
        """Backward starts."""
        record, run = self.record, self.run
        seeds, way = ', '.join(map(p.amount, run.seeds)), f'It reads {p.road(record, self.step.run)}'
        who = p.which_gradient(run) if run.outermost else 'Backward'
        if not seeds:
            return f'{who} finds nothing to read back', 'No entry of the tape leads to the result.'
        if run.asked:  # a jvp reads back twice, the second time to see what the first did with its start
            first = f'{"For a column " * (run.asked == "jacfwd")}{run.asked} reads back twice; this is taped.'
            second = 'That is the direction v.' if run.asked == 'jvp' else 'The 1 chooses the column.'
            title = f'The {p.nth(run.again)} reading of {run.asked} starts with {seeds}'
            return title, f'{second if run.again else first} {way}.'
        watched = ' Backward is taped too, for the gradient around it.' * run.watched
        if (by := p.takeover_around(record, run)) is not None:
            part = f'It is a part of this {"bprop" if by.kind == "call" else "hook"}. ' * (not run.watched)
            name = p.which_gradient(run).replace('The', 'the') if run.outermost or run.inner else 'a gradient'
            return f'Inside {p.code_of(by)}, {name} starts with {seeds}', f'{part}{way}.{watched}'
        own = ': your own lines, backwards' * (run.outermost and p.yours(record, self.step.run))
        each = ', entry by entry' * (not run.outermost and ', then' not in way)
        return f'{who} starts with {seeds}', f'{way}{own}{each}.{watched}'

    def reach(self) -> Said:
        """Backward reaches an entry."""
        entry, douts = self.entry, self.reading.douts
        if entry.kind == 'call':
            into, be = 'your own lines' if entry.yours else 'its own bprop', 'are' if len(p.lost(entry)) > 1 else 'is'
            why = f'{entry.name} has its own bprop, so {p.displaced(entry)} {be} never called{p.without_rule(entry)}'
            return f'Takeover: backward turns off its road, into {into}', f'{why}: {entry.name}.bprop runs instead.'
        if entry.kind == 'hook':
            alone = len(douts) == 1 and douts[0].name.startswith('dout[')
            came = p.told(douts[0], 'dout') if alone else ', '.join(map(p.told, douts))
            why = f'It gets {came}, and may put another in its place.'
            return f'Takeover: backward calls your {p.hook_of(entry)}', why
        if entry.kind == 'cell':
            return f'Backward enters {entry.name}', f'It brings {", ".join(map(p.told, douts))}.'
        came = p.come(self.record, entry, self.reading)
        return f'Backward reads entry {entry.label}: {p.rule_of(entry)}', f'It gets {came}.'

    def inside(self) -> Said:
        """A line of a bprop runs."""
        entry, step, value = self.entry, self.step, self.step.value
        who = f'{self.whose} {f"line {step.mark.line}" if step.mark else "code"}'
        deaf = entry.kind == 'call' and entry.facts and not entry.facts.reads_dout
        rest = f'{p.amount(value)}.{" It does not use dout." * bool(deaf)}'
        if value.name:
            end = ' Made from NumPy, it leaves no entry: a second gradient ends here.' * step.cut
            return f'{who} makes {value.name}', f'{value.name} = {step.what}: {rest}{end}'
        return f'{who} runs {step.what}', f'The result is {rest}'

    def give(self) -> Said:
        """An entry hands out its gradients."""
        entry, reading = self.entry, self.reading
        gave = [g for g in p.given(self.record, entry, reading) if g.value]
        named = ['' if g.name == gradient('') else g.name for g in gave]
        names = p.listed(list(dict.fromkeys(name or 'a gradient' for name in named))) or 'nothing'
        each = [p.told(g.value, name) for g, name in zip(gave, named, strict=True)]
        own = ', '.join(f'{said}{", twice" * (each.count(said) > 1)}' for said in dict.fromkeys(each))
        if entry.kind == 'cell':
            return f'{entry.name} has been read', own or 'Its Parameters have their gradients.'
        if entry.kind == 'call':
            taken = 'It is taken as it is' if len(gave) < 2 else 'They are taken as they are'
            return f'{self.whose} bprop returns {names}', f'{taken}: nobody checks the numbers.'
        if entry.kind == 'hook':
            return self.hooked(own)
        none = next((g for g in reading.gave if g.value is None and g.of), None)
        rest = f'{none.of} gets no gradient: {none.why}.' if none is not None and none.why else ''
        caption = ' '.join(filter(None, (own and f'{own}.', rest))) or 'None.'
        return p.sentence(f'{p.rule_of(entry)} gives {names}').rstrip('.'), caption

    def hooked(self, own: str) -> Said:
        """A hook has returned: what of the gradients is another now."""
        hooks, who = self.reading.hooks, f'Your {p.hook_of(self.entry)} changes'
        pairs = zip(hooks[0].before, hooks[-1].after or hooks[-1].before, strict=False)
        if changed := list(dict.fromkeys(after.name for before, after in pairs if told_apart(before, after))):
            return f'{who} {p.listed(changed)}', f'{own}.'
        returned = any(h.after is not None for h in hooks)
        why = f'It returned what it had got: {own}' if returned else 'It returned None: the gradient goes on as it came'
        return f'{who} nothing', f'{why}.'

    def add(self) -> Said:
        """Contributions are added."""
        step, times = self.step, 'twice' if self.step.ways == 2 else f'{self.step.ways} times'
        used = f'was used {times}: its gradients are added'
        later = self.record.steps[self.number + 1 :]
        if any((s.kind, s.entry, s.what) == ('add', step.entry, step.what) for s in later):
            used = f'has got {step.ways} gradients so far: they are added'
        title = f'{step.what or "A tensor without a name"} {used}'
        if not step.parts or not all(map(p.few, step.parts)):
            return title, f'Each use sent back a gradient of its own: {step.ways} so far.'
        total = p.amount(step.parts[0]._replace(data=sum(v.data for v in step.parts)))
        sign, _, said = p.added(step.parts).partition(' ')
        return title, f'{said} {sign} {total}.'

    def arrive(self) -> Said:
        """The gradients arrive."""
        run = self.run
        if run.names or (run.outermost and lost(run)):
            return final(self.record, self.step.run)
        said = [p.told(a.total, a.name) if a.total and (a.parts or run.asked) else p.missing(a) for a in run.arrivals]
        if run.asked:
            said = '; '.join(said)
            if not run.again:
                then = 'The second reading asks how that depends on what this one started with.'
                return f'The first reading of {run.asked} ends', f'{said}. {then}'
            if run.asked == 'jvp':
                return f'{said}: the derivative along v', 'It is the Jacobian times v: how the result changes along v.'
            return f'A column of the Jacobian arrives: {said}', 'jacfwd puts the columns side by side.'
        which = p.which_gradient(run) if run.inner or p.takeover_around(self.record, run) is None else ''
        names, more = p.some([a.name for a in run.arrivals]), len(said) - style.FEW
        title = f'{which}{": " * bool(which)}{names} {"arrives" if len(said) == 1 else "arrive"}'
        return title, f'{"; ".join(said[: style.FEW])}{f"; and {more} more" * (more > 0)}.'


def whole(record: Record, entry: Entry) -> bool:
    """Whether the line that an entry stands for is its own, and does not call a Cell of which it is one of several."""
    around = [s for s in entry.scopes if record.scopes[s].mark == entry.mark]
    return not any(s in e.scopes for s in around for e in record.entries if e is not entry)


def told_apart(one: Value, other: Value) -> bool:
    """Whether two gradients are other numbers."""
    if one.data is None or other.data is None:
        return one.words != other.words or one.data is not other.data
    return not np.array_equal(one.data, other.data, equal_nan=True)


# ---- the end ----


def final(record: Record, number: int) -> Said:
    """A gradient of a gradient arrives, to which the user's line gives a name."""
    run = record.passes[number]
    called = [run.names.get(a.name, a.name) for a in run.arrivals]
    said = [p.told(a.total, name) for a, name in zip(run.arrivals, called, strict=True) if a.total]
    way = next((v.why for v in run.verdicts if v.verdict == UNKNOWN), '') or way_of(record, number)
    if wrong := lost(run):
        return f'Your {verdict.said_of(WRONG, [*wrong])}', verdict.why_lost(record, run)
    inner = record.passes[run.result_of] if run.result_of is not None else None
    if inner is not None and not inner.inner and len(inner.arrivals) == len(run.arrivals) == 1:
        (first,), (second,) = inner.arrivals, run.arrivals
        if p.single(first.total) and first.of == second.of and p.yours(record, number):
            return f'{said[0]}, the second derivative: how {first.name} changes with {first.of}', way
    what = f'the gradient of your {inner.asked or "gradient"}' if inner else 'a gradient through another gradient'
    what = what if run.seeds else f'nothing leads back to {p.listed([a.of for a in run.arrivals])}'
    return f'{", ".join(said)}: {what}', way


def way_of(record: Record, number: int) -> str:
    """Which way a gradient of a gradient came, or why there was none."""
    run, rules = record.passes[number], p.rules_of(record, number)
    if rules and p.yours(record, number):
        start, returned = record.steps[run.started].entry, {g.name for r in record.readings for g in r.gave}
        last = [record.entries[start]] if start is not None and record.entries[start].source else []
        made = ''.join(f', {v.name} = {e.source}' for e in last for v in e.outputs[:1] if v.name in returned)
        return f'The outer grad recorded your bprop while it ran, and then differentiated its result{made}.'
    if rules or record.unknown:
        return f'It came back through {rules}.' * bool(rules)
    inner = (e for k, each in enumerate(record.passes) if each.around == number for e in p.read(record, k))
    if any(e.kind == 'call' and e.yours for e in inner):
        return 'The second tape is empty: what your lines used was a constant there, and a constant has no gradient.'
    return f'Nothing on the tapes leads from the gradient inside back to {p.listed([a.of for a in run.arrivals])}.'
