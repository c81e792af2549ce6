"""What was measured, as tables: for a terminal, or in Markdown to paste."""

from tests.bench.compare import Growth, Look, Row
from tests.bench.ways import LIMIT, Way

ABSENT = '–'  # not installed
REFUSED = 'wrong'  # its results are not those of the limit

Cells = list[list[str]]


def duration(seconds: float) -> str:
    """
    >>> duration(0.0000123), duration(0.0123)
    ('12 µs', '12.3 ms')
    """
    return f'{seconds * 1e6:,.0f} µs' if seconds < 0.01 else f'{seconds * 1e3:,.1f} ms'


def times(ratio: float) -> str:
    """
    >>> times(1.234), times(12.34)
    ('1.23', '12.3')
    """
    return f'{ratio:.2f}' if ratio < 9.995 else f'{ratio:.1f}'


def megabytes(size: int) -> str:
    return f'{max(size, 0) / 1e6:.1f}'


def of_cases(rows: list[Row], peers: dict[str, Way], bold: bool = False) -> Cells:
    """A line a case, a column a peer; the quickest peer may be bold."""
    cells = [['', 'case', LIMIT.label, *[peer.label for peer in peers.values()]]]
    for row in rows:
        there = [value for value in row.ratios.values() if value is not None]
        line = [row.case.key, row.title, duration(row.seconds)]
        for name, peer in peers.items():
            value = row.ratios[name]
            if value is None:
                line.append(REFUSED if peer.installed else ABSENT)
            else:
                line.append(f'**{times(value)}**' if bold and value == min(there) and len(there) > 1 else times(value))
        cells.append(line)
    return cells


def of_looks(rows: list[Look]) -> Cells:
    cells = [['', 'case', 'no Tape', 'open', 'closed, kept', 'MB kept', 'MB left']]
    for row in rows:
        ratios = times(row.opened), times(row.closed)
        sizes = megabytes(row.kept), megabytes(row.left)
        cells.append([row.case.key, row.title, duration(row.seconds), *ratios, *sizes])
    return cells


def of_growth(rows: list[Growth]) -> Cells:
    short, long = rows[0].seconds
    cells = [['', 'chain', f'µs an op at {short:,}', f'at {long:,}', f'bytes an op at {long:,}']]
    for row in rows:
        seconds = [f'{each * 1e6:.2f}' for each in row.seconds.values()]
        cells.append(['f', row.label, *seconds, f'{row.size:,.0f}' if row.size else ABSENT])
    return cells


def markdown(cells: Cells) -> str:
    head, *lines = cells
    rule = ['---', '---', *['--:'] * (len(head) - 2)]
    return '\n'.join('| ' + ' | '.join(line) + ' |' for line in (head, rule, *lines))


def plain(cells: Cells) -> str:
    """Names to the left, numbers to the right."""
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return '\n'.join(
        '  '.join(
            text.ljust(width) if place < 2 else text.rjust(width)
            for place, (text, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in cells
    )
