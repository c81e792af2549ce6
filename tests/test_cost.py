"""What one reads of the core for a takeover, and what an op pays when nobody wants a gradient."""

import json
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[1] / '.github/cost.py'


def test_a_takeover_is_read_in_few_lines_and_an_op_costs_little_more_than_its_kernel():
    for _ in range(5):  # (while another program runs, the caches are not ours)
        said = subprocess.run([sys.executable, SCRIPT, '--json'], capture_output=True, text=True, check=True).stdout
        read, took = json.loads(said)
        assert {'tape.py', 'cell.py', 'differentiate.py'} <= read.keys() and len(read) <= 6, read
        assert sum(read.values()) <= 545, read
        if took['ops.tanh(x)'] < 3 * took['np.tanh(a)'] and took['x + x'] < 3 * took['np.add(a, a)']:
            return
    raise AssertionError(took)
