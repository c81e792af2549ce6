"""The figure of lesson 03: scale the loss, and see which gradients follow."""

from typing import Any

from minicell.teach.figure import slider
from minicell.teach.live import Live, run

LOSS = """\
def loss(x, y):
    z = net(x, y)
    return (scale * z).sum()


dx, dy = ms.grad(loss, (0, 1))(x, y)
"""


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
    return Live('loss-scale', control, lambda scale: run(LOSS, net=net, x=x, y=y, scale=scale), stills=(0.1, 1.0, 10.0))


FIGURES = {'loss scale': loss_scale}
