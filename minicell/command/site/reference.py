"""The reference: a page for each public name, from its signature and its docstring, in the sections of numpydoc.

A generator would bring its own theme, search and configuration for what is a heading, a signature and a few paragraphs
each. Docstrings here are plain text: paragraphs, names in backticks, and examples that the tests run. What they say of
a parameter (`axis: an int`), and what they raise, is found in them; types and defaults stand in the signature.
"""

import ast
import inspect
import re
from collections.abc import Iterator
from functools import cache
from html import escape
from types import ModuleType
from typing import Any, NamedTuple

import minicell
from minicell import errors, nn, ops
from minicell.names import ALIASES

from ..lessons import PACKAGE
from .document import Page
from .texts import code, told

FOLDER = 'api/'
MODULES = {'minicell': minicell, 'minicell.nn': nn, 'minicell.ops': ops, 'minicell.errors': errors}
SAYS = {
    'minicell': 'Gradients, Tensors, the Tape and the check: the names that stand in <code>ms</code> itself.',
    'minicell.nn': 'Cells: the base, layers, losses and optimizers.',
    'minicell.ops': 'Operations, as functions and as the primitives of MindSpore’s names.',
    'minicell.errors': 'Errors and warnings: each mistake has a class, and its message is a sentence.',
}
# These stand in a module for the modules beside it.
INSIDE = {'DTypeError', 'give', 'later', 'load_ipython_extension', 'must_be', 'primitive'}
ABOUT = 'The public names of minicell: signatures, what they do, and examples that run.'


SHORT = {'ms': 'minicell', 'nn': 'minicell.nn', 'ops': 'minicell.ops', 'errors': 'minicell.errors'}
# a name in a text, such as `ms.grad` or `ops.tanh(x)`; what is a link or a heading already stays as it is
MENTION = re.compile(
    r'<(a|h\d)\b.*?</\1>|<code>(?:(?P<short>ms|nn|ops|errors)\.)?(?P<name>\w+)(?:\([^<]*\))?</code>', re.S
)


class Name(NamedTuple):
    """One public name."""

    module: str
    name: str
    thing: Any

    @property
    def path(self) -> str:
        """Its page. A file system may not tell `Sin` from `sin`, so a capital is marked."""
        marked = re.sub(r'([A-Z])', r'-\1', self.name).lower()
        return f'{FOLDER}{self.module}.{marked}.html'


@cache
def names() -> list[Name]:
    """All public names that are written for users: classes and functions, each once."""
    found, seen = [], set()
    for module, of in MODULES.items():
        for name in sorted(public(of), key=lambda each: (each.lower(), each)):
            thing = getattr(of, name)
            known = (module, id(thing)) if module == 'minicell' else id(thing)
            if not (inspect.isclass(thing) or callable(thing)) or known in seen or id(thing) in seen:
                continue
            if not (getattr(thing, '__module__', None) or '').startswith('minicell'):
                continue
            if name in INSIDE and module != 'minicell.errors':
                continue
            seen |= {known, id(thing)}
            found.append(Name(module, name, thing))
    return found


def public(module: ModuleType) -> list[str]:
    """What a module offers: what it says, and what it loads when asked."""
    return sorted({name for name in {*dir(module), *getattr(module, '__all__', ())} if not name.startswith('_')})


def linked(html: str, of: Name | None = None) -> str:
    """HTML in which the first mention of each public name leads to its page; `of`: the name whose page this is for."""
    paths = {(name.module, name.name): name.path for name in names() if name != of}
    up, here = ('../', of.module) if of else ('', '')

    def link(found: re.Match) -> str:
        path = paths.pop((SHORT.get(found['short'], here), found['name']), None)
        return f'<a href="{up}{path}">{found[0]}</a>' if path else found[0]

    return MENTION.sub(link, html)


@cache
def statements() -> dict[str, str]:
    """How minicell makes its ops: a name, and the statement that gives it its kernel and its formulas."""
    found = {}
    for path in sorted((PACKAGE / 'ops').glob('*.py')):
        source = path.read_text(encoding='utf-8')
        for node in ast.parse(source).body:
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
                found |= {each.id: ast.get_source_segment(source, node) for each in node.targets if hasattr(each, 'id')}
    return found | {
        alias: found[name] for name, aliases in ALIASES.items() if name in found for alias in aliases.split()
    }


def pages() -> Iterator[Page]:
    """The list of all names, and a page for each."""
    everything = names()
    parts = []
    for module in MODULES:
        own = [name for name in everything if name.module == module]
        links = ''.join(f'<li><a href="{name.path.removeprefix(FOLDER)}">{name.name}</a></li>' for name in own)
        parts.append(f'<h2 id="{module}">{module}</h2><p>{SAYS[module]}</p><ul class="names">{links}</ul>')
    main = f'<h1>API</h1><p>Names, arguments and defaults are MindSpore’s. Each name has a page.</p>{"".join(parts)}'
    yield Page(f'{FOLDER}index.html', 'API', ABOUT, main)
    for name in everything:
        yield page(name)


def page(name: Name) -> Page:
    """The page of one name."""
    doc = inspect.getdoc(name.thing) or ''
    text = linked(sections(name.thing, doc), name) if doc else plain(name)
    members = ''.join(member(each, of) for each, of in methods(name.thing)) if inspect.isclass(name.thing) else ''
    heading = f'<h2>Methods</h2>{members}' if members else ''
    main = (
        f'<div class="prose"><p class="quiet"><a href="index.html#{name.module}">{name.module}</a></p>'
        f'<h1><code>{name.name}</code></h1><pre class="code" tabindex="0" role="region" aria-label="Signature">'
        f'{escape(name.name + signature(name.thing))}</pre>{text}{heading}</div>'
    )
    first = re.sub(r'\s+', ' ', doc.partition('\n\n')[0]) or f'{name.module}.{name.name}'
    return Page(name.path, f'{name.module}.{name.name}', first[:200].replace('`', ''), main, part=f'{FOLDER}index.html')


RAISES = re.compile(r'(?:(?<=^)|(?<=[.] ))(?:Raises .+?|\w+Error (?:for|where|if|unless) .+?)(?<![. ])[.](?= |$)')


def sections(thing: Any, doc: str) -> str:
    """A docstring in parts: what it does; then Parameters, Returns, Raises, Examples and See also, where there are."""
    arguments, returned = types(thing)
    told_of, raised, examples, words = {}, [], [], []
    for block in re.split(r'\n\s*\n', doc.strip()):
        if block.lstrip().startswith('>>>'):
            examples.append(block)
            continue
        if all(line.startswith('    ') for line in block.splitlines()):
            words.append(block)
            continue
        text, example = split(block)[0]
        examples += [example] * bool(example)
        text = ' '.join(text.split())
        raised += RAISES.findall(text)
        text = RAISES.sub('', text).strip()
        if arguments:
            of = '|'.join(map(re.escape, arguments))
            text, *found = re.split(rf'(?:^|(?<=[.;] ))({of}): ', text)
            told_of |= zip(found[::2], (each.strip(' ;') for each in found[1::2]), strict=True)
        words += [text.strip(' ;')] * bool(text.strip(' ;'))
    item = '<dt><b>{}</b> <span class="quiet">{}</span></dt><dd>{}</dd>'
    listed = ''.join(item.format(escape(n), escape(of), told(told_of.get(n, ''))) for n, of in arguments.items())
    also = sorted({found[0] for found in MENTION.finditer(paragraphs(doc)) if found['name']})
    parts = {
        'Parameters': f'<dl>{listed}</dl>' * bool(listed),
        'Returns': f'<p><code>{escape(returned)}</code></p>' * bool(returned),
        'Raises': ''.join(f'<p>{told(each)}</p>' for each in raised),
        'Examples': paragraphs('\n\n'.join(examples)) * bool(examples),
        'See also': f'<p>{", ".join(also)}</p>' * bool(also),
    }
    below = ''.join(f'<h2>{title}</h2>{part}' for title, part in parts.items() if part)
    return paragraphs('\n\n'.join(words)) + below


def types(thing: Any) -> tuple[dict[str, str], str]:
    """Of each parameter its type and its default; and what is returned (of a class, nothing)."""
    try:
        found = inspect.signature(thing)
    except (TypeError, ValueError):
        return {}, ''
    bare = lambda of: re.sub(r'\b(?:\w+\.)+(\w+)', r'\1', of if isinstance(of, str) else inspect.formatannotation(of))
    shown = lambda of: '' if of is found.empty else bare(of)
    default = lambda p: '' if p.default is p.empty else f'default {address_free(repr(p.default))}'
    given = {n: ', '.join(filter(None, (shown(p.annotation), default(p)))) for n, p in found.parameters.items()}
    return given, '' if inspect.isclass(thing) else shown(found.return_annotation).replace('None', '')


def address_free(text: str) -> str:
    """A form without the address that it may have, which says nothing."""
    return re.sub(r'<([\w.]+)[^<>]* at 0x[0-9a-f]+>', r'\1', text)


def plain(name: Name) -> str:
    """The words of an op that has none of its own: its kernel, and its formulas."""
    said = '<p>It does what MindSpore’s function of this name does.{}</p>'
    made = statements().get(name.name)
    if not made:
        return said.format('')
    more = ' Its kernel, and the gradient of each input (None: there is none):'
    return said.format(more) + code(re.sub(r' {3,}', ' ', made), 'How it is made')


def signature(thing: Any) -> str:
    """How it is called, without the types of its arguments; an address in a default says nothing."""
    try:
        found = inspect.signature(thing)
    except (TypeError, ValueError):
        return '(…)'
    bare = [each.replace(annotation=inspect.Parameter.empty) for each in found.parameters.values()]
    made = found.replace(parameters=bare, return_annotation=inspect.Signature.empty)
    return address_free(str(made))


def methods(thing: type) -> list[tuple[str, Any]]:
    """A class's own methods and properties that say what they do."""
    kept = []
    for name, of in vars(thing).items():
        of = of.__func__ if isinstance(of, staticmethod | classmethod) else of
        if not name.startswith('_') and (inspect.isfunction(of) or isinstance(of, property)) and inspect.getdoc(of):
            kept.append((name, of))
    return sorted(kept)


def member(name: str, of: Any) -> str:
    """One method."""
    called = '' if isinstance(of, property) else signature(of).replace('(self, ', '(').replace('(self)', '()')
    return f'<h3 id="{name}"><code>{escape(name + called)}</code></h3>{paragraphs(inspect.getdoc(of))}'


def paragraphs(doc: str) -> str:
    """A docstring as HTML: paragraphs, examples, and what is indented."""
    parts = []
    for block in re.split(r'\n\s*\n', doc.strip()):
        if block.lstrip().startswith('>>>') or all(line.startswith('    ') for line in block.splitlines()):
            code = escape(inspect.cleandoc(block))
            parts.append(f'<pre class="code" tabindex="0" role="region" aria-label="Example">{code}</pre>')
        else:
            parts += [f'<p>{told(" ".join(text.split()))}</p>' for text, example in split(block) if text]
            parts += [
                f'<pre class="code" tabindex="0" role="region" aria-label="Example">{escape(example)}</pre>'
                for _, example in split(block)
                if example
            ]
    return ''.join(parts)


def split(block: str) -> list[tuple[str, str]]:
    """The words of a paragraph, and an example that follows them directly."""
    text, mark, example = block.partition('\n>>>')
    return [(text, mark.strip() + example if mark else '')]
