"""What the trials of the six steps look at, one thing a function: it returns what is right, or raises Wrong.

Each gets the learner's engine as a namespace, on an empty tape. Numbers are compared with those of minicell.
"""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

import minicell as ms
from minicell import ops

from .programs import (  # isort: skip
    PEER, alike, at_order, counting, document, equal, listed, must, numbers, order, plain, product, sine, spare,
)  # fmt: skip

BENT = 'mul', 'sin', 'cos', 'matmul'  # ops whose gradients depend on their inputs


# ---- step 1: a Tensor with an address ------------------------------------------------------------------------------


def constant(m: SimpleNamespace) -> str:
    """A new Tensor."""
    t = m.Tensor([1.0, 2.0])
    must(t.at is not ..., 'dots', ..., 'The dots are still there.')
    m.leaf(t)
    later = m.Tensor(3.0)
    must(not len(m.entries) > 1, 'entries', len(m.entries), 'A new Tensor has left an entry; it should leave none.')
    said = f'A new Tensor has the address {t.at}, and after one entry {later.at}; both should be −1.'
    must((t.at, later.at) == (-1, -1), 'constant', (t.at, later.at), said)
    kind = m.Tensor([1, 2]).array.dtype
    must(kind == np.float32, 'dtype', str(kind), f'The numbers of a Tensor are float32, not {kind}.')
    return 'A new Tensor is a constant.'


def addresses(m: SimpleNamespace) -> str:
    """Four entries, one after the other."""
    x = m.Tensor([1.0, 2.0])
    before = x.at
    made = [m.leaf(x), m.leaf(x), m.write('Mul', None, (x, x), x.array * 3), m.leaf(m.Tensor(0.0))]
    found = [t.at for t in made]
    must(found.count(...) == 0, 'dots', ..., 'The dots are still there.')
    must(len(m.entries) == 4, 'entries', len(m.entries), f'Four calls of `write` leave {len(m.entries)} entries.')
    indices = all(isinstance(at, int) and -1 <= at < 9 for at in found)
    shown = ', '.join(map(str, found)) if indices else 'no indices of entries'
    said = f'The addresses of four Tensors should be 0, 1, 2, 3; yours are {shown}.'
    kinds = ['too large' if isinstance(at, int) and at > 9 else at if isinstance(at, int) else type(at) for at in found]
    must(found == [0, 1, 2, 3], 'addresses', kinds, said)
    must(made[0] is not x and x.at == before, 'input', x.at, '`leaf` should make a new Tensor, not change x.')
    must(m.leaf(made[0]).at == 4, 'input', 'taped', '`leaf` of a Tensor on the tape should write an entry as well.')
    return 'The addresses count the entries: 0, 1, 2, 3.'


def found_again(m: SimpleNamespace) -> str:
    """The entry at an address."""
    start = m.Tensor([1.5, 2.0])
    x = m.leaf(start)
    t = m.write('Mul', len, (x, x), x.array * x.array)
    entry = m.entries[t.at] if isinstance(t.at, int) and 0 <= t.at < len(m.entries) else None
    must(entry is not None, 'entry', 'none', '`entries[out.at]` is no entry.')
    whole = isinstance(entry, tuple | list) and len(entry) == 4
    must(whole, 'entry', type(entry).__name__, 'An entry should have four parts: (name, rule, inputs, out).')
    name, rule, inputs, out = entry
    must((name, rule) == ('Mul', len), 'entry', str(name), 'An entry should begin with the name and the rule.')
    begins, of, inputs_of = m.entries[0][:3]
    leads_back = callable(of) and list(map(id, inputs_of)) == [id(start)]  # as step 6 writes it
    fine = begins == 'Leaf' and (leads_back or (of is None and not len(inputs_of)))
    must(fine, 'leaf', str(begins), "The entry of a leaf should begin with 'Leaf', None and ().")
    given = len(inputs) == 2 and all(a is x for a in inputs)
    must(given, 'entry', 'inputs', 'The third part of an entry should be the inputs.')
    said = 'The Tensor in the entry is not the one that `write` returned.'
    must(out is t, 'entry', f'another {type(out).__name__}', said)
    given = numbers(t, 'numbers')
    must(np.array_equal(given, [2.25, 4]), 'numbers', given, 'The numbers should be those that were given.')
    must(t.array.dtype == np.float32, 'dtype', str(t.array.dtype), 'The numbers of an entry should be float32.')
    return '`entries[out.at]` is the entry that made `out`.'


# ---- step 2: an op that leaves an entry ----------------------------------------------------------------------------


def entries_of(m: SimpleNamespace, run: Callable[[], Any]) -> list[str]:
    """The names of the entries that a piece of program leaves."""
    before = len(m.entries)
    run()
    return [entry[0] for entry in m.entries[before:]]


def left(m: SimpleNamespace, run: Callable[[], Any], due: list[str], part: str, what: str) -> None:
    """Raise Wrong unless these entries are left."""
    found = entries_of(m, run)
    shown = ', '.join(map(str, found)) or 'none'
    must(found == due, part, found, f'{what} should leave {", ".join(due) or "no entry"}; yours leaves: {shown}.')


def constants_leave_none(m: SimpleNamespace) -> str:
    """Ops of constants."""
    spare(m)
    a = m.Tensor([1.0, 2.0])
    left(m, lambda: m.sin(a * 3 + a), [], 'constants', '`sin(a * 3 + a)` of a constant a')
    out = m.mul(a, m.Tensor(3.0))
    must(np.array_equal(numbers(out, 'constant'), [3, 6]), 'numbers', numbers(out, ''), '`a * 3` has wrong numbers.')
    kind = out.array.dtype
    must(kind == np.float32, 'dtype', str(kind), f'The numbers of a constant should be float32, not {kind}.')
    must(out.at == -1, 'constant', out.at, f'`a * 3` should have the address −1; yours has {out.at}.')
    return 'An op of constants leaves no entry.'


def the_first_leaf_counts(m: SimpleNamespace) -> str:
    """Ops of the leaf with the address 0."""
    x = m.leaf(m.Tensor([1.0, 2.0]))
    both = lambda: (m.sin(x), m.mul(x, m.Tensor(3.0)))
    left(m, both, ['Sin', 'Mul'], 'first leaf', '`sin(x)` and `x * 3`, of the leaf at address 0,')
    return 'The leaf at address 0 is on the tape.'


def one_input_is_enough(m: SimpleNamespace) -> str:
    """Ops of a leaf and a constant."""
    spare(m)
    x, a = m.leaf(m.Tensor([1.0, 2.0])), m.Tensor([3.0, 4.0])
    # who looks at one input alone sees one of the two products
    both, due = lambda: (m.mul(x, a), m.mul(a, m.add(x, x))), ['Mul', 'Add', 'Mul']
    left(m, both, due, 'one constant', '`x * a` and `a * (x + x)`, with a constant a,')
    left(m, lambda: 2.0 * x + 1.0, ['Mul', 'Add'], 'numbers', '`2.0 * x + 1.0`')
    left(m, lambda: m.neg(m.add(a, x)) + 1, ['Add', 'Neg', 'Add'], 'three ops', '`-(a + x) + 1`')
    return 'One input on the tape is enough.'


def the_entry_holds_tensors(m: SimpleNamespace) -> str:
    """The parts of an entry."""
    spare(m)
    x, y = m.leaf(m.Tensor([1.0, 2.0])), m.leaf(m.Tensor([3.0, 4.0]))
    out = m.mul(x, y)
    entry = m.entries[out.at]
    same = len(entry[2]) == 2 and entry[2][0] is x and entry[2][1] is y
    said = 'An entry should hold the inputs themselves: Tensors with addresses.'
    must(same, 'inputs', type(entry[2][0]).__name__, said)
    must(callable(entry[1]) and entry[3] is out, 'entry', 'parts', 'An entry should be (name, rule, inputs, out).')
    many = len(m.entries[m.mul(x, m.Tensor(3.0)).at][2])
    must(many == 2, 'constants', many, 'An entry should hold all inputs, also constants: the rule needs their numbers.')
    return 'The entry holds the Tensors themselves.'


def the_rules(m: SimpleNamespace) -> str:
    """The rules of the seven ops."""
    spare(m)
    table = {
        'add': (ops.add, SMALL, SMALL),
        'mul': (ops.mul, SMALL, SMALL[::-1]),
        'neg': (ops.neg, ROW),
        'sin': (ops.sin, ROW),
        'cos': (ops.cos, ROW),
        'turn': (lambda x: ops.transpose(x, (1, 0)), ROW),
        'matmul': (ops.matmul, ROW, SQUARE),
    }
    for name, (op, *given) in table.items():
        given = list(map(m.moved, given))
        right, back = ms.vjp(op, *(ms.Tensor(each, ms.float32) for each in given))
        scale = 1 + np.arange(right.size).reshape(right.shape)
        inputs, dout = [m.leaf(m.Tensor(each)) for each in given], m.leaf(m.Tensor(scale))
        out = vars(m)[name](*inputs)
        equal(out, right, name, f'What {name} returns')
        part, said = f'rule of {name}', f'The rule of {name}'
        rule = m.entries[-1][1]
        found = rule(dout, out, *inputs)
        whole = isinstance(found, tuple | list) and len(found) == len(given)
        must(whole, part, 'form', f'{said} should return a tuple, one gradient per input.')
        for k, dx in enumerate(back(ms.Tensor(scale, ms.float32))):
            equal(found[k], dx, part, f'{said}, input {k + 1}')
            off = f'{said} has the right numbers, but what it computes is not on the tape: write it with ops.'
            must(found[k].at >= 0, part, 'no entry', off)
        constants = [m.Tensor(each) for each in given]
        parts = {'dout': (dout, out, *constants), 'the inputs': (m.Tensor(scale), out, *inputs)}
        for of, some in parts.items():
            if of == 'dout' or name in BENT:
                lost = f'{said} takes the numbers of {of}, and leaves no entry for them: write it with ops.'
                must(all(dx.at >= 0 for dx in rule(*some)), part, f'no entry of {of}', lost)
    return 'The seven rules are right, and made of ops.'


# ---- steps 3 to 6: programs, beside minicell -----------------------------------------------------------------------

ROW, SQUARE = [[0.5, -0.6, 0.4], [1.2, 1.3, -1.1]], [[0.01, 0.3, 1.1], [0.1, 0.2, 1.3], [2.1, 1.2, 3.3]]
SMALL = [[0.3, -2.0], [0.7, 1.5]]


def walks_down(m: SimpleNamespace) -> str:
    """walk_back from `sin(cos(x))`."""
    spare(m)
    x = m.leaf(m.Tensor(0.5))
    y = m.cos(x)
    out = m.sin(y)
    arrived = m.walk_back(out, m.Tensor(3.0), x.at + 1)
    said = '`walk_back` should return a dict: address to gradient.'
    must(isinstance(arrived, dict), 'walk', type(arrived).__name__, said)
    came = [name for name, t in (('x', x), ('cos(x)', y), ('sin(cos(x))', out)) if t.at in arrived]
    said = f'From `sin(cos(x))` a gradient should arrive at x, cos(x), sin(cos(x)); yours arrives at {", ".join(came)}.'
    must(len(came) == 3, 'walk', came, said)
    due = ms.grad(lambda x: 3 * ops.sin(ops.cos(x)))(ms.Tensor(0.5))
    equal(arrived[x.at], due, 'walk', 'What arrives at x by `walk_back`, for a dout of 3')
    return 'The walk comes to `sin`, to `cos` and to x.'


def walked_twice(m: SimpleNamespace, f: Callable, at: float, due: tuple[float, float], what: str, cure: str) -> None:
    """Raise Wrong unless a walk finds the slope of f, and another, from what it has found, the second derivative."""
    spare(m)
    x = m.leaf(m.Tensor(at))
    slope, second = m.walk_back(f(x), m.Tensor(1.0), x.at + 1).get(x.at, m.Tensor(0.0)), m.Tensor(0.0)
    equal(slope, ms.Tensor(due[0]), f'slope of {what}', f'By `walk_back`, the gradient of {what} at {at:g}')
    second = m.walk_back(slope, m.Tensor(1.0), x.at + 1).get(x.at, second)
    said = f'At x = {at:g} the gradient of {what} is right. A second walk, over what the first has left on the tape, '
    said += f'gives {listed(second.array)}, and should give {listed(np.asarray(due[1]))}: {cure}'
    must(np.allclose(second.array, due[1]), f'{what} on the tape', f'at {at:g}: {second.array}', said)


def on_the_tape(m: SimpleNamespace) -> str:
    """A walk back from sin(-x), and another one from what it has found."""
    cure = 'a rule gets the Tensors of the entry, and what it returns is kept.'
    walked_twice(m, lambda x: m.sin(m.neg(x)), 0.5, (-np.cos(0.5), np.sin(0.5)), '`sin(-x)`', cure)
    return 'A gradient is on the tape as well.'


def calls_with_leaves(m: SimpleNamespace) -> str:
    """A function that looks at its inputs."""
    seen: list[Any] = []
    x = m.Tensor(0.5)
    m.gradients(lambda *leaves: (seen.extend(leaves), m.sin(leaves[0]))[1])(x, x)
    fresh = len(seen) == 2 and seen[0] is not seen[1] and not any(t is x for t in seen)
    must(fresh, 'leaves', 'the inputs', '`f` was called with constants: call it with a leaf for each input.')
    return '`f` is called with leaves.'


def chains(m: SimpleNamespace) -> str:
    """A chain of ops, sin(cos(x)), -(x · 3) or sin(exp(x))."""
    alike(m, lambda m: lambda x: m.sin(m.cos(x)), [0.5], '`sin(cos(x))`')
    alike(m, lambda m: lambda x: m.neg(x * 3), [[1.0, -2.0]], '`-(x * 3)`')
    alike(m, lambda m: lambda x: m.sin(m.exp(x)), [0.5], '`sin(exp(x))`')
    return 'Chains: `sin(cos(x))`, `-(x * 3)`, `sin(exp(x))`.'


def several_inputs(m: SimpleNamespace) -> str:
    """Two inputs, sin(matmul(x, y))."""
    alike(m, lambda m: lambda x, y: m.sin(m.matmul(x, y)), [ROW, SQUARE], '`sin(matmul(x, y))`')
    first = m.grad(m.matmul)(m.Tensor(ROW), m.Tensor(SQUARE))
    equal(first, ms.grad(ops.matmul)(ms.Tensor(ROW), ms.Tensor(SQUARE)), 'grad', '`grad(matmul)(x, y)`')
    return 'Two inputs: `sin(matmul(x, y))`.'


def two_branches(m: SimpleNamespace) -> str:
    """A product of two functions."""
    alike(m, lambda m: lambda x, y: m.mul(m.sin(x), m.cos(y)), [SMALL, SMALL[::-1]], '`sin(x) * cos(y)`')
    return 'Two branches: `sin(x) * cos(y)`.'


def a_constant(m: SimpleNamespace) -> str:
    """A product with a constant."""
    alike(m, lambda m: lambda x: m.mul(m.Tensor(3.0), x), [0.5], '`3 * x`, with the constant first')
    return 'A constant: `3 * x`.'


def unused_input(m: SimpleNamespace) -> str:
    """An input that is not used."""
    alike(m, lambda m: lambda x, y, z: m.sin(y), [2.0, 0.5, [1.0, 2.0]], 'of three inputs one is used')
    return 'An input that is not used gets zeros.'


def only_what_is_due(m: SimpleNamespace) -> str:
    """Ops that the result does not use, and a result that is a leaf."""
    alike(m, lambda m: lambda x: (m.cos(x), m.sin(m.cos(x)))[0], [0.5], 'an op after the result')
    alike(m, lambda m: lambda x: (m.sin(x), m.cos(x))[1], [0.5], 'an op that the result does not use')
    alike(m, lambda m: lambda x: x, [0.5], '`lambda x: x`')
    return 'What the result does not use does not count.'


def two_uses(m: SimpleNamespace) -> str:
    """A Tensor that is used twice."""
    alike(m, lambda m: lambda x: x * x, [3.0], '`x * x`')
    alike(m, lambda m: lambda x: x + x, [3.0], '`x + x`')
    return 'Two uses: `x * x`, `x + x`.'


def more_uses(m: SimpleNamespace) -> str:
    """Uses of an intermediate value."""
    alike(m, lambda m: lambda x: (lambda y: y * y * y + m.sin(y))(m.cos(x)), [0.7], '`y * y * y + sin(y)`')
    alike(m, lambda m: lambda x, y: m.matmul(x, y) * m.matmul(x, y) + x, [SMALL, SMALL], '`matmul(x, y)` used twice')
    # one Tensor is the gradient of both inputs of a sum: who adds to it in place changes both
    alike(m, lambda m: lambda x, y: x + y + x, [2.0, 0.5], '`x + y + x`')
    return 'An intermediate value with three uses.'


def still_the_first_leaf(m: SimpleNamespace) -> str:
    """A leaf with the address 0."""
    (mine,) = m.gradients(lambda x: x * x * x + m.sin(x))(m.Tensor(3.0))  # what comes first is the smallest here
    due = ms.grad(lambda x: x * x * x + ops.sin(x))(ms.Tensor(3.0))
    equal(mine, due, 'first leaf', '`x * x * x + sin(x)` on an empty tape')
    return 'A leaf with the address 0.'


def other_shapes(m: SimpleNamespace) -> str:
    """Constants of several shapes."""

    def program(m: Any) -> Callable:
        a, b = m.Tensor(ROW), m.Tensor(SQUARE)
        return lambda x: m.matmul(m.matmul(a, b), m.sin(m.matmul(m.matmul(b, x), b)))

    alike(m, program, [SQUARE], 'constants of several shapes')
    return 'Constants of several shapes are left out.'


def the_sum_is_on_the_tape(m: SimpleNamespace) -> str:
    """What was added up."""
    for x in (3.0, 0.0):  # a gradient that is 0 has a slope as well
        square = lambda x: (lambda y: y * y)(m.neg(x))
        walked_twice(m, square, x, (2 * x, 2.0), '`y * y`, where y is `-x`,', 'add the Tensors, not their arrays.')
    return 'The sum is on the tape as well.'


def takes_over(m: SimpleNamespace) -> str:
    """The documentation’s `Net`, whose bprop returns x + 1 and y + 1."""
    alike(m, document, [ROW, SQUARE], 'the documentation’s `Net`')
    return 'The documentation’s `Net`: x + 1 and y + 1.'


def gets_dout(m: SimpleNamespace) -> str:
    """A Cell whose bprop uses out and dout."""

    def program(m: Any) -> Callable:
        cell = product(m)
        return lambda x, y: m.sin(cell(x, y) * 3) + cell(y, x) * x + cell(m.Tensor([3.0, -2.0]), y)

    alike(m, program, [[0.5, 2.0], [-1.0, 0.3]], 'three calls of a Cell inside a loss')
    return '`bprop` gets the inputs, `out` and `dout`.'


def without_bprop(m: SimpleNamespace) -> str:
    """A Cell without a bprop."""
    alike(m, plain, [[0.5, 2.0]], 'a Cell without a `bprop`')
    cell, x = plain(m), m.leaf(m.Tensor(0.5))
    left(m, lambda: cell(x), ['Sin', 'Mul'], 'plain Cell', 'A Cell without a `bprop`, of two ops,')
    return 'A Cell without a `bprop` leaves the entries of its ops.'


def one_entry(m: SimpleNamespace) -> str:
    """The entries of a Cell with a bprop."""
    spare(m)
    cell = product(m)
    x, y, a = m.leaf(m.Tensor(0.5)), m.leaf(m.Tensor(2.0)), m.Tensor(3.0)
    left(m, lambda: cell(x, y), ['Product'], 'entries', 'A Cell with a `bprop`')
    left(m, lambda: cell(a, y), ['Product'], 'entries', 'The same Cell with one constant input')
    left(m, lambda: cell(a, a), [], 'constant inputs', 'The same Cell with constant inputs')
    given: list[Any] = []
    cell.bprop = lambda *some: (given.extend(some), some[:2])[1]
    out, dout = cell(x, y), m.leaf(m.Tensor(1.0))
    back = m.entries[-2][1](dout, out, x, y)
    pairs = zip(('x', 'y', 'out', 'dout'), given, (x, y, out, dout), strict=False)
    lost = ', '.join(name for name, t, due in pairs if t.at != due.at)
    said = f'`bprop` should get Tensors with their addresses, or nothing goes back through it. Not so: {lost}.'
    must(not lost, 'addresses', lost, said)
    kept = len(back or ()) == 2 and back[0] is x and back[1] is y
    said = 'The rule should return what `bprop` returns, as it is, with its addresses.'
    must(kept, 'returned', str(type(back)), said)
    del cell.bprop
    equal(cell(a, a), ops.sin(ms.Tensor(3.0)) * 3, 'out', 'What the Cell returns')
    entry = (cell(x, y), m.entries[-1])[1]
    kept = len(entry[2]) == 2 and entry[2][0] is x and entry[2][1] is y
    must(kept, 'inputs', 'others', 'The entry of a Cell should hold its inputs, with their addresses.')
    return 'A Cell with a `bprop` leaves one entry, whatever is in it.'


def when_asked(m: SimpleNamespace) -> str:
    """When construct and bprop run."""
    ran: list[str] = []
    cell = counting(m, ran)
    m.gradients(lambda x: (cell(x), cell(m.Tensor(1.0)), x * 2)[2])(m.Tensor(3.0))
    must('bprop' not in ran, 'ran', tuple(ran), '`bprop` runs though no gradient comes to it.')
    ran.clear()
    m.gradients(lambda x: cell(x) + cell(x))(m.Tensor(3.0))
    due = ['construct', 'construct', 'bprop', 'bprop']
    must(ran == due, 'ran', tuple(ran), f'Two calls should run {", ".join(due)}; yours run {", ".join(ran)}.')
    return '`bprop` runs once for each call that a gradient comes to, and never forward.'


def first_order(m: SimpleNamespace) -> str:
    """First order."""
    at_order(m, lambda m: lambda x: x * x * m.sin(x), 0.7, '`x * x * sin(x)`', 1)
    there = m.entries and m.entries[0][0] == 'Spare'
    must(there, 'tape', 'emptied', 'Entries that were there before the gradient are gone.')
    x = m.Tensor(2.0)
    made = m.leaf(x)
    must(made is not x and x.at == -1, 'leaf', 'the same', '`leaf` should make a new Tensor.')
    must(isinstance(made.at, int) and made.at >= 0, 'leaf', made.at, 'A leaf should have an address.')
    return 'First order is as before.'


def second_order(m: SimpleNamespace) -> str:
    """Second order of ops."""
    at_order(m, lambda m: m.sin, 0.5, '`sin`', 2)
    at_order(m, lambda m: lambda x: x * x * x + m.cos(x), 0.7, '`x * x * x + cos(x)`', 2)
    m.entries.clear()
    due = order(PEER, ops.sin, 2)(ms.Tensor(0.5))
    equal(order(m, m.sin, 2)(m.Tensor(0.5)), due, 'first leaf', '`sin`, order 2, on an empty tape')
    return 'Second order: `sin`, `x * x * x + cos(x)`.'


def second_order_of_a_cell(m: SimpleNamespace) -> str:
    """Second order of lesson 09's Cell."""
    at_order(m, sine, 0.5, 'the Cell `Sin` of lesson 09', 2)
    return 'The Cell `Sin` of lesson 09, twice.'


def higher_orders(m: SimpleNamespace) -> str:
    """Third and fourth order."""
    at_order(m, lambda m: lambda x: m.sin(x) * x * x, 0.7, '`sin(x) * x * x`', 4)
    at_order(m, sine, 0.5, 'the Cell `Sin` of lesson 09', 4)
    return 'Third and fourth order.'


def one_in_the_other(m: SimpleNamespace) -> str:
    """An inner gradient that uses the input of the outer one."""
    at_order(m, lambda m: lambda x: x * m.grad(lambda y: x * y)(x), 3.0, '`x * grad(lambda y: x * y)(x)`', 2)
    return 'The input of the inner gradient and that of the outer one stay apart.'


WALKED = walks_down, on_the_tape, calls_with_leaves, chains, several_inputs
SUMMED = chains, on_the_tape, two_uses, more_uses, only_what_is_due, still_the_first_leaf, other_shapes
# what is looked at in each step
STEPS = (
    (constant, addresses, found_again),
    (constants_leave_none, the_first_leaf_counts, one_input_is_enough, the_entry_holds_tensors, the_rules),
    (*WALKED, two_branches, a_constant, unused_input, only_what_is_due),
    (*SUMMED, the_sum_is_on_the_tape),
    (takes_over, gets_dout, without_bprop, one_entry, when_asked),
    (first_order, second_order, second_order_of_a_cell, higher_orders, one_in_the_other),
)
