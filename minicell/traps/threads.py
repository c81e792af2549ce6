"""Threads: an op in one thread uses a value of a gradient that is open in another.

    def f(x):
        with ThreadPoolExecutor() as pool:
            return pool.submit(lambda: x * x).result()      # the tape belongs to the thread of the gradient
    ms.grad(f)(x)

ThreadError says so. A Parameter is a plain value in any other thread: a forward pass there neither sees the gradient
nor disturbs it. Gradients in several threads wait for each other.

A recorded op pays 25 ns, for looking up `mine.tick`, which is there in the gradient's own thread alone.
"""

from ..core import doors, tape
from ..core.errors import ThreadError, users_line


def other_thread(rule: object, tensors: tuple) -> int:
    """The address of what another thread makes of these Tensors."""
    if all(hasattr(t, 'requires_grad') or not tape.start <= t.at < tape.NOWHERE for t in tensors):
        return -1
    raise ThreadError(
        f'{rule.name} is called in one thread, with a Tensor that a gradient in another thread is differentiating: '
        f'only the thread that asked for a gradient can record. Compute this part in the same thread, or give the '
        f'other one ops.stop_gradient(...) of it, made before, if it is a constant.{users_line()}'
    )


doors.other_thread = other_thread
