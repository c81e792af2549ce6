"""S1: pools of threads that take many gradients at once, with all the switches that Python can make."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import minicell as ms
from minicell import Tensor, nn
from tests.hostile.said import Triple, X, left
from tests.hostile.test_threads import P, attempt, judge, switch_often  # noqa: F401


def test_s1_vjp_is_played_in_one_thread_and_read_in_others():
    _, back = ms.vjp(lambda x: x * x * P, X)
    with ThreadPoolExecutor(3) as pool:
        found = list(pool.map(lambda s: attempt(back, Tensor([s] * 3)), [1.0, 2.0, 3.0] * 20))
    judge(found, [([4.0 * s, 8.0 * s, 12.0 * s],) for s in (1, 2, 3)] * 20)


def train(rate: float) -> np.ndarray:
    net = nn.Dense(2, 1, weight_init='ones', bias_init='zeros')
    opt = nn.SGD(net.trainable_params(), rate)
    x, y = Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([[1.0], [0.0]])
    ask = ms.value_and_grad(lambda: ((net(x) - y) ** 2).mean(), None, opt.parameters)
    for _ in range(12):
        opt(ask()[1])
    return Tensor(net.weight.asnumpy())


JOBS = {
    'their own functions': lambda k: ms.grad(lambda x: (x * x * k).sum())(X),
    'shared Parameters': lambda k: ms.grad(lambda x: (x * P * k).sum(), 0, P)(X),
    'Cells with a bprop': lambda k: ms.grad(lambda x: (Triple()(x) * x * k).sum())(X),
    'second derivatives': lambda k: ms.grad(lambda x: ms.grad(lambda y: y * y * y * k)(x).sum())(X),
    'a training each': lambda k: train(0.001 * (k + 1)) if k < 8 else X,
    'jit': lambda k: ms.grad(ms.jit(lambda x: (x * x * x).sum() * k))(X),
}


@pytest.mark.parametrize('name', JOBS)
def test_s1_a_pool_of_threads_takes_many_gradients(name):
    job = JOBS[name]
    due = [job(float(k)) for k in range(60)]
    assert not left()
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda k: attempt(job, float(k)), range(60)))
    judge(found, due)


def test_s1_tasks_that_send_their_gradients_to_threads():
    async def all_of_them():
        return await asyncio.gather(
            *(asyncio.to_thread(attempt, ms.grad(lambda x, k=k: (x * x * k).sum()), X) for k in range(40)))  # fmt: skip

    judge(asyncio.run(all_of_them()), [[2.0 * k, 4.0 * k, 6.0 * k] for k in range(40)])
