"""The exercises of lesson 12: a neuron, a surrogate, a rescue, a hunt and a leak."""

import pytest

from minicell import nn, ops
from minicell.teach.exercise import run
from minicell.teach.lesson12 import found, frozen, network, surrogates, yours
from minicell.teach.order import exercise

NEURON, OWN, RESCUE, HUNT = map(exercise, ('12a', '12b', '12c', '12d'))


def test_other_right_answers_pass():
    class Atan(nn.Surrogate):
        def slope(self, x):
            return 1 / (1 + (2 * x) ** 2)

    assert OWN.check(Atan()).passed

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
    assert yours(theirs) is theirs and 'is yours' in capsys.readouterr().out
    stored = yours(run(NEURON.start, 'Neuron', 'a cell'))
    assert 'has not passed yet' in capsys.readouterr().out and NEURON.check(stored).passed


def test_a_neuron_half_written_is_told_what_is_open():
    """Whatever of the four places is filled, the rest is named, and nothing raises."""
    right = NEURON.solution
    for old, new, said in (
        ('v = v + x', 'v = ...', 'Still open: a line of construct.'),
        ('self.surrogate(v - self.v_threshold) * self.v_threshold', '...', 'Still open: a line of construct.'),
        ('v - taken', '...', 'Still open: the membrane.'),
        ('(dout * 5.0 * s * (1 - s),)', '(...,)', 'Still open: what bprop returns.'),
        ('(dout * 5.0 * s * (1 - s),)', '(dout * ...,)', 'Still open: what bprop returns.'),
    ):
        verdict = NEURON.check_code(right.replace(old, new))
        assert verdict.state == 'failed' and said in verdict.said, verdict


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
        lambda x: 0.3 * ops.relu(1 - ops.abs(x)),  # Bellec et al.
        lambda x: 1 / (1 + 100 * ops.abs(x)) ** 2,  # Zenke and Ganguli
        lambda x: ops.exp(-2 * x * x),
        ops.ones_like,
    ],
)
def test_respectable_surrogates_pass(slope):
    assert OWN.check(own(slope)).passed


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
    assert verdict.state == 'failed' and (verdict.mistake.name if verdict.mistake else None) == named, verdict


@pytest.mark.parametrize(
    ('settings', 'named'),
    [
        ((0.1, 0.01, 300), 'halfway'),
        ((0.05, 0.05, 60), 'impatient'),
        ((1.0, 0.001, 300), 'slower'),
        ((2.0, 0.01, 300), 'larger'),
        ((0.05, 0.02, 150), ''),
        ((0.02, 0.01, 300), ''),
    ],
)
def test_a_rescue_is_told_what_fails(settings, named):
    verdict = RESCUE.check(dict(zip(('v_threshold', 'learning_rate', 'steps'), settings, strict=True)))
    assert verdict.passed == (not named) and (verdict.mistake.name if verdict.mistake else '') == named, verdict


def test_the_faults_are_faults_where_it_is_trained():
    accuracies = {letter: frozen(kind()) for letter, kind in surrogates.SUSPECTS.items()}
    assert accuracies['A'] > 0.85 and max(accuracies[letter] for letter in 'CDE') < 0.5

    class Below(nn.relusigmoid):
        def slope(self, x):
            return super().slope(x + 1.5)

    above, below = f'{accuracies["B"]:.2f}', f'{frozen(Below()):.2f}'
    peak = 'a peak as far below the threshold as it now is above'
    said = f'comes to {above}, and with {peak}, it reaches {below}.'
    assert said in ' '.join(HUNT.why.split())


def test_what_the_checks_say():
    class Sum(nn.Surrogate):
        def slope(self, x):
            return x.sum()

    class Smooth(network.Neuron):
        def __init__(self):
            super().__init__(nn.relusigmoid())
            self.surrogate.construct = lambda x: ops.sigmoid(5 * x)

    assert 'one number for each x, in its shape; got shape ()' in OWN.check(Sum).said
    assert 'no longer the step' in NEURON.check(Smooth).said
    assert (
        'check wants the class Neuron; it got list' in NEURON.check([]).said
        and 'an nn.Surrogate; it got int' in OWN.check(3).said
    )
    assert 'Still open: steps. It was 300.' in RESCUE.check({'v_threshold': 0.1, 'learning_rate': 0.01}).said
    assert "number above 0, but got 'x'" in RESCUE.check({'v_threshold': 'x', 'learning_rate': 1, 'steps': 1}).said
    said = RESCUE.check({'v_threshold': 1, 'learning_rate': 0.01, 'steps': 9999}).said
    assert 'no more than 600 steps are tried' in said
    half = {letter: word for letter, (word, _) in found().items() if letter in 'AB'}
    assert 'Still open: C, D, E.' in HUNT.check(half).said
    assert (
        "'odd' is none of the five words" in HUNT.check({'A': 'odd'}).said and 'the dict verdicts' in HUNT.check(3).said
    )


def test_the_hunt_is_decided_by_measuring():
    assert sorted(word for word, _ in found().values()) == sorted(surrogates.FAULTS)
    assert found()['C'][0] == 'sign' and issubclass(surrogates.SUSPECTS['C'], surrogates.Triangular)


def test_a_suspect_shows_its_letter_and_no_more():
    for letter, kind in surrogates.SUSPECTS.items():
        assert repr(kind).endswith(f".{letter}'>") and repr(kind()).startswith(f'{letter}('), repr(kind())
