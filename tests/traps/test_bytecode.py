"""What is found in bytecode is the same on each version of Python, though the instructions differ."""

import pytest

import minicell as ms
from minicell import Tensor, nn, ops
from minicell.errors import KeptOnSelfWarning
from minicell.traps.bytecode import paths
from tests.messages import warned

STATE = {'rate': [0.5, 2.0]}
READS = {
    'attribute': (lambda me: me.cache.mask, [('me', ('cache', 'mask'), False)]),
    'a key': (lambda me: me.cache['mask'], [('me', ('cache', ('mask',)), False)]),
    'a small number': (lambda me: me.cache[0], [('me', ('cache', (0,)), False)]),
    'a large number': (lambda me: me.cache[300].x, [('me', ('cache', (300,), 'x'), False)]),
    'a negative number': (lambda me: me.cache[-1], [('me', ('cache', (-1,)), False)]),
    'two keys': (lambda: STATE['rate'][1], [('STATE', (('rate',), (1,)), False)]),
    'a key that is computed': (lambda me, k: me.cache[k], [('me', ('cache',), False), ('k', (), False)]),
    'a slice': (lambda me: me.cache[1:2], [('me', ('cache',), False)]),
    'a sum, and no key': (lambda me: me.cache + 1, [('me', ('cache',), False)]),
    'a function that reads it': (lambda me: lambda: me.cache, []),
    'two of them': (lambda me, you: lambda: me.cache + you.cache, []),
}


def stores(me):
    me.cache[0] = me.v


def deletes(me):
    del me.cache['mask']


READS |= {
    'stored': (stores, [('me', ('v',), False), ('me', ('cache',), True)]),
    'deleted': (deletes, [('me', ('cache',), True)]),
}


@pytest.mark.parametrize('what', READS)
def test_paths_are_the_same_on_every_python(what):
    function, due = READS[what]
    assert [(name, steps, changed) for name, _, steps, changed in paths(function.__code__)] == due


def test_many_names_take_nothing_from_a_path():
    """Past 256 names an instruction has a second one before it, which says so."""
    space = {}
    exec(f'def f(me): {"; ".join(f"me.n{k}" for k in range(300))}; me.last[0].x', space)
    assert [steps for _, _, steps, _ in paths(space['f'].__code__)][-1] == ('last', (0,), 'x')


def test_what_a_function_within_bprop_does_not_read_may_change():
    class Counts(nn.Cell):
        def __init__(self):
            super().__init__()
            self.rate, self.count = 2.0, 0

        def construct(self, x):
            self.count += 1
            return x * self.rate

        def bprop(self, x, out, dout):
            times = lambda g: g * self.rate
            return (times(dout),)

    net = Counts()
    ms.grad(lambda x: ops.sum(net(net(x))))(Tensor([1.0]))


def test_only_the_key_of_a_global_that_a_bprop_reads_has_to_stay():
    state = {'rate': 2.0, 'calls': 0}

    class Reads(nn.Cell):
        def construct(self, x):
            state['calls'] += 1
            return x * state['rate']

        def bprop(self, x, out, dout):
            return (dout * state['rate'],)

    net = Reads()
    ms.grad(lambda x: ops.sum(net(net(x))))(Tensor([1.0]))

    def changes(x):
        out = net(x)
        state['rate'] = 3.0
        return out.sum()

    with warned(KeptOnSelfWarning, "state['rate']"):
        ms.grad(changes)(Tensor([1.0]))
