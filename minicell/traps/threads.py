"""Threads: an op in one thread uses a value of a gradient that is open in another.

    def f(x):
        with ThreadPoolExecutor() as pool:
            return pool.submit(lambda: x * x).result()      # the tape belongs to the thread of the gradient
    ms.grad(f)(x)

ThreadError says so. A Parameter is a plain value in any other thread: a forward pass there neither sees the gradient
nor disturbs it. Gradients in several threads wait for each other.

A recorded op pays 25 ns, for looking up `mine.tick`, which is there in the gradient's own thread alone.
"""

import sys
import threading
import time

from ..core import doors, tape
from ..core.errors import ThreadError, users_line

WAIT = 10.0  # seconds that a gradient waits for one in another thread
STUCK = 0.05  # seconds for which that thread may itself be waiting: perhaps for this one
turn = threading.RLock()
owner = 0  # the thread whose turn it is


def take_turn() -> None:
    """Wait until no other thread has a gradient or a Tape open, then keep the tape for this one."""
    global owner
    if not turn.acquire(blocking=False):
        _wait()
    owner = threading.get_ident()
    tape.mine.tick = tape.tick


def _wait() -> None:
    began = moving = time.monotonic()
    while not turn.acquire(timeout=0.01):
        frame, now = sys._current_frames().get(owner), time.monotonic()
        if frame is None or frame.f_code.co_filename != threading.__file__:
            moving = now
        if now - moving > STUCK or now - began > WAIT:
            raise ThreadError(
                f'a gradient or a Tape is open in another thread, and one thread at a time may have one. That thread '
                f'is waiting, perhaps for this one: take both gradients in the same thread, or this one before or '
                f'after.{users_line()}'
            )


def end_turn() -> None:
    """Let the next thread have the tape, once nothing is open here."""
    if not tape.gradients and not tape.looking and turn._is_owned():
        vars(tape.mine).clear()
        while turn._is_owned():  # (an interrupt may have left it taken twice)
            turn.release()


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
doors.turning.append(take_turn)
doors.turned.append(end_turn)
