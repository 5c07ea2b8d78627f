"""What is wrong with a log: every problem in one exception, with its file, line and column."""

from __future__ import annotations

from qddot.errors import BadLog, Problem


def bad_log(source: object, why: str, remedy: str, place: str = "", line: int | None = None):
    """Return the exception for a log with one problem."""
    return BadLog(str(source), [Problem("error", place, why, remedy, line)])
