"""Every text and line of every frame of the gallery, measured in a real Chromium on one page."""

import gallery
import pytest
from measure import faults, measure_all, page, why_not

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(bool(why_not()), reason=f'nothing is measured: {why_not() or "nothing missing"}'),
]


def test_every_text_of_every_frame():
    """None leaves its card, none meets another, none is small or pale; every line that means something is seen."""
    pictures = gallery.pictures()
    assert len(pictures) > 500
    wrong = {}
    with page() as blank:
        measured = measure_all(blank, pictures, each=3)  # neighbours have nearly all their colours in common
        for (name, look, frame), found in zip(pictures.values(), measured, strict=True):
            for fault in faults(found):
                wrong.setdefault(fault, []).append(f'{name}, {look}, step {frame.step + 1}')
    told = [f'{places[0]} ({len(places)} frames): {fault}' for fault, places in wrong.items()]
    assert not told, '\n'.join(told)
