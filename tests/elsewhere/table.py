"""What minicell says of each rule beside what the framework's own check says: `python -m tests.elsewhere.table torch`.

`jax` for JAX, `mindspore` for MindSpore; further words choose rows. With `--json` a line for each row, which the tests
read: JAX warns at each fork of a process in which it has run, so that it runs in none of theirs.
"""

import json
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from importlib import import_module

import minicell as ms

DUE = 'right', 'wrong', 'surrogate', 'unknown'


def told(name: str, row: tuple) -> dict:
    """What minicell says of a row."""
    began = time.perf_counter()
    found = ms.check_bprop(row[0], *row[1], order=2 if 'second order' in name else 1)
    why = [v.why for v in found.rows if v.verdict == 'wrong']
    lost = [note for note in found.notes if note.startswith('It ')]
    wrong = bool(found.error or why or lost)
    named = [v.mistake for v in found.rows if v.mistake] + [w for w in why if 'None counts' in w] + lost
    said = 'right' if found.ok else 'wrong' if wrong else next((v.verdict for v in found.rows if v.asked), '')
    took = time.perf_counter() - began
    return {'name': name, 'said': said, 'named': bool(named or found.error), 'text': str(found), 'took': took}


def gradcheck(name: str, row: tuple) -> str:
    """What PyTorch says."""
    import torch

    wide = lambda t: t.detach().clone().to(torch.float64 if t.dtype == torch.float32 else t.dtype).requires_grad_()
    floats = lambda t: isinstance(t, torch.Tensor) and t.dtype.is_floating_point
    inputs = tuple(wide(x) if floats(x) else x for x in row[1])
    rule = row[0].double() if isinstance(row[0], torch.nn.Module) else getattr(row[0], 'apply', row[0])
    check = torch.autograd.gradgradcheck if 'second order' in name else torch.autograd.gradcheck
    return 'right' if check(rule, inputs) else 'wrong'


def check_grads(name: str, row: tuple) -> str:
    """What JAX says, in reverse mode: by default it refuses every custom_vjp."""
    from jax.test_util import check_grads

    check_grads(row[0], row[1], order=2 if 'second order' in name else 1, modes=['rev'])
    return 'right'


def check_bprop(name: str, row: tuple) -> str:
    """What MindSpore says while `check_bprop=True` is set, which looks at shapes and dtypes."""
    import mindspore

    mindspore.set_context(check_bprop=True)
    try:
        ask = mindspore.ops.GradOperation(get_all=True)
        found = (ask(ask(row[0])) if 'second order' in name else ask(row[0]))(*row[1])
        _ = [g.float().asnumpy() for g in found]  # what an op raises is heard where its numbers are read
    finally:
        mindspore.set_context(check_bprop=False)
    return 'right'


def beside(check: Callable, name: str, row: tuple) -> tuple[str, float]:
    """What the framework's own check says, and how long it takes; whatever it raises, it says that a rule is wrong."""
    began = time.perf_counter()
    try:
        said = check(name, row)
    except Exception:
        said = 'wrong'
    return said, time.perf_counter() - began


def rows(home: str, some: list[str]) -> Iterator[tuple[str, str, tuple]]:
    """What is due, a name, and a row."""
    rules = import_module(f'tests.elsewhere.{home}_rules')
    for due in DUE:
        table = getattr(rules, due.upper())
        yield from ((due, name, row) for name, row in table.items() if not some or any(s in name for s in some))


def main(home: str, *some: str) -> None:
    """Print it."""
    check = {'torch': gradcheck, 'jax': check_grads, 'mindspore': check_bprop}[home]
    total = {due: [0, 0, 0, 0, 0.0, 0.0] for due in DUE}
    for due, name, row in rows(home, [s for s in some if s != '--json']):
        found = told(name, row)
        if '--json' in some:
            print(json.dumps(found | {'due': due, 'word': row[-1] if due == 'wrong' else ''}), flush=True)
            continue
        other, took = beside(check, name, row)
        print(f'{due:9} {found["said"]:9} {found["took"]:6.2f} s   {other:5} {took:6.2f} s   {name}', flush=True)
        adds = 1, found['said'] == due, found['named'], other == due, found['took'], took
        total[due] = [a + b for a, b in zip(total[due], adds, strict=True)]
    assert home != 'jax' or not import_module('jax').config.jax_enable_x64, 'it is set, and nobody else set it'
    for due, (many, said, named, other, mine, its) in total.items() if '--json' not in some else ():
        print(f'{due}: {many} rows, minicell says so of {said} in {mine:.0f} s', end='')
        print(f' and names {named}' * (due == 'wrong') + f', {check.__name__} of {other} in {its:.0f} s')


if __name__ == '__main__':
    warnings.simplefilter('ignore')
    main(*sys.argv[1:])
