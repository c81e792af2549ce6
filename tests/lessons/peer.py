"""Run the lessons' listings for MindSpore with a Python that has it: `python -m tests.lessons.peer .../bin/python`.

That Python needs MindSpore and an older NumPy; minicell, whose check the listings end with, is taken from this clone.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.lessons.notebooks import NUMBERS, fault, listings, read

ENV = os.environ | {'PYTHONPATH': str(Path(__file__).resolve().parents[2])}


def run(python: str, listing: str) -> str:
    """What is wrong with a listing that is run as a script of its own; '' when nothing is."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder, 'listing.py')
        script.write_text(listing, encoding='utf-8')
        ran = subprocess.run(
            [python, str(script)], cwd=folder, capture_output=True, text=True, check=False, timeout=300, env=ENV
        )
    return ran.stderr.strip() if ran.returncode else fault(listing, ran.stdout)


def main(python: str) -> int:
    """Run all of them; how many lessons have a listing that fails."""
    faults = {number: run(python, listings(read(number), number)['mindspore']) for number in NUMBERS}
    for number, said in faults.items():
        print(f'lesson {number}, MindSpore: {said or "as promised"}', flush=True)
    return sum(map(bool, faults.values()))


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
