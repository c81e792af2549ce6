"""Printed in grey, a frame still says which code computed dx: nothing hangs on a hue alone.

MINICELL_SHOTS=folder keeps grey.html and grey_*.png: each takeover and each second-order frame, coloured and grey.
"""

import re
import xml.etree.ElementTree as ET

import gallery
import pytest
from measure import faults, measure_all, page, why_not
from shots import HEAD, folder  # noqa: F401

from minicell import view
from minicell.view import picture, shapes

SECOND = ('relu6', 'cube', 'custom_cube', 'relu6_to_relu6')
PERSHEET = 4


def grey(colour):
    """A colour as a printer without colours has it: `#0072B2` is `#5E5E5E`."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return '#' + f'{round(0.2126 * red + 0.7152 * green + 0.0722 * blue):02X}' * 3


def in_grey(svg):
    """A picture without its colours."""
    return re.sub(r'(?<=")#[0-9A-F]{6}(?=")', lambda found: grey(found[0]), svg)


def light(colour):
    """Relative luminance."""
    parts = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    red, green, blue = (v / 12.92 if v <= 0.03928 else ((v + 0.055) / 1.055) ** 2.4 for v in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    """How far apart two colours are, from 1 to 21."""
    high, low = sorted((light(one), light(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def takeovers(name):
    """The frames of a program in which a bprop of the user's hands out its gradients."""
    frames = gallery.frames(name)
    record = frames[0].record
    return [f for f in frames if record.steps and is_takeover(record, record.steps[f.step])][:2]


def is_takeover(record, step):
    return step.kind == 'give' and record.entries[step.entry].kind == 'call'


ALL = {name: frames for name in gallery.PROGRAMS if (frames := takeovers(name))}
LOOKED_AT = {name: frames[:1] for name, frames in ALL.items()} | {
    f'{name}, the end': gallery.frames(name)[-1:] for name in SECOND
}


def words(svg):
    found = ET.fromstring(svg).iter('{http://www.w3.org/2000/svg}text')
    return [''.join([t.text or '', *(child.tail or '' for child in t)]) for t in found]


def test_there_are_takeovers_to_look_at():
    assert len(ALL) > 12 and 'matmul' in ALL


def test_a_printer_without_colours():
    assert grey('#0072B2') == '#5E5E5E' and grey('#FFFFFF') == '#FFFFFF'
    assert in_grey('<rect fill="#D55E00"/>') == '<rect fill="#717171"/>'


def test_the_lanes_are_seen_in_grey_but_not_told_apart_by_it():
    """Both stand out from paper; from each other hardly, so that what follows must tell them apart."""
    forward, backward = grey(shapes.FORWARD), grey(shapes.BACKWARD)
    assert contrast(forward, '#FFFFFF') >= 3 and contrast(backward, '#FFFFFF') >= 3
    assert contrast(forward, backward) < 3


@pytest.mark.parametrize('name', ALL)
def test_words_and_shapes_say_whose_code_it_was(name):
    for frame in ALL[name]:
        entry = frame.record.entries[frame.record.steps[frame.step].entry]
        shown = words(view.svg(frame))
        assert 'FORWARD' in shown and 'BACKWARD' in shown
        assert any('bprop' in t and entry.name[:6] in t for t in shown), 'the card has the name of the bprop'
        tab, code = ('bprop: yours', 'your code') if entry.yours else ('bprop: its own', 'its own code')
        assert tab in shown and any(t.startswith(code) for t in shown)
        drawn, _ = picture.compose(frame)
        back = [s for s in drawn if isinstance(s, shapes.Box) and s.stroke == shapes.BACKWARD and s.radius > 4]
        assert max(s.line for s in back) >= 3, 'the card of this moment is thick'
        assert any(inner_of(a, b) for a in back for b in back), 'and double'
        ways = [s for s in drawn if isinstance(s, shapes.Path) and s.stroke == shapes.BACKWARD and s.line >= 4]
        assert ways, 'the way into it is the thickest line'


def inner_of(a, b):
    """Whether one box is the inner line of another's double border."""
    return 0 < a.x - b.x < 8 and 0 < a.y - b.y < 8 and 0 < b.x + b.w - a.x - a.w < 8


@pytest.mark.browser
@pytest.mark.skipif(bool(why_not()), reason=f'nothing is measured: {why_not() or "nothing missing"}')
def test_in_grey_all_is_still_readable(folder):  # noqa: F811
    """The same measure as in colours, and the sheets for eyes."""
    pairs = {f'{n}, step {f.step + 1}': view.svg(f) for n, frames in LOOKED_AT.items() for f in frames}
    rows = [
        f'<h2>{name}</h2><div class="pair">{svg}{in_grey(svg).replace("tape-", "grey-")}</div>'
        for name, svg in pairs.items()
    ]
    (folder / 'grey.html').write_text(HEAD + ''.join(rows), encoding='utf-8')
    wrong = []
    with page() as blank:
        measured = measure_all(blank, map(in_grey, pairs.values()), decoration=[grey(shapes.RULE)])
        for name, found in zip(pairs, measured, strict=True):
            wrong += [f'{name}: {fault}' for fault in faults(found)]
        blank.set_viewport_size({'width': 1864, 'height': 600})
        for i in range(0, len(rows), PERSHEET):
            blank.set_content(HEAD + ''.join(rows[i : i + PERSHEET]))
            blank.screenshot(path=folder / f'grey_{i // PERSHEET + 1}.png', full_page=True)
    assert not wrong, '\n'.join(wrong)
