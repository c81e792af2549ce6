"""What a type checker sees of minicell: a user's file passes in mypy's strictest mode, and mistakes are found."""

import ast
import inspect
import json
import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

import minicell as ms
from minicell import names

ROOT = Path(__file__).resolve().parents[1]

RIGHT = """\
from pathlib import Path
from typing import assert_type

import minicell as ms
import minicell.numpy as mnp
from minicell import GradOperation, Parameter, ParameterTuple, Tensor, nn, ops
from minicell.errors import BpropShapeError, ImplicitSumWarning


class Square(nn.Cell):
    def construct(self, x: Tensor) -> Tensor:
        return x * x

    def bprop(self, x: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor]:
        return (2 * x * dout,)


class Net(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.dense = nn.Dense(2, 1, activation='relu')
        self.scale = Parameter(Tensor([1.0]), name='scale')
        self.layers = nn.SequentialCell(nn.ReLU(), nn.Dropout(p=0.1))

    def construct(self, x: Tensor) -> Tensor:
        y: Tensor = self.layers(self.dense(x))
        return y * self.scale


class Cube(ops.Primitive):
    def kernel(self, x: object) -> object:
        return x

    def rule(self, g: Tensor, out: Tensor, x: Tensor) -> tuple[Tensor]:
        return (g * 3 * x * x,)


@ms.jit
def norm(x: Tensor) -> Tensor:
    return ops.sqrt((x * x).sum())


ms.set_seed(1)
x = ms.tensor([0.5, 1.5], dtype=ms.float32)
shape: tuple[int, ...] = (x.reshape(2, -1) @ ops.ones((1, 3))).T.shape
number: float = float(ops.relu(x - 1)[0]) + ms.from_numpy(x.asnumpy()).astype(ms.float64).mean().item()
slope: Tensor = ms.grad(Square())(x) + ms.grad(Cube())(x)
assert_type(Square()(x), Tensor)
assert_type(nn.ReLU()(x), Tensor)
assert_type(norm(x), Tensor)
assert_type(ms.grad(Square())(x), Tensor)
assert_type(ms.grad(Square(), (0,))(x), tuple[Tensor, ...])
value, slopes = ms.value_and_grad(Square(), 0, None)(x)
assert_type((value, slopes), tuple[Tensor, Tensor])
out, back = ms.vjp(Square(), x)
assert_type(back(out), tuple[Tensor, ...])
out, along = ms.jvp(Square(), x, ops.ones_like(x))
first: Tensor = GradOperation(get_all=True)(Square())(x)[0]
rows: Tensor = ms.jacrev(Square())(x)
assert ms.check_bprop(Square(), x)
assert [row.name for row in ms.check_bprop(Square(), x).rows] == ['x']

with ms.Tape() as tape:
    ms.grad(Square())(x)
events: int = len(tape.events)
total: str = tape.why('dx', 0).total
written: type[Path] = type(tape.save('tape.html'))
same: ms.Tape = ms.explain(Square(), x)

net = Net()
assert_type(ms.value_and_grad(net, None, net.trainable_params())(x.reshape(1, 2))[1], tuple[Tensor, ...])
net.training = True
net.set_train().set_grad()
step = nn.SGD(net.trainable_params(), learning_rate=0.1)
loss = nn.MSELoss(reduction='mean')
train = nn.TrainOneStepCell(nn.WithLossCell(net, loss), step)
for _ in range(2):
    train(ops.randn(4, 2), ops.zeros((4, 1)))
weights = ParameterTuple(net.trainable_params())
names: list[str] = [weight.name for weight in weights]
print(norm(x), norm.graphs[0], mnp.concatenate((x, x)), ops.Add()(x, 1), ops.max(x)[0], x == x, issubclass(
    ImplicitSumWarning, Warning), BpropShapeError, ms.GRAPH_MODE, ms.float, ms.get_context('mode'))
"""

# each line is wrong, and at its end stands what mypy calls that
WRONG = """\
import minicell as ms
from minicell import Tensor, nn, ops

x = Tensor([1.0], dtype='float32')  # arg-type
ms.grad(3)  # call-overload
ms.grad(nn.ReLU(), grad_position='x')  # arg-type
ms.grad(nn.ReLU(), has_aux=1)  # call-overload
ms.value_and_grad(nn.ReLU(), weight=None)  # call-overload
ms.vjp(nn.ReLU(), 2.0)  # call-overload
ops.sin(2.0)  # arg-type
ops.add(x, 'one')  # arg-type
ops.add(x)  # call-arg
ops.sine(x)  # attr-defined
x + 'one'  # operator
x.asnump()  # attr-defined
x.sum(axes=0)  # call-arg
n: int = x.shape  # assignment
nn.Dense(2)  # call-arg
nn.SGD(learning_rat=0.1)  # call-arg
nn.Softmax(axs=0)  # call-arg
nn.Lion  # attr-defined
ms.Parameter(x, requires_grad='no')  # arg-type
ms.check_bprop(3)  # arg-type
ms.check_bprop(nn.ReLU(), x).row  # attr-defined
ms.Tape().event  # attr-defined
ms.Tape().save(3)  # arg-type
nn.ReLU()(x, x)  # call-arg
ms.grad(nn.ReLU())(2.0)  # arg-type
ms.value_and_grad(nn.ReLU())(x, x)  # call-arg
ms.jit(ops.sin)(2.0)  # arg-type
ms.jit(capture_mode=3)  # call-overload
ms.no_such_name  # attr-defined
"""


def complaints(folder: Path, text: str, *options: str) -> set[tuple[int, str]]:
    """What mypy says of a file in a folder of its own: lines and the kinds of mistakes."""
    pytest.importorskip('mypy')
    (folder / 'user.py').write_text(text, encoding='utf-8')
    # `silent`: of minicell's own files only what they offer is asked, as of an installed package
    command = [sys.executable, '-m', 'mypy', '--follow-imports=silent', '--show-error-codes', *options, 'user.py']
    env = {**os.environ, 'MYPYPATH': str(ROOT), 'MYPY_CACHE_DIR': str(folder.parent / 'mypy')}
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=300)
    assert done.returncode in (0, 1) and not done.stderr, done.stdout + done.stderr
    found = re.findall(r'^user\.py:(\d+): error: .*\[([\w-]+)\]$', done.stdout, re.M)
    assert f'Found {len(found)} error' in done.stdout or 'Success' in done.stdout, done.stdout
    return {(int(line), kind) for line, kind in found}


@pytest.mark.slow
def test_stubs_are_what_their_script_writes():
    # in a Python of its own: what other tests have loaded is no part of them
    code = 'import json, runpy, sys; print(json.dumps(runpy.run_path(sys.argv[1])["stubs"]()))'
    command = [sys.executable, '-c', code, str(ROOT / '.github/stubs.py')]
    stubs = json.loads(subprocess.run(command, capture_output=True, text=True, check=True, timeout=300).stdout)
    assert sorted(stubs) == sorted(str(file.relative_to(ROOT)) for file in (ROOT / 'minicell').rglob('*.pyi'))
    late = [path for path, text in stubs.items() if (ROOT / path).read_text(encoding='utf-8') != text]
    assert late == [], 'run: python .github/stubs.py'


def test_the_changelog_says_which_names_came_went_or_changed():
    names_of = runpy.run_path(str(ROOT / '.github/names.py'))
    written = names_of['PART'].search((ROOT / 'CHANGELOG.md').read_text(encoding='utf-8'))
    assert written[0] == names_of['part'](), 'run: python .github/names.py'
    before, now = names_of['kept'](), names_of['names']()
    assert len(before) > 500 and now['ops.add'] == before['ops.add'] == '(input, other)'
    assert {f'ms.{name}' for name in offered('minicell/__init__.pyi')} - {*now} == {'ms.__version__'}


def offered(stub: str) -> set[str]:
    """The names that a checker finds in a stub; of `tensor.pyi`, those of its class."""
    body = ast.parse((ROOT / stub).read_text(encoding='utf-8')).body
    if stub.endswith('tensor.pyi'):
        body = next(node for node in body if isinstance(node, ast.ClassDef)).body
    found = {node.name for node in body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    found |= {node.target.id for node in body if isinstance(node, ast.AnnAssign)}
    imports = [alias for node in body if isinstance(node, ast.ImportFrom) for alias in node.names]
    return found | {alias.asname for alias in imports if alias.asname == alias.name}


def test_a_checker_finds_every_name_that_comes_late_or_from_a_table():
    late = {name for name in dir(ms) if not name.startswith('_') and not inspect.ismodule(getattr(ms, name))}
    assert late - offered('minicell/__init__.pyi') == {'later', 'load_ipython_extension'}
    assert {'Tape', 'check_bprop', 'explain', 'jit', 'GRAPH_MODE', *names.DTYPES} <= late | {'bool', 'float', 'int'}
    assert (ROOT / 'minicell/py.typed').read_text() == '', 'the mark of a typed package'
    assert set(ms.nn.__all__) == offered('minicell/nn/__init__.pyi')
    aliases = {*names.ALIASES, *names.ARGUMENTS, *ms.ops.operators.WITHOUT_SETTINGS}
    aliases.update(' '.join(names.ALIASES.values()).split())
    assert {name for name in aliases if not name.startswith('_')} <= offered('minicell/ops/__init__.pyi')
    assert {*names.SAME.split(), *names.OF_METHODS, *names.DTYPES} <= offered('minicell/core/tensor.pyi')


@pytest.mark.slow
def test_a_users_file_passes_the_strictest_mode(tmp_path):
    assert complaints(tmp_path, RIGHT, '--strict') == set()
    public = re.findall(r'\b(?:ms|nn|ops|mnp)\.(\w+)', RIGHT)
    assert len(set(public)) > 30


def test_a_users_file_does_what_its_types_say(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made: dict = {'__name__': 'user'}
    exec(compile(RIGHT, 'user.py', 'exec'), made)
    for name, kind in (('shape', tuple), ('number', float), ('events', int), ('total', str), ('names', list)):
        assert isinstance(made[name], kind), name
    assert issubclass(made['written'], Path)


@pytest.mark.slow
def test_wrong_uses_are_found(tmp_path):
    lines = WRONG.splitlines()
    due = {(number, line.partition('  # ')[2]) for number, line in enumerate(lines, 1) if '  # ' in line}
    assert len(due) == len(lines) - 3
    assert complaints(tmp_path, WRONG) == due
