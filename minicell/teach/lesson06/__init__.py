"""Lesson 06, Bug hunt: what it asks, and how it answers."""

from minicell.teach.question import Choice, Question

from .figures import suspects, tests

TITLE = 'Bug hunt: wrong and still training'
SEED = 6

QUESTIONS = {
    'recall 1': Question(
        'From lesson 05. A `bprop` has worked out `dx` and `dw`, one gradient for each of its two inputs. Which of '
        'these lines passes without a word?',
        (
            Choice(
                '`return dx`, without `dw`',
                'A bare Tensor is refused: `bprop` returns a tuple with one gradient per input.',
                'the framework fills in the rest',
            ),
            Choice(
                '`return dx, dw, dx`, one too many',
                'minicell refuses it. MindSpore in PyNative mode drops what is too much, without a word.',
                'what is too much does no harm',
            ),
            Choice(
                '`return dx.sum(axis=0), dw`, a `dx` of another shape',
                'A gradient has the shape of its input, and minicell holds it to that.',
                'it will broadcast',
            ),
            Choice(
                '`return 3 * dx, dw`, right shapes and wrong numbers',
                'Number and shapes are right, and nothing else is looked at. Such bugs are what this lesson is about.',
            ),
        ),
    ),
    'recall 2': Question(
        'From lesson 03. A Cell has its own `bprop`, and its `construct` multiplies two matrices. What does backward '
        'find of the product on the tape?',
        (
            Choice(
                'An entry, whose rule is used if `bprop` is wrong.',
                'There is no such entry, and nobody knows that `bprop` is wrong.',
                'autodiff always has the last word',
            ),
            Choice(
                'Nothing. One entry stands for the whole Cell, and it calls `bprop`.',
                'While `construct` of such a Cell runs, the tape does not write. So `bprop` is all there is.',
            ),
            Choice(
                'An entry, whose gradient is added to that of `bprop`.',
                'There is no such entry: your `bprop` takes the place of the automatic gradient.',
                'custom is added to automatic',
            ),
        ),
    ),
    'random': Question(
        'In `bprop`, random numbers now stand in the place of `w`: `dx = dout @ b.T`. They are drawn once, and never '
        'change. So `dx` is wrong at each step, and the first layer learns from it. After training, how does the '
        'network do?',
        (
            Choice(
                'An error comes up: these gradients do not belong to the product.',
                'Nobody compares them with the product. `b` has the shape of `w`, so `dx` has the shape of `x`, and '
                'that is all that anybody looks at.',
                'the framework checks my maths',
            ),
            Choice(
                'It learns nothing: the first layer gets nonsense.',
                'It does learn. Nonsense that stays the same is something that the layer behind can adapt to: read on.',
                'a wrong gradient cannot train',
            ),
            Choice(
                'It learns something, but is far from the right one.',
                'It is about as good as the right one. How well a network does says little about its gradients.',
                'the better the gradient, the better the result',
            ),
            Choice(
                'It does about as well as with the right `bprop`.',
                'Then neither the loss nor the accuracy would ever have told you about this bug.',
            ),
        ),
        below=True,
    ),
    'line-up': Question(
        'Eight suspects, A to H, each a product with its own wrong `bprop`. Each trains the same network, from the '
        'same beginning. How many of the eight bring the loss below 0.5?',
        (
            Choice(
                'None. Wrong is wrong.',
                'Five do. A step need not be the true gradient to lead downhill.',
                'a wrong gradient cannot train',
            ),
            Choice(
                'One or two, by luck.',
                'Five do, and with other seeds the same five: see the table below.',
                'a wrong gradient trains only by luck',
            ),
            Choice(
                'Five.', 'Five, and they do so with other seeds, too. One of them does better than the right bprop.'
            ),
            Choice(
                'All eight. Training forgives everything.',
                'Three do not, and with other seeds the same three: see the table below.',
                'training repairs every gradient',
            ),
        ),
        after='Now look for yourself: choose a suspect in the figure below, and train it.',
    ),
}
SENTENCES = {
    'trains': (
        'A colleague says: “The loss falls, so my bprop is right.” What do you answer?',
        'A step need only lead downhill, and a gradient that is scaled, partly random or partly missing often does; so '
        'a falling loss says that something was learnt, and only a comparison with the truth, for a random dout and '
        'several shapes, says that the gradient is right.',
    )
}
EXERCISES = ('6a', '6b')
FIGURES = {'suspects': suspects, 'tests': tests}
