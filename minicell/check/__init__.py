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

        return f'<pre>{escape(repr(self))}</pre>'


def lost(note: str) -> bool:
    """Whether a note says that a part of the gradient is lost."""
    return note.startswith('It ')


def check_cell(cell: Callable, inputs: tuple, keywords: dict, sens: object, wrt: object, order: int) -> CheckResult:
    """What `elsewhere.check_bprop` finds of a Cell, or of a function of Tensors."""
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
