"""What a theorem relies on: a statement, whether it is so (yes, no, or open), and why."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from qddot.plain_text import fitted

VERDICTS = {True: "yes", False: "no", None: "open"}


class Assumption(NamedTuple):
    """Something that a law's theorem relies on, decided for an arm and, after a run, for it."""

    statement: str
    holds: bool | None  # None: open, that is not decided
    why: str

    @property
    def verdict(self) -> str:
        """Whether it holds, as a word."""
        return VERDICTS[self.holds]

    @fitted
    def __str__(self) -> str:
        return f"{self.statement}: {self.verdict} ({self.why})"


class Rows(NamedTuple):
    """The rows of a run, one per instant: assumptions are decided on them afterwards."""

    t: np.ndarray  # (k,) [s]
    q: np.ndarray  # (k, n)
    qd: np.ndarray  # (k, n)
    error: np.ndarray  # (k, m), of the law
    V: np.ndarray | None  # (k,), where the law has a Lyapunov function


def verdict(assumptions: tuple[Assumption, ...] | list[Assumption]) -> bool | None:
    """Return False if one of them fails, else None if one of them is open, else True."""
    decided = [each.holds for each in assumptions]
    return False if False in decided else None if None in decided else True
