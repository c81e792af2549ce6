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
HEAD_ROW = 18  # 'forward →', 'your program'
APART = 8  # between two tapes, and above the results

# lines of code
ROW = 20
PAD = 8  # around the lines of a bprop
GUTTER = 30  # for a line's number
ROWS = 12  # of your program, at most
OWN_ROWS = 9  # of a bprop
CONTINUED = 4  # columns by which the rest of a broken line is indented
NEXT_TO = 3  # a mark may be so many times as far away as a neighbour and still be chosen

# a tape: the rows of its grid that are asked for by number, its film and the heading of backward
TAPE_ROW, BACK_ROWS = 3, 4
FILM = 30
HOLE = 3.5  # from a film's edge to its holes
STEM = 6  # the head of a thin line
ROAD = 36  # backward's road
ABOVE = 16  # between a card and what stands over it
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
# By how tight a tape is: the most of a tensor's numbers, of its squares, of a name, and of what a rule is called.
# From 1 on an entry is without the expression that it stands for, and names stand above their tensors.
VALUES = (230, 84), (230, 84), (112, 84), (84, 84)
SQUARES = (110, 78), (110, 78), (72, 60), (60, 60)
NAMES = 150, 150, 112, 62
RULES = 260, 150, 120, 100
BESIDE = 44  # a name that stands beside its numbers
STACK = 4  # values in a column
# How tight a tape is, and how many spines stand on each side of what is open, in the order in which they are tried;
# None: nor is it said how many entries are left out.
SHAPES = (0, 4), (0, 2), *((tight, spines) for tight in (1, 2, 3) for spines in (4, 2, 0, None))
SHAPES_NARROW = *SHAPES[:6], *((*shape, True) for shape in SHAPES[2:])  # what an entry reads stands over its card
MOST_OPEN = 12
MANY = 40  # units around the focus that are looked at
FIELD_ROUND, CARD_ROUND, BLOCK_ROUND = 12, 8, 4

# a takeover
TALL = 26  # a row of numbers of a gradient that is a result
MADE = 190, 64  # what a line has made

# results
TABLE, TABLE_H = (120, 210), 110  # a table of numbers: the least and the most, and how high
TABLES = 3
PLATE = 128, 58  # one large number
LIST_MOST = 6  # gradients that are shown at once
DIGITS = 96  # numbers of a tensor drawn as squares, whose digits a press shows
LARGE = 16  # numbers of a result that is written out

BETWEEN = 32  # two formulas in a row
SINGLE = 44  # the row of a result that is one number
ROOMY = 40  # px by which what is said of a gradient may be wider than its table

# how much is shown
SCRIPT = 820_000  # characters of a display, without its script; a picture that would be larger has fewer steps
FEWEST_STEPS = 8
PRINTED = 200  # lines of the printed tape that goes with a picture
SCALES = 0.5, 4  # how much smaller or larger a picture may be
ENDS = 4  # of many steps a quarter is those that compare, and each end has a quarter
FEW = 4  # numbers that are said one by one
NAMES_SAID, NAMES_WIDE = 4, 22  # so many names are listed, if all of them together are no longer
GRAPH_NODES, GRAPH_NAME = 150, 40  # of a graph that is drawn at once; characters of a name
RECORDS = 32  # of what is worked out once
MARKED = 8  # lines of a mark that is long
INDENT = 4  # of a tab
WAVE = 3  # half a wave under what is wrong
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
