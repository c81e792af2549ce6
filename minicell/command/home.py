"""A place for what Jupyter writes, where the home folder takes nothing: in a locked room, or a container."""

import atexit
import os
import shutil
import tempfile
from collections.abc import Callable

from .lessons import Trouble


def folders() -> dict[str, Callable[[], str]]:
    """The variable that names a folder -> where that is as things are; none without Jupyter."""
    try:
        from jupyter_core import paths
    except ModuleNotFoundError:  # `minicell check` says so
        return {}
    return {
        'JUPYTER_CONFIG_DIR': paths.jupyter_config_dir,
        'JUPYTER_DATA_DIR': paths.jupyter_data_dir,
        'JUPYTER_RUNTIME_DIR': paths.jupyter_runtime_dir,
        'IPYTHONDIR': lambda: os.path.expanduser('~/.ipython'),
        'MPLCONFIGDIR': lambda: os.path.expanduser('~/.config/matplotlib'),
    }


def takes_files(folder: str) -> bool:
    """Whether a file can be written there, in a folder that is made first where there is none."""
    there = os.path.abspath(folder)
    while not os.path.lexists(there):
        there = os.path.dirname(there)
    return os.path.isdir(there) and os.access(there, os.W_OK | os.X_OK)


def settle() -> str:
    """Let Jupyter write to a new folder in place of one that cannot be written; what the learner is told, or ''.

    Raises Trouble where there is no such folder either.
    """
    shut = [name for name, where in folders().items() if not takes_files(os.environ.get(name) or where())]
    if not shut:
        return ''
    try:
        stead = tempfile.mkdtemp(prefix='minicell-')
    except OSError:
        raise Trouble(
            'neither your home folder nor one for temporary files can be written: set TMPDIR to one.'
        ) from None
    atexit.register(shutil.rmtree, stead, ignore_errors=True)
    for name in shut:
        os.environ[name] = os.path.join(stead, name.lower())
        os.mkdir(os.environ[name], 0o700)
    return f'Your home folder cannot be written: settings and progress are kept in {stead} instead, for this time only.'
