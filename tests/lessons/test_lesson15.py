"""What is particular to lesson 15: what checkpoints save and cost, its figure, its two Cells and its hunt."""

import re
from itertools import pairwise

import numpy as np
import pytest

import minicell as ms
from minicell import nn, ops
from minicell.teach.about import about, exercise
from minicell.teach.lesson15 import figures as figure
from minicell.view.picture import STILL
from tests.lessons.answers import Answers, filled
from tests.lessons.figures import drawn, holds
from tests.lessons.page import Page
from tests.messages import tells

AGAIN, DICE, HUNT = map(exercise, ('15a', '15b', '15c'))
PAGE = Page('15')


@pytest.fixture(scope='module')
def space():
    """What the first cells of the lesson define."""
    here = PAGE.run('layers', 'measure')
    run = PAGE.source('run')
    exec(run[run.index('class Checkpoint') : run.index('layers, memory')], here)
    return here


def test_the_memory_is_least_near_the_root_as_the_text_says_and_each_layer_runs_twice():
    lines = (re.findall(r'\d+', line) for line in PAGE.told('shown').splitlines() if 'layers run' in line)
    rows = [(int(many), int(ran), int(memory)) for many, _, ran, memory in lines]
    assert [many for many, *_ in rows] == [1, 2, 4, 8, 16, 32, 64] and {ran for _, ran, _ in rows} == {128}
    memory = {many: memory for many, _, memory in rows}
    assert [many for many in memory if memory[many] == min(memory.values())] == [8, 16]
    assert max(memory, key=memory.get) == 1
    kept = list(memory.values())
    assert all(a > b for a, b in pairwise(kept[:4])) and all(a <= b for a, b in pairwise(kept[3:]))
    asked = about('15').questions['parts']
    assert next(choice.text for choice in asked.choices if choice.right).startswith('8 or 16:')
    assert 'about 11.' in asked.after and PAGE.told('shown').rstrip().endswith(' is about 11')


def test_the_check_agrees_where_no_dice_are_thrown():
    first, *_, holds, cut = PAGE.told('check').splitlines()
    assert first.startswith('✓') and cut.startswith('Cut')
    assert re.findall(r'✓|\d+\.\d', holds) == ['✓', '27.0', '18.0']
    assert re.findall(r'✓|\d+\.\d', cut) == ['✓', '27.0', '0.0']
    assert all(f'✓ {name}: agrees' in PAGE.told('weights') for name in ('dx', 'dpart.weight', 'dpart.bias'))
    tells(PAGE.told('drop'), '✗', 'answers differently')


def test_the_gradients_are_equal_and_the_memory_is_a_fraction():
    said = PAGE.told('run')
    whole, eighth = (int(number) for number in re.findall(r'memory for (\d+)', said))
    assert eighth < whole / 4
    assert said.rstrip().endswith('gradients 0.0')


def test_the_memory_is_what_one_reckons(space):
    """The inputs of the parts, and twice the layers of one part (product and tanh), and a few more."""
    for many in (4, 16):
        _, memory, _, _ = space['measured'](space['in_parts'](many))
        assert 0 <= memory - (many + 2 * 64 // many) <= 6


def test_loss_and_gradient_disagree_where_dice_are_thrown_again():
    rows = re.findall(r' .*?\[(.*?)\]$', PAGE.told('drop'), re.M)
    assert len(rows) == 4 and rows[0] == rows[1] and rows[2] != rows[3]
    assert 35 < int(re.search(r'agree on (\d+)%', PAGE.told('drop'))[1]) < 65


def test_the_tool_puts_the_dice_back():
    space = PAGE.run('tool', upto='with seeded(15)', np=np)
    np.random.seed(3)
    due = np.random.random(4)
    np.random.seed(3)
    seen = [np.random.random(2)]
    with pytest.raises(ZeroDivisionError), space['seeded'](5):
        np.random.random(7)
        1 / 0  # noqa: B018
    seen.append(np.random.random(2))
    assert np.array_equal(np.concatenate(seen), due)
    tool = PAGE.source('tool').partition('with seeded(15)')[0].partition('@')[2].strip()
    assert tool in DICE.start, 'one tool, not two'


TABLE = {0: (64, 131, 0.010)} | {k: (128, abs(k - 8) + 28, 0.02 + k / 1000) for k in (1, 2, 4, 8, 16, 32, 64)}


def test_what_is_kept_is_drawn():
    for many in figure.parts(TABLE):
        box = figure.strip(64, many)
        again, sign = drawn(box, 'rect', 'mine')
        assert len(drawn(box, 'rect', 'dab f')) - 1 == many and sign['width'] < 20
        assert again['width'] == pytest.approx(figure.WIDTH / many, abs=0.1)


def test_the_figure_can_be_read():
    shown = holds(figure.figure(TABLE))
    assert shown.drawn[shown.opens].title == '8 parts of 8 layers'
    for many in shown.values:
        assert f'{figure.count(many, "input")} kept' in shown[many].words


def test_the_time_is_shown_live_alone(monkeypatch):
    """It is another on each machine: a committed notebook says how to get it instead."""
    shown = figure.figure(TABLE)
    tells(shown[8].words, '28 ms', '10 ms')
    monkeypatch.setenv(STILL, 'yes')
    kept = shown.shown._repr_mimebundle_()
    assert ' ms' not in kept['text/plain'] and ' ms' not in kept['image/svg+xml']
    assert 'run the cell' in kept['image/svg+xml']


def test_the_figure_of_the_dice_shows_what_ran_and_leaves_the_dice_alone(space):
    exec(PAGE.source('drop').partition('ms.set_seed')[0], space)
    before = np.random.get_state()[1].copy()
    throws = figure.throws(space['masks'], space['Drop'](), space['Checkpoint'](space['Drop']()))
    apart = 0
    for seed in (1, 2, 20):
        kept, again = re.findall(r'let (.+?) pass.*? at (.+?)[;.]', holds(throws)[seed].words)
        assert kept[0] == kept[1]
        apart += again[0] != again[1]
        due = np.flatnonzero(np.random.RandomState(seed).random(10) < 0.5) + 1
        assert kept[0] == again[0] == ', '.join(map(str, due))
    assert apart == 3
    assert np.array_equal(np.random.get_state()[1], before)


again, dice = filled(AGAIN), filled(DICE)

test_other_checkpoints_pass = Answers(AGAIN, again).passing(
    'return ms.vjp(self.part, x, w)[1](dout)',
    'return ms.grad(lambda x, w: (self.part(x, w) * dout).sum(), (0, 1))(x, w)',
    'def loss(x, w):\n    return (dout * self.part(x, w)).sum()\nreturn list(ms.grad(loss, (0, 1))(x, w))',
    'return ms.ops.GradOperation(get_all=True, sens_param=True)(self.part)(x, w, dout)',
)

BACK = 'dx, dw = ms.vjp(self.part, x, w)[1](dout)\n'
CUT = 'return ms.vjp(self.part, {}, w)[1]({})'

test_wrong_checkpoints_fail = Answers(AGAIN, again).failing(
    ('return ms.grad(self.part, (0, 1))(x, w)', 'dout', 'no-dout'),
    ('dx, dw = ms.grad(self.part, (0, 1))(x, w)\nreturn dout * dx, dout * dw', 'do not fit', None),
    ('return ms.grad(lambda x: (self.part(x, w) * dout).sum())(x), 0 * w', 'wrong.', 'only-x'),
    (BACK + 'return dw, dx', 'shape', None),
    (BACK + 'return -dx, dw', 'wrong.', None),
    (BACK + 'return dx, 2 * dw', 'wrong.', None),
    ('return ms.vjp(self.part, x, w)[1](ms.ops.abs(dout))', 'wrong.', None),
    ('return ms.vjp(self.part, ms.ops.abs(x), w)[1](dout)', 'wrong.', None),
    ('return ms.vjp(self.part, out, w)[1](dout)', 'wrong.', 'again-on-out'),
    (BACK + 'return dx * float("nan"), dw', 'NaN', None),
    (CUT.format('ms.Tensor(x.asnumpy())', 'dout'), 'second order', None),
    (CUT.format('ms.ops.stop_gradient(x)', 'dout'), 'second order', None),
    (CUT.format('x', 'ms.ops.stop_gradient(dout)'), 'second order', None),
    ('return (ms.vjp(self.part, x, w)[1](dout),)', ('1 gradient', '2 inputs'), None),
    (BACK + 'return dx', 'tuple', None),
    (BACK + 'return (dx,)', ('1 gradient', '2 inputs'), None),
    (BACK + 'return dx, dw.sum()', 'shape', None),
    (BACK + 'return dx, None', 'None counts', None),
)


KEY = 'tuple(each.asnumpy().tobytes() for each in (x, w))'
KEEPS = f'self.kept = {{**getattr(self, "kept", {{}}), {KEY}: back}}'
REMEMBERS = [  # a right gradient, with one tape for each call
    ('_, back = ms.vjp(self.part, x, w)', f'back = self.kept[{KEY}]'),
    ('return self.part(x, w)', f'out, back = ms.vjp(self.part, x, w)\n        {KEEPS}\n        return out'),
]


LISTED = [  # and a list of the module keeps the tapes, though bprop runs the part again
    ('class Recompute', 'KEPT = []\n\n\nclass Recompute'),
    ('return self.part(x, w)', 'out, back = ms.vjp(self.part, x, w)\n        KEPT.append(back)\n        return out'),
]
HEAD = '_, seed = out\ndy, _ = dout\n'

test_other_keepers_pass = Answers(DICE, dice).passing(
    'with seeded(int(out[1].asnumpy())):\n    return (ms.grad(lambda x: (self.part(x) * dout[0]).sum())(x),)',
    HEAD + 'with seeded(seed.item()):\n    return ms.vjp(self.part, x)[1](dy)',
    HEAD + 'kept = np.random.get_state()\nnp.random.seed(int(seed.item()))\n_, back = ms.vjp(self.part, x)\n'
    'np.random.set_state(kept)\nreturn [back(dy)[0]]',
)

test_wrong_keepers_fail = Answers(DICE, dice).failing(
    (HEAD + 'return ms.vjp(self.part, x)[1](dy)', 'answers differently', 'new-dice'),
    (HEAD + 'with seeded(int(seed.item()) + 1):\n    return ms.vjp(self.part, x)[1](dy)', 'wrong', None),
    (HEAD + 'np.random.seed(int(seed.item()))\nreturn ms.vjp(self.part, x)[1](dy)', 'has moved', 'turned-back'),
    (HEAD + 'with seeded(int(seed.item())):\n    return (-ms.vjp(self.part, x)[1](dy)[0],)', 'wrong', None),
    (HEAD + 'with seeded(int(seed.item())):\n    return (ms.vjp(self.part, x)[1](dy)[0] / 0,)', '∞', None),
    (HEAD + 'return (dy * out[0] / x,)', 'NaN', None),
    (HEAD + 'return (dy * 2 * (out[0] != 0),)', 'part that drops', 'from-y'),
    (HEAD + 'with seeded(int(seed.item())):\n    return (ms.grad(self.part)(x) * dy,)', 'that mixes', 'after'),
    (HEAD + 'return dy, seed', '2 gradients', None),
    (HEAD + 'return dy', 'a bare Tensor', None),
    (HEAD + 'return (None,)', 'None counts', None),
    (HEAD + 'return (dy[:2],)', '', None),
    ('return out[7]', 'IndexError', None),
)


NO_LONGER = 'construct', 'no longer'
ON_SELF = ('with seeded(seed):', 'self.seed = seed\n        with seeded(seed):'), ('int(seed.item())', 'self.seed')
test_construct_of_a_checkpoint_stays_and_what_is_kept_for_each_call_is_seen = Answers(AGAIN).failing(
    (('return self.part(x, w)', 'return self.part(x, w) * 2'), NO_LONGER, None),
    (REMEMBERS, 'keeps something', None),
    (LISTED, ('keeps something', 'has computed'), None),
)
test_construct_of_a_keeper_stays_and_a_seed_on_self_is_seen = Answers(DICE).failing(
    *[(('return y, ms.Tensor(seed)', new), NO_LONGER, None) for new in ('return y', 'return y * 2, ms.Tensor(seed)')],
    (ON_SELF, 'in between', 'on-self'),
)

test_a_checkpoint_half_begun_is_not_attempted = Answers(AGAIN, again).begun('return (...,)', 'return ...')
test_a_keeper_half_begun_is_not_attempted = Answers(DICE, dice).begun('return (...,)', 'return ...')


def test_the_checks_leave_the_learners_dice_alone():
    ms.set_seed(3)
    due = np.random.random()
    for of in (AGAIN, DICE, HUNT):
        ms.set_seed(3)
        of.check_code(of.solution)
        assert np.random.random() == due, of.name


test_the_hunt_is_for_any_good_experiment = Answers(HUNT).experiments(
    ('    cell.construct(x)  #', '    np.random.random(3), cell.construct(2 * x)  #', ''),
    ('(seen[0] != seen[1]).any()', 'not np.array_equal(*seen)', ''),
    ('after[0] == after[1]', 'len(set(after)) == 1', ''),
    ('((seen[0] != 0) != (y.asnumpy() != 0)).any()', '(seen[0] != y.asnumpy()).any()', ''),
    ('    cell.construct(x)  #', '    #', '✗ Cell 1'),
    ('if after[0] == after[1]:', 'if after[0] != after[1]:', '✗ Cell 2'),
    ('if (seen[0] != seen[1]).any():', 'if (seen[0] != y.asnumpy()).any():', '✗ Cell 1'),
)


@pytest.mark.slow
def test_pytorch_s_checkpoint_keeps_the_dice_unless_told_not_to():
    """As the listing promises, with a seed, so that a run by chance alike cannot pass."""
    torch = pytest.importorskip('torch')
    from torch.utils.checkpoint import checkpoint

    torch.manual_seed(0)
    x = torch.ones(500, requires_grad=True)
    for keep in (True, False):
        y = checkpoint(torch.nn.Dropout(0.5), x, use_reentrant=False, preserve_rng_state=keep)
        (dx,) = torch.autograd.grad(y.sum(), x)
        assert torch.equal(dx != 0, y != 0) is keep


def test_minicell_notices_nothing_by_itself():
    """As the lesson says: no message when the second run throws anew."""
    drop = nn.Dropout(p=0.5)
    drop.set_train()

    class Checkpoint(nn.Cell):
        def construct(self, x):
            return drop(x)

        def bprop(self, x, out, dout):
            return ms.vjp(drop, x)[1](dout)

    ms.set_seed(15)
    ms.grad(lambda x: Checkpoint()(x).sum())(ops.ones((10,)))  # warnings are errors here
