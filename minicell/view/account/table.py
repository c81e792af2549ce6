"""An account as a small aligned table, in text and in html, and its numbers in words."""

from html import escape
from typing import Any, NamedTuple

import numpy as np

HEADS = ('who', 'through', 'line', 'slope', '× dout', '= part', 'total')
LONGEST = 40  # characters of a formula
STYLE = 'padding:1px 8px;text-align:{};white-space:pre'


def decimals(values: list) -> int | None:
    """So many decimals serve for a column: those that are exact, else at least three digits; None: powers of ten."""
    finite = [float(abs(v)) for v in values if np.isreal(v) and np.isfinite(v) and v]
    if not finite:
        return 0
    most = max(finite)
    if all(v == int(v) for v in finite) and most < 1e6:
        return 0
    if not 1e-3 <= most < 1e6:
        return None
    for digits in (1, 2, 3):
        if most < 1e3 and all(abs(round(v, digits) - v) <= 1e-6 * v for v in finite):
            return max(digits, 2)
    return max(2, 2 - int(np.floor(np.log10(most))))


def say(value: Any, digits: int | None) -> str:
    """A number with so many decimals; one that these would not tell gets three digits of its own.

    >>> say(-1.4, 2), say(3, 0), say(0.0004, 2), say(float('inf'), 2), say(1.5e-9, None)
    ('−1.40', '3', '0.000400', '∞', '1.50e−9')
    """
    if value is None:
        return ''
    if isinstance(value, complex | np.complexfloating):
        return f'{value:.3g}'.replace('-', '−')
    if value != value:
        return 'NaN'
    if value in (np.inf, -np.inf):
        return '∞' if value > 0 else '−∞'
    if not value:
        return '0'
    if digits is not None and abs(round(value, digits) - value) <= 0.005 * abs(value):
        return f'{value:.{digits}f}'.replace('-', '−')
    size = abs(value)
    if 1e-4 <= size < 1e6:
        return f'{value:.{max(0, 2 - int(np.floor(np.log10(size))))}f}'.replace('-', '−')
    mantissa, power = f'{value:.2e}'.split('e')
    return f'{mantissa}e{int(power)}'.replace('-', '−')


def single(value: Any) -> str:
    """One number by itself: three digits, or whole."""
    return say(value, decimals([value]))


def total(rows: tuple, number: Any) -> str:
    """The number that the rows add up to, as the last column shows it."""
    return say(number, decimals([number, *(v for r in rows for v in (r.product, r.total))]))


def at(name: str, index: tuple) -> str:
    """`dx[0,2]`."""
    return f'{name}[{",".join(map(str, index))}]' if index else name


def lines(rows: tuple) -> list[list[str]]:
    """The cells of a table: who and where stand once for rows that follow each other."""
    sums = decimals([v for r in rows for v in (r.product, r.total)])
    factors, given = (decimals([v for r in rows if (v := getattr(r, k)) is not None]) for k in ('factor', 'cotangent'))
    out, before = [], None
    for r in rows:
        same = before is not None and (r.who, r.line, r.entry) == (before.who, before.line, before.entry)
        through = ', '.join(filter(None, (r.through, r.by and f'by {r.by}')))
        formula = r.formula if len(r.formula) <= LONGEST else f'{r.formula[: LONGEST - 1]}…'
        who = f'{r.who}: {formula}' if formula else r.who
        cells = ['' if same else who, through, '' if same else r.line, say(r.factor, factors), say(r.cotangent, given)]
        out.append([*cells, say(r.product, sums), say(r.total, sums)])
        before = r
    return out


class Grid(NamedTuple):
    """An account as cells. A part is (what stands above it, its rows)."""

    heads: list[str]
    parts: list[tuple[str, list[list[str]]]]
    right: list[bool]  # which columns are numbers


def grid(account: Any) -> Grid:
    """The cells of an account and of its true gradient, without columns that are empty."""
    found = [('', account.rows), (account.true_heading, account.true_rows)]
    parts = [(heading, lines(rows)) for heading, rows in found if rows]
    kept = [k for k in range(len(HEADS)) if any(row[k] for _, rows in parts for row in rows)]
    chosen = [(heading, [[row[k] for k in kept] for row in rows]) for heading, rows in parts]
    return Grid([HEADS[k] for k in kept], chosen, [k > 2 for k in kept])


def data(account: Any) -> dict[str, Any]:
    """The account for the page: {t: title, h: heads, rows: [[class, cells…]], p: what is said under it}.

    A row of one cell goes over the whole width."""
    made = grid(account)
    rows = []
    for heading, cells in made.parts:
        rows += [['hdr', heading]] if heading else []
        of = account.true_rows if heading else account.rows
        rows += [['yours' if r.yours and not heading else '', *row] for r, row in zip(of, cells, strict=True)]
    if account.verdict:
        rows.append(['off' if account.verdict.startswith('yours is too') else 'hdr', account.verdict])
    heads = [f'>{head}' if right else head for head, right in zip(made.heads, made.right, strict=True)]
    return dict(t=account.title, h=heads, rows=rows, p=account.note)


def text(account: Any) -> str:
    """The account as text."""
    made = grid(account)
    columns = zip(made.heads, *(row for _, rows in made.parts for row in rows), strict=True)
    widths = [max(map(len, column)) for column in columns]

    def line(row: list[str]) -> str:
        cells = (c.rjust(w) if right else c.ljust(w) for c, w, right in zip(row, widths, made.right, strict=True))
        return f'  {"  ".join(cells).rstrip()}'

    above, *below = made.parts or [('', [])]
    out = [account.title, *map(line, [made.heads, *above[1]] if made.parts else ()), *filter(None, [account.note])]
    for heading, rows in below:
        out += ['', heading, *map(line, rows)]
    return '\n'.join([*out, '', account.verdict] if account.verdict else out)


def html(account: Any) -> str:
    """The account as an html table; colours are the page's own."""
    made = grid(account)

    def row(cells: list[str], tag: str) -> str:
        styles = (STYLE.format('right' if right else 'left') for right in made.right)
        parts = (f'<{tag} style="{style}">{escape(c)}</{tag}>' for c, style in zip(cells, styles, strict=True))
        return f'<tr>{"".join(parts)}</tr>'

    body = [row(made.heads, 'th')] if made.parts else []
    for heading, rows in made.parts:
        if heading:
            over = f'colspan="{len(made.heads)}" style="{STYLE.format("left")}"'
            body.append(f'<tr><th {over}>{escape(heading)}</th></tr>')
        body += [row(cells, 'td') for cells in rows]
    said = ''.join(f'<p>{escape(words)}</p>' for words in (account.note, account.verdict) if words)
    return f'<div><p><b>{escape(account.title)}</b></p><table>{"".join(body)}</table>{said}</div>'
