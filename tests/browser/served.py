"""The parts of the site that run Python: made once for all tests, of what the package registry has, and served."""

import contextlib
import functools
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from minicell.command import site
from minicell.command.site import exercises, front, lite
from tests.browser.lab import LOOPBACK
from tests.servers import ROOT


class Quiet(SimpleHTTPRequestHandler):
    """Python's own web server, without a word for each request; it never says that a file has not changed."""

    def log_message(self, *arguments: object) -> None:
        pass


@contextlib.contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of a folder, while it is served."""
    with ThreadingHTTPServer((LOOPBACK, 0), functools.partial(Quiet, directory=str(folder))) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f'http://{LOOPBACK}:{server.server_port}/'
        server.shutdown()


@pytest.fixture(scope='session')
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that JupyterLite was built into; its pages tell a test about themselves."""
    with lite.workshop() as work:
        place = lite.build(tmp_path_factory.mktemp('site'), work)
    config = lite.read(place / lite.OURS)
    config['jupyter-config-data']['exposeAppInBrowser'] = True
    lite.written(place / lite.OURS, config)
    (place.parent / 'favicon.ico').write_bytes(b'')  # Chromium asks for one
    return place


@pytest.fixture(scope='session')
def address(built: Path) -> Iterator[str]:
    """Where the site is that JupyterLite is a part of."""
    with served(built.parent) as url:
        yield url


@pytest.fixture(scope='session')
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site without its lessons, with Pyodide beside it."""
    folder = tmp_path_factory.mktemp('front')
    site.lay_styles(folder)
    course = [(path.stem, path.stem) for path in sorted((ROOT / 'lessons').glob('[0-9]*.ipynb'))]
    script, _ = exercises.write(folder, beside=True)
    with lite.workshop() as work:
        pages = [*site.others(folder, course, script), front.write(folder, work.origin)]
    for page in pages:
        site.keep(folder, page, '')
    site.keep_index(folder, pages)
    return folder


@pytest.fixture(scope='session')
def url(folder: Path) -> Iterator[str]:
    """Where that is."""
    with served(folder) as url:
        yield url
