"""Graphs that would go stale, or lose a trap in replays: by what is read of a Parameter, on self, or of the system."""

import copy
import ctypes
import decimal
import gc
import io
import os
import queue
import sys

import numpy as np
import pytest

import minicell as ms
from minicell import Parameter, Tensor, nn, ops
from tests.hostile.said import X, cell, right, said


def sizes() -> dict:
    """What a function reads of a Parameter beside its numbers, and how that changes."""
    p, q = Parameter(Tensor([2.0, 2.0, 2.0]), name='p'), Parameter(Tensor([1.0, 1.0, 1.0]), name='q')
    net = nn.Dense(1, 3)
    longer = lambda t: lambda: t.set_data(ops.ones(5), slice_shape=True)
    frozen = lambda: setattr(p, 'requires_grad', False)
    inner = lambda x: ms.grad(lambda: (p * q * x).sum(), None, [p, q])()
    return {
        'its size': (lambda x: x * p.size, longer(p)),
        'its shape': (lambda x: x * p.shape[0], longer(p)),
        'its length': (lambda x: x * len(p), longer(p)),
        'its rows': (lambda x: sum((x * row for row in p), x), longer(p)),
        'its sum': (lambda x: x * p.sum(), longer(p)),
        'its mean': (lambda x: x * p.mean(), longer(p)),
        'its dimensions': (lambda x: x * p.ndim, lambda: p.set_data(ops.ones((3, 1)), slice_shape=True)),
        'zeros of its shape': (lambda x: x * (ops.zeros(p.shape, ms.float32) + 1).sum(), longer(p)),
        'sizes of a Cell': (lambda x: x * sum(w.size for w in net.get_parameters()), longer(net.bias)),
        'requires_grad': (lambda x: x * 2 if p.requires_grad else x * 3, frozen),
        'trainable_params': (
            lambda x: x * len(net.trainable_params()),
            lambda: setattr(net.weight, 'requires_grad', False),
        ),
        'gradients inside': (lambda x: inner(x)[0] + inner(x)[1], frozen),
        'its name': (lambda x: x * len(p.name), lambda: setattr(p, 'name', 'longer')),
        'its text': (lambda x: x * len(str(p)), frozen),
        'phase': (lambda x: x * 2 if net.phase == 'train' else x * 3, lambda: net.set_train(False)),
    }


@pytest.mark.parametrize('what', sizes())
def test_what_is_read_of_a_parameter_beside_its_numbers(what):
    results = []
    for of in (ms.jit, lambda f: f):
        f, change = sizes()[what]
        g = of(f)
        before = [g(X), g(X), ms.grad(g)(X)]
        change()
        results.append([t.asnumpy().tolist() for t in (*before, g(X), g(X), ms.grad(g)(X))])
    assert results[0] == results[1] and results[0][0] != results[0][3]


def test_requires_grad_of_a_gradient_inside_that_comes_later():
    p = Parameter(Tensor([2.0, 2.0, 2.0]), name='p', requires_grad=False)
    graph = ms.jit(lambda x: ms.grad(lambda: (p * p * x).sum(), None, [p])()[0])
    assert right((graph(X), graph(X)), ([0] * 3, [0] * 3))
    p.requires_grad = True
    assert right((graph(X), graph(X)), ([4, 8, 12], [4, 8, 12])) and graph.traced == 2
    said(lambda: ms.jit(lambda x: (setattr(p, 'requires_grad', False), x * 1)[1])(X), 'requires_grad of p', 'graph')


def kept(how):
    """A Cell whose bprop reads k, in one of four places."""
    box = {'k': 2.0}
    reads = {
        'self.k': lambda self: self.k,
        'a dict on self': lambda self: self.box['k'],
        'a Tensor on self': lambda self: self.t,
        'a closure': lambda self: box['k'],
    }
    read = reads[how]
    net = cell(lambda self, x: x * read(self), lambda self, x, out, dout: (dout * read(self),), k=2.0, box=box)
    net.t = Tensor([2.0, 2.0, 2.0])

    def change(k):
        net.k, box['k'], net.t = k, k, Tensor([k, k, k])

    return net, change


@pytest.mark.parametrize('mode', ['jit', 'inside', 'graph mode'])
@pytest.mark.parametrize('how', ['self.k', 'a dict on self', 'a Tensor on self', 'a closure'])
def test_in_replays_what_bprop_reads_and_has_changed_is_told_as_in_eager_mode(how, mode):
    net, change = kept(how)
    graph = {'jit': ms.jit(net), 'inside': ms.jit(lambda x: net(x * 1)), 'graph mode': net}[mode]

    def by_vjp():
        _, back = ms.vjp(graph, X)
        change(5.0)
        return back(ops.ones(3))[0]

    def by_grad():
        def loss(x):
            y = graph(x)
            change(5.0)
            return y.sum()

        return ms.grad(loss)(X)

    if mode == 'graph mode':
        ms.set_context(mode=ms.GRAPH_MODE)
    try:
        for program in (by_vjp, by_vjp, by_grad, by_grad, by_vjp):
            said(program, 'has changed since', 'was called', keep=False)
            change(2.0)
        assert right(ms.grad(lambda x: graph(x).sum())(X), [2, 2, 2])
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)


def writes(how):
    def f(x):
        if how == 'a number':
            x[0] = 9.0
        elif how == 'a row':
            x[1:] = 0.0
        elif how == 'its own':
            x[0] = x[1]
        else:
            x[0] += 1
        return x * x

    return f


@pytest.mark.parametrize('how', ['a number', 'a row', 'its own', 'more'])
def test_a_write_into_an_argument_is_refused_in_a_replay_in_a_gradient_too(how):
    f, graph = writes(how), ms.jit(writes(how))
    for _ in range(2):
        assert right(graph(X.copy()), f(X.copy()))
    for g in (f, graph, graph):
        said(lambda g=g: ms.grad(lambda x: g(x).sum())(X.copy()), 'writes in place', 'Build the value', keep=False)
        said(lambda g=g: ms.vjp(g, X.copy())[1](X), 'writes in place', 'Build the value', keep=False)


STATES = {
    'the working directory': lambda: len(os.getcwd()),
    'the recursion limit': lambda: sys.getrecursionlimit(),
    'the collector': lambda: float(gc.isenabled()),
    'a text file': lambda: float(TEXT.getvalue()),
    'bytes': lambda: float(BYTES.getvalue()),
    'a place in a file': lambda: TEXT.tell(),
}
TEXT, BYTES = io.StringIO('2'), io.BytesIO(b'2')


@pytest.mark.parametrize('state', STATES.values(), ids=STATES)
def test_a_graph_that_asks_for_the_state_of_something_outside_is_refused(state):
    graph = ms.jit(lambda x: x * state())
    said(lambda: [graph(X) for _ in range(3)], 'inside the graph', 'value once', 'Get it outside')


NUMBER_OF_C, WAITING = ctypes.c_int(2), queue.Queue()
UNSEEN = {
    'ctypes': (lambda: NUMBER_OF_C.value, lambda: setattr(NUMBER_OF_C, 'value', 5)),
    'a queue': (lambda: WAITING.qsize(), lambda: WAITING.put(1)),
    'decimal': (lambda: float(decimal.Decimal(1) / 3), lambda: setattr(decimal.getcontext(), 'prec', 2)),
    'printing': (lambda: len(str(np.array([1 / 3]))), lambda: np.set_printoptions(precision=2)),
    'a setting': (lambda: ms.get_context('op_timeout'), lambda: ms.set_context(op_timeout=500)),
}


@pytest.mark.parametrize('read, change', UNSEEN.values(), ids=UNSEEN)
def test_what_a_graph_does_not_notice(read, change):
    graph = ms.jit(lambda x: x * read())
    with decimal.localcontext(), np.printoptions(precision=8):
        before, was = graph(X), read()
        change()
        assert read() != was and right(graph(X), before) and graph.traced == 1
    ms.set_context(op_timeout=900)


class Times(nn.Cell):
    k = 2.0

    def construct(self, x):
        return x * self.k


class TimesInAGraph(Times):
    construct = ms.jit(Times.construct)


@pytest.mark.parametrize('kind', [Times, TimesInAGraph])
@pytest.mark.parametrize('copied', [copy.copy, copy.deepcopy])
def test_a_copy_of_a_cell_has_graphs_of_its_own(kind, copied):
    ms.set_context(mode=ms.GRAPH_MODE if kind is Times else ms.PYNATIVE_MODE)
    try:
        net = kind()
        before, other = net(X), copied(net)
        other.k = 5.0
        assert right((before, other(X), net(X)), ([2, 4, 6], [5, 10, 15], [2, 4, 6]))
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
