"""A rule of PyTorch: a `torch.autograd.Function`, a function that calls one, or a module that has one inside."""

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from typing import Any

import numpy as np
import torch
from torch.autograd.function import BackwardCFunction, Function
from torch.utils._pytree import tree_flatten, tree_leaves, tree_unflatten

from ..check.trials import Malformed
from ..core.tensor import wrap
from ..replay.harmless import Harm, untouched
from ..replay.program import Arrays
from .torch_body import Watch, inlined, memory
from .torch_kept import TorchKept, settings
from .trials import Answer

LEAVES = 'construct leaves what autograd records (detach, no_grad, NumPy)'
LARGER = '{} returns a gradient of shape {} for {} of shape {}: PyTorch adds it up over the axes that forward broadcast.'
NEEDLESS = '{} computes the gradient of {}, too, where nobody asks for it: ctx.needs_input_grad tells.'
WRITES = 'It writes into grad_output, which belongs to the caller: whoever reads it next gets other numbers.'


class TorchRule:
    """A rule of PyTorch at one point."""

    words = {
        'The rules give': 'Autograd gives',
        'what no rule does': 'what autograd does not',
        'rules': 'autograd',
        'dout': 'grad_output',
        'construct': 'forward',
        'bprop': 'backward',
        'Cell': 'Function',
    }

    def __init__(self, rule: Any, inputs: tuple, keywords: dict, of: 'TorchRule | None' = None) -> None:
        self.function = rule if isinstance(rule, type) and issubclass(rule, Function) else None
        self.rule = rule.apply if self.function else rule
        self.flat, self.spec = tree_flatten((inputs, keywords))
        self.at = [k for k, each in enumerate(self.flat) if isinstance(each, torch.Tensor)]
        self.like: list[torch.Tensor] = [self.flat[k] for k in self.at]
        self.arrays = [numbers(t) for t in self.like]
        marked = any(t.requires_grad for t in self.like)
        self.wants = [t.dtype.is_floating_point and (t.requires_grad or not marked) for t in self.like]
        self.weights: list[torch.Tensor] = []
        self.places: list[int] | None = None  # of the outputs that have a gradient
        self.kept, self.harm = of and of.kept, ''
        if of is None:
            try:
                self.kept = TorchKept(rule)
            except Harm as harm:
                self.harm = str(harm)
            self.names = names(getattr(rule, 'forward', rule), inputs, keywords)
            self.meet(rule)
        self.doubles = all(t.device.type != 'mps' for t in (*self.like, *self.weights))

    def meet(self, rule: Any) -> None:
        """Find the weights that it uses, and its name."""
        met: list[type] = []
        reached = {n: w for n, w in (self.kept.weights if self.kept else {}).items() if all(w is not t for t in self.like)}
        self.weights, used = [*reached.values()], set()
        xs = [*self.arrays, *map(numbers, self.weights)]
        for around in (inlined(met), nullcontext()):
            with suppress(Exception), self.state(), settings(False), around:
                outs = [t for t in tree_leaves(self.called(self.leaves(xs))) if has_graph(t)]
                found = torch.autograd.grad([t.sum() for t in outs], self.weights, allow_unused=True)
                used |= {n for n, g in zip(reached, found, strict=True) if g is not None}
        self.weights = [w for n, w in reached.items() if n in used]
        self.names += [n for n in reached if n in used]
        self.arrays += map(numbers, self.weights)
        self.wants += [True] * len(self.weights)
        name = self.function or (met[0] if len({*met}) == 1 else None)
        plain = getattr(rule, '__name__', type(rule).__name__)
        self.name = f'{name.__name__}.backward' if name else f'autograd of {plain}'

    # ---- calling it ----

    @contextmanager
    def state(self, wide: bool = False) -> Iterator[None]:
        """The state that all it can reach was in when the check began."""
        with untouched(self.kept) if self.kept else nullcontext():
            if wide and self.kept:
                self.kept.widen()
            yield

    def leaves(self, xs: Arrays, wide: bool = False, way: str = '') -> list[torch.Tensor]:
        """The inputs in new tensors, and the weights with these numbers."""
        found = [tensor(x, t, wide) for x, t in zip(xs, (*self.like, *self.weights), strict=True)]
        for k, _ in enumerate(self.like):
            found[k].requires_grad_(self.wants[k] and (k == int(way) if way.isdigit() else True))
        for w, new in zip(self.weights, found[len(self.like) :], strict=True):
            w.data = new
        return [*found[: len(self.like)], *self.weights]

    def called(self, leaves: list[torch.Tensor], way: str = '') -> Any:
        """What it returns. It gets clones, which it may write into, and which a body under autograd may change."""
        flat = [*self.flat]
        for at, leaf in zip(self.at, leaves, strict=False):
            flat[at] = leaf.clone() if leaf.requires_grad else leaf
            flat[at] = strided(flat[at]) if way == 'laid' else flat[at]
        args, keywords = tree_unflatten(flat, self.spec)
        before = [(flat[at], flat[at].grad_fn, flat[at].detach().clone()) for at in self.at if has_graph(flat[at])]
        out = self.rule(*args, **keywords)
        if any(t.grad_fn is fn and not torch.equal(t.nan_to_num(), old.nan_to_num()) for t, fn, old in before):
            raise Harm('construct writes into an input, and ctx.mark_dirty does not say so')
        return out

    def answer(
        self, xs: Arrays, came: Any = None, wide: bool = True, body: bool = False, shake: Callable | None = None,
        look: bool = False, way: str = '',
    ) -> Answer:  # fmt: skip
        watch = Watch(shake) if shake or look else None
        returned: list[tuple] = []
        around = inlined() if body else heard(returned)
        with self.state(wide), settings(wide), around, watch or nullcontext():
            leaves = self.leaves(xs, wide, way)
            for k, leaf in enumerate(leaves) if watch else ():
                watch.starts(leaf, k)
            outs = self.outputs(self.called(leaves, way))
            if way == 'after':
                with suppress(Exception):  # what forward refuses, it does not keep
                    self.called([t.detach() * 0.625 if t.dtype.is_floating_point else t for t in leaves])
            found = Answer([numbers(t) for t in outs], [])
            if callable(came):
                came = came(found.outs)
            if came is not None:
                grads, notes = self.gradients(leaves, outs, came, body, way)
                found = found._replace(grads=grads, notes=(*notes, *self.remarks(returned, leaves)))
        if watch is None:
            return found
        leads = [(watch.values.get(memory(t), 0), watch.slopes.get(memory(t), 0)) for t in outs]
        gone = any(slopes and not has_graph(t) for t, (_, slopes) in zip(outs, leads, strict=True))
        unseen = watch.unseen or LEAVES * (gone and body)
        return found._replace(leads=leads, unseen=unseen, chosen=watch.chosen, eps=watch.eps)

    def outputs(self, out: Any) -> list[torch.Tensor]:
        """The outputs of floats that have a gradient: those that had one the first time."""
        every = [t for t in tree_leaves(out) if isinstance(t, torch.Tensor)]
        if self.places is None:
            self.places = [k for k, t in enumerate(every) if t.dtype.is_floating_point and has_graph(t)]
        return [every[k] for k in self.places]

    def gradients(self, leaves: list, outs: list, came: Arrays, body: bool, way: str) -> tuple[list, list[str]]:
        """The gradients of the leaves for these cotangents, and notes. Raises Malformed where backward raises."""
        given = [laid(tensor(g, t), way) for g, t in zip(came, outs, strict=True)]
        before, through = [*map(numbers, given)], [(t, g) for t, g in zip(outs, given, strict=True) if has_graph(t)]
        wanted = [k for k, t in enumerate(leaves) if t.requires_grad]

        def ask() -> list[torch.Tensor | None]:
            for k in wanted:
                leaves[k].grad = None
            if through:  # (all of the graph, as a user would: what refuses to be differentiated twice says so)
                torch.autograd.backward(*map(list, zip(*through, strict=True)), retain_graph=way == 'again')
            return [leaves[k].grad for k in wanted]

        try:
            found = ask()
            if way == 'again':
                with suppress(Exception):  # what is freed can be asked once
                    found = ask()
        except Exception as error:
            raise error if body else Malformed(error) from None
        written = any(not np.array_equal(numbers(g), a, equal_nan=True) for g, a in zip(given, before, strict=True))
        grads = dict(zip(wanted, found, strict=True))
        every = [None if grads.get(k) is None else numbers(grads[k]) for k, _ in enumerate(leaves)]
        return every, [WRITES] * (written and not body)

    def remarks(self, returned: list[tuple], leaves: list[torch.Tensor]) -> list[str]:
        """What is to be said of the gradients that backward returned, as it returned them."""
        if self.function is None or len(returned) != 1 or len(returned[0]) != len(self.flat):
            return []
        said = []
        for at, name, leaf in zip(self.at, self.names, leaves, strict=False):
            g = returned[0][at]
            if isinstance(g, torch.Tensor) and leaf.requires_grad and g.shape != leaf.shape:
                said.append(LARGER.format(self.name, tuple(g.shape), name, tuple(leaf.shape)))
            elif isinstance(g, torch.Tensor) and leaf.dtype.is_floating_point and not leaf.requires_grad:
                said.append(NEEDLESS.format(self.name, name))
        return said

    def ways(self) -> Iterator[tuple[str, str]]:
        """Other memory, and each input alone."""
        yield 'strided', 'for a grad_output that is not contiguous'
        yield 'expanded', 'for a grad_output that is one number, expanded'
        yield 'laid', 'for inputs that are not contiguous'
        if sum(self.wants) > 1:
            for k, name in enumerate(self.names[: len(self.like)]):
                if self.wants[k]:
                    yield str(k), f'where {name} alone needs a gradient'

    def slopes(self, came: Arrays) -> 'TorchRule':
        """What its gradients are, as a rule of the inputs and of cotangents."""

        def gradients(*given: Any) -> tuple:
            xs, gs = given[: len(self.flat)], given[len(self.flat) :]
            args, keywords = tree_unflatten(xs, self.spec)
            outs = self.outputs(self.rule(*args, **keywords))
            wanted = [t for t, wants in zip((*(xs[k] for k in self.at), *self.weights), self.wants, strict=True) if wants]
            pairs = [(t, g) for t, g in zip(outs, gs, strict=True) if has_graph(t)]
            if not pairs:
                return tuple(map(torch.zeros_like, wanted))
            some, their = zip(*pairs, strict=True)
            return torch.autograd.grad(some, wanted, their, create_graph=True, allow_unused=True, materialize_grads=True)

        douts = [torch.from_numpy(g.copy()).to(self.like[0].device) for g in came]
        inner = TorchRule(gradients, (*self.flat, *douts), {}, self)
        many, inner.name = len(self.like), self.name
        inner.names = [*self.names[:many], *cotangent_names(len(came)), *self.names[many:]]
        inner.wants = [*self.wants[:many], *(True for _ in came), *self.wants[many:]]
        inner.weights, inner.places = self.weights, [*range(sum(self.wants))]
        inner.arrays += map(numbers, self.weights)
        return inner


@contextmanager
def heard(returned: list[tuple]) -> Iterator[None]:
    """What each backward returned, before the engine casts it and adds it up."""
    plain = BackwardCFunction.apply

    def apply(self: Any, *args: Any) -> Any:
        found = plain(self, *args)
        returned.append(found if isinstance(found, tuple) else (found,))
        return found

    BackwardCFunction.apply = apply
    try:
        yield
    finally:
        BackwardCFunction.apply = plain


def has_graph(t: Any) -> bool:
    """Whether a gradient can be asked of it."""
    return isinstance(t, torch.Tensor) and t.requires_grad


def numbers(t: torch.Tensor) -> np.ndarray:
    """Its numbers, in an array of their own; those of a dtype that NumPy has not, in Float32."""
    t = t.detach().cpu().resolve_conj()
    return np.array((t.float() if t.dtype.is_floating_point and t.element_size() < 4 else t).numpy())


def tensor(x: np.ndarray, like: torch.Tensor, wide: bool = False) -> torch.Tensor:
    """A new tensor with these numbers, where another lives and in its dtype; or in Float64."""
    kind = torch.float64 if wide and like.dtype.is_floating_point else like.dtype
    return torch.from_numpy(np.array(x)).to(like.device, kind)


def strided(t: torch.Tensor) -> torch.Tensor:
    """The same in other memory: the first axis is the innermost one; or beside each number stands another one."""
    if t.ndim < 2:
        return torch.stack([t, t], -1)[..., 0]
    return t.transpose(0, -1).clone(memory_format=torch.contiguous_format).transpose(0, -1)


def laid(g: torch.Tensor, way: str) -> torch.Tensor:
    """A cotangent in the memory that a way asks for."""
    return strided(g) if way == 'strided' else g.flatten()[0].expand(g.shape) if way == 'expanded' else g


def cotangent_names(many: int) -> list[str]:
    """What cotangents are called."""
    return ['dout'] if many == 1 else [f'dout[{k}]' for k in range(many)]


def names(function: Any, inputs: tuple, keywords: dict) -> list[str]:
    """What the tensors among the inputs are called: by the parameters of a function."""
    first = (None,) if next(iter(inspect.signature(function).parameters), '') == 'ctx' else ()
    given = inspect.signature(function).bind(*first, *inputs, **keywords).arguments
    found = []
    for name, value in list(given.items())[len(first) :]:
        many = [t for t in tree_leaves(value) if isinstance(t, torch.Tensor)]
        found += [name] if many and many[0] is value else [f'{name}[{k}]' for k, _ in enumerate(many)]
    return found


def cotangents(sens: Any) -> Any:
    """What is given as sens, in minicell's Tensors."""
    return None if sens is None else [wrap(numbers(t)) for t in tree_leaves(sens)]


def rule(of: Any, inputs: tuple, keywords: dict) -> TorchRule:
    """The rule at these inputs."""
    return TorchRule(of, inputs, keywords)
