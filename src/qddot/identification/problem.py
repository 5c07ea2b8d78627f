"""A log of any length as triangular factors: all that least squares needs of it.

Joint by joint, because the torque of a joint only sees the bodies it carries, and because joints
are measured with different noise; block of time by block of time, so that cross-validation needs no
second look at the data. With Q never formed:

    [Y_i  τ_i] = Q_i [R_i  d_i]        ‖τ_i − Y_i β‖ = ‖[R_i  d_i] [−β; 1]‖
                     [ 0   ρ_i]
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from qddot.errors import BadArgument, IdentificationWarning
from qddot.identification.base_parameters import IN_A_LOG, structural
from qddot.identification.grouping import Grouping, condition, sorted_out, triangle
from qddot.identification.identifiability import Identifiability, identifiability, not_shown
from qddot.identification.log import Log, several_numbers
from qddot.identification.regression import Regression

BLOCKS = 10  # of time
UNSEEN = 1e-6  # less than this of a column of its own, and no noise is low enough

Blocks = tuple[tuple[np.ndarray, ...], ...]  # by block of time, then by joint: the factor of [Y τ]


@dataclass(frozen=True)
class LeastSquaresProblem:
    """The equations τ = Y β of a log: its columns, its base parameters, its rows in factors."""

    regression: Regression
    base: Identifiability
    log: Log  # in the order of the robot's joints
    blocks: Blocks  # (c + 1, c + 1) each, c base parameters that a joint's torque sees
    seen: tuple[np.ndarray, ...]  # by joint: which base parameters these are
    counts: np.ndarray  # (blocks, n), how many torques
    edges: np.ndarray  # (blocks + 1,), the rows at which blocks begin and end; each is of one run
    zero: tuple[np.ndarray, ...] = ()  # combinations that are taken for zero, each (p,)
    whole: LeastSquaresProblem | None = None  # the problem in which nothing was

    @property
    def n(self) -> int:
        """How many joints."""
        return len(self.seen)

    @property
    def rank(self) -> int:
        """How many base parameters."""
        return self.base.rank

    @property
    def B(self) -> np.ndarray:
        """The base parameters by all parameters, β = B φ, shape (rank, p)."""
        return self.base.B

    @cached_property
    def Z(self) -> np.ndarray:
        """What is taken for zero, Z φ = 0, shape (m, p)."""
        return np.array(self.zero).reshape(-1, len(self.regression.names))

    @property
    def prior(self) -> np.ndarray:
        """All parameters as the robot's model has them, shape (p,)."""
        return self.regression.prior

    @property
    def count(self) -> np.ndarray:
        """How many torques of each joint, shape (n,)."""
        return np.maximum(self.counts.sum(axis=0), 1)

    @cached_property
    def joints(self) -> tuple[np.ndarray, ...]:
        """The factors of each joint over all the time, as wide as all base parameters."""
        found = []
        for i, columns in enumerate(self.seen):
            R = triangle(np.vstack([block[i] for block in self.blocks]))
            wide = np.zeros((len(R), self.rank + 1))
            wide[:, [*columns, self.rank]] = R
            found.append(wide)
        return tuple(found)

    @cached_property
    def information(self) -> np.ndarray:
        """YᵀY of each joint, shape (n, rank, rank)."""
        return np.stack([R[:, :-1].T @ R[:, :-1] for R in self.joints])

    @cached_property
    def torques(self) -> np.ndarray:
        """The sum of squared torques of each joint as measured, known loads too, shape (n,)."""
        share = self.log.used * (1.0 if self.log.weight is None else self.log.weight[:, None])
        return np.sum(share * self.log.tau**2, axis=0)

    def squares(self, beta: np.ndarray) -> np.ndarray:
        """Return the sum of squared residuals of each joint, shape (n,)."""
        x = np.append(-beta, 1)
        return np.array([float(np.sum((R @ x) ** 2)) for R in self.joints])

    def stacked(self, deviations: np.ndarray | None = None) -> np.ndarray:
        """Return the factor of all joints together, each divided by its deviation, if given."""
        deviations = np.ones(self.n) if deviations is None else deviations
        rows = [R / s for R, s in zip(self.joints, deviations, strict=True)]
        return triangle(np.vstack(rows))

    def all_parameters(self, beta: np.ndarray) -> np.ndarray:
        """Return φ in which all but the first of each group is zero, shape (p,)."""
        phi = np.zeros(len(self.regression.names))
        phi[list(self.base.columns.kept)] = beta
        return phi

    # smaller problems

    def chosen(self, blocks: Iterable[int]) -> LeastSquaresProblem:
        """Return the problem of some blocks of time alone."""
        kept = list(blocks)
        rows = [np.arange(self.edges[b], self.edges[b + 1]) for b in kept]
        return replace(
            self,
            log=self.log[np.concatenate(rows)],
            blocks=tuple(self.blocks[b] for b in kept),
            counts=self.counts[kept],
            edges=np.cumsum([0, *map(len, rows)]),
        )

    @property
    def run_of_block(self) -> np.ndarray:
        """Of which run of the log each block is, shape (blocks,)."""
        run = np.zeros(len(self.log), int) if self.log.run is None else self.log.run
        return run[self.edges[:-1]]

    def weighted(self, weights: np.ndarray) -> LeastSquaresProblem:
        """Return the problem in which each torque counts by a weight, shape (k, n)."""
        columns = self.base.columns
        found = factors(self.regression, columns, self.log, weights=weights, blocks=1)
        return replace(self, **found)

    def without(self, k: int) -> LeastSquaresProblem:
        """Return the problem in which one base parameter is taken for zero."""
        columns, groups = self.base.columns, self.base.groups
        left = [i for i in range(len(groups)) if i != k]
        place = {i: at for at, i in enumerate(left)}
        fewer = replace(
            columns,
            kept=tuple(columns.kept[i] for i in left),
            B=columns.B[left],
            texts={(place[i], j): text for (i, j), text in columns.texts.items() if i != k},
        )
        keep = [np.flatnonzero(seen != k) for seen in self.seen]
        return replace(
            self,
            base=replace(self.base, columns=fewer, groups=tuple(groups[i] for i in left)),
            blocks=tuple(
                tuple(triangle(R[:, [*c, -1]]) for R, c in zip(block, keep, strict=True))
                for block in self.blocks
            ),
            seen=tuple(
                np.array([place[int(i)] for i in seen[c]], dtype=int)
                for seen, c in zip(self.seen, keep, strict=True)
            ),
            zero=(*self.zero, columns.B[k]),
            whole=self.whole or self,
        )


def problem_of(
    regression: Regression, log: Log, unexcited: str = "refuse", blocks: int = BLOCKS
) -> LeastSquaresProblem:
    """Return the problem of finding a robot's base parameters from a log."""
    if unexcited not in ("refuse", "merge"):
        raise BadArgument(f"unexcited is {unexcited!r}; it must be 'refuse' or 'merge'.")
    robot, columns = regression.robot, structural(regression)
    if not columns.kept:
        raise BadArgument(
            f"No parameter of robot {robot.name!r} acts on any torque, so there is nothing to find."
        )
    if len(log) * robot.n < len(columns.kept) or len(log) < 2:
        need = max(2, -(-len(columns.kept) // robot.n))
        raise BadArgument(
            f"The log has {len(log)} samples, too few for {len(columns.kept)} base parameters "
            f"of robot {robot.name!r}.\n  Give at least {need}, better some thousand."
        )

    def problem(columns: Grouping) -> tuple[LeastSquaresProblem, Grouping]:
        base = identifiability(regression.names, columns, float("nan"), where="in this log")
        found = factors(regression, columns, log, blocks=blocks)
        whole = LeastSquaresProblem(regression, base, log, **found)
        shown, number = excitation(whole)
        return replace(whole, base=replace(base, condition=number)), shown

    whole, shown = problem(columns)
    base = whole.base
    if len(shown.kept) == base.rank:
        return whole
    said = not_shown(robot, base, shown, log)
    if unexcited == "refuse":
        remedy = "or take the groups that the log does show: unexcited='merge'."
        raise BadArgument(f"{said}; {remedy}")
    what = "what it shows only together is one parameter, the rest is as in the robot's file."
    warnings.warn(f"{said}. Here, {what}", IdentificationWarning, stacklevel=6)
    merged, _ = problem(sorted_out(regression.factor(log), IN_A_LOG))
    lost = tuple(base.groups[k].text for k in range(base.rank) if k not in shown.kept)
    return replace(merged, base=replace(merged.base, lost=lost))


def factors(
    regression: Regression,
    columns: Grouping,
    log: Log,
    *,
    weights: np.ndarray | None = None,
    blocks: int = BLOCKS,
) -> dict[str, Any]:
    """Return `blocks`, `seen`, `counts` and `edges` of a problem; the log is read in pieces.

    Weights are what each torque counts, (k, n). About so many pieces of time are kept apart as
    `blocks` says; each run has one at least.
    """
    if log.weight is not None:
        own = log.weight[:, None]
        weights = np.broadcast_to(own, (len(log), log.n)) if weights is None else weights * own
    kept = np.array(columns.kept, dtype=int)
    seen = _seen(regression, kept)
    edges = edges_of_runs(log, blocks)
    parts = [slice(*ends) for ends in pairwise(edges)]
    found = [
        _block(regression, kept, seen, log[part], None if weights is None else weights[part])
        for part in parts
    ]
    counts = np.array([log.used[part].sum(axis=0) for part in parts])
    return {"blocks": tuple(found), "seen": tuple(seen), "counts": counts, "edges": edges}


def edges_of_runs(log: Log, blocks: int) -> np.ndarray:
    """Return where blocks begin and end, (blocks + 1,): as many for each run as it is long."""
    edges, at = [0], 0
    for size in map(len, log.parts()):
        share = max(1, round(blocks * size / len(log)))
        edges += (at + block_edges(size, share)[1:]).tolist()
        at += size
    return np.array(edges)


def block_edges(rows: int, blocks: int) -> np.ndarray:
    """Return where the blocks of a log begin and end, shape (blocks + 1,)."""
    return np.linspace(0, rows, max(1, min(blocks, rows)) + 1).astype(int)


def _block(
    regression: Regression,
    kept: np.ndarray,
    seen: list[np.ndarray],
    log: Log,
    weights: np.ndarray | None,
) -> tuple[np.ndarray, ...]:
    Rs = [np.zeros((0, len(c) + 1)) for c in seen]
    for where, part in log.chunks():
        Y = regression.columns(part)
        tau = part.tau - regression.rest(part)
        for i, c in enumerate(seen):
            use = slice(None) if part.counts is None else part.counts[:, i]
            right = tau[use, i]
            # column after column in memory, as the factorisation wants it
            top = len(Rs[i])
            both = np.empty((top + len(right), len(c) + 1), order="F")
            both[:top] = Rs[i]
            for at, k in enumerate(kept[c]):
                both[top:, at] = Y[use, i, k]
            both[top:, -1] = right
            if weights is not None:
                both[top:] *= np.sqrt(weights[where, i][use])[:, None]
            Rs[i] = triangle(both, overwrite=True)
    return tuple(Rs)


def _seen(regression: Regression, kept: np.ndarray) -> list[np.ndarray]:
    """Return, for each joint, which base parameters its torque sees at all."""
    robot, rng = regression.robot, np.random.default_rng(1)
    places, qd, qdd = rng.uniform(-2, 2, (3, 64, robot.n))
    rows = np.arange(64.0), robot.tree.from_neutral(places), qd, qdd
    states = regression.at_loads(Log(robot.joint_names, *rows, **several_numbers(robot)))
    Y = regression.columns(states)[:, :, kept]
    return [np.flatnonzero(np.any(Y[:, i] != 0, axis=0)) for i in range(Y.shape[1])]


def excitation(problem: LeastSquaresProblem) -> tuple[Grouping, float]:
    """Return which base parameters a log shows, and the condition number of their regressor."""
    R = problem.stacked()[:, :-1]
    shown = sorted_out(R, UNSEEN)
    return shown, condition(R[:, shown.kept])
