"""The problem behind each name of a quantity, for one robot on one box; entries are made once."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from qddot.certificate import definitions
from qddot.certificate.bound import Box
from qddot.certificate.cut import smallest_eigenvalue
from qddot.certificate.eigen import Damping, Eigenvalue
from qddot.certificate.entries import Entries, Ground
from qddot.certificate.norms import (
    AbsoluteNorm,
    below_column,
    below_frobenius,
    below_spectral,
    frobenius,
    joint_gravity,
    largest_column,
)
from qddot.certificate.problem import BoundProblem, CellProblem
from qddot.certificate.sums_of_squares import SquareNorm
from qddot.certificate.velocity_torque import SignNorm, VelocityTorque
from qddot.checks import need_joints
from qddot.equations.values import many_digits
from qddot.errors import BadArgument, UnknownName, printable
from qddot.model.joint import Joint
from qddot.model.units import units_of
from qddot.robot import Robot

QUANTITIES = (
    *("M.eigenvalue.max", "M.eigenvalue.min", "Minv.eigenvalue.max", "Minv.eigenvalue.min"),
    *("M.norm1.max", "M.norm1.min", "M.norm2.max", "M.norm2.min", "M.normF.max", "M.normF.min"),
    *("c.norm1", "c.norm2", "c.norminf", "C.norm1", "C.norm2", "C.norminf", "c.crude"),
    *("g.norm1", "g.norm2", "g.norminf", "dg.norm2", "D.norm2", "g.effort"),
)
# the same number by another name
SAME = {"M.norm2.max": "M.eigenvalue.max", "C.norm2": "c.norm2"}
# the reciprocal of another
RECIPROCAL = {"Minv.eigenvalue.max": "M.eigenvalue.min", "Minv.eigenvalue.min": "M.eigenvalue.max"}

# which of a joint's units each quantity has
UNIT = {
    "M": "inertia",
    "Minv": "mobility",
    "c": "coriolis",
    "C": "coriolis",
    "g": "effort",
    "dg": "stiffness",
    "D": "damping",
}


class BoundProblems:
    """The entries of a robot's M, g, ∂g/∂q and Γ on a box, and the problems about them."""

    def __init__(self, robot: Robot, box: Box, forms: list[dict[str, Any]] | None = None):
        need_joints(robot)
        self.robot, self.box, self.n, self.forms = robot, box, robot.n, forms
        self.problems: dict[str, BoundProblem] = {}

    @cached_property
    def ground(self) -> Ground:
        return Ground.of(self.robot, self.box)

    def _entries(self, kind: str, make: Callable[[], definitions.Definition]) -> Entries:
        with many_digits():
            define = make()
        return Entries(self.ground, kind, define)

    @cached_property
    def M(self) -> Entries:
        return self._entries("M", lambda: definitions.mass(self.ground.tree))

    @cached_property
    def g(self) -> Entries:
        return self._entries("g", lambda: definitions.gravity(self.ground.tree))

    @cached_property
    def dg(self) -> Entries:
        ground = self.ground
        return self._entries("dg", lambda: definitions.gravity_slope(ground.tree, ground.ledger))

    @cached_property
    def gamma(self) -> Entries:
        ground = self.ground
        return self._entries(
            "christoffel", lambda: definitions.christoffel(ground.tree, ground.ledger)
        )

    @cached_property
    def C_norm1(self) -> CellProblem:
        return AbsoluteNorm(self.gamma, largest_pair(self.n), "pairs")

    @cached_property
    def C_norminf(self) -> CellProblem:
        return SignNorm(self.gamma)

    def problem(self, quantity: str) -> BoundProblem:
        """Return the problem of a quantity."""
        name = SAME.get(quantity, RECIPROCAL.get(quantity, quantity))
        if name not in self.problems:
            self.problems[name] = self._problem(name)
        return self.problems[name]

    def _problem(self, name: str) -> BoundProblem:
        n = self.n
        match name:
            case "M.eigenvalue.max":
                return Eigenvalue(self.M, 1)
            case "M.eigenvalue.min":
                return smallest_eigenvalue(self.M)
            case "M.norm1.max":
                return AbsoluteNorm(self.M, largest_column(n), "column")
            case "M.norm1.min":
                return below_column(self.M)
            case "M.normF.max":
                return AbsoluteNorm(self.M, frobenius(n), "frobenius")
            case "M.normF.min":
                return below_frobenius(self.M)
            case "M.norm2.min":
                return below_spectral(self.M)
            case "C.norm1":
                return self.C_norm1
            case "C.norminf":
                return self.C_norminf
            case "c.norm1":
                return VelocityTorque(self.gamma, 1, self.C_norm1)
            case "c.norminf":
                return VelocityTorque(self.gamma, np.inf, self.C_norminf)
            case "c.norm2":
                squares = SquareNorm(self.gamma, self.forms)
                return VelocityTorque(self.gamma, 2, squares, squares.polished)
            case "c.crude":
                return AbsoluteNorm(self.gamma, lambda A: n * n * largest(A), "crude")
            case "g.norm1":
                return AbsoluteNorm(self.g, lambda A: np.abs(A).sum(-1), "sum")
            case "g.norm2":
                return AbsoluteNorm(self.g, lambda A: np.sqrt((A * A).sum(-1)), "length")
            case "g.norminf":
                return AbsoluteNorm(self.g, largest, "largest")
            case "dg.norm2":
                return Eigenvalue(self.dg, 1, two_sided=True)
            case "D.norm2":
                return Damping(self.ground)
            case "g.effort":
                return self._effort()
        joints = joint_bounds(self.robot)
        if name not in joints:
            raise UnknownName("bound", name, self.robot.name, [*QUANTITIES, *joints])
        return joint_gravity(self.g, self.robot.joint_names.index(joints[name]))

    def _effort(self) -> BoundProblem:
        rows = effort_limited(self.robot)
        if not rows:
            raise BadArgument(
                f"No joint of {printable(self.robot.name)!r} has an effort limit, so there is none "
                "to compare gravity with.\n  Give the joints limits, or leave 'g.effort' out."
            )
        scale = self.robot.limits.effort[rows]
        return AbsoluteNorm(self.g, lambda A: largest(A[..., rows] / scale), "effort")

    def applicable(self) -> list[str]:
        """Return the names of all quantities that the robot has."""
        limited = effort_limited(self.robot)
        names = [name for name in QUANTITIES if name != "g.effort" or limited]
        return [*names, *joint_bounds(self.robot)]


def effort_limited(robot: Robot) -> list[int]:
    """Return the joints with an effort limit above zero, which gravity can be compared with."""
    effort = robot.limits.effort
    return np.flatnonzero((effort > 0) & np.isfinite(effort)).tolist()


def joint_bounds(robot: Robot) -> dict[str, str]:
    """Return the names of the bounds of single joints, each with its joint: "g.<joint>".

    A joint may be called "norm1" or "effort"; its bound is then "g.joint.norm1".
    """
    found: dict[str, str] = {}
    for joint in robot.joint_names:
        name = f"g.{joint}"
        while name in QUANTITIES or name in found:
            name = f"g.joint.{name.removeprefix('g.')}"
        found[name] = joint
    return found


def largest(A: Any) -> Any:
    """Return the largest modulus."""
    return np.maximum.reduce(np.abs(A), axis=-1)


def largest_pair(n: int) -> Callable[[Any], Any]:
    """Return max_ij Σ_k |Γ_kij|."""
    return lambda A: largest(np.abs(A).reshape((*A.shape[:-1], n, -1)).sum(-2))


def ends_of(name: str, sense: int, inner: float, outer: float) -> tuple[float, float, str]:
    """Return the lower and the upper number of a bound, and whether it is of a sup or an inf."""
    lower, upper = (inner, outer) if sense > 0 else (outer, inner)
    if name in RECIPROCAL:
        sense = -sense
        down = math.nextafter(1 / upper, -math.inf) if upper > 0 else 0.0
        up = math.nextafter(1 / lower, math.inf) if lower > 0 else math.inf
        lower, upper = down, up
    return lower, upper, "sup" if sense > 0 else "inf"


def unit(robot: Robot, name: str) -> str:
    """Return the unit of a quantity: nothing where joints of both kinds make it mixed."""
    if name in (own := joint_bounds(robot)):
        joint: Joint = robot.model.joint(own[name])
        return joint.units.effort
    if name == "g.effort":
        return "of the limit"
    units = units_of(robot.model.free_joints)
    return getattr(units[0], UNIT[name.partition(".")[0]]) if len(units) == 1 else ""
