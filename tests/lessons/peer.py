"""Run the lessons' listings for MindSpore with a Python that has it: `python -m tests.lessons.peer .../bin/python`.

MindSpore wants an older NumPy than minicell does, so no environment has both. The listings need minicell no more than
their readers do.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from tests.lessons.notebooks import NUMBERS, fault, listings, read


def run(python: str, listing: str) -> str:
    """What is wrong with a listing that is run as a script of its own; '' when nothing is."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder, 'listing.py')
        script.write_text(listing, encoding='utf-8')
        ran = subprocess.run(
            [python, str(script)], cwd=folder, capture_output=True, text=True, check=False, timeout=300
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
