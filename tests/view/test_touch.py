"""What a touch answers: which shapes light with a value, and what is read out; with the numbers that are there."""

import json
import re

import numpy as np
import pytest

from minicell.ink import numbers
from tests.messages import tells
from tests.view import gallery
from tests.view.gallery import at, picture

FEW = ['matmul', 'matmul_loss', 'right', 'fanout', 'relu6', 'cube', 'custom_cube', 'params']
PROGRAMS = [*FEW, *(pytest.param(name, marks=pytest.mark.slow) for name in gallery.PROGRAMS if name not in FEW)]


def values(name, narrow=False):
    """Every value that a picture shows as something to touch."""
    return {s.attrs['v'] for f in picture(name).films[narrow].frames for s in f.values() if 'v' in s.attrs}


@pytest.mark.parametrize('name', PROGRAMS)
def test_every_link_is_told_and_leads_to_values(name):
    links = picture(name).films[0].links
    assert all(set(link) == {'l', 'r'} and isinstance(link['r'], str) and link['r'] for link in links.values())
    assert not [key for key, link in links.items() if key in link['l']], 'a value lights itself anyway'
    assert all(re.search(r'\d|true|×|None|{}', link['r']) for link in links.values())
    json.dumps(links)


@pytest.mark.parametrize('name', FEW)
def test_every_number_that_is_shown_answers(name):
    links = picture(name).films[0].links
    shown = {v for v in values(name) if re.match(r'[ab]d?\d+\[', v)}  # of the lanes
    assert shown and not shown - links.keys()


def test_a_readout_is_a_name_and_its_number():
    links = picture('matmul').films[0].links
    for i, j in np.ndindex(2, 3):
        read = links[f'g0.0[{i},{j}]']
        tells(read['r'], f'dx[{i}, {j}] = {{}}')
        (source,) = read['l']
        assert links[source]['r'] == f'x[{i}, {j}] = {{}}', 'it was computed from x alone'


def told(name, title):
    """The links of the numbers of a frame: by the names of what is read out, those of what lights."""
    links, frame = picture(name).films[0].links, picture(name).films[0].frames[at(picture(name), title)]
    called = {v: link['r'].split(' = ')[0] for v, link in links.items() if f'{v}t' in frame}
    return {
        called[v]: {called.get(source, source) for source in links[v]['l']} for v in called if not v.startswith('p')
    }


def test_a_number_lights_those_that_it_was_computed_from_and_no_other():
    assert told('fanout', 'a was used twice') == {
        'a': set(), 'b': set(), 'out': {'out', 'a', 'b'} - {'b'}, 'dout': set(), 'd(a * b)': {'dout'},
        'da': {'b', 'dout', 'd(a * b)'}, 'db': {'a', 'd(a * b)'},
    }  # fmt: skip


def test_a_product_of_matrices_lights_a_row_and_a_column():
    links = picture('right').films[0].links
    record = picture('right').record
    (x, y), (z,) = record.entries[0].keys, record.entries[0].made
    lit = set(links[f'a{z}[1,0]']['l'])
    assert (lit >= {f'a{x}[1,0]', f'a{y}[0,0]'} and f'a{x}[0,0]' not in lit) or record.entries[0].kind == 'call'


@pytest.mark.parametrize('name', FEW)
def test_what_is_read_out_is_the_number_that_is_shown(name):
    """The number in it is put in by the page, from the picture: neither can say something else than the other."""
    assert all('{}' in link['r'] for key, link in picture(name).films[0].links.items() if '[' in key)


def test_a_picture_of_squares_answers_as_a_whole():
    links = picture('large').films[0].links
    whole = [link['r'] for key, link in links.items() if '[' not in key]
    assert any('8×12' in read for read in whole) and any('12×20' in read for read in whole)


def test_without_comparing_nothing_true_is_read_out():
    for name in ('matmul', 'large_wrong', 'none', 'structures'):
        alone = picture(name, 'ops', False).films[0]
        seen = {s.attrs.get('v') for f in alone.frames for s in f.values()}
        assert not any(str(v).startswith('s0') for v in seen)


def test_both_layouts_touch_the_same_values():
    for name in ('matmul', 'fanout', 'relu6'):
        assert values(name, True) & picture(name).films[0].links.keys()


@pytest.mark.parametrize('name', PROGRAMS)
def test_what_can_be_pressed_leads_to_a_step(name):
    for film in picture(name).films:
        leads = {go for step in film.steps for go in step.go}
        pressed = {s.attrs['go'] for f in film.frames for s in f.values() if 'go' in s.attrs}
        assert not pressed or pressed & leads
        assert all(go.startswith(('e', 'r', 'line ')) for go in leads)


def test_of_a_very_long_tape_nothing_is_told_of_each_number():
    assert picture('thousand').films[0].links == {}


READ = {  # a line, and what the number at this place of its result was computed from: of x, and of dx
    'x.sum(1)': ([1], '[1,0] [1,1] [1,2]', '[0,0]'),
    'x[:, 1:]': ([0, 0], '[0,1]', ''),
    'x.T': ([2, 1], '[1,2]', '[0,0]'),
    'ops.cumsum(x, 1)': ([1, 1], '[1,0] [1,1]', '[0,0] [0,1] [0,2]'),
    'ops.relu(x)': ([0, 0], '[0,0]', '[0,0]'),
}


@pytest.mark.parametrize('line', READ)
def test_what_lights_is_what_was_read_whatever_the_op(line):
    """The places of x for one number of y, and the places of dy for dx[0, 0]."""
    x = 'x = ms.Tensor([[1.0, -2.0, 3.0], [4.0, 5.0, 6.0]])'
    shown = gallery.made(f'{x}\nwith ms.Tape() as tape:\n    ms.grad(lambda x: ({line}).sum())(x)', line)
    links, (entry, *_), (at, forth, back) = shown.films[0].links, shown.record.entries, READ[line]
    i, j = at if len(at) > 1 else (0, *at)
    (x,), (y,) = set(entry.keys[:1]), entry.made[:1]
    assert [v for v in links[f'a{y}[{i},{j}]']['l'] if v.startswith(f'a{x}[')] == [f'a{x}{p}' for p in forth.split()]
    assert [v for v in links[f'ad{x}[0,0]']['l'] if v.startswith(f'ad{y}[')] == [f'ad{y}{p}' for p in back.split()]


def test_a_takeover_is_read_through_the_ops_that_it_hides_and_through_those_of_its_bprop():
    record, links = picture('right').record, picture('right').films[0].links
    (x, y), (z,) = record.entries[0].keys, record.entries[0].made
    assert links[f'a{z}[1,0]']['l'] == [f'a{x}[1,0]', f'a{x}[1,1]', f'a{y}[0,0]', f'a{y}[1,0]']
    assert set(links['g0.0[1,0]']['l']) == {f'ad{z}[1,0]', f'ad{z}[1,1]', f'a{y}[0,0]', f'a{y}[0,1]'}  # dout @ y.T


def test_a_press_on_squares_shows_their_digits():
    """A table of them, for whoever presses what is drawn as squares, on a screen or on a phone."""
    for name, narrow in (('large', False), ('dense', True)):
        shown, arrays = picture(name), {}
        for entry in shown.record.entries:
            arrays |= {f'a{key}': v.data for key, v in zip(entry.keys, entry.inputs, strict=True)}
        squares = {v for v in values(name, narrow) & arrays.keys() if arrays[v].size <= 96}
        told = {v: shown.films[0].accounts[v]['rows'] for v in squares}
        assert told and all(
            [row[1:] for row in rows] == [[numbers.said(n) for n in row] for row in np.atleast_2d(arrays[v])]
            for v, rows in told.items()
        )
        pressed = {s.attrs.get('rc') for f in shown.films[narrow].frames for s in f.values()}
        assert squares <= pressed
