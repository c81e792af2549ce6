"""A traced function drawn: by graphviz where there is a `dot`, in words where there is none."""

import graphviz
import pytest

import minicell as ms
from minicell import Tensor, nn, ops, view


class Mine(nn.Cell):
    def construct(self, x):
        return ops.relu6(x)

    def bprop(self, x, out, dout):
        return (dout,)


@pytest.fixture
def graph():
    mine = Mine()
    f = ms.jit(lambda x: mine(x * 2).sum())
    f(Tensor([1.0, 2.0]))
    return f.graphs[0]


def test_it_is_the_graphviz_packages_object(graph):
    drawing = view.draw(graph)
    assert isinstance(drawing, graphviz.Source)
    assert drawing.source.strip() == graph.dot().strip()
    assert all(name in drawing.source for name in ('Mul', 'Mine', 'ReduceSum'))
    assert 'peripheries=2' in drawing.source, 'a Cell with its own bprop is marked by shape'


def test_without_dot_it_shows_itself_in_words(graph, monkeypatch):
    monkeypatch.setenv('PATH', '')
    shown = view.draw(graph)._repr_mimebundle_()
    assert set(shown) == {'text/plain'}
    assert 'no `dot` program' in shown['text/plain'] and str(graph) in shown['text/plain']


def test_a_name_of_the_users_cannot_break_the_drawing():
    evil = ms.Parameter(1.0, name='"]; evil [label="\\')
    f = ms.jit(lambda x: x * evil)
    f(Tensor([1.0]))
    source = view.draw(f.graphs[0]).source
    assert '"\\"]; evil [label=\\"\\\\"' in source
