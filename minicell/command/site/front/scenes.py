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
from minicell import nn


class Net(nn.Cell):
    def construct(self, x, y):
        return x * y

    def bprop(self, x, y, out, dout):
        dx = {dx}
        dy = {dy}
        return dx, dy


x = ms.Tensor([1.0, 2.0])
y = ms.Tensor([3.0, 4.0])
net = Net()


def loss(x, y):
    z = net(x, y)
    return z.{loss}()


with ms.Tape() as tape:
    dx, dy = ms.grad(loss, (0, 1))(x, y)
"""
BPROPS = {'forgets': ('y', 'x'), 'document': ('x + 1', 'y + 1'), 'right': ('dout * y', 'dout * x')}
LOSSES = 'mean', 'sum'

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
    for name, (dx, dy) in BPROPS.items():
        for loss in LOSSES:
            found[f'{name} {loss}'] = TAKEOVER.format(dx=dx, dy=dy, loss=loss)
    for name, slope in SLOPES.items():
        code = SECOND.format(slope=slope)
        if name == 'written':  # what nobody reads is not in the program
            code = code.replace('        self.kept = float(ops.cos(x))\n', '')
        found[name] = code
    return found


class Scene(NamedTuple):
    """A scene: what it is called and says, its program, its steps (a word or a number each), and its choices.

    Without choices it always shows its own program, so that its words are true of what is seen.
    """

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
        'made, and the rule that takes a gradient back through it. <span class="js-only">Press <b>›</b> under the '
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
        '<b>Your lines</b> compute <code>dx</code> and <code>dy</code>, not autodiff, because this Cell has its own '
        'backward rule: <code>bprop</code>. They do not multiply by <code>dout</code>, the gradient that comes in, '
        'so both are <b>twice what they should be</b>. No error is raised: only shapes are checked.',
        'forgets mean',
        1,
        'takeover',
        'takeover',
    ),
    Scene(
        'Yours beside the true one',
        'Compare',
        'Change the bprop, or the loss.',
        'forgets mean',
        'compare',
        'compare',
        'compare',
        ('bprop', 'loss'),
        {
            'forgets mean': 'Every <code>dout</code> is 0.5, and these lines do not multiply by it, so both '
            'gradients are twice what they should be. Training would go on all the same.',
            'forgets sum': 'Right, but only by luck: every <code>dout</code> is 1 now, and leaving out a factor of 1 '
            'changes nothing.',
            'document mean': '<code>x + 1</code> and <code>y + 1</code> are no gradients at all. They have the right '
            'shapes, so they are taken.',
            'document sum': 'The true gradients have doubled, and yours have not moved: these lines do not use '
            '<code>dout</code>.',
            'right mean': 'These lines multiply by <code>dout</code>, and both gradients are right. Does that hold for '
            'another loss? Try <code>z.sum()</code>.',
            'right sum': 'Now every <code>dout</code> is 1. These lines use it, so your gradients have doubled along '
            'with the true ones.',
        },
    ),
    Scene(
        'Your lines become a second tape',
        'Second order',
        'Now the program asks for the gradient <b>of the gradient</b>.',
        'written',
        1,
        'second tape',
        'result',
        ('slope',),
        {
            'written': 'The lines of <code>bprop</code> are operations like any other. They become entries 1′ and 2′ '
            'of a second tape, and backward runs through them.',
            'stored': '<code>d2x</code> comes out as 0, and should be −sin(0.5) = −0.479. <code>construct</code> '
            'stored cos(x) as a plain number, and <b>a stored number has no gradient</b>: the second tape stays empty.',
        },
    ),
)
OPENS = 2  # the scene that the page opens with: what it is all about

# A choice: what it is called, and its options: name -> words. The first is taken.
CHOICES = {
    'bprop': ('This bprop', {'forgets': 'forgets dout', 'document': 'returns x + 1', 'right': 'is fixed'}),
    'loss': ('The loss is', {'mean': 'z.mean()', 'sum': 'z.sum()'}),
    'slope': ('In bprop, the slope is', {'written': 'ops.cos(x)', 'stored': 'a stored number'}),
}
