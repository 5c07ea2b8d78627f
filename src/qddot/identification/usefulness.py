"""What a fit is good for, in the words of those who use it; or why it is not to be used.

Feed-forward is judged by rows that were not fitted. A load is judged by the mass at the tip that
would change the values by one deviation. With d what 1 kg there adds to the base parameters and C
their covariance (or, if that says more, their spread when parts of the log are left out):

    m = 1/√(dᵀ C⁻¹ d)

Found as the difference of two logs alike, one without the load, its 95 % interval is ±1.96 √2 m.

Nothing is praised while it is in doubt that log and robot belong together, see `doubts`: with free
masses, a wrong robot may explain most of the torques of the motion that was recorded.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from qddot.checks import frame_name
from qddot.identification.runs import seen_in_body
from qddot.identification.solution import weighted, widened
from qddot.model.tree import BASE

if TYPE_CHECKING:
    from qddot.errors import Problem
    from qddot.identification.result import Fit

EXPLAINED = 0.5  # relative torque error; above it, values mean nothing
NO_BETTER = 0.9  # of the error of a constant torque: the motion explains nothing
ROUNDING = 1e-9  # of the torques
MEASURABLE = 1e-4  # of the torques: no sensor of torque is more precise
HIGHEST = 1e7  # a condition number with which no measured torque is precise enough
WORTH = (
    (0.03, "explains the torques very well"),
    (0.10, "explains the torques well, as is usual for motor currents"),
    (0.20, "explains the torques roughly: something that the arm does is not in the model"),
    (0.50, "explains the torques badly: do not rely on the parameters before the cause is known"),
    (1.00, "does not explain the torques: check order, signs and units of the columns"),
)
FEED_FORWARD = ((0.05, "good"), (0.10, "fair"), (0.20, "rough"))  # unseen error, and what it is
EXPLAINED_BY_FILE = "the robot file already explains"
UNDECIDED = "undecided"  # what a doubt makes of praise
STANDS_OUT = 2.0  # times the error of all joints: a joint that is told by name
NORMAL_95 = 1.96  # deviations


def verdict(fit: Fit) -> str:
    """Return what the relative torque error means."""
    if fit.relative_error <= EXPLAINED and not change_left(fit) <= NO_BETTER:
        return "explains no more of the torques than a constant at each joint does"
    error, every = fit.relative_error, fit.relative_error_of_rows
    error = every if every > EXPLAINED else error
    if error <= EXPLAINED and (doubts := in_doubt(fit)):
        first = f"{doubts[0].place}: {doubts[0].message}"
        return f"explains {100 * (1 - error):.3g} % of the torques, {UNDECIDED} why: {first}"
    for most, words in WORTH:
        if error <= most:
            return words
    return "is worse than no model at all"


def in_doubt(fit: Fit) -> list[Problem]:
    """Return what makes it doubtful that the log is one of this robot."""
    return [doubt for doubt in fit.doubts if doubt.severity == "warning"]


def distrust(fit: Fit) -> list[str]:
    """Return why a solution is not to be trusted, or nothing."""
    why = []
    if not np.isfinite(fit.values).all():
        why.append("values are not finite")
    if not fit.condition <= HIGHEST:
        why.append(
            f"condition number {fit.condition:.2g}, above {HIGHEST:.0e}: the log does not tell its "
            "parameters apart"
        )
    if not fit.relative_error <= EXPLAINED:
        how = "worse than no model at all" if fit.relative_error > 1 else "nothing is explained"
        why.append(f"relative torque error {100 * fit.relative_error:.3g} %, {how}")
    elif not fit.relative_error_of_rows <= EXPLAINED:
        every = 100 * fit.relative_error_of_rows
        why.append(f"relative torque error {every:.3g} % on every row, before rows were filtered")
    elif not (left := change_left(fit)) <= NO_BETTER:
        how = (
            "they never change" if np.isinf(left) else f"{100 * left:.3g} % of their change is left"
        )
        why.append(f"a constant torque at each joint explains the torques as well: {how}")
    return why


def change_left(fit: Fit, squares: np.ndarray | None = None) -> float:
    """Return the torque error relative to how torques differ from their means; ∞ if they do not.

    The squares that are left of the torques of each joint are those of the fit if not given.
    """
    problem, rows = fit.problem, fit.samples
    squares = problem.squares(fit.values) if squares is None else squares
    share = rows.used * (1.0 if rows.weight is None else rows.weight[:, None])
    mean = np.sum(share * rows.tau, axis=0) / np.maximum(share.sum(axis=0), 1e-300)
    change = float(np.sum(share * (rows.tau - mean) ** 2))
    if change <= ROUNDING**2 * float(problem.torques.sum()):
        return float("inf")
    return float(np.sqrt(squares.sum() / change))


def uses(fit: Fit) -> list[str]:
    """Return what a fit is good for, one sentence each; "do not use: ..." comes first."""
    said = [f"do not use: {why}" for why in distrust(fit)]
    said += [f"settle before use: {doubt}" for doubt in fit.doubts]
    if not distrust(fit):
        said.append(_feed_forward(fit))
        if said[-1].startswith(EXPLAINED_BY_FILE):  # then the file is kept, not these values
            return said
        mass = payload_deviation(fit)
        if np.isfinite(mass) and not in_doubt(fit):
            said.append(
                f"payload within {NORMAL_95 * np.sqrt(2) * mass:.2g} kg: 95 % of the masses at "
                f"{fit.problem.regression.robot.tip!r} found as the difference of two logs like "
                "this one"
            )
    if not fit.is_possible:
        said.append("not for simulation: no body has these values; take method='consistent'")
    return said


def _feed_forward(fit: Fit) -> str:
    """Return how good the torques of the model are on rows that it has not seen."""
    if fit.unseen is None:
        return (
            "feed-forward: not known, since without a part of it the log does not show every "
            "parameter; test it on another log"
        )
    problem = fit.problem
    left = fit.unseen.squares.sum(axis=0)
    error = float(np.sqrt(left.sum() / (problem.torques.sum() or 1)))
    before = problem.squares(problem.B @ problem.prior)
    old = float(np.sqrt(before.sum() / (problem.torques.sum() or 1)))
    what = f"{100 * error:.3g} % of the torque is left on rows of the log that were not fitted"
    if said := _explained_by_file(fit, error, old, "this log"):
        return f"{said} on rows that were not fitted"
    if error >= old:
        return f"do not use: {what}, {100 * old:.3g} % with the robot's file"
    if not change_left(fit, left) <= NO_BETTER:
        return f"do not use: {what}, no less than with a constant torque at each joint"
    what += f" ({100 * old:.3g} % with the robot's file)"
    each = np.sqrt(left / np.where(problem.torques > 0, problem.torques, np.inf))
    worst = int(each.argmax())
    if each[worst] > STANDS_OUT * error:
        name = problem.regression.robot.joint_names[worst]
        what += f", {100 * each[worst]:.3g} % of joint {name!r}"
    return f"{UNDECIDED if in_doubt(fit) else worth(error)} for feed-forward: {what}"


def _explained_by_file(fit: Fit, error: float, old: float, log: str) -> str:
    """Return that the robot file explains a log; "" if the fit differs by more than noise."""
    if not _noise_alone(fit, error, old):
        return ""
    left = f"{100 * old:.3g} % of its torque is left"
    return f"{EXPLAINED_BY_FILE} {log}: {left}, {100 * error:.3g} % with the values found"


def _noise_alone(fit: Fit, error: float, old: float) -> bool:
    """Return whether a fit differs from a good robot file by noise alone: an F-test at 99 %.

    Σ kᵢ (‖τᵢ − Yᵢ φ₀‖²/‖τᵢ − Yᵢ β‖² − 1) ≤ r F(r, Σ kᵢ − r)     kᵢ: rows that say new things
    """
    if old <= MEASURABLE:
        return old <= ROUNDING or error >= NO_BETTER * old
    if old > min(error, WORTH[1][0]) or in_doubt(fit):
        return False
    from scipy.stats import f

    problem, r = fit.problem, len(fit.values)
    count = problem.count / (1 if fit.solution.repeats is None else fit.solution.repeats)
    found = problem.squares(fit.values)
    before = problem.squares(problem.B @ problem.prior)
    gain = float(np.sum(count * (before / np.where(found > 0, found, np.inf) - 1)))
    return gain <= r * float(f.ppf(0.99, r, max(count.sum() - r, 1)))


def worth(error: float) -> str:
    """Return what an error on unseen rows makes of a feed-forward, in a word or three."""
    return next((word for most, word in FEED_FORWARD if error <= most), "do not use")


def on_another_log(fit: Fit, run: Mapping[str, Any], name: str) -> str:
    """Return how good torques are on a log, of this name, that was not fitted, in a sentence.

    What `errors_by_run` says of the log decides.
    """
    error, old = run["relative_error"], run["before"]
    if said := _explained_by_file(fit, error, old, name):
        return said
    word = worth(error) if error < old else worth(np.inf)
    word = UNDECIDED if in_doubt(fit) and word != worth(np.inf) else word
    left = f"{100 * error:.3g} % of its torque is left ({100 * old:.3g} % with the robot's file)"
    return f"{word} for feed-forward on {name}: {left}"


def payload_deviation(fit: Fit, frame: str | None = None) -> float:
    """Return the mass [kg] at a frame, or at the tip, that would change values by one deviation.

    NaN where deviations are not known, ∞ where no torque feels the mass.
    """
    problem = fit.problem
    robot = problem.regression.robot
    body, X_BF = robot.tree.frames[frame_name(robot, frame or robot.tip)]
    C = covariance_of(fit)
    if not np.isfinite(C).all():
        return float("nan")
    if body == BASE:
        return float("inf")
    phi = np.zeros(len(problem.regression.names))
    phi[10 * body : 10 * body + 10] = seen_in_body(X_BF)[:, 0]
    d = problem.B @ phi
    scale = np.sqrt(np.maximum(np.diag(C), 0))
    if not (d.any() and scale.all()):
        return float("inf")
    x = np.linalg.lstsq(C / np.outer(scale, scale), d / scale, rcond=None)[0] / scale  # C⁻¹ d
    told = float(d @ x)
    if told <= 0:
        return float("inf")
    masses = np.zeros(1) if fit.unseen is None else fit.unseen.values @ x / told
    # what changes without a part of the log: the jackknife, which needs no word about the noise
    spread = float(np.sqrt(max(len(masses) - 1, 0)) * np.std(masses))
    return max(1 / float(np.sqrt(told)), spread)


def covariance_of(fit: Fit) -> np.ndarray:
    """Return the covariance of the values; that of weighted squares where a method has none."""
    s = fit.solution
    if np.isfinite(s.covariance).all() or s.repeats is None or s.lasting is None:
        return s.covariance
    return widened(fit.problem, weighted(fit.problem), s.repeats, s.lasting).covariance
