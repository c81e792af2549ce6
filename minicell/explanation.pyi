# Written by .github/stubs.py, which a change of a public name or signature asks for again.
from collections.abc import Callable
from minicell.shown import Tape
from typing import Any

def explain(fn: Callable[..., Any], *args: Any) -> Tape: ...
