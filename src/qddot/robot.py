"""The object users hold: a model, and what can be asked of it."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from qddot.errors import BadArgument, Problem, UnknownName, listing
from qddot.model import Friction, Inertial, Joint, Model, Motor, Payload, Spring
from qddot.model.build import checked
from qddot.model.tree import Tree, fold
from qddot.readers import read
from qddot.readers.dh import dh_document
from qddot.readers.document import read_document
from qddot.readers.read import built_in_names
from qddot.scalars import Scalar

REMOVABLE = ("friction", "rotor_inertia", "springs", "payloads", "gravity")


class RobotWarning(UserWarning):
    """Something about a robot that can be right, but rarely is."""


@dataclass(frozen=True)
class Robot:
    """A robot. Frozen: every `with_...` returns a new one and changes none."""

    model: Model

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def n(self) -> int:
        """How many degrees of freedom."""
        return self.model.n

    @property
    def joint_names(self) -> tuple[str, ...]:
        """The names behind the entries of q, in order."""
        return self.model.joint_names

    @property
    def frame_names(self) -> tuple[str, ...]:
        """The names that frames go by: links, then further frames."""
        return self.model.frame_names

    @property
    def symbols(self) -> tuple[str, ...]:
        """The names of the parameters that have no value yet."""
        return self.model.symbols

    @property
    def warnings(self) -> tuple[Problem, ...]:
        """What is doubtful about the robot's description."""
        return tuple(p for p in self.model.warnings if p.severity == "warning")

    @cached_property
    def tree(self) -> Tree:
        """The moving bodies, with the ten numbers of their inertia."""
        return fold(self.model)

    # variants

    def with_gravity(self, gravity: Sequence[Scalar]) -> Robot:
        """Return the robot under another gravity [m/s²], in base axes."""
        if len(tuple(gravity)) != 3:
            raise BadArgument(f"gravity is {gravity!r}; give three numbers, like (0, 0, -9.81).")
        return self._changed(gravity=tuple(gravity))

    def with_values(self, **values: float) -> Robot:
        """Return the robot with symbols replaced by numbers: with_values(m1=2.0, L1=0.5)."""
        return Robot(checked(self.model.with_values(values)))

    def with_payload(
        self,
        frame: str,
        mass: Scalar,
        com: Sequence[Scalar] = (0, 0, 0),
        inertia: Sequence[Scalar] = (0, 0, 0, 0, 0, 0),
    ) -> Robot:
        """Return the robot carrying a body at a frame.

        Args:
            frame: The frame that carries it, and in which the rest is given.
            mass: Its mass [kg].
            com: Its centre of mass [m].
            inertia: About its centre of mass [kg·m²]: Ixx, Iyy, Izz, or Ixx, Ixy, Ixz, Iyy, Iyz,
                Izz, or a 3×3 matrix.
        """
        self.model.frame(frame)
        load = Payload(frame, Inertial(mass, tuple(com), six(inertia)))
        return self._changed(payloads=(*self.model.payloads, load))

    def with_friction(
        self,
        viscous: Sequence[Scalar] | Scalar | None = None,
        coulomb: Sequence[Scalar] | Scalar | None = None,
        static: Sequence[Scalar] | Scalar | None = None,
        stribeck_velocity: Sequence[Scalar] | Scalar | None = None,
        offset: Sequence[Scalar] | Scalar | None = None,
    ) -> Robot:
        """Return the robot with other friction at its joints; what is not given stays.

        Args:
            viscous, coulomb, static, stribeck_velocity, offset: One value for all joints, or one
                a joint in the order of `joint_names`. See `qddot.model.Friction`.
        """
        given = {
            "viscous": viscous,
            "coulomb": coulomb,
            "static": static,
            "stribeck_velocity": stribeck_velocity,
            "offset": offset,
        }
        lists = {k: self._each(k, v) for k, v in given.items() if v is not None}
        index = {name: i for i, name in enumerate(self.joint_names)}

        def rubbed(joint: Joint) -> Joint:
            if joint.name not in index:
                return joint
            values = {key: values[index[joint.name]] for key, values in lists.items()}
            return replace(joint, friction=replace(joint.friction, **values))

        return Robot(checked(self.model.with_joints(rubbed)))

    def without(self, *what: str) -> Robot:
        """Return the robot that lacks something: friction, rotor_inertia, springs, payloads or
        gravity."""
        robot = self
        for name in what:
            if name not in REMOVABLE:
                raise UnknownName("part that can be left out", name, self.name, REMOVABLE)
            robot = robot._lacking(name)
        return robot

    def locked(self, positions: Mapping[str, Scalar]) -> Robot:
        """Return the robot with some joints held at a position; they leave q."""
        for name in positions:
            if name not in self.joint_names:
                raise UnknownName("joint that moves by itself", name, self.name, self.joint_names)

        def held(joint: Joint) -> Joint:
            return replace(joint, locked=positions.get(joint.name, joint.locked))

        return Robot(checked(self.model.with_joints(held)))

    # how it looks

    def show(self) -> None:
        """Print the robot as a table and a tree."""
        from qddot.model.show import print_robot

        print_robot(self.model)

    def __repr__(self) -> str:
        from qddot.model.show import as_text

        return as_text(self.model)

    def _repr_html_(self) -> str:
        from qddot.model.show import as_html

        return as_html(self.model)

    def save(self, path: str | Path) -> list[str]:
        """Write the robot to a .toml or .urdf file; return what that format cannot hold."""
        from qddot.writers import write

        return write(self.model, Path(path))

    # inside

    def _changed(self, **fields: Any) -> Robot:
        return Robot(checked(replace(self.model, **fields)))

    def _lacking(self, name: str) -> Robot:
        if name == "payloads":
            return self._changed(payloads=())
        if name == "gravity":
            return self._changed(gravity=(0, 0, 0))
        parts = {
            "friction": {"friction": Friction()},
            "rotor_inertia": {"motor": Motor()},
            "springs": {"spring": Spring()},
        }
        model = self.model.with_joints(lambda joint: replace(joint, **parts[name]))
        lost = {"friction": {"damping": 0}, "springs": {"stiffness": 0, "rest": 0}}.get(name, {})
        couplings = (replace(coupling, **lost) for coupling in model.couplings)
        return Robot(checked(replace(model, couplings=tuple(couplings))))

    def _each(self, what: str, value: Sequence[Scalar] | Scalar) -> list[Scalar]:
        if not hasattr(value, "__len__"):
            return [value] * self.n
        values = list(value)
        if len(values) != self.n:
            raise BadArgument(
                f"{what} has {len(values)} values, but robot {self.name!r} has {self.n} joints.\n"
                f"  In order: {listing(self.joint_names)}."
            )
        return values


def six(inertia: Any) -> tuple[Scalar, ...]:
    """Return Ixx, Ixy, Ixz, Iyy, Iyz, Izz of three moments, six entries or a 3×3 matrix."""
    rows = list(inertia)
    if len(rows) == 3 and all(hasattr(row, "__len__") for row in rows):
        (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = (tuple(row) for row in rows)
        if (xy, xz, yz) != (yx, zx, zy):
            raise BadArgument("inertia is not symmetric; an inertia matrix is.")
        return xx, xy, xz, yy, yz, zz
    if len(rows) == 3:
        return rows[0], 0, 0, rows[1], 0, rows[2]
    if len(rows) != 6:
        raise BadArgument(
            f"inertia has {len(rows)} numbers; give Ixx, Iyy, Izz, or Ixx, Ixy, Ixz, Iyy, Iyz, "
            "Izz, or a 3×3 matrix."
        )
    return tuple(rows)


def load(source: str | Path) -> Robot:
    """Return a built-in robot by name, or the robot in a file.

    Args:
        source: A built-in name like "panda", or the path of a .urdf, .xacro, .xml (MJCF), .toml
            or .json file.

    Raises:
        QddotError: With what is wrong, where, and what to do.
    """
    robot = Robot(read(source))
    # a built-in robot says in its description what is doubtful about it
    if robot.warnings and str(source) not in built_in_names():
        lines = [str(problem) for problem in robot.warnings]
        more = [f"... and {len(lines) - 5} more; see robot.warnings"] if len(lines) > 5 else []
        warnings.warn("\n  ".join(["", *lines[:5], *more]), RobotWarning, stacklevel=2)
    return robot


def from_dh(
    rows: Sequence[Mapping[str, Any]],
    convention: str,
    *,
    name: str = "robot",
    gravity: Sequence[Scalar] = (0, 0, -9.81),
    **more: Any,
) -> Robot:
    """Return the robot of a Denavit–Hartenberg table.

    Args:
        rows: One a joint, as dicts with `theta`, `d`, `a`, `alpha` (radians and metres; numbers
            or formulas like "L1" and "pi/2"), `type` ("revolute" or "prismatic"), and of the
            link `mass`, `com` and `inertia` in its DH frame, or `shape`. The joint variable is
            added to theta or to d. The same keys as [[dh]] in a TOML file.
        convention: "standard" or "modified" (Craig).
        name: The robot's name.
        gravity: In base axes [m/s²].
        more: Whatever else a robot file may hold: `frame`, `coupling`, `payload`, ...

    Example:
        >>> arm = from_dh([{"a": 1, "mass": 2, "com": [-0.5, 0, 0]}], "standard")
        >>> arm.joint_names
        ('j1',)
    """
    document = dh_document(rows, convention, gravity=list(gravity), **more)
    return Robot(read_document(document, name))
