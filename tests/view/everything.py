"""All that can be asked of a tape: shown at every zoom, saved in every form, told, drawn as DOT, and `why` of numbers.

As a plugin of pytest (`-p tests.view.everything`) it runs each test under a Tape of its own, and asks that Tape. What
was asked, and what went wrong, it writes to the file $MINICELL_ASKED as JSON.
"""

import json
import os
import warnings
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import minicell as ms
from minicell.view.account import ask
from minicell.view.page import fragment
from minicell.view.picture import ZOOMS, Picture
from minicell.view.tell import tell
from minicell.view.write import gif

NUMBERS = 5  # of each tape, at random
SHARE = int(os.environ.get('MINICELL_SHARE', '1'))  # one of so many tests
SILENT = ('memory', 'interrupts')  # tests of what nobody holds: a Tape holds it


def accounts(tape, seed, numbers=NUMBERS, exact=False):
    """Ask how numbers were made; return how many, and which accounts do not add up to their number.

    exact: each part must be taken apart, too.
    """
    rng = np.random.default_rng(seed)
    handed = [h for g, h in ask.book_of(tape).handed() if g is not None and h.tensor.size]
    wrong = []
    chosen = [handed[k] for k in rng.permutation(len(handed))[:numbers]]
    for each in chosen:
        index = tuple(int(rng.integers(n)) for n in each.tensor.shape)
        account = tape.why(each, index)
        assert account.title in str(account) and account._repr_html_()
        due, got = account.number, sum(row.product for row in account.rows)
        room = 1e-5 * abs(due) + 1e-30
        if np.isfinite(due) and not abs(got - due) <= room:
            wrong.append(f'{account.title}: the rows add up to {got}')
        if not np.isfinite(due) and np.isfinite(got):
            wrong.append(f'{account.title}: the rows are finite')
        if exact and ('cannot be taken apart' in account.note or any(row.kind == 'unknown' for row in account.rows)):
            wrong.append(str(account))
    return len(chosen), wrong


def asked(tape, seed=0, animated=False):
    """Everything of one tape. Returns what was counted, and sentences about what is wrong; may raise."""
    counts, wrong = Counter(programs=1), []
    with warnings.catch_warnings(), np.errstate(all='ignore'):
        warnings.simplefilter('ignore')
        record = tell(tape)
        if record.unknown:
            wrong.append(f'events that nobody knows: {record.unknown}')
        for number, zoom in enumerate(ZOOMS):
            picture = Picture(tape, zoom=zoom, compare=bool((seed + number) % 4))
            wide, narrow = picture.films
            counts['pictures'] += 1
            counts['steps'] += len(wide.steps)
            if [s.title for s in wide.steps] != [s.title for s in narrow.steps]:
                wrong.append(f'{zoom}: two layouts, two stories')
            for k, step in enumerate(wide.steps):
                if not (step.title.strip() and step.caption.strip()):
                    wrong.append(f'{zoom}, step {k + 1}: no words ({step.title!r}, {step.caption!r})')
                if not wide.frames[k].keys() and len(record.steps):
                    wrong.append(f'{zoom}, step {k + 1}: nothing is drawn')
            if number == seed % 3:
                step = seed % len(wide.steps)
                text = fragment.page(picture.films, 'a tape', picture.still(step), step)
                if len(text) > 1_050_000:
                    wrong.append(f'{zoom}: a page of {len(text)} characters')
                text.encode()
                ElementTree.fromstring(picture.still(step).encode())
                assert picture.png(step).startswith(b'\x89PNG')
                counts['saved'] += 3
                if animated:
                    some = range(0, len(wide.steps), max(1, len(wide.steps) // 4))
                    assert gif.animation(wide, some).startswith(b'GIF8')
                    counts['saved'] += 1
        source = tape.to_dot().source
        if source.count('{') != source.count('}'):
            wrong.append('DOT with a cluster open')
        str(tape)
        counts['accounts'], more = accounts(tape, seed)
    return counts, wrong + more


# ---- each test of a run of pytest under a Tape -----------------------------------------------------------------------

TOTAL, WRONG = Counter(), []


def pytest_collection_modifyitems(items):
    """Leave a share of the tests."""
    items[:] = items[::SHARE]


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem):
    """Run a test under a Tape; whether it then passes is nothing to us."""
    if any(word in pyfuncitem.nodeid.rpartition('/')[2].partition('::')[0] for word in SILENT):
        return (yield)
    tape = ms.Tape()
    try:
        with tape:
            yield
    except BaseException:
        TOTAL['failed under a Tape'] += 1
    if tape.events:
        try:
            counts, wrong = asked(tape, TOTAL['programs'], TOTAL['programs'] % 20 == 0)
            TOTAL.update(counts)
        except Exception as error:
            place = error.__traceback__
            while place.tb_next:
                place = place.tb_next
            file = Path(place.tb_frame.f_code.co_filename)
            wrong = [f'{type(error).__name__}: {error} ({file.name}:{place.tb_lineno})']
        WRONG.extend(f'{pyfuncitem.nodeid}: {each}' for each in wrong)
    return True


def pytest_sessionfinish(session):
    """Leave word."""
    if where := os.environ.get('MINICELL_ASKED'):
        Path(where).write_text(json.dumps([TOTAL, WRONG]))
