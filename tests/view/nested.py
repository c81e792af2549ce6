"""Generated programs in which gradients stand inside gradients, hooks, Cells and bprops; a seed gives one program."""

import random
from itertools import pairwise
from textwrap import indent

VALUES = ('ms.Tensor(0.5)', 'ms.Tensor([0.5, -1.0])')
SMOOTH = ('ops.sin({})', '{} * {}', 'ops.exp({}) * 0.5', 'ops.tanh({})', '{} * 2 + 1')
BPROPS = {
    'own bprop': 'return (ops.cos(x) * dout,)',
    'bprop without dout': 'return (x + 1,)',
    'gradient in bprop': 'slope = ms.grad(lambda t: ({t}).sum())(x)\nreturn (slope * dout,)',
    'gradients in bprop': 'curve = ms.grad(lambda t: ms.grad(lambda s: (s * s * s).sum())(t).sum())(x)\n'
    'first = ms.grad(lambda t: ({t}).sum())(x)\nreturn (curve * dout + first,)',
    'vjp in bprop': 'y, pull = ms.vjp(lambda t: {t}, x)\nreturn (pull(dout)[0] + pull(y)[0],)',
}
HOOKS = ('None', 'g * 2', 'ops.sin(g)', 'ms.grad(lambda t: (t * t).sum())(g)')
# a function of x again, made of the one called {f}: one order more
SLOPES = {
    'grad': 'return (ms.grad({f})(x) * x).sum()',
    'penalty': 'dx = ms.grad({f})(x)\nreturn {f}(x) + (dx * dx).sum()',
    'value_and_grad': 'value, dx = ms.value_and_grad({f})(x)\nreturn value + dx.sum()',
    'two in a row': 'return ms.grad({f})(x).sum() + ms.grad(lambda t: (t * t * t).sum())(x).sum()',
    'vjp': 'y, pull = ms.vjp({f}, x)\nreturn (pull(y)[0] * x).sum()',
    'vjp read twice': 'y, pull = ms.vjp({f}, x)\nfirst = pull(y * 2)[0]\nreturn (first * pull(y)[0]).sum()',
    'jvp': 'return ms.jvp({f}, x, x * 2)[1]',
    'jacfwd': 'return ms.jacfwd({f})(x).sum()',
    'jacrev': 'return (ms.jacrev({f})(x) * x).sum()',
    'caught': 'try:\n    ms.grad(bad)(x)\nexcept ValueError:\n    pass\nreturn ms.grad({f})(x).sum()',
}
DRIVERS = {
    'grad': 'ms.grad({f})(x)',
    'value_and_grad': 'ms.value_and_grad({f}, 0, [w])(x)',
    'vjp': 'y, pull = ms.vjp({f}, x)\npull(y)',
    'vjp read twice': 'y, pull = ms.vjp({f}, x)\npull(y)\nms.grad(lambda t: (t * t).sum())(x)\npull(y * 2)',
    'jvp': 'ms.jvp({f}, x, x)',
    'jacfwd': 'ms.jacfwd({f})(x)',
    'jacrev': 'ms.jacrev({f})(x)',
    'caught': 'try:\n    ms.grad(bad)(x)\nexcept ValueError:\n    pass\nms.grad({f})(x)',
    'two in a row': 'ms.grad({f})(x)\nms.grad(lambda t: (t * t).sum())(x)',
}
BAD = 'def bad(x):\n    y = f(x)\n    raise ValueError("half way")\n'


class Writer:
    """Writes one program, and notes in `features` what it is a mix of."""

    def __init__(self, seed):
        self.dice = random.Random(seed)
        self.features, self.parts, self.cells = set(), [], []

    def pick(self, items):
        """One of some, which is noted where it has a name."""
        chosen = self.dice.choice(list(items))
        if isinstance(items, dict):
            self.features.add(chosen)
            return items[chosen]
        return chosen

    def smooth(self, name):
        """An expression in one variable."""
        return self.pick(SMOOTH).replace('{}', name)

    def hook(self):
        """The name of a new hook."""
        name = f'hook{sum(part.startswith("def hook") for part in self.parts)}'
        returned = self.pick(HOOKS)
        self.features |= {'gradient in hook'} if 'grad' in returned else set()
        self.parts.append(f'def {name}(g):\n    return {returned}\n')
        return name

    def cell(self, inner=''):
        """A Cell, which may call another one; its name."""
        name = 'Outer' if inner else 'Inner'
        construct, bprop = self.bodies(inner)
        lines = f'class {name}(nn.Cell):\n    def construct(self, x):\n{indent(construct, " " * 8)}\n'
        if bprop:
            lines += f'\n    def bprop(self, x, out, dout):\n{indent(bprop, " " * 8)}\n'
        self.parts.append(lines)
        return name

    def bodies(self, inner):
        """What a Cell's construct and its bprop consist of; '' where it has none."""
        way = self.dice.randrange(6) if not inner else -1
        if way == 0:
            self.features.add('vjp kept for bprop')
            return f'y, self.pull = ms.vjp(lambda t: {self.smooth("t")}, x)\nreturn y', 'return (self.pull(dout)[0],)'
        own = self.dice.random() < 0.7
        bprop = self.pick(BPROPS).replace('{t}', self.smooth('t')) if own else ''
        if inner:
            self.features.add('Cell in Cell')
            return f'return {inner}()({self.smooth("x")})', bprop
        if way < 3:
            self.features.add('gradient in construct' + ', with a bprop' * own)
            return f'return ms.grad(lambda t: ({self.smooth("t")} * t).sum())(x)', bprop
        self.features |= set() if own else {'Cell without bprop'}
        return f'return {self.smooth("x")}', bprop

    def line(self, number, ways):
        """A statement that makes the next value of the last one."""
        old, new = f'v{number - 1}' if number else 'x', f'v{number}'
        way = self.dice.choice(ways)
        if way == 0:
            self.features.add('hook on a tensor')
            return f'{new} = {self.smooth(old)}\n{new}.register_hook({self.hook()})'
        if way == 1:
            self.features.add('op that is a hook')
            return f'{new} = ops.InsertGradientOf({self.hook()})({old})'
        if way == 2:
            kind, arguments = self.dice.choice([('backward_hook', 'c, gi, go'), ('backward_pre_hook', 'c, go')])
            self.features.add('hook on a Cell')
            called = f'lambda {arguments}: {self.hook()}({arguments.split(", ")[1]}[0])'
            return f'cell = {self.cells[-1]}()\ncell.register_{kind}({called})\n{new} = cell({old})'
        if way == 3:
            self.features.add('loop')
            return f'{new} = {old}\nfor _ in range(2):\n    {new} = {self.smooth(new)}'
        if way == 4:
            self.features.add('Parameter')
            return f'{new} = {old} * w'
        if way == 5:
            return f'{new} = {self.cells[-1]}()({old})'
        return f'{new} = {self.smooth(old)}'

    def program(self):
        """The text."""
        self.parts = [f'x = {self.pick(VALUES)}', 'w = ms.Parameter(x * 1, name="w")', '']
        self.cells.append(self.cell())
        if self.dice.random() < 0.3:
            self.cells.append(self.cell(self.cells[0]))
        count = self.dice.randrange(1, 4)
        at = self.dice.randrange(count)  # here a Cell is called in any case
        lines = [self.line(k, (2, 5) if k == at else range(8)) for k in range(count)]
        body = '\n'.join([*lines, f'return (v{count - 1} * x).sum()'])
        self.parts.append(f'def f(x):\n{indent(body, "    ")}\n')
        order = self.dice.choice([1, 2, 2, 3])
        self.features.add(('first order', 'second order', 'third order')[order - 1])
        functions = ['f', 'slope', 'curve'][:order]
        for old, new in pairwise(functions):
            self.parts.append(f'def {new}(x):\n{indent(self.pick(SLOPES).format(f=old), "    ")}\n')
        driver = self.pick(DRIVERS).format(f=functions[-1])
        text = '\n'.join([*self.parts, f'with ms.Tape() as tape:\n{indent(driver, "    ")}\n'])
        return text.replace('def f(x):', f'{BAD}\ndef f(x):') if 'grad(bad)' in text else text


def written(seed):
    """Program number `seed`, and its features."""
    writer = Writer(seed)
    return writer.program(), writer.features
