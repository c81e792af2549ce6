# Written by .github/stubs.py, which a change of a public name or signature asks for again.
from builtins import object as _object
from builtins import str as _str
from collections.abc import Mapping
from typing import Any

class Primitive:
    __call__: Any
    def __repr__(self) -> _str: ...
    kernel: Any
    @property
    def name(self) -> _str: ...
    rule: Any
    settings: Mapping[_str, _object]
