"""From a name, a file, a DH table or screw axes to a robot, and back to a file or a terminal."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from qddot.errors import BadArgument, RobotWarning
from qddot.model.arguments import scalars
from qddot.readers import read
from qddot.readers.dh import dh_document
from qddot.readers.document import read_document
from qddot.readers.read import built_in_names, model_of
from qddot.readers.screws import screw_document
from qddot.results import look
from qddot.robot.described import Described
from qddot.robot.robot import Robot
from qddot.robot.variants import tell
from qddot.saving import write_whole
from qddot.scalars import Scalar

BUILT_IN: dict[str, Robot] = {}  # those that were loaded, with what was compiled for them


def load(
    source: str | Path,
    *,
    inertia: str = "refuse",
    package_paths: Sequence[str | Path] = (),
    **arguments: str | float | bool,
) -> Robot:
    """Return a built-in robot by name, or the robot in a file.

    Args:
        source: A built-in name like "panda", or the path of a .urdf, .xacro, .xml (MJCF), .toml
            or .json file.
        inertia: What becomes of an inertia that no body has: "refuse" the file, or take the
            "nearest" possible one in its place, with a warning for each link. Mass and centre of
            mass stay.
        package_paths: Folders that are ROS packages, or hold some: where the file's meshes, and
            what a xacro file includes, may be, besides its own folder and package,
            AMENT_PREFIX_PATH and ROS_PACKAGE_PATH.
        arguments: Those of a xacro file, by name: load("ur.urdf.xacro", ur_type="ur5e").

    Raises:
        QddotError: With what is wrong, where, and what to do.
    """
    if not isinstance(source, (str, Path)) or not str(source):
        raise BadArgument(f"load takes the name of a robot or of a file, not {source!r}.")
    name, model = str(source), read(source, inertia, package_paths, arguments)
    if name in built_in_names():  # it says in its description what is doubtful about it
        kept = BUILT_IN.get(name)
        BUILT_IN[name] = robot = kept if kept and kept.model is model else Robot(model)
        return robot
    robot = Robot(model)
    tell(robot.warnings, stacklevel=3)
    return robot


def robot_of(robot: Any) -> Robot:
    """Return a robot: itself, or that of a model, of a built-in name or of a file.

    Every verb asks this first, so that `qddot.simulate("two_link", ...)` works as with a robot.
    """
    if isinstance(robot, Robot):
        return robot
    return load(robot) if isinstance(robot, (str, Path)) else Robot(model_of(robot))


def save(robot: Described, path: Path) -> list[str]:
    """Write a robot to a file; return, and warn of, what the format made us add or leave out."""
    from qddot.writers import as_file

    content, notes = as_file(robot.model, path)
    if notes:
        text = "\n  ".join([f"{path.name} is not all of {robot.name!r}:", *notes])
        warnings.warn(text, RobotWarning, stacklevel=3)
    write_whole(path, content)
    return notes


def from_dh(
    rows: Sequence[Mapping[str, Any]],
    convention: str = "",
    *,
    name: str = "robot",
    gravity: Sequence[Scalar] = (0, 0, -9.81),
    **more: Any,
) -> Robot:
    """Return the robot of a Denavit–Hartenberg table.

    Args:
        rows: One a joint, as dicts with `theta`, `d`, `a`, `alpha` (radians and metres; numbers
            or formulas like "L1", "pi/2" and "90deg", also SymPy's), `type` ("revolute" or
            "prismatic"), and of the link `mass`, `com` and `inertia` in its DH frame, or `shape`
            or `mesh`. The joint variable is added to theta or to d. The same keys as [[dh]] in a
            TOML file.
        convention: "standard" or "modified" (Craig); it must be named.
        name: The robot's name.
        gravity: In base axes [m/s²].
        more: Whatever else a robot file may hold: `frame`, `coupling`, `payload`, ...

    Example:
        >>> arm = from_dh([{"a": 1, "mass": 2, "com": [-0.5, 0, 0]}], "standard")
        >>> arm.joint_names
        ('j1',)
    """
    if isinstance(rows, (str, bytes)) or not hasattr(rows, "__iter__"):
        raise BadArgument(f"rows is {rows!r}; give a list of dicts, one a joint.")
    field = list(scalars("gravity", gravity, 3))
    document = dh_document(list(rows), convention, gravity=field, **more)
    robot = Robot(read_document(document, name))
    tell(robot.warnings, stacklevel=3)
    return robot


def from_screws(
    screws: Any,
    home: Any,
    inertias: Any = None,
    *,
    axes: str = "space",
    relative: bool = False,
    name: str = "robot",
    gravity: Sequence[Scalar] = (0, 0, -9.81),
    **more: Any,
) -> Robot:
    """Return the robot of a product of exponentials, as Lynch and Park describe it.

    The pose of link i, and that of the tool with i = n:

        T_i(q) = exp([S_1] q_1) ··· exp([S_i] q_i) M_i

    Args:
        screws: One screw axis [ω, v] per joint: where q = 0, in base axes. A joint that turns about
            ω through the point p has v = −ω × p, one that slides has ω = 0 and |v| = 1; one with
            v = −ω × p + h ω is a screw with the pitch h.
        home: M_i, where the frame of link i is at q = 0 in the base: n 4×4 matrices, or n + 1 with
            that of the tool last. Lynch and Park put these frames into the centres of mass.
        inertias: G_i, the 6×6 spatial inertia of each link in its frame, or a dict with `mass`,
            `com`, `inertia` or `shape`, and what else a DH row may hold.
        axes: "space", or "body" where the axes are those of the tool's frame at home.
        relative: Whether home[i] is the pose of frame i in frame i − 1, as `Mlist` is in the
            software of *Modern Robotics*.
        name: The robot's name.
        gravity: In base axes [m/s²].
        more: Whatever else a robot file may hold: `frame`, `coupling`, `payload`, ...

    Numbers may be formulas like "L1", also SymPy's; rotations are numbers.

    Example:
        >>> tip = [[1, 0, 0, "L"], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
        >>> arm = from_screws([[0, 0, 1, 0, 0, 0]], [tip], [{"mass": "m"}])
        >>> arm.symbols
        ('L', 'm')
    """
    field = list(scalars("gravity", gravity, 3))
    document = screw_document(
        screws, home, inertias, axes=axes, relative=relative, gravity=field, **more
    )
    robot = Robot(read_document(document, name))
    tell(robot.warnings, stacklevel=3)
    return robot


def show(robot: Any = None, *, degrees: bool = False) -> None:
    """Print a robot as a table and a tree; without one, the built-in robots.

    Args:
        robot: The robot, or its built-in name or file.
        degrees: Print angles in degrees instead of radians.
    """
    if robot is None:
        look("terminal.robots.print_library")()
    else:
        look("terminal.robots.print_robot")(model_of(robot), degrees=degrees)
