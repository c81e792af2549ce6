"""A tape that is read several times: what stands on a road belongs to one reading back, and so does a large number."""

import re

import pytest

from minicell.view import moment, phrases
from tests.view import gallery

CUBE = 'def f(x):\n    return x * x * x\n'
WAVE = 'def f(x):\n    return ops.sin(x) * x\n'
OWN = """
class Own(nn.Cell):
    def construct(self, x):
        return ops.exp(ops.sin(x))

    def bprop(self, x, out, dout):
        g = ms.grad(lambda x: ops.exp(ops.sin(x)))(x)
        return (g * dout,)

own = Own()
f = lambda x: own(x) * x
"""
UNREAD = """
def crit(x, w):
    return ops.exp(x * w)
def loss(x, w):
    g = ms.grad(crit)(x, w)
    return x * w
"""
PULL = 'o, pull = ms.vjp({}, ms.Tensor(0.5)); pull(ms.Tensor(1.0)); pull(ms.Tensor(10.0))'
READ = {  # programs that read a tape more than once, or read several: what is defined, and what is called
    'pulled back twice': (WAVE, PULL.format('f')),
    'one op, twice': ('', PULL.format('ops.sin')),
    'rows': (WAVE, 'ms.jacrev(f)(ms.Tensor([0.5]))'),
    'columns': (CUBE, 'ms.jacfwd(ms.grad(f))(ms.Tensor(2.0))'),
    'second order': (CUBE, 'ms.grad(ms.grad(f))(ms.Tensor(2.0))'),
    'third order': (CUBE, 'ms.grad(ms.grad(ms.grad(f)))(ms.Tensor(2.0))'),
    'pulled back twice, and differentiated': (
        WAVE + 'def both(x):\n    y, pull = ms.vjp(f, x)\n    return pull(x)[0] + pull(x * 2)[0]\n',
        'ms.grad(both)(ms.Tensor(0.5))',
    ),
    'two in a row': (CUBE, 'ms.grad(f)(ms.Tensor(2.0)); ms.grad(f)(ms.Tensor(3.0))'),
    'asked for by a bprop': (OWN, 'ms.grad(f)(ms.Tensor(0.5))'),
    'asked for by a bprop, second order': (OWN, 'ms.grad(ms.grad(f))(ms.Tensor(0.5))'),
    'a second tape that is not read': (UNREAD, 'ms.grad(loss, 1)(ms.Tensor(2.0), ms.Tensor(3.0))'),
}


def read(name):
    """The picture of a program that reads several times."""
    defined, called = READ[name]
    return gallery.made(f'{defined}\nwith ms.Tape() as tape:\n    {called}', name, compare=False)


def plates(frame, tag):
    """The single numbers under the values of a tape, by the numbers of their tensors."""
    found = ((re.fullmatch(rf'{tag}d(-?\d+)\[0,0\]t', key), shape) for key, shape in frame.items())
    return {int(of[1]): float(shape.attrs['T'].replace('−', '-')) for of, shape in found if of}


def close(one, other):
    """Whether a number is this one, as it is written."""
    return abs(one - other) <= 0.006 * max(1, abs(other))


def due(step, entry, reading, sums):
    """What a rule's step shows of its inputs, by their tensors: its own gradient, then the sum, where all is open."""
    gave = [(key, g) for key, g in zip(entry.keys, reading.gave, strict=False) if g.value is not None]
    if entry.kind != 'op':
        return {}
    if step.kind == 'give':
        return {key: g.value.data.item() for key, g in gave[::-1]}
    if step.kind == 'add' and step.parts and sums:
        return {key: sum(v.data.item() for v in step.parts) for key, g in gave if g.of == step.what}
    return {}


@pytest.mark.parametrize('name', READ)
def test_what_stands_under_an_entry_belongs_to_the_reading_that_the_step_tells(name):
    """What came in, what is handed out, and the sum so far: of this gradient alone, and no later part of it."""
    shown_, checked = read(name), 0
    record = shown_.record
    for film in shown_.painted():
        for shot, frame in zip(moment.shots(record, False), film.frames, strict=True):
            step = record.steps[shot.step]
            if step.reading is None:
                continue
            reading = record.readings[step.reading]
            entry = record.entries[reading.entry]
            there = plates(frame, 'abcd'[entry.level])
            for key, dout in zip(entry.made, reading.douts, strict=False):
                if key in there and dout.data is not None:
                    assert close(there[key], dout.data.item()), (shot, entry.label)
                    checked += 1
            open_ = sum(e.level == entry.level for e in record.entries) < 3
            for key, number in due(step, entry, reading, open_ and film.width > 500).items():
                if key in there:
                    assert close(there[key], number), (shot, entry.label)
                    checked += 1
    assert checked > 3


@pytest.mark.parametrize('name', READ)
def test_a_large_number_is_of_a_gradient_that_the_user_asked_for_and_has_come(name):
    shown_ = read(name)
    record = shown_.record
    (film, *_), part = shown_.painted(), lambda run: phrases.takeover_around(record, run)
    for shot, frame in zip(moment.shots(record, False), film.frames, strict=True):
        for key in (key for key in frame if re.fullmatch(r'p\d+\.\d+\[0,0\]t', key)):
            run = record.passes[int(key[1:].partition('.')[0])]
            assert run.started is not None and run.started <= shot.step
            hero = 'hero' in frame[key].attrs['class'].split()
            assert not (part(run) and hero), 'it ends in the bprop that asked for it'


def test_the_first_reading_of_two_is_answered_by_its_own_number():
    shown_ = read('pulled back twice')
    record = shown_.record
    first, second = record.passes
    for n, frame in enumerate(shown_.films[0].frames):
        if first.ended <= n < second.started:
            assert close(float(frame['p0.0[0,0]t'].attrs['T']), first.arrivals[0].total.data.item())
        assert not any(key.startswith('p1.') for key in frame) or n >= second.started


def test_no_arrow_leads_from_a_second_tape_that_is_not_read():
    film, _ = read('a second tape that is not read').films
    looks = {frame['bendh'].attrs['class'] for frame in film.frames if 'bendh' in frame}  # (before, there is none)
    assert looks == {'rl todo'} and read('second order').films[0].frames[-1]['bendh'].attrs['class'] == 'rl past'
