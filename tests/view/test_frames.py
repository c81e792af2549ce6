"""Frames and pictures as plain data: no notebook, no browser."""

import doctest
import xml.etree.ElementTree as ET
from io import BytesIO
from itertools import pairwise

import fake
import gallery
import numpy as np
import pytest

import minicell as ms
from minicell import nn, ops, view
from minicell.view import film, layout, metrics, names, picture, shapes, thumb

NAMES = list(gallery.PROGRAMS)
SVG = '{http://www.w3.org/2000/svg}'


def captions(name):
    return [f'{f.title} {f.caption}' for f in view.frames(gallery.run(name))]


def kinds(name):
    return [step.kind for step in view.frames(gallery.run(name))[0].record.steps]


def texts(svg):
    """All that a picture shows as text, without the titles of cut texts."""
    return [t.text or (t[0].tail if len(t) else '') for t in ET.fromstring(svg).iter(f'{SVG}text')]


def test_matmul_steps():
    assert kinds('matmul') == [
        'enter', 'enter', 'hidden', 'write', 'start', 'reach', 'inside', 'inside', 'give', 'arrive',
    ]  # fmt: skip


def test_matmul_caption_has_the_computed_errors():
    takeover = captions('matmul')[8]
    assert '5.20' in takeover and '2.80' in takeover and 'MatMul’s rule did not run' in takeover


def test_caption_numbers_come_from_the_data():
    source = gallery.PROGRAMS['matmul'].strip().replace('x + 1', 'x + 3')
    frames = view.frames(gallery.tape_of(source, 'matmul_3'))
    x, y = np.array([[0.5, 0.6, 0.4], [1.2, 1.3, 1.1]]), np.array([[0.01, 0.3, 1.1], [0.1, 0.2, 1.3], [2.1, 1.2, 3.3]])
    off = np.abs(x + 3 - np.ones((2, 3)) @ y.T).max()
    assert f'off by up to {off:.2f}' in frames[8].caption


def test_the_name_of_a_tuple_is_no_name_for_what_was_made_on_the_way_to_it():
    drop = ops.Dropout2D(0.8)

    def loss(x):
        y, _ = drop(x)
        return y.sum()

    with ms.Tape() as tape:
        ms.grad(loss)(ms.Tensor(np.ones((1, 4, 1, 2))))
    drawn, dropout = (e for e in view.frames(tape)[0].record.entries if e.name in ('DropoutMask', 'Dropout'))
    assert [v.name for v in (*drawn.outputs, *dropout.outputs)] == ['', '']
    assert [v.name for v in dropout.inputs] == ['x', 'DropoutMask']
    assert [s.name for s in dropout.saves] == ['DropoutMask']


def test_takeover_says_whose_code_and_which_lines():
    svg = view.svg(view.frames(gallery.run('matmul'))[8])
    shown = texts(svg)
    assert {'Net.bprop', 'your code, lines 10–13', 'jumps over MatMul’s rule'} <= set(shown)
    assert {'FAILS', 'dout is not used', 'off by up to 5.20', 'off by up to 2.80'} <= set(shown)
    assert {'yours: x + 1', 'true: autodiff', 'difference', 'bprop: yours'} <= set(shown)


def test_a_right_bprop_agrees():
    shown = texts(view.svg(view.frames(gallery.run('right'))[-2]))
    assert 'agrees' in shown and 'FAILS' not in shown


def test_fan_out_is_added_up():
    title = captions('fanout')[7]
    assert '1.00 from 2 Add + 3.00 from 1 Mul' in title
    assert 'da = 4.00' in captions('fanout')[8]


def test_second_order_entries_have_primes_and_the_line_of_the_bprop():
    step = next(c for c in captions('relu6') if '1′' in c)
    assert 'ReLU writes entry 1′' in step and 'line 19' in step
    assert 'from 1′ ReLU' in captions('relu6')[-1]


def test_examples_in_names():
    assert doctest.testmod(names).failed == 0


def test_names_follow_the_op_where_python_swaps_operands():
    record = view.frames(gallery.run('custom_cube'))[0].record
    first = next(e for e in record.entries if e.label == '1′')
    assert {v.name: float(v.data) for v in first.inputs} == {'x': 2.0, '3': 3.0}


def test_a_number_nobody_named_gets_no_name():
    source = 'k = 2.0\nwith ms.Tape() as tape:\n    ms.grad(lambda x: k * (x * x))(ms.Tensor(3.0))\n'
    record = view.frames(gallery.tape_of(source, 'unnamed'))[0].record
    assert [v.name for v in record.entries[1].inputs] in (['1 Mul', ''], ['x * x', 'k'])


def test_cube_second_order_arrives():
    assert 'dx = 12.00' in captions('cube')[-1]


def test_error_keeps_what_came_before():
    shown = texts(view.svg(view.frames(gallery.run('wrong_shape'))[-1]))
    assert 'BpropShapeError' in shown and 'Net' in shown


def test_no_gradient_says_why():
    shown = texts(view.svg(view.frames(gallery.run('unused'))[-1]))
    assert 'no gradient' in shown and 'nothing on the tape leads from it to the result' in shown


def test_declared_none():
    assert 'None' in texts(view.svg(view.frames(gallery.run('none'))[-2]))


@pytest.mark.parametrize('name', NAMES)
def test_every_frame_is_a_whole_picture(name):
    frames = view.frames(gallery.run(name))
    heights = set()
    for frame in frames:
        svg = view.svg(frame)
        root = ET.fromstring(svg)
        assert root.get('role') == 'img'
        assert root.find(f'{SVG}title').text == frame.title
        assert any(c.isdigit() for c in root.find(f'{SVG}desc').text)
        assert svg == view.svg(frame)
        heights.add(root.get('height'))
    assert len(heights) == 1


def test_same_program_gives_the_same_bytes():
    source = gallery.PROGRAMS['ifnode'].strip()
    one, other = (view.frames(gallery.tape_of(source, 'same')) for _ in range(2))
    assert [view.svg(f) for f in one] == [view.svg(f) for f in other]


def test_prefix_keeps_ids_apart():
    frame = view.frames(gallery.run('fanout'))[0]
    ids = [{e.get('id') for e in ET.fromstring(view.svg(frame, p)).iter() if e.get('id')} for p in ('a-', 'b-')]
    assert len(ids[0]) == 2 and not ids[0] & ids[1]


def test_empty_tape():
    frames = view.frames(fake.Tape())
    assert len(frames) == 1 and 'empty' in frames[0].title
    ET.fromstring(view.svg(frames[0]))
    assert view.png(frames[0]).startswith(b'\x89PNG')


HOSTILE = [
    '<script>alert(1)</script>', ']]>', '"><img src=x onerror=alert(1)>', '&amp;&lt;', '\x00\x07\x1b[31m', '🙂' * 60,
    'ا' * 100, '\u202eabc', 'x' * 200, '$\\frac{1}{2}$', 'a\nb\tc', '\ud800', '',
]  # fmt: skip


@pytest.mark.parametrize('words', HOSTILE)
def test_hostile_names_stay_text(words):
    tape = fake.chain([np.ones((2, 2)), np.zeros(3)], [words])
    tape.error = ValueError(words)
    for frame in view.frames(tape):
        svg = view.svg(frame)
        tags = {e.tag.removeprefix(SVG) for e in ET.fromstring(svg).iter()}
        assert tags <= {'svg', 'title', 'desc', 'rect', 'path', 'text'}
        svg.encode('utf-8')
    assert view.png(frame).startswith(b'\x89PNG')


ARRAYS = {
    'scalar': np.float32(3.5),
    'vector': np.arange(3.0),
    'long vector': np.arange(200.0),
    'rank 3': np.ones((2, 2, 2)),
    'rank 4': np.ones((1, 3, 8, 8)),
    'rank 5': np.ones((1, 2, 3, 4, 5)),
    'no elements': np.ones((0, 4)),
    'bool': np.array([True, False]),
    'int': np.arange(6, dtype=np.int64).reshape(2, 3) * 100000,
    'all NaN': np.full((2, 3), np.nan),
    'large with NaN': np.where(np.eye(9) > 0, np.nan, np.inf),
    'huge numbers': np.array([[-1e30, 1e30], [1e-30, np.inf]]),
    'small numbers': np.array([1e-9, -2e-9]),
    'complex': np.array([1 + 2j, -3j], np.complex64),
    'a million': np.ones((1000, 1000), np.float32),
}


@pytest.mark.parametrize('name', ARRAYS)
def test_any_tensor_has_a_picture(name):
    value = ARRAYS[name]
    for frame in view.frames(fake.chain([value, value])):
        ET.fromstring(view.svg(frame))


@pytest.mark.parametrize('name', ARRAYS)
def test_a_number_fits_its_cell(name):
    value = np.abs(ARRAYS[name]) if name == 'complex' else np.asarray(ARRAYS[name])
    for shape in thumb.picture(fake_value(value), 0, 0):
        if isinstance(shape, shapes.Text) and not shape.full:
            assert metrics.width(shape.text, shape.size, shape.bold) <= shape.box[2] + 0.01


def fake_value(data):
    return view.model.Value('x', data.shape, str(data.dtype), data)


def test_numbers_that_are_not_zero_do_not_read_as_zero():
    assert thumb.numerals(np.array([1.0, 0.0001, 0.0]), 36, 12) == ['1.00', '≈0', '0.00']
    assert thumb.numerals(np.array([2e-7]), 36, 12) == ['2e-7']
    assert thumb.numerals(np.array([np.nan, -np.inf]), 36, 12) == ['NaN', '−∞']


def test_tint_is_symmetric_and_marks_zero():
    assert thumb.tint(0, 5) == '#ECEDEE' == thumb.tint(float('nan'), 5)
    assert thumb.tint(5, 5) == thumb.tint(99, 5) != thumb.tint(-5, 5)


def test_a_long_tape_draws_few_cards():
    tape = fake.chain([np.float32(i) for i in range(301)], ['Add'] * 300)
    frames = view.frames(tape, fold=False)
    assert len(frames) > 600
    drawn, _ = picture.compose(frames[450])
    cards = [s for s in drawn if isinstance(s, shapes.Box) and s.radius in (5, 8)]
    assert 13 <= len(cards) <= 60
    first, last = 0, 0
    for page in layout.plan(frames[0].record, frames[0].look).tiers[0].pages:
        first, last = page
        assert last - first < layout.SMALL_CARDS
    assert last == 299


def test_what_is_cut_is_told_in_a_title():
    svg = view.svg(view.frames(fake.chain([1.0, 2.0], ['Name' * 50]))[0])
    assert 'Name' * 50 in svg and 'Name' * 50 not in texts(svg)


def test_metrics_agree_with_the_font():
    ImageFont = pytest.importorskip('PIL.ImageFont')
    from matplotlib import font_manager

    for bold in (False, True):
        wanted = font_manager.FontProperties(family='DejaVu Sans', weight='bold' if bold else 'normal')
        font = ImageFont.truetype(font_manager.findfont(wanted), 1000)
        for words in ('Net.bprop hands out dx', '−5.20', 'dout × yᵀ ≈0', 'Größe (2×3)'):
            assert font.getlength(words) <= metrics.width(words, 1000, bold) <= font.getlength(words) * 1.03 + 5


@pytest.mark.parametrize('room', [0, 5, 20, 80])
def test_fit_never_exceeds_its_room(room):
    for words in ('W' * 30, 'hello world', '🙂🙂🙂', ''):
        assert metrics.width(metrics.fit(words, room, 12), 12) <= room


def test_filmstrip_tells_the_story_in_four():
    frames = view.frames(gallery.run('matmul'))
    chosen = film.stills(frames)
    assert [f.record.steps[f.step].kind for f in chosen] == ['enter', 'write', 'give', 'arrive']
    svg = view.filmstrip(gallery.run('matmul'))
    assert 'Net.bprop hands out dx and dy' in texts(svg)
    png = view.filmstrip(gallery.run('matmul'), 'png')
    assert png.startswith(b'\x89PNG') and len(png) < 500_000
    with pytest.raises(ValueError, match='svg'):
        view.filmstrip(gallery.run('matmul'), 'gif')


def test_png_is_as_large_as_the_svg():
    Image = pytest.importorskip('PIL.Image')
    frame = view.frames(gallery.run('matmul'))[8]
    root = ET.fromstring(view.svg(frame))
    with Image.open(BytesIO(view.png(frame))) as image:
        assert abs(image.width - float(root.get('width'))) <= 1
        assert abs(image.height - float(root.get('height'))) <= 1


def test_alt_text_names_line_entries_and_numbers():
    alt = view.alt(view.frames(gallery.run('matmul'))[8])
    for part in ('Step 9 of 10', 'Line 13', 'return dx, dy', '1 Net', 'your own code', '1.50 1.60 1.40', '5.20'):
        assert part in alt


def test_code_panel_marks_one_line_and_hatches_the_hidden():
    record = view.frames(gallery.run('matmul'))[0].record
    hidden = [line.text.strip() for line in record.code if line.hidden]
    assert hidden[0].startswith('def construct') and 'return out' in hidden
    for frame in view.frames(gallery.run('matmul')):
        mark = record.steps[frame.step].mark
        assert sum((line.file, line.number) == (mark.file, mark.line) for line in record.code) == 1


def contrast(colour):
    """Against white."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    r, g, b = (c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 1.05 / (0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05)


@pytest.mark.parametrize('name', NAMES)
def test_lines_have_contrast(name):
    """3:1 for every line that means something; RULE only frames panels."""
    lines = set()
    for frame in view.frames(gallery.run(name)):
        drawn, _ = picture.compose(frame)
        lines |= {s.stroke for s in drawn if not isinstance(s, shapes.Text)} - {'none', shapes.RULE}
    assert {line for line in lines if contrast(line) < 3} == set()


def edges(shape):
    """The upright and level strokes of a shape, as boxes."""
    if isinstance(shape, shapes.Text) or shape.stroke == 'none':
        return
    if isinstance(shape, shapes.Box):
        x, y, w, h = shape[:4]
        runs = (((x, y), (x + w, y), (x + w, y + h), (x, y + h), (x, y)),)
    else:
        runs = shape.runs
    for run in runs:
        for (a, b), (c, d) in pairwise(run):
            if a == c or b == d:
                half = shape.line / 2
                yield min(a, c) - half, min(b, d) - half, max(a, c) + half, max(b, d) + half


def ink(text):
    """Where the letters of a text are."""
    w = metrics.width(text.text, text.size, text.bold, text.mono)
    left = text.x - {'start': 0, 'middle': w / 2, 'end': w}[text.anchor]
    return left + 1, text.y - text.size * 0.75, left + w - 1, text.y + text.size * 0.2


def covered(drawn, box):
    """Whether a filled box hides what was drawn before it at this place."""
    x0, y0, x1, y1 = box
    filled = (s for s in drawn if isinstance(s, shapes.Box) and s.fill != 'none')
    return any(s.x <= x0 and s.x + s.w >= x1 and s.y <= y0 and s.y + s.h >= y1 for s in filled)


@pytest.mark.parametrize('name', NAMES)
def test_no_line_crosses_a_text(name):
    for frame in view.frames(gallery.run(name)):
        drawn, _ = picture.compose(frame)
        for place, text in enumerate(drawn):
            if isinstance(text, shapes.Text) and text.text:
                x0, y0, x1, y1 = ink(text)
                crossing = [
                    (k, shape)
                    for k, shape in enumerate(drawn)
                    for a, b, c, d in edges(shape)
                    if a < x1 and c > x0 and b < y1 and d > y0
                ]
                for k, shape in crossing:
                    assert k < place and covered(drawn[k + 1 : place], ink(text)), (frame.step, text.text, shape)


def test_an_output_that_is_a_mask_gets_no_dout():
    class Positive(nn.Cell):
        def construct(self, x):
            return x > 0, ops.relu(x)

        def bprop(self, x, out, dout):
            return (out[0].astype(x.dtype) * dout[1],)

    with ms.Tape() as tape:
        ms.grad(lambda x: Positive()(x)[1].sum())(ms.Tensor([-1.0, 2.0]))
    (reading,) = (each for each in view.frames(tape)[-1].record.readings if each.entry == 0)
    assert [dout.name for dout in reading.douts] == ['dout[1]']
