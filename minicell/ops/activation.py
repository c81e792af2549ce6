"""Activations."""

import sys

import numpy as np

from ..tensor import Tensor
from .arithmetic import ONE, ZERO
from .make import agree, apply_many, on_both, unary
from .rules import NoRule

HALF = {np.dtype(d): np.asarray(0.5, d) for d in ('float16', 'float32', 'float64')}


def _sigmoid(x: np.ndarray) -> np.ndarray:
    """1 / (1 + exp(-x)) by way of tanh, which cannot overflow."""
    half = HALF[x.dtype]
    return np.tanh(x * half) * half + half


def _relu6_grad(g: np.ndarray, x: np.ndarray) -> np.ndarray:
    return g * ((x > 0) & (x <= 6))


RELU6_GRAD = NoRule('ReLU6Grad', _relu6_grad, 'the backward of ReLU6 has no rule, so ReLU6 has no second derivative.')


def _relu6_grad_op(g: Tensor, x: Tensor) -> Tensor:
    return apply_many(RELU6_GRAD, tuple(agree(RELU6_GRAD, g, x)), (), sys._getframe(1))


relu6_grad = on_both(_relu6_grad_op, _relu6_grad)

# fmt: off
sigmoid = unary('Sigmoid', _sigmoid, lambda g, out, x: g * (out * (ONE[out.dtype] - out)), floats=True)
relu = unary('ReLU', lambda x: np.maximum(x, ZERO[x.dtype]), lambda g, out, x: g * (out > ZERO[out.dtype]))
relu6 = unary('ReLU6', lambda x: np.clip(x, 0, 6), lambda g, out, x: relu6_grad(g, x), floats=True)
# fmt: on
