"""Learning rates that change from epoch to epoch, as lists of one rate a step: an optimizer takes such a list."""

from collections.abc import Callable
from math import cos, floor, pi

from ..core.errors import users_line
from ..errors import SettingError
from .cell import Cell
from .layers import positive_int

LearningRateSchedule = Cell  # MindSpore's base of a rate that is worked out from the number of steps so far


def _rates(name: str, rate_of: Callable, total_step: int, step_per_epoch: int, **more: int) -> list[float]:
    """rate_of(epoch) for each step, after a look at the settings."""
    positive_int(name, total_step=total_step, step_per_epoch=step_per_epoch, **more)
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
    learning_rate: float, decay_rate: float, total_step: int, step_per_epoch: int, decay_epoch: int, is_stair=False
) -> list[float]:
    """learning_rate * decay_rate ** (epoch / decay_epoch); is_stair: only once every decay_epoch.

    >>> exponential_decay_lr(0.1, 0.5, total_step=4, step_per_epoch=2, decay_epoch=1)
    [0.1, 0.1, 0.05, 0.05]
    """
    name, stair = 'exponential_decay_lr', floor if is_stair else float
    _above_0(name, learning_rate=learning_rate, decay_rate=decay_rate)
    rate_of = lambda epoch: learning_rate * decay_rate ** stair(epoch / decay_epoch)
    return _rates(name, rate_of, total_step, step_per_epoch, decay_epoch=decay_epoch)


def cosine_decay_lr(
    min_lr: float, max_lr: float, total_step: int, step_per_epoch: int, decay_epoch: int
) -> list[float]:
    """From max_lr to min_lr along half a cosine of decay_epoch epochs.

    Source: Loshchilov and Hutter, SGDR, arXiv:1608.03983.
    """
    name = 'cosine_decay_lr'
    _above_0(name, max_lr=max_lr)
    if not 0 <= min_lr < max_lr:
        raise SettingError(f"For '{name}', 'max_lr' is above 'min_lr', but got {max_lr} and {min_lr}.{users_line()}")
    rate_of = lambda epoch: min_lr + (max_lr - min_lr) * (1 + cos(min(epoch, decay_epoch) / decay_epoch * pi)) / 2
    return _rates(name, rate_of, total_step, step_per_epoch, decay_epoch=decay_epoch)


def warmup_lr(learning_rate: float, total_step: int, step_per_epoch: int, warmup_epoch: int) -> list[float]:
    """From 0 to learning_rate in warmup_epoch epochs, and then that."""
    _above_0('warmup_lr', learning_rate=learning_rate)
    rate_of = lambda epoch: learning_rate * min(epoch, warmup_epoch) / warmup_epoch
    return _rates('warmup_lr', rate_of, total_step, step_per_epoch, warmup_epoch=warmup_epoch)
