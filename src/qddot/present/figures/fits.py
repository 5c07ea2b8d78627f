"""Figures of a fit and of a log: torques, residuals, parameters, spectra."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from qddot.identification.log import Log
from qddot.identification.result import Fit
from qddot.identification.spectrum import cutoff as from_spectrum
from qddot.identification.spectrum import suggested
from qddot.identification.validation import rows_for
from qddot.model.friction import LINEAR
from qddot.model.units import ANGLE
from qddot.present.figures.identification import (
    Bars,
    Torques,
    excitation,
    parameters,
    residuals,
    spectrum,
    torques,
)
from qddot.present.figures.style import savable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

KINDS = {
    "m": "masses [kg]",
    "h": "first moments [kg·m]",
    "I": "moments of inertia [kg·m²]",
    "Ia": "rotor inertias [kg·m²]",
    **{p.column: f"{p.meaning} [{getattr(ANGLE, p.unit)}]" for p in LINEAR},
    "": "other",
}
File = str | Path | None


@savable
def plot_torques(fit: Fit, log: Any = None, *, path: File = None) -> Figure:
    """Return each joint's torque, measured and predicted, with what is left of it.

    Args:
        fit: The fit.
        log: Another prepared log to predict; by default the one fitted.
        path: Where to save the figure (.png, .svg, .pdf); nowhere if None.
    """
    return torques(_torques(fit, rows_for(fit, log)))


@savable
def plot_residuals(fit: Fit, log: Any = None, *, path: File = None) -> Figure:
    """Return how residuals are distributed, beside a normal one, and their spectra."""
    return residuals(_torques(fit, rows_for(fit, log)))


@savable
def plot_parameters(fit: Fit, *, path: File = None) -> Figure:
    """Return the base parameters as bars, with 95 % intervals and what the robot's file said."""
    return parameters(_bars(fit))


@savable
def plot_excitation(fit: Fit, *, path: File = None) -> Figure:
    """Return how well the log tells parameters apart: singular values, and the least told ones."""
    values, own = excited(fit)
    return excitation(values, fit.names, own)


@savable
def plot_spectrum(log: Log, cutoff: float | None = None, *, path: File = None) -> Figure:
    """Return the spectra of a log's positions with the cut-off of its filter.

    Args:
        log: The log as loaded; of a prepared one the filter has taken the noise.
        cutoff: What was used instead of the cut-off that the spectrum suggests [Hz].
        path: Where to save the figure (.png, .svg, .pdf); nowhere if None.
    """
    from qddot.identification.signals import resampled

    even = log if log.even else resampled(log)
    found = from_spectrum(even) if cutoff is None else replace(suggested(even), frequency=cutoff)
    s = found.spectrum
    return spectrum(
        *(s.frequency, s.power, s.joint_names),
        floor=s.floor,
        band=min(float(s.band.max()), found.frequency),
        cutoff=found.frequency,
        title=found.why if cutoff is None else "",
    )


def excited(fit: Fit) -> tuple[np.ndarray, np.ndarray]:
    """Return the singular values of the scaled base regressor, and what is each column's own."""
    R = fit.problem.stacked()[:, :-1]
    R = R / np.linalg.norm(R, axis=0)
    values = np.linalg.svd(R, compute_uv=False)
    own = 1 / np.linalg.norm(np.linalg.pinv(R), axis=1)
    return values, own


def _torques(fit: Fit, rows: Log) -> Torques:
    robot = fit.problem.regression.robot
    return Torques(
        tuple(robot.joint_names),
        tuple(joint.units.effort for joint in robot.model.free_joints),
        rows.t,
        rows.tau,
        fit.predict(rows),
        rows.used,
    )


def _bars(fit: Fit) -> list[Bars]:
    """Return the base parameters by kind, which is that of the first of each group."""
    problem = fit.problem
    low, high = fit.intervals().T
    prior = problem.B @ problem.prior
    kinds: dict[str, list[int]] = {}
    for k, group in enumerate(problem.base.groups):
        kinds.setdefault(_kind(group.name), []).append(k)
    return [
        Bars(
            KINDS[kind],
            tuple(fit.names[k] for k in kinds[kind]),
            *(x[kinds[kind]] for x in (fit.values, (high - low) / 2, prior)),
        )
        for kind in KINDS
        if kind in kinds
    ]


def _kind(name: str) -> str:
    last = name.rpartition(".")[2]
    if last in ("mx", "my", "mz"):
        return "h"
    if last.startswith("I") and last != "Ia":
        return "I"
    return last if last in KINDS else ""
