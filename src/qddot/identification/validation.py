"""How far to trust a fit: cross-validation by blocks of time, and removal of what is badly known.

Khalil: W. Khalil, E. Dombre, *Modeling, Identification and Control of Robots*, 2002, chapter 12:
parameters whose relative deviation is many times the smallest one are not essential.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from qddot.checks import is_whole
from qddot.errors import BadArgument
from qddot.identification.log import Log
from qddot.identification.log_checks import as_log
from qddot.identification.problem import LeastSquaresProblem, excitation
from qddot.identification.runs import joined
from qddot.identification.solution import NoRobot, Solution, widened
from qddot.plain_text import fitted

if TYPE_CHECKING:
    from qddot.identification.result import Fit


@dataclass(frozen=True)
class CrossValidation:
    """How well the rest of a log predicts each part of it."""

    relative_errors: np.ndarray  # ‖τ − Yβ‖/‖τ‖ of each part, (folds,)
    rms: np.ndarray  # (folds, n)
    values: np.ndarray  # the base parameters found without it, (folds, r)
    squares: np.ndarray  # of what is left of the torques of each block of time, (blocks, n)

    @property
    def relative_error(self) -> float:
        """The mean over the parts."""
        return float(np.mean(self.relative_errors))

    @property
    def deviations(self) -> np.ndarray:
        """The deviations of the base parameters, by how much they change without each part.

        The jackknife: it needs no word about the noise, so it holds where errors last longer than
        one sample, as those of friction and of filtered signals do; it wants many parts.
        """
        folds = len(self.values)
        return np.sqrt(folds - 1) * np.std(self.values, axis=0)

    @fitted
    def __str__(self) -> str:
        each = ", ".join(f"{100 * e:.3g}" for e in self.relative_errors)
        return f"relative error {100 * self.relative_error:.3g} % on unseen time ({each} %)"

    __repr__ = __str__


def cross_validation(fit: Fit, folds: int | str = 5) -> CrossValidation:
    """Return how well values from the rest of the log predict each part of it.

    Parts are stretches of time, or runs: neighbouring samples are too alike to judge each other.
    """
    problem = fit.problem
    blocks = len(problem.blocks)
    errors, rms, values = [], [], []
    unseen = np.zeros((blocks, problem.n))
    torques = squares_of_blocks(problem, np.zeros(problem.rank))
    for part in _parts(problem, folds):
        rest = [b for b in range(blocks) if b not in part]
        training = problem.chosen(rest)
        if len(excitation(training)[0].kept) < problem.rank:
            raise BadArgument(
                f"Without one of {folds} parts, the log does not show every base parameter.\n"
                "  Use more folds, or a longer log that moves every joint all the time."
            )
        trained = fit.estimator.solved(training)
        unseen[part] = squares_of_blocks(problem, trained.beta)[part]
        squares, size = unseen[part].sum(axis=0), torques[part].sum()
        errors.append(np.sqrt(squares.sum() / (size or 1)))
        rms.append(np.sqrt(squares / np.maximum(problem.counts[part].sum(axis=0), 1)))
        values.append(trained.beta)
    return CrossValidation(np.array(errors), np.array(rms), np.array(values), unseen)


def squares_of_blocks(problem: LeastSquaresProblem, beta: np.ndarray) -> np.ndarray:
    """Return the squares that values leave of the torques of each block, shape (blocks, n)."""
    left = [
        [
            np.sum((R @ np.append(-beta[c], 1)) ** 2)
            for R, c in zip(block, problem.seen, strict=True)
        ]
        for block in problem.blocks
    ]
    return np.array(left)


def _parts(problem: LeastSquaresProblem, folds: int | str) -> list[np.ndarray]:
    """Return which blocks each part of a cross-validation has."""
    if folds == "runs":
        run = problem.run_of_block
        if len(set(run.tolist())) < 2:
            raise BadArgument(
                "The fit has one run, which no other can predict.\n  Give folds as a number, to "
                "divide it by time, or fit several logs."
            )
        return [np.flatnonzero(run == r) for r in np.unique(run)]
    blocks = len(problem.blocks)
    if isinstance(folds, str) or not is_whole(folds) or not 2 <= folds <= blocks:
        raise BadArgument(
            f"folds is {folds!r}; the log is divided into {blocks} blocks, so give 2 to {blocks}, "
            "or 'runs'."
        )
    return np.array_split(np.arange(blocks), folds)


def essential(fit: Fit, ratio: float = 30.0, loss: float = 0.01) -> Fit:
    """Return the fit without the base parameters that the log knows badly.

    One after the other, the one with the largest relative deviation is taken for zero, until none
    is more than `ratio` times the smallest (Khalil), or the residual would grow by a share `loss`.
    """
    problem, solution, removed = fit.problem, fit.solution, list(fit.removed)
    limit = (1 + loss) ** 2 * _misfit(problem, solution, fit.solution.noise)
    if not problem.rank:
        return fit
    needed: set[str] = set()  # groups without which no robot can exist
    while problem.rank > 1:
        current = replace(fit, problem=problem, solution=solution)
        relative = current.relative_deviations
        may_go = [group.text not in needed for group in problem.base.groups]
        worst = int(np.argmax(np.where(may_go, relative, -1)))
        if not may_go[worst] or relative[worst] <= ratio * relative.min():
            break
        smaller = problem.without(worst)
        try:
            found = fit.estimator.solved(smaller)
        except NoRobot:
            needed.add(problem.base.groups[worst].text)
            continue
        if _misfit(smaller, found, fit.solution.noise) > limit:
            break
        if solution.repeats is not None and solution.lasting is not None:
            found = widened(smaller, found, solution.repeats, solution.lasting.without(worst))
        removed.append(problem.base.groups[worst].text)
        problem, solution = smaller, found
    return replace(fit, problem=problem, solution=solution, removed=tuple(removed))


def without_columns(fit: Fit, names: Sequence[str]) -> Fit:
    """Return the fit in which some columns are taken for zero: the values that are then found."""
    problem = fit.problem
    for name in names:
        place = next((k for k, g in enumerate(problem.base.groups) if g.name == name), None)
        problem = problem if place is None else problem.without(place)
    removed = (*fit.removed, *names)
    return replace(fit, problem=problem, solution=fit.estimator.solved(problem), removed=removed)


def _misfit(problem: LeastSquaresProblem, solution: Solution, noise: np.ndarray) -> float:
    return float(np.sum(problem.squares(solution.beta) / noise**2))


def errors_on(fit: Fit, log: Any, *, slow: bool = False, filtered: bool = False) -> dict[str, Any]:
    """Return how far a fit is from the torques of a log, prepared as the one that was fitted.

    Args:
        fit: The fit.
        log: A log, its torques filtered and decimated as the fit's were.
        slow: Whether torques of joints that hardly move count too.
        filtered: Whether these are rows of `rows_for` already.
    """
    rows = log if filtered else rows_for(fit, log)
    residual = rows.tau - fit.predict(rows)
    use = np.ones(residual.shape, bool) if slow else rows.used
    squares, sizes = (np.sum(np.where(use, x**2, 0), axis=0) for x in (residual, rows.tau))
    joints = fit.problem.regression.robot.joint_names
    rms = np.sqrt(squares / np.maximum(use.sum(axis=0), 1))
    each = np.sqrt(squares / np.where(sizes > 0, sizes, 1))
    return {
        "samples": len(rows),
        "relative_error": float(np.sqrt(squares.sum() / (sizes.sum() or 1))),
        "relative_errors": dict(zip(joints, each.tolist(), strict=True)),
        "rms": dict(zip(joints, rms.tolist(), strict=True)),
    }


def errors_by_run(fit: Fit, logs: Any = None) -> list[dict[str, Any]]:
    """Return what is left of the torques of each run: on fitted rows, on every row, and before.

    Every row means all of them, also those that do not count in the fit, as measured and filtered;
    that is what publications give. Before means the robot's own parameters. `joints` has each joint
    on the rows that were fitted: "before", "fitted", and "unseen", predicted by the values that the
    rest of the logs gives (None where the rest does not show every parameter).

    Args:
        fit: The fit.
        logs: Prepared logs that were not fitted; by default those of the fit.
    """
    regression = fit.problem.regression
    own = logs is None
    if logs is None:
        logs, fitted_rows = fit.log.parts(), fit.samples.parts()
    else:
        logs = [as_log(regression.robot, log) for log in logs]
        fitted_rows = [rows_for(fit, log) for log in logs]
    found = fit.problem.all_parameters(fit.values)
    table = []
    by_joint = _fitted_joints(fit) if own else [_new_joints(fit, rows) for rows in fitted_rows]
    for log, rows, joints in zip(logs, fitted_rows, by_joint, strict=True):
        left = log.tau - regression.torque(log, found)
        before = log.tau - regression.torque(log, regression.prior)
        size = float(np.sqrt(np.sum(log.tau**2))) or 1.0
        table.append(
            {"run": log.source, "rows": len(log), "seconds": log.duration, "rate": log.rate}
            | errors_on(fit, rows, filtered=True)
            | {
                "every_row": float(np.sqrt(np.sum(left**2))) / size,
                "before": float(np.sqrt(np.sum(before**2))) / size,
                "joints": joints,
            }
        )
    return table


def _fitted_joints(fit: Fit) -> list[dict[str, Any]]:
    """Return the errors of each joint in each run that was fitted, from the factors alone."""
    problem = fit.problem
    each = {
        "before": squares_of_blocks(problem, problem.B @ problem.prior),
        "fitted": squares_of_blocks(problem, fit.values),
    }
    each |= {} if fit.unseen is None else {"unseen": fit.unseen.squares}
    sizes, run = squares_of_blocks(problem, np.zeros(problem.rank)), problem.run_of_block
    return [
        _joints(fit, sizes[run == r].sum(axis=0), {k: x[run == r].sum(0) for k, x in each.items()})
        for r in np.unique(run)
    ]


def _new_joints(fit: Fit, rows: Log) -> dict[str, Any]:
    """Return the errors of each joint on rows that were not fitted."""
    regression = fit.problem.regression
    before = rows.tau - regression.torque(rows, regression.prior)
    squares = {"before": before, "unseen": rows.tau - fit.predict(rows)}
    sums = {k: np.sum(np.where(rows.used, x**2, 0), axis=0) for k, x in squares.items()}
    return _joints(fit, np.sum(np.where(rows.used, rows.tau**2, 0), axis=0), sums)


def _joints(fit: Fit, sizes: np.ndarray, squares: dict[str, np.ndarray]) -> dict[str, Any]:
    names = fit.problem.regression.robot.joint_names
    none: dict[str, float | None] = dict.fromkeys(("before", "fitted", "unseen"))
    whole = np.where(sizes > 0, sizes, 1)
    return {
        name: none | {key: float(np.sqrt(x[i] / whole[i])) for key, x in squares.items()}
        for i, name in enumerate(names)
    }


def rows_for(fit: Fit, log: Any) -> Log:
    """Return the rows of a log, filtered as the fit's were; those of the fit if log is None."""
    if log is None or log is fit.samples:
        return fit.samples
    regression, rate = fit.problem.regression, fit.decimated
    rows = as_log(regression.robot, log)
    if rate is None:
        return rows
    own = fit.estimator.decimate == "auto"  # each log by its own cut-off
    parts = rows.parts()
    return joined([regression.filtered(p, (own and p.bandwidth) or rate) for p in parts])
