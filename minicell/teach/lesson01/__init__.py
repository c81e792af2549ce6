"""Lesson 01, The tape: what it asks, and how it answers."""

from minicell.teach.question import Choice, Question

from .figures import branch

TITLE = 'The tape'
SEED = 1

QUESTIONS = {
    'warm-up 1': Question(
        'The derivative of `3 * x` by `x` is 3. Push `x` up by a hundredth. What does `3 * x` do?',
        (
            Choice(
                'It becomes 3.',
                '3 is the slope, not the value. It says by how much the result moves **for each** step of `x`.',
                'a derivative is a value of the function',
            ),
            Choice(
                'It goes up by three hundredths.',
                'The derivative is the exchange rate between a small push of `x` and the push of the result.',
            ),
            Choice(
                'It depends on `x`.',
                'The value `3 * x` does. How fast it grows does not: it is 3 everywhere. For `x * x` you would be '
                'right.',
                'every slope depends on where you are',
            ),
        ),
    ),
    'warm-up 2': Question(
        'A loss is one number. It depends on a matrix `x` with 2 rows and 3 columns. What shape has the gradient of '
        'the loss by `x`?',
        (
            Choice(
                'None: it is one number, as the loss is.',
                'One number could not say how the loss answers to each of the six. There is one slope for each number '
                'of `x`.',
                'the gradient looks like the loss',
            ),
            Choice(
                '2 rows, 3 columns.',
                'One slope for each number of `x`, in the place of that number. A gradient has the shape of what it is '
                'a gradient by.',
            ),
            Choice(
                '3 rows, 2 columns.',
                'A transpose turns up inside some rules. But what comes out stands in the places of `x`.',
                'a gradient is transposed',
            ),
        ),
    ),
    'entries': Question(
        '`x` is 2: the loop runs three times, and the root is not taken. How many entries does the call leave?',
        (
            Choice(
                'One. I called one Cell.',
                'A call of a Cell is no operation. What leaves entries is what runs inside. (There is one kind of Cell '
                'for which you would be right. It is the subject of lesson 03.)',
                'a Cell is one operation',
            ),
            Choice(
                'Two: the line with the product, and the line with the root.',
                'Nobody looks at your lines. The line with the product ran three times: three entries. The line with '
                'the root never ran: none.',
                'grad reads my source',
            ),
            Choice(
                'Three.',
                'One for each product that was really computed. The root was not, so it left nothing.',
            ),
            Choice(
                'Four: both branches of the `if` count, since `x` could be larger.',
                'It could, in another call. This tape is about this call, and here the root never ran.',
                'the tape covers every case',
            ),
        ),
        after='Read the list: numbers at the left are the entries. What stands above “reading back” was written '
        'forward; below it, backward goes through the same entries from the last to the first.',
        below=True,
    ),
    'branch': Question(
        'Now the same `net` is called with `x = 3`. Three doublings make 24, and that is above 20. What is different '
        'on the tape?',
        (
            Choice(
                'Only the numbers. The entries belong to `net`, and `net` is the same.',
                'The entries belong to the call. Each call writes a tape of its own, and in this one the root ran.',
                'the tape is made with the Cell',
            ),
            Choice(
                'There is a fourth entry: the root.',
                'It ran, so it is there. And now backward has to pass through it: the gradient is another one, too.',
            ),
            Choice(
                'There are seven entries: four new ones after the three old ones.',
                'The tape of the first gradient was read back and is over. Each gradient starts with an empty one.',
                'the tape goes on from call to call',
            ),
        ),
        after='Now find the place where it happens: move the slider below.',
    ),
}
SENTENCES = {
    'tape': (
        'What does a call leave behind, and how does that become a gradient?',
        'While a gradient is wanted, each operation that really runs leaves one entry on the tape (its rule, its '
        'inputs, its output), in the order in which they ran; backward reads the entries from the last to the first, '
        'and each rule passes a gradient on to its inputs.',
    )
}
EXERCISES = ('1a',)
FIGURES = {'branch': branch}
