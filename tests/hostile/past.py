"""Ways past a bprop that no Cell of its own code takes; run as a script, in a Python that has seen no other."""

import asyncio
import functools
import json
import operator
import warnings

import minicell as ms
from minicell import Tensor, nn

X = Tensor([1.0, 2.0, 3.0])


class Net(nn.Cell):
    def construct(self, x):
        return x * 2

    def bprop(self, x, out, dout):
        return (dout * 50,)

    forward = construct
    aliases = (construct,)


def run(net, x):
    return net.construct(x)


def run_deeply(net, x):
    return next(run(n, x) for n in [net])


STEPS = {'go': lambda net, x: net.construct(x)}


class Runner:
    def __call__(self, net, x):
        return net.construct(x)

    @staticmethod
    def static(net, x):
        return net.construct(x)


PAST = {
    'a helper': lambda x: run(Net(), x),
    'a helper of a helper': lambda x: run_deeply(Net(), x),
    'a lambda in a dict': lambda x: STEPS['go'](Net(), x),
    'an object that is called': lambda x: Runner()(Net(), x),
    'a static method': lambda x: Runner.static(Net(), x),
    'getattr': lambda x: getattr(Net(), 'con' + 'struct')(x),
    'the class': lambda x: Net.construct(Net(), x),
    'an alias': lambda x: Net().forward(x),
    'an alias in a tuple': lambda x: Net.aliases[0](Net(), x),
    'map': lambda x: next(map(Net().construct, [x])),
    'a partial': lambda x: functools.partial(Net().construct, x)(),
    'methodcaller': lambda x: operator.methodcaller('construct', x)(Net()),
    'a bound function': lambda x: Net.construct.__get__(Net())(x),
    'eval': lambda x: eval('net.construct(x)', {'net': Net(), 'x': x}),
    'vars': lambda x: vars(Net)['construct'](Net(), x),
}


# constructs whose result is no Tensor, and how one is got out of it
class Box:
    def __init__(self, x):
        self.x = x


def generates(self, x):
    yield x * 2


async def awaits(self, x):
    return x * 2


def returns_a_cell(self, x):
    inner = Plain()
    inner.kept = x
    return inner


class Plain(nn.Cell):
    def construct(self):
        return self.kept * 2


def hides(name, construct):
    return type(name, (Net,), {'construct': construct})


HIDES = {
    'a generator': (hides('Generates', generates), next),
    'a generator in a list': (hides('GeneratesAll', generates), lambda r: sum(r)),
    'a coroutine': (hides('Awaits', awaits), lambda r: asyncio.run(r)),
    'a function': (hides('ReturnsAFunction', lambda self, x: lambda: x * 2), lambda r: r()),
    'an object': (hides('ReturnsAnObject', lambda self, x: Box(x)), lambda r: r.x * 2),
    'a partial function': (hides('Partial', lambda self, x: functools.partial(operator.mul, x, 2)), lambda r: r()),
    'a set': (hides('ReturnsASet', lambda self, x: {x}), lambda r: next(iter(r)) * 2),
    'an iterator': (hides('ReturnsAnIterator', lambda self, x: map(operator.neg, [x * -2])), next),
    'a Cell': (hides('ReturnsACell', returns_a_cell), lambda r: r()),
}

ASK = {
    'grad': lambda f: ms.grad(lambda x: f(x).sum())(X),
    'vjp': lambda f: ms.vjp(lambda x: f(x).sum(), X)[1](Tensor(1.0))[0],
    'jvp': lambda f: ms.jvp(f, X, Tensor([1.0, 1.0, 1.0]))[1],
    'GradOperation': lambda f: ms.ops.GradOperation()(lambda x: f(x).sum())(X),
    'grad of a graph': lambda f: ms.grad(lambda x: ms.jit(f)(x).sum())(X),
}

if __name__ == '__main__':
    found = {}
    takes = {what: lambda x, kind=kind, take=take: take(kind()(x)) for what, (kind, take) in HIDES.items()}
    for way, f in (PAST | takes).items():
        for how, ask in ASK.items():
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter('always')
                try:
                    value, error = ask(f).tolist(), []
                except Exception as refused:
                    value, error = None, [str(refused)] if isinstance(refused, ms.errors.MinicellError) else []
            found[f'{how}, {way}'] = value, [str(w.message) for w in caught] + error
    print(json.dumps(found))
