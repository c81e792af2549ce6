"""Compare: the large numbers, the tables beside them, and what a true number is made of."""

import re

import numpy as np
import pytest

import minicell as ms
from minicell import Tensor, nn, ops
from minicell.ink import numbers
from minicell.judge.verdict import SURROGATE, UNKNOWN
from tests.messages import tells
from tests.view.gallery import made, picture, shown, texts, titles


def test_a_number_that_is_right_by_chance_is_neither_wrong_nor_right():
    """The bprop of lesson 03 does not look at dout: with another loss its 1.60 would be wrong too."""
    frame = picture('matmul_loss').films[0].frames[-1]
    looks = [key for key in frame if re.match(r'g\d\.', key)]
    right = [key[:-1] for key in looks if re.fullmatch(r'g\d\.0.*]p', key) and f'{key[:-1]}w' not in looks]
    assert len(right) == 1 and right[0].endswith('.0[0,1]')
    assert frame[f'{right[0]}t'].attrs['T'] == frame[f's{right[0][1:]}t'].attrs['T'], 'it is the true one'
    assert frame[f'{right[0]}p'].attrs['class'] == 'card', 'an outline, and no red'


@pytest.mark.parametrize('place', [0, 1])
def test_the_further_a_number_is_off_the_redder_it_is_and_the_worst_is_dark(place):
    shown_ = picture('matmul_loss')
    frame = shown_.films[0].frames[-1]
    shades = {key: s.attrs for key, s in frame.items()
              if re.match(rf'g\d+\.{place}', key) and s.attrs.get('class') == 'block wrong'}  # fmt: skip
    assert len(shades) == (6 - 1, 9)[place]
    reading = next(r for r in shown_.record.readings if len(r.gave) == 2)
    off = {}
    for key in shades:
        g, i, j = (int(n) for n in re.findall(r'\d+', key)[1:])
        off[key] = abs(reading.verdicts[g].yours[i, j] - reading.verdicts[g].due[i, j])
    ranked = sorted(shades, key=off.__getitem__)
    darkness = [shades[key]['opacity'] for key in ranked]
    assert darkness == sorted(darkness) and darkness[-1] == 1 > 3 * darkness[-2]
    white = {key for key, s in frame.items() if s.tag == 'text' and 'onr' in s.attrs.get('class', '').split()
             and re.match(rf'[gs]\d+\.{place}', key)}  # fmt: skip
    assert white == {f'{ranked[-1][:-1]}t', f's{ranked[-1][1:-1]}t'}, 'the worst, and what it should be'
    grounds = [frame[key].attrs['class'] for key in (ranked[-1], f's{ranked[-1][1:]}')]
    assert grounds == ['block wrong', 'rl'], 'what it should be has the colour of the rules'


def test_the_large_numbers_have_the_grounds_of_their_cells():
    """The worst is dark red in its table and large; what it should be has the colour of autodiff's rules, twice too."""
    frame = picture('matmul_loss').films[0].frames[-1]
    dark = (k for k, s in frame.items() if s.attrs.get('class') == 'block wrong' and s.attrs.get('opacity') == 1)
    mine = next(key for key in dark if '.0[' in key)
    for large, key in (('V2', mine), ('V4', f's{mine[1:]}')):
        cell, plate = frame[key].attrs, frame[f'{large}p'].attrs
        assert cell['class'] == plate['class'] and frame[f'{large}t'].attrs['T'] == frame[f'{key[:-1]}t'].attrs['T']
        assert plate['width'] > 2 * cell['width'] and plate['height'] > 2 * cell['height']
    assert frame['V2'].attrs['T'] == 'your dx[0, 2]' and frame['V4'].attrs['T'] == 'should be'
    assert frame['V2p'].attrs['x'] < frame['V0'].attrs['x'] < frame['V4p'].attrs['x'] and frame['V0'].attrs['T'] == '≠'
    assert all('V0' in film.frames[-1] and 'V0' not in film.frames[-2] for film in picture('matmul_loss').films)
    assert not any('V0' in frame for frame in picture('right').films[0].frames)
    infinite = picture('heat_not_finite').films[0].frames[-1]  # where it should be
    assert 'NaN' not in (infinite['V2t'].attrs['T'], infinite['V4t'].attrs['T'])


def test_the_true_gradient_stands_beside_a_wrong_one_row_by_row():
    assert not any(re.match(r's\d', key) for key in picture('right').films[0].frames[-1])
    frame = picture('matmul_loss').films[0].frames[-1]
    mine = [key[:-1] for key in frame if re.fullmatch(r'g\d+\.\d\[.*]t', key)]
    assert len(mine) == 6 + 9
    for key in mine:
        yours, true = (frame[k].attrs for k in (f'{key}t', f's{key[1:]}t'))
        assert yours['x'] < true['x'] and yours['y'] == true['y']
        assert frame[key].attrs['rc'] == key, 'it can be asked'
    first = [frame[f'{key}p'].attrs for key in mine if '.0[' in key]
    right = max(place['x'] + place['width'] for place in first)
    assert right < min(frame[f's{key[1:]}p'].attrs['x'] for key in mine if '.0[' in key)
    high = {frame[key].attrs['y'] for key in frame if re.fullmatch(r'[gs]\d+\.\dN', key)}
    assert len(high) == 1, 'all four beside each other'
    phone = picture('matmul_loss').films[1].frames[-1]
    assert all(f'{key}t' in phone and f's{key[1:]}t' in phone for key in mine)


@pytest.mark.parametrize('name', ['matmul', 'matmul_loss', 'none', 'heat_not_finite', 'relu6'])
def test_a_number_in_the_judges_sentence_is_spelled_as_it_is_drawn(name):
    film, said = picture(name).films[0], r'it is (\S+?),? and (\S+) is due|should be (\S+?)\.(?: |$)'
    found = [(frame, m) for frame, s in zip(film.frames, film.steps, strict=True) if (m := re.search(said, s.caption))]
    assert found
    for frame, match in found:
        assert set(filter(None, match.groups())) <= set(texts(frame))


def test_a_long_caption_is_wrapped_and_not_cut():
    (caption,) = (s.caption for s in picture('relu6').films[0].steps if 'Illegal primitive' in s.caption)
    tells(caption, 'no second derivative', 'bprop of its')
    assert caption[-2] != '.' == caption[-1]


class Deaf(nn.Cell):
    def construct(self, x):
        return ops.tanh(x)

    def bprop(self, x, out, dout):
        return (1 - out * out,)


def test_of_time_steps_the_one_is_told_whose_dout_no_other_has_spoilt_and_sums_are_seen_as_sums():
    tanh, x = Deaf(), Tensor([[1.0, 0.5]])

    def loss(w):
        h = x
        for _ in range(3):
            h = tanh(h @ w)
        return (h * h).sum()

    with ms.Tape() as tape:
        gradient = ms.grad(loss)(Tensor([[0.5, -0.25], [0.25, 1.0]]))
    film = tape.show().films[0]
    reading = next(r for r in tape.show().record.readings if r.verdicts)
    (worst,) = (key[1:-1] for key, s in film.frames[-1].items() if s.attrs.get('opacity') == 1)
    due = float(film.frames[-1][f's{worst}t'].attrs['T'].replace('−', '-'))
    assert abs(due - reading.verdicts[0].due[reading.verdicts[0].worst]) < 0.001, 'that of the last time step'
    said = [s.attrs['T'] for s in film.frames[-1].values() if s.tag == 'text']
    assert 'should be' in said, 'what was asked for, dw, is wrong as well'
    sums = [(f, s) for f, s in zip(film.frames, film.steps, strict=True) if s.title.startswith('w was used')]
    assert len(sums) == 2
    for frame, _ in sums:
        old, new, both = (number(frame, f'asum{k}[0,0]t') for k in range(3))
        assert abs(old + new - both) < 0.02 and {'dw so far', '+ from this use'} <= set(texts(frame))
    assert abs(both - gradient.asnumpy()[0, 0]) < 0.01


def number(frame, key):
    """A number as it is drawn."""
    return float(frame[key].attrs['T'].replace('−', '-'))


TWICE = """
class Twice(nn.Cell):
    def construct(self, x):
        return x * x
    def bprop(self, x, out, dout):
        return (dout * x,)

class Steps(nn.Cell):
    def construct(self, x):
        return {}
    def bprop(self, x, out, dout):
        return (dout,)

twice, steps, x = Twice(), Steps(), ms.Tensor([[1.5, -2.0]])

def loss(w):
    return (twice(x @ w) * 3).sum(){}

with ms.Tape() as tape:
    ms.grad(loss)(ms.Tensor([[1.0, 2.0], [0.5, 3.0]]))
"""


def test_what_was_asked_for_stands_beside_what_it_would_be_without_the_bprop():
    shown_ = made(TWICE.format('x', ''), 'twice')
    frame, run = shown_.films[0].frames[-1], shown_.record.passes[0]
    due = 6 * np.array([[1.5], [-2.0]]) @ (np.array([[1.5, -2.0]]) @ np.array([[1.0, 2.0], [0.5, 3.0]]))
    (true,) = run.verdicts
    assert np.array_equal(true.due, due) and np.array_equal(run.arrivals[0].total.data, due / 2)
    at = [(i, j) for i in range(2) for j in range(2)]
    assert [frame[f'u0.0[{i},{j}]t'].attrs['T'] for i, j in at] == [numbers.said(due[i, j]) for i, j in at]
    assert 'should be' in texts(frame)


@pytest.mark.parametrize(('does', 'more'), [('ops.sign(x)', ' + steps(w).sum()'), ('x * float(x.sum().asnumpy())', '')])
def test_what_a_bprop_does_on_purpose_or_no_rule_sees_leaves_the_true_number_open(does, more):
    source = TWICE.format(does, more) if more else TWICE.format('x', '').replace('return x * x', f'return {does}')
    shown_ = made(source, f'open {does}')
    assert len(shown_.films) == 2 and shown_.record.passes[0].verdicts[0].verdict in (SURROGATE, UNKNOWN)
    assert not any(re.match(r'u\d', key) for key in shown_.films[0].frames[-1]), 'what it should be'


def test_the_second_tape_is_there_from_when_it_begins():
    shown_ = picture('custom_cube')
    begins = titles(shown_).index(next(t for t in titles(shown_) if 'second tape' in t))
    assert ['second tape' in shown(shown_, k) for k in (0, begins - 1, begins)] == [False, False, True]
    assert ['second tape' in shown(shown_, k, True) for k in (0, begins - 1)] == [False, False]
