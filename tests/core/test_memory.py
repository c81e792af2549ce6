"""Importing minicell changes nothing in the process: memory that is freed is given back to the system."""

import platform
import subprocess
import sys

import pytest

FREED = """
import numpy as np
{imports}
def resident():
    with open('/proc/self/statm') as numbers:
        return int(numbers.read().split()[1]) * 4096 / 2**20
between, arrays = [], []
before = resident()
for _ in range(60):
    arrays.append(np.ones(20 << 17))  # 20 MiB
    between.append([bytearray(500) for _ in range(50)])
del arrays
print(resident() - before)
"""


@pytest.mark.slow
@pytest.mark.skipif(platform.system() != 'Linux', reason='it is read from /proc')
def test_sixty_arrays_that_were_freed_are_given_back():
    def kept(imports):
        code = FREED.format(imports=imports)
        return float(subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, check=True).stdout)

    step = 'import minicell as ms; ms.grad(lambda x: (x * x).sum())(ms.Tensor(np.ones(1 << 20)))'
    assert kept(step) < kept('') + 60, 'MiB: minicell holds back what was freed'
