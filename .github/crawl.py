"""Dead links in pages, texts and notebooks: `python .github/crawl.py FILE_OR_FOLDER...` names them, and fails.

What leads to another server is not asked. In HTML, a link to a place on a page needs the id of that place.
"""

import json
import re
import sys
from html import unescape
from pathlib import Path
from urllib.parse import unquote

OF_HTML = re.compile(r'<(?!script)[a-z][^<>]*?\s(?:href|src)="([^"]+)"')
OF_MARKDOWN = re.compile(r'\]\(([^)\s]+)\)|(?:href|src)="([^"]+)"')
SCRIPT = re.compile(r'<script\b[^>]*>.*?</script>', re.S)  # what a script writes is its own
STATES = 'scene=', 'program=', 'type'  # what the first page reads from its own address


def links(path: Path) -> list[str]:
    """Where a file leads."""
    text = path.read_text(encoding='utf-8')
    if path.suffix == '.html':
        return [unescape(each) for each in OF_HTML.findall(SCRIPT.sub('', text))]
    if path.suffix == '.ipynb':
        cells = json.loads(text)['cells']
        text = '\n'.join(''.join(cell['source']) for cell in cells if cell['cell_type'] == 'markdown')
    return [one or other for one, other in OF_MARKDOWN.findall(re.sub(r'```.*?```|`[^`\n]*`', '', text, flags=re.S))]


def is_dead(path: Path, link: str) -> bool:
    """Whether there is nothing where it leads."""
    if re.match(r'[a-z][a-z+.-]*:|//', link):
        return False
    file, _, place = link.partition('#')
    target = path.parent / unquote(file.partition('?')[0]) if file else path
    if not target.exists():
        return True
    if target.suffix != '.html' or not place or place.startswith(STATES):
        return False
    ids = re.findall(r' id="([^"]+)"', target.read_text(encoding='utf-8'))
    return not {place, unquote(place)} & {*map(unescape, ids)}  # (as a browser looks for it)


def main(folders: list[str]) -> str | None:
    """Look at all of them."""
    dead, many = [], 0
    for path in sorted(path for each in map(Path, folders) for path in ([each] if each.is_file() else each.rglob('*'))):
        if path.suffix in ('.html', '.md', '.ipynb') and 'lite' not in path.parts:  # JupyterLite is not ours
            for link in links(path):
                many += 1
                dead += [f'{path}: {link}'] * is_dead(path, link)
    print(*dead, f'{len(dead)} of {many} links are dead', sep='\n')
    return 'each link has to lead somewhere' if dead or not many else None


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
