"""Open JupyterLab on the lessons: on loopback, with a token, without news, with room for the pictures."""

import argparse
import json
import os
import socket
import uuid
from collections.abc import Sequence
from pathlib import Path

from .lessons import PACKAGE, START, Trouble

WORKSPACE = {  # JupyterLab with its left side folded in: the pictures of the lessons need the room
    'data': {'layout-restorer:data': {'left': {'collapsed': True, 'visible': True}, 'relativeSizes': [0, 1, 0]}},
    'metadata': {'id': 'default'},
}


def check_free(port: int) -> None:
    """Raise Trouble if nothing can listen at this port: JupyterLab itself would take several screens to say so."""
    with socket.socket() as probe:
        if (
            os.name == 'posix'
        ):  # a port that a server left a moment ago is free; elsewhere the option means another thing
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(('127.0.0.1', port))
        except PermissionError:
            raise Trouble(f'port {port} is not for ordinary users. Choose one from 1024 up.') from None
        except OSError:
            raise Trouble(
                f'port {port} is in use. Choose another one, or leave --port out: the first free port is taken.'
            ) from None


def lab_arguments(lessons: Path, options: argparse.Namespace, extra: Sequence[str]) -> list[str]:
    """Return the arguments for `jupyter lab`: ours, without those that the learner gives, and the learner's."""
    ours = {
        'ip': '--ServerApp.ip=127.0.0.1',
        'root_dir': f'--ServerApp.root_dir={lessons}',
        'default_url': f'--LabApp.default_url=/lab/tree/{START}',
        'answer_yes': '--ServerApp.answer_yes=True',  # Ctrl-C in a terminal stops it, and asks nothing first
    }
    if options.port:
        ours |= {'port': f'--ServerApp.port={options.port}', 'port_retries': '--ServerApp.port_retries=0'}
    if options.no_browser:
        ours['no_browser'] = '--no-browser'
    if hasattr(os, 'geteuid') and os.geteuid() == 0:  # a container, as a rule; a refusal would help nobody there
        ours['allow_root'] = '--allow-root'
    if workspaces := own_workspaces():
        ours['workspaces_dir'] = f'--LabApp.workspaces_dir={workspaces}'
    if sockets_fit():
        ours['transport'] = '--KernelManager.transport=ipc'
    given = {flag.split('=')[0].rpartition('.')[2].lstrip('-').replace('-', '_') for flag in extra if flag[:2] == '--'}
    if 'notebook_dir' in given:  # the old name
        given.add('root_dir')
    return [*(flag for name, flag in ours.items() if name not in given), *extra]


def own_workspaces() -> Path | None:
    """Return the folder where JupyterLab keeps the layout of the lessons, apart from that of the learner's other work.

    None where the learner's environment names a folder, and where none can be made: then JupyterLab decides.
    """
    if os.environ.get('JUPYTERLAB_WORKSPACES_DIR'):
        return None
    from jupyter_core.paths import jupyter_data_dir
    from jupyterlab_server.workspaces_handler import WorkspacesManager

    folder = Path(jupyter_data_dir(), 'minicell', 'workspaces')
    if not folder.is_dir():  # afterwards it is as the learner leaves it
        try:
            folder.mkdir(parents=True)
            WorkspacesManager(str(folder)).save('default', json.dumps(WORKSPACE))
        except OSError:
            return None
    return folder


def sockets_fit() -> bool:
    """Return whether kernels can talk by Unix sockets: no other user listens in, and no kernel warns of it.

    Such a socket is a file whose whole path has room for about 100 characters, and not every network folder takes one.
    """
    if os.name != 'posix':
        return False
    from jupyter_core.paths import jupyter_runtime_dir

    path = Path(jupyter_runtime_dir(), f'kernel-{uuid.uuid4()}-ipc-1')
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with socket.socket(socket.AF_UNIX) as probe:
            probe.bind(str(path))
        path.unlink()
    except OSError:
        return False
    return True


def open_lab(arguments: list[str]) -> None:
    """Run JupyterLab in this process, until the learner stops it."""
    # its pop-up about news would cover the lesson; the learner's own settings come after this folder's defaults
    folders = [os.environ.get('JUPYTER_CONFIG_PATH'), str(PACKAGE / 'jupyter')]
    os.environ['JUPYTER_CONFIG_PATH'] = os.pathsep.join(filter(None, folders))
    from jupyterlab.labapp import LabApp

    LabApp.launch_instance(arguments)
