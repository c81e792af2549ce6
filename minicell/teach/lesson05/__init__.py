"""Lesson 05, Errors caught, errors not: what it asks, and how it answers."""

from minicell.teach.question import Choice, Question

from .figures import traffic
from .specimens import here, in_mindspore, silent

TITLE = 'Errors caught, errors not'
SEED = 5

QUESTIONS = {
    'recall 1': Question(
        'From lesson 04. You check a `bprop` by central differences in float64. Which `eps` do you take?',
        (
            Choice(
                'The smallest one that is not 0.',
                'There the two values agree in all digits but the last, and rounding is all that is left.',
                'smaller eps is better',
            ),
            Choice(
                'Something near `1e-5`.',
                'Larger, and the bend of the curve shows. Smaller, and the digits cancel.',
            ),
            Choice(
                '1, so that nothing is lost by dividing.',
                'The slope over so long a step is that of the chord. Its error grows like eps times eps.',
                'a derivative is any rise over any run',
            ),
        ),
    ),
    'recall 2': Question(
        'From lesson 02. Backward calls a rule with `dout`. What must the rule give back?',
        (
            Choice(
                'One number: how much the loss changes.',
                'That is one number for each number of each input.',
                'a gradient is a number',
            ),
            Choice(
                'One gradient for each input, in their order, each in the shape of its input.',
                'By position, not by name. This lesson is about what happens when one of these is not so.',
            ),
            Choice(
                '`dout`, with its own share added.',
                'What comes back is by the inputs, not by the output. `dout` is multiplied in, not added to.',
                'a rule adds to dout',
            ),
        ),
    ),
    'brackets': Question(
        '`Average` has one input. Its `bprop` ends with `return (dx)`: brackets, and no comma. What happens?',
        (
            Choice(
                'It works: the brackets make a tuple of one.',
                'The comma makes the tuple. `(dx)` is `dx`, as `(3)` is 3.',
                'the brackets make the tuple',
            ),
            Choice(
                'An error that says how to write it.',
                'The brackets do nothing, so a bare Tensor came back where a tuple is due.',
            ),
            Choice(
                'The first number of `dx` is taken for the gradient.',
                'A Tensor can be walked through, so that might have happened. It is refused before.',
                'it will take what it can get',
            ),
        ),
        after='The document says: “If the number of return values of the `bprop` function is 1, the return value must '
        'be written in the tuple format, that is, `return (dx,)`.” **NB: in MindSpore** eager mode takes the bare '
        'Tensor all the same, and graph mode refuses it. So it works until the day on which you change the mode.',
        below=True,
    ),
    'finds': Question(
        'Number 8 returned a wrong number in the right shape, and nobody complained. Which of these will tell you that '
        'it is wrong?',
        (
            Choice(
                '`net.bprop_debug = True`: it reports each call of `bprop`.',
                'It reports what went in and what came out. Read it again: nothing in it says what is due.',
                'who can see the numbers can see the mistake',
            ),
            Choice(
                '`try` and `except` around `ms.grad`.',
                'There is nothing to catch: no error is raised.',
                'it will complain',
            ),
            Choice(
                '`ms.check_bprop(net, x)`.',
                'It works the gradient out twice more, by autodiff and by differences, and compares.',
            ),
        ),
        after='`bprop_debug` has its use: it shows whether your `bprop` is called at all, with what, and how often. '
        '**NB: in MindSpore** 2.10 it has no effect in eager mode.',
        below=True,
    ),
}
SENTENCES = {
    'errors': (
        'Which mistakes of a bprop are caught for you, and which are not?',
        'What can be seen without the maths is caught: no tuple, another number of gradients than inputs, another '
        'shape. A wrong number in the right shape passes in silence, until you check it.',
    )
}
EXERCISES = ('5a', '5b')
FIGURES = {'traffic': traffic}
