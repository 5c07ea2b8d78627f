"""What an arm carries, from two logs: one with it and one without.

The load adds its ten numbers to the body that holds it, and so to the base parameters:

    β_with − β_without = B_load φ_load

The base parameters of both logs are found on their own, and the difference is solved for the load,
each by how well it is known. Friction is taken to be the same in both logs.

Khalil: W. Khalil, M. Gautier, P. Lemoine, *Identification of the payload inertial parameters of
industrial manipulators*, ICRA 2007, pp. 4943-4948.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from qddot.checks import frame_name
from qddot.errors import BadArgument
from qddot.identification.back_to_robot import PSEUDO, pseudo
from qddot.identification.estimators import identify
from qddot.identification.grouping import sorted_out
from qddot.identification.regression import USUAL_TERMS
from qddot.identification.result import Fit
from qddot.model.tree import BASE
from qddot.plain_text import fitted
from qddot.results import in_notebook
from qddot.spatial.inertia import NAMES, Inertia, upper
from qddot.spatial.pose import Pose

UNSEEN = 1e-6
LEAST_DEVIATIONS = 2.0  # a mass of fewer of its deviations is no load


@dataclass(frozen=True)
class PayloadFit:
    """A load: its ten numbers about the frame that carries it, with their deviations."""

    frame: str
    parameters: np.ndarray  # (10,), in the order m, mx, my, mz, Ixx, Ixy, Ixz, Iyy, Iyz, Izz
    covariance: np.ndarray  # (10, 10)
    without: Fit
    with_load: Fit
    note: str = ""  # why this is no load, if it is none

    @property
    def deviations(self) -> np.ndarray:
        """The standard deviations of the parameters."""
        return np.sqrt(np.maximum(np.diag(self.covariance), 0))

    @property
    def mass(self) -> float:
        """The mass [kg]."""
        return float(self.parameters[0])

    @property
    def com(self) -> np.ndarray:
        """The centre of mass [m] in the frame."""
        self._check()
        return self.parameters[1:4] / self.mass

    @property
    def inertia(self) -> np.ndarray:
        """About the centre of mass [kg·m²], shape (3, 3)."""
        self._check()
        _, _, I = Inertia.from_parameters(self.parameters.tolist()).com_form()
        return np.array(I, dtype=float)

    def _check(self) -> None:
        if self.note:
            raise BadArgument(f"{self.note}\n  `parameters` has the ten numbers all the same.")

    @property
    def is_possible(self) -> bool:
        """Whether a body with these numbers exists."""
        values = np.linalg.eigvalsh(pseudo(self.parameters))
        return bool(values[0] >= -1e-9 * abs(values[-1]))

    @property
    def impossible(self) -> str:
        """Why no body has these numbers, and what to do; nothing where one has them."""
        if self.is_possible:
            return ""
        least = float(np.linalg.eigvalsh(pseudo(self.parameters))[0])
        return (
            f"No body has these numbers: its pseudo-inertia has an eigenvalue of {least:.2g} below "
            "zero. consistent=True finds the nearest load that can exist."
        )

    @property
    def robot(self) -> Any:
        """The robot as found without the load, carrying it."""
        inertia = tuple(float(x) for x in upper(self.inertia))
        return self.without.robot.with_payload(self.frame, self.mass, self.com.tolist(), inertia)

    @fitted
    def __str__(self) -> str:
        if self.note:
            return self.note
        x, y, z = self.com
        s = self.deviations
        names = zip(NAMES, self.parameters, s, strict=True)
        return (
            f"Payload at {self.frame!r}: {self.mass:.4g} ± {s[0]:.1g} kg, centre of mass "
            f"({x:.4g}, {y:.4g}, {z:.4g}) m\n  "
            + ", ".join(f"{name} {value:.4g} ± {d:.1g}" for name, value, d in names)
            + (f"\n  {self.impossible}" if self.impossible else "")
        )

    __repr__ = __str__

    _repr_html_ = in_notebook("identification.payload_html")

    def to_dict(self) -> dict[str, Any]:
        """Return the load as plain data."""
        return {
            "frame": self.frame,
            "mass": self.mass,
            "com": None if self.note else self.com.tolist(),
            "inertia": None if self.note else self.inertia.tolist(),
            "parameters": dict(zip(NAMES, self.parameters.tolist(), strict=True)),
            "deviations": dict(zip(NAMES, self.deviations.tolist(), strict=True)),
            "possible": self.is_possible,
            "impossible": self.impossible,
            "note": self.note,
        }


def identify_payload(
    robot: Any,
    frame: str,
    without: Any,
    with_load: Any,
    *,
    consistent: bool = False,
    terms: Sequence[str] = USUAL_TERMS,
    extra: Any = (),
    **options: Any,
) -> PayloadFit:
    """Return the load that an arm carries, from a log without it and one with it.

    Args:
        robot: The robot without the load.
        frame: The frame that carries it, in which its numbers are given.
        without, with_load: The two logs; or, for the first, the fit of one.
        consistent: Whether to look only among loads that can exist (needs cvxpy).
        terms, extra, options: As for `identify`.
    """
    frame_name(robot, frame)
    body, X_BF = robot.tree.frames[frame]
    if body == BASE:
        raise BadArgument(f"Frame {frame!r} does not move, so no torque feels what it carries.")
    more = dict(options, terms=terms, extra=extra)
    first = without if isinstance(without, Fit) else identify(robot, without, **more)
    second = identify(robot, with_load, **more)
    if first.names != second.names:
        raise BadArgument(
            "The two logs show different base parameters; use the same terms and options for "
            "both, and logs that move every joint."
        )
    A = first.problem.B[:, 10 * body : 10 * body + 10] @ seen_in_body(X_BF)
    difference = second.values - first.values
    covariance = first.solution.covariance + second.solution.covariance
    values, vectors = np.linalg.eigh(covariance)
    whiten = (vectors / np.sqrt(np.maximum(values, values[-1] * 1e-16))).T
    A, difference = whiten @ A, whiten @ difference
    shown = sorted_out(A, UNSEEN)
    if len(shown.kept) < len(NAMES):
        lost = [NAMES[k] for k in range(len(NAMES)) if k not in shown.kept]
        raise BadArgument(
            f"The torques of robot {robot.name!r} do not tell {', '.join(lost)} of a load at "
            f"{frame!r} from the rest of it: some of its parameters act on no joint, or only "
            "together.\n  Name a frame further from the base, or use an arm with more joints."
        )
    scale = np.linalg.norm(A, axis=0)
    phi = np.linalg.lstsq(A / scale, difference, rcond=None)[0] / scale
    inverse = np.linalg.inv(A.T @ A)
    note = doubt(frame, float(phi[0]), float(np.sqrt(inverse[0, 0])))
    if consistent:
        phi = possible(A, difference, phi)
    return PayloadFit(frame, phi, inverse, first, second, note)


def doubt(frame: str, mass: float, deviation: float) -> str:
    """Return why a mass is no load, or nothing."""
    said = f"mass {mass:.3g} ± {deviation:.1g} kg at {frame!r}"
    if mass < -LEAST_DEVIATIONS * deviation:
        return f"The load is negative, {said}: are the logs swapped? The one without it is first."
    if mass < LEAST_DEVIATIONS * deviation:
        return f"No load found: {said}, less than {LEAST_DEVIATIONS:.0f} deviations."
    return ""


def seen_in_body(X_BF: Pose) -> np.ndarray:
    """Return what turns the ten numbers in a frame into those in its body, shape (10, 10)."""
    columns = [
        Inertia.from_parameters(unit).seen_from(X_BF).parameters for unit in np.eye(10).tolist()
    ]
    return np.array(columns, dtype=float).T


def possible(A: np.ndarray, right: np.ndarray, start: np.ndarray) -> np.ndarray:
    """Return the load that can exist and is nearest to what two logs say."""
    from qddot.identification.consistent import quietly, solver

    cp = solver()
    scale = 1 / np.linalg.norm(A, axis=0)
    x = cp.Variable(10)
    J = cp.reshape((PSEUDO.reshape(10, 16).T * scale) @ x, (4, 4), order="C")
    size = float(np.linalg.norm(right)) or 1.0
    aim = cp.Minimize(cp.norm((A * scale) @ x / size - right / size))
    quietly(cp.Problem(aim, [(J + J.T) / 2 >> 0]), solver=cp.CLARABEL)
    return start if x.value is None else np.asarray(x.value) * scale
