"""The answers that two reviews of the lessons put to the checks, as far as the exercises still ask for them.

Each is the solution with pieces of it exchanged. Some were passed though wrong, some refused though right, and some got
a hint that was not true of them.
"""

from minicell.teach.exercise import Exercise
from tests.lessons.judges.mutants import Mutant

Edits = tuple[str, ...]  # old, new, old, new, …

WRONG: dict[str, list[Edits]] = {
    '1a': [
        ("'log'", "'exp'"),
        ("'start', 'log', 'mul 2', 'mul 1', 'sin', 'dx'", "'log', 'mul 2', 'mul 1', 'sin', 'dx', 'start'"),
        ("'mul 2', 'mul 1'", "'mul 1', 'mul 2'"),
        ("'log', 'mul 2', 'mul 1', 'sin'", "'sin', 'mul 2', 'mul 1', 'log'"),
        ("'log', 'mul 2', 'mul 1', 'sin'", "'mul 2', 'log', 'mul 1', 'sin'"),
        ("'start', 'log', 'mul 2', 'mul 1', 'sin', 'dx'", "'dx', 'log', 'mul 2', 'mul 1', 'sin', 'start'"),
        ("'sin', 'dx'", "'dx', 'sin'"),
    ],
    '2a': [
        ('dout * ops.sin(y)', 'dout * x', 'dout * x * ops.cos(y)', 'dout * y'),
        ('dout * ops.sin(y)', 'dout * y', 'dout * x * ops.cos(y)', 'dout * x'),
        ('dout * ops.sin(y)', 'dout * ops.cos(y)', 'dout * x * ops.cos(y)', '-dout * x * ops.sin(y)'),
        ('dout * ops.sin(y)', 'out / x * dout'),
        ('dout * x * ops.cos(y)', '-dout * x * ops.cos(y)'),
    ],
    '3a': [
        ('ops.matmul(dout, y.T)', 'y.T', 'ops.matmul(x.T, dout)', 'x.T'),
        ('ops.matmul(dout, y.T)', 'ops.matmul(out, y.T)', 'ops.matmul(x.T, dout)', 'ops.matmul(x.T, out)'),
        ('ops.matmul(x.T, dout)', 'ops.matmul(dout.T, x)'),
        ('ops.matmul(dout, y.T)', 'ops.matmul(dout, x.T)', 'ops.matmul(x.T, dout)', 'ops.matmul(y.T, dout)'),
        ('ops.matmul(dout, y.T)', 'ops.matmul(dout, y.T) / x.shape[0]'),
        ('ops.matmul(x.T, dout)', 'y + 1'),
        (
            'return self.matmul',
            'self.x, self.y = x, y\n        return self.matmul',
            'y.T)',
            'self.y.T)',
            'x.T,',
            'self.x.T,',
        ),
    ],
    '4a': [
        ('(f(x + step) - f(x - step))', 'abs(f(x + step) - f(x - step))'),
        ('(f(x + step) - f(x - step))', 'max(0, f(x + step) - f(x - step))'),
        ('(f(x + step) - f(x - step))', 'abs(f(x + step)) - abs(f(x - step))'),
        ('/ (2 * eps)', '/ 2 * eps'),
        ('(f(x + step) - f(x - step)) /', 'f(x + step) - f(x - step) /'),
        ('f(x - step)) / (2 * eps)', 'f(x)) / eps'),
        ('f(x + step) - f(x - step)) / (2 * eps)', 'f(x) - f(x - step)) / eps'),
    ],
    '5b': [('dx, dy, None', 'dx, dy, 1.0'), ('dx, dy, None', 'dx, None, None'), ('dx, dy, None', 'dx, dy')],
    '6a': [
        ("'G': 'mean, not sum'", "'G': 'sign only'", "'H': 'sign only'", "'H': 'mean, not sum'"),
        ("'D': 'flipped'", "'D': 'sign only'", "'H': 'sign only'", "'H': 'flipped'"),
        ("'C': 'dx dropped'", "'C': 'mean, not sum'", "'G': 'mean, not sum'", "'G': 'dx dropped'"),
    ],
    '7a': [
        ('mask, _ = out', 'mask, y = out', '_, dy = dout', 'dmask, dy = dout', 'dy * mask', '(mask * dy + dmask)'),
        ('mask, _ = out', 'mask, y = out', 'dy * mask * self.scale', 'y / x * dy'),
        ('dy * mask', 'dy * (1 - mask)'),
        ('mask, _ = out', 'mask, y = out', 'dy * mask * self.scale', 'y * dy'),
        ('mask * self.scale\n        return (dx', 'mask / ms.Tensor(self.keep_prob)\n        return (dx'),
    ],
    '7b': [
        (
            'mask = thrown < self.keep_prob',
            'mask = (thrown < self.keep_prob) * self.scale',
            'x * mask * self.scale',
            'x * mask',
        )
    ],
    '8a': [
        ("'C': 1", "'C': 0"),
        ("'D': 0", "'D': 1"),
        ("'F': 0", "'F': 1"),
        ("'A': 0", "'A': 1"),
        ("'B': 1", "'B': 0"),
    ],
    '8b': [
        ('x - self.t, ops', 'x + self.t, ops', 'x + self.t, 0', 'x - self.t, 0'),
        (
            'x - self.t, ops.select(x < -self.t, x + self.t, 0.0)',
            'ops.select(x < -self.t, x + self.t, 0.0), x - self.t',
        ),
    ],
    '9a': [
        ('3 * x * x * dout', '3 * out / x * dout'),
        ('return (dx,)', 'return dx, 6 * x * dout, 6 * dout'),
        ('3 * x * x * dout', "3 * x * __import__('minicell').ops.stop_gradient(x) * dout"),
        ('3 * x * x * dout', '(3 * x * x + 6 * x) * dout'),
    ],
    '9b': [('(e + 1 / e) / 2 * dout', 'ops.exp(out) * dout')],
    '10a': [
        ('[self.w, self.b]', '[]'),
        ('[self.w, self.b]', '[self.w]'),
        ('(x * dout).sum(0)', '(x * dout).sum(1)'),
        ('dout.sum(0)\n', 'ms.ops.ones_like(self.b)\n'),
        ('{self.w: dw, self.b: db}', '{self.w: db, self.b: dw}'),
        ('(x * dout)', '(self.w * dout)'),
    ],
    '10b': [("'w': 'optimizer'", "'w': 'nobody'"), ("'norm.gamma': 'optimizer'", "'norm.gamma': 'nobody'")],
    '11a': [
        ('x > 0, dout, 0.1', 'x >= 0, dout, 0.1'),
        ('ops.select(x > 0, dout, 0.1 * dout)', 'out / x * dout'),
        ('ops.select(x > 0, dout, 0.1 * dout)', 'ops.select(x > 0, x, 0.1 * x) * dout'),
    ],
    '12a': [
        ('dout * 5.0', 'dout * 25.0'),
        ('dout * 5.0 * s * (1 - s)', 'dout * 5.0 * s * (1 - s) * out'),
        ('dout * 5.0 * s * (1 - s)', 'dout * ops.sigmoid(x)'),
    ],
    '12b': [
        ('ops.relu(1 - ops.abs(x) / 2)', 'ops.sigmoid(5 * x)'),
        ('ops.relu(1 - ops.abs(x) / 2)', '(x < 0).astype(x.dtype)'),
        ('ops.relu(1 - ops.abs(x) / 2)', '1000 * ops.relu(1 - ops.abs(x) / 2)'),
    ],
    '12c': [
        ('0.01', '0.05', '300', '60'),
        ('0.05', '0.1'),
        ('0.05', '0.2'),
        ('0.05', '0.5'),
    ],
    '12d': [
        ("'C': 'sign'", "'C': 'dead'", "'D': 'dead'", "'D': 'sign'"),
        ("'B': 'off centre'", "'B': 'sign'", "'C': 'sign'", "'C': 'off centre'"),
        ("'C': 'sign'", "'C': 'deaf'", "'E': 'deaf'", "'E': 'sign'"),
    ],
}
RIGHT: dict[str, list[Edits]] = {
    '2a': [
        ('dout * ops.sin(y)', 'ops.sin(y) * dout', 'dout * x * ops.cos(y)', 'ops.cos(y) * (x * dout)'),
        ('return dx, dy', 'return [dx, dy]'),
    ],
    '3a': [
        ('ops.matmul(dout, y.T)', 'dout @ y.T', 'ops.matmul(x.T, dout)', 'x.T @ dout'),
        ('ops.matmul(dout, y.T)', '(y @ dout.T).T', 'ops.matmul(x.T, dout)', '(dout.T @ x).T'),
        ('return dx, dy', 'return [dx, dy]'),
    ],
    '4a': [
        (
            '        found[i] = (f(x + step) - f(x - step)) / (2 * eps)',
            '        kept = x[i]\n        x[i] = kept + eps\n        above = f(x)\n        x[i] = kept - eps\n'
            '        below = f(x)\n        x[i] = kept\n        found[i] = (above - below) / (2 * eps)',
        ),
        ('(f(x + step) - f(x - step)) / (2 * eps)', '(f(x + step / 2) - f(x - step / 2)) / eps'),
        ('(f(x + step) - f(x - step)) / (2 * eps)', '(f(x + step) - f(x - step)) / eps / 2'),
    ],
    '5b': [('k * (dout * y).mean(0)', '(k / y.shape[0] * dout * y).sum(0)'), ('None', '0')],
    '7a': [
        ('dy * mask * self.scale', 'ms.ops.select(mask, dy, ms.ops.zeros_like(dy)) * self.scale'),
        ('dy * mask * self.scale', 'mask * self.scale * dy'),
    ],
    '8b': [
        (
            'ops.select(x > self.t, x - self.t, ops.select(x < -self.t, x + self.t, 0.0))',
            'x - ops.clamp(x, -self.t, self.t)',
        ),
        (
            'ops.select(x > self.t, x - self.t, ops.select(x < -self.t, x + self.t, 0.0))',
            'ops.relu(x - self.t) - ops.relu(-x - self.t)',
        ),
        (
            'ops.select(x > self.t, x - self.t, ops.select(x < -self.t, x + self.t, 0.0))',
            'ops.sign(x) * ops.maximum(ops.abs(x) - self.t, 0.0)',
        ),
    ],
    '9a': [('3 * x * x * dout', 'dout * (x * x + x * x + x * x)')],
    '9b': [
        ('(e + 1 / e) / 2 * dout', 'ops.sqrt(1 + out * out) * dout'),
        (
            'return (e - 1 / e) / 2',
            'return (e - 1 / e) / 2, e',
            '        e = ops.exp(x)  # once more: here it is recorded\n        dx = (e + 1 / e) / 2 * dout',
            '        _, e = out\n        dy, de = dout\n        dx = (e + 1 / e) / 2 * dy + e * de',
        ),
    ],
    '10a': [('[self.w, self.b]', 'ms.ParameterTuple([self.w, self.b])'), ('[self.w, self.b]', '(self.b, self.w)')],
    '11a': [
        ('ops.select(x > 0, dout, 0.1 * dout)', 'dout * ops.select(x > 0, ops.ones_like(x), 0.1 * ops.ones_like(x))')
    ],
    '12b': [
        ('ops.relu(1 - ops.abs(x) / 2)', '(ops.abs(x) < 1).astype(x.dtype)'),
        ('ops.relu(1 - ops.abs(x) / 2)', '0.3 * ops.relu(1 - ops.abs(x))'),
        ('ops.relu(1 - ops.abs(x) / 2)', '1 / (1 + 100 * ops.abs(x)) ** 2'),
    ],
}
REVIEWED = list(dict.fromkeys([*WRONG, *RIGHT]))


def answers(exercise: Exercise) -> list[tuple[Mutant, bool]]:
    """The answers to an exercise, and whether each is right."""
    found = []
    for table, right in ((WRONG, False), (RIGHT, True)):
        for edits in table.get(exercise.name, []):
            code = exercise.solution
            for old, new in zip(edits[::2], edits[1::2], strict=True):
                if old not in code:
                    raise ValueError(f'{old!r} does not stand in the solution of {exercise.name}')
                head, _, tail = code.rpartition(old)
                code = f'{head}{new}{tail}'
            found.append((Mutant(' -> '.join(edits), code), right))
    return found
