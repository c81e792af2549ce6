"""The five scenes of the first page: their words, and the programs whose real pictures they show."""

from typing import NamedTuple

SUM = """\
import minicell as ms

x = ms.Tensor([1.5, -0.5])
y = ms.Tensor([2.0, 3.0])


def loss(x, y):
    z = x * y + x
    return z.sum()


with ms.Tape() as tape:
    dx, dy = ms.grad(loss, (0, 1))(x, y)
"""

TAKEOVER = """\
import minicell as ms
from minicell import nn, ops


class Net(nn.Cell):
    def construct(self, x, y):
        return ops.matmul(x, y)

    def bprop(self, x, y, out, dout):
{bprop}
        return dx, dy


x = ms.Tensor([[0.5, 0.6, 0.4],
               [1.2, 1.3, 1.1]])
y = ms.Tensor([[0.01, 0.3, 1.1],
               [0.1, 0.2, 1.3],
               [2.1, 1.2, 3.3]])
net = Net()


def loss(x, y):
    z = net(x, y)
    return {factor}z.sum()


with ms.Tape() as tape:
    dx, dy = ms.grad(loss, (0, 1))(x, y)
"""
BPROPS = {
    'document': ('dx = x + 1', 'dy = y + 1'),
    'forgets': ('ones = ops.ones_like(out)', 'dx = ops.matmul(ones, y.T)', 'dy = ops.matmul(x.T, ones)'),
    'right': ('dx = ops.matmul(dout, y.T)', 'dy = ops.matmul(x.T, dout)'),
}
FACTORS = 1, 3

SECOND = """\
import minicell as ms
from minicell import nn, ops


class Sin(nn.Cell):
    def construct(self, x):
        self.kept = float(ops.cos(x))
        return ops.sin(x)

    def bprop(self, x, out, dout):
        dx = dout * {slope}
        return (dx,)


sin = Sin()


def slope(x):
    return ms.grad(sin)(x)


x = ms.Tensor(0.5)
with ms.Tape() as tape:
    d2x = ms.grad(slope)(x)
"""
SLOPES = {'written': 'ops.cos(x)', 'stored': 'self.kept'}


def programs() -> dict[str, str]:
    """All programs of the scenes, by the name under which the page asks for them."""
    found = {'sum': SUM}
    for name, lines in BPROPS.items():
        bprop = '\n'.join(f'        {line}' for line in lines)
        for factor in FACTORS:
            scaled = '' if factor == 1 else f'{factor} * '
            found[f'{name} {factor}'] = TAKEOVER.format(bprop=bprop, factor=scaled)
    for name, slope in SLOPES.items():
        code = SECOND.format(slope=slope)
        if name == 'written':  # what nobody reads is not in the program
            code = code.replace('        self.kept = float(ops.cos(x))\n', '')
        found[name] = code
    return found


class Scene(NamedTuple):
    """A scene: what it is called and says, its program, its steps (a word or a number each), and its choices."""

    title: str
    short: str
    words: str
    program: str
    since: str | int  # the first step that belongs to it
    opens: str | int
    ends: str | int  # the step of its still
    choices: tuple[str, ...] = ()
    when: dict[str, str] = {}  # noqa: RUF012 program -> what is true of that one; its own program comes first


SCENES = (
    Scene(
        'Values flow, and leave a tape',
        'Forward',
        '<code>z = x * y + x</code> runs. Each operation writes an entry on the <b>tape</b>: what it read, what it '
        'made, and the rule that can take a gradient back through it. <span class="js-only">Press <b>›</b> under the '
        'picture.</span>',
        'sum',
        1,
        1,
        3,
    ),
    Scene(
        'Backward multiplies and adds',
        'Backward',
        'A 1 comes in at the right. Each rule multiplies what arrives, <code>dout</code>, by its own slope and hands '
        'the product on. <code>x</code> was used twice, so its two gradients are added. <span class="js-only">Press '
        'any number to see how it was made.</span>',
        'sum',
        4,
        4,
        'result',
    ),
    Scene(
        'A bprop takes over',
        'Takeover',
        'This Cell has a backward rule of its own, a method called <code>bprop</code>. So backward turns off its road '
        'and runs <b>your lines</b>. MatMul’s rule, which would be right, is never called. Of what your lines '
        'return, <b>only the shape is checked</b>, and not one number. <span class="js-only">Press <b>›</b> under the '
        'picture to run them.</span>',
        'document 1',
        1,
        'takeover',
        'takeover',
    ),
    Scene(
        'Yours beside the true one',
        'Compare',
        'The picture has also worked out the <b>true</b> gradients, without the bprop.',
        'document 1',
        'compare',
        'compare',
        'compare',
        ('bprop', 'loss'),
        {
            'document 1': 'These lines return <code>x + 1</code> and <code>y + 1</code>, which are no gradients at '
            'all. Training would go on all the same. Now choose the one that is fixed.',
            'document 3': 'The loss is three times as large, so the true gradients are too. Yours have not moved: '
            'these lines do not use <code>dout</code>.',
            'forgets 1': 'Right, but only by luck: every <code>dout</code> is 1 here, and these lines take it to be '
            '1. Make the loss <code>3 * z.sum()</code>.',
            'forgets 3': 'The true gradients have tripled, and yours have not: these lines take every '
            '<code>dout</code> to be 1, and now it is 3.',
            'right 1': 'These lines use <code>dout</code>, and both gradients are right. Does that hold for another '
            'loss? Try <code>3 * z.sum()</code>.',
            'right 3': 'Now every <code>dout</code> is 3. These lines use it, so your gradients have tripled along '
            'with the true ones.',
        },
    ),
    Scene(
        'Your lines become a second tape',
        'Again',
        'Now the program asks for the gradient <b>of the gradient</b>.',
        'written',
        1,
        'second tape',
        'result',
        ('slope',),
        {
            'written': 'The lines of <code>bprop</code> are operations like any other. They become entries 1′ and 2′ '
            'of a second tape, and backward runs through them.',
            'stored': 'Here <code>bprop</code> reads a number that <code>construct</code> stored. A number leaves no '
            'entry, so the second tape is empty and the second gradient is 0. It should be −sin(0.5).',
        },
    ),
)
OPENS = 2  # the scene that the page opens with: what it is all about

# A choice: what it is called, and its options: name -> words. The first is taken.
CHOICES = {
    'bprop': ('This bprop', {'document': 'returns x + 1', 'forgets': 'forgets dout', 'right': 'is fixed'}),
    'loss': ('The loss is', {'1': 'z.sum()', '3': '3 * z.sum()'}),
    'slope': ('In bprop, the slope is', {'written': 'ops.cos(x)', 'stored': 'a stored number'}),
}
