"""For a test of your own: `assert_bprop` fails where a rule is wrong, and says what is wrong, and where."""

from .elsewhere import check_bprop


def assert_bprop(cell: object, /, *inputs: object, **options: object) -> None:
    """Fail with what `check_bprop` says of a rule, unless each of its gradients agrees with the true one.

    cell, inputs, options: as for `check_bprop`. What is a surrogate or cannot be judged fails, too; `wrt` leaves out an
    input.

    >>> import minicell as ms
    >>> assert_bprop(ms.nn.ReLU(), ms.Tensor([1.0, -1.0]))
    """
    __tracebackhide__ = True  # pytest shows the line of the test alone
    found = check_bprop(cell, *inputs, **options)
    if not found.ok:
        raise AssertionError(str(found))
