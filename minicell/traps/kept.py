"""Values kept from a takeover: they carry an address from OFF up, which says where they were made.

OFF + age + k is the address of what was made inside a Cell of the class named stretches[k]. When the outermost gradient
closes, `age` moves on, and what a Cell kept from before is a constant.
"""

from ..core import tape
from ..core.errors import HiddenValueError, HiddenValueWarning, users_line, warn
from ..core.tape import OFF, note
from . import swallowed
from .bypassed import in_bprop

AGE = 1 << 20
age = 0
stretches: list = []  # names of the classes of Cells that ever took over
taken: dict = {}  # class of Cells -> (the address of what is made inside, the arity of construct or -1), this gradient


def forget() -> None:
    """The outermost gradient has closed."""
    global age
    age += AGE
    taken.clear()


tape.at_end.append(forget)


def hidden(rule: object, x: object, y: object, out: object, at: int, frame) -> int:
    """The address of `out`, made from a value (address `at`) that is inside a hidden stretch or was born in one."""
    if OFF <= at < OFF + age:
        at = address(*rule.tensors(x, y))
        if tape.start <= at < tape.hidden_from:
            at = tape.tick()
            tape.record((rule, x, y, out, frame.f_code, frame.f_lasti))
            return at
    if tape.looking:
        note(rule, x, y, out, frame)
    if at < tape.hidden_from:
        return -1
    if swallowed.weights and tape.hiding:
        swallowed.touched.extend([t for t in rule.tensors(x, y) if id(t) in swallowed.weights])
    return tape.hiding or escaped(rule.name, at, frame)


tape.on_hidden = hidden


def address(*tensors) -> int:
    """The largest address of some Tensors; those that a Cell kept from a gradient that is over become constants."""
    for t in tensors:
        if OFF <= t.at < OFF + age:
            t.at = -1
    return max([t.at for t in tensors], default=-1)


def escaped(name: str, at: int, frame) -> int:
    """`name` uses a value that was born in a hidden stretch and kept: an error where a gradient should pass."""
    cell = stretches[(at - OFF) % AGE]
    advice = (
        f'Return it from construct as a further output (bprop then finds it in out), or compute it again in bprop '
        f'from its inputs.{users_line(frame)}'
    )
    if tape.start != OFF:
        raise HiddenValueError(
            f'{name} uses a value that was computed inside construct of {cell}, which has its own bprop: '
            f'nothing there is recorded, so the gradient through this value would silently be lost. {advice}'
        )
    running = in_bprop()
    if running:
        warn(
            f'{type(running[0]).__name__}.bprop uses a value that construct of {cell} kept: if the Cell is called '
            f"twice, this is the last call's value, and the gradient of the first call is wrong. {advice}",
            HiddenValueWarning,
            frame,
        )
    return at
