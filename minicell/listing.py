"""A Tape in words: a numbered list with the user's own expressions."""

from pathlib import Path


def listing(tape: object) -> str:
    """What `print(tape)` shows: the entries forward, the steps backward, the error that ended it."""
    return '\n'.join(_Lines(tape).lines) or 'an empty tape: nothing happened inside the block'


class _Lines:
    """Walks the events once and writes a line for each that a reader wants to see."""

    def __init__(self, tape: object) -> None:
        self.lines: list[str] = []
        self.numbers: dict[int, str] = {}
        self.reading = 0  # inside how many readings back
        self.depth = 0  # inside how many Cells
        self.stretch = 0  # inside how many Cells that hide what they do
        self.count: dict[int, int] = {}
        self.gradients = 0  # how many are open
        self.readings = 0  # how many readings back there were since the outermost of them began
        self.orders = [0]  # which of them are running
        for event in tape.events:
            getattr(self, f'_{type(event).__name__.lower()}')(event)

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
        self._say(self._number(event), _text(event.where), f'{event.rule.name} -> {_shape(event.out)}{state}')

    def _call(self, event: object) -> None:
        state = '' if event.state == 'recorded' else f', {event.state}'
        said = f'{type(event.cell).__name__}, with its own bprop -> {_shape(event.out)}{state}'
        self._say(self._number(event), _text(event.where), said)

    def _begin(self, event: object) -> None:
        name = getattr(event.function, '__name__', type(event.function).__name__)
        what = ', '.join(_shape(t) for t in event.inputs)
        self.lines.append(f'{"  " * (2 * self.reading)}a gradient of {name} by {what}')
        self.readings = self.readings if self.gradients else 0
        self.gradients += 1

    def _back(self, event: object) -> None:
        self.lines.append(f'{"  " * (2 * self.reading)}reading back')
        self.reading += 1
        self.readings += 1
        self.orders.append(self.readings)

    def _end(self, event: object) -> None:
        self.reading -= 1
        self.gradients -= 1
        self.orders.pop()

    def _pull(self, event: object) -> None:
        name = f'{type(event.entry.cell).__name__}.bprop' if hasattr(event.entry, 'cell') else event.entry.rule.name
        self._say(self.numbers.get(event.entry.at, ''), name, f'gets dout {_shape(event.cotangent)}')

    def _give(self, event: object) -> None:
        handed = ', '.join('no gradient' if d is None else _shape(d) for _, d in event.gradients)
        self._say('', '', f'hands out {handed}')

    def _write(self, event: object) -> None:
        self._say('', _text(event.where), f'writes, by {event.what}')

    def _report(self, event: object) -> None:
        self._say('', '', event.said)

    def _fail(self, event: object) -> None:
        self.lines.append(f'  !!  {type(event.error).__name__}: {event.error}')


def _text(where: object) -> str:
    if where is None:
        return ''
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
