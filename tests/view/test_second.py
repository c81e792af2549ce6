"""The second tape: what a backward writes while one more gradient watches."""

import xml.etree.ElementTree as ET

import gallery
import pytest

from minicell import view
from minicell.view import layout, stage

SVG = '{http://www.w3.org/2000/svg}'

HVP = """
def energy(x):
    return (x * x * x).sum()

def product(x, v):
    return (ms.grad(energy)(x) * v).sum()

with ms.Tape() as tape:
    hv = ms.grad(product)(ms.Tensor([1.0, 2.0]), ms.Tensor([0.5, -1.0]))
"""


def shown(frame):
    return [t.text or (t[0].tail if len(t) else '') for t in ET.fromstring(view.svg(frame)).iter(f'{SVG}text')]


def test_an_entry_that_a_bprop_wrote_stands_on_its_own_tape_and_names_its_line():
    frames = view.frames(gallery.run('relu6'))
    record = frames[0].record
    entry = next(e for e in record.entries if e.label == '1′')
    assert (entry.level, entry.note) == (1, 'by Net.bprop, line 19')
    assert record.entries[record.readings[entry.by].entry].label == '1'
    words = shown(frames[-1])
    assert {'SECOND TAPE', 'BACKWARD OF THE BACKWARD', 'by Net.bprop, line 19'} <= set(words)


def test_both_tapes_stand_on_one_picture():
    record = view.frames(gallery.run('custom_cube'))[0].record
    plan = layout.plan(record)
    for step in range(len(record.steps)):
        first, second = stage.stages(record, plan, step)
        assert [record.entries[i].label for i in first.xs] == ['1']
        assert [record.entries[i].label for i in second.xs] == ['1′', '2′', '3′']
        assert first.place.bottom < second.place.top


def test_the_third_gradient_has_the_two_tapes_that_its_step_is_about():
    record = view.frames(gallery.run('third'))[0].record
    plan = layout.plan(record)
    assert len(plan.tiers) == 3 and len(plan.places) == 2
    for number, step in enumerate(record.steps):
        if step.entry is not None:
            assert any(step.entry in one.xs for one in stage.stages(record, plan, number))


def test_a_hessian_vector_product():
    frames = view.frames(gallery.tape_of(HVP.strip() + '\n', 'hvp'))
    assert '6.00' not in frames[-1].title and 'from 3.00 to −12.00' not in frames[-1].caption
    assert 'from −12.00 to 3.00' in frames[-1].caption
    entries = [e for e in frames[0].record.entries if e.level == 1]
    assert entries and all(e.note.startswith('by ') for e in entries)


@pytest.mark.parametrize('name', ['relu6', 'custom_cube', 'cube', 'third'])
def test_the_height_never_changes(name):
    heights = {ET.fromstring(view.svg(f)).get('height') for f in view.frames(gallery.run(name))}
    assert len(heights) == 1
