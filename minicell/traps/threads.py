"""Threads: an op in one thread uses a value of a gradient that is open in another.

    def f(x):
        with ThreadPoolExecutor() as pool:
            return pool.submit(lambda: x * x).result()      # the tape belongs to the thread of the gradient
    ms.grad(f)(x)

ThreadError says so. A Parameter is a plain value in any other thread: a forward pass there neither sees the gradient
nor disturbs it. Gradients in several threads wait for each other; a Tape that a thread leaves open when it ends is
closed by the next one that waits.

A recorded op pays 50 ns for `mine.tick`, which only the gradient's own thread has: 3 % of a chain of 1,000 small ops.
"""

import os
import sys
import time
from _thread import RLock, get_ident

from ..core import doors, tape
from ..core.errors import ThreadError, users_line

WAIT = 10.0  # seconds that a gradient waits for one in another thread
STUCK = 0.05  # seconds for which that thread may itself be waiting: perhaps for this one
turn, heirs = RLock(), RLock()  # heirs: while it is looked whether the turn's thread is gone
owner = 0  # the thread whose turn it is


def take_turn() -> None:
    """Wait until no other thread has a gradient or a Tape open, then keep the tape for this one."""
    if not _take(0):
        _wait()
    tape.mine.tick = tape.tick


def _take(seconds: float) -> bool:
    """Take the turn, unless another thread keeps it for so long, or inherits it at this moment."""
    global owner
    lock = turn
    if lock.acquire(timeout=seconds):
        with heirs:
            if lock is turn:
                owner = get_ident()
                return True
        lock.release()
    return False


def _wait() -> None:
    began = moving = time.monotonic()
    while not _take(0.01):
        who, now = owner, time.monotonic()
        frame = sys._current_frames().get(who)
        if frame is None and now - began > STUCK and _inherit(who):
            return
        if frame is None or os.path.basename(frame.f_code.co_filename) != 'threading.py':  # it is not waiting
            moving = now
        if now - moving > STUCK or now - began > WAIT:
            raise ThreadError(
                f'a gradient or a Tape is open in another thread, and one thread at a time may have one. That thread '
                f'is waiting, perhaps for this one: take both gradients in the same thread, or this one before or '
                f'after.{users_line()}'
            )


def _inherit(who: int) -> bool:
    """Close what a thread that has ended left open, and take the turn that it never gave back."""
    global turn, owner
    with heirs:
        if owner == who and who not in sys._current_frames():  # (no other has got its number meanwhile)
            turn, owner = RLock(), get_ident()
            turn.acquire()
            tape.mine.tick = tape.tick
            for each in list(doors.open_tapes):
                each._close()
    return turn._is_owned()


def end_turn() -> None:
    """Let the next thread have the tape, once nothing is open here."""
    if not tape.gradients and not doors.open_tapes and turn._is_owned():
        vars(tape.mine).clear()
        while turn._is_owned():  # (an interrupt may have left it taken twice)
            turn.release()


def other_thread(rule: object, tensors: tuple) -> int:
    """The address of what another thread makes of these Tensors."""
    if all(hasattr(t, 'requires_grad') or not tape.recorded_from <= t.at < tape.NOWHERE for t in tensors):
        return -1
    raise ThreadError(
        f'{rule.name} is called in one thread, with a Tensor that a gradient in another thread is differentiating: '
        f'only the thread that asked for a gradient can record. Compute this part in the same thread, or give the '
        f'other one ops.stop_gradient(...) of it, made before, if it is a constant.{users_line()}'
    )


doors.other_thread = other_thread
doors.acquire.append(take_turn)
doors.release.append(end_turn)
