"""MindSpore's names, as tables: of ops, of their arguments, of Tensor's methods, of dtypes and modules."""

import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from inspect import Parameter, Signature
from types import CodeType, FunctionType, ModuleType

# ---- ops -----------------------------------------------------------------------------------------------------------

# other names of an op
ALIASES = {
    'greater': 'gt', 'greater_equal': 'ge', 'less': 'lt', 'less_equal': 'le', 'equal': 'eq', 'not_equal': 'ne',
    'select': 'where', 'abs': 'absolute', 'mul': 'multiply', 'neg': 'negative', 'div': 'divide', '_div': 'true_divide',
    'sum': 'reduce_sum', 'mean': 'reduce_mean', 'amax': 'reduce_max', 'amin': 'reduce_min', 'clamp': 'clip',
    'mod': 'floor_mod remainder', 'floor_div': 'floor_divide', 'matmul': 'bmm', 'concat': 'cat', 'swapaxes': 'swapdims',
    'transpose': 'permute', 'expand_dims': 'unsqueeze',
}  # fmt: skip
# argument names, where they are not `input` and `other`: of the ops, and of the methods of Tensor
ARGUMENTS = {
    'sqrt': 'x', 'relu6': 'x', 'identity': 'x', 'pow': 'input exponent', 'bmm': 'input_x mat2', 'floor_div': 'x y',
    'floor_mod': 'x y', 'true_divide': 'dividend divisor', 'swapdims': 'input dim0 dim1', 'permute': 'input axis',
    'unsqueeze': 'input dim', 'numel': 'input', 'dtype': 'x',
}  # fmt: skip
OF_METHODS = {
    'pow': 'input exponent', 'bmm': 'input mat2', 'matmul': 'input tensor2', 'multiply': 'input value',
    'true_divide': 'input other',
}  # fmt: skip


def renamed(op: Callable, names: str) -> Callable:
    """An op under other argument names: the same body, so that a call costs the same.

    >>> from .ops.arithmetic import pow
    >>> renamed(pow, 'input exponent')(3, exponent=2).item()
    9
    """
    names, code = tuple(names.split()), op.__code__
    made = with_code(op, code.replace(co_varnames=names + code.co_varnames[len(names) :]))
    return told(made, names) if len(names) > 1 else made


def with_code(function: FunctionType, code: CodeType) -> FunctionType:
    """The same function with other code."""
    made = FunctionType(code, function.__globals__, function.__name__, function.__defaults__, function.__closure__)
    made.__dict__.update(function.__dict__)
    made.__kwdefaults__, made.__qualname__ = function.__kwdefaults__, function.__qualname__
    return made


def told(op: Callable, names: tuple[str, ...] = ('input', 'other')) -> Callable:
    """The op, whose signature leaves out `up`, which no user gives: how many frames away the user's line is."""
    op.__signature__ = _signature(names)
    return op


@cache
def _signature(names: tuple[str, ...]) -> Signature:
    return Signature([Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in names])


def give(ops: dict) -> None:
    """The ops get their other names, and their arguments MindSpore's."""
    ops |= {alias: ops[name] for name, aliases in ALIASES.items() for alias in aliases.split() if alias not in ops}
    for op in ops.values():
        if isinstance(op, FunctionType) and op.__code__.co_varnames[2:3] == ('up',) and op.__code__.co_argcount == 3:
            told(op)
    ops |= {name: renamed(ops[name], names) for name, names in ARGUMENTS.items()}
    for name, op in ops.items():
        if isinstance(op, FunctionType) and getattr(sys.modules[op.__module__], op.__qualname__, None) is not op:
            op.__module__, op.__qualname__ = ops['__name__'], name  # where pickle finds it, for a Cell that keeps it


# ---- Tensor --------------------------------------------------------------------------------------------------------

OPERATORS = {
    'add': 'add', 'sub': 'sub', 'mul': 'mul', 'truediv': '_div', 'floordiv': 'floor_div', 'mod': 'mod', 'pow': 'pow',
    'matmul': 'matmul',
}  # fmt: skip
ALONE = {
    'neg': 'neg', 'abs': 'abs', 'invert': 'logical_not', 'gt': 'gt', 'ge': 'ge', 'lt': 'lt', 'le': 'le',
    'and': 'bitwise_and', 'or': 'bitwise_or', 'xor': 'bitwise_xor', 'round': 'round',
}  # fmt: skip
# these methods are the functions of that name
SAME = """abs absolute add sub subtract mul multiply div divide true_divide neg negative pow square sqrt exp log sin cos
    tanh sign floor sigmoid maximum minimum floor_divide remainder matmul swapaxes expand_dims squeeze log1p expm1 erf
    rsqrt reciprocal softmax prod var std norm clamp clip sum mean amax amin argmax argmin any all isnan isinf isfinite
    equal eq not_equal ne greater gt greater_equal ge less lt less_equal le
    logical_and logical_or logical_xor logical_not ceil round trunc tan asin acos atan sinh cosh asinh acosh atanh atan2
    log2 log10 exp2 erfc logsumexp split chunk unbind tile triu tril mm bmm outer masked_fill masked_select nonzero
    swapdims unsqueeze"""

# ---- what is loaded later, and what is gone --------------------------------------------------------------------------

# the module of ops, or of nn -> which names come from there
OPS = {
    '.composite': 'GradOperation get_grad',  # MindSpore has these, and the next ones, here too
    '.jacobian': 'jvp',
    '.core.grad': 'grad value_and_grad vjp',
    'conv': 'BiasAdd Conv2D bias_add conv2d',
    'operators': 'ACos Abs Add AddN ApplyMomentum Asin Atan BitwiseAnd BitwiseOr BitwiseXor Cast Ceil Concat Cos Cosh '
    'DType Div Equal Erf Exp ExpandDims Expm1 Eye Fill Flatten Floor FloorDiv FloorMod Gather Greater GreaterEqual '
    'Identity Less LessEqual Log Log1p LogSoftmax LogicalAnd LogicalNot LogicalOr MaskedFill MaskedSelect Maximum '
    'Minimum Mul Neg NotEqual OneHot Ones OnesLike Pow Rank ReLU ReLU6 RealDiv Reciprocal ReduceAll ReduceAny '
    'ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum Reshape Round Rsqrt Select Shape Sigmoid Sign Sin Sinh Size '
    'Softmax Sqrt Square Squeeze Stack StopGradient Sub Tan Tanh Tile Transpose UnsortedSegmentSum Zeros ZerosLike',
    'loss': 'binary_cross_entropy binary_cross_entropy_with_logits cross_entropy l1_loss mse_loss nll_loss '
    'smooth_l1_loss',
    'window': 'avg_pool2d max_pool2d',
}
CELLS = {
    'layer': '',
    'layer.activation': 'ELU GELU Hardtanh LeakyReLU LogSigmoid LogSoftmax Mish ReLU ReLU6 Sigmoid SiLU Softmax '
    'Softsign Tanh Threshold',
    'layer.basic': 'Dense Dropout Dropout2d Flatten Identity MatMul',
    'layer.container': 'CellDict CellList SequentialCell',
    'layer.conv': 'Conv2d',
    'layer.normalization': 'BatchNorm1d BatchNorm2d LayerNorm',
    'layer.pooling': 'AvgPool2d MaxPool2d',
    'loss': 'BCELoss BCEWithLogitsLoss CrossEntropyLoss L1Loss LossBase MSELoss NLLLoss SmoothL1Loss '
    'SoftmaxCrossEntropyWithLogits',
    'optim': 'SGD Adam Momentum Optimizer',
    'spiking': 'IFNode Surrogate relusigmoid straight_through triangular true_derivative',
    'train': 'ExponentialDecayLR ParameterUpdate PolynomialDecayLR TrainOneStepCell WithLossCell cosine_decay_lr '
    'exponential_decay_lr piecewise_constant_lr warmup_lr',
}
GONE = {
    'ops': 'AvgPool BroadcastTo MaxPool Softplus rand randint standard_normal',
    'nn': 'LIFNode Softplus WithEvalCell get_activation inverse_decay_lr natural_exp_decay_lr',
}

# ---- dtypes and modules --------------------------------------------------------------------------------------------

DTYPES = {
    'bool': 'bool_', 'float': 'float32', 'int': 'int32', 'half': 'float16', 'double': 'float64', 'long': 'int64',
    'short': 'int16',
}  # fmt: skip
# where MindSpore has what stands in a module of ours
MODULES = {
    'common.tensor': 'core.tensor', 'common.dtype': 'core.dtype', 'common.api': 'graph.jitted',
    'common.seed': 'common', 'runtime': 'common',
    'nn.loss.loss': 'nn.loss', 'nn.optim.optimizer': 'nn.optim', 'nn.optim.momentum': 'nn.optim',
    'nn.optim.adam': 'nn.optim', 'nn.optim.sgd': 'nn.optim', 'nn.wrap': 'nn', 'nn.wrap.cell_wrapper': 'nn',
    'nn.learning_rate_schedule': 'nn.train', 'nn.dynamic_lr': 'nn.train', 'ops.function': 'ops',
    'ops.composite': 'ops',
}  # fmt: skip


class Elsewhere(ModuleType):
    """A module of MindSpore's whose names stand in one of ours, which is loaded by the first who asks for one."""

    def __getattr__(self, name: str) -> object:
        if name.startswith('__'):  # what Python asks of any module
            raise AttributeError(name)
        return getattr(import_module(self.home), name)


def place(package: str) -> None:
    """Let `from minicell.common.tensor import Tensor` find them."""
    for path, home in MODULES.items():
        module = sys.modules[f'{package}.{path}'] = Elsewhere(f'{package}.{path}')
        module.home, module.__path__ = f'{package}.{home}', []
        parent, _, last = module.__name__.rpartition('.')
        if parent in sys.modules:
            setattr(sys.modules[parent], last, module)
