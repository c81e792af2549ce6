"""What the gallery looks like, kept: python tests/view/snapshot.py writes snapshot.json anew.

One line a frame: its title, a digest of its lines and places, and the texts that are new since the frame before. So the
file reads as the story of each program, and a change of the view shows as a change of a few lines.
"""

import hashlib
import json
import re
import sys
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path

if __name__ == '__main__':
    sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[2])]

import gallery

from minicell import view
from minicell.view import film

FILE = Path(__file__).with_name('snapshot.json')
HOW = 'run python tests/view/snapshot.py, and read what it changes in snapshot.json'
SVG = '{http://www.w3.org/2000/svg}'
NOISE = re.compile(r'−?\d(\.\d+)?e-\d+')  # what is left of a rounded sum differs between processors


def titles():
    """Every program and look that is kept: `matmul ops`."""
    return [f'{name} {look}' for name, look in gallery.pairs()]


def program(title):
    """What the stills of a program look like now; of another look than the first, the one of the takeover."""
    name, look = title.split(' ')
    stills = film.stills(gallery.frames(name, look))
    return told([seen(frame) for frame in (stills if look == gallery.ZOOMS[0] else stills[-2:][:1])])


def seen(frame):
    """A frame's step, title, digest of its lines and places, and texts; the code panel's are the program itself."""
    root = ET.fromstring(view.svg(frame))
    texts = [e for e in root.iter(f'{SVG}text') if 'Mono' not in e.get('font-family', '')]
    words = [NOISE.sub('≈0', ''.join([e.text or '', *(t.tail or '' for t in e)])) for e in texts]
    for element in root.iter():
        element.text = element.tail = None
    digest = hashlib.sha256(ET.tostring(root)).hexdigest()[:12]
    return frame.step + 1, NOISE.sub('≈0', frame.title), digest, [w for w in words if w]


def told(frames):
    """Frames in order, each with the texts that are new in it."""
    out, before = [], Counter()
    for step, title, lines, words in frames:
        now = Counter(words)
        out.append({'step': step, 'title': title, 'lines': lines, 'texts': list((now - before).elements())})
        before = now
    return out


def changes(title, old, new):
    """How frames differ from what was kept, one sentence a frame."""
    steps = [frame['step'] for frame in old], [frame['step'] for frame in new]
    if steps[0] != steps[1]:
        return [f'{title}: its frames are those of steps {steps[1]}, not {steps[0]}']
    out = []
    for was, now in zip(old, new, strict=True):
        gone, come = Counter(was['texts']), Counter(now['texts'])
        words = [f'gone {t!r}' for t in (gone - come).elements()] + [f'new {t!r}' for t in (come - gone).elements()]
        if was['title'] != now['title']:
            words.insert(0, f'the title is {now["title"]!r}, was {was["title"]!r}')
        if not words and was['lines'] != now['lines']:
            words = ['lines or places differ, and no text']
        if words:
            out.append(f'{title}, step {was["step"]}: {"; ".join(words)}')
    return out


def read():
    """What is kept."""
    return json.loads(FILE.read_text(encoding='utf-8')) if FILE.exists() else {}


def write():
    """Keep what the gallery looks like now."""
    parts = []
    for title in sorted(titles()):
        lines = ',\n'.join(json.dumps(frame, ensure_ascii=False) for frame in program(title))
        parts.append(f'{json.dumps(title)}: [\n{lines}\n]')
    FILE.write_text('{\n' + ',\n'.join(parts) + '\n}\n', encoding='utf-8')


if __name__ == '__main__':
    write()
    print(f'wrote {FILE.name}')
