"""Lesson 01: its figure of entries that come and go; trials of an order, a loop, a rule and a hunt."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from inspect import signature
from itertools import product
from numbers import Real
from typing import Any

import numpy as np

import minicell as ms
from minicell.core.watch import Back, End, Give, Op
from minicell.teach import about
from minicell.teach.trials import ERRORS, Ended, Hunt, Trial, begun, end, function_of, stopped

from .entries import HIDDEN, WORDS, engine, entries_of, read_back, total
from .figures import FIGURES

ops = ms.ops


def wave(x: ms.Tensor) -> ms.Tensor:
    """The program of the exercise."""
    y = ops.sin(x)
    for _ in range(2):
        y = y * 3
    if y > 1:
        y = ops.log(y)
    else:
        y = ops.exp(y)
    return y


def right() -> list[str]:
    """The steps of backward as they really happen, read from the tape."""
    with ms.Tape() as tape:
        ms.grad(wave)(ms.Tensor(1.0))
    products = [event for event in tape.events if isinstance(event, Op) and event.rule.name == 'Mul']
    steps = []
    for event in tape.events:
        if isinstance(event, Back):
            steps.append('start')
        elif isinstance(event, Give) and event.entry in products:
            steps.append(f'mul {products.index(event.entry) + 1}')
        elif isinstance(event, Give):
            steps.append(event.entry.rule.name.lower())
        elif isinstance(event, End):
            steps.append('dx')
    return steps


STEPS = 'sin', 'mul 1', 'exp', 'start', 'if', 'dx', 'mul 2', 'log'  # as they are offered


def order(answer: Any) -> Trial:
    """Compare an order of steps with that of the tape."""
    due = right()
    answer = answer.tolist() if isinstance(answer, np.ndarray) else answer
    if not isinstance(answer, list | tuple):
        end(f'Give check the list ORDER; it got {type(answer).__name__}.', returned=type(answer).__name__)
    if all(step is ... for step in answer):
        raise Ended
    chosen = tuple(step for step in STEPS if step in answer)
    strange = [repr(step) for step in answer if step is not ... and step not in STEPS]
    hits = [one == other for one, other in zip(answer, due, strict=False)]
    if strange:
        said = f'There is no step {", ".join(strange)}. The steps are {", ".join(STEPS)}.'
    elif len(answer) != len(due) or ... in answer:
        said = f'There are {len(due)} places; {sum(step is not ... for step in answer)} are filled.'
    elif all(hits):
        said = f'All {len(due)} places agree with what really ran.'
    else:
        where = hits.index(False) + 1
        said = f'{sum(hits)} of {len(due)} places agree with what really ran. The first that does not is place {where}.'
    return Trial(True, list(answer) == due, {'which steps happen': chosen, 'their order': tuple(answer)}, said)


def fan_out(x: Any, y: Any) -> Any:
    """A value that two entries use, one of them as both of its inputs."""
    s = ops.sin(x)
    return s * s + s * y


def unused(x: Any) -> Any:
    """Entries after the result, and one before it, that do not lead to it; what they are of is used elsewhere."""
    ops.exp(x)
    y = ops.sin(x) * x
    ops.log(y)
    return y


def twelve(x: Any) -> Any:
    """A program with so many entries that some names, such as v1, are the beginning of others."""
    for _ in range(12):
        x = ops.sin(x)
    return x


# What stands in the sentence -> a program, and its inputs.
PROGRAMS = {
    'wave(x), of exercise 1a': (wave, (1.0,)),
    'wave(x), where the other branch runs': (wave, (0.1,)),
    'x * y + x': (lambda x, y: x * y + x, (3.0, 2.0)),
    'y / x + x / x': (lambda x, y: y / x + x / x, (3.0, 2.0)),  # whose gradient it is, the place says
    's * s + s * y, with s = sin(x)': (fan_out, (0.7, -2.0)),
    'sin(x) * x, in a program that also computes exp(x) and log(sin(x) * x) and does not use them': (unused, (2.0,)),
    'sin(sin(… sin(x))), twelve times': (twelve, (1.0,)),
    'x * x, in a program that has another input, y': (lambda x, y: x * x, (3.0, 2.0)),
    'x itself, without an entry': (lambda x: x, (3.0,)),
    'exp(sin(x)) * y, where y is 0': (lambda x, y: ops.exp(ops.sin(x)) * y, (1.0, 0.0)),
    '3e-9 * exp(x)': (lambda x: 3e-9 * ops.exp(x), (1.0,)),
}


def loop(answer: Any, programs: dict[str, tuple[Callable, tuple[float, ...]]] = PROGRAMS) -> Trial:
    """Try a function that reads entries back, on each of the programs; ms.grad says what is due for the inputs."""
    function_of(answer, 'read_back')
    found, wrong = [], []
    for program, (function, inputs) in programs.items():
        entries, result = entries_of(function, *inputs)
        due = read_back(entries, result, total)
        got, instead = came(answer, entries, result)
        for k, name in enumerate(signature(function).parameters):
            due[name] = float(ms.grad(function, k)(*[ms.Tensor(x, ms.float64) for x in inputs]))
        for name, true in due.items():
            # an input on which the result does not depend may be left out
            left_out = 'it is not in the dict' if true or name.startswith('v') else 0.0
            one = instead or got.get(name, left_out)
            found.append(float(f'{one:.9g}') if isinstance(one, float) else one.partition(', in `')[0])
            if not (isinstance(one, float) and np.isclose(one, true, atol=1e-14)):
                given = f'it is {one:.4g}' if isinstance(one, float) else one
                wrong.append(f'{program}:\nexpected {true:.4g} as the gradient of {name}; {given}.')
    said = wrong[0] if wrong else f'The gradients agree with ms.grad for all {len(programs)} programs.'
    # one part, because many beliefs have the same consequence for some program: only all of them tell which it is
    return Trial(True, not wrong, {'gradients': tuple(found)}, said)


def came(answer: Any, entries: list, result: str) -> tuple[dict[str, Any], str]:
    """The gradients that a loop works out; or none, and in words what it does instead."""
    before = list(entries)
    try:
        gradients = answer(entries, result)
    except (*ERRORS, LookupError) as error:
        return {}, stopped(begun(error), 'read_back').rstrip('.')
    if entries != before:
        return {}, 'read_back has changed the list of entries: go through it, and leave it as it was'
    if not isinstance(gradients, dict):
        return {}, f'read_back returns {type(gradients).__name__}, not a dict'
    return {name: float(each) if isinstance(each, Real) else str(each) for name, each in gradients.items()}, ''


# What stands in the sentence -> a program of one input with products in it.
PRODUCTS = {
    'x * x': lambda x: x * x,
    '3 * (x * x)': lambda x: 3 * (x * x),
    'sin(x) * exp(x)': lambda x: ops.sin(x) * ops.exp(x),
    '-2 * (sin(x) * (x * x))': lambda x: -2 * (ops.sin(x) * (x * x)),
    'x * x * x': lambda x: x * x * x,
}
AT = (2.0, -1.0, 0.0, 1.0)  # where factors and slopes have both signs, are 0, and are equal without being one value


def rule(answer: Any, products: dict[str, Callable] = PRODUCTS, at: Sequence[float] = AT) -> Trial:
    """Run the engine with the learner's rule of a product; ms.grad says what is due."""
    function_of(answer, 'mul')
    found, wrong = [], []
    for (program, function), x in product(products.items(), at):
        true = ms.grad(function)(ms.Tensor(x, ms.float64)).item()
        try:
            got: Any = float(f'{engine(function, x, Mul=answer):.9g}')
        except ERRORS as error:
            got = f'{type(begun(error)).__name__}: {error}'
        found.append(got)
        if not (isinstance(got, float) and np.isclose(got, true)):
            given = f'it is {got:.4g}' if isinstance(got, float) else f'the engine stops with {got}'
            wrong.append((x, f'{program}, at x = {x:g}:\nexpected {true:.4g} as the gradient of x; {given}.'))
    with suppress(*ERRORS):
        found.append(str(answer(2.0, 3.0, 6.0, 5.0)))  # several rules stop the engine in the same way
    said = wrong[0][1] if wrong else f'With this rule the gradients agree with ms.grad: {"; ".join(products)}.'
    fine = [f'{x:g}' for x in at if x not in dict(wrong)]
    if wrong and fine:
        said += f'\nAt x = {" and ".join(fine)} all of them are right.'
    return Trial(True, not wrong, {'gradients': tuple(found)}, said)


yours = partial(about.yours, '1c', what='`mul`')


HUNT = Hunt(WORDS, HIDDEN, noun='Engine')
TRIALS = {'1a': order, '1b': loop, '1c': rule, '1d': HUNT}
