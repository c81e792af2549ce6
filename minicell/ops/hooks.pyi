# Written by .github/stubs.py, which a change of a public name or signature asks for again.
from builtins import list as _list
from builtins import str as _str
from collections.abc import Callable
from minicell.ops.primitive import Primitive
from typing import Any

class HookBackward(Primitive):
    def __init__(self, hook_fn: Callable[..., Any], cell_id: _str = ...) -> None: ...
class HookHandle:
    def __init__(self, called: Callable[..., Any], *of: _list[Any]) -> None: ...
    def remove(self) -> None: ...
    called: Callable[..., Any]
class InsertGradientOf(Primitive):
    def __init__(self, f: Callable[..., Any]) -> None: ...
