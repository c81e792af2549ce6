"""The three Cells of exercise 11c: one graph follows, one is frozen, and one is refused."""

import minicell as ms

CALLS, CHANGE = 6, 3  # so many gradients, and the setting changes before this one (counted from 0)

# A text, as minicell watches the settings of a learner's code, and not those of its own.
CODE = """
import numpy as np
from minicell import nn


class Suspect(nn.Cell):
    def __init__(self):
        super().__init__()
        self.k = 2.0
        self.calls = []
        self.dice = np.random.default_rng(11)

    def construct(self, x):
        return x * x


class Draws(Suspect):
    def bprop(self, x, out, dout):
        return (float(self.dice.integers(1, 7)) * x * dout,)


class Follows(Suspect):
    def bprop(self, x, out, dout):
        return (self.k * x * dout,)


class Counts(Suspect):
    def bprop(self, x, out, dout):
        self.calls.append(1)
        return ((0.0 if len(self.calls) > 3 else 2.0) * x * dout,)
"""
space: dict = {'__name__': '__main__'}
exec(compile(CODE, '<exercise 11c>', 'exec'), space)
SUSPECTS = {'A': space['Draws'], 'B': space['Follows'], 'C': space['Counts']}
READS = {'A': 'the dice', 'B': 'a setting', 'C': 'a count'}
WORDS = ('nothing', 'a setting', 'a count', 'the dice')


def play(letter: str, mode: int) -> list[float] | str:
    """Six gradients of a fresh Cell at x = 1, or 'refused'; before the fourth its setting k changes."""
    cell, found, before = SUSPECTS[letter](), [], ms.get_context('mode')
    try:
        ms.set_context(mode=mode)
        for call in range(CALLS):
            if call == CHANGE:
                cell.k = 5.0
            found.append(ms.grad(cell)(ms.Tensor(1.0)).item())
    except ms.errors.GraphValueError:
        return 'refused'
    finally:
        ms.set_context(mode=before)
    return found
