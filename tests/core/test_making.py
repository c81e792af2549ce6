"""Tensors made of lists of arrays and Tensors, of a shape and an initializer; one number written into one place."""

import numpy as np
import pytest

import minicell as ms
from minicell import Tensor
from minicell.common import initializer
from minicell.core.errors import TensorSettingError


def test_what_a_list_of_arrays_numbers_and_tensors_becomes():
    """As the numbers themselves; Tensors alone keep their dtype."""
    for data, due in [
        ([np.float64(1.5)], 'Float32'),
        ([np.array([1.0, 2.0])], 'Float32'),
        ([np.float16(1.5)], 'Float16'),
        ([np.int32(3)], 'Int64'),
        ([1, np.float64(2)], 'Float32'),
        ((Tensor(1.0), 2.0), 'Float32'),
        ([Tensor(1), 2.0], 'Float32'),
        ([Tensor([1.0], ms.float64), Tensor([2.0], ms.float64)], 'Float64'),
        ([Tensor(1, ms.int32), Tensor(2, ms.int32)], 'Int32'),
    ]:
        assert str(Tensor(data).dtype) == due, data


def test_a_tensor_of_shape_dtype_and_init():
    assert Tensor(shape=(2, 2), dtype=ms.float32, init=initializer.One()).tolist() == [[1, 1], [1, 1]]
    assert Tensor(shape=2, dtype=ms.int32).tolist() == [0, 0]
    for wrong in ({'shape': (2,), 'init': initializer.One()}, {'input_data': 1, 'dtype': ms.int32, 'shape': (1,)}):
        with pytest.raises(
            TensorSettingError, match=r'(?s)of input_data, or of shape, dtype and init together.*your line: test_making'
        ):
            Tensor(**wrong)
    with pytest.raises(TypeError, match=r"init is an Initializer, such as .*, but got 'ones'"):
        Tensor(shape=(2,), dtype=ms.float32, init='ones')


def test_functions_that_make_tensors():
    assert repr(ms.tensor([1, 2], ms.float16)) == repr(Tensor([1, 2], ms.float16))
    array = np.array([1.0])
    made = ms.from_numpy(array)
    array[0] = 2
    assert made.tolist() == [1.0] and ms.common.dtype.float32 is ms.float32


def test_one_number_is_written_into_one_place_and_what_is_none_is_refused():
    x = Tensor([[1.0, 2.0]])
    x[0, 1] = Tensor([5])
    x[0, 0] = Tensor([[7.0]])
    assert x.tolist() == [[7, 5]]
    for wrong in (None, 'a'):
        with pytest.raises(
            TypeError, match=r'(?s)x\[i\] = v takes a Tensor or numbers, but got.*your line: test_making'
        ):
            x[0] = wrong
