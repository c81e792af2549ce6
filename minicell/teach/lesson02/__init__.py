"""Lesson 02, A rule and its dout: what it asks, and how it answers."""

from minicell.teach.question import Choice, Question

from .figures import dout

TITLE = 'A rule and its dout'
SEED = 2

QUESTIONS = {
    'recall 1': Question(
        'From lesson 01. A loop runs `y = y * 2` three times, and an `if` skips `ops.sqrt(y)`. What is on the tape?',
        (
            Choice(
                'The line of the product, the line of the root, and the `if`.',
                'Lines are not recorded, and neither is an `if`. What ran left an entry: three products.',
                'grad reads my source',
            ),
            Choice(
                'Three products.',
                'One entry each time that an operation ran. The root did not run.',
            ),
            Choice(
                'One product, with a note “three times”.',
                'The three products had different inputs and outputs. Each is an entry of its own.',
                'a loop is one entry',
            ),
        ),
    ),
    'warm-up': Question(
        '`y` grows three times as fast as `x`, and the loss grows five times as fast as `y`. Push `x` up by one '
        'hundredth. What does the loss do?',
        (
            Choice(
                'It goes up by eight hundredths.',
                'One after the other multiplies: the push becomes three times as large, and that one five times. Rates '
                'add up only for ways side by side. You will meet those soon.',
                'rates in a row add up',
            ),
            Choice(
                'It goes up by fifteen hundredths.',
                'Three times as large, then five times: rates in a row multiply. This is the chain rule.',
            ),
            Choice(
                'It goes up by five hundredths.',
                'That is what a push of `y` would do. But `y` itself is pushed by three hundredths.',
                'only the last rate counts',
            ),
        ),
    ),
    'twice': Question(
        '`double(a)` is `a + a`, one entry with two inputs. Backward hands 1 to the left input and 1 to the right one. '
        'What is the gradient of `a`?',
        (
            Choice(
                '1. The second one replaces the first.',
                'Then `a + a` would grow no faster than `a`. But it grows twice as fast: both ways count, and what '
                'they bring is added.',
                'gradients overwrite',
            ),
            Choice(
                '2. The two are added.',
                'A push of `a` goes both ways, left and right, and both reach the result. So their gradients add up.',
            ),
            Choice(
                'Two gradients, 1 and 1: one for each place where `a` stands.',
                'The rule does return two. But both belong to the same `a`, and you asked how the result answers to '
                '`a`, wherever it stands.',
                'a gradient belongs to a place in the code',
            ),
            Choice(
                'An error: it is not clear which one is meant.',
                'Nothing is unclear. The result grows with `a` on the left and with `a` on the right, so it grows with '
                'both.',
                'a value may be used only once',
            ),
        ),
        after='One rule handed out both. It was not the rule that added them, but backward: you will see where.',
        below=True,
    ),
    'dout': Question(
        'The loss is `5 * square(x)`, and `x` is 3, so `out` is 9. Backward calls `bprop(x, out, dout)`. '
        'What is `dout`?',
        (
            Choice(
                '1. A derivative starts at 1.',
                'It starts at 1 at the loss. On the way from there to `square` stands the factor 5, and its rule has '
                'multiplied by it.',
                'dout is 1',
            ),
            Choice(
                '5.',
                'The loss is five times `out`, so it grows five times as fast as `out`. That is what `dout` says.',
            ),
            Choice(
                '9.',
                'That is `out`, the value. `dout` is not a value of forward: it says how fast the loss grows with '
                '`out`.',
                'out and dout are the same thing',
            ),
            Choice(
                '30, the gradient of `x`.',
                'That is what `bprop` returns. `dout` is the gradient by the **output**; it comes in. The gradient by '
                'the **input** goes out.',
                'dout is my own gradient',
            ),
        ),
        after='And `bprop` returned `2 * x * dout`, 2 times 3 times 5. That is the gradient in the last line.',
        below=True,
    ),
}
SENTENCES = {
    'rule': (
        'What does a backward rule receive, and what does it return?',
        'It receives the inputs and the output of its operation and `dout`, the gradient of the result by that output; '
        'it returns one gradient for each input, in the shape of that input, proportional to `dout`; and what several '
        'rules return for the same value is added.',
    )
}
EXERCISES = ('2a',)
FIGURES = {'dout': dout}
