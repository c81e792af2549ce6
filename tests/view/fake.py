"""Tapes made by hand: the events of core.watch without the engine, so that the view can be tried with anything."""

from collections import namedtuple
from itertools import pairwise

import numpy as np

Enter = namedtuple('Enter', 'at cell inputs custom where')
Leave = namedtuple('Leave', 'at cell out failed', defaults=(False,))
Op = namedtuple('Op', 'at rule inputs attrs out where state')
Call = namedtuple('Call', 'at cell inputs out where state', defaults=('recorded',))
Begin = namedtuple('Begin', 'at function inputs order where sources')
Back = namedtuple('Back', 'at outputs')
Pull = namedtuple('Pull', 'at entry cotangent')
Give = namedtuple('Give', 'at entry gradients')
End = namedtuple('End', 'at gradients')
Fail = namedtuple('Fail', 'at where error entry', defaults=(None,))
Rule = namedtuple('Rule', 'name')


class T:
    """A tensor: an array with a name for its dtype."""

    def __init__(self, value, dtype=None):
        self.value = np.asarray(value, dtype)
        self.shape = self.value.shape
        self.dtype = str(self.value.dtype).capitalize()
        self.at = -1

    def asnumpy(self):
        return self.value


class Where:
    """A place in a file."""

    ours = False
    code = None

    def __init__(self, file, line, expression='', target=''):
        self.file, self.line, self.expression, self.target = file, line, expression, target
        self.span = (line, line, 0, 0)
        self.text, self.function = expression, '<module>'


class Tape:
    """What the view reads of a Tape."""

    def __init__(self, events=(), error=None):
        self.events = list(events)
        self.error = error

    def value(self, tensor, at):
        return tensor.asnumpy()

    def __str__(self):
        return f'a tape of {len(self.events)} events'


def chain(values, names=None):
    """A tape on which each of `values` is made from the one before by one op, and then read back."""
    tensors = [T(v) for v in values]
    events, at = [], iter(range(10**6))
    events.append(Begin(next(at), lambda x: x, (tensors[0],), 1, None, (tensors[0],)))
    ops = []
    for i, (x, y) in enumerate(pairwise(tensors)):
        name = names[i] if names else f'Op{i}'
        ops.append(Op(next(at), Rule(name), (x,), (), y, None, 'recorded'))
    events += ops
    if ops:
        events.append(Back(next(at), ((tensors[-1], np.ones_like(tensors[-1].value)),)))
    for op in reversed(ops):
        events.append(Pull(next(at), op, np.ones_like(op.out.value)))
        events.append(Give(next(at), op, ((op.inputs[0], np.ones_like(op.inputs[0].value)),)))
    events.append(End(next(at), (np.ones_like(tensors[0].value),)))
    return Tape(events)
