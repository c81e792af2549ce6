"""Memory is given back, the collector is the user's, and nothing is kept of what is over."""

import gc
import platform
import tracemalloc
import warnings
import weakref

import numpy as np
import pytest

import minicell as ms
from minicell import Parameter, Tensor, nn
from minicell.core.differentiate import SELDOM
from minicell.errors import MinicellError
from tests.hostile.said import Triple, X, cell, kernel, quiet, right

glibc = pytest.mark.skipif(platform.libc_ver()[0] != 'glibc', reason='how memory is given back is glibc here')


def resident(code: str) -> int:
    """The number that a fresh Python prints for this code: megabytes that are resident."""
    return int(kernel('-c', "def rss(): return int(open('/proc/self/statm').read().split()[1]) * 4096 >> 20\n" + code))


HELD = """
import numpy as np
{imports}
before, big, small = rss(), [], []
for k in range(12):
    big.append(np.ones({size} << 17))
    small.append(bytes(100_000))  # between them, and kept
big.clear()
print(rss() - before)
"""


IMPORTS = {'imported': 'import minicell', 'used': 'import minicell as ms; ms.grad(lambda x: x * x)(ms.Tensor(1.0))'}


@glibc
@pytest.mark.parametrize(
    'size', [pytest.param(8, marks=pytest.mark.slow)] + [pytest.param(n, marks=pytest.mark.nightly) for n in (20, 40)]
)
@pytest.mark.parametrize('imports', IMPORTS.values(), ids=IMPORTS)
def test_large_arrays_are_given_back_to_the_system(size, imports):
    """12 arrays with something small between them: when they are gone, most of their memory is, too."""
    without, found = resident(HELD.format(imports='', size=size)), resident(HELD.format(imports=imports, size=size))
    assert found < without + size * 12 * 0.25, f'{found} MiB are still held, {without} MiB without minicell'


def cycles(count: int) -> int:
    """Make objects that only the collector can free; how many lived at most."""
    alive, most = set(), 0
    for k in range(count):
        node = Node(np.empty(10))
        alive.add(k)
        weakref.finalize(node, alive.discard, k)
        most = max(most, len(alive))
    return most


class Node:
    def __init__(self, held):
        self.held, self.me = held, self


@pytest.mark.slow
@pytest.mark.parametrize('where', ['construct', 'bprop', 'the function', 'an inner gradient', 'a vjp'])
def test_cycles_are_collected_while_a_gradient_is_open(where):
    """20,000 objects that only the collector frees: not all of them live at once."""
    most = []

    def at(*places):
        if where in places:
            most.append(cycles(20_000))

    net = cell(lambda self, x: (x * 3, at('construct'))[0], lambda self, x, out, dout: (dout * 3, at('bprop'))[:1])

    def f(x):
        at('the function', 'an inner gradient', 'a vjp')
        return net(x).sum()

    ask = {
        'an inner gradient': lambda: ms.grad(lambda x: ms.grad(lambda y: f(y) * 1)(x).sum() + (x * x).sum())(X),
        'a vjp': lambda: ms.vjp(f, X)[1](Tensor(1.0)),
    }
    ask.get(where, lambda: ms.grad(f)(X))()
    assert most[0] < 15_000, f'{most[0]} of 20,000 lived at once: nobody collected'


@pytest.mark.parametrize('asked', ['disable', 'enable', 'set_threshold', 'as minicell does', 'nothing'])
@pytest.mark.parametrize('where', ['forward', 'backward'])
def test_what_the_user_tells_the_collector_holds(asked, where):
    """gc.disable() in a function that is differentiated is not undone."""
    was, threshold = gc.isenabled(), gc.get_threshold()
    tell = {
        'disable': gc.disable,
        'enable': gc.enable,
        'set_threshold': lambda: gc.set_threshold(321, 9, 9),
        'as minicell does': lambda: gc.set_threshold(SELDOM, 9, 9),
        'nothing': lambda: None,
    }[asked]
    due = {
        'disable': (False, threshold),
        'enable': (True, threshold),
        'set_threshold': (was, (321, 9, 9)),
        'as minicell does': (was, (SELDOM, 9, 9)),
    }

    net = cell(lambda self, x: x * 3, lambda self, x, out, dout: (dout * 3, tell())[:1])

    def f(x):
        if where == 'forward':
            tell()
            return (x * 3).sum()
        return net(x).sum()

    try:
        if asked == 'enable':
            gc.disable()
        assert right(ms.grad(f)(X), [3, 3, 3])
        found = gc.isenabled(), gc.get_threshold()
    finally:
        (gc.enable if was else gc.disable)()
        gc.set_threshold(*threshold)
    assert found == due.get(asked, (was, threshold))


class Fails(nn.Cell):
    def __init__(self, p, when, error=ValueError):
        super().__init__()
        self.p, self.when, self.error = p, when, error

    def construct(self, x):
        y = x * self.p
        if self.when == 'construct':
            raise self.error
        return y

    def bprop(self, x, out, dout):
        if self.when == 'bprop':
            raise self.error
        return (dout * 2,)


@pytest.mark.parametrize('error', [ValueError, KeyboardInterrupt, MemoryError, StopIteration, MinicellError])
@pytest.mark.parametrize('when', ['construct', 'bprop'])
@pytest.mark.parametrize('nested', [1, 2], ids=['once', 'in each other'])
def test_after_a_failed_construct_nothing_is_said_of_it(when, error, nested):
    """The next gradient has no Parameter in a Cell with a bprop, and no word about one is due."""
    p = Parameter(Tensor([2.0, 2.0, 2.0]), name='p')
    net = Fails(p, when, error)

    f = lambda x: net(x).sum()
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        with pytest.raises(error):
            ms.grad(f if nested == 1 else lambda x: ms.grad(f, 0, p)(x)[0].sum(), 0, p)(X)
    quiet(lambda: ms.grad(lambda x: (Triple()(x) * p).sum(), 0, p)(X), ([6, 6, 6], [3, 6, 9]))


def remade(k: int, use: str) -> weakref.ref:
    """A class as a notebook's cell makes it anew in each run."""

    class Net(nn.Cell):
        data = np.zeros(10)

        def construct(self, x):
            return x * 3

        def bprop(self, x, out, dout):
            return (dout * 3,)

    if use == 'a gradient':
        ms.grad(Net())(X)
    elif use == 'a Tape':
        with ms.Tape():
            ms.grad(Net())(X)
    elif use == 'a graph':
        ms.grad(ms.jit(Net()))(X)
    elif use == 'check_bprop':
        ms.check_bprop(Net(), X)
    elif use == 'an error':
        with pytest.raises(TypeError):
            ms.grad(lambda x: Net()(x) + 'a')(X)
    return weakref.ref(Net)


@pytest.mark.slow
@pytest.mark.parametrize('use', ['nothing', 'a gradient', 'a Tape', 'a graph', 'check_bprop', 'an error'])
def test_a_class_that_is_made_anew_goes(use):
    made = [remade(k, use) for k in range(12)]
    gc.collect()
    alive = sum(ref() is not None for ref in made)
    assert alive <= 2, f'{alive} of 12 classes are kept'


@pytest.mark.parametrize('change', ['a default', 'another name', 'more inputs', 'fewer inputs'])
def test_a_construct_that_autoreload_patched_is_called_as_it_is_now(change):
    Net = type(cell(lambda self, x: x * 2, lambda self, x, out, dout: (dout * 2,)))
    assert right(ms.grad(Net())(X), [2, 2, 2])
    patches = {
        'a default': (lambda self, x, k=3.0: x * k, lambda self, x, k, out, dout: (dout * k, None), (X,), [3] * 3),
        'another name': (lambda self, y: y * 4, lambda self, y, out, dout: (dout * 4,), (X,), [4] * 3),
        'more inputs': (
            lambda self, x, y: x * y,
            lambda self, x, y, out, dout: (dout * y, dout * x),
            (X, X),
            [1, 2, 3],
        ),
        'fewer inputs': (lambda self: X * 1, lambda self, out, dout: (), (), None),
    }
    construct, bprop, given, due = patches[change]
    Net.construct, Net.bprop = construct, bprop
    if due is None:
        assert right(ms.grad(lambda x: (Net()() * x).sum())(X), [1, 2, 3])
    else:
        assert right(ms.grad(lambda *args: Net()(*args).sum())(*given), due)


def test_a_construct_whose_code_was_replaced_is_called_as_it_is_now():
    """autoreload writes into __code__ and __defaults__ of the old function."""

    net = cell(lambda self, x: x * 2, lambda self, x, out, dout: (dout * 2,))
    later = cell(lambda self, x, k=5.0: x * k, lambda self, x, k, out, dout: (dout * k, None))
    assert right(ms.grad(net)(X), [2, 2, 2])
    for name in ('construct', '_construct', 'bprop'):  # all functions of the class
        old, new = getattr(type(net), name), getattr(type(later), name)
        old.__code__, old.__defaults__ = new.__code__, new.__defaults__
    assert right(ms.grad(net)(X), [5, 5, 5])


class Large(nn.Cell):
    """A hundred kilobytes of weights; `lr` changes."""

    def __init__(self):
        super().__init__()
        self.w, self.lr = Parameter(Tensor(np.ones(25_000, np.float32)), name='w'), 1.0

    def construct(self, x):
        return x * self.w.sum() * self.lr


class OwnBprop(Large):
    def bprop(self, x, out, dout):
        return (dout * 25_000,)


class OfJit(Large):
    construct = ms.jit(Large.construct)


def bytes_kept(step, times=20):
    """How much more is held after some steps, garbage collected."""
    step()
    gc.collect()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    for _ in range(times):
        step()
    gc.collect()
    held = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    return held


def in_graph_mode(net):
    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        return ms.grad(net)(X)
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)


TAKES = ms.jit(lambda net, x: net(x)), ms.jit(lambda x, nets: nets[0](x)), ms.jit(lambda x, f: f(x))
BEHIND, LOSS = ms.jit(lambda loss, net, x: loss(net(x), x)), nn.MSELoss()
OF_IT = ms.jit(lambda net, x: ms.grad(net)(x))
DROPPED = {
    'jit of construct': lambda: OfJit()(X),
    'its gradient': lambda: ms.grad(OfJit())(X),
    'a net as an argument': lambda: TAKES[0](Large(), X),
    'by name': lambda: TAKES[0](net=Large(), x=X),
    'in a list': lambda: TAKES[1](X, [Large()]),
    'a function of one': lambda: TAKES[2](X, (lambda net: lambda x: net(x))(Large())),
    'behind a loss that stays': lambda: BEHIND(LOSS, Large(), X),
    'with a bprop': lambda: TAKES[0](OwnBprop(), X),
    'the gradient of it': lambda: OF_IT(OwnBprop(), X),
    'jit of a net': lambda: ms.grad(ms.jit(OwnBprop()))(X),
    'graph mode': lambda: in_graph_mode(Large()),
    'graph mode, with a bprop': lambda: in_graph_mode(OwnBprop()),
}


@pytest.mark.parametrize('step', DROPPED.values(), ids=DROPPED)
def test_graphs_do_not_keep_nets_that_were_dropped(step):
    held = bytes_kept(step)
    assert held < 200_000, f'{held} bytes of 20 nets of 100,000'


def changing():
    """What is another in each call: an attribute, an argument, a global."""
    net, rate = Large(), [1.0]
    graphs = ms.jit(net), ms.jit(lambda x, k: x * k), ms.jit(lambda x: x * rate[0])

    def attribute():
        net.lr += 0.1
        graphs[0](X)

    def argument():
        rate[0] += 0.1
        graphs[1](X, rate[0])

    def outside():
        rate[0] += 0.1
        graphs[2](X)

    pairs = zip((attribute, argument, outside), graphs, strict=True)
    return dict(zip(('an attribute', 'an argument', 'a list'), pairs, strict=True))


@pytest.mark.parametrize('what', changing())
def test_a_graph_that_is_made_anew_in_each_call_takes_the_place_of_an_older_one(what):
    step, graph = changing()[what]
    tracemalloc.start()
    held = []
    for _ in range(3):  # the first round fills what Python and NumPy keep, too
        for _ in range(30):
            step()
        gc.collect()
        held.append(tracemalloc.get_traced_memory()[0])
    tracemalloc.stop()
    assert held[2] < held[1] * 1.2 and graph.traced == 90 and len(graph.graphs) < 20, held


LARGE = np.ones(1_000_000, np.float32)
READ = {
    'an array': ms.jit(lambda x: x * float(LARGE[0])),
    'its transpose': (lambda t: ms.jit(lambda x: x * float(t[0, 0])))(LARGE.reshape(1000, 1000).T),
    'bytes': (lambda b: ms.jit(lambda x: x * (b[0] + 1)))(bytearray(4_000_000)),
    'a Tensor': (lambda t: ms.jit(lambda x: x * float(t.array[0])))(Tensor(LARGE)),
    'an argument': (lambda f: lambda x: f(x, LARGE))(ms.jit(lambda x, a: x * float(a[0]))),
}


@pytest.mark.parametrize('f', READ.values(), ids=READ)
def test_a_replay_does_not_copy_a_large_array_that_the_function_reads(f):
    """It is looked at, and a change of one number is seen."""
    assert right(f(X), [1, 2, 3])
    tracemalloc.start()
    f(X)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 100_000, f'{most} bytes for a replay that reads one number of 4,000,000'


def test_a_change_deep_in_a_large_array_is_seen():
    numbers = np.ones(1_000_000, np.float32)
    graph = ms.jit(lambda x: x * float(numbers.prod()))
    before = graph(X)
    for k in (0, 499_999, 999_999):
        numbers[k] += 1
    assert right((before, graph(X), graph(X)), ([1, 2, 3], [8, 16, 24], [8, 16, 24])) and graph.traced == 2
    table = np.arange(40_000.0).reshape(200, 200)
    of_row = ms.jit(lambda x, a: x * float(a[0, 1]))
    assert right((of_row(X, table), of_row(X, table.T)), ([1, 2, 3], [200, 400, 600]))
