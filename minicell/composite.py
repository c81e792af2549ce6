"""MindSpore's older way to ask for a gradient, GradOperation, and the search in what `return_ids` returned."""

from collections.abc import Callable

from .core.differentiate import differentiate, name_of
from .core.errors import GradPositionError, NotATensorError, article, users_line
from .core.grad import bind_by_place, check_arguments, check_function, check_weights, is_parameter, take_sens
from .core.primitives import zeros_like
from .core.tensor import Tensor, is_float


def get_grad(gradients: tuple, identifier: object) -> Tensor:
    """The gradient of a position or a Parameter, among what `grad(..., return_ids=True)` returned.

    Raises RuntimeError where it is not there, TypeError for what is no int and no Parameter.
    """
    if not isinstance(identifier, int) and not is_parameter(identifier):
        got = article(type(identifier).__name__)
        raise NotATensorError(f'get_grad takes a position (an int) or a Parameter, but got {got}.{users_line()}')
    key = getattr(identifier, 'name', identifier)
    pending = [gradients]
    while pending:
        g = pending.pop()
        if isinstance(g, tuple):
            if len(g) == 2 and isinstance(g[1], Tensor) and g[0] == key:
                return g[1]
            pending.extend(g)
    raise GradPositionError(f'Can not find the gradient for position or Parameter {identifier}')


class GradOperation:
    """MindSpore's older way to ask: `GradOperation(get_all=True)(net)(x, y)`.

    get_all: all Tensor arguments, as a tuple (integers have zeros in their place); else the first. get_by_list: the
    weights too (for a Cell without a list, its trainable ones). sens_param: the last argument is the cotangent of the
    output.

    >>> f = ms.ops.GradOperation(get_all=True)(lambda x, y: x * y)
    >>> f(ms.Tensor(3.0), ms.Tensor(5.0))
    (Tensor(shape=[], dtype=Float32, value= 5), Tensor(shape=[], dtype=Float32, value= 3))
    """

    def __init__(self, get_all: bool = False, get_by_list: bool = False, sens_param: bool = False) -> None:
        check_function('GradOperation', type(self), get_all=get_all, get_by_list=get_by_list, sens_param=sens_param)
        self.get_all = get_all
        self.get_by_list = get_by_list
        self.sens_param = sens_param

    def __call__(self, fn: Callable, weights: object = None) -> Callable:
        """The function that returns the gradients of fn."""

        check_function('GradOperation', fn)

        def gradient(*args, **kwargs):
            args, sens = take_sens(args, kwargs) if self.sens_param else (args, None)  # (which is never None)
            if kwargs:
                args, kwargs = bind_by_place(fn, args, kwargs)
            params = weights
            if params is None and self.get_by_list:
                params = fn.trainable_params() if hasattr(fn, 'trainable_params') else ()
            params = check_weights(params) if self.get_by_list else ()
            places = tuple(k for k, a in enumerate(args) if isinstance(a, Tensor) and is_float(a))
            if not self.get_all and not (self.get_by_list and params):
                check_arguments(fn, args, (0,))
            if self.get_all and not places:
                raise NotATensorError(
                    f'There is nothing to differentiate: {name_of(fn)} was called without a float Tensor.{users_line()}'
                )
            check_arguments(fn, args, places if self.get_all else ())
            wanted = places if self.get_all else () if self.get_by_list else (0,)
            _, by_place, by_weight = differentiate(fn, args, kwargs, wanted, params, sens)
            if self.get_all:
                found = dict(zip(places, by_place, strict=True))
                dx = tuple(
                    found[k] if k in found else zeros_like(a) for k, a in enumerate(args) if isinstance(a, Tensor)
                )
            else:
                dx = (by_place or [None])[0]
            if not self.get_by_list:
                return dx
            dw = by_weight[0] if hasattr(weights, 'requires_grad') else tuple(by_weight)
            return (dx, dw) if self.get_all else dw

        return gradient
