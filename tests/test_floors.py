"""The house stands on floors: a module imports from its own floor or from below, never from above.

Imports inside functions count too. The core (up to `graph`) needs NumPy and the standard library alone.
"""

import ast
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / 'minicell'

FLOORS = [
    {'core', 'lazy', 'names'},
    {'errors'},
    {'traps'},
    {'tracing', 'printed', 'heard'},
    {'ops'},
    {'composite', 'jacobian', 'linear', 'numpy', 'start'},
    {'common', 'nn', 'amp', 'checkpoint'},
    {'graph', 'shown'},
    {'context'},
    {'ink'},
    {'story'},
    {'replay'},
    {'judge'},
    {'account'},
    {'listing', 'check', 'view', 'installation'},
    {'elsewhere', 'testing', 'explanation'},
    {'teach'},
    {'command'},
    {'__main__'},
]
# Inside the core, in the order in which it is read: each chapter imports from those before it alone.
CHAPTERS = [
    *('trap', 'tape', 'dtype', 'errors', 'tensor', 'rules', 'primitives'),
    *('bprop_result', 'differentiate', 'grad', 'cell', 'watch'),
]
FLOOR = {part: number for number, parts in enumerate(FLOORS) for part in parts}
ROOF_OF_CORE = FLOOR['graph']
# `minicell/__init__.py` is the face of the core: it may import all of it, and no module of the core imports it.
FACE = '__init__'

# The two exceptions of the design: methods that show a Tape, and the %load_ext hook, import what shows it in the call.
EXCEPTIONS = {('shown', function) for function in ('show', 'save', 'to_dot', 'why', 'verdicts', 'bundle', 'text')}
EXCEPTIONS |= {(FACE, 'load_ipython_extension')}


class Use(NamedTuple):
    """One import: where it stands and what it names."""

    place: str
    part: str  # the floor's name for the importing module
    function: str  # the innermost function around it, or ''
    module: str  # the absolute name of what is imported
    target: str  # the floor's name for it, '' outside minicell


def part_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix('.py')


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding='utf-8'))


def uses(path: Path) -> Iterator[Use]:
    """All imports of a module, wherever they stand in it."""
    package = ['minicell', *path.relative_to(PACKAGE).parts[:-1]]

    def visit(node: ast.AST, function: str) -> Iterator[Use]:
        if isinstance(node, ast.Import):
            yield from (use(node, function, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            base = '.'.join([*above, *filter(None, [node.module])])
            for alias in node.names:
                # `from minicell import ops` names a module, `from minicell.ops import add` something in one
                deeper = f'{base}.{alias.name}'
                yield use(node, function, deeper if base == 'minicell' and alias.name in FLOOR else base)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            function = node.name
        for child in ast.iter_child_nodes(node):
            yield from visit(child, function)

    def use(node: ast.stmt, function: str, module: str) -> Use:
        first, _, rest = module.partition('.')
        target = (rest.partition('.')[0] or FACE) if first == 'minicell' else ''
        return Use(f'{path.relative_to(ROOT)}:{node.lineno}', part_of(path), function, module, target)

    yield from visit(tree(path), '')


MODULES = sorted(PACKAGE.rglob('*.py'))
USES = [use for path in MODULES for use in uses(path)]


def floor(part: str) -> int:
    # what has no floor yet is told by a test of its own
    return FLOOR.get(part, ROOF_OF_CORE)


def excepted(use: Use) -> bool:
    return use.target in ('view', 'listing', 'judge', 'account') and (use.part, use.function) in EXCEPTIONS


def test_every_module_has_a_floor():
    homeless = {part_of(path) for path in MODULES} - set(FLOOR) - {FACE}
    assert not homeless, f'give these a floor in {Path(__file__).name}, and in the design: {sorted(homeless)}'


def test_imports_never_go_up():
    up = [
        f'{use.place}: {use.part} (floor {floor(use.part)}) imports {use.module} (floor {floor(use.target)})'
        for use in USES
        if use.target and not excepted(use) and (floor(use.target) > floor(use.part) or goes_out(use))
    ]
    assert not up, '\n'.join(up)


def goes_out(use: Use) -> bool:
    """Whether a module of the core imports the public face, which imports it."""
    return use.target == FACE and use.part != FACE and floor(use.part) <= ROOF_OF_CORE


def test_the_core_needs_numpy_alone():
    allowed = sys.stdlib_module_names | {'numpy', 'minicell'}
    foreign = [
        f'{use.place}: {use.module}'
        for use in USES
        if floor(use.part) <= ROOF_OF_CORE and use.module.partition('.')[0] not in allowed
    ]
    assert not foreign, '\n'.join(foreign)


def test_a_chapter_of_the_core_imports_from_those_before_it_alone():
    for use in USES:
        if use.part == 'core' and use.place.split(':')[0] != 'minicell/core/__init__.py':
            here = Path(use.place.split(':')[0]).stem
            for name in CHAPTERS[CHAPTERS.index(here) :]:
                assert use.module != f'minicell.core.{name}', f'{use.place}: {here} imports {name}'
            assert use.target in ('', 'core'), f'{use.place}: the core imports {use.module}'


def lines(path: Path) -> int:
    return len(path.read_text(encoding='utf-8').splitlines())


def test_the_core_is_a_book_that_one_can_read():
    """The limits that keep it so; the figures of today are printed with a failure."""
    core = {path.name: lines(path) for path in (PACKAGE / 'core').rglob('*.py')}
    assert len(core) <= 13 and sum(core.values()) <= 2753 and max(core.values()) <= 350, core
    assert core['tape.py'] <= 126
    engine = 'core', 'traps', 'graph', 'ops', 'nn', 'common'
    names = 613  # for those of MindSpore's that its pages use
    assert sum(lines(path) for part in engine for path in (PACKAGE / part).rglob('*.py')) <= 10_900 + names
    state = tree(PACKAGE / 'core/tape.py').body
    targets = [t for node in state for t in getattr(node, 'targets', [getattr(node, 'target', None)])]
    variables = [t.id for t in targets if isinstance(t, ast.Name)]
    assert len(variables) <= 12, variables
    assert sum(lines(path) for path in PACKAGE.glob('*.py')) <= 1885


def test_one_function_says_what_takes_over():
    """Who asks whether a Cell has a bprop, and whether a gradient is wanted, or whether another takeover runs."""
    asks = {
        node.name
        for path in MODULES
        if part_of(path) in ('core', 'nn', 'graph', 'common', 'ops')
        for node in ast.walk(tree(path))
        if isinstance(node, ast.FunctionDef)
        and {'bprop', 'hidden_address'} <= {getattr(each, 'attr', '') for each in ast.walk(node)}
    }
    assert asks == {'takes_over'}


def test_the_judge_is_small():
    for part, most in (('judge', 1461), ('replay', 1195), ('check', 440)):
        assert sum(lines(path) for path in (PACKAGE / part).rglob('*.py')) <= most, part


def test_what_lives_elsewhere_is_judged_in_few_lines_and_imported_by_none():
    """A framework is imported by its own package alone, which is found by the types of the arguments."""
    files = {path: lines(path) for path in (PACKAGE / 'elsewhere').rglob('*.py')}
    assert sum(files.values()) <= 2258 and max(files.values()) < 200, files
    for name, home in (('torch', 'torch_'), ('jax', 'jax_'), ('mindspore', 'mindspore_')):
        who = {use.place.split(':')[0] for use in USES if use.module.partition('.')[0] == name}
        assert all(f'minicell/elsewhere/{home}/' in place for place in who), who
    assert not [use for use in USES if use.target == 'elsewhere' and use.part not in FLOORS[FLOOR['elsewhere']]]


def test_the_core_names_no_trap_no_widget_and_no_graph():
    """What takes part in a gradient from outside joins it."""
    foreign = {'traps', 'graph', 'tracer', 'tracing', 'jit', 'widget', 'ipywidgets', 'hooks', 'mindspore'}
    foreign |= {path.stem for path in (PACKAGE / 'traps').glob('*.py')} - {'__init__'}
    for path in (PACKAGE / 'core').glob('*.py'):
        names = {getattr(node, 'id', getattr(node, 'attr', '')) for node in ast.walk(tree(path))}
        assert not names & foreign, f'{path.name}: {sorted(names & foreign)}'


def test_star_imports_hide_nothing():
    stars = [
        f'{path.relative_to(ROOT)}:{node.lineno}'
        for path in MODULES
        for node in ast.walk(tree(path))
        if isinstance(node, ast.ImportFrom) and node.names[0].name == '*'
    ]
    assert not stars, '\n'.join(stars)


@pytest.mark.parametrize(
    ('module', 'source', 'expected'),
    [
        ('ops/add.py', 'from minicell.jacobian import jacrev', [('ops', '', 'jacobian')]),
        ('ops/add.py', 'from ..jacobian import jacrev', [('ops', '', 'jacobian')]),
        ('ops/add.py', 'from .. import jacobian, core', [('ops', '', 'jacobian'), ('ops', '', 'core')]),
        ('ops/add.py', 'import minicell.nn.cell as c', [('ops', '', 'nn')]),
        ('check.py', 'import minicell as ms', [('check', '', FACE)]),
        ('check.py', 'from minicell import float32', [('check', '', FACE)]),
        ('shown.py', 'def show(self):\n  from . import view', [('shown', 'show', 'view')]),
        ('check.py', 'import numpy as np', [('check', '', '')]),
    ],
)
def test_the_reader_of_imports(module, source, expected, tmp_path, monkeypatch):
    monkeypatch.setitem(globals(), 'ROOT', tmp_path)
    monkeypatch.setitem(globals(), 'PACKAGE', tmp_path / 'minicell')
    path = tmp_path / 'minicell' / module
    path.parent.mkdir(parents=True)
    path.write_text(source)
    assert [(use.part, use.function, use.target) for use in uses(path)] == expected


def test_what_happened_is_told_once_and_in_few_lines():
    story = {path.name: lines(path) for path in (PACKAGE / 'story').glob('*.py')}
    assert sum(story.values()) <= 2497 and max(story.values()) <= 400, story
    assert lines(PACKAGE / 'listing.py') + lines(PACKAGE / 'view/dot.py') <= 200
    rooms = [path for path in MODULES if part_of(path) in ('story', 'listing', 'judge', 'account', 'view')]
    for name, home in (
        ('PRIMES', 'events'),
        ('self.maker', 'tensors'),
        ('self.called', 'tensors'),
        ('self.same', 'tensors'),
    ):
        defined = re.compile(rf'^\s*{re.escape(name)}(: [^=]+)? = ', re.MULTILINE)
        assert [path.stem for path in rooms if defined.search(path.read_text('utf-8'))] == [home], name
    assert not list((PACKAGE / 'view').rglob('tell*'))


def test_ink_knows_nothing_of_autodiff():
    """It takes arrays, and what it needs beside NumPy it imports where it makes pixels."""
    ink = [use for use in USES if use.part == 'ink']
    assert not [use for use in ink if use.target not in ('', 'ink')]
    assert {use.module.partition('.')[0] for use in ink} - sys.stdlib_module_names == {
        'numpy', 'minicell', 'matplotlib', 'PIL',
    }  # fmt: skip
    assert {use.place.split(':')[0] for use in ink if use.module.startswith(('matplotlib', 'PIL'))} == {
        'minicell/ink/png.py'
    }


def test_the_pictures_and_the_lessons_are_drawn_in_few_lines():
    for part, most in (('account', 893), ('ink', 2200), ('view', 3912), ('teach', 10_574)):
        files = [path for end in ('py', 'js', 'css') for path in (PACKAGE / part).rglob(f'*.{end}')]
        assert sum(map(lines, files)) <= most, part


def test_there_is_one_palette():
    """So that a hue means the same in a figure as in the picture of a tape: orange is your own code, and no number."""
    palette = tree(PACKAGE / 'ink/style.py').body
    known = {each.value for node in palette for each in ast.walk(node) if isinstance(each, ast.Constant)}
    for part in ('ink', 'view', 'teach'):
        for path in (path for end in ('py', 'js', 'css') for path in (PACKAGE / part).rglob(f'*.{end}')):
            used = set(re.findall(r'#[0-9a-fA-F]{6}\b', path.read_text('utf-8')))
            assert used <= known, f'{path.name}: {used - known}'


def test_the_lessons_kit_stays_small():
    files = [path for path in (PACKAGE / 'teach').rglob('*') if path.is_file() and '__pycache__' not in path.parts]
    assert len(files) <= 80
    kit = [path for path in files if path.parent.name == 'teach' and not path.name.startswith('lesson0')]
    apart = {'plot.py': 159, 'texts.py': 188}  # what the lessons draw with, and what reads their text
    assert {path.name: lines(path) for path in kit if path.name in apart} == apart
    assert sum(lines(path) for path in kit if path.name not in apart) <= 2988


VIEW = sorted((PACKAGE / 'view').rglob('*.py'))


@pytest.mark.parametrize('path', VIEW, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_the_measures_of_the_picture_stand_in_one_file(path):
    """No number from 3 up: what it measures has a name in view/style.py. And no file is longer than 400 lines."""
    numbers = [
        node for node in ast.walk(tree(path)) if isinstance(node, ast.Constant) and type(node.value) in (int, float)
    ]
    found = [f'line {node.lineno}: {node.value}' for node in numbers if abs(node.value) >= 3]
    assert not found or path.name == 'style.py', found
    lines = len(path.read_text(encoding='utf-8').splitlines())
    assert lines <= (160 if path.name == 'style.py' else 400)
