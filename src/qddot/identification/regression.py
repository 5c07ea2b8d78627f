"""The regression that identification solves: which columns there are, and what they are worth.

Besides the parameters that a model has, a regression may have friction, offset and rotor inertia
at every joint (`terms`), and columns of the user's own (`extra`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from qddot.errors import BadArgument, did_you_mean
from qddot.identification.extra_columns import Extra, extras_of
from qddot.identification.grouping import triangle
from qddot.identification.samples import Samples
from qddot.model import Motor
from qddot.model.friction import LINEAR

# what may be asked for, and the placeholder that makes a model have it
TERMS = (*(p.name for p in LINEAR), "rotor_inertia")
USUAL_TERMS = ("friction", "offset")  # what nearly every arm has and few models say
SHORT = {p.column: p.name for p in LINEAR} | {"Ia": "rotor_inertia"}
FRICTION = tuple(p.name for p in LINEAR if p.usual)
RESISTING = (*(f".{p.column}" for p in LINEAR if p.resists), ".Ia")  # never negative


def with_terms(robot: Any, terms: Sequence[str]) -> Any:
    """Return the robot with a 1 wherever a term is asked for and the model has none."""
    wanted = {SHORT.get(t, t) for t in ((terms,) if isinstance(terms, str) else terms)}
    wanted |= set(FRICTION) if "friction" in wanted else set()
    wanted.discard("friction")
    for term in wanted:
        if term not in TERMS:
            known = ("friction", *TERMS, *SHORT)
            raise BadArgument(
                f"There is no term {term!r}.{did_you_mean(term, known)}\n"
                f"  There are: {', '.join(known)}."
            )
    free = robot.model.free_joints
    given = {
        term: [getattr(joint.friction, term) or 1 for joint in free]
        for term in TERMS[:-1]
        if term in wanted
    }
    if given:
        robot = robot.with_friction(**given)
    if "rotor_inertia" in wanted:
        moving = {joint.name for joint in free}

        def driven(joint: Any) -> Any:
            has = joint.motor.reflected or joint.name not in moving
            return joint if has else replace(joint, motor=Motor(rotor_inertia=1))

        robot = replace(robot, model=robot.model.with_joints(driven))
    return robot


@dataclass(frozen=True)
class Regression:
    """A robot, the terms added to it, and extra columns: τ = Y φ + what is not linear."""

    robot: Any
    full: Any  # the robot that has every term, so that its regressor has every column
    extra: tuple[Extra, ...] = ()

    @staticmethod
    def of(robot: Any, terms: Sequence[str] = (), extra: Any = ()) -> Regression:
        """Return the regression of a robot.

        Args:
            robot: The robot.
            terms: "viscous", "coulomb" (both: "friction"), "offset", "rotor_inertia".
            extra: By name, functions of one state (q, qd, qdd), each of shape (n,), that return
                what a parameter of size 1 adds to the torques, shape (n,).
        """
        if isinstance(robot, Regression):
            return robot
        return Regression(robot, with_terms(robot, terms), extras_of(robot, extra))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """What the columns are called."""
        own = self.full.parameter_names
        more = tuple(extra.name for extra in self.extra)
        twice = [name for name in more if name in own or more.count(name) > 1]
        if twice:
            raise BadArgument(f"There are two parameters called {twice[0]!r}; rename one.")
        return own + more

    @cached_property
    def prior(self) -> np.ndarray:
        """The parameters as the robot's model has them; nothing for terms it does not have."""
        values = dict(zip(self.robot.parameter_names, self.robot.parameters, strict=True))
        return np.array([values.get(name, 0.0) for name in self.names])

    @property
    def inertial(self) -> int:
        """How many columns are of bodies; they come first."""
        return 10 * len(self.robot.tree.bodies)

    def columns(self, samples: Samples) -> np.ndarray:
        """Return Y at every sample, shape (k, n, p)."""
        if samples.Y is not None:
            return samples.Y
        q, qd, qdd = samples.q, samples.qd, samples.qdd
        Y = self.full.regressor(q, qd, qdd)
        if not self.extra:
            return Y
        more = [extra(q, qd, qdd)[..., None] for extra in self.extra]
        return np.concatenate([Y, *more], axis=-1)

    def check_extra(self, samples: Samples) -> None:
        """Refuse extra columns that are not finite at some sample."""
        for where, part in samples.chunks():
            for extra in self.extra:
                values = extra(part.q, part.qd, part.qdd)
                bad = np.argwhere(~np.isfinite(values))
                if len(bad):
                    row, joint = bad[0]
                    state = ", ".join(
                        f"{name} = {np.array2string(x[row], precision=4)}"
                        for name, x in (("q", part.q), ("qd", part.qd), ("qdd", part.qdd))
                    )
                    raise BadArgument(
                        f"The column {extra.name!r} is {values[row, joint]} in row "
                        f"{where.start + row} of joint {self.robot.joint_names[joint]!r}, at "
                        f"{state}.\n  Write it so that it is finite wherever the robot may go."
                    )

    def rest(self, samples: Samples) -> np.ndarray | float:
        """Return the torque of springs and of the Stribeck effect, which the model keeps."""
        tree = self.robot.tree
        linear_only = not tree.elastics and all(f == f.steady for f in tree.friction)
        if linear_only or samples.Y is not None:  # of filtered samples it is taken off before
            return 0.0
        q, qd, qdd = samples.q, samples.qd, samples.qdd
        linear = self.robot.regressor(q, qd, qdd) @ self.robot.parameters
        return self.robot.inverse_dynamics(q, qd, qdd) - linear

    def factor(self, samples: Samples) -> np.ndarray:
        """Return R of Y where torques count, all columns, shape (at most p, p)."""
        R = np.zeros((0, len(self.names)))
        for _, part in samples.chunks():
            Y = self.columns(part)
            use = np.ones(Y.shape[:2], bool) if part.counts is None else part.counts
            R = triangle(np.vstack([R, Y[use]]))
        return R

    def torque(self, samples: Samples, phi: np.ndarray) -> np.ndarray:
        """Return what parameters predict, shape (k, n), springs included."""
        result = np.empty((len(samples), self.robot.n))
        for where, part in samples.chunks():
            result[where] = self.columns(part) @ phi + self.rest(part)
        return result

    def values(self, phi: np.ndarray) -> Mapping[str, float]:
        """Return parameters by name."""
        return dict(zip(self.names, phi.tolist(), strict=True))
