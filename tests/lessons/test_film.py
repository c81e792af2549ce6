"""The film of lesson 12, as Python has it: its numbers, its pictures, its files. For the page: test_snn.py."""

import re

import numpy as np
import pytest
from PIL import Image

import minicell as ms
from minicell import nn
from minicell.errors import SettingError
from minicell.teach.lesson12.film import PLACES, SIZE, Film
from minicell.teach.lesson12.network import Net, digits, gradient, loss_of, silent, train
from minicell.teach.lesson12.surrogates import Shaped
from minicell.view.picture import STILL
from tests.messages import refused, tells
from tests.view import geometry


@pytest.fixture(scope='module')
def film() -> Film:
    x, t = digits(100, np.random.default_rng(0))
    net = Net()
    list(train(net, x, t))
    return Film(net, x, t)


def test_the_film_has_the_gradient_that_trains(film):
    x, t = (each[:, 3:4] if each.ndim > 1 else each[3:4] for each in digits(100, np.random.default_rng(0)))
    x = ms.Tensor(x.asnumpy().round(3))
    assert film.run.learnt[0] == pytest.approx(gradient(film.net, x, t))
    assert film.run.loss == pytest.approx(float(loss_of(film.net(x), t)))
    assert np.allclose(film.run.readouts[-1], 4 * film.net(x).asnumpy()[0])
    assert film.silent.sum() == silent(film.net, digits(100, np.random.default_rng(0))[0])


def test_membranes_are_in_thresholds():
    """a = 100 for a threshold of 0.05 is a = 5 for one of 1."""
    data = digits(100, np.random.default_rng(0))
    small, one = (Film(Net(nn.relusigmoid(a), v_threshold=v), *data) for a, v in ((100, 0.05), (5, 1.0)))
    for part in ('before', 'spikes', 'readouts', 'felt', 'learnt'):
        assert np.allclose(getattr(small.run, part), getattr(one.run, part)), part
    assert np.allclose(small.data()['slopes'], one.data()['slopes'], atol=1e-5)


def test_its_way_back_has_the_two_diseases(film):
    """As the text says of a triangle: 10 high it multiplies through the reset, 0.1 wide it reaches few membranes."""

    def back(shape, detached=False):
        net = Net(Shaped(*shape), detached=detached)
        net.w1.set_data(ms.Tensor(film.net.w1.asnumpy()))
        net.w2.set_data(ms.Tensor(film.net.w2.asnumpy()))
        felt = np.abs(Film(net, *digits(100, np.random.default_rng(0))).run.felt)
        lengths = np.linalg.norm(felt, axis=1)
        return lengths[0] / lengths[-1], (felt > 0.01 * felt.max(axis=1, keepdims=True)).sum()

    grown, _ = back((1, 10))
    calm, _ = back((1, 10), True)
    _, all_of_them = back((1, 1))
    _, few = back((0.1, 1))
    assert grown > 1_000_000 > 30 > calm and few < all_of_them / 2


def test_its_pictures_cut_no_words(film):
    for place, frame in enumerate(film.pictures.frames):
        assert not geometry.faults(frame, *SIZE), PLACES[place]


@pytest.mark.slow
def test_it_is_saved_as_a_page_and_as_a_gif(film, tmp_path):
    page = film.save(tmp_path / 'snn.html').read_text(encoding='utf-8')
    assert page.startswith('<!doctype html>') and '<script' in page
    assert set(re.findall(r'https?://[\w.]*', page)) <= {'http://' + 'www.w3.org'}
    with Image.open(film.save(tmp_path / 'snn.gif')) as gif:
        assert (gif.n_frames, gif.size, gif.info['loop']) == (37, (832, 494), 0)
        seen = set()
        for frame in range(gif.n_frames):
            gif.seek(frame)
            seen.add(gif.convert('RGB').tobytes())
    assert len(seen) == 37, 'each picture is another'
    with refused(SettingError, '.html and .gif', '.mp4'):
        film.save(tmp_path / 'snn.mp4')


def test_a_notebook_that_is_kept_has_its_stills(film, monkeypatch):
    assert 'text/html' in film._repr_mimebundle_()
    monkeypatch.setenv(STILL, 'yes')
    kept = film._repr_mimebundle_()
    assert set(kept) == {'text/plain', 'image/svg+xml', 'image/png'}
    tells(kept['text/plain'], 'Moment 12', '\nBackward, moment 1:')
