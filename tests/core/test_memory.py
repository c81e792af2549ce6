"""Memory that comes and goes stays with the process: a training step does not pay for its pages anew."""

import platform
import subprocess
import sys

import pytest

COUNT = """
import resource
{imports}
import numpy as np

def step():
    return [np.ones(25_000, np.float32) for _ in range(100)] and None

def faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt

step()
before = faults()
for _ in range(10):
    step()
print(faults() - before)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != 'glibc', reason='it is glibc that gives memory back at once')
def test_pages_are_kept():
    def counted(imports):
        code = COUNT.format(imports=imports)
        return int(subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, check=True).stdout)

    without = counted('')
    assert without > 10_000, 'what minicell is to spare'
    assert counted('import minicell') < without / 10
