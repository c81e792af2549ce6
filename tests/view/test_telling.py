"""What is told of programs that their author did not think of: who computed what, on which tape, by which names."""

import pytest

from minicell.judge import judged as tell
from minicell.view.picture import Picture
from tests.messages import tells
from tests.view import fake, gallery, ran

CUBE = """
class C(nn.Cell):
    def construct(self, x):
        return x * x * x
    def bprop(self, x, out, dout):
        {}
"""
GRAD = """
with ms.Tape() as tape:
    ms.grad(lambda x: C()(x).sum())(ms.Tensor([1.0, 2.0]))
"""


def tape_of(source, name):
    return gallery.tape_of(source.strip() + '\n', f'telling {name}')


def told(source, name):
    record = tell(tape_of(source, name))
    assert record.unknown == ()
    return record


def words(tape, **look):
    return [(s.title, s.caption) for s in Picture(tape, **look).films[0].steps]


def saying(tape, start, word=''):
    """The caption of the first step whose title starts so, and has this word."""
    return next(said for title, said in words(tape) if title.startswith(start) and word in title)


@pytest.mark.parametrize(
    'body',
    [
        'return (ms.vjp(lambda t: t * t * t, x)[1](dout)[0] * 1.5,)',
        'return (ms.grad(lambda t: (t * t * t).sum())(x) * dout * 1.5,)',
        'return (ms.jvp(lambda t: t * t * t, x, dout)[1] * 1.5,)',
        'return (ms.jacrev(lambda t: t * t * t)(x).sum(0) * dout * 1.5,)',
        'return (ms.vjp(lambda t: ms.vjp(lambda s: s * s * s, t)[0], x)[1](dout)[0] * 1.5,)',
    ],
    ids=['vjp', 'grad', 'jvp', 'jacrev', 'vjp in vjp'],
)
def test_a_bprop_that_takes_a_gradient_keeps_its_own_end(body):
    tape = tape_of(CUBE.format(body) + GRAD, f'cube {body}')
    record = tell(tape)
    reading = next(r for r in record.readings if record.entries[r.entry].name == 'C')
    assert reading.given is not None and [v.verdict for v in reading.verdicts] == ['wrong']
    outer = record.passes[0]
    assert [(a.of, a.total.data.tolist()) for a in outer.arrivals] == [('x', [4.5, 18.0])]
    assert outer.ended == len(record.steps) - 1 and outer.inside is None
    inner = [run for run in record.passes if run.inside is not None]
    assert inner and all(record.readings[run.inside] is reading for run in inner)
    tells(next(title for title, _ in words(tape) if 'returns' in title), 'Your bprop', 'dx')


def test_a_first_order_gradient_in_a_bprop_stands_where_it_was_made():
    record = told(CUBE.format('return (ms.vjp(lambda t: t * t * t, x)[1](dout)[0],)') + GRAD, 'level')
    assert [(e.label, e.name, e.run) for e in record.entries] == [
        ('1', 'C', 0), ('2', 'ReduceSum', 0), ('1′', 'Mul', 1), ('2′', 'Mul', 1)
    ]  # fmt: skip
    assert [e.by and record.entries[record.readings[e.by].entry].name for e in record.entries][2:] == ['C', 'C']


def test_a_watched_gradient_in_a_bprop_is_one():
    source = CUBE.format('return (ms.vjp(lambda t: t * t * t, x)[1](dout)[0],)')
    source += 'with ms.Tape() as tape:\n    ms.grad(ms.grad(lambda x: C()(x).sum()))(ms.Tensor([1.0, 2.0]))\n'
    record = told(source, 'watched')
    assert record.depth == 2 and all(run.inside is None for run in record.passes)


def test_a_pull_that_construct_keeps():
    source = """
class C(nn.Cell):
    def construct(self, x):
        y, self.pull = ms.vjp(lambda t: t * t, x)
        return y
    def bprop(self, x, out, dout):
        return (self.pull(dout)[0],)
"""
    record = told(source + GRAD, 'kept pull')
    entries = {e.label: (e.name, e.run) for e in record.entries}
    assert entries == {'1': ('Mul', 1), '2': ('C', 0), '3': ('ReduceSum', 0)}
    assert record.passes[0].arrivals[0].total.data.tolist() == [2.0, 4.0]
    assert record.passes[1].arrivals[0].total.data.tolist() == [2.0, 4.0]


def test_a_vjp_that_is_pulled_twice_with_a_gradient_between():
    source = """
x = ms.Tensor([1.0, 2.0])
with ms.Tape() as tape:
    y, pull = ms.vjp(lambda x: x * x, x)
    pull(x)
    ms.grad(lambda z: (z * z * z).sum())(x)
    pull(y)
"""
    record = told(source, 'twice')
    assert [run.reads for run in record.passes] == [1, 3, 1]
    assert [run.arrivals[0].total.data.tolist() for run in record.passes] == [[2, 8], [3, 12], [2, 16]]


def test_a_vjp_from_before_the_tape():
    source = """
y, pull = ms.vjp(lambda x: x * x, ms.Tensor([1.0, 2.0]))
with ms.Tape() as tape:
    pull(y)
"""
    tape = tape_of(source, 'before')
    tells(words(tape)[-1][1], 'its function', 'before')


HOOKS = {
    'tensor': ('y = x * 3', 'y.register_hook(hook)', 'hook on y'),
    'input': ('x.register_hook(hook)', 'y = x * 3', 'hook on x'),
    'op': ('y = x * 3', 'y = ops.InsertGradientOf(hook)(y)', 'hook on y'),
    'op of several': ('y = x * 3', 'y = ops.HookBackward(lambda gs: hook(gs[0]))(y)', 'hook on y'),
    'backward': ('net = nn.ReLU(); net.register_backward_hook(lambda c, gi, go: hook(gi[0]))', 'y = net(x)', 'ReLU'),
    'pre': ('net = nn.ReLU(); net.register_backward_pre_hook(lambda c, go: hook(go[0]))', 'y = net(x)', 'ReLU'),
}


def hooked(kind, returned):
    first, second, name = HOOKS[kind]
    source = f"""
def hook(g):
    return {returned}

def f(x):
    {first}
    {second}
    return (y * y).sum()

with ms.Tape() as tape:
    ms.grad(f)(ms.Tensor([1.0, 2.0]))
"""
    return tape_of(source, f'hook {kind} {returned}'), name


@pytest.mark.parametrize('kind', HOOKS)
def test_what_a_hook_changes_is_the_hooks(kind):
    tape, name = hooked(kind, 'g * 0')
    record = tell(tape)
    entry = next(e for e in record.entries if e.kind == 'hook')
    assert entry.name.endswith(name) and entry.name.startswith('hook on ') and entry.yours and entry.facts
    hooks = [a for a in ran.authors(record) if a.kind == 'hook']
    assert [(a.name, a.value.data.tolist()) for a in hooks] == [(entry.name, [0.0, 0.0])]
    changed = next(g.name for r in record.readings if record.entries[r.entry] is entry for g in r.gave)
    said = f'{"pre-" * (kind == "pre")}{entry.name}'
    tells(saying(tape, f'Your {said} changes'), f'{changed} = [0, 0]')
    assert saying(tape, 'Takeover', f'your {said}')
    assert entry.facts.start.line in [row.number for row in Picture(tape).record.code]


@pytest.mark.parametrize('kind', HOOKS)
def test_a_hook_that_returns_none_changes_nothing(kind):
    tape, name = hooked(kind, 'None')
    tells(saying(tape, 'Your ', f'hook on {name.split()[-1]} changes nothing'), 'returned None')
    assert [g.kind for g in ran.authors(tell(tape))].count('hook') == 1


def test_a_hook_on_a_parameter_stands_before_its_arrival():
    source = """
w = ms.Parameter(ms.Tensor([1.0, 2.0]), name='w')
def halve(g):
    half = g / 2
    return half
w.register_hook(halve)
with ms.Tape() as tape:
    ms.grad(lambda x: (x * w * w).sum(), None, w)(ms.Tensor([1.0, 2.0]))
"""
    tape = tape_of(source, 'parameter')
    title, said = words(tape)[-1]
    assert title == 'dw arrives'
    tells(said, 'dw = [1, 4]')
    tells(saying(tape, 'Your hook on', 'w changes dw'), 'dw = [1, 4]')
    tells(saying(tape, 'Takeover', 'hook on w'), 'dw = [2, 8]')


def test_outputs_of_one_cell_are_not_added_to_each_other():
    source = """
class Three(nn.Cell):
    def construct(self, x):
        return x * 2, (x * 3, x * 4), x > 0
    def bprop(self, x, out, dout):
        return (dout[0] * 2 + dout[1][0] * 3 + dout[1][1] * 4,)
def f(x):
    p, (q, r), m = Three()(x)
    return (p * q + r).sum()
with ms.Tape() as tape:
    ms.grad(f)(ms.Tensor([1.0, 2.0]))
"""
    record = told(source, 'three')
    assert [v.name for v in record.entries[0].outputs] == ['p', 'q', 'r', 'm']
    reading = next(r for r in record.readings if r.entry == 0)
    assert len(reading.douts) == 3


def test_every_mark_has_the_columns_of_its_expression():
    source = 'def f(x):\n    é = x * 2; y = é * x\n    return y.sum()\n'
    source += 'with ms.Tape() as tape:\n    ms.grad(f)(ms.Tensor(1.0))\n'
    record = told(source, 'columns')
    text = source.splitlines()
    for entry in record.entries:
        line, _, column, end = entry.mark.span
        assert text[line - 1][column:end] == entry.source
    assert [e.source for e in record.entries] == ['x * 2', 'é * x', 'y.sum()']


def test_code_without_a_source_says_so():
    tape = tape_of('with ms.Tape() as tape:\n    exec("ms.grad(lambda x: x * 2.0)(ms.Tensor(3.0))")\n', 'exec')
    (op,) = tell(tape).entries
    assert (op.source, op.mark.file, op.mark.line) == ('', '<string>', 1)
    assert words(tape)[0] == ('Mul writes entry 1', 'Mul gives 6.')


def test_equal_code_in_two_files_is_told_apart():
    for name in ('one', 'two'):
        record = told(CUBE.format('return (dout,)') + GRAD, f'equal {name}')
        assert {code.co_filename for code in record.ran} == {f'<cell telling equal {name}>'}


def test_captions_quote_the_users_code_alone():
    source = """
net = nn.SequentialCell(nn.BatchNorm1d(2), nn.LayerNorm((2,)), nn.Dense(2, 2))
net.set_train()
opt = nn.Adam(net.trainable_params(), 0.1)
with ms.Tape() as tape:
    opt(ms.grad(lambda x: net(x).sum(), None, opt.parameters)(ms.Tensor([[1.0, 2.0], [2.0, 3.0]])))
"""
    tape = tape_of(source, 'layers')
    sources = {e.source for e in tell(tape).entries if e.source}
    assert sources <= {'net(x)', 'net(x).sum()'}
    for zoom in gallery.ZOOMS:
        assert words(tape, zoom=zoom)
    (wrote,) = (e for e in Picture(tape, zoom='cells').record.entries if e.label == '←')
    assert wrote.name.startswith('Adam') and len(wrote.outputs) == 6
    tape.to_dot()


def test_an_event_with_members_that_nobody_knows(as_a_reader):
    tape = fake.chain([1.0, 2.0, 3.0])
    tape.events[2] = tape.events[2]._replace(inputs=(object(),))
    record = tell(tape)
    assert [s.kind for s in record.steps][-1] == 'arrive'
    broken = fake.chain([1.0, 2.0, 3.0])
    broken.events[2] = broken.events[2]._replace(inputs=3)
    assert len(tell(broken).unknown) >= 1 and tell(broken).steps[-1].kind == 'arrive'


def test_a_hook_inside_a_construct_that_is_not_taped():
    source = """
class Inner(nn.Cell):
    def construct(self, x):
        return x * x
inner = Inner()
inner.register_backward_hook(lambda c, gi, go: (gi[0] * 0,))
clip = ops.InsertGradientOf(lambda g: g * 0)
class C(nn.Cell):
    def construct(self, x):
        return clip(inner(x)) * x
    def bprop(self, x, out, dout):
        return (dout * 3 * x * x,)
"""
    tape = tape_of(source + GRAD, 'untaped hook')
    record = tell(tape)
    assert record.unknown == () and words(tape, zoom='inside')
    assert [a.kind for a in ran.authors(record)] == ['rule', 'bprop']
    assert [v.verdict for r in record.readings for v in r.verdicts] == ['right']
