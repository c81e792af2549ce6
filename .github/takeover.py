"""Draws the README's two pictures of a takeover: takeover.gif, of the site's first page, and example.png, of its code.

The moving picture shows what a reader of that page sees first: backward leaves its road, your `bprop` returns, and the
true gradients stand beside yours. After that page or the picture of a tape has changed: run this, and look.
"""

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
from minicell.command.site.front import picture  # noqa: E402
from minicell.command.site.front.scenes import OPENS, SCENES, programs  # noqa: E402
from minicell.ink import gif  # noqa: E402
from minicell.view.picture import Picture  # noqa: E402


def tape(*cells: str) -> Tape:
    """The `tape` that there is after these cells have run, as in a notebook."""
    shell = InteractiveShell.instance()
    for cell in cells:
        with capture_output():
            shell.run_cell(cell, store_history=True).raise_error()
    return shell.user_ns['tape']


def of_first_page() -> Picture:
    """The picture that the site opens with."""
    return picture(programs()[SCENES[OPENS].program])


def moving(shown: Picture) -> bytes:
    """Its takeover as a GIF."""
    (film, *_) = shown.films
    returns = next(i for i, step in enumerate(film.steps) if step.title.startswith('Your bprop returns'))
    return gif.animation(film, (shown.place('takeover'), returns, shown.place('compare')))


def main() -> None:
    """Draw both."""
    (HERE / 'takeover.gif').write_bytes(moving(of_first_page()))
    readme = (ROOT / 'README.md').read_text(encoding='utf-8')
    example = re.search(r'^<!-- example -->\n```python\n(.*?)^```$', readme, re.M | re.S)[1]
    tape(example, 'tape = ms.explain(Product(), x, y)').save(HERE / 'example.png')


if __name__ == '__main__':
    sys.exit(main())
