"""What is wrong with a log: every problem in one exception, with its file, line and column."""

from __future__ import annotations

from collections.abc import Iterable

from qddot.errors import BadFile, Problem, printable, shorten


class BadLog(BadFile):
    """A log that cannot be used. Holds every problem found."""

    SHOWN = 4  # a message that people read to the end

    def __init__(self, source: object, problems: Iterable[Problem]):
        super().__init__(source, "", "")
        self.problems = tuple(problems)
        count = "1 problem" if len(self.problems) == 1 else f"{len(self.problems)} problems"
        lines = [f"{printable(shorten(str(source), 200))} cannot be used as a log: {count}."]
        lines += [f"  {shorten(str(problem), 400)}" for problem in self.problems[: self.SHOWN]]
        if len(self.problems) > self.SHOWN:
            lines.append(f"  ... and {len(self.problems) - self.SHOWN} more, in its `problems`.")
        self.args = ("\n".join(lines),)


def bad_log(source: object, why: str, remedy: str, place: str = "", line: int | None = None):
    """Return the exception for a log with one problem."""
    return BadLog(source, [Problem("error", place, why, remedy, line)])
