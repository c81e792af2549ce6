"""What is asked for: the gradient by its name or as a Tensor, and the place of the number in it."""

import operator
from typing import Any

import numpy as np

from ..core.errors import article, users_line
from ..core.tensor import Tensor, is_float
from ..core.watch import Op, Tape
from ..replay.program import pulled, wide
from ..story.followed import tried
from .book import Book, Handed

NAMED = 12  # so many names stand in a sentence


class NotHandedOut(ValueError):
    """A Tensor is no gradient of this tape."""


def asked(tape: Tape, gradient: object, index: Any) -> tuple[Book, Handed, tuple[int, ...]]:
    """The tape's book, the gradient, and the index. Raises ValueError, TypeError, IndexError with a sentence."""
    book, index = book_of(tape), as_index(index)
    if isinstance(gradient, str):
        gradient = by_name(book, gradient)
    elif not isinstance(gradient, Handed):
        gradient, index = by_identity(tape, book, gradient, index)
    return book, gradient, within(gradient.tensor.shape, index)


def book_of(tape: Tape) -> Book:
    """A tape's book, made once for a tape that is closed."""
    known, events = tape.__dict__.get('_book'), tape.events
    if known is None or known[0] is not events:
        known = tape.__dict__['_book'] = events, Book(tape)
    return known[1]


def by_name(book: Book, name: str) -> Handed:
    """The gradient of that name; the name of what it is a gradient of will do."""
    for said in (name, f'd{name}', f'd({name})'):
        if said in book.by_name:
            return book.by_name[said]
    for t in book.tensors.values():
        if book.name(t) in {name, name[1:]} - {''} and not is_float(t):
            raise ValueError(no_float(book, t))
    raise ValueError(f'There is no gradient called {name!r} on this tape. {names(book)}{users_line()}')


def no_float(book: Book, t: Tensor) -> str:
    """What to say of a Tensor that has no gradient."""
    return f'{book.name(t) or "This"} is {t.dtype}: only a Tensor of floats has a gradient.{users_line()}'


def names(book: Book) -> str:
    """The names that there are, the results first."""
    known, more = list(book.by_name), len(book.by_name) - NAMED
    said = f'It has {", ".join(known[:NAMED])}{f" and {more} more" * (more > 0)}.'
    return said if known else 'It has none: take a gradient inside the `with` block.'


def by_identity(tape: Tape, book: Book, gradient: object, index: tuple) -> tuple[Handed, tuple]:
    """Where this very Tensor was handed out; a stacked or reshaped one (as of jacrev) leads to what it is made of."""
    if isinstance(gradient, tuple | list | dict):
        raise TypeError(f'tape.why takes one gradient, but got {article(type(gradient).__name__)} of {len(gradient)}: '
                        f'write tape.why(gradients[0], ...).{users_line()}')  # fmt: skip
    if not isinstance(gradient, Tensor | np.ndarray | np.generic):
        raise TypeError(f"tape.why takes a gradient that the tape handed out, or its name such as 'dx', but got "
                        f'{article(type(gradient).__name__)}.{users_line()}')  # fmt: skip
    moved = gradient, index
    while moved and id(moved[0]) not in book.by_id:
        moved = step(tape, book, *moved)
    if moved is None:
        raise NotHandedOut(unknown(book, gradient))
    return book.by_id[id(moved[0])], moved[1]


def step(tape: Tape, book: Book, gradient: object, index: tuple) -> tuple[Tensor, tuple] | None:
    """The Tensor and index that an op only moved to here, if one did."""
    op = book.origin.get(id(gradient))
    if not isinstance(op, Op) or not isinstance(op.out, Tensor) or op.state == 'hidden':
        return None
    seed, (place, error) = np.zeros(op.out.shape), tried(within, op.out.shape, index)
    if error is not None:
        return None
    seed[place] = 1
    ins, outs = ([wide(tape.value(t, op.at)) for t in ts] for ts in (op.inputs, [op.out]))
    handed, _ = tried(pulled, op, ins, outs, [seed])
    if handed is None or any(d is None for d in handed):
        return None
    ones = [(t, tuple(j), d[tuple(j)]) for t, d in zip(op.inputs, handed, strict=True) for j in np.argwhere(d).tolist()]
    return ones[0][:2] if len(ones) == 1 and ones[0][2] == 1 else None


def unknown(book: Book, gradient: object) -> str:
    """What to say of a Tensor that is no gradient of this tape."""
    if id(gradient) not in book.tensors and id(gradient) not in book.origin:
        return (
            f'This tape handed out no such gradient: it may be of another tape, or a part of a gradient. Give the '
            f"whole, and the index beside it, as tape.why('dx', (0, 2)). {names(book)}{users_line()}"
        )
    if not is_float(gradient):
        return no_float(book, gradient)
    due = book.gradient(gradient)
    advice = f'Ask for {due!r}.' if due in book.by_name else names(book)
    return f'{book.name(gradient) or "This"} is a value on the tape, and no gradient. {advice}{users_line()}'


def as_index(index: Any) -> tuple[int, ...]:
    """An index as a tuple of ints."""
    try:
        return tuple(operator.index(i) for i in (index if isinstance(index, tuple | list) else (index,)))
    except TypeError:
        raise TypeError(f'The index of one number is an int for each axis, as (0, 2), but got {index!r}.{users_line()}'
                        ) from None  # fmt: skip


def within(shape: tuple[int, ...], index: tuple[int, ...]) -> tuple[int, ...]:
    """The index, counted from the front. Raises IndexError where there is no such number."""
    if len(index) != len(shape):
        raise IndexError(f'The gradient has shape {shape}, so that one number of it has {len(shape)} '
                         f'{"index" if len(shape) == 1 else "indices"}, but got {index}.{users_line()}')  # fmt: skip
    for i, n in zip(index, shape, strict=True):
        if not -n <= i < n:
            raise IndexError(f'The gradient has shape {shape}: it has no number at {index}.{users_line()}')
    return tuple(i % n for i, n in zip(index, shape, strict=True))
