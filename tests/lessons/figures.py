"""What holds for the figure of each lesson: its words fit, its size stays, and a move of its control costs little."""

import sys
from collections.abc import Callable, Iterable
from typing import Any

import ipywidgets as w

from minicell.teach.figure import Drawing
from minicell.teach.ink.shapes import Box, Text

MOST = 150_000  # calls for one picture, of Python and of C: about a tenth of a second


def calls(act: Callable[[], Any]) -> int:
    """How many functions are called meanwhile: on a busy machine as many as on a quick one."""
    many = 0

    def seen(frame: Any, event: str, of: Any) -> None:
        nonlocal many
        many += event in ('call', 'c_call')

    before = sys.getprofile()
    sys.setprofile(seen)
    try:
        act()
    finally:
        sys.setprofile(before)
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
    drawn, heights = [], set()
    for value in values:
        took = calls(lambda value=value: setattr(figure.control, 'value', value))
        assert took < most, f'{took} calls for {value}'
        assert 'role="img"' in figure.picture.value
        drawn.append(fits(figure.draw(figure.control.value), least, slack))
        heights.add(figure.picture.layout.height)
    assert len({each.size for each in drawn}) == len(heights) == 1
    controls = [each for each in figure.shown.widget.children if not isinstance(each, w.HTML)]
    assert controls == [figure.control] and figure.control.description
    return drawn
