"""An account as a small aligned table, in text and in html, and its numbers in words."""

from html import escape
from typing import Any, NamedTuple

import numpy as np

from ...ink import numbers
from .. import style

HEADS = ('who', 'through', 'line', 'slope', '× dout', '= part', 'total')
LONGEST = style.FORMULA
STYLE = 'padding:1px 8px;text-align:{};white-space:pre'


def say(value: Any) -> str:
    """A number as it is written everywhere; nothing for None, and a complex one with three digits."""
    if value is None:
        return ''
    if isinstance(value, complex | np.complexfloating):
        return f'{value:.3g}'.replace('-', '−')
    return numbers.said(value)


def at(name: str, index: tuple) -> str:
    """`dx[0,2]`."""
    return f'{name}[{",".join(map(str, index))}]' if index else name


def lines(rows: tuple) -> list[list[str]]:
    """The cells of a table: who and where stand once for rows that follow each other."""
    out, before = [], None
    for r in rows:
        same = before is not None and (r.who, r.line, r.entry) == (before.who, before.line, before.entry)
        through = ', '.join(filter(None, (r.through, r.by and f'by {r.by}')))
        formula = r.formula if len(r.formula) <= LONGEST else f'{r.formula[: LONGEST - 1]}…'
        who = f'{r.who}: {formula}' if formula else r.who
        cells = ['' if same else who, through, '' if same else r.line, say(r.factor), say(r.cotangent)]
        out.append([*cells, say(r.product), say(r.total)])
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
