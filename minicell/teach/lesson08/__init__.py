"""Lesson 08, Threshold needs no bprop: what it asks, and how it answers."""

from minicell.teach.question import Choice, Question

from .figures import threshold

TITLE = 'Threshold needs no bprop'
SEED = 8

QUESTIONS = {
    'recall 1': Question(
        'From lesson 07. `Dropout2d` has thrown dice forward, and its `bprop` needs to know how they fell. Where does '
        'it look?',
        (
            Choice(
                'It throws again, with the same `keep_prob`.',
                'Then other channels would fall out, and the gradient would belong to another function.',
                'draw a new mask',
            ),
            Choice(
                'In `out`: forward handed the mask out.',
                'As one of its outputs, kept for each call. In this lesson somebody else keeps the mask for you.',
            ),
            Choice(
                'In `dout`: the zeros in it show what was dropped.',
                '`dout` is what the loss wants of `y`, and it may well want something of a dropped channel.',
                'dout knows what forward did',
            ),
        ),
    ),
    'recall 2': Question(
        'From lesson 05. A `bprop` returns one Tensor in the right shape, as a tuple, with wrong numbers in it. Who '
        'complains?',
        (
            Choice(
                'Nobody, until you run a gradient check.',
                'Number and shapes are looked at, and no more. The best protection is a `bprop` that is not there.',
            ),
            Choice(
                'minicell, when backward comes to it.',
                'It sees what can be seen without the maths: a tuple, as many gradients as inputs, their shapes.',
                'it will complain',
            ),
            Choice(
                'MindSpore would, but minicell does not.',
                'Neither does. MindSpore lets even more pass: some wrong shapes are summed until they fit.',
                'the real framework is stricter',
            ),
        ),
    ),
    'kills': Question(
        'The threshold is 0.1, and the inputs are 0.1, 0.2 and 0.3. There is no `bprop`. Which gradients will the '
        'three inputs get, for the loss `m(x).sum()`?',
        (
            Choice(
                '0, 0, 0: a comparison has no gradient, so it blocks everything.',
                'The comparison blocks its own path, and no more. `inputs` also goes straight into `select`, and '
                'there it passes.',
                'comparisons kill all gradients',
            ),
            Choice(
                '1, 1, 1: all three are at the threshold or above.',
                'The first is **at** it. `gt` asks for more than that, so 20 took its place, and 20 does not depend '
                'on it.',
                '> is >=',
            ),
            Choice(
                '0, 1, 1: whoever was replaced gets 0, and the others get all of it.',
                'Autodiff knew from `select` who was replaced. Nobody had to tell it.',
            ),
            Choice(
                'An error: without a `bprop` there is no rule for this layer.',
                'The layer needs no rule. Each op in its `construct` has one, or passes nothing on.',
                'every layer needs a bprop',
            ),
        ),
        after='**NB: in MindSpore** (tried on version 2.10) this layer gives the same output and the same gradients.',
        below=True,
    ),
    'zeros': Question(
        '`Loop` works out a layer number by number: `x.asnumpy()`, a Python loop, a new Tensor. Its values are right. '
        'What does autodiff say of its gradient?',
        (
            Choice(
                'It is right: all that matters is which numbers come out.',
                'The tape writes down ops on Tensors. The loop worked on NumPy numbers, and the tape saw none of it.',
                'autodiff reads the values',
            ),
            Choice(
                'It is 0, because of the `if`.',
                'An `if` is no obstacle: it chooses what runs, and what runs is written down. It is `asnumpy()` that '
                'leaves the tape.',
                'Python control flow blocks gradients',
            ),
            Choice(
                'It is 0, because nothing on the tape leads back to `x`.',
                'This zero is not computed, it is a gap. minicell says so, in warnings that the cell prints.',
            ),
        ),
        after='**NB: in MindSpore** both zeros look the same, and no warning tells you which of them you have.',
        below=True,
    ),
    'raise': Question(
        'You raise the threshold above all of the data. What will the gradients of the 17 numbers be?',
        (
            Choice(
                'None: the way from `x` to the loss is cut.',
                'It is there. `select` is on the tape, backward comes through it, and hands out zeros.',
                'zero means missing',
            ),
            Choice(
                'All 1: the slope of `x` is 1.',
                'Not one of them reached the output. A constant stands in each place.',
                'the gradient is that of the formula',
            ),
            Choice(
                'All 0, and rightly so.',
                'Move any number a little: the output stays as it is. A computed zero is an answer.',
            ),
        ),
        after='Now move the threshold yourself, to both ends. An optimizer that gets these zeros will never bring a '
        'number back. That is no mistake of autodiff: it is what you asked for.',
    ),
}
SENTENCES = {
    'enough': (
        'When is autodiff enough, so that you need not write a `bprop`?',
        'When construct is made of ops that have rules, and the true gradient is the one that you want: then a mask is '
        'kept by the op that used it, and there is no bprop that could be wrong.',
    )
}
EXERCISES = ('8a', '8b')
FIGURES = {'threshold': threshold}
