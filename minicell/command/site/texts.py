"""The pages of text: how the core works, and where MindSpore differs."""

import re
from collections.abc import Iterator
from html import escape

from minicell import core

from ..lessons import PACKAGE
from .document import Page

HOW = 'how/'  # the modules of the core


def html_of(markdown: str) -> str:
    """Markdown as HTML, with headings that can be linked and code blocks that can be scrolled."""
    from nbconvert.filters.markdown_mistune import markdown2html_mistune

    body = re.sub(r'<a class="anchor-link".*?</a>', '', markdown2html_mistune(markdown))
    body = body.replace('<pre>', '<pre tabindex="0" role="region" aria-label="Code">')  # it may scroll
    return re.sub(r'<table>.*?</table>', table, among_pages(body), flags=re.S)


def among_pages(body: str) -> str:
    """HTML whose links to lessons lead to their pages."""
    return re.sub(r'href="(\d\d_\w+)\.ipynb"', r'href="\1.html"', body)


def table(found: re.Match) -> str:
    """A table whose cells say their column, so that on a phone each row can become a card."""
    whole = found[0]
    names = [re.sub(r'<[^>]+>', '', head) for head in re.findall(r'<th[^>]*>(.*?)</th>', whole, re.S)]

    def row(cells: re.Match) -> str:
        counted = iter(names)
        return re.sub(r'<td[^>]*>', lambda _: f'<td data-name="{escape(next(counted, ""))}">', cells[0])

    whole = re.sub(r'<tr>.*?</tr>', row, whole, flags=re.S)
    if len(names) > 2:
        whole = whole.replace('<table>', '<table class="narrow-rows">')
    return f'<div class="wide-table" tabindex="0" role="region" aria-label="Table">{whole}</div>'


def how() -> Iterator[Page]:
    """The walk through the core, from its own docstring, and after it the modules themselves."""
    first, *paragraphs = (core.__doc__ or '').strip().split('\n\n')
    rows, prose, names = [], [], []
    for paragraph in paragraphs:
        found = re.findall(r'^([a-z_]+(?:, [a-z_]+)*)  +(.+)$', paragraph, re.M)
        if not found:
            prose.append(f'<p>{told(" ".join(paragraph.split()))}</p>')
        for listed, said in found:
            own = listed.split(', ')
            names += own
            links = ', '.join(f'<a href="{HOW}{name}.html">{name}</a>' for name in own)
            rows.append(f'<dt>{links}</dt><dd>{told(said)}</dd>')
    lines = sum(len(path.read_bytes().splitlines()) for path in (PACKAGE / 'core').glob('*.py'))
    main = (
        f'<div class="prose"><h1>How it works</h1><p>{told(first)}</p><p>All of <code>minicell/core</code> is '
        f'{lines:,} lines of Python, and they are written to be read. Press a name to read it here.</p>{prose[0]}'
        f'<dl class="modules">{"".join(rows)}</dl><h2>Two paths through it</h2>{"".join(prose[1:])}'
        '<p>To see the same from outside, step through the <a href="index.html#scene=1">first page</a>, or read '
        '<a href="01_the_tape.html">lesson 01</a>.</p></div>'
    )
    about = 'A walk through the core of minicell: what to read, and in which order.'
    yield Page('how.html', 'How it works', about, main)
    for at, name in enumerate(names):
        yield module(name, names[at - 1] if at else '', (names[at + 1 :] or [''])[0])


def module(name: str, before: str, after: str) -> Page:
    """One module of the core, to be read."""
    source = (PACKAGE / 'core' / f'{name}.py').read_text(encoding='utf-8')
    links = f'<a href="{before}.html" rel="prev">← {before}</a>' if before else '<span></span>'
    links += f'<a href="{after}.html" rel="next">{after} →</a>' if after else ''
    main = (
        f'<p class="quiet"><a href="../how.html">How it works</a></p><h1>core/{name}.py</h1>{code(source, name)}'
        f'<nav class="beside" aria-label="Modules beside this one">{links}</nav>'
    )
    about = re.sub(r'\s+', ' ', source.split('"""')[1].partition('\n\n')[0]).replace('`', '')
    return Page(f'{HOW}{name}.html', f'core/{name}.py', about, main, 'lesson', part='how.html')


def code(source: str, label: str = 'Code') -> str:
    """Python in its colours."""
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import PythonLexer

    coloured = highlight(source, PythonLexer(), HtmlFormatter(nowrap=True))
    return f'<pre class="code" tabindex="0" role="region" aria-label="{label}">{coloured}</pre>'


def mindspore() -> Page:
    """Where minicell differs from MindSpore."""
    text = (PACKAGE / 'MINDSPORE.md').read_text(encoding='utf-8')
    about = 'Where minicell does something else than MindSpore 2.10, and why: each row was run on MindSpore itself.'
    body = html_of(text)
    links = ''.join(
        f'<li><a href="#{at}">{words}</a></li>' for at, words in re.findall(r'<h2 id="([^"]+)">(.*?)</h2>', body)
    )
    contents = f'<nav class="contents" aria-label="On this page"><ol>{links}</ol></nav>'
    main = body.replace('</h1>', f'</h1>{contents}', 1)
    return Page('mindspore.html', 'Where minicell differs from MindSpore', about, main, 'wide-page')


def told(text: str) -> str:
    """A sentence of a docstring: what stands between backticks is code."""
    return re.sub(r'`([^`]+)`', r'<code>\1</code>', escape(text))
