"""Record goldens.json again, on MindSpore itself: `python tests/conformance/record.py [--write]`.

Runs every case with the MindSpore that is installed, and shows what differs from the recording (with --write: replaces
it). A case's name, category, kind and code stay; its output, and the class and first line of the error that ended it,
are recorded.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

GOLDENS = Path(__file__).with_name('goldens.json')
CATCH = """
import sys, json
try:
    exec(compile(open(sys.argv[1]).read(), sys.argv[1], 'exec'), {'__name__': '__main__', '__file__': sys.argv[1]})
except BaseException as error:
    sys.stdout.flush()
    lines = str(error).strip().splitlines() or ['']
    open(sys.argv[2], 'w').write(json.dumps([type(error).__name__, lines[0]]))
"""


def record(code: str, seconds: int = 120) -> dict:
    """What a case prints, and how it ends, in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        case, ended = Path(folder, 'case.py'), Path(folder, 'ended')
        case.write_text(code)
        ran = subprocess.run(
            [sys.executable, '-c', CATCH, str(case), str(ended)],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            timeout=seconds,
            check=False,
        )
        error, message = json.loads(ended.read_text()) if ended.exists() else (None, None)
        return {'stdout': ran.stdout, 'error': error, 'error_message': message}


def main() -> None:
    """Record all cases, or say why that cannot be done here."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument('--write', action='store_true', help='replace goldens.json')
    write = options.parse_args().write
    try:
        import mindspore
    except ImportError:
        sys.exit('MindSpore is not installed here: pip install mindspore, on a machine that has a wheel of it')
    print(f'MindSpore {mindspore.__version__}')
    cases = json.loads(GOLDENS.read_text())
    differ = 0
    for k, case in enumerate(cases, 1):
        found = record(case['code'])
        same = found['stdout'].split() == case['stdout'].split() and found['error'] == case['error']
        differ += not same
        print(f'\r{k}/{len(cases)} recorded, {differ} differ', end='', flush=True)
        if not same:
            print(f'\n  {case["name"]}: {found["error"] or found["stdout"][:80]!r}')
        case.update(found)
    print()
    if write:
        GOLDENS.write_text(json.dumps(cases, indent=1) + '\n')


if __name__ == '__main__':
    main()
