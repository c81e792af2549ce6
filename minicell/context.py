"""MindSpore's settings. One counts here, the mode; the others are known, kept, and have no effect."""

from .errors import GraphArgumentError
from .graph.jitted import call_in_graph_mode
from .nn.cell import Cell
from .ops.checks import must, must_be

GRAPH_MODE, PYNATIVE_MODE = 0, 1
_settings: dict = {  # what MindSpore 2.10 has, with what it begins with on a CPU
    'mode': PYNATIVE_MODE, 'device_target': 'CPU', 'device_id': 0, 'save_graphs': 0, 'save_graphs_path': '.',
    'aoe_tune_mode': '', 'aoe_config': {}, 'enable_reduce_precision': True, 'variable_memory_max_size': '0',
    'inter_op_parallel_num': 0, 'enable_graph_kernel': False, 'reserve_class_name_in_scope': True, 'check_bprop': False,
    'max_device_memory': 1024.0, 'print_file_path': '', 'max_call_depth': 1000, 'env_config_path': '',
    'graph_kernel_flags': '', 'runtime_num_threads': 2, 'pynative_synchronize': False, 'mempool_block_size': 1.0,
    'disable_format_transform': False, 'op_timeout': 900, 'deterministic': 'OFF', 'ascend_config': {},
    'jit_syntax_level': 2, 'jit_level': '', 'debug_level': 0, 'gpu_config': {}, 'jit_config': {},
    'enable_compile_cache': None, 'compile_cache_path': '', 'memory_optimize_level': 0, 'exec_order': 'bfs',
    'precision_mode': '',
}  # fmt: skip
_DEVICES = ('CPU', 'GPU', 'Ascend', 'Davinci')


def set_context(**settings: object) -> None:
    """Set `mode` to GRAPH_MODE or PYNATIVE_MODE; MindSpore's others have no effect here. ValueError for any other."""
    for name, value in settings.items():
        must(name in _settings, GraphArgumentError, f'set_context has no setting {name!r}')
        if isinstance(_settings[name], bool):
            must_be(value, bool, GraphArgumentError, f'{name} is a bool')
    mode, device = settings.get('mode', _settings['mode']), settings.get('device_target', 'CPU')
    said = f'mode is GRAPH_MODE (0) or PYNATIVE_MODE (1), but got {mode!r}'
    must(mode in (GRAPH_MODE, PYNATIVE_MODE), GraphArgumentError, said)
    must(device in _DEVICES, GraphArgumentError, f'device_target is one of {", ".join(_DEVICES)}, but got {device!r}')
    _settings.update(settings)
    if mode == GRAPH_MODE:
        Cell.__call__ = call_in_graph_mode
    elif '__call__' in Cell.__dict__:
        del Cell.__call__


def get_context(attr_key: str) -> object:
    """A setting. Raises ValueError for one that MindSpore does not have."""
    must(attr_key in _settings, GraphArgumentError, f'there is no setting {attr_key!r}: {", ".join(_settings)}')
    return _settings[attr_key]


def set_device(device_target: str, device_id: int | None = None) -> None:
    """The newer way to name the device; everything runs on the CPU here."""
    set_context(device_target=device_target, device_id=device_id or 0)
