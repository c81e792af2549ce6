"""All that can be asked of a tape: shown at each zoom, saved in each form, told, as DOT, and `why` of its numbers."""

import warnings
from collections import Counter
from xml.etree import ElementTree

import numpy as np

from minicell.account import ask, table
from minicell.ink import gif
from minicell.ink.page import fragment
from minicell.story import tell
from minicell.view.picture import ZOOMS, Picture

NUMBERS = 5  # of each tape, at random


def close(got, due, room=1e-5):
    if not np.isfinite(due):
        return not np.isfinite(got)
    return abs(got - due) <= room * abs(due) + 1e-30


def adds_up(account, exact=True):
    """The rows add up to the number, each is its slope × cotangent, and the running sum is one.

    exact: each part is taken apart, too.
    """
    total = 0.0
    for row in account.rows:
        total += row.product
        assert close(row.total, total, 1e-12) or not np.isfinite(total), account
        if row.cotangent is not None and row.factor is not None and np.isfinite(row.factor * row.cotangent):
            assert close(row.factor * row.cotangent, row.product, 1e-9), account
    assert close(total, account.number), f'{total} for {account.number}\n{account}'
    if exact:
        assert 'taken apart' not in account.note and 'unknown' not in {row.kind for row in account.rows}, account
    assert account.title in str(account) and table.escape(account.title) in account._repr_html_()
    return account


def some(rng, array):
    """A random index into an array."""
    return tuple(int(rng.integers(n)) for n in array.shape)


def accounts(tape, seed, numbers=NUMBERS, exact=False):
    """Ask how numbers were made: each adds up. Returns how many were asked."""
    rng = np.random.default_rng(seed)
    handed = [h for h in ask.book_of(tape).handed if h.tensor.size]
    chosen = [handed[k] for k in rng.permutation(len(handed))[:numbers]]
    for each in chosen:
        adds_up(tape.why(each, some(rng, each.tensor)), exact)
    return len(chosen)


def asked(tape, seed=0, animated=False):
    """Ask everything of one tape. Returns what was counted."""
    counts = Counter(programs=1)
    with warnings.catch_warnings(), np.errstate(all='ignore'):
        warnings.simplefilter('ignore')
        record = tell(tape)
        assert record.unknown == ()
        for number, zoom in enumerate(ZOOMS):
            picture = Picture(tape, zoom=zoom, compare=bool((seed + number) % 4))
            wide, narrow = picture.films
            counts['pictures'] += 1
            counts['steps'] += len(wide.steps)
            assert [s.title for s in wide.steps] == [s.title for s in narrow.steps], f'{zoom}: two stories'
            for k, step in enumerate(wide.steps):
                assert step.title.strip() and step.caption.strip() and picture.alt(k), f'{zoom}, step {k + 1}: no words'
                assert wide.frames[k].keys() or not record.steps, f'{zoom}, step {k + 1}: nothing is drawn'
            if number == seed % 3:
                saved(picture, seed % len(wide.steps), animated)
                counts['saved'] += 3 + animated
        source = tape.to_dot().source
        assert source.count('{') == source.count('}'), 'DOT with a cluster open'
        assert str(tape)
        counts['accounts'] = accounts(tape, seed)
    return counts


def saved(picture, step, animated):
    """Write a step in every form; a page may have as many characters as a display."""
    wide, _ = picture.films
    text = fragment.page(picture.films, 'a tape', picture.still(step), step)
    assert len(text.encode()) <= 1_050_000
    ElementTree.fromstring(picture.still(step).encode())
    assert picture.png(step).startswith(b'\x89PNG')
    if animated:
        some_steps = range(0, len(wide.steps), max(1, len(wide.steps) // 4))
        assert gif.animation(wide, some_steps).startswith(b'GIF8')
