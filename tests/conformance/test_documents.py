"""Every listing of MindSpore's documents, with only the import renamed, prints the document's text.

`documents/` has three texts as they were found, some without their line breaks; `listings/` has the code of those with
the line breaks put back. Blocks of a document share their names, as in a notebook; a last expression is echoed.
Random numbers are compared by how many there are and how they are written.
"""

import ast
import contextlib
import io
import re
from pathlib import Path

import numpy as np
import pytest

from tests.messages import tells

HERE = Path(__file__).parent
FENCE = re.compile(r'```(python|text)(.*?)```', re.S)
TEMPLATE = 'def bprop(self, ..., out, dout): return ...'  # of the document: no Python
RANDOM = {'print(net.b.asnumpy())', 'net.b[0] = 1. print(net.b.asnumpy())'}  # and whatever prints w:
LOST = ("<class 'generator'>",)  # what the document lost with its markup


def tokens(code: str) -> list[str]:
    return re.findall(r'\w+|[^\w\s]', code)


def shape(text: str) -> list[str]:
    """The text's tokens, whatever its numbers are."""
    return tokens(re.sub(r'-?\d[\d.e+-]*', '#', text))


def document(number: str) -> list[tuple[str, str]]:
    """The (kind, text) blocks of a document; kind is 'python' or 'text'."""
    text = (HERE / 'documents' / f'{number}.txt').read_text()
    return [(kind, body.strip()) for kind, body in FENCE.findall(text) if body.strip() != TEMPLATE]


def listing(*names: str) -> list[str]:
    return [b for name in names for b in (HERE / 'listings' / f'{name}.txt').read_text().split('#----\n')]


OURS = {
    '000': listing('matmul', 'relu6', 'surrogate'),
    '002': [body.replace('mindspore', 'minicell') for kind, body in document('002') if kind == 'python'],
    '004': listing('cell_and_parameter'),
}


@pytest.mark.parametrize('number', OURS)
def test_our_listings_are_the_documents(number):
    """Token by token, all of them, in order."""
    theirs = [tokens(body) for kind, body in document(number) if kind == 'python']
    assert [tokens(block.replace('minicell', 'mindspore')) for block in OURS[number]] == theirs


def run(block: str, names: dict) -> str:
    """What a block prints, its last expression echoed as a notebook would."""
    tree = ast.parse(block)
    echo = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, '<document>', 'exec'), names)
        if echo is not None:
            value = eval(compile(ast.Expression(echo.value), '<document>', 'eval'), names)
            if value is not None:
                print(repr(value))
    return printed.getvalue().strip()


@pytest.mark.parametrize('number', OURS)
def test_a_document_prints_its_own_text(number):
    import minicell
    from minicell import Parameter, Tensor, nn, ops

    names = {'minicell': minicell, 'nn': nn, 'ops': ops, 'Tensor': Tensor, 'Parameter': Parameter, 'np': np}
    np.random.seed(0)
    blocks, compared, pending = iter(OURS[number]), 0, ''
    for kind, theirs in document(number):
        if kind == 'python':
            assert not pending, f'not in the document: {pending}'
            block = next(blocks)
            pending = run(block, names)
            source = ' '.join(block.replace('minicell', 'mindspore').split())
            continue
        if source in RANDOM or 'w:' in theirs:
            assert shape(pending) == shape(theirs)
        elif theirs:
            assert tokens(pending) == tokens(theirs), source
        else:
            assert pending in LOST
        compared, pending = compared + 1, ''
    assert compared == sum(kind == 'text' for kind, _ in document(number))


@pytest.mark.parametrize(
    ('name', 'facts'),
    [
        ('matmul', ['(Tensor(shape=[2, 3]', '1.60000002e+00', 'Tensor(shape=[3, 3]', '4.30000019e+00]]))']),
        ('relu6', ['[[1. 1. 1.]\n [1. 1. 1.]]']),
    ],
    ids=['matmul', 'relu6'],
)
def test_a_listing_of_exact_output_runs_by_itself(name, facts):
    """Its own imports suffice, and no warning comes."""
    tells(run(*listing(name), {}), *facts)


def test_what_the_listings_define_works():
    """The blocks that print nothing: a spike and its gradient, a dropped channel, a weight that trains."""
    import minicell as ms

    names = {'minicell': ms, 'ms': ms, 'nn': ms.nn, 'ops': ms.ops, 'Tensor': ms.Tensor, 'Parameter': ms.Parameter}
    names['np'] = np
    for block in (*listing('surrogate'), *OURS['002']):
        run(block, names)
    spike, v = names['IFNode']()(ms.Tensor([0.5, 1.0, 1.5]), ms.Tensor([0.0, 0.0, 0.0]))
    assert (spike.tolist(), v.tolist()) == ([0.0, 0.0, 1.0], [0.5, 1.0, 0.5])
    net = names['NetWithParam']()
    dx, dw = ms.grad(net, 0, net.trainable_params())(ms.Tensor([3.0]))
    assert (dx.tolist(), [d.tolist() for d in dw]) == ([2.0], [[3.0]])
    x = ms.Tensor(np.ones((1, 4, 2, 2), np.float32))
    names['dropout_2d'].bprop_debug = False
    (y, mask), back = ms.vjp(names['dropout_2d'], x)
    (dx,) = back(ms.ops.ones_like(y), ms.ops.zeros_like(mask))
    np.testing.assert_allclose(dx.asnumpy(), y.asnumpy())
