"""What comes out: an error, a takeover and its gradients, or the gradients that were asked for."""

from ...ink import metrics
from . import arrivals, cards, takeover
from .moment import Moment
from .strip import fork
from .taken import Taken


def draw(m: Moment) -> None:
    """The takeover in focus and its gradients; without one, the gradients that were asked for."""
    failed = m.now.kind == 'fail' and not m.compare
    if failed:
        error(m)
        if m.taken is None:
            return
    if m.taken is None:
        first = m.story.first_reading
        if first is not None and m.strips[0].all is not None and m.column(m.record.readings[first].entry) is not None:
            cards.draw(Taken(m, m.entry_of(first), first))  # their places, with a question mark
        elif len(m.strips) < 2:
            arrivals.draw(m)
        return
    entry = m.entry_of(m.taken)
    column = m.column(m.record.readings[m.taken].entry)
    if column is None or not column.outputs or not m.own_rows or entry.level:
        if not failed and len(m.strips) < 2:
            arrivals.draw(m)
        return
    running = not m.compare and m.now.reading == m.taken
    past = '' if running and m.now.kind == 'reach' else ' past'  # what is compared is louder, then
    strip = m.strips[0]
    bend = fork(strip.row(m.focus[0]), column, strip.lane).x
    (takeover.down if m.plan.narrow else takeover.aside)(m, column.outputs[0].x, bend, past, entry)
    if not failed:
        cards.draw(Taken(m, entry, m.taken))


def error(m: Moment) -> None:
    """What ended the run, on a torn card."""
    kind, _, message = m.now.what.partition(': ')
    x, y, w, h = m.plan.results
    m.frame.rect('torn', x + 1, y, w - 2, max(h, 56), 'sheet torn', 0, rx=10)
    m.frame.text('v0', x + 16, y + 26, f'✗ {kind}', 'big xx', room=w - 32)
    for k, row in enumerate(
        metrics.wrap(metrics.clean(message.partition('\n')[0]), w - 32, 13, max(int((h - 34) // 18), 1))
    ):
        m.frame.text(f'v{k + 1}', x + 16, y + 48 + 18 * k, row, 'dim')
