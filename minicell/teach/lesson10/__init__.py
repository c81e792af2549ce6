"""Lesson 10, Who owns w?: what it asks, and how it answers."""

from minicell.teach.question import Choice, Question

from .figures import length

TITLE = 'Who owns w?'
SEED = 10

QUESTIONS = {
    'recall 1': Question(
        'From lesson 09. `bprop` gets a number that was kept in NumPy. The first order is right. What becomes of it at '
        'second order?',
        (
            Choice(
                'It is a constant there, and what it should have brought is missing.',
                'The second tape knows only what was recorded. What comes from beside the tape depends on nothing.',
            ),
            Choice(
                'It is right as well: a right first order makes a right second one.',
                'The second order asks how the first came out of `x`. A bare number cannot tell.',
                'second order comes free and right',
            ),
            Choice(
                '`bprop` is called again, and reads it again.',
                'The lines of `bprop` are differentiated, not called anew. In them this number is a constant.',
                'my bprop is called twice',
            ),
        ),
    ),
    'recall 2': Question(
        'From lesson 07. `Dropout2d` draws a mask in `construct`. How does its `bprop` get the same one?',
        (
            Choice(
                'It draws it again, with the same `keep_prob`.',
                'Dice fall anew. The gradient would be that of another forward, and not even right on average.',
                'draw a new mask',
            ),
            Choice(
                'The framework notices, and hands it over.',
                'Nothing is handed over but inputs, `out` and `dout`. What `bprop` is to know is in one of them.',
                'the framework keeps what I need',
            ),
            Choice(
                '`construct` returns it, so it is in `out`.',
                'What goes in and what comes out is kept for each call. Keep that in mind: a weight is neither.',
            ),
        ),
    ),
    'train': Question(
        '`Scale` has its own `bprop`, right about `x`, and `Net` adds `b` behind it. SGD trains all of '
        '`net.trainable_params()`. What happens to `w`?',
        (
            Choice(
                'It trains: `trainable_params` has found it, and `construct` uses it.',
                'It was found, and it was used. But where it was used nothing is recorded, and nobody handed out a '
                'gradient for it.',
                'w is found by itself',
            ),
            Choice(
                'An error: `bprop` returns too few gradients.',
                'It returns one for each input, and `w` is no input. The number is right.',
                'the framework would complain',
            ),
            Choice(
                'It stands still, and so does the loss.',
                'It does, but the loss falls: there is a `b` behind it that trains. So the loss tells you nothing.',
                'a loss that falls shows that all trains',
            ),
            Choice(
                'It stands still, while `b` trains and the loss falls.',
                'Its gradient is 0 in each step. The loss comes down as far as `b` alone can bring it.',
            ),
        ),
        below=True,
    ),
    'tuple': Question(
        'So `bprop` returns two gradients: `return self.w * dout, x * dout`. `construct` has the input `x`. What will '
        'happen?',
        (
            Choice(
                '`w` gets the second one, and trains.',
                'The places of the tuple belong to the inputs of `construct`, in their order. There is no second one.',
                'return it in the tuple',
            ),
            Choice(
                'An error: two gradients for one input.',
                'The tuple answers for the inputs, and for nothing else.',
            ),
            Choice(
                '`x` gets the sum of both.',
                'Gradients are added where a value is used twice, and that is a matter of the tape, not of the tuple.',
                'what is returned is added up',
            ),
        ),
        after='**NB: in MindSpore** there is no error: what is too many is cut off without a word, and `w` stays where '
        'it is.',
        below=True,
    ),
    'length': Question(
        '`x` has two numbers now, `w` has one. The document’s `bprop` returns `args[0] * args[-1]` for the weight. '
        'What comes of it?',
        (
            Choice(
                'The right gradient: broadcasting works in both directions.',
                'Forward, one `w` goes to two places. Backward, two gradients come back to one `w`. Somebody has to '
                'add them.',
                'it will broadcast',
            ),
            Choice(
                'A gradient of the wrong shape: two numbers for one weight.',
                '`x * dout` has as many numbers as `x`. It is right for one, and for one only.',
            ),
            Choice(
                'Only the first number counts, as `w` has only one.',
                'No number is better than the others: each is the share of one place where `w` was used.',
                'the first one is taken',
            ),
        ),
        below=True,
    ),
}
SENTENCES = {
    'owner': (
        'Why does a Parameter inside a Cell with its own `bprop` not train, and what do you write so that it does?',
        'What used it was not recorded, and bprop is asked about inputs only, so its gradient is 0 in silence; name it '
        'in internal_params, and return a dict with the Parameter as key beside the tuple, summed to its shape.',
    )
}
EXERCISES = ('10a', '10b')
FIGURES = {'length': length}
