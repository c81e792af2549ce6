"""Draws the README's two pictures of a takeover: takeover.gif, all steps of lesson 03, and example.png, its example."""

import io
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
from PIL import Image  # noqa: E402

from minicell import view  # noqa: E402
from minicell.view.model import Frame  # noqa: E402

CELLS = ('l03-setup', 'l03-run', 'l03-tape')
STEP, TAKEOVER, LAST = 1600, 4000, 6000  # milliseconds
COLOURS = 64
BOX = (346, 76, 930, 545)  # the cards alone: the code of the example stands above its picture


def frames(cells: list[str]) -> list[Frame]:
    """The frames of `tape` after these cells have run, as in a notebook."""
    shell = InteractiveShell.instance()
    for cell in cells:
        with capture_output():
            shell.run_cell(cell, store_history=True).raise_error()
    return view.frames(shell.user_ns['tape'])


def drawn(frame: Frame) -> Image.Image:
    """A frame's picture, on a ground that is quite white."""
    picture = Image.open(io.BytesIO(view.png(frame))).convert('RGBA').convert('RGB')
    return picture.point(lambda level: 255 if level > 251 else level)


def in_one_palette(images: list[Image.Image]) -> list[Image.Image]:
    """All images in the same colours: with a palette each, the page would flicker."""
    width, height = images[0].size
    together = Image.new('RGB', (width, height * len(images)))
    for i, image in enumerate(images):
        together.paste(image, (0, i * height))
    palette = together.quantize(COLOURS, dither=Image.Dither.NONE)
    return [image.quantize(palette=palette, dither=Image.Dither.NONE) for image in images]


def hands_out(frame: Frame) -> bool:
    """Is this the step at which a `bprop` hands out its gradients?"""
    return 'bprop hands out' in frame.title


notebook = json.loads((ROOT / 'lessons/03_takeover.ipynb').read_text(encoding='utf-8'))
source = {cell['id']: ''.join(cell['source']) for cell in notebook['cells']}
steps = frames([source[name] for name in CELLS])
times = [TAKEOVER if hands_out(step) else STEP for step in steps[:-1]] + [LAST]
first, *rest = in_one_palette([drawn(step) for step in steps])
first.save(HERE / 'takeover.gif', save_all=True, append_images=rest, duration=times, loop=0, optimize=True)

readme = (ROOT / 'README.md').read_text(encoding='utf-8')
example = re.search(r'^<!-- example -->\n```python\n(.*?)^```$', readme, re.M | re.S)[1]
moment = next(filter(hands_out, frames([example, 'tape = ms.explain(Product(), x, y)'])))
(still,) = in_one_palette([drawn(moment).crop(BOX)])
still.save(HERE / 'example.png', optimize=True)
