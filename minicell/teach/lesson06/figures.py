"""The figures of lesson 06: train a suspect beside the lamp of a gradient check, and try the tests on it."""

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NamedTuple

import minicell as ms
from minicell.ink.boxes import Box, Card, Column, Grid, Row, Space, Text
from minicell.ink.numbers import said
from minicell.teach.figure import WIDTH, Drawing, Figure
from minicell.teach.plot import Line, Stroke, chart

from .probes import PROBES, numbers
from .suspects import LETTERS, MatMul, suspect

TOP_LOSS = 1.2
ACROSS = 4  # suspects in a row of the still


class Lamp(NamedTuple):
    """What a gradient check says."""

    ok: bool
    lines: tuple[str, ...]


class Run(NamedTuple):
    """A training: the loss of each step, and the accuracy at the end."""

    losses: tuple[float, ...]
    accuracy: float


@cache
def checked(letter: str) -> Lamp:
    """The gradient check of a suspect, on a few random numbers."""
    x, w, dout = (ms.Tensor(array) for array in numbers(0))
    found = ms.check_bprop(suspect(LETTERS[letter]), x, w, sens=dout)
    told = (f'd{row.name} {"is right" if row.ok else f"is off by {said(row.off)}"}' for row in found.rows)
    return Lamp(found.ok, tuple(told))


def suspects(
    net: Callable[[Any], Any], train: Callable[..., Iterator[float]], accuracy: Callable[[Any], float], steps: int = 600
) -> Figure:
    """Choose a suspect: net(suspect) is trained. train(network, steps) yields losses, accuracy(network) ends them."""

    def trained(product: Any) -> Run:
        network = net(product)
        losses = tuple(map(float, train(network, steps)))
        return Run(losses, accuracy(network))

    right, runs = trained(MatMul()), {letter: trained(suspect(LETTERS[letter])) for letter in LETTERS}
    names = {letter: letter for letter in LETTERS}
    draw_one = lambda letter: draw(letter, runs[letter], right)
    return Figure('suspects', 'Suspect', [*LETTERS], draw_one, 'A', (gallery(runs, right),), names)


def draw(letter: str, run: Run, right: Run) -> Drawing:
    """One suspect: its loss beside that of the right bprop, its accuracy, and the lamp."""
    title, verdict = f'Suspect {letter}', checked(letter)
    word = 'right' if verdict.ok else 'wrong'
    words = [Text(word, 'mid2' if verdict.ok else 'mid2 xx'), *map(Text, verdict.lines)]
    side = Column(
        Text('accuracy at the end', 'dim'),
        Row(Text(said(run.accuracy), 'xxl'), Text(f'right bprop: {said(right.accuracy)}', 'dim')),
        Space(h=14), Text('gradient check', 'dim'),
        Row(lamp(verdict.ok, 56), Column(*words, Space(150), gap=2), gap=14), gap=4,
    )  # fmt: skip
    lines = [Line(right.losses, 'right', False), Line(run.losses, 'suspect')]
    return Drawing(
        Row(Column(legend(title), chart(lines, len(right.losses), TOP_LOSS, (430, 186))), side, gap=40, across='start'),
        title,
        f'After {len(run.losses)} steps. The gradient check says: {word}.',
        says(letter, run, right),
    )


def legend(name: str) -> Box:
    """Which line is which."""
    return Row(Stroke('pen f'), Text(name), Space(16), Stroke('pen dash'), Text('the right bprop'))


def says(letter: str, run: Run, right: Run) -> str:
    """A trained suspect in words."""
    verdict = checked(letter)
    return (
        f'Suspect {letter}: the loss goes from {said(run.losses[0])} to {said(run.losses[-1])} '
        f'in {len(run.losses)} steps, accuracy {said(run.accuracy)} (the right bprop: {said(right.accuracy)}). '
        f'Gradient check: {"right" if verdict.ok else "wrong"}; {", ".join(verdict.lines)}.'
    )


def gallery(runs: dict[str, Run], right: Run) -> Drawing:
    """All suspects at once, for a page without a kernel."""
    cards = []
    for letter, run in runs.items():
        lines = [Line(right.losses, 'right', False), Line(run.losses, 'suspect')]
        head = Row(Text(letter, 'mid2'), Text(f'accuracy {said(run.accuracy)}', 'dim'), Space(grows=1),
                   lamp(checked(letter).ok, 24), gap=6)  # fmt: skip
        small = chart(lines, len(right.losses), TOP_LOSS, (WIDTH / ACROSS - 74, 84), letter)
        cards.append(Card(Column(head, small, gap=3), 'card', (8, 6), at=(None, 0)))
    rows = [cards[k : k + ACROSS] for k in range(0, len(cards), ACROSS)]
    title = f'Eight suspects, {len(right.losses)} steps each'
    return Drawing(
        Column(Grid(rows, gap=(8, 8)), legend('the suspect')),
        title,
        'The lamp is the gradient check of each.',
        '\n'.join(says(letter, run, right) for letter, run in runs.items()),
    )


# ---- the tests -----------------------------------------------------------------------------------------------------


@cache
def outcomes(letter: str) -> dict[str, bool | float]:
    """What each test says of a suspect, or of a bug; '' is the right one."""
    cell = suspect(letter) if letter else MatMul()
    return {name: probe.test(cell) for name, probe in PROBES.items()}


def draw_tests(letter: str) -> Drawing:
    """What the tests say of one suspect, and what it cost."""
    name = f'Suspect {letter}' if letter else 'The right bprop'
    rows: list[list[Box]] = [[Text(head, 'dim') for head in ('test', 'calls', 'says', 'what it asks')]]
    told = []
    for test, found in outcomes(letter).items():
        word = 'yes' if found is True else 'no' if found is False else said(found)
        sign = Text(f'✓ {word}', 'b') if found is True else Text(f'✗ {word}', 'xx')
        asks = PROBES[test].test.__doc__.splitlines()[0]
        rows.append([Text(test, 'm'), Text(str(PROBES[test].calls)), sign, Text(asks)])
        told.append(f'{test} {word}')
    return Drawing(Grid(rows, gap=(30, 8), stretch=()), name, '', f'{name}: {", ".join(told)}.')


def overview() -> Drawing:
    """What every test says of every suspect, for a page without a kernel."""
    title = 'All tests, all suspects'
    suspects_of = ('', *LETTERS)
    heads = ('test', 'calls', *(letter or 'right' for letter in suspects_of))
    rows: list[list[Box]] = [[Text(head, 'dim') for head in heads]]
    told = []
    for test, probe in PROBES.items():
        signs = [sign(outcomes(letter)[test]) for letter in suspects_of]
        rows.append([Text(test, 'm'), Text(str(probe.calls)), *signs])
        no = [letter for letter in LETTERS if outcomes(letter)[test] is not True]
        told.append(f'{test} says no to {", ".join(no) or "nobody"}')
    factors = ', '.join(f'{letter} {said(outcomes(letter)["slope"])}' for letter in LETTERS)
    words = f'{title}: {"; ".join(told)}. The numbers of slope: {factors}.'
    return Drawing(Grid(rows, gap=(20, 8)), title, '', words)


def sign(found: bool | float) -> Box:
    """What one test says of one suspect: a tick, a cross, or the number."""
    words = '✓' if found is True else '✗' if found is False else said(found)
    return Text(words, 'b' if found is True else 'xx')


def tests() -> Figure:
    """Choose a suspect, and see what each test says of it."""
    letters = ('', *LETTERS)
    names = {letter: letter or 'right' for letter in letters}
    return Figure('tests', 'Suspect', letters, draw_tests, '', ('A', overview()), names)


FIGURES = {'suspects': suspects, 'tests': tests}


def lamp(ok: bool, side: float) -> Box:
    """A lamp: a circle with a tick (right), or a square with a cross (wrong)."""
    word, look, ink = ('✓', 'card f cur', 'big mid') if ok else ('✗', 'card torn', 'big mid xx')
    return Card(Text(word, ink), look, (0, 0), (side, side), rx=side / 2 if ok else 4)
