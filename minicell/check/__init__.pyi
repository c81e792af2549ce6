# Written by .github/stubs.py, which a change of a public name or signature asks for again.
from builtins import Exception
from builtins import bool as _bool
from builtins import list as _list
from builtins import str as _str
from minicell.judge.verdict import Verdict
from typing import Any

class CheckResult:
    def __bool__(self) -> _bool: ...
    def __init__(self, name: _str, rows: _list[Verdict], notes: _list[_str], error: Exception | None = ...) -> None: ...
    def __repr__(self) -> _str: ...
    name: _str
    rows: _list[Verdict]
    notes: _list[_str]
    error: Exception | None
    ok: Any
