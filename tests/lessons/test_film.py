"""The film of lesson 12, as Python has it: its numbers, its pictures, its files. For the page: test_snn.py."""

import re

import numpy as np
import pytest
from PIL import Image

import minicell as ms
from minicell import nn
from minicell.errors import SettingError
from minicell.teach.lesson12.film import PLACES, SIZE, Film
from minicell.teach.lesson12.network import Net, bitmaps, current, flipped, gradient, handwriting, loss_of, small, toy
from minicell.view.picture import STILL
from tests.messages import refused, tells
from tests.view import geometry


class Shaped(nn.Surrogate):
    def __init__(self, width, height):
        super().__init__()
        self.width, self.height = width, height

    def slope(self, x):
        return self.height * ms.ops.relu(1 - ms.ops.abs(x) / self.width)


@pytest.fixture(scope='module')
def film() -> Film:
    return Film(toy(), *bitmaps())


def test_the_film_has_the_gradient_that_trains(film):
    """Of a network that sees the same at each time step, so that one digit alone is seen as it is among others."""
    (x, t), _ = handwriting()
    net = Net(encode=current, **small)
    one = Film(net, x, t, 5)
    assert one.run.learnt[0] == pytest.approx(gradient(net, x[5:6], t[5:6]))
    assert one.run.loss == pytest.approx(float(loss_of(net(net.seen(x[5:6])), ms.Tensor(t[5:6]))))
    assert np.allclose(one.run.readouts[-1], 4 * net(net.seen(x[5:6])).asnumpy()[0])
    assert one.columns == 8 and film.columns == 3


def test_membranes_are_in_thresholds():
    """a = 100 for a threshold of 0.05 is a = 5 for one of 1."""
    made = {'pixels': 15, 'encode': flipped, **small}
    low, one = (Film(Net(nn.relusigmoid(a), v_threshold=v, **made), *bitmaps()) for a, v in ((100, 0.05), (5, 1.0)))
    for part in ('before', 'spikes', 'readouts', 'felt', 'learnt'):
        assert np.allclose(getattr(low.run, part), getattr(one.run, part)), part
    assert np.allclose(low.data()['slopes'], one.data()['slopes'], atol=1e-5)


def test_a_film_has_room_for_32_neurons():
    with refused(SettingError, '32 neurons', '100 neurons', 'Net(hidden=32, steps=12)'):
        Film(Net(), *handwriting()[0])


def test_its_way_back_explodes_where_the_reset_is_in_the_graph(film):
    """As the text says of a triangle that is 10 high."""

    def grown(detached):
        net = Net(Shaped(1, 10), detached=detached, pixels=15, encode=flipped, **small)
        net.w1.set_data(ms.Tensor(film.net.w1.asnumpy()))
        net.w2.set_data(ms.Tensor(film.net.w2.asnumpy()))
        lengths = np.linalg.norm(Film(net, *bitmaps()).run.felt, axis=1)
        return lengths[0] / lengths[-1]

    assert grown(False) > 100_000 > 30 > grown(True)


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
    tells(kept['text/plain'], 'Time step 12', '\nBackward, time step 1:')
