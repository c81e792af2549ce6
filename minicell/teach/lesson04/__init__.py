"""Lesson 04, Gradient check: what it asks, and how it answers."""

from minicell.teach.question import Choice, Question

from .figures import eps

TITLE = 'Gradient check'
SEED = 4

QUESTIONS = {
    'recall 1': Question(
        'From lesson 03. A Cell has its own `bprop`. Who sees to it that what it returns is the true gradient?',
        (
            Choice(
                'The framework: it compares it with autodiff of `construct`.',
                'It could not: what ran in `construct` was not recorded. What `bprop` returns is the gradient.',
                'the framework checks my maths',
            ),
            Choice(
                'You. Backward takes what `bprop` returns.',
                'The number of gradients and their shapes are looked at. Whether they are right is your business.',
            ),
            Choice(
                'Autodiff adds its own gradient, so that small mistakes are evened out.',
                'No share of autodiff is in these numbers. A `bprop` replaces the automatic gradient.',
                'custom is added to automatic',
            ),
        ),
    ),
    'recall 2': Question(
        'From lesson 01. You call `net(x)` and ask for no gradient. What can be read back afterwards?',
        (
            Choice(
                'Everything: each op leaves an entry, whatever you ask for.',
                'Entries are for backward. No gradient was asked for, so nothing was recorded. The value came out all '
                'the same.',
                'every op is recorded, always',
            ),
            Choice(
                'Nothing: no gradient passes there, so no entry is left.',
                'Forward alone gives values and leaves no entry. Keep that in mind: the check of this lesson is made '
                'of forward alone.',
            ),
            Choice(
                'The source of `construct`, which grad can still differentiate.',
                'Nobody reads your source. What is differentiated is what ran, and only if it was recorded.',
                'grad reads my source',
            ),
        ),
    ),
    'falling': Question(
        'A colleague wrote a `bprop` for tanh. You train with it, and the loss falls at every step, to almost 0. What '
        'do you know about that `bprop`?',
        (
            Choice(
                'It is right. A wrong gradient could not lead down to almost 0.',
                'It did. A wrong gradient leads down too, as long as it points downhill on the whole.',
                'a falling loss proves it',
            ),
            Choice(
                'It is right up to a factor, and the learning rate makes up for that.',
                'It is off by another factor in each place, `1 + out`. No learning rate makes up for that.',
                'a falling loss proves all but the scale',
            ),
            Choice(
                'Only that these steps went downhill. It may be wrong.',
                'The loss fell, and the last lines say that the `bprop` is wrong. Training does not ask for the true '
                'gradient: any direction downhill will do.',
            ),
        ),
        after='How wrong a `bprop` may be and still train is a question for lesson 06. Here we want to know how to '
        'find out without training.',
        below=True,
    ),
    'eps': Question(
        'You work out the slope of `x * x * x` at 1.2 by a central difference, with smaller and smaller `eps`. What '
        'happens to the error?',
        (
            Choice(
                'It gets smaller and smaller. The definition says: let eps go to 0.',
                'That is so for numbers with endless digits. These have about 7 digits in float32, and more than twice '
                'as many in float64, and the smaller eps is, the more of them cancel.',
                'smaller eps is better',
            ),
            Choice(
                'It gets smaller, then larger again.',
                'Two errors pull in opposite directions: the bend of the curve, and the digits that cancel.',
            ),
            Choice(
                'Nothing much, as long as eps is small.',
                'Look at the columns: it changes by many powers of ten, in both directions.',
                'any small eps will do',
            ),
        ),
        after='Where is the best eps, then, and what happens below it? Move the slider of the next figure.',
        below=True,
    ),
    'kink': Question(
        '`Ramp` is relu, and its `bprop` is right: 1 where `x > 0`, else 0. What does the central difference say at '
        '`x = 0`?',
        (
            Choice(
                '0, as the `bprop` does.',
                'It steps on both sides: the rise is eps, from the right side alone, and the run is two eps.',
                'there is one slope at each place',
            ),
            Choice(
                '1, the slope on the right.',
                'It steps on both sides: half of its way is flat.',
                'a difference looks forward',
            ),
            Choice(
                'The mean of both sides: a half.',
                'The rise is eps, from the right side alone, and the run is two eps. No eps makes it better.',
            ),
            Choice(
                'It fails: there is no slope at a kink.',
                'There is none, but nobody tells the subtraction. It gives a number wherever there are two values.',
                'a program knows when a derivative does not exist',
            ),
        ),
        after='So a check may disagree with a `bprop` that is right. `check_bprop` tells you what it saw, and asks '
        'whether there is a kink. Try such places on purpose, and know what to expect of them.',
        below=True,
    ),
}
SENTENCES = {
    'check': (
        'Why can a gradient check be trusted more than a falling loss, and what does it not tell you?',
        'It runs forward only, at x + eps and at x - eps, so no rule can fool it, and it asks for the number, not only '
        'for the direction; but it speaks only for the places, the dout and the order that were tried, and only as '
        'well as eps was chosen.',
    )
}
EXERCISES = ('4a', '4b')
FIGURES = {'eps': eps}
