"""How much faster do two threads make a large batch?"""

from __future__ import annotations

import time

from batch import ours
from machine import cores
from peers import PINOCCHIO, pinocchio_parallel
from robots import INPUTS, NAMES, robot_named, spaced, states
from table import Row, against
from timing import Effort, race, say

QUANTITIES = ("inverse_dynamics", "forward_dynamics")
TARGET = 1.8  # times one thread


def rows(effort: Effort) -> list[Row]:
    """Return, a robot and a quantity, two threads beside one, and beside two of Pinocchio's."""
    if cores() < 2:
        return [Row("two threads", "not measured: one core")]
    found = []
    for name in NAMES:
        one, two = robot_named(name, threads=1), robot_named(name, threads=2)
        peers = pinocchio_parallel(one, threads=2) if PINOCCHIO.installed else {}
        for quantity in QUANTITIES:
            say(f"threads: {spaced(quantity)} of {name} ...")
            for count in (effort.states, effort.many):
                arrays = states(one, count, INPUTS[quantity])
                entrants = [ours(robot, quantity, arrays) for robot in (two, one)]
                entrants += [peers[quantity].batch(arrays)] if peers else []
                both, alone, *theirs = race(entrants, 2 * effort.seconds, time.perf_counter)
                what = f"{name}: {spaced(quantity)}, 2 threads, {count:,} states"
                found.append(against(what, both, "qddot, 1 thread", alone, TARGET))
                found += [against(what, both, peers[quantity].name, t) for t in theirs]
    return found
