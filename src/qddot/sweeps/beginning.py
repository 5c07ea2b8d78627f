"""A plan to begin with: short, commented, right for any robot."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from qddot.control.ready_laws import frame_of, home
from qddot.errors import BadArgument, printable
from qddot.robot import Robot
from qddot.saving import check_place, write_whole
from qddot.writers.toml import written

TEXT = """\
# A sweep: `qddot sweep {file} -o FOLDER` runs it. docs/sweeps.md says what else a plan may hold.
robot = {robot}
duration = 1.0                  # [s]
step = 0.001                    # [s]
draws = 200                     # random runs at every point of the grid
seed = 1

[control]
law = "computed_torque"         # it believes the robot as it is described
reference = {{ kind = "move", target = {target}, duration = 0.8 }}

[vary]
q0 = {{ uniform = [-0.1, 0.1], as = "offset" }}       # where runs start, around where it stands
scale = {{ uniform = [0.8, 1.2] }}                    # links heavier or lighter, each by itself
{more}"""
LOAD = '"payload.{frame}" = {{ grid = [0.0, {load}] }}  # [kg], which the law knows nothing of\n'
GAIN = '"control.kp" = { grid = [50, 100] }\n'
FAR = 0.3  # [rad or m]
SHARE = 0.05  # of the arm's mass: the load


def write_plan(path: str | Path, source: str, robot: Robot) -> None:
    """Write a plan for a robot; a file that is there is left as it is.

    Args:
        path: A .toml file.
        source: What the plan calls the robot: a built-in name or a file, seen from the plan.
        robot: The robot.
    """
    check_place(path, "A plan", (".toml", ".TOML"))
    if Path(path).exists():
        raise BadArgument(
            f"{printable(str(path))} is there already and is left as it is.\n"
            "  Name another file, or remove that one."
        )
    text = plan_text(Path(path).name, source, robot)
    write_whole(path, lambda beside: _write(beside, text))


def plan_text(file: str, source: str, robot: Robot) -> str:
    """Return the text of a plan."""
    from qddot.control.references.limits import bounds_of

    here, limits = home(robot), bounds_of(robot)
    room = np.minimum(limits.upper - here, FAR)
    target = (here + np.where(np.isfinite(room), 0.9 * room, FAR)).round(3)
    frame = frame_of(robot, "")
    body, _ = robot.tree.frame(frame)
    mass = sum(float(each.inertia.m) for each in robot.tree.bodies)
    plain = frame.isprintable() and '"' not in frame and "\\" not in frame
    more = LOAD.format(frame=frame, load=f"{SHARE * mass:.2g}") if body >= 0 and plain else GAIN
    return TEXT.format(
        file=printable(file), robot=written(source), target=written(target.tolist()), more=more
    )


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
