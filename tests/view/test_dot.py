"""A tape as graphviz's own object: clusters for Cells, a double border for a takeover."""

import graphviz
import pytest

import minicell as ms
from minicell import Tensor, nn, ops, view
from minicell.view import drawing
from tests.messages import tells
from tests.view import gallery


def test_it_is_the_graphviz_packages_object():
    assert isinstance(gallery.run('matmul_loss').to_dot(), graphviz.Digraph)


def test_a_takeover_is_told_by_shape_and_words():
    lines = gallery.run('matmul_loss').to_dot().source.splitlines()
    (taken,) = [line for line in lines if 'peripheries=2' in line]
    assert 'Net' in taken and 'bprop: yours' in taken
    (hidden,) = [line for line in lines if 'MatMul' in line]
    assert 'hidden' in hidden and 'style=dashed' in hidden
    handed = [line for line in lines if 'by your bprop' in line]
    assert ['dx' in handed[0], 'dy' in handed[1], len(handed)] == [True, True, 2]
    assert all('style=dashed' in line for line in handed)


def test_cells_are_clusters_inside_each_other():
    source = gallery.run('nested_custom').to_dot().source
    outer, inner = source.index('label="Outer'), source.index('label="Inner')
    assert outer < inner and 'subgraph cluster_' in source[outer:inner]
    source = gallery.run('dense').to_dot().source
    assert source.count('label=Dense') == 2 and 'label=SequentialCell' in source


def test_an_error_leaves_no_cluster_open():
    source = gallery.run('broken_construct').to_dot().source
    assert source.count('{') == source.count('}')


def test_a_tensor_used_twice_gets_two_gradients():
    source = gallery.run('fanout').to_dot().source
    assert source.count('label=da') == 2 and source.count('label=db') == 1


HOSTILE = [
    '<b>bold</b>',
    '"]; evil [label="',
    '\\N\\l',
    ']]>',
    '<script>alert(1)</script>',
    'x' * 200,
    '{a|b}',
    '\u202etxt',
]


@pytest.mark.parametrize('name', HOSTILE)
def test_no_name_can_break_the_graph(name):
    evil = type(name, (nn.Cell,), {'construct': lambda self, x: ops.exp(x) * self.w, 'w': None})()
    evil.w = ms.Parameter(1.0, name=name)
    with ms.Tape() as tape:
        ms.grad(evil)(Tensor(1.0))
    source = tape.to_dot().source
    assert 'label=<' not in source, 'HTML'
    for line in source.splitlines():
        assert line.replace('\\\\', '').replace('\\"', '').count('"') % 2 == 0, line
        assert len(line) < 300


def test_without_dot_the_picture_of_the_tape_is_shown_with_one_line(monkeypatch):
    monkeypatch.setenv('PATH', '')
    shown = gallery.run('matmul').to_dot()._repr_mimebundle_()
    assert set(shown) == {'text/html', 'text/plain'}
    tells(shown['text/html'].split('</p>')[0], '<p>', 'no `dot` program')
    assert gallery.picture('matmul').html() in shown['text/html']
    assert 'no `dot` program' in shown['text/plain'].splitlines()[0]


@pytest.mark.slow
def test_a_graph_that_dot_would_brood_over_is_not_given_to_it(monkeypatch):
    monkeypatch.setattr(graphviz.Digraph, '_repr_mimebundle_', lambda *a, **k: pytest.fail('dot was asked'))
    with ms.Tape() as tape:
        x = Tensor(1.0)
        for _ in range(drawing.MOST + 1):
            x = x * 1.01
    shown = view.to_dot(tape)._repr_mimebundle_()
    assert 'to_dot().render()' in shown['text/plain'] and '<div class="mc2"' in shown['text/html']


def test_an_empty_tape_is_an_empty_graph():
    graph = ms.Tape().to_dot()
    assert '->' not in graph.source and graph.size == 0
