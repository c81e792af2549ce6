"""The ways in a picture: what backward took, what it left, and what your lines wrote."""

import re
import warnings

import gallery
import pytest
from gallery import at, picture, shown

import minicell as ms
from minicell import nn, view
from minicell.view.paint import kit, style

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


def numbers(path):
    """The numbers of a path."""
    return [float(n) for n in re.findall(r'-?\d+\.?\d*', path.attrs['d'])]


def bare(path):
    """The same without its arcs: x or y, or both, of each end."""
    bends = re.sub(r'A[^HVLMA]*?,(-?[\d.]+),(-?[\d.]+)(?=[HV]|$)', r'L\1,\2', path.attrs['d'])
    return [float(n) for n in re.findall(r'-?\d+\.?\d*', bends)]


def points(path):
    """Where each of its pieces ends."""
    out, x, y = [], 0.0, 0.0
    for kind, rest in re.findall(r'([MHVALC])([^MHVALC]*)', path.attrs['d']):
        n = [float(n) for n in rest.split(',')]
        x, y = (n[0], y) if kind == 'H' else (x, n[0]) if kind == 'V' else n[-2:]
        out.append((x, y))
    return out


def box(shape):
    """From where to where a text reaches, without the blanks before it."""
    x, words, look = shape.attrs['x'], shape.attrs['T'], shape.attrs['class']
    if 'ln' in look.split():
        return x - kit.width(words, 'm'), x
    return x + kit.width(words[: len(words) - len(words.lstrip())], 'm'), x + kit.width(words, 'm')


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
def test_a_bridge_leads_from_the_lines_of_a_bprop_to_the_tape_that_they_write(way):
    op, slope = BENDS[way]
    second = gallery.made(SECOND.format(op=op, slope=slope), f'bend {way}')
    (film, phone) = second.films
    first = at(second, 'Your line 6')
    assert 'bridge0' not in film.frames[first - 1] and 'bridge0' not in phone.frames[-1]
    assert 'the outer grad records line 6 while it runs' in shown(second, first)
    for frame in film.frames[first + 1 :]:
        assert frame['bridget'].attrs['T'] == 'the outer grad records lines 6 and 7 while they run'
        code, lines = frame['mine'].attrs, [s.attrs for key, s in frame.items() if key.startswith('wrote')]
        lefts = []
        for k, line in enumerate((6, 7)):  # each from its line to its entry, and none crosses another
            (edge, top), *way, (end, y) = points(frame[f'bridge{k}'])
            left = min(x for x, _ in way)
            lefts.append((left, way[-2][1]))
            assert 0 <= edge - code['x'] < 8 and any(at['y'] < top < at['y'] + at['height'] for at in lines)
            (number,) = (s.attrs['y'] for s in frame.values() if s.attrs.get('T') == str(line))
            assert number - 16 < top < number
            assert 0 < left < code['x'] - 2 and frame['bfilm'].attrs['y'] < y
            block = frame[f'B{k + 1}'].attrs
            assert block['x'] < end < block['x'] + block['width'] and abs(y - block['y']) <= 3
        (outer, lower), (inner, upper) = lefts
        assert outer < inner - 5 and lower > upper + 5


@pytest.mark.parametrize('way', BENDS)
def test_a_second_derivative_is_said_to_be_one(way):
    op, slope = BENDS[way]
    second = gallery.made(SECOND.format(op=op, slope=slope), f'bend {way}')
    said = second.films[0].steps[-1]
    assert re.fullmatch(r'bend = −?0\.\d+, the second derivative: how dx changes with x', said.title)
    assert said.caption.endswith('differentiated its result, dx = slope * dout.')
    assert ('−' in said.title) == (way == 'down')


def test_a_number_that_is_not_the_slope_of_a_slope_is_no_second_derivative():
    minus = SECOND.format(op='sin', slope='ops.cos(x)').replace(
        'ms.grad(ms.grad(net))', 'ms.grad(lambda x: -ms.grad(net)(x))'
    )
    said = gallery.made(minus, 'minus the slope').films[0].steps[-1]
    assert said.title.endswith(': the gradient of your gradient') and 'derivative' not in said.caption


def test_backward_of_a_second_tape_is_one_band_from_the_seed_to_the_result():
    """The rules and what they hand on lie on it. A constant stands under the value before it, so that it takes no room
    between two cards."""
    op, slope = BENDS['down']
    frame = gallery.made(SECOND.format(op=op, slope=slope), 'bend down').films[0].frames[-1]
    parts = {key: numbers(shape) for key, shape in frame.items() if re.fullmatch(r'b(in|out)\d+', key)}
    lying = [s.attrs for key, s in frame.items() if re.fullmatch(r'r[12]|bd.*\[0,0\]', key) and s.tag == 'rect']
    start, end = max(x for x, *_ in parts.values()), min(x for *_, x in parts.values())
    (y,) = {y for _, y, _ in parts.values()}
    covers = [(b, a) for a, _, b in parts.values()]
    covers += [(a['x'], a['x'] + a['width']) for a in lying if a['y'] < y < a['y'] + a['height']]
    heads = {key: numbers(frame[key]) for key in frame if re.fullmatch(r'b(in|out)\d+h', key)}
    assert set(heads) == {'bin1h', 'bin2h', 'bout1h'}, 'a head at each rule, and at the result'
    covers += [(min(found[::2]), max(found[::2])) for found in heads.values()]
    assert len(parts) == 4
    for x in range(int(end) + 1, int(start)):
        assert any(left <= x <= right for left, right in covers), 'no gap'
    wide = [a - (heads[f'{key}h'][0] if f'{key}h' in heads else b) for key, (a, _, b) in parts.items()]
    assert max(wide) - min(wide) < 26


def test_what_the_second_gradient_differentiates_is_what_the_bprop_returned():
    op, slope = BENDS['down']
    second = gallery.made(SECOND.format(op=op, slope=slope), 'bend down')
    frame = second.films[0].frames[-1]
    (tile,) = (s.attrs for s in frame.values() if s.attrs.get('class') == 'tile own')
    assert shown(second).count('dx') == 1 and {'seed', 'backward starts here', 'dx = slope * dout'} <= set(
        shown(second)
    )
    cell = frame['g0.0[0,0]'].attrs
    assert cell['rc'] and tile['x'] <= cell['x'] and tile['y'] <= cell['y'], 'it can be asked how it was made'
    start, *_, bottom = bare(frame['out'])
    x, y = numbers(frame['outh'])[:2]
    assert start <= frame['mine'].attrs['x'] + frame['mine'].attrs['width'] and bottom < y < tile['y']
    assert tile['x'] < x < tile['x'] + tile['width'], 'what the bprop returns goes there'
    assert abs(numbers(frame['wb2o0'])[1] - tile['y'] - tile['height'] / 2) < 2, 'and so does what Mul made'


def test_a_gradient_of_many_numbers_goes_on_to_its_place_on_the_second_tape():
    frame = picture('relu6').films[0].frames[-1]
    (*_, bottom), (tip, y) = bare(frame['out']), numbers(frame['outh'])[:2]
    lower = next(s.attrs for s in frame.values() if s.attrs.get('class') == 'tile own')
    assert lower['x'] < tip and bottom < y < lower['y']


def test_a_number_that_is_right_by_chance_is_neither_wrong_nor_right():
    """The bprop of lesson 03 does not look at dout: with another loss its 1.60 would be wrong too."""
    frame = picture('matmul_loss').films[0].frames[-1]
    looks = {key: shape.attrs['class'].split() for key, shape in frame.items() if re.match(r'[gs]\d\.', key)}
    cells = [key[:-1] for key, look in looks.items() if re.fullmatch(r'g\d\..*]t', key)]
    right = [key for key in cells if not {'wr', 'onr'} & set(looks[f'{key}t'])]
    assert len(right) == 1 and right[0].endswith('.0[0,1]'), 'of dx; all of dy is wrong'
    cell, sign, words = (frame[key].attrs for key in (right[0], f'{right[0]}l', 't0L'))
    assert [s.attrs['T'] for key, s in frame.items() if re.fullmatch(r'[gs]\d\..*l', key)] == ['✓'] == [sign['T']]
    assert cell['x'] < sign['x'] < cell['x'] + cell['width'] and cell['y'] < sign['y'] < cell['y'] + cell['height']
    assert words['T'] == '✓ right by chance'


def test_the_worst_number_alone_has_a_ground_of_its_own():
    frame = picture('matmul_loss').films[0].frames[-1]
    looks = {key: s.attrs['class'] for key, s in frame.items() if re.match(r'g\d\.', key) and s.tag == 'rect'}
    assert [looks[key] for key in looks if key.endswith('.')] == ['tile on wrong'] * 2
    assert [look for look in looks.values() if 'worst' in look] == ['cell hot worst'] * 2
    worst = [key for key, look in looks.items() if 'worst' in look]
    assert [frame[f'{key}t'].attrs['T'] for key in worst] == ['1.40', '4.30']


def test_why_nobody_noticed_stands_where_the_gradients_are_handed_on():
    wrong, right = picture('matmul_loss'), picture('right')
    frame = wrong.films[0].frames[-1]
    mine, said = frame['mine'].attrs, frame['unseen'].attrs
    for k in range(2):  # out of the frame of the lines, each to its name
        name, (tip, y), way = frame[f't{k}N'].attrs, numbers(frame[f'out{k}h'])[:2], bare(frame[f'out{k}'])
        start, foot = way[:2]
        assert mine['x'] < start <= mine['x'] + mine['width']
        assert mine['y'] + mine['height'] - 30 < foot < mine['y'] + mine['height'] + 3 and 'out2' not in frame
        assert name['x'] < tip < name['x'] + kit.width(name['T'], 'mid3') and 15 < name['y'] - y < 30
        lies = y - 10
    start, y, end = numbers(frame['unseento'])
    assert tip < start < end < said['x'] and abs(y - lies) < 18, 'a line leads to what it is about'
    assert said['x'] == frame['why'].attrs['x'], 'both begin at one edge'
    assert said['T'] == 'not checked: the shapes fit, so no error'
    assert 'unseen' not in wrong.films[0].frames[-2] and 'unseen' not in right.films[0].frames[-1]


FAR = """
class Tanh(nn.Cell):
    def construct(self, x):
        return ops.tanh(x)
    def bprop(self, x, out, dout):
        return ((1 - out) * dout,)
net, x = Tanh(), ms.Tensor(0.5)
with ms.Tape() as tape:
    slope = (net(x + 0.01) - net(x - 0.01)) / 0.02
    dx = ms.grad(net)(x)
"""


def test_the_line_to_why_nobody_noticed_goes_through_no_words():
    frame = gallery.made(FAR, 'far').films[0].frames[-1]
    start, _, end = numbers(frame['unseento'])
    assert frame['why'].attrs['x'] > frame['unseen'].attrs['x'], 'there is no room under the reason'
    assert start < end < frame['unseen'].attrs['x']


def test_a_dout_that_no_line_uses_is_told_so_where_it_comes_in():
    wrong, right = picture('matmul_loss'), picture('right')
    for film in wrong.films:
        chip = next(s.attrs for key, s in film.frames[-1].items() if key.startswith('dout'))
        said = film.frames[-1]['nob'].attrs
        assert said['T'] == 'no line uses it ↑' and abs(said['x'] - chip['x'] - chip['width']) < 0.2
        assert chip['y'] + chip['height'] < said['y'] < chip['y'] + chip['height'] + 24
    assert all('nob' not in film.frames[-1] for film in right.films)


def test_the_fork_says_why_the_road_is_left():
    shown_ = picture('matmul_loss')
    takeover = at(shown_, 'Takeover')
    why = 'into your lines, because Net has its own bprop'
    assert why in shown(shown_, takeover) and why not in shown(shown_, takeover - 1)
    frame = shown_.films[0].frames[takeover]
    (_, near, (far, under), _), x = points(frame['fat']), frame['why'].attrs['x']
    assert far < x < near[0] and abs(frame['why'].attrs['y'] - under) < 8, 'beside the band, where it bends off'


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
        assert abs(text['x'] + kit.width(before, 'm') - mark['x']) < 4


def test_the_second_tape_says_whose_it_is_and_what_its_rules_find_on_it():
    op, slope = BENDS['down']
    second = gallery.made(SECOND.format(op=op, slope=slope), 'bend down')
    frame = second.films[0].frames[-1]
    number = next(line.number for line in second.record.code if 'ms.grad(ms.grad' in line.text)
    assert frame['aof'].attrs['T'] == f'inner grad, line {number}'
    assert frame['bof'].attrs['T'] == f'outer grad, line {number}'
    kept = {frame[key].attrs['T'] for key in frame if re.fullmatch(r'r\d+k', key)}
    assert kept == {'x = 0.5', 'dout = 1'}
    wrote = [s.attrs['y'] for key, s in frame.items() if key.startswith('wrote')]
    assert len(wrote) == 1, 'the lines that stand on the tape, as one block'
    assert {s.attrs['class'] for key, s in frame.items() if re.fullmatch(r'B[12]', key)} == {'block own'}


def test_a_value_from_afar_goes_straight_to_its_card_over_what_stands_low():
    op, slope = BENDS['down']
    frame = gallery.made(SECOND.format(op=op, slope=slope), 'bend down').films[0].frames[-1]
    (far,) = (key for key in frame if re.fullmatch(r'wb\d+k\d+', key))
    assert not {'V', 'C', 'A'} & set(frame[far].attrs['d']), 'no elbow'
    _, y, _ = numbers(frame[far])
    assert all(shape.attrs['y'] > y for key, shape in frame.items() if key.startswith('b') and key.endswith('dout'))


@pytest.mark.parametrize('narrow', [False, True])
def test_both_boxes_of_code_are_named(narrow):
    told = shown(picture('matmul_loss'), 0, narrow)
    assert 'your program' in told and ('your Cell' in told) == (not narrow)


def test_the_first_tape_is_quiet_once_the_second_is_read():
    op, slope = BENDS['down']
    second = gallery.made(SECOND.format(op=op, slope=slope), 'bend down')
    quiet = at(second, 'The second gradient starts')
    before, after = second.films[0].frames[quiet - 1], second.films[0].frames[quiet]
    assert before['afilm'].attrs['class'] == 'film' and after['afilm'].attrs['class'] == 'film q'
    assert after['bfilm'].attrs['class'] == 'film'
    loud = {'ff', 'bf', 'b', 'mid2', 'f', 'bk', 'q2'}
    upper = [s for key, s in after.items() if key.startswith(('a', 'e0', 'r0'))]
    assert upper and not any(loud & set(s.attrs.get('class', '').split()) for s in upper)


def test_each_step_of_note_has_its_name_under_the_line():
    op, slope = BENDS['down']
    for film in gallery.made(SECOND.format(op=op, slope=slope), 'bend down').films:
        named = [a['T'] for tag, a, _ in film.line['shapes'] if tag == 'text']
        assert {'takeover', 'second tape', '✓ right'} <= set(named)


@pytest.mark.parametrize('order', ['slope * dout', 'dout * slope'])
def test_the_card_of_a_rule_has_the_formula_of_what_it_hands_out(order):
    """dout is a constant there, so that nothing is handed to it, whichever operand it is."""
    op, slope = BENDS['down']
    code = SECOND.format(op=op, slope=slope).replace('slope * dout', order)
    said = gallery.shown(gallery.made(code, order))
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
    ways = [key for key in wide.frames[handed] if re.fullmatch(r'out\d', key)]
    assert len(ways) == 2 - given.count(None)
    assert ('out' in narrow.frames[handed]) == (given != (None, None)), 'on a phone too'
