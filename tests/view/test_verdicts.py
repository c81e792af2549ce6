"""What a picture says of each Verdict: by its place, in the title and beside the numbers."""

import itertools
import re

import numpy as np
import pytest

from minicell.judge.verdict import KINK, NOT_ASKED, RIGHT, SURROGATE, UNKNOWN, WRONG
from tests.messages import tells
from tests.view.gallery import made

CELL = """
x, y = ms.Tensor([1.0, 0.0]), ms.Tensor([3.0, 4.0])
class C(nn.Cell):
    def construct(self, x, y):
        return {}
    def bprop(self, x, y, out, dout):
        g = dout * 1
        return {}
with ms.Tape() as tape:
    ms.grad(lambda x, y: C()(x, y).sum(), {})(x, y)
"""
SAID = {
    WRONG: '✗ off by up to 2', SURROGATE: 'a surrogate', UNKNOWN: 'cannot be known',
    KINK: '✓ right, at a kink', RIGHT: '✓ right', NOT_ASKED: 'nobody asked: not checked',
}  # fmt: skip
DUE = {WRONG: np.array([3.0, 1.0]), SURROGATE: np.zeros(2), UNKNOWN: None}


def end(construct, bprop, wrt, *kinds):
    """Of the last frame: title, caption, and what stands beside each gradient, by its name."""
    picture = made(CELL.format(construct, bprop, wrt), f'{construct} {bprop} {wrt}')
    (reading,) = (r for r in picture.record.readings if r.judge)
    if kinds:  # as if the judge had said so
        found = zip(reading.verdicts, kinds, strict=True)
        reading.verdicts = tuple(
            v._replace(verdict=k, due=DUE.get(k, v.yours), why=f'Why {k}.', mistake='', room=0.0) for v, k in found
        )
    (film,) = picture.painted(only=0)
    text = {key: s.attrs['T'] for key, s in film.frames[-1].items() if s.tag == 'text'}
    names = {key[:-1]: said.removeprefix('your ') for key, said in text.items() if re.fullmatch(r'g\d+\.\dN', key)}
    beside = {name: text.get(f'{k}B', '') for k, name in names.items()}
    return film.steps[-1].title, film.steps[-1].caption, beside


@pytest.mark.parametrize('kinds', [p for p in itertools.product(SAID, SAID) if set(p) != {NOT_ASKED}], ids=' and '.join)
def test_each_verdict_has_its_own_words_at_its_own_place(kinds):
    title, caption, beside = end('x + y', 'g, g', '(0, 1)', *kinds)
    of = dict(zip(('dx', 'dy'), kinds, strict=True))  # the bprop calls both g
    hero = min(of, key=lambda name: [*SAID].index(of[name]))
    assert beside.keys() == of.keys()
    for name, said in beside.items():
        assert said == SAID[of[name]]
        assert name in title or of[name] == NOT_ASKED
    assert (hero in title and f'Why {of[hero]}.' in caption) or of[hero] == RIGHT


@pytest.mark.parametrize(('construct', 'bprop', 'wrt', 'due', 'beside'), [
    ('x + 3 * y', 'g, g', '(0, 1)', ('dy is wrong', 'dx is right'), (RIGHT, WRONG)),
    ('x + y', 'g, None', '0', ('g is right',), (RIGHT,)),
    ('ops.round(x) + y', 'g, dout', '(0, 1)', ('Your g', 'a surrogate', 'dy is right'), (SURROGATE, RIGHT)),
    ('ops.relu(x) + y', 'g, dout', '(0, 1)', ('at a kink', 'dy is right'), (KINK, RIGHT)),
    ('ms.Tensor(x.asnumpy() * np.random.rand()) + y', 'dout * 5, dout', '(0, 1)', ('dx', 'dy', 'cannot be judged'),
     (UNKNOWN, UNKNOWN)),
    ('x + y', 'dout * 2, None', '(0, 1)', ('dx and dy', 'are wrong'), (WRONG, WRONG)),
])  # fmt: skip
def test_the_last_title_counts_every_gradient_that_was_asked_for(construct, bprop, wrt, due, beside):
    title, _, found = end(construct, bprop, wrt)
    tells(title, *due)
    assert [said.replace('up to 1', 'up to 2') for said in found.values()] == [SAID[kind] for kind in beside]
