"""Lesson 07, Masks, tuples, randomness: what it asks, and how it answers."""

from minicell.teach.question import Choice, Question

from .figures import masks

TITLE = 'Masks, tuples, randomness'
SEED = 7

QUESTIONS = {
    'recall 1': Question(
        'From lesson 06. The loss falls nicely, and you suspect all the same that a `bprop` forgot `dout`. Which is '
        'the cheapest test that tells you?',
        (
            Choice(
                'Train for longer, and see how far the loss comes.',
                'A wrong `bprop` can train, and this one may. It is the most expensive test, and says the least.',
                'a falling loss proves it',
            ),
            Choice(
                'Call it with a `dout` of zeros: it must return zeros.',
                'One call, and no truth is needed: no gradient comes from nothing.',
            ),
            Choice(
                'Look at the shapes of what it returns.',
                'They are right. Each gradient has the shape of its input, whether `dout` was used or not.',
                'the right shape is the right gradient',
            ),
        ),
    ),
    'recall 2': Question(
        'From lesson 04. A gradient check by differences calls `construct` twice for each number of `x`: a little '
        'above it, and a little below. What must be the same in both calls?',
        (
            Choice(
                'All else: the other numbers, and whatever else `construct` depends on.',
                'Then the change of the output comes from that one number. Keep it in mind: this lesson throws dice.',
            ),
            Choice(
                'Nothing. The differences even out.',
                'A rise is divided by a tiny run. Whatever else has changed comes out enormous.',
                'small disturbances stay small',
            ),
            Choice(
                'The rule: both calls must use the same `bprop`.',
                'Neither uses it. Differences run forward alone, and that is why no rule can fool them.',
                'the check asks the rule',
            ),
        ),
    ),
    'mask': Question(
        'Forward throws dice: each channel is kept with probability 0.8, or set to zero. Later backward comes, and '
        'must know which channels those were. How does it know?',
        (
            Choice(
                '`bprop` throws the dice again, with the same `keep_prob`.',
                'Dice that are thrown again fall anew: other channels. Read the listing: its `bprop` throws nothing.',
                'draw a new mask',
            ),
            Choice(
                'The framework turns the dice back, so that they fall the same way.',
                'Nothing is turned back. Three runs went on throwing, and each gradient fits its own forward.',
                'the framework replays forward',
            ),
            Choice(
                'Forward hands the mask out, and `bprop` finds it in `out`.',
                '`construct` returns two things, and the second is the mask. `out` holds them both.',
            ),
            Choice(
                'It need not know: all gradients are divided by 0.8.',
                'A channel that was dropped is zero whatever `x` is. It had no say, and its gradient is zero.',
                'on average is good enough',
            ),
        ),
        after='**NB: in MindSpore** this listing runs, given its imports, and agrees with autodiff of `ops.Dropout2D`. '
        'Only the dice fall in another way.',
        below=True,
    ),
    'dout': Question(
        '`construct` returns `(y, mask)`. The loss uses `y` alone. What does `bprop` get for `dout`?',
        (
            Choice(
                'One Tensor, in the shape of `x`.',
                '`dout` is about the output, not about the input. There are two outputs, so there are two gradients.',
                'dout looks like x',
            ),
            Choice(
                'A tuple as long as `out`. In the place of the mask stand zeros.',
                'One gradient for each output, in their order. What nobody used counts as zero.',
            ),
            Choice(
                'Only the gradient of `y`, as the mask has none.',
                'Then you would have to know who uses what, to know what comes back. The places stay: one each.',
                'what has no gradient is left out',
            ),
        ),
        after='So unpack it as you unpack `out`: `dy, _ = dout`. The name `_` says: I know that it is there, and have '
        'no use for it.',
        below=True,
    ),
    'anew': Question(
        'A colleague’s `bprop` draws a new mask, with the same `keep_prob` of 0.5. Each single gradient is off. But '
        'what about the average over very many runs, with the loss `(y * y).sum()`?',
        (
            Choice(
                'It is right: what one run gives too much, another gives too little.',
                'It comes out at half of the truth. The masks know nothing of each other, and `dout` knows the first.',
                'any mask of the same kind will do',
            ),
            Choice(
                'It is right, it only takes more runs.',
                'No number of runs helps: it comes to rest, and at half of the truth.',
                'a wrong mask is only noise',
            ),
            Choice(
                'It is wrong, too.',
                'Here `dout` is `2 * y`, so it knows the mask of forward already. Only the same mask agrees with it.',
            ),
        ),
        after='For a loss that is linear in `y` the average would be right: there `dout` knows nothing of the mask. '
        'Few losses are.',
        below=True,
    ),
}
SENTENCES = {
    'mask': (
        'How does a `bprop` know what a random forward did, and why must it not throw the dice again?',
        'Forward hands out what it drew, as one of its outputs, and bprop finds it in `out`; a new draw would be the '
        'rule of another function, one that was never computed, and the average does not save it.',
    )
}
EXERCISES = ('7a', '7b')
FIGURES = {'masks': masks}
