"""The entries of one array, as functions of q: compiled, with bounds of rounding and curvature."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from flint import arb

from qddot.backends.kernel import Kernel
from qddot.certificate import definitions
from qddot.certificate.bound import PI, Box
from qddot.certificate.curvature import GridAxis, curvature
from qddot.certificate.rounding import BallScalar, Ledger, Rounding, enclosure, exact_tree, rounding
from qddot.equations.values import many_digits
from qddot.errors import BadArgument, shorten
from qddot.model.tree import Body, Tree
from qddot.program.optimise import scheduled
from qddot.program.program import Program
from qddot.program.recorder import array_of, record
from qddot.robot import Robot

ROLES = ("angle", "length", "spin")  # of the coordinates that there are bounds for
DEGREE = {"M": 2, "christoffel": 2, "g": 1, "dg": 1, "arm": 1}


@dataclass(frozen=True)
class Ground:
    """A robot over balls, on a box: what all its entries are made from."""

    tree: Tree
    ledger: Ledger
    box: Box

    @staticmethod
    def of(robot: Robot, box: Box) -> Ground:
        ledger = Ledger()
        with many_digits():
            tree = exact_tree(robot.model, ledger)
        for body in tree.bodies:
            if role(body) not in ROLES:
                raise BadArgument(
                    f"Joint {shorten(body.name)!r} of {shorten(robot.name)!r} is neither an angle "
                    "nor a length to the equations: there are no certified bounds for it.\n"
                    f"  Lock it: robot.locked({{{shorten(body.name)!r}: 0}})."
                )
        return Ground(tree, ledger, box)


class Entries:
    """Entries A_e(q) of one array, on the coordinates that they depend on."""

    def __init__(self, ground: Ground, kind: str, define: definitions.Definition):
        self.ground, self.kind, self.n = ground, kind, ground.tree.n
        tree = ground.tree
        self.of_angles = define
        with many_digits():
            self.program = scheduled(record(self.define, kind, q=(self.n,)))
        self.kernel = Kernel(self.program)
        self.size = len(self.program.results)
        low, high = turned(tree, ground.box)
        reached = frozenset[int]().union(*reach(self.program))
        self.active = [k for k in sorted(reached) if low[k] < high[k]]
        self.m = len(self.active)
        self.origin, self.lo, self.hi = low, low[self.active], high[self.active]
        self.largest = np.maximum(np.maximum(np.abs(low), np.abs(high)), 7.0)

    def define(self, q: Any) -> np.ndarray:
        """Return the entries at recorded coordinates."""
        return self.of_angles(definitions.angles(self.ground.tree, q))

    def fused(self, function: Callable[..., Any], name: str, **shapes: tuple[int, ...]) -> Kernel:
        """Return the kernel of a function of the entries at q and of further inputs."""

        def of_q(q: Any, *more: Any) -> Any:
            entries: list[Any] = [
                float(x) if isinstance(x, BallScalar) else x for x in self.define(q)
            ]
            return function(array_of(entries), *more)

        with many_digits():
            return Kernel(scheduled(record(of_q, name, q=(self.n,), **shapes)))

    def full(self, x: np.ndarray) -> np.ndarray:
        """Return all coordinates, those that do not matter at the edge of the box."""
        q = np.empty((*x.shape[:-1], self.n))
        q[...] = self.origin
        q[..., self.active] = x
        return q

    def at(self, x: np.ndarray) -> np.ndarray:
        """Return the entries at active coordinates, within `rounding.error` of the true ones."""
        return self.kernel(self.full(x))

    def inside(self, q: np.ndarray) -> np.ndarray | None:
        """Return the active coordinates of one q; None if it is no point of the box."""
        if q.shape != (self.n,) or not np.isfinite(q).all():
            return None
        x = q[self.active]
        return None if np.any(x < self.lo) or np.any(x > self.hi) else x

    def enclosed(self, x: np.ndarray) -> list[arb]:
        """Return balls that hold the true entries at one point."""
        with many_digits():
            return enclosure(self.program, self.full(x), self.ground.ledger)

    def evidence(self, searched: bool) -> dict[str, Any]:
        """Return what a proof says about these entries."""
        found: dict[str, Any] = {
            "field": self.kind,
            "rounding": float(self.rounding.error.max(initial=0.0)),
            "program": self.program.digest,
        }
        if searched:
            found["curvature"] = [float(row.max(initial=0.0)) for row in self.R]
        return found

    @cached_property
    def rounding(self) -> Rounding:
        return rounding(self.program, self.largest, self.ground.ledger)

    @cached_property
    def R(self) -> np.ndarray:
        """Bounds of |∂²A_e/∂q_k²| over the box, shape (m, size)."""
        tree, box = self.ground.tree, self.ground.box
        degree = DEGREE[self.kind]
        axes = [_axis(tree, box, slot, degree) for slot in range(len(tree.bodies))]
        with many_digits():
            program = scheduled(record(self.of_angles, self.kind, theta=(len(axes),)))
        largest = [max(abs(axis.low), abs(axis.high)) + 1.0 for axis in axes]
        off = rounding(program, largest, self.ground.ledger)
        all_rows = curvature(Kernel(program), axes, reach(program), off, self.n)
        return all_rows[self.active]


def role(body: Body) -> str:
    """Return what a joint's coordinate is to the equations: an angle, a length, or more."""
    entries = body.joint.configuration
    return entries[0].role if len(entries) == 1 else "several"


def reach(program: Program) -> list[frozenset[int]]:
    """Return, of each result, the inputs that it depends on."""
    found = [frozenset([i]) for i in range(program.input_size)]
    found += [frozenset()] * len(program.constants)
    for step in program.steps:
        found.append(frozenset().union(*(found[i] for i in step.args)))
    return [found[i] for i in program.results]


def turned(tree: Tree, box: Box) -> tuple[np.ndarray, np.ndarray]:
    """Return the box, more than a turn of a joint cut down to one where nothing follows it."""
    low, high = np.array(box.lower), np.array(box.upper)
    for k in range(tree.n):
        pairs = zip(tree.bodies, tree.drives, strict=True)
        bodies = [body for body, drive in pairs if drive.index == k and not body.spins]
        once = len(bodies) == 1 and role(bodies[0]) == "angle"
        if once and high[k] - low[k] >= 2 * PI:
            low[k], high[k] = -PI, PI
    return low, high


def _axis(tree: Tree, box: Box, slot: int, degree: int) -> GridAxis:
    """Return how a body's own angle runs, and which coordinate drives it."""
    drive = tree.drives[slot]
    ratio, offset, k = float(drive.ratio), float(drive.offset), drive.index
    if role(tree.bodies[slot]) == "angle":
        return GridAxis(True, 0.0, 2 * PI, degree, k, ratio)
    ends = sorted(ratio * x + offset for x in (box.lower[k], box.upper[k]))
    room = 1e-9 * (1.0 + abs(ends[0]) + abs(ends[1]))  # roundings of the line above
    return GridAxis(False, ends[0] - room, ends[1] + room, 2, k, ratio)
