"""Verbs about speed: bench."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated

from qddot.cli.terminal import AsJson, Settings, Source, number, read_numeric, tell
from qddot.progress import percent_done

if TYPE_CHECKING:
    from qddot.speed import Speed


def bench(
    source: Source,
    seconds: Annotated[float, number("How long to measure in all.", "SECONDS")] = 2.0,
    settings: Settings = None,
    as_json: AsJson = False,
) -> None:
    """Measure how fast a robot's dynamics are on this machine.

    Medians of the processor time a state takes, on one thread, for one call from Python and for a
    batch of 8192 states; beside Pinocchio's in the same run, where it is installed and gives the
    same. Friction and springs are left out.

    Examples:
      qddot bench panda
      qddot bench ur5 --seconds 1 --json
    """
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
    tell(as_json, {"robot": robot.name, "seconds": seconds, "rows": measured}, table(rows))


def table(rows: list[Speed]) -> list[str]:
    """Return the times as a table."""
    lines = [f"{'a state':<18}{'states a call':>14}{'qddot':>12}{'Pinocchio':>14}{'faster':>10}"]
    for row in rows:
        line = f"{row.name.replace('_', ' '):<18}{row.batch:>14}{row.ns:>9.1f} ns"
        if row.peer_ns is not None and row.ratio is not None:
            line += f"{row.peer_ns:>11.1f} ns{row.ratio:>8.1f} ×"
        lines.append(line)
    if find_spec("pinocchio") is None:
        lines += ["", "Pinocchio is not installed, so nothing is compared: pip install pin"]
    elif not any(row.peer for row in rows):
        lines += ["", "Pinocchio does not compute the same for this robot, so it is not timed."]
    return lines
