"""Measures every text of a picture in a real Chromium: does it keep to its box, and to itself?"""

import os
from contextlib import contextmanager
from pathlib import Path

CHROMIUM = '/usr/bin/chromium'
FLAGS = [
    '--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update',
    '--disable-sync', '--no-first-run', '--disable-dev-shm-usage',
]  # fmt: skip

# For each text: what it says, its drawn box, the box it may use, its size and colour; and the pairs that overlap.
PROBE = """
(picture) => {
  document.body.style.margin = 0;
  document.body.innerHTML = picture;
  const svg = document.querySelector('svg'), view = svg.getBoundingClientRect();
  const channel = v => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  const light = c => { const [r, g, b] = c.match(/\\d+/g).map(Number).map(channel);
                       return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const contrast = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p);
                               return (x + 0.05) / (y + 0.05); };
  // in drawing order: the last filled one under a text is its ground
  const rects = [...svg.querySelectorAll('rect')].map((e, order) => {
    const r = e.getBoundingClientRect(), s = getComputedStyle(e);
    return {x: r.left - view.left, y: r.top - view.top, w: r.width, h: r.height, order,
            fill: s.fill === 'none' ? '' : s.fill};
  });
  const texts = [...svg.querySelectorAll('text')].map(t => {
    const r = t.getBoundingClientRect(), b = t.dataset.box.split(' ').map(Number), s = getComputedStyle(t);
    const words = [...t.childNodes].filter(n => n.nodeType === 3).map(n => n.data).join('');
    const mine = {x: r.left - view.left, y: r.top - view.top, w: r.width, h: r.height};
    const cx = mine.x + mine.w / 2, cy = mine.y + mine.h / 2;
    const around = rects.filter(c => c.x <= cx && cx <= c.x + c.w && c.y <= cy && cy <= c.y + c.h);
    around.sort((a, c) => a.w * a.h - c.w * c.h);
    const ground = around.filter(c => c.fill).sort((a, c) => a.order - c.order).pop();
    const card = around.length ? [around[0].x, around[0].y, around[0].w, around[0].h] : null;
    return {words, card, ...mine, box: b, size: parseFloat(s.fontSize),
            contrast: contrast(s.fill, ground ? ground.fill : 'rgb(255, 255, 255)')};
  });
  const overlaps = [];
  for (let i = 0; i < texts.length; i++) for (let j = i + 1; j < texts.length; j++) {
    const a = texts[i], b = texts[j];
    const w = Math.min(a.x + a.w, b.x + b.w) - Math.max(a.x, b.x);
    // the line boxes of two rows may touch: their letters do not, so a text is as high as its capitals and tails
    const top = t => t.y + t.h * 0.18, low = t => t.y + t.h * 0.92;
    const h = Math.min(low(a), low(b)) - Math.max(top(a), top(b));
    if (w > 0.5 && h > 0.5) overlaps.push([a.words, b.words, Math.round(a.x), Math.round(a.y)]);
  }
  return {texts, overlaps, width: view.width, height: view.height, scripts: document.scripts.length};
}
"""


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
    """A blank page in Chromium."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        try:
            yield browser.new_page(viewport={'width': 1400, 'height': 900})
        finally:
            browser.close()


def measure(blank, svg):
    """What PROBE finds in an SVG picture."""
    return blank.evaluate(PROBE, svg)


def faults(found, slack=1.25):
    """What is wrong with a measured picture, as sentences. Letters may hang over by a pixel, as a Y does."""
    out = [f'{a!r} and {b!r} overlap near ({x}, {y})' for a, b, x, y in found['overlaps']]
    for t in found['texts']:
        left, right, words = t['x'], t['x'] + t['w'], t['words']
        for kind in ('box', 'card'):
            x, y, w, h = t[kind] or (0, 0, found['width'], found['height'])
            if left < x - slack or right > x + w + slack:
                out.append(f'{words!r} leaves its {kind}: drawn {left:.1f}…{right:.1f}, allowed {x:.1f}…{x + w:.1f}')
            if (t['y'] < y - slack and kind == 'box') or t['y'] + t['h'] > y + h + slack + 2:
                out.append(f'{words!r} leaves its {kind} above or below')
        if t['size'] < 11:
            out.append(f'{words!r} is {t["size"]} px')
        if t['contrast'] < 4.5:
            out.append(f'{words!r} has a contrast of {t["contrast"]:.2f}')
    return out
