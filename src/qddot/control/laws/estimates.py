"""The parameters that an adaptive law estimates: which, where they start, what they multiply.

All ten numbers of every body, or base parameters: those that are left when every body has given
what its own joint cannot feel to the body before it (`dynamics.regroup`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from qddot.checks import one_of
from qddot.dynamics.coriolis import powers, reference_torque
from qddot.dynamics.movement import Movements, movements
from qddot.dynamics.regressor import EXTRAS, UNITS
from qddot.dynamics.regroup import aligned, left_alone, regrouped, scaled
from qddot.dynamics.rnea import elastic_torque
from qddot.errors import BadArgument
from qddot.model.friction import LINEAR
from qddot.model.tree import NO_INERTIA, Body, Tree
from qddot.robot import Robot
from qddot.scalars import JointVec, Scalar
from qddot.spatial.inertia import NAMES, Inertia, euler, from_euler
from qddot.spatial.vector import vector

WHICH = ("base", "all")
XYZ = "xyz"
SECOND = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))
TRIES = 8
SMALLEST_EFFECT = 1e-12  # of the largest: what a parameter must do to count


@dataclass(frozen=True, eq=False)
class Estimates:
    """Parameters of a tree: their names and values, and the inertia of each at size 1."""

    tree: Tree  # in whose axes they are
    names: tuple[str, ...]
    values: np.ndarray
    directions: tuple[tuple[int, Inertia], ...]  # (body, inertia), then come friction and rotors
    which: str  # "base" or "all"
    with_extras: bool  # whether rotors and friction are among them

    def __len__(self) -> int:
        return len(self.names)

    def carrying(self, x: JointVec) -> Tree:
        """Return the tree with these parameters instead of its own."""
        inertias = [NO_INERTIA] * len(self.tree.bodies)
        for (i, unit), value in zip(self.directions, x, strict=False):
            inertias[i] = inertias[i] + scaled(unit, value)
        bodies = [replace(b, inertia=I) for b, I in zip(self.tree.bodies, inertias, strict=True)]
        shared = tuple(replace(shaft, rotor_inertia=0) for shaft in self.tree.shared)
        rotors = {"rotor_inertia": (0,) * self.tree.n, "shared": shared}
        return replace(self.tree, bodies=tuple(bodies), **rotors)

    def torque(
        self,
        x: JointVec,
        q: JointVec,
        qd: JointVec,
        qd_r: JointVec,
        qdd_r: JointVec,
        dry: Any,
        seen: JointVec | None = None,
    ) -> JointVec:
        """Return Y(q, q̇, q̇_r, q̈_r) φ̂ and the torque of springs, which are taken as known.

        `seen` are the velocities whose signs, by `dry`, dry friction has; q̇ if not given.
        """
        rates = qd if seen is None else seen
        tau = reference_torque(self.carrying(x), q, qd, qd_r, qdd_r)
        rest = iter(x[len(self.directions) :])
        more = vector([0] * self.tree.n)
        for shaft in self.tree.shafts if self.with_extras else ():
            shown = shaft.columns(rates, qd_r, qdd_r, dry)
            more = more + shaft.torques(sum((next(rest) * column for column in shown), 0))
        return tau + more + elastic_torque(self.tree, q, qd)

    def powers(
        self,
        moving: Movements,
        s: JointVec,
        qd: JointVec,
        qd_r: JointVec,
        qdd_r: JointVec,
        dry: Any,
    ) -> np.ndarray:
        """Return Yᵀ s."""
        found = powers(self.tree, moving, s, list(self.directions))
        for shaft in self.tree.shafts if self.with_extras else ():
            found += [shaft.speed(s) * x for x in shaft.columns(qd, qd_r, qdd_r, dry)]
        return vector(found)

    def movements(self, q: JointVec, qd: JointVec, qd_r: JointVec, qdd_r: JointVec) -> Movements:
        return movements(self.tree, q, qd, qd_r, qdd_r)

    def of(self, tree: Tree) -> np.ndarray:
        """Return the values that these parameters have in an arm of the same geometry."""
        source = regrouped(tree) if self.which == "base" else tree
        known: dict[str, Scalar] = {}
        for body in source.bodies:
            S = euler(body.inertia.I)
            ten = dict(zip(NAMES, body.inertia.parameters, strict=True))
            ten |= {f"S{XYZ[i]}{XYZ[j]}": S[i, j] for i, j in SECOND}
            known |= {f"{body.name}.{name}": value for name, value in ten.items()}
        known |= dict(_extras(tree))
        return np.array([float(known.get(name, 0.0)) for name in self.names])


def estimates(tree: Tree, which: str, *, gravity_alone: bool = False) -> Estimates:
    """Return the parameters to estimate, those that no torque depends on left out.

    The law's model has the values where estimates start. Of gravity alone: those that it depends
    on.
    """
    one_of("estimate", which, WHICH)
    source = aligned(tree) if which == "base" else tree
    units = [
        (i, f"{body.name}.{name}", unit)
        for i, body in enumerate(source.bodies)
        for name, unit in _units(body, which)
    ]
    felt = _felt(source, [(i, unit) for i, _, unit in units], gravity_alone)
    units = [each for each, yes in zip(units, felt, strict=True) if yes]
    names = [name for _, name, _ in units]
    if not gravity_alone:
        names += [name for name, value in _extras(tree) if value]
    if not names:
        raise BadArgument(
            f"Robot {tree.name!r} has no parameter that its torques depend on; "
            "a law without adaptation does."
        )
    directions = tuple((i, unit) for i, _, unit in units)
    still = np.zeros(len(names))
    found = Estimates(source, tuple(names), still, directions, which, not gravity_alone)
    return replace(found, values=found.of(tree))


def not_estimated(mine: Robot, arm: Robot) -> list[str]:
    """Return what an arm has besides inertia that the model lacks, so that it is not estimated."""
    words = dict(zip(EXTRAS, ("rotor inertia", *(p.meaning for p in LINEAR)), strict=True))
    would = dict(_extras(mine.tree))
    each = [(*name.rsplit(".", 1), name) for name, has in _extras(arm.tree) if has]
    return [
        f"{words[extra]} of {what} is not in the model, so it is not estimated"
        for what, extra, name in each
        if not would.get(name)
    ]


def _extras(tree: Tree) -> list[tuple[str, Scalar]]:
    """Return the parameters of rotors and friction, by name, also those that are zero."""
    return [
        (f"{shaft.name}.{name}", value)
        for shaft in tree.shafts
        for name, value in zip(EXTRAS, shaft.parameters, strict=True)
    ]


def on_another(law: Any, robot: Robot) -> Any:
    """Return an adaptive law made from another model, which may have other parameters."""
    Gamma = law.adaptation
    one = estimates(robot.tree, law.estimate, gravity_alone=not law.parameters.with_extras)
    if one.names != law.parameters.names:
        if not np.array_equal(Gamma, Gamma[0, 0] * np.eye(len(Gamma))):
            raise BadArgument(
                f"adaptation is of {len(Gamma)} parameters, and of the model {robot.name!r} "
                f"{len(one)} are estimated; give one number, or a Γ made for that model."
            )
        Gamma = Gamma[0, 0]
    return replace(law, robot=robot, adaptation=Gamma)


def _units(body: Body, which: str) -> list[tuple[str, Inertia]]:
    if which == "all":
        return [(name, body.counted(unit)) for name, unit in zip(NAMES, UNITS, strict=True)]
    left = left_alone(body)
    first = [(NAMES[k], UNITS[k]) for k, i in enumerate((3, 0, 1, 2)) if not (left[i] and left[3])]
    kept = [(i, j) for i, j in SECOND if not (left[i] and left[j])]
    units = first + [(f"S{XYZ[i]}{XYZ[j]}", _second(i, j)) for i, j in kept]
    return [(name, body.counted(unit)) for name, unit in units]


def _second(i: int, j: int) -> Inertia:
    """Return the inertia whose second moment ∫ rᵢ rⱼ dm alone is 1."""
    moment = np.zeros((3, 3), dtype=int)
    moment[i, j] = moment[j, i] = 1
    return Inertia(0, NO_INERTIA.h, from_euler(moment))


def _felt(tree: Tree, directions: list, gravity_alone: bool) -> np.ndarray:
    """Return which parameters some torque depends on, tried at a few states."""
    rng = np.random.default_rng(0)
    still = np.zeros(tree.n)
    sizes = np.zeros(len(directions))
    for _ in range(TRIES):
        place, qd, qd_r, qdd_r, s = rng.uniform(-1.5, 1.5, (5, tree.n))
        q = tree.from_neutral(place)
        at = (still, still, still) if gravity_alone else (qd, qd_r, qdd_r)
        found = powers(tree, movements(tree, q, *at), s, directions)
        sizes = np.maximum(sizes, np.abs(np.array(found, dtype=float)))
    return sizes > SMALLEST_EFFECT * sizes.max(initial=0)
