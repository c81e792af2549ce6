"""A film for the tests of what carries it: twelve steps drawn by hand, wide and narrow, with all that a film can hold.

It looks like lesson 03 and computes nothing.
"""

from minicell.ink.film import Film, Step
from minicell.ink.line import Mark, step_line
from minicell.ink.shapes import Frame

SAID = [
    ('Net is called. It brings its own bprop.',
     'Its numbers go forward as usual. Watch what happens on the way back.', 'net'),
    ('Inside Net, x @ y runs, and leaves no trace',
     'Without the bprop, MatMul would now stand on the tape.', '12'),
    ('Net writes one entry on the tape',
     'Entry 1 says: for my gradients, call Net.bprop.', 'net'),
    ('The sum writes entry 2',
     'The six numbers of z add up to the loss, 15.337.', 'sum'),
    ('Backward starts with 1',
     'When the loss grows by 1, the loss grows by 1. There every gradient begins.', '10'),
    ('Backward reads entry 2: the rule of sum',
     'A sum grows exactly as much as each of its parts.', 'rule'),
    ('So every number of z gets a 1',
     'These six ones are dout: what Net is told about the loss.', 'rule'),
    ('Takeover: backward turns off its road, into your lines',
     'The rule of MatMul is never called. Net.bprop runs instead.', '15'),
    ('Your line 16 makes dx',
     'dx = x + 1. No autodiff here: it is your code alone.', '16'),
    ('Your line 17 makes dy',
     'dy = y + 1. It does not look at dout either.', '17'),
    ('Your dx and dy are taken as they are',
     'Nobody checks them, here or in MindSpore.', '18'),
    ('Your dx and dy are wrong, and nobody noticed',
     'You see it only because minicell worked out both gradients a second time, for you.', '10'),
]  # fmt: skip
JUMPS = {7: 'Takeover', 11: 'Compare'}
CODE = {
    '4': 'def loss(x, y):', '5': '    z = net(x, y)', '6': '    return z.sum()',
    '10': 'dx, dy = ms.grad(loss, (0, 1))(x, y)',
    '12': '    out = self.matmul(x, y)', '15': '  def bprop(self, x, y, out, dout):', '16': '    dx = x + 1',
    '17': '    dy = y + 1', '18': '    return dx, dy',
}  # fmt: skip
ROWS = dict(zip(CODE, [42, 62, 82, 106, 208, 282, 302, 322, 342], strict=True))
RUNS = ['5', '12', '5', '6', '10', '6', '6', '15', '16', '17', '18', None]
X = [[0.5, 0.6, 0.4], [1.2, 1.3, 1.1]]
TRUE = [[1.41, 1.6, 6.6], [1.41, 1.6, 6.6]]
MARKS = [
    Mark(11, '✗ wrong', 'xx', 11), Mark(7, 'takeover', 'bf'), Mark(0, 'forward'), Mark(4, 'backward'),
]  # fmt: skip


def toy(narrow: bool = False, steps: int = 12) -> Film:
    """The film in one of its layouts."""
    film = Film(372, 700) if narrow else Film(900, 462)
    film.line, places = step_line(len(SAID), MARKS, 220 if narrow else 456, 'Step of the tape')
    for step, (title, caption, go) in enumerate(SAID[:steps]):
        jump = JUMPS.get(step, '')
        film.add(drawn(step, narrow), Step(title, caption, places[step], (go, f'line {RUNS[step]}'), jump))
    if not narrow:
        touch(film)
    return film


def films() -> list[Film]:
    """Both layouts."""
    return [toy(), toy(narrow=True)]


def drawn(step: int, narrow: bool) -> Frame:
    """One frame."""
    f = Frame()
    wide = 372 if narrow else 326
    right, under = (0, 370) if narrow else (346, 0)  # where the stage begins
    past = ' past' if step > 7 else ''
    f.rect('code', 0, 0, wide, 362, 'panel', 0, rx=10)
    f.text('cell', 12, 21, 'your call', 'dim')
    f.rect('mine', 3, 262, wide - 6, 88, 'zero' if step < 7 else 'mine' if step < 11 else 'mine0', 0, rx=8)
    for number, code in CODE.items():
        y, on = ROWS[number], ' on' if RUNS[step] == number else ''
        if on:
            f.rect('now', 7, y - 14.5, wide - 14, 20, 'now', 1, rx=4)
        f.rect(f'row{number}', 4, y - 14.5, wide - 8, 20, 'row', 1, rx=4, go=f'line {number}')
        f.text(f'number{number}', 26, y, number, f'ln{on}')
        f.text(f'code{number}', 32, y, code, f'm{on}', room=wide - 40)
    f.rect('piece', 32 + 9 * 7.83, 289, 5 * 7.83 + 3, 17, 'piece' + (' cur' if step == 8 else ''), 2, v='x + 1', rx=3)
    f.text('forward', right, under + 12, 'forward →', 'ff')
    f.text('xn', right, under + 48, 'x', 'b')
    tiles(f, 'x', right + 16, under + 22, X, 38, 21)
    quiet = ' q2' if step > 6 else ''
    f.path('wx', f'M{right + 134},{under + 43}H{right + 151}', f'fw{quiet}')
    f.head('wxh', right + 158, under + 43, 'r', f'fh{quiet}', 3, 5)
    f.rect('net', right + 160, under + 22, 104, 70, f'card f{quiet}' + (' cur' if step < 3 else ''), 2, rx=8, go='net')
    f.text('nett', right + 212, under + 50, 'Net', 'b mid')
    f.text('neto', right + 212, under + 70, 'own bprop', 'ff mid')
    f.rect('sum', right + 284, under + 22, 80, 70, f'card f{quiet}' if step > 2 else 'card', 2, rx=8, go='sum')
    f.text('sumt', right + 324, under + 50, 'sum', 'b mid' if step > 2 else 'fut mid')
    f.text('loss', right + 324, under + 74, '15.337', 'mid' if step > 2 else 'mid fut')
    road = under + 160
    end = right + 18
    f.path('road', f'M{right + 364},{road}H{end}', 'road', 0)
    f.path('lane', f'M{right + 364},{road}H{end}', 'lane', 0)
    f.rect('ghost', right + 40, road - 25, 116, 50, 'ghost' + ('' if step == 7 else ' q'), 2, rx=8)
    f.text('ghostt', right + 98, road - 5, "MatMul's rule", 'mid dim' if step > 6 else 'mid fut')
    said, look = ('never called', 'mid b') if step > 6 else ('the usual way', 'mid fut')
    f.text('ghostn', right + 98, road + 14, said, look)
    look = 'card bk cur' if step == 5 else 'card bk' if step > 4 else 'card'
    f.rect('rule', right + 284, road - 25, 80, 50, look, 2, rx=8, go='rule')
    f.text('rulet', right + 324, road + 5, "sum's rule", 'mid b' if step > 4 else 'mid fut', room=76)
    if step > 6 and not narrow:
        bend = f'M629,{road}H608A21,21,0,0,0,587,{road + 21}V256A21,21,0,0,1,566,277H354'
        f.path('fat', bend, f'fat{past}', 1, draw=600)
        f.head('fath', 322, 277, 'l', f'fatk{past}', 6, 24, late=450)
        f.text('take', 372, 281.7, 'takeover: into your own lines', f'onr{past}', 6, late=450)
    elif step > 6:
        f.path('fat', f'M180,{road}A18,18,0,0,0,162,{road + 18}V{road + 50}', f'fat{past}', 1, draw=600)
        f.head('fath', 162, road + 84, 'd', f'fatk{past}', 6, 24, late=450)
        f.text('take', 190, road + 60, 'takeover', 'bf', 6, late=450)
    low = under + 270 if narrow else 390
    if step < 8:
        f.text('question', right + 64, low + 36, '?', 'ques mid')
        return f
    f.text('dxn', right, low - 8, 'dx', 'mid2')
    mine = [[v + 1 for v in row] for row in X]
    tiles(f, 'dx', right, low, mine, 42, 24, wrong=step == 11, account=True)
    if step == 11:
        f.text('off', right + 30, low - 8, '✗ off by 5.20', 'xx')
        tiles(f, 'true', right + 150, low, TRUE, 42, 24, classes=' tru')
        f.text('should', right + 150, low - 8, 'should be', 'b')
    return f


def tiles(f, key, x, y, values, w, h, wrong=False, account=False, classes=''):
    """A matrix as numbers."""
    for i, row in enumerate(values):
        for j, number in enumerate(row):
            value = f'{key}[{i},{j}]'
            looks = 'tile' + classes + (' wrong worst' if wrong and (i, j) == (0, 2) else ' wrong' if wrong else '')
            left, top, asked = x + j * w, y + i * h, value if account else None
            f.rect(value, left + 1, top + 1, w - 2, h - 2, looks, rx=3, v=value, rc=asked)
            f.text(value + 't', left + w / 2, top + h / 2 + 5, f'{number:.2f}' if account else f'{number:g}', 'mid')


def touch(film: Film) -> None:
    """What lights with what, and how each number was made."""
    for i, row in enumerate(X):
        for j, number in enumerate(row):
            at, made = f'[{i},{j}]', number + 1
            film.links['x' + at] = dict(
                l=['dx' + at, 'true' + at], r=f'x{at} = {number:g}   its gradient: dx{at} = {made:.2f}'
            )
            formula = f'dx{at} = x{at} + 1 = {number:g} + 1 = {made:.2f}   line 16:9–14, yours'
            film.links['dx' + at] = dict(l=['x' + at, 'true' + at, 'x + 1'], r=formula)
            film.accounts['dx' + at] = dict(
                t=f'How your dx{at} = {made:.2f} was made',
                h=['who', 'line', '>slope', '>× dout', '>= part', '>total'],
                rows=[
                    ['yours', 'your line 16: x + 1', '16:9–14', '', 'not used', '', f'{made:.2f}'],
                    ['hdr', "MatMul's rule would have added up", 'line 12', '', '', '', ''],
                    ['', f'through z[{i},0], by y[{j},0]', '', '2.10', '1', '2.10', '2.10'],
                    ['tot', 'should be', '', '', '', '', f'{TRUE[i][j]:.2f}'],
                    ['off', 'yours is off by', '', '', '', '', f'{abs(TRUE[i][j] - made):.2f}'],
                ],
                p='Only your line touched this number. Nobody else would have noticed.',
            )
    film.links['x + 1'] = dict(
        l=[f'dx[{i},{j}]' for i in range(2) for j in range(3)], r='x + 1: yours. It makes dx from x alone'
    )
    film.accounts['dx[1,2]'] = "press tape.why('dx[1,2]')"
