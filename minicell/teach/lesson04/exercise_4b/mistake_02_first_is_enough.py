"""What is right at first order is right at every order.

C returns the right numbers. But its `stop_gradient` hides from the next order how they came about. Check the gradient
as you have checked the Cell: `ms.check_bprop(ms.grad(C()), x)`.
"""

verdicts = {
    'A': 'right',
    'B': 'wrong',
    'C': 'right',
    'D': 'right, with a kink',
}
