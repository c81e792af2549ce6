"""Lesson 12, Capstone: what it asks, and how it answers."""

from minicell.teach.question import Choice, Question

from .figures import bench

TITLE = 'Capstone: an SNN and its white lie'
SEED = 12

QUESTIONS = {
    'recall 1': Question(
        'From lesson 11. A `bprop` contains `if self.loud:`, where `loud` is a Python bool, and it is run in graph '
        'mode, five times. How often does Python decide?',
        (
            Choice(
                'Five times, as in eager mode.',
                'A replay runs no Python. The graph was made while Python ran once, on the branch that it took then.',
                'a graph reads my source',
            ),
            Choice(
                'Once. The branch that was taken is frozen in the graph.',
                'Printing the graph shows it, with the line. A choice that depends on numbers is written as `select`.',
            ),
            Choice(
                'Never: an `if` is an error in a graph.',
                'Only an `if` on a value of a Tensor is refused. One on a Python value is frozen.',
                'a graph has no if',
            ),
        ),
    ),
    'recall 2': Question(
        'From lesson 09. You call `grad(grad(net))(x)`, and `net` has its own `bprop`. What is differentiated for the '
        'second order?',
        (
            Choice(
                '`construct`, twice.',
                '`construct` has been taken over: for the first order `bprop` stands in its place, and the second '
                'order starts from there.',
                'grad goes back to construct',
            ),
            Choice(
                'The lines of `bprop`.',
                'They were recorded while the first gradient was computed. What they do not say, the second order '
                'does not know.',
            ),
            Choice(
                'Nothing: the second order of a custom `bprop` is 0.',
                'It is 0 only where the lines of `bprop` are constant in `x`. In general they are differentiated like '
                'all others.',
                'a bprop ends the tape',
            ),
        ),
    ),
    'true': Question(
        'The same network, but its step gets the **true** derivative: 0 at every place. Both layers may learn, the '
        'first through the step, the readout directly. How many digits does it get right?',
        (
            Choice(
                'About one in ten. Nothing can learn when the gradient is 0.',
                'The readout sits behind the spikes, and its gradient needs no derivative of the step. It learns as if '
                'nothing had happened, from neurons that nobody has taught.',
                'a dead layer stops everything',
            ),
            Choice(
                'About half of them.',
                'More. Thirty-two random neurons say a lot about fifteen pixels, and the readout makes the best of it.',
                'half the network gives half the result',
            ),
            Choice(
                'About nine in ten.',
                'The first layer stands still, and you would hardly have noticed. The accuracy does not tell whether '
                'gradients flow.',
            ),
            Choice(
                'More than with the surrogate: the true derivative is the better one.',
                'It is true and of no use. Where every slope is 0, no direction is downhill.',
                'the truth is always the better gradient',
            ),
        ),
        below=True,
    ),
    'steeper': Question(
        'The surrogate `relusigmoid(a)` is the slope of `sigmoid(a x)`, which looks more like the step the larger `a` '
        'is. The readout is frozen, so all depends on the surrogate. Which `a` learns best?',
        (
            Choice(
                'a = 100: it comes closest to the step.',
                'Its slope is a needle: hardly any membrane is ever under it, and one that is gets a shout instead of '
                'a word. Closer to the step means closer to its derivative, and that one is 0.',
                'a surrogate approximates the derivative',
            ),
            Choice(
                'a = 25: steep, but not too steep.',
                'It is better than 100, and far behind 1 and 5. What counts is how many membranes it reaches.',
                'steeper is better, within reason',
            ),
            Choice(
                'a = 1 or a = 5: they are the widest.',
                'Nearly every membrane hears something from them. A surrogate is judged by whom it reaches, and not by '
                'how much it looks like the step.',
            ),
            Choice(
                'It makes no difference: Adam divides the size away.',
                'It divides the size away, for each weight. Who hears something, and in which direction, it cannot '
                'mend.',
                'the optimizer mends the gradient',
            ),
        ),
        after='The figure below shows why: each surrogate stands over the membranes that it is to reach.',
        below=True,
    ),
}
SENTENCES = {
    'lie': (
        'A colleague says: “My spiking network has 0.9 accuracy, so my surrogate works.” What do you answer?',
        'The layers behind the spikes learn without the surrogate, so accuracy says little about it: freeze them, or '
        'look at |dW| of the layers in front and at how many membranes the slope reaches; and a surrogate is no '
        'approximation of the derivative, which is 0, but the derivative of another function, chosen for whom it '
        'reaches.',
    )
}
EXERCISES = ('12a', '12b', '12c', '12d')
FIGURES = {'surrogates': bench}
