# Written by .github/stubs.py, which a change of a public name or signature asks for again.
from builtins import bool as _bool
from builtins import dict as _dict
from builtins import list as _list
from builtins import str as _str
from builtins import tuple as _tuple
from minicell.common.parameter import Parameter
from minicell.nn.cell import Cell
from typing import Any

def load_checkpoint(ckpt_file_name: _str, net: Cell | None = ..., strict_load: _bool = ...) -> _dict[_str, Parameter]: ...
def load_param_into_net(net: Cell, parameter_dict: _dict[_str, Parameter], strict_load: _bool = ...) -> _tuple[_list[_str], _list[_str]]: ...
def save_checkpoint(save_obj: Cell | _dict[Any, Any] | _list[Any], ckpt_file_name: _str) -> None: ...
