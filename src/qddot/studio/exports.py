"""What is on the screen, as files: the motion or the state, the robot, a report."""

from __future__ import annotations

import base64
import io
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from qddot.robot import Robot
from qddot.studio.library import ShownArm
from qddot.studio.state import State, quantities
from qddot.timeseries import by_joint
from qddot.timeseries.csv_file import write_rows

KINDS = ("csv", "toml", "report")
TYPES = {".csv": "text/csv", ".toml": "application/toml", ".html": "text/html"}


def file_answer(name: str, data: bytes) -> dict[str, Any]:
    """Return the answer "file"."""
    return {
        "is": "file",
        "name": name,
        "mime": TYPES[Path(name).suffix],
        "data": base64.b64encode(data).decode(),
    }


def file_name(robot: str, what: str) -> str:
    """Return a name that every disk takes, from the name of a robot."""
    from qddot.present.report.report import file_name as page_name

    return f"{Path(page_name(robot)).stem}{what}"


def toml_of(arm: ShownArm) -> bytes:
    """Return the robot as it is now, as a TOML file."""
    with tempfile.TemporaryDirectory(prefix="qddot-studio-") as folder:
        path = Path(folder, "robot.toml")
        arm.now.save(path)
        return path.read_bytes()


def state_csv(arm: ShownArm, state: State) -> bytes:
    """Return everything about a state, in one row."""
    found = quantities(arm, state)
    joints = arm.now.joint_names
    columns: dict[str, Any] = {}
    for what, values in (
        *(("q", state.q), ("qd", state.qd), ("qdd", state.qdd)),
        *((name, found[name]) for name in ("tau", "g", "c", "friction")),
    ):
        columns |= by_joint(what, joints, values[None])
    columns |= {name: np.array([found[name]]) for name in ("kinetic", "potential")}
    for what in ("M", "C"):
        columns |= {
            f"{what}.{i + 1}.{j + 1}": found[what][i, [j]] for i, j in np.ndindex(found[what].shape)
        }
    return csv_of(columns)


def csv_of(columns: Mapping[str, np.ndarray]) -> bytes:
    """Return columns as a CSV file.

    A name begins with the quantity it is of, so that no spreadsheet takes it for a formula.
    """
    out = io.StringIO(newline="")
    write_rows(out, list(columns), np.column_stack(list(columns.values())))
    return out.getvalue().encode("utf-8", "backslashreplace")


def report(robot: Robot, motion: bytes | None, *, tell: Callable[..., None]) -> bytes:
    """Return the report of a robot, with a motion as CSV, or a fall.

    It shows a motion, given as CSV, or a fall without one. `tell` takes words about how far the
    work is.
    """
    from qddot.present.report.report import SECONDS, Outcome, subject_of, write_report
    from qddot.simulation.files import load

    tell("Writing the report", 0.0)
    page, played = Path("report.html"), Path("played.csv")

    def advance(outcome: Outcome, k: int, of: int) -> None:
        tell(f"Report: {outcome.section.title}", k / of)

    try:
        run = None
        if motion is not None:
            played.write_bytes(motion)
            run = load(played, robot)
        write_report(subject_of(robot, SECONDS, run), page, None, advance)
        return page.read_bytes()
    finally:
        page.unlink(missing_ok=True)
        played.unlink(missing_ok=True)
