"""The figure of lesson 03: scale the loss, and see which gradients follow."""

from typing import Any

from minicell.teach.figure import slider
from minicell.teach.live import Live, run
from minicell.view.picture import Picture

LOSS = """\
def loss(x, y):
    z = net(x, y)
    return (scale * z).sum()


dx, dy = ms.grad(loss, (0, 1))(x, y)
"""


def first_numbers(picture: Picture) -> str:
    """The first number of each gradient that a bprop returned, and what it should be."""
    judged = [g for reading in picture.record.readings for g in reading.gradients if g.true is not None and g.value]
    return ' '.join(
        f'{g.name}{[0] * g.true.ndim} is {g.value.data.flat[0]:.3g}; it should be {g.true.flat[0]:.3g}.' for g in judged
    )


def loss_scale(net: Any, x: Any, y: Any) -> Live:
    """A slider for the factor before the loss, and the tape of scale · sum(net(x, y)) at that factor."""
    control = slider(
        'Loss scale: multiplies the loss, and with it dout',
        'The factor before the loss',
        1.0,
        (-1, 1),
        0.05,
        powers=True,
    )

    def program(scale: float) -> Any:
        return run(LOSS, net=net, x=x, y=y, scale=scale)

    return Live('loss-scale', control, program, stills=(0.1, 1.0, 10.0), says=first_numbers)


FIGURES = {'loss scale': loss_scale}
