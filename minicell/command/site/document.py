"""What every page of the site has: its head, the bar at its top, and the line at its foot."""

import html
from dataclasses import dataclass
from html import escape

# The bar: where it leads, and its words.
BAR = (
    ('index.html', 'Start'),
    ('course.html', 'Lessons'),
    ('how.html', 'How it works'),
    ('api/index.html', 'API'),
    ('mindspore.html', 'MindSpore'),
)
NAME = 'minicell'
PICTURE = 'minicell.png'  # what a link to the site shows elsewhere
INDEX = 'minicellIndex'  # what the search reads
FRAMEWORKS = 'PyTorch', 'JAX'  # whose words can stand beside MindSpore's, as lesson 00 has them
SEARCH = """<form class="search js-only" role="search">
<input type="search" aria-label="Search the site" placeholder="Search" autocomplete="off" spellcheck="false">
<div class="found" hidden></div><p class="said" role="status"></p>
</form>"""
ALSO = (
    '<label class="also-in js-only"><span>Words of</span> '
    '<select><option value="">MindSpore</option>{}</select></label>'
)


@dataclass(frozen=True)
class Page:
    """One page: where it is, what it is called, what it is about in a sentence, and what stands on it."""

    path: str
    title: str
    about: str
    main: str
    kind: str = ''  # a class of its body
    scripts: tuple[str, ...] = ()
    part: str = ''  # which entry of the bar it belongs to, if it is not one itself


def document(page: Page, address: str = '') -> str:
    """The page as a whole HTML document. `address`: of the site, for links from elsewhere; without it, none."""
    up = '../' * page.path.count('/')
    title = page.title if NAME in page.title else f'{page.title} · {NAME}'
    bar = ''.join(f'<li><a href="{up}{path}"{current(page, path)}>{words}</a></li>' for path, words in BAR)
    scripts = ''.join(f'<script src="{up}{name}" defer></script>' for name in ('course.js', 'search.js', *page.scripts))
    also = ALSO.format(''.join(f'<option value="{name}">MindSpore and {name}</option>' for name in FRAMEWORKS))
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{escape(title)}</title>
<meta name="description" content="{escape(page.about)}">
{abroad(page, title, address)}<link rel="icon" href="data:,">
<script>document.documentElement.classList.add('js')</script>
<link rel="stylesheet" href="{up}course.css">
{scripts}
</head>
<body class="{page.kind or 'text-page'}">
<a class="skip" href="#main">Skip to the content</a>
<header class="bar-top">
<a class="home" href="{up}index.html">minicell</a>
<details class="menu" open><summary>Menu</summary><div>
<nav aria-label="The site"><ul>{bar}</ul></nav>
{also}
{SEARCH}
</div></details>
</header>
<main id="main">
{page.main}
</main>
<footer><p>minicell is free software, under the <a href="{up}LICENSE.txt">Apache License 2.0</a>.
On your machine: <code>pip install minicell</code> (in a clone: <code>pip install .</code>),
then <code>minicell</code>.</p></footer>
</body>
</html>
"""


def current(page: Page, path: str) -> str:
    """The mark of the entry at which the reader is."""
    if path == page.path:
        return ' aria-current="page"'
    return ' aria-current="true"' if path == page.part else ''


def abroad(page: Page, title: str, address: str) -> str:
    """What search engines and link previews read: it needs the site's address."""
    if not address:
        return ''
    base = address.rstrip('/') + '/'
    where = base + ('' if page.path == 'index.html' else page.path)
    tags = {'og:title': title, 'og:description': page.about, 'og:type': 'website', 'og:site_name': NAME}
    tags |= {'og:url': where, 'og:image': base + PICTURE}
    lines = [f'<meta property="{name}" content="{escape(value)}">' for name, value in tags.items()]
    return '\n'.join([f'<link rel="canonical" href="{html.escape(where)}">', *lines, '<meta name="twitter:card" '
                      'content="summary_large_image">', ''])  # fmt: skip
