"""Figures of a fit and of a log: torques, residuals, parameters, spectra; a page of them all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from qddot.identification.log import Log
from qddot.identification.problem import filtered
from qddot.identification.result import Fit
from qddot.identification.samples import Samples, as_samples
from qddot.identification.spectrum import cutoff as from_spectrum
from qddot.identification.spectrum import suggested
from qddot.plot.figure_file import FIGURES, save_figure
from qddot.plot.identification import (
    Bars,
    Torques,
    excitation,
    parameters,
    residuals,
    spectrum,
    torques,
)
from qddot.saving import ending

if TYPE_CHECKING:
    from matplotlib.figure import Figure

KINDS = {
    "m": "masses [kg]",
    "h": "first moments [kg·m]",
    "I": "moments of inertia [kg·m²]",
    "Ia": "rotor inertias [kg·m²]",
    "fv": "viscous friction [N·m·s/rad]",
    "fs": "Coulomb friction [N·m]",
    "f0": "offsets [N·m]",
    "": "other",
}
File = str | Path | None


def plot_torques(fit: Fit, log: Any = None, *, path: File = None) -> Figure:
    """Return each joint's torque, measured and predicted, with what is left of it.

    Args:
        fit: The fit.
        log: Another prepared log to predict; by default the one fitted.
        path: Where to save the figure (.png, .svg, .pdf); nowhere if None.
    """
    return _saved(path, lambda: torques(_torques(fit, _samples(fit, log))))


def plot_residuals(fit: Fit, log: Any = None, *, path: File = None) -> Figure:
    """Return how residuals are distributed, beside a normal one, and their spectra."""
    return _saved(path, lambda: residuals(_torques(fit, _samples(fit, log))))


def plot_parameters(fit: Fit, *, path: File = None) -> Figure:
    """Return the base parameters as bars, with 95 % intervals and what the robot's file said."""
    return _saved(path, lambda: parameters(_bars(fit)))


def plot_excitation(fit: Fit, *, path: File = None) -> Figure:
    """Return how well the log tells parameters apart: singular values, and the least told ones."""
    values, own = excited(fit)
    return _saved(path, lambda: excitation(values, fit.names, own))


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

    def draw() -> Figure:
        return spectrum(
            *(s.frequency, s.power, s.joint_names),
            floor=s.floor,
            band=min(float(s.band.max()), found.frequency),
            cutoff=found.frequency,
            title=found.why if cutoff is None else "",
        )

    return _saved(path, draw)


def page(
    fit: Fit,
    path: str | Path,
    *,
    log: Log | None = None,
    raw: Log | None = None,
    validation: dict[str, Any] | None = None,
    command: Sequence[str] = (),
) -> None:
    """Write one HTML page that asks for nothing: tables, figures, words, how to do it again.

    Args:
        fit: The fit.
        path: The file, .html.
        log: The log that was fitted, for what was done to it.
        raw: The log as it was loaded, for its spectrum.
        validation: What `errors_on` says of another log.
        command: The words of the command line that made it.
    """
    from qddot.identification.page import write_page

    write_page(fit, path, log, raw, validation, command)


def errors_on(fit: Fit, log: Any, *, slow: bool = False) -> dict[str, Any]:
    """Return how far a fit is from the torques of a log, prepared as the one that was fitted.

    Args:
        fit: The fit.
        log: A log, its torques filtered and decimated as the fit's were.
        slow: Whether torques of joints that hardly move count too.
    """
    samples = _samples(fit, log)
    residual = samples.tau - fit.predict(samples)
    use = np.ones(residual.shape, bool)
    if samples.counts is not None and not slow:
        use = samples.counts
    squares, sizes = (np.sum(np.where(use, x**2, 0), axis=0) for x in (residual, samples.tau))
    joints = fit.problem.regression.robot.joint_names
    rms = np.sqrt(squares / np.maximum(use.sum(axis=0), 1))
    each = np.sqrt(squares / np.where(sizes > 0, sizes, 1))
    return {
        "samples": len(samples),
        "relative_error": float(np.sqrt(squares.sum() / (sizes.sum() or 1))),
        "relative_errors": dict(zip(joints, each.tolist(), strict=True)),
        "rms": dict(zip(joints, rms.tolist(), strict=True)),
    }


def excited(fit: Fit) -> tuple[np.ndarray, np.ndarray]:
    """Return the singular values of the scaled base regressor, and what is each column's own."""
    factors = fit.problem.factors
    R = factors.stacked(np.ones(factors.n))[:, :-1]
    R = R / np.linalg.norm(R, axis=0)
    values = np.linalg.svd(R, compute_uv=False)
    own = 1 / np.linalg.norm(np.linalg.pinv(R), axis=1)
    return values, own


def _samples(fit: Fit, log: Any) -> Samples:
    if log is None:
        return fit.samples
    samples = as_samples(fit.problem.regression.robot, log)
    rate = fit.decimated
    return samples if rate is None else filtered(fit.problem.regression, samples, rate)


def _torques(fit: Fit, samples: Samples) -> Torques:
    robot = fit.problem.regression.robot
    counts = np.ones(samples.tau.shape, bool) if samples.counts is None else samples.counts
    return Torques(
        tuple(robot.joint_names),
        tuple(joint.units.effort for joint in robot.model.free_joints),
        samples.t,
        samples.tau,
        fit.predict(samples),
        counts,
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


def _saved(path: File, draw: Any) -> Figure:
    if path is not None:
        ending(path, "A figure", FIGURES)
    drawn = draw()
    if path is not None:
        save_figure(drawn, path)
    return drawn
