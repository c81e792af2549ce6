"""One call explained: its gradient with respect to everything that has one, taken while a Tape looks."""

import sys
from collections.abc import Callable

from .core.differentiate import name_of
from .core.errors import NotATensorError, article, plural, users_line
from .core.grad import grad
from .core.tensor import Tensor, is_float
from .elsewhere import on_minicell
from .shown import Tape


def explain(fn: Callable, *args: object) -> Tape:
    """The Tape of fn(*args) and of its gradient with respect to each float Tensor in args and a Cell's Parameters.

    fn: a function or a Cell, not what it returned; or a Cell of MindSpore's with its Tensors, whose own code runs on
    minicell then. As the last line of a notebook's cell, the Tape shows itself; an
    error on the way shows the torn Tape and is raised again.

    Raises TypeError where fn cannot be called or nothing has a gradient, and whatever fn raises.

    >>> import minicell as ms
    >>> print(ms.explain(lambda x: x * x, ms.Tensor(3.0)))
    a gradient of <lambda> by ()
    ...
    """
    if not callable(fn):
        raise NotATensorError(
            f'explain needs a function or a Cell, and then what to call it with, as in explain(net, x). It got '
            f'{article(type(fn).__name__)}{"; write explain(net, x), not explain(net(x))" * isinstance(fn, Tensor)}.'
            f'{users_line()}'
        )
    fn, args = on_minicell(fn, args)
    places = tuple(i for i, a in enumerate(args) if isinstance(a, Tensor) and is_float(a) and a.array.dtype.kind == 'f')
    weights = list(getattr(fn, 'trainable_params', list)())
    if not places and not weights:
        raise NotATensorError(
            f'There is nothing to differentiate: {name_of(fn)} is called with {plural(len(args), "argument")}, and '
            f'no float Tensor is among them. Write explain({name_of(fn)}, Tensor(3.0)).{users_line()}'
        )
    tape = Tape()
    try:
        with tape:
            grad(fn, places or None, weights or None)(*args)
    finally:
        notebook = 'IPython' in sys.modules and sys.modules['IPython'].get_ipython() is not None
        if notebook and isinstance(tape.error, Exception):
            sys.modules['IPython'].display.display(tape)
    return tape
