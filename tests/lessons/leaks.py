"""What stands open between a question and its answer: a reader who has not committed can read it.

A zone begins under a question. It ends where the second section after the locked cell begins, or the next question;
what is folded until it is wanted is left out. No sentence in it may say what is right, by most of the words in which
the right answer differs from the others, or by a number or a turn of phrase that `SAID` knows; and no code in it may
name the error that is the answer. Headings are read first, in the outline, so none of them may say it either.
"""

import re
from collections.abc import Iterator

from minicell.teach.about import about
from minicell.teach.question import Question
from minicell.teach.source import Cell, paths, read

# What would give an answer away in other words than its own. Who reads a text that does, adds it here.
SAID = {
    '01 entries': r'three (entries|products)|one entry (for each|per) (round|product)',
    '01 branch': r'fourth entry|the root (is|has) (taken|an entry)',
    '02 twice': r'\bare added|add up|both count',
    '02 dout': r'five times|dout` is 5',
    '03 takeover': r'nobody (checks|compares)|of your `bprop`\s+instead|never reaches',
    '03 scale': r'do not change|stay as they are|no `dout` stands',
    '04 falling': r'what the loss does not show|the square was forgotten',
    '04 eps': r'climbs again|get smaller at first|eps near|lowest place|digits cancel|take `eps = 1e-2`',
    '04 kink': r'found the mean',
    '05 contract': r'backward stops|red box|what came and what was expected|BpropShapeError',
    '06 random': r'the first layer learns|it trains because|still training',
    '07 mask': r'is a tuple of two',
    '07 dout': r'the zeros in',
    '07 anew': r'is wrong|need not be right|half of it',
    '08 kills': r'a 0 among them|not a gap|at the three places|needs no bprop',
    '08 loop': r'no entry',
    '08 edge': r'never moves again\. |training went wrong|part ways',
    '08 learns': r'no gradient passes there|as lesson 12 does',
    '09 twice': r'second tape|lines of `bprop` (write|are recorded)',
    '09 seed': r'slope of relu|straight line|8 and 1',
    '09 saved': r'second tape is empty|is a constant|did the second order go',
    '10 train': r'no wire|is not taped, so',
    '10 length': r'one place: the sum|backward sums|BpropShapeError',
    '10 tuple': r'BpropCountError',
    '11 runs': r'runs what they did|runs by Python|is not asked again',
    '11 stops': r'frozen|never becomes 0|go unnoticed',
    '12 true': r'would you have looked',
    '12 steeper': r'high peak|height of? 10|height brought down|rescue a = 100',
    '13 entry': r'addresses of its inputs|for rule, ',
    '13 colleague': r'is among them',
    '14 bits': r'true gradient is zero|true gradient: 0',
    '13 fan': r'6 and 2|is added to what',
    '15 dice': r'another mask|throws anew|draws again|keep the seed|not the only cause',
}
# The same of what comes before the question, in the lesson, in its exercises, and at the end of the lesson before it.
BEFORE = {
    '09 saved': r'is a constant',
    '10 train': r'was cut|gets no gradient',
    '10 tuple': r'gradients? (for|of) (the )?inputs',
    '11 stops': r'`if` and a loop',
    '13 fan': r'what is wrong with that',
    '13 colleague': r'first leaf: its address|other leaf works|the answer is 0',
}
TAPE = '(the picture of a tape)'
# The tapes in a zone whose picture answers: each is what its lesson is about, and no section on it can come earlier.
SHOWN = {'01 entries', '02 twice', '03 takeover', '07 dout', '08 kills', '09 twice', '10 train'}
# Where the code of the locked cell says it: the documentation's listing takes the mask from `out`.
WRITTEN = {'07 mask'}
SMALL = """a an and are as at be but by do does for from has have if in is it its no not of on one or so than that the
their then there they this to was what which while who with"""
SHARE = 0.75  # of the telling words, from which on a sentence says what is right


def words(text: str) -> set[str]:
    """The words and numbers of a text that mean something."""
    return set(re.findall(r'[a-z_]+|\d[\d.]*', text.lower().replace('`', ''))) - {*SMALL.split()}


def telling(question: Question) -> set[str]:
    """By which words the right answer differs from what is asked, and from the other answers."""
    others = [question.ask, *(choice.text for choice in question.choices if not choice.right)]
    right = next(choice.text for choice in question.choices if choice.right)
    return words(right) - set().union(*map(words, others))


def zones(number: str) -> Iterator[tuple[str, Question, str]]:
    """Each prediction of a lesson, and what stands open after it."""
    cells = read(paths()[number])
    heads = [line for cell in cells if cell.kind == 'markdown' for line in re.findall(r'^#+ .*', cell.text, re.M)]
    for k, cell in enumerate(cells):
        if cell.kind == 'predict':
            text = '\n\n'.join([*heads, *opened(cells[k + 1 :], cell.asks)])
            yield cell.asks, about(number).questions[cell.asks], text


def opened(cells: list[Cell], name: str) -> Iterator[str]:
    """The texts of a zone."""
    locked = sections = 0
    for cell in cells:
        if cell.kind == 'markdown':
            text = re.sub(r'<details>.*?</details>|```.*?```', '', cell.text, flags=re.S)
            if locked:
                for part in re.split(r'^(?=## )', text, flags=re.M):
                    sections += part.startswith('## ')
                    if sections < 2:
                        yield part
            else:
                yield text
        elif cell.kind != 'code' or sections > 1:
            return
        else:
            yield TAPE if re.search(r'^tape\Z', cell.text, re.M) else ''
            yield from re.findall(r'except [\w.]*errors\.\w+|for rule, ', cell.text)
        locked = locked or cell.text.startswith(f'%%result {name}\n') or f"after='{name}'" in cell.text


def before(number: str, name: str) -> str:
    """What a reader has come by before a question."""
    ends = read(paths()[f'{int(number) - 1:02}'])[-1].text
    cells = read(paths()[number])
    texts = [ends, *(cell.text for cell in cells[: [cell.asks for cell in cells].index(name)])]
    for asked in re.findall(r"L\.check\('(\w+)'", ' '.join(texts)):
        exercise = about(number).exercises[asked]
        texts += [*exercise.hints, *(mistake.hint for mistake in exercise.mistakes)]
    return ' '.join(' '.join(texts).split())


def leaks(number: str) -> list[str]:
    """Each sentence of a lesson that says what is right before it was asked for."""
    found = []
    for name, said in BEFORE.items():
        if name.startswith(f'{number} '):
            found += [f'{name}: {each[0]}' for each in re.finditer(said, before(*name.split()), re.I)]
    for name, question, text in zones(number):
        due, said = telling(question), SAID.get(f'{number} {name}')
        for sentence in re.split(r'(?<=[.!?:])\s+|\n\n', text):
            some = due & words(sentence)
            if len(due) > 1 and len(some) >= max(2, SHARE * len(due)):
                found.append(f'{number} {name}: {" ".join(sentence.split())}')
        whole = ' '.join(text.split())
        found += [f'{number} {name}: {each[0]}' for each in re.finditer(said or r'(?!)', whole, re.I)]
    return found
