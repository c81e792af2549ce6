"""Lesson 14: points of two cameras, a feature, and two heads on it, one of them behind a Cell such as `Reverse`."""

from typing import Any

import numpy as np

import minicell as ms
from minicell import nn

LEARN, STEPS = 0.02, 300


def cameras(between: Any, seed: int, n: int = 200) -> tuple[float, ...]:
    """Train the feature and both heads. `between` stands in front of the head that guesses the camera.

    What comes back are accuracies: of the labels under A and under B, of the camera by its head, and of the camera by
    the best threshold on the feature.
    """
    rng = np.random.default_rng(seed)
    side = np.arange(n) % 2 * 2 - 1.0  # the class, −1 or 1
    shape = np.tile(side, 2) + 0.6 * rng.standard_normal(2 * n)
    brightness = np.tile(side, 2) + 0.3 * rng.standard_normal(2 * n) + np.repeat([0, 2], n)  # under B, 2 more
    x, label = ms.Tensor(np.stack([shape, brightness], axis=1)), ms.Tensor((side > 0).astype(float)[:, None])
    camera = ms.Tensor(np.repeat([0.0, 1.0], n)[:, None])
    feature = ms.Parameter(ms.Tensor(0.5 * rng.standard_normal((2, 1))), name='feature')
    # a head has a weight and a bias
    heads = [ms.Parameter(ms.Tensor(rng.standard_normal((2, 1))), name=name) for name in ('label', 'camera')]
    loss_of = nn.BCEWithLogitsLoss()

    def guesses() -> tuple[Any, Any]:
        z = x @ feature
        return z @ heads[0][:1] + heads[0][1:], between(z) @ heads[1][:1] + heads[1][1:]

    def loss() -> Any:
        labels, of_camera = guesses()
        return loss_of(labels[:n], label) + loss_of(of_camera, camera)  # only camera A has labels

    weights = [feature, *heads]
    optimizer, step = nn.Adam(weights, learning_rate=LEARN), ms.value_and_grad(loss, None, weights)
    for _ in range(STEPS):
        optimizer(step()[1])
    labels, of_camera = (guess.asnumpy() > 0 for guess in guesses())
    right = labels == np.tile(label.asnumpy(), (2, 1))
    z, of_b = (x @ feature).asnumpy()[:, 0], camera.asnumpy()[:, 0] == 1
    best = np.mean((z > z[:, None]) == of_b, axis=1)  # each number of the feature as a threshold
    return right[:n].mean(), right[n:].mean(), np.mean(of_camera[:, 0] == of_b), max(best.max(), 1 - best.min())
