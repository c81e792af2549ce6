"""Record goldens.json again, on MindSpore itself: `python tests/conformance/record.py [--write]`.

Runs every case with the MindSpore that is installed, and shows what differs from the recording; without --write a
difference is a failure, with it the recording is replaced. A case keeps its name, category, kind and code; its output,
and the class and first line of the error that ended it, are recorded. Each case runs in a fork of a process that has
imported MindSpore, which takes longer than all that a case does.
"""

import argparse
import json
import os
import signal
import sys
import tempfile
import types
from pathlib import Path

GOLDENS = Path(__file__).with_name('goldens.json')


def play(code: str, folder: Path, seconds: int) -> None:
    """In the child: run a case from a file, as MindSpore's compiler wants it; leave what it printed and its error."""
    signal.alarm(seconds)
    os.chdir(folder)
    os.dup2(os.open('out', os.O_CREAT | os.O_WRONLY), 1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    case = folder / 'case.py'
    case.write_text(code)
    main = sys.modules['__main__'] = types.ModuleType('__main__')
    main.__file__ = str(case)
    try:
        exec(compile(code, str(case), 'exec'), main.__dict__)
    except BaseException as error:  # SystemExit counts as well
        lines = str(error).strip().splitlines() or ['']
        Path('ended').write_text(json.dumps([type(error).__name__, lines[0][:300]]))
    sys.stdout.flush()


def record(code: str, seconds: int = 120) -> dict:
    """What a case prints, and how it ends, in a process of its own."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sys.stdout.flush()
        child = os.fork()
        if not child:
            try:
                play(code, folder, seconds)
            finally:
                os._exit(0)
        _, status = os.waitpid(child, 0)
        ended = folder / 'ended'
        error, message = json.loads(ended.read_text()) if ended.exists() else (None, None)
        if status:
            error, message = 'Crash', f'wait status {status}'
        return {'stdout': (folder / 'out').read_text(), 'error': error, 'error_message': message}


def tidy(text: str) -> str:
    """Without the white space that ends lines."""
    return '\n'.join(line.rstrip() for line in text.strip().splitlines())


def main() -> None:
    """Record all cases, or say why that cannot be done here."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument('--write', action='store_true', help='replace goldens.json')
    write = options.parse_args().write
    try:
        import mindspore
    except ImportError:
        sys.exit('MindSpore is not installed here: pip install mindspore, on a machine that has a wheel of it')
    cases = json.loads(GOLDENS.read_text())
    differ = 0
    for case in cases:
        found = record(case['code'])
        if tidy(found['stdout']) != tidy(case['stdout']) or found['error'] != case['error']:
            differ += 1
            print(f'{case["name"]}: {found["error"] or found["stdout"]!r}')
        case.update(found)
    print(f'MindSpore {mindspore.__version__}: {len(cases)} cases, {differ} differ from the recording')
    if write:
        GOLDENS.write_text(json.dumps(cases, indent=1) + '\n')
    else:
        sys.exit(differ > 0)


if __name__ == '__main__':
    main()
