"""How far to trust a fit: cross-validation by blocks of time, and removal of what is badly known.

Khalil: W. Khalil, E. Dombre, *Modeling, Identification and Control of Robots*, 2002, chapter 12:
parameters whose relative deviation is many times the smallest one are not essential.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from qddot.errors import BadArgument
from qddot.identification.accumulate import block_edges
from qddot.identification.lasting import widened
from qddot.identification.options import whole
from qddot.identification.problem import excitation, filtered
from qddot.identification.samples import Samples, as_samples
from qddot.identification.solution import NoRobot, Problem
from qddot.plain_text import fitted

if TYPE_CHECKING:
    from qddot.identification.result import Fit


@dataclass(frozen=True)
class CrossValidation:
    """How well the rest of a log predicts each part of it."""

    relative_errors: np.ndarray  # ‖τ − Yβ‖/‖τ‖ of each part, (folds,)
    rms: np.ndarray  # (folds, n)
    values: np.ndarray  # the base parameters found without it, (folds, r)

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


def cross_validation(fit: Fit, folds: int = 5) -> CrossValidation:
    """Return how well values from the rest of the log predict each part of it.

    Parts are stretches of time: neighbouring samples are too alike to judge each other.
    """
    factors = fit.problem.factors
    blocks = len(factors.blocks)
    if not whole(folds) or not 2 <= folds <= blocks:
        raise BadArgument(
            f"folds is {folds!r}; the log is divided into {blocks} blocks, so give 2 to {blocks}."
        )
    errors, rms, values = [], [], []
    for part in np.array_split(np.arange(blocks), folds):
        rest = [b for b in range(blocks) if b not in part]
        training = factors.chosen(rest)
        if len(excitation(training)[0].kept) < factors.rank:
            raise BadArgument(
                f"Without one of {folds} parts, the log does not show every base parameter.\n"
                "  Use more folds, or a longer log that moves every joint all the time."
            )
        trained = fit.estimator.solved(_part(fit.problem, training, rest))
        test = factors.chosen(part.tolist())
        squares = test.squares(trained.beta)
        errors.append(np.sqrt(squares.sum() / (test.torques.sum() or 1)))
        rms.append(np.sqrt(squares / test.count))
        values.append(trained.beta)
    return CrossValidation(np.array(errors), np.array(rms), np.array(values))


def essential(fit: Fit, ratio: float = 30.0, loss: float = 0.01) -> Fit:
    """Return the fit without the base parameters that the log knows badly.

    One after the other, the one with the largest relative deviation is taken for zero, until none
    is more than `ratio` times the smallest (Khalil), or the residual would grow by a share `loss`.
    """
    problem, solution, removed = fit.problem, fit.solution, list(fit.removed)
    limit = (1 + loss) ** 2 * _misfit(problem, solution, fit.solution.noise)
    if not fit.problem.factors.rank:
        return fit
    needed: set[str] = set()  # groups without which no robot can exist
    while problem.factors.rank > 1:
        current = replace(fit, problem=problem, solution=solution)
        relative = current.relative_deviations
        may_go = [group.text not in needed for group in problem.base.groups]
        worst = int(np.argmax(np.where(may_go, relative, -1)))
        if not may_go[worst] or relative[worst] <= ratio * relative.min():
            break
        smaller = without(problem, worst)
        try:
            found = fit.estimator.solved(smaller)
        except NoRobot:
            needed.add(problem.base.groups[worst].text)
            continue
        if _misfit(smaller, found, fit.solution.noise) > limit:
            break
        if fit.solution.repeats is not None:
            found = widened(smaller, found, fit.solution.repeats)
        removed.append(problem.base.groups[worst].text)
        problem, solution = smaller, found
    return replace(fit, problem=problem, solution=solution, removed=tuple(removed))


def without(problem: Problem, k: int) -> Problem:
    """Return the problem in which one base parameter is taken for zero."""
    columns, groups = problem.base.columns, problem.base.groups
    left = [i for i in range(len(groups)) if i != k]
    place = {i: at for at, i in enumerate(left)}
    fewer = replace(
        columns,
        kept=tuple(columns.kept[i] for i in left),
        B=columns.B[left],
        texts={(place[i], j): text for (i, j), text in columns.texts.items() if i != k},
    )
    base = replace(problem.base, columns=fewer, groups=tuple(groups[i] for i in left))
    zero = (*problem.zero, columns.B[k])
    fewer_factors, whole = problem.factors.without([k]), problem.whole or problem
    return replace(problem, base=base, factors=fewer_factors, zero=zero, whole=whole)


def _part(problem: Problem, factors: Any, blocks: list[int]) -> Problem:
    """Return the problem of some blocks of the log, rows included: robust weights are by row."""
    samples = problem.samples
    if samples is not None:
        edges = block_edges(len(samples), len(problem.factors.blocks))
        rows = np.concatenate([np.arange(edges[b], edges[b + 1]) for b in blocks])
        samples = samples[rows]
    return replace(problem, factors=factors, samples=samples)


def _misfit(problem: Problem, solution: Any, noise: np.ndarray) -> float:
    return float(np.sum(problem.factors.squares(solution.beta) / noise**2))


def errors_on(fit: Fit, log: Any, *, slow: bool = False) -> dict[str, Any]:
    """Return how far a fit is from the torques of a log, prepared as the one that was fitted.

    Args:
        fit: The fit.
        log: A log, its torques filtered and decimated as the fit's were.
        slow: Whether torques of joints that hardly move count too.
    """
    samples = samples_for(fit, log)
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


def samples_for(fit: Fit, log: Any) -> Samples:
    """Return the samples of a log, filtered as the fit's were; those of the fit if log is None."""
    if log is None:
        return fit.samples
    samples = as_samples(fit.problem.regression.robot, log)
    rate = fit.decimated
    return samples if rate is None else filtered(fit.problem.regression, samples, rate)
