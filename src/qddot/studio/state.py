"""What a page is told about a state: matrices, torques, energies, and what the arm looks like."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from qddot.dynamics.friction import friction_torque
from qddot.studio.arm import Arm
from qddot.studio.messages import Question
from qddot.studio.state_kernel import OUTPUTS

MOBILE = 1e-12  # of the largest mobility: below it, a frame cannot move that way
NOT_FINITE = "Some numbers are not finite at this state, and are left out."


@dataclass(frozen=True)
class State:
    """Where the joints are and how they move."""

    q: np.ndarray
    qd: np.ndarray
    qdd: np.ndarray


def state_of(question: Question, n: int) -> State:
    """Return the state that a question is about; what it does not say is zero."""
    rest = np.zeros(n)
    return State(
        question.numbers("q", n),
        question.numbers("qd", n, rest),
        question.numbers("qdd", n, rest),
    )


def quantities(arm: Arm, state: State) -> dict[str, Any]:
    """Return everything that can be computed of a state, by name."""
    load = np.array(arm.changes.mass)
    with np.errstate(all="ignore"):
        parts = arm.kernel(state.q, state.qd, state.qdd, arm.gravity, load)
        found: dict[str, Any] = dict(zip(OUTPUTS, parts, strict=True))
        friction = np.array(friction_torque(arm.now.tree, state.qd), dtype=float)
    found["friction"] = friction
    found["tau"] = found["tau"] + friction
    return found


def now(arm: Arm, state: State, frame: str, ellipsoid: bool, torques: bool) -> dict[str, Any]:
    """Return the answer "now".

    Args:
        arm: The robot.
        state: Its state.
        frame: Whose place and effective mass are wanted.
        ellipsoid: Whether the effective mass is drawn.
        torques: Whether the gravity torques are drawn.
    """
    found = quantities(arm, state)
    tip = arm.robot.pose(state.q, frame)[:3, 3]
    M = found["M"]
    whole = bool(np.isfinite(M).all() and np.isfinite(state.q).all())
    values = np.linalg.eigvalsh(M) if whole else np.full(len(M), np.nan)
    masses, Lambda = effective_mass(arm, state.q, frame, M) if whole else (None, None)
    answer = {
        "is": "now",
        "q": state.q,
        "qd": state.qd,
        "qdd": state.qdd,
        **found,
        "eigenvalues": values,
        "condition": float(values[-1] / values[0]) if values[0] > 0 else None,
        "tip": tip,
        "effective_mass": masses,
        "scene": arm.scene.scene(
            state.q,
            frame=frame,
            ellipsoid=Lambda if ellipsoid and Lambda is not None else False,
            gravity_torques=found["g"] if torques and np.isfinite(found["g"]).all() else False,
        ),
    }
    sums = sum(float(np.sum(found[name])) for name in OUTPUTS)
    if not np.isfinite(sums) or not np.isfinite(tip).all():
        answer["warning"] = NOT_FINITE
    return answer


def effective_mass(
    arm: Arm, q: np.ndarray, frame: str, M: np.ndarray
) -> tuple[list[float | None] | None, np.ndarray | None]:
    """Return the principal effective masses of a frame [kg], ascending, and their matrix.

    None stands for directions in which the frame cannot move, where the mass is infinite:

        Λ = (J M⁻¹ Jᵀ)⁻¹
    """
    J = arm.robot.jacobian(q, frame)[3:]
    try:
        mobility = J @ np.linalg.solve(M, J.T)
        values, axes = np.linalg.eigh((mobility + mobility.T) / 2)
    except np.linalg.LinAlgError:
        return None, None
    if not np.isfinite(values).all() or values[-1] <= 0:
        return None, None
    moves = values > MOBILE * values[-1]
    masses = [float(1 / x) if free else None for x, free in zip(values, moves, strict=True)]
    Lambda = (axes[:, moves] / values[moves]) @ axes[:, moves].T
    return masses[::-1], Lambda
