"""Lesson 03: the figure of a scaled loss, the trial of exercise 3a, and the hunt of 3b for wrong matrix products."""

from collections.abc import Callable, Sequence
from typing import Any

from minicell import nn, ops
from minicell.ink import sheet, svg
from minicell.ink.film import Film, Step
from minicell.ink.line import Mark, step_line
from minicell.ink.numbers import said
from minicell.ink.page import fragment
from minicell.ink.shapes import Frame, Shape
from minicell.teach.bprop_check import BpropCheck
from minicell.teach.figure import LINE, Shown, printed, tape_of
from minicell.teach.trials import Hunt, points, variant
from minicell.view.picture import Picture

# ---- the loss, scaled ------------------------------------------------------------------------------------------------

SCALES = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
LOSS = """\
def loss(x, y):
    z = net(x, y)
    return (scale * z).sum()


dx, dy = ms.grad(loss, (0, 1))(x, y)
"""


def first_numbers(picture: Picture) -> str:
    """The first number of each gradient that a bprop returned, and what it should be."""
    pairs = ((g, v) for r in picture.record.readings for g, v in zip(r.gave, r.verdicts, strict=False))
    return ' '.join(
        f'{g.name}{[0] * v.due.ndim} is {v.yours.flat[0]:.3g}; it should be {v.due.flat[0]:.3g}.'
        for g, v in pairs
        if v.due is not None and v.yours is not None
    )


class Tapes:
    """`program` makes a tape for each of `values`; each place of the slider shows the last step of one, as its picture
    does. `name` is what a value is, in a title; `says` is the caption of a still.

    It opens at the value `start`. `stills` are for a page that runs no script.
    """

    def __init__(
        self, name: str, label: str, values: Sequence[float], program: Callable[[float], Any], start: float,
        stills: Sequence[float], says: Callable[[Picture], str],
    ) -> None:  # fmt: skip
        pictures = [Picture(program(value)) for value in values]
        named = [f'{name} {said(value)}' for value in values]
        self.films = [last_steps([each.films[k] for each in pictures], label, values, named) for k in (0, 1)]
        places = [values.index(still) for still in stills]
        kept = [sheet.of(self.films[0], at)._replace(caption=says(pictures[at])) for at in places]
        words = '\n'.join(f'{one.title}. {one.caption}' for one in kept)
        opens = values.index(start)
        page = fragment.fragment(self.films, svg.write(sheet.of(self.films[0], opens)), opens)
        self.shown = Shown(words, page, printed(kept, words))


def last_steps(films: Sequence[Film], label: str, values: Sequence[float], named: Sequence[str]) -> Film:
    """The last steps of several films, as the steps of one. A number answers for its own film alone."""
    made = Film(max(each.width for each in films), max(each.height for each in films))
    marks = [Mark(k, said(value)) for k, value in enumerate(values)]
    made.line, places = step_line(len(films), marks, LINE, label)
    for k, (each, at) in enumerate(zip(films, places, strict=True)):
        last, own = each.steps[-1], lambda value, k=k: f'{k} {value}'
        frame = Frame({key: renamed(shape, own) for key, shape in each.frames[-1].items()})
        made.add(frame, Step(f'{named[k]}: {last.title}', last.caption, at))
        made.links |= {own(value): link | {'l': [*map(own, link['l'])]} for value, link in each.links.items()}
        made.accounts |= {own(value): account for value, account in each.accounts.items()}
    return made


def renamed(shape: Shape, own: Callable[[str], str]) -> Shape:
    """A shape with other names of the values that it shows and accounts for."""
    return shape._replace(attrs={k: own(v) if k in ('v', 'rc') else v for k, v in shape.attrs.items()})


def loss_scale(net: Any, x: Any, y: Any) -> Tapes:
    """A slider for the factor before the loss, and the end of the tape of scale · sum(net(x, y)) at that factor."""

    def program(scale: float) -> Any:
        return tape_of(LOSS, net=net, x=x, y=y, scale=scale)

    label = 'Loss scale: multiplies the loss, and with it dout'
    return Tapes('Loss scale', label, SCALES, program, 1.0, stills=(0.1, 1.0, 10.0), says=first_numbers)


# ---- 3a --------------------------------------------------------------------------------------------------------------

SHAPES = ((2, 3, 3), (4, 2, 3), (3, 1, 4), (1, 5, 2))  # n, k, m: on the first, y is square, as in the document

matmul = BpropCheck(
    'MatMul',
    ('dx', 'dy'),
    lambda x, y: ops.matmul(x, y),
    'the matrix product of x and y',
    {f'x {n}×{k}, y {k}×{m}': points((n, k), (k, m), seed=3) for n, k, m in SHAPES},
    # on square matrices no wrong transpose and no wrong order ends in an error: each mistake shows its own numbers
    by_hand=points((3, 3), (3, 3), seed=3),
)


# ---- 3b --------------------------------------------------------------------------------------------------------------

WORDS = ('right', 'deaf', 'order', 'no transpose')

Rule = Callable[[Any, Any, Any], Any]  # a gradient, from x, y and dout
DX: Rule = lambda x, y, dout: ops.matmul(dout, y.T)
DY: Rule = lambda x, y, dout: ops.matmul(x.T, dout)
STRAIGHT: tuple[Rule, Rule] = (lambda x, y, dout: ops.matmul(dout, y), lambda x, y, dout: ops.matmul(x, dout))
HIDDEN: tuple[tuple[Rule, Rule, str], ...] = (
    (DX, STRAIGHT[1], 'no transpose'),
    (lambda x, y, dout: ops.matmul(y.T, dout), DY, 'order'),
    (DX, DY, 'right'),
    (DX, lambda x, y, dout: y + 1, 'deaf'),
    (STRAIGHT[0], DY, 'no transpose'),
    (lambda x, y, dout: x + 1, DY, 'deaf'),
    (DX, lambda x, y, dout: ops.matmul(dout, x.T), 'order'),
    (*(lambda x, y, dout, rule=rule: rule(x, y, ops.ones_like(dout)) for rule in (DX, DY)), 'deaf'),
    (lambda x, y, dout: ops.matmul(y.T, dout), lambda x, y, dout: ops.matmul(dout, x.T), 'order'),
)


def suspect(dx: Rule, dy: Rule) -> tuple[nn.Cell]:
    """The matrix product, with a rule for each input."""
    bprop = lambda _, x, y, out, dout: (dx(x, y, dout), dy(x, y, dout))
    return (variant(nn.Cell, construct=lambda _, x, y: ops.matmul(x, y), bprop=bprop)(),)


FIGURES = {'loss scale': loss_scale}
TRIALS = {'3a': matmul, '3b': Hunt(WORDS, HIDDEN, suspect)}
