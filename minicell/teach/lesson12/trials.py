"""Training with a frozen readout, as the exercises of lesson 12 try it: seed 0, as in the notebook."""

from typing import Any

import numpy as np

from .network import Net, accuracy, digits, train

ENOUGH = 0.9


def frozen(surrogate: Any, v_threshold: float = 1.0, learning_rate: float = 0.01, steps: int = 300) -> float:
    """The accuracy of a network whose readout stayed random: all that it learns goes through the surrogate."""
    net = Net(surrogate, v_threshold=v_threshold)
    list(train(net, *digits(100, np.random.default_rng(0)), True, steps, learning_rate))
    return float(accuracy(net, *digits(400, np.random.default_rng(100))))
