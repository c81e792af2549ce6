"""What a framework brings: a rule at one point, which answers in arrays as often as it is asked."""

import inspect
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, Protocol

import numpy as np

from ..replay.program import Arrays

TIMES = 4  # how often it is asked the same again
LARGER = '{} returns a gradient of shape {} for {} of shape {}: {} adds it up over the axes that were broadcast.'


class Answer(NamedTuple):
    """What a rule answers: the outputs of floats that have a gradient, and the gradients of the inputs."""

    outs: list[np.ndarray]
    grads: list[np.ndarray | None]
    leads: Sequence[tuple[int, int]] = ()  # of each output, a bit an input: whose values lead there, whose slopes
    unseen: str = ''  # why the framework's autodiff does not see everything
    chosen: int = 0  # a bit an input: its values choose what is computed
    eps: float = 0.0  # the rounding of the coarsest dtype that took part
    notes: Sequence[str] = ()
    steps: Sequence[Any] = ()  # of the body, where they stand in the user's code


class Rule(Protocol):
    """A rule at one point. Lists have an item for each array of the inputs, and then for each weight it reaches."""

    name: str
    names: list[str]
    arrays: list[np.ndarray]
    wants: list[bool]  # which of them count
    sens: list[np.ndarray] | None  # the cotangents to try it with
    kept: Any  # a Kept: what it can reach; None where calling it again would do harm, which `harm` tells
    harm: str
    words: dict[str, str]  # minicell's words -> the framework's
    doubles: bool  # whether it can be called in Float64

    def answer(
        self, xs: Arrays, came: Any = None, wide: bool = True, body: bool = False, shake: Callable | None = None,
        look: bool = False, way: str = '', cut: Collection[int] = (),
    ) -> Answer:  # fmt: skip
        """Call it with these inputs, and ask for the gradients for these cotangents.

        came: a list, what makes one of the outputs, or None: nothing is asked. wide: in Float64. body: by the
        framework's own autodiff of the forward body. shake: what rounds all numbers. look: say what leads where.
        way: 'again' and 'after', another call, or one of `ways`; 'straight', of a body: its steps have the slope 1.
        cut: steps of the body through which nothing passes. Raises Malformed where the rule has no gradient.
        """
        ...

    def ways(self) -> Iterator[tuple[str, str]]:
        """Other ways of asking, in each of which the gradients are the same; and when that is, in words."""
        ...

    def slopes(self, came: Arrays) -> 'Rule':
        """What its own gradients are, as a rule of the inputs and of cotangents: for the second order."""
        ...


def rule_of(home: Any, of: Any, inputs: tuple, keywords: dict, sens: Any) -> Rule:
    """The rule of a framework at these inputs; sens: the cotangents to try it with."""
    found = home.rule(of, inputs, keywords)
    found.sens = None if sens is None else [home.numbers(t) for t in home.tensors_in(sens)]
    return found


def inner(of: Any, gradients: Any, many: int) -> Any:
    """The gradients of a rule as a rule: of its inputs, of so many cotangents, and of the weights."""
    at, douts = len(of.like), called(many)
    gradients.name, gradients.weights = of.name, of.weights
    gradients.names = [*of.names[:at], *douts, *of.names[at:]]
    gradients.wants = [*of.wants[:at], *(True for _ in douts), *of.wants[at:]]
    gradients.arrays += of.arrays[at:]
    return gradients


def same(a: np.ndarray | None, b: np.ndarray | None) -> bool:
    """Whether two gradients are the same, NaN among their numbers, or both are none."""
    return a is b or (a is not None and b is not None and np.array_equal(a, b, equal_nan=True))


def repeated(ask: Callable[[], list]) -> list:
    """What is answered to the same question, asked several times: the first answer that is another one."""
    once = found = ask()
    with suppress(Exception):  # what is freed can be asked once
        for _ in range(TIMES):
            found = ask()
            if not all(map(same, once, found)):
                break
    return found


def called(many: int) -> list[str]:
    """What so many cotangents are called."""
    return ['dout'] if many == 1 else [f'dout[{k}]' for k in range(many)]


def in_words(words: dict[str, str], kinds: set) -> dict[str, str]:
    """A framework's words where the inputs have these dtypes: NumPy has no bfloat16, and Float32 stands for it."""
    return (
        words | {'Float32': 'BFloat16'} if {str(kind).rpartition('.')[2] for kind in kinds} == {'bfloat16'} else words
    )


def names(function: Any, first: tuple, inputs: tuple, keywords: dict, tensors_in: Callable) -> list[str]:
    """What the tensors among the inputs are called: by the parameters of a function, which gets something first."""
    try:
        given = inspect.signature(function).bind_partial(*first, *inputs).arguments
    except ValueError:  # what is built in has no signature
        given = {f'x{k}': value for k, value in enumerate(inputs)}
        first = ()
    found = []
    for name, value in [*[*given.items()][len(first) :], *keywords.items()]:
        many = tensors_in(value)
        found += [name] if many and many[0] is value else [f'{name}[{k}]' for k, _ in enumerate(many)]
    return found
