"""What stands in the place of a rule in an entry that only tells what happened; backward never reads one."""


class Marker:
    """A name."""

    def __init__(self, name: str) -> None:
        self.name = name


MARKERS = 'enter', 'leave', 'begin', 'back', 'pull', 'give', 'end', 'fail', 'write', 'open', 'report', 'step', 'stepped'
ENTER, LEAVE, BEGIN, BACK, PULL, GIVE, END, FAIL, WRITE, OPEN, REPORT, STEP, STEPPED = map(Marker, MARKERS)
