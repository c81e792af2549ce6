"""What is particular to lesson 15: what checkpoints save and cost, its figure, its two Cells and its hunt."""

import re
import time
from functools import partial
from itertools import pairwise

import numpy as np
import pytest

import minicell as ms
from minicell import nn, ops
from minicell.teach.about import about
from minicell.teach.ink.shapes import Box, Text
from minicell.teach.lesson15 import figures as figure
from minicell.teach.order import exercise
from tests.lessons.hunts import experiments
from tests.lessons.notebooks import by_id, read, shown
from tests.pace import best

AGAIN, DICE, HUNT = map(exercise, ('15a', '15b', '15c'))
CELLS = by_id(read('15').cells)


@pytest.fixture(scope='module')
def space():
    """What the first cells of the lesson define."""
    here: dict = {}
    for name in ('layers', 'measure'):
        exec(CELLS[f'l15-{name}'].source, here)
    run = CELLS['l15-run'].source
    exec(run[run.index('class Checkpoint') : run.index('layers, memory')], here)
    return here


# ---- memory and time ---------------------------------------------------------------------------------------------


def rows() -> dict[int, tuple[int, int]]:
    """The table: parts -> layers run, memory."""
    rows = r'^ *(\d+) parts of +\d+: (\d+) layers run, memory for (\d+) Tensors$'
    found = re.findall(rows, shown(CELLS['l15-shown']), re.M)
    return {int(many): (int(ran), int(memory)) for many, ran, memory in found}


def test_the_memory_is_least_near_the_root_and_each_layer_runs_twice():
    found = rows()
    assert list(found) == [1, 2, 4, 8, 16, 32, 64]
    assert {ran for ran, _ in found.values()} == {128}
    memory = [memory for _, memory in found.values()]
    assert min(memory) == found[8][1]
    assert all(a > b for a, b in pairwise(memory[:4])) and all(a <= b for a, b in pairwise(memory[3:]))


def test_what_the_text_says_of_the_table_is_so():
    memory = {many: memory for many, (_, memory) in rows().items()}
    assert [many for many in memory if memory[many] == min(memory.values())] == [8, 16]
    assert max(memory, key=memory.get) == 1
    asked = about('15').questions['parts']
    assert next(choice.text for choice in asked.choices if choice.right).startswith('8 or 16:')
    assert 'about 11.' in asked.after and shown(CELLS['l15-shown']).rstrip().endswith(' is about 11')


def test_the_check_agrees_where_no_dice_are_thrown():
    first, *_, holds, cut = shown(CELLS['l15-check']).splitlines()
    assert first.startswith('✓')
    assert holds.split()[1:] == ['check', '✓', 'gradient', '27.0', 'second', 'order', '18.0']
    assert cut.split() == ['Cut', 'check', '✓', 'gradient', '27.0', 'second', 'order', '0.0']
    assert all(f'✓ {name}: agrees' in shown(CELLS['l15-weights']) for name in ('dx', 'dpart.weight', 'dpart.bias'))
    noticed = shown(CELLS['l15-drop-check'])
    assert noticed.startswith('✗') and 'construct is random: differences are left out' in noticed


def test_the_gradients_are_equal_and_the_memory_is_a_fraction():
    said = shown(CELLS['l15-run'])
    whole, eighth = (int(number) for number in re.findall(r'memory for (\d+)', said))
    assert eighth < whole / 4
    assert said.rstrip().endswith('gradients 0.0')


def test_the_memory_is_what_one_reckons(space):
    """The inputs of the parts, and twice the layers of one part (product and tanh), and a few more."""
    for many in (4, 16):
        _, memory, _, _ = space['measured'](space['in_parts'](many))
        assert 0 <= memory - (many + 2 * 64 // many) <= 6


def test_loss_and_gradient_disagree_where_dice_are_thrown_again():
    kept, again = (
        re.search(rf'^{name} +forward .*?\[(.*?)\]\n +the gradient .*?\[(.*?)\]$', shown(CELLS['l15-drop']), re.M)
        for name in ('kept', 'checkpoint')
    )
    assert kept[1] == kept[2] and again[1] != again[2]
    assert 35 < int(re.search(r'agree on (\d+)%', shown(CELLS['l15-drop']))[1]) < 65


def test_the_tool_puts_the_dice_back():
    space: dict = {'np': np}
    exec(CELLS['l15-tool'].source.partition('with dice(15)')[0], space)
    np.random.seed(3)
    due = np.random.random(4)
    np.random.seed(3)
    seen = [np.random.random(2)]
    with pytest.raises(ZeroDivisionError), space['dice'](5):
        np.random.random(7)
        1 / 0  # noqa: B018
    seen.append(np.random.random(2))
    assert np.array_equal(np.concatenate(seen), due)
    start = DICE.start
    assert CELLS['l15-tool'].source.partition('with dice(15)')[0].partition('@')[2].strip() in start, (
        'one tool, not two'
    )


# ---- the figure --------------------------------------------------------------------------------------------------


TABLE = {0: (64, 131, 0.010)} | {k: (128, abs(k - 8) + 28, 0.02 + k / 1000) for k in (1, 2, 4, 8, 16, 32, 64)}


def test_what_is_kept_is_drawn():
    for many in figure.parts(TABLE):
        shapes = figure.strip(64, many)
        bars = [s for s in shapes if isinstance(s, Box) and s.h == figure.STRIP_H + 10]
        assert len(bars) == many
        again = next(s for s in shapes if isinstance(s, Box) and s.h == figure.STRIP_H and s.line == 2)
        assert again.w == pytest.approx((figure.WIDTH - 32) / many)


def test_every_drawing_has_one_size_and_its_text_fits():
    shown = figure.figure(TABLE)
    assert '8 parts of 8 layers' in shown.picture.value

    def drawn_anew(value):
        shown.control.value = not value
        begun = time.process_time()
        shown.control.value = value
        return time.process_time() - begun

    for place, many in enumerate(figure.parts(TABLE)):
        assert best(partial(drawn_anew, place), 0.15) < 0.15
        drawn = shown.draw(place)
        assert drawn.size == (figure.WIDTH, figure.HEIGHT) and f'{figure.count(many, "input")} kept' in drawn.words
        for shape in drawn.shapes:
            if isinstance(shape, Text):
                x, _, w, _ = shape.box
                assert not shape.full and x >= 0 and x + w <= figure.WIDTH and shape.size >= 12, shape
        assert 'role="img"' in shown.picture.value


def test_the_time_is_shown_live_alone():
    """It is another on each machine: a committed notebook says how to get it instead."""
    shown = figure.figure(TABLE)
    assert '28 ms instead of 10 ms' in shown.draw(shown.control.value).words
    kept = shown.shown._repr_mimebundle_()
    assert ' ms' not in kept['text/plain'] and ' ms' not in kept['image/svg+xml']
    assert 'run the cell' in kept['image/svg+xml']


def test_the_figure_of_the_dice_shows_what_ran_and_leaves_the_dice_alone(space):
    exec(CELLS['l15-drop'].source.partition('\n')[2].partition('ms.set_seed')[0], space)
    before = np.random.get_state()[1].copy()
    throws = figure.throws(space['masks'], space['Drop'](), space['Checkpoint'](space['Drop']()))
    apart = 0
    for seed in (1, 2, 20):
        throws.control.value = seed
        drawn = throws.draw(seed)
        kept, again = re.findall(r'let (.+?) pass, the gradient passed at (.+?)[;.]', drawn.words)
        assert kept[0] == kept[1]
        apart += again[0] != again[1]
        due = np.flatnonzero(np.random.RandomState(seed).random(10) < 0.5) + 1
        assert kept[0] == again[0] == ', '.join(map(str, due))
        for shape in drawn.shapes:
            if isinstance(shape, Text):
                x, _, w, _ = shape.box
                assert not shape.full and x >= 0 and x + w <= figure.WIDTH and shape.size >= 12, shape
    assert apart == 3
    assert np.array_equal(np.random.get_state()[1], before)


# ---- exercise 15a ------------------------------------------------------------------------------------------------


def body(of, lines: str) -> str:
    head, at, _ = of.start.partition('        dx = ...\n')
    assert at
    return head + '\n'.join(f'        {line}' for line in lines.split('\n')) + '\n'


@pytest.mark.parametrize(
    'lines',
    [
        'return ms.vjp(self.part, x, w)[1](dout)',
        'return ms.grad(lambda x, w: (self.part(x, w) * dout).sum(), (0, 1))(x, w)',
        'def loss(x, w):\n    return (dout * self.part(x, w)).sum()\nreturn list(ms.grad(loss, (0, 1))(x, w))',
        'return ms.ops.GradOperation(get_all=True, sens_param=True)(self.part)(x, w, dout)',
        'y, back = ms.vjp(self.part, ms.Tensor(x.asnumpy()), w)\nreturn back(dout)',
    ],
)
def test_other_checkpoints_pass(lines):
    verdict = AGAIN.check_code(body(AGAIN, lines))
    assert verdict.passed, verdict


BACK = 'dx, dw = ms.vjp(self.part, x, w)[1](dout)\n'


@pytest.mark.parametrize(
    ('lines', 'said', 'named'),
    [
        ('return ms.grad(self.part, (0, 1))(x, w)', 'Multiply by dout', 'no-dout'),
        ('dx, dw = ms.grad(self.part, (0, 1))(x, w)\nreturn dout * dx, dout * dw', 'off by', 'after'),
        ('return ms.grad(lambda x: (self.part(x, w) * dout).sum())(x), 0 * w', 'off by', 'only-x'),
        (BACK + 'return dw, dx', 'off by', None),
        (BACK + 'return -dx, dw', 'off by', None),
        (BACK + 'return dx, 2 * dw', 'off by', None),
        ('return ms.vjp(self.part, x, w)[1](ms.ops.abs(dout))', 'off by', None),
        ('return ms.vjp(self.part, ms.ops.abs(x), w)[1](dout)', 'off by', None),
        ('return ms.vjp(self.part, out, w)[1](dout)', 'off by', 'again-on-out'),
        (BACK + 'return dx * float("nan"), dw', 'yours nan', None),
        ('return (ms.vjp(self.part, x, w)[1](dout),)', '1 gradient for 2 inputs', None),
        (BACK + 'return dx', 'tuple', None),
        (BACK + 'return (dx,)', '1 gradient for 2 inputs', None),
        (BACK + 'return dx, dw.sum()', 'shape', None),
        (BACK + 'return dx, None', 'yours 0', None),
    ],
)
def test_wrong_checkpoints_fail(lines, said, named):
    verdict = AGAIN.check_code(body(AGAIN, lines))
    assert verdict.state == 'failed' and said.lower() in verdict.said.lower(), verdict
    assert (verdict.mistake.name if verdict.mistake else None) == named


def test_what_is_kept_for_each_call_is_seen():
    """A right gradient that remembers everything: one tape for each call."""
    key = 'tuple(each.asnumpy().tobytes() for each in (x, w))'
    kept = f'self.kept = {{**getattr(self, "kept", {{}}), {key}: back}}'
    forward = f'        out, back = ms.vjp(self.part, x, w)\n        {kept}\n        return out'
    code = AGAIN.solution.replace('        return self.part(x, w)', forward)
    code = code.replace('_, back = ms.vjp(self.part, x, w)', f'back = self.kept[{key}]')
    verdict = AGAIN.check_code(code)
    assert verdict.state == 'failed' and '0 times in backward' in verdict.said, verdict


# ---- exercise 15b ------------------------------------------------------------------------------------------------


HEAD = '_, seed = out\ndy, _ = dout\n'


@pytest.mark.parametrize(
    'lines',
    [
        'with dice(int(out[1].asnumpy())):\n    return (ms.grad(lambda x: (self.part(x) * dout[0]).sum())(x),)',
        HEAD + 'with dice(seed.item()):\n    return ms.vjp(self.part, x)[1](dy)',
        HEAD + 'kept = np.random.get_state()\nnp.random.seed(int(seed.item()))\n_, back = ms.vjp(self.part, x)\n'
        'np.random.set_state(kept)\nreturn [back(dy)[0]]',
    ],
)  # fmt: skip
def test_other_keepers_pass(lines):
    verdict = DICE.check_code(body(DICE, lines))
    assert verdict.passed, verdict


@pytest.mark.parametrize(
    ('lines', 'said', 'named'),
    [
        (HEAD + 'return ms.vjp(self.part, x)[1](dy)', 'by the dice of forward', 'new-dice'),
        (HEAD + 'with dice(int(seed.item()) + 1):\n    return ms.vjp(self.part, x)[1](dy)', 'by the dice of', None),
        (
            HEAD + 'np.random.seed(int(seed.item()))\nreturn ms.vjp(self.part, x)[1](dy)',
            'moved the dice',
            'turned-back',
        ),
        (HEAD + 'with dice(int(seed.item())):\n    return (-ms.vjp(self.part, x)[1](dy)[0],)', 'expected', None),
        (HEAD + 'with dice(int(seed.item())):\n    return (ms.vjp(self.part, x)[1](dy)[0] / 0,)', 'NaN', None),
        (HEAD + 'return (dy * out[0] / x,)', 'dx is NaN', None),
        (HEAD + 'return (dy * 2 * (out[0] != 0),)', 'a part that drops', 'from-y'),
        (HEAD + 'return dy, seed', 'two gradients', None),
        (HEAD + 'return dy', 'a bare Tensor', None),
        (HEAD + 'return (None,)', 'no Tensor', None),
        (HEAD + 'return (dy[:2],)', '', None),
        ('return out[7]', 'IndexError', None),
    ],
)
def test_wrong_keepers_fail(lines, said, named):
    verdict = DICE.check_code(body(DICE, lines))
    assert verdict.state == 'failed' and said in verdict.said, verdict
    assert (verdict.mistake.name if verdict.mistake else None) == named


def test_a_seed_on_self_is_seen():
    code = DICE.solution.replace('        with dice(seed):', '        self.seed = seed\n        with dice(seed):')
    verdict = DICE.check_code(code.replace('int(seed.item())', 'self.seed'))
    assert verdict.state == 'failed' and 'the first got the dice of the second' in verdict.said, verdict


@pytest.mark.parametrize(('of', 'old', 'new'), [
    (AGAIN, 'return self.part(x, w)', 'return self.part(x, w) * 2'),
    (DICE, 'return y, ms.Tensor(seed)', 'return y'),
    (DICE, 'return y, ms.Tensor(seed)', 'return y * 2, ms.Tensor(seed)'),
])  # fmt: skip
def test_construct_stays(of, old, new):
    assert old in of.solution
    verdict = of.check_code(of.solution.replace(old, new))
    assert verdict.state == 'failed' and 'construct no longer' in verdict.said, verdict


@pytest.mark.parametrize('of', [AGAIN, DICE])
@pytest.mark.parametrize('line', ['return (...,)', 'return ...'])
def test_half_begun_is_not_attempted(of, line):
    assert of.check_code(body(of, line)).state == 'open'


@pytest.mark.parametrize('of', [AGAIN, DICE, HUNT])
@pytest.mark.parametrize('given', [None, 3, 'text', nn.Dense, int, np.ones(3), nn.Dense(2, 2)])
def test_check_never_raises(of, given):
    assert of.check(given).state == 'failed'


def test_the_checks_leave_the_learners_dice_alone():
    ms.set_seed(3)
    due = np.random.random()
    for of in (AGAIN, DICE, HUNT):
        ms.set_seed(3)
        of.check_code(of.solution)
        assert np.random.random() == due, of.name


# ---- exercise 15c ------------------------------------------------------------------------------------------------


test_the_hunt_is_for_any_good_experiment = experiments(
    HUNT,
    [
        ('    cell.construct(x)  #', '    np.random.random(3), cell.construct(2 * x)  #', ''),
        ('(seen[0] != seen[1]).any()', 'not np.array_equal(*seen)', ''),
        ('after[0] == after[1]', 'len(set(after)) == 1', ''),
        ('((seen[0] != 0) != (y.asnumpy() != 0)).any()', '(seen[0] != y.asnumpy()).any()', ''),
        ('    cell.construct(x)  #', '    #', '✗ Cell 1'),
        ('if after[0] == after[1]:', 'if after[0] != after[1]:', '✗ Cell 2'),
        ('if (seen[0] != seen[1]).any():', 'if (seen[0] != y.asnumpy()).any():', '✗ Cell 1'),
        ("'stale dice'", "'stale'", 'none of the four words'),
        ("    return 'right'", '    return None', 'None, which is none'),
    ],
)


def test_the_named_belief_is_among_the_choices():
    known = {choice.misconception for question in about('15').questions.values() for choice in question.choices}
    assert 'recomputing gives the same numbers' in known


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
