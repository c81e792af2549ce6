"""What minicell says and draws, held twice: by its facts in each test, by its words in one file, `messages.txt`.

A test of a message calls `tells(message, *facts)`: a fact is a name, a shape, a number, one telling word, never a
sentence. The whole message goes into a book, which is compared with `messages.txt` when the test has passed: it
fails where that file says anything else. Of a picture (`draws`) the book has a digest. After a change of wording, or of
a picture that was looked at,

    python tests/messages.py [PYTEST ARGUMENTS]

runs the tests (of the default tier, where nothing else is asked for) and writes that file anew; read its diff, and
commit it. No test changes.
"""

import difflib
import linecache
import os
import re
import sys
import warnings
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
FILE = HERE / 'messages.txt'
WORD = re.compile(r"[^\W\d_][\w'’]*")
book: dict[str, list[str]] = defaultdict(list)  # of this run: test -> what it was told


def tells(message: object, *facts: object, keep: bool = True) -> str:
    """Hold a message (text, error or warning) to its facts, and keep its words for the snapshot; return its text.

    A fact is text of three words at most, a class (its name is due), or a number or shape as Python prints it.
    `keep=False` is for words that differ from run to run, or that are Python's or NumPy's own.
    """
    text = str(message)
    assert facts, f'which facts are due in: {text}'
    for fact in facts:
        due = getattr(fact, '__name__', None) or str(fact)
        assert len(WORD.findall(due)) < 4, f'a sentence belongs in {FILE.name}, not in a test: {due}'
        assert due in text, f'{due!r} is due in: {text}'
    if keep:
        write(steady(f'{type(message).__name__}: {text}' if isinstance(message, BaseException) else text))
    return text


def draws(*pictures: str) -> None:
    """Keep a digest of pictures: if one changes, so does the snapshot, and somebody looks at it."""
    write(f'drawn: {sha256("".join(pictures).encode("utf-8", "replace")).hexdigest()[:16]}')


def write(text: str) -> None:
    """Note it for the test that runs."""
    book[os.environ.get('PYTEST_CURRENT_TEST', '').rpartition(' ')[0]].append(text)


def steady(text: str) -> str:
    """A text without what differs from machine to machine and from edit to edit: folders, lines, addresses."""
    text = text.replace(str(HERE.parent) + os.sep, '')
    text = re.sub(r'(/tmp|/private|/var)/[\w./-]*/', '…/', text)
    text = re.sub(r'(\.py[:,]? line |\.py:)\d+', r'\1…', text)
    return re.sub(r'0x[0-9a-f]{6,}', '0x…', text)


@contextmanager
def refused(kind: type[BaseException], *facts: object, line: str = '', keep: bool = True) -> Iterator[Any]:
    """An error of this class, with these facts; `line`: it names this source line of the test as the user's own."""
    with pytest.raises(kind) as caught:
        yield caught
    text = tells(caught.value, *facts, keep=keep)
    if line:
        assert re.search(r'(?:your line: |used: +|\()(test_\w+\.py), line (\d+)', text) and line in text, text


class Said:
    """The warnings of a block: their text, class and place."""

    def __init__(self) -> None:
        self.caught: list[Any] = []

    def one(self, kind: type[Warning], *facts: object) -> str:
        """The text of the only warning, which is of this class and has these facts."""
        assert [w.category for w in self.caught] == [kind], [str(w.message) for w in self.caught]
        text = str(self.caught[0].message)
        return tells(self.caught[0].message, *facts) if facts else text

    @property
    def line(self) -> str:
        """The source of the line that the first warning points at: never one of minicell's own."""
        (first, *_) = self.caught
        assert '/minicell/' not in first.filename.replace('/tests/', '')
        return linecache.getline(first.filename, first.lineno).strip()


@contextmanager
def warned(kind: type[Warning] | None = None, *facts: object) -> Iterator[Said]:
    """All warnings of a block, each time they are given; with a class: the only one, which has these facts."""
    said = Said()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        yield said
        said.caught = caught
    if kind is not None:
        said.one(kind, *facts)


# ---- the snapshot --------------------------------------------------------------------------------------------------


def read() -> dict[str, list[str]]:
    """The file: test -> its messages."""
    found: dict[str, list[str]] = {}
    for line in FILE.read_text().splitlines() if FILE.exists() else ():
        if line.startswith('# '):
            mine = found[line[2:]] = []
        elif line.startswith('- '):
            mine.append(line[2:])
        elif line.startswith('  '):
            mine[-1] += '\n' + line[2:]
    return found


def block(messages: list[str]) -> list[str]:
    """The lines of one test's messages."""
    return [('- ' if k == 0 else '  ') + line for each in messages for k, line in enumerate(each.split('\n'))]


def written(messages: dict[str, list[str]]) -> str:
    """The file's text."""
    return '\n'.join(f'# {test}\n' + '\n'.join(block(messages[test])) + '\n' for test in sorted(messages))


def pytest_addoption(parser: Any) -> None:
    """The option that `python tests/messages.py` gives."""
    parser.addoption('--reword', action='store_true', help='write tests/messages.txt anew for the tests that pass')


class Book:
    """Compares what each test was told with the file, as soon as it passes; or writes the file, if asked to."""

    def __init__(self, config: Any) -> None:
        self.config, self.known, self.told = config, read(), {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: Any) -> Any:
        """A test that would pass fails if its words, or its pictures, are not those of the file."""
        outcome = yield
        now, before = book.pop(item.nodeid, []), self.known.get(item.nodeid, [])
        if now != before and self.config.getoption('--reword'):
            self.told[item.nodeid] = now
        elif now != before:
            changed = list(difflib.unified_diff(block(before), block(now), lineterm='', n=0))[2:]
            meant = 'If this is meant, run: python tests/messages.py, and read the diff.'
            pytest.fail('\n'.join([f'it says or draws other than {FILE.name}:', *changed, meant]), pytrace=False)
        return outcome

    def pytest_testnodedown(self, node: Any) -> None:
        """Another process of the run has ended (pytest-xdist)."""
        self.told |= getattr(node, 'workeroutput', {}).get('messages', {})

    def pytest_sessionfinish(self) -> None:
        """Write, or give the process that will."""
        if hasattr(self.config, 'workeroutput'):
            self.config.workeroutput['messages'] = self.told
        elif self.config.getoption('--reword'):
            known = self.known | self.told
            FILE.write_text(written({test: each for test, each in known.items() if each and there(test)}))


def there(test: str) -> bool:
    """Whether the file and the function of a test still exist."""
    name, *inside = test.partition('[')[0].split('::')
    path = HERE.parent / name
    return path.exists() and bool(re.search(rf'\b(def {inside[-1]}\(|{inside[-1]} = )', path.read_text()))


def pytest_configure(config: Any) -> None:
    """One for a run."""
    config.pluginmanager.register(Book(config), 'messages')


if __name__ == '__main__':
    sys.exit(pytest.main(['--reword', *sys.argv[1:]]))
