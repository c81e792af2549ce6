"""The course as a site: the first page, a page a lesson, the reference; from a server or from file://, with no kernel.

The first page is `front`, with Python in the reader's browser (`pyodide`) for whoever edits its program. Each lesson is
run in a kernel in which what a page does otherwise is shown otherwise (`pages`). A card and a tape show themselves as
in a notebook, for they work by themselves; what an exercise needs beside that is in `exercises`. `course`, `texts` and
`reference` are the other pages; `document` is what all of them have in common, with `search` and `elsewhere` for its
bar.
"""

import asyncio
import atexit
import os
import re
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, DeadKernelError
from nbformat.v4 import new_code_cell

from minicell.ink.page import fragment
from minicell.teach.lesson00 import KEPT
from minicell.teach.progress import SWITCH

from ..lab import sockets_fit
from ..lessons import PACKAGE, Trouble, shipped
from . import course as lessons_page
from . import elsewhere, exercises, front, laid, lite, reference, search, texts
from .document import Page, document
from .lite.wheel import licence

BESIDE = 'course.css', 'course.js', 'search.js'
READY = 'from minicell.command.site import pages; pages.publish()'
TIMEOUT = 300  # seconds a cell
CHECKS = 'class="mc-card exercise"'
CHECK = re.compile(r'^L\.check\(', re.M)
# What JupyterLite answers; it needs a web server, so that the page takes these away where it was opened as a file.
ANSWER = '<span class="served"><a href="{}">JupyterLab in your browser</a> has it as a notebook. </span>'
WHOLE = (
    '<p class="served"><a href="{}">All lessons with Python, here in your browser</a>: nothing to install. Python '
    'comes from this site, once, and needs half a minute to start.</p>'
)
SCROLLS = 'tabindex="0" role="region" aria-label="{}"'  # what may be wider than a screen is reached by keys
CELL = """<section class="{kind}" id="{id}">{body}</section>"""

Said = Callable[[int, int, str], None]


def write(
    folder: Path,
    said: Said = lambda done, of, what: None,
    answers: bool = False,
    python: bool = False,
    address: str = '',
    pyodide: Path | None = None,
) -> list[Path]:
    """Write the site into a folder, and return its pages, the first one last; `said(done, of, what)` hears of each.

    answers: build JupyterLite too (`lite`), and lead to it from where a page asks something; python: put Pyodide beside
    the site; address: where the site will stand, for search engines and link previews; pyodide: a folder that has its
    files, for where its own server cannot be reached.

    Raises Trouble where a lesson does not run, the folder cannot be written or has files of others in their place, or
    something cannot be fetched. Then, and after Ctrl-C, an earlier site is there as it was (`laid`).
    """
    lessons = sorted(shipped().glob('[0-9][0-9]_*.ipynb'))
    course = [(path.stem, title(nbformat.read(path, as_version=4))) for path in lessons]
    try:
        with laid.building(folder) as site, lite.workshop(pyodide) as work:
            if answers:
                lite.build(site, work, said)
            lay_styles(site)
            script, needs = exercises.write(site, python)
            pages = []
            for k, path in enumerate(lessons):
                said(k, len(lessons) + 1, path.stem)
                notebook = run(nbformat.read(path, as_version=4), path.stem)
                pages.append(page(notebook, path.stem, course, script, needs, answers))
            said(len(lessons), len(lessons) + 1, 'the first page')
            pages += [*others(site, course, script, answers), front.write(site, work.origin if python else None)]
            for each in pages:
                keep(site, each, address)
            keep_index(site, pages)
    except OSError as error:
        raise Trouble(f'the site cannot be written to {folder}: {error.strerror}') from None
    said(len(lessons) + 1, len(lessons) + 1, f'done. {work.origin.said()}' if work.origin.used else 'done')
    return [folder / each.path for each in pages]


def others(folder: Path, course: list[tuple[str, str]], script: str, answers: bool = False) -> Iterator[Page]:
    """All pages but the lessons and the first one. `script`: the lessons'; `answers`: they lead to JupyterLite."""
    whole = WHOLE.format(lite.link(course[0][0])) if answers else ''
    yield lessons_page.page(folder, whole, exercises.KEPT, script)
    yield from texts.how()
    yield texts.mindspore()
    yield from reference.pages()


def start() -> str:
    """The text of lesson 00, which has the words of other frameworks."""
    (path,) = shipped().glob('00_*.ipynb')
    cells = nbformat.read(path, as_version=4).cells
    return '\n\n'.join(cell.source for cell in cells if cell.cell_type == 'markdown')


def lay_styles(folder: Path) -> None:
    """Write what every page needs beside it."""
    beside = {name: files(__package__).joinpath(name).read_text(encoding='utf-8') for name in BESIDE}
    beside['course.css'] += fragment.look()  # the first page's picture has its style before its script
    beside['course.js'] = elsewhere.script(start()) + beside['course.js']
    for name, text in beside.items():
        (folder / name).write_text(text, encoding='utf-8')
    (folder / 'LICENSE.txt').write_bytes(licence())


def keep(folder: Path, page: Page, address: str) -> None:
    """Write a page."""
    path = folder / page.path
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(document(page, address), encoding='utf-8')


def keep_index(folder: Path, pages: list[Page]) -> None:
    """Write what the search reads."""
    (folder / 'search-index.js').write_text(search.index(pages), encoding='utf-8')


def title(notebook: Any) -> str:
    """The first heading of a notebook."""
    for cell in notebook.cells:
        if cell.cell_type == 'markdown' and (found := re.match(r'# (.+)', cell.source)):
            return found[1].strip()
    return ''


class Loop(asyncio.SelectorEventLoop):
    """Where Ctrl-C stops what runs: nbclient would take it for itself, and fail for want of the kernel it stopped."""

    def add_signal_handler(self, *handler: Any) -> None:
        """Say that there is no such thing here, as on Windows."""
        raise RuntimeError


def run(notebook: Any, name: str) -> Any:
    """The notebook, executed in a fresh kernel that shows what a page can show."""
    notebook.cells.insert(0, new_code_cell(READY))
    path = os.pathsep.join(filter(None, [str(PACKAGE.parent), os.environ.get('PYTHONPATH')]))
    with tempfile.TemporaryDirectory() as here:
        client = NotebookClient(
            notebook, timeout=TIMEOUT, kernel_name='python3', resources={'metadata': {'path': here}}
        )
        if sockets_fit():
            manager = client.create_kernel_manager()  # a kernel on TCP warns that it is one
            manager.transport, manager.ip = 'ipc', f'{here}/kernel'
        env = {**os.environ, 'PYTHONPATH': path, SWITCH: 'off'}  # whose progress is nobody's business
        try:
            with asyncio.Runner(loop_factory=Loop) as runner:
                # (what a kernel writes itself, it writes while it is stopped)
                runner.run(client.async_execute(env=env, stderr=subprocess.DEVNULL))
        except CellExecutionError as error:
            raise Trouble(f'lesson {name} does not run: {error.ename}: {error.evalue}') from None
        except DeadKernelError:  # by Ctrl-C too, as nbclient has it
            raise Trouble(f'lesson {name} was stopped before its end.') from None
        finally:
            atexit.unregister(client._cleanup_kernel)  # what Ctrl-C stopped would be stopped again
    del notebook.cells[0]
    return notebook


# ---- pages ---------------------------------------------------------------------------------------------------------


def page(
    notebook: Any, name: str, course: list[tuple[str, str]], script: str, needs: str, answers: bool = False
) -> Page:
    """A lesson as a page, with its script, and what stands under its first exercise.

    answers: it leads to the lesson in JupyterLite.
    """
    names = [stem for stem, _ in course]
    at = names.index(name)
    before = f'<a href="{names[at - 1]}.html" rel="prev">← {escape(course[at - 1][1])}</a>' if at else '<span></span>'
    after = f'<a href="{names[at + 1]}.html" rel="next">{escape(course[at + 1][1])} →</a>' if names[at + 1 :] else ''
    body = '\n'.join(cells(notebook, needs.format(lite=ANSWER.format(lite.link(name)) if answers else '')))
    contents = ''.join(
        f'<li><a href="#{at}">{words}</a></li>' for at, words in re.findall(r'<h2 id="([^"]+)">(.*?)</h2>', body)
    )
    main = (
        f'<nav class="contents" aria-label="On this page"><ol>{contents}</ol></nav>\n{body}\n{exercises.KEPT}\n'
        f'<nav class="beside" aria-label="Lessons beside this one">{before}{after}</nav>'
    )
    return Page(f'{name}.html', course[at][1], question(notebook), main, 'lesson', (script,), part='course.html')


def cells(notebook: Any, needs: str = '') -> Iterator[str]:
    """Each cell of a lesson as HTML; `needs` stands under the first exercise."""
    for cell in notebook.cells:
        if cell.cell_type == 'markdown':
            yield CELL.format(kind='text', id=cell.id, body=reference.linked(texts.html_of(cell.source)))
            continue
        shown = '\n'.join(filter(None, map(output, cell.outputs)))
        if CHECKS in shown:
            shown, needs = shown + needs, ''
        written = '' if CHECK.search(cell.source) else texts.code(cell.source)  # an exercise is written in its card
        yield CELL.format(kind='cell', id=cell.id, body=written + shown)


def output(out: Any) -> str:
    """One output of a cell: the richest of its forms that needs no kernel."""
    if out.output_type == 'stream':
        return f'<pre class="out" {SCROLLS.format("Printed")}>{escape(out.text)}</pre>'
    data = out.get('data', {})
    data = data.get(KEPT, data)  # a page is read on another machine
    for kind in ('text/html', 'image/svg+xml'):
        if kind in data:
            reached = re.sub(r'<pre(?![^>]*tabindex)', f'<pre {SCROLLS.format("Printed")}', ''.join(data[kind]))
            return f'<div class="out">{texts.among_pages(reached)}</div>'
    if 'image/png' in data:
        alt = escape(
            out.metadata.get('image/png', {}).get('alt', '') or ''.join(data.get('text/plain', '')), quote=True
        )
        return f'<img class="out" alt="{alt}" src="data:image/png;base64,{"".join(data["image/png"]).strip()}">'
    plain = ''.join(data.get('text/plain', ''))
    return f'<pre class="out" {SCROLLS.format("Result")}>{escape(plain)}</pre>' if plain else ''


def question(notebook: Any) -> str:
    """The question that a lesson opens with, without its marks."""
    first = next((cell.source for cell in notebook.cells if cell.cell_type == 'markdown'), '')
    asked = [line for line in first.splitlines() if line and not line.startswith('#')]
    return re.sub(r'[*`]|\[([^\]]*)\]\([^)]*\)', r'\1', asked[0]) if asked else ''
