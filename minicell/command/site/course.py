"""The list of lessons: each with its picture, its minutes, its question, and what its reader can do afterwards."""

import re
import struct
from html import escape
from pathlib import Path

from minicell.teach.about import Stop, stops

from ..lessons import PACKAGE
from .document import Page
from .texts import html_of

# The pictures of the README's map. They travel in no wheel: a site is published from a clone.
README = PACKAGE.parent / 'README.md'
PICTURE = re.compile(r'<img src="(?P<path>\.github/lessons/(?P<number>\d\d)\.png)" width="\d+" alt="(?P<alt>[^"]+)">')
# What one can do after a lesson.
ABLE = {
    '00': 'run a lesson, step through a tape, and find the words of PyTorch and JAX.',
    '01': 'say what a call leaves on the tape, and write the loop that turns it into a gradient.',
    '02': 'write the backward rule of an operation, and test the rules of others.',
    '03': 'say who computed a gradient, and write a bprop with a check that it is right.',
    '04': 'write a gradient check, choose its step, and know what it cannot see.',
    '05': 'tell which mistakes in a bprop raise an error, and which pass in silence.',
    '06': 'find a wrong gradient with three quick tests, even where the loss falls.',
    '07': 'carry a mask from forward to bprop, and handle tuples of outputs.',
    '08': 'tell a gradient that is zero from one that is missing, and leave bprop out.',
    '09': 'follow a second derivative through your bprop, and see where it gets lost.',
    '10': 'follow the gradient of a weight, and check it in a Cell with its own bprop.',
    '11': 'predict what a graph keeps of a bprop, and what it runs only once.',
    '12': 'train a spiking network, choose its surrogate, and notice one that does not work.',
    '13': 'write a small autodiff of your own, with takeovers and second derivatives.',
    '14': 'use a false gradient on purpose, and measure whether it helps.',
    '15': 'trade memory for time with a bprop that computes forward again.',
}


def page(folder: Path, above: str, below: str, script: str) -> Page:
    """The list, with what stands above and below it. `script`: the lessons', which knows what is done."""
    shown = pictures(folder)
    items = ''.join(item(stop, shown.get(stop.number, '')) for stop in stops())
    total = sum(stop.minutes for stop in stops())
    about = 'Short lessons on custom backward rules: predict, run, step through the tape, and write your own bprop.'
    main = (
        f'<h1>The lessons</h1><p>You need Python, a little NumPy, and the chain rule. Start anywhere: each lesson '
        f'recaps what it needs. All of them together, with their exercises, take about {round(total / 60)} hours.</p>'
        '<p>On these pages every tape steps, with its buttons, its line, or the arrow keys; questions are answered, '
        'and exercises checked, by Python in your browser. For the same in JupyterLab, on your own machine: '
        '<code>pip install minicell</code> (in a clone: <code>pip install .</code>), then <code>minicell</code>.</p>'
        f'{above}<ol class="course">{items}</ol>{below}'
    )
    return Page('course.html', 'The lessons', about, main, scripts=(script,))


def item(stop: Stop, picture: str) -> str:
    """One lesson in the list."""
    asked = html_of(stop.question).strip().removeprefix('<p>').removesuffix('</p>')
    return (
        f'<li><span class="number" aria-hidden="true">{stop.number}</span>'
        f'<a href="{stop.stem}.html">{escape(stop.title)}</a>'
        f'<span class="minutes">{stop.minutes} min<b data-stands="{stop.number}"></b></span><p>{asked}</p>'
        f'<p class="able">You will be able to {ABLE[stop.number]}</p>{picture}</li>'
    )


def pictures(folder: Path) -> dict[str, str]:
    """The picture of each lesson, with the words that the README has for it; laid into `folder`."""
    if not README.is_file():
        return {}
    (folder / 'course').mkdir(exist_ok=True)
    made = {}
    for found in PICTURE.finditer(README.read_text(encoding='utf-8')):
        data = (PACKAGE.parent / found['path']).read_bytes()
        (folder / f'course/{found["number"]}.png').write_bytes(data)
        width, height = struct.unpack('>II', data[16:24])  # so that nothing moves when it comes
        made[found['number']] = (
            f'<img src="course/{found["number"]}.png" alt="{found["alt"]}" width="{width}" height="{height}" '
            'loading="lazy">'
        )
    return made
