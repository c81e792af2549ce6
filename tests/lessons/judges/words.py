"""Judges of answers that are words, numbers or an order: the definition of each word, worked out anew."""

import math
from types import SimpleNamespace
from typing import Any

import numpy as np

import minicell as ms
from minicell import nn, ops
from minicell.teach.lesson04.suspects import SUSPECTS
from minicell.teach.lesson05.specimens import SPECIMENS
from minicell.teach.lesson06 import PAIRS, PROBES, suspect
from minicell.teach.lesson06.suspects import BUGS, LETTERS
from minicell.teach.lesson10 import zoo
from minicell.teach.lesson11.statements import STATEMENTS
from minicell.teach.lesson12 import ENOUGH, surrogates, tried
from tests.lessons.judges.judge import Judge
