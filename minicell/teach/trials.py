"""The toolbox of trials: what the functions that try a learner's answer are made of.

A trial takes an answer and returns a `Trial`. What it notes under `did` is compared with what the stored mistakes did,
so each way to be wrong must leave its own mark there. `Hunt` is a whole trial for a function that finds bugs, and
`BpropCheck` (in `bprop_check`) one for a Cell with a bprop; the other functions are their parts, for lessons that try
something else. A trial takes its inputs as arguments: the tests try the same on others.
"""

import linecache
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from itertools import count
from typing import Any, NamedTuple, NoReturn

import numpy as np

import minicell as ms
from minicell.core.watch import Begin

ORDERS = ('first', 'second', 'third')
NUMERALS = ('no', 'one', 'two', 'three', 'four', 'five')
# What a bprop may raise that is tried by hand; anything else ends the check, which says so.
ERRORS = (TypeError, ValueError, ArithmeticError, AttributeError, ms.errors.MinicellError)
ORDER = np.random.default_rng()  # its own: a learner's random numbers are left alone


class Trial(NamedTuple):
    """What an answer did. `did`: part -> what came out there, for comparing one answer with another."""

    attempted: bool
    passed: bool
    did: dict[str, Any]
    said: str  # what was measured, for the learner
    words: bool = False  # whether the parts are the lines of an answer that is a dict
    shows: tuple[Any, Sequence[Any]] | None = None  # a Cell and its inputs, for whoever wants to see it on the tape


BLANK = Trial(False, False, {}, '')  # the dots are still there


class Ended(Exception):
    """What a trial raises that is over before its end: `trial` is what is to be said, by default that nobody began."""

    def __init__(self, trial: Trial = BLANK) -> None:
        super().__init__(trial.said)
        self.trial = trial


def end(said: str, **did: Any) -> NoReturn:
    """End the trial: the answer is no answer, or nothing more can be tried."""
    raise Ended(Trial(True, False, did, said))


def begun(found: Any) -> Any:
    """What was found; where it is the dots, or an error that is about them, as of `... * dout`, the trial ends."""
    if found is ... or (isinstance(found, BaseException) and 'ellipsis' in str(found)):
        raise Ended
    return found


def dots(returned: Any) -> bool:
    """Whether what a bprop returned is the dots, alone or among gradients."""
    return returned is ... or (isinstance(returned, tuple | list) and any(each is ... for each in returned))


@contextmanager
def quiet() -> Iterator[None]:
    """Without warnings, minicell's and NumPy's: the check names the misconception, says more, and calls often."""
    with warnings.catch_warnings(), np.errstate(all='ignore'):
        warnings.simplefilter('ignore', ms.errors.MinicellWarning)
        yield


runs = count(1)


def executed(code: str, where: str, space: dict[str, Any]) -> None:
    """Execute code. Its lines can be looked up, as those of a cell can."""
    file = f'<{where}, {next(runs)}>'  # other code is another file
    linecache.cache[file] = len(code), None, code.splitlines(True), file
    exec(compile(code, file, 'exec'), space)


def stopped(error: BaseException, what: str = 'Your code') -> str:
    """An error in the learner's code as a sentence, with the line of the learner's where it was raised."""
    where = ''
    for frame, number in traceback.walk_tb(error.__traceback__):
        if not frame.f_globals.get('__name__', '').startswith(('minicell', 'numpy')):
            line = linecache.getline(frame.f_code.co_filename, number).strip()
            where = f', in `{frame.f_code.co_name}`'.replace(', in `<module>`', '') + (f' at `{line}`' if line else '')
    return f'{what} stops with {": ".join(filter(None, [type(error).__name__, str(error)]))}{where}.'


# ---- what kind of answer it is -------------------------------------------------------------------------------------


def cell_of(answer: Any, name: str) -> Any:
    """The Cell with a bprop that an answer is, or whose class it is."""
    cell = answer() if isinstance(answer, type) else answer
    if not isinstance(cell, ms.nn.Cell):
        end(f'Give check the class {name}, or a Cell made of it; it got {type(answer).__name__}.', returned='no Cell')
    if cell.bprop is None:
        end(f'{type(cell).__name__} has no bprop of its own.', returned='no bprop')
    return cell


def function_of(answer: Any, name: str) -> Callable[..., Any]:
    """The function that an answer is."""
    if not callable(answer):
        end(f'Give check the function {name}; it got {type(answer).__name__}.', returned='no function')
    return answer


def class_of(answer: Any, name: str) -> Any:
    """The class of Cells that an answer is."""
    if not (isinstance(answer, type) and issubclass(answer, ms.nn.Cell)):
        end(f'Give check the class {name}; it got {type(answer).__name__}.', returned='no Cell')
    return answer


def dict_of(answer: Any, name: str, keys: Iterable[str]) -> Any:
    """What an answer says to each key, `...` where it says nothing."""
    if not isinstance(answer, dict):
        end(f'Give check the dict {name}; it got {type(answer).__name__}.', returned=type(answer).__name__)
    given = {key: answer.get(key, ...) for key in keys}
    if all(value is ... for value in given.values()):
        raise Ended
    return given


def sorted_words(
    answer: Any, name: str, due: dict[str, str], words: Iterable[str], wrong: Callable[[str, str], str], done: str
) -> Trial:
    """Compare a dict of words with those that are due. `wrong(key, word)` speaks of the first that is wrong."""
    given, words = dict_of(answer, name, due), list(words)
    strange = [f'{word!r}' for word in given.values() if word is not ... and word not in words]
    off = [key for key, word in given.items() if word is not ... and word != due[key]]
    left = [key for key, word in given.items() if word is ...]
    if strange:
        said = f'{strange[0]} is none of the {NUMERALS[len(words)]} words: {", ".join(map(repr, words))}.'
    elif off:
        said = wrong(off[0], given[off[0]])
    elif left:
        said = f'{len(due) - len(left)} of {len(due)} are right. Still open: {", ".join(left)}.'
    else:
        said = done
    return Trial(True, not (strange or off or left), given, said, words=True)


def shuffled(suspects: Sequence[Any]) -> list[tuple[int, Any]]:
    """The suspects with their numbers, in another order for each try: words copied from an earlier verdict fit none."""
    return [(k, suspects[k]) for k in ORDER.permutation(len(suspects))]


class Hunt(NamedTuple):
    """A trial of the learner's function `diagnose`: which of the words is true of a Cell, or of whatever `noun` is.

    `hidden`: suspects that the learner has not seen, each the arguments of `make`, then the word that is due. `make`
    returns what diagnose is given; `called` names a suspect in a sentence; each is asked about `within` something.
    `slope`: of what the learner's function `slope` is asked, in words, its inputs, and what is due.
    """

    words: Sequence[str]
    hidden: Sequence[tuple]
    make: Callable[..., tuple] = lambda suspect: (suspect,)
    called: Callable[..., str] = lambda *suspect: ''
    noun: str = 'Cell'
    slope: tuple[str, Sequence[Any], Any] | None = None
    within: Callable[[], Any] = nullcontext
    times: int = 1  # of suspects that draw random numbers each is asked often: one wrong word counts

    def __call__(self, answer: Any) -> Trial:
        """What the learner's function says of each suspect."""
        function_of(answer, 'diagnose')
        found: list[Any] = [...] * len(self.hidden)
        for k, (*suspect, due) in shuffled(self.hidden):
            with self.within():
                said = [answer(*self.make(*suspect)) for _ in range(self.times)]
            found[k] = next((word for word in said if word != due), due)
        measured, right = None if self.slope is None else beside(answer, 'slope', *self.slope[1]), True
        if all(word is ... for word in found):
            raise Ended
        lines, did = [], {}
        if self.slope is not None and measured is not None:
            did['slope'] = measured  # whoever measures wrongly calls everything wrong, and so do others
            right = isinstance(measured, np.ndarray) and np.allclose(measured, self.slope[2], rtol=1e-2)
            # a helper of that name that is called in another way, and serves
            right = right or (str(measured).endswith('Error') and found == [due for *_, due in self.hidden])
            if not right:
                lines.append(f'✗ Your slope of {self.slope[0]} is {measured}; expected {np.asarray(self.slope[2])}.')
        for k, (word, (*suspect, due)) in enumerate(zip(found, self.hidden, strict=True), 1):
            strange = f'{word!r}, which is none of the {NUMERALS[len(self.words)]} words'
            said = f'“{word}”' if word in self.words else strange
            off = '' if word == due else f'; it is “{due}”'
            who = ', '.join(filter(None, [f'{self.noun} {k}', self.called(*suspect)]))
            lines.append(f'{"✗" if off else "✓"} {who}: you say {said}{off}.')
        # one part: many experiments fail in one place, and only all that was said tells them apart
        did['told'] = tuple(word if isinstance(word, str) else repr(word) for word in found)
        return Trial(True, right and found == [due for *_, due in self.hidden], did, '\n'.join(lines))


def variant(kind: type, **instead: Any) -> type:
    """A class with other methods, whose name says nothing of them."""
    return type(kind.__name__, (kind,), instead)


def beside(answer: Callable, name: str, *given: Any) -> Any:
    """What a function returns that stands beside the answer: an array, or in words what else; None if there is none."""
    function = getattr(answer, '__globals__', {}).get(name)
    if not callable(function):
        return None
    try:
        with ms.Tape() as tape:
            found = function(*given)
        if found is ...:
            return 'still the dots'
        if any(isinstance(event, Begin) for event in tape.events):
            return 'taken from a gradient, not measured'
        found = found.asnumpy() if isinstance(found, ms.Tensor) else found
        return np.asarray(np.asarray(found, np.float64).round(3))
    except (*ERRORS, LookupError) as error:
        return type(error).__name__


@contextmanager
def dice(seed: int) -> Iterator[None]:
    """The same throws each time, and the learner's own dice untouched."""
    before = np.random.get_state()
    np.random.seed(seed)
    try:
        yield
    finally:
        np.random.set_state(before)


# ---- numbers, and what a bprop makes of them ------------------------------------------------------------------------


def points(*shapes: tuple[int, ...], seed: int) -> list[ms.Tensor]:
    """Numbers of each shape, of both signs; the first is a zero, where no slope may be looked for by dividing."""
    rng, made = np.random.default_rng(seed), []
    for k, shape in enumerate(shapes):
        numbers = rng.standard_normal(shape)
        if numbers.size > 1:
            numbers.flat[1] = -abs(numbers.flat[1])
            numbers.flat[0] = abs(numbers.flat[0]) if k else 0.0
        made.append(ms.Tensor(numbers))
    return made


def fresh(inputs: Sequence[Any]) -> list[Any]:
    """Tensors of their own, with the same numbers."""
    return [ms.Tensor(t.asnumpy().copy()) if isinstance(t, ms.Tensor) else t for t in inputs]


def form(returned: Any) -> str:
    """What a bprop returned, in words."""
    if returned is None:
        return 'nothing'
    if isinstance(returned, ms.Tensor):
        return 'a bare Tensor'
    if not isinstance(returned, tuple | list):
        return type(returned).__name__
    if len(returned) == 2 and isinstance(returned[1], dict):
        odd = next((form(key) for key in returned[1] if not isinstance(key, ms.Parameter)), '')
        return f'{form(returned[0])} and a dict of {odd or ", ".join(key.name for key in returned[1])}'
    if any(isinstance(each, tuple | list | dict) for each in returned):
        return f'a tuple of {", ".join(type(each).__name__ for each in returned)}'
    many = len(returned)
    return f'{NUMERALS[many] if many < len(NUMERALS) else many} gradient{"s" * (many != 1)}'


def seen(gradient: Any) -> Any:
    """A gradient as something to compare: its numbers, or what it is instead."""
    if isinstance(gradient, ms.Tensor):
        return gradient.asnumpy().astype(np.float64)
    if type(gradient) in (int, float) and gradient == 0:
        return 'zero'
    return gradient if gradient is None else type(gradient).__name__


def compared(
    found: np.ndarray, right: np.ndarray, named: Callable, what: str = 'your dx', rtol: float = 1e-5, atol: float = 1e-8
) -> str:
    """The first number that is off, NaN before others, in a sentence; '' if none is. `named(place)`: where it is."""
    if found.shape != right.shape:
        return f'{what} has shape {found.shape}; expected {right.shape}.'
    off = np.argwhere(~np.isclose(found, right, rtol=rtol, atol=atol))
    if not len(off):
        return ''
    place = next((tuple(at) for at in off if np.isnan(found[tuple(at)])), tuple(off[0]))
    value = 'NaN' if np.isnan(found[place]) else f'{round(float(found[place]), 12) + 0.0:.4g}'
    return f'{named(place)}: {what} is {value}; expected {right[place] + 0.0:.4g}.'
