"""What a lesson says of PyTorch and JAX beside `Take it home` is run: each listing prints what its comments promise."""

import contextlib
import io
import re
import warnings

import pytest

from minicell.teach.source import path_of, read
from tests.lessons.notebooks import NUMBERS, fault

LISTINGS = [
    pytest.param(listing, id=f'{number}-{cell.name}-{k}')
    for number in NUMBERS
    for cell in read(path_of(number))
    if cell.name.endswith('-home')
    for k, listing in enumerate(re.findall(r'```python\n(.*?)```', cell.text, re.DOTALL))
]


@pytest.mark.slow
@pytest.mark.parametrize('listing', LISTINGS)
def test_it_prints_what_it_promises(listing):
    pytest.importorskip(re.search(r'^import (torch|jax)$', listing, re.MULTILINE)[1])
    with contextlib.redirect_stdout(io.StringIO()) as out, warnings.catch_warnings():
        warnings.simplefilter('ignore')  # of the framework, about itself
        exec(listing, {})
    assert '# prints' in listing and fault(listing, out.getvalue()) == ''


@pytest.mark.parametrize('number', NUMBERS)
def test_who_installs_mindspore_is_told_which_numpy_it_needs(number):
    home = next(cell for cell in read(path_of(number)) if cell.name == 'home')
    assert '`numpy<2`' in re.search(r'^\*\*MindSpore\*\*.*', home.text, re.MULTILINE)[0]
