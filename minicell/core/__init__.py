"""The core: a tape, first order, takeovers, gradients of gradients, and Tapes. It imports only NumPy.

Read the modules in this order.

trap           for reference: what takes part from outside, traps, graph mode and hooks, and when it is called.
tape           start here: what an entry is, and how an output becomes constant, recorded or hidden.
dtype, errors  for reference: the names of dtypes, and messages that quote the user's line.
tensor         an array and an address.
rules          how backward passes an entry: formulas that run on arrays and on Tensors.
primitives     how an op is made from a rule: `unary` and `binary` run the kernel, and record an entry if one is wanted.
               (ops/arithmetic.py has fifty, most of them a line each: a kernel and its formulas.)
bprop_result   for reference: checks of what a bprop returned, and of a sens.
differentiate  a gradient: make leaves of the inputs, call the function, read the tape back.
grad           the ways to ask for a gradient: grad, value_and_grad and vjp.
cell           a takeover: construct runs hidden, one entry is recorded for the call, and backward calls bprop there.
watch          a Tape: it keeps the entries and notes, and tells them as events.

For a takeover, read tape, then `takes_over`, `call`, `TakeoverOfOne` and `call_bprop` in cell, `Gradient` and
`read_once` in differentiate, and `unary` in primitives. For grad of grad, add `vjp_tensors` in rules, and `read_back`:
an inner gradient reads back on Tensors, so that its backward's ops, those in a bprop too, go onto the same tape.
"""
