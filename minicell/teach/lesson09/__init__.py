"""Lesson 09, The tape of the tape: what it asks, and how it answers."""

from minicell.teach.question import Choice, Question

from .figures import bprops

TITLE = 'The tape of the tape'
SEED = 9

QUESTIONS = {
    'recall 1': Question(
        'From lesson 08. `Threshold` compares `x` with a number and selects. It has no `bprop`. What about its '
        'gradient?',
        (
            Choice(
                'It is zero everywhere: a comparison has no slope.',
                'The comparison has none, but it only decides. What is selected is `x`, and its gradient passes.',
                'comparisons kill all gradients',
            ),
            Choice(
                'Autodiff gets it right: `dout` where `x` was selected, zero where the constant was.',
                'Each operation in it has a rule. A `bprop` of your own would be one more thing to get wrong.',
            ),
            Choice(
                'It needs a `bprop`, as every Cell does that is not smooth.',
                'Smooth or not is not the question. The question is whether the operations that ran have rules.',
                'what has a corner needs a bprop',
            ),
        ),
    ),
    'recall 2': Question(
        'From lesson 06. A network trains nicely. What does that tell you about the `bprop` in it?',
        (
            Choice(
                'Not much: a wrong one may train, too.',
                'Downhill is enough for training. The right number is asked for by a gradient check alone.',
            ),
            Choice(
                'It is right, or the loss would not fall.',
                'Scaled, half forgotten or random feedback: you have seen wrong ones that trained.',
                'it trains, so it is right',
            ),
            Choice(
                'It was never called.',
                'Then the network would train with autodiff. That may be, but training does not tell you.',
                'a custom gradient is only for show',
            ),
        ),
    ),
    'twice': Question(
        '`Sin` has the `bprop` above. You ask for `ms.grad(ms.grad(net))(x)`. What does the outer `grad` '
        'differentiate?',
        (
            Choice(
                '`construct`: autodiff takes the second derivative of the sine.',
                'What runs in `construct` is hidden: no tape has it. There is nothing for autodiff to go on with.',
                'autodiff goes on inside construct',
            ),
            Choice(
                'Nothing new: `bprop` is called twice, the second time on what the first one returned.',
                'It ran once. And called on its own result, a cosine of a cosine would have come out, not a sine.',
                'my bprop is called twice',
            ),
            Choice(
                'The lines of `bprop`, which were recorded while they ran.',
                'They ran once, and left a cosine and a product on a second tape. The rules of those two did the rest.',
            ),
            Choice(
                'It cannot: second order needs a method of its own.',
                'No error came, and the number is `-sin(x)`. Operations that are recorded can be differentiated again.',
                'second order has to be written by hand',
            ),
        ),
        below=True,
    ),
    'seed': Question(
        'The document’s `Net` runs `ReLU6`, and its `bprop` returns `relu(x)`. What does `grad(grad(net))` print for '
        'this `x`, and is it the second derivative of `ReLU6`?',
        (
            Choice(
                'Ones; and that is it. A `bprop` with a rule gives the missing second order.',
                'A straight line does not bend: the second derivative is 0, as forward alone says in the last lines.',
                'second order comes free and right',
            ),
            Choice(
                'Zeros; the line is straight there.',
                'Zeros would be the truth. But what is differentiated are the lines of `bprop`, not `ReLU6`.',
                'second order knows what forward did',
            ),
            Choice(
                'Ones; and that is not it.',
                'They are the slope of `relu(x)`, which is what this `bprop` returns. The truth is 0: a straight line '
                'does not bend.',
            ),
            Choice(
                'An error: `ReLU6` has no second derivative.',
                'Its own backward has none. But here its own backward was never asked: the `bprop` took over.',
                'the missing rule is still missing',
            ),
        ),
        below=True,
    ),
    'saved': Question(
        'His `construct` keeps `e` as `self.kept`, in NumPy, and `bprop` makes a Tensor of it. The first-order check '
        'says ✓. What about second order?',
        (
            Choice(
                'Right as well: it is made from the first order, and that is right.',
                'The numbers of the first order are right. How they came out of `x` is lost, and second order is about '
                'nothing else.',
                'a right first order makes a right second one',
            ),
            Choice(
                'An error: NumPy has no gradient.',
                'Nobody differentiates NumPy here. `e` arrives in `bprop` as a number, and numbers are welcome.',
                'the framework would complain',
            ),
            Choice(
                'Zeros, in silence.',
                'In `bprop` this `e` is a constant, and so is everything that is made of it. The derivative of a '
                'constant is 0.',
            ),
        ),
        below=True,
    ),
}
SENTENCES = {
    'second': (
        'Where does a second derivative come from in a Cell with its own `bprop`, and when is it wrong?',
        'While backward runs your bprop, its lines are recorded on a second tape, and the outer grad reads that one '
        'back; so it is the derivative of what bprop returned, wrong where the first order is wrong, and wrong where '
        'a line took a value off the tape.',
    )
}
EXERCISES = ('9a', '9b')
FIGURES = {'bprops': bprops}
