"""What a graph refuses to keep: a memo whose value it writes, and a count of places."""

import functools

import pytest

import minicell as ms
from minicell import ops
from tests.hostile.said import X, quiet, right, said
from tests.hostile.test_values import fill, one


class Holder:
    @functools.lru_cache(maxsize=2)  # noqa: B019
    def buffer(self):
        return one() * 0

    @functools.cache  # noqa: B019
    def table(self):
        return one() * 2


def test_a_graph_refuses_a_memo_whose_value_it_writes():
    holder = Holder()
    writes = ms.jit(lambda x: (fill(holder.buffer(), holder.buffer() + x), holder.buffer() * 1)[1])
    said(lambda: writes(X), 'what buffer keeps', 'later calls')
    reads = ms.jit(lambda x: x * holder.table())
    quiet(lambda: (reads(X), reads(X * 2)), ([2, 4, 6], [4, 8, 12]))


def once():
    once.kept = getattr(once, 'kept', None) or one()
    return once.kept


def test_a_function_that_keeps_something_is_called_by_its_name():
    said(lambda: ms.jit(lambda x: x * once())(X), 'once.kept', 'later calls')


COUNTS = {
    'shape': lambda x: x.sum() / ops.nonzero(x > 1.5).shape[0],
    'len': lambda x: x.sum() / len((x > 1.5).nonzero()),
    'if': lambda x: x.sum() * (1.0 if ops.nonzero(x > 4).shape[0] else 2.0),
}


@pytest.mark.parametrize('count', COUNTS.values(), ids=COUNTS)
def test_a_count_of_places_is_refused_in_a_graph(count):
    said(lambda: ms.jit(count)(X), 'nonzero()', 'has no numbers')
    assert right(ms.grad(COUNTS['shape'])(X), [0.5, 0.5, 0.5])


def test_of_a_line_a_graph_reads_the_lambda_alone():
    given = {'s': 2.0}
    # fmt: off
    f = ms.jit(lambda x: x * given['s']); got = f(X); del given['s']  # noqa: E702
    # fmt: on
    assert right(got, [2, 4, 6])
