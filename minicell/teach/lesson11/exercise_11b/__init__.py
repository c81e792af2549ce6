"""Exercise 11b: six ways to bring a weight into bprop, and where each runs."""

from typing import Any

from minicell.teach.exercise import Trial
from minicell.teach.lesson11.statements import STATEMENTS, modes

TASK = 'Sort the statements A to F. Each is one of `both`, `eager only` and `neither`: in which modes does it run?'
NAME = 'modes'
CHOICES = ('both', 'eager only', 'neither')
HINTS = (
    'The document says: the use of `Parameter` is not supported in `bprop`. It says so for graph mode. Which of the '
    'six read or write a Parameter that is none of their inputs?',
    'An input is an input, whatever it is: a Parameter that comes through the door is a Tensor like any other. And a '
    'Python number is frozen into the graph.',
    'One of them does not run anywhere: it hands out a gradient for something that it has not declared. Lesson 10 had '
    'the line that is missing there.',
)


def found() -> dict[str, tuple[str, str]]:
    """The word for each statement, and what was said, by running it in both modes."""
    return {letter: modes(kind) for letter, kind in STATEMENTS.items()}


def trial(answer: Any) -> Trial:
    """Compare a dict of words with what runs."""
    if not isinstance(answer, dict):
        said = f'check wants the dict {NAME}; it got {type(answer).__name__}.'
        return Trial(True, False, {'returned': type(answer).__name__}, said)
    given = {letter: answer.get(letter, ...) for letter in STATEMENTS}
    if all(word is ... for word in given.values()):
        return Trial(False, False, {}, '')
    left = [letter for letter, word in given.items() if word is ...]
    strange = [f'{word!r}' for word in given.values() if word is not ... and word not in CHOICES]
    wrong = [letter for letter in STATEMENTS if letter not in left and given[letter] != found()[letter][0]]
    if strange:
        said = f'{strange[0]} is none of the words: {", ".join(CHOICES)}.'
    elif wrong:
        said = f'{wrong[0]} is not “{given[wrong[0]]}”. Run in both modes, it says: {found()[wrong[0]][1]}.'
    elif left:
        said = f'So far so good. Still open: {", ".join(left)}.'
    else:
        said = '\n'.join(f'{letter}: {word} ({how})' for letter, (word, how) in found().items())
    return Trial(True, not (strange or wrong or left), given, said)
