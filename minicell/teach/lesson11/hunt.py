"""The eight Cells of exercise 11c: whatever is frozen in their graphs, each begins anew with a world of its own."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

import minicell as ms
from minicell.teach.trials import Hunt, Trial

from .statements import mode

# A text, as minicell watches the plain numbers of a learner's code, and not those of its own.
CODE = """
import numpy as np
from minicell import nn, ops

FIRST, SECOND = 2.0, 5.0  # the number in the file and in the globals, before and after they change
number = FIRST
file = None


def write(value):
    np.array([value]).tofile(file)


def change_file():
    write(SECOND)


def change_global():
    global number
    number = SECOND
    np.set_printoptions(precision=int(SECOND))


class Suspect(nn.Cell):
    def __init__(self):
        super().__init__()
        global number
        number = FIRST
        np.set_printoptions(precision=int(FIRST))
        write(FIRST)
        self.calls = []

    def construct(self, x):
        return x * x


class Plain(Suspect):
    def bprop(self, x, out, dout):
        return (2 * x * dout,)


class Number(Suspect):  # of its own module: it is watched
    def bprop(self, x, out, dout):
        return (number * x * dout,)


class Digits(Suspect):  # kept by a library: it is not
    def bprop(self, x, out, dout):
        return (np.get_printoptions()['precision'] * x * dout,)


class DigitsAbove(Suspect):
    def bprop(self, x, out, dout):
        return (ops.select(x <= 0, 2 * x, np.get_printoptions()['precision'] * x) * dout,)


class File(Suspect):
    def bprop(self, x, out, dout):
        return (float(np.fromfile(file)[0]) * x * dout,)


class FileBelow(Suspect):
    def bprop(self, x, out, dout):
        return (ops.select(x > 0, 2 * x, float(np.fromfile(file)[0]) * x) * dout,)


class Early(Suspect):
    def bprop(self, x, out, dout):
        self.calls.append(1)
        return ((0.0 if len(self.calls) > 3 else 2.0) * x * dout,)


class Late(Suspect):
    def bprop(self, x, out, dout):
        self.calls.append(1)
        return ((0.0 if len(self.calls) > 9 else 2.0) * x * dout,)
"""
space: dict = {'__name__': '__main__'}
exec(compile(CODE, '<exercise 11c>', 'exec'), space)
WORDS = ('right', 'count', 'file', 'global')
NAMED = (
    ('Digits', 'global'),
    ('Early', 'count'),
    ('Number', 'right'),
    ('FileBelow', 'file'),
    ('Plain', 'right'),
    ('Late', 'count'),
    ('File', 'file'),
    ('DigitsAbove', 'global'),
)
HIDDEN = tuple((space[name], due) for name, due in NAMED)


CHANGES = {'file': space['change_file'], 'global': space['change_global']}  # the two functions that a learner gets
for kind, _ in HIDDEN:
    kind.__name__ = kind.__qualname__ = 'Suspect'  # what it is called would say what is frozen in its graph


@contextmanager
def changes() -> Iterator[None]:
    """There is a file to write; NumPy's options and the mode are put back."""
    with tempfile.TemporaryDirectory() as folder, np.printoptions(), mode(ms.get_context('mode')):
        space['file'] = str(Path(folder) / 'number')
        yield


HUNT = Hunt(WORDS, HIDDEN, lambda kind: (kind, CHANGES), within=changes)


def unlike(answer: Callable) -> list[str]:
    """What the learner's `same` says wrongly of a Cell that is right, and of one that counts."""
    wrong = []
    same = getattr(answer, '__globals__', {}).get('same')
    for name, due in ('Plain', True), ('Late', False):
        with changes():
            if callable(same) and bool(said := same(space[name], 10)) != due:
                what = 'is right' if due else 'counts its calls'
                wrong.append(f'✗ Your same(kind, 10) is {said} for a Cell that {what}; expected {due}.')
    return wrong


def hunt(answer: Callable, hunted: Hunt = HUNT) -> Trial:
    """Which of the changes are called is noted: who forgets to call them finds no change. And `same` is asked alone."""
    called: dict[str, set[int]] = {word: set() for word in CHANGES}  # in which modes
    (_, changing), *_ = (hunted.make(*suspect) for *suspect, _ in hunted.hidden)
    noted = lambda word: lambda: (called[word].add(ms.get_context('mode')), changing[word]())[1]
    given = {word: noted(word) for word in changing}
    found = hunted._replace(make=lambda kind: (kind, given))(answer)
    wrong = [f'✗ Never called: changes[{word!r}].' for word in CHANGES if not called[word]] + unlike(answer)
    # as one: who says the same of all has not always done the same
    did = {'told': (*found.did['told'], *wrong, *(f'{word} in {len(modes)} modes' for word, modes in called.items()))}
    return Trial(True, found.passed and not wrong, did, '\n'.join([*wrong, found.said]))
