"""What `tape.show()` returns: its options, what it displays and saves, how large that is and how long it takes."""

import gc
import re
import subprocess
import sys
import time
from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree

import gallery
import numpy as np
import pytest
from gallery import at, picture, titles
from PIL import Image

import minicell as ms
from minicell import ops
from minicell.view import to_dot
from minicell.view.picture import FORMATS, STILL, ZOOMS, Picture, uncollected
from minicell.view.write.sheet import EDGE
from tests.pace import best

SVG = '{http://www.w3.org/2000/svg}'
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope='module')
def matmul():
    return gallery.run('matmul')


# ---- options ---------------------------------------------------------------------------------------------------------


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
    ('options', 'kind', 'said'),
    [
        ({'zoom': 'far'}, ValueError, "zoom is one of 'cells', 'ops', 'inside', not 'far'"),
        ({'compare': 'yes'}, TypeError, "compare is True or False, not 'yes'"),
        ({'scale': 0}, ValueError, 'scale is a number from 0.5 to 4, not 0'),
        ({'scale': 'large'}, ValueError, "scale is a number from 0.5 to 4, not 'large'"),
        ({'scale': True}, ValueError, 'scale is a number'),
        ({'step': 0}, ValueError, 'step is a number from 1 to 10, or −1 for the last; this tape has no 0'),
        ({'step': 99}, ValueError, 'this tape has no 99'),
        ({'step': -11}, ValueError, 'this tape has no -11'),
        ({'step': 1.5}, TypeError, 'not 1.5'),
        ({'step': True}, TypeError, 'not True'),
        ({'step': 'end'}, ValueError, "'takeover', 'compare', 'second tape', 'result', 'error', 'nan', not 'end'"),
        ({'step': 'nan'}, ValueError, "this tape has no step 'nan'. It has step=1 to step=10"),
    ],
)
def test_a_wrong_option_gets_a_sentence(matmul, options, kind, said):
    with pytest.raises(kind) as caught:
        matmul.show(**options)
    assert said in str(caught.value)
    if issubclass(kind, ValueError):
        assert isinstance(caught.value, ms.errors.MinicellError)


def test_scale_enlarges(matmul):
    one, two = matmul.show(), matmul.show(scale=2)
    sizes = [Image.open(BytesIO(each.png(0))).size for each in (one, two)]
    assert sizes[1] == tuple(2 * n for n in sizes[0])
    assert 'style="zoom:2"' in two.html() and 'zoom:' not in one.html().split('>')[0]


# ---- displayed -------------------------------------------------------------------------------------------------------


def test_a_display_is_html_and_words(matmul):
    data, _ = matmul.show()._repr_mimebundle_()
    assert set(data) == {'text/html', 'text/plain'}
    assert data['text/plain'] == str(matmul)
    assert data['text/html'].startswith('<div class="mc2" data-lm-suppress-shortcuts="true"')
    assert 'http' not in data['text/html'].replace('http://www.w3.org/2000/svg', '')


def test_a_tape_displays_itself(matmul):
    data, _ = matmul._repr_mimebundle_()
    assert data['text/html'] == matmul.show().html()


def test_a_built_notebook_keeps_a_still_and_its_alt_text(matmul, monkeypatch):
    monkeypatch.setenv(STILL, '1')
    data, about = matmul.show()._repr_mimebundle_()
    assert set(data) == {'image/png', 'text/plain'} and data['image/png'].startswith(b'\x89PNG')
    assert about['image/png']['alt'].startswith('Your dx and dy are wrong')


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
        assert titles(tape.show()) == ['Mul is not taped']


def test_the_same_program_gives_the_same_bytes():
    """In other processes, with other seeds of Python's hashes: nothing depends on an id or on the order of a set."""
    code = (
        f'import sys; sys.path[:0] = [{str(Path(__file__).parent)!r}, {str(ROOT)!r}]\n'
        'import gallery, hashlib\n'
        'print(hashlib.sha256("".join(gallery.picture(n).html() for n in ("matmul", "relu6", "structures",'
        ' "random_mask", "params")).encode()).hexdigest())'
    )
    found = {
        subprocess.run(
            [sys.executable, '-c', code], capture_output=True, text=True, check=True, env={'PYTHONHASHSEED': seed}
        ).stdout
        for seed in ('1', '2')
    }
    assert len(found) == 1


def test_no_seed_is_left_behind():
    source = gallery.ALL['random_mask'].strip() + '\n'
    once, again = (Picture(gallery.tape_of(source, 'again')).still(-1) for _ in range(2))
    assert once == again and ms.get_seed() == 3


# ---- saved -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize('kind', FORMATS)
def test_it_is_saved(matmul, tmp_path, kind):
    path = matmul.save(tmp_path / f'tape{kind}', step=-1)
    data = path.read_bytes()
    if kind == '.html':
        text = data.decode()
        assert text.startswith('<!doctype html>') and '<title>tape</title>' in text and '"open":9' in text
    elif kind == '.svg':
        root = ElementTree.fromstring(data)
        assert root.find(f'{SVG}title').text.startswith('Your dx and dy are wrong')
    else:
        image = Image.open(BytesIO(data))
        assert image.format == kind[1:].upper() and image.width == 900 + 2 * EDGE
        assert kind != '.gif' or image.n_frames >= 8


def test_a_picture_and_a_tape_save_alike(matmul, tmp_path):
    one, other = matmul.save(tmp_path / 'a.svg', step=3), matmul.show(step=3).save(str(tmp_path / 'b.SVG'))
    assert one.read_bytes() == other.read_bytes()


@pytest.mark.parametrize('name', ['tape.pdf', 'tape', 'tape.'])
def test_what_cannot_be_saved_is_said(matmul, tmp_path, name):
    with pytest.raises(ValueError, match=re.escape('save writes .html, .svg, .png, .gif')):
        matmul.save(tmp_path / name)
    assert not list(tmp_path.iterdir())


# ---- how large, how long ---------------------------------------------------------------------------------------------


def bptt(moments=50):
    """A recurrent network over so many moments."""
    w, u = (
        ms.Parameter(np.eye(4, dtype=np.float32) * 0.5, name='w'),
        ms.Parameter(np.ones((3, 4), np.float32), name='u'),
    )
    b = ms.Parameter(np.zeros(4, np.float32), name='b')

    def loss(x):
        h = ms.Tensor(np.zeros((1, 4), np.float32))
        for t in range(moments):
            h = ops.tanh(ops.matmul(h, w) + ops.matmul(x[t], u) + b)
        return (h * h).sum()

    with ms.Tape() as tape:
        ms.grad(loss, 0, [w, u, b])(ms.Tensor(np.linspace(-1, 1, moments * 3, dtype=np.float32).reshape(moments, 1, 3)))
    return tape


def test_it_is_the_tape_that_is_asked_for():
    assert len(Picture(bptt()).record.entries) == 302
    assert len(Picture(chain(1000)).record.entries) >= 1000


def chain(entries):
    """A tape of so many entries."""
    with ms.Tape() as tape:

        def f(x):
            h = x
            for i in range(entries // 2):
                h = (ops.tanh if i % 3 else ops.sin)(h) + x
            return h.sum()

        ms.grad(f)(ms.Tensor([0.5, -0.5, 1.0]))
    return tape


PROGRAMS = {'lesson 03': lambda: gallery.run('matmul_loss'), 'BPTT': bptt, '10,000 entries': lambda: chain(10_000)}
# of CPU, at the pace of a quiet machine
SECONDS = {'lesson 03': 0.3, 'BPTT': 1.0, '10,000 entries': 3.0}
TRIES = 10
BYTES = 1_000_000  # of a display, with its script, its still and the printed tape


@pytest.fixture(scope='module', params=PROGRAMS)
def long(request):
    tape = PROGRAMS[request.param]()
    tape.events  # noqa: B018 (the tape's own reading is not the view's)
    return request.param, tape


def test_it_is_shown_soon_and_small_enough(long):
    name, tape = long
    shown = {}

    def measure():
        for lens in ZOOMS.values():
            getattr(lens, 'cache_clear', lambda: None)()
        start = time.process_time()
        shown.update(Picture(tape)._repr_mimebundle_()[0])
        return time.process_time() - start

    least = best(measure, SECONDS[name], TRIES)
    size = len(shown['text/html'].encode()) + len(shown['text/plain'].encode())
    print(f'{name}: {least:.2f} s of CPU at pace 1, {size / 1e3:.0f} kB')
    assert size <= BYTES
    assert least < SECONDS[name]


def test_collecting_garbage_goes_on_afterwards():
    assert gc.isenabled()
    with pytest.raises(KeyError), uncollected():
        assert not gc.isenabled()
        raise KeyError
    assert gc.isenabled()


@pytest.mark.parametrize('zoom', ZOOMS)
@pytest.mark.parametrize('name', gallery.ALL)
def test_no_display_is_larger_than_it_may_be(name, zoom):
    assert len(picture(name, zoom).html().encode()) <= BYTES


def test_importing_the_view_loads_no_front_end():
    code = (
        'import sys, minicell.view as v; v.show; '
        'print(sorted({"ipywidgets", "matplotlib", "IPython", "graphviz", "PIL"} & set(sys.modules)))'
    )
    done = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == '[]'


def test_showing_a_tape_draws_no_png():
    code = (
        'import sys; import minicell as ms\n'
        'with ms.Tape() as tape: ms.grad(lambda x: x * x)(ms.Tensor(3.0))\n'
        'tape._repr_mimebundle_(); print(sorted({"ipywidgets", "matplotlib", "PIL"} & set(sys.modules)))'
    )
    done = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == '[]'


def test_dot_and_picture_are_of_one_tape(matmul):
    assert 'Net' in to_dot(matmul).source
