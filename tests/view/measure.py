"""Measures every text and line of a picture in a real Chromium: where it is drawn, and what colours it stands on."""

import os
import re
from contextlib import contextmanager
from pathlib import Path

from minicell.view import shapes

CHROMIUM = '/usr/bin/chromium'
FLAGS = [
    '--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update',
    '--disable-sync', '--no-first-run', '--disable-dev-shm-usage',
]  # fmt: skip
PROBE = Path(__file__).with_name('measure.js')
DECORATION = (shapes.RULE,)  # lines that mean nothing: the frames of panels
BATCH = 25  # pictures that travel to the page at once
SMALLEST = 11  # px
SLACK = 1.25  # px: letters may hang over by a pixel, as a Y does


def why_not():
    """Why there is nothing to measure with, or ''. Where CI is set a browser is due."""
    try:
        import playwright  # noqa: F401
    except ImportError:
        missing = 'playwright is not installed'
    else:
        missing = '' if Path(CHROMIUM).exists() else f'no Chromium at {CHROMIUM}'
    assert not (missing and os.environ.get('CI')), missing
    return missing


@contextmanager
def page():
    """A blank page in Chromium that can measure; it is loaded once for any number of pictures."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        try:
            found = browser.new_page(viewport={'width': 1400, 'height': 900})
            found.set_content('<!doctype html><meta charset="utf-8"><style>body{margin:0}</style>')
            found.evaluate(PROBE.read_text(encoding='utf-8'))
            yield found
        finally:
            browser.close()


def measure_all(blank, pictures, each=1, decoration=DECORATION):
    """What the probe finds in each of many SVG pictures: its places, and in each n-th one the pixels too.

    `decoration`: the colours of lines that mean nothing.
    """
    pictures = [(svg, {'decoration': list(decoration), 'colours': i % each == 0}) for i, svg in enumerate(pictures)]
    ask = 'async all => { const out = []; for (const [svg, how] of all) out.push(await probe(svg, how)); return out; }'
    for i in range(0, len(pictures), BATCH):
        yield from blank.evaluate(ask, pictures[i : i + BATCH])


def measure(blank, svg):
    """What the probe finds in one SVG picture."""
    return next(measure_all(blank, [svg]))


def faults(found, slack=SLACK):
    """What is wrong with a measured picture, as sentences."""
    out = [f'{a!r} and {b!r} overlap near ({x}, {y})' for a, b, x, y in found['overlaps']]
    out += [f'the box at ({a}, {b}) hangs out of the one at ({x}, {y})' for a, b, x, y in found['hanging']]
    for t in found['texts']:
        out += wrong_text(t, (0, 0, found['width'], found['height']), slack)
    for line in found['lines']:
        if line['share'] < 0.5:
            where = f'({line["x"]:.0f}, {line["y"]:.0f})'
            out.append(f'a {line["what"]} in {line["colour"]} at {where} has a contrast of {line["least"]}')
    for part in ('title', 'desc'):
        if not found[part].strip():
            out.append(f'the picture has no {part}')
    if not any(re.search(r'\d', t['words']) for t in found['texts']):
        out.append('the picture has no number')
    if found['scripts']:
        out.append('the picture brought a script')
    return out


def wrong_text(t, whole, slack):
    """What is wrong with one measured text."""
    words = t['words']
    if not words.strip():
        return []
    out = []
    for kind in ('box', 'card'):
        x, y, w, h = t[kind] or whole
        left, right = t['x'], t['x'] + t['w']
        if left < x - slack or right > x + w + slack:
            out.append(f'{words!r} leaves its {kind}: drawn {left:.1f}…{right:.1f}, allowed {x:.1f}…{x + w:.1f}')
        if t['y'] < y - slack or t['y'] + t['h'] > y + h + slack:
            low = t['y'] + t['h']
            out.append(
                f'{words!r} leaves its {kind} above or below: {t["y"]:.1f}…{low:.1f}, allowed {y:.1f}…{y + h:.1f}'
            )
    if t['torn']:
        out.append(f'{words!r} stands half in a box and half out of it')
    if t['lost']:
        out.append(f'{words!r} is painted over')
    if t['size'] < SMALLEST:
        out.append(f'{words!r} is {t["size"]} px')
    if t['contrast'] < 4.5:
        out.append(f'{words!r} in {t["colour"]} on {t["ground"]} has a contrast of {t["contrast"]:.2f}')
    return out
