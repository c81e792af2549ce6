"""The questions of the lessons: each has one right answer, and where that stands gives nothing away."""

import re
from collections import Counter

import pytest

from minicell.teach.about import about
from tests.lessons.leaks import SAID, SHOWN, TAPE, WRITTEN, leaks, zones
from tests.lessons.notebooks import NUMBERS

ASKED = {number: list(about(number).questions.values()) for number in NUMBERS}


def place(question):
    """Where the right answer stands."""
    return [choice.right for choice in question.choices].index(True)


def places(questions, size):
    """How often the right answer stands at each place, of the questions with so many answers."""
    return Counter(place(question) for question in questions if len(question.choices) == size)


@pytest.mark.parametrize('number', NUMBERS)
def test_every_question_has_one_right_answer(number):
    for name, question in about(number).questions.items():
        assert sum(choice.right for choice in question.choices) == 1, name
        assert 2 <= len(question.choices) <= 5, name
        beliefs = [choice.misconception for choice in question.choices if not choice.right]
        assert len(set(beliefs)) == len(beliefs), name


@pytest.mark.parametrize('number', NUMBERS)
def test_no_answer_runs_on_into_its_reply(number):
    """An answer is one line of the source: what is wrapped onto the next becomes its reply, from mid-sentence on."""
    for name, question in about(number).questions.items():
        for choice in question.choices:
            assert '. ' not in choice.text or choice.text[-1] in '.?!”`', f'{name}: {choice.text}'


@pytest.mark.parametrize('size', [3, 4])
def test_right_answers_stand_at_all_places(size):
    found = places([question for questions in ASKED.values() for question in questions], size)
    assert set(found) == set(range(size))
    assert max(found.values()) <= 0.36 * found.total(), sorted(found.items())


def lengths(question):
    """The lengths of the answers, and that of the right one."""
    found = [len(choice.text) for choice in question.choices]
    return found, found[place(question)]


ABSOLUTE = re.compile(
    r'\b(always|never|all|nothing|none|every|each|only|alone|any|error|no|everything|must|cannot)\b', re.IGNORECASE
)


def without_an_absolute_word(question):
    """How likely somebody is right who takes one of the answers in which no absolute word stands."""
    left = [choice for choice in question.choices if not ABSOLUTE.search(choice.text)] or question.choices
    return sum(choice.right for choice in left) / len(left)


GUESSES = {
    'no absolute word': without_an_absolute_word,
    'the shortest': lambda question: (lambda all_, right: (right == min(all_)) / all_.count(right))(*lengths(question)),
    'the longest': lambda question: (lambda all_, right: (right == max(all_)) / all_.count(right))(*lengths(question)),
    'the first': lambda question: place(question) == 0,
    'the last': lambda question: place(question) == len(question.choices) - 1,
}


@pytest.mark.parametrize('guess', GUESSES)
def test_who_guesses_by_the_form_of_an_answer_is_seldom_right(guess):
    hits = [list(map(GUESSES[guess], questions)) for questions in ASKED.values()]
    share = lambda lessons: sum(map(sum, lessons)) / sum(map(len, lessons))
    assert share(hits) <= 0.36
    assert max(share(hits[k : k + 4]) for k in range(len(hits) - 3)) <= 0.45


@pytest.mark.parametrize('number', NUMBERS)
def test_nothing_says_what_is_right_before_it_was_asked_for(number):
    assert leaks(number) == []


def test_few_tapes_stand_open_under_a_question():
    texts = {f'{number} {name}': text for number in NUMBERS for name, _, text in zones(number)}
    assert (
        len(SHOWN | WRITTEN) <= len(texts) / 5
        and all(TAPE in texts[name] for name in SHOWN)
        and texts.keys() >= SAID.keys()
    )


@pytest.mark.parametrize('said', ['Nobody checks.', 'What stands in `bprop` is not looked at.'])
def test_a_sentence_that_gives_an_answer_away_is_found(said, monkeypatch):
    known = [(name, question, f'{text}\n\n{said}') for name, question, text in zones('03')]
    monkeypatch.setattr('tests.lessons.leaks.zones', lambda number: known)
    assert said.startswith(leaks('03')[0].removeprefix('03 takeover: '))


@pytest.mark.parametrize('number', NUMBERS)
def test_a_lesson_has_every_place(number):
    sizes = [len(question.choices) for question in ASKED[number]]
    used = {place(question) for question in ASKED[number]}
    for size in set(sizes):
        if sum(each >= size for each in sizes) >= size:
            assert used >= set(range(size)), f'{sizes}: the right answers stand at {sorted(used)}'
