"""A graph in words."""

from inspect import unwrap

from ..core.rules import Many


class _Name(str):
    """What a printed graph calls a value: it stands in a printed tuple without quotes."""

    __repr__ = str.__str__


def _names(graph: object) -> list[_Name]:
    """Of all its values: inputs and constants have labels, and what its nodes make is numbered."""
    made = [slot for node in graph.nodes for slot in node.outs]
    found = graph.labels | {slot: f'%{k}' for k, slot in enumerate(made, 1) if slot not in graph.labels}
    return [_Name(found.get(slot, f'%{slot}')) for slot in range(graph.slots)]


def graph_lines(graph: object, pad: str = '') -> list[str]:
    """What `print(graph)` shows: its inputs, its constants, which way each `if` went, its nodes, what it returns."""
    names = _names(graph)
    heads = ', '.join(f'{names[s]}: {graph.types[s]}' for s in graph.inputs)
    lines = [f'{pad}graph {graph.name}({heads})']
    lines += [f'{pad}  {names[s]} = {_constant(t)}' for s, t in graph.constants.items()]
    lines += [f'{pad}  {names[s]} = {_constant(t)}, made in each call' for s, t in graph.made.items()]
    lines += [f'{pad}  frozen: `{text}` was {taken} ({where})' for text, taken, where in graph.branches]
    for node in graph.nodes:
        lines.append(f'{pad}  {_node(node, names)}')
        lines += graph_lines(node.body, pad + '    ') if hasattr(node, 'body') else []
    return [*lines, f'{pad}  return {graph.result(names)!r}']


def _node(node: object, names: list[_Name]) -> str:
    args, kind = [names[s] for s in node.inputs], type(node).__name__
    outs = ', '.join(names[s] for s in node.outs)
    if kind == 'Op':
        return f'{outs} = {node.rule.name}({", ".join(args + _settings(node))})'
    if kind == 'Call':
        return f'{outs} = {type(node.cell).__name__}({", ".join(args)})  # bprop: its own'
    if kind == 'Grad':
        return f'{outs} = gradient of {node.name}({", ".join(args + [names[s] for s in node.weights])})'
    if kind == 'Step':
        written = node.cell.parameters
        some = ', '.join(p.name for p in written[:3]) + (', ...' if len(written) > 3 else '')
        return f'{type(node.cell).__name__}({", ".join(args)})  # writes {some}'
    return f'{names[node.target]} <- {args[0]}  # {node.what}'


def _settings(node: object) -> list[str]:
    """An op's static arguments, by the names that its kernel has for them."""
    given = [repr(a) for a in node.attributes]
    code = getattr(unwrap(node.rule.kernel), '__code__', None)
    if code is None or not given:
        return given
    names = code.co_varnames[: code.co_argcount]
    names = names[: len(given)] if isinstance(node.rule, Many) else names[-len(given) :]
    return [f'{n}={a}' for n, a in zip(names, given, strict=False)] if len(names) == len(given) else given


def _constant(t: object) -> str:
    if hasattr(t, 'requires_grad'):
        return f'Parameter {t.dtype} {t.shape}'
    return f'constant {t}' if t.size == 1 else f'constant {t.dtype} {t.shape}'
