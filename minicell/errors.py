"""Every error and warning of minicell, under one roof: those of the core and of the traps, and the library's own."""

import warnings
from types import FrameType

# isort: off
from .core.errors import (  # `as`: for a type checker these too are of this module
    BpropCountError as BpropCountError,
    BpropShapeError as BpropShapeError,
    BpropSignatureError as BpropSignatureError,
    BpropTupleError as BpropTupleError,
    BpropTypeError as BpropTypeError,
    CellError as CellError,
    DTypeError as DTypeError,
    GradArgumentError as GradArgumentError,
    GradPositionError as GradPositionError,
    MinicellError as MinicellError,
    NoRuleError as NoRuleError,
    NotATensorError as NotATensorError,
    OperandError as OperandError,
    SensError as SensError,
    ShapeError as ShapeError,
    TapeError as TapeError,
    TensorSettingError as TensorSettingError,
    HOME,
    caller,
)
# isort: on


class MinicellWarning(UserWarning):
    """The base of all warnings of minicell: the result may not be what was meant."""

    @classmethod
    def warn(cls, message: str, frame: FrameType | None = None) -> None:
        """Say it at the user's own line: at this frame, or the innermost one outside minicell."""
        if frame is None or frame.f_code.co_filename.startswith(HOME):  # (grad or a layer may have called the Cell)
            frame = caller()
            if frame is None:
                return
        space = frame.f_globals
        registry = space.setdefault('__warningregistry__', {})
        module = space.get('__name__', '__main__')  # filters go by the module's name, not by its file
        warnings.warn_explicit(message, cls, frame.f_code.co_filename, frame.f_lineno, module, registry)


# ---- of the traps --------------------------------------------------------------------------------------------------


class ThreadError(MinicellError, RuntimeError):
    """A thread needs a gradient, or a value of one, while the gradient is open in another thread."""


class BypassWarning(MinicellWarning):
    """A Cell's construct differentiated directly, past its bprop."""


class SwallowedParameterWarning(MinicellWarning):
    """A Parameter inside a Cell with its own bprop, which returns no gradient for it."""


class ImplicitSumWarning(MinicellWarning):
    """Several outputs, differentiated as if summed."""


class HiddenValueError(MinicellError, RuntimeError):
    """A value made inside a Cell with its own bprop, used where a gradient would have to pass through it."""


class KeptOnSelfWarning(MinicellWarning):
    """What the bprop of a Cell reads on self is another call's, or was changed since the call."""


class LeavesTapeError(MinicellError, TypeError):
    """A recorded Tensor handed to NumPy, where no gradient can follow."""


class NearMissWarning(MinicellWarning):
    """A method whose name is nearly `bprop`."""


class NotANumberWarning(MinicellWarning):
    """A gradient with NaN or infinity in it, and the op that first made one."""


class DrawnAgainWarning(MinicellWarning):
    """A gradient, after `set_grad`, of a construct that draws other random numbers than in the call before."""


class NotLinearWarning(MinicellWarning):
    """jvp through a bprop, a hook or a rule that is not linear in dout."""


class ResultError(MinicellError, TypeError, RuntimeError):
    """A result in which no gradient can be followed."""


class NoPathWarning(MinicellWarning):
    """A gradient that is 0 because nothing connects the output to the input."""


class UnregisteredWarning(MinicellWarning):
    """Parameters or Cells kept where no Cell finds them, or a Parameter that goes away."""


class WriteAfterUseError(MinicellError, RuntimeError):
    """A value that backward needs was written after it was used."""


class SeveredWarning(MinicellWarning):
    """A value that is being differentiated was assigned to a Parameter, and read from there: no gradient passes."""


class CapturedValueWarning(MinicellWarning):
    """A differentiated Tensor inside a Cell with its own bprop that is none of its inputs."""


class HiddenValueWarning(MinicellWarning):
    """A value kept by the construct of a Cell with its own bprop, read by a bprop: the last call's value."""


class LeavesTapeWarning(MinicellWarning):
    """A recorded Tensor turned into plain numbers inside a gradient."""


class IndexWriteError(MinicellError, TypeError):
    """`x[i] = v` where a gradient would have to pass through it."""


# ---- of the library ------------------------------------------------------------------------------------------------


class GraphPrintWarning(MinicellWarning):
    """print inside a graph: it runs once, while the graph is traced."""


class GraphArgumentError(MinicellError, ValueError, TypeError):
    """A setting of graph mode that is none."""


class GraphValueError(MinicellError, RuntimeError):
    """The numbers of a Tensor asked for inside a graph, or something else that a graph has no place for."""


class GraphWriteError(MinicellError, RuntimeError):
    """An attribute of a Cell written inside a graph."""


class GraphCaptureError(MinicellError, RuntimeError):
    """A graph that uses a differentiated Tensor from outside."""


class GraphSyntaxError(MinicellError, RuntimeError):
    """A statement that a static graph has no place for."""


class GraphBpropError(MinicellError, RuntimeError):
    """A bprop that cannot be part of a graph: *args, a Parameter, internal_params."""


class GraphTupleError(MinicellError, TypeError):
    """A bprop in a graph that returned no tuple, or takes another number of inputs than the Cell got by position."""


class CellNameError(MinicellError, KeyError, ValueError):
    """A name under which a Cell can keep nothing, or keeps something else."""

    def __str__(self) -> str:
        return Exception.__str__(self)  # KeyError's would show the sentence in quotes


class CellIndexError(MinicellError, IndexError):
    """A place in a row of Cells where there is none."""


class NotCalledError(MinicellError, NotImplementedError):
    """A list or dict of Cells, called as if it were one."""


class LoadError(MinicellError, RuntimeError, ValueError):
    """A value that does not fit into the Parameter of its name, or a file that is not there."""


class PropertyError(MinicellError, TypeError):
    """A Cell's property was given a value of the wrong type."""


class PrimitiveError(MinicellError, TypeError, ValueError):
    """A primitive of the user's own without a kernel, or whose rule returned the wrong cotangents."""


class HookError(MinicellError, TypeError, ValueError, RuntimeError):
    """A hook that cannot be called, or one that returned something that does not fit."""


class ParameterAttributeError(MinicellError, AttributeError):
    """An attribute that a Parameter does not have."""


class ParameterError(MinicellError, TypeError, ValueError):
    """A Parameter given something that it cannot hold."""


class SettingError(MinicellError, ValueError):
    """A layer, a loss or an optimizer set up with a value that it cannot work with."""


class UnknownNameError(SettingError, KeyError):
    """The name of something that there is not."""

    __str__ = CellNameError.__str__


class LabelError(MinicellError, ValueError, RuntimeError):
    """A label that names no class."""


class InitializerError(MinicellError, ValueError):
    """An initializer that does not exist, or a shape that it cannot fill."""


class OptimizerError(MinicellError, RuntimeError):
    """An optimizer called with other gradients than it has Parameters."""
