"""Run the mutants: which of them do the tests notice?

    python tests/mutation/run.py reach TREE OUT [PYTEST ARGUMENTS]
    python tests/mutation/run.py kill TREE REACHED OUT [PYTEST ARGUMENTS]
    python tests/mutation/run.py table OUT...
    python tests/mutation/run.py fresh

`reach` runs the tests of a checkout once, with each mutant's place marked, and writes which test came there. `kill`
takes one mutant after another and runs the tests that reach it, the quickest first, up to the first failure or two
minutes; it appends a line a mutant to OUT, and goes on where it was stopped. Both work on copies of the checkout.
`fresh` draws others by the commit, four of each part, and holds the default tier to killing enough of them.
"""

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Queue
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1]))  # it is run as a script

from tests.mutation import draw  # noqa: E402

DRAWN = Path(os.environ.get('MINICELL_MUTANTS', HERE / 'mutants.jsonl'))
LIMIT = 120.0  # seconds: then a mutant counts as alive
ENOUGH = 0.6  # of fresh mutants the default tier kills at least so many; some change nothing that anybody sees
WORKERS = int(os.environ.get('MINICELL_WORKERS', 2))


def mutants() -> list[dict[str, Any]]:
    """The drawn mutants."""
    return [json.loads(line) for line in DRAWN.read_text().splitlines()]


def copied(tree: Path, folder: Path) -> Path:
    """A checkout to be changed: what git tracks there, with its uncommitted changes."""
    names = subprocess.run(['git', 'ls-files', '-z'], cwd=tree, capture_output=True, check=True).stdout
    for name in filter(None, names.decode().split('\0')):
        if (tree / name).exists():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(tree / name, folder / name)
    shutil.copy(HERE / 'chosen.py', folder / 'minicell' / '_chosen.py')
    for command in (['init', '-q'], ['add', '-A', '.', ':!minicell/_chosen.py']):  # some tests ask what git tracks
        subprocess.run(['git', *command], cwd=folder, check=True)
    return folder


def marked(source: str, here: list[dict[str, Any]]) -> str:
    """The source of a module in which each mutant's place calls `hit`; no line moves."""
    raw, marks = source.encode(), []
    for each in here:
        begin, end = each['node']
        call = f"__import__('minicell._reach', fromlist=['hit']).hit({each['number']})"
        if each['statement']:
            marks.append((begin, 0, f'{call}; '))
        else:
            marks += [(begin, 1, f'({call} or ('), (end, -1, '))')]
    for place, _, text in sorted(marks, reverse=True):
        raw = raw[:place] + text.encode() + raw[place:]
    compile(raw, here[0]['file'], 'exec')
    return raw.decode()


def mutated(source: str, mutant: dict[str, Any]) -> str:
    """The source of a module with one change; no line moves."""
    raw, begin, end = source.encode(), mutant['begin'], mutant['end']
    assert raw[begin:end].decode() == mutant['old'], 'the source is not the one that the mutants were drawn from'
    return (raw[:begin] + mutant['new'].encode() + raw[end:]).decode()


def tests(tree: Path, *arguments: str, limit: float | None = None) -> tuple[int | None, str]:
    """Run pytest in a checkout, by its own minicell; its status, None if it did not end, and what it printed."""
    command = [sys.executable, '-m', 'pytest', '-q', '-rfE', '-p', 'no:cacheprovider', '-p', 'no:randomly', *arguments]
    variables = os.environ | {'PYTHONPATH': str(tree), 'PYTHONDONTWRITEBYTECODE': '1'}
    process = subprocess.Popen(
        command,
        cwd=tree,
        env=variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        said = process.communicate(timeout=limit)[0]
        return process.returncode, said
    except subprocess.TimeoutExpired:
        return None, ''
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, 9)  # with every kernel and browser that it started
        process.wait()


def reach(tree: Path, out: Path, *arguments: str) -> None:
    """Run all tests once over the marked source."""
    with tempfile.TemporaryDirectory() as folder:
        copy = copied(tree, Path(folder))
        by_file = defaultdict(list)
        for mutant in mutants():
            by_file[mutant['file']].append(mutant)
        for name, here in by_file.items():
            (copy / name).write_text(marked((copy / name).read_text(), here))
        shutil.copy(HERE / 'reach.py', copy / 'minicell' / '_reach.py')
        os.environ['MINICELL_REACH'] = str(out.resolve())
        status, said = tests(copy, '-p', 'minicell._reach', *arguments)
        print(said[-3000:], f'\nstatus {status}')


def reached(log: Path) -> tuple[dict[int, list[str]], dict[str, float]]:
    """From the file that `reach` wrote: the tests of each mutant, the quickest first; how long each test takes."""
    took: dict[str, float] = defaultdict(float)
    failed: set[str] = set()  # over the marked source: says nothing of a mutant
    hits: dict[int, set[str]] = defaultdict(set)
    for line in log.read_text().splitlines():
        kind, *parts = line.split('\t')
        if kind == 'took':
            took[parts[0]] += float(parts[2])
            if parts[3] == 'failed':
                failed.add(parts[0])
        else:
            hits[int(parts[0])].add(parts[1])
    took = {test: seconds for test, seconds in took.items() if test not in failed}
    by_file = defaultdict(list)
    for test in took:
        by_file[test.split('::')[0]].append(test)
    files = {mutant['number']: mutant['file'] for mutant in mutants()}
    found = {}
    for number, names in hits.items():
        mine: set[str] = set()
        for name in names:
            test, _, phase = name.rpartition(' ')
            if name == '*':  # when a file is imported: the tests of that part, and all if nothing else gets there
                part = f'tests/{Path(files[number]).parts[1]}/' if len(names) > 1 else ''
                mine |= {test for test in took if test.startswith(part)}
            elif phase == '(setup)':  # a fixture, of which other tests of the file may know
                mine |= set(by_file[test.split('::')[0]])
            else:
                mine.add(test)
        found[number] = sorted(mine & set(took), key=took.__getitem__)
    return found, took


def kill(tree: Path, log: Path, out: Path, *arguments: str) -> None:
    """Each mutant that is not in OUT yet."""
    found, _ = reached(log)
    done = {json.loads(line)['number'] for line in out.read_text().splitlines()} if out.exists() else set()
    with tempfile.TemporaryDirectory() as folder:
        copies: Queue[Path] = Queue()
        for k in range(WORKERS):
            copies.put(copied(tree, Path(folder, str(k))))

        def one(mutant: dict[str, Any]) -> None:
            copy, start = copies.get(), time.monotonic()
            path = copy / mutant['file']
            before = path.read_text()
            mine = found.get(mutant['number'], [])
            row = {'number': mutant['number'], 'tests': len(mine), 'killed': False, 'by': ''}
            try:
                path.write_text(mutated(before, mutant))
                if mine:
                    (copy / 'chosen').write_text('\n'.join(mine))
                    files = dict.fromkeys(test.split('::')[0] for test in mine)
                    status, said = tests(copy, '-x', '-p', 'minicell._chosen', *arguments, *files, limit=LIMIT)
                    failed = [line for line in said.splitlines() if line.startswith(('FAILED', 'ERROR'))]
                    row |= {'killed': status not in (0, 5, None), 'by': ''.join(failed[:1])[:200]}
                    row['ended'] = status is not None
            finally:
                path.write_text(before)
                copies.put(copy)
            row['seconds'] = round(time.monotonic() - start, 1)
            with open(out, 'a') as file:
                file.write(json.dumps(row) + '\n')
            print(row, flush=True)

        with ThreadPoolExecutor(WORKERS) as pool:
            list(pool.map(one, [each for each in mutants() if each['number'] not in done]))


def table(*outs: Path) -> None:
    """Print which were killed, by part of the house."""
    rows = [{row['number']: row for row in map(json.loads, out.read_text().splitlines())} for out in outs]
    parts: dict[str, list[int]] = defaultdict(list)
    for mutant in mutants():
        parts[mutant['part']].append(mutant['number'])
    print('| part | mutants |', ' | '.join(out.stem for out in outs), '|')
    print('| --- |', ' | '.join(['--:'] * (1 + len(outs))), '|')
    for part, numbers in [*parts.items(), ('all', [n for each in parts.values() for n in each])]:
        killed = [sum(row.get(n, {}).get('killed', False) for n in numbers) for row in rows]
        print(f'| {part} | {len(numbers)} |', ' | '.join(map(str, killed)), '|')


def fresh() -> None:
    """Draw, reach and kill by the default tier; fail if too many are alive."""
    global DRAWN, LIMIT
    LIMIT /= 2  # for what the default tier does in all
    commit = subprocess.run(['git', 'rev-parse', 'HEAD'], cwd=draw.ROOT, capture_output=True, text=True, check=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        DRAWN = folder / 'mutants.jsonl'
        draw.write(DRAWN, int(commit.stdout[:7], 16), 4)
        reach(draw.ROOT, folder / 'reached')
        kill(draw.ROOT, folder / 'reached', folder / 'killed.jsonl')
        table(folder / 'killed.jsonl')
        rows = [json.loads(line) for line in (folder / 'killed.jsonl').read_text().splitlines()]
        killed = sum(row['killed'] for row in rows)
        for row, mutant in zip(sorted(rows, key=lambda row: row['number']), mutants(), strict=True):
            if not row['killed']:
                print('alive:', f'{mutant["file"]}:{mutant["line"]}: {mutant["old"]!r} -> {mutant["new"]!r}')
    print(f'{killed} of {len(rows)} mutants killed by the default tier; due are {ENOUGH:.0%}')
    sys.exit(killed < ENOUGH * len(rows))


if __name__ == '__main__':
    job, *rest = sys.argv[1:]
    paths = {'reach': 2, 'kill': 3, 'fresh': 0}.get(job, len(rest))
    globals()[job](*map(Path, rest[:paths]), *rest[paths:])
