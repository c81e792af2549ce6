"""The measures of the picture, in px at scale 1. Their names say what they are for; a number used once stands here too.

What a shape looks like is the business of `ink.style`: this is how much room things get.
"""

# gaps: between things that are one, between lines, between words, between parts
JOINED, CLOSE, APIECE, WORDS = 3, 4, 6, 10
RING = 2, 2  # around what is written or read
LIFTED, OVER = 3, 5  # layers: above a card, above all that is not a band

# the two layouts
WIDE, NARROW = 900, 372
EDGE = 10  # from the edge of the picture to what stands in it
GAP = 12  # between columns of a tape
CODE = 320  # the column of your lines
HEAD_ROW = 24  # 'forward →', 'your program'
APART = 12  # between two tapes, and above the results

# lines of code
ROW = 20
PAD = 8  # around the lines of a bprop
GUTTER = 30  # for a line's number
FEWEST_ROWS, MOST_ROWS, ROWS_ALONE = 3, 6, 9  # of your program beside a takeover; the last: where there is none
CELL_ROWS = 4  # of the Cell above its bprop
OWN_ROWS = 7  # of a bprop
CONTINUED = 4  # columns by which the rest of a broken line is indented
NEXT_TO = 3  # a mark may be so many times as far away as a neighbour and still be chosen

# a tape: the rows of its grid that are asked for by number, its film and the heading of backward
TAPE_ROW, BACK_ROWS = 3, 3
FILM = 30
HOLE = 3.5  # from a film's edge to its holes
STEM = 6  # the head of a thin line
ROAD = 36  # backward's road
ABOVE = 18  # between a card and what stands over it
SPINE = 24  # a closed entry
UPRIGHT = 96  # words on it
CARD_W, CARD_H = 84, 56  # the least of an entry's card
BLOCK_W = 58  # and of its block on the tape
CARD_PAD, HIDDEN_PAD, BLOCK_PAD, SPINE_PAD, PILE_PAD = (8, 5), (6, 3), (8, 0), (2, 5), (3, 0)
SOURCE = 128  # of an expression on a card, before it is broken
SOURCE_ROWS = 3
TIP = 14  # where the road ends
HEAD = 24  # the size of its head
BEND = 24  # where backward turns off
LANE = 9  # a wire past other columns
ENTERS, APART_BY, INSIDE = 18, 12, 10  # where wires enter a card from above: the first, the next ones, the last
TURN = 7  # before the tip of a wire
HEAD_OF_WIRE = 5
# By how tight a tape is: the most of a tensor's numbers, of its squares, and of a name.
VALUES = (230, 84), (230, 84), (230, 84), (112, 84), (84, 84), (84, 84)
SQUARES = (110, 78), (110, 78), (110, 78), (72, 60), (60, 60), (60, 60)
NAMES = 150, 150, 150, 112, 84, 62
RULES = 260, 150, 150, 120, 100, 100  # and of what a rule is called
BESIDE = 44  # a name that stands beside its numbers
STACK = 4  # values in a column
# How tight a tape is, and how many spines stand on each side of what is open, in the order in which they are tried;
# None: nor is it said how many entries are left out.
SHAPES = (
    *((0, 6), (0, 4), (0, 2), (1, 6), (1, 4), (1, 2), (2, 4), (2, 2), (2, 1), (2, 0), (2, None)),
    *((3, 2), (3, 1), (3, 0), (3, None), (4, None)),
    (5, 0),
    (5, None),
)
# On a phone what an entry reads stands over its card, before its numbers become squares.
SHAPES_NARROW = *SHAPES[:11], *((t, n, True) for t in (2, 3) for n in (4, 2, 1, 0, None)), *SHAPES[11:]
NAMES_ABOVE = 2  # from here on names stand above their tensors, and not beside them
MOST_OPEN = 12
MANY = 40  # units around the focus that are looked at
FEWEST_TURNS, LONGEST_TURN = 3, 60  # of what is folded as a loop: turns, and entries in a turn
FIELD_ROUND, CARD_ROUND, BLOCK_ROUND = 12, 8, 4

# a takeover
TALL = 26  # a row of numbers of a gradient that is a result
MADE = 190, 64  # what a line has made

# results
VOICE = 120  # left of the sum that a true number is
SAID_IN = 12  # on each side of a large number
PLATE = 128, 58  # one large number
TABLE = 210, 110
TABLES = 3
LIST_ROW = 22
LIST_MOST = 8
ACROSS, ACROSS_NARROW = 4, 2  # tables beside each other
DIGITS = 96  # numbers of a tensor drawn as squares, whose digits a press shows
LARGE = 16  # numbers of a result that is written out

BETWEEN = 32  # two formulas in a row
LIST_PAD, LIST_NUMBER = (14, 8), 64
SINGLE = 44  # the row of a result that is one number
ROOMY = 40  # px by which what is said of a gradient may be wider than its table

# how much is shown
SCRIPT = 820_000  # characters of a display, without its script; a picture that would be larger has fewer steps
FEWEST_STEPS = 8
NEVER_MANY, SAMPLE = 50, 5  # steps of which a display is never too large; so many of a quarter tell of the others
ANSWERED = 90_000  # of a display, what its numbers answer
PRINTED = 200  # lines of the printed tape that goes with a picture
SCALES = 0.5, 4  # how much smaller or larger a picture may be
ENDS = 4  # of many steps a quarter is those that compare, and each end has a quarter
FEW = 4  # numbers that are said one by one
NAMES_SAID, NAMES_WIDE = 4, 22  # so many names are listed, if all of them together are no longer
GRAPH_NODES, GRAPH_NAME = 150, 40  # of a graph that is drawn at once; characters of a name
RECORDS, TREES, LOOPS_KEPT, FORMULAS = 32, 64, 4096, 256  # of what is worked out once
LONG_FUNCTION, AROUND_MARK, MARKED = 60, 6, 8  # lines of a function that is
# shown around its marked lines alone; around each of these; of a mark that is long
INDENT = 4  # of a tab
MOST_STEPS = 160
JUDGED = 40
CAPTION, CAPTION_ROWS = 880, 3  # how wide it is before it is broken, and how many rows it may have
TOUCHED = 400  # entries; to tell how the numbers of a longer tape were made would take too long
AGAIN, FAR = 1e-3, 1e3  # how alike what runs again must be; a number that is none of those around it
ACCOUNTS = 64  # of a picture: more would not travel

# the step line under a picture
RAIL, RAIL_LEAST, RAIL_NARROW = 690, 270, 264
BUTTON = 34  # around the words of a button
EMPTY = 40  # the height of a picture of nothing
SIGN = 21  # the height of the sign at a fork
