"""Rules of PyTorch, JAX and MindSpore, judged where they live: no right one is called wrong, and no wrong one right."""

import json
import os
import re
import subprocess
import sys
import time
from functools import partial
from importlib import import_module
from itertools import product
from pathlib import Path

import pytest

import minicell as ms
from minicell import elsewhere
from minicell.testing import assert_bprop

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / 'minicell/ELSEWHERE.md'
ENV = os.environ | {'OMP_NUM_THREADS': '1'}  # of small numbers, threads make nothing quicker
LISTING = r'```python\n(.*?)```\n(?:\n```text\n(.*?)```)?'
NAMED = 0.8  # of the mistakes, at least
# MindSpore wants NumPy 1, and so an environment of its own, which .ci/mindspore makes: what stands here is its Python.
PYTHONS = {'mindspore': one} if (one := os.environ.get('MINICELL_MINDSPORE')) else {}


def python(home: str) -> list[str]:
    """A Python that has a framework, and runs it in a process of its own."""
    _ = home in PYTHONS or pytest.importorskip(home)
    return [PYTHONS.get(home, sys.executable), '-W', 'ignore']


def judged(home: str, *some: str) -> list[dict]:
    """What is said of each row, in a process of its own."""
    command = [*python(home), '-m', 'tests.elsewhere.table', home, '--json', *some]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=ENV)
    assert done.returncode == 0, done.stderr[-2000:]
    return [json.loads(line) for line in done.stdout.splitlines()]


def held(found: list[dict]) -> None:
    """Each verdict is the due one, and a mistake is named by its word."""
    assert found
    assert [row['text'] for row in found if row['said'] != row['due']] == []
    assert [(row['name'], row['word'], row['text']) for row in found if row['word'] not in row['text']] == []


@pytest.mark.nightly
@pytest.mark.parametrize('home', ['torch', 'jax', *PYTHONS])
def test_every_verdict_is_due_and_most_mistakes_are_named(home):
    found = judged(home)
    held(found)
    wrong = [row for row in found if row['due'] == 'wrong']
    assert sum(row['named'] for row in wrong) >= NAMED * len(wrong)


@pytest.mark.parametrize(
    ('home', 'some'),
    [
        ('torch', ['square, half', 'order, exp', 'on ctx', 'kept on', 'a weight', 'a detached', 'in place', 'a step']),
        ('jax', ['sine', 'nondiff', 'a step']),
    ],
)
def test_some_of_them(home, some):
    held(judged(home, *some))


def test_a_rule_goes_where_its_arrays_live():
    """By the types of the arguments alone: nothing is imported to tell."""
    code = (
        'import sys, minicell as ms; ms.check_bprop(ms.nn.ReLU(), ms.Tensor([1.0, -1.0]));'
        'import minicell.elsewhere; print({"torch", "jax", "mindspore"} & {*sys.modules})'
    )
    done = subprocess.run([sys.executable, '-c', code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == 'set()'


def test_a_version_that_nobody_tried_is_named_once(monkeypatch):
    torch = pytest.importorskip('torch')
    monkeypatch.setitem(elsewhere.TRIED, 'torch', '1.13.1')
    elsewhere.tried.cache_clear()
    with pytest.warns(ms.errors.MinicellWarning) as said:
        assert ms.check_bprop(torch.sin, torch.ones(2)) and ms.check_bprop(torch.sin, torch.ones(2))
    elsewhere.tried.cache_clear()
    (one,) = said
    assert torch.__version__ in str(one.message) and '1.13.1' in str(one.message) and one.filename == __file__


def test_what_ci_installs_and_what_the_page_names_are_the_versions_that_were_tried():
    installs = ''.join((ROOT / '.ci' / name).read_text(encoding='utf-8') for name in ('prepare', 'mindspore'))
    assert dict(re.findall(r'\b(torch|jax|mindspore)==([\d.]+)', installs)) == elsewhere.TRIED
    page = PAGE.read_text(encoding='utf-8')
    assert all(f'{name} {elsewhere.TRIED[name.lower()]}' in page for name in ('JAX', 'MindSpore'))
    assert f'PyTorch {elsewhere.TRIED["torch"]}' in page


@pytest.mark.slow
@pytest.mark.parametrize(('many', 'most'), [(10, 8), (1000, 1)])
def test_a_right_function_takes_so_many_times_as_long_as_gradcheck(many, most):
    """By turns, and each at its quickest: what else the machine does makes neither quicker."""
    torch = pytest.importorskip('torch')
    rules, ratios = import_module('tests.elsewhere.torch_rules'), {}
    shapes = {
        'square': [(many,)],
        'product': [(many,)] * 2,
        'sigmoid': [(many,)],
        'matmul': [(2, many // 2), (many // 2, 2)],
    }
    for (name, of), kind in product(shapes.items(), (torch.float32, torch.float64)):
        xs = [rules.drawn(*shape, seed=k, dtype=kind) for k, shape in enumerate(of)]
        wide, rule = [x.double().requires_grad_() for x in xs], rules.RIGHT[name][0]
        ways = partial(ms.check_bprop, rule, *xs), partial(torch.autograd.gradcheck, rule.apply, wide)
        took = [[seconds(way) for way in ways] for _ in range(20 if many == 10 else 3)]
        ratios[name, kind] = min(a for a, _ in took) / min(b for _, b in took)
    assert sum(ratios.values()) / len(ratios) <= most, ratios


def seconds(of):
    began = time.perf_counter()
    assert of()
    return time.perf_counter() - began


@pytest.mark.nightly
def test_who_has_read_the_readme_alone_finds_what_is_wrong_and_where():
    done = subprocess.run(['bash', '.ci/own-rules'], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.count('✗ dx') == 3, done.stdout + done.stderr


BLOCKS = [
    pytest.param(home[1], listing, due, id=f'{home[1]} {at}', marks=[pytest.mark.nightly] * (home[1] in PYTHONS))
    for at, (listing, due) in enumerate(re.findall(LISTING, PAGE.read_text(encoding='utf-8'), re.DOTALL))
    if (home := re.search(r'^import (torch|jax|mindspore)$', listing, re.MULTILINE))[1] != 'mindspore' or PYTHONS
]


@pytest.mark.parametrize(('home', 'listing', 'due'), BLOCKS)
def test_a_listing_of_the_page_prints_what_it_shows(home, listing, due):
    done = subprocess.run([*python(home), '-c', listing], cwd=ROOT, capture_output=True, text=True, env=ENV)
    assert (done.stdout, done.stderr) == (due, '')


@pytest.mark.nightly
@pytest.mark.parametrize('home', PYTHONS)
def test_a_cell_of_the_documents_is_drawn_as_minicells_own(home):
    command = [*python(home), '-m', 'tests.elsewhere.documents']
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=ENV)
    assert (done.stdout.split(), done.returncode) == (
        ['Net', 'ReLU6', 'Dropout2d', 'IFNode', 'NetWithParam', 'Threshold'],
        0,
    ), done.stderr[-2000:]


def test_what_cannot_be_drawn_is_told():
    torch = pytest.importorskip('torch')
    with pytest.raises(ms.core.errors.NotATensorError):
        ms.explain(torch.nn.Linear(2, 2), torch.ones(2))


def test_an_assertion_fails_with_the_sentences():
    with pytest.raises(AssertionError, match='It is'):
        assert_bprop(Half(), ms.Tensor([1.0, -2.0, 3.0, 0.5]))
    assert_bprop(ms.nn.ReLU(), ms.Tensor([1.0, -1.0]))


class Half(ms.nn.Cell):
    def construct(self, x):
        return x * x

    def bprop(self, x, out, dout):
        return (x * dout,)


def test_all_is_afterwards_as_it_was():
    torch = pytest.importorskip('torch')
    rules, made = import_module('tests.elsewhere.torch_rules'), torch.Generator().manual_seed(3)
    net, x = rules.Net(rules.product.apply), rules.X.clone().requires_grad_()
    draws = lambda x: net(x * torch.rand(x.shape, generator=made, dtype=x.dtype))
    state = lambda: [
        *(torch.get_rng_state().tolist(), made.get_state().tolist(), rules.Moving.mean.item(), x.tolist(), x.grad),
        *(net.lin.weight.tolist(), net.lin.weight.dtype, net.lin.weight.grad, rules.Moving.mean.requires_grad),
        *(torch.get_default_dtype(), torch.is_grad_enabled(), 'apply' in vars(torch.autograd.Function.__base__)),
    ]
    with torch.no_grad():
        before, out = state(), draws(x).tolist()
        made.manual_seed(3)
        for rule in (net, draws, rules.Moving):
            assert ms.check_bprop(rule, x, order=2)
        assert state() == before and draws(x).tolist() == out
