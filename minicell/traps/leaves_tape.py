"""Leaving the tape: a differentiated Tensor's numbers are taken out, and computed with where no gradient follows.

    def f(x):
        return x * float(x)             # the second factor is a constant now: 3 instead of 6 at x = 3
    def g(x):
        return np.sin(x) * x            # NumPy knows nothing of a tape

LeavesTapeWarning for asnumpy(), float(), item() and their like, because looking at the numbers is fine.
LeavesTapeError for NumPy's functions, where no use is; HiddenValueError where construct of a Cell with its own bprop
has made the Tensor, and kept it. A copy of a Parameter, too, is made of its numbers.

Costs 0.1 µs where numbers are taken out, and nothing else.
"""

from ..core import tape
from ..core.differentiate import tell_if_hidden
from ..core.errors import users_line
from ..core.tape import NOWHERE
from ..core.tensor import TO_NUMPY
from ..core.trap import Trap, captured
from ..errors import LeavesTapeError, LeavesTapeWarning


class LeavesTape(Trap):
    """Tells whoever takes numbers out."""

    def numbers_asked(self, tensor, how: str, chooses: bool) -> None:
        if chooses:
            return
        if tape.hidden_address:  # inside a Cell with its own bprop NumPy may compute, with what the bprop answers for
            if tape.recorded_from <= tape.address(tensor) < tape.hidden_address:
                captured.append(tensor)
            return
        if how is TO_NUMPY and tape.address(tensor) >= tape.recorded_from != NOWHERE:
            raise LeavesTapeError(
                'NumPy cannot follow a gradient: this Tensor is being differentiated, and what NumPy makes of it would '
                'silently have the gradient 0. Use the op of the same name from minicell.ops, or .asnumpy() where only '
                f'the number is wanted.{users_line()}'
            )
        tell_if_hidden(how, tensor)
        if tape.recorded_from <= tensor.at < NOWHERE:
            LeavesTapeWarning.warn(
                f'{how} of a Tensor that is being differentiated: whatever is computed from these numbers is a '
                f'constant, and its part of the gradient is silently 0. (For looking at the numbers this is fine.)',
            )


trap = LeavesTape()
