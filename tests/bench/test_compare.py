"""The benchmark at small sizes: that it checks what it times, and what its tables look like. Times are not judged."""

import io
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.bench import compare, limit, minicell_way, table
from tests.bench.__main__ import main
from tests.bench.problems import CASES
from tests.bench.progress import Progress
from tests.bench.ways import LIMIT, PEERS
from tests.messages import refused, tells

ROOT = Path(__file__).resolve().parents[2]
INSTALLED = [name for name, peer in PEERS.items() if peer.installed]
SIZES = [  # torch takes its time to be imported
    pytest.param(peer, True, id=f'{peer}-tiny', marks=[] if peer == 'minicell' else pytest.mark.slow)
    for peer in INSTALLED
] + [pytest.param(peer, False, id=f'{peer}-real', marks=pytest.mark.nightly) for peer in INSTALLED]
NUMBER = re.compile(r'\**\d[\d,]*(\.\d+)?\**( µs| ms)?')


def tables(text: str) -> list[list[list[str]]]:
    """The cells of all Markdown tables in a text."""
    found, open_table = [], False
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip('|').split('|')] if line.startswith('|') else None
        if cells and not open_table:
            found.append([])
        if cells and not set(''.join(cells)) <= set('-:'):
            found[-1].append(cells)
        open_table = bool(cells)
    return found


@pytest.mark.parametrize('case', CASES, ids=lambda case: case.key)
@pytest.mark.parametrize(('peer', 'tiny'), SIZES)
def test_each_way_has_the_results_of_the_limit(peer, case, tiny):
    problem, way = case.make(tiny), PEERS[peer].load()
    due = compare.results(limit, getattr(limit, case.name)(problem), problem)
    got = compare.results(way, getattr(way, case.name)(case.make(tiny)), problem)
    assert all(np.abs(a).max() > 0 and a.dtype == np.float32 for a in due if a.ndim)
    assert compare.agree(peer, problem.title, got, due) < compare.CLOSE


@pytest.mark.nightly
def test_the_command_prints_its_tables_and_nothing_else():
    run = [sys.executable, '-m', 'tests.bench', '--tiny', '--rounds', '2']
    ran = subprocess.run(run, cwd=ROOT, capture_output=True, text=True)
    assert (ran.returncode, ran.stderr) == (0, ''), ran.stderr
    lines = [re.split(r'\s{2,}', line.strip()) for line in ran.stdout.splitlines()]
    heads = [k for k, line in enumerate(lines) if line[0] in ('case', 'chain')]
    assert len(heads) == 3
    for head, keys in zip(
        heads, ([c.key for c in CASES], [c.key for c in CASES], ['f'] * (1 + len(INSTALLED))), strict=True
    ):
        rows = lines[head + 1 : head + 1 + len(keys)]
        assert [row[0] for row in rows] == keys
        for row in rows:
            assert len(row) == len(lines[head]) + 1  # the column of keys has no name
            assert [cell for cell in row[2:] if not NUMBER.fullmatch(cell) and cell != table.ABSENT] == []
    tells(ran.stdout, 'agrees', 'by hand', keep=False)


def test_markdown_tables_have_as_many_cells_in_each_line(capsys):
    assert main(['--tiny', '--rounds', '1', '--markdown', '--cases', 'a', 'c', 't']) == 0
    found = tables(capsys.readouterr().out)
    assert [rows[0][1] for rows in found] == ['case', 'case']
    assert [[row[0] for row in rows[1:]] for rows in found] == [['a', 'c'], ['a', 'c']]
    assert all(len(row) == len(rows[0]) for rows in found for row in rows)
    if len(INSTALLED) > 1:
        assert all(sum(cell.startswith('**') for cell in row) == 1 for row in found[0][1:]), 'the quickest is bold'


def test_the_page_shows_the_tables_that_the_command_prints():
    cases, looks, grown = tables((ROOT / 'minicell/SPEED.md').read_text(encoding='utf-8'))
    titles = [[case.key, case.make(False).title] for case in CASES]
    assert cases[0] == ['', 'case', LIMIT.label, *[peer.label for peer in PEERS.values()]]
    assert [row[:2] for row in cases[1:]] == [row[:2] for row in looks[1:]] == titles
    assert looks[0] == table.of_looks([])[0]
    assert [row[1] for row in grown[1:]] == [LIMIT.label, *[peer.label for peer in PEERS.values()]]
    numbers = [cell for rows in (cases, looks, grown) for row in rows[1:] for cell in row[2:]]
    assert [cell for cell in numbers if not NUMBER.fullmatch(cell)] == []


def test_the_readme_shows_some_of_them():
    (few,) = tables((ROOT / 'README.md').read_text(encoding='utf-8').split('\n## How fast\n')[1].split('\n## ')[0])
    cases, *_ = tables((ROOT / 'minicell/SPEED.md').read_text(encoding='utf-8'))
    assert few[0] == cases[0]
    assert len(few) >= 4
    assert [row for row in few if row not in cases] == []
    assert any('**' in row[-2] for row in few[1:]), 'where a peer is quicker is said too'


def slightly_wrong(problem):
    run = limit.chain(problem)
    return lambda: [minicell_way.Tensor(run() * np.float32(1.001))]


def test_a_peer_with_wrong_results_is_refused_and_not_timed(monkeypatch, capsys):
    monkeypatch.setattr(minicell_way, 'chain', slightly_wrong)
    assert main(['--tiny', '--rounds', '1', '--markdown', '--peers', '--cases', 'a', 'h']) == 1
    out, err = capsys.readouterr()
    (rows,) = tables(out)
    assert [row[3] == table.REFUSED for row in rows[1:]] == [True, False]
    tells(err, 'minicell', 'not timed', 'of 16 ops', 'off by 1.0e-03', '1e-04', 'float32')
    assert err.count('\n') == 1


def test_a_peer_with_wrong_results_in_a_long_chain_is_refused(monkeypatch, capsys):
    def fresh(length, way):
        wrong = way == 'minicell_way' and length > 1_000
        return {'length': length, 'seconds': 1.0, 'bytes': 0, 'slope': [2.0 if wrong else 1.0]}

    monkeypatch.setattr(compare.scale, 'fresh', fresh)
    assert main(['--tiny', '--markdown', '--peers', '--cases', 'f']) == 1
    out, err = capsys.readouterr()
    assert tables(out)[0][1:] == [['f', 'NumPy by hand', '1000.00', '500.00', table.ABSENT]]
    tells(err, 'minicell', 'not timed', 'of 2,000 ops', 'off by 1.0e+00')


@pytest.mark.parametrize(
    ('got', 'due'),
    [
        ([[1.0, 2.0], [3.002]], 'off by 6.7e-04'),
        ([[1.0, float('nan')], [3.0]], 'off by nan'),
        ([[1.0, 2.0], [float('nan')]], 'off by nan'),
        ([[1.0, 2.0], [float('inf')]], 'off by inf'),
        ([[1.0, 2.0]], '[(2,)], not [(2,), (1,)]'),
        ([[[1.0, 2.0]], [3.0]], '[(1, 2), (1,)], not [(2,), (1,)]'),
    ],
)
def test_what_is_no_agreement(got, due):
    with refused(compare.WrongResult, 'it is', 'not timed', '"case"', due):
        compare.agree('it', 'case', [np.array(a) for a in got], [np.array([1.0, 2.0]), np.array([3.0])])


def test_a_peer_that_is_not_installed_is_a_dash_and_a_sentence(monkeypatch, capsys):
    monkeypatch.setitem(PEERS, 'torch', PEERS['torch']._replace(package='no_such_package'))
    assert main(['--tiny', '--rounds', '1', '--markdown', '--peers', 'torch', '--cases', 'a']) == 0
    out, err = capsys.readouterr()
    (rows,) = tables(out)
    assert rows[0][3:] == ['minicell', 'PyTorch'] and rows[1][4] == table.ABSENT
    assert err == ''
    tells(out.splitlines()[-1], 'PyTorch', 'not installed', 'pip install torch')


@pytest.mark.parametrize(
    ('given', 'said'),
    [
        (['--rounds', '0'], "got '0'"),
        (['--cases', 'z'], "choice: 'z'"),
        (['--peers', 'jax'], "choice: 'jax'"),
    ],
)
def test_options_that_do_not_fit(given, said, capsys):
    with pytest.raises(SystemExit) as left:
        main(given)
    assert left.value.code == 2 and said in capsys.readouterr().err


def test_help_tells_of_every_case(capsys):
    with pytest.raises(SystemExit):
        main(['--help'])
    text = capsys.readouterr().out
    assert [case.key for case in CASES if f'  {case.key:3} {case.make(False).title}\n' not in text] == []


def test_all_take_turns_and_a_ratio_is_of_one_round():
    ran = []
    works = {name: compare.Work(lambda name=name: ran.append(name)) for name in 'abc'}
    times = compare.in_turns(works, 9, 0, lambda name: None)
    beforehand, rounds = ran[:6], [''.join(ran[k : k + 3]) for k in range(6, len(ran), 3)]
    assert beforehand == [*'aabbcc'] and len(rounds) == 9
    assert {''.join(sorted(turn)) for turn in rounds} == {'abc'} and len(set(rounds)) > 2
    assert {name: len(found) for name, found in times.items()} == {'a': 9, 'b': 9, 'c': 9}
    assert compare.ratio([2.0, 8.0, 9.0], [1.0, 2.0, 3.0]) == 3.0


def test_what_a_work_needs_is_held_while_it_runs():
    class Held:
        def __del__(self):
            seen.append('gone')

    seen = []
    compare.sample(compare.Work(lambda: seen.append('run'), ready=Held), 2)
    assert seen == ['run', 'run', 'gone']


@pytest.mark.slow
@pytest.mark.parametrize('case', CASES, ids=lambda case: case.key)
def test_nothing_stays_of_a_tape_that_was_closed(case):
    found = compare.look(case, 1, True, lambda name: None)
    assert found.kept > 8_192
    assert found.left < 8_192  # NumPy keeps blocks of small arrays for its next ones: 3 kB of them here


def test_what_stays_is_seen():
    stays = []
    kept, left = compare.memory(lambda: stays.append(bytearray(100_000)) or bytearray(200_000))
    assert 300_000 <= kept < 310_000 and 100_000 <= left < 110_000


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_the_bar_is_drawn_on_a_terminal_alone():
    for stream in (Terminal(), io.StringIO()):
        progress = Progress(4, stream)
        progress('a torch')
        progress('a')
        progress.close()
        drawn = stream.getvalue()
        if stream.isatty():
            found = re.findall(r'\r\[(#+)(\.+)\] +(\d+)%  \d+ s  ([a-z ]+)', drawn)
            assert [(len(past), len(rest), per, what.strip()) for past, rest, per, what in found] == [
                (6, 18, '25', 'a torch'),
                (12, 12, '50', 'a'),
            ]
            assert drawn.endswith('\r'), 'the line is free again'
        else:
            assert drawn == ''
