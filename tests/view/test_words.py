"""What is said of gradients in gradients: each step is about its own gradient, whatever else stands on the tape."""

import re

import pytest

import minicell as ms
from minicell import Tensor, nn, ops
from minicell.ink import numbers
from minicell.view import phrases, program, scene, words
from minicell.view.picture import Picture
from tests.messages import tells
from tests.view import gallery, nested

POWER = 'def f(x):\n    return x * x * x * x\n'
NET = """
class Net(nn.Cell):
    def construct(self, x):
        return ops.sin(x)
    def bprop(self, x, out, dout):
        return (ops.cos(x) * dout,)
net = Net()
"""
NEST = """
class Net(nn.Cell):
    def construct(self, x):
        return ops.sin(x)
    def bprop(self, x, out, dout):
        bent = ms.grad(ms.grad(ops.sin))(x)
        return (bent * dout,)
net = Net()
"""
TAPE = 'with ms.Tape() as tape:\n    x, v = ms.Tensor(2.0), ms.Tensor(0.5)\n'


def seen(program_, *lines):
    """(names, picture, titles and captions) of a program that ends with these lines on a tape."""
    text = program_.strip() + '\n' + TAPE + ''.join(f'    {line}\n' for line in lines)
    space = gallery.space_of(text, text)
    picture = Picture(space['tape'])
    assert picture.record.unknown == ()
    return space, picture, [(s.title, s.caption) for s in picture.films[0].steps]


def starting(said, start):
    """The steps whose title starts so."""
    return [(title, caption) for title, caption in said if title.startswith(start)]


SINGLE, DOUBLE, TRIPLE = 'ms.grad({})', 'ms.grad(ms.grad({}))', 'ms.grad(ms.grad(ms.grad({})))'
MIXED = {
    'first, then third': [('one', SINGLE), ('three', TRIPLE)],
    'third, then second, then first': [('three', TRIPLE), ('two', DOUBLE), ('one', SINGLE)],
    'second twice': [('two', DOUBLE), ('again', DOUBLE)],
    'value_and_grad, then second': [('y, one', 'ms.value_and_grad({})'), ('two', DOUBLE)],
}


@pytest.mark.parametrize(('head', 'name'), [(POWER, 'f'), (NET, 'net')], ids=['rules', 'bprop'])
@pytest.mark.parametrize('mix', MIXED)
def test_each_gradient_on_a_tape_has_its_own_name_and_place(mix, head, name):
    lines = [f'{target} = {how.format(name)}(x)' for target, how in MIXED[mix]]
    space, picture, said = seen(head, *lines)
    for target, how in MIXED[mix]:
        found = starting(said, f'{target} = ') + starting(said, f'Your {target} is ')
        assert bool(found) == (how in (DOUBLE, TRIPLE)), target
        for title, _ in found:
            assert numbers.said(space[target].asnumpy().item()) in title or 'wrong' in title
    nests = [how.count('grad(') for _, how in MIXED[mix] if how in (DOUBLE, TRIPLE)]
    for place, ordinal in enumerate(phrases.ORDINALS[1:3], 2):
        assert len(starting(said, f'The {ordinal} gradient starts')) == nests.count(place)
    plain = [run for run in picture.record.passes if not run.nested]
    assert len(plain) == len(lines) - len(nests)


def test_a_nest_in_a_bprop_is_its_own():
    _, picture, said = seen(NEST, 'slope = ms.grad(net)(x)')
    outer, *inner = picture.record.passes
    assert not outer.nested and outer.inside is None and [run.nested for run in inner] == [True, True]
    assert not starting(said, 'slope') and starting(said, 'bent = ')
    assert starting(said, 'Inside Net.bprop, the second gradient starts')


@pytest.mark.parametrize('seed', range(12))
def test_backward_says_which_tapes_it_reads(seed):
    record = Picture(gallery.tape_of(nested.written(seed)[0], f'road {seed}')).record
    for number, run in enumerate(record.passes):
        if run.started is None or not run.seeds or not phrases.read(record, number):
            continue
        _, caption = words.step_words(record, run.started)
        way = re.search(r'the ((\w+) )?tape from its end(, then the ([\w, ]+))?', caption)
        due = [phrases.nth(level) for level in dict.fromkeys(e.level for e in phrases.read(record, number) if e.label)]
        one_tape = not any(e.level and e.written < run.started for e in record.entries if e.written)
        told = [way[2] or 'first', *re.findall(r'\b(?!and\b)\w+', way[4] or '')]
        assert told == due and (way[2] is not None or one_tape)


WAYS = {
    'penalty': 'def loss(x):\n    dx = ms.grad(f)(x)\n    return f(x) + dx * dx\n',
    'a step, then the loss there': 'def loss(x):\n    return f(x - ms.grad(f)(x) * 0.5)\n',
    'times a number': 'def loss(x):\n    return ms.grad(f)(x) * 3\n',
}


@pytest.mark.parametrize('way', WAYS)
def test_the_way_of_a_gradient_is_the_rules_that_it_went_through(way):
    _, picture, said = seen(POWER + WAYS[way], 'first = ms.grad(ms.grad(f))(x)', 'g = ms.grad(loss)(x)')
    (title, caption), (pure, _) = starting(said, 'g = ')[-1], starting(said, 'first = ')[-1]
    (number,) = (k for k, run in enumerate(picture.record.passes) if run.target == 'g' and run.outermost)
    first, *_, last = reads = phrases.read(picture.record, number)
    tells(caption, str(len(reads)), phrases.rule_of(first), phrases.rule_of(last))
    assert caption.index(phrases.rule_of(first)) < caption.index('first') < caption.index('last')
    assert 'of your gradient' not in title and 'of your gradient' in pure


FORWARD = {
    'jvp': ('y, slope = ms.jvp(f, x, v)', 'slope'),
    'jvp without a name': ('print(ms.jvp(f, x, v)[1])', ''),
    'jacfwd': ('J = ms.jacfwd(f)(x)', 'J v'),
    'jvp of several': ('(p, q), (along, over) = ms.jvp(lambda a, b: (a * b, ops.sin(a)), (x, v), (v, v))', 'along'),
}


@pytest.mark.parametrize('kind', FORWARD)
def test_a_jvp_is_told_as_what_it_is(kind, capsys):
    line, name = FORWARD[kind]
    space, picture, said = seen(POWER, line)
    asked = 'jacfwd' if 'jacfwd' in line else 'jvp'
    assert [run.asked for run in picture.record.passes] == [asked, asked]
    assert not any('gradient of your' in title or title.startswith(' ') for title, _ in said)
    assert not any(' gradient arrives' in title for title, _ in said)
    for ordinal in ('first', 'second'):
        assert len(starting(said, f'The {ordinal} reading of {asked} starts')) == 1
    total = space[name].asnumpy() if name in space else picture.record.passes[1].arrivals[0].total.data
    tells(said[-1][0], f'{name or "J v"} = {numbers.said(total.item())}')


def test_the_gradient_of_a_jvp_counts_it_once():
    _, picture, said = seen(POWER, 'b = ms.grad(lambda t: ms.jvp(f, t, v)[1])(x)')
    assert max(run.inner for run in picture.record.passes) == 1 and starting(said, 'The second gradient starts')
    tells(starting(said, 'b = ')[0][0], 'your jvp')


def test_a_vjp_that_is_pulled_for_each_row_has_no_row_for_its_name():
    _, picture, said = seen(POWER, 'J = ms.jacrev(lambda t: ops.stack([f(t), t * 2]))(x)', 'y, pull = ms.vjp(f, x)')
    assert not starting(said, 'J = ') and all(run.target == '' for run in picture.record.passes if run.started)


LEAF = 'ms.grad(lambda t: ops.exp(t) * t)'
TAKEN = {
    'bprop': (NET.replace('ops.cos(x) * dout', f'{LEAF}(x) * dout'), 'net', 'Net.bprop'),
    'hook': (f'def net(x):\n    y = x * 3\n    y.register_hook(lambda g: {LEAF}(g))\n    return y * y\n',
             'net', 'your hook on y'),
}  # fmt: skip


@pytest.mark.parametrize('kind', TAKEN)
@pytest.mark.parametrize('order', [1, 2])
def test_what_a_gradient_in_a_takeover_records_is_its_own(kind, order):
    head, name, code = TAKEN[kind]
    _, picture, said = seen(head, f'g = {"ms.grad(" * order}{name}{")" * order}(x)')
    assert starting(said, f'Inside {code}, a gradient starts')
    record = picture.record
    followed = [s.caption for s, step in zip(picture.films[0].steps, record.steps, strict=False) if step.kind == 'write'
                and record.entries[step.entry].level and 'another gradient' in s.caption]  # fmt: skip
    assert bool(followed) == (order == 2)
    assert order == 2 or not any('lifts off' in title for title, _ in said)


SAME = {
    'tensor': 'y = x * 3\n    y.register_hook(lambda g: g * 1)',
    'op': 'y = ops.InsertGradientOf(lambda g: g + 0)(x * 3)',
    'Cell': 'net = nn.ReLU()\n    net.register_backward_hook(lambda c, gi, go: (gi[0] / 1,))\n    y = net(x)',
}


@pytest.mark.parametrize('kind', SAME)
def test_a_hook_that_returns_the_same_numbers_changes_nothing(kind):
    said = seen(f'def net(x):\n    {SAME[kind]}\n    return y * y\n', 'g = ms.grad(net)(x)')[2]
    hooks = starting(said, 'Your hook on')
    assert len(hooks) == 1 and 'changes nothing' in hooks[0][0] and 'None' not in hooks[0][1]


def test_two_hooks_on_a_cell_have_names_of_their_own_and_gates_are_said_to_be_gates():
    head = """
both, before = nn.ReLU(), nn.Tanh()
both.register_backward_hook(lambda c, gi, go: (gi[0] * 2,))
both.register_backward_pre_hook(lambda c, go: (go[0] * 3,))
before.register_backward_pre_hook(lambda c, go: (go[0] * 3,))
"""
    said = seen(head, 'g = ms.grad(lambda t: before(both(t)))(x)')[2]
    changes = [t.split(' changes')[0].removeprefix('Your ') for t, _ in said if ' changes' in t]
    assert changes == ['pre-hook on Tanh', 'pre-hook on ReLU', 'hook on ReLU']
    assert not any('entrance' in title or 'registered' in title for title, _ in said)
    assert any('start of a Cell with a hook' in title for title, _ in starting(said, 'Entry'))


@pytest.mark.parametrize('body', ['t + 1', '5 * t', 'ops.sign(t) * 2 + t'])
def test_a_second_gradient_of_what_does_not_bend_says_that_nothing_leads_there(body):
    said = seen('', f'h = ms.grad(ms.grad(lambda t: {body}))(x)')[2]
    title, caption = starting(said, 'h = 0')[0]
    tells(caption, 'leads', 't')
    assert 'your lines' not in title + caption


def test_a_lane_is_called_after_the_tapes_that_are_seen():
    tape = gallery.tape_of(f'{POWER}{TAPE}    {"ms.grad(" * 3}f{")))"}(x)\n', 'lanes')
    record = Picture(tape).record
    (film,) = scene.films(record, most=10**6, only=0, asked=False)
    assert all(any(f'{tag}which' in frame for frame in film.frames) for tag in 'abc')
    for frame in film.frames:
        for tag, ordinal in zip('abc', phrases.ORDINALS, strict=False):
            assert f'{tag}which' not in frame or ordinal in frame[f'{tag}which'].attrs['T']
        blocks = ((re.fullmatch(r'B(\d+)\.0', key), shape.attrs.get('T', '')) for key, shape in frame.items())
        for level, label in ((record.entries[int(found[1])].level, label) for found, label in blocks if found):
            assert label.count('′') + 2 * label.count('″') == level


@pytest.mark.parametrize('room', range(1, 6))
def test_the_line_that_runs_is_always_shown(room):
    rows = [program.Row(n, f'line {n}', file='cell') for n in range(1, 8)]
    for row in rows:
        shown = program.window([[row] for row in rows], room, program.Mark('cell', row.number, row.number))
        assert len(shown) <= max(room, 3) and row in shown


class Sines(nn.Cell):
    def construct(self, x):
        return ops.sin(x) * 3


@pytest.mark.parametrize('loss', [nn.MSELoss(), Sines()], ids=['of a layer', 'of a Cell'])
def test_a_card_for_a_whole_cell_has_no_formula_of_one_of_its_ops(loss):
    x = Tensor([1.0, 2.0])
    with ms.Tape() as tape:
        ms.grad(lambda a: (loss(a * 2, x) if isinstance(loss, nn.MSELoss) else loss(a)).sum())(x)
    film = Picture(tape, zoom='cells').films[0]
    assert not any(
        '×' in text for frame in film.frames for text in gallery.texts(frame) if 'cos' in text or 'd(' in text
    )


@pytest.mark.parametrize(
    ('call', 'names'),
    [
        ('val, gs = ms.value_and_grad(lambda a, b: ms.grad(s)(a, b), (0, 1))(x, y)', {}),
        ('gs, aux = ms.grad(lambda a, b: (ms.grad(s)(a, b), a), (0, 1), has_aux=True)(x, y)', {}),
        ('take = ms.value_and_grad(ms.grad(s), (0, 1)); val, gs = take(x, y)', {}),
        ('ga, gb = ms.grad(ms.grad(s), (0, 1))(x, y)', {'da′': 'ga', 'db′': 'gb'}),
        ('bend = ms.grad(ms.grad(s))(x, y)', {'da′': 'bend'}),
    ],
    ids=['value_and_grad', 'aux', 'a call that hides it', 'two', 'one'],
)  # fmt: skip
def test_a_result_has_the_users_name_where_one_sees_what_the_call_returns(call, names):
    source = 'def s(a, b):\n    return ops.sin(a) * b * b\nx, y = ms.Tensor(2.0), ms.Tensor(3.0)\n'
    source += f'with ms.Tape() as tape:\n    {call}\n'
    picture = Picture(gallery.tape_of(source, f'named {call}'))
    outer = next(run for run in picture.record.passes if run.outermost)
    assert outer.names == names
    parts = [title for title in (s.title for s in picture.films[0].steps) if 'rule gives' in title]
    assert parts and not any(name in title for title in parts for name in names.values())


def test_a_tensor_that_somebody_else_asks_for_is_no_constant():
    with ms.Tape() as tape:
        ms.grad(lambda a, b: ms.grad(lambda p, q: p * p * q)(a, b), (0, 1))(Tensor(2.0), Tensor(3.0))
    said = ' '.join(s.caption for s in Picture(tape).films[0].steps)
    assert 'nobody asks' in said and 'q gets no gradient: a constant' not in said


def test_several_ops_in_a_cell_that_is_called_forward_only_are_not_taped():
    class Two(nn.Cell):
        def construct(self, a):
            return ops.sin(a) * 2

        def bprop(self, a, out, dout):
            return (ops.cos(a) * 2 * dout,)

    with ms.Tape() as tape:
        Two()(Tensor(2.0))
    steps = [(s.title, s.caption) for s in Picture(tape).films[0].steps]
    assert not any('one entry' in caption for _, caption in steps)
    assert any(title.startswith('2 operations') and 'nothing is taped' in caption for title, caption in steps)
