"""The telling: a Tape's events, in the order of time, become a Record. Plain data out, no drawing here."""

from .teller import tell as tell
