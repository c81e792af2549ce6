"""An account as a small aligned table, in text and in html, and its numbers in words."""

from html import escape
from typing import Any

import numpy as np

from ..ink import numbers
from ..story.names import part

HEADS = ('who', 'through', 'line', 'slope', '× dout', '= part', 'total')
FORMULA = 40  # characters


def say(value: Any) -> str:
    """A number as it is written everywhere; nothing for None, and a complex one with three digits."""
    if value is None:
        return ''
    if isinstance(value, complex | np.complexfloating):
        return f'{value:.3g}'.replace('-', '−')
    return numbers.said(value)


def at(name: str, index: tuple) -> str:
    """`dx[0,2]`, `(a + b)[2]`."""
    return f'{part(name)}[{",".join(map(str, index))}]' if index else name


def cells(rows: tuple) -> list[list[str]]:
    """The cells of rows: who and where stand once for rows that follow each other."""
    out, before = [], None
    for r in rows:
        formula = r.formula if len(r.formula) <= FORMULA else f'{r.formula[: FORMULA - 1]}…'
        who, here = f'{r.who}: {formula}' if formula else r.who, (r.who, r.line, r.entry)
        through = ', '.join(filter(None, (r.through, r.by and f'by {r.by}')))
        first = ['', through, ''] if here == before else [who, through, r.line]
        out.append([*first, *map(say, (r.factor, r.cotangent, r.product, r.total))])
        before = here
    return out


def grid(account: Any) -> tuple[list[str], list[list[str]]]:
    """(heads, rows) without columns that are empty. A row begins with its class, and one of words alone, 'hdr', 'off'
    or 'note', goes over the whole width. A head of numbers begins with '>'."""
    made, true = cells(account.rows), cells(account.true_rows)
    kept = [k for k in range(len(HEADS)) if any(row[k] for row in made + true)]
    chosen = lambda row: [row[k] for k in kept]
    rows = [['yours' * r.yours, *chosen(row)] for r, row in zip(account.rows, made, strict=True)]
    rows += [['note', account.note]] if account.note else []
    rows += [['hdr', account.true_heading], *(['', *chosen(row)] for row in true)] if true else []
    late = 'off' if account.verdict.startswith('yours is too') else 'hdr'
    rows += [[late, account.verdict]] if account.verdict else []
    return chosen([f'{">" * (k > 2)}{head}' for k, head in enumerate(HEADS)]), rows


def data(account: Any) -> dict[str, Any]:
    """The account for the page: {t: title, h: heads, rows: [[class, cells…]], p: what is said under it}."""
    heads, rows = grid(account)
    return dict(t=account.title, h=heads, rows=[row for row in rows if row[0] != 'note'], p=account.note)


def text(account: Any) -> str:
    """The account as text."""
    heads, rows = grid(account)
    table = [[head.strip('>') for head in heads], *(row[1:] for row in rows if len(row) > 2)] if heads else []
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]

    def line(row: list[str]) -> str:
        parts = zip(row, widths, heads, strict=True)
        return f'  {"  ".join(c.rjust(w) if h[0] == ">" else c.ljust(w) for c, w, h in parts)}'.rstrip()

    out = [account.title, *map(line, table[:1])]
    for kind, *row in rows:
        out.append(line(row) if row[1:] else '\n' * (kind != 'note') + row[0])
    return '\n'.join(out)


def html(account: Any) -> str:
    """The account as an html table; colours are the page's own."""
    heads, rows = grid(account)
    sides = [f'{"right" if head[0] == ">" else "left"};white-space:pre' for head in heads]

    def row(tag: str, *found: str) -> str:
        styles, span = (sides, '') if found[1:] else (['left'], f' colspan="{len(heads) or 1}"')
        parts = zip(found, map('padding:1px 8px;text-align:{}'.format, styles), strict=True)
        cells = [f'<{tag}{span} style="{style}">{escape(c)}</{tag}>' for c, style in parts]
        return f'<tr>{"".join(cells)}</tr>'

    body = [row('th', *(head.strip('>') for head in heads))] if heads else []
    body += [row('th' if kind == 'hdr' else 'td', *found) for kind, *found in rows]
    return f'<div><p><b>{escape(account.title)}</b></p><table>{"".join(body)}</table></div>'
