"""Robust tracking: a torque larger than all that the errors of the model can cause.

Siciliano: B. Siciliano, L. Sciavicco, L. Villani, G. Oriolo, *Robotics: Modelling, Planning and
Control*, Springer, 2009, §8.5.3; Slotine: J.-J. Slotine, W. Li, *Applied Nonlinear Control*,
Prentice Hall, 1991, chapter 9.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from qddot.checks import positive
from qddot.control.laws import dry_friction
from qddot.control.laws.assumption import RIGID, Assumption, Rows, differences
from qddot.control.laws.gains import LEAN, Assignment, bound
from qddot.control.laws.law import NO_STATE
from qddot.control.laws.slotine_li import SlotineLi
from qddot.dynamics.friction import offset_torque
from qddot.model.shaft import Shaft
from qddot.robot import Robot
from qddot.scalars import JointVec, Scalar

TRIES = 2000
SPARE = 1.2  # by how much bounds that are chosen are above what was found


@dataclass(frozen=True, eq=False, repr=False)
class RobustSaturated(SlotineLi):
    """Sliding mode with a boundary layer, around the passivity-based law.

    Three numbers bound the errors of the model, all in the Euclidean norm, and ρ is larger than
    their effect:

        ρ = ‖ΔM‖ ‖q̈_r‖ + ‖ΔC‖ ‖q̇‖ ‖q̇_r‖ + ‖Δg‖

    V falls while ‖s‖ > ε; within the layer an error is left, of the size of ε/Λ.

    Args:
        robot: The law's model.
        lam: Λ: a number, (n,) or (n, n) [1/s].
        kd: K_D: a number, (n,) or (n, n) [N·m·s/rad].
        reference: Of the joints, or where to stay, (n,) [rad or m].
        mass: sup ‖ΔM‖ [kg·m²].
        coriolis: sup ‖ΔC(q, q̇)‖/‖q̇‖ [kg·m²].
        gravity: sup of the norm of all else that is not modelled [N·m]: gravity, springs, offsets,
            and friction, dry friction as large as it can be.
        layer: ε: ‖s‖ below which the push is reduced [rad/s].
        friction: The velocity that compensates the dry friction of the model, as in `SlotineLi`.
    """

    mass: Any = 0.0
    coriolis: Any = 0.0
    gravity: Any = 0.0
    layer: float = 0.05

    kind: ClassVar[str] = "robust"
    gain_names: ClassVar[tuple[str, ...]] = ("lam", "kd", "mass", "coriolis", "gravity", "layer")
    gain_units: ClassVar[Mapping[str, str]] = {
        **SlotineLi.gain_units,
        "mass": "inertia",
        "coriolis": "coriolis",
        "gravity": "effort",
        "layer": "velocity",
    }
    equation: ClassVar[str] = "τ = M̂ q̈_r + Ĉ q̇_r + ĝ + … − K_D s − ρ s/max(‖s‖, ε)"

    @classmethod
    def suited(cls, task: Assignment) -> dict[str, Any]:
        """Return gains, and bounds: what the model is wrong by at many states, and a fifth more."""
        worst = cls(task.model, LEAN, 1.0, task.q).wrong_by(task.arm)
        return super().suited(task) | {name: SPARE * found for name, found in worst.items()}

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("mass", "coriolis", "gravity"):
            object.__setattr__(self, name, bound(name, getattr(self, name)))
        wanted = "a positive velocity [rad/s]: without a boundary layer the torques would chatter"
        positive("layer", self.layer, wanted=wanted)

    def define(self, t: Scalar, q: JointVec, qd: JointVec, x: JointVec) -> tuple:
        s, qd_r, qdd_r = self.sliding(t, q, qd)
        size = np.sqrt(s @ s)
        rho = self.gravity + 0 * size
        if self.mass:
            rho = rho + self.mass * _norm(qdd_r)
        if self.coriolis:
            rho = rho + self.coriolis * _norm(qd) * _norm(qd_r)
        push = s * (rho / np.maximum(size, self.layer))
        return self.modelled(q, qd, qd_r, qdd_r) - self.kd @ s - push, NO_STATE

    def assumptions(self, robot: Robot | None = None, run: Rows | None = None) -> list[Assumption]:
        """Return whether the bounds hold.

        Where model and arm differ, they are tried at many states: then they may fail, not be
        proved.
        """
        robot = robot or self.robot
        if found := differences(self.robot, robot, ("joints",)):
            return [Assumption("The arm has the joints of the model", False, found[0].why)]
        said = {"mass": "‖ΔM‖", "coriolis": "‖ΔC‖/‖q̇‖", "gravity": "‖Δg‖ with all else"}
        same, worst = self._same(robot), self.wrong_by(robot, run)
        _, moved = self._rubbing(robot, run)
        why = "the models are the same" if same else f"tried at {TRIES} states"
        return [
            Assumption(
                f"{said[name]} ≤ {getattr(self, name):.4g}",
                False if found > getattr(self, name) else True if same and moved else None,
                f"it is up to {found:.4g}; {why}",
            )
            for name, found in worst.items()
        ]

    def wrong_by(self, robot: Robot, run: Rows | None = None) -> dict[str, float]:
        """Return what mass, coriolis and gravity must be at least, as far as was tried."""
        names = ("mass", "coriolis", "gravity")
        worst = dict.fromkeys(names, 0.0) if self._same(robot) else self._apart(robot)
        return worst | {"gravity": worst["gravity"] + self._rubbing(robot, run)[0]}

    def _same(self, robot: Robot) -> bool:
        return not differences(self.robot, robot, (*RIGID, "springs", "offset"))

    def dry_friction(self, robot: Robot, q: np.ndarray) -> Assumption:
        """Return that dry friction is one of the things that ρ outweighs."""
        left = super().dry_friction(robot, q)
        if dry_friction.none_at_all(robot):
            return left
        return left._replace(holds=True, why="it is part of what `gravity` bounds")

    def error_left(self, robot: Robot, q: np.ndarray) -> float:
        """Return the error that the boundary layer leaves, of ‖s‖ = ε."""
        return self._within(robot, q, self.layer)

    def falling(self, t: Scalar, q: JointVec, qd: JointVec) -> Scalar:
        """Return ‖s‖ − ε."""
        return _norm(self.sliding(t, q, qd)[0]) - self.layer

    def _rubbing(self, robot: Robot, run: Rows | None) -> tuple[float, bool]:
        """Return how much friction is not modelled at most, and whether that is known for sure.

        Of dry friction the larger of the arm's and the model's, whose signs are the same; of
        viscous friction what the largest velocity of the run makes of it.
        """
        (slipping, arm), (slip, own) = (dry_friction.sizes(each) for each in (robot, self.robot))
        dry = np.maximum(arm, own)
        if self.friction == "desired":
            known = all(np.array_equal(arm, other) for other in (own, slipping, slip))
            dry = np.zeros_like(arm) if known else arm + own
        shafts, own_shafts = robot.tree.shafts, self.robot.tree.shafts
        one, other = ([(s.direction, s.friction.smooth) for s in x] for x in (shafts, own_shafts))
        if one == other:
            return float(np.linalg.norm(dry)), True
        if run is None:
            return float(np.linalg.norm(dry)), False
        off = _smooth_torques(shafts, run.qd) - _smooth_torques(own_shafts, run.qd)
        most = np.linalg.norm(off, axis=1).max()
        return float(np.linalg.norm(dry) + most), False

    def _apart(self, robot: Robot) -> dict[str, float]:
        """Return how far an arm is from the model, at the worst of many states."""
        rng = np.random.default_rng(0)
        q = robot.tree.from_neutral(rng.uniform(-np.pi, np.pi, (TRIES, robot.n)))
        qd = rng.normal(size=(TRIES, robot.n))
        qd /= np.linalg.norm(qd, axis=1, keepdims=True)
        differ = {
            "mass": self.robot.mass_matrix(q) - robot.mass_matrix(q),
            "coriolis": self.robot.coriolis_matrix(q, qd) - robot.coriolis_matrix(q, qd),
        }
        worst = {k: float(np.linalg.norm(x, ord=2, axis=(1, 2)).max()) for k, x in differ.items()}
        mine, arm = (each.without("friction") for each in (self.robot, robot))
        still = mine.bias_torque(q, 0 * qd) - arm.bias_torque(q, 0 * qd)
        offsets = offset_torque(self.robot.tree) - offset_torque(robot.tree)
        still = still + np.asarray(offsets, float)
        return worst | {"gravity": float(np.linalg.norm(still, axis=1).max())}


def _smooth_torques(shafts: Sequence[Shaft], qd: np.ndarray) -> np.ndarray:
    """Return what friction that goes to zero with the velocity takes, shape (k, n)."""
    along = np.array([shaft.direction for shaft in shafts], float)
    each = zip(shafts, along @ qd.T, strict=True)
    return np.array([shaft.friction.smooth.torque(w) for shaft, w in each], float).T @ along


def _norm(x: JointVec) -> Scalar:
    return np.sqrt(x @ x)
