"""The `minicell` command: JupyterLab on the lessons."""

import argparse
import importlib.metadata
import json
import os
import shutil
import socket
import sys
import uuid
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

from minicell import __version__

START = '03_takeover.ipynb'
COPY = 'minicell-lessons'
WORKSPACE = {  # JupyterLab with its left side folded in: the pictures of the lessons need the room
    'data': {'layout-restorer:data': {'left': {'collapsed': True, 'visible': True}, 'relativeSizes': [0, 1, 0]}},
    'metadata': {'id': 'default'},
}
PACKAGE = Path(__file__).resolve().parent

DESCRIPTION = f"""\
Open the lessons in JupyterLab: on this machine only, with a token.

From a checkout, the lessons are the checkout's own. From an installed wheel
they are a copy in the current folder, {COPY}; what you wrote stays."""

EPILOG = """\
examples:
  minicell                       open the lessons in your browser
  minicell --no-browser          print their address instead
  minicell --port 9000           at a port of your choice
  minicell -- --log-level=WARN   pass what follows the -- to `jupyter lab`

Stop it with Ctrl-C."""


class Trouble(Exception):
    """What keeps the lessons from opening, in a sentence for the learner."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    end = arguments.index('--') if '--' in arguments else len(arguments)
    options = parser().parse_args(arguments[:end])
    try:
        if options.port:
            check_free(options.port)
        lessons = checkout_lessons() or copy_lessons(PACKAGE / 'lessons', Path.cwd() / COPY)
    except Trouble as trouble:
        print(f'minicell: {trouble}', file=sys.stderr)
        return 1
    print(f'The lessons are in {lessons}', flush=True)
    open_lab(lab_arguments(lessons, options, arguments[end + 1 :]))
    return 0


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command's own options."""
    p = argparse.ArgumentParser(
        prog='minicell',
        usage='minicell [--port N] [--no-browser] [-- OPTIONS OF JUPYTER LAB]',
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    p.add_argument(
        '--port', type=port_number, metavar='N', help='listen at port N (default: the first free one from 8888)'
    )
    p.add_argument('--no-browser', action='store_true', help='open no browser, print the address')
    p.add_argument('--version', action='version', version=f'minicell {__version__}')
    return p


def port_number(text: str) -> int:
    """Return the port that a learner typed."""
    if not (text.isascii() and text.isdigit() and 0 < int(text) < 65536):
        raise argparse.ArgumentTypeError(f'a port is a whole number from 1 to 65535, not {text!r}')
    return int(text)


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


def checkout_lessons() -> Path | None:
    """Return the lessons of the checkout that this package is run or was installed from, if they can be written."""
    for root in (PACKAGE.parent, installed_from()):
        if root and (root / 'pyproject.toml').is_file() and (root / 'lessons' / START).is_file():
            lessons = root / 'lessons'
            if os.access(lessons, os.W_OK):
                return lessons
    return None


def installed_from() -> Path | None:
    """Return the folder that `pip install FOLDER` was given, which pip keeps beside the package (PEP 610)."""
    try:
        record = importlib.metadata.distribution('minicell').read_text('direct_url.json')
    except importlib.metadata.PackageNotFoundError:
        return None
    origin = json.loads(record) if record else {}
    url = urlsplit(origin.get('url', ''))
    return Path(url2pathname(url.path)) if url.scheme == 'file' and 'dir_info' in origin else None


def copy_lessons(source: Path, target: Path) -> Path:
    """Copy the lessons that are not there yet, and return their folder. What is there is the learner's and stays."""
    if not (source / START).is_file():
        raise Trouble('this installation has no lessons. Install it again: pip install --force-reinstall minicell')
    try:
        target.mkdir(exist_ok=True)
        for lesson in sorted(file for file in source.rglob('*') if file.is_file()):
            place = target / lesson.relative_to(source)
            if not os.path.lexists(place):
                place.parent.mkdir(parents=True, exist_ok=True)
                # whole or not at all: half a lesson would be taken for the learner's own the next time
                part = place.with_name(place.name + '.part')
                shutil.copyfile(lesson, part)
                part.replace(place)
    except OSError as error:
        raise Trouble(f'the lessons cannot be written to {target}: {error.strerror}. {ELSEWHERE}') from None
    if not os.access(target, os.W_OK):
        raise Trouble(f'{target} belongs to someone else. {ELSEWHERE}')
    return target


ELSEWHERE = 'Go to a folder of your own, say `cd ~`, and run minicell there.'


def lab_arguments(lessons: Path, options: argparse.Namespace, extra: Sequence[str]) -> list[str]:
    """Return the arguments for `jupyter lab`: ours, without those that the learner gives, and the learner's."""
    ours = {
        'ip': '--ServerApp.ip=127.0.0.1',
        'root_dir': f'--ServerApp.root_dir={lessons}',
        'default_url': f'--LabApp.default_url=/lab/tree/{START}',
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


if __name__ == '__main__':
    sys.exit(main())
