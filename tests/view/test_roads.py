"""The ways in a picture: what backward took, what it left, and what your lines wrote. By keys, not by coordinates."""

import re
import warnings
from itertools import pairwise

import pytest

import minicell as ms
from minicell import nn, view
from minicell.ink import shapes, style
from tests.messages import tells
from tests.view import gallery
from tests.view.gallery import at, picture, shown

SECOND = """
class Net(nn.Cell):
    def construct(self, x):
        return ops.{op}(x)

    def bprop(self, x, out, dout):
        slope = {slope}
        dx = slope * dout
        return (dx,)

net = Net()
with ms.Tape() as tape:
    bend = ms.grad(ms.grad(net))(ms.Tensor(0.5))
"""
BENDS = {'down': ('sin', 'ops.cos(x)'), 'up': ('sinh', 'ops.cosh(x)')}


def bent(way, words='', instead=''):
    """The picture of a second derivative, of a Net whose lines may be worded otherwise."""
    op, slope = BENDS[way]
    return gallery.made(SECOND.format(op=op, slope=slope).replace(words, instead), f'bend {way} {instead}')


def numbers(path):
    """The numbers of a path."""
    return [float(n) for n in re.findall(r'-?\d+\.?\d*', path.attrs['d'])]


def points(path):
    """Where each of its pieces ends."""
    out, x, y = [], 0.0, 0.0
    for kind, rest in re.findall(r'([MHVALC])([^MHVALC]*)', path.attrs['d']):
        n = [float(n) for n in rest.strip('Z').split(',')]
        x, y = (n[0], y) if kind == 'H' else (x, n[0]) if kind == 'V' else n[-2:]
        out.append((x, y))
    return out


def road(frame, *looks):
    """(left, right) of the pieces of the road that look so, from left to right, and how high it lies."""
    found = [numbers(s) for key, s in frame.items() if s.tag == 'path' and s.attrs.get('class') in looks
             and re.fullmatch(r'M[^A-Z]*H[^A-Z]*', s.attrs['d'])]  # fmt: skip
    return sorted((left, right) for right, _, left in found), {y for _, y, _ in found}


def rect(frame, key):
    """(left, top, right, bottom)."""
    a = frame[key].attrs
    return a['x'], a['y'], a['x'] + a['width'], a['y'] + a['height']


@pytest.mark.parametrize('narrow', [False, True])
def test_the_tape_points_to_where_the_takeover_bends_and_not_to_the_rule_beside_it(narrow):
    shown_ = picture('matmul_loss')
    frame = shown_.films[narrow].frames[at(shown_, 'Takeover')]
    x, y = numbers(frame['adn0h'])[:2]  # the tip
    block, ghost, band = rect(frame, 'B0'), rect(frame, 'r0'), points(frame['fat'])
    look, wide = style.look('path', frame['adn0'].attrs['class']), style.look('path', 'fat')
    assert wide['line'] > 8 * look['line'] and wide['stroke'] != look['stroke'], 'thin: nothing flows in it'
    assert block[0] < x < block[2] and ghost[2] < x, 'past the rule that is not called'
    assert min(a for a, _ in band) < x < band[0][0] and y < band[0][1], 'its tip is above the band'


@pytest.mark.parametrize('narrow', [False, True])
def test_a_takeover_leads_from_the_dout_into_the_lines_and_past_the_rule(narrow):
    shown_ = picture('matmul_loss')
    frame = shown_.films[narrow].frames[at(shown_, 'Takeover')]
    start, tip = points(frame['fat'])[0], numbers(frame['fath'])[:2]
    own, ghost = rect(frame, 'own'), rect(frame, 'r0')
    dout = next(s.attrs for key, s in frame.items() if re.fullmatch(r'ad\d+\[0,0\]', key) and s.attrs['y'] > ghost[1])
    assert abs(start[0] - dout['x']) < 6 and ghost[1] < start[1] < ghost[3], 'on the road'
    assert own[1] - 4 < tip[1] < own[3] and own[0] <= tip[0] <= own[2] + 4, 'it ends at the lines'
    assert all(not (ghost[0] < x < ghost[2] and ghost[1] < y < ghost[3]) for x, y in points(frame['fat']))


def test_what_backward_has_taken_is_not_grey():
    (film, _), last = picture('matmul_loss').films, -1
    (before, high), (after, _) = (road(film.frames[step], 'road') for step in (0, last))
    taken, also = road(film.frames[last], 'rb past')
    assert len(high) == 1 and high == also and len(after) < len(before)
    assert (
        max(right for _, right in after) < points(film.frames[last]['fat'])[0][0] < min(left for left, _ in taken) + 4
    )


def test_without_a_takeover_the_road_is_taken_to_its_end():
    (film, _) = picture('fanout').films
    assert road(film.frames[0], 'road')[0] and not road(film.frames[-1], 'road')[0]
    assert film.frames[-1]['aendh'].attrs['class'] == 'rl past'


@pytest.mark.parametrize('name', ['fanout', 'matmul_loss', 'cube', 'fanout_inside'])
def test_the_pieces_of_a_road_are_one_road(name):
    for frame in picture(name).films[0].frames:
        pieces, high = road(frame, 'road', 'rb', 'rb past', 'none')
        for y in high:
            own = sorted(p for p in pieces if any(numbers(s)[1] == y and numbers(s)[2] == p[0] for s in frame.values()
                         if s.tag == 'path' and re.fullmatch(r'M[^A-Z]*H[^A-Z]*', s.attrs['d'])))  # fmt: skip
            gaps = [b[0] - a[1] for a, b in pairwise(own)]
            bend = 'fat' in frame and points(frame['fat'])[0][1] == y
            assert all(gap <= 0.6 for gap in gaps) or bend, (y, gaps)


def test_a_tensor_that_is_used_twice_has_two_ways_back():
    """In a * b + a the part that Add hands out for a goes past Mul's rule, as a goes past Mul's card."""
    shown_ = picture('fanout')
    before, after = (shown_.films[0].frames[at(shown_, title)] for title in ('Backward reads entry 2', 'Add’s rule'))
    (way,) = (key for key in after if re.fullmatch(r'ua\d+k\d+', key))
    assert way not in before and not any(key.startswith('ua') for key in before)
    (start, *_, tip), mul, add = points(after[way]), rect(after, 'r0'), rect(after, 'r1')
    assert add[0] < start[0] < add[2] and tip[0] < mul[0] and max(y for _, y in points(after[way])) > mul[3]


LONG = """
def f(x):
    y = x * ops.zeros_like(x)
    for _ in range(14):
        y = y + x
    return y.sum()

with ms.Tape() as tape:
    dx = ms.grad(f)(ms.Tensor([1.0, 2.0]))
"""


def test_what_leaves_no_entry_is_not_counted_among_the_entries():
    """zeros_like is shown before the first entry. The words over a long tape agree with the numbers on its blocks."""
    long = gallery.made(LONG, 'zeros_like and sixteen')
    for film in long.films:
        for frame in film.frames:
            told = re.search(r'entr(?:y|ies) ([\d–]+) of (\d+)', frame['aof'].attrs['T']) if 'aof' in frame else None
            blocks = [int(frame[key].attrs['T'].split()[0]) for key in frame if re.fullmatch(r'B\d+t', key)]
            if told:
                assert int(told[2]) in (16, 17) and set(map(int, told[1].split('–'))) <= set(blocks)
    assert any('time step' in frame['aof'].attrs['T'] for frame in long.films[0].frames if 'aof' in frame)


def test_a_turn_of_a_loop_is_one_whatever_the_cells_in_it_write():
    """In each of the twelve, a Cell writes five entries for one line."""
    frames = gallery.picture('ifnode12').films[0].frames
    shown = {frame['aof'].attrs['T'].partition(',')[0] for frame in frames if 'aof' in frame}
    assert 'time step 12 of 12' in shown and all(said.endswith(' of 12') for said in shown if 'time step' in said)


@pytest.mark.parametrize('way', BENDS)
def test_the_lines_of_a_bprop_flow_into_the_tape_that_they_write(way):
    second = bent(way)
    film = second.films[0]
    first = at(second, 'Your line 6')
    assert not any('bbridge' in frame for frame in film.frames[:first])
    tells(film.frames[first]['bof'].attrs['T'], 'line 6', 'bprop')
    for frame in film.frames[first + 1 :]:
        tells(frame['bof'].attrs['T'], 'lines 6', '7')
        bridge, lines, own, tape = points(frame['bbridge']), *(rect(frame, k) for k in ('bwrote', 'own', 'bfilm'))
        assert own[0] <= lines[0] < lines[2] <= own[2] and own[1] < lines[1] < lines[3] <= own[3], 'in the lines'
        assert min(x for x, _ in bridge) == own[2] and min(y for _, y in bridge) == lines[1], 'out of their frame'
        assert max(y for _, y in bridge) == tape[1], 'to the tape'
        for block in (rect(frame, 'B1'), rect(frame, 'B2')):  # what they wrote lies on it
            assert tape[1] < block[1] < block[3] < tape[3]


@pytest.mark.parametrize('way', BENDS)
def test_a_second_derivative_is_said_to_be_one(way):
    second = bent(way)
    said = second.films[0].steps[-1]
    tells(said.title, 'bend =', 'second derivative', 'dx', 'x')
    tells(said.caption, 'dx = slope * dout')
    assert ('−' in said.title) == (way == 'down')


def test_a_number_that_is_not_the_slope_of_a_slope_is_no_second_derivative():
    minus = bent('down', 'ms.grad(ms.grad(net))', 'ms.grad(lambda x: -ms.grad(net)(x))')
    said = minus.films[0].steps[-1]
    tells(said.title, 'bend =', 'another gradient')
    assert 'derivative' not in said.title + said.caption


def test_backward_of_a_second_tape_ends_at_the_result():
    frame = bent('down').films[0].frames[-1]
    number = next(s.attrs for key, s in frame.items() if re.fullmatch(r'p\d+\.0\[0,0\]t', key))
    assert number['T'].startswith('−0.') and 'xxl' in number['class'].split()
    head, tape = numbers(frame['bendh']), rect(frame, 'bfilm')
    right = number['x'] + shapes.width(number['T'], number['class'])
    assert right < head[0] < max(head[::2]) and number['y'] > tape[3], 'the head points to the number'


def test_what_the_second_gradient_differentiates_is_what_the_bprop_returned():
    second = bent('down')
    frame, told = second.films[0].frames[-1], shown(second)
    assert 'dout′' in told and {'dx', '✓ right'} <= set(told)
    dx = [s.attrs['T'] for s in frame.values() if s.attrs.get('T', '').startswith('−0.') is False and s.tag == 'text']
    assert dx.count('0.878') >= 3, 'beside its line, under x, and on the second tape'
    assert (
        abs(
            numbers(frame['wb2o0'])[1]
            - frame[next(k for k in frame if k.startswith('bd') and k.endswith('n'))].attrs['y']
        )
        > 20
    )


def test_no_number_is_blamed_where_a_surrogate_replaces_a_gradient_of_zero():
    frame = picture('ifnode').films[0].frames[-1]
    assert not any(s.attrs.get('class') == 'block wrong' for s in frame.values())
    assert [s.attrs['T'] for key, s in frame.items() if re.fullmatch(r's\d+\..*]t', key)] == ['0'] * 3


def test_why_nobody_noticed_stands_where_the_gradients_are_handed_on():
    wrong, right = picture('matmul_loss'), picture('right')
    handed = at(wrong, 'Your bprop returns')
    frame = wrong.films[0].frames[handed]
    own, why = rect(frame, 'own'), frame['nob'].attrs
    names = [s.attrs for key, s in frame.items() if re.fullmatch(r'g\d+\.\dN', key)]
    assert [name['T'] for name in names] == ['your dx', 'your dy']
    assert own[3] < why['y'] < own[3] + 20 and all(own[2] < name['x'] for name in names), 'under the lines'
    tells(why['T'], 'nobody checked', 'shapes fit')
    assert not any('nobody' in text for text in shown(wrong)), 'until somebody does'
    assert not any('nobody' in text for text in shown(right)) and shown(right).count('✓ right') == 2


def test_a_dout_that_no_line_uses_is_told_so_beside_the_lines():
    wrong, right = picture('matmul_loss'), picture('right')
    for film in wrong.films:
        tells(film.frames[-1]['nob'].attrs['T'], 'no line', 'dout')
        assert 'nob' not in film.frames[0]
    assert all('nob' not in film.frames[-1] for film in right.films), 'nor that nobody has checked'


@pytest.mark.parametrize(('name', 'lines'), [('matmul_loss', 1), ('relu6', 1)])
def test_dout_is_marked_where_the_lines_of_a_bprop_say_it(name, lines):
    """In lesson 03 only where it comes in: no line uses it."""
    frame = picture(name).films[0].frames[-1]
    marks = [(key, shape.attrs) for key, shape in frame.items() if key.startswith('dout')]
    assert len(marks) == lines
    for key, mark in marks:
        text = frame[f'lc{key[4:-1]}'].attrs
        before = text['T'][: text['T'].index('dout')]
        assert abs(text['x'] + shapes.width(before, 'm') - mark['x']) < 4 and mark['y'] < text['y']


def test_the_second_tape_says_whose_it_is_and_what_is_on_it():
    second = bent('down')
    frame = second.films[0].frames[-1]
    number = next(line.number for line in second.record.code if 'ms.grad(ms.grad' in line.text)
    said = gallery.texts(frame)
    assert frame['aby'].attrs['T'] == f'inner grad, line {number}' and f'outer grad, line {number}' in said
    assert {'1′ Cos', '2′ Mul', 'second tape', 'first tape'} <= set(said)
    assert next(s.attrs['T'] for key, s in frame.items() if re.fullmatch(r'b\d+\[0,0\]t', key)) == '0.50', 'x enters it'


def test_each_step_of_note_has_its_name_under_the_line():
    for film in bent('down').films:
        named = [a['T'] for tag, a, _ in film.line['shapes'] if tag == 'text']
        assert {'takeover', 'second tape', '✓ right'} <= set(named)


@pytest.mark.parametrize('order', ['slope * dout', 'dout * slope'])
def test_a_rule_says_what_it_hands_out(order):
    """dout is a constant there, so that nothing is handed to it, whichever operand it is."""
    second = bent('down', 'slope * dout', order)
    said = ' '.join(shown(second, at(second, 'Mul’s rule gives')))
    assert 'dout′ × dout' in said and 'dout′ × slope' not in said


class Gives(nn.Cell):
    """Its bprop returns what it was made with."""

    def __init__(self, given):
        super().__init__()
        self.given = given

    def construct(self, x, y):
        return x * y

    def bprop(self, x, y, out, dout):
        return self.given


@pytest.mark.parametrize('numbers_', [(None, None), (None, 2.0), (1.0, None), (1.0, 2.0)])
def test_a_gradient_that_is_none_has_no_table(numbers_):
    given = tuple(each if each is None else ms.Tensor(each) for each in numbers_)
    with ms.Tape() as tape, warnings.catch_warnings():
        warnings.simplefilter('ignore', ms.errors.MinicellWarning)
        ms.grad(Gives(given), (0, 1))(ms.Tensor(2.0), ms.Tensor(3.0))
    wide, _ = view.show(tape).films
    handed = next(n for n, step in enumerate(wide.steps) if 'returns' in step.title)
    tables = {key[:4] for key in wide.frames[handed] if re.match(r'g\d+\.\d\[', key)}
    assert len(tables) == 2 - given.count(None)


NESTED = """
class Square(nn.Cell):
    def construct(self, x): return x * x
    def bprop(self, x, out, dout): return (2 * x * dout,)
class Cube(nn.Cell):
    def __init__(self):
        super().__init__()
        self.square = Square()
    def construct(self, x): return x * x * x
    def bprop(self, x, out, dout): return (3 * self.square(x) * dout,)
cube = Cube()
with ms.Tape() as tape:
    bend = ms.grad(ms.grad(cube))(ms.Tensor(2.0))
"""


@pytest.mark.parametrize('narrow', [False, True])
def test_a_takeover_on_the_second_tape_leads_into_its_lines_too(narrow):
    film = gallery.made(NESTED, 'nested takeovers').films[narrow]
    steps = [n for n, step in enumerate(film.steps) if step.title.startswith('Takeover')]
    frame = film.frames[steps[-1]]
    own, film, ghost = (rect(frame, key) for key in ('ownb', 'bfilm', 'r1'))
    start, tip = points(frame['fatb'])[0], numbers(frame['fatbh'])[:2]
    assert len(steps) == 2 and film[3] < own[1] - 4 < tip[1] < own[3], 'its tip is at the lines, beside their own tape'
    assert ghost[1] < start[1] < ghost[3] and start[0] > ghost[2], (
        'it leaves the road before the rule that is not called'
    )


def test_what_has_room_is_not_folded():
    for step in (0, -1):
        assert {'Net', 'own bprop', 'sum', 'sum’s rule'} <= set(shown(picture('matmul_loss'), step))
    assert {'15.337', '2 sum'} <= set(shown(picture('matmul_loss')))
