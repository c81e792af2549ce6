"""What is known of each tensor: who made it, what the code calls it, which one it is."""

from typing import Any

from ..core.grad import is_parameter
from . import names
from .record import Entry


class Tensors:
    """Tensors by their identity; a Tape keeps all of its tensors alive."""

    def __init__(self, entries: list[Entry]) -> None:
        self.entries = entries
        self.maker: dict[int, int] = {}  # id of a tensor -> the entry that made it
        self.called: dict[int, str] = {}  # id of a tensor -> its name in the code
        self.read: dict[int, str] = {}  # id of a tensor -> what the first line calls it that reads it
        self.written: dict[int, str] = {}  # id of a tensor -> the short expression that made it
        self.dout_of: dict[int, int] = {}  # id of a cotangent -> the entry that it came to
        self.hidden: set[int] = set()  # ids of what ops made that left no entry
        self.same: dict[int, Any] = {}  # id of a gradient's marked input, or a construct's own -> what was given
        self.keys: dict[int, int] = {}  # id of a tensor -> its number
        self.nones: dict[int, str] = {}  # id of a tensor -> who said that it has no gradient

    def key(self, tensor: Any) -> int:
        """A tensor's number; what a gradient marked has that of the tensor that entered it."""
        return self.keys.setdefault(id(self.given(tensor)), len(self.keys))

    def given(self, tensor: Any) -> Any:
        """The tensor itself: of what a gradient marked, the one that entered it."""
        while id(tensor) in self.same:
            tensor = self.same[id(tensor)]
        return tensor

    def name(self, tensor: Any) -> str:
        """Its name in the code: a Parameter's own, or as the line calls it that makes it, or one that reads it."""
        return self.own_name(tensor) or self.called.get(id(tensor)) or self.read.get(id(tensor), '')

    def name_all(self, found: Any, called: Any) -> None:
        """What to call some gradients where another gradient reads them: the code may have no name for them."""
        for tensor, name in zip(found, called, strict=False):
            if name and hasattr(tensor, 'asnumpy'):
                self.called.setdefault(id(tensor), name)

    def own_name(self, tensor: Any) -> str:
        """The name of a Parameter."""
        return tensor.name if is_parameter(tensor) else ''

    def said(self, tensor: Any) -> str:
        """What it is called, or who made it."""
        return self.name(tensor) or self.made_by(tensor)

    def made(self, tensor: Any) -> bool:
        """Whether an op has made it, or a gradient marked it."""
        return any(id(tensor) in known for known in (self.maker, self.hidden, self.same))

    def made_by(self, tensor: Any) -> str:
        """A name for what the code has no name for: what made it, as `x @ w`, or as `entry 3`; or ''."""
        if id(tensor) not in self.maker:
            return ''
        entry = self.entries[self.maker[id(tensor)]]
        return self.written.get(id(tensor)) or self.by_entry(tensor) if entry.kind in ('op', 'call') else entry.name

    def apart(self, found: list[tuple[Any, str]]) -> list[str]:
        """The names of what an op reads: two of one name by the entries that made or got them."""
        many = len({name for _, name in found}) < len(found)
        alike = lambda t, name: many and any(name == n and self.given(t) is not self.given(other) for other, n in found)
        return [self.by_entry(t) or name if alike(t, name) else name for t, name in found]

    def by_entry(self, tensor: Any) -> str:
        """`entry 3` of what that made, `d(entry 3)` of what it got on the way back."""
        made, read = self.maker.get(id(tensor)), self.dout_of.get(id(tensor))
        if made is not None:
            return f'entry {self.entries[made].label}'
        return '' if read is None else names.gradient(f'entry {self.entries[read].label}')

    def enter(self, marked: Any, source: Any, parameter: str) -> None:
        """A gradient marks its input: the marked tensor is called as the one that entered."""
        name = getattr(source, 'name', '') or parameter or self.called.get(id(source), '')
        self.called.setdefault(id(marked), name)
        if source is not marked:
            self.same[id(marked)] = source
        while source is not None:  # an outer gradient may not have known the name
            self.called[id(source)] = self.called.get(id(source)) or name
            source = self.same.get(id(source))

    def copied(self, own: Any, given: Any) -> None:
        """A construct under a bprop has Tensors of its own; a vjp that it keeps hands gradients to these."""
        for copy, tensor in zip(tensors(list(own)), given, strict=False):
            if copy is not tensor:
                self.same.setdefault(id(copy), tensor)

    def collector(self, tensor: Any, inputs: tuple) -> Any:
        """What collects the gradients of `tensor`: an outer gradient looks through an inner one's marks."""
        own = {id(t) for t in inputs}
        while id(tensor) in self.same and id(tensor) not in own:
            tensor = self.same[id(tensor)]
        if id(tensor) in own or tensor.at < 0:
            return tensor
        # a graph's first call is given Tensors of its own, which have the same addresses
        return next((t for t in inputs if t.at == tensor.at and not is_parameter(t)), tensor)

    def in_order(self, inputs: tuple, written: tuple[str, ...]) -> tuple[str, ...]:
        """The names of an op's inputs in the op's own order: Python turns `3 * x` into x times 3.

        Where a number may be meant that nobody has named, no name is better than a wrong one; so it is where a number
        stands elsewhere than in the code, as of `x.masked_fill(mask, 0.5)`.
        """
        if len(written) != 2:
            pairs = zip(written, inputs, strict=False)
            moved = any(names.is_number(n) and not names.is_number(n, t.array) for n, t in pairs)
            return ('',) * len(written) if moved else written
        known = tuple(self.called.get(id(t), '') for t in inputs)
        plain = [
            not (n or id(t) in self.maker or id(t) in self.same or id(t) in self.hidden)
            for t, n in zip(inputs, known, strict=True)
        ]
        orders = (written, written[::-1])
        for order in orders:
            if any(a and a == b for a, b in zip(known, order, strict=True)):
                return order
        for order in orders:
            if any(p and names.is_number(n, t.array) for t, n, p in zip(inputs, order, plain, strict=True)):
                return order
        odd = any(p and not t.shape for t, p in zip(inputs, plain, strict=True)) or any(map(names.is_number, written))
        return ('', '') if odd else written


def tensors(thing: Any) -> list:
    """The tensors in an output, in order."""
    if isinstance(thing, dict):
        return [t for part in thing.values() for t in tensors(part)]
    if isinstance(thing, list | tuple):
        return [t for part in thing for t in tensors(part)]
    return [thing] if hasattr(thing, 'asnumpy') else []


def places(thing: Any, name: str) -> list[str]:
    """How the code reaches each of these tensors in an output called `name`: `dout['low']`, `dout['high'][0]`."""
    return [place for t, place in names.outputs(thing, name) if hasattr(t, 'asnumpy')]


def is_float(tensor: Any) -> bool:
    """Whether a tensor can have a gradient."""
    return 'Float' in str(tensor.dtype)
