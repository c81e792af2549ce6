"""Draws the README's two pictures of a takeover: takeover.gif, of lesson 03, and example.png, of the README's example.

The moving picture takes eight seconds and opens on the takeover: backward leaves its road, your `bprop` returns, and
the true gradients stand beside yours. After lesson 03 or the picture of a tape has changed: run this, and look.
"""

import json
import os
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path.insert(0, str(ROOT))
os.environ['MINICELL_PROGRESS'] = 'off'

from IPython.core.interactiveshell import InteractiveShell  # noqa: E402
from IPython.utils.capture import capture_output  # noqa: E402

from minicell import Tape  # noqa: E402
from minicell.view.write import gif  # noqa: E402

CELLS = ('l03-setup', 'l03-run', 'l03-tape')
SECONDS = 1.9  # a step; the last one stays for four


def tape(cells: list[str]) -> Tape:
    """The `tape` that there is after these cells have run, as in a notebook."""
    shell = InteractiveShell.instance()
    for cell in cells:
        with capture_output():
            shell.run_cell(cell, store_history=True).raise_error()
    return shell.user_ns['tape']


def of_lesson_03() -> Tape:
    """The tape that lesson 03 shows."""
    notebook = json.loads((ROOT / 'lessons/03_takeover.ipynb').read_text(encoding='utf-8'))
    source = {cell['id']: ''.join(cell['source']) for cell in notebook['cells']}
    return tape([source[name] for name in CELLS])


def moving(shown: Tape) -> bytes:
    """The takeover of a tape as a GIF."""
    picture = shown.show()
    (film, *_) = picture.films
    returns = next(i for i, step in enumerate(film.steps) if step.title.startswith('Your bprop returns'))
    return gif.animation(film, (picture.named('takeover'), returns, picture.named('compare')), seconds=SECONDS)


def main() -> None:
    """Draw both."""
    (HERE / 'takeover.gif').write_bytes(moving(of_lesson_03()))
    readme = (ROOT / 'README.md').read_text(encoding='utf-8')
    example = re.search(r'^<!-- example -->\n```python\n(.*?)^```$', readme, re.M | re.S)[1]
    tape([example, 'tape = ms.explain(Product(), x, y)']).save(HERE / 'example.png')


if __name__ == '__main__':
    sys.exit(main())
