"""The record: what was called, on what, where in the code, and what a bprop hid.

One list, `entries`. While a gradient is wanted, each primitive appends one flat entry

    (rule, x, y, out, code, lasti)

its rule, its inputs, its output, and where it was called (code object and instruction: a line number costs nothing
until someone asks). The n-th entry made gives its output the address `out.at == n`; addresses only grow, so reading the
tape back is one walk down a list, with the cotangents in another list. No sort, no recursion.

Three addresses say what happens to the output of an op whose inputs' largest address is `at`:

    at < start                 nobody asked for its gradient: not recorded (out.at = -1)
    start <= at < hidden_from  recorded
    hidden_from <= at          inside a Cell with its own bprop, or born there: not recorded, and remembered as such

When someone is looking (a `Tape` is open), everything else that happens is appended too, as an entry that no cotangent
ever reaches, so that the list tells the whole story in order.
"""

import sys
import warnings
import weakref
from collections.abc import Callable
from functools import lru_cache
from itertools import count

from .errors import HOME, HiddenValueError, HiddenValueWarning, SeveredWarning, WriteAfterUseError, place, users_line
from .where import Where

OFF = 1 << 62  # no recorded address gets here; what is born in a hidden stretch has an address from here up

tick = count().__next__
entries: list = []
record = entries.append
first = 0  # the address of entries[0]
start = OFF
hidden_from = OFF
hiding = 0  # inside a hidden stretch: the address that marks what is born there
looking = False
depth = 0  # how many gradients are open
written: dict = {}  # id of an array's memory -> (stamp, memory, what wrote, code, lasti), while a gradient is open
severed: dict = {}  # the same, for what got a value that is being differentiated: no gradient passes a write
severed_said: dict = {}
answering: object = None  # the code of the function that calls a bprop
absent = 0  # how often a bprop returned None for an input: a declared absence is no cut path
# The classes of Cells that took over since the outermost gradient began -> the address that marks what is born inside
# one, and how many arguments its construct takes where all of them can be given by position (else -1).
taken: dict = {}
constructs: dict = {}  # id of the code of a construct whose Cell has a bprop -> (the class's name, that code)
calls_construct = False  # some Cell calls another's construct by name, perhaps past a bprop
inner = 0  # how often a gradient was taken at a point that another one differentiates by
graph_mode: Callable | None = None  # what calls a Cell in graph mode: set and reset by set_context
tracer: object = None  # while a function is traced into a graph: who notes what it may not do
weights: set = set()  # ids of the Parameters that open gradients have marked
arguments: frozenset = frozenset()  # ids of the other Tensors that differentiated functions were called with
touched: list = []  # those of them that were used inside the hidden stretch that is running
# OFF + age + k is the address of what was born inside a Cell of the class named stretches[k]
stretches: list = []
age = 0  # grows by AGE when the last open gradient closes: what a Cell kept is a constant from then on
AGE = 1 << 20
holders: dict = {}  # id -> weak reference to who holds values after their time, and wants to know of writes


class Marker:
    """What stands in the place of a rule in an entry that only tells what happened; backward never reads one."""

    def __init__(self, name: str) -> None:
        self.name = name


ENTER, LEAVE, BEGIN, BACK, PULL, GIVE, END, FAIL, WRITE, OPEN, REPORT, STEP, STEPPED = map(
    Marker,
    ('enter', 'leave', 'begin', 'back', 'pull', 'give', 'end', 'fail', 'write', 'open', 'report', 'step', 'stepped'),
)


def note(rule: object, x: object, y: object, out: object, frame) -> None:
    """Append an entry that no cotangent reaches. Only while someone is looking."""
    tick()
    record((rule, x, y, out, frame and frame.f_code, frame.f_lasti if frame else 0))


def state() -> tuple:
    """All that a gradient or a Tape changes and has to put back."""
    return entries, record, first, start, hidden_from, hiding, looking


def restore(was: tuple) -> None:
    """Put back what `state` returned."""
    global entries, record, first, start, hidden_from, hiding, looking
    entries, record, first, start, hidden_from, hiding, looking = was


def own_list() -> None:
    """Go on with an empty list of entries."""
    global entries, record, first
    entries = []
    record = entries.append
    first = tick()
    record((OPEN, None, None, None, None, 0))


def align() -> None:
    """Back in a list after another one was in use: fill it up, so that the n-th entry is at address n again."""
    missing = tick() + 1 - first - len(entries)
    entries.extend([(OPEN, None, None, None, None, 0)] * missing)


def record_from(address: int) -> None:
    """Record whatever depends on values at this address or later; OFF: nothing."""
    global start, hidden_from, hiding
    start, hidden_from, hiding = address, OFF, 0


def hide(born: int, construct: Callable, args: tuple, kwargs: dict) -> object:
    """Call a construct unrecorded: what is made there from values of the tape gets the address `born`."""
    global hidden_from, hiding
    hidden_from, hiding = start, born
    try:
        if kwargs or len(args) != 1:
            return construct(*args, **kwargs)
        return construct(args[0])  # a call that Python is quick at
    finally:
        hidden_from, hiding = OFF, 0


def look(on: bool) -> None:
    """Keep (or no longer keep) everything that happens."""
    global looking
    looking = on


def trace_with(by: object) -> None:
    """A function is being traced from here on; None: no longer."""
    global tracer
    tracer = by


def deeper(by: int) -> None:
    """A gradient opens (+1) or closes (-1)."""
    global depth, age
    depth += by
    if depth == 0:
        age += AGE
        written.clear()
        taken.clear()
        severed.clear()


# ---- the hidden stretch of a Cell with its own bprop ---------------------------------------------------------------


def hidden(rule: object, x: object, y: object, out: object, at: int, frame) -> int:
    """The address of `out`, made from a value (address `at`) that is inside a hidden stretch or was born in one."""
    if OFF <= at < OFF + age:
        at = address(*rule.tensors(x, y))
        if start <= at < hidden_from:
            at = tick()
            record((rule, x, y, out, frame.f_code, frame.f_lasti))
            return at
    if looking:
        note(rule, x, y, out, frame)
    if at < hidden_from:
        return -1
    if weights and hiding:
        touched.extend([t for t in rule.tensors(x, y) if id(t) in weights])
    return hiding or escaped(rule.name, at, frame)


def address(*tensors) -> int:
    """The largest address of some Tensors; those that a Cell kept from a gradient that is over become constants."""
    for t in tensors:
        if OFF <= t.at < OFF + age:
            t.at = -1
    return max([t.at for t in tensors], default=-1)


def escaped(name: str, at: int, frame) -> int:
    """`name` uses a value that was born in a hidden stretch and kept: an error where a gradient should pass."""
    cell = stretches[(at - OFF) % AGE]
    advice = (
        f'Return it from construct as a further output (bprop then finds it in out), or compute it again in bprop '
        f'from its inputs.{users_line(frame)}'
    )
    if start != OFF:
        raise HiddenValueError(
            f'{name} uses a value that was computed inside construct of {cell}, which has its own bprop: '
            f'nothing there is recorded, so the gradient through this value would silently be lost. {advice}'
        )
    running = in_bprop()
    if running:
        warn(
            f'{type(running[0]).__name__}.bprop uses a value that construct of {cell} kept: if the Cell is called '
            f"twice, this is the last call's value, and the gradient of the first call is wrong. {advice}",
            HiddenValueWarning,
            frame,
        )
    return at


def warn(message: str, category: type[Warning], frame) -> None:
    """A warning whose place is the user's line, for Python's filters to show once a place."""
    if frame.f_code.co_filename.startswith(HOME):  # grad called the Cell, or a layer of ours did
        frame = caller()
        if frame is None:
            return
    space = frame.f_globals
    registry = space.setdefault('__warningregistry__', {})
    module = space.get('__name__', '__main__')  # filters go by the module's name, not by its file
    warnings.warn_explicit(message, category, frame.f_code.co_filename, frame.f_lineno, module, registry)


def warn_user(message: str, category: type[Warning]) -> None:
    """A warning at the user's own line."""
    frame = caller()
    if frame is not None:
        warn(message, category, frame)


# ---- writes: a value that backward needs must still be the value that was used -------------------------------------


def memory(array) -> object:
    """The array that owns this one's memory: views share their base's."""
    return array if array.base is None else array.base


def wrote(tensor, what: str, frame, source: object = None, how: object = ...) -> None:
    """The memory of `tensor` is about to change: remember it, and tell those who still hold the old values."""
    if not (looking or depth or holders):
        return
    root = memory(tensor.array)
    if looking:
        note(WRITE, tensor, what, (source, how), frame)
    write = first + len(entries), root, what, frame.f_code, frame.f_lasti
    if depth:
        written[id(root)] = write
    for holder in list(holders.values()):
        if (held := holder()) is not None:
            held.keep(write)


def tell(holder: object) -> None:
    """Tell `holder.keep(write)` of every write from now on, for as long as it lives."""
    key = id(holder)
    holders[key] = weakref.ref(holder, lambda _: holders.pop(key, None))


def sever(tensor, value) -> None:
    """`tensor` was just written with `value`: remember it if a gradient would have to pass from one to the other."""
    if depth:
        root = id(memory(tensor.array))
        if start <= getattr(value, 'at', -1) < hidden_from:
            severed[root] = written[root]
        else:
            severed.pop(root, None)


def check_severed(entry: tuple, address: int) -> None:
    """Warn if this entry reads a Parameter that was given a differentiated value before: that gradient is lost."""
    rule, x, y, _, code, lasti = entry
    for t in rule.tensors(x, y):
        stamp, _, what, writer, at = severed.get(id(memory(t.array)), (OFF, None, '', None, 0))
        if stamp <= address:
            used, write = Where(code, lasti), Where(writer, at)
            warnings.warn_explicit(
                f'{rule.title(entry)} uses a Parameter that was written by {what} with a value that is being '
                'differentiated. No gradient passes a write: what the value depends on gets none through here. Use the '
                'value itself, or write ops.stop_gradient(value) if that is meant.\n'
                f'  written: {place(write.file, write.line)}: {write.text}',
                SeveredWarning,
                used.file,
                used.line,
                registry=severed_said.setdefault(used.file, {}),  # so that each line is told once
            )


def check_unwritten(entry: tuple, address: int) -> None:
    """Raise if a value that this entry's rule reads was written after the entry was made."""
    if severed:
        check_severed(entry, address)
    rule, _, _, _, code, lasti = entry
    for value in rule.values_read(entry):
        found = written.get(id(memory(value)))
        if found and found[0] > address:
            _, _, what, writer, at = found
            used, write = Where(code, lasti), Where(writer, at)
            raise WriteAfterUseError(
                f'The gradient of {rule.title(entry)} needs the value that it used, but that value was written since, '
                f'by {what}. Without this error the gradient would silently be computed from the new value. '
                f'Write after the gradient, or write into a copy.\n'
                f'  used:    {place(used.file, used.line)}: {used.text}\n'
                f'  written: {place(write.file, write.line)}: {write.text}'
            )


@lru_cache(maxsize=4096)
def reads(function: Callable) -> frozenset[str]:
    """The parameters whose *values* a rule reads (naming `x.shape` or `x.dtype` is no reading), found in its own code.

    >>> reads(lambda g, out, x, y: g * y) == {'g', 'y'}, reads(lambda g, out, x: g.reshape(x.shape)) == {'g'}
    (True, True)
    """
    import dis  # needed only once a write has happened

    code = function.__code__
    parameters = frozenset(code.co_varnames[: code.co_argcount + bool(code.co_flags & 0x04)])
    if code.co_cellvars:  # a nested function reads some of them
        return parameters
    found, last = set(), []
    for step in dis.get_instructions(code):
        if last and not (step.opname == 'LOAD_ATTR' and step.argval in ('shape', 'dtype')):
            found.update(last)
        names = step.argval if isinstance(step.argval, tuple) else (step.argval,)
        last = list(names) if step.opname.startswith('LOAD_FAST') else []
        found.update(last[:-1])
        last = last[-1:]
    return parameters & found


def in_bprop() -> list:
    """The Cells whose bprop is running, the innermost first: found on the stack, for only errors and warnings ask."""
    found, frame = [], sys._getframe()
    while frame is not None:
        if frame.f_code is answering:
            found.append(frame.f_locals['cell'])
        frame = frame.f_back
    return found


def caller(up: int = 1):
    """The first frame that is not inside minicell, or None: the user's own."""
    frame = sys._getframe(up)
    while frame is not None and frame.f_code.co_filename.startswith(HOME):
        frame = frame.f_back
    return frame
