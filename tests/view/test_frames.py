"""What was found by looking at every frame of every lesson's tape."""

import re

import numpy as np
import pytest

from minicell.view import moment
from tests.messages import tells
from tests.view.gallery import ALL, made, picture, texts, titles
from tests.view.geometry import faults

STARRED = """
class Net(nn.Cell):
    def construct(self, x):
        return x * x

    def bprop(self, *args):
        return (2 * args[0] * args[-1],)

with ms.Tape() as tape:
    ms.grad(Net())(ms.Tensor(3.0))
"""
STEPS = """
class Steps(nn.Cell):
    def construct(self, x):
        level = ops.floor(x * 2)
        return level * (x > 0)

    def bprop(self, x, out, dout):
        inside = x > 0
        return (dout * inside,)

with ms.Tape() as tape:
    ms.grad(lambda x: Steps()(x).sum())(ms.Tensor([0.7, -5.0]))
"""


def test_the_dout_of_starred_arguments_is_the_last_of_them():
    frame = made(STARRED, 'starred').films[0].frames[-1]
    marks = [s.attrs for key, s in frame.items() if key.startswith('dout')]
    assert len(marks) == 1
    (text,) = (s.attrs for key, s in frame.items() if key.startswith('lco') and s.attrs['y'] == marks[0]['y'] + 13)
    assert text['T'].index('args[-1]') > 0 and 'self' not in text['T']
    assert 'nob' not in frame


SLOW = pytest.param('ifnode', marks=pytest.mark.slow)


@pytest.mark.parametrize('name', ['dropout', SLOW, 'matmul_loss', 'hidden_ops'])
def test_the_ghost_and_the_caption_count_the_same_rules(name):
    film = picture(name).films[0]
    n = next(n for n, step in enumerate(film.steps) if step.title.startswith('Takeover'))
    ghosts = [s.attrs['T'] for key, s in film.frames[n].items() if re.fullmatch(r'r\d+t', key)]
    counted = re.search(r'the rules of (\d+) operations', film.steps[n].caption)
    if counted:
        assert f'{counted[1]} rules' in ghosts
    else:
        assert any(said.removesuffix('’s rule') in film.steps[n].caption for said in ghosts)


def test_truth_values_are_words():
    (said,) = (step.caption for step in made(STEPS, 'steps').films[0].steps if 'inside =' in step.caption)
    tells(said, 'x > 0', '[True, False]')


def test_a_cast_that_nobody_wrote_is_no_step_of_its_own():
    (said,) = (title for title in titles(made(STEPS, 'steps')) if title.startswith('Your line 8'))
    tells(said, 'dout * inside')


def test_what_leads_from_a_card_to_the_tape_begins_at_the_card():
    for name in ('matmul_loss', 'dense', 'step'):
        for frame in picture(name).films[0].frames:
            for key in frame:
                if found := re.fullmatch(r'aup(\d+)', key):
                    card = frame[f'e{found[1]}'].attrs
                    start = float(re.match(r'M[\d.]+,([\d.]+)', frame[key].attrs['d'])[1])
                    assert abs(start - card['y'] - card['height']) < 0.1


SCALE = """
class Scale(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = ms.Parameter(ms.Tensor([2.0]), name='w')
        {}
    def construct(self, x):
        return self.w * x

    def bprop(self, x, out, dout):
        return {}

scale = Scale()
with ms.Tape() as tape:
    ms.grad(lambda x, a: ({} + a).sum(), (0, 1), [scale.w])(ms.Tensor([3.0]), ms.Tensor([1.0]))
"""
ALONE = 'pass', '(self.w * dout,)'
OWNED = 'self.internal_params = [self.w]', '(self.w * dout,), {self.w: x * dout}'


@pytest.mark.parametrize(
    ('owner', 'loss', 'says'),
    [
        (ALONE, 'scale(x)', True),
        (ALONE, 'scale(x) * scale.w', True),  # some of it comes, and some does not
        (ALONE, 'scale(x) * x', True),
        (OWNED, 'scale(x)', False),
        (OWNED, 'scale(x) * scale.w', False),
    ],
)
def test_a_parameter_that_a_takeover_swallows_is_not_called_right(owner, loss, says):
    said = texts(made(SCALE.format(*owner, loss), f'{owner} {loss}').films[0].frames[-1])
    assert any(each.startswith('✗ off by') for each in said) is says
    assert said.count('✓ right') >= 2


@pytest.mark.parametrize(('dx', 'says'), [('3 * dout', True), ('2 * dout', False)])
def test_what_is_made_with_a_wrong_gradient_is_as_wrong_beside_one_that_is_none(dx, says):
    source = f"""
class Weighed(nn.Cell):
    def construct(self, mask, x):
        return 2 * x + mask * 0

    def bprop(self, mask, x, out, dout):
        return None, {dx}

weighed = Weighed()
with ms.Tape() as tape:
    ms.grad(lambda a: weighed(ms.Tensor([1.0]), a * a).sum())(ms.Tensor([3.0]))
"""
    said = ' '.join(texts(made(source, f'none, {dx}').films[0].frames[-1]))
    assert ('should be 18' in said) is says


def test_what_no_path_leads_to_is_not_called_right():
    source = """
with ms.Tape() as tape:
    ms.grad(lambda x, a: (own(x) + ms.Tensor(a.asnumpy())).sum(), (0, 1))(ms.Tensor([3.0]), ms.Tensor([1.0]))
"""
    own = """
class Twice(nn.Cell):
    def construct(self, x):
        return 2 * x

    def bprop(self, x, out, dout):
        return (2 * dout,)

own = Twice()
import warnings
warnings.simplefilter('ignore')
"""
    said = texts(made(own + source, 'no path').films[0].frames[-1])
    assert 'no path leads to it' in ' '.join(said)


def test_the_last_frame_shows_all_that_was_asked_for_and_what_is_known_of_it():
    source = """
class Scale(nn.Cell):
    def construct(self, x):
        return 2 * x

    def bprop(self, x, out, dout):
        return (2 * dout,)

scale, a, b = Scale(), ms.Tensor([1.0]), ms.Tensor([2.0])
with ms.Tape() as tape:
    ms.grad(lambda x, a, b: (scale(x * a) + b).sum(), (0, 1, 2))(ms.Tensor([3.0]), a, b)
"""
    said = texts(made(source, 'three').films[0].frames[-1])
    assert {'da', 'db'} <= set(said) and any(each.startswith('your dx') for each in said) and said.count('✓ right') >= 3


RECOMPUTED = """
class Again(nn.Cell):
    def construct(self, x):
        return x * x

    def bprop(self, x, out, dout):
        return (ms.grad(lambda x: (x * x * dout).sum())(x),)

def run(x):
    y = Again()(x).sum()
    if y > 3:
        return y
    return 2 * y

with ms.Tape() as tape:
    ms.grad(run)(ms.Tensor([1.0, 2.0]))
"""


def test_where_a_gradient_starts_its_one_stands_then_and_not_before():
    """Not at the last entry of all: later ones may be written inside a bprop, or not be taped."""
    film = made(RECOMPUTED, 'recomputed').films[0]
    starts = [n for n, step in enumerate(film.steps) if re.search(r'starts? with 1$', step.title)]
    assert len(starts) == 2, 'backward, and the gradient inside of the bprop'
    for n in starts:
        before, now = ({key for key in f if re.fullmatch(r'[ab]d\d+\[0,0\]t', key)} for f in film.frames[n - 1 : n + 1])
        assert len(now - before) == 1


PENALTY = """
class Act(nn.Cell):
    def construct(self, x):
        return ops.tanh(x)

    def bprop(self, x, out, dout):
        return (dout * (1 - out * out),)

def critic(x, w):
    return (Act()(x * w) * x).sum()

def penalty(x, w):
    slope = ms.grad(critic)(x, w)
    return ((slope * slope).sum() - 1) ** 2

with ms.Tape() as tape:
    dw = ms.grad(penalty, 1)(ms.Tensor([0.5, -1.0]), ms.Tensor([0.7, 0.3]))
"""


def test_a_gradient_that_starts_on_the_first_tape_is_said_to_read_that():
    """What a loss does with a gradient stands on the first tape, behind what made the gradient."""
    picture = made(PENALTY, 'penalty')
    film = picture.films[0]
    n = next(n for n, step in enumerate(film.steps) if step.title.startswith('The second gradient starts'))
    assert picture.record.entries[picture.record.steps[n].entry].level == 0
    tells(film.steps[n].caption, 'first tape', 'then the second')
    said = texts(film.frames[n])
    assert 'outer grad and inner grad' in said and 'outer grad, line 16' in said


@pytest.mark.parametrize('name', ['relu6', 'custom_cube'])
def test_a_tape_shows_no_gradient_before_one_has_come_to_it(name):
    """What the first tape hands out for a tensor is none of the second, on which the same tensor may stand."""
    record, frames = picture(name).record, picture(name).films[0].frames
    came = min(moment.Story(record).comers[1].values())
    for shot, frame in zip(moment.shots(record, True), frames, strict=True):
        assert shot.step >= came or not any(re.match(r'bd\d+\[', key) for key in frame)


def test_a_gradient_inside_of_a_bprop_has_a_tape_of_its_own():
    film = made(RECOMPUTED, 'recomputed').films[0]
    step = next(step for step in film.steps if step.title.startswith('Inside Again.bprop'))
    tells(step.caption, 'this bprop', 'from its end')
    assert {'grad, line 15', 'grad in Again.bprop, line 6'} <= set(texts(film.frames[-1]))


@pytest.mark.parametrize('scale', [0.1, 1.0, 10.0])
def test_the_same_gradient_is_compared_whatever_the_scale_of_the_loss(scale):
    """As the slider of lesson 03 moves, the table of the true one stays that of dx, the first that is wrong."""
    source = ALL['matmul_loss'].replace('z.sum()', f'(z * {scale}).sum()')
    frame = made(source, f'scaled {scale}').films[0].frames[-1]
    dark = [key for key, s in frame.items() if s.attrs.get('class') == 'block wrong' and s.attrs.get('opacity') == 1]
    tiles = [key.partition('[')[0] for key in dark]
    assert len(dark) == 2 and all(tile.startswith('g') for tile in tiles), 'the worst of dx, and of dy'
    assert [frame[f'{tile}N'].attrs['T'] for tile in tiles] == ['your dx', 'your dy']
    assert [frame[f's{tile[1:]}N'].attrs['T'] for tile in tiles] == ['true dx', 'true dy']


SHAPES = '()', '(1, 3)', '(4, 4)', '(4, 3)', '(2, 3, 4)', '(9, 9)', '(5,)'
LARGE = """
class Odd(nn.Cell):
    def construct(self, {names}):
        return {product}

    def bprop(self, {names}, out, dout):
        return ({names},)

with ms.Tape() as tape:
    ms.grad(lambda {names}: (Odd()({names}) * 1e3).sum(), {places})({values})
"""


SIZES = [
    pytest.param(count, most, marks=pytest.mark.slow if (count, most) == (2, -1000.5) else pytest.mark.nightly)
    for count in (1, 2, 3, 4)
    for most in (1, -1000.5, 1e-9, 1e30)
]


@pytest.mark.parametrize('count, most', SIZES)
@pytest.mark.parametrize('shape', SHAPES)
def test_wrong_gradients_of_any_shape_and_size_stay_inside(count, shape, most):
    names = ['x', 'y', 'weight', 'b'][:count]
    value = f'ms.Tensor(np.linspace({most} / 7, {most}, int(np.prod({shape}))).reshape({shape}))'
    source = LARGE.format(names=', '.join(names), product=' * '.join(names), places=tuple(range(count)),
                          values=', '.join([value] * count))  # fmt: skip
    for film in made(source, f'large {count} {shape} {most}').films:
        for frame in film.frames:
            assert not list(faults(frame, film.width, film.height))
            assert frame['aaback'].attrs['width'] == film.width, 'no row is wider than the picture'


@pytest.mark.parametrize('name', ['cube', 'custom_cube', pytest.param('third', marks=pytest.mark.slow), 'relu6'])
def test_the_numbers_under_a_rule_are_a_true_equation(name):
    """Where an input is called dout, as the cotangent is, no number can stand for the name."""
    for frame in picture(name).films[0].frames:
        for key, shape in frame.items():
            if re.fullmatch(r'r\d+c', key) and shape.attrs['T']:
                left, _, right = shape.attrs['T'].replace('−', '-').replace('×', '*').partition(' = ')
                assert right and abs(eval(left, dict(sin=np.sin, cos=np.cos)) - float(right)) < 0.01, shape.attrs['T']
