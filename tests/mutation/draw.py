"""Draw mutants: small changes of minicell's own source, which the tests should notice.

    python tests/mutation/draw.py

writes `mutants.jsonl`, a line for each, 12 of each part of the house. A draw is fixed by its seed and by the source it
is made from; the file here was drawn from f252386. `run.py` runs them.
"""

import ast
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
SEED, EACH = 20251126, 12
PARTS = {
    'core': ['core/**/*.py'],
    'ops and nn': ['ops/**/*.py', 'nn/**/*.py'],
    'traps': ['traps/**/*.py'],
    'graph': ['graph/**/*.py'],
    'check and command': ['check.py', 'command/**/*.py'],
    'view': ['view/**/*.py'],
    'teach': ['teach/**/*.py'],
}
OPERATORS = {'+': '-', '-': '+', '*': '/', '/': '*', '//': '*', '%': '*', '**': '*', '&': '|', '|': '&', '@': '*'}
COMPARISONS = {'<': '<=', '<=': '<', '>': '>=', '>=': '>', '==': '!=', '!=': '=='}
WORDS = {'is': 'is not', 'is not': 'is', 'in': 'not in', 'not in': 'in', 'and': 'or', 'or': 'and'}
SIMPLE = (ast.Assign, ast.AugAssign, ast.Expr, ast.Delete, ast.Raise, ast.Return)


def candidates(source: str) -> Iterator[dict[str, Any]]:
    """Each change that could be made: its kind, where it stands, and what stands there instead."""
    tree, lines = ast.parse(source), [line.encode() for line in source.splitlines(keepends=True)]
    starts = [sum(map(len, lines[:k])) for k in range(len(lines) + 1)]
    raw = b''.join(lines)

    def at(node: Any) -> tuple[int, int]:
        return starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset

    def change(kind: str, begin: int, end: int, new: str, node: Any) -> dict[str, Any]:
        first, last = at(node)
        return {
            'kind': kind,
            'line': raw[:begin].count(b'\n') + 1,
            'begin': begin,
            'end': end,
            'old': raw[begin:end].decode(),
            'new': new,
            'node': [first, last],  # what runs if and only if the change is reached
            'statement': isinstance(node, ast.stmt),
        }

    skipped: set[ast.AST] = set()  # annotations and f-strings' formats are no code that runs
    for node in ast.walk(tree):
        for name in ('annotation', 'returns', 'format_spec'):
            part = getattr(node, name, None)
            if isinstance(part, ast.AST):
                skipped |= set(ast.walk(part))
        if isinstance(node, ast.JoinedStr):  # Python 3.11 does not know the places inside
            skipped |= set(ast.walk(node))
    for node in ast.walk(tree):
        if node in skipped:
            continue
        if isinstance(node, ast.BinOp | ast.Compare | ast.BoolOp):
            if isinstance(node, ast.BoolOp):
                left, right = node.values[:2]
            else:
                left, right = node.left, node.comparators[0] if isinstance(node, ast.Compare) else node.right
            begin, end = at(left)[1], at(right)[0]
            text = raw[begin:end].decode()
            word = text.strip(' ()\n')
            for table, kind in ((OPERATORS, 'operator'), (COMPARISONS, 'condition'), (WORDS, 'condition')):
                if word in table and '\n' not in text:
                    yield change(kind, begin, end, text.replace(word, table[word]), node)
        elif isinstance(node, ast.If | ast.IfExp):
            begin, end = at(node.test)
            for new in ('True', 'False'):
                yield change('condition', begin, end, new, node.test)
        elif isinstance(node, ast.Constant) and not isinstance(node.value, str | bytes) and node.value is not ...:
            value = node.value
            if isinstance(value, bool):
                yield change('constant', *at(node), str(not value), node)
            elif isinstance(value, int | float):
                yield change('constant', *at(node), repr(value + 1 if value != 1 else 2), node)
        if isinstance(node, SIMPLE) and node.lineno == node.end_lineno:
            docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
            if not docstring and node.col_offset:  # inside a function or a class
                yield change('dropped line', *at(node), 'pass', node)


def drawn(seed: int, each: int) -> list[dict[str, Any]]:
    """The mutants: of each part as many, of each of the four kinds as many."""
    chance, found = random.Random(seed), []
    for part, patterns in PARTS.items():
        files = sorted({path for pattern in patterns for path in (ROOT / 'minicell').glob(pattern)})
        kinds: dict[str, list[Any]] = {}
        for path in files:
            for one in candidates(path.read_text()):
                kinds.setdefault(one['kind'], []).append({'file': str(path.relative_to(ROOT)), **one})
        assert set(kinds) == {'operator', 'condition', 'constant', 'dropped line'}, kinds.keys()
        for kind in sorted(kinds):
            for one in chance.sample(kinds[kind], each // 4):
                found.append({'number': len(found), 'part': part, **one})
    return found


def write(path: Path, seed: int = SEED, each: int = EACH) -> None:
    """A line a mutant."""
    path.write_text(''.join(json.dumps(one, ensure_ascii=False) + '\n' for one in drawn(seed, each)))


if __name__ == '__main__':
    write(HERE / 'mutants.jsonl')
