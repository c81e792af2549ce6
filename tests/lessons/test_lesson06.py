"""What is particular to lesson 06: its suspects and tests do what its text says of them."""

import re
import sys
from itertools import combinations

import numpy as np
import pytest

import minicell as ms
from minicell.teach import lesson06
from minicell.teach.about import exercise
from minicell.teach.lesson06.probes import PROBES, numbers
from minicell.teach.lesson06.seeds import SEEDS, measure
from minicell.teach.lesson06.suspects import BUGS, LETTERS, MatMul, suspect
from tests.lessons.answers import Answers, shaken
from tests.lessons.figures import calls, holds, of, texts
from tests.lessons.page import Page
from tests.messages import tells

NAMING, CHEAPEST, REPAIR = map(exercise, ('6a', '6b', '6c'))
PAGE = Page('06')


@pytest.fixture(scope='module')
def page() -> dict:
    """What the cells of the notebook define, up to the bug of the first prediction."""
    return PAGE.run('data', 'product', 'network', 'run')


def test_the_right_product_passes_every_test(page):
    for cell, seed in [(MatMul(), 0), (MatMul(), 1), (page['MatMul'](), 2)]:
        assert {name: probe.test(cell, seed) for name, probe in PROBES.items()} == dict.fromkeys(PROBES, True)


NO = {  # which cheap tests say no, always
    'scaled': set(),
    'flipped': set(),
    'sign only': {'twice', 'batch'},
    'dout forgotten': {'zero', 'one_hot', 'twice'},
    'plus one': {'zero', 'one_hot', 'twice', 'batch', 'weights'},
    'dx dropped': {'one_hot', 'weights'},
    'random dx': {'weights'},
    'mean, not sum': {'batch'},
}


@pytest.mark.parametrize('bug', BUGS)
def test_a_suspect_is_wrong_in_its_own_way(bug):
    for seed in range(5):
        found = {name: probe.test(suspect(bug, 3.0, seed), seed) for name, probe in PROBES.items()}
        assert {name for name, says in found.items() if says is False} == NO[bug] | {'check'}
        assert found['slope'] is not True
        if bug in ('scaled', 'flipped'):
            assert found['slope'] == {'scaled': 3.0, 'flipped': -1.0}[bug]


def test_a_letter_names_a_suspect():
    assert sorted(LETTERS) == list('ABCDEFGH') and sorted(LETTERS.values()) == sorted(BUGS)
    for letter, bug in LETTERS.items():
        assert {k: p.test(suspect(letter)) for k, p in PROBES.items()} == lesson06.figures.outcomes(letter), bug


def test_suspect_e_is_the_one_of_the_notebook(page):
    x, w, dout = (ms.Tensor(array) for array in numbers(4))
    cells = page['Feedback'](), suspect(LETTERS['E'])
    for mine, its in zip(*(cell.bprop(x, w, x @ w, dout) for cell in cells), strict=True):
        assert np.array_equal(mine.asnumpy(), its.asnumpy())


@pytest.mark.parametrize('name', PROBES)
def test_a_test_costs_what_it_says(name):
    codes = {getattr(MatMul, method).__code__: method for method in ('construct', 'bprop')}
    calls = dict.fromkeys(codes.values(), 0)

    def seen(frame, event, _):  # (what a Cell itself counted, a check would put back)
        if event == 'call' and frame.f_code in codes:
            calls[codes[frame.f_code]] += 1

    sys.setprofile(seen)
    try:
        PROBES[name].test(MatMul())
    finally:
        sys.setprofile(None)
    if name == 'check':  # about so many
        assert sum(calls.values()) == pytest.approx(PROBES[name].calls, rel=0.15)
    else:  # a training step makes the construct that belongs to a bprop anyway
        extra = calls['construct'] - calls['bprop']
        assert calls['bprop'] + extra == PROBES[name].calls


def test_five_of_eight_train_with_every_seed():
    """The answer to the second prediction; and what the text says of the table, seed by seed."""
    for letter in LETTERS:
        assert len(SEEDS[letter]) == 5
        for run in SEEDS[letter]:
            assert (run.median < 0.5) == (letter in 'ACEGH'), (letter, run)  # H goes up and down


@pytest.mark.slow
def test_the_stored_table_is_what_training_gives(page):
    """The lesson's own cells, for one of the five seeds."""
    found = measure(*(page[name] for name in ('Net', 'train', 'accuracy', 'moons')), seeds=[3])
    for name, (run,) in found.items():
        assert np.allclose(np.hstack(run), np.hstack(SEEDS[name][3]), rtol=1e-3, atol=2e-4), name


@pytest.mark.slow
@pytest.mark.parametrize('letter', 'ABDH')
def test_the_last_digits_of_a_machine_change_nothing(page, letter):
    """Without the rounding in `train`, B and H blow it up."""
    plain = suspect(LETTERS[letter])
    runs = [list(page['train'](page['Net'](cell))) for cell in (plain, shaken(type(plain))())]
    assert np.allclose(*runs, rtol=1e-9, atol=0)


def test_the_random_one_is_as_good_as_the_right_one(page):
    right, wrong = page['right'], page['wrong']
    assert abs(page['accuracy'](right) - page['accuracy'](wrong)) <= 0.01
    b = page['noise'](wrong.w2.shape).asnumpy().ravel()
    cosines = [
        net.w2.asnumpy().ravel() @ b / np.linalg.norm(net.w2.asnumpy()) / np.linalg.norm(b)
        for net in (page['Net'](page['Feedback']()), wrong)
    ]
    assert cosines[0] < 0 and cosines[1] > 0.6  # more than a right angle at first, as the text says


def test_a_right_dw_may_be_a_wrong_gradient(page):
    """The tape shows a tick for dw of the first layer; the weights of that layer get a wrong gradient all the same."""
    assert PAGE.told('tape').count('Feedback.bprop') == 2
    here = PAGE.run('tape', 'spoiled', **page)
    assert here['off']['w1'] > 0.1 and here['off']['w2'] == 0
    x, w, dout = (ms.Tensor(array) for array in numbers(0))
    assert [row.ok for row in ms.check_bprop(page['Feedback'](), x, w, sens=dout).rows] == [False, True]


def test_the_lamp_is_blind_where_the_text_says():
    said = PAGE.told('blind-spots').splitlines()
    assert [line.split()[-1] for line in said[:5]] == ['False', 'True', 'False', 'True', 'True']
    tells(said[-1], 'three rows', keep=False)
    assert [line.split()[0] for line in said[6:-1]] == ['✗', '✓', '✗']


def test_the_table_of_the_notebook_agrees_with_its_text():
    mean = {row.split()[0]: float(row.split()[2]) for row in PAGE.told('table').splitlines()[1:]}
    assert max(mean, key=mean.get) == 'A' and abs(mean['E'] - mean['right']) < 0.01
    assert all(0.8 < mean[k] < mean['right'] - 0.05 for k in 'CGH') and all(mean[k] < 0.75 for k in 'BDF')


@pytest.fixture(scope='module')
def trained(page):
    return lesson06.figures.suspects(page['Net'], page['train'], page['accuracy'], steps=60)


def test_each_suspect_has_trained_and_its_lamp_is_lit(trained):
    holds(trained)
    assert trained.values == [*LETTERS]
    assert {'wrong', 'dw is right'} <= {*texts(trained.film, trained.values.index('C'))}


def test_the_still_tells_of_every_suspect(trained):
    bundle = trained.shown._repr_mimebundle_()
    said = bundle['text/plain'].splitlines()
    assert [line[:9] for line in said] == [f'Suspect {letter}' for letter in LETTERS]
    assert all('check: wrong;' in line and len(re.findall(r'\d\.\d\d', line)) > 2 for line in said)
    assert all(f'>{letter}<' in trained.shown.pictures['image/svg+xml'] for letter in LETTERS)


def test_pictures_keep_their_size_and_cut_no_words():
    right = lesson06.figures.Run((0.7, 0.5, 0.3), 0.98)
    curves = [lesson06.figures.Run(losses, 0.43) for losses in ((0.7, 0.6), (0.7, 9.0), (0.7, 2.6e5))]
    drawn = [of(lesson06.figures.draw(letter, curve, right)) for letter in LETTERS for curve in curves]
    assert len({(each.width, each.height) for each in drawn}) == 1
    of(lesson06.figures.gallery(dict.fromkeys(LETTERS, curves[-1]), right))
    of(lesson06.figures.overview())


def test_a_run_takes_a_moment(page):
    """A tenth of a second or so: the figure trains nine networks."""
    assert calls(lambda: list(page['train'](page['Net'](MatMul()), 600))) < 2_000_000


def test_the_figure_of_the_tests():
    figure = holds(lesson06.figures.tests())
    assert figure.values == ['', *LETTERS] and texts(figure.film, 0).count('✓ yes') == len(PROBES)
    assert {'✗ −1', '✗ no'} <= set(texts(figure.film, figure.values.index('D')))


def test_a_page_without_a_kernel_shows_every_test_of_every_suspect():
    """Or its reader could not name the bugs."""
    drawn = lesson06.figures.overview()
    marks = [words for words in texts(of(drawn)) if words in '✓✗']
    assert len(marks) == len(PROBES) * (1 + len(LETTERS)) - len(LETTERS)  # slope has numbers
    tells(drawn.words, 'B, F;', 'B, C, F', 'A 5')
    page = PAGE.cell('tests-figure').outputs[0].data
    assert drawn.words in page['text/plain'] and drawn.title in page['image/svg+xml']


test_naming = Answers(NAMING).words(
    ({}, '', 'passed'),
    *[({letter: 'nothing'}, f'again at: {letter}.', ...) for letter in LETTERS],
    ({'E': 'nothing'}, 'at: E.', 'it-trains'),
    ({'B': 'wrong'}, 'list: wrong'),
    ({'B': ..., 'C': ...}, 'yet: B, C.'),
    (dict.fromkeys('BCDEFGH', ...), '', 'open'),
)

SOLVED = dict(zip(lesson06.PAIRS, ('slope', 'batch', 'one_hot', 'zero', 'weights', 'twice'), strict=True))
OTHERS = 'check', 'shapes', 'train', 'slope', 'nonsense', ...

test_the_cheapest = Answers(CHEAPEST).words(
    (SOLVED, '', 'passed'),
    (SOLVED | {lesson06.PAIRS[3]: 'one_hot'}, '', 'passed'),  # what costs the same is as cheap
    (SOLVED | {lesson06.PAIRS[4]: 'batch'}, '', 'passed'),
    (SOLVED | {lesson06.PAIRS[1]: 'slope'}, ('3 calls', '2 would do'), 'slope'),
    (SOLVED | {lesson06.PAIRS[3]: 'twice'}, '', 'twice'),
    *[(SOLVED | {pair: test}, '', ...) for pair in SOLVED for test in OTHERS if test != SOLVED[pair]],
)


def test_what_is_right_on_hidden_variants_is_right_on_others_and_every_pair_can_be_told_apart():
    for pair, test in SOLVED.items():
        for seed in range(100, 110):
            one, other = (PROBES[test].test(suspect(bug, 1.5, seed), seed) for bug in pair)
            assert one != other, (pair, test)
    for pair in combinations(BUGS, 2):
        assert lesson06.least(pair) <= 3, pair


DW, DB, DX = 'dout * w, (dout * x).sum(0)', 'dout, dout.sum(0)', '(dout / (1 + ops.abs(x)) ** 2,)'

test_other_repairs_pass = Answers(REPAIR).passing(
    (DW, 'dout * w, ops.matmul(ops.ones((1, x.shape[0]), x.dtype), dout * x)[0]'),
    (DW, 'w * dout, x.shape[0] * (dout * x).mean(0)'),
    (DW, '[dout * w, (x * dout).sum(axis=0)]'),
    (DB, 'dout, x.shape[0] * dout.mean(0)'),
    (DX, '(dout * (1 - ops.abs(out)) ** 2,)'),
)

test_a_repair_that_leaves_something_wrong_fails = Answers(REPAIR).failing(
    ((DW, 'dout * w, (dout * x).mean(0)'), 'nothing'),
    ((DW, 'dout * w, dout * x'), 'no-sum'),
    ((DW, 'dout * w, (x * dout).sum()'), 'sum-of-all'),
    ((DW, 'dout * w, -(dout * x).sum(0)'), None),
    ((DW, 'w, (dout * x).sum(0)'), None),
    ((DW, 'dout * w, x.sum(0)'), None),
    ((DW, 'dout * w, None'), None),
    ((DB, 'dout, dout.mean(0)'), 'other-one'),
    ((DB, 'dout, dout'), None),
    ((DX, '(dout / (1 + x) ** 2,)'), None),
    ((DX, '(dout / (1 + ops.abs(x)),)'), None),
)
