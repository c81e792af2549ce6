"""Eager and graph mode give the same: every recorded case that a static graph can hold, and why not the others."""

import contextlib
import io
import json
import re
import sys
from pathlib import Path

import pytest

import minicell as ms
from minicell.errors import GraphBpropError, GraphTupleError, GraphValueError
from tests.conformance.stand import Stand
from tests.messages import refused

GOLDENS = Path(__file__).parents[1] / 'conformance' / 'goldens.json'
RECORDED = json.loads(GOLDENS.read_text())
CASES = {c['name']: c['code'] for c in RECORDED if c['kind'] in ('match', 'repr') and not c['error']}

# why a case is none for a graph -> (what refuses it, what it names, the cases)
INELIGIBLE = {
    '*args in bprop': (
        GraphBpropError,
        '*args',
        """seed_B4_netwithparam bprop_star_args dout_tuple_second_unused_zero dout_tuple_first_unused_zero
        dout_int_second_output dout_bool_second_output input_varargs_construct param_no_internal_params_zero
        param_dict_both_in_order param_dict_wrong_dtype_cast param_nested_names_and_grads nest_bprop_layer_trains""",
    ),
    'a bprop that returns no tuple': (GraphTupleError, 'a list', 'bprop_list_return'),
    'numbers printed in a bprop': (
        GraphValueError,
        'asnumpy() of',
        """bprop_positional_argument_order dout_sens_param nest_outer_hides_inner nest_inner_under_plain_outer
        bprop_writes_in_construct""",
    ),
    'hooks': (
        GraphValueError,
        'has hooks',
        """hook_backward_modifies hook_backward_pre hook_backward_on_custom_bprop hook_nested_order
        hook_forward_and_pre hook_prepend_and_kwargs hook_output_without_gradient""",
    ),
    'it asks which mode is on': (None, '', 'context_modes'),
}
REASON = {name: why for why, (_, _, names) in INELIGIBLE.items() for name in names.split()}


@pytest.fixture
def run(tmp_path, monkeypatch):
    """What a program prints, in a mode."""
    ms.grad(abs)(ms.Tensor(1.0))  # sets the traps while minicell has its own name
    monkeypatch.setattr(sys, 'meta_path', [Stand(), *sys.meta_path])

    def run(code: str, mode: int) -> str:
        lines = code.split('\n')
        last = max(i for i, line in enumerate(lines) if re.match(r'(import|from) ', line))
        lines.insert(last + 1, f'import mindspore; mindspore.set_context(mode={mode})')
        path = tmp_path / f'mode{mode}.py'
        path.write_text('\n'.join(lines))
        printed = io.StringIO()
        known = {name: (each, each.__spec__) for name, each in sys.modules.items() if name.startswith('minicell')}
        try:
            with contextlib.redirect_stdout(printed):
                exec(compile(path.read_text(), str(path), 'exec'), {'__name__': 'case'})
        finally:
            ms.set_context(mode=ms.PYNATIVE_MODE)
            for name in [n for n in sys.modules if n.split('.')[0] == 'mindspore']:
                del sys.modules[name]
            for name, (module, spec) in known.items():  # an import under another name renames a module's spec
                sys.modules[name], module.__spec__ = module, spec
        return '\n'.join(line.rstrip() for line in printed.getvalue().strip().splitlines())

    return run


@pytest.mark.filterwarnings('ignore::minicell.errors.MinicellWarning')
@pytest.mark.parametrize('name', [n for n in CASES if n not in REASON])
def test_the_same_in_both_modes(name, run):
    assert run(CASES[name], ms.GRAPH_MODE) == run(CASES[name], ms.PYNATIVE_MODE)


@pytest.mark.filterwarnings('ignore::minicell.errors.MinicellWarning')
@pytest.mark.parametrize('name', [n for n in REASON if INELIGIBLE[REASON[n]][0]])
def test_what_a_graph_cannot_hold_is_refused_for_its_own_reason(name, run):
    kind, fact, _ = INELIGIBLE[REASON[name]]
    with refused(kind, fact, ': mode0.py, line'):
        run(CASES[name], ms.GRAPH_MODE)


def test_the_list_of_reasons_names_recorded_cases_and_leaves_most():
    assert set(REASON) <= set(CASES)
    assert len(CASES) - len(REASON) >= 55
