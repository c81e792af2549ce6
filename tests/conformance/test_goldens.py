"""What MindSpore 2.10.0 printed, case by case, printed by minicell.

`goldens.json` holds 168 cases recorded on MindSpore (`record.py` does it again, where that is installed): code,
standard output, and the class of the error that ended it. A case of kind match, repr or error has to print the same. A
`quirk` is a place where MindSpore is silently wrong: there minicell refuses, warns, or prints the right value. Each
case runs in a process of its own, where `mindspore` is another name for minicell.
"""

import contextlib
import io
import json
import multiprocessing
import sys
import types
import warnings
from pathlib import Path

import pytest

from tests.conformance.stand import Stand

CASES = {case['name']: case for case in json.loads(Path(__file__).with_name('goldens.json').read_text())}
FAITHFUL = [name for name, case in CASES.items() if case['kind'] != 'quirk']
QUIRKS = [name for name, case in CASES.items() if case['kind'] == 'quirk']


# quirk -> the class that ends it, or the text that it prints instead of MindSpore's wrong one
REFUSED = {
    'bprop_too_many_truncated': 'BpropCountError',
    'bprop_shape_bigger_sum_reduced': 'BpropShapeError',
    'input_int_tensor_grad_dtype': 'NotATensorError',
    'grad_python_float_input_empty': 'NotATensorError',
    'grad_param_changed_after_use': 'WriteAfterUseError',
    'param_set_data_shape_changes': 'ShapeError',
    'jit_write_from_outside_first_call_only': 'GraphWriteError',
    'jit_captured_tensor_gradient_zero': 'GraphCaptureError',
}
RIGHT = {
    # dout mirrors out, where MindSpore hands out a flat tuple
    'dout_nested_output_flat': 'out ([2.0, 4.0, 6.0], ([3.0, 6.0, 9.0], [4.0, 8.0, 12.0]))\n'
    'dout ([1.0, 1.0, 1.0], ([0.0, 0.0, 0.0], [0.0, 0.0, 0.0]))\n'
    '[2.0, 2.0, 2.0]',
    # None stands where out has no Tensor, where MindSpore leaves the place out
    'dout_non_tensor_output': 'out ([2.0, 4.0, 6.0], 7)\n'
    'dout ([1.0, 1.0, 1.0], None)\n'
    '([2.0, 4.0, 6.0], [2.0, 2.0, 2.0])',
    # by key: b gets 100, w gets 3
    'param_dict_reversed_order_misassigned': '(([2.0],), ([3.0], [100.0]))',
    # MindSpore makes the steps of use_nesterov=False
    'optim_nesterov_ignored': '1.81\n1.539',
    # in MindSpore the graph goes on with the value that was there before set_data
    'jit_parts_from_parameter_after_set_data': '[2.0, 3.0]\n[1.0, 1.0]',
    # MindSpore rounds a Python float to Float32 on its way
    'scalar_beside_float64': '0.1 True',
}
WARNED = {  # quirk -> the warning that goes with MindSpore's number
    'nest_misnamed_bprop_ignored': 'NearMissWarning',
    'cell_assign_none_removes_param': 'UnregisteredWarning',
}


def play(code: str, path: str, answer) -> None:
    """In the child: run the code, send what it printed, the classes of its error, and its warnings."""
    Path(path).write_text(code)
    sys.meta_path.insert(0, Stand())
    main = types.ModuleType('__main__')
    sys.modules['__main__'] = main
    printed, classes = io.StringIO(), []
    with warnings.catch_warnings(record=True) as warned, contextlib.redirect_stdout(printed):
        warnings.simplefilter('always')
        try:
            exec(compile(code, path, 'exec'), main.__dict__)
        except BaseException as error:  # SystemExit counts as well
            classes = [c.__name__ for c in type(error).__mro__] + [str(error)]
    answer.send((printed.getvalue(), classes, [w.category.__name__ for w in warned]))


@pytest.fixture
def run(tmp_path):
    """A case's output, the classes of its error (and, last, the message), and its warnings."""
    start = multiprocessing.get_context('fork' if 'fork' in multiprocessing.get_all_start_methods() else 'spawn')

    def run(name: str) -> tuple[str, list[str], list[str]]:
        mine, its = start.Pipe(duplex=False)
        child = start.Process(target=play, args=(CASES[name]['code'], str(tmp_path / 'case.py'), its))
        with warnings.catch_warnings():  # Python 3.12 fears a fork beside threads; the child only computes
            warnings.simplefilter('ignore', DeprecationWarning)
            child.start()
        its.close()
        try:
            assert mine.poll(60), f'{name} does not end'
            return mine.recv()
        except EOFError:
            return '', ['Crash', f'exit code {child.exitcode}'], []
        finally:
            child.kill()
            child.join()

    return run


def tidy(text: str) -> str:
    return '\n'.join(line.rstrip() for line in text.strip().splitlines())


def as_recorded(case: dict, printed: str, classes: list[str]) -> bool:
    ended = case['error'] in classes if case['error'] else not classes
    return ended and tidy(printed) == tidy(case['stdout'])


@pytest.mark.parametrize('name', FAITHFUL)
def test_prints_what_mindspore_printed(name, run):
    case = CASES[name]
    printed, classes, _ = run(name)
    assert tidy(printed) == tidy(case['stdout']), f'{name}: {classes}'
    assert as_recorded(case, printed, classes), f'{name} ends with {classes or "no error"}, recorded: {case["error"]}'


@pytest.mark.parametrize('name', QUIRKS)
def test_a_quirk_is_not_passed_over(name, run):
    """Refused by an error of minicell's own, or put right, or warned of."""
    printed, classes, warned = run(name)
    as_mindspore = tidy(printed) == tidy(CASES[name]['stdout'])
    if name in REFUSED:
        assert REFUSED[name] in classes and 'MinicellError' in classes, f'{name} ends with {classes or "no error"}'
        assert not as_mindspore, f'{name} prints the wrong number before it ends'
    elif name in RIGHT:
        assert (tidy(printed), classes) == (RIGHT[name], [])
        assert not as_mindspore
    else:
        assert WARNED[name] in warned and as_mindspore and not classes


def test_every_case_is_in_one_list():
    flagged = [*REFUSED, *RIGHT, *WARNED]
    assert sorted(flagged) == sorted(QUIRKS) and len(flagged) == len(QUIRKS)
    assert len(CASES) == 168
