"""Lesson 03, Takeover: what it asks, and how it answers."""

from minicell.teach.question import Choice, Question

from .figures import loss_scale

TITLE = 'Takeover'
SEED = 3

QUESTIONS = {
    'recall 1': Question(
        'From lesson 01. You call `z = x * y + x` while a gradient is wanted. What does the call leave behind?',
        (
            Choice(
                'The source of the line, to be differentiated later.',
                'Nobody reads your source. Each primitive that really ran left one entry: here a product and a sum.',
                'grad reads my source',
            ),
            Choice(
                'One entry on the tape for each primitive that ran.',
                'Two entries: the product, then the sum. What did not run left nothing.',
            ),
            Choice(
                'Nothing. The gradient is worked out by small differences.',
                'Differences are a second opinion, and a slow one. The gradient is read back from the tape, entry by '
                'entry.',
                'a gradient is a difference quotient',
            ),
        ),
    ),
    'recall 2': Question(
        'From lesson 02. Backward reaches the entry of a product. Its rule is called with `dout`. What is that?',
        (
            Choice(
                'Always 1, because a derivative starts at 1.',
                'Only the loss itself starts with 1. On the way back factors multiply in: a loss of `3 * z` brings '
                'a `dout` of 3 to `z`.',
                'dout is 1',
            ),
            Choice(
                'The gradient of the loss by the output of this entry.',
                'It has the shape of the output, and carries all that happened behind this entry. A rule multiplies by '
                'it.',
            ),
            Choice(
                'The output of this entry, as forward computed it.',
                'That is `out`. A rule may need both: `out` is a value, `dout` says how much the loss cares about it.',
                'out and dout are the same thing',
            ),
        ),
    ),
    'takeover': Question(
        '`Net` multiplies two matrices, and its `bprop` returns `x + 1` and `y + 1`. What will the gradient of `x` be?',
        (
            Choice(
                'The true gradient of the product. The `bprop` only adds a note.',
                'The product ran, but it was not recorded. There was nothing left that autodiff could read back.',
                'autodiff always has the last word',
            ),
            Choice(
                'The true gradient plus what `bprop` returns: `x + 1` is added.',
                'No share of the true gradient is in these numbers. Your `bprop` replaces the automatic gradient; it '
                'is not added to it.',
                'custom is added to automatic',
            ),
            Choice(
                'Exactly `x + 1`, right or wrong.',
                'What `bprop` returns **is** the gradient. Nobody compares it with the truth: not here, and not in '
                'MindSpore.',
            ),
            Choice(
                'An error: `x + 1` is not the gradient of a product.',
                'No error came. The number and the shapes of the gradients fit, and nothing else is looked at. '
                'Whether they are right is your business.',
                'the framework checks my maths',
            ),
        ),
        after='The first number of `x` is 0.5, and the first number printed is 1.5: `x + 1`, to the last digit.\n\n'
        '**NB: in MindSpore** the listing prints this very text (tried on version 2.10, in both of its modes). '
        'It is a fine example of when `bprop` is called. It is no example of a gradient, though the document calls '
        '`dx` “the derivative of the input `x`”.',
        below=True,
    ),
    'scale': Question(
        'Multiply the loss by 10: it is now `10 * z.sum()`. What happens to the gradients that `Net` hands out?',
        (
            Choice(
                'They grow tenfold, as every gradient does.',
                'The true gradients do, because `dout` is ten times as large. But this `bprop` never looks at `dout`.',
                'the framework scales my gradient for me',
            ),
            Choice(
                'Nothing. They stay `x + 1` and `y + 1`.',
                '`dout` is ten times as large, but this `bprop` never looks at it. The loss has lost its say.',
            ),
            Choice(
                'They become `10 * x + 1` and `10 * y + 1`.',
                'The inputs are the same as before. What the factor changes is `dout`, and only a `bprop` that '
                'multiplies by `dout` can feel it.',
                'the factor reaches the inputs',
            ),
        ),
        after='Now try it: move the slider below from one end to the other.',
    ),
}
SENTENCES = {
    'takeover': (
        'Who computes the gradient of a Cell that has its own `bprop`, and who checks it?',
        'Backward does not look inside the Cell: it calls `bprop` with `dout` and takes what comes back as the '
        'gradient, so whoever wrote `bprop` computes it, and nobody checks it unless you do.',
    )
}
EXERCISES = ('3a',)
FIGURES = {'loss scale': loss_scale}
