"""`tape.why`: the account of how one number of one gradient was made."""

from .account import Account, Row, why
