"""Programs as other people write them, each under a Tape: whatever is asked is answered, and the numbers add up."""

import numpy as np
import pytest

from minicell.account import ask
from minicell.story import tell
from minicell.view.picture import ZOOMS
from tests.view import everything, gallery, ran

LONG = 'a thousand ops', 'a very long line', 'spikes over fifty moments', 'fifty moments of an RNN'
SLOW = {*LONG, *gallery.OTHERS}
FOREIGN = gallery.FOREIGN | gallery.OTHERS
NUMBERS = 12  # of each tape, at random
TRACED = ('jit of a Cell with a bprop', 'grad of jit of grad')  # a graph does not take in the wrappers that count
BEFORE = 'the way back'  # of the one of which this is the name: what it reads back ran before it


@pytest.mark.filterwarnings('ignore')
@pytest.mark.parametrize('name', [pytest.param(n, marks=pytest.mark.slow) if n in SLOW else n for n in FOREIGN])
def test_all_that_is_asked(name):
    source, file = FOREIGN[name].strip() + '\n', f'foreign {name}'
    tape, counts, hooks = (gallery.tape_of(source, file), None, None) if name in TRACED else ran.run(source, file)
    before = BEFORE in name
    record = tell(tape)
    assert record.unknown == ()
    for lens in ZOOMS.values():
        seen = lens(record)
        for step in seen.steps:
            for number, there in ((step.entry, seen.entries), (step.reading, seen.readings), (step.run, seen.passes)):
                assert number is None or 0 <= number < len(there)
        for run in seen.passes:
            for arrival in run.arrivals:
                assert arrival.parts or arrival.total is None or not arrival.total.data.any() or before
        with np.errstate(all='ignore'):
            assert all(len(r.verdicts) == len(r.gave) for r in seen.readings if r.judge)
    told, called = ran.told(record)
    assert counts in (None, told) or before
    assert hooks in (None, called)
    assert tape.to_dot().source.count('{') == tape.to_dot().source.count('}')
    assert str(tape)
    assert ask.book_of(tape).by_name or not any(run.arrivals for run in record.passes)
    with np.errstate(all='ignore'):
        everything.accounts(tape, len(name), NUMBERS, exact=True)
