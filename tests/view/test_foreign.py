"""Programs as other people write them, each under a Tape: whatever is asked is answered, and the numbers add up."""

import re
from collections import Counter
from pathlib import Path

import everything
import gallery
import numpy as np
import pytest
import ran

from minicell.view.account import ask
from minicell.view.picture import ZOOMS
from minicell.view.tell import tell

NUMBERS = 12  # of each tape, at random
TRACED = ('jit of a Cell with a bprop', 'grad of jit of grad')  # a graph does not take in the wrappers that count
BEFORE = ('a Tape around the way back alone',)  # what it reads back ran before it

PROGRAMS = dict(
    re.findall(
        r'(?ms)^=== (.+?)$(.*?)(?=^=== |\Z)', Path(__file__).with_name('foreign.txt').read_text(encoding='utf-8')
    )
)


def taped(name):
    """The tape of a program, who ran, and the lines of the hooks that ran (None where it does not say)."""
    source = PROGRAMS[name].strip() + '\n'
    if name in TRACED:
        return gallery.tape_of(source, f'foreign {name}'), None, None
    with ran.counting() as counts:
        space = gallery.space_of(source, f'foreign {name}')
    lines = source.splitlines()
    hooks = Counter(next(n for n, text in enumerate(lines, 1) if f'def {h}(' in text) for h in space.get('calls', ()))
    return space['tape'], counts, hooks if 'calls' in space else None


@pytest.mark.filterwarnings('ignore')
@pytest.mark.parametrize('name', PROGRAMS)
def test_all_that_is_asked(name):
    tape, counts, hooks = taped(name)
    record = tell(tape)
    assert record.unknown == ()
    for lens in ZOOMS.values():
        seen = lens(record)
        for step in seen.steps:
            for number, there in ((step.entry, seen.entries), (step.reading, seen.readings), (step.run, seen.passes)):
                assert number is None or 0 <= number < len(there)
        for run in seen.passes:
            for arrival in run.arrivals:
                assert arrival.parts or arrival.total is None or not arrival.total.data.any() or name in BEFORE
        with np.errstate(all='ignore'):
            assert all(len(reading.gradients) == len(reading.gave) for reading in seen.readings)
    told, called = ran.told(record)
    assert counts in (None, told) or name in BEFORE
    assert hooks in (None, called)
    assert tape.to_dot().source.count('{') == tape.to_dot().source.count('}')
    assert str(tape)
    assert ask.book_of(tape).by_name() or not any(run.arrivals for run in record.passes)
    with np.errstate(all='ignore'):
        assert everything.accounts(tape, len(name), NUMBERS, exact=True)[1] == []
