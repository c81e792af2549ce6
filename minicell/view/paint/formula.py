"""The rule of an op as a formula: `dout * y`, read from the rule itself; with numbers where all of them are single.

Most rules are one expression in the source, beside their kernel; what they are is read from there. Those that are
longer have their formula in a table.
"""

import ast
import linecache
import re
from functools import lru_cache
from types import CodeType, FunctionType
from typing import Any

from ...story.names import gradient
from ...story.record import Entry
from . import numbers

# What stands for a longer rule: {0} is the first input's name, {1} the second's.
TABLE = {
    'MatMul': ('dout @ {1}.T', '{0}.T @ dout'), 'BatchMatMul': ('dout @ {1}.T', '{0}.T @ dout'),
    'Dense': ('dout @ {1}', 'dout.T @ {0}', 'dout, summed over rows'), 'ReduceSum': ('dout, to each number',),
    'ReduceMean': ('dout / n, to each number',), 'ReduceMax': ('dout, to the largest',),
    'ReduceMin': ('dout, to the smallest',), 'ReLU': ('dout where {0} > 0, else 0',),
    'Reshape': ('dout, in the old shape',), 'Transpose': ('dout, turned back',), 'BroadcastTo': ('dout, summed',),
    'Cast': ('dout',), 'CrossEntropy': ('dout × (softmax − labels) / n',),
    'Softmax': ('out × (dout − sum(dout × out))',), 'Sigmoid': ('dout × out × (1 − out)',), 'Concat': (), 'Stack': (),
}  # fmt: skip
NAME = re.compile(r'[^\W\d][\w.′]*(?![\w.′]*\()')  # but not that of a function
SIGNS = {ast.Add: '+', ast.Sub: '−', ast.Mult: '×', ast.Div: '/', ast.MatMult: '@', ast.Pow: '**'}


def formulas(entry: Entry, told: str = 'dout') -> list[str]:
    """One line for each input that gets a gradient: `dy = dout × x`. `told`: what the cotangent is called."""
    out = []
    names = [v.name or f'input {k + 1}' for k, v in enumerate(entry.inputs)]
    for k, value in enumerate(entry.inputs):
        if value.data is None or value.data.dtype.kind != 'f':
            continue
        said = right(entry, k, names, told)
        if said:
            out.append(f'{gradient(value.name or "input")} = {said}')
    return out


def right(entry: Entry, k: int, names: list[str], told: str) -> str:
    """The right side for one input."""
    return of_rule(entry.name, entry.rule, k, names, told)


def of_rule(name: str, rule: Any, k: int, names: list[str], told: str = 'dout') -> str:
    """What a rule makes for its k-th input, in these names."""
    table = TABLE.get(name)
    if table is not None:
        return table[k].replace('dout', told).format(*names, *[''] * 3) if k < len(table) else ''
    function = functions(rule)[k : k + 1]
    if not function or not isinstance(function[0], FunctionType):
        return ''
    tree = expression(function[0].__code__)
    if tree is None:
        return ''
    inputs = [a.arg for a in tree.args.args][2:]
    known = dict(zip(inputs, names, strict=False)) | dict(g=told, out='out')
    return worded(tree.body, known)


def functions(rule: Any) -> tuple:
    """The rules of an op, one for each input."""
    for found in ((getattr(rule, 'dx', None), getattr(rule, 'dy', None)), getattr(rule, 'vjps', ())):
        if isinstance(found, tuple) and found and found[0] is not None:
            return found
    return ()


@lru_cache(maxsize=256)
def expression(code: CodeType) -> ast.Lambda | None:
    """The lambda that has this code, as it is written."""
    lines = linecache.getlines(code.co_filename)
    try:
        tree = _parsed(code.co_filename, len(lines))
    except (SyntaxError, ValueError):
        return None
    starts = [(line, column) for line, _, column, end in code.co_positions() if line and end]
    if not starts:
        return None
    at = min(starts)  # where the body begins
    for node in ast.walk(tree):
        if isinstance(node, ast.Lambda) and node.lineno == code.co_firstlineno:
            body = node.body
            if (body.lineno, body.col_offset) == at:
                return node
    return None


@lru_cache(maxsize=64)
def _parsed(file: str, _: int) -> ast.Module:
    return ast.parse(''.join(linecache.getlines(file)))


def worded(node: ast.AST, names: dict[str, str]) -> str:
    """An expression with the learner's names; '' where it says more than a formula can."""
    match node:
        case ast.Name(id=name):
            return names.get(name, '')
        case ast.Constant(value=value):
            return str(value)
        case ast.UnaryOp(op=ast.USub(), operand=of):
            inner = worded(of, names)
            return inner and f'−{inner}'
        case ast.BinOp(left=left, op=op, right=right_) if type(op) in SIGNS:
            a, b = worded(left, names), worded(right_, names)
            if not a or not b:
                return ''
            a = f'({a})' if isinstance(left, ast.BinOp) and isinstance(left.op, ast.Add | ast.Sub) else a
            wraps = isinstance(right_, ast.BinOp) and not isinstance(op, ast.Add)
            return f'{a} {SIGNS[type(op)]} {f"({b})" if wraps else b}'
        case ast.Call(func=ast.Name(id=name), args=[argument]) if name.startswith('_') and '_' not in name[1:]:
            inner = worded(argument, names)
            return inner and f'{name[1:]}({inner})'
    return ''


def counted(said: str, values: dict[str, float], total: float) -> str:
    """The same with numbers, and the result; only where every name is a single number.

    >>> counted('dy = dout × x', {'dout': 1.0, 'x': 3.0}, 3.0)
    'dy = dout × x = 1 × 3 = 3'
    >>> counted('dx = −dout × sin(x)', {'dout': 1.0, 'x': 0.5}, -0.479426)
    'dx = −dout × sin(x) = −1 × sin(0.5) = −0.479'
    """
    left, _, rest = said.partition(' = ')
    if all(name in values for name in NAME.findall(rest)):
        shown = NAME.sub(lambda found: numbers.written(values[found[0]]), rest)
        if ' ' in rest and shown != numbers.said(total):
            return f'{left} = {rest} = {shown} = {numbers.said(total)}'
    return f'{said} = {numbers.said(total)}' if rest != numbers.said(total) else said
