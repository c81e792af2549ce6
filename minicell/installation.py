"""Does this installation do what the lessons need? Versions, widgets, `dot`, and a tiny gradient check.

For the command and for lesson 00; so it may import nothing that might be what is missing.
"""

import importlib.metadata
import json
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable
from typing import NamedTuple

NEEDS = 'numpy', 'jupyterlab', 'ipywidgets', 'anywidget', 'matplotlib', 'graphviz'
IN_BROWSER = sys.platform == 'emscripten'  # JupyterLite: JupyterLab and its widgets are the page, not installed
FRONT_END = '@jupyter-widgets/jupyterlab-manager'


class Finding(NamedTuple):
    """One thing that was looked at. `ok` None: not there, and not needed."""

    ok: bool | None
    what: str
    said: str

    def __str__(self) -> str:
        return f'{"○" if self.ok is None else "✓" if self.ok else "✗"} {self.what}: {self.said}'


def look(deep: bool = True) -> list[Finding]:
    """All findings; `deep`: a kernel is started too, which takes a second or two."""
    needs = [name for name in NEEDS if not (IN_BROWSER and name == 'jupyterlab')]
    looks: list[tuple[str, Callable[[], Finding]]] = [('Python', _python)]
    looks += [(name, lambda name=name: _package(name)) for name in needs]
    looks += [] if IN_BROWSER else [('widgets in JupyterLab', _front_end)]
    looks += [('dot', _dot), ('a gradient', _first_order), ('a second derivative', _second_order)]
    return [_tried(*one) for one in [*looks, *([('a kernel', _kernel)] if deep else [])]]


def _tried(what: str, one: Callable[[], Finding]) -> Finding:
    """The finding; of what needs a package that is not there, that package."""
    try:
        return one()
    except ModuleNotFoundError as error:
        return _missing(what, error.name)


def _missing(what: str, name: str) -> Finding:
    package = name.partition('.')[0].replace('_', '-')
    return Finding(False, what, f'{package} is not installed. Write: {sys.executable} -m pip install {package}')


def _python() -> Finding:
    ok = sys.version_info >= (3, 11)
    return Finding(ok, 'Python', platform.python_version() + ('' if ok else ': 3.11 or later is due'))


def _package(name: str) -> Finding:
    try:
        return Finding(True, name, importlib.metadata.version(name))
    except importlib.metadata.PackageNotFoundError:
        return _missing(name, name)


def _front_end() -> Finding:
    """JupyterLab's half of ipywidgets, without which nothing that is pressed on a page reaches the kernel."""
    from jupyter_core.paths import jupyter_path

    for folder in jupyter_path('labextensions'):
        try:
            with open(f'{folder}/{FRONT_END}/package.json', encoding='utf-8') as file:
                return Finding(True, 'widgets in JupyterLab', json.load(file)['version'])
        except OSError:
            continue
    said = f'{FRONT_END} is missing: answers are not kept, and figures stand still.'
    return Finding(False, 'widgets in JupyterLab', f'{said} Write: pip install --force-reinstall ipywidgets')


def _dot() -> Finding:
    found = shutil.which('dot')
    return Finding(
        found and True, 'dot (Graphviz)', found or 'not found, and not needed: pictures are drawn without it'
    )


def _first_order() -> Finding:
    import minicell as ms

    slope = float(ms.grad(lambda x: x * x * x)(ms.Tensor(2.0)))
    return Finding(slope == 12, 'a gradient', f'd(x³)/dx at 2 is {slope:g}, and 12 is due')


def _second_order() -> Finding:
    import minicell as ms

    class Cube(ms.nn.Cell):
        def construct(self, x):
            return x * x * x

        def bprop(self, x, out, dout):
            return (3 * x * x * dout,)

    bend = float(ms.grad(ms.grad(Cube()))(ms.Tensor(2.0)))
    return Finding(bend == 12, 'a second derivative through a bprop', f'of x³ at 2 it is {bend:g}, and 12 is due')


def _kernel() -> Finding:
    """A kernel starts and imports the lesson kit."""
    import ipykernel  # noqa: F401 (which is what starts)
    from jupyter_client.manager import start_new_kernel

    try:
        manager, client = start_new_kernel(kernel_name='python3', stderr=subprocess.DEVNULL)
    except Exception as error:  # whatever keeps a kernel from starting is what the finding is about
        return Finding(False, 'a kernel', f'does not start: {type(error).__name__}: {error}')
    try:
        reply = client.execute_interactive('import minicell.teach', timeout=60, output_hook=lambda message: None)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    ok = reply['content']['status'] == 'ok'
    return Finding(ok, 'a kernel', 'starts and knows the lessons' if ok else reply['content']['evalue'])
