"""The figure of lesson 07: the mask of forward and the masks of two backwards side by side, for one keep_prob."""

from typing import Any, NamedTuple

import numpy as np

import minicell as ms
from minicell.ink.boxes import Box, Card, Column, Grid, Row, Text
from minicell.ink.numbers import said
from minicell.teach.figure import Drawing, Figure
from minicell.teach.trials import dice, quiet

CHANNELS, SEED = 8, 99
KEEP = (np.arange(0, 21) / 20).tolist()
NUMBER = (74, 23)  # pixels of a number, at least


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
        with dice(SEED), quiet():  # that the second one draws anew is what the figure shows
            (y, mask), back = ms.vjp(cell, x)
            gradients.append(back((dout, ms.ops.zeros_like(mask)))[0])
    return Thrown(keep, *(t.asnumpy().ravel() for t in (x, mask, y, dout, *gradients)))


def agrees(thrown: Thrown, gradient: np.ndarray) -> np.ndarray:
    """Channel by channel: is this the gradient of what forward did?"""
    scale = 1 / thrown.keep if thrown.keep else 0.0
    return np.isclose(gradient, thrown.dout * thrown.mask * scale)


HEADS = (
    ('channel', ''), ('x', ''), ('forward', 'mask, and y'), ('dout', 'of y'),
    ('backward', 'mask of out, and dx'), ('backward', 'new mask, and dx'),
)  # fmt: skip


def draw(mine: Any, anew: Any, keep: float) -> Drawing:
    """The picture for one keep_prob: a row a channel; forward, and beside it the two backwards."""
    thrown = throw(mine, anew, keep)
    kept = int(thrown.mask.sum())
    scale = f'kept numbers are divided by {said(keep)}' if keep else 'nothing is kept, so nothing is divided by 0'
    rows: list[list[Box]] = [[Column(Text(head, 'b'), Text(what, 'dim'), gap=0) for head, what in HEADS]]
    backwards = [(gradient, agrees(thrown, gradient)) for gradient in (thrown.mine, thrown.anew)]
    for c in range(CHANNELS):
        forward = number(bool(thrown.mask[c]), thrown.y[c], 'card f')
        back = [
            Row(number(bool(gradient[c]), gradient[c], 'card bk'), Text('✓' if ok[c] else '✗', 'b' if ok[c] else 'xx'))
            for gradient, ok in backwards
        ]
        rows.append([Text(str(c)), Text(said(thrown.x[c])), forward, Text(said(thrown.dout[c])), *back])
    off = [int(np.sum(~ok)) for _, ok in backwards]
    verdicts = [Text(f'{many} of {CHANNELS} wrong', 'xx') if many else Text('fits forward', 'b') for many in off]
    rows.append([Text(''), Text(''), Text(''), Text(''), *verdicts])

    def bits(a: np.ndarray) -> str:
        return ' '.join(str(int(bool(v))) for v in a)

    most = f', y = {said(thrown.y.max())} at most, dx = {said(thrown.mine.max())}' if keep else ''
    return Drawing(
        Grid(rows, gap=(32, 5)),
        f'keep_prob = {said(keep)}',
        f'{kept} of {CHANNELS} channels kept; {scale}.',
        f'keep_prob = {said(keep)}: forward kept {bits(thrown.mask)}{most}; backward with the mask of out let '
        f'pass {bits(thrown.mine)} ({off[0]} channels wrong), with a new mask {bits(thrown.anew)} ({off[1]} wrong).',
    )


def number(passes: bool, value: float, look: str) -> Box:
    """A number that passes; or the place of one that does not, with its zero."""
    words = Text(said(value), 'num mid' if passes else 'dim mid')
    return Card(words, look if passes else 'ghost', (6, 1), NUMBER, rx=3)


def masks(mine: Any, anew: Any) -> Figure:
    """A slider for keep_prob; `mine` and `anew` are classes of Cells, made with keep_prob, that return (y, mask)."""
    label = 'keep_prob: how likely a channel is kept'
    return Figure('masks', label, KEEP, lambda keep: draw(mine, anew, keep), 0.8, stills=(0.8, 0.5, 0.0),
                  names={keep: f'keep_prob = {said(keep)}' for keep in (0.0, 0.5, 1.0)})  # fmt: skip


FIGURES = {'masks': masks}
