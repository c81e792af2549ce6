"""The words of PyTorch and JAX beside MindSpore's: read from lesson 00's table, for the switch in the bar."""

import json
import re

HEAD = '|here, as in MindSpore|'


def table(start: str) -> dict[str, dict[str, str]]:
    """Framework -> our word -> its word. `start`: the text of lesson 00."""
    lines = start[start.index(HEAD) :].split('\n\n')[0].splitlines()
    head, _, *rows = [line.strip('| ').split('|') for line in lines]
    found: dict[str, dict[str, str]] = {name: {} for name in head[1:]}
    for ours, *theirs in rows:
        keys = re.findall(r'`([^`]+)`', ours)
        for name, cell in zip(head[1:], theirs, strict=True):
            said = cell.replace('`', '').split(', ')
            for key, word in zip(
                keys, said if len(said) == len(keys) else [cell.replace('`', '')] * len(keys), strict=True
            ):
                found[name] |= {key: word, key.rpartition('.')[2]: word}  # `nn.Cell` is written `Cell` too
    return found


def script(start: str) -> str:
    """The same as a script."""
    return f'const elsewhere = {json.dumps(table(start), ensure_ascii=False)};\n'
