"""The code that measures pictures, tried on bad ones: each fault is found, and a good picture has none."""

import pytest
from measure import faults, measure, page, why_not

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(bool(why_not()), reason=f'nothing is measured: {why_not() or "nothing missing"}'),
]

CARD = '<rect x="10" y="10" width="200" height="60" fill="#FFF" stroke="#0072B2"/>'
TORN = '<path d="M10 10L210 10L210 70L150 62L10 70Z" fill="#FFF"/>'
FINE = '<text x="20" y="40" data-box="20 28 150 16">entry 1</text>'
BAD = {
    'leaves its box': CARD + '<text x="20" y="40" data-box="20 28 20 16">much too long 1</text>',
    'leaves its card': CARD + '<text x="150" y="40">much too long 1 for what is left of it</text>',
    'leaves its card above or below': CARD + '<text x="20" y="72">gjpq 1</text>',
    'half in a box': CARD + '<text x="190" y="40">half and half 1</text>',
    'half in a torn card': TORN + '<text x="190" y="40">over 1</text>',
    'overlap': CARD + FINE + '<text x="30" y="44">entry 2</text>',
    'painted over': CARD + FINE + '<rect x="15" y="25" width="30" height="20" fill="#EEE"/>',
    'is 10 px': CARD + '<text x="20" y="40" font-size="10">entry 1</text>',
    'in #999999 on #FFFFFF has a contrast of 2.85': CARD + '<text x="20" y="40" fill="#999">entry 1</text>',
    'in #1A1A1A on #0072B2': CARD + '<path d="M15 25L90 25L90 50L15 50Z" fill="#0072B2"/>' + FINE,
    'in #1A1A1A on #595959': CARD + '<path d="M22 28L60 40" stroke="#595959" stroke-width="4"/>' + FINE,
    'a contrast of 3.89': CARD + '<text x="20" y="40" fill="#1A1A1A" opacity="0.55">entry 1</text>',
    'a rect in #D0D0D0 at': CARD.replace('#0072B2', '#D0D0D0') + FINE,
    'a path in #E0A070 at': CARD + FINE + '<path d="M20 50L90 50" stroke="#E0A070" fill="none"/>',
    'a path in #BBBBBB at': CARD + FINE + '<path d="M90 50L80 45L80 55Z" fill="#BBB"/>',
    'at (20, 50) has a contrast of': CARD + FINE + '<path d="M20 50L90 50" stroke="#0072B2" opacity="0.3"/>',
    'hangs out': CARD + FINE + '<rect x="30" y="50" width="80" height="30" fill="#FFF" stroke="#0072B2"/>',
    'no number': CARD + '<text x="20" y="40">entry one</text>',
}  # fmt: skip


@pytest.fixture(scope='module')
def blank():
    with page() as found:
        yield found


def picture(body, words='<title>t</title><desc>d</desc>'):
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" width="300" height="90" viewBox="0 0 300 90" font-size="12" '
        f'fill="#1A1A1A" font-family="DejaVu Sans">{words}<rect width="300" height="90" fill="#FFF"/>{body}</svg>'
    )


@pytest.mark.parametrize('fault', BAD)
def test_a_fault_is_found(blank, fault):
    found = faults(measure(blank, picture(BAD[fault])))
    expected = 'half in a box' if fault.startswith('half') else fault
    assert any(expected in one for one in found), found


def test_a_good_picture_has_no_fault(blank):
    body = CARD + FINE + '<path d="M20 50L90 50" stroke="#D55E00" fill="none"/><text x="20" y="64">below 2</text>'
    assert faults(measure(blank, picture(body))) == []


def test_what_a_later_box_has_covered_is_not_seen(blank):
    """A tab over a card's edge is a card of its own."""
    tab = '<rect x="140" y="2" width="66" height="20" fill="#FFF" stroke="#0072B2"/><text x="146" y="16">its tab</text>'
    assert faults(measure(blank, picture(CARD + FINE + tab))) == []


def test_a_picture_without_words_for_the_blind(blank):
    found = faults(measure(blank, picture(CARD + FINE, '')))
    assert found == ['the picture has no title', 'the picture has no desc']


def test_decoration_needs_no_contrast(blank):
    assert faults(measure(blank, picture(CARD.replace('#0072B2', '#D0D5DB') + FINE))) == []


def test_a_script_is_found(blank):
    assert 'the picture brought a script' in faults(measure(blank, picture(CARD + FINE + '<script>1</script>')))
