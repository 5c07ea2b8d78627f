"""How well does a planned motion show a Panda's parameters, beside other ways to choose one?

All by one measure: the condition number of the base regressor, each column divided by what it is
worth on average within the limits. Less is better: noise of torques is multiplied by it.

Swevers: J. Swevers et al., Optimal Robot Excitation and Identification, IEEE Transactions on
Robotics and Automation 13(5), 1997: a Fourier series of five harmonics that makes −log det WᵀW
small, here with SciPy's L-BFGS, finite differences and penalties, in as many seconds as ours.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

import numpy as np
from scipy.optimize import minimize
from table import Row, times
from timing import Effort, say

import qddot
from qddot.blas_threads import one_thread
from qddot.identification import prepared
from qddot.identification.excitation_criterion import Criterion, criterion
from qddot.identification.excitation_limits import MotionLimits, motion_limits
from qddot.identification.regression import USUAL_TERMS, with_terms

LONGEST = 30.0  # [s], of a search
PERIOD, HARMONICS, INSTANTS = 10.0, 5, 120
ROOT = Path(__file__).resolve().parents[1]
LOG = "panda_bag/panda_exciting_trajectory.db3"


class OutOfTime(Exception):
    """The seconds are over."""


def rows(effort: Effort) -> list[Row]:
    """Return the condition number of our motion, beside random ones, a published log, Swevers."""
    panda, seconds = qddot.load("panda"), min(effort.patience, LONGEST)
    limits = motion_limits(panda)
    with one_thread():
        measure = criterion("condition", with_terms(panda, USUAL_TERMS), limits)
        say(f"excitation: ours, {seconds:g} s ...")
        ours = qddot.excite(panda, period=PERIOD, harmonics=HARMONICS, seconds=seconds)
        careful = qddot.excite(panda, collision=True, floor=0.0, seconds=seconds)
        say(f"excitation: Swevers, {seconds:g} s ...")
        theirs = swevers(measure, limits, seconds)
        say(f"excitation: ours by Swevers' criterion, {seconds:g} s ...")
        options = {"criterion": "determinant", "harmonics": HARMONICS, "seconds": seconds}
        alike = qddot.excite(panda, period=PERIOD, **options)
        instants = np.arange(INSTANTS) * (PERIOD / INSTANTS)
        volumes = [spread(measure, *x) for x in (alike.at(instants), theirs)]
    what = f"panda: condition number of {ours.parameters} parameters in {seconds:g} s"
    found = [
        compared(what, ours.condition, "best of 100 random", ours.random_condition),
        compared(what, ours.condition, "Swevers, SciPy", measure.condition(*theirs)),
    ]
    if (log := published(panda)) is not None:
        slow, peer = (log.q, log.qd, log.qdd), f"published log, {log.duration:.0f} s"
        found.append(compared(what, ours.condition, peer, measure.condition(*slow)))
        alone = [own_columns(measure, *x) for x in (ours.at(instants), slow)]
        found.append(compared(f"{what}, columns by themselves", alone[0], peer, alone[1]))
    return [
        *found,
        compared(f"{what}, links apart", careful.condition, "the same, free", ours.condition),
        compared("panda: mean deviation of parameters", volumes[0], "Swevers, SciPy", volumes[1]),
    ]


def spread(measure: Criterion, *states: np.ndarray) -> float:
    """Return (det WᵀW)^(−1/2p), the geometric mean of the half axes that noise of 1 leaves."""
    W = measure.regressor(*states)
    return float(np.exp(-np.linalg.slogdet(W.T @ W)[1] / (2 * measure.p)))


def own_columns(measure: Criterion, *states: np.ndarray) -> float:
    """Return the condition number with columns of length 1: slow motions lose nothing by it."""
    W = measure.regressor(*states)
    return float(np.linalg.cond(W / np.linalg.norm(W, axis=0)))


def compared(what: str, ours: float, peer: str, theirs: float) -> Row:
    return Row(what, f"{ours:.3g}", peer, f"{theirs:.3g}", times(theirs / ours))


def published(panda: qddot.Robot) -> qddot.Log | None:
    """Return the log of Franka's arm that is published with inverse-dynamics-solver, if here."""
    path = Path(os.environ.get("QDDOT_DATA", ROOT.parent / "shared" / "data")) / LOG
    if not path.exists():
        say("excitation: the published log is not here; QDDOT_DATA says where it is")
        return None
    names = {joint: f"fer_joint{k}" for k, joint in enumerate(panda.joint_names, start=1)}
    return prepared(qddot.load_log(path, panda, joints=names), panda)


def swevers(measure: Criterion, limits: MotionLimits, seconds: float) -> tuple[np.ndarray, ...]:
    """Return the states of the best motion that keeps the limits within their last per cent."""
    n, w = len(limits.lower), 2 * np.pi / PERIOD * np.arange(1, HARMONICS + 1)
    angle = np.multiply.outer(np.arange(INSTANTS) * (PERIOD / INSTANTS), w)
    s, c = np.sin(angle), np.cos(angle)
    best, ends = (np.inf, np.zeros((1 + 2 * HARMONICS, n))), time.monotonic() + seconds

    def states(X: np.ndarray) -> tuple[np.ndarray, ...]:
        q0, a, b = X[0], X[1 : 1 + HARMONICS], X[1 + HARMONICS :]
        return q0 + s / w @ a - c / w @ b, c @ a + s @ b, c * w @ b - s * w @ a

    def excess(X: np.ndarray) -> np.ndarray:
        q, qd, qdd = states(X)
        parts = ((q - limits.middle) / limits.half, qd / limits.velocity, qdd / limits.acceleration)
        return np.maximum(np.abs(np.concatenate(parts)) - 0.99, 0)

    def objective(x: np.ndarray) -> float:
        nonlocal best
        if time.monotonic() > ends:
            raise OutOfTime
        X = x.reshape(1 + 2 * HARMONICS, n)
        W = measure.regressor(*states(X))
        value = -float(np.linalg.slogdet(W.T @ W)[1]) / (2 * measure.p)
        over = excess(X)
        if value < best[0] and over.max() <= 0.01:
            best = value, X.copy()
        return value + 1e3 * float(np.sum(over**2)) / INSTANTS

    rng = np.random.default_rng(0)
    try:
        while True:
            speed = 0.15 * limits.velocity * rng.standard_normal((2 * HARMONICS, n))
            start = np.vstack([limits.middle, speed])
            minimize(objective, start.reshape(-1), method="L-BFGS-B", options={"maxiter": 200})
    except OutOfTime:
        return states(best[1])
