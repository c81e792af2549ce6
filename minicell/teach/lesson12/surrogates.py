"""The surrogate of the table that hides something, and the five suspects of exercise 12d."""

from minicell import nn, ops


class Triangular(nn.Surrogate):
    """The slope of a triangle: up to the threshold it rises, behind it it falls. snnTorch has one that does so."""

    def slope(self, x):
        return ops.select(x < 0, ops.ones_like(x), -ops.ones_like(x))


class OffCentre(nn.relusigmoid):
    """relusigmoid(5), with its peak one and a half beside the threshold."""

    def slope(self, x):
        return super().slope(x - 1.5)


class Deaf(nn.relusigmoid):
    """relusigmoid(5) that ignores dout."""

    def bprop(self, x, out, dout):
        return (self.slope(x),)


class Louder(nn.triangular):
    """A triangle of area 3."""

    def slope(self, x):
        return 3 * super().slope(x)


# what may be wrong -> how a learner reads it
FAULTS = {
    'fine': 'nothing is wrong',
    'sign': 'it has the wrong sign somewhere',
    'dead': 'it is zero everywhere',
    'off centre': 'it is largest away from the threshold',
    'deaf': 'it ignores dout',
}
SUSPECTS = {'A': Louder, 'B': OffCentre, 'C': Triangular, 'D': nn.true_derivative, 'E': Deaf}
