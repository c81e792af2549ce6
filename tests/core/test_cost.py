"""What one reads of the core for a takeover, and what an op pays when nobody wants a gradient."""

import subprocess
import sys

from tests.core.cost import prices, takeover


def test_a_takeover_is_read_in_few_lines_of_few_files():
    read = takeover()
    assert {'tape.py', 'cell.py', 'differentiate.py'} <= read.keys(), read
    assert read.total() <= 545 and len(read) <= 6, read


def test_an_op_that_is_not_recorded_costs_little_more_than_its_kernel():
    for _ in range(5):  # (while another program runs, the caches are not ours)
        took = prices()
        if took['ops.tanh(x)'] < 3 * took['np.tanh(a)'] and took['x + x'] < 3 * took['np.add(a, a)']:
            return
    raise AssertionError(took)


def test_the_script_prints_both():
    said = subprocess.run([sys.executable, '-m', 'tests.core.cost'], capture_output=True, text=True, check=True).stdout
    assert 'are read for a takeover' in said and 'ns  ops.tanh(x)' in said
