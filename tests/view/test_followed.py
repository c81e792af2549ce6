"""What cannot be told is told around: a line under the picture says so, and no caption says what is not."""

import ast
import importlib
import inspect
import pkgutil
import re
import types
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest

import minicell as ms
from minicell import story
from minicell.account import maker
from minicell.story import followed, tell
from minicell.story.forward import Forward
from minicell.view.picture import Picture
from tests.messages import tells
from tests.view import gallery

CUBE = """
class Cube(nn.Cell):
    def construct(self, x):
        return x * x * x
    def bprop(self, x, out, dout):
        return (dout * 3 * x * x,)
"""
PROGRAMS = {
    'hooked': CUBE + """
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w, self.cube = ms.Parameter(ms.Tensor(0.5), name='w'), Cube()
    def construct(self, x):
        y = ops.sin(x) * self.w
        y.register_hook(lambda g: g * 4)
        return self.cube(y) + y
net, x = Net(), ms.Tensor(2.0)
net.register_backward_hook(lambda cell, gone, came: (gone[0] * 0.25,))
with ms.Tape() as tape:
    mask = x > 1
    dx, dw = ms.grad(net, 0, net.trainable_params())(x)
    ops.assign(net.w, net.w - dw[0] * 0.125)
    ops.matmul(ms.Tensor([1.0, 2.0, 3.0]), ms.Tensor([1.0, 2.0]))
""",
    'twice': CUBE + """
cube = Cube()
with ms.Tape() as tape:
    d2x = ms.grad(ms.grad(lambda x: ops.cos(x) * cube(x)))(ms.Tensor(0.75))
""",
}  # fmt: skip
SAYS_NOT = re.compile(  # that something is not so, is the first, is all, or how often: only a whole record knows
    r'\b(zero|none|missing|no|not|nothing|never|nobody|empty|starts? with|twice|times|constant|before)\b', re.IGNORECASE
)
NUMBER = re.compile(r'(?<![\w.′])−?\d+(?:\.\d+)?(?:e−?\d+)?')
ALSO = {  # true, though a whole picture shows the larger expression that these are a part of
    'Inside Cube, x * x runs, and is not taped', 'The result is −1.53.',
}  # fmt: skip


class Bug(Exception):
    """A fault of minicell's own."""


def raising(*given, calls_, **more):
    return calls_(*given, **more)


class Calls:
    """The calls of a broken function: each raises, or only the one of a number."""

    def __init__(self, function, only):
        self.only, self.count = only, 0
        self.function = types.FunctionType(function.__code__, function.__globals__, 'real', function.__defaults__)
        self.function.__kwdefaults__ = function.__kwdefaults__

    def __call__(self, *given, **more):
        self.count += 1
        if self.only in (0, self.count):
            raise Bug('a bug')
        return self.function(*given, **more)

    @property
    def raised(self):
        return self.count >= max(self.only, 1)


def functions():
    """All functions and methods of `minicell.story` by their names, but those of the one place that catches all."""
    for module in (importlib.import_module(f'minicell.story.{m.name}') for m in pkgutil.iter_modules(story.__path__)):
        classes = [c for c in vars(module).values() if isinstance(c, type) and c.__module__ == module.__name__]
        for owner in (module, *classes) if module is not followed else ():
            for name, member in vars(owner).items():
                member = getattr(member, 'fget', None) or getattr(member, 'func', None) or member
                plain = inspect.unwrap(member) if callable(member) else None
                if isinstance(plain, types.FunctionType) and plain.__code__.co_filename == module.__file__:
                    yield f'{owner.__name__.removeprefix("minicell.story.")}.{name}', plain, member


FUNCTIONS = {f'{name}:{plain.__code__.co_firstlineno}': plain for name, plain, _ in functions()}
KEPT = [member for *_, member in functions() if hasattr(member, 'cache_clear')]


@contextmanager
def broken(function, only=0):
    """It raises wherever it is called, by whatever name; or only when it is called for the third time, say."""
    was, calls = (function.__code__, function.__kwdefaults__), Calls(function, only)
    for each in KEPT:
        each.cache_clear()
    function.__code__, function.__kwdefaults__ = raising.__code__, {'calls_': calls}
    try:
        yield calls
    finally:
        function.__code__, function.__kwdefaults__ = was


@cache
def whole(name):
    """The tape of a program, and all that its picture says where nothing fails."""
    tape = gallery.tape_of(PROGRAMS[name], f'followed {name}')
    picture = Picture(tape, zoom='inside')
    assert picture.record.unknown == ()
    return tape, said(picture.painted(only=0)[0]) | ALSO


def said(film):
    return {sentence for step in film.steps for sentence in (step.title, step.caption)}


def false(film, truth):
    """What is said that a whole picture does not say, and that is a number of no gradient there, or that says no."""
    numbers = {number for sentence in truth for number in NUMBER.findall(sentence)}
    return [s for s in said(film) - truth if SAYS_NOT.search(s) or set(NUMBER.findall(s)) - numbers]


@pytest.mark.slow
@pytest.mark.parametrize('name', FUNCTIONS)
def test_a_function_of_story_that_fails(name, as_a_reader):
    """While it is told, the reader gets a line; while it is painted, the line or the error itself."""
    for program in PROGRAMS:
        tape, truth = whole(program)
        for only in (0, 3):
            picture = Picture(tape, zoom='inside')
            with broken(FUNCTIONS[name], only) as calls:
                record = picture.record
                assert bool(record.unknown) == calls.raised and all('Bug: a bug' in words for words in record.unknown)
            if calls.raised:
                assert false(picture.painted(only=0, asked=False)[0], truth) == []
        picture = Picture(tape, zoom='inside')
        assert picture.record.unknown == ()
        with broken(FUNCTIONS[name]) as calls:
            try:
                film = picture.painted(only=0, asked=True)[0]
            except Bug:
                continue
            assert bool(picture.record.unknown) == calls.raised
        assert false(film, truth) == []


SILENT = """
with ms.Tape() as tape:
    dx = ms.grad(lambda x: ops.sin(x * x))(ms.Tensor(2.0))
"""


@pytest.fixture
def silent(monkeypatch):
    """A tape with a product that its teller does not bear."""
    told = Forward.op

    def op(self, event):
        if event.rule.name == 'Mul':
            raise Bug('a bug in a teller')
        return told(self, event)

    monkeypatch.setattr(Forward, 'op', op)
    return gallery.tape_of(SILENT, 'silent')


def test_a_teller_that_fails_costs_its_entry_alone(silent, as_a_reader, tmp_path):
    picture = Picture(silent)
    shown = [(step.title, step.caption) for step in picture.films[0].steps]
    tells(shown[0][0], 'Sin', 'entry 2')
    tells(shown[-1][1], 'dx = −2.61')
    assert tells(picture.lost, 'not follow', '1 Mul', 'line 3', 'Bug: a bug', 'report')
    saved = picture.save(tmp_path / 'tape.html').read_text('utf-8')
    for text in (picture.text(), picture.alt(0), picture.still(0), picture.html(), saved):
        tells(text, 'not follow', '1 Mul', 'Bug: a bug', keep=False)


def test_what_a_user_prints_may_raise():
    class Mute(Exception):
        def __repr__(self):
            raise Bug('no words')

        __str__ = __repr__

    assert followed.said(Mute()) == '' and followed.printed(Mute()) == 'Mute'
    assert followed.printed(ValueError(' two\nlines ')) == 'ValueError: two\nlines'


def test_in_a_test_it_raises(silent):
    with pytest.raises(Bug):
        tell(silent)


def test_an_account_and_a_verdict_that_fail_leave_the_picture(monkeypatch, as_a_reader):
    tape = whole('twice')[0]
    monkeypatch.setattr(maker.Maker, 'account', None)
    monkeypatch.setattr('minicell.judge.takeover', None)
    monkeypatch.setattr('minicell.judge.judged_before', {})
    picture = Picture(tape)
    assert len(picture.films[0].steps) > 20 and not picture.films[0].accounts
    tells(picture.lost, 'how dx', 'true gradient', 'TypeError')


def test_one_place_catches_everything():
    package = Path(ms.__file__).parent
    found = []
    for file in [*package.glob('view/**/*.py'), *package.glob('story/*.py'), *package.glob('[ce]*.py')]:
        for node in ast.walk(ast.parse(file.read_text('utf-8'))):
            caught = [node.type] if isinstance(node, ast.ExceptHandler) else []
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith('suppress'):
                caught = node.args
            found += [
                file.name for kind in caught if kind is None or ast.unparse(kind) in ('Exception', 'BaseException')
            ]
    assert found == ['followed.py']
