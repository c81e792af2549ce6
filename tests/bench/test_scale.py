"""Time and memory grow in proportion to the number of ops."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.bench import scale

pytestmark = pytest.mark.nightly


def test_time_an_op_is_the_same_at_a_thousand_and_at_a_hundred_thousand_ops():
    """A quadratic tape would take a hundred times as long an op; a busy machine is no quadratic one."""
    for _ in range(3):
        short, long = scale.fresh(1_000), scale.fresh(100_000)
        ratio = (long['seconds'] / long['length']) / (short['seconds'] / short['length'])
        if ratio < 3:
            return
    raise AssertionError(f'an op takes {ratio:.1f} times as long in a chain of 100,000 as in one of 1,000')


@pytest.mark.skipif(not scale.peak(), reason='this system does not say how much memory a process has held')
def test_memory_an_op_is_the_same_at_ten_times_the_length():
    """From 50,000 ops on, where an allocator's first blocks do not count any more."""
    short, long = scale.fresh(50_000), scale.fresh(500_000)
    ratio = (long['bytes'] / long['length']) / (short['bytes'] / short['length'])
    assert 0.5 < ratio < 2, f'an op takes {ratio:.2f} times as much memory in a chain ten times as long'
    assert long['bytes'] / long['length'] < 1_000, f'{long["bytes"] / long["length"]:.0f} bytes an op'


def test_a_million_ops_with_the_default_recursion_limit():
    got = scale.fresh(1_000_000)
    fresh_limit = subprocess.run(
        [sys.executable, '-c', 'import sys; print(sys.getrecursionlimit())'], capture_output=True, text=True, check=True
    )
    assert got['limit'] == int(fresh_limit.stdout)
    assert got['seconds'] / got['length'] < 50e-6, f'{got["seconds"]:.1f} s'


def test_the_command_prints_a_line_a_length():
    ran = subprocess.run(
        [sys.executable, str(Path(scale.__file__)), '1000', '2000'], capture_output=True, text=True, check=True
    )
    head, *lines = ran.stdout.splitlines()
    assert head.split() == ['ops', 'seconds', 'µs', 'an', 'op', 'MB', 'bytes', 'an', 'op']
    assert [line.split()[0] for line in lines] == ['1,000', '2,000']
    assert all(float(line.split()[2]) > 0 for line in lines)
