"""print(tape), tape.show(), tape.why() and tape.to_dot() say the same number, tape and name for each entry."""

import re
from collections import Counter, defaultdict
from itertools import zip_longest

import pytest

from minicell.account.ask import book_of
from tests.view import gallery, nested

PROGRAMS = {
    'three gradients, one in the other': 'ms.grad(ms.grad(ms.grad(lambda a: ops.sin(a) * a)))(ms.Tensor(1.0))',
    'two gradients in a row': """
def f(a):
    return ms.grad(lambda b: b * b * a)(a) + ms.grad(lambda b: ops.exp(b) * a)(a)
ms.grad(f)(ms.Tensor(2.0))""",
    'a vjp that is read twice': """
def f(a):
    out, back = ms.vjp(lambda b: b * b * b, a)
    return (back(ms.Tensor([1.0, 1.0]))[0] + back(ms.Tensor([2.0, 1.0]))[0]).sum()
ms.grad(f)(ms.Tensor([1.0, 2.0]))""",
    'a gradient in a bprop': 'ms.grad(lambda x: InBprop()(x) * x)(ms.Tensor(1.0))',
    'a gradient in a bprop, at second order': 'ms.grad(ms.grad(lambda x: InBprop()(x) * x))(ms.Tensor(1.0))',
    'a gradient in a construct': 'ms.grad(lambda x: InConstruct()(x) * x)(ms.Tensor(1.0))',
    'a gradient in a construct, at second order': 'ms.grad(ms.grad(lambda x: InConstruct()(x) * x))(ms.Tensor(1.0))',
    'a gradient behind another': """
ms.grad(lambda x: x * x)(ms.Tensor(1.0))
ms.grad(ms.grad(lambda x: x * x * x))(ms.Tensor(1.0))""",
    'a jvp': 'ms.jvp(lambda x: ops.sin(x) * x, ms.Tensor(1.0), ms.Tensor(1.0))',
    'a gradient of a jvp': 'ms.grad(lambda x: ms.jvp(lambda a: ops.sin(a) * a, x, x)[1])(ms.Tensor(1.0))',
    'a jacobian, forward': 'ms.jacfwd(lambda x: ops.sin(x) * x)(ms.Tensor([1.0, 2.0]))',
    'first and second order in a sum': """
inner = lambda a: ms.grad(lambda b: b * b * b * a)(a) * a
ms.grad(lambda x: ms.grad(inner)(x) + ms.grad(lambda a: a * a)(x))(ms.Tensor(1.0))""",
    'an error that is caught': """
def f(x):
    try:
        ms.grad(lambda a: ops.matmul(a, a))(x)
    except Exception:
        pass
    return ms.grad(lambda a: a * a * a)(x)
ms.grad(f)(ms.Tensor(1.0))""",
}
CELLS = """
class InBprop(nn.Cell):
    def construct(self, x):
        return ops.sin(x)
    def bprop(self, x, out, dout):
        return (ms.grad(lambda a: ops.sin(a))(x) * dout,)

class InConstruct(nn.Cell):
    def construct(self, x):
        return ms.grad(lambda a: a * a * a)(x)
    def bprop(self, x, out, dout):
        return (6 * x * dout,)

with ms.Tape() as tape:
"""
LABEL = r'\d+(?:[′″‴]|\(\d+\))?'
NAME = r'(hook on [^,]+?|\w+)'
HOOKS = ('InsertGradientOf', 'HookIn', 'HookOut')  # ops that are a hook: `hook on x` is a name for them, too
SHORT = {'sum': 'ReduceSum', 'mean': 'ReduceMean', 'entrance': 'HookIn', 'exit': 'HookOut'}  # how a picture calls them
FEW = 80  # events of a tape whose picture is painted, too


# ---- what is due, without any of the four --------------------------------------------------------------------------


def due(events):
    """The label and the name of each entry, by its time: counted on each tape, without gaps.

    What is written while a gradient is read back goes one tape above the highest on which its function had written
    (where it wrote nothing: above the tape on which it began); anything else goes where the reading around it writes,
    or onto the first tape.
    """
    outside = read_outside(events)
    count, found = Counter(), {}
    top = {}  # a gradient -> the highest tape on which its function has written
    open_ = []  # (a gradient, the tape that its reading writes on; None as long as its function runs)
    here = lambda: next((tape for _, tape in reversed(open_) if tape is not None), 0)
    for event in events:
        kind, of = type(event).__name__, id(getattr(event, 'of', None))
        if kind == 'Begin':
            top[of] = here()
            open_.append((of, None))
        elif kind == 'Back':
            if open_ and open_[-1] == (of, None):
                open_.pop()
            open_.append((of, top[of] + 1))
        elif kind == 'End':
            del open_[max((k for k, one in enumerate(open_) if one[0] == of), default=len(open_)) :]
        elif kind in ('Op', 'Call') and (event.state == 'recorded' or id(event) in outside):
            tape = here()
            for gradient in [one for one, reading in open_ if reading is None]:
                top[gradient] = max(top[gradient], tape)
            count[tape] += 1
            name = event.rule.name if kind == 'Op' else type(event.cell).__name__
            primes = ('', '′', '″', '‴')[tape] if tape < 4 else f'({tape})'
            found[event.at] = f'{count[tape]}{primes}', name
    return found


def read_outside(events):
    """The ids of entries that are read where no Cell with its own bprop hides it: they count, wherever they ran."""
    hiding, found = [], set()
    for event in events:
        kind = type(event).__name__
        if kind == 'Enter' and event.custom:
            hiding.append(event.cell)
        elif kind == 'Leave' and hiding and event.cell is hiding[-1]:
            hiding.pop()
        elif kind == 'Pull' and not hiding:
            found.add(id(event.entry))
    return found


# ---- the four voices, as a reader has them: (label, name) of each entry, in the order of time ----------------------


def printed(tape):
    """Lines like `1′  x * x    Mul -> (2,)`."""
    line = re.compile(rf' *({LABEL})  .*  {NAME}(?:, with its own bprop)? -> ')
    return [found.groups() for text in str(tape).splitlines() if (found := line.match(text))]


def read_back(tape):
    """Lines like `1′  Mul    gets dout 1`."""
    line = re.compile(rf' *({LABEL})?  +{NAME}(?:\.bprop)? +gets dout')
    return [(found[1] or '', found[2]) for text in str(tape).splitlines() if (found := line.match(text))]


def shown(picture):
    """The cards."""
    entries = [e for e in picture.record.entries if e.label[:1].isdigit() and e.written is not None]
    return [(e.label, e.name) for e in sorted(entries, key=lambda e: e.written)]


def drawn(tape):
    r"""Nodes like `n2 [label="1 Mul" …]` and `n3 [label="2 Net\nbprop: yours" …]`."""
    nodes = re.findall(r'(?m)^\s*n(\d+) \[label="(\d+(?:[′″‴]|\(\d+\))?) ([^"\\]*)', tape.to_dot().source)
    return [(label, name) for _, label, name in sorted(nodes, key=lambda node: int(node[0]))]


def accounted(tape):
    """Accounts of all gradients: the time of an entry -> what they call it (`1 Mul`, `your bprop of 2 Net`); and what
    else they mention, as in `d(1 Mul)`."""
    found, others = defaultdict(set), set()
    for handed in book_of(tape).handed:
        if handed.tensor.size:
            account = tape.why(handed, (0,) * handed.tensor.ndim)
            others |= mentions(str(account))
            for row in account.rows:
                said = re.search(rf'(?:(\d\S*) )?{NAME}$', row.who)
                if said and row.entry >= 0 and said[2] != 'bprop':  # where there is only one, it is `your bprop`
                    found[row.entry].add((said[1] or '', said[2]))
    return found, others


def told(picture):
    """What the sentences and cards of a picture say: `Mul writes entry 1′`, `reads entry 1′: Mul’s`, `d(1′ Mul)`."""
    film = picture.films[0]
    steps = '\n'.join(f'{step.title}\n{step.caption}' for step in film.steps)
    pairs = [(label, name) for name, label in re.findall(rf'^(\w[\w ]*) writes entry ({LABEL})$', steps, re.MULTILINE)]
    pairs += re.findall(rf'reads entry ({LABEL}): (\w[\w ]*)’s', steps)
    return {(label, SHORT.get(name, name)) for label, name in pairs}.union(
        mentions(steps), *(mentions('\n'.join(gallery.texts(frame))) for frame in film.frames)
    )


def mentions(text):
    """Pairs like `1′ Mul` in a text."""
    return {(label, SHORT.get(name, name)) for label, name in re.findall(rf'(?<![\w.])({LABEL}) ([A-Z]\w+)', text)}


# ---- all of them beside each other ---------------------------------------------------------------------------------


def wrong(tape, words=False):
    """What the voices of a tape say that is not due; `words`: the sentences and cards of the picture, too."""
    entries = {e.at: e for e in tape.events if type(e).__name__ in ('Op', 'Call')}
    numbered = due(tape.events)
    picture = tape.show(zoom='inside')
    cards = shown(picture)
    found = {'show leaves out': picture.record.unknown} if picture.record.unknown else {}
    if differ := [pair for pair in zip_longest(numbered.values(), cards, fillvalue=('', '')) if not same(*pair)]:
        found['show'] = f'{len(cards)} entries for {len(numbered)}; (due, said): {differ[:4]}'
    known = set(cards)
    by_time = dict(zip(numbered, cards, strict=False))  # what all others have to say
    of = lambda at: by_time.get(at, ('', name(entries[at])))
    for voice, said in {'print': printed(tape), 'DOT': drawn(tape)}.items():
        if differ := [pair for pair in zip_longest(cards, said) if pair[0] != pair[1]]:
            found[voice] = f'{len(said)} entries for {len(cards)}; (due, said): {differ[:4]}'
    pulls = [of(e.entry.at) for e in tape.events if type(e).__name__ == 'Pull']
    if differ := [pair for pair in zip_longest(pulls, read_back(tape)) if pair[0] != pair[1]]:
        found['print, read back'] = f'(due, said): {differ[:4]}'
    accounts, others = accounted(tape)
    if differ := [(of(at), said) for at, said in accounts.items() if said != {of(at)}]:
        found['why'] = f'{len(differ)} entries; (due, said): {differ[:4]}'
    if strange := {pair for pair in others - known if pair[1] in {name for _, name in known}}:
        found['words of why'] = sorted(strange)
    if words and (strange := told(picture) - known):
        found['words of show'] = sorted(strange)
    return found


def same(one, other):
    """Whether two (label, name) are the same; an entry at which a hook hangs is called after what it hangs on."""
    return one == other or (one[:1] == other[:1] and one[1] in HOOKS and other[1].startswith('hook on '))


def name(entry):
    """An Op's or a Call's."""
    return entry.rule.name if hasattr(entry, 'rule') else type(entry.cell).__name__


def holds(source, title):
    """Run a program's text: nothing raises, and all agree."""
    tape = gallery.tape_of(source, title)
    assert tape.error is None, f'{tape.error!r}\n{source}'
    try:
        found = wrong(tape, words=len(tape.events) < FEW)
    except Exception as error:
        error.add_note(source)
        raise
    assert not found, '\n'.join([*(f'{voice}: {what}' for voice, what in found.items()), source])


@pytest.mark.parametrize('title', PROGRAMS)
def test_short_programs(title):
    body = PROGRAMS[title].strip().replace('\n', '\n    ')
    holds(f'{CELLS.lstrip()}    {body}\n', title)


MANY = 500
SEEDS = [
    *(pytest.param(range(k, k + 5), id=f'{k}') for k in range(0, 20, 5)),
    *(pytest.param(range(k, k + 10), id=f'{k}', marks=pytest.mark.slow) for k in range(20, 100, 10)),
    *(pytest.param(range(k, k + 20), id=f'{k}', marks=pytest.mark.nightly) for k in range(100, MANY, 20)),
]


@pytest.mark.parametrize('seeds', SEEDS)
def test_generated_programs(seeds):
    for seed in seeds:
        holds(nested.written(seed)[0], f'nested {seed}')


def test_each_feature_is_in_one_of_twenty_generated_programs():
    programs = [nested.written(seed) for seed in range(MANY)]
    counts = Counter(feature for _, features in programs for feature in features)
    assert len(counts) > 25 and min(counts.values()) > 0.05 * MANY, counts
    assert programs[7] == nested.written(7)
