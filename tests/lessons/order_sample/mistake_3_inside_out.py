"""The inputs come before what was made of them.

The loss comes first, that is true. But the product can only be read when the sine has said what its `dout` is.
"""

ORDER = ['ReduceSum', 'Mul', 'Sin']
