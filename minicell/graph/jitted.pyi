# Written by .github/stubs.py, which a change of a public name or signature asks for again.
from builtins import bool as _bool
from builtins import int as _int
from builtins import list as _list
from builtins import object as _object
from builtins import str as _str
from collections.abc import Callable
from minicell.graph.ir import Graph
from typing import Any
from typing import Concatenate
from typing import Generic
from typing import ParamSpec
from typing import Self
from typing import TypeVar
from typing import overload
P = ParamSpec('P')
Q = ParamSpec('Q')
R = TypeVar('R')

class Jitted(Generic[P, R]):
    traced: _int
    @property
    def graphs(self) -> _list[Graph]: ...
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R: ...
    @overload
    def __get__(self, owner: None, kind: Any = ...) -> Self: ...
    @overload
    def __get__(self: Jitted[Concatenate[Any, Q], R], owner: _object, kind: Any = ...) -> Callable[Q, R]: ...
@overload
def jit(function: Callable[P, R], *, capture_mode: _str = ..., jit_level: _str = ..., dynamic: _int = ..., fullgraph: _bool = ..., backend: _str = ..., **options: Any) -> Jitted[P, R]: ...
@overload
def jit(function: None = ..., *, capture_mode: _str = ..., jit_level: _str = ..., dynamic: _int = ..., fullgraph: _bool = ..., backend: _str = ..., **options: Any) -> Callable[[Callable[P, R]], Jitted[P, R]]: ...
