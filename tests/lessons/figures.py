"""What holds for the figure of each lesson: its words fit and can be read, and a number has one spelling in it."""

import gc
import math
import re
import sys
from collections.abc import Callable
from typing import Any

from minicell.core.watch import holders
from minicell.ink import boxes, sheet, style, svg
from minicell.ink.film import Film
from minicell.ink.shapes import AGAIN
from minicell.teach.figure import Drawing, Figure
from tests.messages import draws
from tests.view import geometry

MOST = 150_000  # calls for one picture, of Python and of C: about a tenth of a second
PAGE = 250_000  # bytes of a figure
NUMBER = re.compile(r'(?<![\w.])−?\d+(?:\.\d+)?(?:e[-−]?\d+)?(?![\w.]*\d)')


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


def texts(of: Film, step: int = -1, look: str = '') -> list[str]:
    """What is written in a frame, of all looks or of those with these classes."""
    classes = set(look.split())
    return [s.attrs['T'] for s in of.frames[step].values()
            if s.tag == 'text' and classes <= set(s.attrs.get('class', '').split())]  # fmt: skip


def spellings(of: Film, step: int) -> list[set[str]]:
    """The numbers that have more than one spelling at a step; code is as its author wrote it."""
    said, found = of.steps[step], {}
    code = set(texts(of, step, 'm'))
    for words in (said.title, said.caption, *(each for each in texts(of, step) if each not in code)):
        for number in NUMBER.findall(words):
            value = float(number.replace('−', '-'))
            found.setdefault((value, math.copysign(1, value)), set()).add(number)
    return [each for each in found.values() if len(each) > 1]


def fits(of: Film) -> Film:
    """Hold each frame to its room: no word is cut, small, pale, outside, or on another; no number has two spellings."""
    for step, frame in enumerate(of.frames):
        where = of.steps[step].title
        assert geometry.faults(frame, of.width, of.height) == [], where
        assert not [key for key in frame if key.endswith(AGAIN)], where
        for shape in frame.values():
            if shape.tag == 'text':
                assert not shape.attrs['T'].endswith('…'), (where, shape.attrs['T'])
                assert style.look('text', shape.attrs.get('class', ''))['size'] >= 12, (where, shape.attrs['T'])
        for palette in (style.LIGHT, style.DARK):
            for words, ink, ground in geometry.grounds(frame):
                assert geometry.contrast(palette[ink], palette[ground]) >= 4.5, (where, words)
        assert not spellings(of, step), where
    draws(*(svg.write(sheet.of(of, step)) for step in range(len(of.steps))))
    return of


def of(drawing: Drawing) -> Film:
    """A drawing as a film of one step, which fits."""
    return fits(Figure('one', 'Step', [0], lambda _: drawing, 0).film)


def holds(figure: Figure) -> Figure:
    """Hold a figure to it; a page plays it, and needs no kernel and not much room."""
    fits(figure.film)
    assert figure.film.width <= 770 and figure.film.height <= 520
    assert len(figure.shown.page.encode()) < PAGE
    assert len(figure.film.steps) == len(figure.values) and figure.film.line['label'] and figure.film.line['w'] < 350
    return figure


def drawn(box: boxes.Box, tag: str, look: str) -> list[dict[str, Any]]:
    """What a box draws with a tag, and these classes and no others."""
    frame = boxes.draw(box)[0].frame
    return [s.attrs for s in frame.values() if s.tag == tag and s.attrs.get('class') == look]
