"""No false figure: a single number is written, names are apart, and each formula gives the number beside it."""

import itertools
import re

import numpy as np
import pytest

import minicell as ms
from minicell.ink import tiles
from minicell.view import formula, phrases
from minicell.view.picture import Picture
from tests.view import gallery, geometry

SCALAR, VECTOR = ms.Tensor(0.7), ms.Tensor([0.7, 1.2, 0.4])
MATRIX, SQUARE = ms.Tensor([[0.7, 1.2, 0.4], [0.3, 0.9, 1.6]]), ms.Tensor([[0.7, 1.2], [0.3, 0.9]])
MANY = ms.Tensor(np.linspace(0.1, 1.2, 12).reshape(2, 2, 3).astype(np.float32))
LABELS, CLASSES = ms.Tensor([[0.0, 1.0, 0.0], [0.5, 0.5, 0.0]]), ms.Tensor([2, 0], ms.int32)

UNARY = [
    'sin', 'cos', 'tanh', 'exp', 'log', 'sqrt', 'square', 'neg', 'rsqrt', 'reciprocal', 'sigmoid', 'relu', 'abs', 'tan',
    'asinh', 'log1p', 'expm1', 'erf', 'sinh', 'cosh', 'atan', 'log2', 'softmax',
]  # fmt: skip
ONE = [
    *(f'ops.{name}(x * 0.5)' for name in UNARY),
    'ops.tanh(x) * x', 'x * x * x', 'ops.exp(ops.sin(x))', 'ops.sin(x) / x',
    'ops.log(1 + x * x)', 'ops.sqrt(x) * x', '(x + 1) * (x - 1)', '-x / (x + 2)', 'x ** 3', '2 ** x', '(x * 2 + 1) / x',
    'ops.maximum(x, 0.5) * x', 'ops.minimum(x, x * x)', 'ops.atan2(x, x + 1)', 'ops.softmax(x.reshape(-1)) * 2',
]  # fmt: skip
SEVERAL = [
    'x.sum()', 'x.mean()', 'x.max() * x', 'x.min()', 'x.sum(0) * x', 'x * x.sum(-1, keepdims=True)', 'x.mean(0) + x',
    'x.reshape(-1) * 2', 'x / x.sum()', 'x * x[0]', 'x - x.mean()', 'ops.exp(x) / ops.exp(x).sum()',
    'x.swapaxes(0, -1) * 2', 'ops.matmul(x, x.swapaxes(-1, -2) if x.ndim > 1 else x)', 'x * 2 - x[0] ** 2',
    'ops.amax(x, -1)', 'ops.amin(x, 0)', 'ops.amax(x, 0, keepdims=True) * x', 'ops.amin(x * x, -1)', 'x.max(-1)',
    'ops.broadcast_to(x[0], x.shape) * x', 'x.astype(ms.float64) * 2', 'ops.softmax(x, 0)', 'ops.softmax(x * x)',
]  # fmt: skip
TWO = [  # (formula, of what)
    ('ops.matmul(x, y)', MATRIX, ms.Tensor([[0.2, 1.1], [0.4, 0.5], [1.5, 0.3]])), ('x @ y', MATRIX, VECTOR),
    ('x @ y', VECTOR, ms.Tensor([[0.2], [0.4], [1.5]])), ('x @ y', VECTOR, VECTOR), ('x @ y', SQUARE, SQUARE),
    ('x @ y', MANY, ms.Tensor([[0.2, 1.1], [0.4, 0.5], [1.5, 0.3]])), ('x @ y.mT', MANY, MANY), ('x @ y', MANY, VECTOR),
    ('x * y', MATRIX, VECTOR), ('x - y', MATRIX, ms.Tensor([[0.4], [0.2]])), ('x / y', VECTOR, SCALAR),
    ('x + y', MANY, VECTOR), ('y / x', MATRIX, VECTOR), ('x * y', MANY, ms.Tensor([[0.4], [0.2]])),
    ('ops.dense(x, y)', MATRIX, MATRIX), ('ops.dense(x, y, x[0])', SQUARE, SQUARE), ('ops.dense(x, y)', MANY, MATRIX),
    ('ops.dense(x, y, y[:, 0])', VECTOR, MATRIX), ('ops.bmm(x, y.swapaxes(1, 2))', MANY, MANY),
    ('ops.cross_entropy(x, y)', MATRIX, LABELS), ('ops.cross_entropy(x, y)', MATRIX, CLASSES),
    ('ops.cross_entropy(x, y, reduction="sum")', MATRIX, CLASSES), ('ops.cross_entropy(x, y * 2)', MATRIX, LABELS),
    ('ops.cross_entropy(x, y, reduction="none")', MATRIX, CLASSES),
    ('ops.cross_entropy(x, y, weight=ms.Tensor([1.0, 2.0, 3.0]))', MATRIX, CLASSES),
    ('ops.cross_entropy(x, y, label_smoothing=0.1)', MATRIX, CLASSES), ('ops.outer(x, y)', VECTOR, VECTOR),
]  # fmt: skip
ALONE = ms.Tensor([[0.3]])
TWO += [('x @ y', ALONE, ALONE), ('x @ y', SQUARE[:1], ms.Tensor([[0.2], [0.4]])), ('ops.dense(x, y)', ALONE, ALONE)]
HIDDEN = [  # (parameters, construct, what it is given)
    ('x', 'return 1 - x', [SCALAR]), ('x', 'return 3 - x', [MATRIX]), ('x', 'return ops.sub(1, x)', [VECTOR]),
    ('x', 'return 3 * x', [SCALAR]), ('x', 'return x * 0.1', [MATRIX]), ('x', 'return 2 / x', [SCALAR]),
    ('x', 'return x ** 2', [SCALAR]), ('x', 'return x - -2', [SCALAR]), ('x', 'return x * x', [SCALAR]),
    ('x, y', 'def sub(x, y): return x / y\n        return sub(y, x)', [SCALAR, VECTOR]),
    ('x, y', 'x, y = y, x\n        return x / y', [SCALAR, VECTOR[1]]),
    ('x, y', 'x = y\n        return x * y', [SCALAR, VECTOR[1]]), ('x, y', 'return x.__rsub__(y)', [SCALAR, VECTOR]),
    ('x, y', 'a = x\n        return y @ a', [MATRIX, SQUARE]), ('x, y', 'return x * 2', [SCALAR, SCALAR]),
    ('x, y', 'z = x * y\n        return x', [SCALAR, ms.Tensor(1.0)]), ('x, y', 'return x / y', [SCALAR, SCALAR]),
    ('x, n, y', 'return x / y', [SCALAR, 3, VECTOR]), ('x, *rest', 'return x / rest[0]', [SCALAR, VECTOR]),
    ('x, dout', 'return x * dout', [SCALAR, VECTOR]), ('out, y', 'return out / y', [SCALAR, VECTOR]),
    ('x, y', 'return ops.sigmoid(x)', [VECTOR, SCALAR]), ('x', 'return ops.amax(x, 1)', [MATRIX]),
    ('x', 'return ops.amin(x, 0)', [MATRIX]), ('out', 'return ops.sigmoid(out)', [VECTOR]),
]  # fmt: skip
NAMED = {
    'a name given anew': 'x = ops.exp(x)\n    x = x * x\n    return x',
    'dout and out as names': 'dout = ops.exp(x)\n    out = dout * x\n    return ops.exp(out) / dout',
    'names in a row': 'y = ops.sqrt(x)\n    z = y / x\n    return ops.tanh(z) * y',
}


def taped(source, *inputs, order=1):
    """The tape of a gradient: of its sum once more, if the order says so."""
    body = source if 'return' in source else f'return {source}'
    arguments = 'xy'[: len(inputs)]
    lines = f'def f({", ".join(arguments)}):\n    {body}\n'
    what = f'ms.grad(f, {tuple(k for k, t in enumerate(inputs) if t.dtype != ms.int32)})'
    text = f'{lines}with ms.Tape() as tape:\n    {what}(*inputs)\n'
    if order > 1:
        again = 'f'
        for _ in range(order - 1):
            again = f'(lambda *t, f={again}: ms.grad(f)(*t).sum())'
        text = f'{lines}with ms.Tape() as tape:\n    ms.grad({again})(*inputs)\n'
    return gallery.tape_of(text.replace('*inputs', ', '.join(map(made_of, inputs))), f'{source} {len(inputs)} {order}')


def made_of(tensor):
    """A tensor as source."""
    return f'ms.Tensor({tensor.asnumpy().tolist()}, ms.{str(tensor.dtype).lower()})'


# ---- a formula, evaluated ----

WORDS = (
    'else 0|to each number|to the (?:larg|small)est(?: of each (?:row|column))?|turned back|in the old shape|'
    r'summed(?: over (?:rows|columns|axis \d|axes [\d and]+))?|row by row'
)
FUNCTIONS = ('sin', 'cos', 'tanh', 'exp', 'log', 'sqrt', 'sinh', 'cosh', 'sign', 'outer')


class Words:
    """Works a formula out as it is written: `values` by their names, for an input and the gradient that is due."""

    def __init__(self, values, given, out, due):
        self.values, self.given, self.out, self.due = values, given, out, due

    def number(self, said):
        said, words = re.fullmatch(f'(.*?)(?:, ({WORDS}))?', said).groups()
        if words == 'else 0':
            said, _, where = said.partition(' where ')
            return np.where(self.plain(where), self.plain(said), 0)
        if words == 'to each number':
            count = self.due.size / self.out.size if said.endswith(' / n') else 1
            return self.spread(self.plain(said.removesuffix(' / n')) / count)
        if words and words.startswith('to the '):
            axis = {'row': 1, 'column': 0}.get(words.rpartition('each ')[2])
            chosen = self.given == (np.max if 'largest' in words else np.min)(self.given, axis, keepdims=True)
            came = self.plain(said)
            came = came if axis is None else np.expand_dims(came.reshape(-1), axis)
            return np.where(chosen, came / chosen.sum(axis, keepdims=True), 0)
        if words == 'turned back':
            turns = itertools.permutations(range(self.due.ndim))
            turn = next(t for t in turns if np.array_equal(self.given.transpose(t), self.out))
            return self.plain(said).transpose(np.argsort(turn))
        if words == 'in the old shape':
            return self.plain(said).reshape(self.due.shape)
        whole = self.plain(said)
        if words and words.startswith('summed'):
            axes = [int(n) for n in re.findall(r'\d', words)] or [k for k in (0, 1) if ('rows', 'columns')[k] in words]
            return whole.sum(tuple(axes) or None).reshape(self.due.shape)
        return whole

    def spread(self, whole):
        """To the axes that are not there."""
        for axes in itertools.product((False, True), repeat=self.due.ndim):
            shape = [1 if gone else n for gone, n in zip(axes, self.due.shape, strict=True)]
            if np.prod(shape) == whole.size and np.allclose(whole.reshape(shape) * np.ones(self.due.shape), self.due):
                return whole.reshape(shape) * np.ones(self.due.shape)
        raise AssertionError('to each number of nothing')

    def plain(self, said):
        names = sorted(self.values, key=len, reverse=True)
        one = rf'(?<![\w.′″‴])({"|".join(map(re.escape, names)) or "(?!)"})(?![\w′″‴])'
        code = re.sub(one, lambda found: f'v[{names.index(found[1])}]', said).replace('×', '*').replace('−', '-')
        code = code.replace('.mT', '.swapaxes(-1, -2)')  # NumPy 1.26 has no mT
        functions = {n: getattr(np, n) for n in FUNCTIONS}
        own = dict(sum=lambda a: a.sum(-1, keepdims=True) if np.ndim(a) else a, v=[self.values[n] for n in names])
        return np.asarray(eval(code, {'__builtins__': {}}, functions | own))


def values(record, entry, douts, run=None):
    """What the values of an entry are, by the names that they have in the picture."""
    names = formula.called(record, entry, run)
    every = [*zip(names.inputs, entry.inputs, strict=True), (names.out, entry.outputs[0])]
    every.append((names.dout, douts[0]))
    found = {}
    for name, value in every:
        if value.data is not None:
            assert np.array_equal(found.setdefault(name, value.data), value.data, True), f'{entry.label}: two {name}'
    if entry.name == 'CrossEntropy':
        logits, labels = (v.data for v in entry.inputs)
        found |= dict(softmax=np.exp(logits) / np.exp(logits).sum(1, keepdims=True), labels=labels, n=len(logits))
    return {n: np.asarray(v, np.float64) for n, v in found.items()}


def right(words, said):
    """Whether a formula gives the gradient that stands beside it."""
    with np.errstate(all='ignore'):
        made = words.number(said)
    same = made.shape == words.due.shape or made.size == words.due.size == 1
    return same and np.allclose(made.reshape(words.due.shape), words.due, 2e-4, 1e-6, equal_nan=True)


def told(record):
    """Each formula of a record, as it may be shown, with what is false of it."""
    out = {}
    for reading in record.readings:
        entry = record.entries[reading.entry]
        if entry.kind == 'op' and len(entry.outputs) == 1 == len(reading.douts) and reading.gave:
            places = [k for k, v in enumerate(entry.inputs) if v.data is not None]
            gave = {k: g.value for k, g in zip(places, reading.gave, strict=False) if g.value is not None}
            for run in {None, record.passes[reading.run]}:
                known = values(record, entry, reading.douts, run)
                for found in formula.formulas(record, entry, run, reading.douts[0]):
                    out.setdefault(str(found), [])
                    out.setdefault(found.said, [])
                    if found.k not in gave:
                        continue
                    words = Words(known, entry.inputs[found.k].data, entry.outputs[0].data, gave[found.k].data)
                    faults = [] if right(words, found.said) else [f'{found} is not {words.due} with {known}']
                    if phrases.single(gave[found.k]):
                        counted = found.with_numbers(words.due.item())
                        out[counted] = out[counted.removeprefix(f'{found} = ')] = []
                        due = words.due.item()
                        made = Words({}, None, None, None).plain(found.counted).item() if found.counted else due
                        faults += [f'{counted}: wrong numbers'] * (abs(made - due) > 0.02 * max(1, abs(due)))
                    out[str(found)] += faults
        for k, v in enumerate(reading.verdicts):
            said = phrases.true_formula(record, entry, k)
            out.setdefault(said, [])
            if v.due is not None and 'rules' in v.by and np.isfinite(v.due).all() and not said.startswith('by '):
                known = values(record, entry, reading.douts)
                known |= {v.name: v.data for ghost in entry.ghosts for v in ghost.inputs if v.name}  # Parameters
                words = Words(known, entry.inputs[k].data, entry.outputs[0].data, v.due)
                out[said] += [] if right(words, said) else [f'{entry.name}: {said} is not {v.due}']
    return out


def shown(picture):
    """The formulas in all frames."""
    for frame in itertools.chain.from_iterable(film.frames for film in picture.painted()):
        keys = [key for key in frame if re.fullmatch(r'[a-z]how\d+\.\d+|t\d+sF', key)]
        whole = itertools.groupby(keys, lambda key: key.split('.')[0])  # a broken one has several rows
        said = (' '.join(frame[key].attrs['T'] for key in rows) for _, rows in whole)
        yield from (words.removesuffix(', twice') for words in said if words)


OTHERS = {'never called', 'it decides', 'the usual way'}  # on the ghost of a rule


def true(tape):
    """A tape on which no formula is false, and of which each formula that is shown was looked at; its picture."""
    picture = Picture(tape)
    found = told(picture.record)
    assert [fault for faults in found.values() for fault in faults] == []
    seen = set(shown(picture)) - OTHERS
    assert {said for said in seen if '…' not in said} <= set(found)
    return picture


@pytest.mark.parametrize('name', gallery.ALL)
def test_the_formulas_of_the_gallery_give_the_numbers_beside_them(name):
    true(gallery.run(name))


@pytest.mark.parametrize('order', [1, 2])
@pytest.mark.parametrize('source', [*ONE, *NAMED.values()])
def test_a_formula_of_single_numbers_gives_the_number_beside_it(source, order):
    true(taped(source, SCALAR, order=order))


@pytest.mark.parametrize('order', [1, pytest.param(2, marks=pytest.mark.slow)])
@pytest.mark.parametrize('source', [*ONE[:20], *SEVERAL])
def test_a_formula_of_several_numbers_gives_the_numbers_beside_it(source, order):
    for given in (VECTOR, MATRIX, MANY):
        true(taped(source, given, order=order))


@pytest.mark.parametrize('order', [1, pytest.param(2, marks=pytest.mark.slow)])
@pytest.mark.parametrize('source, x, y', TWO)
def test_a_formula_of_two_tensors_gives_the_numbers_beside_it(source, x, y, order):
    true(taped(source, x, y, order=order))


def takeover(parameters, body, given, came='dout'):
    """The tape of a Cell whose bprop takes over a construct, and is wrong."""
    floats = tuple(k for k, t in enumerate(given) if hasattr(t, 'asnumpy'))
    returned = ', '.join('None' if k not in floats else f'{came}.sum() * 7' for k in range(len(given)))
    arguments = parameters if '*' not in parameters else '*everything'
    came_in = f'out_, {came}' if '*' not in parameters else ''
    source = (
        f'class Own(nn.Cell):\n    def construct(self, {parameters}):\n        {body}\n'
        f'    def bprop(self, {arguments}{", " * bool(came_in)}{came_in}):\n'
        + (f'        {came} = everything[-1]\n' if not came_in else '')
        + f'        return {returned},\n'
        f'with ms.Tape() as tape:\n    ms.grad(Own(), {floats})('
        f'{", ".join(made_of(t) if hasattr(t, "asnumpy") else repr(t) for t in given)})\n'
    )
    return gallery.tape_of(source, f'{parameters} {body} {len(str(given))} {came}')


@pytest.mark.parametrize('parameters, body, given', HIDDEN)
def test_the_true_formula_of_a_takeover_gives_the_true_gradient(parameters, body, given):
    true(takeover(parameters, body, given, 'ddout' if 'dout' in parameters else 'dout'))


def true_formulas(*program):
    """The true formulas of its one takeover."""
    record = Picture(takeover(*program)).record
    entry = next(e for e in record.entries if e.kind == 'call')
    return [phrases.true_formula(record, entry, k) for k in range(len(entry.inputs))]


def test_the_hidden_op_says_which_of_its_inputs_the_cell_was_given():
    assert true_formulas('x', 'return 1 - x', [SCALAR]) == ['−dout']
    assert true_formulas('x', 'return 3 * x', [MATRIX]) == ['dout × 3']
    assert true_formulas('x, dout', 'return x * dout', [SCALAR, SCALAR], 'ddout') == ['ddout × dout', 'ddout × x']
    assert true_formulas('x, y', 'x, y = y, x\n        return x / y', [SCALAR, SCALAR])[1] == 'dout / x'


def test_a_single_number_in_a_matrix_is_not_turned():
    picture = Picture(taped('x @ y', ALONE, ALONE))
    entry, reading = picture.record.entries[0], picture.record.readings[0]
    found = formula.formulas(picture.record, entry, dout=reading.douts[0])
    assert [one.counted for one in found] == ['1 × 0.30', '0.30 × 1']
    assert not [said for said in shown(picture) if '0.3.T' in said]


def squares(picture, monkeypatch):
    """The keys of single numbers that are drawn without digits."""
    found, place = [], tiles.Tile.place

    def watched(self, to, *box):
        if self.there and phrases.single(self.value) and self.how.kind != 'numbers':
            found.append(self.key)
        place(self, to, *box)

    monkeypatch.setattr(tiles.Tile, 'place', watched)
    assert picture.painted()
    return found


@pytest.mark.parametrize('name', gallery.ALL)
def test_a_single_number_of_the_gallery_is_written(name, monkeypatch):
    assert squares(gallery.picture(name), monkeypatch) == []


@pytest.mark.parametrize('order', [2, pytest.param(3, marks=pytest.mark.slow)])
@pytest.mark.parametrize('source', ONE[len(UNARY) :])
def test_a_single_number_is_written_at_a_high_order_and_nothing_lies_on_it(source, order, monkeypatch):
    picture = Picture(taped(source, SCALAR, order=order))
    assert squares(picture, monkeypatch) == []
    for film in picture.painted():
        for frame in film.frames:
            assert geometry.faults(frame, film.width, film.height) == []


def test_two_douts_of_one_entry_have_two_names():
    picture = true(taped('ops.tanh(x) * x', SCALAR, order=2))
    said = set(shown(picture))
    assert 'dout × dout' not in said and 'dout′ × dout' in ' '.join(said)
    assert 'dout′' in gallery.texts(picture.painted(only=0)[0].frames[-1])


def test_what_comes_into_a_bprop_has_the_name_that_the_bprop_has_for_it():
    tape = takeover('x, dout', 'return x * dout', [SCALAR, SCALAR], 'came')
    texts = gallery.texts(Picture(tape).painted(only=0)[0].frames[-1])
    assert 'came' in texts and 'came × dout' in true_formulas('x, dout', 'return x * dout', [SCALAR, SCALAR], 'came')
