"""How a Tape is shown: as text, as the tape view, as a graph, as an account. The first who asks loads the view."""

from pathlib import Path

from .core.watch import Tape
from .lazy import load


def show(self: Tape, **options: object) -> object:
    """The tape view: `tape.show(zoom='inside', compare=False, scale=1.6, step=-1)`.

    The options are those of `minicell.view.show`.
    """
    return load('view').show(self, **options)


def to_dot(self: Tape) -> object:
    """The tape as the graphviz package's own object: Cells are clusters, a takeover has a double border.

    Where there is no `dot` program, a notebook shows the tape's picture instead.
    """
    return load('view').to_dot(self)


def why(self: Tape, gradient: object, index: object = ()) -> object:
    """The account of how one number of a gradient was made: who gave which part of it, at which line.

    gradient: a Tensor that the tape handed out (a result of `ms.grad`, or what a Give event holds), or a name such as
    'dx' or 'fc1.weight' (of several, the last), of any shape and any float dtype; index: an int for each axis, () for a
    single number. The slopes are the rule's own, read once more in Float64; no bprop or hook runs again.
    The account has one row for each part: slope × cotangent = product, and `account.deeper(row)` explains that
    cotangent. A bprop and a hook sign as yours; beside a bprop stands what the built-in rules would have added up.

    Raises ValueError for a name or a Tensor that is no gradient of this tape, IndexError outside of its shape, and
    TypeError for anything else.

    >>> import minicell as ms
    >>> with ms.Tape() as tape:
    ...     dx = ms.grad(lambda x, y: x * y + x)(ms.Tensor(3.0), ms.Tensor(2.0))
    >>> account = tape.why(dx)
    >>> account.total, [(row.who, row.by, row.factor, row.cotangent, row.total) for row in account.rows]
    ('3', [('2 Add', '', 1.0, 1.0, 1.0), ('1 Mul', 'y', 2.0, 1.0, 3.0)])
    """
    return load('account').why(self, gradient, index)


def verdicts(self: Tape) -> list:
    """What is true of each gradient that a bprop handed out: a Verdict for each input and Parameter of its Cell.

    They stand in the order in which backward read the takeovers; behind them, those on gradients of gradients. A
    Verdict has `cell`, `name`, `place`, `asked`, `yours`, `due`, `by`, `verdict` ('right', 'wrong', 'surrogate',
    'kink', 'not asked', 'unknown'), `why` and `mistake`.

    >>> import minicell as ms
    >>> class Square(ms.nn.Cell):
    ...     def construct(self, x):
    ...         return x * x
    ...     def bprop(self, x, out, dout):
    ...         return (dout * x,)
    >>> with ms.Tape() as tape:
    ...     dx = ms.grad(Square())(ms.Tensor(3.0))
    >>> [(v.cell, v.name, v.verdict, v.why) for v in tape.verdicts()]
    [('Square', 'x', 'wrong', 'dx is 3, and should be 6.')]
    """
    return load('judge').verdicts(self)


def save(self: Tape, path: str | Path, step: int | str | None = None) -> Path:
    """Write the tape view to a file: as a page that steps (.html), one step of it as .svg or .png, all steps as .gif.

    step: as in `show`; by default the last for a still, and the first for a page. Returns the path.

    Raises ValueError for another ending, and OSError where the file cannot be written.

    >>> import minicell as ms, tempfile
    >>> with ms.Tape() as tape:
    ...     dx = ms.grad(lambda x: x * x)(ms.Tensor(3.0))
    >>> tape.save(tempfile.mkdtemp() + '/square.svg').name
    'square.svg'
    """
    still = str(path).lower().endswith(('.svg', '.png'))
    return load('view').show(self, step=-1 if step is None and still else step).save(path)


def text(self: Tape) -> str:
    """What `print(tape)` shows."""
    return load('listing').listing(self)


def bundle(self: Tape, include: object = None, exclude: object = None) -> tuple[dict, dict]:
    """What a notebook shows of a Tape on the last line of a cell."""
    return load('view').show(self)._repr_mimebundle_(include, exclude)


Tape.show, Tape.save, Tape.to_dot, Tape.why, Tape.verdicts = show, save, to_dot, why, verdicts
Tape._repr_mimebundle_, Tape.__str__ = bundle, text
