"""The code as cards: your call beside forward, and your Cell, whose bprop stands where the takeover arrives."""

import re
from pathlib import Path

from ...story.record import Line
from . import program
from .moment import Moment
from .plan import PAD, ROW

UP = 15  # from a baseline to the top of its row


def draw_code(m: Moment) -> None:
    """Your call, your Cell, and the lines of bprop at the height of the takeover's arrow."""
    plan, frame, entry, deep = m.plan, m.frame, m.own(), m.listing.depths
    mark = None if m.over else m.now.mark
    calls, cells = m.listing.beside(entry)
    apart = not plan.narrow and plan.own_rows > 0  # the Cell has a card of its own
    x, y, w, h = plan.call
    room = int((h - 2 * PAD) // ROW)
    hid = entry is not None and entry.hidden_at is not None and m.step >= entry.hidden_at
    if apart:
        shown = program.window(calls, room, mark)
        found = program.rows(shown, y + PAD + UP, 'a', deep, w, room - len(shown))
    else:
        here = mark and any((c.file, c.number) == (mark.file, mark.line) for c in cells)
        give = min(len(cells), max(room - len(calls), min(room // 2, 4)))
        above = program.window(calls, room - give, None if here else mark)
        below = program.window(cells, room - len(above), mark)
        spare = room - len(above) - len(below)
        found = program.rows(above, y + PAD + UP, 'a', deep, w, spare)
        spare -= len(found) - len(above)
        found += program.rows(below, y + PAD + UP + ROW * len(found), 'b', deep, w, spare)
    if found:
        surface(m, 'code', x, y, w, found[-1].y - UP + ROW + PAD, 'your program')
        program.draw(frame, found, x, w, mark, hid)
        if len(m.strips) > 1:
            tell_apart(m, found)
    own = program.own_window(m.listing.of(entry), plan.own_rows, mark)
    if own:
        above = program.window(cells, plan.cell_rows, mark) if apart else []
        first = plan.own.y - ROW * len(above) - 6 * bool(above)
        if above and first - plan.cell - PAD - UP < ROW:  # its name is in line with that of backward
            first = plan.cell + PAD + UP
        m.own_rows = program.rows(own, plan.own.y, 'o', deep, plan.own.w, plan.own_rows - len(own))
        found = program.rows(above, first, 'c', deep, plan.own.w)
        x, w = plan.own.x, plan.own.w
        end = m.own_rows[-1].y - UP + ROW + PAD - 2
        named = '' if not found else 'your Cell' if entry.yours else f'the Cell {entry.name}'
        named += elsewhere(own[0].file, calls) if named else ''
        surface(m, 'cell', x, first - UP - PAD + 2 * (not above), w, end, named)
        program.draw(frame, found, x, w, mark, hid)
        if m.taken is not None and m.entry_of(m.taken) is entry:
            running = not m.compare and m.now.reading == m.taken
            look = 'mine' if running else 'mine0'
            frame.rect('mine', x + 4, plan.own.y - UP - 4, w - 8, len(m.own_rows) * ROW + 8, look, 0, rx=8)
            reads(m, entry.facts.dout)
        program.draw(frame, m.own_rows, x, w, mark, False)
        ready_to_lift(m)
    elif apart and cells:
        found = program.rows(
            program.window(cells, plan.cell_rows + 2, mark), plan.cell + PAD + UP, 'c', deep, plan.own.w
        )
        surface(m, 'cell', plan.own.x, plan.cell, plan.own.w, found[-1].y - UP + ROW + PAD, '')
        program.draw(frame, found, plan.own.x, plan.own.w, mark, hid)


def tell_apart(m: Moment, found: list[program.Row]) -> None:
    """Of two nested gradients in one line, the inner has the colour of the first tape, the outer of the second."""
    lines = {(run.mark.file, run.mark.line) for run in m.record.passes if run.mark and run.order == 1}
    for row in found:
        said = m.frame[f'lc{row.key}'].attrs['T'] if (row.file, row.number) in lines else ''
        calls = list(re.finditer(r'\w+\.grad\(|\bgrad\(', said))
        if len(calls) != 2:
            continue
        room = row is found[-1] and row.y + 22 < m.plan.lanes[0].film and not m.plan.narrow
        for call, look, name in zip(calls, ('film rib', 'film'), ('outer', 'inner'), strict=True):
            left = m.plan.call.x + program.GUTTER + call.start() * program.LETTER
            wide = (len(call[0]) - 1) * program.LETTER
            m.frame.rect(f'grad{row.key}{call.start()}', left - 2, row.y - 13, wide + 4, ROW - 3, look, 2, rx=3)
            if room:
                m.frame.text(f'grad{row.key}{name}', left + wide / 2, row.y + 18, name, 'mid dim')


def reads(m: Moment, dout: str) -> None:
    """Where the lines of a bprop say dout: what backward brings goes there, and nowhere else."""
    for row in m.own_rows:
        for n, found in enumerate(re.finditer(rf'(?<!\w){re.escape(dout)}(?!\w)', row.text) if dout else ()):
            left, right = (m.plan.own.x + program.GUTTER + at * program.LETTER for at in found.span())
            if right < m.plan.own.x + m.plan.own.w - 10:
                m.frame.rect(f'dout{row.key}{n}', left - 2, row.y - 13, right - left + 4, ROW - 3, 'dout', 2, rx=3)


def surface(m: Moment, key: str, x: float, y: float, w: float, end: float, named: str) -> None:
    """What some lines are called, and a ground for them where they do not stand on a tape's."""
    if m.plan.narrow:
        m.frame.rect(key, x, y, w, end - y, 'panel', 0, rx=10)
    else:
        x += 6
    if named:
        m.frame.text(f'{key}l', x, y - 9, named, 'dim', room=w)


def elsewhere(file: str, calls: list[Line]) -> str:
    """Where a Cell is defined, if not beside the lines that call it: line numbers begin anew there."""
    if not calls or any(line.file == file for line in calls):
        return ''
    return ', in another notebook cell' if 'ipykernel_' in file or file.startswith('<') else f', in {Path(file).name}'


def ready_to_lift(m: Moment) -> None:
    """The lines of bprop that will be entries of the second tape: unseen over their code, so that they rise from it."""
    if len(m.strips) < 2 or m.strips[1].all is None:
        return
    for i in m.strips[1].entries:
        entry = m.record.entries[i]
        row = next((r for r in m.own_rows if entry.mark and r.number == entry.mark.line), None)
        if row is not None and not m.state(i)[0] and entry.source:
            m.frame.text(f'e{i}o', m.plan.own.x + program.GUTTER + 60, row.y, entry.source, 'm mid zero', 5)


def draw_fields(m: Moment, level: int) -> None:
    """The grounds of a tape: forward above it, backward under it."""
    upper, lower = m.plan.fields[2 * level : 2 * level + 2]
    m.frame.rect(f'aback{level}', *lower._replace(y=upper.y, h=upper.h + lower.h), 'aback', -2, rx=12)
    m.frame.rect(f'ahead{level}', *upper, 'ahead', -2, rx=12)
    m.frame.rect(f'ahead{level}.', upper.x, upper.y + 24, upper.w, upper.h - 24, 'ahead', -2)  # no round corners there


def draw_question(m: Moment) -> None:
    """Where the second tape will lie, the question that it answers."""
    upper, lower = m.plan.fields[2:4]
    m.frame.rect('q0', upper.x + 1, upper.y + 1, upper.w - 2, upper.h + lower.h - 2, 'sheet ahead', -2, rx=12)
    centre, middle = upper.x + upper.w / 2, upper.y + (upper.h + lower.h) / 2
    m.frame.text('q1', centre, middle - 6, 'Can a gradient have a gradient?', 'mid big', room=upper.w - 20)
    m.frame.text('q2', centre, middle + 22, 'It can, if backward is taped as it runs.', 'mid dim')
