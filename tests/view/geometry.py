"""Where the texts of a frame lie, by the widths of their font: which of them overlap, and which leave the picture."""

import re

from minicell.view.paint import kit, style

ABOVE, BELOW = 0.74, 0.22  # em, of capitals and of descenders


def boxes(frame):
    """(key, words, left, top, right, bottom) of each text that is seen."""
    for key, shape in frame.items():
        if shape.tag != 'text' or 'zero' in shape.attrs.get('class', ''):
            continue
        words, classes = shape.attrs['T'], shape.attrs.get('class', '')
        look, x, y = style.look('text', classes), shape.attrs['x'], shape.attrs['y']
        if not words.strip():
            continue
        long, size = kit.width(words, classes), look['size']
        left = x - {'middle': long / 2, 'end': long}.get(look.get('anchor'), 0)
        box = (left, y - ABOVE * size, left + long, y + BELOW * size)
        if turned := re.match(r'rotate\(-90 ([-\d.]+) ([-\d.]+)\)', shape.attrs.get('transform', '')):
            a, b = map(float, turned.groups())
            (l, t, r, m) = box
            box = (a + (t - b), b - (r - a), a + (m - b), b - (l - a))
        yield key, words, *box


def faults(frame, width, height, slack=1.5):
    """Sentences about texts that lie on each other, or outside."""
    found = list(boxes(frame))
    out = [f'{w!r} leaves the picture at ({l:.0f}, {t:.0f})' for _, w, l, t, r, b in found
           if l < -slack or r > width + slack or t < -12 or b > height + slack]  # fmt: skip
    for i, (_, w, l, t, r, b) in enumerate(found):
        for _, w2, l2, t2, r2, b2 in found[i + 1 :]:
            if min(r, r2) - max(l, l2) > slack and min(b, b2) - max(t, t2) > slack:
                out.append(f'{w!r} and {w2!r} overlap near ({l:.0f}, {t:.0f})')
    return out
