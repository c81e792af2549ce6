"""The values of one network's Parameters, written into another's."""

from ..common.parameter import Parameter
from ..core.errors import article, users_line
from ..errors import LoadError, PropertyError
from .cell import Cell


def load_param_into_net(
    net: Cell, parameter_dict: dict[str, Parameter], strict_load: bool = False
) -> tuple[list[str], list[str]]:
    """Write values into the Parameters of net that have these names; returns the names that got none, and those left.

    Floats of another width are cast, unless strict_load. Where no name fits, a prefix before all names of the dict is
    passed over. Raises TypeError for what is no Cell, no dict or no Parameter, RuntimeError for another shape or dtype.

    >>> import minicell as ms
    >>> old, new = ms.nn.Dense(1, 1, weight_init=2), ms.nn.Dense(1, 1, weight_init=0)
    >>> print(ms.load_param_into_net(new, old.parameters_dict()), new.weight.asnumpy())
    ([], []) [[2.]]
    """
    for what, value, kind in (
        ('net', net, Cell),
        ('parameter_dict', parameter_dict, dict),
        ('strict_load', strict_load, bool),
    ):
        if not isinstance(value, kind):
            raise PropertyError(
                f'load_param_into_net: {what} is {article(kind.__name__)}, but got {article(type(value).__name__)}.'
                f'{users_line()}'
            )
    for name, p in parameter_dict.items():
        if not isinstance(name, str) or not isinstance(p, Parameter):
            raise PropertyError(
                f'load_param_into_net: the dict holds names and Parameters, but got {article(type(name).__name__)} and '
                f'{article(type(p).__name__)}.{users_line()}'
            )
    own = net.parameters_dict()
    prefix = '' if strict_load or own.keys() & parameter_dict.keys() else _prefix(own, parameter_dict)
    missing = []
    for name, p in own.items():
        given = parameter_dict.get(prefix + name)
        if given is None:
            missing.append(name)
        else:
            _check(p, given, strict_load)
            p.set_data(given)
    return missing, [name for name in parameter_dict if name not in own]


def _prefix(own: dict, given: dict) -> str:
    """What stands before all names of the one, compared with those of the other."""
    found = {g.removesuffix(name) for name in own for g in given if g.endswith('.' + name)}
    return found.pop() if len(found) == 1 else ''


def _check(p: Parameter, given: Parameter, strict: bool) -> None:
    fits = p.dtype == given.dtype or (not strict and p.array.dtype.kind == given.array.dtype.kind == 'f')
    if p.shape != given.shape or not fits:
        raise LoadError(
            f'load_param_into_net: {p.name} is {p.dtype} {p.shape} in the net, but {given.dtype} {given.shape} in the '
            f'dict.{users_line()}'
        )
