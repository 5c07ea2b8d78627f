"""Verbs about speed: bench."""

from __future__ import annotations

from typing import Annotated

from qddot.cli.terminal import AsJson, Settings, Source, number, read_numeric, tell
from qddot.progress import percent_done


def bench(
    source: Source,
    seconds: Annotated[float, number("Length of all measurements together.", "SECONDS")] = 2.0,
    settings: Settings = None,
    as_json: AsJson = False,
) -> None:
    """Measure how fast a robot's dynamics are on this machine.

    Prints the median processor time per state on one thread, for one call from Python and for a
    batch of 8192 states; and that of Pinocchio in the same run, if it is installed and gives the
    same results. Friction and springs are left out.

    Examples:
      qddot bench panda
      qddot bench ur5 --seconds 1 --json
    """
    from qddot.present.terminal.results import speed_lines
    from qddot.speed import INPUTS, measuring

    robot = read_numeric(source, settings)
    rows = []
    with percent_done(f"measuring {robot.name}", 2 * len(INPUTS)) as advance:
        try:
            for row in measuring(robot, seconds=seconds):
                rows.append(row)
                advance()
        except KeyboardInterrupt:
            if not rows:
                raise
    measured = [row.to_dict() for row in rows]
    tell(as_json, {"robot": robot.name, "seconds": seconds, "rows": measured}, speed_lines(rows))
