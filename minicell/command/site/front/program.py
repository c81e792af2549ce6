"""What runs the reader's program in the browser, and here in the tests: from its text to its picture.

A run has two answers. The first is what it printed, its error, and the picture in the layout that the reader sees. The
second brings the other layout, and how each number was made, which takes longest.
"""

import ast
import contextlib
import gc
import io
import json
import linecache
import sys
import traceback
import warnings
from typing import Any

import minicell as ms
from minicell.ink.page import fragment
from minicell.view.picture import Picture

FILE = '<program>'
NO_TAPE = 'There is no tape to draw. Put the gradient inside `with ms.Tape() as tape:`.'
shown: Picture | None = None  # of the last run


def run(code: str, only: int = 0) -> str:
    """Run a program; the answer is JSON. `only`: the layout that the reader sees, 0 is the wide one."""
    global shown
    shown = None
    linecache.cache[FILE] = len(code), None, code.splitlines(True), FILE
    printed, space = io.StringIO(), {'__name__': '__main__'}
    told: dict[str, Any] = {'error': None, 'steps': 0, 'open': 0, 'layouts': None, 'note': ''}
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed), warnings.catch_warnings():
        warnings.simplefilter('default')
        warnings.showwarning = lambda said, kind, *_: print(f'{kind.__name__}: {said}')
        try:
            last = execute(code, space)
        except BaseException as error:
            last, told['error'] = None, sentence(error)
        tape = tape_of(last, space)
        if last is not None and tape is not last:
            print(repr(last))
        if tape is not None:
            shown = tape if isinstance(tape, Picture) else tape.show()
            films = shown.painted(only=only)
            layouts = fragment.layouts(films)
            told |= {'steps': len(films[0].steps), 'layouts': [layouts[0], None] if only == 0 else [None, layouts[0]]}
            told['open'] = told['steps'] - 1 if told['error'] else 0
        elif not told['error']:
            told['note'] = NO_TAPE
    told['printed'] = printed.getvalue()
    return json.dumps(told)


def rest() -> str:
    """The second answer: both layouts of the last picture, with their accounts."""
    layouts = fragment.layouts(shown.painted(asked=True)) if shown else None
    gc.collect()
    return json.dumps({'layouts': layouts})


def execute(code: str, space: dict[str, Any]) -> Any:
    """Run the program in `space`; return the value of its last line, if that is an expression."""
    tree, last = ast.parse(code, FILE), None
    if tree.body and isinstance(tree.body[-1], ast.Expr):
        last = ast.Expression(tree.body.pop().value)
    exec(compile(tree, FILE, 'exec'), space)
    return eval(compile(last, FILE, 'eval'), space) if last else None


def tape_of(last: Any, space: dict[str, Any]) -> Any:
    """The tape that the last line names, else the last one that was made."""
    if isinstance(last, ms.Tape | Picture):
        return last
    return next((value for value in reversed(space.values()) if isinstance(value, ms.Tape)), None)


def sentence(error: BaseException) -> dict[str, Any]:
    """An error as its reader needs it: what it says, and the line of the program."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == FILE]
    if isinstance(error, SyntaxError) and error.filename == FILE:
        lines.append(error.lineno)
        return {'kind': type(error).__name__, 'says': error.msg, 'line': lines[-1]}
    return {'kind': type(error).__name__, 'says': str(error), 'line': lines[-1] if lines else None}


if __name__ == '__main__' and sys.platform == 'emscripten':
    ready = json.dumps({'python': sys.version.split()[0], 'minicell': ms.__version__})
