"""A graph is traced in one thread: what another one asks for meanwhile is its own."""

import queue
import threading

import minicell as ms
from minicell import Parameter, Tensor

X = Tensor([1.0, 2.0, -3.0])


def test_numbers_that_another_thread_asks_for_are_none_of_a_traces():
    p, found = Parameter(Tensor([2.0]), name='p'), queue.SimpleQueue()

    def f(x):
        other = threading.Thread(target=lambda: [found.put(float(n)) for n in (p, p.array[0])])
        other.start()
        other.join()
        return x * 2

    assert ms.jit(f)(X).asnumpy().tolist() == [2, 4, -6] and [found.get(timeout=1) for _ in range(2)] == [2, 2]
