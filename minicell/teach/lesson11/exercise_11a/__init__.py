"""Exercise 11a: an `if` on a value becomes a select."""

from typing import Any

import numpy as np

import minicell as ms
from minicell.core.errors import MinicellError
from minicell.teach.exercise import Trial

TASK = (
    'Rewrite the `if` of this `bprop` so that it runs in graph mode, for many numbers at once. The check traces it '
    'with positive numbers, and then replays it with others.'
)
NAME = 'Leaky'
HINTS = (
    'In a graph nobody asks a number where to go. Compute both answers, for all numbers, and choose between them.',
    '`ops.select(cond, a, b)` takes `a` where `cond` is True and `b` elsewhere. The condition is a comparison of '
    'Tensors: it is a node of the graph, and is computed in each call.',
    'One answer is `dout`, the other `0.1 * dout`. And the condition is about `x`: where was `x` above 0?',
)
FIRST, LATER = np.array([1.0, 2.0, 3.0]), np.array([-1.0, 2.0, -3.0])
DOUT = np.array([-2.0, 0.5, 4.0])


def trial(answer: Any) -> Trial:
    """Trace with positive numbers, replay with mixed ones, both in graph mode, and compare with autodiff."""
    cell = answer() if isinstance(answer, type) else answer
    if not isinstance(cell, ms.nn.Cell) or cell.bprop is None:
        said = f'check wants the class {NAME} with its bprop; it got {type(answer).__name__}.'
        return Trial(True, False, {'returned': 'no Cell with a bprop'}, said)
    probe = ms.Tensor(FIRST)
    if blank(cell, probe):
        return Trial(False, False, {}, '')
    before, did, lines = ms.get_context('mode'), {}, []
    try:
        ms.set_context(mode=ms.GRAPH_MODE)
        for name, x in (('traced', FIRST), ('replayed', LATER)):
            dx = ms.grad(lambda x: (ms.Tensor(DOUT) * cell(x)).sum())(ms.Tensor(x)).asnumpy()
            due = DOUT * np.where(x > 0, 1.0, 0.1)
            did[name] = np.asarray(dx, np.float64)
            lines.append(f'{"✓" if np.allclose(dx, due) else "✗"} {name}, x = {x}: {dx}, and it should be {due}')
    except MinicellError as error:
        did['raised'] = str(error).splitlines()[0].split(' inside ')[0]
        lines.append(f'✗ {str(error).splitlines()[0]}')
    finally:
        ms.set_context(mode=before)
    return Trial(True, all(line[0] == '✓' for line in lines), did, '\n'.join(lines))


def blank(cell: Any, x: Any) -> bool:
    """Whether the dots are still there."""
    try:
        returned = cell.bprop(x, cell.construct(x), x)
    except TypeError as error:
        return 'ellipsis' in str(error)  # as in `... * dout`: half begun
    except (ValueError, ArithmeticError, MinicellError):
        return False
    return isinstance(returned, tuple) and len(returned) == 1 and returned[0] is ...
