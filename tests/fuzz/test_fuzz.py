"""Anything at all, where a learner or a file can bring it: what a bprop returns, names on a tape, kept progress."""

import json
import warnings
import xml.etree.ElementTree as ET

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import minicell as ms
from minicell import view
from minicell.core.errors import MinicellError
from minicell.errors import MinicellWarning
from minicell.teach import progress
from tests.fuzz.depth import DEPTHS, examples
from tests.view import hostile

SHAPES = arrays.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3)
FLOATS = st.sampled_from([np.float16, np.float32, np.float64])
DTYPES = FLOATS | st.sampled_from([np.int8, np.int64, np.uint8, np.bool_])
TENSORS = arrays.arrays(DTYPES, SHAPES).map(ms.Tensor)
PLAIN = st.none() | st.booleans() | st.integers() | st.floats() | st.complex_numbers() | st.text() | st.binary()
ODD = st.sampled_from([object(), len, ms, Exception('x'), ms.float32, ms.nn.ReLU(), NotImplemented, ...])
LEAVES = TENSORS | PLAIN | ODD | arrays.arrays(DTYPES, SHAPES)


def nested(inner):
    return st.lists(inner, max_size=3) | st.lists(inner, max_size=3).map(tuple) | st.dictionaries(st.text(), inner)


ANYTHING = st.recursive(LEAVES, nested, max_leaves=5)
# nearly right is where mistakes live: two gradients, some of the right shape
PAIRS = st.tuples(LEAVES, LEAVES)


def gradients(data, shape):
    """Two gradients of the right shape, or one of them and anything."""
    right = arrays.arrays(DTYPES, st.just(shape)).map(ms.Tensor)
    return data.draw(st.tuples(right, right) | st.tuples(right, LEAVES) | PAIRS | ANYTHING)


@DEPTHS
def test_a_bprop_may_return_anything(many):
    examples(many)(given(st.data(), SHAPES, FLOATS, st.booleans())(it_is_a_gradient_or_an_error))()


def it_is_a_gradient_or_an_error(data, shape, dtype, looked_at):
    """A gradient has the inputs' shape and dtype, an error is ours and names the Cell; the engine goes on."""
    returned = gradients(data, shape)

    class Odd(ms.nn.Cell):
        def construct(self, x, y):
            return x * y

        def bprop(self, x, y, out, dout):
            return returned

    inputs = ms.Tensor(np.ones(shape, dtype)), ms.Tensor(np.full(shape, 2, dtype))
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', MinicellWarning)
        tape = ms.Tape()
        try:
            if looked_at:
                with tape:
                    found = ms.grad(Odd(), (0, 1))(*inputs)
            else:
                found = ms.grad(Odd(), (0, 1))(*inputs)
        except MinicellError as error:
            assert 'Odd.bprop' in str(error), error
        else:
            assert [(each.shape, each.dtype) for each in found] == [(each.shape, each.dtype) for each in inputs]
        if looked_at:
            picture = view.show(tape)
            assert all(picture.alt(k) for k in range(len(picture.films[0].steps)))
    assert float(ms.grad(lambda x: x * x)(ms.Tensor(3.0))) == 6


UNSAFE = st.sampled_from(
    ['<', '>', '&', '"', "'", ']]>', '<script>', '\x00', '\ud800', '\ufffe', '\u202e', '\r\n', '{0}']
)
NAMES = st.lists(st.text(max_size=12) | UNSAFE, max_size=8).map(''.join)


@DEPTHS
def test_a_name_may_be_anything(many):
    examples(many / 10)(given(NAMES, st.integers(0, 2))(it_is_text_and_no_markup))()


def it_is_text_and_no_markup(name, which):
    """The picture is valid XML, and nothing in it but what the view draws: a name is text, never markup."""
    tape = hostile.tapes(name)[which]
    picture = view.show(tape)
    for k in range(len(picture.films[0].steps)):
        root = ET.fromstring(picture.still(k).encode('utf-8'))
        assert {each.tag.rpartition('}')[2] for each in root.iter()} <= DRAWN
        assert not [name for each in root.iter() for name in each.attrib if name.startswith('on')]
        json.dumps(picture.alt(k)).encode('utf-8')


DRAWN = {'svg', 'title', 'desc', 'g', 'path', 'rect', 'text', 'tspan', 'circle', 'line', 'defs', 'clipPath', 'use'}

QUESTIONS = 'takeover', '3a', 'recall 1'


def nest(how: tuple[str, int]) -> bytes:
    """A lesson's place, with so many lists or dicts in each other."""
    opening, deep = how
    closing = {'[': ']', '{"a":': '}'}[opening]
    return ('{"01": ' + opening * deep + '1' + closing * deep + '}').encode()


WORDS = st.sampled_from([*QUESTIONS, *progress.RESULTS, '03', '01', '__proto__', '\ud800']) | st.text(max_size=8)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | WORDS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS, inner, max_size=4),
    max_leaves=12,
)
LIKELY = st.dictionaries(WORDS, st.dictionaries(WORDS, WORDS, max_size=4) | JSON, max_size=4)
DEEP = st.tuples(st.sampled_from(['[', '{"a":']), st.integers(1, 1200)).map(nest)
TEXTS = (JSON | LIKELY).map(json.dumps).map(str.encode) | DEEP


@st.composite
def files(draw) -> bytes:
    """What may stand in the file: anything, JSON, or JSON that was cut or changed at a place."""
    found = draw(st.binary(max_size=60) | TEXTS)
    at = draw(st.integers(0, len(found)))
    return draw(st.sampled_from([found, found[:at], found[:at] + draw(st.binary(max_size=3)) + found[at:]]))


STATES = st.dictionaries(st.sampled_from(QUESTIONS), st.sampled_from([*progress.RESULTS, 'open']))


@DEPTHS
def test_kept_progress_may_be_anything(many, tmp_path, monkeypatch):
    monkeypatch.setenv('JUPYTER_DATA_DIR', str(tmp_path))
    monkeypatch.delenv(progress.SWITCH, raising=False)
    examples(many)(given(files(), STATES)(it_is_believed_where_it_is_known))()


def it_is_believed_where_it_is_known(content, states):
    """Only known words are believed; what is kept then is kept, and what other lessons kept stays."""
    file = progress.place()
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)
    kept = progress.Kept('03', QUESTIONS)
    assert set(kept.states) <= set(QUESTIONS) and set(kept.states.values()) <= set(progress.RESULTS)
    before, due = others(), dict(kept.states)
    for name, state in states.items():
        kept.tell(name, state=state)
        if state in progress.RESULTS and due.get(name) != 'passed':  # what is passed stays passed
            due[name] = state
    assert progress.Kept('03', QUESTIONS).states == kept.states == due
    assert others() == before
    assert [each.name for each in file.parent.iterdir()] == [file.name]


def others() -> dict[str, str]:
    """What is kept of other lessons, as text: NaN is not equal to itself."""
    return {lesson: repr(progress.Kept(lesson, QUESTIONS).told) for lesson in ('00', '01', '15')}
