"""A method whose name is nearly `bprop`: it is never called, and was meant to be."""

NEARLY = {'backward', 'backprop', 'back_prop'}


def nearly_bprop(name: str, method: object) -> bool:
    """Whether a method is a bprop by another name; `crop(self, x)` and `pop(self)` are near in letters alone."""
    code = getattr(getattr(method, '__func__', method), '__code__', None)
    if code is None or not (name in NEARLY or 0 < _distance(name, 'bprop') <= 2):
        return False
    names = code.co_varnames[: code.co_argcount]
    # self, an input, out, dout, or any number
    return name in NEARLY or len(names) > 3 or 'dout' in names or bool(code.co_flags & 0x04)


def _distance(a: str, b: str) -> int:
    """How many letters one has to add, drop or change (Levenshtein)."""
    if abs(len(a) - len(b)) > 2:
        return 3
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        above, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            above, row[j] = row[j], min(above + (x != y), row[j] + 1, row[j - 1] + 1)
    return row[-1]
