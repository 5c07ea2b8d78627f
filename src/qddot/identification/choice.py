"""How a log is prepared: its spectrum suggests a cut-off, prediction decides.

A filter that is too low takes motion away. One that is too high lets noise of the positions into q̈,
and parameters come out too small (errors in variables). Both make the torques of pieces that were
not fitted come out wrong, whatever colour the noise has. All are judged by the same torques, those
that were measured, so that none wins by smoothing them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from qddot.identification.held_out import HeldOut, LogJudge
from qddot.identification.log import Log
from qddot.identification.spectrum import Cutoff, candidates
from qddot.identification.ways import Way

FEWEST_JUDGED = 200  # rows
NEAR = 2  # cut-offs beyond the good ones, at which other ways are tried
TWICE, THRICE = 2.0, 3.0  # the band of the bulk of the motion: no cut-off below it
CLEARLY = 1.05, 1.0  # worse: a squared error so many times the best, and standard errors away
GROSSLY = 3.0, 2.0  # the same without a model, whose predictions are rough


def cutoff(log: Log, robot: Any = None, terms: Any = (), extra: Any = ()) -> Cutoff:
    """Return the cut-off frequency for a log: the spectrum suggests one, prediction decides.

    The suggestion is kept if no other cut-off predicts the torques of pieces that were not fitted
    clearly better; else the lowest that predicts them as well as the best.
    Without a robot the prediction is rough: the suggestion is kept unless it is far off, and none
    is taken below twice the band of 95 % of the velocity's power.

    Args:
        log: The log, evenly sampled; without torques the spectrum decides alone.
        robot: By whose model torques are predicted.
        terms, extra: What `identify` is to add to it.
    """
    return _cutoff(LogJudge(log, robot, terms, extra), [usual(log)])[1]


def usual(log: Log) -> str:
    """Return what is differentiated: velocities where they were measured."""
    return "q" if log.qd is None else "qd"


def way(judge: LogJudge, later: float | np.ndarray = 0.0) -> tuple[Way, Cutoff]:
    """Return how to prepare a log, and why so.

    Derivatives are those of the measured velocities where there are some, unless those of the
    positions predict clearly better.

    Args:
        judge: The log.
        later: By how much later in the log torques are taken [s], one or one per joint.
    """
    log = judge.log
    doubted = judge.robot is not None and log.tree is None and log.qd is not None
    return _cutoff(judge, ["qd", "q"] if doubted else [usual(log)], later)


def can_be_judged(log: Log) -> bool:
    """Return whether there are torques, and rows enough to hold some of them back, of a motion."""
    moves = np.ptp(log.q, axis=0).any()
    return log.tau is not None and len(log) >= FEWEST_JUDGED and bool(moves)


def _cutoff(
    judge: LogJudge, ways: list[str], later: float | np.ndarray = 0.0
) -> tuple[Way, Cutoff]:
    """Return what to differentiate, of "q" and "qd", and the cut-off; the first is the usual."""
    log, robot = judge.log, judge.robot
    first = judge.suggested
    if not can_be_judged(log):
        why = f"{first.why}; by the spectrum of the positions alone"
        return Way(first.frequency, ways[0]), replace(first, why=why)
    tried = np.union1d(candidates(log), [first.frequency])
    if robot is None:
        tried = tried[tried >= min(TWICE * first.spectrum.bulk, first.frequency)]
    own = judge.judged([Way(float(f), ways[0]) for f in tried], later)
    near = tried[max(own.lowest - NEAR, 0) : own.best + NEAR + 1]
    others = [Way(float(f), of) for of in ways[1:] for f in near]
    if not others:
        return _lowest(own, first, robot is None)
    judged = own.and_also(judge.judged(others, later))
    best = judged.ways[judged.best]
    if judged.alike(*CLEARLY)[: len(own.ways)].any():
        return _lowest(own, first, robot is None)
    better = (
        f"; by {best} they are predicted to {100 * judged.relative[judged.best]:.3g} %, by "
        f"{own.ways[0]} to {100 * own.relative[own.best]:.3g} %"
    )
    alike = np.array([way.of == best.of for way in judged.ways])
    return _lowest(judged[alike], first, robot is None, better)


def _lowest(judged: HeldOut, first: Cutoff, rough: bool, better: str = "") -> tuple[Way, Cutoff]:
    """Return the suggested cut-off if it predicts as well as any, else the lowest that does."""
    at = int(np.abs(judged.frequencies - first.frequency).argmin())
    # a filter at the edge of the motion takes some of it, which few pieces of time do not tell
    wide = min(THRICE * first.spectrum.bulk, judged.frequencies[judged.best])
    lowest = int((judged.alike() & (judged.frequencies >= wide)).argmax())
    if judged.alike(*(GROSSLY if rough else CLEARLY))[at]:
        why = f"{first.why}; no other predicts held-out torques better ({judged.by}){better}"
        return judged.ways[at], replace(first, why=why)
    error, other = (100 * float(judged.relative[k]) for k in (lowest, at))
    why = (
        f"the lowest that predicts held-out torques as well as any, to {error:.3g} % "
        f"({judged.by}); at {first.frequency:.3g} Hz, which the spectrum suggests, it is "
        f"{other:.3g} %{better}"
    )
    way = judged.ways[lowest]
    return way, Cutoff(way.cutoff, first.spectrum, why)
