"""Is a rule right that lives elsewhere? One of PyTorch, JAX or MindSpore is judged where it lives, by minicell's judge.

A framework's own autodiff of the forward body takes the place of minicell's rules, and differences are taken of the
forward as it is. This package brings arrays, and a function to call again; no framework is imported unless an argument
comes from it. `trials` asks; `torch_`, `jax_` and `mindspore_` answer.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from importlib import import_module

from ..check import CheckResult, check_cell
from ..core.errors import NotATensorError, users_line
from ..errors import MinicellWarning

# the package of a type -> who answers for it
HOMES = {'torch': 'torch_', 'jax': 'jax_', 'jaxlib': 'jax_', 'mindspore': 'mindspore_'}
TRIED = {'torch': '2.13.0', 'jax': '0.10.2', 'mindspore': '2.10.0'}  # the versions that CI installs


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

    A rule of PyTorch, JAX or MindSpore is compared, too: a `torch.autograd.Function`, or a module or a function that
    calls one, with torch tensors; a function with `custom_vjp` or `custom_jvp`, or one that calls it, with JAX arrays;
    a Cell of MindSpore's, or what calls one, with its Tensors.

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
    found = [home for each in (cell, *parts((inputs, keywords))) for home in homes(each)]
    if not found:
        return check_cell(cell, inputs, keywords, sens, wrt, order)
    from .rule import rule_of  # what the check of a Cell does without
    from .trials import check

    tried(found[0].rstrip('_'))
    return check(rule_of(import_module(f'.{found[0]}', __name__), cell, inputs, keywords, sens), wrt, order)


@cache
def tried(framework: str) -> None:
    """Warn, once, of a version that nobody has tried."""
    version, known = import_module(framework).__version__, TRIED[framework]
    if version.split('.')[:2] != known.split('.')[:2]:
        MinicellWarning.warn(
            f'This is {framework} {version}, and check_bprop was tried with {framework} {known}: what it says may be '
            f'wrong, or it may raise.'
        )


def on_minicell(fn: Callable, args: tuple) -> tuple[Callable, Sequence]:
    """What runs on minicell: a Cell of MindSpore's, or a function, is made again with its own code; its args, too.

    Raises TypeError for what lives in another framework, and MinicellError for what minicell has not.
    """
    found = [home for each in (fn, *parts(args)) for home in homes(each)]
    if found and found[0] != 'mindspore_':
        raise NotATensorError(
            f'explain draws what runs on minicell, or a Cell of MindSpore; this is of {found[0].rstrip("_")}. '
            f'check_bprop judges it where it lives.{users_line()}'
        )
    return import_module('.mindspore_.taken', __name__).taken(fn, args) if found else (fn, args)


def parts(value: object) -> Iterator[object]:
    """What stands in nested tuples, lists and dicts."""
    if isinstance(value, tuple | list | dict):
        for part in value.values() if isinstance(value, dict) else value:
            yield from parts(part)
    else:
        yield value


def homes(value: object) -> Iterator[str]:
    """Who answers for an object: by its type, and what that comes from; a class is asked for itself, too."""
    kinds = [*type(value).__mro__, *(value.__mro__ if isinstance(value, type) else ())]
    for package in (kind.__module__.partition('.')[0] for kind in kinds):
        if package in HOMES:
            yield HOMES[package]
