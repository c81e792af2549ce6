"""Random programs, differentiated once, twice and three times: minicell agrees with autograd in double precision."""

import warnings

import numpy as np
import pytest
from autograd import grad as theirs

import minicell as ms
from minicell import Parameter, Tensor, ops
from tests.fuzz.depth import ALL
from tests.fuzz.expressions import Program, random_program


def asked(way: str, f, x: Tensor) -> Tensor:
    """The slope of a number, by one of the ways to ask for it."""
    if way == 'value_and_grad':
        return ms.value_and_grad(f)(x)[1]
    if way == 'vjp':
        out, back = ms.vjp(f, x)
        return back(ops.ones_like(out))[0]
    if way == 'GradOperation':
        return ops.GradOperation(get_all=True)(f)(x)[0]
    if way == 'jit':
        return ms.grad(ms.jit(lambda x: f(x) * 1.0))(x)
    if way == 'Tape':
        with ms.Tape():
            return ms.grad(f)(x)
    return ms.grad(f)(x)


def ours(program: Program, weights: list, order: int, way: str) -> list[np.ndarray]:
    """The slopes by x of the first, ... order-th, each weighed by constants; then that by w of the first."""
    x, w = Tensor(program.x), Tensor(program.w)
    start = lambda x, w: (program.play(x, w, 1) * Tensor(weights[0])).sum()
    f, found = lambda x: start(x, w), []
    for k in range(order):
        last = f
        found.append(asked(way, last, x).asnumpy())
        f = lambda x, last=last, k=k: (ms.grad(last)(x) * Tensor(weights[k + 1])).sum()
    if order > 1:  # by x, then by w
        found.append(ms.grad(lambda w: (ms.grad(start)(x, w) * Tensor(weights[1])).sum())(w).asnumpy())
    p = Parameter(w, name='w')
    if way == 'GradOperation':
        found.append(ms.grad(lambda x, w: start(x, w), 1)(x, w).asnumpy())
    else:
        found.append(ms.grad(lambda x: start(x, p), None, p)(x).asnumpy())
    return found


def due(program: Program, weights: list, order: int) -> list[np.ndarray]:
    """The same by autograd."""
    start = lambda x, w: (program.play(x, w, 2) * weights[0]).sum()
    f, found = lambda x: start(x, program.w), []
    with warnings.catch_warnings():
        warnings.filterwarnings('ignore', 'Output seems independent of input')
        for k in range(order):
            last = theirs(f)
            found.append(np.asarray(last(program.x)))
            f = lambda x, last=last, k=k: (last(x) * weights[k + 1]).sum()
        if order > 1:
            mixed = theirs(lambda w: (theirs(start)(program.x, w) * weights[1]).sum())
            found.append(np.asarray(mixed(program.w)))
        found.append(np.asarray(theirs(start, 1)(program.x, program.w)))
    return found


def in_single(program: Program, weights: list) -> np.ndarray:
    """The slope by x in Float32."""
    x, w, weigh = (Tensor(each, ms.float32) for each in (program.x, program.w, weights[0]))
    return ms.grad(lambda x: (program.play(x, w, 1) * weigh).sum())(x).asnumpy()


WAYS = ['grad', 'value_and_grad', 'vjp', 'GradOperation', 'jit', 'Tape']


@pytest.mark.parametrize('many', [pytest.param(24, id='some'), ALL])
@pytest.mark.parametrize('way', WAYS)
@pytest.mark.filterwarnings('ignore::minicell.errors.NoPathWarning')  # a program may well not use x
def test_random_programs_agree_with_autograd_to_the_third_order(way, many):
    wrong = []
    for seed in range(WAYS.index(way), many * 5 // 2, len(WAYS)):
        rng = np.random.default_rng(seed)
        order = (1, 2, 3, 3)[int(rng.integers(4))]
        program = random_program(rng, int(rng.integers(2, 6 if order == 3 else 8)))
        shapes = [np.shape(program.play(program.x, program.w, 2)), *[program.x.shape] * order]
        weights = [rng.uniform(-1, 1, s) for s in shapes]
        right = due(program, weights, order)
        own = any(name == 'Weighs' for name, *_ in program.steps)  # a Float64 weight, and its gradient
        try:
            found = ours(program, weights, order, 'grad' if own and way == 'jit' else way)  # (which no graph has)
            single = None if own else in_single(program, weights)
        except Exception as error:
            wrong.append(f'{seed}, order {order}: {error!r:.200}: {program}')
            continue
        for k, (f, d) in enumerate(zip(found, right, strict=True)):
            if f.shape != d.shape or not np.allclose(f, d, rtol=1e-7, atol=1e-7 * max(1, np.abs(d).max(initial=0))):
                wrong.append(f'{seed}, slope {k} of order {order}: {f}, due {d}: {program}')
                break
        d = right[0]
        if single is not None and not (
            single.dtype == np.float32
            and np.allclose(single, d, rtol=1e-3, atol=1e-3 * max(1, np.abs(d).max(initial=0)))
        ):
            wrong.append(f'{seed}, Float32: {single}, due {d}: {program}')
    assert not wrong, f'{len(wrong)} are wrong, such as\n' + '\n'.join(wrong[:3])
