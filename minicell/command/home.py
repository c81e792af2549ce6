"""A place for what Jupyter writes, where the home folder takes nothing: in a locked room, or a container."""

import atexit
import os
import shutil
import signal
import tempfile
from collections.abc import Callable
from pathlib import Path

from .lessons import Trouble


def folders() -> dict[str, Callable[[], str | Path]]:
    """The variable that names a folder -> where that is as things are; none without Jupyter.

    Where nothing says which folder is the home, asking for one raises RuntimeError.
    """
    try:
        from jupyter_core import paths
    except ModuleNotFoundError:  # `minicell check` says so
        return {}
    return {
        'JUPYTER_CONFIG_DIR': paths.jupyter_config_dir,
        'JUPYTER_DATA_DIR': paths.jupyter_data_dir,
        'JUPYTER_RUNTIME_DIR': paths.jupyter_runtime_dir,
        'IPYTHONDIR': Path('~/.ipython').expanduser,
        'MPLCONFIGDIR': Path('~/.config/matplotlib').expanduser,
    }


def takes_files(folder: str | Path) -> bool:
    """Whether a file can be written there, in a folder that is made first where there is none: one is tried."""
    there = os.path.abspath(folder)
    while not os.path.lexists(there):
        there = os.path.dirname(there)
    try:
        with tempfile.TemporaryFile(dir=there) as file:
            file.write(b'.')  # a full disk takes a file, and nothing in it
    except OSError:
        return False
    return True


def is_shut(name: str, where: Callable[[], str | Path]) -> bool:
    """Whether the folder of this variable takes no files, or there is no saying which it is."""
    try:
        return not takes_files(os.environ.get(name) or where())
    except RuntimeError:
        return True


def settle() -> str:
    """Let Jupyter write to a new folder in place of one that cannot be written; what the learner is told, or ''.

    Raises Trouble where there is no such folder either.
    """
    shut = [name for name, where in folders().items() if is_shut(name, where)]
    if not shut:
        return ''
    try:
        stead = tempfile.mkdtemp(prefix='minicell-')
    except OSError:
        raise Trouble(
            'neither your home folder nor one for temporary files can be written: set TMPDIR to one.'
        ) from None
    atexit.register(leave, stead)
    if os.path.expanduser('~') == '~':  # a container's user whom no file knows: Jupyter asks for a home all the same
        os.environ['HOME'] = stead
    for name in shut:
        os.environ[name] = os.path.join(stead, name.lower())
        os.mkdir(os.environ[name], 0o700)
    return f'Your home folder cannot be written: settings and progress are kept in {stead} instead, for this time only.'


def leave(stead: str) -> None:
    """Take the folder away again, all of it: a second Ctrl-C does not stop that."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    shutil.rmtree(stead, ignore_errors=True)
