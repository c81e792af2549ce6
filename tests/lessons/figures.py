"""What holds for the figure of each lesson: its words fit, its size stays, and a move of its control costs little."""

import gc
import sys
from collections.abc import Callable, Iterable
from typing import Any

import ipywidgets as w

from minicell.core.watch import holders
from minicell.teach.figure import Drawing, svg
from minicell.teach.ink.shapes import Box, Text
from tests.messages import draws

MOST = 150_000  # calls for one picture, of Python and of C: about a tenth of a second


def calls(act: Callable[[], Any]) -> int:
    """How many functions are called meanwhile: on a busy machine as many as on a quick one."""
    many = 0

    def seen(frame: Any, event: str, of: Any) -> None:
        nonlocal many
        many += event in ('call', 'c_call')

    before, tapes = sys.getprofile(), list(holders)
    holders.clear()  # a Tape of another test would look at each write
    gc.disable()
    sys.setprofile(seen)
    try:
        act()
    finally:
        sys.setprofile(before)
        gc.enable()
        holders.update(tapes)
    return many


def texts(drawn: Drawing) -> list[Text]:
    """What is written in a picture."""
    return [shape for shape in drawn.shapes if isinstance(shape, Text)]


def fits(drawn: Drawing, least: float = 0, slack: float = 0) -> Drawing:
    """Hold a picture to its frame: no word is cut or smaller than `least`, and nothing is outside."""
    wide, high = drawn.size
    for shape in drawn.shapes:
        x, y, room, tall = shape.box if isinstance(shape, Text) else shape[:4] if isinstance(shape, Box) else [0] * 4
        assert x >= -slack and x + room <= wide + slack and y + tall <= high, shape
        if isinstance(shape, Text):
            assert not shape.full and not shape.text.endswith('…') and shape.size >= least, shape
    return drawn


def moves(figure: Any, values: Iterable[Any], least: float = 0, slack: float = 0, most: int = MOST) -> list[Drawing]:
    """Move the control of a figure: each picture keeps to its frame and its size, and is made of few calls."""
    kept, heights, draw = [], set(), figure.draw
    figure.draw = lambda value: seen.append(draw(value)) or seen[-1]
    for k, value in enumerate(values):
        seen: list[Drawing] = []
        move = lambda value=value: setattr(figure.control, 'value', value)
        if k < 2:
            took = calls(move)
            assert took < most, f'{took} calls for {value}'
        else:
            move()
        assert 'role="img"' in figure.picture.value
        kept.append(fits(seen[-1] if seen else draw(figure.control.value), least, slack))
        heights.add(figure.picture.layout.height)
    figure.draw = draw
    assert len({each.size for each in kept}) == len(heights) == 1
    draws(*(svg(each, figure.name, False) for each in kept))
    controls = [each for each in figure.shown.widget.children if not isinstance(each, w.HTML)]
    assert controls == [figure.control] and figure.control.description
    return kept
