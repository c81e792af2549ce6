"""Drives the cards and the beats of a lesson, in the lesson's own kernel.

Each constant is the code of a cell. What they print last is for the test to read, as JSON.
"""

from typing import Any


def commit(L: Any, name: str, right: bool) -> None:
    """Answer a question of a lesson, rightly or not, as its card on the page would."""
    asked = L.predict(name)
    L.hear({'of': asked.id, 'chosen': [choice.right for choice in asked.about.choices].index(right)})


# A result waits: it is folded until a choice is committed, then it says both. Then every question is answered, and
# every card is told all that a page could tell it, and more.
RESULTS = """\
import json
from minicell.teach.question import Waits
from tests.lessons.drive import commit
seen = {}
for result in [card for card in L.cards.values() if isinstance(card, Waits) and card.figure is None]:
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
    for said in ({}, {'hints': 2}, {'hints': 'x'}, {'code': '1/0'}, {'said': '<b>'}, {'tape': 1}):
        L.hear({'of': card.id, **said})
print(json.dumps(seen))
"""

# A teacher goes through all beats of the lesson; what a cell of one complains of is on its screen.
BEATS = """\
import json
from minicell.teach.present import Presentation
presentation = Presentation(L, get_ipython())
presentation.go(len(presentation.beats))
said = [out['data'].get('application/vnd.jupyter.stderr') for shown in presentation.screens for out in shown]
print(json.dumps({'beats': len(presentation.screens), 'said': [*filter(None, said)]}))
"""
