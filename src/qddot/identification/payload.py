"""What an arm carries, from logs with it and logs without it, in one fit (see `runs`).

Friction is taken to be the same in all of them.

Khalil: W. Khalil, M. Gautier, P. Lemoine, *Identification of the payload inertial parameters of
industrial manipulators*, ICRA 2007, pp. 4943-4948.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from qddot.errors import BadArgument, shorten
from qddot.identification.back_to_robot import pseudo
from qddot.identification.estimators import identify
from qddot.identification.result import Fit
from qddot.identification.runs import MeasuredRun, is_several
from qddot.identification.solution import weighted
from qddot.plain_text import fitted
from qddot.results import in_notebook
from qddot.spatial.inertia import NAMES, Inertia, upper

LEAST_DEVIATIONS = 2.0  # a mass of fewer of its deviations is no load


@dataclass(frozen=True)
class PayloadFit:
    """A load: its ten numbers about the frame that carries it, with their deviations."""

    frame: str
    parameters: np.ndarray  # (10,), in the order m, mx, my, mz, Ixx, Ixy, Ixz, Iyy, Iyz, Izz
    covariance: np.ndarray  # (10, 10)
    fit: Fit
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
        return self.fit.robot.with_payload(self.frame, self.mass, self.com.tolist(), inertia)

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
    **options: Any,
) -> PayloadFit:
    """Return the load that an arm carries, from a log without it and one with it.

    Args:
        robot: The robot without the load.
        frame: The frame that carries it, in which its numbers are given.
        without, with_load: The two logs, or lists of them; or, for the first, the fit of one.
        consistent: Whether to look only among loads that can exist (needs cvxpy).
        options: As for `identify`: `terms`, `extra`, ...
    """
    first = without.log if isinstance(without, Fit) else without
    empty = [MeasuredRun(log) for log in (first if is_several(first) else [first])]
    more = with_load if is_several(with_load) else [with_load]
    loaded = [MeasuredRun(log, carries=frame) for log in more]
    method = "consistent" if consistent else "weighted"
    return payload_of(identify(robot, [*empty, *loaded], method, **options), frame)


def payload_of(fit: Fit, frame: str) -> PayloadFit:
    """Return the load at a frame that a fit found; refuse one that torques do not tell."""
    names = _names(frame)
    regression = fit.problem.regression
    if names[0] not in regression.names:
        raise BadArgument(
            f"No run of this fit carries an unknown load at {shorten(repr(frame))}.\n"
            f"  Fit several logs, one of them MeasuredRun(log, carries={frame!r})."
        )
    if lost := untold(fit, frame):
        raise BadArgument(
            f"The torques of robot {regression.robot.name!r} do not tell {', '.join(lost)} of a "
            f"load at {frame!r} from the rest of it: some of its parameters act on no joint, or "
            "only together.\n  Name a frame further from the base, use an arm with more joints, "
            "and give a log without the load too."
        )
    at = [fit.names.index(name) for name in names]
    covariance = fit.solution.covariance
    mass = fit.values[at[0]]
    if not np.isfinite(covariance).any():  # a consistent fit has none of its own
        free = weighted(fit.problem)
        covariance, mass = free.covariance, free.beta[at[0]]
    own = covariance[np.ix_(at, at)]
    note = doubt(frame, float(mass), float(np.sqrt(own[0, 0])))
    return PayloadFit(frame, fit.values[at], own, fit, note)


def untold(fit: Fit, frame: str) -> list[str]:
    """Return which of a load's ten numbers torques do not tell from the rest of the arm."""
    return [n for n, name in zip(NAMES, _names(frame), strict=True) if name not in fit.names]


def _names(frame: str) -> list[str]:
    return [f"load at {frame}.{name}" for name in NAMES]


def doubt(frame: str, mass: float, deviation: float) -> str:
    """Return why a mass is no load, or nothing."""
    said = f"mass {mass:.3g} ± {deviation:.1g} kg at {frame!r}"
    if mass < -LEAST_DEVIATIONS * deviation:
        return f"The load is negative, {said}: are the logs swapped? The one without it is first."
    if mass < LEAST_DEVIATIONS * deviation:
        return f"No load found: {said}, less than {LEAST_DEVIATIONS:.0f} deviations."
    return ""
