# Written by .github/stubs.py, which a change of a public name or signature asks for again.
from builtins import int as _int
from builtins import object as _object
from collections.abc import Callable
from minicell.check import CheckResult
from typing import Any

def check_bprop(cell: Callable[..., Any], /, *inputs: Any, sens: _object = ..., wrt: _object = ..., order: _int = ..., **keywords: Any) -> CheckResult: ...
