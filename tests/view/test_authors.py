"""Who computed each gradient: what a Record says against a count of who ran; and all else that is asked of a Tape.

This is the home of the generated programs: 10 of them on each push, 500 in the nightly run.
"""

import re
from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest

from minicell.story import tell
from tests.view import everything, gallery, generated, ran

CELLS = {
    'Cube': 'ms.grad(cells.Cube())(x)',
    'Product': 'ms.grad(cells.Product(), (0, 1))(x, x)',
    'Keeps': 'ms.grad(ms.grad(lambda x: cells.Keeps()(x).sum()))(x)',
    'Split': 'ms.grad(lambda x: cells.Split()(x)[0].sum() + cells.Split()(x)[1].sum())(x)',
    'Scale': 'scale = cells.Scale(); ms.grad(lambda x: scale(x).sum(), 0, scale.internal_params)(x)',
    'Spy': 'ms.grad(lambda x: cells.Spy()(x, x * 2))(x)',
    'returning': 'ms.grad(cells.returning(lambda x, out, dout: (dout,)))(x)',
    'returning nothing': 'ms.grad(cells.returning(lambda x, out, dout: None))(x)',
    'returning another shape': 'ms.grad(cells.returning(lambda x, out, dout: (dout[0],)))(x)',
}
HEAD = 'from tests.core import cells\nx = ms.Tensor([0.5, -1.0, 2.0])\nwith ms.Tape() as tape:\n    '
MANY = 500


def wrapped_hooks(source, told):
    """Hooks of Cells are lambdas here, that call a hook: its line."""
    out = Counter()
    for line, count in told.items():
        text = source.splitlines()[line - 1]
        if found := re.search(r'_hook\(lambda .*: (hook\d+)\(', text):
            line = next(n for n, t in enumerate(source.splitlines(), 1) if f'def {found[1]}(' in t)
        out[line] += count
    return out


def check(source, name, seed=0, animated=False):
    """The authors are those who ran, each verdict is given or has a reason, and whatever else is asked is answered."""
    np.random.seed(seed)
    tape, counts, hooks = ran.run(source, name)
    record = tell(tape)
    own, hooked = ran.told(record)
    assert own == counts
    assert wrapped_hooks(source, hooked) == (hooks or Counter())
    assert all(v.ok or v.why for each in (*record.readings, *record.passes) for v in each.verdicts)
    return everything.asked(tape, seed, animated)


@pytest.mark.slow
@pytest.mark.parametrize('name', gallery.ALL)
def test_the_gallery(name):
    source = gallery.ALL[name].strip() + '\n'
    if name in gallery.LONG:
        counts = everything.asked(gallery.run(name), len(name))
    else:
        counts = check(source, name, len(name), len(name) % 4 == 0)
    assert counts['steps'] >= 3 and everything.accounts(gallery.run(name), 1, 25) <= 25


@pytest.mark.parametrize('name', CELLS)
def test_the_cells_of_the_core(name):
    check(HEAD + CELLS[name] + '\n', f'core {name}')


def generated_program(seed):
    source = generated.program(seed)
    try:
        check(source, f'generated {seed}', seed, seed % 25 == 0)
    except Exception as error:
        error.add_note(f'program {seed}:\n{source}')
        raise


@pytest.mark.slow
@pytest.mark.parametrize('seed', range(0, MANY, MANY // 10))
def test_a_generated_program(seed):
    generated_program(seed)


@pytest.mark.nightly
@pytest.mark.parametrize('part', range(20))
def test_generated_programs(part):
    for seed in range(part, MANY, 20):
        generated_program(seed)


def test_the_generated_programs_do_what_they_are_for():
    text = '\n'.join(generated.program(seed) for seed in range(MANY))
    for word in (
        'vjp',
        'jacrev',
        'jacfwd',
        'register_hook',
        'backward_pre_hook',
        'InsertGradientOf',
        'assign_add',
        'opt(',
    ):
        assert text.count(word) > 10


def test_an_event_that_nobody_knows_is_left_out():
    class Strange:
        at = 3

    tape = gallery.run('fanout')
    odd = SimpleNamespace(events=[*tape.events[:3], Strange(), *tape.events[3:]], value=tape.value, error=None)
    record = tell(odd)
    assert record.unknown == ('Strange',)
    assert [s.kind for s in record.steps] == [s.kind for s in tell(tape).steps]
