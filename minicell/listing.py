"""A Tape in words: a numbered list with the user's own expressions. A graph in words, and as a drawing."""

from functools import lru_cache
from pathlib import Path
from types import CodeType

from .core.errors import Where
from .core.rules import Many
from .core.tensor import Tensor


def listing(tape: object) -> str:
    """What `print(tape)` shows: the entries forward, the steps backward, the error that ended it."""
    return '\n'.join(_Lines(tape).lines) or 'an empty tape: nothing happened inside the block'


class _Lines:
    """Walks the events once and writes a line for each that a reader wants to see."""

    def __init__(self, tape: object) -> None:
        self.tape = tape
        self.lines: list[str] = []
        self.numbers: dict[int, str] = {}
        self.reading = 0  # inside how many readings back
        self.depth = 0  # inside how many Cells
        self.stretch = 0  # inside how many Cells that hide what they do
        self.count: dict[int, int] = {}
        self.open: list[tuple] = []  # the gradients that are: which one, and whether it is read back
        self.readings = 0  # how many readings back there were since the outermost of them began
        self.orders = [0]  # which of them are running
        for event in tape.events:
            getattr(self, f'_{type(event).__name__.lower()}', lambda event: None)(event)

    def _value(self, value: object, at: int) -> str:
        """A shape; of a single number the number, as it was then."""
        if isinstance(value, dict):
            value = tuple(value.values())
        if isinstance(value, (tuple, list)):
            return ', '.join(self._value(v, at) for v in value)
        if getattr(value, 'shape', None) == ():
            number = (self.tape.value(value, at) if isinstance(value, Tensor) else value).item()
            return str(number) if isinstance(number, bool) else f'{number:.4g}'
        return _shape(value)

    def _say(self, number: str, what: str, note: str) -> None:
        pad = '  ' * (self.depth + 2 * self.reading)
        self.lines.append(f'{number:>4}  {pad}{what:<{max(1, 40 - len(pad))}}  {note}'.rstrip())

    def _number(self, event: object) -> str:
        """1, 2 ... for what is recorded going forward; 1', 2' ... by a reading back, 1'', 2'' ... by the next one."""
        if event.state == 'recorded':
            order = self.orders[-1]
            self.count[order] = self.count.get(order, 0) + 1
            self.numbers[event.at] = f'{self.count[order]}{chr(39) * order}'
        return self.numbers.get(event.at, '')

    def _enter(self, event: object) -> None:
        if not event.custom:
            self._say('', _text(event.where), f'{type(event.cell).__name__}')
        self.depth += 1
        self.stretch += event.custom

    def _leave(self, event: object) -> None:
        self.depth -= 1
        if self.stretch and event.cell.bprop is not None:
            self.stretch -= 1

    def _op(self, event: object) -> None:
        state = '' if event.state == 'recorded' else f', {event.state}'
        self._say(
            self._number(event), _text(event.where), f'{event.rule.name} -> {self._value(event.out, event.at)}{state}'
        )

    def _call(self, event: object) -> None:
        state = '' if event.state == 'recorded' else f', {event.state}'
        said = f'{type(event.cell).__name__}, with its own bprop -> {self._value(event.out, event.at)}{state}'
        self._say(self._number(event), _text(event.where), said)

    def _begin(self, event: object) -> None:
        name = getattr(event.function, '__name__', type(event.function).__name__)
        what = ', '.join(_shape(t) for t in event.inputs)
        self.lines.append(f'{"  " * (2 * self.reading)}a gradient of {name} by {what}')
        self.readings = self.readings if self.open else 0
        self.open.append((event.of, False))

    def _back(self, event: object) -> None:
        self.lines.append(f'{"  " * (2 * self.reading)}reading back')
        self.readings = self.readings if self.open else 0
        if self.open and self.open[-1][0] is event.of:
            self.open.pop()
        self.open.append((event.of, True))
        self.reading += 1
        self.readings += 1
        self.orders.append(self.readings)

    def _end(self, event: object) -> None:
        while any(of is event.of for of, _ in self.open):  # and what an exception has left open inside it
            of, reading = self.open.pop()
            self.reading -= reading
            if reading:
                self.orders.pop()
            if of is event.of:
                break

    def _hook(self, event: object) -> None:
        name = getattr(event.function, '__name__', type(event.function).__name__)
        self._say('', f'hook {name}', f'gets {self._value(event.gradients, event.at)}')

    def _pull(self, event: object) -> None:
        name = f'{type(event.entry.cell).__name__}.bprop' if hasattr(event.entry, 'cell') else event.entry.rule.name
        self._say(self.numbers.get(event.entry.at, ''), name, f'gets dout {self._value(event.cotangent, event.at)}')

    def _give(self, event: object) -> None:
        handed = ', '.join('no gradient' if d is None else self._value(d, event.at) for _, d in event.gradients)
        self._say('', '', f'hands out {handed}')

    def _write(self, event: object) -> None:
        self._say('', _text(event.where), f'writes, by {event.what}')

    def _report(self, event: object) -> None:
        self._say('', '', event.said)

    def _fail(self, event: object) -> None:
        self.lines.append(f'  !!  {type(event.error).__name__}: {event.error}')


def _text(where: object) -> str:
    return _written(where.code, where.lasti) if where is not None else ''


@lru_cache(maxsize=1024)  # a loop comes by the same place again and again
def _written(code: CodeType, lasti: int) -> str:
    where = Where(code, lasti)
    if where.ours:
        layer = where.function.split('.')[0]
        return f'(in {layer})' if 'nn' in Path(where.file).parts[-2:] and layer[0].isupper() else '(in minicell)'
    text = f'{where.target} = {where.expression}' if where.target else where.expression
    return text if len(text) <= 60 else text[:57] + '...'


def _shape(value: object) -> str:
    if value is None:
        return 'None'
    if isinstance(value, dict):
        value = tuple(value.values())
    if isinstance(value, (tuple, list)):
        return ', '.join(_shape(v) for v in value)
    return f'{value.shape}' if hasattr(value, 'shape') else type(value).__name__


# ---- a graph (graph/ir.py) -----------------------------------------------------------------------------------------


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
        return f'{outs} = gradient of {node.name}({", ".join(args + [w.name for w in node.weights])})'
    if kind == 'Step':
        written = node.cell.parameters
        some = ', '.join(p.name for p in written[:3]) + (', ...' if len(written) > 3 else '')
        return f'{type(node.cell).__name__}({", ".join(args)})  # writes {some}'
    return f'{names[node.target]} <- {args[0]}  # {node.what}'


def _settings(node: object) -> list[str]:
    """An op's static arguments, by the names that its kernel has for them."""
    given = [repr(a) for a in node.attributes]
    code = getattr(node.rule.kernel, '__code__', None)
    if code is None or not given:
        return given
    names = code.co_varnames[: code.co_argcount]
    names = names[: len(given)] if isinstance(node.rule, Many) else names[-len(given) :]
    return [f'{n}={a}' for n, a in zip(names, given, strict=False)] if len(names) == len(given) else given


def _constant(t: object) -> str:
    if hasattr(t, 'requires_grad'):
        return f'Parameter {t.dtype} {t.shape}'
    return f'constant {t}' if t.size == 1 else f'constant {t.dtype} {t.shape}'


def graph_dot(graph: object) -> str:
    """The graph in the DOT language."""
    names = _names(graph)
    lines = ['digraph {', '  rankdir=LR; node [shape=box, fontname="sans-serif"];']
    lines += [f'  v{s} [label={_quoted(names[s])}, shape=ellipse];' for s in (*graph.inputs, *graph.constants)]
    made_by = {slot: f'v{slot}' for slot in range(graph.slots)}
    for n, node in enumerate(graph.nodes):
        label = node.rule.name if hasattr(node, 'rule') else _node(node, names).split('(')[0]
        style = ', peripheries=2' if type(node).__name__ == 'Call' else ''
        lines.append(f'  n{n} [label={_quoted(label)}{style}];')
        lines += [f'  {made_by[s]} -> n{n};' for s in node.inputs]
        lines += [f'  n{n} -> {made_by[node.target]} [style=dashed];'] if hasattr(node, 'target') else []
        made_by |= dict.fromkeys(node.outs, f'n{n}')
    lines.append('  end [label="return", shape=plaintext];')
    lines += [f'  {source} -> end;' for source in _texts(graph.result([_Name(made_by[s]) for s in range(graph.slots)]))]
    return '\n'.join([*lines, '}'])


def _texts(value: object) -> list[_Name]:
    """The names that stand in a structure."""
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, (tuple, list)) else ()
    return [value] if isinstance(value, _Name) else [name for v in inside for name in _texts(v)]


def _quoted(text: str) -> str:
    return '"' + text.replace('\\', '\\\\').replace('"', '\\"') + '"'
