"""The picture of a long tape is ready soon enough; `python tests/bench/view.py` prints how soon.

A busy machine may slow down a measurement: the best counts, each by the pace of its own moment.
"""

import importlib.util
from pathlib import Path

import pytest

from tests.pace import best

SPEC = importlib.util.spec_from_file_location('bench_view', Path(__file__).with_name('view.py'))
bench = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(bench)


@pytest.mark.parametrize('zoom', ['cells', 'ops'])
@pytest.mark.parametrize('name', bench.PROGRAMS)
def test_a_thousand_entries(name, zoom):
    tape = bench.PROGRAMS[name](1000)
    seen = []

    def ready():
        seen[:] = bench.measure(tape, zoom)
        return seen[0]

    assert best(ready, bench.READY) < bench.READY
    _, size, steps = seen
    assert steps > 10
    assert size < 1_000_000  # what a display may be


def test_it_prints_a_row_for_each(capsys):
    bench.main(20)
    rows = capsys.readouterr().out.splitlines()
    assert len(rows) == 1 + 3 * len(bench.PROGRAMS)
    assert all('steps ready in' in row for row in rows[1:])
