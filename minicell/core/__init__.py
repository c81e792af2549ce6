"""The core: a tape, first order, a takeover, grad of grad, and looking. It imports NumPy alone, and reads as a book.

doors          where others take part (traps, graph mode, hooks): lists of functions, empty in the core. Skip at first.
tape           the page to begin with: what one entry is, and the decision constant / recorded / hidden.
dtype, errors  names of dtypes, and sentences with the user's own line. Look things up in these two.
tensor         numbers and an address.
rules          what an entry knows about the way back: formulas that run on arrays and on Tensors.
primitives     an op is a rule played forward: `unary` and `binary` run the kernel, then leave the entry.
arithmetic     forty ops, a kernel and its rule on one line each.
differentiate  a gradient: mark the inputs, call the function, read the tape back. Here is the loop that walks back.
grad           the ways to ask for one: grad, value_and_grad, vjp, jvp.
bprop_result   what a bprop may return, and the sentences for what it may not.
cell           takeover: construct runs hidden, one entry stands for the call, and backward calls bprop there.
watch          looking: a Tape keeps every note, and tells it as events.

For a takeover, read tape, `call` and `Takeover` in cell, `differentiate` and `read_once` in differentiate, and
`unary` in primitives. For grad of grad, add `vjp_tensors` in rules and `read_back` in differentiate: an inner gradient
computes with Tensors, so that what it does on the way back, a bprop's lines too, stands on the same tape.
"""
