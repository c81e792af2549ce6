"""Is a rule right that lives elsewhere? A PyTorch Function or a JAX function is judged where it lives, by minicell's judge.

A framework's own autodiff of the forward body takes the place of minicell's rules, and differences are taken of the
forward as it is. This package brings arrays, and a function to call again; no framework is imported here unless an
argument comes from it. `trials` asks, `torch_` and `jax_` answer.
"""

from collections.abc import Callable, Iterator
from importlib import import_module

from ..check import CheckResult
from ..check import check_bprop as check_cell

HOMES = {'torch': 'torch_', 'jax': 'jax_', 'jaxlib': 'jax_'}  # the package that a type comes from -> who answers for it


def check_bprop(
    cell: Callable, /, *inputs: object, sens: object = None, wrt: object = None, order: int = 1, **keywords: object
) -> CheckResult:
    found = dict.fromkeys(home for each in (cell, *parts((inputs, keywords))) for home in homes(each))
    if not found:
        return check_cell(cell, *inputs, sens=sens, wrt=wrt, order=order, **keywords)
    from .trials import check  # what a check of a Cell does without

    return check(import_module(f'.{next(iter(found))}', __name__), cell, inputs, keywords, sens, wrt, order)


check_bprop.__doc__ = check_cell.__doc__


def parts(value: object) -> Iterator[object]:
    """What stands in nested tuples, lists and dicts."""
    if isinstance(value, tuple | list | dict):
        for part in value.values() if isinstance(value, dict) else value:
            yield from parts(part)
    else:
        yield value


def homes(value: object) -> Iterator[str]:
    """Who answers for an object: for its type, or what that comes from; a class is asked for itself, too."""
    kinds = [*type(value).__mro__, *(value.__mro__ if isinstance(value, type) else ())]
    for package in (kind.__module__.partition('.')[0] for kind in kinds):
        if package in HOMES:
            yield HOMES[package]
