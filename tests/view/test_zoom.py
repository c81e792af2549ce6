"""Cells, Ops, Inside; a loop over time as one card; where one can jump to."""

import xml.etree.ElementTree as ET

import fake
import gallery
import numpy as np
import pytest

from minicell import view
from minicell.view import fold, jumps, layout, picture, record, shapes, stage, story

SVG = '{http://www.w3.org/2000/svg}'

SNN = """
class Step(nn.Cell):
    def construct(self, x):
        return (x > 0).astype(ms.float32)

    def bprop(self, x, out, dout):
        s = ops.sigmoid(x * 5.0)
        return (dout * (1 - s) * s * 5.0,)

class IFNode(nn.Cell):
    def __init__(self):
        super().__init__()
        self.step = Step()

    def construct(self, x, v):
        v = v + x
        spike = self.step(v - 1.0)
        return spike, v - spike

node = IFNode()

def count(x):
    v = x * 0.0
    total = v
    for t in range(12):
        spike, v = node(x, v)
        total = total + spike
    return total.sum()

with ms.Tape() as tape:
    dx = ms.grad(count)(ms.Tensor([0.3, 0.6, 1.2]))
"""


@pytest.fixture(scope='module')
def snn():
    return gallery.tape_of(SNN.strip() + '\n', 'snn')


def shown(frame):
    return [t.text or (t[0].tail if len(t) else '') for t in ET.fromstring(view.svg(frame)).iter(f'{SVG}text')]


def struck(frame):
    return [s.text for s in picture.compose(frame)[0] if isinstance(s, shapes.Text) and s.struck]


def test_cells_are_one_card_each(snn):
    told = view.frames(snn, zoom='cells')[0].record
    assert [e.name for e in told.entries] == ['Mul', *['IFNode', 'Add'] * 12, 'ReduceSum']
    assert told.entries[1].inside == ('Add', 'Sub', 'Step', 'Sub') and told.entries[1].takeovers == 1
    assert [v.name for v in told.entries[1].inputs] == ['x', 'v']
    assert [v.name for v in told.entries[1].outputs] == ['spike', 'v']


def test_a_card_of_a_cell_hands_out_what_its_entries_do(snn):
    ops, cells = (view.frames(snn, zoom=zoom)[0].record for zoom in ('ops', 'cells'))
    reading = next(r for r in cells.readings if cells.entries[r.entry].name == 'IFNode')
    v = next(g for g in reading.gave if g.of == 'v')
    # v enters by an Add alone: the last entry of this turn that backward reaches
    add = ops.readings[[r.given for r in ops.readings].index(next(r.given for r in ops.readings if r.entry == 56))]
    assert np.array_equal(v.value.data, add.gave[0].value.data)


def test_the_numbers_at_the_end_are_the_same_at_each_zoom(snn):
    totals = [view.frames(snn, zoom=zoom)[0].record.passes[0].arrivals[0].total.data for zoom in story.ZOOMS]
    assert all(np.array_equal(t, totals[0]) for t in totals)


def test_a_zoom_that_there_is_not(snn):
    with pytest.raises(ValueError, match="one of 'cells', 'ops', 'inside', not 'near'"):
        view.frames(snn, zoom='near')


def test_inside_strikes_through_what_would_have_been_recorded():
    frames = view.frames(gallery.run('matmul'), zoom='inside')
    assert struck(frames[0]) == [] and struck(frames[-1]) == ['MatMul']
    spikes = view.frames(gallery.run('ifnode'), zoom='inside')
    # a comparison and a cast of it leave no entry anyway
    assert struck(spikes[-1]) == []
    assert any('no entry anyway' in shown(f) for f in spikes)


def test_inside_has_a_step_for_each_hidden_op():
    inside, ops = (view.frames(gallery.run('dropout'), zoom=zoom) for zoom in ('inside', 'ops'))
    kinds = [[s.kind for s in frames[0].record.steps].count('hidden') for frames in (inside, ops)]
    assert kinds == [len(ops[0].record.entries[0].hidden), 1]


@pytest.mark.parametrize('name', ['matmul', 'relu6', 'custom_cube', 'dense', 'nested_custom', 'raises', 'caught'])
@pytest.mark.parametrize('zoom', story.ZOOMS)
def test_every_zoom_has_whole_pictures_of_one_height(name, zoom):
    frames = view.frames(gallery.run(name), zoom=zoom)
    assert len({ET.fromstring(view.svg(f)).get('height') for f in frames}) == 1
    assert all(any(c.isdigit() for c in f'{f.title} {f.caption}') for f in frames)


def test_one_keeps_ones_place_when_the_zoom_changes(snn):
    far, near = (view.frames(snn, zoom=zoom) for zoom in ('cells', 'ops'))
    for frame in far[:: len(far) // 7]:
        assert abs(near[jumps.nearest(near, frame.at)].at - frame.at) <= 1
    assert jumps.nearest(near, -1) == 0 and near[jumps.nearest(near, 10**9)].at == near[-1].at


def test_twelve_turns_are_one_card(snn):
    frames = view.frames(snn, zoom='cells')
    assert story.turns(frames) == 12
    words = shown(frames[30])
    assert 'IFNode × 12' in words and any(w.startswith('turn ') and w.endswith('of 12') for w in words)
    plan = layout.plan(frames[0].record, frames[0].look)
    assert [len(slot.entries) for slot in plan.tiers[0].slots] == [1, 12, 12, 1]


def test_the_turn_can_be_chosen(snn):
    told = record.tell(snn)
    followed = story.of(told, 'cells')[30]
    for turn in (0, 5, 11, 99):
        frame = story.of(told, 'cells', turn=turn)[30]
        one = stage.stages(frame.record, layout.plan(frame.record, frame.look), frame.step, frame.look)[0]
        turns = {fold.turn(frame.record, frame.look, e) for e in one.xs}
        assert (min(turn, 11), 12) in turns
    assert view.svg(followed) != view.svg(story.of(told, 'cells', turn=5)[30])


def test_nothing_is_folded_where_nobody_wants_it(snn):
    assert story.turns(view.frames(snn, fold=False)) == 1
    assert story.turns(view.frames(gallery.run('ifnode'), zoom='cells')) == 1, 'seven cards fit as they are'
    assert story.turns(view.frames(gallery.run('ifnode'), zoom='cells', fold=True)) == 3


def test_two_turns_stand_beside_each_other():
    tape = fake.chain([np.float32(i) for i in range(5)], ['Add', 'Mul', 'Add', 'Mul'])
    assert story.turns(view.frames(tape, fold=True)) == 1
    tape = fake.chain([np.float32(i) for i in range(7)], ['Add', 'Mul'] * 3)
    assert story.turns(view.frames(tape, fold=True)) == 3


@pytest.mark.parametrize('fold', [True, False])
def test_few_cards_are_drawn(fold):
    tape = fake.chain([np.float32(i) for i in range(1001)], [f'Op{i % 7}' for i in range(1000)])
    for frame in view.frames(tape, fold=fold)[::400]:
        cards = [s for s in picture.compose(frame)[0] if isinstance(s, shapes.Box) and s.radius in (5, 8)]
        assert len(cards) <= 60


# ---- jumps ----


def test_jumps_of_a_wrong_bprop():
    frames = view.frames(gallery.run('matmul'))
    kinds = [s.kind for s in frames[0].record.steps]
    assert jumps.takeover(frames, 0) == kinds.index('reach') == jumps.takeover(frames, len(frames) - 1)
    assert jumps.first_wrong(frames, 0) == kinds.index('give') == jumps.largest(frames, 0)
    assert jumps.first_nan(frames, 0) is None


def test_the_next_takeover_is_the_next_one(snn):
    frames = view.frames(snn)
    first = jumps.takeover(frames, 0)
    second = jumps.takeover(frames, first)
    assert (
        first < second and frames[second].title == frames[first].title == 'Backward reaches Step and calls your bprop'
    )
    assert jumps.takeover(view.frames(gallery.run('fanout')), 0) is None


def test_the_first_nan():
    tape = fake.chain([np.float32(1), np.float32(2), np.float32('nan'), np.float32('nan')])
    frames = view.frames(tape)
    at = jumps.first_nan(frames, 0)
    step = frames[0].record.steps[at]
    assert step.kind == 'write' and frames[0].record.entries[step.entry].label == '2'


def test_jumps_of_an_empty_tape():
    frames = view.frames(fake.Tape())
    assert [function(frames, 0) for _, _, function in jumps.JUMPS] == [None] * 4
    assert frames[0].at == 0 and jumps.nearest(frames, 5) == 0 and story.turns(frames) == 1
