"""What the user's code calls the values that an op reads and writes."""

import ast
import inspect
import math
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np

from ..core.errors import HOME

LONGEST = 21  # characters; a longer expression is no name
MODULES = 'ops', 'ms', 'nn', 'np', 'F', 'P'  # whose functions are no methods
APART = ast.BinOp | ast.UnaryOp | ast.Compare | ast.BoolOp | ast.IfExp | ast.Lambda  # as a part in parentheses


@lru_cache(maxsize=1024)
def inputs(expression: str, count: int) -> tuple[str, ...]:
    """The sources of an op's tensor inputs in `expression`, '' where they cannot be told.

    >>> inputs('self.matmul(x, y)', 2), inputs('a * b + 1', 1), inputs('z.sum(0)', 1), inputs('v -= s', 2)
    (('x', 'y'), ('a * b',), ('z',), ('v', 's'))
    """
    parts = list(_spread(_operands(_parsed(expression.strip()))))
    if len(parts) != count:
        parts = [p for p in parts if not isinstance(p, ast.Constant)]
    if len(parts) != count:
        return ('',) * count
    return tuple(text if len(text := ast.unparse(p)) <= LONGEST else '' for p in parts)


def _operands(statement: ast.stmt | None) -> list[ast.expr]:
    if isinstance(statement, ast.AugAssign):
        return [statement.target, statement.value]
    if not isinstance(statement, ast.Expr):
        return []
    node = statement.value
    match node:
        case ast.BinOp():
            return [node.left, node.right]
        case ast.UnaryOp():
            return [node.operand]
        case ast.Compare():
            return [node.left, *node.comparators]
        case ast.Subscript():
            return [node.value]
        case ast.Call(func=ast.Attribute(value=owner)) if getattr(owner, 'id', '') not in MODULES:
            arguments = [a for a in node.args if not isinstance(a, ast.Constant)]
            # `z.sum()` works on z; `self.matmul(x, y)` does not work on self
            return arguments if arguments and ast.unparse(owner) == 'self' else [owner, *arguments]
        case ast.Call():
            return node.args
    return []


def _spread(parts: list[ast.expr]) -> Iterator[ast.expr]:
    """Those in a tuple or a list one by one, as of `ops.concat((x, h), 1)`; `y := x * 3` is called y."""
    for part in parts:
        part = part.target if isinstance(part, ast.NamedExpr) else part
        yield from _spread(part.elts) if isinstance(part, ast.Tuple | ast.List) else (part,)


def outputs(thing: Any, name: str) -> list[tuple[Any, str]]:
    """Each part of what a call returned, by the name that its target has for it: `p, (q, r), m =`.

    >>> outputs((1, (2, 3), 4), 'p, (q, r), m'), outputs((1, 2), 'z'), outputs({'a': 1}, '')
    ([(1, 'p'), (2, 'q'), (3, 'r'), (4, 'm')], [(1, 'z[0]'), (2, 'z[1]')], [(1, "out['a']")])
    """
    node = getattr(_parsed(name.strip()), 'value', None)
    return _named(thing, node, name if node is not None else '')


@lru_cache(maxsize=1024)
def _parsed(text: str) -> ast.stmt | None:
    try:
        return ast.parse(text).body[0]
    except (SyntaxError, ValueError, IndexError):
        return None


def _named(thing: Any, node: ast.expr | None, name: str) -> list[tuple[Any, str]]:
    several = isinstance(node, ast.Tuple | ast.List)
    if not isinstance(thing, dict | list | tuple):
        # `y, mask = drop(x)` names what drop returns, and no single tensor that was made on the way
        return [(thing, '' if several else name)]
    if several and not isinstance(thing, dict) and (parts := _shared(node.elts, len(thing))):
        return [pair for part, (n, w) in zip(thing, parts, strict=True) for pair in _named(part, n, w)]
    keyed = thing.items() if isinstance(thing, dict) else enumerate(thing)
    base = 'out' if several or not name else name
    return [pair for key, part in keyed for pair in _named(part, None, f'{base}[{key!r}]')]


def _shared(targets: list[ast.expr], count: int) -> list[tuple[ast.expr | None, str]]:
    """A target for each of so many values; `*rest` takes what the others leave."""
    star = next((k for k, t in enumerate(targets) if isinstance(t, ast.Starred)), None)
    if star is None:
        return [(t, ast.unparse(t)) for t in targets] if len(targets) == count else []
    rest = count - len(targets) + 1
    if rest < 0:
        return []
    many = [(None, f'{ast.unparse(targets[star].value)}[{k}]') for k in range(rest)]
    named = [(t, ast.unparse(t)) for t in targets if not isinstance(t, ast.Starred)]
    return [*named[:star], *many, *named[star:]]


def gradient(name: str) -> str:
    """What to call the gradient of a value.

    >>> gradient('x'), gradient('a * b'), gradient('0.5'), gradient(''), gradient('Net’s x')
    ('dx', 'd(a * b)', 'd(0.5)', 'gradient', 'Net’s dx')
    """
    if not name:
        return 'gradient'
    if name == 'out':
        return 'd(out)'  # dout is what comes in
    whose, of, own = name.rpartition('’s ')
    plain = own.replace('.', '').replace('_', '').isalnum() and not own[0].isdigit()
    return f'{whose}{of}' + (f'd{own}' if plain else f'd({own})')


def douts(count: int) -> list[str]:
    """What the cotangents of so many outputs are called."""
    return [f'dout[{k}]' for k in range(count)] if count > 1 else ['dout'] * count


def part(name: str) -> str:
    """A name as a part of a formula.

    >>> part('x'), part('a + b'), part('f(a + b)'), part('entry 2')
    ('x', '(a + b)', 'f(a + b)', 'entry 2')
    """
    return f'({name})' if isinstance(getattr(_parsed(name), 'value', None), APART) else name


def parameters(function: Any, count: int) -> list[str]:
    """The names of a function's or Cell's first parameters; those of *x are `x[0]`, `x[1]`.

    >>> parameters(lambda x, *rest: x, 3)
    ['x', 'rest[0]', 'rest[1]']
    """
    function = getattr(function, '_stands_for', function)  # of a Cell in a graph: the user's own
    code = getattr(getattr(function, '_construct', inspect.unwrap(function)), '__code__', None)
    if code is None:
        return [''] * count
    own = hasattr(function, 'construct') or inspect.ismethod(function)
    found = list(code.co_varnames[own : code.co_argcount])[:count]
    rest = count - len(found)
    several = code.co_flags & inspect.CO_VARARGS and (own or not code.co_filename.startswith(HOME))
    star = code.co_varnames[code.co_argcount + code.co_kwonlyargcount] if several else ''
    return found + [f'{star}[{k}]' if star else '' for k in range(rest)]


def is_number(name: str, value: Any = None) -> bool:
    """Whether a name is a literal number; and this value, if one is given, is that number.

    >>> is_number('3'), is_number('x'), is_number('3', 3.0), is_number('0.1', np.float32(0.1)), is_number('3', 2.0)
    (True, False, True, True, False)
    """
    try:
        number = float(name)
    except ValueError:
        return False
    if value is None:
        return math.isfinite(number)
    return bool(getattr(value, 'ndim', 0) == 0 and np.asarray(number, np.asarray(value).dtype) == value)  # (rounded)
