"""The gallery as one page for eyes, and the same pictures as a snapshot for machines.

python tests/view/snapshot.py                    # after a wanted change: writes snapshot.json anew; read its diff
MINICELL_SHOTS=folder python -m pytest tests/view/test_gallery.py    # gallery.html, to be looked at
"""

import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import gallery
import pytest
import snapshot
from shots import folder, page  # noqa: F401

import minicell as ms
from minicell import view

KEPT = snapshot.read()


@pytest.mark.parametrize('name', sorted(snapshot.titles()))
def test_a_picture_is_as_it_was(name):
    assert name in KEPT, f'{name} is new: {snapshot.HOW}'
    changes = snapshot.changes(name, KEPT[name], snapshot.program(name))
    assert not changes, '\n'.join([*changes, f'If that is wanted: {snapshot.HOW}'])


def test_no_picture_is_lost():
    assert sorted(KEPT) == sorted(snapshot.titles()), snapshot.HOW


def test_a_change_names_the_frame_and_the_texts():
    old = [{'step': 3, 'title': 'a', 'lines': 'x', 'texts': ['dx', '5.20']}]
    new = [{'step': 3, 'title': 'a', 'lines': 'y', 'texts': ['dx', '5.30']}]
    (told,) = snapshot.changes('matmul ops', old, new)
    assert 'matmul ops, step 3' in told and "gone '5.20'" in told and "new '5.30'" in told
    (told,) = snapshot.changes('matmul ops', old, [{**old[0], 'lines': 'y'}])
    assert 'lines or places' in told
    (told,) = snapshot.changes('matmul ops', old, [])
    assert 'frames are those of steps [], not [3]' in told


def test_a_text_that_stays_is_told_once():
    assert snapshot.told([(1, 't', 'x', ['a', 'b']), (2, 'u', 'y', ['b', 'c', 'c'])]) == [
        {'step': 1, 'title': 't', 'lines': 'x', 'texts': ['a', 'b']},
        {'step': 2, 'title': 'u', 'lines': 'y', 'texts': ['c', 'c']},
    ]


def test_every_frame_is_on_one_page(folder):  # noqa: F811
    path = folder / 'gallery.html'
    path.write_text(page(), encoding='utf-8')
    text = path.read_text(encoding='utf-8')
    assert text.count('<svg ') == text.count('</svg>') == len(gallery.pictures())
    assert '<script' not in text


def test_every_frame_has_title_words_and_a_number():
    for svg, where in gallery.pictures().items():
        root = ET.fromstring(svg)
        parts = {e.tag.rpartition('}')[2]: ''.join(e.itertext()) for e in root if e.get('id')}
        assert parts['title'].strip() and parts['desc'].strip(), where[:2]
        texts = [''.join(e.itertext()) for e in root.iter() if e.tag.endswith('}text')]
        assert any(c.isdigit() for t in texts for c in t), where[:2]


def test_the_same_program_gives_the_same_bytes():
    """In another process, with another seed of Python's hashes: nothing depends on an id or on the order of a set."""
    here = Path(__file__).parent
    code = (
        f'import sys; sys.path[:0] = [{str(here)!r}, {str(here.parents[1])!r}]\n'
        'import gallery, hashlib\n'
        'print(hashlib.sha256("".join(gallery.view.svg(f) for n in ("matmul", "relu6", "structures", "random_mask")'
        ' for f in gallery.frames(n)).encode()).hexdigest())'
    )
    found = {
        subprocess.run(
            [sys.executable, '-c', code], capture_output=True, text=True, check=True, env={'PYTHONHASHSEED': seed}
        ).stdout
        for seed in ('1', '2')
    }
    assert len(found) == 1


def test_no_seed_is_left_behind():
    """A program of the gallery that draws random numbers sets its seed itself, and gets the same mask again."""
    source = gallery.ALL['random_mask'].strip() + '\n'
    once, again = (view.svg(view.frames(gallery.tape_of(source, 'again'))[-1]) for _ in range(2))
    assert once == again
    assert ms.get_seed() == 3


def test_a_takeover_inside_a_takeover():
    """The outer bprop is right, and is told so; what the inner Cell hides would have left no entry of its own."""
    frames = gallery.frames('nested_custom', 'inside')
    record = frames[0].record
    given = [g for r in record.readings for g in r.gradients]
    assert len(given) == 2 and all(g.ok for g in given)
    assert [(g.name, g.lost) for g in record.entries[0].ghosts] == [('Exp', False), ('Mul', True)]
