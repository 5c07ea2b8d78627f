"""Motions that show what a robot's parameters are, within the limits of the robot.

motion = excite(robot, period=10.0, workspace={"tool": "z > 0.1"})
motion.save("motion.csv", rate=1000)
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from qddot.blas_threads import one_thread
from qddot.checks import need_joints, positive, whole
from qddot.errors import BadArgument, NotNumeric, printable
from qddot.identification.excitation_basis import FourierBasis, checked_start, random_motions
from qddot.identification.excitation_collision import CLEARANCE, clearance
from qddot.identification.excitation_criterion import Criterion, States, better_known, condition_of
from qddot.identification.excitation_criterion import criterion as criterion_of
from qddot.identification.excitation_limits import (
    MARGIN,
    half_spaces,
    motion_limits,
    refuse_short_period,
)
from qddot.identification.excitation_result import Excitation
from qddot.identification.excitation_search import STAGES, OutOfTime, Search
from qddot.identification.excitation_use import Use, checked_payloads, loaded, used
from qddot.identification.log import Log, load_log
from qddot.identification.log_checks import as_log
from qddot.identification.preparation import prepared
from qddot.identification.regression import USUAL_TERMS, with_terms
from qddot.progress import percent_done
from qddot.results import json_ready
from qddot.robot import Robot, robot_of

RANDOM = 100  # motions to compare with, and as many to start from
BEST = 5  # of them, whose condition number is found exactly
STARTS = 12
MEASURED = 1000  # instants at which condition numbers are compared

Progress = Callable[[float, float], None]


def excite(
    robot: Robot | str | Path,
    *,
    period: float = 10.0,
    harmonics: int = 5,
    criterion: str = "condition",
    terms: Sequence[str] = USUAL_TERMS,
    limits: Any = None,
    margin: float = MARGIN,
    workspace: Any = None,
    collision: Any = False,
    floor: float | None = None,
    apart: float = CLEARANCE,
    payloads: Any = (),
    after: Any = None,
    start: Any = None,
    seconds: float = 60.0,
    starts: int = STARTS,
    seed: int = 0,
    progress: Progress | None = None,
) -> Excitation:
    """Return a periodic motion from rest to rest that shows a robot's parameters well.

    Interrupted, it returns the best motion so far. With the same seed it returns the same motion,
    unless time runs out.

    Args:
        robot: The robot, or its built-in name or file; its friction, springs and payload count in
            the torques.
        period: How long the motion takes [s].
        harmonics: How many multiples of 1/period a joint moves with, at least 2.
        criterion: "condition" for the condition number of the scaled base regressor,
            "determinant" for the volume of the ellipsoid of confidence.
        terms: What is to be identified besides what the model has, as `identify` takes it.
        limits: What to use instead of the model's limits, see `motion_limits`.
        margin: What share of each limit to keep free.
        workspace: Where frames must stay, see `half_spaces`: {"tool": "z > 0.1"}.
        collision: Whether links must not touch each other: True, or the radius of the links [m], or
            some radii by link. Links are capsules from joint to joint, see `clearance`.
        floor: A height in base axes [m] that links stay above.
        apart: How far links stay from each other and from the floor [m].
        payloads: Loads with which the motion is made again, each ("tool", mass, (x, y, z)) [kg, m].
            Torques keep their limits with each of them, and its ten numbers are looked for too.
        after: A log that was recorded before, or its file, read and made ready as `identify` does,
            or several: the motion is to show what they do not.
        start: Where the motion begins and ends, one position per joint; free if not given.
        seconds: How long it may take. What is always done, compiling and the check of one motion,
            may take longer.
        starts: How many of the best random motions to improve.
        seed: Of the random motions.
        progress: Called with the share of the search that is done, and the best criterion so far.
    """
    began, robot = time.monotonic(), robot_of(robot)
    _check(robot, period, harmonics, seconds, starts, seed)
    need_joints(robot, "there is no motion")
    robot.model.need_single_numbers("An exciting motion")
    bounds = motion_limits(robot, limits, margin)
    refuse_short_period(bounds, period)
    told = {"collision": collision, "floor": floor, "least": apart}
    links, notes = clearance(robot, bounds, **told)
    bounds = replace(bounds, notes=(*bounds.notes, *notes))
    frames = half_spaces(robot, workspace)
    spaces = frames if links is None else (*frames, links)
    loads = checked_payloads(robot, payloads)
    robots = loaded(robot, loads)
    rest = checked_start(robots, bounds, spaces, start)
    given = () if after is None else after if isinstance(after, (list, tuple)) else (after,)
    before = [_recorded(robot, log, terms) for log in given]
    basis = FourierBasis(float(period), int(harmonics))
    quick = tuple(each.with_options(threads=1) for each in robots)
    frames_of_loads = [load["frame"] for load in loads]
    with one_thread():
        wide = with_terms(quick[0], terms)
        measure = criterion_of(criterion, wide, bounds, frames_of_loads, before, float(period))
    search = Search(quick, basis, measure, bounds, spaces, rest, began + seconds)
    steps = 2 + len(STAGES) * starts
    with one_thread(), percent_done(f"exciting {printable(robot.name)}", steps) as advance:
        search.tell = _telling(advance, progress, steps)
        random, ready = _random(search, np.random.default_rng(seed))
        status, done = _improve(search, ready[:starts], began)
    motion, use = _settled(search)
    states = motion.values(_instants(search))
    return Excitation(
        robot=robot,
        robot_name=robot.name,
        curve=motion,
        criterion=criterion,
        parameters=len(measure.names),
        condition=measure.condition(*states),
        random_condition=random,
        start_condition=measure.condition(*basis.curve(ready[0]).values(_instants(search))),
        history=np.array(search.history, dtype=float).reshape(-1, 2),
        limits=bounds,
        use=use,
        spaces=frames,
        collision={} if links is None else told,
        payloads=tuple(loads),
        after=_before(measure, before, states) if before else {},
        finished=done == min(starts, len(ready)),
        status=status,
        how={
            "seed": int(seed),
            "starts": done,
            "evaluations": search.evaluations,
            "seconds": round(time.monotonic() - began, 3),
        },
    )


def _recorded(robot: Robot, after: Any, terms: Sequence[str]) -> Log:
    """Return a log that was recorded before, made ready."""
    if isinstance(after, (str, Path)):
        after = load_log(after, robot)
    if isinstance(after, Log) and after.qdd is None:
        after = prepared(after, robot, terms=terms)
    return as_log(robot, after, torque=False)


def _before(measure: Criterion, logs: list[Log], states: States) -> dict[str, Any]:
    """Return what logs told, and what the motion adds to it, most first."""
    better = [(name, round(factor, 3)) for name, factor in better_known(measure, states)]
    known = measure.known[: measure.p, : measure.p]
    alone = json_ready(condition_of(known))
    seconds = sum(log.duration for log in logs)
    return {"duration": seconds, "condition": alone, "better": better}


def _random(search: Search, rng: np.random.Generator) -> tuple[float, list[np.ndarray]]:
    """Return the best condition number of plain random motions, and where to start, best first."""
    plain = random_motions(search, rng, RANDOM, together=True, share=0.15)
    ready = random_motions(search, rng, RANDOM, together=False, share=0.3)
    if search.spent(0.3):
        ready += plain
    if not ready:
        raise BadArgument(
            f"No motion of robot {printable(search.robot.name)!r} was found that keeps its limits "
            "and its workspace.\n  Loosen the limits of effort or the workspace, or give a start "
            "that is well inside."
        )
    # few instants tell which are the best, and many how good these are
    plain.sort(key=lambda X: search.criterion.condition(*(B @ X for B in search.coarse)))
    curves = (search.basis.curve(X) for X in plain[:BEST])
    conditions = [search.criterion.condition(*each.values(_instants(search))) for each in curves]
    search.tell(np.inf)
    ready.sort(key=search.value)
    search.offer(ready[0])
    return min(conditions, default=np.inf), ready


def _improve(search: Search, ready: list[np.ndarray], began: float) -> tuple[str, int]:
    """Improve one motion after the other; return how it ended, and how many were done."""
    done, end = 0, "improved all of them"
    try:
        for X in ready:
            search.descend(X)
            done += 1
    except OutOfTime:
        end = "time ran out"
    except KeyboardInterrupt:
        end = "interrupted; this is the best motion so far"
    took = time.monotonic() - began
    return f"{done} of {len(ready)} starts in {took:.1f} s: {end}", done


def _settled(search: Search) -> tuple[Any, Use]:
    """Return the best motion as a curve, seen to keep every limit, and how much of them it uses."""
    X, broken = search.best, ()
    for _ in range(50):
        assert X is not None
        motion = search.basis.curve(X)
        use, broken = used(search.robots, motion, search.limits, search.spaces)
        if not broken:
            return motion, use
        # an instant between those of the search; a little less is enough
        X = np.vstack([X[:1], (0.9 if search.spent() else 0.995) * X[1:]])
    raise BadArgument(
        "The motion found does not keep its limits:\n  "
        + "\n  ".join(str(each) for each in broken)
        + "\n  Give a start that is well inside, or a larger workspace."
    )


def _instants(search: Search) -> np.ndarray:
    """Return the instants at which condition numbers are compared [s]."""
    return np.arange(MEASURED) * (search.basis.period / MEASURED)


def _telling(
    advance: Callable[[], None], progress: Progress | None, steps: int
) -> Callable[[float], None]:
    count = 0

    def tell(best: float) -> None:
        nonlocal count
        count += 1
        advance()
        if progress is not None:
            progress(min(1.0, count / steps), best)

    return tell


def _check(robot: Robot, period: Any, harmonics: Any, seconds: Any, starts: Any, seed: Any) -> None:
    """Refuse, before any work, what cannot be right."""
    if robot.symbols:
        raise NotNumeric(robot.name, robot.symbols)
    positive("period", period, wanted="seconds above zero, such as 10.0")
    positive("seconds", seconds, wanted="seconds above zero, such as 60")
    whole("harmonics", harmonics, 2)
    whole("starts", starts, 1)
    whole("seed", seed)
