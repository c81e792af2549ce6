"""A figure of tapes: the last step of one for each value, on a screen and on a phone, and each number answers there."""

import json

import pytest

import minicell as ms
from minicell.ink.page.fragment import layouts
from minicell.teach.figure import tape_of
from minicell.teach.lesson03 import Tapes
from minicell.view.picture import STILL
from tests.lessons.figures import texts
from tests.messages import refused

X = ms.Tensor([[0.5, 0.6, 0.4], [1.2, 1.3, 1.1]])
VALUES = (-1.0, 0.0, 1.5)


def follow(function, values=VALUES, start=1.5):
    """The tape of a function's gradient for each value of its input."""

    def program(x):
        with ms.Tape() as tape:
            ms.grad(function)(ms.Tensor(float(x)))
        return tape

    return Tapes('x', 'The input x', values, program, start, values[:2], lambda picture: 'As it is.')


def square(x):
    y = x * x
    return y + 3 * x


def test_each_place_is_the_last_step_of_its_own_tape():
    figure = follow(square)
    for film in figure.films:
        assert [step.title[:7] for step in film.steps] == ['x −1: d', 'x 0: dx', 'x 1.50:']
        assert {'2.25', '6'} <= set(texts(film, 2)), 'y, and dx = 2 x + 3'
        assert '1' in texts(film, 0)
        assert any('y = x * x' in each for each in texts(film, 0)) and film.line['label'] == 'The input x'
    assert 'const CSS' in figure.shown.page and '"open":2' in figure.shown.page


def test_a_number_answers_for_its_own_tape_alone():
    wide, narrow = layouts(follow(square).films)
    assert 'l' not in narrow and json.dumps(wide, allow_nan=False)
    for k in range(len(VALUES)):
        own = {value: link for value, link in wide['l'].items() if value.startswith(f'{k} ')}
        assert own and all(lit.startswith(f'{k} ') for link in own.values() for lit in link['l'])
        assert any(value.startswith(f'{k} ') for value in wide['r']), 'and says how it was made'
    shown = {change.get('v') for _, _, changes in wide['n'] for _, change in changes if change}
    assert all(wide['l'][value]['r'] for value in shown - {None})
    assert shown & {lit for link in wide['l'].values() for lit in link['l']}


def test_an_error_in_the_learners_code_is_the_learners():
    with refused(ms.errors.MinicellError, '(2, 3)', keep=False):
        follow(lambda x: ms.ops.matmul(X, X) * x)
    with pytest.raises(ZeroDivisionError):
        tape_of('1 / 0')
    assert tape_of('y = x * x\n1 / 0', stops=True, x=ms.Tensor(3.0)).error is not None


def test_a_page_without_a_kernel_has_a_still_for_each_value_that_is_named(monkeypatch):
    shown = follow(square).shown
    monkeypatch.setenv(STILL, 'yes')
    bundle = shown._repr_mimebundle_()
    assert [line[:5] for line in bundle['text/plain'].splitlines()] == ['x −1:', 'x 0: ']
    assert bundle['image/png'] and '<desc>' in bundle['image/svg+xml']
    assert bundle['image/svg+xml'].count('As it is.') >= 2
