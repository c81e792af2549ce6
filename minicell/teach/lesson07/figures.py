"""The figure of lesson 07: the mask of forward and the masks of two backwards side by side, for one keep_prob."""

from typing import Any, NamedTuple

import numpy as np

import minicell as ms
from minicell.teach.figure import Drawing, Figure, slider
from minicell.teach.ink.shapes import BACKWARD, FORWARD, INK, MUTED, PAPER, RULE, WRONG, Box, Shape, hatch, text, tick
from minicell.teach.trials import dice

CHANNELS, SEED = 8, 99
WIDTH, TOP, ROW = 760, 118, 27
TILE, TILE_H = 74, 22
X, MASK, DOUT, MINE, ANEW = 118, 216, 352, 470, 622  # where the columns begin
HEIGHT = TOP + CHANNELS * ROW + 40


class Thrown(NamedTuple):
    """One forward, and the gradients that two Cells make of it."""

    keep: float
    x: np.ndarray
    mask: np.ndarray
    y: np.ndarray
    dout: np.ndarray
    mine: np.ndarray
    anew: np.ndarray


def throw(mine: Any, anew: Any, keep: float) -> Thrown:
    """Run both Cells on the same throws; each channel has one number in x, and one in dout."""
    x = ms.Tensor(np.arange(1.0, CHANNELS + 1).reshape(1, CHANNELS, 1, 1))
    dout = ms.Tensor(np.ones((1, CHANNELS, 1, 1)))
    gradients = []
    for kind in (mine, anew):
        cell = kind(keep)
        with dice(SEED):
            (y, mask), back = ms.vjp(cell, x)
            gradients.append(back((dout, ms.ops.zeros_like(mask)))[0])
    return Thrown(keep, *(t.asnumpy().ravel() for t in (x, mask, y, dout, *gradients)))


def agrees(thrown: Thrown, gradient: np.ndarray) -> np.ndarray:
    """Channel by channel: is this the gradient of what forward did?"""
    scale = 1 / thrown.keep if thrown.keep else 0.0
    return np.isclose(gradient, thrown.dout * thrown.mask * scale)


def draw(mine: Any, anew: Any, keep: float) -> Drawing:
    """The picture for one keep_prob: a row a channel; forward, and beside it the two backwards."""
    thrown = throw(mine, anew, round(keep, 2))
    shown = f'{thrown.keep:.2f}'
    scale = f'kept numbers are divided by {shown}' if thrown.keep else 'nothing is kept, so nothing is divided by 0'
    out: list[Shape] = [
        Box(0.5, 0.5, WIDTH - 1, HEIGHT - 1, stroke=RULE, radius=4),
        text(16, 28, 400, f'keep_prob = {shown}', 18, bold=True),
        text(16, 50, 500, f'{int(thrown.mask.sum())} of {CHANNELS} channels kept; {scale}', 14, MUTED),
    ]
    heads = (
        (16, 'channel', ''),
        (X, 'x', ''),
        (MASK, 'forward', 'mask, and y'),
        (DOUT, 'dout', 'of y'),
        (MINE, 'backward', 'mask of out, and dx'),
        (ANEW, 'backward', 'new mask, and dx'),
    )
    for (left, head, what), room in zip(heads, (90, 60, 120, 90, 150, 126), strict=True):
        out.append(text(left, TOP - 26, room, head, 13, bold=True))
        out.append(text(left, TOP - 10, room, what, 12, MUTED))
    for c in range(CHANNELS):
        out += channel(thrown, c, TOP + c * ROW)
    for left, gradient in ((MINE, thrown.mine), (ANEW, thrown.anew)):
        out += verdict(agrees(thrown, gradient), left, TOP + CHANNELS * ROW + 20)
    return Drawing(out, (WIDTH, HEIGHT), f'Forward and backward masks with keep_prob {shown}', says(thrown))


def channel(thrown: Thrown, c: int, top: float) -> list[Shape]:
    """One channel: what forward made of it, and what came back to it."""
    base = top + 16
    out: list[Shape] = [
        text(16, base, 60, str(c), 13),
        text(X, base, 60, number(thrown.x[c]), 13),
        *tile(bool(thrown.mask[c]), thrown.y[c], MASK, top, FORWARD),
        text(DOUT, base, 60, number(thrown.dout[c]), 13),
    ]
    for left, gradient in ((MINE, thrown.mine), (ANEW, thrown.anew)):
        ok = bool(agrees(thrown, gradient)[c])
        out += tile(bool(gradient[c]), gradient[c], left, top, BACKWARD)
        out.append(tick(left + TILE + 14, top + 5, ok, INK if ok else WRONG, 12))
    return out


def tile(passes: bool, value: float, left: float, top: float, colour: str) -> list[Shape]:
    """Open, with its number; or hatched, with its zero."""
    out: list[Shape] = [Box(left, top, TILE, TILE_H, PAPER, colour, 2, 3)]
    if not passes:
        out = [Box(left, top, TILE, TILE_H, '#F3F5F7', MUTED, 1, 3, '4 3'), hatch(left, top, TILE, TILE_H)]
        out.append(Box(left + TILE / 2 - 11, top + 3, 22, TILE_H - 6, PAPER, radius=3))
    out.append(text(left + TILE / 2, top + 16, TILE - 6, number(value), 13, anchor='middle', bold=passes))
    return out


def verdict(ok: np.ndarray, left: float, base: float) -> list[Shape]:
    """How many channels got another gradient than forward asks for."""
    off = int(np.sum(~ok))
    said = 'fits forward' if not off else f'{off} of {CHANNELS} wrong'
    return [text(left, base, 130, said, 13, INK if not off else WRONG, bold=True)]


def number(value: float) -> str:
    """A number as it stands in a tile."""
    return f'{value:.2f}'.rstrip('0').rstrip('.') if value else '0'


def says(thrown: Thrown) -> str:
    """The picture in words, with its numbers."""

    def bits(a: np.ndarray) -> str:
        return ' '.join(str(int(bool(v))) for v in a)

    off = int(np.sum(~agrees(thrown, thrown.anew))), int(np.sum(~agrees(thrown, thrown.mine)))
    most = f', y = {number(thrown.y.max())} at most, dx = {number(thrown.mine.max())}'
    return (
        f'keep_prob = {thrown.keep:.2f}: forward kept {bits(thrown.mask)}{most}; backward with the mask of out let '
        f'pass {bits(thrown.mine)} ({off[1]} channels wrong), with a new mask {bits(thrown.anew)} ({off[0]} wrong).'
    )


def masks(mine: Any, anew: Any) -> Figure:
    """A slider for keep_prob; `mine` and `anew` are classes of Cells, made with keep_prob, that return (y, mask)."""
    control = slider('keep_prob: how likely a channel is kept', 'How likely a channel is kept', 0.8, (0.0, 1.0), 0.05)
    return Figure('masks', control, lambda keep: draw(mine, anew, keep), stills=(0.8, 0.5, 0.0))


FIGURES = {'masks': masks}
