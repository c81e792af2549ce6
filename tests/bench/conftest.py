"""Settings for the tests of the benchmark."""

# no examples to test there, and what they import may be missing
collect_ignore = ['autograd_way.py', 'torch_way.py']
