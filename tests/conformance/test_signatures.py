"""Argument names are MindSpore's, as signatures.json has them; where they are not, there is a reason."""

import inspect
import json
import typing

import minicell as ms
from tests.conformance.record_signatures import RECORDED, find, names

WAYS = json.loads(RECORDED.read_text())

# reason -> the names that differ for it
REASONS = {
    'the method of Tensor takes these words too, and is the same function': 'ops.all ops.any ops.argmax ops.argmin '
    'ops.chunk ops.mean ops.prod ops.split ops.std ops.sum ops.tile ops.var Tensor.ravel',
    'it is the function of that name, with its words': 'Tensor.prod Tensor.remainder Tensor.softmax Tensor.squeeze '
    'Tensor.sub Tensor.sum',
    'its two ways have no name in common: it hands on what it is given': 'Tensor.gather',
    'minicell does without the further setting': 'Parameter load_param_into_net load_checkpoint save_checkpoint '
    'Tensor.nonzero ops.nonzero tensor ops.BiasAdd ops.Conv2D '
    'ops.Primitive ops.round nn.AvgPool2d nn.MaxPool2d Tensor.init_data Tensor.round Tensor.to',
    'shape= is taken by MindSpore too, without a word on its page; no view(dtype)': 'Tensor.reshape Tensor.view',
    'the poolings as Cells ask here for their margin': 'ops.avg_pool2d ops.max_pool2d',
    'in MindSpore a private function, here the op itself': 'ops.reduce_max ops.reduce_mean ops.reduce_min '
    'ops.reduce_sum',
}


def ours(name: str) -> list[str]:
    """The argument names of minicell's function; a method's first is the object it is called on."""
    place, _, last = name.rpartition('.')
    owner = find(ms, place)
    value = inspect.getattr_static(owner, last, None) or getattr(owner, last)
    found = names(inspect.signature(getattr(value, '__func__', value)))
    method = isinstance(owner, type) and not isinstance(value, staticmethod) and not isinstance(value, type)
    is_self = next(iter(inspect.signature(getattr(value, '__func__', value)).parameters), '') in ('self', 'cls')
    return found[1:] if method and not is_self else found


def by_place(found: list[str]) -> list[str]:
    """What may be given by position, up to `*` or `*args`."""
    end = next((k for k, name in enumerate(found) if name.startswith('*')), len(found))
    return found[:end]


def differs(found: list[str], ways: list[list[str]]) -> bool:
    """Whether a name of MindSpore's is missing, or stands at another place, or there is one that MindSpore has not.

    Of several ways to call it, the places may be those of any, and all names have to be there. `*args` takes any place.
    """
    plain = lambda found: {name for name in found if not name.startswith('*')}
    starred = any(name[:1] == '*' and name[1:2].isalpha() for name in found)
    due = set().union(*map(plain, ways))
    places = starred or by_place(found) in map(by_place, ways)
    return not (places and plain(found) == due)


DIFFERENT = {name: ours(name) for name in WAYS if differs(ours(name), WAYS[name])}
REASON = {name: reason for reason, listed in REASONS.items() for name in listed.split()}


def test_argument_names_are_mindspores():
    assert len(WAYS) > 300 and len(REASON) < 50
    assert {name: (found, WAYS[name]) for name, found in DIFFERENT.items() if name not in REASON} == {}


def test_no_reason_is_left_for_a_name_that_does_not_differ():
    assert set(REASON) - set(DIFFERENT) == set()


def test_what_a_tensor_says_of_types_are_types():
    """Tensor has methods int, float and bool, and Python 3.14 looks names in annotations up in the class first."""
    methods = [getattr(each, 'fget', each) for each in vars(ms.Tensor).values()]
    for method in filter(inspect.isfunction, methods):
        for name, kind in typing.get_type_hints(method).items():
            assert not inspect.isfunction(kind), f'{method.__qualname__}, {name}: {kind}'
