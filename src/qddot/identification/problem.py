"""From a robot and a log to a problem that can be solved, or to a word about why it cannot."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from qddot.errors import BadArgument, listing
from qddot.identification.accumulate import Factors, factors
from qddot.identification.base_parameters import IN_A_LOG, random_states
from qddot.identification.grouping import Columns, condition, sorted_out
from qddot.identification.identifiability import Identifiability, identifiability
from qddot.identification.regression import Regression
from qddot.identification.samples import Samples
from qddot.identification.solution import Problem

UNSEEN = 1e-6  # less than this of a column of its own, and no noise is low enough


def problem_of(
    regression: Regression, samples: Samples, unexcited: str = "refuse", blocks: int = 10
) -> Problem:
    """Return the problem of finding a robot's base parameters from a log.

    Raises:
        BadArgument: If the log has too few samples, or does not show every base parameter.
    """
    if unexcited not in ("refuse", "merge"):
        raise BadArgument(f"unexcited is {unexcited!r}; it must be 'refuse' or 'merge'.")
    robot, columns = regression.robot, structural(regression)
    if not columns.kept:
        raise BadArgument(
            f"No parameter of robot {robot.name!r} acts on any torque, so there is nothing to find."
        )
    if len(samples) * robot.n < len(columns.kept) or len(samples) < 2:
        need = max(2, -(-len(columns.kept) // robot.n))
        raise BadArgument(
            f"The log has {len(samples)} samples, too few for {len(columns.kept)} base parameters "
            f"of robot {robot.name!r}.\n  Give at least {need}, better some thousand."
        )
    found = factors(regression, columns, samples, blocks=blocks)
    shown, number = excitation(found)
    base = identifiability(regression.names, columns, number, where="in this log")
    if len(shown.kept) == found.rank:
        return Problem(regression, base, found, samples)
    if unexcited == "refuse":
        raise BadArgument(refusal(robot, base, shown, samples))
    merged = sorted_out(regression.factor(samples), IN_A_LOG)
    found = factors(regression, merged, samples, blocks=blocks)
    lost = tuple(base.groups[k].text for k in range(base.rank) if k not in shown.kept)
    base = identifiability(regression.names, merged, excitation(found)[1], where="in this log")
    return Problem(regression, replace(base, lost=lost), found, samples)


def filtered(regression: Regression, samples: Samples, rate: float) -> Samples:
    """Return a few rows a second, columns and torques both through the same low-pass."""
    from qddot.identification.decimation import equations
    from qddot.identification.log import Log

    names = regression.robot.joint_names
    torque = samples.tau - regression.rest(samples)
    log = Log(names, samples.t, samples.q, samples.qd, samples.qdd, torque, counts=samples.counts)

    def columns(q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
        return regression.columns(Samples(np.zeros(len(q)), q, qd, qdd, q))

    rows = equations(log, columns, rate)
    at = np.searchsorted(samples.t, rows.t - 1e-12)
    q, qd, qdd = samples.q[at], samples.qd[at], samples.qdd[at]
    return Samples(rows.t, q, qd, qdd, rows.tau, rows.counts, rows.Y)


def structural(regression: Regression) -> Columns:
    """Return the base parameters that the robot has wherever it may go."""
    states = random_states(regression.robot, limits=False)
    regression.check_extra(states)
    return sorted_out(regression.factor(states))


def excitation(found: Factors) -> tuple[Columns, float]:
    """Return which base parameters a log shows, and the condition number of their regressor."""
    R = found.stacked(np.ones(found.n))[:, :-1]
    shown = sorted_out(R, UNSEEN)
    return shown, condition(R[:, shown.kept])


def refusal(robot: Any, base: Identifiability, shown: Columns, samples: Samples) -> str:
    """Return why a log is not enough, and what to do."""
    unseen = [base.groups[k].text for k in range(base.rank) if k not in shown.kept]
    seen = "; ".join(one_way(robot, samples))
    causes = (
        f"Cause: {seen}"
        if seen
        else (
            "Usual causes: a joint that hardly moves, one that moves slowly, joints that move in "
            "proportion"
        )
    )
    return (
        f"The log shows {len(shown.kept)} of {base.rank} base parameters of robot "
        f"{robot.name!r}: it cannot tell {listing(unseen, 4)}.\n"
        f"  {causes}.\n"
        "  Move every joint, at different speeds; or take the groups that the log does show: "
        "unexcited='merge'."
    )


def one_way(robot: Any, samples: Samples) -> list[str]:
    """Return, in words, the joints that turn one way only while their torques count."""
    said = []
    for i, name in enumerate(robot.joint_names):
        use = slice(None) if samples.counts is None else samples.counts[:, i]
        rate = samples.qd[use, i]
        if not len(rate):
            said.append(f"no torque of joint {name!r} counts, so nothing is known of its friction")
        elif rate.min() >= 0 or rate.max() <= 0:
            said.append(
                f"joint {name!r} turns one way only, so Coulomb friction and offset act as one"
            )
    return said
