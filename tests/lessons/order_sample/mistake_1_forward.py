"""Backward runs in the order of the program.

It starts from the loss, which forward computed last: nothing is known of the product's `dout` before that.
"""

ORDER = ['Mul', 'Sin', 'ReduceSum']
