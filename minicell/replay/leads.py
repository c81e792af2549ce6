"""What leads where on a Tape: whether the gradient that was read had been asked for."""

from collections.abc import Iterable
from typing import Any
from weakref import WeakKeyDictionary

from ..core.rules import Plain
from ..core.tensor import Tensor, is_float, tensors_in
from ..core.watch import Begin, Call, Op
from ..story.facts import under
from ..story.stack import ReadBack

ways: WeakKeyDictionary = WeakKeyDictionary()  # a gradient -> what leads to its inputs, for all bprops that it read


def leading(events: Iterable[Any], frame: ReadBack | None, tensors: list[Tensor]) -> list[bool]:
    """Which Tensors lead to what a gradient was taken with respect to: by identity, or by their address on the tape."""
    if frame is None or frame.gradient.begin is None:
        return [is_float(t) for t in tensors]
    known, reached = frame.gradient in ways, ways.setdefault(frame.gradient, set(keys(frame.gradient.begin.inputs)))
    for event in () if known else events:
        if isinstance(event, Op) and isinstance(under(event.rule), Plain):
            continue  # no gradient passes
        if isinstance(event, Op | Call):
            params = getattr(getattr(event, 'cell', None), 'internal_params', None) or ()
            if not reached.isdisjoint(keys([*tensors_in(event.inputs), *params])):
                reached.update(keys(filter(is_float, tensors_in(event.out))))
        elif isinstance(event, Begin):
            pairs = zip(event.inputs, event.sources, strict=True)
            reached.update(*[keys([leaf]) for leaf, source in pairs if not reached.isdisjoint(keys([source]))])
    return [is_float(t) and not reached.isdisjoint(keys([t])) for t in tensors]


def keys(tensors: Iterable[Tensor]) -> list[tuple]:
    """What tells Tensors apart."""
    tensors = list(tensors)
    return [(t.at,) if t.at >= 0 else ('', id(t)) for t in tensors] + [('', id(t)) for t in tensors]
