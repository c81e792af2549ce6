"""An account as a small aligned table, in text and in html, and its numbers in words."""

from html import escape
from typing import Any

import numpy as np

HEADS = ('who', 'through', 'line', 'slope', '× dout', '= part', 'total')
LONGEST = 40  # characters of a formula
STYLE = 'padding:1px 8px;text-align:{};white-space:pre'


def decimals(values: list) -> int | None:
    """So many decimals serve for a column: those that are exact, else at least three digits; None: powers of ten."""
    finite = [abs(float(v)) for v in values if np.isreal(v) and np.isfinite(v) and v]
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


def tables(account: Any) -> list[tuple[str, list[list[str]], str]]:
    """(heading, rows, what stands under them) of the account and of the true gradient."""
    out = [('', lines(account.rows), '')] if account.rows else []
    if account.true_rows:
        out.append((account.true_heading, lines(account.true_rows), ''))
    return out


def data(account: Any) -> dict[str, Any]:
    """The account for the page: {t: title, h: heads, rows: [[class, cells…]], p: what is said under it}.

    A row of one cell goes over the whole width."""
    made = tables(account)
    grid = [row for _, rows, _ in made for row in rows]
    kept = [k for k in range(len(HEADS)) if any(row[k] for row in grid)]
    rows = [
        ['yours' if r.yours else '', *(cells[k] for k in kept)]
        for r, cells in zip(account.rows, made[0][1], strict=True)
    ]
    if account.true_rows:
        rows.append(['hdr', account.true_heading])
        rows += [['', *(cells[k] for k in kept)] for cells in made[-1][1]]
    if account.verdict:
        rows.append(['off' if account.verdict.startswith('yours is too') else 'hdr', account.verdict])
    heads = [f'>{HEADS[k]}' if k > 2 else HEADS[k] for k in kept]
    return dict(t=account.title, h=heads, rows=rows, p=account.note)


def text(account: Any) -> str:
    """The account as text."""
    made = tables(account)
    grid = [list(HEADS), *(row for _, rows, _ in made for row in rows)]
    kept = [k for k in range(len(HEADS)) if any(row[k] for row in grid[1:])]
    widths = [max(len(row[k]) for row in grid) for k in kept]

    def line(row: list[str]) -> str:
        return (
            '  '
            + '  '.join(
                row[k].rjust(w) if k > 2 else row[k].ljust(w) for k, w in zip(kept, widths, strict=True)
            ).rstrip()
        )

    out = [account.title]
    for number, (heading, rows, _) in enumerate(made):
        out += ['', heading] if heading else []
        out += [line(list(HEADS))] if not number else []
        out += map(line, rows)
        if not number and account.note:
            out += [account.note]
    if not made and account.note:
        out.append(account.note)
    if account.verdict:
        out += ['', account.verdict]
    return '\n'.join(out)


def html(account: Any) -> str:
    """The account as an html table; colours are the page's own."""

    def row(cells: list[str], tag: str) -> str:
        return f'<tr>{"".join(cell(tag, c, k) for k, c in enumerate(cells))}</tr>'

    def cell(tag: str, said: str, k: int) -> str:
        return f'<{tag} style="{STYLE.format("right" if k > 2 else "left")}">{escape(said)}</{tag}>'

    made = tables(account)
    body = [row(list(HEADS), 'th')] if made else []
    for heading, rows, _ in made:
        if heading:
            body.append(f'<tr><th colspan="{len(HEADS)}" style="{STYLE.format("left")}">{escape(heading)}</th></tr>')
        body += [row(cells, 'td') for cells in rows]
    said = ''.join(f'<p>{escape(words)}</p>' for words in (account.note, account.verdict) if words)
    return f'<div><p><b>{escape(account.title)}</b></p><table>{"".join(body)}</table>{said}</div>'
