"""Who computed each gradient: what a Record says against a count of who ran; and nothing that is told ever raises."""

import linecache
import re
import warnings
from collections import Counter

import authors
import gallery
import generated
import numpy as np
import pytest
import ran

import minicell as ms
from minicell.view.picture import Picture
from minicell.view.tell import tell
from minicell.view.tell.teller import Teller

CELLS = {
    'Cube': 'ms.grad(cells.Cube())(x)',
    'Product': 'ms.grad(cells.Product(), (0, 1))(x, x)',
    'Keeps': 'ms.grad(ms.grad(lambda x: cells.Keeps()(x).sum()))(x)',
    'Split': 'ms.grad(lambda x: cells.Split()(x)[0].sum() + cells.Split()(x)[1].sum())(x)',
    'Scale': 'scale = cells.Scale(); ms.grad(lambda x: scale(x).sum(), 0, scale.internal_params)(x)',
    'Spy': 'ms.grad(lambda x: cells.Spy()(x, x * 2))(x)',
    'returning': 'ms.grad(cells.returning(lambda x, out, dout: (dout,)))(x)',
    'returning nothing': 'ms.grad(cells.returning(lambda x, out, dout: None))(x)',
    'returning a wrong shape': 'ms.grad(cells.returning(lambda x, out, dout: (dout[0],)))(x)',
}
HEAD = 'from tests.core import cells\nx = ms.Tensor([0.5, -1.0, 2.0])\nwith ms.Tape() as tape:\n    '
MANY = 320


def run(source, name):
    """The tape of a program, who ran, and the names of the hooks that ran."""
    file = f'<cell {name}>'
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    space = {}
    exec(compile(gallery.HEAD, '<head>', 'exec'), space)
    with warnings.catch_warnings(), np.errstate(all='ignore'), ran.counting() as counts:
        warnings.simplefilter('ignore')
        try:
            exec(compile(source, file, 'exec'), space)
        except Exception:
            assert isinstance(space.get('tape'), ms.Tape)
    lines = source.splitlines()
    hooks = Counter(next(n for n, text in enumerate(lines, 1) if f'def {h}(' in text) for h in space.get('calls', ()))
    return space['tape'], counts, hooks


def wrapped_hooks(source, told):
    """Hooks of Cells are lambdas here, that call a hook: its line."""
    out = Counter()
    for line, count in told.items():
        text = source.splitlines()[line - 1]
        if found := re.search(r'_hook\(lambda .*: (hook\d+)\(', text):
            line = next(n for n, t in enumerate(source.splitlines(), 1) if f'def {found[1]}(' in t)
        out[line] += count
    return out


def check(source, name, drawn=True):
    tape, counts, hooks = run(source, name)
    record = tell(tape)
    assert record.unknown == ()
    own, hooked = ran.told(record)
    assert own == counts
    assert wrapped_hooks(source, hooked) == hooks
    with warnings.catch_warnings(), np.errstate(all='ignore'):
        warnings.simplefilter('ignore')
        for zoom in gallery.ZOOMS if drawn else ():
            picture = Picture(tape, zoom=zoom)
            for number, step in enumerate(picture.films[0].steps):
                assert step.title and step.caption and picture.alt(number)
        tape.to_dot()
        str(tape)
    return record


@pytest.mark.parametrize('name', [n for n in gallery.ALL if n not in ('thousand', 'long_cells')])
def test_the_gallery(name):
    check(gallery.ALL[name].strip() + '\n', name)


@pytest.mark.parametrize('name', CELLS)
def test_the_cells_of_the_core(name):
    check(HEAD + CELLS[name] + '\n', f'core {name}')


@pytest.mark.thorough
@pytest.mark.parametrize('part', range(16))
def test_generated(part):
    for seed in range(part * MANY // 16, (part + 1) * MANY // 16):
        try:
            check(generated.program(seed), f'generated {seed}', seed % 8 == 0)  # test_programs.py draws more of them
        except Exception as error:
            error.add_note(f'program {seed}:\n{generated.program(seed)}')
            raise


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
    found = [a for seed in range(0, MANY, 8) for a in authors.of(tell(run(generated.program(seed), f'g {seed}')[0]))]
    assert {'rule', 'bprop', 'hook'} <= {a.kind for a in found}


def test_an_event_that_nobody_knows_is_left_out():
    class Strange:
        at = 3

    tape = gallery.run('fanout')
    teller = Teller(tape, set())
    for event in [*tape.events[:3], Strange(), *tape.events[3:]]:
        teller.tell(event, None)
    record = teller.finish()
    assert record.unknown == ('Strange',)
    assert [s.kind for s in record.steps] == [s.kind for s in tell(tape).steps]
