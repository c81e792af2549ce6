"""What takes a moment has a progress bar under its cell."""

import os
from collections.abc import Iterable, Iterator
from typing import Any

from IPython.display import display

from minicell.view.picture import STILL


def bar(items: Iterable[Any], of: int) -> Iterator[Any]:
    """Go through `of` items, with a progress bar under the cell until the last one is done."""

    def said(done: int) -> dict[str, str]:
        shown = f'<progress max="{of}" value="{done}" aria-label="Progress" style="width:240px"></progress>'
        return {'text/plain': f'{done} of {of}', 'text/html': f'{shown} &nbsp;{done} of {of}'}

    shown = None if os.environ.get(STILL) else display(said(0), raw=True, display_id=True)
    for done, item in enumerate(items, 1):
        yield item
        if shown is not None:  # outside a notebook there is nothing to update
            shown.update(said(done), raw=True)
    if shown is not None:
        shown.update({'text/plain': '', 'text/html': ''}, raw=True)
