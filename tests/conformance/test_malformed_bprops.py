"""Six hundred malformed bprops, asked for in several ways: none passes in silence, and every error names the Cell."""

from itertools import product

import numpy as np
import pytest

import minicell as ms
from minicell import Parameter, Tensor, errors, nn, ops

SHAPES = [(), (1,), (2,), (3,), (4,), (1, 1), (1, 3), (3, 1), (2, 3), (3, 2), (3, 3), (1, 2, 3), (2, 3, 1), (0,), (6,)]
DTYPES = [ms.bool_, ms.complex64]
THINGS = {
    'a string': 'dx',
    'a number': 1.0,
    'an int': 0,
    'a bool': True,
    'an ndarray': np.ones(3, np.float32),
    'a NumPy scalar': np.float32(1),
    'a dtype': ms.float32,
    'a function': ops.relu,
    'an empty tuple': (),
    'a nested tuple': (Tensor([1.0, 1.0, 1.0]),),
    'a list': [Tensor([1.0, 1.0, 1.0])],
    'a dict': {'x': Tensor([1.0, 1.0, 1.0])},
}
WHOLE = {
    'nothing': None,
    'a string': 'dx, dy',
    'a number': 1.0,
    'an ndarray': np.ones(3, np.float32),
    'a dict': {},
    'a set': frozenset(),
    'a generator': iter(()),
    'a bare Tensor': Tensor([1.0, 1.0, 1.0]),
}


def like(x: Tensor) -> Tensor:
    return ops.ones_like(x)


class Malformed(nn.Cell):
    """Adds its inputs, in whatever shapes; its bprop returns what it is told to."""

    def __init__(self, returned):
        super().__init__()
        self.returned = returned

    def construct(self, *inputs):
        return sum(t.sum() for t in inputs)

    def bprop(self, *given):
        return self.returned(given[:-2])


class Weighted(Malformed):
    def __init__(self, returned):
        super().__init__(lambda inputs: returned(self, inputs))
        self.w = Parameter(Tensor([2.0, 3.0]), name='w')
        self.b = Parameter(Tensor(1.0), name='b')
        self.internal_params = [self.w, self.b]

    def construct(self, x):
        return x.sum() * self.w.sum() + self.b


ONE, TWO = [(3,)], [(2, 3), (3,)]
INPUTS = [ONE, TWO, [(2,), (2,), (2,)], [()]]


def right(inputs):
    return tuple(like(t) for t in inputs)


def wrong_returns():
    """(what it is, shapes of the inputs, the function that returns it)."""
    for shapes in INPUTS:
        n = len(shapes)
        for what, value in WHOLE.items():
            yield what, shapes, lambda inputs, v=value: v
        for count in range(n + 4):
            if count != n:
                yield f'{count} for {n}', shapes, lambda inputs, c=count: (*right(inputs), *right(inputs) * 3)[:c]
                yield f'a list of {count} for {n}', shapes, lambda inputs, c=count: [like(inputs[0])] * c
        yield 'nested whole', shapes, lambda inputs: (right(inputs),) if len(inputs) > 1 else ((like(inputs[0]),),)
        for k in range(n):
            for (what, thing), kind in product(THINGS.items(), (tuple, list)):
                yield (
                    f'{what} at {k} in a {kind.__name__}',
                    shapes,
                    lambda inputs, k=k, t=thing, kind=kind: kind([*right(inputs[:k]), t, *right(inputs[k + 1 :])]),
                )
            for shape, dtype in product(SHAPES, (ms.float32, ms.float64, ms.int32)):
                if shape != shapes[k]:
                    yield (
                        f'shape {shape} {dtype} at {k}',
                        shapes,
                        lambda inputs, k=k, s=shape, d=dtype: (
                            *right(inputs[:k]),
                            ops.ones(s, d),
                            *right(inputs[k + 1 :]),
                        ),
                    )
            for dtype in DTYPES:
                yield (
                    f'{dtype} at {k}',
                    shapes,
                    lambda inputs, k=k, d=dtype: (
                        *right(inputs[:k]),
                        Tensor(np.ones(inputs[k].shape, d.numpy)),
                        *right(inputs[k + 1 :]),
                    ),
                )


def wrong_weights():
    """(what it is, the function of the Cell and its inputs that returns it)."""
    good = lambda cell: {cell.w: like(cell.w), cell.b: like(cell.b)}
    yield 'no dict', lambda cell, inputs: right(inputs)
    yield 'the dict alone', lambda cell, inputs: good(cell)
    yield 'the dict first', lambda cell, inputs: (good(cell), right(inputs))
    yield 'flat', lambda cell, inputs: (*right(inputs), like(cell.w), like(cell.b))
    yield 'a tuple for the dict', lambda cell, inputs: (right(inputs), (like(cell.w), like(cell.b)))
    yield 'no inner tuple', lambda cell, inputs: (like(inputs[0]), good(cell))
    yield 'three parts', lambda cell, inputs: (right(inputs), good(cell), None)
    yield 'an empty dict', lambda cell, inputs: (right(inputs), {})
    for left in 'wb':
        yield (
            f'without {left}',
            lambda cell, inputs, n=left: (
                right(inputs),
                {p: g for p, g in good(cell).items() if p.name != n},
            ),
        )
    for key in ('w', 0, None, Parameter(1.0, name='w'), Tensor([2.0, 3.0])):
        yield f'key {key!r}', lambda cell, inputs, k=key: (right(inputs), {k: like(cell.w), cell.b: like(cell.b)})
        yield f'key {key!r} too', lambda cell, inputs, k=key: (right(inputs), {**good(cell), k: like(cell.w)})
    for name, thing in THINGS.items():
        yield f'{name} for w', lambda cell, inputs, t=thing: (right(inputs), {cell.w: t, cell.b: like(cell.b)})
    for shape in SHAPES:
        if shape != (2,):
            yield (
                f'{shape} for w',
                lambda cell, inputs, s=shape: (right(inputs), {cell.w: ops.ones(s), cell.b: like(cell.b)}),
            )
    for count in (0, 2, 3):
        yield f'{count} inputs', lambda cell, inputs, c=count: ((like(inputs[0]),) * c, good(cell))


CASES = list(wrong_returns())
WEIGHTS = list(wrong_weights())


def test_there_are_enough_of_them():
    assert len(CASES) + len(WEIGHTS) >= 500


def asked(shapes):
    """The same bprop reached by each way to ask for a gradient."""
    inputs = [Tensor(np.ones(s, np.float32)) for s in shapes]
    yield lambda cell: ms.grad(cell)(*inputs)
    yield lambda cell: ops.GradOperation(get_all=True)(cell)(*inputs)
    yield lambda cell: ms.grad(lambda x: ms.grad(cell)(x, *inputs[1:]).sum())(inputs[0])


@pytest.mark.parametrize('shapes', INPUTS, ids=str)
def test_no_malformed_bprop_passes(shapes):
    for what, its, returned in CASES:
        if its is not shapes:
            continue
        for ask in asked(shapes):
            cell = Malformed(returned)
            with pytest.raises(errors.MinicellError) as caught:
                print(what, ask(cell))
            assert 'Malformed.bprop' in str(caught.value), what
            assert 'return' in str(caught.value), what


@pytest.mark.parametrize(('what', 'returned'), WEIGHTS, ids=[w for w, _ in WEIGHTS])
def test_no_malformed_dict_passes(what, returned):
    cell = Weighted(returned)
    for weights in (None, cell.trainable_params()):
        with pytest.raises(errors.MinicellError, match=r'Weighted\.bprop'):
            ms.grad(cell, 0, weights)(Tensor([1.0, 2.0]))


@pytest.mark.parametrize('dtype', [ms.float16, ms.float32, ms.float64, ms.int8, ms.int32, ms.int64, ms.uint8], ids=str)
@pytest.mark.parametrize('kind', [tuple, list])
def test_what_is_allowed_passes(kind, dtype):
    """A list of the right length, and any numeric dtype: cast to the input's."""
    inputs = [Tensor(np.ones(s, np.float32)) for s in TWO]
    cell = Malformed(lambda given: kind([t.astype(dtype) * 2 for t in given]))
    for g, x in zip(ms.grad(cell, (0, 1))(*inputs), inputs, strict=True):
        assert (g.dtype, g.shape, g.tolist()) == (ms.float32, x.shape, (np.ones(x.shape) * 2).tolist())


def test_a_none_is_a_declared_absence():
    inputs = [Tensor(np.ones(s, np.float32)) for s in TWO]
    cell = Malformed(lambda given: (None, like(given[1])))
    dx, dy = ms.grad(lambda x, y: cell(x, y) + x.sum(), (0, 1))(*inputs)
    assert (dx.tolist(), dy.tolist()) == (np.ones(TWO[0]).tolist(), np.ones(TWO[1]).tolist())


@pytest.mark.parametrize('error', [ValueError, KeyError, ZeroDivisionError, TypeError, type('Mine', (Exception,), {})])
def test_an_exception_of_the_users_own_is_left_as_it_is(error):
    def raising(inputs):
        raise error('boom')

    with pytest.raises(error) as caught:
        ms.grad(Malformed(raising))(Tensor([1.0, 2.0, 3.0]))
    assert type(caught.value) is error and caught.value.args == ('boom',)
    assert any('Malformed' in note for note in caught.value.__notes__)
