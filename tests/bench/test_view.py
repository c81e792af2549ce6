"""The frames of a long tape are ready soon enough; `python tests/bench/view.py` prints how soon.

The limits here are three times the ones that are asked for: a busy machine must not fail them.
"""

import importlib.util
import statistics
from pathlib import Path

import pytest

SPEC = importlib.util.spec_from_file_location('bench_view', Path(__file__).with_name('view.py'))
bench = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(bench)


@pytest.mark.parametrize('zoom', ['cells', 'ops'])
@pytest.mark.parametrize('name', bench.PROGRAMS)
def test_a_thousand_entries(name, zoom):
    tape = bench.PROGRAMS[name](1000)
    ready, drawn, count = bench.measure(tape, zoom, most=12)
    assert count > 2000
    assert ready < 3 * bench.READY
    assert statistics.median(drawn) < 3 * bench.DRAWN


def test_it_prints_a_row_for_each(capsys):
    bench.main(20)
    rows = capsys.readouterr().out.splitlines()
    assert len(rows) == 1 + 3 * len(bench.PROGRAMS)
    assert all('frames ready in' in row for row in rows[1:])
