"""What `tape.show()` returns: its options, and what it displays and saves."""

import gc
import subprocess
import sys
from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

import minicell as ms
from minicell.ink.sheet import EDGE
from minicell.view import to_dot
from minicell.view.picture import FORMATS, STILL, Picture, uncollected
from tests.messages import refused, tells
from tests.view import gallery
from tests.view.gallery import at, picture, titles

SVG = '{http://www.w3.org/2000/svg}'
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope='module')
def matmul():
    return gallery.run('matmul')


@pytest.mark.parametrize(('step', 'place'), [(None, 0), (1, 0), (3, 2), (-1, -1), (-3, -3), (np.int64(2), 1)])
def test_it_opens_at_a_step(matmul, step, place):
    shown = matmul.show(step=step)
    assert shown.opens == place % len(titles(shown))
    assert f'"open":{shown.opens}' in shown.html()


@pytest.mark.parametrize(
    ('name', 'word', 'start'),
    [
        ('matmul', 'takeover', 'Takeover: backward turns'),
        ('matmul', 'Compare', 'Your dx and dy are wrong'),
        ('relu6', 'second tape', 'Your line 19 lifts off'),
        ('fanout', 'result', 'da and db arrive'),
        ('raises', 'error', 'An error in'),
        ('not_finite', 'nan', 'Log writes entry 1'),
    ],
)
def test_it_opens_at_a_word(name, word, start):
    shown = gallery.run(name).show(step=word)
    assert shown.opens == at(shown, start)


def test_a_torn_tape_opens_where_it_is_torn():
    shown = gallery.run('raises').show()
    assert shown.opens == len(titles(shown)) - 1 > 0
    assert gallery.run('caught').show().opens == 0


@pytest.mark.parametrize(
    ('options', 'kind', 'facts'),
    [
        ({'zoom': 'far'}, ValueError, ("'cells'", "'ops'", "'inside'", "not 'far'")),
        ({'compare': 'yes'}, TypeError, ('True or False', "not 'yes'")),
        ({'scale': 0}, ValueError, ('scale', '0.5 to 4', 'not 0')),
        ({'scale': 'large'}, ValueError, ('0.5 to 4', "not 'large'")),
        ({'scale': True}, ValueError, ('scale', 'number')),
        ({'step': 0}, ValueError, ('1 to 10', '−1', 'no 0')),
        ({'step': 99}, ValueError, ('no 99',)),
        ({'step': -11}, ValueError, ('no -11',)),
        ({'step': 1.5}, TypeError, ('not 1.5',)),
        ({'step': True}, TypeError, ('not True',)),
        (
            {'step': 'end'},
            ValueError,
            ("'takeover', 'compare'", "'result', 'error', 'nan'", "not 'end'"),
        ),
        ({'step': 'nan'}, ValueError, ("no step 'nan'", 'step=1', 'step=10')),
    ],
)
def test_a_wrong_option_gets_a_sentence(matmul, options, kind, facts):
    with refused(kind, *facts) as caught:
        matmul.show(**options)
    if issubclass(kind, ValueError):
        assert isinstance(caught.value, ms.errors.MinicellError)


def test_scale_enlarges(matmul):
    one, two = matmul.show(), matmul.show(scale=2)
    sizes = [Image.open(BytesIO(each.png(0))).size for each in (one, two)]
    assert sizes[1] == tuple(2 * n for n in sizes[0])
    assert 'style="zoom:2"' in two.html() and 'zoom:' not in one.html().split('>')[0]


def test_a_display_is_html_and_words(matmul):
    data, _ = matmul.show()._repr_mimebundle_()
    assert set(data) == {'text/html', 'text/plain'}
    assert data['text/plain'] == str(matmul)
    assert data['text/html'].startswith('<div class="mc2"')
    assert 'http' not in data['text/html'].replace(SVG[1:-1], ''), 'a name, and no address'


def test_a_tape_displays_itself(matmul):
    data, _ = matmul._repr_mimebundle_()
    assert data['text/html'] == matmul.show().html()


def test_a_built_notebook_keeps_a_still_and_its_alt_text(matmul, monkeypatch):
    monkeypatch.setenv(STILL, '1')
    data, about = matmul.show()._repr_mimebundle_()
    assert set(data) == {'image/png', 'text/plain'} and data['image/png'].startswith(b'\x89PNG')
    tells(about['image/png']['alt'], 'dx and dy', 'wrong')


def test_the_still_has_the_alt_text_of_its_step(matmul):
    for step in (1, 6, -1):
        shown = matmul.show(step=step)
        said = shown.films[0].steps[shown.opens]
        assert f'alt="{said.title}' in shown.html()
        assert said.title in shown.still(shown.opens) and said.caption in shown.still(shown.opens)


def test_of_a_long_tape_the_printed_one_is_cut():
    data, _ = picture('thousand')._repr_mimebundle_()
    lines = data['text/plain'].splitlines()
    whole = str(gallery.run('thousand')).splitlines()
    assert lines[:-1] == whole[: len(lines) - 1] and f'{len(whole) - len(lines) + 1} more lines' in lines[-1]


@pytest.mark.parametrize('name', ['empty', 'forward_only', 'raises', 'caught'])
def test_every_tape_has_a_bundle(name):
    assert gallery.run(name)._repr_mimebundle_()[0]['text/html']


def test_a_tape_that_is_still_open_has_a_picture():
    with ms.Tape() as tape:
        ms.Tensor(2.0) * 3
        (title,) = titles(tape.show())
        tells(title, 'Mul', 'not taped')


@pytest.mark.slow
def test_the_same_program_gives_the_same_bytes():
    """In other processes, with other seeds of Python's hashes: nothing depends on an id or on the order of a set."""
    code = (
        'import hashlib\nfrom tests.view import gallery\n'
        'print(hashlib.sha256("".join(gallery.picture(n).html() for n in ("matmul", "relu6", "structures",'
        ' "random_mask", "params")).encode()).hexdigest())'
    )
    command, found = [sys.executable, '-c', code], set()
    for seed in '12':
        run = subprocess.run(command, capture_output=True, check=True, cwd=ROOT, env={'PYTHONHASHSEED': seed})
        found.add(run.stdout)
    assert len(found) == 1


def test_no_seed_is_left_behind():
    source = gallery.ALL['random_mask'].strip() + '\n'
    once, again = (Picture(gallery.tape_of(source, 'again')).still(-1) for _ in range(2))
    assert once == again and ms.get_seed() == 3


@pytest.mark.parametrize('kind', [pytest.param(f, marks=pytest.mark.slow) if f == '.gif' else f for f in FORMATS])
def test_it_is_saved(matmul, tmp_path, kind):
    path = matmul.save(tmp_path / f'tape{kind}', step=-1)
    data = path.read_bytes()
    if kind == '.html':
        text = data.decode()
        assert text.startswith('<!doctype html>') and '<title>tape</title>' in text and '"open":9' in text
    elif kind == '.svg':
        root = ElementTree.fromstring(data)
        tells(root.find(f'{SVG}title').text, 'dx and dy', 'wrong')
    else:
        image = Image.open(BytesIO(data))
        assert image.format == kind[1:].upper() and image.width == 900 + 2 * EDGE
        assert kind != '.gif' or image.n_frames >= 8


def test_a_picture_and_a_tape_save_alike(matmul, tmp_path):
    one, other = matmul.save(tmp_path / 'a.svg', step=3), matmul.show(step=3).save(str(tmp_path / 'b.SVG'))
    assert one.read_bytes() == other.read_bytes()


@pytest.mark.parametrize('name', ['tape.pdf', 'tape', 'tape.'])
def test_what_cannot_be_saved_is_said(matmul, tmp_path, name):
    with refused(ValueError, *FORMATS):
        matmul.save(tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_collecting_garbage_goes_on_afterwards():
    assert gc.isenabled()
    with pytest.raises(KeyError), uncollected():
        assert not gc.isenabled()
        raise KeyError
    assert gc.isenabled()


@pytest.mark.parametrize(
    'code',
    [
        'import minicell.view as v; v.show',
        'import minicell as ms\nwith ms.Tape() as tape: ms.grad(lambda x: x * x)(ms.Tensor(3.0))\n'
        'tape._repr_mimebundle_()',
    ],
    ids=['importing the view', 'showing a tape'],
)
def test_no_front_end_is_loaded_by(code):
    code += '\nimport sys; print({"ipywidgets", "matplotlib", "graphviz", "PIL"} & {*sys.modules})'
    done = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == 'set()'


def test_dot_and_picture_are_of_one_tape(matmul):
    assert 'Net' in to_dot(matmul).source
