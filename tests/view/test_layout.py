"""Every text of odd tapes, measured in a real Chromium; those of the gallery are in test_gallery_measured."""

import fake
import numpy as np
import pytest
from measure import faults, measure, page, why_not

from minicell import view

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(bool(why_not()), reason=f'texts are not measured: {why_not() or "nothing missing"}'),
]

LONG = 'A' + 'very' * 60 + 'LongName'
ODD = {
    'long names': fake.chain([np.ones((2, 2)), np.float32(2)], [LONG]),
    'wide numbers': fake.chain([np.array([[-1e30, -99.99], [-12345.6, -1e-7]]), np.full((4, 4), -8888.8)]),
    'many entries': fake.chain([np.float32(i) for i in range(41)]),
    'heat': fake.chain([np.linspace(-3, 3, 400).reshape(20, 20), np.full((9, 9), np.nan), np.ones((0, 3))]),
    'bool': fake.chain([np.array([True, False]), np.arange(4).reshape(2, 2)]),
}


@pytest.fixture(scope='module')
def blank():
    with page() as found:
        yield found


@pytest.mark.parametrize('name', ODD)
def test_no_text_leaves_its_card_and_none_overlap(blank, name):
    frames = view.frames(ODD[name])
    wrong = {}
    for frame in frames:
        found = measure(blank, view.svg(frame))
        assert found['texts'] and not found['scripts']
        for fault in faults(found):
            wrong.setdefault(fault, frame.step + 1)
    assert not wrong, '\n'.join(f'step {step}: {fault}' for fault, step in wrong.items())


def test_the_measure_finds_faults(blank):
    texts = (
        '<rect x="5" y="5" width="90" height="30" fill="#FFF"/>'
        '<text x="10" y="20" data-box="10 8 20 16" font-size="12" fill="#BBB">far too long for it</text>'
        '<text x="12" y="22" data-box="10 8 200 16" font-size="9">over it</text>'
    )
    head = '<svg xmlns="http://www.w3.org/2000/svg" width="300" height="60" font-family="DejaVu Sans">'
    found = ' '.join(faults(measure(blank, f'{head}{texts}</svg>')))
    for fault in ('overlap', 'leaves its box', 'leaves its card', '9 px', 'contrast'):
        assert fault in found
