"""Is this bprop right? It is tried at one point in several ways, and the judge says what is true of each gradient.

Each trial calls the Cell under a Tape, and asks for the gradients for one dout. What the takeover hid is read back by
the rules; then construct is called again, and differences are taken. Everything that the Cell can reach is as it was
before each trial, and afterwards.
"""

from collections.abc import Callable

from ..core import tape
from ..core.differentiate import name_of
from ..core.errors import GradArgumentError, NotATensorError, users_line
from ..core.tensor import is_float, tensors_in
from ..core.watch import aside
from ..judge.verdict import Verdict
from .trials import Malformed, Trials


class CheckResult:
    """What `check_bprop` found: `.ok`, `.rows` (a Verdict for each input and Parameter), `.notes`; prints as text."""

    def __init__(self, name: str, rows: list[Verdict], notes: list[str], error: Exception | None = None) -> None:
        self.name, self.rows, self.notes, self.error = name, rows, notes, error
        self.ok = error is None and all(row.ok for row in rows if row.asked) and not any(map(lost, notes))

    def __bool__(self) -> bool:
        return self.ok

    def __repr__(self) -> str:
        if self.error is not None:
            return f'✗ {self.name}: {self.error}'
        found = {row.verdict for row in self.rows}
        said = 'is not the true gradient' if 'wrong' in found or any(map(lost, self.notes)) else ''
        said = said or ('agrees with the true gradient' if self.ok else 'cannot be judged' * ('unknown' in found))
        sign = '✓' if self.ok else '✗' if said.startswith('is not') else '○'
        lines = [f'{sign} {self.name} {said or "is a surrogate"}.']
        return '\n'.join(lines + [f'  {row}' for row in self.rows] + [f'  {note}' for note in self.notes])

    def _repr_html_(self) -> str:
        from html import escape  # a millisecond and a half, for those who are in a notebook

        return f'<pre style="color:#1A1A1A;background:#FFFFFF;padding:8px">{escape(repr(self))}</pre>'


def lost(note: str) -> bool:
    """Whether a note says that a part of the gradient is lost."""
    return note.startswith('It ')


def check_bprop(
    cell: Callable, /, *inputs: object, sens: object = None, wrt: object = None, order: int = 1, **keywords: object
) -> CheckResult:
    """Compare a Cell's bprop with what is true of its construct: by the rules, and by differences.

    inputs, keywords: as for cell(...). sens: the cotangent to try it with, in the structure of the output; random
    numbers (always the same) where None, because ones hide mistakes. wrt: which inputs count, by their names or places,
    and which Parameters; all that are floats where None. order 2: the derivative of the bprop itself is tried, too.

    It is tried in Float64 and in the dtype of the inputs, with several douts, twice in the same point, after another
    call, and where the first axis of an input has one row, with three. A malformed bprop is a verdict, too. Of a
    function, or a Cell without a bprop, the gradient by autodiff is compared.

    Raises TypeError without a float Tensor among the inputs, ValueError for an unknown wrt or order, and what the Cell
    itself raises.

    >>> import minicell as ms
    >>> class Square(ms.nn.Cell):
    ...     def construct(self, x):
    ...         return x * x
    ...     def bprop(self, x, out, dout):
    ...         return (2 * x,)
    >>> print(ms.check_bprop(Square(), ms.Tensor([1.0, 3.0])))
    ✗ Square.bprop is not the true gradient.
    ...
    """
    if order not in (1, 2):
        raise GradArgumentError(f'order is 1 or 2, but got {order!r}.{users_line()}')
    if not any(map(is_float, (*tensors_in((inputs, keywords)), *(getattr(cell, 'internal_params', None) or ())))):
        raise NotATensorError(f'check_bprop needs a float Tensor among the inputs of {name_of(cell)}.{users_line()}')
    outside = range(0)  # the addresses of what is differentiated around us
    if tape.in_own_thread():
        outside = range(tape.recorded_from, tape.first_address + len(tape.entries))
    with aside():
        trials = Trials(cell, inputs, keywords, sens)
        try:
            trials.first()
        except Malformed as malformed:
            return CheckResult(trials.name, [], [], malformed.error)
        trials.ask(wrt)
        trials.others()
        rows = trials.second(trials.rows()) if order == 2 else trials.rows()
        return CheckResult(trials.name, rows, [*trials.loses(outside, wrt), trials.tried()])
