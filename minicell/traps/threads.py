"""Threads: an op in one thread uses a value of a gradient that is open in another.

    def f(x):
        with ThreadPoolExecutor() as pool:
            return pool.submit(lambda: x * x).result()      # the tape belongs to the thread of the gradient
    ms.grad(f)(x)

ThreadError says so. A Parameter is a plain value in any other thread: a forward pass there neither sees the gradient
nor disturbs it. Gradients in several threads wait for each other; a Tape that a thread leaves open when it ends is
closed by the next one that waits.
"""

import os
import sys
import time
from _thread import RLock, get_ident

from ..core import tape
from ..core.errors import frames, users_line
from ..core.trap import Trap, mine
from ..core.watch import open_tapes
from ..errors import ThreadError

WAIT = 10.0  # seconds that a gradient waits for one in another thread
STUCK = 0.05  # seconds for which that thread may itself be waiting: perhaps for this one


def close_left() -> None:
    """Close the Tapes that an interrupt kept from closing: their `with` blocks are not running any more."""
    running = [None, *frames(sys._getframe())]
    for each in [t for t in open_tapes if t._frame not in running] if tape.in_own_thread() else ():
        each._close()


class Threads(Trap):
    """Gives the tape to one thread at a time."""

    def __init__(self) -> None:
        self.turn, self.heirs = RLock(), RLock()  # heirs: while it is looked whether the turn's thread is gone
        self.owner = 0  # the thread whose turn it is

    def acquire(self) -> None:
        """Wait until no other thread has a gradient or a Tape open, then keep the tape for this one."""
        if open_tapes:
            close_left()
        if not self._take(0):
            self._wait()
        mine.tick = tape.tick

    def _take(self, seconds: float) -> bool:
        """Take the turn, unless another thread keeps it for so long, or inherits it at this moment."""
        lock = self.turn
        if lock.acquire(timeout=seconds):
            with self.heirs:
                if lock is self.turn:
                    self.owner = get_ident()
                    return True
            lock.release()
        return False

    def _wait(self) -> None:
        began = moving = time.monotonic()
        while not self._take(0.01):
            who, now = self.owner, time.monotonic()
            frame = sys._current_frames().get(who)
            if frame is None and now - began > STUCK and self._inherit(who):
                return
            if frame is None or os.path.basename(frame.f_code.co_filename) != 'threading.py':  # it is not waiting
                moving = now
            if now - moving > STUCK or now - began > WAIT:
                raise ThreadError(
                    f'a gradient or a Tape is open in another thread, and one thread at a time may have one. That '
                    f'thread is waiting, perhaps for this one: take both gradients in the same thread, or this one '
                    f'before or after.{users_line()}'
                )

    def _inherit(self, who: int) -> bool:
        """Close what a thread that has ended left open, and take the turn that it never gave back."""
        with self.heirs:
            if self.owner == who and who not in sys._current_frames():  # (no other has got its number meanwhile)
                self.turn, self.owner = RLock(), get_ident()
                self.turn.acquire()
                mine.tick = tape.tick
                for each in list(open_tapes):
                    each._close()
        return self.turn._is_owned()

    def release(self) -> None:
        """Let the next thread have the tape, once nothing is open here."""
        if not tape.gradients and not open_tapes and self.turn._is_owned():
            vars(mine).clear()
            while self.turn._is_owned():  # (an interrupt may have left it taken twice)
                self.turn.release()

    def closing(self, gradient) -> None:
        """Close the Tapes that were opened inside it and are still open."""
        for each in [t for t in open_tapes if gradient in t._inside] if open_tapes else ():
            each._close()

    def other_thread(self, rule: object, tensors: tuple) -> int:
        own = tape.hidden_address, *tape.enclosing_addresses()
        taken = [t for t in tensors if not hasattr(t, 'requires_grad') and tape.address(t) >= tape.recorded_from]
        if all(t.at >= tape.NOWHERE and t.at & ~1 in own for t in taken):  # (what construct itself computes elsewhere)
            return -1
        raise ThreadError(
            f'{rule.name} is called in one thread, with a Tensor that a gradient in another thread is differentiating: '
            f'only the thread that asked for a gradient can record. Compute this part in the same thread, or give the '
            f'other one ops.stop_gradient(...) of it, made before, if it is a constant.{users_line()}'
        )


trap = Threads()
