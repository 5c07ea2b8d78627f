"""From an MJCF file to a checked model."""

from __future__ import annotations

from pathlib import Path

from qddot.errors import BadRobot
from qddot.model import Model, build
from qddot.readers.mjcf.bodies import frames_of, links_and_joints
from qddot.readers.mjcf.compiling import compile_source
from qddot.readers.mjcf.constraints import followers, ignored
from qddot.readers.mjcf.floating import without_floating
from qddot.readers.mjcf.placing import floats
from qddot.readers.mjcf.source import read_source


def read_mjcf(path: Path) -> Model:
    """Return the model in an MJCF file.

    Raises:
        MissingExtra: If MuJoCo is not installed.
        BadFile: If the file is not MJCF that MuJoCo accepts.
        BadRobot: With every problem of the robot in it.
    """
    compiled = compile_source(read_source(Path(path)))
    left_out, found = without_floating(compiled)
    if any(problem.severity == "error" for problem in found):
        raise BadRobot(compiled.name, [*compiled.problems, *found])
    tied = followers(compiled, left_out)
    links, joints = links_and_joints(compiled, tied, left_out)
    frames, renamed = frames_of(compiled, left_out)
    gravity = (0, 0, 0) if compiled.disabled("GRAVITY") else floats(compiled.model.opt.gravity)
    return build(
        compiled.name,
        links,
        joints,
        frames=tuple(frames),
        gravity=gravity,
        found=[
            *compiled.problems,
            *found,
            *tied.problems,
            *renamed,
            *ignored(compiled, left_out),
        ],
    )
