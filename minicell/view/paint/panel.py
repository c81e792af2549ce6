"""The panels: the code on the left, the voice under it, and the ground of the second tape."""

from . import phrases, program, verdict, words
from .moment import Moment


def draw_code(m: Moment) -> None:
    """Your call, your Cell, and the lines of bprop at the height of the takeover's arrow."""
    plan, frame, entry = m.plan, m.frame, m.own()
    x, y, w, h = plan.code
    mark = None if m.compare else m.now.mark
    own = program.own_window(m.listing.of(entry), plan.own_rows, mark)
    frame.rect('code', x, y, w, h, 'panel', 0, rx=10)
    if plan.narrow and own:
        high = plan.own_rows * program.ROW + 14
        frame.rect('code2', plan.own[0], plan.own[1] - 24, plan.own[2], high, 'panel', 0, rx=10)
    calls, cells = m.listing.beside(entry)
    room = plan.top - (0 if plan.narrow else 1) + (0 if own or plan.narrow else plan.own_rows + 1)
    give = min(len(cells), max(room - len(calls), min(room // 2, 4))) if cells else 0
    here = mark and any((c.file, c.number) == (mark.file, mark.line) for c in cells)
    above = program.window(calls, room - give, None if here else mark)
    below = program.window(cells, room - len(above), mark)
    top = y + (36 if plan.narrow else 42)
    found = program.rows(above, top, 'a')
    if not plan.narrow:
        frame.text('cell1', x + 12, top - 21, 'your call' if below else 'your code', 'dim s12')
    if below:
        start = (found[-1].y + program.ROW if found else top) + (6 if plan.narrow else 26)
        if not plan.narrow:
            frame.text('cell2', x + 12, start - 20, 'your Cell', 'dim s12')
        found += program.rows(below, start, 'b')
    hid = entry is not None and entry.hidden_at is not None and m.step >= entry.hidden_at
    program.draw(frame, found, x, w, mark, hid, 'not taped' if hid else '')
    if own:
        m.own_rows = program.rows(own, plan.own[1], 'o')
        if m.taken is not None:
            running = not m.compare and m.entry_of(m.taken) is entry and m.now.reading == m.taken
            high = len(own) * program.ROW + 8
            look = 'mine' if running else 'mine0'
            frame.rect('mine', plan.own[0] + 3, plan.own[1] - 20, plan.own[2] - 6, high, look, 0, rx=8)
        program.draw(frame, m.own_rows, plan.own[0], plan.own[2], mark, False)
        ready_to_lift(m)


def ready_to_lift(m: Moment) -> None:
    """The lines of bprop that will be entries of the second tape: unseen over their code, so that they rise from it."""
    if len(m.strips) < 2 or m.strips[1].all is None:
        return
    for i in m.strips[1].entries:
        entry = m.record.entries[i]
        row = next((r for r in m.own_rows if entry.mark and r.number == entry.mark.line), None)
        if row is not None and not m.state(i)[0] and entry.source:
            m.frame.text(f'e{i}o', m.plan.own[0] + program.GUTTER + 60, row.y, entry.source, 'm mid s12 zero', 5)


def draw_second(m: Moment) -> None:
    """The ground of the second tape; before it is there, the question that it answers."""
    plan, frame, lane = m.plan, m.frame, m.plan.lanes[1]
    y, h = plan.second
    frame.rect('second', 0, y, plan.w, h, 'panel', 0, rx=10)
    if not m.story.has_second(m.step):
        frame.rect('bfilm', lane.x, lane.tape, lane.w, 20, 'film0', 0, rx=3)
        frame.text('bfilmt', lane.x + 6, lane.tape + 14, 'a second tape: empty so far', 'fut s12')
        frame.text('q1', plan.w / 2, y + 42, 'Can a gradient have a gradient?', 'big fut mid')
        more = '' if plan.narrow else ' That second tape will grow here.'
        frame.text('q2', plan.w / 2, y + 66, f'It can, if backward is taped as it runs.{more}', 'fut mid')
        return
    deepest = max(e.level for e in m.record.entries if e.written is not None and e.written <= m.step)
    which = {1: 'second', 2: 'third'}.get(deepest, f'{deepest + 1}th')
    frame.text('T2', 14, y + 24, f'{which} tape', 'b')
    if plan.narrow:
        return
    yours = any(e.by is not None and m.entry_of(e.by).kind == 'call' for e in m.record.entries if e.level)
    said = ('the lines of your bprop,', 'taped as they ran') if yours else ('what the rules ran,', 'taped too')
    for i, line in enumerate(said):
        frame.text(f'T2{i}', 14, y + 43 + 16 * i, line, 's12 dim')
    frame.text('FW2', 14, lane.forward + lane.forward_h / 2 + 18, 'forward →', 'ff')
    frame.text('BW2', 14, lane.road + 5, '← backward', 'bf' if m.run(1) is not None else 'fut')


def draw_voice(m: Moment) -> None:
    """A question before, the state during, the verdict at the end."""
    x, y, w = m.plan.voice
    if w < 200:  # beside a second tape there is room for the result alone
        run = m.run(1)
        if run is not None and run.ended is not None and run.ended <= m.step:
            for k, a in enumerate([a for a in run.arrivals if a.total is not None][:2]):
                said = f'{m.story.targets.get(a.name, a.name)} = {phrases.amount(a.total)}'
                m.frame.text(f'v{k}', x, y + 20 * k, said, 'mid2', room=w)
        return
    if m.compare:
        said = verdict.Verdict(m.record, m.shot.compare).lines()
    else:
        said = words.voice(m)
    for k, (line, look) in enumerate(said):
        m.frame.text(f'v{k}', x, y + 24 * k - (2 if k > 1 else 0), line, look, room=w)
