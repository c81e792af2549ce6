"""Pages for eyes: all frames of the gallery in one HTML, and sheets of them as PNG.

MINICELL_SHOTS=folder python -m pytest tests/view/test_gallery.py tests/view/test_greyscale.py
"""

import os
from html import escape
from pathlib import Path

import gallery
import pytest

HEAD = (
    '<!doctype html><meta charset="utf-8"><title>The gallery of the tape view</title><style>'
    'body{font:15px/1.5 sans-serif;margin:24px;color:#1A1A1A;background:#F3F5F7}'
    'h2{margin:48px 0 8px}figure{margin:0 0 24px}figcaption{color:#595959}nav a{margin-right:12px}'
    '.grey{filter:grayscale(1)}.pair{display:flex;gap:16px}.pair svg{width:900px}</style>'
)


@pytest.fixture(scope='session')
def folder(tmp_path_factory):
    """Where pages and pictures go: MINICELL_SHOTS, or a temporary folder of pytest's."""
    wanted = os.environ.get('MINICELL_SHOTS')
    if not wanted:
        return tmp_path_factory.mktemp('shots')
    Path(wanted).mkdir(parents=True, exist_ok=True)
    return Path(wanted)


def page():
    """The gallery as one HTML page."""
    sections = {}
    for svg, (name, look, frame) in gallery.pictures().items():
        caption = f'{name}, {look}, step {frame.step + 1} of {max(len(frame.record.steps), 1)}'
        figure = f'<figure><figcaption>{escape(caption)}</figcaption>{unique(svg, name, look)}</figure>'
        sections.setdefault((name, look), []).append(figure)
    links = ''.join(f'<a href="#{name}-{look}">{name} {look}</a> ' for name, look in sections)
    body = ''.join(f'<h2 id="{n}-{k}">{n}, {k}</h2>{"".join(all_)}' for (n, k), all_ in sections.items())
    return f'{HEAD}<nav>{links}</nav>{body}'


def unique(svg, name, look):
    """The picture with ids of its own among many on a page."""
    return svg.replace('tape-', f'{name}-{look}-tape-', 4)
