"""One class a mistake, each a subclass of what MindSpore raises there, and the sentences that explain them.

A message says which Cell and which input, what came, what was due, how to write it, and where the user's own line is.
"""

import linecache
import os
import sys
import warnings

HOME = os.path.dirname(os.path.dirname(__file__)) + os.sep


class MinicellError(Exception):
    """The base of every error of minicell's own."""


class ShapeError(MinicellError, ValueError, RuntimeError):
    """Shapes that do not fit an op."""


class DTypeError(MinicellError, TypeError):
    """A dtype that an op, a gradient or a Tensor cannot take."""


class OperandError(MinicellError, TypeError):
    """Something that is no Tensor and no number where one is due."""


class NoRuleError(MinicellError, RuntimeError):
    """An op whose backward has no rule, differentiated."""


class WriteAfterUseError(MinicellError, RuntimeError):
    """A value that backward needs was written after it was used."""


class IndexWriteError(MinicellError, TypeError):
    """`x[i] = v` where a gradient would have to pass through it."""


class LeavesTapeError(MinicellError, TypeError):
    """A recorded Tensor handed to NumPy, where no gradient can follow."""


class HiddenValueError(MinicellError, RuntimeError):
    """A value born inside a Cell with its own bprop, used where a gradient would have to pass through it."""


class MinicellWarning(UserWarning):
    """The base of every warning of minicell's own: the number is right, and hides something."""


class SwallowedParameterWarning(MinicellWarning):
    """A Parameter inside a Cell with its own bprop, which returns no gradient for it."""


class NoPathWarning(MinicellWarning):
    """A gradient that is 0 because nothing connects the output to the input."""


class ImplicitSumWarning(MinicellWarning):
    """Several outputs, differentiated as if summed."""


class NotANumberWarning(MinicellWarning):
    """A gradient with NaN or infinity in it, and the op that first made one."""


class NearMissWarning(MinicellWarning):
    """A method whose name is nearly `bprop`."""


class UnregisteredWarning(MinicellWarning):
    """Parameters or Cells kept where no Cell finds them, or a Parameter that goes away."""


class KeptOnSelfWarning(MinicellWarning):
    """A Tensor kept on self by the construct of a Cell with its own bprop: each call overwrites it."""


class GraphPrintWarning(MinicellWarning):
    """print inside a graph: it runs once, while the graph is traced."""


class LeavesTapeWarning(MinicellWarning):
    """A recorded Tensor turned into plain numbers inside a gradient."""


class BypassWarning(MinicellWarning):
    """A Cell's construct differentiated directly, past its bprop."""


class SeveredWarning(MinicellWarning):
    """A value that is being differentiated was assigned to a Parameter, and read from there: no gradient passes."""


class HiddenValueWarning(MinicellWarning):
    """A value kept by the construct of a Cell with its own bprop, read by a bprop: the last call's value."""


class BpropCountError(MinicellError, RuntimeError):
    """bprop returned another number of gradients than the Cell has inputs."""


class BpropTupleError(MinicellError, RuntimeError, TypeError, ValueError):
    """bprop returned something other than a tuple of gradients (and a dict, where there are internal_params)."""


class BpropTypeError(MinicellError, TypeError, RuntimeError):
    """bprop returned something that is no gradient."""


class BpropShapeError(MinicellError, RuntimeError):
    """bprop returned a gradient of another shape than its input."""


class BpropSignatureError(MinicellError, TypeError):
    """bprop cannot be called with the Cell's inputs, out and dout."""


class GradArgumentError(MinicellError, ValueError):
    """grad was asked for something that cannot be a gradient."""


class GradPositionError(MinicellError, RuntimeError):
    """grad_position points at no argument."""


class NotATensorError(MinicellError, TypeError):
    """grad found no float Tensor to differentiate."""


class SensError(MinicellError, ValueError, TypeError, RuntimeError):
    """A sens that does not fit the output."""


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
    """A bprop in a graph that returned no tuple."""


class CellError(MinicellError, AttributeError):
    """A Cell that is not set up, or an attribute that it does not have."""


class CellNameError(MinicellError, KeyError):
    """A name under which a Cell can keep nothing, or keeps something else."""

    __str__ = Exception.__str__  # KeyError's would show the sentence in quotes


class CellIndexError(MinicellError, IndexError):
    """A place in a row of Cells where there is none."""


class NotCalledError(MinicellError, NotImplementedError):
    """A list or dict of Cells, called as if it were one."""


class LoadError(MinicellError, RuntimeError):
    """A value that does not fit into the Parameter of its name."""


class PropertyError(MinicellError, TypeError):
    """A Cell's property was given a value of the wrong type."""


class PrimitiveError(MinicellError, TypeError, ValueError):
    """A primitive of the user's own without a kernel, or whose rule returned the wrong cotangents."""


class HookError(MinicellError, TypeError, ValueError, RuntimeError):
    """A hook that cannot be called, or one that returned something that does not fit."""


class ParameterAttributeError(MinicellError, AttributeError):
    """An attribute that a Parameter does not have."""


class ParameterError(MinicellError, TypeError):
    """A Parameter given something that it cannot hold."""


class SettingError(MinicellError, ValueError):
    """A layer, a loss or an optimizer set up with a value that it cannot work with."""


class TensorSettingError(MinicellError, ValueError):
    """A Tensor made of settings that do not go together."""


class UnknownNameError(SettingError, KeyError):
    """The name of something that there is not."""

    __str__ = Exception.__str__  # a KeyError would print its message in quotes


class LabelError(MinicellError, ValueError, RuntimeError):
    """A label that names no class."""


class InitializerError(MinicellError, ValueError):
    """An initializer that does not exist, or a shape that it cannot fill."""


class OptimizerError(MinicellError, RuntimeError):
    """An optimizer called with other gradients than it has Parameters."""


def users_line(frame=None) -> str:
    """Where the user's own code stands now: a file, a line and its text, or '' when no such frame is on the stack."""
    frame = frame or sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(HOME):
        frame = frame.f_back
    if frame is None:
        return ''
    path, line = frame.f_code.co_filename, frame.f_lineno
    text = linecache.getline(path, line, frame.f_globals).strip()
    return f'\n  your line: {place(path, line)}' + (f': {text}' if text else '')


def place(path: str, line: int) -> str:
    """A file and a line as a reader knows them: a notebook's cell has no file name worth showing."""
    name = os.path.basename(path)
    return f'line {line} of this cell' if 'ipykernel_' in path or path.startswith('<') else f'{name}, line {line}'


def article(noun: object) -> str:
    """'a Tensor', 'an int'.

    >>> article('int'), article('Tensor')
    ('an int', 'a Tensor')
    """
    return f'{"an" if str(noun)[:1].lower() in "aeiou" else "a"} {noun}'


def plural(count: int, noun: str) -> str:
    """'1 gradient', '2 gradients'.

    >>> plural(1, 'gradient'), plural(2, 'gradient')
    ('1 gradient', '2 gradients')
    """
    return f'{count} {noun}' if count == 1 else f'{count} {noun}s'


def caller(up: int = 1):
    """The first frame that is not inside minicell, or None: the user's own."""
    frame = sys._getframe(up)
    while frame is not None and frame.f_code.co_filename.startswith(HOME):
        frame = frame.f_back
    return frame


def warn(message: str, category: type[Warning], frame) -> None:
    """A warning whose place is the user's line, for Python's filters to show once a place."""
    if frame.f_code.co_filename.startswith(HOME):  # grad called the Cell, or a layer of ours did
        frame = caller()
        if frame is None:
            return
    space = frame.f_globals
    registry = space.setdefault('__warningregistry__', {})
    module = space.get('__name__', '__main__')  # filters go by the module's name, not by its file
    warnings.warn_explicit(message, category, frame.f_code.co_filename, frame.f_lineno, module, registry)


def warn_user(message: str, category: type[Warning]) -> None:
    """A warning at the user's own line."""
    frame = caller()
    if frame is not None:
        warn(message, category, frame)
