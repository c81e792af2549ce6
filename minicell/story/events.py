"""A tape's events in one walk: all that print, picture, account and DOT say of an entry or a tensor is found here.

While `for event in walk` runs, `walk` knows what has happened by then, that event included: which gradients, Cells and
hooks are open (`stack`), which entry the event has made (`made`), or which reading it belongs to (`turn`, `frame`),
and what each tensor is called, who made it, and which one it is (`tensors`).

An entry that is recorded while a gradient is read back stands on the tape after the last one that the gradient's
function has written on; every other entry stands on the first. On each tape the numbers count in the order of time.
"""

import re
from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

from ..ops.hooks import Passing
from . import facts, names
from .followed import tried
from .places import Places
from .record import Entry, Mark
from .stack import Call, Gradient, Hooking, Play, ReadBack, Stack, Turn
from .tensors import Tensors, is_float, tensors

PRIMES = ('', '′', '″', '‴')  # of a number on the first tape, the second …
NAME = re.compile(r'[A-Za-z_][\w.]*')
NONE, WRITTEN, TORN = '–', '←', '!'  # in the place of a number: no gradient passes, a write into memory, an error


class Walk:
    """One walk over the events of a tape."""

    def __init__(self, tape: Any) -> None:
        self.tape = tape
        self.entries: list[Entry] = []
        self.stack = Stack()
        self.tensors = Tensors(self.entries)
        self.places = Places(self.stack)
        self.gradients: list[Gradient] = []
        self.readings: list[ReadBack] = []  # all that there were, in the order in which they began
        self.entry_of: dict[int, int] = {}  # id of an Op or Call -> its entry
        self.now = 0  # the time of the event
        self.then: Any = None  # the event behind it
        self.made: int | None = None  # the entry that the event has made
        self.call: Call | None = None  # the call of a Cell that it begins or ends
        self.frame: Any = None  # the gradient that it begins, reads back or ends
        self.turn: Turn | None = None  # the reading of an entry, or the hook, that it begins or ends
        self.left: Call | None = None  # the call of a Cell with its own bprop that has just returned
        self.took: dict[int, Call] = {}  # id of the entry of such a call -> the call
        self.hooks: dict[tuple, int] = {}  # ids of a function and of a tensor -> the entry of this hook on it
        self.counts: dict[int, int] = {}  # how many entries stand on each tape
        self.rounds: dict[tuple, int] = {}  # how many entries a place in the code has made on a tape

    def __iter__(self) -> Iterator[Any]:
        events = list(self.tape.events)
        self.pulled, self.heard, self.names = *ahead(events), {}  # time of an Op -> what its inputs were called then
        for self.at, event in enumerate(events):
            self.now, self.then = getattr(event, 'at', self.now), next(iter(events[self.at + 1 : self.at + 2]), None)
            self.made = self.call = self.frame = self.turn = None
            if take := TAKES.get(type(event).__name__):
                take(self, event)
            yield event

    # ---- entries ----

    @property
    def entry(self) -> Entry | None:
        """The entry that the event has made."""
        return None if self.made is None else self.entries[self.made]

    def new(self, label: str, name: str, kind: str, mark: Mark | None = None, level: int | None = None) -> int:
        """Append an entry and return its number. Beside the tapes it stands where a gradient around it watches."""
        self.entries.append(Entry(label, name, kind, mark=mark, level=self.stack.beside if level is None else level))
        return len(self.entries) - 1

    def label(self, level: int) -> str:
        """The next entry's number on a tape."""
        self.counts[level] = self.counts.get(level, 0) + 1
        return f'{self.counts[level]}{PRIMES[level] if level < len(PRIMES) else f"({level})"}'

    def write(self, event: Any, name: str, kind: str, recorded: bool) -> Entry:
        """The entry of an op or of a call of a Cell, with its number and its place in the code."""
        level = self.stack.level if recorded else None
        mark, where = self.places.users(event.where)
        self.made = self.new(self.label(level) if recorded else NONE, name, kind if recorded else 'loose', mark, level)
        return self.stands(event, where)

    def stands(self, event: Any, where: Any) -> Entry:
        """Say where an entry stands: what a rule runs on the way back stands where the entry does that is read."""
        entry, turn = self.entries[self.made], self.stack.turn
        self.entry_of[id(event)], entry.op = self.made, event
        if where is None and turn is not None and turn.entry is not None:
            where = self.entries[turn.entry].where
        entry.where = where
        site = event.where and (id(event.where.f_code), getattr(event.where, 'f_lasti', 0))
        place = entry.level, entry.name, id(self.places.site(where)), site
        self.rounds[place] = entry.round = self.rounds.get(place, 0) + 1
        return entry

    def own(self, out: Any, entry: int, name: str) -> None:
        """An entry has made these tensors, and the line gives them this name."""
        for tensor, called in names.outputs(out, name):
            if hasattr(tensor, 'asnumpy'):
                self.tensors.maker[id(tensor)] = entry
                if called:
                    self.tensors.called[id(tensor)] = called

    def number(self, event: Any) -> int | None:
        """The entry of an Op or Call that backward reaches."""
        return self.entry_of.get(id(event), self.tensors.maker.get(id(next(iter(tensors(event.out)), None))))

    def inputs(self, event: Any) -> list[str]:
        """What an op's inputs are called: a tensor has one name, whatever the lines that read it call it."""
        gate = facts.under(event.rule) in facts.GATES
        said = names.inputs('' if gate else self.places.expression(event.where), len(event.inputs))
        pairs = [*zip(event.inputs, self.tensors.in_order(event.inputs, said), strict=True)]
        for t, name in pairs:
            if NAME.fullmatch(name) and (t.shape or id(t) in self.tensors.maker):  # (no number that Python had)
                self.tensors.read.setdefault(id(t), name)
        return self.tensors.apart([(t, self.tensors.name(t) or n or self.tensors.made_by(t)) for t, n in pairs])

    # ---- forward ----

    def enter(self, event: Any) -> None:
        """A Cell is called."""
        inside = self.stack.hider is not None
        self.call = call = Call(event.cell, event.where, event.inputs, event, inside, first=self.at)
        if event.custom and not inside:
            call.entry = self.made = self.new('', type(event.cell).__name__, 'call', self.places.mark(event.where))
            for t, n in zip(event.inputs, names.parameters(event.cell, len(event.inputs)), strict=True):
                self.tensors.read.setdefault(id(t), n)
        elif not inside:
            self.given(event)
        self.stack.push(call)

    def given(self, event: Any) -> None:
        """What the user's own line calls the tensors that it gives to a Cell; inside, the Cell's names are its own."""
        expression = self.places.expression(event.where) if self.places.mark(event.where) else ''
        for t, written in zip(event.inputs, names.inputs(expression, len(event.inputs)), strict=True):
            if written.isidentifier() and hasattr(t, 'asnumpy') and not self.tensors.said(t):
                self.tensors.called[id(t)] = written

    def leave(self, event: Any) -> None:
        """A Cell returns; the entry of a call, if it leaves one, comes next."""
        self.call = call = self.stack.call_of(event.cell)
        self.stack.pop(call)
        if call is None or event.failed:
            return
        call.last, call.out = self.at, event.out
        if call.entry is not None:
            for t in tensors(event.out):  # what construct calls it is its own business
                self.tensors.called.pop(id(t) if id(t) in self.tensors.hidden else None, None)
            self.own(event.out, call.entry, '')
            self.left = call
        elif not call.inside:
            for t, name in names.outputs(event.out, self.places.target(call.where)):
                if name and id(t) in self.tensors.maker:
                    self.tensors.called.setdefault(id(t), name)

    def ran(self, event: Any) -> None:
        """The entry that the call of a Cell with its own bprop leaves."""
        left, self.left = self.left, None
        recorded = event.state == 'recorded' or id(event) in self.pulled
        if left is not None:
            self.call, self.made, entry = left, left.entry, self.entries[left.entry]
            self.took[id(event)] = left
            self.tensors.copied(left.inputs, tensors(list(event.inputs)))
            self.given(event)
            if recorded:
                entry.level = self.stack.level
                entry.label = self.label(entry.level)
            else:
                entry.label, entry.kind = NONE, 'loose'
            _, where = self.places.users(event.where)
            entry.mark = self.places.mark(event.where) or entry.mark
            self.stands(event, where)
        elif id(event) in self.pulled:
            self.write(event, type(event.cell).__name__, 'call', True)
        else:
            return
        self.own(event.out, self.made, self.places.target(event.where))
        if hasattr(event.out, 'asnumpy') and len(said := self.places.expression(event.where)) <= names.LONGEST:
            self.tensors.written[id(event.out)] = said

    def op(self, event: Any) -> None:
        """A primitive ran; what a bprop hides, and what a rule or a bprop runs untaped, leaves no entry."""
        self.left, recorded = None, event.state == 'recorded' or id(event) in self.pulled
        named = self.names[self.now] = tried(self.inputs, event)[0]  # None of an event that is odd
        if id(event) not in self.pulled and (self.stack.hider is not None or (not recorded and self.stack.turn)):
            self.tensors.hidden |= set(map(id, tensors(event.out)))
            for t, name in names.outputs(event.out, self.places.target(event.where)):
                self.tensors.name_all([t], [name])
            return
        if not recorded and getattr(event.where, 'ours', False):
            return  # minicell's own work, such as making the first cotangent
        entry, rule = self.write(event, event.rule.name, 'op', recorded), facts.under(event.rule)
        entry.source = self.places.expression(entry.where) if entry.mark else ''
        if entry.where is event.where and len(entry.source) <= names.LONGEST:  # in a layer, several ops may share it
            self.tensors.written[id(event.out)] = entry.source
        if recorded and isinstance(rule, Passing):
            hanging = facts.hanging(rule, event.attrs) or self.heard.get(id(event), ())
            for function, owner, how in hanging[:1]:  # it is what backward will call
                on = type(owner).__name__ if how.startswith('backward') else next(iter(named or ()), '')
                entry.kind, entry.hook, entry.function = 'hook', how, function
                entry.name = f'hook on {on or "a tensor"}'
        self.own(event.out, self.made, self.places.target(event.where))
        if rule in facts.GATES and len(outs := tensors(event.out)) == len(event.inputs):
            called = zip(map(id, outs), named or (), strict=True)  # what goes through is called as before
            self.tensors.called.update((t, name) for t, name in called if name)

    def overwritten(self, event: Any) -> None:
        """A Tensor's memory is overwritten: a Parameter is updated, say."""
        if self.stack.hider is None and self.stack.turn is None and is_float(event.tensor):
            mark, where = self.places.users(event.where)
            self.made = self.new(WRITTEN, event.what, 'loose', mark)
            self.entries[self.made].where = where

    # ---- gradients ----

    def begin(self, event: Any) -> None:
        """A gradient starts, and calls its function."""
        key = getattr(event, 'of', None)
        if key is None:  # a tape made by hand: what an error, caught since, has left open
            for frame in self.stack.gradients()[event.order - 1 :]:
                self.stack.pop(frame)
        gradient = Gradient(key, event, len(self.entries), self.stack.level)
        self.gradients.append(gradient)
        places = getattr(event, 'positions', range(len(event.inputs)))
        parameters = names.parameters(event.function, max(places, default=-1) + 1)
        named = [parameters[k] for k in places]
        for tensor, parameter, source in zip_longest(event.inputs, named, event.sources, fillvalue=''):
            self.tensors.enter(tensor, source, parameter)
        self.frame = Play(gradient, self.stack.watched)
        self.stack.push(self.frame)

    def back(self, event: Any) -> None:
        """Reading back starts."""
        gradient = self.find(event)
        playing = self.stack.gradient_of(gradient.key)
        if playing is not None and playing.gradient is gradient:
            self.stack.pop(playing)
        if gradient.last is None:
            gradient.last = len(self.entries)
        self.frame = frame = ReadBack(gradient, self.stack.watched, back=event, told=self.stack.hider is None)
        wrote = (e.level for e in self.entries[gradient.first : gradient.last])
        frame.level = 1 + max(wrote, default=gradient.level)
        self.readings.append(frame)
        self.tensors.name_all((g for _, g in event.outputs), names.douts(len(event.outputs)))
        self.stack.push(frame)

    def find(self, event: Any) -> Gradient:
        """The gradient that an event names; one that began before the Tape did is met here first."""
        key = getattr(event, 'of', None)
        if key is None:
            playing = next((f for f in reversed(self.stack.gradients()) if not isinstance(f, ReadBack)), None)
            if playing is not None:
                return playing.gradient
        found = next((g for g in reversed(self.gradients) if g.key is key and key is not None), None)
        if found is None:
            found = Gradient(key, None, len(self.entries), self.stack.level, len(self.entries))
            self.gradients.append(found)
        return found

    def end(self, event: Any) -> None:
        """The gradients arrive; or a vjp's function has returned, or an exception ends the gradient."""
        key, stops = getattr(event, 'of', None), event.gradients is None
        self.frame = frame = self.stack.gradient_of(key, Play if stops else ReadBack)
        if isinstance(frame, ReadBack):
            frame.end = None if stops else event
            begin, found = frame.gradient.begin, tuple(event.gradients or ())
            target = self.places.returned(begin.where) if begin is not None and found else ''
            if target and 'jvp(' not in self.places.expression(begin.where):
                for gradient, name in names.outputs(found if found[1:] else found[0], target):
                    self.tensors.name_all([gradient], [name])
            of = map(self.tensors.name, frame.gradient.inputs)
            self.tensors.name_all(found, (n and names.gradient(n) for n in of))
        elif frame is not None:
            frame.gradient.last = len(self.entries)
        self.stack.pop(frame)

    # ---- readings ----

    def pull(self, event: Any) -> None:
        """Backward reaches an entry; where a hook hangs on its output, that one sees the cotangent first."""
        self.frame = frame = self.stack.innermost(ReadBack)
        number = self.number(event.entry) if frame is not None and frame.told else None
        took = self.took.get(id(event.entry))
        self.turn = Turn(event, number, frame, call=took, waits=number is not None and self.seen_first)
        if frame is not None:
            frame.turns.append(self.turn)
        if tensors(event.cotangent):  # another gradient may read it
            self.tensors.name_all((g for _, g in self.turn.arrived), self.turn.douts)
            self.tensors.dout_of |= {id(g): number for _, g in self.turn.arrived if number is not None}
        self.stack.push(self.turn)

    @property
    def seen_first(self) -> bool:
        """Whether a hook on a tensor is called next: it sees a cotangent before the entry does."""
        return type(self.then).__name__ == 'Hook' and self.then.kind == 'tensor'

    def give(self, event: Any) -> None:
        """An entry hands out its gradients."""
        self.turn = turn = self.stack.turn_of(event)
        if turn is not None:
            turn.give = event
            self.stack.pop(turn)
        self.frame = self.stack.innermost(ReadBack)

    def hook(self, event: Any) -> None:
        """A hook is called: at an entry of its own, or on a tensor, where it stands beside the tape."""
        self.frame = frame = self.stack.innermost(ReadBack)
        around = self.stack.innermost(Turn)
        around = around if around is not None and around.frame is frame else None
        number = around.entry if around is not None else None
        if event.kind == 'tensor':
            number = self.beside(event) if frame is not None and frame.told else None
        self.turn = Hooking(event, number, frame, around=around)
        self.stack.push(self.turn)

    def beside(self, event: Any) -> int:
        """The entry of a hook on a tensor, made when it first runs."""
        key = id(event.function), id(event.owner)
        if key not in self.hooks:
            on = event.owner is not None and self.tensors.said(event.owner)
            self.made = self.hooks[key] = self.new('', f'hook on {on or "a tensor"}', 'hook')
            self.entries[self.made].hook, self.entries[self.made].function = 'tensor', event.function
        return self.hooks[key]

    def hooked(self, event: Any) -> None:
        """It has returned."""
        turn = self.stack.innermost(Hooking)
        if turn is None or turn.event.function is not event.function:
            return
        self.turn, self.frame = turn, turn.frame
        self.stack.pop(turn)
        if turn.around is not None:
            turn.around.hooks.append((turn.event, event))
            turn.around.waits = turn.around.waits and self.seen_first


TAKES = {
    'Enter': Walk.enter, 'Leave': Walk.leave, 'Op': Walk.op, 'Call': Walk.ran, 'Write': Walk.overwritten,
    'Begin': Walk.begin, 'Back': Walk.back, 'End': Walk.end, 'Pull': Walk.pull, 'Give': Walk.give,
    'Hook': Walk.hook, 'Hooked': Walk.hooked,
}  # fmt: skip


def ahead(events: list) -> tuple[set[int], dict[int, tuple]]:
    """What only later events tell, by the ids of entries: which of those inside a Cell with its own bprop a vjp reads
    outside of it, so that they do stand on a tape; and which hook backward calls while it reads one."""
    hidden: list[Any] = []
    inside, pulled, heard, reads = set(), set(), {}, []
    for event in events:
        kind = type(event).__name__
        if kind == 'Enter' and getattr(event, 'custom', False):
            hidden.append(event.cell)
        elif kind == 'Leave' and hidden and event.cell is hidden[-1]:
            hidden.pop()
        elif kind in ('Op', 'Call') and hidden:
            inside.add(id(event))
        elif kind == 'Pull':
            reads.append(event.entry)
            if not hidden and id(event.entry) in inside:
                pulled.add(id(event.entry))
        elif kind == 'Give':
            while reads and reads.pop() is not event.entry:
                pass  # an error that someone caught had ended it
        elif kind == 'Hook' and event.kind != 'tensor' and reads:
            heard.setdefault(id(reads[-1]), ((event.function, event.owner, event.kind),))
    return pulled, heard
