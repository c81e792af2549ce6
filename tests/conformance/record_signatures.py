"""Record signatures.json again, on MindSpore itself: `PYTHONPATH=. python tests/conformance/record_signatures.py`.

For each public name that minicell has too, the names of its arguments and nothing else; of a name that can be called in
several ways (a method of Tensor, whose ways stand in its docstring alone), one list a way. In a list, `*` divides what
may be given by position from what may not, and `*args` and `**kwargs` are written so.
"""

import inspect
import json
import re
from pathlib import Path

RECORDED = Path(__file__).with_name('signatures.json')
PLACES = (
    '', 'ops', 'nn', 'Tensor', 'Parameter', 'ParameterTuple', 'nn.Cell', 'nn.SequentialCell', 'nn.CellList',
    'nn.CellDict', 'nn.Optimizer', 'nn.TrainOneStepCell', 'ops.Primitive', 'common.initializer',
)  # fmt: skip


def find(module: object, place: str) -> object:
    """What stands at a dotted place, such as 'nn.Cell'."""
    for part in filter(None, place.split('.')):
        module = getattr(module, part)
    return module


def names(signature: inspect.Signature) -> list[str]:
    """The names of a signature, without its `self`."""
    found, divided = [], False
    for p in signature.parameters.values():
        if p.kind is p.KEYWORD_ONLY and not divided:
            found.append('*')
        divided |= p.kind in (p.KEYWORD_ONLY, p.VAR_POSITIONAL)
        found.append({p.VAR_POSITIONAL: '*', p.VAR_KEYWORD: '**'}.get(p.kind, '') + p.name)
    return found[1:] if found[:1] in (['self'], ['cls']) else found


def in_docstring(value: object) -> list[list[str]]:
    """`max() -> Tensor` and `.. method:: Tensor.max(dim, keepdim=False) -> Tensor`, as lists of names."""
    name, text = value.__name__, value.__doc__ or ''
    ways = re.findall(rf'^(?:\s*\.\. (?:method|function):: .*\.)?{name}(\(.*?\))(?: ->.*)?$', text, re.M)
    return [names(inspect.signature(eval(f'lambda {way[1:-1]}: 0'))) for way in dict.fromkeys(ways)]


def ways(owner: object, name: str) -> list[list[str]]:
    """The argument names of each way to call it; none for what is no function, or tells nobody."""
    value = inspect.getattr_static(owner, name, None) or getattr(owner, name)
    value = getattr(value, '__func__', value)
    if not callable(value) or inspect.ismodule(value):
        return []
    if isinstance(value, type) and issubclass(value, BaseException):
        return []
    try:
        found = [names(inspect.signature(value))]
    except ValueError:
        return in_docstring(value)
    if found == [['*args', '**kwargs']]:
        return in_docstring(value)
    if found == [['default_input', '*args', '**kwargs']]:  # Parameter, whose __new__ makes the object
        return [names(inspect.signature(value.__init__))]
    return found


def is_ours(value: object) -> bool:
    return callable(value) and getattr(value, '__module__', '').startswith('minicell')


def common(place: str, theirs: object, ours: object) -> dict[str, list[list[str]]]:
    """The public names of a place that both have, and how MindSpore's are called."""
    listed = vars(ours) if isinstance(ours, type) else dir(ours)  # what a class inherits stands with its base
    shared = [n for n in listed if not n.startswith('_') and hasattr(theirs, n) and is_ours(getattr(ours, n, None))]
    found = {f'{place}.{n}'.strip('.'): ways(theirs, n) for n in shared}
    return {name: found[name] for name in sorted(found) if found[name]}


def main() -> None:
    """Write the list anew."""
    import mindspore

    import minicell

    recorded = {}
    for place in PLACES:
        recorded |= common(place, find(mindspore, place), find(minicell, place))
    lines = [f' {json.dumps(name)}: {json.dumps(found)}' for name, found in recorded.items()]
    RECORDED.write_text('{\n' + ',\n'.join(lines) + '\n}\n')
    print(f'MindSpore {mindspore.__version__}: {len(recorded)} names')


if __name__ == '__main__':
    main()
