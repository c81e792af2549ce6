"""Ask the judge about a small Cell, under a Tape and by check_bprop, beside central differences that are taken here.

A table of Cells is text, `name | x=X, y=Y | construct | right bprop | wrong bprop`: a bprop is what stands in its
tuple, and a line that begins with a blank goes on with the last one.
"""

import re

import numpy as np
import pytest

import minicell as ms
from minicell import Tensor
from minicell.core.tensor import is_float, map_tensors, tensors_in
from tests.core.cells import made

JUDGE = pytest.mark.filterwarnings('ignore')
floats = lambda found: [t for t in tensors_in(found) if is_float(t)]
places = lambda xs: tuple(k for k, x in enumerate(xs) if isinstance(x, Tensor) and is_float(x))
# a dout with another number in each place, because ones hide mistakes; and a loss that gives it to a Cell
ramp = lambda t: np.linspace(0.5, 2, t.size).reshape(t.shape).astype(t.asnumpy().dtype)
weighed = lambda cell: lambda *xs, **more: sum((t * Tensor(ramp(t))).sum() for t in floats(cell(*xs, **more)))


def rows(text: str, names: dict, also: tuple = ()) -> dict[str, tuple]:
    """The lines of a table: name -> functions and inputs; `also`: columns that are no bprops, from the right."""
    found = {}
    for line in re.sub(r'\n +', ' ', text.strip()).split('\n'):
        name, inputs, construct, *rest = (each.strip() for each in line.split(' | '))
        given = ', '.join(re.findall(r'(\w+)=', inputs))
        made_of = [eval(f'lambda s, {given}: {construct}', names)]
        for k, each in enumerate(rest, -len(rest)):
            made_of.append(eval(each if k in also else f'lambda s, {given}, out, dout: ({each},)', names))
        found[name] = (*made_of, *(eval(each, names) for each in re.findall(r'=(\w+)', inputs)))
    return found


def members(text: str, names: dict, also: tuple = ()) -> pytest.MarkDecorator:
    """Parametrize by the lines of a table."""
    found = rows(text, names, also)
    return pytest.mark.parametrize('row', found.values(), ids=found)


def read(f, *xs, where=0, weights=None) -> ms.Tape:
    """The Tape of a gradient."""
    with ms.Tape() as tape:
        ms.grad(f, where, weights)(*xs)
    return tape


def told(tape: ms.Tape) -> list:
    """The verdicts on what was asked for, in the order of their places."""
    return sorted((v for v in tape.verdicts() if v.asked), key=lambda v: v.place)


def words(tape: ms.Tape) -> list[str]:
    """The same as words."""
    return [v.verdict for v in told(tape)]


def judged(construct, bprop, *xs) -> list[str]:
    """The words for all float inputs of a Cell."""
    return words(read(weighed(made(construct, bprop)), *xs, where=places(xs)))


def checked(construct, bprop, *xs, **more) -> list[str]:
    """What check_bprop says of them; its answer is yes where all are right, or kinks."""
    result = ms.check_bprop(made(construct, bprop), *xs, **more)
    said = [r.verdict for r in result.rows]
    assert result.ok is bool(result) is (set(said) <= {'right', 'kink', 'not asked'}), repr(result)
    return said


def slopes(cell, xs: tuple) -> list[np.ndarray]:
    """What is due for each float Tensor: central differences in Float64, each output by itself."""
    arrays = [t.asnumpy().astype(np.float64) for t in floats(xs)]
    found = [np.zeros_like(a) for a in arrays]

    def outs() -> list[np.ndarray]:
        now = iter(arrays)
        given = map_tensors(xs, lambda t: Tensor(next(now)) if is_float(t) else t)
        return [t.asnumpy() for t in floats(type(cell).construct(cell, *given))]

    for a, g in zip(arrays, found, strict=True):
        for i in np.ndindex(a.shape):
            middle, h = a[i], 1e-5 * max(abs(a[i]), 0.1)
            a[i] = middle + h
            above = outs()
            a[i] = middle - h
            g[i] = sum(np.sum((u - d) * ramp(Tensor(d))) for u, d in zip(above, outs(), strict=True)) / (2 * h)
            a[i] = middle
    return found


def near(yours, due) -> bool:
    """Whether it is the same gradient, as far as Float16 can tell."""
    yours = np.zeros_like(due) if yours is None else np.asarray(yours, np.float64)
    return bool(np.all(np.abs(yours - due) <= 5e-3 * np.abs(due) + 1e-7 * np.abs(due).max(initial=0)))


def hold(construct, right, wrong, *xs, due=None) -> None:
    """The judge says of a right and of a wrong bprop what central differences (or `due`) say, input by input."""
    for bprop, ok in ((right, True), (wrong, False)):
        cell = made(construct, bprop)
        tape = read(weighed(cell), *xs, where=places(xs))
        true = slopes(cell, xs) if due is None else due
        said = told(tape)
        expected = ['right' if near(v.yours, d) else 'wrong' for v, d in zip(said, true, strict=True)]
        assert ('wrong' not in expected) is ok, 'the pair itself'
        assert [v.verdict for v in said] == expected, said
        for k, (v, d) in enumerate(zip(said, true, strict=True)):
            assert v.cell == 'Mine' and v.by and v.ok is (v.verdict == 'right') and bool(v.why) is (not v.ok), v
            assert near(np.where(np.isnan(v.due), d, v.due), d), (v, d)
            assert ('agrees' in str(tape.why(f'd(xs[{k}])', v.worst or (0,) * np.ndim(d)))) is v.ok
        assert checked(construct, bprop, *xs) == expected
