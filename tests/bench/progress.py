"""A bar on stderr, where somebody is looking."""

import sys
import time
from typing import TextIO

WIDTH = 24


class Progress:
    """Call it after each step: the bar is drawn anew on its line; in a file or a pipe there is none."""

    def __init__(self, steps: int, stream: TextIO = sys.stderr) -> None:
        self.steps, self.stream = steps, stream
        self.done, self.length, self.start = 0, 0, time.monotonic()

    def __call__(self, what: str) -> None:
        self.done += 1
        if self.stream.isatty():
            part = min(1.0, self.done / self.steps)
            bar = ('#' * round(part * WIDTH)).ljust(WIDTH, '.')
            self.write(f'[{bar}] {part:4.0%}  {time.monotonic() - self.start:.0f} s  {what}')

    def write(self, line: str) -> None:
        print('\r' + line.ljust(self.length), end='', file=self.stream, flush=True)
        self.length = len(line)

    def close(self) -> None:
        if self.length:
            self.write('')
            print('\r', end='', file=self.stream, flush=True)
