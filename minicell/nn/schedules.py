"""Learning rates that change from epoch to epoch, as lists of one rate a step: an optimizer takes such a list."""

from math import cos, exp, floor, pi

from ..core.errors import users_line
from ..errors import SettingError
from .layers import positive_int


def _rates(name: str, rate_of, total_step: int, step_per_epoch: int, decay_epoch: int) -> list[float]:
    """rate_of(epoch) for each step."""
    positive_int(name, total_step=total_step, step_per_epoch=step_per_epoch, decay_epoch=decay_epoch)
    return [rate_of(step // step_per_epoch) for step in range(total_step)]


def _above_0(name: str, **settings: float) -> None:
    for what, value in settings.items():
        if not value > 0:
            raise SettingError(f"For '{name}', '{what}' is above 0.0, but got {value}.{users_line()}")


def piecewise_constant_lr(milestone: list[int], learning_rates: list[float]) -> list[float]:
    """learning_rates[0] up to step milestone[0], learning_rates[1] up to milestone[1], and so on.

    >>> piecewise_constant_lr([1, 3], [0.1, 0.01])
    [0.1, 0.01, 0.01]
    """
    if len(milestone) != len(learning_rates) or list(milestone) != sorted(set(milestone)) or min(milestone) < 1:
        raise SettingError(
            f'piecewise_constant_lr takes rising steps and a rate for each, but got {milestone} and '
            f'{learning_rates}.{users_line()}'
        )
    starts = [0, *milestone]
    return [rate for a, b, rate in zip(starts, milestone, learning_rates, strict=False) for _ in range(a, b)]


def exponential_decay_lr(
    learning_rate: float,
    decay_rate: float,
    total_step: int,
    step_per_epoch: int,
    decay_epoch: int,
    is_stair: bool = False,
) -> list[float]:
    """learning_rate * decay_rate ** (epoch / decay_epoch); is_stair: only once every decay_epoch.

    >>> exponential_decay_lr(0.1, 0.5, total_step=4, step_per_epoch=2, decay_epoch=1)
    [0.1, 0.1, 0.05, 0.05]
    """
    _above_0('exponential_decay_lr', learning_rate=learning_rate, decay_rate=decay_rate)
    stair = floor if is_stair else float
    return _rates(
        'exponential_decay_lr',
        lambda epoch: learning_rate * decay_rate ** stair(epoch / decay_epoch),
        total_step,
        step_per_epoch,
        decay_epoch,
    )


def natural_exp_decay_lr(
    learning_rate: float,
    decay_rate: float,
    total_step: int,
    step_per_epoch: int,
    decay_epoch: int,
    is_stair: bool = False,
) -> list[float]:
    """learning_rate * exp(-decay_rate * epoch); is_stair: of every decay_epoch-th epoch."""
    _above_0('natural_exp_decay_lr', learning_rate=learning_rate, decay_rate=decay_rate)
    return _rates(
        'natural_exp_decay_lr',
        lambda epoch: learning_rate * exp(-decay_rate * (epoch - epoch % decay_epoch if is_stair else epoch)),
        total_step,
        step_per_epoch,
        decay_epoch,
    )


def inverse_decay_lr(
    learning_rate: float,
    decay_rate: float,
    total_step: int,
    step_per_epoch: int,
    decay_epoch: int,
    is_stair: bool = False,
) -> list[float]:
    """learning_rate / (1 + decay_rate * epoch / decay_epoch); is_stair: of whole decay_epochs."""
    _above_0('inverse_decay_lr', learning_rate=learning_rate, decay_rate=decay_rate)
    stair = floor if is_stair else float
    return _rates(
        'inverse_decay_lr',
        lambda epoch: learning_rate / (1 + decay_rate * stair(epoch / decay_epoch)),
        total_step,
        step_per_epoch,
        decay_epoch,
    )


def cosine_decay_lr(
    min_lr: float, max_lr: float, total_step: int, step_per_epoch: int, decay_epoch: int
) -> list[float]:
    """From max_lr to min_lr along half a cosine of decay_epoch epochs.

    Source: Loshchilov and Hutter, SGDR, arXiv:1608.03983.
    """
    _above_0('cosine_decay_lr', max_lr=max_lr)
    if not 0 <= min_lr < max_lr:
        raise SettingError(
            f"For 'cosine_decay_lr', 'max_lr' is above 'min_lr', but got {max_lr} and {min_lr}.{users_line()}"
        )
    return _rates(
        'cosine_decay_lr',
        lambda epoch: min_lr + (max_lr - min_lr) * (1 + cos(min(epoch, decay_epoch) / decay_epoch * pi)) / 2,
        total_step,
        step_per_epoch,
        decay_epoch,
    )


def warmup_lr(learning_rate: float, total_step: int, step_per_epoch: int, warmup_epoch: int) -> list[float]:
    """From 0 to learning_rate in warmup_epoch epochs, and then that."""
    _above_0('warmup_lr', learning_rate=learning_rate)
    return _rates(
        'warmup_lr',
        lambda epoch: learning_rate * min(epoch, warmup_epoch) / warmup_epoch,
        total_step,
        step_per_epoch,
        warmup_epoch,
    )
