"""The controls of the tape view, in reading order: steps, then what is seen, then where to jump."""

from collections.abc import Callable

import ipywidgets as w

BEAT = 1500  # milliseconds a frame, while playing
BUTTON = 64  # pixels
ROW = {'align_items': 'center', 'width': '100%', 'flex_flow': 'row wrap', 'overflow': 'visible'}


class Controls:
    """Stock widgets alone. Slider and Play move in the browser; what else is pressed asks the kernel."""

    def __init__(self) -> None:
        self.slider = w.IntSlider(
            value=0,
            min=0,
            max=0,
            description='Step',
            readout=False,
            tooltip='The step that is shown: arrow keys move it',
            layout=w.Layout(flex='1 1 160px', min_width='120px', width='auto'),
            style={'description_width': '36px'},
        )
        self.slider.add_class('lat-slider-tape')
        self.first = self.button('First', 'Go to the first step', lambda: self.go(self.slider.min))
        self.back = self.button('Back', 'Go one step back', lambda: self.go(self.slider.value - 1))
        self.next = self.button('Next', 'Go one step on', lambda: self.go(self.slider.value + 1))
        self.last = self.button('Last', 'Go to the last step', lambda: self.go(self.slider.max))
        self.play = self.toggle('Play', 'Play the steps from here on, or stop')
        # never seen: it is the clock, in the browser, that the button starts and stops
        self.clock = w.Play(min=0, max=0, interval=BEAT, layout=w.Layout(display='none'))
        self.links = [
            w.jslink((self.clock, 'value'), (self.slider, 'value')),
            w.jslink((self.play, 'value'), (self.clock, 'playing')),
        ]
        self.zoom = w.ToggleButtons(
            options=[('Cells', 'cells'), ('Ops', 'ops'), ('Inside', 'inside')],
            tooltips=[
                'One card for each Cell that your code calls',
                'One card for each entry of the tape',
                'And what a bprop of your own hides from the tape',
            ],
            style={'button_width': f'{BUTTON}px'},
            layout=w.Layout(margin='0 12px 0 0', width='auto'),
        )
        self.compare = self.toggle('Compare', 'The true gradient beside the one that a bprop of yours hands out', 84)
        self.turn = w.IntSlider(
            value=1,
            min=1,
            max=1,
            description='Turn',
            tooltip='Which turn of a loop the folded card shows',
            layout=w.Layout(flex='0 1 240px', width='auto', display='none'),
            style={'description_width': '36px'},
        )
        self.jumps = w.HBox(layout=w.Layout(align_items='center', margin='0 0 0 12px', overflow='visible'))
        self.rows = [
            w.HBox(
                [self.first, self.back, self.play, self.next, self.last, self.slider, self.clock],
                layout=w.Layout(**ROW),
            ),
            w.HBox([self.label('Zoom'), self.zoom, self.compare, self.turn, self.jumps], layout=w.Layout(**ROW)),
        ]

    def button(self, words: str, tooltip: str, press: Callable[[], None], width: float = BUTTON) -> w.Button:
        """A button with words on it."""
        made = w.Button(description=words, tooltip=tooltip, layout=w.Layout(width=f'{width}px'))
        made.on_click(lambda _: press())
        return made

    def toggle(self, words: str, tooltip: str, width: float = BUTTON) -> w.ToggleButton:
        """A button that stays pressed."""
        return w.ToggleButton(description=words, tooltip=tooltip, layout=w.Layout(width=f'{width}px'))

    def label(self, words: str) -> w.Label:
        """Words before some buttons."""
        return w.Label(words, layout=w.Layout(margin='0 6px 0 2px'))

    def go(self, step: int | None) -> None:
        """Go to a step, or as far as there are steps."""
        if step is not None:
            self.slider.value = min(max(step, self.slider.min), self.slider.max)

    def steps(self, total: int, step: int) -> None:
        """There are so many steps now, and this one is shown."""
        for one in (self.slider, self.clock):
            # in one message: what is linked in the browser would answer to each value on the way, and too late
            with one.hold_sync():
                one.max = max(total - 1, 0)
                one.value = step
