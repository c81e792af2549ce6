"""Where the texts of a frame lie: which overlap, which leave the picture, and the ground that each is read on."""

import re

from minicell.ink import shapes, style

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
        long, size = shapes.width(words, classes), look['size']
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


def light(colour):
    """Relative luminance."""
    parts = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    red, green, blue = (v / 12.92 if v <= 0.03928 else ((v + 0.055) / 1.055) ** 2.4 for v in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    """How far apart two colours are, from 1 to 21."""
    high, low = sorted((light(one), light(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def inside(shape, x, y):
    """Whether a rectangle with a ground of its own has a point."""
    a = shape.attrs
    return a['x'] <= x <= a['x'] + a['width'] and a['y'] <= y <= a['y'] + a['height']


def grounds(frame):
    """(text, its ink, the ground under its middle) by the names of colours."""
    painted = sorted(enumerate(frame.values()), key=lambda pair: (pair[1].layer, pair[0]))
    order = {id(shape): n for n, (_, shape) in enumerate(painted)}
    rects = [s for _, s in painted if s.tag == 'rect']
    for key, words, left, top, right, bottom in boxes(frame):
        ink, ground = style.look('text', frame[key].attrs.get('class', ''))['fill'], 'paper'
        for rect in rects:
            fill = style.look('rect', rect.attrs.get('class', '')).get('fill', 'none')
            under = order[id(rect)] < order[id(frame[key])] and rect.attrs.get('opacity', 1) == 1
            if fill not in ('none', 'clear') and under and inside(rect, (left + right) / 2, (top + bottom) / 2):
                ground = fill
        if 'onr' in frame[key].attrs.get('class', '') and re.fullmatch(r'fat\w?t', key):
            band = frame[key[:-1]].attrs  # it is written on it
            if top < float(re.search(r'[\d.]+(?=H[\d.]+$|$)', band['d'])[0]) < bottom:
                ground = style.look('path', band['class'])['stroke']
        yield words, ink, ground


def lines(frame):
    """(key, x0, y0, x1, y1) of each straight piece of a thin line: an arrow between values, or to a rule."""
    for key, shape in frame.items():
        if shape.tag != 'path' or not set(shape.attrs.get('class', '').split()) & {'fw', 'call', 'link'}:
            continue
        x = y = 0.0
        for kind, rest in re.findall(r'([MHVLAC])([^MHVLACZ]*)', shape.attrs['d']):
            n = [float(number) for number in rest.split(',')]
            ax, ay = (n[0], y) if kind == 'H' else (x, n[0]) if kind == 'V' else (n[-2], n[-1])
            if kind != 'M':
                yield key, min(x, ax), min(y, ay), max(x, ax), max(y, ay)
            x, y = ax, ay


def crossed(frame, slack=2.5):
    """Sentences about texts that a thin line goes across, where no ground of their own lies between."""
    out = []
    painted = sorted(frame.values(), key=lambda shape: shape.layer)
    for key, words, left, top, right, bottom in boxes(frame):
        cover = [s for s in painted if s.tag == 'rect' and 2 <= s.layer <= frame[key].layer
                 and style.look('rect', s.attrs.get('class', '')).get('fill', 'none') not in ('none', 'clear')
                 and inside(s, (left + right) / 2, (top + bottom) / 2)]  # fmt: skip
        for line, x0, y0, x1, y1 in lines(frame):
            hit = min(right, x1) - max(left, x0) > (slack if x1 > x0 else -0.1) and min(bottom, y1) - max(top, y0) > (
                slack if y1 > y0 else -0.1
            )
            within = x0 < right - slack and x1 > left + slack and y0 < bottom - slack and y1 > top + slack
            if hit and within and not cover:
                out.append(f'{line} goes across {words!r} at ({left:.0f}, {top:.0f})')
    return out


def free(frame, width, room=40):
    """Sentences about texts that are cut, while so much of their row is free at their right."""
    out, found = [], list(boxes(frame))
    for key, words, left, top, right, bottom in found:
        if '…' not in words or words == '…' or 'rotate' in str(frame[key].attrs.get('transform', '')):
            continue
        beside = [l for _, _, l, t, _, b in found if l >= right - 1 and min(b, bottom) - max(t, top) > 2]
        rects = [s.attrs['x'] for s in frame.values() if s.tag == 'rect' and s.layer >= 1 and s.attrs['x'] >= right - 1
                 and s.attrs['y'] < bottom and s.attrs['y'] + s.attrs['height'] > top]  # fmt: skip
        holds = [s.attrs['x'] + s.attrs['width'] for s in frame.values() if s.tag == 'rect' and s.layer >= 1
                 and inside(s, (left + right) / 2, (top + bottom) / 2)]  # fmt: skip
        end = min([width, *beside, *rects, *holds])
        if end - right >= room:
            out.append(f'{words!r} is cut at ({left:.0f}, {top:.0f}), with {end - right:.0f} px free')
    return out
