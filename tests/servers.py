"""JupyterLab by the `minicell` command, on loopback, with no settings of anybody's."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def heeds_ctrl_c() -> None:
    """Undo what a shell does to a job in the background, which is to ignore Ctrl-C: a server would inherit that."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@contextlib.contextmanager
def opened(folder: Path, *arguments: str, **env: str) -> Iterator[tuple[str, str]]:
    """`minicell`, run in a folder: what it says until its page answers, and the page's address; one Ctrl-C ends it.

    It runs the checkout under test, installed or not, unless `env` says otherwise.
    """
    log = folder / 'log'
    keyboard, terminal = os.openpty()  # only there does Jupyter ask whether a Ctrl-C was meant
    clean = {name: value for name, value in os.environ.items() if not name.startswith(('JUPYTER', 'IPYTHON'))}
    with log.open('wb') as out:
        server = subprocess.Popen(
            [sys.executable, '-m', 'minicell', *arguments],
            cwd=folder, env=clean | {'PYTHONPATH': str(ROOT), 'PYTHONUTF8': '1'} | env,
            stdin=terminal, stdout=out, stderr=out, preexec_fn=heeds_ctrl_c,
        )  # fmt: skip
    try:
        for _ in range(3000):
            said = log.read_text(encoding='utf-8')
            found = re.search(r'http://[^/]+:\d+/lab/tree/\S+', said)
            if found:
                break
            assert server.poll() is None, said
            time.sleep(0.1)
        assert answers(found[0]) == 200
        yield log.read_text(encoding='utf-8'), found[0]
    finally:
        server.send_signal(signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            server.wait(60)
        if server.poll() is None:
            server.kill()
            server.wait()
        os.close(keyboard)
        os.close(terminal)
    assert server.returncode == 0, log.read_text(encoding='utf-8')[-2000:]


def answers(address: str) -> int:
    """The status of a page, once somebody listens: a busy machine says the address some time before."""
    for _ in range(300):
        with contextlib.suppress(urllib.error.URLError), urllib.request.urlopen(address, timeout=30) as page:
            return page.status
        time.sleep(0.2)
    return 0
