"""A fit in words and tables: what it is worth, beside others, and in the robot that it gives."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from qddot.errors import BadArgument, IdentificationWarning, listing, printable, shorten
from qddot.identification.log import Log
from qddot.identification.runs import file_names
from qddot.model import Friction, Joint, Motor, Spring
from qddot.model.friction import PARAMETERS
from qddot.plain_text import fitted, table_lines
from qddot.results import in_notebook, json_ready
from qddot.writers.urdf import DYNAMICS

if TYPE_CHECKING:
    from qddot.identification.result import Fit

WIDEST = 60  # characters of a parameter's name
PRICE = 0.005  # of the error: less is not worth a word


def summary(fit: Fit) -> str:
    """Return what there is to say of a fit, in a few lines."""
    problem = fit.problem
    robot = problem.regression.robot
    rms = ", ".join(f"{x:.3g}" for x in fit.rms)
    lines = [
        f"{fit.method} of {printable(robot.name)!r}: {len(fit.values)} base parameters from "
        f"{fit.count} samples ({fit.status})",
        f"  relative torque error {100 * fit.relative_error:.3g} %, RMS a joint [{rms}]",
        f"  {error_words(fit)}",
        f"  condition number {fit.condition:.3g}",
    ]
    lines += [f"  {line}" for line in run_lines(fit.runs)] if len(fit.rates) > 1 else []
    lines += [f"  {load}" for load in fit.payloads.values()]
    lines += [] if fit.gains is None else [f"  {fit.gains}"]
    if fit.choices is not None and fit.choices.taken:
        chosen = (f"{row.what} ({listing(row.joints, 8)})" for row in fit.choices.taken)
        lines.append(f"  chosen by prediction: {', '.join(chosen)}")
    if problem.base.lost:
        lines.append(f"  not shown in the log: {', '.join(problem.base.lost)}")
    if fit.removed:
        lines.append(f"  removed as badly known: {', '.join(fit.removed)}")
    bad = [n for n, s in zip(fit.names, fit.relative_deviations, strict=True) if s > 50]
    if bad:
        lines.append(f"  known to worse than 50 %: {shorten(', '.join(bad), 200)}")
    if why := unknown_deviations(fit):
        lines.append(f"  {why}")
    lines += [f"  {use}" for use in fit.uses]
    return "\n".join(lines)


def error_words(fit: Fit) -> str:
    """Return what the error means, and what it is on every row where fewer were fitted."""
    words = f"the model {fit.verdict}"
    if fit.decimated is None:
        return words
    every = f"{100 * fit.relative_error_of_rows:.3g} % on every row of the log"
    if not fit.log.used.all():
        every += f" that counts, {100 * fit.relative_error_of_all:.3g} % with those that do not"
    return f"{fit.decimated:.3g} rows per second were fitted; {every}; {words}"


def run_lines(runs: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return a line per run: its size, and its errors on fitted rows, on every row, and before."""
    rows: list[tuple[str, ...]] = [("run", "rows", "rate", "fitted rows", "every row", "before")]
    for run in runs:
        errors = (f"{100 * run[key]:.3g} %" for key in ("relative_error", "every_row", "before"))
        rows.append((run_name(run), str(run["rows"]), f"{run['rate']:.4g} Hz", *errors))
    return table_lines(rows)


def run_name(run: Mapping[str, Any]) -> str:
    """Return what a run is called in a table: its file, without folders and topics."""
    return shorten(printable(file_names(run["run"])), WIDEST) or "arrays"


def table(fit: Fit) -> str:
    """Return the values of a fit with their deviations, one a line."""
    rows = [("parameter", "value", "deviation", "%")]
    for name, value, s, share in zip(
        fit.names, fit.values, fit.deviations, fit.relative_deviations, strict=True
    ):
        rows.append((shorten(name, WIDEST), f"{value:.5g}", deviation(s), percent(value, share)))
    return "\n".join(table_lines(rows))


def facts(fit: Fit) -> dict[str, Any]:
    """Return everything of a fit as plain data, but for the log."""
    robot = fit.problem.regression.robot
    joints = robot.joint_names
    return {
        "robot": robot.name,
        "method": fit.method,
        "status": fit.status,
        "trusted": fit.trusted,
        "verdict": fit.verdict,
        "uses": list(fit.uses),
        "patterns": [str(pattern) for pattern in fit.patterns if pattern.shows],
        "doubts": [str(doubt) for doubt in fit.doubts],
        "samples": fit.count,
        "filter": fit.filter_note,
        "decimated": fit.decimated,
        "choices": None if fit.choices is None else fit.choices.to_dict(),
        "base_parameters": [
            {"name": name, "value": value, "deviation": s, "relative": share}
            for name, value, s, share in zip(
                fit.names,
                fit.values.tolist(),
                json_ready(fit.deviations),
                json_ready(fit.relative_deviations),
                strict=True,
            )
        ],
        "parameters": dict(fit.problem.regression.values(fit.parameters)),
        "removed": list(fit.removed),
        "condition": fit.condition,
        "relative_error": fit.relative_error,
        "relative_error_of_rows": fit.relative_error_of_rows,
        "relative_error_of_all": fit.relative_error_of_all,
        "deviations": unknown_deviations(fit) or "told",
        "rms": dict(zip(joints, fit.rms.tolist(), strict=True)),
        "noise": dict(zip(joints, fit.solution.noise.tolist(), strict=True)),
        "possible": fit.is_possible,
        "gains": None if fit.gains is None else fit.gains.to_dict(),
        "runs": fit.runs,
        "payloads": {frame: load.to_dict() for frame, load in fit.payloads.items()},
    }


@dataclass(frozen=True)
class Comparison:
    """Several fits side by side."""

    fits: dict[str, Fit]

    @property
    def names(self) -> tuple[str, ...]:
        """The base parameters of any of them."""
        return tuple(dict.fromkeys(name for fit in self.fits.values() for name in fit.names))

    def rows(self) -> list[tuple[str, ...]]:
        """Return a head, a row a parameter, and what the fits are worth, as text."""
        titles = list(self.fits)
        rows: list[tuple[str, ...]] = [("parameter", *titles)]
        for name in self.names:
            rows.append((shorten(name, WIDEST), *(_cell(f, name) for f in self.fits.values())))
        rows.append(
            ("relative error [%]", *(f"{100 * f.relative_error:.4g}" for f in self.fits.values()))
        )
        rows.append(("condition number", *(f"{f.condition:.4g}" for f in self.fits.values())))
        joints = next(iter(self.fits.values())).problem.regression.robot.joint_names
        for i, joint in enumerate(joints):
            rows.append((f"RMS {joint}", *(f"{f.rms[i]:.4g}" for f in self.fits.values())))
        return rows

    @fitted
    def __str__(self) -> str:
        return "\n".join(table_lines(self.rows()))

    __repr__ = __str__

    _repr_html_ = in_notebook("identification.comparison_html")

    def to_dict(self) -> dict[str, Any]:
        """Return the fits as plain data."""
        return {title: fit.to_dict() for title, fit in self.fits.items()}


def compare(results: Mapping[str, Any] | Sequence[Any]) -> Comparison:
    """Return fits, or fitted estimators, side by side; by name, or in a list."""
    if isinstance(results, Mapping):
        named = [(str(name), _fit(result)) for name, result in results.items()]
    else:
        named = [(_fit(result).method, _fit(result)) for result in results]
    if not named:
        raise BadArgument("There is nothing to compare; give fits, by name or in a list.")
    fits: dict[str, Fit] = {}
    for title, fit in named:
        count = sum(1 for other in fits if other.split(" #")[0] == title)
        fits[f"{title} #{count + 1}" if count else title] = fit
    sizes = {fit.problem.regression.robot.joint_names for fit in fits.values()}
    if len(sizes) > 1:
        raise BadArgument("These fits are of robots with different joints; compare like with like.")
    return Comparison(fits)


def _fit(result: Any) -> Fit:
    return getattr(result, "fitted", result)


def _cell(fit: Fit, name: str) -> str:
    if name not in fit.names:
        return "0" if name in fit.removed else "-"
    k = fit.names.index(name)
    s = fit.deviations[k]
    return f"{fit.values[k]:.4g}" + (f" ± {s:.1g}" if np.isfinite(s) else "")


def percent(value: float, share: float) -> str:
    """Return a relative deviation [%] as it is printed."""
    if np.isnan(share):
        return "-"
    if value == 0 or share > 1000:
        return "> 1000"
    return f"{share:.3g}"


def deviation(s: float) -> str:
    """Return a deviation as it is printed."""
    return f"{s:.2g}" if np.isfinite(s) else "-"


def unknown_deviations(fit: Fit) -> str:
    """Return why deviations are not given, or nothing."""
    kappa = fit.solution.repeats
    if kappa is None or np.isfinite(fit.deviations).all():
        return ""
    rows = int(np.sum(fit.problem.count / kappa))
    return (
        f"deviations are not given: the residual lasts up to {kappa.max():.0f} rows, so there are "
        f"about {rows} independent ones for {len(fit.values)} parameters"
    )


# what the robot that was found says of itself, and what it loses in a file


def described(fit: Fit, robot: Any, possible: float | None) -> Any:
    """Return the robot with a description of where its parameters come from.

    What its file said of the old numbers is not true any more, so it goes; that file is named for
    the geometry, and for what torques do not show. `possible` is the relative error of the nearest
    robot that can exist, where it is another one.
    """
    before = fit.problem.regression.robot.model
    log = shorten(printable(file_names(getattr(fit.log, "source", "") or "")), 80) or "arrays"
    error = fit.relative_error if possible is None else possible
    words = [
        f"Parameters identified on {date.today().isoformat()} by {fit.method} from {log}: "
        f"{len(fit.values)} base parameters from {fit.count} samples, relative torque error "
        f"{100 * error:.3g} %."
    ]
    if not fit.trusted:
        words.append(f"{fit.status[0].upper()}{fit.status[1:]}.")
    if before.source:
        words.append(f"Geometry, limits and what torques do not show: {before.source}.")
    model = replace(robot.model, description=" ".join(words), source=f"qddot, from {log}")
    return replace(robot, model=model)


def saved(fit: Fit, path: str | Path) -> list[str]:
    """Write the robot found; warn of what the file cannot hold, and of what that costs."""
    robot = fit.robot
    lost = robot.save(path)
    if Path(path).suffix.lower() != ".urdf":
        return lost
    joints = robot.model.free_joints
    parts = [
        ("rotor inertia", [j.name for j in joints if j.motor.reflected]),
        *(
            (p.meaning, [j.name for j in joints if getattr(j.friction, p.name)])
            for p in PARAMETERS
            if p.torque and p.name not in DYNAMICS
        ),
        ("springs", [j.name for j in joints if j.spring.acts]),
        ("what joints share", [c.combination for c in robot.model.couplings]),
    ]
    gone = [f"{what} (of {listing(names, 8)})" for what, names in parts if names]
    if gone:
        stripped = replace(robot.model.with_joints(_in_urdf), couplings=())
        before, after = (error_of(fit, r) for r in (robot, replace(robot, model=stripped)))
        cost = f"On the rows of the log the torque error rises from {100 * before:.3g} % "
        cost = f"{cost}to {100 * after:.3g} %. " if after > before + PRICE * before else ""
        warnings.warn(
            f"A URDF file has no place for {' and '.join(gone)}. {cost}Save as .toml to keep it.",
            IdentificationWarning,
            stacklevel=3,
        )
    return lost


def _in_urdf(joint: Joint) -> Joint:
    """Return what a URDF file keeps of what acts in a joint."""
    kept = {name: getattr(joint.friction, name) for name in DYNAMICS}
    return replace(joint, motor=Motor(), spring=Spring(), friction=Friction(**kept))


def error_of(fit: Fit, robot: Any) -> float:
    """Return ‖τ − τ_robot‖/‖τ‖ of a robot on every row of the log that counts."""
    log = fit.log
    return relative_size(log, log.tau - robot.inverse_dynamics(log.q, log.qd, log.qdd))


def relative_size(log: Log, residual: np.ndarray) -> float:
    """Return the size of a residual by that of the torques, of all joints together."""
    use = log.used
    return float(np.sqrt(np.sum(residual[use] ** 2) / (np.sum(log.tau[use] ** 2) or 1)))
