"""Losses. Cross entropy is one op with one rule for all its variants; the others are their definitions."""

import numpy as np

from .. import tracing
from ..core import tape
from ..core.dtype import FLOAT16, NUMPY_1
from ..core.errors import DTypeError, OperandError, ShapeError, article, users_line
from ..core.primitives import apply, apply_plain, cast_to, check_tensor, getframe, on_both
from ..core.rules import Binary, Plain
from ..core.tape import place
from ..core.tensor import Tensor, wrap
from ..errors import LabelError, SettingError
from .arithmetic import abs, log, maximum, square, where
from .checks import must, must_be
from .create import constant
from .elementwise import LOG_SOFTMAX, SOFTMAX, _log_softmax, _softmax, softplus
from .primitive import Saving, apply_saving, in_float32
from .reduce import mean, sum

CLASSES = np.dtype(np.int32), np.dtype(np.int64)  # what labels are made of

# ---- cross entropy -------------------------------------------------------------------------------------------------
#
# Every variant is one formula. Row n of the targets t holds what the labels say: a single 1, or probabilities, or those
# times class weights, or zeros where a label is ignored. Then
#
#     loss = sum_n (s_n * log(sum_c exp z_nc) - sum_c t_nc * z_nc) / divisor,    s_n = sum_c t_nc
#     dz   = (s_n * softmax(z)_nc - t_nc) / divisor
#
# `ones`: every s_n is 1, which saves a product; divisor None: no reduction.


def _cross_entropy(divisor: float | None, ones: bool, z: np.ndarray, t: np.ndarray) -> tuple:
    if z.dtype is FLOAT16:
        return tuple([part.astype(FLOAT16) for part in _cross_entropy(divisor, ones, *map(np.float32, (z, t)))])
    z = z - np.maximum.reduce(z, 1, keepdims=True)
    p = np.exp(z)
    s = np.add.reduce(p, 1, keepdims=True)
    p /= s
    rows = np.log(s[:, 0])
    if not ones:
        rows *= np.add.reduce(t, 1)
    if divisor is not None:
        total = np.add.reduce(rows) - np.vdot(z, t)
        if total == total:
            return rows.dtype.type(total / divisor) if NUMPY_1 else total / divisor, p
    # also where the total is NaN, perhaps by 0 * -inf: a logit of -inf where no label points counts nothing
    rows -= np.add.reduce(np.multiply(z, t, where=t != 0, out=np.zeros_like(z)), 1)
    return (rows if divisor is None else np.add.reduce(rows) / rows.dtype.type(divisor)), p


def _shared(g, divisor):
    """The cotangent of each row, as a column."""
    return g.reshape((-1, 1)) if divisor is None else g / divisor


@in_float32
def _dz(g, out, divisor, ones, p, z, t):
    if p is None:
        p = both_softmax(z, 1)
    elif type(g) is Tensor:
        p = place(SOFTMAX, z, (1,), wrap(p), z.at, getframe())  # as an op of z, whose numbers are there already
    if not ones:
        p = p * t.sum((1,), keepdims=True)
    return (p - t) * _shared(g, divisor)


def _one_hot(labels: np.ndarray, classes: int, dtype) -> np.ndarray | None:
    """Rows with a 1 where each label points; None if one lies outside, perhaps because it is ignored."""
    rows = np.zeros((labels.size, classes), dtype)
    places = labels.view(np.uint32) if labels.itemsize == 4 else np.minimum(labels.view(np.uint64), classes)
    try:  # unsigned, so that -1 is no place from the end
        rows[np.arange(labels.size), places] = 1
    except IndexError:
        return None
    return rows


def _targets(labels: np.ndarray, classes: int, dtype, ignored: int, weights, smoothing: float) -> np.ndarray:
    """Row n holds what label n says: see above. Raises LabelError for a class that is not there."""
    rows, kept = np.zeros((labels.size, classes), dtype), labels != ignored
    outside = labels[kept & ((labels < 0) | (labels >= classes))]
    if outside.size:
        there = f'the logits have the classes 0 to {classes - 1}'
        raise LabelError(f'the class {outside[0]} is not there: {there}.{users_line()}')
    rows[np.flatnonzero(kept), labels[kept]] = 1
    counted = rows if weights is None else rows * weights
    if smoothing:
        spread = 1 if weights is None else weights
        counted = counted * (1 - smoothing) + spread * rows.sum(1, keepdims=True) * (smoothing / classes)
    return counted.astype(dtype, copy=False)


def _total(labels: np.ndarray, ignored: int, weights: np.ndarray | None) -> float:
    """The sum of the weights of the labels that count; without weights, how many these are. NaN for none."""
    kept = labels != ignored
    total = np.count_nonzero(kept) if weights is None else weights[labels[kept]].sum(dtype=float)
    return float(total) or np.nan


TARGETS = Plain('OneHot', _targets)
PER_LABEL = Plain('PerLabel', lambda labels, *settings: np.asarray(labels.size / _total(labels, *settings)))
_dt = in_float32(lambda g, out, divisor, ones, p, z, t: -both_log_softmax(z, 1) * _shared(g, divisor))
CROSS_ENTROPY = Saving('CrossEntropy', _cross_entropy, (_dz, _dt))
both_softmax = on_both(lambda z, axis: apply(SOFTMAX, z, (axis,), getframe(2)), _softmax)
both_log_softmax = on_both(lambda z, axis: apply(LOG_SOFTMAX, z, (axis,), getframe(2)), _log_softmax)


def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    ignore_index: int = -100,
    reduction: str = 'mean',
    label_smoothing: float = 0.0,
) -> Tensor:
    """-log of the probability that softmax(input) gives to the right class.

    input: logits (N, C), (C,) or (N, C, d1, ...); target: Int32 or Int64 classes of shape (N,), () or (N, d1, ...), or
    probabilities of input's shape and dtype. weight: one number a class; classes equal to ignore_index count nothing.
    The mean is over the weights of the classes that count. Raises TypeError for labels of another dtype, ValueError for
    shapes that do not fit, for a class that is not there and for another reduction than 'mean', 'sum', 'none'.

    >>> print(ms.ops.cross_entropy(ms.Tensor([[0.0, 0.0]]), ms.Tensor([1], ms.int32)))
    0.6931472
    """
    check_reduction('cross_entropy', reduction)
    z, t = check_tensor(CROSS_ENTROPY, input), check_tensor(CROSS_ENTROPY, target)
    if not 0 <= label_smoothing <= 1:
        raise SettingError(f'label_smoothing lies between 0.0 and 1.0, but got {label_smoothing}.{users_line()}')
    shape, labels = z.array.shape, t.array
    if z.array.dtype.kind != 'f' or not shape:
        got = f'{z.dtype} {shape}'
        raise DTypeError(f'cross_entropy takes float logits of shape (N, C), but got {got}.{users_line()}')
    by_class = labels.dtype.kind in 'iub'
    if not (by_class and labels.dtype in CLASSES and len(shape) == 2 and labels.shape == shape[:1]):
        _check_target(z, t, by_class)
    z = _rows(z)
    per_class = None if weight is None else _class_weights(weight, z)
    if by_class:
        t, total = _by_class(t, z, per_class, ignore_index, label_smoothing, getframe(1))
    else:
        t, total = _rows(t), float(max(len(z.array), 1))
        t = t * (1 - label_smoothing) + label_smoothing / z.shape[1] if label_smoothing else t
        t = t if per_class is None else t * wrap(per_class)
    fixed = isinstance(total, float)
    divisor = None if reduction == 'none' else 1 if reduction == 'sum' else total if fixed else float(len(z.array))
    ones = by_class and per_class is None and fixed and total == len(z.array)
    out = apply_saving(CROSS_ENTROPY, (z, t), (divisor, ones), getframe(1))
    if reduction != 'none' or len(shape) == 2:
        return out if fixed or reduction != 'mean' else out * total
    return out.reshape((shape[0], *shape[2:]) if len(shape) > 1 else ())


def _rows(x: Tensor) -> Tensor:
    """The classes, which are axis 1, as the last of two axes."""
    if len(x.array.shape) < 3:
        return x if x.array.ndim == 2 else x.reshape((1, -1))
    return x.transpose((0, *range(2, x.ndim), 1)).reshape((-1, x.shape[1]))


def _check_target(z: Tensor, t: Tensor, by_class: bool) -> None:
    shape = z.shape
    due = (*shape[:1], *shape[2:]) if by_class and len(shape) > 1 else () if by_class else shape
    if by_class and t.array.dtype not in CLASSES:
        said = f'the data type of labels should be Int32 or Int64, but got {t.dtype}'
        advice = 'write Tensor(labels, ms.int32), or labels.astype(ms.int32)'
        raise DTypeError(f'cross_entropy: {said}: {advice}.{users_line()}')
    kind = 'classes' if by_class else 'probabilities'
    also = '' if by_class else ' (classes are integers; these are floats)'
    said = f'logits of shape {shape} go with {kind} of shape {due}, but got {t.shape}{also}'
    must(t.shape == due, ShapeError, f'cross_entropy: {said}')


def _class_weights(weight: Tensor, z: Tensor) -> np.ndarray:
    got = f'shape {weight.shape}' if isinstance(weight, Tensor) else article(type(weight).__name__)
    said = f'weight holds one number a class, {z.shape[1:]}, but got {got}'
    must(isinstance(weight, Tensor) and weight.shape == z.shape[1:], ShapeError, said)
    return constant('weight', weight).astype(z.array.dtype)


def _by_class(t: Tensor, z: Tensor, weights, ignored: int, smoothing: float, frame) -> tuple[Tensor, float | Tensor]:
    """Targets for classes, and the sum of the weights that count; in a graph, how many labels there are for each of
    these: a Tensor, which is worked out in each call, since other labels may be ignored there."""
    labels, settings = t if t.ndim == 1 else t.reshape((-1,)), (z.shape[1], z.array.dtype, ignored, weights, smoothing)
    plain = ignored < 0 and weights is None and not smoothing
    rows, total = _one_hot(labels.array, *settings[:2]) if plain else None, float(labels.array.size) or np.nan
    if rows is None:
        rows, total = _targets(labels.array, *settings), _total(labels.array, ignored, weights)
    targets = wrap(rows)
    if tape.looking:
        tape.note(TARGETS, (labels,), settings, targets, frame)
    if tracing.tracer is not None:
        return targets, cast_to(apply_plain(PER_LABEL, (labels,), frame, ignored, weights), z.array.dtype)
    return targets, total


def check_reduction(name: str, reduction: object) -> None:
    """Raise ValueError for anything but 'mean', 'sum' and 'none'."""
    if reduction not in ('mean', 'sum', 'none'):
        raise SettingError(f"{name}: reduction is 'mean', 'sum' or 'none', but got {reduction!r}.{users_line()}")


def check(name: str, input: object, target: object, reduction: str = 'mean', alike: bool = False) -> None:
    """Raise TypeError for what is no Tensor; `alike`: and for two dtypes or integers, ValueError for two shapes."""
    check_reduction(name, reduction)
    for t in (input, target):
        if not isinstance(t, Tensor):
            must_be(t, Tensor, OperandError, f'{name} takes two Tensors', ': write Tensor(...) around it')
    if not alike:
        return
    if input.dtype is not target.dtype or input.array.dtype.kind != 'f':
        got = f'{input.dtype} and {target.dtype}: write labels.astype(minicell.float32)'
        raise DTypeError(f'{name} takes floats of one dtype, but got {got}.{users_line()}')
    if input.shape != target.shape:
        got = f'{input.shape} and {target.shape}'
        raise ShapeError(f'{name} takes two Tensors of one shape, but got {got}.{users_line()}')


def reduced(x: Tensor, reduction: str) -> Tensor:
    """The mean, the sum, or all of it."""
    return mean(x) if reduction == 'mean' else sum(x) if reduction == 'sum' else x


def mse_loss(input: Tensor, target: Tensor, reduction: str = 'mean') -> Tensor:
    """(input - target)², and of that the mean ('sum': the sum; 'none': all).

    >>> print(ops.mse_loss(Tensor([1.0, 2.0]), Tensor([0.0, 0.0])))
    2.5
    """
    check('mse_loss', input, target, reduction)
    return reduced(square(input - target), reduction)


def l1_loss(input: Tensor, target: Tensor, reduction: str = 'mean') -> Tensor:
    """|input - target|, and of that the mean ('sum': the sum; 'none': all)."""
    check('l1_loss', input, target, reduction)
    return reduced(abs(input - target), reduction)


def smooth_l1_loss(input: Tensor, target: Tensor, beta: float = 1.0, reduction: str = 'none') -> Tensor:
    """d² / 2 beta where d = |input - target| is below beta, else d - beta / 2.

    Raises TypeError for integers and two dtypes, ValueError for two shapes. Source: Girshick, arXiv:1504.08083.
    """
    check('smooth_l1_loss', input, target, reduction, alike=True)
    must(beta > 0, SettingError, f'smooth_l1_loss: beta is above 0, but got {beta!r}')
    d = abs(input - target)
    return reduced(where(d < beta, d * d * (0.5 / beta), d - 0.5 * beta), reduction)


def _bce(p: np.ndarray, t: np.ndarray) -> np.ndarray:
    with np.errstate(divide='ignore'):
        return -(t * np.maximum(np.log(p), -100) + (1 - t) * np.maximum(np.log1p(-p), -100))


_maximum, _log = on_both(maximum, np.maximum), on_both(log)
BCE = Binary(
    'BinaryCrossEntropy',
    _bce,
    lambda g, out, p, t: g * (p - t) / _maximum(p * (1 - p), 1e-12),
    lambda g, out, p, t: g * (_maximum(_log(1 - p), -100) - _maximum(_log(p), -100)),
)


def binary_cross_entropy(
    logits: Tensor, labels: Tensor, weight: Tensor | None = None, reduction: str = 'mean'
) -> Tensor:
    """-(t log p + (1 - t) log(1 - p)) for probabilities p; a logarithm counts as at least -100.

    Raises TypeError for integers and two dtypes, ValueError for two shapes.
    """
    check('binary_cross_entropy', logits, labels, reduction, alike=True)
    out = place(BCE, logits, labels, wrap(_bce(logits.array, labels.array)), max(logits.at, labels.at), getframe(1))
    return reduced(out if weight is None else out * weight, reduction)


def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    pos_weight: Tensor | None = None,
    reduction: str = 'mean',
) -> Tensor:
    """binary_cross_entropy(sigmoid(input), target), and its errors, stable for large logits: softplus(z) - t z."""
    check('binary_cross_entropy_with_logits', input, target, reduction)
    z, t = input, target
    t = t.astype(z.dtype) if t.dtype is not z.dtype and t.array.dtype.kind == 'f' else t
    check('binary_cross_entropy_with_logits', z, t, alike=True)
    loss = softplus(z) - t * z if pos_weight is None else (1 - t) * z + (t * (pos_weight - 1) + 1) * softplus(-z)
    return reduced(loss if weight is None else loss * weight, reduction)


def nll_loss(
    inputs: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    ignore_index: int = -100,
    reduction: str = 'mean',
    label_smoothing: float = 0.0,
) -> Tensor:
    """-log probability of the right class, from log probabilities (N, C) and Int32 or Int64 classes (N,)."""
    check_reduction('nll_loss', reduction)
    _check_target(inputs, target, True)
    weights = None if weight is None else _class_weights(weight, inputs)
    t, total = _by_class(target, inputs, weights, ignore_index, label_smoothing, getframe(1))
    rows = reduced(-sum(inputs * t, 1), reduction)
    return rows * (t.shape[0] / total if isinstance(total, float) else total) if reduction == 'mean' else rows
