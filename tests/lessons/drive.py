"""Drives every widget of a lesson to its extremes, in the lesson's own kernel: real ipywidgets, no stand-ins.

Each constant is the code of a cell. What they print last is for the test to read, as JSON.
"""

from typing import Any


def within(one: Any, kind: type = object) -> list[Any]:
    """A widget and all that is in it, of a kind."""
    found = [one] if isinstance(one, kind) else []
    return found + [each for child in getattr(one, 'children', ()) for each in within(child, kind)]


def commit(L: Any, name: str, right: bool) -> None:
    """Answer a question of a lesson, rightly or not, as its card on the page would."""
    asked = L.predict(name)
    L.hear({'of': asked.id, 'chosen': [choice.right for choice in asked.question.choices].index(right)})


# A result waits: it is folded until a choice is committed, then it says both. Then every question is answered, and
# every card is told all that a page could tell it, and more.
RESULTS = """\
import json
from minicell.teach.question import Result
from tests.lessons.drive import commit
seen = {}
for result in [card for card in L.cards.values() if isinstance(card, Result)]:
    asked, folded = result.prediction, '<details class="opened"><summary>'
    early = folded not in result.html() or 'when you have answered' not in result.html()
    for nothing in (None, -1, 99, 'x'):
        L.hear({'of': asked.id, 'chosen': nothing})
    unchosen = asked.choice is not None or folded not in result.html()
    commit(L, asked.name, right=False)
    late = folded in result.html() or 'You said' not in result.html() or 'You said' not in result.shown
    named = 'The belief behind it' in asked.html()
    seen[result.name] = {'empty': not result.printed.strip(), 'early': early, 'unchosen': unchosen, 'late': late,
                         'unnamed': not named}
for name in L.about.questions:
    commit(L, name, right=True)
for card in list(L.cards.values()):
    for said in ({}, {'hints': 2}, {'hints': 'x'}, {'order': [3, None]}, {'code': '1/0'}, {'said': '<b>'}, {'tape': 1}):
        L.hear({'of': card.id, **said})
print(json.dumps(seen))
"""

# A teacher goes through all beats of the lesson; what a cell of one complains of is on its screen.
BEATS = """\
import json
from minicell.teach.beats import beats, notebook_of
from minicell.teach.present import Presentation
presentation = Presentation(L, beats(L.number, notebook_of(L.number)), get_ipython())
presentation.go(len(presentation.beats))
outputs = [out for box in presentation.boxes.values() for out in box.children[0].outputs]
print(json.dumps({'beats': presentation.ran, 'said': [out['text'] for out in outputs if out.get('name') == 'stderr']}))
"""

WIDGETS = """\
import json, time
import ipywidgets as w
from ipywidgets.widgets.widget import _instances
from tests.lessons.drive import within

def everything(*kinds):
    return [one for one in list(_instances.values()) if isinstance(one, kinds)]

CHOOSES = (w.RadioButtons, w.Dropdown, w.Select, w.ToggleButtons, w.SelectionSlider)
WRITES = (w.Textarea, w.Text, w.Combobox)
BOUNDED = (w.IntSlider, w.FloatSlider, w.FloatLogSlider, w.Play, w.BoundedIntText, w.BoundedFloatText)
HANDS = (*CHOOSES, *WRITES, *BOUNDED, w.Checkbox, w.ToggleButton, w.Button)
sized = [one for one in everything(w.HTML) if one.layout.height]
before = {one: one.layout.height for one in sized}
moved, slow = 0, {}

def timed(one, move):
    global moved
    start = time.perf_counter()
    move()
    took = time.perf_counter() - start
    moved += 1
    label = f'{type(one).__name__} {one.description or one.tooltip}'
    slow[label] = max(took, slow.get(label, 0))
    return took

def to(one, value):
    timed(one, lambda: setattr(one, 'value', value))

def press(button, times):
    spent = 0
    for _ in range(times):  # more often than there is something to show
        spent += timed(button, button.click)
        if spent > 2:  # what takes so long trains something
            break

for slider in everything(*BOUNDED):
    first = slider.value
    log = isinstance(slider, w.FloatLogSlider)
    low, high = (slider.base ** slider.min, slider.base ** slider.max) if log else (slider.min, slider.max)
    for value in (low, high, first):
        to(slider, value)
for slider in everything(w.SelectionSlider, w.Dropdown, w.Select, w.ToggleButtons, w.RadioButtons):
    for place in (*range(len(slider.options)), 0):
        timed(slider, lambda: setattr(slider, 'index', place))
for box in everything(w.Checkbox, w.ToggleButton):
    first = box.value
    for value in (not first, first):
        to(box, value)
for button in everything(w.Button):
    press(button, 20)
for radio in everything(w.RadioButtons):
    radio.index = len(radio.options) - 1
for button in everything(w.Button):
    press(button, 1)
for area in everything(*WRITES):
    for text in ('', 'x =', '<script>alert(1)</script>', '1/0', '\\x00'):
        to(area, text)

def named(one):  # to somebody who hears the page; each toggle button has words of its own
    return one.description or one.tooltip or isinstance(one, w.ToggleButtons) or one.layout.display == 'none'

def hands(figure):  # what may be moved besides buttons; what is folded away under "more" does not count
    own = getattr(figure, 'inside', None)
    folds = [one for one in within(figure.shown.widget) if isinstance(one, w.Accordion) or one is own]
    folded = [one for fold in folds for one in within(fold)]
    return [one for one in within(figure.shown.widget)
            if isinstance(one, (*CHOOSES, *WRITES, *BOUNDED, w.Checkbox)) and one not in folded]

print(json.dumps({
    'figures': {name: len(hands(figure)) for name, figure in L.figures.items() if figure.shown.widget},  # else it plays
    'moved': moved,
    'sized': len(sized),
    'grown': [one.layout.height for one in sized if one.layout.height != before[one]],
    'raw': [one.value for one in everything(w.HTML) if '<script' in one.value],
    'nameless': [type(one).__name__ for one in everything(*HANDS) if not named(one)],
    'slow': {label: took for label, took in slow.items() if took > 0.15},
}))
"""
