"""A notebook like a lesson, small enough to test the harness itself with: it shows what the harness must see."""

from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

STEPPER = """\
import ipywidgets as w
def frame(k):
    return w.HTML(f'<svg viewBox="0 0 400 120" width="400" height="120" role="img"><title>step {k}</title>'
                  f'<rect width="400" height="120" fill="white"/><circle cx="{20 + 30 * k}" cy="60" r="15"/>'
                  f'<text x="10" y="20">frame {k} of 12</text></svg>')
picture = w.Stack([frame(k) for k in range(12)], selected_index=0)
slider = w.IntSlider(max=11, description='step')
link = w.jslink((slider, 'value'), (picture, 'selected_index'))
slider.add_class('lat-slider-sample'); picture.add_class('lat-target-sample')
w.VBox([slider, picture])
"""

BUTTON = """\
import ipywidgets as w
button, answer = w.Button(description='Ask the kernel'), w.HTML('no answer yet')
button.on_click(lambda _: setattr(answer, 'value', f'the kernel says {6 * 7}'))
w.VBox([button, answer])
"""

FAULTS = """\
import sys
from IPython.display import HTML, Javascript, display
print('mumble', file=sys.stderr)
display(Javascript('console.error("a faulty front end")'))
display(HTML('<img src="http://elsewhere.invalid/pixel.png" alt="">'))
raise ValueError('a faulty cell')
"""


def write(path: Path, *sources: str) -> Path:
    """Write a notebook of these code cells."""
    cells = [new_markdown_cell('# A sample'), *map(new_code_cell, sources)]
    # ids of their own would differ from run to run
    for number, cell in enumerate(cells):
        cell.id = f'cell-{number}'
    kernel = {'name': 'python3', 'display_name': 'Python 3', 'language': 'python'}
    nbformat.write(new_notebook(cells=cells, metadata={'kernelspec': kernel}), path)
    return path
