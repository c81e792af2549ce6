"""An executed notebook made fit to be kept: stills and text stay, what belongs to one machine and one run goes."""

import re
from collections.abc import Iterable
from html import unescape
from typing import Any

# In an output that is of one machine: what is kept instead.
STILL = 'application/vnd.minicell.still+json'
TAPE = 'The picture of the tape, at its last step: {} The tape, line by line: {}'
KERNEL = {'display_name': 'Python 3 (ipykernel)', 'language': 'python', 'name': 'python3'}
LANGUAGE = {'name': 'python', 'file_extension': '.py', 'mimetype': 'text/x-python', 'pygments_lexer': 'ipython3'}


def freeze(notebook: Any) -> None:
    """Freeze a notebook in place: no times, no counts of a run that went otherwise."""
    notebook.metadata = {'kernelspec': KERNEL, 'language_info': LANGUAGE}
    number = 0
    for cell in notebook.cells:
        cell.metadata = {key: value for key, value in cell.metadata.items() if key == 'minicell'}
        if cell.cell_type != 'code':
            continue
        number += 1
        cell.execution_count = number
        cell.outputs = joined(map(frozen, cell.outputs))
        for output in cell.outputs:
            if output.output_type == 'execute_result':
                output.execution_count = number


def frozen(output: Any) -> Any:
    """An output as it is kept: what is of one machine is exchanged, and a picture is told in words."""
    if 'data' not in output:
        return output
    if STILL in output.data:
        output.data = output.data[STILL]
    step = output.metadata.get('image/png', {}).get('alt', '')
    output.metadata = {}
    if 'image/png' in output.data:
        # GitHub hides SVG now and then; nbconvert and screen readers take the alt text of a PNG from here
        told = in_words(step, output.data['text/plain']) if step else described(output.data.get('image/svg+xml', ''))
        output.metadata = {'image/png': {'alt': told}}
    return output


def joined(outputs: Iterable[Any]) -> list[Any]:
    """Outputs with neighbouring pieces of printed text as one: where a busy kernel parts them is chance."""
    out: list[Any] = []
    for output in outputs:
        last = out[-1] if out else None
        if last is not None and output.output_type == last.output_type == 'stream' and output.name == last.name:
            last.text += output.text
        else:
            out.append(output)
    return out


def in_words(step: str, tape: str | list[str], most: int = 1200) -> str:
    """The alt text of a tape's picture: its title, then the printed tape, cut to a length that can be heard.

    >>> in_words('dx arrives.', '   1  x * x      Mul -> 9\\n      Mul brings dx\\n')
    'The picture of the tape, at its last step: dx arrives. The tape, line by line: 1 x * x Mul -> 9; Mul brings dx.'
    """
    said = '; '.join(' '.join(line.split()) for line in ''.join(tape).splitlines()) + '.'
    return TAPE.format(step, said if len(said) <= most else said[:most].rpartition(';')[0] + ' …')


def described(svg: str | list[str]) -> str:
    """The alt text of an SVG: its <desc>."""
    found = re.search(r'<desc[^>]*>(.*?)</desc>', ''.join(svg), re.DOTALL)
    return unescape(found[1]) if found else ''
