"""The course as a site: a page a lesson, every tape steps, no kernel and no network, from a server or from file://.

Each lesson is run in a kernel in which what a page cannot do is shown in another way (`pages`): a question or exercise
becomes its text. A tape shows itself as in a notebook, for its picture steps by itself. The pages need nothing but the
two files beside them, `course.css` and `course.js`.
"""

import os
import re
import tempfile
from collections.abc import Callable, Iterator
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbformat.v4 import new_code_cell

from minicell.teach.freeze import STILL

from ..lab import sockets_fit
from ..lessons import PACKAGE, Trouble, shipped
from . import lite

BESIDE = 'course.css', 'course.js'
READY = 'from minicell.command.site import pages; pages.publish()'
TIMEOUT = 300  # seconds a cell
NEEDS = '<p class="needs">'
# What JupyterLite answers; it needs a web server, so that the page takes these away where it was opened as a file.
ANSWER = '<span class="served"><a href="{}">Answer here, in your browser</a>: it starts in half a minute. </span>'
WHOLE = (
    '<p class="served"><a href="{}">All lessons with Python, here in your browser</a>: nothing to install. The first '
    'lesson that you run fetches NumPy and matplotlib from Pyodide’s server, and needs half a minute.</p>'
)
CELL = """<section class="{kind}" id="{id}">{body}</section>"""


def write(
    folder: Path, said: Callable[[int, int, str], None] = lambda done, of, what: None, answers: bool = False
) -> list[Path]:
    """Write the site into a folder, and return its pages; `said(done, of, what)` hears how far it is.

    answers: build JupyterLite too (`lite`), and lead to it from where a page asks something.

    Raises Trouble where a lesson does not run, the folder cannot be written, or JupyterLite cannot be built.
    """
    if answers:
        lite.build(folder, said)
    lessons = sorted(shipped().glob('[0-9][0-9]_*.ipynb'))
    course = [(path.stem, title(nbformat.read(path, as_version=4))) for path in lessons]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name in BESIDE:
            (folder / name).write_text(files(__package__).joinpath(name).read_text(encoding='utf-8'), encoding='utf-8')
        made = []
        for k, path in enumerate(lessons):
            said(k, len(lessons), path.stem)
            notebook = run(nbformat.read(path, as_version=4), path.stem)
            made.append(folder / f'{path.stem}.html')
            made[-1].write_text(page(notebook, path.stem, course, answers), encoding='utf-8')
        made.append(folder / 'index.html')
        made[-1].write_text(index(course, lessons, answers), encoding='utf-8')
    except OSError as error:
        raise Trouble(f'the site cannot be written to {folder}: {error.strerror}') from None
    said(len(lessons), len(lessons), 'done')
    return made


def title(notebook: Any) -> str:
    """The first heading of a notebook."""
    for cell in notebook.cells:
        if cell.cell_type == 'markdown' and (found := re.match(r'# (.+)', cell.source)):
            return found[1].strip()
    return ''


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
        try:
            client.execute(env={**os.environ, 'PYTHONPATH': path})
        except CellExecutionError as error:
            raise Trouble(f'lesson {name} does not run: {error.ename}: {error.evalue}') from None
    del notebook.cells[0]
    return notebook


# ---- pages ---------------------------------------------------------------------------------------------------------


def page(notebook: Any, name: str, course: list[tuple[str, str]], answers: bool = False) -> str:
    """A lesson as a whole page; `answers`: it leads to the lesson in JupyterLite."""
    names = [stem for stem, _ in course]
    at = names.index(name)
    before = f'<a href="{names[at - 1]}.html" rel="prev">← {escape(course[at - 1][1])}</a>' if at else '<span></span>'
    after = f'<a href="{names[at + 1]}.html" rel="next">{escape(course[at + 1][1])} →</a>' if names[at + 1 :] else ''
    body = '\n'.join(cells(notebook))
    if answers:
        body = body.replace(NEEDS, NEEDS + ANSWER.format(lite.link(name)))
    contents = ''.join(
        f'<li><a href="#{at}">{words}</a></li>' for at, words in re.findall(r'<h2 id="([^"]+)">(.*?)</h2>', body)
    )
    return document(
        course[at][1],
        f'<main><nav class="contents" aria-label="On this page"><ol>{contents}</ol></nav>\n{body}\n'
        f'<nav class="beside" aria-label="Lessons beside this one">{before}{after}</nav></main>',
        course,
        name,
    )


def cells(notebook: Any) -> Iterator[str]:
    """Each cell of a lesson as HTML."""
    from nbconvert.filters.markdown_mistune import markdown2html_mistune
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import PythonLexer

    colour = HtmlFormatter(nowrap=True)
    for cell in notebook.cells:
        if cell.cell_type == 'markdown':
            body = re.sub(r'<a class="anchor-link".*?</a>', '', markdown2html_mistune(cell.source))
            body = body.replace('<pre>', '<pre tabindex="0" role="region" aria-label="Code">')  # it may scroll
            body = re.sub(r'href="(\d\d_\w+)\.ipynb"', r'href="\1.html"', body)
            yield CELL.format(kind='text', id=cell.id, body=body)
            continue
        code = highlight(cell.source, PythonLexer(), colour)
        shown = '\n'.join(filter(None, map(output, cell.outputs)))
        body = f'<pre class="code" tabindex="0" role="region" aria-label="Code">{code}</pre>{shown}'
        yield CELL.format(kind='cell', id=cell.id, body=body)


def output(out: Any) -> str:
    """One output of a cell: the richest of its forms that needs no kernel."""
    if out.output_type == 'stream':
        return f'<pre class="out" tabindex="0" role="region" aria-label="Printed">{escape(out.text)}</pre>'
    data = out.get('data', {})
    data = data.get(STILL, data)  # a page is read on another machine
    for kind in ('text/html', 'image/svg+xml'):
        if kind in data:
            return f'<div class="out">{"".join(data[kind])}</div>'
    if 'image/png' in data:
        alt = escape(
            out.metadata.get('image/png', {}).get('alt', '') or ''.join(data.get('text/plain', '')), quote=True
        )
        return f'<img class="out" alt="{alt}" src="data:image/png;base64,{"".join(data["image/png"]).strip()}">'
    plain = ''.join(data.get('text/plain', ''))
    return f'<pre class="out" tabindex="0" role="region" aria-label="Result">{escape(plain)}</pre>' if plain else ''


def index(course: list[tuple[str, str]], lessons: list[Path], answers: bool = False) -> str:
    """The first page: the map of the course; `answers`: it leads to JupyterLite."""
    parts = []
    for (name, words), path in zip(course, lessons, strict=True):
        parts.append(f'<li><a href="{name}.html">{escape(words)}</a><p>{escape(question(path))}</p></li>')
    said = (
        '<p>A small autodiff in NumPy under MindSpore’s names, and lessons that let you <em>see</em> who computed a '
        'gradient. Every tape on these pages steps: with its buttons, its line, or the arrow keys. Predictions and '
        'exercises need Python: run <code>minicell</code> on your own machine for those.</p>'
    )
    whole = WHOLE.format(lite.link(lessons[0].stem)) if answers else ''
    head = 'minicell: who computed this gradient?'
    main = f'<main><h1>{head}</h1>{said}{whole}<ol class="course">{"".join(parts)}</ol></main>'
    return document(head, main, course, '')


def question(path: Path) -> str:
    """The question that a lesson opens with, without its marks."""
    first = nbformat.read(path, as_version=4).cells[0].source
    asked = [line for line in first.splitlines() if line and not line.startswith('#')]
    return re.sub(r'[*`]', '', asked[0]) if asked else ''


def document(name: str, main: str, course: list[tuple[str, str]], here: str) -> str:
    """A whole HTML document around what is to be read."""
    links = ''.join(
        f'<li><a href="{stem}.html"{" aria-current=page" if stem == here else ""}>{escape(words)}</a></li>'
        for stem, words in course
    )
    # The page is light, whatever the reader's system prefers; the picture of a tape heeds the attribute of its body.
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(name)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="course.css">
</head>
<body data-jp-theme-light="true">
<a class="skip" href="#main">To the lesson</a>
<header>
<a href="index.html"><b>minicell</b></a>
<nav aria-label="The course"><details><summary>All lessons</summary><ol>{links}</ol></details></nav>
</header>
<div id="main">
{main}
</div>
<script src="course.js"></script>
</body>
</html>
"""
