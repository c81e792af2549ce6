"""Programs that nobody thought of: random ops, Cells, takeovers, hooks, gradients inside gradients, writes, errors."""

import random

UNARY = (
    'ops.tanh({})', '{} * 2', '-{}', 'ops.exp({} * 0.1)', '{} * {}', 'ops.relu({})', '({} + 1) / 2', '{}.sum() * {}',
    'ops.stop_gradient({}) * {}', '{}[0] * {}', 'ops.concat(({}, {}))[:3]', 'ops.sin({}) + 3',
)  # fmt: skip
BINARY = ('{} * {}', '{} + {}', '{} - {} * 0.5', 'ops.maximum({}, {})', 'ops.matmul({}, {}) * {0}')
GRADIENTS = (
    'ms.grad({f})({x})', 'ms.vjp({f}, {x})[1](ops.ones_like({x}))[0]', 'ms.grad(ms.grad(lambda t: {f}(t).sum()))({x})',
    'ms.jvp({f}, {x}, ops.ones_like({x}))[1]',
)  # fmt: skip
DRIVERS = (
    'ms.grad(f)(x)', 'ms.value_and_grad(f)(x)', 'ms.grad(lambda x: (ms.grad(f)(x) * x).sum())(x)',
    'ms.jacrev(f)(x)', 'ms.jacfwd(f)(x)', 'ms.jacfwd(ms.jacrev(f))(x)', 'ms.jacrev(ms.grad(f))(x)',
    'ms.jvp(f, x, x * 2)', 'f(x)', 'ms.grad(f, None, list(net.trainable_params()))(x)',
    'ms.value_and_grad(lambda x: net(f(x) + x).sum(), 0, net.trainable_params())(x)',
)  # fmt: skip
BLOCKS = (
    'y, pull = ms.vjp(f, x)\npull(ops.ones_like(y))\nms.grad(f)(x)\npull(ops.ones_like(y) * 2)',
    'for _ in range(2):\n    opt(ms.grad(lambda: net(x).sum(), None, opt.parameters)())',
    'try:\n    ms.grad(bad)(x)\nexcept Exception:\n    pass\nms.grad(f)(x)',
    'ms.grad(f)(x)\nms.grad(bad)(x)',
    'w = ms.Parameter(x * 1, name="w")\nw.register_hook(hook0)\nms.grad(lambda x: (f(x) * w).sum(), 0, [w])(x)\n'
    'ops.assign_add(w, x)',
    'bn = nn.BatchNorm1d(3)\nbn.set_train()\nms.grad(lambda x: bn(ops.stack((x, f(x) + x))).sum())(x)',
)  # fmt: skip


class Writer:
    """Writes one program."""

    def __init__(self, seed):
        self.dice = random.Random(seed)
        self.hooks = []
        self.cells = []

    def pick(self, items):
        return self.dice.choice(items)

    def chance(self, share):
        return self.dice.random() < share

    def filled(self, way, names):
        count = way.count('{}')
        chosen = [self.pick(names) for _ in range(max(count, 1))]
        return way.format(*chosen)

    def hook(self, several=False):
        name = f'hook{len(self.hooks)}'
        returned = self.pick(['None', 'g * 2', 'g', 'ms.grad(lambda t: (t * t).sum())(g)', 'g * 0'])
        if self.chance(0.05):
            returned = 'g[0, 0, 0]'  # an error
        self.hooks.append(f'def {name}(g):\n    back = {returned}\n    calls.append({name!r})\n    return back\n')
        return name

    def cell(self, depth):
        name = f'Cell{len(self.cells)}'
        inner = self.pick(self.cells) if self.cells and self.chance(0.5) else None
        body = self.filled(self.pick(UNARY[:6]), ['x'])
        if inner:
            body = f'{inner}()({body})'
        way = self.dice.randrange(8)
        lines = [f'class {name}(nn.Cell):', '    def construct(self, x):']
        if way == 0:  # a pull that is kept
            lines += [f'        y, self.pull = ms.vjp(lambda t: {body.replace("x", "t").replace("etp", "exp")}, x)']
            lines += ['        return y', '    def bprop(self, x, out, dout):', '        return (self.pull(dout)[0],)']
        else:
            lines += [f'        return {body}']
        if 0 < way < 7:
            lines += ['    def bprop(self, x, out, dout):']
        if way == 1:
            lines += ['        y, pull = ms.vjp(lambda t: t * t * t, x)', '        return (pull(dout)[0] * 1.5,)']
        if way == 2:
            lines += ['        return (ms.grad(lambda t: (t * dout).sum())(x),)']
        if way == 3:
            lines += [f'        return ({inner or self.pick([*self.cells, "ops.Tanh"])}()(dout) * 2,)']
        if way == 4:
            lines += ['        deep = ms.vjp(lambda t: ms.vjp(lambda s: s * s, t)[1](t)[0], x)[1](dout)[0]']
            lines += ['        return (deep + dout,)']
        if way == 5:
            lines += [
                f'        return ({self.pick(["dout * 3", "None", "dout + x", "ms.jvp(ops.tanh, x, dout)[1]"])},)'
            ]
        if way == 6:
            lines += [
                '        slopes = ms.grad(ms.grad(lambda t: (t * t * t).sum()))(x)',
                '        return (slopes * dout,)',
            ]
            if self.chance(0.2):
                lines[-1] = '        raise KeyError("half way")'
        self.cells.append(name)
        return '\n'.join(lines) + '\n'

    def line(self, names):
        way = self.dice.randrange(12)
        old, new = self.pick(names), f'v{len(names)}'
        if way < 4:
            return new, [f'{new} = {self.filled(self.pick(UNARY), names)}']
        if way < 6:
            return new, [f'{new} = {self.pick(BINARY[:4]).format(self.pick(names), self.pick(names))}']
        if way == 6:
            cell = self.pick(self.cells)
            return new, [f'{new} = {cell}()({old})']
        if way == 7:
            return new, [f'{new} = {old} * 1', f'{new}.register_hook({self.hook()})']
        if way == 8:
            return new, [f'{new} = ops.InsertGradientOf({self.hook()})({old})']
        if way == 9:
            lines = [f'{new} = {old}', 'for k in range(3):', f'    {new} = {new} * {old} + k']
            return new, lines
        if way == 10:
            what = self.pick(GRADIENTS).format(f=self.pick([*self.cells, 'ops.Tanh']) + '()', x=old)
            return new, [f'{new} = {what}']
        cell = self.pick(self.cells)
        kind = self.pick(['register_backward_hook(lambda c, gi, go: {}(gi[0]))',
                          'register_backward_pre_hook(lambda c, go: {}(go[0]))'])  # fmt: skip
        return new, [f'c = {cell}()', f'c.{kind.format(self.hook())}', f'{new} = c({old})']

    def program(self):
        cells = [self.cell(0) for _ in range(self.dice.randrange(1, 4))]
        names, body = ['x'], []
        for _ in range(self.dice.randrange(1, 6)):
            name, lines = self.line(names)
            names.append(name)
            body += lines
        body.append(f'return ({names[-1]} * x).sum()' if self.chance(0.7) else f'return {names[-1]} * x')
        self.hook()
        driver = self.pick(BLOCKS) if self.chance(0.35) else self.pick(DRIVERS)
        parts = [
            'calls = []', 'x = ms.Tensor([0.5, -1.0, 2.0])', 'net = nn.Dense(3, 2)',
            'opt = nn.Momentum(net.trainable_params(), 0.1, 0.9)', *self.hooks, *cells,
            'def f(x):', *(f'    {line}' for line in body),
            'def bad(x):', '    y = f(x)', '    raise ValueError("half way")',
            'with ms.Tape() as tape:', *(f'    {line}' for line in driver.split('\n')),
        ]  # fmt: skip
        return '\n'.join(parts).replace('hook0)', f'{"hook0"})') + '\n'


def program(seed):
    """The text of program number `seed`."""
    return Writer(seed).program()
