"""How wide a text is, without a browser: the advance widths of DejaVu Sans, measured from the font's own tables.

The other fonts of SANS are narrower: what fits here fits there.
"""

import unicodedata
from functools import lru_cache

SANS = "Inter, system-ui, 'Segoe UI', 'Noto Sans', 'DejaVu Sans', sans-serif"
MONO = "'DejaVu Sans Mono', Menlo, Consolas, monospace"
MONO_ADVANCE = 0.6025  # em, the same for every character
SAFETY = 1.01  # hinting rounds advances at small sizes
UNKNOWN = 1.05  # em, for a character that is not in the tables: most scripts are narrower
BIDI = set('\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069')  # would turn the text around them
MARKS = 1  # accents on one letter: a higher pile leaves its line
WIDE = 1.45  # em, for emoji and East Asian characters

# Advance in thousandths of an em: the characters that have it.
REGULAR = {
    228: '′', 275: "'", 278: 'ijlìíîï', 295: 'IJÌÍÎÏ', 318: ' ,.·‘’', 337: '/:;\\|¦', 353: 'f', 361: '-', 374: '″',
    385: 'ᵀ', 391: '()[]', 393: 't', 401: '!¡²³¹', 412: 'r', 460: '"', 472: 'ªº', 500: '*_`§¨¯°´¸–', 502: '▸◂',
    518: '∂', 519: '“”', 521: 's‴', 525: 'z', 531: '?¿', 541: 'ε', 550: 'cç', 558: 'L', 576: 'F', 580: 'k', 590: '•',
    592: 'vxyýÿγλ', 603: 'π', 604: 'P', 605: 'Þ', 611: 'TYÝ', 612: 'o«»ðòóôõöøθ', 613: 'aàáâãäå', 616: 'eèéêë',
    630: 'ß', 632: 'EÈÉÊËΣ', 634: 'hnuñùúûüσ', 635: 'Sbdgpqþ', 637: '$0123456789{}¢£¤¥µ¶μ', 639: 'β', 656: 'K',
    660: 'α', 669: '∇', 685: 'AVÀÁÂÃÄÅΔ', 686: 'XZ', 687: 'B', 695: 'R', 699: 'CÇ', 732: 'UÙÚÛÜ', 749: 'NÑ', 752: 'H',
    771: 'D', 775: 'GÐ', 780: '&', 788: 'OQÒÓÔÕÖØ', 818: 'w', 834: '∞', 838: '#+<=>^~¬±×÷←↑→↓−≈≠≤≥', 863: 'M',
    951: '%', 970: '¼½¾', 975: 'mÆ', 982: 'æ', 989: 'W', 1000: '@©®—…',
}  # fmt: skip
BOLD = {
    264: '′', 307: "'", 343: 'ijlìíîï', 349: ' \xa0', 366: '/\\|¦', 373: 'IJÌÍÎÏ', 380: ',.·‘’', 400: ':;', 416: '-',
    430: 'ᵀ', 436: 'f', 438: '²³¹', 447: '″', 457: '!¡', 458: '()[]', 479: 't', 494: 'r', 500: '_`§¨¯°´¸–', 502: '▸◂',
    521: '"', 523: '*', 544: '∂', 557: 'ε', 564: 'ªº', 581: '?¿', 583: 'z', 593: 'cç', 596: 's', 630: '‴', 633: 'λ',
    637: '¤¶', 638: 'L', 640: '•', 646: 'x«»', 652: 'vyýÿ', 658: '“”', 666: 'k', 675: 'aàáâãäå', 679: 'eèéêë',
    682: 'γ', 683: 'T', 684: 'EFÈÉÊËΣ', 688: 'oðòóôõöøαθ', 696: '$0123456789¢£¥', 697: '∇', 712: 'hnu{}ñùúûü',
    716: 'bdgpqþβ', 720: 'ß', 721: 'S', 725: 'YÝ', 726: 'Z', 733: 'P', 734: 'CÇ', 736: 'µμ', 738: 'Þ', 763: 'B',
    771: 'RX', 774: 'AVÀÁÂÃÄÅΔ', 775: 'K', 779: 'σ', 792: 'π', 813: 'UÙÚÛÜ', 821: 'G', 831: 'D', 834: '∞', 837: 'HNÑ',
    838: '#+<=>^~¬±Ð×÷←↑→↓−≈≠≤≥', 851: 'OQÒÓÔÕÖØ', 873: '&', 924: 'w', 996: 'M', 1000: '@©®—…', 1002: '%',
    1036: '¼½¾', 1042: 'm', 1048: 'æ', 1085: 'Æ', 1104: 'W',
}  # fmt: skip
_regular = {c: w / 1000 for w, chars in REGULAR.items() for c in chars}
_bold = {c: w / 1000 for w, chars in BOLD.items() for c in chars}


def advance(char: str, bold: bool = False, mono: bool = False) -> float:
    """The width of one character, in em."""
    known = (_bold if bold else _regular).get(char)
    if known is not None:
        return MONO_ADVANCE if mono else known
    if unicodedata.combining(char) or unicodedata.category(char) in ('Mn', 'Me', 'Cf'):
        return MONO_ADVANCE if mono else 0.0  # DejaVu Sans Mono draws some of them beside their letter
    return WIDE if ord(char) > 0xFFFF or unicodedata.east_asian_width(char) in 'WF' else UNKNOWN


@lru_cache(maxsize=16384)
def width(text: str, size: float, bold: bool = False, mono: bool = False) -> float:
    """The width of `text` in pixels at font size `size`, rounded up rather than down."""
    return sum(advance(c, bold, mono) for c in text) * size * (1 if mono else SAFETY)


@lru_cache(maxsize=4096)
def clean(text: str) -> str:
    """`text` on one line: control characters, line ends, lone surrogates and piled accents become spaces or go."""
    out: list[str] = []
    marks = 0  # on the last letter
    for char in text:
        category = unicodedata.category(char)
        marks = marks + 1 if category in ('Mn', 'Me') else 0
        if char.isspace():
            out.append(' ')
        elif category not in ('Cc', 'Cs', 'Co', 'Cn') and char not in BIDI and marks <= MARKS:
            out.append(char)
    return ''.join(out)


def shape_text(shape: tuple[int, ...]) -> str:
    """A shape as it stands beside a name: `2×3`, `(3,)`, or nothing for a scalar."""
    return f'({shape[0]},)' if len(shape) == 1 else '×'.join(map(str, shape))
