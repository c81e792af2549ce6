"""`%load_ext minicell`, and `%%tape` above a cell, in a real IPython."""

import pytest
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

import minicell as ms
from minicell.view import magic
from minicell.view.picture import Picture

SLOPE = 'x = ms.Tensor(3.0)\nslope = ms.grad(lambda x: x * x)(x)\n'


@pytest.fixture
def shell(monkeypatch, tmp_path):
    monkeypatch.setenv('IPYTHONDIR', str(tmp_path))
    shell = InteractiveShell(user_ns={'ms': ms}, config=Config({'HistoryManager': {'enabled': False}}))
    shell.shown = []
    monkeypatch.setattr(magic, 'display', shell.shown.append)
    ms.load_ipython_extension(shell)
    return shell


def test_the_cell_runs_under_a_tape_that_is_shown(shell):
    done = shell.run_cell('%%tape\n' + SLOPE)
    assert done.success and done.result is None
    (view,) = shell.shown
    assert isinstance(view, Picture) and float(shell.user_ns['slope']) == 6.0
    assert [type(event).__name__ for event in view.tape.events][:2] == ['Begin', 'Op']


def test_the_last_value_stays_the_cells_own(shell):
    assert float(shell.run_cell('%%tape\n' + SLOPE + 'slope').result) == 6.0


def test_lines_are_numbered_as_on_the_page(shell):
    shell.run_cell('%%tape kept\n' + SLOPE)
    op = next(event for event in shell.user_ns['kept'].events if type(event).__name__ == 'Op')
    assert op.where.line == 3 and op.where.expression == 'x * x'


def test_options_reach_the_view(shell):
    shell.run_cell('%%tape --zoom inside --no-compare --scale 1.6 --step -1\n' + SLOPE)
    (view,) = shell.shown
    assert (view.zoom, view.compare, view.scale) == ('inside', False, 1.6)
    assert view.opens == len(view.films[0].steps) - 1 > 0


def test_an_error_shows_the_torn_tape_and_is_raised_again(shell, capsys):
    done = shell.run_cell('%%tape\nx = ms.Tensor(3.0)\nms.grad(lambda x: ms.ops.matmul(x, x))(x)\n')
    assert isinstance(done.error_in_exec, ms.errors.ShapeError)
    (view,) = shell.shown
    assert view.tape.error is done.error_in_exec
    assert view.opens == len(view.films[0].steps) - 1
    assert 'magic.py' not in capsys.readouterr().out, 'the traceback begins with the lines of the reader'


@pytest.mark.parametrize(
    ('line', 'said', 'shown'),
    [
        ('--zoom far', "choice: 'far'", 0),
        ('not-a-name', "'not-a-name'", 0),
        ('--step 99', 'from 1 to', 1),
        ('--scale -1', 'from 0.5 to 4', 1),
    ],
)
def test_a_wrong_option_gets_a_sentence(shell, capsys, line, said, shown):
    shell.run_cell(f'%%tape {line}\n{SLOPE}')
    captured = capsys.readouterr()
    assert said in captured.out + captured.err and 'Traceback' not in captured.out + captured.err
    assert len(shell.shown) == shown, 'what has run is shown'


def test_a_cell_that_is_no_python_says_where(shell):
    done = shell.run_cell('%%tape\nx = = 1\n')
    assert isinstance(done.error_in_exec, SyntaxError) and done.error_in_exec.lineno == 2


def test_a_cell_without_ops_shows_a_tape_that_says_so(shell):
    shell.run_cell('%%tape\n1 + 1\n')
    (view,) = shell.shown
    assert 'empty' in view.films[0].steps[0].title


@pytest.mark.parametrize('error', ['KeyError(3)', 'KeyboardInterrupt'])
def test_the_cells_own_error_is_raised_whatever_happens_to_the_picture(shell, capsys, as_a_reader, monkeypatch, error):
    monkeypatch.setattr(magic.Tape, 'show', None)
    done = shell.run_cell(f'%%tape\nx = ms.Tensor(3.0) * 2\nraise {error}\n')
    assert type(done.error_in_exec).__name__ in error
    assert ('not follow' in capsys.readouterr().out) == (error == 'KeyError(3)') and shell.shown == []
