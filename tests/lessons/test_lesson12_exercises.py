"""The exercises of lesson 12: a neuron, a surrogate, a rescue, a hunt and a leak."""

import pytest

from minicell import nn, ops
from minicell.teach.exercise import run
from minicell.teach.lesson12 import found, frozen, network, surrogates, yours
from minicell.teach.order import exercise
from tests.lessons.answers import Answers, mistake_of
from tests.messages import tells

NEURON, OWN, RESCUE, HUNT = map(exercise, ('12a', '12b', '12c', '12d'))


def test_another_neuron_passes():
    class Step(nn.Cell):
        def construct(self, x):
            return ops.greater(x, 0).astype(x.dtype)

        def bprop(self, x, out, dout):
            return (dout * 1.25 * (1 - ops.tanh(2.5 * x) ** 2),)

    class Other(nn.IFNode):
        def __init__(self, surrogate=None, v_threshold=1.0, detached=False):
            super().__init__(v_threshold, surrogate_function=surrogate or Step())
            self.surrogate, self.detached = self.surrogate_function, detached

        def construct(self, x, v):
            spike, after = super().construct(x, v)
            return spike, v + x - ops.stop_gradient(spike) if self.detached else after

    assert NEURON.check(Other).passed, NEURON.check(Other)


def test_the_lesson_goes_on_with_the_learners_neuron_as_soon_as_it_passes(capsys):
    theirs = run(NEURON.solution, 'Neuron', 'a cell')
    assert yours(theirs) is theirs
    tells(capsys.readouterr().out, 'is yours')
    stored = yours(run(NEURON.start, 'Neuron', 'a cell'))
    tells(capsys.readouterr().out, '12a', 'not passed')
    assert NEURON.check(stored).passed


# Whatever of the four places is filled, the rest is named, and nothing raises.
test_a_neuron_half_written_is_told_what_is_open = Answers(NEURON).failing(
    (('v = v + x', 'v = ...'), ('open', 'of construct'), None),
    (('self.surrogate(v - self.v_threshold) * self.v_threshold', '...'), ('open', 'of construct'), None),
    (('v - taken', '...'), ('open', 'the membrane'), None),
    (('(dout * 5.0 * s * (1 - s),)', '(...,)'), ('open', 'bprop returns'), None),
    (('(dout * 5.0 * s * (1 - s),)', '(dout * ...,)'), ('open', 'bprop returns'), None),
)


def own(slope):
    """A surrogate with this slope."""
    return type('Mine', (nn.Surrogate,), {'slope': lambda self, x: slope(x)})


def one(condition, x):
    """1 where it holds, else 0."""
    return condition.astype(x.dtype)


@pytest.mark.parametrize(
    'slope',
    [
        lambda x: one(ops.abs(x) < 1, x),  # a boxcar
        lambda x: 1 / (1 + (2 * x) ** 2),
        lambda x: 0.3 * ops.relu(1 - ops.abs(x)),  # Bellec et al.
        lambda x: 1 / (1 + 100 * ops.abs(x)) ** 2,  # Zenke and Ganguli
        lambda x: ops.exp(-2 * x * x),
        ops.ones_like,
    ],
)
def test_respectable_surrogates_pass(slope):
    assert OWN.check(own(slope)).passed


@pytest.mark.slow
@pytest.mark.parametrize(
    ('slope', 'named'),
    [
        (lambda x: nn.relusigmoid(25).slope(x), 'narrow'),
        (lambda x: 1000 * ops.relu(1 - ops.abs(x) / 2), 'loud'),
        (lambda x: 5 * one(x > 0, x), 'above'),
        (lambda x: one(x < 0, x), 'below'),
        (lambda x: ops.exp(-2 * (x - 2.5) ** 2), None),
        (lambda x: x / x, None),
    ],
)
def test_what_the_lesson_calls_ill_fails(slope, named):
    verdict = OWN.check(own(slope))
    assert verdict.state == 'failed' and mistake_of(verdict) == named, verdict


@pytest.mark.parametrize(
    ('settings', 'named'),
    [
        pytest.param((0.1, 0.01, 300), 'halfway', marks=pytest.mark.slow),
        ((0.05, 0.05, 60), 'impatient'),
        ((1.0, 0.001, 300), 'slower'),
        ((2.0, 0.01, 300), 'larger'),
        ((0.05, 0.02, 150), ''),
        ((0.02, 0.01, 300), ''),
    ],
)
def test_a_rescue_is_told_what_fails(settings, named):
    verdict = RESCUE.check(dict(zip(('v_threshold', 'learning_rate', 'steps'), settings, strict=True)))
    assert verdict.passed == (not named) and (mistake_of(verdict) or '') == named, verdict


@pytest.mark.slow
def test_the_faults_are_faults_where_it_is_trained():
    accuracies = {letter: frozen(kind()) for letter, kind in surrogates.SUSPECTS.items()}
    assert accuracies['A'] > 0.85 and max(accuracies[letter] for letter in 'CDE') < 0.5

    class Below(nn.relusigmoid):
        def slope(self, x):
            return super().slope(x + 1.5)

    above, below = f'{accuracies["B"]:.2f}', f'{frozen(Below()):.2f}'
    tells(' '.join(HUNT.why.split()), f'comes to {above},', f'it reaches {below}.')


def test_what_the_checks_say():
    class Sum(nn.Surrogate):
        def slope(self, x):
            return x.sum()

    class Smooth(network.Neuron):
        def __init__(self):
            super().__init__(nn.relusigmoid())
            self.surrogate.construct = lambda x: ops.sigmoid(5 * x)

    tells(OWN.check(Sum).said, 'for each x', 'shape ()')
    tells(NEURON.check(Smooth).said, 'no longer', 'step')
    tells(NEURON.check([]).said, 'class Neuron', 'got list')
    tells(OWN.check(3).said, 'nn.Surrogate', 'got int')
    tells(RESCUE.check({'v_threshold': 0.1, 'learning_rate': 0.01}).said, 'open: steps', '300')
    tells(RESCUE.check({'v_threshold': 'x', 'learning_rate': 1, 'steps': 1}).said, 'above 0', "got 'x'")
    tells(RESCUE.check({'v_threshold': 1, 'learning_rate': 0.01, 'steps': 9999}).said, '600 steps')
    half = {letter: word for letter, (word, _) in found().items() if letter in 'AB'}
    tells(HUNT.check(half).said, 'C, D, E.')
    tells(HUNT.check({'A': 'odd'}).said, "'odd'", 'none of')
    tells(HUNT.check(3).said, 'dict verdicts')


def test_the_hunt_is_decided_by_measuring():
    assert sorted(word for word, _ in found().values()) == sorted(surrogates.FAULTS)
    assert found()['C'][0] == 'sign' and issubclass(surrogates.SUSPECTS['C'], surrogates.Triangular)


def test_a_suspect_shows_its_letter_and_no_more():
    for letter, kind in surrogates.SUSPECTS.items():
        assert repr(kind).endswith(f".{letter}'>") and repr(kind()).startswith(f'{letter}('), repr(kind())
