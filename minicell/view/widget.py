"""The tape as stock ipywidgets: frames in a Stack, joined to a slider and Play, so that stepping needs no kernel."""

import asyncio
import base64
from collections.abc import Callable
from itertools import count
from typing import Any

import ipywidgets as w

from . import film
from .model import Frame

TRAVEL = 60  # up to so many frames travel once; more are drawn by the kernel, one at a time
PAUSE = 0.05  # seconds between two pictures that the kernel draws while the slider is dragged
BEAT = 1500  # milliseconds a frame, while playing
views = count(1).__next__  # numbers the views, so that no two on a page share an id


def show(tape: Any, scale: float = 1.0) -> w.VBox:
    """The tape view of a tape. `scale` enlarges it for a projector."""
    return view(film.frames(tape), scale)


def view(frames: list[Frame], scale: float = 1.0) -> w.VBox:
    """The widget for some frames."""
    prefix = f'view{views()}-'
    draw: Callable[[int], str] = lambda i: film.svg(frames[i], prefix, scale)
    wide = w.Layout(width='100%', overflow='visible')
    slider = w.IntSlider(
        value=0,
        min=0,
        max=max(len(frames) - 1, 0),
        description='Step',
        readout=False,
        tooltip='The step that is shown: arrow keys move it',
        layout=w.Layout(flex='1 1 160px', min_width='120px', width='auto'),
        style={'description_width': '36px'},
    )
    slider.add_class('lat-slider-tape')
    pictures = stacked(len(frames), draw, slider, wide) if len(frames) <= TRAVEL else drawn(draw, slider, wide)
    pictures.add_class('lat-target-tape')
    first, back, forth, last = buttons(slider)
    row = [first, back, player(slider), forth, last, slider]
    controls = w.HBox(row, layout=w.Layout(align_items='center', width='100%'))
    return w.VBox([controls, pictures], layout=w.Layout(width='100%', max_width=f'{round(1264 * scale)}px'))


def stacked(total: int, draw: Callable[[int], str], slider: w.IntSlider, layout: w.Layout) -> w.Stack:
    """All frames at once; which one is seen follows the slider in the browser."""
    style = w.HTML(layout=layout).style
    children = [w.HTML(draw(i), layout=layout, style=style) for i in range(total)]
    stack = w.Stack(children, selected_index=0, layout=layout)
    w.jslink((slider, 'value'), (stack, 'selected_index'))
    return stack


def drawn(draw: Callable[[int], str], slider: w.IntSlider, layout: w.Layout) -> w.HTML:
    """One picture that the kernel draws for each place of the slider."""
    page = w.HTML(draw(0), layout=layout)
    throttle = Throttle(lambda i: setattr(page, 'value', draw(i)))
    slider.observe(lambda change: throttle(change['new']), 'value')
    return page


class Throttle:
    """Calls `draw` at most every PAUSE seconds, and always with the last value that came."""

    def __init__(self, draw: Callable[[int], None]) -> None:
        self.draw = draw
        self.resting = False
        self.waiting: int | None = None

    def __call__(self, value: int) -> None:
        """Draw now, or when the pause is over."""
        self.waiting = value
        if not self.resting:
            self.flush()

    def flush(self) -> None:
        """Draw what waits, and rest."""
        self.resting = False
        if self.waiting is None:
            return
        value, self.waiting = self.waiting, None
        self.draw(value)
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            return  # no loop, as in a plain script: nothing to wait for
        self.resting = True
        loop.call_later(PAUSE, self.flush)


def buttons(slider: w.IntSlider) -> list[w.Button]:
    """First, Back, Next, Last."""

    def to(place: Callable[[int], int]) -> Callable[[w.Button], None]:
        return lambda _: setattr(slider, 'value', min(max(place(slider.value), slider.min), slider.max))

    kinds = (
        ('First', 'Go to the first step', lambda v: slider.min),
        ('Back', 'Go one step back', lambda v: v - 1),
        ('Next', 'Go one step on', lambda v: v + 1),
        ('Last', 'Go to the last step', lambda v: slider.max),
    )
    layout = w.Layout(width='64px')
    made = []
    for words, tooltip, place in kinds:
        button = w.Button(description=words, tooltip=tooltip, layout=layout)
        button.on_click(to(place))
        made.append(button)
    return made


def player(slider: w.IntSlider) -> w.Play:
    """Play moves the slider, in the browser alone."""
    play = w.Play(
        min=slider.min,
        max=slider.max,
        interval=BEAT,
        show_repeat=False,
        tooltip='Play the steps',
        layout=w.Layout(width='auto'),
    )
    w.jslink((play, 'value'), (slider, 'value'))
    return play


def bundle(tape: Any, scale: float = 1.0) -> dict[str, Any]:
    """The mime bundle of a tape: its widget, stills as SVG and PNG, and its text."""
    frames = film.frames(tape)
    made = view(frames, scale)
    chosen = film.stills(frames)
    out = {
        'text/plain': str(tape),
        'image/svg+xml': film.strip_of(chosen, 'svg'),
        'image/png': base64.b64encode(film.strip_of(chosen, 'png')).decode('ascii'),
    }
    extra = made._repr_mimebundle_() or {}
    return {**out, **{kind: data for kind, data in extra.items() if kind != 'text/plain'}}
