"""The judge's sentences in the words of the framework that a rule lives in."""

import re
from collections.abc import Mapping

from ..judge.verdict import Verdict


def said(text: str, words: Mapping[str, str]) -> str:
    """A sentence with a framework's words in the place of minicell's.

    >>> said('It has the factor dout², and dout[0] is missing. Called again, construct raises E.',
    ...      {'dout': 'grad_output', 'construct': 'forward'})
    'It has the factor grad_output², and grad_output[0] is missing. Called again, forward raises E.'
    """
    return text if not words else re.sub(rf'\b({"|".join(words)})(?![A-Za-z0-9_])', lambda found: words[found[0]], text)


def row(found: Verdict, words: Mapping[str, str]) -> Verdict:
    """A verdict in these words."""
    why, mistake, by, unseen = (said(text, words) for text in (found.why, found.mistake, found.by, found.unseen))
    return found._replace(why=why, mistake=mistake, by=by, unseen=unseen)
