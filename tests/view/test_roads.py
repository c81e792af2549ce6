"""The ways in a picture: what backward took, what it left, and what your lines wrote."""

import re
import warnings

import pytest

import minicell as ms
from minicell import nn, view
from minicell.ink import shapes, style
from minicell.view.paint.plan import WIDTH
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


@pytest.mark.parametrize('narrow', [False, True])
def test_the_tape_points_to_where_the_takeover_bends_and_not_to_the_rule_beside_it(narrow):
    shown_ = picture('matmul_loss')
    frame = shown_.films[narrow].frames[at(shown_, 'Takeover')]
    x, y = numbers(frame['adn0h'])[:2]  # the tip
    block, ghost, band = frame['B0'].attrs, frame['r0'].attrs, numbers(frame['fat'])
    look, wide = style.look('path', frame['adn0'].attrs['class']), style.look('path', 'fat')
    assert wide['line'] > 8 * look['line'] and wide['stroke'] != look['stroke'], 'thin: nothing flows in it'
    assert block['x'] < x < block['x'] + block['width']
    assert ghost['x'] + ghost['width'] < x - 11
    assert min(band[::2]) < x < max(band[::2]) and abs(y - band[1]) < wide['line'] / 2, 'its tip is at the bend'


def test_what_backward_has_taken_is_not_grey():
    (film, _), last = picture('matmul_loss').films, -1
    before, after = (numbers(film.frames[step]['road'])[0] for step in (0, last))
    start, far = (points(film.frames[last]['fat'])[end][0] for end in (0, -1))
    turn = numbers(film.frames[last]['adn0'])[0]
    assert before > start > after > turn > far, 'it comes out from under the curve'


def test_without_a_takeover_the_road_is_taken_to_its_end():
    (film, _) = picture('fanout').films
    assert 'road' in film.frames[0] and 'road' not in film.frames[-1]


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
        told = set()
        for frame in film.frames:
            first, last, of = map(int, re.findall(r'\d+', frame['aof'].attrs['T']))
            blocks = [frame[key].attrs['T'] for key in frame if re.fullmatch(r'B\d+t', key)]
            labels = {int(words.split()[0]) for words in blocks}
            assert of == 16 and labels <= set(range(first, last + 1))
            told |= {first, last}
        assert labels == set(range(first, last + 1)), 'at the end all of them are written'
        assert {1, 16} <= told


@pytest.mark.parametrize('way', BENDS)
def test_the_lines_of_a_bprop_flow_into_the_tape_that_they_write(way):
    second = bent(way)
    (film, phone) = second.films
    first = at(second, 'Your line 6')
    bridges = {n: [key for key in frame if key.startswith('bridge')] for n, frame in enumerate(film.frames)}
    assert not any(bridges[n] for n in range(first)) and not any(key.startswith('bridge') for key in phone.frames[-1])
    tells(film.frames[first]['bFWt'].attrs['T'], 'forward →', 'line 6')
    for n, frame in enumerate(film.frames[first + 1 :], first + 1):
        tells(frame['bFWt'].attrs['T'], 'forward →', 'lines 6', '7')
        (bridge,), (lines,) = bridges[n], [s.attrs for key, s in frame.items() if key.startswith('wrote')]
        start, tip, bottom, end = points(frame[bridge])[:4]
        code, tape, own = (frame[key].attrs for key in ('mine', 'bfilm', 'bfilm'))
        assert abs(start[0] - code['x'] - code['width']) < 8 and start[0] == end[0], 'out of the frame of the lines'
        assert (start[1], end[1]) == (lines['y'], lines['y'] + lines['height']), 'as high as the two lines'
        assert tip == (own['x'], tape['y']) and bottom == (own['x'], tape['y'] + tape['height'])
        for entry in (frame['e1'].attrs, frame['e2'].attrs):  # what they wrote lies on it
            assert own['x'] < entry['x'] and tape['y'] < entry['y']
            assert entry['y'] + entry['height'] < tape['y'] + tape['height']


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


def test_backward_of_a_second_tape_is_one_road_from_the_seed_to_the_result():
    """The rules and what they hand on lie on it, as high as it is, and it ends with a head at the number."""
    frame = bent('down').films[0].frames[-1]
    parts = {key: numbers(shape)[:3] for key, shape in frame.items() if re.fullmatch(r'b(in|out)\d+|end', key)}
    lying = [s.attrs for key, s in frame.items() if re.fullmatch(r'r[12]|bd.*bg', key) and s.tag == 'rect']
    (y,) = {y for _, y, _ in parts.values()}
    assert {(a['y'], a['height']) for a in lying} == {(y - WIDTH / 2, WIDTH)}
    covers = [(b, a) for a, _, b in parts.values()] + [(a['x'], a['x'] + a['width']) for a in lying]
    head = numbers(frame['endh'])
    covers.append((head[0], max(head[::2])))
    assert head[0] < min(b for _, _, b in parts.values()) and head[1] == y, 'the head points to the left'
    for x in range(int(head[0]) + 1, int(max(right for _, right in covers))):
        assert any(left <= x <= right for left, right in covers), 'no gap'
    ways = [numbers(frame[key]) for key in frame if re.fullmatch(r'b(in|out)\d+h', key)]
    assert len(ways) >= 3 and all(middle < start == end for start, _, middle, _, end, _ in ways), 'each points left'
    number = next(s.attrs for key, s in frame.items() if re.fullmatch(r'p\d+\.0\[0,0\]t', key))
    assert number['T'].startswith('−0.') and 'hero' in number['class']
    right = number['x'] + shapes.width(number['T'], number['class'])
    assert right <= head[0] < right + 24, 'and it comes to the number'


def test_what_the_second_gradient_differentiates_is_what_the_bprop_returned():
    second = bent('down')
    frame = second.films[0].frames[-1]
    number = frame['g0.0[0,0]t'].attrs['T']
    told = shown(second)
    assert 'seed' in told and f'dx = {number}  ✓ right' in told, 'in the line that returned it'
    ((chip, line),) = [(frame[k].attrs, m) for k in frame if k == 't0bg' for m in [frame['mine'].attrs]]
    assert line['x'] < chip['x'] and chip['x'] + chip['width'] < line['x'] + line['width']
    tile = next(s.attrs for s in frame.values() if s.attrs.get('class') == 'tile gave')
    assert style.look('rect', chip['class'])['fill'] == style.look('rect', tile['class'])['fill'], 'one colour for both'
    cell, tape = frame['g0.0[0,0]'].attrs, frame['bfilm'].attrs
    assert cell['rc'] and tape['y'] < cell['y'] < tape['y'] + tape['height'], 'it can be asked how it was made'
    assert 'out' not in frame
    assert abs(numbers(frame['wb2o0'])[1] - cell['y'] - cell['height'] / 2) < 2, 'it is what Mul made'


def test_the_line_that_returns_has_no_way_out_where_it_flows_into_the_second_tape_itself():
    frame = picture('custom_cube').films[0].frames[at(picture('custom_cube'), 'Your dx is right')]
    assert any(key.startswith('bridge') for key in frame) and 'out' not in frame
    frame = picture('relu6').films[0].frames[at(picture('relu6'), 'Your dx is wrong')]
    assert 'out' in frame and 't0bg' not in frame, 'six numbers have no room in the line'


def test_an_entry_of_the_second_tape_that_reads_dout_says_so():
    second = bent('down')
    frames = second.films[0].frames
    assert not any(key.startswith('fed') for key in frames[at(second, 'Your line 6')]), 'Cos does not read it'
    frame = frames[at(second, 'Your line 7')]
    chip, said, card = (frame[key].attrs for key in ('fed2', 'fed2t', 'e2'))
    assert said['T'] == 'dout = 1' and chip['y'] < card['y'] < chip['y'] + chip['height'] < frame['e2t'].attrs['y']
    assert card['x'] < chip['x'] and chip['x'] + chip['width'] < card['x'] + card['width']


def test_no_number_is_blamed_where_a_surrogate_replaces_a_gradient_of_zero():
    frame = picture('ifnode').films[0].frames[-1]
    assert not any(s.attrs.get('class') == 'block wrong' for s in frame.values())
    assert [s.attrs['T'] for key, s in frame.items() if re.fullmatch(r's\d+\..*]t', key)] == ['0'] * 3


def test_why_nobody_noticed_stands_where_the_gradients_are_handed_on():
    wrong, right = picture('matmul_loss'), picture('right')
    frame = wrong.films[0].frames[-1]
    mine = frame['mine'].attrs
    edges = [x for x, _ in points(frame['came'])]
    assert numbers(frame['came'])[1] == mine['y'] and min(edges) == mine['x'], 'one frame, from the lines on'
    low = min(s.attrs['y'] for key, s in frame.items() if re.fullmatch(r't\dN', key))
    came = dict(x=mine['x'], y=low - 20, width=max(edges))
    assert came['y'] > mine['y'] + mine['height'] - 20
    for k in range(2):
        name = frame[f't{k}N'].attrs
        assert came['x'] < name['x'] < came['x'] + came['width'] and came['y'] < name['y']
    before = wrong.films[0].frames[-2]
    large, why = before['V0'].attrs, before['V1'].attrs
    tells(large['T'], 'nobody')
    tells(why['T'], 'shapes fit')
    assert came['x'] < large['x'] < before['t0N'].attrs['x'] and came['y'] < large['y'] < why['y']
    assert right.films[0].frames[-1]['V0'].attrs['T'] == '✓ right'


def test_a_dout_that_no_line_uses_is_told_so_where_it_comes_in():
    wrong, right = picture('matmul_loss'), picture('right')
    for film in wrong.films:
        chip = next(s.attrs for key, s in film.frames[-1].items() if key.startswith('dout'))
        said = film.frames[-1]['nob'].attrs
        tells(said['T'], 'no line', 'dout')
        assert abs(said['x'] - chip['x'] - chip['width']) < 0.2
        if film is wrong.films[0]:  # what comes in ends there
            stream, cap, lines = (film.frames[-1][key].attrs for key in ('stream', 'cap', 'mine'))
            assert cap['x'] < chip['x'] <= cap['x'] + cap['width'] < stream['x']
            assert abs(stream['x'] + stream['width'] - lines['x'] - lines['width']) < 4
        assert chip['y'] + chip['height'] < said['y'] < chip['y'] + chip['height'] + 24
    assert all('nob' not in film.frames[-1] for film in right.films)


def test_the_fork_says_why_the_road_is_left():
    shown_ = picture('matmul_loss')
    takeover = at(shown_, 'Takeover')
    frame, before = shown_.films[0].frames[takeover], shown_.films[0].frames[takeover - 1]
    tells(frame['why'].attrs['T'], 'Net', 'own bprop')
    assert 'why' not in before
    down, (bend, tip) = points(frame['adn0'])[0], points(frame['adn0'])[-1]
    sign = frame['sign'].attrs
    assert sign['x'] < bend < sign['x'] + sign['width'] and down[1] < sign['y'] < sign['y'] + sign['height'] < tip, (
        'on the way from the tape to where the band bends off'
    )


@pytest.mark.parametrize(('name', 'lines'), [('matmul_loss', 1), ('relu6', 1)])
def test_dout_is_marked_where_the_lines_of_a_bprop_say_it(name, lines):
    """In lesson 03 only where it comes in: no line uses it."""
    shown_ = picture(name)
    frame = shown_.films[0].frames[-1]
    marks = [shape.attrs for key, shape in frame.items() if key.startswith('dout')]
    assert len(marks) == lines
    for mark in marks:
        y = mark['y'] + 13
        (text,) = (s.attrs for key, s in frame.items() if key.startswith('lco') and s.attrs['y'] == y)
        before = text['T'][: text['T'].index('dout')]
        assert abs(text['x'] + shapes.width(before, 'm') - mark['x']) < 4


def test_the_second_tape_says_whose_it_is_and_what_its_rules_find_on_it():
    second = bent('down')
    frame = second.films[0].frames[-1]
    number = next(line.number for line in second.record.code if 'ms.grad(ms.grad' in line.text)
    assert frame['aof'].attrs['T'] == f'inner grad, line {number}'
    assert frame['bof'].attrs['T'] == f'outer grad, line {number}'
    kept = {frame[key].attrs['T'] for key in frame if re.fullmatch(r'r\d+k', key)}
    assert kept == {'x = 0.50', 'dout = 1'}
    wrote = [s.attrs['y'] for key, s in frame.items() if key.startswith('wrote')]
    assert len(wrote) == 1, 'the lines that stand on the tape, as one block'
    assert [frame[f'e{i}t'].attrs['T'] for i in (1, 2)] == ['1′ Cos · line 6', '2′ Mul · line 7']


def test_x_enters_the_second_tape():
    """What is differentiated depends on it. Its gradient is the large number, and stands nowhere else."""
    frame = bent('down').films[0].frames[-1]
    (x,) = (key for key, s in frame.items() if re.fullmatch(r'b-?\d+n', key) and s.attrs.get('T') == 'x')
    number, card, arrow = frame[f'{x[:-1]}[0,0]t'].attrs, frame['e1'].attrs, numbers(frame['wb1.0'])
    assert number['T'] == '0.50' and number['x'] < arrow[0] < arrow[2] < card['x']
    assert f'bd{x[1:-1]}.' not in frame


@pytest.mark.parametrize('narrow', [False, True])
def test_both_boxes_of_code_are_named(narrow):
    told = shown(picture('matmul_loss'), 0, narrow)
    assert 'your program' in told and ('your Cell' in told) == (not narrow)


def test_the_first_tape_is_quiet_once_the_second_is_read():
    second = bent('down')
    quiet = at(second, 'The second gradient starts')
    before, after = second.films[0].frames[quiet - 1], second.films[0].frames[quiet]
    assert before['afilm'].attrs['class'] == 'film' and after['afilm'].attrs['class'] == 'film q'
    assert after['bfilm'].attrs['class'] == 'film rib'
    loud = {'ff', 'bf', 'b', 'mid2', 'f', 'bk', 'q2'}
    upper = [s for key, s in after.items() if key.startswith(('a', 'e0', 'r0'))]
    assert upper and not any(loud & set(s.attrs.get('class', '').split()) for s in upper)


def test_each_step_of_note_has_its_name_under_the_line():
    for film in bent('down').films:
        named = [a['T'] for tag, a, _ in film.line['shapes'] if tag == 'text']
        assert {'takeover', 'second tape', '✓ right'} <= set(named)


@pytest.mark.parametrize('order', ['slope * dout', 'dout * slope'])
def test_the_card_of_a_rule_has_the_formula_of_what_it_hands_out(order):
    """dout is a constant there, so that nothing is handed to it, whichever operand it is."""
    said = shown(bent('down', 'slope * dout', order))
    assert 'seed × dout' in said and 'seed × slope' not in said


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
def test_a_gradient_that_is_none_has_no_way_out(numbers_):
    given = tuple(each if each is None else ms.Tensor(each) for each in numbers_)
    with ms.Tape() as tape, warnings.catch_warnings():
        warnings.simplefilter('ignore', ms.errors.MinicellWarning)
        ms.grad(Gives(given), (0, 1))(ms.Tensor(2.0), ms.Tensor(3.0))
    wide, narrow = view.show(tape).films
    handed = next(n for n, step in enumerate(wide.steps) if 'returns' in step.title)
    for film, way in ((wide, 'came'), (narrow, 'out')):
        assert (way in film.frames[handed]) == (given != (None, None))
    assert sum(f't{k}F' in wide.frames[handed] for k in range(2)) == 2 - given.count(None)
