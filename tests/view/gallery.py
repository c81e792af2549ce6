"""A gallery of programs, each run as a notebook cell would be: compiled from text that linecache knows."""

import linecache
import warnings
from functools import cache

import numpy as np
from programs import PROGRAMS as FIRST
from programs_more import ENCODINGS, LONG

import minicell as ms
from minicell import view
from minicell.view import film

HEAD = 'import numpy as np\nimport minicell as ms\nfrom minicell import nn, ops\n'
PROGRAMS = {**FIRST, **ENCODINGS}
ALL = {**PROGRAMS, **LONG}
LOOKS = {
    'ops': {'zoom': 'ops'},  # the one that a notebook starts with
    'cells': {'zoom': 'cells'},
    'inside': {'zoom': 'inside'},
    'alone': {'compare': False},
    'folded': {'fold': True},
}
ZOOMS = ('ops', 'cells', 'inside')
# Programs that are looked at in every zoom: those in which a zoom shows something else.
ZOOMED = (
    'matmul', 'matmul_loss', 'dropout', 'relu6', 'cube', 'dense', 'nested_custom', 'hidden_ops', 'params', 'deep',
    'ifnode', 'ifnode12', 'structures', 'raises', 'broken_construct', 'empty', 'forward_only', 'thousand',
    'long_cells',
)  # fmt: skip
ALONE = ('matmul', 'large_wrong', 'none', 'structures')  # also without the true gradient
FOLDED = ('ifnode', 'ifnode12', 'dense', 'long_cells', 'thousand')
MOST = 10  # frames of one program that are drawn for the gallery; of a longer one, as many from all over it


@cache
def run(name):
    """The tape of a program; an exception that the program ends with is on it."""
    return tape_of(ALL[name].strip() + '\n', name)


def tape_of(source, name):
    file = f'<cell {name}>'
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    space = {}
    exec(compile(HEAD, '<head>', 'exec'), space)
    try:
        with warnings.catch_warnings(), np.errstate(all='ignore'):  # some programs are wrong on purpose
            warnings.simplefilter('ignore', ms.errors.MinicellWarning)
            exec(compile(source, file, 'exec'), space)
    except Exception:
        assert isinstance(space.get('tape'), ms.Tape)
    return space['tape']


def pairs():
    """Every program with every look that it is drawn in."""
    extra = [(name, 'alone') for name in ALONE] + [(name, 'folded') for name in FOLDED]
    return [(name, look) for name in ALL for look in (ZOOMS if name in ZOOMED else ZOOMS[:1])] + extra


@cache
def frames(name, look='ops'):
    """All frames of a program of the gallery."""
    return view.frames(run(name), **LOOKS[look])


def chosen(name, look='ops'):
    """The frames of a program that are drawn: all, or of a long one the stills and some from all over it."""
    found = frames(name, look)
    if len(found) <= MOST:
        return found
    spread = np.linspace(0, len(found) - 1, MOST).round().astype(int)
    steps = {*spread.tolist(), *(f.step for f in film.stills(found))}
    return [found[i] for i in sorted(steps)]


@cache
def pictures():
    """Every frame of the gallery as SVG, with where it is from; what several looks draw alike stands here once."""
    found = {}
    for name, look in pairs():
        for frame in chosen(name, look):
            found.setdefault(view.svg(frame), (name, look, frame))
    return found
