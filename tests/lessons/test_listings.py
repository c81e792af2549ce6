"""What a lesson says of PyTorch and JAX beside `Take it home` is run: each listing prints what its comments promise."""

import re
import sys

import pytest

from minicell.teach.source import paths, read
from tests.lessons import peer
from tests.lessons.notebooks import NUMBERS

LISTINGS = [
    pytest.param(listing, id=f'{number}-{cell.name}-{k}')
    for number in NUMBERS
    for cell in read(paths()[number])
    if cell.name.endswith('-home')
    for k, listing in enumerate(re.findall(r'```python\n(.*?)```', cell.text, re.DOTALL))
]


@pytest.mark.slow
@pytest.mark.parametrize('listing', LISTINGS)
def test_it_prints_what_it_promises(listing):
    """As a script: once JAX has run here, each fork by another test is warned of, and warnings are errors."""
    pytest.importorskip(re.search(r'^import (torch|jax)$', listing, re.MULTILINE)[1])
    assert '# prints' in listing and peer.run(sys.executable, listing) == ''


@pytest.mark.parametrize('number', NUMBERS)
def test_who_installs_mindspore_is_told_which_numpy_it_needs(number):
    home = next(cell for cell in read(paths()[number]) if cell.name == 'home')
    assert '`numpy<2`' in re.search(r'^\*\*MindSpore\*\*.*', home.text, re.MULTILINE)[0]
