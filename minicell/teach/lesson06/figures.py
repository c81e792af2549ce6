"""The figures of lesson 06: train a suspect beside the lamp of a gradient check, and try the tests on it."""

from collections.abc import Callable, Generator, Iterator
from functools import cache
from typing import Any, NamedTuple

import minicell as ms
from minicell.teach.figure import Drawing, Figure, choice
from minicell.teach.ink.shapes import FORWARD, INK, MUTED, RULE, WRONG, Box, Path, Shape, text, tick
from minicell.teach.ink.table import Column, Drawn, table, verdict
from minicell.teach.ink.thumb import short
from minicell.teach.train import Curve, Line, Training, chart, lamp

from .probes import PROBES, numbers
from .suspects import LETTERS, MatMul, suspect

WIDTH = 760
HEIGHT = 300
LEFT = 16
TOP_LOSS = 1.2
SMALL = (WIDTH / 4, 176)  # one suspect of the still
ROW = 27


class Lamp(NamedTuple):
    """What a gradient check says."""

    ok: bool
    lines: tuple[str, ...]


@cache
def checked(letter: str) -> Lamp:
    """The gradient check of a suspect, on a few random numbers."""
    x, w, dout = (ms.Tensor(array) for array in numbers(0))
    found = ms.check_bprop(suspect(LETTERS[letter]), x, w, sens=dout)
    said = (f'd{row.name} {"is right" if row.ok else f"is off by {short(row.off)}"}' for row in found.rows)
    return Lamp(found.ok, tuple(said))


def trained(run: Generator[float, None, Any], steps: int) -> Curve:
    """A run to its end."""
    losses: list[float] = []
    while True:
        try:
            losses.append(float(next(run)))
        except StopIteration as end:
            return Curve(tuple(losses), steps, end.value)


def suspects(
    net: Callable[[Any], Any], train: Callable[..., Iterator[float]], accuracy: Callable[[Any], float], steps: int = 600
) -> Training:
    """Choose a suspect and train net(suspect). train(network, steps) yields losses, accuracy(network) is their end."""

    def run(product: Any) -> Generator[float, None, float]:
        network = net(product)
        yield from train(network, steps)
        return accuracy(network)

    letters = tuple(LETTERS)
    right = trained(run(MatMul()), steps)
    all_of_them = [trained(run(suspect(LETTERS[letter])), steps) for letter in letters]
    return Training(
        'suspects',
        'Suspect',
        letters,
        lambda choice: run(suspect(LETTERS[letters[choice]])),
        steps,
        lambda choice, curve: draw(letters[choice], curve, right),
        gallery(dict(zip(letters, all_of_them, strict=True)), right),
    )


def draw(letter: str, curve: Curve, right: Curve) -> Drawing:
    """One suspect: its loss beside that of the right bprop, its accuracy, and the lamp."""
    begun, ended = bool(curve.losses), curve.result is not None
    name, title = f'suspect {letter}', f'Suspect {letter}'
    out: list[Shape] = [Box(0.5, 0.5, WIDTH - 1, HEIGHT - 1, stroke=RULE, radius=4)]
    out.append(text(LEFT, 30, 300, title, 18, bold=True))
    out += legend(206, 30, name)
    lines = [Line(right.losses, 'right', False), Line(curve.losses, name)]
    out += chart(lines, curve.steps, TOP_LOSS, (LEFT + 38, 70, 430, 186))
    x = 520
    out.append(text(x, 70, 224, 'accuracy at the end', 13, MUTED))
    out.append(text(x, 102, 110, f'{curve.result:.2f}' if ended else '?', 28, bold=True))
    out.append(text(x + 90, 102, 140, f'right bprop: {right.result:.2f}', 13, MUTED))
    out.append(text(x, 146, 224, 'gradient check', 13, MUTED))
    verdict = checked(letter) if ended else None
    out += lamp(verdict.ok if verdict else None, x, 158, 56)
    if verdict is None:
        out.append(text(x + 70, 182, 160, 'not lit yet', 16, MUTED, bold=True))
        out.append(text(x + 70, 203, 160, 'train to the end first', 13, MUTED))
        said = f'{title} is not trained yet.' if not begun else f'{title} after {len(curve.losses)} steps.'
        return Drawing(out, (WIDTH, HEIGHT), title, said)
    colour = FORWARD if verdict.ok else WRONG
    out.append(text(x + 70, 178, 160, 'right' if verdict.ok else 'wrong', 17, colour, bold=True))
    out += [text(x + 70, 198 + 18 * k, 160, line, 13) for k, line in enumerate(verdict.lines)]
    return Drawing(out, (WIDTH, HEIGHT), title, says(letter, curve, right))


def legend(x: float, y: float, name: str) -> list[Shape]:
    """Which line is which."""
    return [
        Path((((x, y - 5), (x + 30, y - 5)),), FORWARD, 3),
        text(x + 38, y, 80, name, 13),
        Path((((x + 138, y - 5), (x + 168, y - 5)),), INK, 1.5, dash='5 4'),
        text(x + 176, y, 120, 'the right bprop', 13),
    ]


def says(letter: str, curve: Curve, right: Curve) -> str:
    """A trained suspect in words."""
    verdict = checked(letter)
    return (
        f'Suspect {letter}: the loss goes from {short(curve.losses[0])} to {short(curve.losses[-1])} '
        f'in {len(curve.losses)} steps, accuracy {curve.result:.2f} (the right bprop: {right.result:.2f}). '
        f'Gradient check: {"right" if verdict.ok else "wrong"}; {", ".join(verdict.lines)}.'
    )


def gallery(curves: dict[str, Curve], right: Curve) -> Drawing:
    """All suspects at once, for a page without a kernel."""
    wide, high = SMALL
    out: list[Shape] = []
    for k, (letter, curve) in enumerate(curves.items()):
        x, y = k % 4 * wide, k // 4 * high
        verdict = checked(letter)
        out.append(Box(x + 4, y + 4, wide - 8, high - 8, stroke=RULE, radius=4))
        out.append(text(x + 14, y + 26, 24, letter, 17, bold=True))
        out.append(text(x + 38, y + 25, 92, f'accuracy {curve.result:.2f}', 12))
        out += lamp(verdict.ok, x + wide - 52, y + 10, 22)
        out.append(text(x + wide - 14, y + 46, 60, 'right' if verdict.ok else 'wrong', 12, anchor='end'))
        lines = [Line(right.losses, 'right', False), Line(curve.losses, letter)]
        out += chart(lines, curve.steps, TOP_LOSS, (x + 38, y + 58, wide - 54, 86))
    out += legend(206, 2 * high + 18, 'the suspect')
    title = f'Eight suspects, {right.steps} steps each'
    return Drawing(
        out, (WIDTH, 2 * high + 30), title, '\n'.join(says(letter, curve, right) for letter, curve in curves.items())
    )


# ---- the tests -----------------------------------------------------------------------------------------------------


@cache
def outcomes(letter: str) -> dict[str, bool | float]:
    """What each test says of a suspect; '' is the right one."""
    cell = suspect(LETTERS[letter]) if letter else MatMul()
    return {name: probe.test(cell) for name, probe in PROBES.items()}


def draw_tests(letter: str) -> Drawing:
    """What the tests say of one suspect: a tick or a cross each, and what it cost."""
    name = f'Suspect {letter}' if letter else 'The right bprop'
    out: list[Shape] = [text(LEFT, 30, 240, name, 18, bold=True)]
    columns = [
        Column(LEFT, 'test', 90, mono=True),
        Column(150, 'calls', 60, 'end'),
        Column(180, 'says', 76),
        Column(262, 'what it asks', WIDTH - LEFT - 262),
    ]
    rows, said = [], []
    for test, found in outcomes(letter).items():
        word = 'yes' if found is True else 'no' if found is False else short(found)
        asks = PROBES[test].test.__doc__.splitlines()[0]
        rows.append([test, str(PROBES[test].calls), verdict(found is True, word, 76), asks])
        said.append(f'{test} {word}')
    out += table(columns, rows, 56, ROW, (LEFT, WIDTH - LEFT))
    size = (WIDTH, 82 + len(PROBES) * ROW - 8)
    out.append(Box(0.5, 0.5, size[0] - 1, size[1] - 1, stroke=RULE, radius=4))
    return Drawing(out, size, name, f'{name}: {", ".join(said)}.')


def overview() -> Drawing:
    """What every test says of every suspect, for a page without a kernel."""
    title = 'All tests, all suspects'
    out: list[Shape] = [text(LEFT, 30, 300, title, 18, bold=True)]
    suspects_of = ('', *LETTERS)
    columns = [Column(LEFT, 'test', 90, mono=True), Column(150, 'calls', 60, 'end')]
    columns += [Column(208 + 62 * k, letter or 'right', 60, 'middle') for k, letter in enumerate(suspects_of)]
    rows, said = [], []
    for test, probe in PROBES.items():
        rows.append([test, str(probe.calls), *(told(outcomes(letter)[test]) for letter in suspects_of)])
        no = [letter for letter in LETTERS if outcomes(letter)[test] is not True]
        said.append(f'{test} says no to {", ".join(no) or "nobody"}')
    out += table(columns, rows, 56, ROW, (LEFT, WIDTH - LEFT))
    size = (WIDTH, 82 + len(PROBES) * ROW - 8)
    out.append(Box(0.5, 0.5, size[0] - 1, size[1] - 1, stroke=RULE, radius=4))
    factors = ', '.join(f'{letter} {short(outcomes(letter)["slope"])}' for letter in LETTERS)
    return Drawing(out, size, title, f'{title}: {"; ".join(said)}. The numbers of slope: {factors}.')


def told(found: bool | float) -> Drawn:
    """What one test says of one suspect: a tick, a cross, or the number."""
    colour = FORWARD if found is True else WRONG
    if isinstance(found, bool):
        return lambda x, y: [tick(x - 7, y - 12, found, colour, 14)]
    return lambda x, y: [text(x, y, 60, short(found), 13, colour, 'middle', True)]


def tests() -> Figure:
    """Choose a suspect, and see what each test says of it."""
    letters = ('', *LETTERS)
    control = choice('Suspect', [letter or 'the right one' for letter in letters])
    return Figure('tests', control, lambda k: draw_tests(letters[int(k)]), stills=(1, overview()))


FIGURES = {'suspects': suspects, 'tests': tests}
