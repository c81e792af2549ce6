"""Lesson 11, Eager and graph: what it asks, and how it answers."""

from minicell.teach.question import Choice, Question

from .figures import run_times

TITLE = 'Eager and graph'
SEED = 11

QUESTIONS = {
    'recall 1': Question(
        'From lesson 10. A Cell with its own `bprop` holds a Parameter `w`, and `bprop` returns `(dx,)`. What is the '
        'gradient of `w`?',
        (
            Choice(
                'Autodiff finds it: `w` is a Parameter.',
                'The takeover cuts the wire to `w` as well. What `bprop` does not hand out does not arrive.',
                'w is found by itself',
            ),
            Choice(
                '0, until `internal_params` names `w` and `bprop` returns `(dx,), {w: dw}`.',
                'The list says that this Cell answers for `w`, and the dict is its answer.',
            ),
            Choice(
                'It is `dx`, as there is only one gradient.',
                '`dx` belongs to the input. Each Parameter has its own place, in the dict.',
                'one gradient fits all',
            ),
        ),
    ),
    'recall 2': Question(
        'From lesson 08. A layer replaces all numbers below a threshold by a constant, with `ops.select`. Does it need '
        'a `bprop`?',
        (
            Choice(
                'Yes: a comparison has no derivative.',
                'It has none, and needs none: it only chooses. The gradient goes through the branch that was chosen.',
                'comparisons kill all gradients',
            ),
            Choice(
                'No: `select` has a rule, and sends the gradient to the branch that was taken.',
                'All of it is said in ops, and each of them has a rule. Then autodiff is enough.',
            ),
            Choice(
                'Yes: a constant has no gradient, so something is missing.',
                'The gradient by `x` is 0 where the constant was taken. That is a right number, and no gap.',
                'a zero is a gap',
            ),
        ),
    ),
    'runs': Question(
        'Graph mode is on, and five gradients are taken, one after the other. How often does Python run the lines of '
        '`bprop`?',
        (
            Choice(
                'Five times: once for each gradient.',
                'That is eager mode. In graph mode the second call already is a replay, and no line of yours runs.',
                'print and if work the same',
            ),
            Choice(
                'Once.',
                'Python runs it once, while somebody takes notes. The four others are played from the notes.',
            ),
            Choice(
                'Never: a graph is made by reading the source.',
                'minicell makes its graph by running your lines once, and watching. (MindSpore reads the source.)',
                'a graph is my source, translated',
            ),
            Choice(
                'Ten times: traced and run, for each.',
                'The one run is both: it gives you your first gradient, and the graph.',
                'tracing comes on top of each call',
            ),
        ),
        below=True,
    ),
    'stops': Question(
        '`Stops` is to learn for three calls, and to hold still from then on: it counts its calls in a list, and hands '
        'out 0 after the third. In eager mode that works. What are gradients four and five in graph mode?',
        (
            Choice(
                '0, as in eager mode.',
                'The count is no part of the graph. It was 1 when the branch was taken, and nobody asks again.',
                'an if is asked in each call',
            ),
            Choice(
                'They go on as if it were the first call: the `if` is frozen.',
                'Python decided once, when the count was 1. The other branch is not in the graph at all.',
            ),
            Choice(
                'An error: an `if` is not allowed in a graph.',
                'An `if` on a Python value is allowed: many layers have one, on a setting. It is frozen, and the graph '
                'says so when you print it.',
                'every if is refused',
            ),
            Choice(
                '0 for all five calls.',
                'The branch of the **first** call was taken, and in that one the gradient is not 0.',
                'the last branch wins',
            ),
        ),
        after='Now move the slider from 1 to 8, and watch the right side from the fourth call on.',
    ),
}
SENTENCES = {
    'static': (
        'Why must a `bprop` obey static syntax in graph mode?',
        'In graph mode Python runs it once, to make a graph of ops, and from then on only the graph runs: what Python '
        'decided, counted or printed meanwhile is not in it, so a choice that depends on numbers must itself be an op, '
        'such as select, and everything that may change must come in as an input.',
    )
}
EXERCISES = ('11a', '11b')
FIGURES = {'runs': run_times}
