"""A Tape in words: a numbered list with the user's own expressions."""

from collections.abc import Callable

from .core.tensor import Tensor
from .judge import judged, of_turn
from .story.events import Walk
from .story.followed import called, printed, tried
from .story.places import written
from .story.stack import Call, ReadBack


def listing(tape: object) -> str:
    """What `print(tape)` shows: the entries forward, the steps backward, the error that ended it."""
    return '\n'.join(_Lines(tape).lines) or 'an empty tape: nothing happened inside the block'


class _Lines:
    """Writes a line for each event that a reader wants to see."""

    def __init__(self, tape: object) -> None:
        self.tape, self.walk, self.lines = tape, Walk(tape), []
        for event in self.walk:
            if say := getattr(self, f'_{type(event).__name__.lower()}', None):
                say(event)
        record, _ = tried(judged, tape) if len(self.walk.gradients) > 1 else (None, None)
        told = [v for run in (record.passes if record else ()) for v in run.verdicts]
        self.lines += [f'of the gradient of a gradient: {v}' for v in told]

    def _value(self, value: object, at: int) -> str:
        return _said(value, lambda t: self.tape.value(t, at))

    def _inside(self, kind: type) -> int:
        """Inside how many Cells, or readings back."""
        return sum(isinstance(item, kind) for item in self.walk.stack.all)

    def _say(self, number: str, what: str, note: str, outside: int = 0) -> None:
        pad = '  ' * (self._inside(Call) - outside + 2 * self._inside(ReadBack))
        self.lines.append(f'{number:>4}  {pad}{what:<{max(1, 40 - len(pad))}}  {note}'.rstrip())

    def _enter(self, event: object) -> None:
        if not event.custom:
            self._say('', written(event.where), f'{type(event.cell).__name__}', outside=1)

    def _op(self, event: object) -> None:
        self._ran(event, event.rule.name)

    def _call(self, event: object) -> None:
        self._ran(event, f'{type(event.cell).__name__}, with its own bprop')

    def _ran(self, event: object, who: str) -> None:
        entry = self.walk.entry
        number = entry.label if entry is not None and entry.kind != 'loose' else ''
        who = entry.name if number and entry.kind == 'hook' else who
        state = '' if number else f', {event.state}'
        self._say(number, written(event.where), f'{who} -> {self._value(event.out, event.at)}{state}')

    def _begin(self, event: object) -> None:
        what = f'a gradient of {called(event.function)} by {_said(event.inputs)}'
        self.lines.append('    ' * self._inside(ReadBack) + what)

    def _back(self, event: object) -> None:
        self.lines.append(f'{"    " * (self._inside(ReadBack) - 1)}reading back')

    def _hook(self, event: object) -> None:
        self._say('', f'hook {called(event.function)}', f'gets {self._value(event.gradients, event.at)}')

    def _pull(self, event: object) -> None:
        number, own = self.walk.turn.entry, hasattr(event.entry, 'cell')
        name = type(event.entry.cell).__name__ if own else event.entry.rule.name
        label, name = (e.label, e.name) if number is not None and (e := self.walk.entries[number]) else ('', name)
        self._say(label, f'{name}.bprop' if own else name, f'gets dout {self._value(event.cotangent, event.at)}')

    def _give(self, event: object) -> None:
        handed = ', '.join('no gradient' if d is None else self._value(d, event.at) for _, d in event.gradients)
        self._say('', '', f'hands out {handed}')
        turn = self.walk.turn
        for verdict in tried(of_turn, self.tape, turn)[0] or () if turn is not None and turn.call is not None else ():
            self._say('', '', str(verdict))

    def _write(self, event: object) -> None:
        self._say('', written(event.where), f'writes, by {event.what}')

    def _report(self, event: object) -> None:
        self._say('', '', event.said)

    def _fail(self, event: object) -> None:
        self.lines.append(f'  !!  {printed(event.error)}')


def _said(value: object, then: Callable | None = None) -> str:
    """A shape; of a single number the number, as it was `then`."""
    if isinstance(value, dict):
        value = tuple(value.values())
    if isinstance(value, (tuple, list)):
        return ', '.join(_said(v, then) for v in value)
    if then is not None and getattr(value, 'shape', None) == ():
        number = (then(value) if isinstance(value, Tensor) else value).item()
        return str(number) if isinstance(number, bool) else f'{number:.4g}'
    return 'None' if value is None else f'{value.shape}' if hasattr(value, 'shape') else type(value).__name__
