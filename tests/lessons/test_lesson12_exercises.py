"""The exercises of lesson 12: a neuron, a surrogate, a rescue, a hunt and a cost of spikes."""

import pytest

from minicell import nn, ops
from minicell.teach.about import exercise
from minicell.teach.exercise import run
from minicell.teach.lesson12 import found, frozen, surrogates, yours
from tests.lessons.answers import Answers, changed
from tests.messages import tells

NEURON, OWN, RESCUE, HUNT, THRIFT = map(exercise, ('12a', '12b', '12c', '12d', '12e'))


def test_another_neuron_passes():
    class Step(nn.Cell):
        def construct(self, x):
            return ops.greater(x, 0).astype(x.dtype)

        def bprop(self, x, out, dout):
            return (dout * 1.25 * (1 - ops.tanh(2.5 * x) ** 2),)

    class Other(nn.IFNode):
        def __init__(self, surrogate=None, v_threshold=1.0, beta=0.9, detached=False):
            super().__init__(v_threshold, surrogate_function=surrogate or Step())
            self.surrogate, self.beta, self.detached = self.surrogate_function, beta, detached

        def charge(self, x, v):
            return x - (1 - self.beta) * v + v

        def construct(self, x, v):
            spike, after = super().construct(x, v)
            return spike, self.charge(x, v) - ops.stop_gradient(spike) if self.detached else after

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
    (('v = self.beta * v + x', 'v = ...'), ('open', 'of construct'), None),
    (('self.surrogate(v - self.v_threshold) * self.v_threshold', '...'), ('open', 'of construct'), None),
    (('v - taken', '...'), ('open', 'the membrane'), None),
    (('(dout * 5.0 * s * (1 - s),)', '(...,)'), ('open', 'bprop returns'), None),
    (('(dout * 5.0 * s * (1 - s),)', '(dout * ...,)'), ('open', 'bprop returns'), None),
)


slope = lambda code: changed(OWN.start, ('...', code))

test_wrong_neurons_fail = Answers(NEURON).failing(
    (('v = self.beta * v + x', 'v = self.beta * x + v'), 'leaks-input'),
    (('v = self.beta * v + x', 'v = 0.9 * v + x'), None),
    (('v - taken', 'self.beta * v - taken'), None),
    (('v - taken', 'v * (1 - taken)'), 'hard-as-written'),
    ((' * self.v_threshold', ''), 'one'),
)

test_published_surrogates_pass = pytest.mark.slow(
    Answers(OWN, slope).passing(
        '(ops.abs(x) < 0.5).astype(x.dtype)',  # a boxcar
        '0.3 * ops.relu(1 - ops.abs(x))',  # Bellec et al.
        '1 / (1 + 100 * ops.abs(x)) ** 2',  # Zenke and Ganguli
        '1 / (1 + (3.1416 * x) ** 2)',  # Fang et al.
        'ops.exp(-5 * ops.abs(x))',  # Shrestha and Orchard
        # Yin et al.
        '0.918 * ops.exp(-2 * x * x) - 0.02 * (ops.exp(-(x - 0.5) ** 2 / 18) + ops.exp(-(x + 0.5) ** 2 / 18))',
        'ops.ones_like(x)',  # Bengio et al.
    )
)

test_what_the_lesson_calls_ill_fails = pytest.mark.slow(
    Answers(OWN, slope).failing(
        ('nn.relusigmoid(25).slope(x)', 'loud'),
        ('1000 * ops.relu(1 - ops.abs(x) / 2)', 'loud'),
        ('5 * (x > 0).astype(x.dtype)', 'above'),
        ('(x < 0).astype(x.dtype)', 'below'),
        ('ops.sigmoid(x)', 'value'),
        ('ops.exp(-2 * (x - 2.5) ** 2)', None),
        ('x / x', None),
        ('50 * (ops.abs(x) < 0.001)', 'needle'),
        ('ops.exp(-((x - 0.2) ** 2))', 'larger than', None),
        ('ops.relu(1 - ops.abs(x)) + 0.5 * ops.logical_and(ops.abs(x) > 0.02, ops.abs(x) < 0.25)', '1.48', None),
        ('ops.ones_like(x)\n\n    def construct(self, x):\n        return ops.sigmoid(5 * x)', 'the step', None),
        ('ops.ones_like(x)\n\n    def bprop(self, x, out, dout):\n        return (dout * out,)', 'no longer', None),
    )
)

rescue = lambda settings: f'rescue = dict(zip(("v_threshold", "learning_rate", "epochs"), {settings}))'
test_a_rescue_passes = pytest.mark.slow(Answers(RESCUE, rescue).passing((0.05, 0.02, 4), (0.02, 0.01, 5)))
test_a_rescue_is_told_what_fails = pytest.mark.slow(
    Answers(RESCUE, rescue).failing(
        ((0.05, 0.0001, 1), 'impatient'),
        ((1.0, 0.001, 5), 'slower'),
        ((2.0, 0.01, 5), 'larger'),
        ((0.3, 0.01, 5), 'halfway'),
    )
)

cost = lambda code: changed(THRIFT.start, ('...', code))
test_thrifty_costs_pass = pytest.mark.slow(
    Answers(THRIFT, cost).passing(
        '0.012 * (count**2).sum() / count.shape[0]',
        '0.011 * (count * count).sum(1).mean()',
        '1.2 * (count * count).mean()',
    )
)
test_other_costs_fail = pytest.mark.slow(
    Answers(THRIFT, cost).failing(
        ('0.001 * (count * count).sum(1).mean()', 'spikes a digit', 'little'),
        ('0.05 * count.sum(1).mean()', 'accuracy', 'much'),
        ('0.01 * ((count.sum(1) - 12) ** 2).mean()', 'spikes a digit', 'little'),
        ('0.002 * ops.relu(count.sum(1) - 15).mean()', 'spikes a digit', 'little'),
        ('count.sum(1)', 'one number', None),
        ('3.0', 'got float', None),
    )
)


@pytest.mark.slow
def test_the_faults_are_faults_where_it_is_trained():
    accuracies = {letter: frozen(kind()) for letter, kind in surrogates.SUSPECTS.items()}
    assert accuracies['A'] > 0.88 and max(accuracies[letter] for letter in 'CDE') < 0.5

    class Below(nn.relusigmoid):
        def slope(self, x):
            return super().slope(x + 1.5)

    above, below = f'{accuracies["B"]:.2f}', f'{frozen(Below()):.3f}'
    tells(' '.join(HUNT.why.split()), f'comes to {above},', f'it reaches {below},')


def test_what_the_checks_say():
    tells(OWN.check_code(slope('x.sum()')).said, 'for each x', 'shape ()')
    smooth = changed(NEURON.solution, ('ops.greater(x, 0).astype(x.dtype)', 'ops.sigmoid(5 * x)'))
    tells(NEURON.check_code(smooth).said, 'no longer', 'step')
    tells(NEURON.check([]).said, 'class Neuron', 'got list')
    tells(OWN.check(3).said, 'nn.Surrogate', 'got int')
    tells(RESCUE.check({'v_threshold': 0.1, 'learning_rate': 0.01}).said, 'open: epochs', 'was 5')
    tells(RESCUE.check({'v_threshold': 'x', 'learning_rate': 1, 'epochs': 1}).said, 'above 0', "got 'x'")
    tells(RESCUE.check({'v_threshold': 1, 'learning_rate': 0.01, 'epochs': 1.5}).said, 'whole number', '1.5')
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
