"""Threads that compute at the same time: each gets the right number, or a sentence; all is closed."""

import asyncio
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import minicell as ms
from minicell import Parameter, Tensor, nn
from minicell.errors import MinicellError
from tests.hostile.said import Triple, X, cell, first, left, next_gradient_is_right, right, right_or_said

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def switch_often():
    was = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(was)


def judge(found: list, due: list) -> None:
    """found: values, or errors; each is right, or an error of minicell's that speaks of threads."""
    wrong = [v for v, d in zip(found, due, strict=True) if not isinstance(v, Exception) and not right(v, d)]
    odd = [repr(e) for e in found if isinstance(e, Exception) and 'thread' not in str(e).lower()]
    odd += [repr(e) for e in found if isinstance(e, Exception) and not isinstance(e, MinicellError)]
    assert not wrong and not odd, f'{len(wrong)} silently wrong of {len(found)}, other errors: {sorted(set(odd))[:3]}'
    assert not left()
    assert next_gradient_is_right()


def attempt(program, *args):
    try:
        return program(*args)
    except Exception as error:
        return error


def side_by_side(one, other) -> list:
    """Two threads. `one(meet)` calls meet() in its middle, where `other` runs as far as it can."""
    go, done, found = threading.Event(), threading.Event(), [None, None]

    def meet():
        go.set()
        done.wait(0.5)  # whoever has to wait for the other's end goes on after that

    def second():
        go.wait(5)
        found[1] = attempt(other)
        done.set()

    thread = threading.Thread(target=second)
    thread.start()
    found[0] = attempt(one, meet)
    go.set()
    thread.join(20)
    assert not thread.is_alive(), 'the two wait for each other'
    return found


P = Parameter(Tensor([2.0, 2.0, 2.0]), name='shared')


def nothing():
    pass


def three(forward=nothing, backward=nothing):
    """A Cell of 3x, with a meeting in its construct or in its bprop."""
    back = lambda self, x, out, dout: (first(dout * 3, backward()) * 1,)
    return cell(lambda self, x: first(x * 3, forward()) * 1, back)


cube = lambda meet: lambda x: (first(x * x, meet()) * x).sum()
ONES = {  # a gradient that meets another thread in its middle
    'plain': (lambda meet: ms.grad(cube(meet))(X), [3, 12, 27]),
    'with weights': (lambda meet: ms.grad(lambda x: (first(x * P, meet()) * P).sum(), 0, P)(X), ([4] * 3, [4, 8, 12])),
    'in construct': (lambda meet: ms.grad(lambda x: (three(meet)(x) * x).sum())(X), [6, 12, 18]),
    'in bprop': (lambda meet: ms.grad(lambda x: (three(nothing, meet)(x) * x).sum())(X), [6, 12, 18]),
    'nested': (lambda meet: ms.grad(lambda x: ms.grad(cube(meet))(x).sum())(X), [6, 12, 18]),
}


def look():
    with ms.Tape() as seen:
        y = X * 2
    assert [str(e.rule.name) for e in seen.events if hasattr(e, 'rule')] == ['Mul']
    return y


def check():
    """1.0 where check_bprop finds Triple right."""
    return Tensor(float(ms.check_bprop(Triple(), X).ok))


def account():
    """The sum that tape.why writes out for the first number of a gradient."""
    with ms.Tape() as seen:
        slope = ms.grad(lambda x: (x * x * x).sum())(X)
    said = str(seen.why(slope, 2))
    assert '27' in said, said
    return slope


def step():
    w = Parameter(Tensor([1.0, 1.0, 1.0]), name='w')
    nn.SGD([w], 0.5)((Tensor([2.0, 4.0, 6.0]),))
    return Tensor(w.asnumpy())


OTHERS = {
    'a gradient': (lambda: ms.grad(lambda x: (x * x).sum())(X), [2, 4, 6]),
    'shared weights': (lambda: ms.grad(lambda x: (x * P).sum(), 0, P)(X), ([2, 2, 2], [1, 2, 3])),
    'a bprop': (lambda: ms.grad(Triple())(X), [3, 3, 3]),
    'a forward pass': (lambda: Triple()(X) * X, [3, 12, 27]),
    'a shared pass': (lambda: X * P * P, [4, 8, 12]),
    'a second derivative': (lambda: ms.grad(lambda x: ms.grad(lambda y: y * y * y)(x).sum())(X), [6, 12, 18]),
    'an optimizer step': (step, [0, -1, -2]),
    'a Tape': (look, [2, 4, 6]),
    'check_bprop': (check, 1),
    'an account': (account, [3, 12, 27]),
    'a graph': (lambda: ms.jit(lambda x: x * x + 1)(X), [2, 5, 10]),
}
others = pytest.mark.parametrize('other, due', OTHERS.values(), ids=OTHERS)


@others
@pytest.mark.parametrize('one, mine', ONES.values(), ids=ONES)
def test_a_gradient_in_one_thread_and_work_in_another_are_both_right(one, mine, other, due):
    judge(side_by_side(one, other), [mine, due])


@others
def test_a_tape_in_one_thread_does_not_see_another(other, due):
    seen = []

    def one(meet):
        with ms.Tape() as tape:
            y = X * 2
            meet()
            z = y + 1
        seen.extend(e.rule.name for e in tape.events if hasattr(e, 'rule'))
        return z

    found = side_by_side(one, other)
    judge(found, [[3, 5, 7], due])
    if not any(isinstance(each, Exception) for each in found):
        assert seen == ['Mul', 'Add'], 'the Tape shows what its own thread did, and nothing else'


@pytest.mark.parametrize('name', [n for n in OTHERS if n != 'a graph'])
def test_a_trace_in_one_thread_does_not_see_another(name):
    other, due = OTHERS[name]
    traced = []

    def one(meet):
        graph = ms.jit(lambda x: first(x * 2, meet()) + 1)
        found = graph(X)
        traced.append(str(graph.graphs[0]))
        return found, graph(X * 2)

    found = side_by_side(one, other)
    judge(found, [([3, 5, 7], [5, 9, 13]), due])
    if not any(isinstance(each, Exception) for each in found):
        assert traced[0].count('%') == 4, f'another thread is in the graph: {traced[0]}'


@pytest.mark.parametrize('weights', [None, P], ids=['of an input', 'of a shared Parameter'])
def test_two_gradients_that_end_in_the_order_of_their_beginning(weights):
    """Each is open when the other begins, and the first one closes first."""
    begun, one_done, found = threading.Event(), threading.Event(), [None, None]

    one = lambda x: (first(x * P, begun.wait(1)) * x).sum()
    other = lambda x: (first(x * P, begun.set(), one_done.wait(0.5)) * x * x).sum()

    def run(k, f):
        found[k] = attempt(ms.grad(f, 0, weights), X)
        one_done.set()

    threads = [threading.Thread(target=run, args=(k, f)) for k, f in enumerate((one, other))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    due = [4, 8, 12], [6, 24, 54]
    due = due if weights is None else (((due[0]), [1, 4, 9]), (due[1], [1, 8, 27]))
    judge(found, list(due))


WORKERS = {
    'an op': (lambda x: lambda: x * x, lambda y: y.sum(), [2, 4, 6]),
    'a Cell with a bprop': (lambda x: lambda: Triple()(x), lambda y: y.sum(), [3, 3, 3]),
    'a gradient': (lambda x: lambda: ms.grad(lambda y: y * y * y)(x), lambda y: y.sum(), [6, 12, 18]),
    'a Parameter': (lambda x: lambda: x * P, lambda y: (y * y).sum(), [8, 16, 24]),
    'a look at the numbers': (lambda x: lambda: (x * 1).sum() * 2, lambda y: y, [2, 2, 2]),
}


@pytest.mark.parametrize('work, then, due', WORKERS.values(), ids=WORKERS)
def test_a_worker_that_computes_a_part_of_a_gradient(work, then, due):
    def f(x):
        with ThreadPoolExecutor(1) as pool:
            return then(pool.submit(work(x)).result())

    right_or_said(lambda: ms.grad(f)(X), due, 'another thread', 'same thread', keep=False)
    assert not left()
    assert next_gradient_is_right()


@pytest.mark.parametrize('name', ['check_bprop', 'an account', 'a graph', 'a Tape'])
def test_the_same_in_two_threads_for_a_while(name):
    """What stands aside from the tape must not give back to one thread what it has seen of another."""
    other, due = OTHERS[name]
    with ThreadPoolExecutor(3) as pool:
        found = list(pool.map(attempt, [check, other, account] * 15))
    judge(found, [1, due, [3, 12, 27]] * 15)
    assert X.dtype == ms.float32


def test_vjp_is_played_in_one_thread_and_read_in_others():
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
def test_a_pool_of_threads_takes_many_gradients(name):
    job = JOBS[name]
    due = [job(float(k)) for k in range(60)]
    assert not left()
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda k: attempt(job, float(k)), range(60)))
    judge(found, due)


def test_tasks_that_send_their_gradients_to_threads():
    async def all_of_them():
        asks = [ms.grad(lambda x, k=k: (x * x * k).sum()) for k in range(40)]
        return await asyncio.gather(*(asyncio.to_thread(attempt, ask, X) for ask in asks))

    judge(asyncio.run(all_of_them()), [[2.0 * k, 4.0 * k, 6.0 * k] for k in range(40)])
