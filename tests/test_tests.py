"""The tests themselves: their size, what they compare with, their names, their tiers, and the tools they stand on."""

import ast
import json
import re
import subprocess
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests import conftest, messages, phrases
from tests.mutation import draw, run

HERE = Path(__file__).parent
FILES = sorted(HERE.rglob('*.py'))
MOST = 51_986  # lines; a closing note gives the reason before this is raised
SHARE = 0.04  # of all comparisons may quote a phrase

# a letter and a number, or a numbered family, trap, part …: a code that stands nowhere in the repository
CODE = re.compile(
    r'\b(?!L\d|D\d|H\d\b|P\d\b|UTF8|PY)[A-Z]\d{1,2}\b|\b(?i:famil(?:y|ies)|traps?|attacks?) \d|\b[Pp]art \([a-z]\)'
)


def test_there_are_not_more_lines_than_agreed():
    assert sum(len(path.read_text().splitlines()) for path in FILES) <= MOST


def test_a_test_reads_facts_and_not_phrases():
    found, many = phrases.counted(FILES)
    assert len(found) <= SHARE * many, [f'{path.name}:{line}: {text[:60]}' for path, line, text in found]


@cache
def tree_of(path: Path) -> ast.Module:
    """A file of tests, read once."""
    return ast.parse(path.read_text())


def said_of_tests() -> list[tuple[str, str]]:
    """The name and the docstring of each test file and test, and the ids of its cases."""
    found = []
    for path in FILES:
        tree = tree_of(path)
        found.append((path.name, ast.get_docstring(tree) or ''))
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                found.append((f'{path.name}: {node.name}', ast.get_docstring(node) or ''))
            elif isinstance(node, ast.keyword) and node.arg == 'ids':
                texts = [c.value for c in ast.walk(node.value) if isinstance(c, ast.Constant)]
                found.append((f'{path.name}: ids', ' '.join(map(str, texts))))
    return found


def test_names_say_what_is_tested():
    assert [(name, CODE.findall(text)) for name, text in said_of_tests() if CODE.search(text)] == []
    assert [path.name for path in FILES if re.search(r'(further|forms|more)\.py$', path.name)] == []


def test_each_wait_is_for_an_event_and_ends():
    """A sleep stands in a loop that looks for something, and whose number of turns or time is bounded."""
    loose = []
    for path in FILES:
        if path.name == 'test_tests.py':
            continue
        tree = tree_of(path)
        bounded = {
            id(inner)
            for loop in ast.walk(tree)
            if isinstance(loop, ast.For | ast.AsyncFor) or (isinstance(loop, ast.While) and 'time' in ast.unparse(loop))
            for inner in ast.walk(loop)
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and phrases.called(node) == 'sleep' and id(node) not in bounded:
                loose.append(f'{path.name}:{node.lineno}')
    assert loose == []


def test_a_test_has_one_tier():
    marks = lambda *names: SimpleNamespace(iter_markers=lambda: [SimpleNamespace(name=n) for n in names], nodeid='t')
    assert conftest.tier(marks()) == '' and conftest.tier(marks('slow', 'parametrize')) == 'slow'
    with pytest.raises(AssertionError, match='one tier'):
        conftest.tier(marks('slow', 'nightly'))


# ---- the tools -----------------------------------------------------------------------------------------------------

QUOTES = """
LONG = 'one two three four'
def helper(text, *parts):
    for part in parts:
        assert part in text
def test(text):
    assert text == 'one two three'
    assert text == LONG  # 1
    assert f(LONG) == text
    assert 'one two three four' in text  # 2
    with pytest.raises(ValueError, match='one two .* three four'):  # 3
        helper(text, 'one two three four')  # 4
    assert text, 'the reason of a failure may be long'
@pytest.mark.parametrize(('value', 'words'), [(1, 'short'), pytest.param(2, 'one two three four')])
def test_table(value, words):
    assert words in str(value)  # 5
"""


def test_phrases_are_found_wherever_they_stand(tmp_path):
    path = tmp_path / 'test_quotes.py'
    path.write_text(QUOTES)
    found, many = phrases.counted([path])
    lines = [k for k, line in enumerate(QUOTES.splitlines(), 1) if re.search(r'# \d', line)]
    assert sorted(line for _, line, _ in found) == lines
    assert many == 8


def test_a_message_is_held_to_facts_and_kept(monkeypatch):
    book = messages.defaultdict(list)
    monkeypatch.setattr(messages, 'book', book)
    monkeypatch.setenv('PYTEST_CURRENT_TEST', 'tests/test_x.py::test_y[a b] (call)')
    said = ValueError(f'Net.bprop: (2, 3) in {HERE}/test_x.py, line 7, at 0x7f9aaf1f94b0')
    messages.tells(said, 'Net.bprop', (2, 3))
    assert book == {
        'tests/test_x.py::test_y[a b]': ['ValueError: Net.bprop: (2, 3) in tests/test_x.py, line …, at 0x…']
    }
    messages.tells(said, ValueError('Net'), keep=False)
    assert len(book) == 1
    with pytest.raises(AssertionError, match='is due'):
        messages.tells(said, 'Other.bprop')
    with pytest.raises(AssertionError, match='belongs in'):
        messages.tells(said, 'at most three words here')
    with pytest.raises(AssertionError, match='which facts'):
        messages.tells(said)


@pytest.mark.parametrize(
    ('known', 'now', 'same'),
    [(['a\nb'], ['a\nb'], True), (['a'], ['other'], False), ([], ['a'], False), (['a'], [], False), ([], [], True)],
    ids=['the same', 'another', 'new', 'gone', 'nothing'],
)
def test_another_wording_fails_its_test_until_the_file_is_written(known, now, same, monkeypatch, tmp_path):
    monkeypatch.setattr(messages, 'FILE', tmp_path / 'messages.txt')
    monkeypatch.setattr(messages, 'book', book := {})
    monkeypatch.setattr(messages, 'there', lambda test: True)
    messages.FILE.write_text(messages.written({'t': known, 'not run': ['b']} if known else {'not run': ['b']}))

    def run(reword):
        mine = messages.Book(SimpleNamespace(getoption=lambda name: reword))
        book['t'] = [*now]
        test = mine.pytest_runtest_call(SimpleNamespace(nodeid='t'))
        next(test)
        with pytest.raises(StopIteration):
            test.send(None)
        mine.pytest_sessionfinish()

    if not same:
        with pytest.raises(pytest.fail.Exception, match='If this is meant') as failed:
            run(reword=False)
        assert all(f'+{line}' in str(failed.value) for line in messages.block(now))
    run(reword=True)
    run(reword=False)
    assert messages.read() == {**({'t': now} if now else {}), 'not run': ['b']}


def test_the_snapshot_has_messages_of_tests_that_are_there():
    known = messages.read()
    assert known and [test for test in known if not messages.there(test)] == []


def test_each_mutant_changes_its_module_and_moves_no_line():
    """Where the source is still the one that they were drawn from."""
    drawn = run.mutants()
    assert len(drawn) == draw.EACH * len(draw.PARTS) and len({str(m) for m in drawn}) == len(drawn)
    changed = 0
    for mutant in drawn:
        path = HERE.parent / mutant['file']
        source = path.read_text() if path.exists() else ''
        if source.encode()[mutant['begin'] : mutant['end']].decode(errors='replace') != mutant['old']:
            continue
        other, marked = run.mutated(source, mutant), run.marked(source, [mutant])
        assert other != source and other.count('\n') == marked.count('\n') == source.count('\n')
        ast.parse(other), ast.parse(marked)
        changed += 1
    assert changed


def test_a_mutant_goes_with_the_tests_that_reach_it(tmp_path):
    log = tmp_path / 'log'
    lines = ['took\tx::slow\tcall\t2.0\tpassed', 'took\tx::quick\tcall\t1.0\tpassed', 'took\ty::bad\tcall\t1\tfailed']
    lines += ['hit\t0\tx::slow (call)', 'hit\t1\tx::slow (setup)', 'hit\t2\t*', 'hit\t3\ty::bad (call)']
    log.write_text('\n'.join(lines))
    found, _ = run.reached(log)
    assert found == {0: ['x::slow'], 1: ['x::quick', 'x::slow'], 2: ['x::quick', 'x::slow'], 3: []}


def test_the_table_of_mutants(tmp_path, capsys):
    for name, killed in (('old', True), ('new', False)):
        rows = [{'number': n, 'killed': killed or n < 12} for n in range(84)]
        (tmp_path / f'{name}.jsonl').write_text('\n'.join(map(json.dumps, rows)))
    run.table(tmp_path / 'old.jsonl', tmp_path / 'new.jsonl')
    rows = capsys.readouterr().out.splitlines()
    assert rows[2].split(' | ')[1:] == ['12', '12', '12 |'] and rows[-1].split(' | ')[1:] == ['84', '84', '12 |']


def test_every_nightly_test_is_in_one_part():
    listed = subprocess.run(
        ['bash', '.ci/nightly', '--list'], cwd=HERE.parent, capture_output=True, text=True, check=True
    )
    parts = dict(line.split('\t', 1) for line in listed.stdout.splitlines())
    paths = [word for each in parts.values() if each.startswith('pytest') for word in each.split() if 'tests/' in word]
    nightly = [
        p.relative_to(HERE.parent) for p in FILES if 'mark.nightly' in p.read_text() and p.name != 'test_tests.py'
    ]
    assert nightly
    for file in nightly:
        held = [path for path in paths if file.is_relative_to(path)]
        assert len(held) == 1, (file, held)
