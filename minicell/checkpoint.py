"""Parameters written into a network, and kept in files: NumPy's `.npz`, whatever their name, with no code in them."""

from pathlib import Path
from zipfile import BadZipFile

import numpy as np

from .common.parameter import Parameter
from .core.errors import article, users_line
from .core.tensor import Tensor
from .errors import LoadError, ParameterError, PropertyError
from .nn import Cell
from .ops.checks import must, must_be


def save_checkpoint(save_obj: Cell | dict | list, ckpt_file_name: str) -> None:
    """Write the Parameters of a Cell into a file; its name ends with .ckpt, which is added where it does not.

    Instead of a Cell: a dict from names to Parameters, or a list of dicts, each with a 'name' and its 'data'.

    Raises TypeError for anything else.

    >>> import tempfile
    >>> file = tempfile.mkdtemp() + '/net.ckpt'
    >>> ms.save_checkpoint(nn.Dense(1, 1, weight_init=2, has_bias=False), file)
    >>> ms.load_checkpoint(file)
    {'weight': Parameter (name=weight, shape=(1, 1), dtype=Float32, requires_grad=True)}
    """
    must_be(save_obj, (Cell, dict, list), ParameterError, 'save_checkpoint takes a Cell, or its Parameters by name')
    must_be(ckpt_file_name, str, ParameterError, 'save_checkpoint: the name of the file is a string')
    if isinstance(save_obj, list):
        save_obj = {each['name']: each['data'] for each in save_obj}
    given = save_obj.parameters_dict() if isinstance(save_obj, Cell) else save_obj
    for name, value in given.items():
        must_be(value, Tensor, ParameterError, f'save_checkpoint: {name} is a Parameter')
    file = ckpt_file_name if ckpt_file_name.endswith('.ckpt') else f'{ckpt_file_name}.ckpt'
    with open(file, 'wb') as out:  # (the names stand apart: NumPy's own arguments have names, too)
        np.savez(out, *[value.asnumpy() for value in given.values()], names=np.array([*given], str))


def load_checkpoint(ckpt_file_name: str, net: Cell | None = None, strict_load: bool = False) -> dict[str, Parameter]:
    """The Parameters of a file that `save_checkpoint` wrote, by name; with a net, they are written into it too.

    Raises ValueError for what is no such file.
    """
    must_be(ckpt_file_name, str, ParameterError, 'load_checkpoint takes the name of a file')
    there = ckpt_file_name.endswith('.ckpt') and Path(ckpt_file_name).is_file()
    said = f'load_checkpoint: there is no file {ckpt_file_name}, or its name does not end with .ckpt'
    must(there, LoadError, said)
    try:
        with np.load(ckpt_file_name, allow_pickle=False) as kept:
            found = {name: kept[f'arr_{k}'] for k, name in enumerate(kept['names'].tolist())}
    except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
        said = f'{ckpt_file_name} is no checkpoint of minicell ({article(type(error).__name__)}: {error})'
        raise LoadError(f'load_checkpoint: {said}.{users_line()}') from None
    loaded = {name: Parameter(Tensor(value), name=name) for name, value in found.items()}
    if net is not None:
        load_param_into_net(net, loaded, strict_load)
    return loaded


def load_param_into_net(
    net: Cell, parameter_dict: dict[str, Parameter], strict_load: bool = False
) -> tuple[list[str], list[str]]:
    """Write values into the Parameters of net that have these names; returns the names that got none, and those left.

    Floats of another width are cast, unless strict_load. Where no name fits, a prefix before all names of the dict is
    passed over. Raises TypeError for what is no Cell, no dict or no Parameter, RuntimeError for another shape or dtype.

    >>> old, new = ms.nn.Dense(1, 1, weight_init=2), ms.nn.Dense(1, 1, weight_init=0)
    >>> print(ms.load_param_into_net(new, old.parameters_dict()), new.weight.asnumpy())
    ([], []) [[2.]]
    """
    given = {'net': (net, Cell), 'parameter_dict': (parameter_dict, dict), 'strict_load': (strict_load, bool)}
    for what, (value, kind) in given.items():
        must_be(value, kind, PropertyError, f'load_param_into_net: {what} is {article(kind.__name__)}')
    for name, p in parameter_dict.items():
        must_be(name, str, PropertyError, 'load_param_into_net: the dict holds names')
        must_be(p, Parameter, PropertyError, f'load_param_into_net: the dict holds Parameters, and at {name}')
    own = net.parameters_dict()
    prefix = '' if strict_load or own.keys() & parameter_dict.keys() else _prefix(own, parameter_dict)
    found = {name: parameter_dict[prefix + name] for name in own if prefix + name in parameter_dict}
    for name, given in found.items():
        p = own[name]
        fits = p.dtype == given.dtype or (not strict_load and p.array.dtype.kind == given.array.dtype.kind == 'f')
        said = f'{p.name} is {p.dtype} {p.shape} in the net, but {given.dtype} {given.shape} in the dict'
        must(fits and p.shape == given.shape, LoadError, f'load_param_into_net: {said}')
        p.set_data(given)
    return [name for name in own if name not in found], [name for name in parameter_dict if name not in own]


def _prefix(own: dict, given: dict) -> str:
    """What stands before all names of the one, compared with those of the other."""
    found = {g.removesuffix(name) for name in own for g in given if g.endswith('.' + name)}
    return found.pop() if len(found) == 1 else ''
