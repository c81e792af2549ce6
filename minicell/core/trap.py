"""A trap takes part in gradients from outside the core: one of traps/, graph mode, a Tape that hears more, hooks.

It is an object with those of the methods of `Trap` that it needs. `join` puts each into the list of its name, such as
`joined.opening`. The core calls all in a list, in order, and does not know who they are.
"""

from _thread import _local  # it is threading.local; importing threading as a whole takes half a millisecond
from functools import partial
from itertools import count

tick = count().__next__  # returns the next address on the tape
mine = _local()  # has the attribute `tick` only in the thread that the tape belongs to
in_own_thread = partial(hasattr, mine, 'tick')  # f(): whether the tape belongs to the thread that asks
captured: list = []  # (never another list) differentiated Tensors that the running construct used, and no inputs of it
books: list = []  # all that is emptied when the outermost gradient has ended
writes: dict = {}  # id of memory -> a record of the write to it; while this is empty, no entry is checked


class Trap:
    """What a trap may be told."""

    books: tuple = ()  # lists, dicts and sets of its own, which are emptied when the outermost gradient has ended

    # fmt: off
    # one gradient from its beginning to its end
    def opening(self, gradient): ...  # a vjp begins, or opens it again to read it; or it begins inside another
    def ran_forward(self, gradient): ...  # its function has returned
    def arrived(self, gradient, gradients): ...  # it has been read back: returns the gradients, which it may change
    def finished(self, gradient, gradients, unreached, finite): ...  # no cotangent reached the leaves at these indices
    def closing(self, gradient): ...  # it ends, perhaps by an exception

    # a Tensor, a Cell
    def writing(self, tensor, what, frame, source, how): ...  # `what` is about to write, see ops.write.writable
    def numbers_asked(self, tensor, how, chooses): ...  # Python or NumPy is about to see its numbers
    def defined(self, kind): ...  # a class of Cells is
    def attribute(self, cell, name, value): ...  # is set, to no Parameter and no Cell

    # for one trap alone, which takes the place of what stands here: no lists
    def acquire(self): mine.tick = tick  # a gradient or a Tape is about to begin
    def release(self): ...  # it has ended
    def check_entry(self, entry, address): return entry[0]  # the rule that reads it back, while there are `writes`
    def bad_number(self, kind, flag): ...  # NumPy divided by zero, or computed something else that is invalid
    def escaped(self, name, at, frame): return at  # the address of what `name` makes of a hidden value
    def other_thread(self, rule, tensors): return -1  # the address of an output computed in another thread
    def met(self, kind): ...  # for the first time in a gradient, a Cell of this class is taken over
    def called(self, cell, given, left): ...  # one with `_reads`, or with lists and such, before and after construct
    def uses(self, cell, used, frame): ...  # construct has returned, and used these captured Tensors
    def returned(self, cell, inputs, result, inside, at, frame): ...  # something other than a float Tensor of its own
    def declared_none(self, x): ...  # a bprop returned None as the gradient of this float Tensor
    def stand_in(self, cell, by_position): return cell  # what a takeover's entry under a Tape holds for the Cell
    # fmt: on


METHODS = [name for name, method in vars(Trap).items() if callable(method)]
ALONE = METHODS[METHODS.index('acquire') :]


joined = Trap()  # all that have: in the place of a method the list of theirs, or of those alone the one that stands
for _name in METHODS[: METHODS.index('acquire')]:
    setattr(joined, _name, [])


def join(trap: Trap, first: bool = False) -> None:
    """From here on this trap is called too, after those that have joined before, or as the first of them."""
    books.extend(trap.books)
    for name in METHODS:
        method, found = getattr(trap, name), getattr(joined, name)
        if method.__func__ is getattr(Trap, name):
            continue
        if name in ALONE:
            setattr(joined, name, method)
        elif method not in found:
            found.insert(0 if first else len(found), method)
