"""MindSpore's Cell: core/cell.py makes it callable and differentiable; here are its Parameters, Cells and hooks."""

import sys
from collections import OrderedDict
from collections.abc import Callable, Iterator, ValuesView

from .. import tracing, traps  # (they join, and are told of each class of Cells)
from ..common.parameter import Parameter, ParameterTuple
from ..core import tape
from ..core.bprop_result import input_names
from ..core.cell import Cell as CoreCell
from ..core.errors import CellError, article, users_line
from ..core.tensor import Tensor
from ..core.trap import joined
from ..errors import CellNameError, PropertyError, SettingError
from ..heard import REPORT
from ..ops.checks import must
from ..ops.primitive import Primitive
from . import hooks


class NotSetUp:
    """In the place of what `Cell.__init__` keeps on the instance: reading it says that nobody called that."""

    # a `__getattr__` could say so too, but with one Python no longer reads attributes at full speed

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, cell: object, owner: type) -> object:
        raise CellError(
            f"The '{owner.__name__}' object has no attribute '{self.name}': call super().__init__() "
            f'first.{users_line()}'
        )


def _setting(name: str, kind: type, doc: str) -> property:
    """A property of a Cell that takes one kind of value."""

    def put(self: 'Cell', value: object) -> None:
        due = 'string' if kind is str else kind.__name__
        said = f"For 'Cell', the property '{name}' must be {due} type, but got type {type(value)}"
        must(isinstance(value, kind), PropertyError, said)
        self.__dict__[f'_{name}'] = value

    return property(lambda self: getattr(self, f'_{name}'), put, doc=doc)


class Cell(CoreCell):
    """The base of every network: write `construct`, and if its gradient is to be your own, `bprop`.

    `bprop(self, *inputs, out, dout)` gets construct's inputs, what it returned, and the gradient that arrives there; it
    returns a tuple with one gradient per input.

    >>> class Double(ms.nn.Cell):
    ...     def construct(self, x):
    ...         return x * 2
    ...     def bprop(self, x, out, dout):
    ...         return (dout * 50,)
    >>> print(ms.grad(Double())(ms.Tensor(3.0)))
    50.0
    """

    shown = ''
    requires_grad = False  # what set_grad was told; no gradient depends on it
    _params, _cells, _auto_prefix, _phase, _hooks, _around, training = (NotSetUp() for _ in range(7))

    def __init_subclass__(cls, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        for defined in joined.defined:
            defined(cls)

    def __init__(self, auto_prefix: bool = True, flags: dict | None = None) -> None:
        """auto_prefix: Parameters of the Cells inside are named after their places; flags: attributes to begin with."""
        self.__dict__.update(_params=OrderedDict(), _cells=OrderedDict(), _auto_prefix=auto_prefix)
        self.__dict__.update(training=False, _phase='train', _hooks=None, _around=None)
        self.__dict__.update(flags or {})
        if self.bprop is not None:
            traps.bypassed.trap.guard(type(self))
            joined.met(type(self))  # (a trace is not to find it changed)

    def __setattr__(self, name: str, value: object) -> None:
        if name == 'internal_params' and value is not None:
            due = 'a list of the Parameters for which bprop returns gradients, as in [self.w]'
            listed = isinstance(value, (tuple, list)) and all(isinstance(p, Parameter) for p in value)
            self._refuse_unless(listed, name, f'is {due}', value)
            object.__setattr__(self, name, value)
        elif isinstance(value, (Parameter, Cell)):
            self._must_be_name(name)
            fits = isinstance(value, Parameter) or ' ' not in name
            must(fits, CellNameError, f'{name!r} is no name for a Cell: there is a space in it')
            self._insert(name, value)
        elif isinstance(value, Primitive):
            self._set_up('_params')
            self.__dict__[name] = value
        else:
            if tracing.tracer is not None and '_params' in self.__dict__ and name not in self._params:
                tracing.tracer.refuse('written', f'{type(self).__name__}.{name}')
            for attribute in joined.attribute:
                attribute(self, name, value)
            held = self.__dict__.get('_params', {}).get(name)
            if held is not None and isinstance(value, Tensor):
                held.set_data(value)
                return
            if held is not None:
                self._refuse_unless(value is None, name, 'is a Parameter: give it a Tensor, or write set_data', value)
            if name in self.__dict__.get('_cells', ()):  # None may take a Cell's place, and its name stays
                self._refuse_unless(value is None, name, 'is a Cell: give it another Cell, or None', value)
                self._cells[name] = self.__dict__[name] = None
                return
            self._forget(name)
            if isinstance(value, ParameterTuple):
                self._insert_tuple(value)
            if name == 'construct':
                object.__setattr__(self, '_construct', value)
                value = traps.bypassed.ByName(self, value)
            object.__setattr__(self, name, value)

    def _refuse_unless(self, fits: bool, name: str, due: str, value: object) -> None:
        must(fits, PropertyError, f'{type(self).__name__}.{name} {due}, but got {article(type(value).__name__)}')

    def __delattr__(self, name: str) -> None:
        self._forget(name)
        object.__delattr__(self, name)

    def _forget(self, name: str) -> None:
        """An attribute is replaced or goes: what was kept for it goes too."""
        for kind in ('_params', '_cells'):
            self.__dict__.get(kind, {}).pop(name, None)
        held = self.__dict__.get(name)
        if isinstance(held, ParameterTuple):
            mine = set(map(id, held))
            for key in [k for k, p in self._params.items() if id(p) in mine]:
                del self._params[key]

    def _insert_tuple(self, parameters: ParameterTuple) -> None:
        """Keep the Parameters of a tuple, each under its own name."""
        params = self._set_up('_params')
        for p in parameters:
            if not p.named:
                unnamed = sum(k.startswith('Parameter$') for k in params)
                p.name, p.named = f'Parameter${unnamed + 1}', True
            params[p.name] = p

    def _set_up(self, kind: str) -> dict:
        """A registry, or an error that says that __init__ was not called."""
        found, name = self.__dict__.get(kind), type(self).__name__
        said = 'keeps a Parameter, Cell or operator before it has called super().__init__(): write that line first'
        must(found is not None, CellError, f'{name}.__init__ {said}')
        return found

    def insert_param_to_cell(self, param_name: str, param: Parameter, check_name_contain_dot: bool = True) -> None:
        """Keep a Parameter under a name, which it takes unless it has one; KeyError for one that is taken or dotted."""
        self._check_insert('insert_param_to_cell', param_name, param, Parameter, not check_name_contain_dot)
        self._insert(param_name, param)

    def insert_child_to_cell(self, child_name: str, child_cell: 'Cell | None') -> None:
        """As `insert_param_to_cell`, for a Cell; the names of its Parameters stay."""
        self._check_insert('insert_child_to_cell', child_name, child_cell, (Cell, type(None)))
        self._set_up('_cells')[child_name] = self.__dict__[child_name] = child_cell

    def _check_insert(self, who: str, name: object, value: object, kind: object, dots: bool = False) -> None:
        due, registry = ('Parameter', '_params') if kind is Parameter else ('Cell', '_cells')
        for found, wanted, noun in ((name, str, 'name'), (value, kind, due)):
            said = f'{who} takes a name and a {due}, but as the {noun} it got {article(type(found).__name__)}'
            must(isinstance(found, wanted), PropertyError, said)
        free = name in self._set_up(registry) or not hasattr(self, name)
        said = f'has an attribute called {name}, that is no {due}: choose another name'
        must(free, CellNameError, f'{type(self).__name__} {said}')
        self._must_be_name(name, dots)

    def _must_be_name(self, name: str, dots: bool = False) -> None:
        said = f'{name!r} is no name for a part of {type(self).__name__}: it is empty, or has a dot in it'
        must(name and (dots or '.' not in name), CellNameError, said)

    def _insert(self, name: str, part: 'Parameter | Cell') -> None:
        """Keep a Parameter, which is named after its place, or a Cell, whose Parameters are."""
        kinds = ('_params', 'Parameter'), ('_cells', 'Cell')
        (mine, _), (others, kind) = kinds if isinstance(part, Parameter) else kinds[::-1]
        kept, free = self._set_up(mine), self.__dict__[others].get(name) is None
        must(free, CellNameError, f'{type(self).__name__}.{name} is a {kind}, and stays one: choose another name')
        self.__dict__[others].pop(name, None)
        kept[name] = self.__dict__[name] = part
        if mine == '_cells' and self._auto_prefix and '_params' in part.__dict__:
            part.update_parameters_name(f'{name}.')
        elif mine == '_params' and not part.named:
            part.name, part.named = name, True

    def update_parameters_name(self, prefix: str = '', recurse: bool = True) -> None:
        """Give every Parameter the name of its place, behind a prefix."""
        for name, param in self.parameters_and_names(expand=recurse):
            param.name = prefix + name

    def check_names(self) -> None:
        """Raise ValueError where two Parameters bear one name."""
        seen = {}
        for place, p in self.parameters_and_names():
            said = f'the Parameters at {seen.get(p.name)} and {place} are both called {p.name}; give each its own name'
            must(p.name not in seen, SettingError, f'{type(self).__name__}: {said}')
            seen[p.name] = place

    def cells_and_names(self, cells: set | None = None, name_prefix: str = '') -> Iterator[tuple[str, 'Cell']]:
        """This Cell and all below it but `cells`, each once, with dotted names; own parts before children's."""
        pending, seen = [(name_prefix, self)], set(map(id, cells or ()))
        while pending:
            name, cell = pending.pop(0)
            if id(cell) in seen:
                continue
            seen.add(id(cell))
            yield name, cell
            pending[:0] = [(f'{name}.{k}' if name else k, c) for k, c in cell._cells.items() if c is not None]

    def name_cells(self) -> OrderedDict:
        """The children by name, each once."""
        first = {id(c): k for k, c in reversed(self._cells.items())}
        return OrderedDict((k, c) for k, c in self._cells.items() if c is not None and first[id(c)] == k)

    def cells(self) -> ValuesView:
        """The children."""
        return self.name_cells().values()

    def apply(self, fn: Callable) -> 'Cell':
        """Call fn(cell) for each Cell inside, and for this one last; returns this one."""
        for cell in self.cells():
            cell.apply(fn)
        fn(self)
        return self

    def parameters_and_names(self, name_prefix: str = '', expand: bool = True) -> Iterator[tuple[str, Parameter]]:
        """Every Parameter once, with the dotted name of its place."""
        seen = set()
        for cell_name, cell in self.cells_and_names(None, name_prefix) if expand else [(name_prefix, self)]:
            for k, p in cell._params.items():
                if id(p) not in seen:
                    seen.add(id(p))
                    yield (f'{cell_name}.{k}' if cell_name else k), p

    def get_parameters(self, expand: bool = True) -> Iterator[Parameter]:
        """Every Parameter; expand=False: only the Cell's own."""
        return (p for _, p in self.parameters_and_names(expand=expand))

    def trainable_params(self, recurse: bool = True) -> list[Parameter]:
        """The Parameters that an optimizer updates."""
        return [p for p in self.get_parameters(recurse) if p.requires_grad]

    def untrainable_params(self, recurse: bool = True) -> list[Parameter]:
        """The Parameters with requires_grad=False."""
        return [p for p in self.get_parameters(recurse) if not p.requires_grad]

    def parameters_dict(self, recurse: bool = True) -> OrderedDict:
        """The Parameters by their names."""
        return OrderedDict((p.name, p) for p in self.get_parameters(recurse))

    def set_train(self, mode: bool = True) -> 'Cell':
        """Training or predicting, for this Cell and all below it."""
        for _, cell in self.cells_and_names():
            cell.__dict__.update(training=bool(mode), _phase='train' if mode else 'predict')
        return self

    def set_grad(self, requires_grad: bool = True) -> 'Cell':
        """Note it in requires_grad: in MindSpore, the next gradient is of the call before. See DrawnAgainWarning."""
        self.__dict__.update(requires_grad=requires_grad, _around=self._around or hooks.noted)
        return self

    @property
    def cls_name(self) -> str:
        """The name of the Cell's class."""
        return type(self).__name__

    phase = _setting('phase', str, "'train' or 'predict'; of a fresh Cell 'train', although `training` is False.")
    bprop_debug = _setting('bprop_debug', bool, 'Whether each call of bprop is reported.')

    def register_forward_pre_hook(
        self, hook_fn: Callable, *, prepend: bool = False, with_kwargs: bool = False
    ) -> hooks.HookHandle:
        """hook_fn(cell, inputs) before construct; what it returns, unless None, are the inputs.

        prepend: before the other hooks. with_kwargs: hook_fn(cell, inputs, kwargs), which returns both.
        """
        return hooks.register(self, 'forward_pre', hook_fn, prepend, with_kwargs=with_kwargs)

    def register_forward_hook(
        self, hook_fn: Callable, *, prepend: bool = False, with_kwargs: bool = False, always_call: bool = False
    ) -> hooks.HookHandle:
        """hook_fn(cell, inputs, output) after construct; what it returns, unless None, is the output.

        with_kwargs: hook_fn(cell, inputs, kwargs, output). always_call: also, with None, when construct has failed.
        """
        return hooks.register(self, 'forward', hook_fn, prepend, with_kwargs=with_kwargs, always=always_call)

    def register_backward_pre_hook(self, hook_fn: Callable) -> hooks.HookHandle:
        """hook_fn(cell, grad_output) when the gradient arrives; what it returns, unless None, takes its place."""
        return hooks.register(self, 'backward_pre', hook_fn)

    def register_backward_hook(self, hook_fn: Callable) -> hooks.HookHandle:
        """hook_fn(cell, grad_input, grad_output) when it leaves; what it returns, unless None, is the grad_input."""
        return hooks.register(self, 'backward', hook_fn)

    def extend_repr(self) -> str:
        """What a layer shows of its settings: those that its class names in `shown`."""
        return ', '.join(f'{name}={getattr(self, name)}' for name in type(self).shown.split())

    def __repr__(self) -> str:
        shown = [self.extend_repr()] if self.extend_repr() else []
        if not self._cells:
            return f'{type(self).__name__}({"".join(shown)})'
        lines = [*shown, *(f'({name}): {cell!r}' for name, cell in self._cells.items())]
        body = '\n'.join(lines).replace('\n', '\n  ')
        return f'{type(self).__name__}(\n  {body}\n)'

    def _report(self, inputs: tuple, dout: object, returned: object) -> None:
        """bprop_debug: what bprop got and returned, on standard error and for those who look."""
        parts = [f'{n}={x!r}' for n, x in zip(input_names(self, inputs), inputs, strict=True)]
        said = f'{type(self).__name__}.bprop({", ".join(parts)}, dout={dout!r}) returned {returned!r}'
        sys.stderr.write(f'{said}\n')
        if tape.looking:
            tape.note(REPORT, self, said, None, None)
