"""What each step says and shows: titles, captions, exact numbers, the order of things, jumps, zooms."""

import numpy as np
import pytest

import minicell as ms
from minicell import nn, ops
from minicell.ink import numbers
from minicell.view import scene, words
from minicell.view.picture import Picture
from tests.messages import tells
from tests.view import gallery
from tests.view.gallery import at, kinds, made, picture, shown, titles

X = np.array([[0.5, 0.6, 0.4], [1.2, 1.3, 1.1]])
Y = np.array([[0.01, 0.3, 1.1], [0.1, 0.2, 1.3], [2.1, 1.2, 3.3]])
SLOW = [pytest.param(name, marks=pytest.mark.slow) for name in ('ifnode', 'ifnode12')]
TRUE = np.ones((2, 3)) @ Y.T, X.T @ np.ones((2, 3))


def steps(shown_picture):
    """Titles and captions."""
    return [(s.title, s.caption) for s in shown_picture.films[0].steps]


def caption(shown_picture, start):
    """The caption of the first step whose title starts so."""
    return steps(shown_picture)[at(shown_picture, start)][1]


def jumps(shown_picture):
    """The buttons of a picture and the titles of where they lead."""
    return {s.jump: s.title for s in shown_picture.films[0].steps if s.jump}


def test_a_takeover_is_told_in_order():
    assert kinds(picture('matmul')) == [
        'enter', 'enter', 'hidden', 'write', 'start', 'reach', 'inside', 'inside', 'give', 'arrive',
    ]  # fmt: skip
    said = titles(picture('matmul'))
    assert len(said) == len(kinds(picture('matmul'))), 'the comparison is the end: what arrives was just handed out'
    order = [at(picture('matmul'), words) for words in (
        'Net is called', 'Inside Net, self.matmul(x, y) runs, and is not taped', 'Net writes one entry',
        'Backward starts', 'Takeover: backward turns off its road, into your own lines', 'Your line 11 makes dx',
        'Your line 12 makes dy', 'Your bprop returns dx and dy', 'Your dx and dy are wrong',
    )]  # fmt: skip
    assert order == sorted(order)
    tells(caption(picture('matmul'), 'Takeover'), 'own bprop', 'MatMul’s rule', 'never called', 'Net.bprop')


def test_an_arrival_is_a_step_where_it_says_more_than_the_takeover():
    class Net(nn.Cell):
        def construct(self, x):
            return x * x

        def bprop(self, x, out, dout):
            return (dout * x,)

    net, x = Net(), ms.Tensor([1.0, 2.0])
    ends = []
    for loss in (lambda x: net(x).sum(), lambda x: (net(x) + x).sum(), lambda x: net(3 * x).sum()):
        with ms.Tape() as tape:
            ms.grad(loss)(x)
        ends.append(titles(Picture(tape))[-3:])
        tells(ends[-1][-1], 'dx', 'wrong')
    assert [end[-2] == 'dx arrives' for end in ends] == [False, True, True]
    assert ends[0][-2].startswith('Your bprop returns')


def test_each_step_marks_the_line_it_is_about():
    film, record = picture('matmul').films[0], picture('matmul').record
    for said, step in zip(film.steps, record.steps, strict=False):
        assert f'line {step.mark.line}' in said.go
    for line, start in ((11, 'Your line 11'), (12, 'Your line 12')):
        assert f'line {line}' in film.steps[at(picture('matmul'), start)].go


@pytest.mark.parametrize('added', [1, 3])
def test_the_numbers_of_the_verdict_are_computed(added):
    source = gallery.PROGRAMS['matmul'].replace('dx = x + 1', f'dx = x + {added}')
    last = shown(made(source, f'matmul {added}'))
    assert any('uses dout' in text for text in last)
    for g, yours, true in (('dx', X + added, TRUE[0]), ('dy', Y + 1, TRUE[1])):
        off = np.abs(yours - true)
        assert f'✗ off by up to {numbers.said(off.max())}' in last and f'your {g}' in last
        found = [text for text in last[last.index(f'true {g}') :] if text.lstrip('−')[:1].isdigit()]
        assert found[: 2 * yours.size] == [*map(numbers.said, (*yours.ravel(), *true.ravel()))], 'side by side'
    assert {'dout @ y.T', 'x.T @ dout'} <= set(last), 'how it would have been made'
    handed = shown(picture('matmul'), at(picture('matmul'), 'Your bprop returns'))
    assert {'x + 1', 'y + 1'} <= set(handed), 'how it was made stands under it'


def test_a_right_bprop_is_said_to_be_right():
    tells(titles(picture('right'))[-1], 'dx and dy', 'right')
    last = shown(picture('right'))
    assert last.count('✓ right') == 2 and not any('✗' in text for text in last)
    assert {'your dx', 'your dy'} <= set(last) and 'true dx' not in last


def test_without_comparing_nobody_is_told():
    alone = picture('matmul', 'ops', False)
    said = ' '.join(' '.join((*pair, *shown(alone, n))) for n, pair in enumerate(steps(alone)))
    for spoiler in ('should be', 'true dx', 'off by', '✓', '✗', 'wrong', 'a second time'):
        assert spoiler not in said
    assert 'Compare' not in jumps(alone) and 'your dx x + 1' in said
    assert titles(alone)[:-1] == titles(picture('matmul'))[:-1]
    tells(titles(alone)[-1], 'dx and dy', 'arrive')


def test_a_step_function_gets_no_blame_for_its_surrogate():
    tells(titles(picture('ifnode'))[-1], 'Your grad_x', 'a surrogate')
    last = shown(picture('ifnode'))
    assert {'a surrogate', 'your grad_x', 'true grad_x'} <= set(last)
    under = [a['T'] for tag, a, _ in picture('ifnode').films[0].line['shapes'] if tag == 'text']
    assert 'surrogate' in under and not any('✗' in text or '✓' in text for text in (*last, *under))


def test_what_was_not_there_is_not_yet_shown():
    product = numbers.said((X @ Y)[0, 0])
    found = [product in shown(picture('matmul'), n) for n in range(len(steps(picture('matmul'))))]
    assert not found[0] and found[-1] and found == sorted(found)
    before = at(picture('matmul'), 'Your line 11')
    assert not any(text == numbers.said(X[0, 0] + 1) for text in shown(picture('matmul'), before - 1))


def test_fan_out_is_added_up():
    tells(caption(picture('fanout'), 'a was used'), '1 + 3 = 4')
    tells(caption(picture('fanout'), 'da and db'), 'da = 4', 'db = 2')
    assert {'4', '2'} <= set(shown(picture('fanout')))
    five = caption(picture('add_thrice'), 'x was used 3 times')
    *parts, total = (float(n) for n in five.strip('.').replace('=', '+').split(' + '))
    assert sum(parts) == total == 2 + 3 + 1


def test_a_sum_is_shown_only_when_it_is_made():
    source = 'def f(a):\n    return a + a\nwith ms.Tape() as tape:\n    ms.grad(f)(ms.Tensor(3.0))\n'
    double = made(source, 'double')
    before, after = (shown(double, at(double, title)) for title in ('Add’s rule gives', 'a was used'))
    assert before.count('2') < after.count('2')


def test_a_rule_is_a_formula_with_its_numbers():
    step = at(picture('fanout'), 'Mul’s rule gives da and db')
    text = ' '.join(shown(picture('fanout'), step))
    assert 'dout × b' in text and '1 × 3' in text and '= 3' in text


def test_outputs_of_one_cell():
    said = steps(picture('structures'))
    assert any(title.startswith('Split writes one') for title, _ in said)
    tells(titles(picture('structures'))[-1], 'd(pair[1])', 'are right')  # of scale, it returned None
    # low, and high, as they are
    low, high = np.full(2, 3.0), 2 * np.array([0.5, -1.0])
    text = ' '.join(c for t, c in said if t.startswith('Your line'))
    assert all(f'is [{", ".join(map(numbers.said, half.tolist()))}]' in text for half in (low, high))


SEVERAL = """
class Net(nn.Cell):
    def construct(self, x):
        return x * 2
    def bprop(self, x, out, dout):
        d = x * 2
        return ({call},)

def on_the_tape(x):
    d = x * 2
    return {call}

x, net = ms.Tensor([2.5, -0.25]), Net()
with ms.Tape() as tape:
    ms.grad(lambda x: net(x).sum() + on_the_tape(x).sum())(x)
"""


@pytest.mark.parametrize('call', ['ops.clamp(d, -1.0, 1.0)', 'ops.clip_by_value(d, -1.0, 1.0)', 'ops.hardtanh(d)',
                                  'ops.threshold(d, -1.0, 0.5)', 'ops.addn((d, d, -d * 3))'])  # fmt: skip
def test_what_a_call_of_several_ops_gives_is_what_its_last_one_made(call):
    """In a line of a bprop, and on the tape."""
    due = eval(call, {'ops': ops, 'd': ms.Tensor([5.0, -0.5])}).tolist()
    said = [caption for title, caption in steps(made(SEVERAL.format(call=call), call)) if f'runs {call}' in title]
    said += [caption for _, caption in steps(made(SEVERAL.format(call=call), call)) if caption.startswith(call)]
    assert len(said) == 2 and all(f'[{", ".join(map(numbers.said, due))}]' in caption for caption in said), said


def test_the_name_of_a_tuple_is_no_name_for_what_was_made_on_the_way_to_it():
    drop = ops.Dropout2D(0.8)

    def loss(x):
        y, _ = drop(x)
        return y.sum()

    with ms.Tape() as tape:
        ms.grad(loss)(ms.Tensor(np.ones((1, 4, 1, 2))))
    drawn, dropout = (e for e in Picture(tape).record.entries if e.name in ('DropoutMask', 'Dropout'))
    assert [v.name for v in (*drawn.outputs, *dropout.outputs)] == ['', '']
    assert [v.name for v in dropout.inputs] == ['x', 'DropoutMask']


def test_an_output_that_is_a_mask_gets_no_dout():
    class Positive(nn.Cell):
        def construct(self, x):
            return x > 0, ops.relu(x)

        def bprop(self, x, out, dout):
            return (out[0].astype(x.dtype) * dout[1],)

    with ms.Tape() as tape:
        ms.grad(lambda x: Positive()(x)[1].sum())(ms.Tensor([-1.0, 2.0]))
    (reading,) = (each for each in Picture(tape).record.readings if each.entry == 0)
    assert [dout.name for dout in reading.douts] == ['dout[1]']


@pytest.mark.parametrize(
    ('name', 'due'),
    [
        ('unused', ('db is zero', 'nothing', 'leads')),
        ('swallowed', ('dgain is zero', 'cut at 1 Gain', 'internal_params')),
        ('none', ('dscale is zero', '1 Net.bprop', 'None')),
    ],
)
def test_a_missing_gradient_says_why(name, due):
    tells(' '.join(c for t, c in steps(picture(name)) if 'arrive' in t), *due)


def test_what_does_not_depend_on_what_is_asked_for_says_so():
    source = 'w, c = ms.Tensor(2.0), ms.Tensor(0.5)\ndef f(w):\n    k = ops.exp(c)\n    return w * k * ops.sin(c)\n'
    found = gallery.made(f'{source}with ms.Tape() as tape:\n    ms.grad(f)(w)', 'grey')
    for title in ('Exp is not taped', 'Sin is not taped', 'Mul’s rule gives d(w * k)', 'Mul’s rule gives dw'):
        tells(caption(found, title), 'entry leads to')


def test_what_is_not_taped_says_why():
    tells(caption(picture('stopped'), 'StopGradient is not'), 'stop_gradient', 'on purpose')
    for said in (*(c for _, c in steps(picture('forward_only'))), caption(picture('no_gradient'), 'Net is not')):
        tells(said, 'No gradient')


def test_a_parameter_in_internal_params_arrives():
    arrived = caption(picture('params', 'ops', False), 'dx and dweight arrive')
    x = np.array([0.5, 3.0])
    assert f'dweight = [{numbers.said(x.min())}, {numbers.said(x.max())}]' in arrived


def test_an_infinity_is_named():
    step = scene.first_nan(picture('not_finite').record, True)
    assert 'NaN' in ' '.join(steps(picture('not_finite'))[step])
    assert Picture(gallery.run('not_finite'), step='nan').opens == step == 0
    assert scene.first_nan(picture('fanout').record, True) is None


def test_a_write_into_memory_is_a_step():
    wrote = [t for t, _ in steps(picture('step')) if t.endswith('writes into memory')]
    assert len(wrote) == 2
    tells(caption(picture('step'), wrote[0]), 'no entry', 'no gradient')


@pytest.mark.parametrize('name', ['wrong_shape', 'bad_op', 'raises', 'broken_construct'])
def test_an_error_is_told_where_it_happened_after_what_came_before(name):
    kind = type(gallery.run(name).error).__name__
    title, said = steps(picture(name))[-1]
    assert title.startswith('An error in ') and said.startswith(f'{kind}: ')
    assert f'✗ {kind}' in shown(picture(name)) and jumps(picture(name))['Error'] == title
    assert len(steps(picture(name))) > 1 and picture(name).opens == len(steps(picture(name))) - 1


def test_an_error_that_was_caught_is_a_step_like_others():
    said = titles(picture('caught'))
    (torn,) = (n for n, title in enumerate(said) if 'error in Net.bprop' in title)
    assert torn < len(said) - 1 == said.index('dx arrives')


def test_an_empty_tape_says_so():
    assert steps(picture('empty')) == [words.EMPTY]
    assert Picture(ms.Tape()).films[0].steps[0].title == words.EMPTY[0]


HVP = """
def energy(x):
    return (x * x * x).sum()

def product(x, v):
    return (ms.grad(energy)(x) * v).sum()

with ms.Tape() as tape:
    hv = ms.grad(product)(ms.Tensor([1.0, 2.0]), ms.Tensor([0.5, -1.0]))
"""


def test_a_line_of_the_bprop_lifts_off_onto_the_second_tape():
    lifted = at(picture('relu6'), 'Your line 19 lifts off, onto the second tape')
    assert 'Entry 1′' in steps(picture('relu6'))[lifted][1]
    assert jumps(picture('relu6'))['Second tape'] == titles(picture('relu6'))[lifted]
    record = picture('relu6').record
    entry = next(e for e in record.entries if e.label == '1′')
    assert entry.level == 1
    assert (record.entries[record.readings[entry.by].entry].name, entry.mark.line) == ('Net', 19)
    last = shown(picture('relu6'))
    assert {'first tape', 'second tape', '1′ ReLU', 'line 19 of the bprop'} <= set(last)
    assert 'line 19 of the bprop' not in shown(picture('relu6'), lifted - 1)


@pytest.mark.parametrize(('name', 'due'), [('cube', 6 * 2.0), ('custom_cube', 6 * 2.0)])
def test_the_second_gradient_arrives_under_the_users_name(name, due):
    title, _ = steps(picture(name))[-1]
    assert numbers.said(due) in title or numbers.said(due) in steps(picture(name))[-1][1]
    assert numbers.said(due) in shown(picture(name))


def test_names_follow_the_op_where_python_swaps_operands():
    first = next(e for e in picture('custom_cube').record.entries if e.label == '1′')
    assert {v.name: float(v.data) for v in first.inputs} == {'x': 2.0, '3': 3.0}


def test_a_hessian_vector_product():
    hvp = made(HVP, 'hvp')
    due = 6 * np.array([1.0, 2.0]) * np.array([0.5, -1.0])
    last = ' '.join(steps(hvp)[-1])
    assert f'= [{", ".join(map(numbers.said, due.tolist()))}]' in last


def test_a_third_gradient_ends_with_its_number():
    assert 'dx″ = 6' in ' '.join(steps(picture('third'))[-1])
    assert picture('third').record.depth == 2


def test_inside_has_a_step_for_each_hidden_op():
    for name in ('dropout', 'hidden_ops'):
        hidden = [kinds(picture(name, zoom)).count('hidden') for zoom in ('inside', 'ops')]
        assert hidden == [len(picture(name).record.entries[0].hidden), 1]


def test_cells_are_one_card_each():
    cards = [e for e in picture('ifnode', 'cells').record.entries if e.kind != 'within']
    assert [e.name for e in cards] == ['Mul', *['IFNode', 'Add'] * 3, 'ReduceSum']
    cell = cards[1]
    assert cell.inside == ('Add', 'Sub', 'relusigmoid', 'Mul', 'Sub')
    assert [v.name for v in cell.inputs] == ['x', 'v'] and [v.name for v in cell.outputs] == ['spike', 'v']


def test_what_the_entries_of_a_card_hand_out_is_there_when_the_card_has_been_read():
    """All of it: what they add up themselves, too."""
    net = 'class Net(nn.Cell):\n    def construct(self, a, b):\n        return a * b + a\n\nnet = Net()\n'
    tape = (
        'with ms.Tape() as tape:\n    ms.grad(lambda a, b: net(a, b).sum(), (0, 1))(ms.Tensor([2.0]), ms.Tensor([7.0]))'
    )
    card = made(net + tape, 'a card that adds up', zoom='cells')
    before, after = (shown(card, at(card, title)) for title in ('Backward enters Net', 'Net has been read'))
    assert {'8', '2'}.isdisjoint(before[before.index('da') :]) and {'8', '2'} <= set(after[after.index('da') :])


@pytest.mark.parametrize('name', ['matmul', 'nested_custom', 'fanout', *SLOW])
def test_the_numbers_at_the_end_are_the_same_at_each_zoom(name):
    pictures = [picture(name, zoom, False) for zoom in gallery.ZOOMS]
    first, *others = [each.record.passes[0].arrivals[0].total.data for each in pictures]
    assert all(np.array_equal(other, first) for other in others)
    assert len({next(t for t in titles(each)[::-1] if 'arrive' in t) for each in pictures}) == 1


def test_a_takeover_inside_a_takeover():
    record = picture('nested_custom', 'inside').record
    assert [v.verdict for r in record.readings for v in r.verdicts] == ['right'] * 2
    assert [(g.name, g.lost) for g in record.entries[0].ghosts] == [('Exp', False), ('Mul', True)]


@pytest.mark.slow
@pytest.mark.parametrize('name', ['thousand', 'long_cells', 'ifnode12'])
def test_a_long_tape_keeps_its_beginning_its_end_and_what_is_remarkable(name):
    whole, told = len(picture(name).record.steps), steps(picture(name))
    assert len(told) <= 170 and (whole <= len(told) or whole > 160)
    assert kinds(picture(name))[0] in ('write', 'enter')
    assert any(t.startswith('Backward starts') for t, _ in told)
    assert any('arrive' in t for t, _ in told[-2:])


def test_jumps_are_only_those_that_exist():
    assert jumps(picture('fanout')).keys() == {'Result'}
    assert jumps(picture('matmul')).keys() == {'Takeover', 'Compare'}
    assert jumps(picture('relu6')).keys() == {'Takeover', 'Second tape', 'Compare', 'Result'}
    assert jumps(picture('empty')) == jumps(picture('forward_only')) == {}
    for name in ('sgd', 'third', 'nested_custom', 'structures', 'raises'):
        # one button leads from takeover to takeover, and from comparison to comparison
        labels = [s.jump for s in picture(name).films[0].steps if s.jump not in ('', 'Takeover', 'Compare')]
        assert len(labels) == len(set(labels)), name
