"""How long does one call from Python take, for one state? Every method of a robot.

And how long does a state take of 10 or 100 that are given at once, beside a loop?
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from peers import FOR_ONE_STATE, PINOCCHIO, ways_of
from pinocchio_one import one_calls
from robots import NAMES, robot_named, spaced, states
from table import Row, against, within
from timing import Contender, Effort, race, say
from ways import AGREEMENT, CHECKED, Looped, agreeing, disagreement, flat, unchanged

from qddot.robot import Robot

TARGET = 4  # times Pinocchio
FEW = (10, 100)  # states that are given at once
OF_OTHERS = ("inverse_dynamics", "forward_dynamics", "mass_matrix")


@dataclass(frozen=True)
class Asked:
    """A method of a robot, and what stands in its call beside the arrays of the state."""

    method: str
    inputs: str = "q qd qdd"
    frame: bool = False  # named behind the arrays
    named: tuple[str, ...] = ()  # keywords: what is in them is made for the state
    words: str = ""  # what a row says of these
    read: Callable[[Any], Any] = unchanged  # what of the result is compared

    @property
    def what(self) -> str:
        return spaced(self.method) + (f", {self.words}" if self.words else "")


METHODS = (
    Asked("inverse_dynamics"),
    Asked("inverse_dynamics", named=("wrenches",), words="a wrench"),
    Asked("inverse_dynamics", named=("base_motion",), words="a moving base"),
    Asked("forward_dynamics"),
    Asked("forward_dynamics", named=("wrenches",), words="a wrench"),
    Asked("bias_torque", "q qd"),
    Asked("velocity_torque", "q qd"),
    Asked("gravity_torque", "q"),
    Asked("mass_matrix", "q"),
    Asked("mass_matrix_rate", "q qd"),
    Asked("coriolis_matrix", "q qd"),
    Asked("christoffel", "q"),
    Asked("centrifugal_matrix", "q"),
    Asked("coriolis_pairs", "q"),
    Asked("friction_torque", "qd"),
    Asked("regressor"),
    Asked("inverse_dynamics_derivatives"),
    Asked("forward_dynamics_derivatives"),
    Asked("all_terms", "q qd", read=lambda x: (x.M, x.bias, x.g)),
    Asked("all_terms", "q qd", frame=True, words="a frame",
          read=lambda x: (x.M, x.bias, x.g, x.pose, x.J, x.drift)),
    Asked("kinetic_energy", "q qd"),
    Asked("potential_energy", "q"),
    Asked("center_of_mass", "q"),
    Asked("pose", "q", frame=True),
    Asked("jacobian", "q", frame=True),
    Asked("jacobian_rate", "q qd", frame=True),
    Asked("point_motion", frame=True),
    Asked("effective_mass", "q", frame=True),
    Asked("principal_masses", "q", frame=True, read=lambda x: x[0]),
)  # fmt: skip


def rows(effort: Effort) -> list[Row]:
    """Return one row per robot, method and peer."""
    found = []
    for name in NAMES:
        robot = robot_named(name)
        frame = robot.tip
        state = one_state(robot)
        theirs = one_calls(robot, frame, state) if PINOCCHIO.installed else {}
        for asked in METHODS:
            say(f"single: {asked.what} of {name} ...")
            found.append(compare(robot, frame, asked, state, theirs.get(asked.what), effort))
        for quantity in OF_OTHERS:
            found += few_states(robot, quantity, theirs.get(spaced(quantity)), effort)
        for offer in ways_of(robot, FOR_ONE_STATE):
            for quantity in OF_OTHERS:
                found += compare_loop(robot, quantity, offer[quantity], effort)
    return found


def one_state(robot: Robot) -> dict[str, np.ndarray]:
    """Return q, qd, qdd, a wrench f and a base motion V, A."""
    q, qd, qdd = (x[0].copy() for x in states(robot, 1))
    f, V, A = np.random.default_rng(2).normal(size=(3, 6)).astype(robot.dtype)
    return {"q": q, "qd": qd, "qdd": qdd, "f": f, "V": V, "A": A}


def compare(
    robot: Robot,
    frame: str,
    asked: Asked,
    state: Mapping[str, np.ndarray],
    peer: Looped | None,
    effort: Effort,
) -> Row:
    """Return the row of a method: the time of its call, and of the peer's if that agrees."""
    arrays = [state[name] for name in asked.inputs.split()]
    keywords = {"wrenches": {frame: state["f"]}, "base_motion": (state["V"], state["A"])}
    ours = Contender(
        getattr(robot, asked.method),
        (*arrays, *([frame] if asked.frame else [])),
        named={key: keywords[key] for key in asked.named},
    )
    what = f"{robot.name}: {asked.what}, one call"
    batch = [x[None] for x in arrays]
    if peer is not None:
        result = asked.read(ours.function(*ours.args, **ours.named))
        difference = disagreement(flat(result)[None], peer.values(batch))
        if difference > AGREEMENT:
            say(f"{peer.name} differs by {difference:.1e} on {robot.name} and is not timed")
            peer = None
    if peer is None:
        return within(what, race([ours], effort.seconds / 4)[0])
    mine, theirs = race([ours, peer.single(batch)], effort.seconds / 2)
    return against(what, mine, peer.name, theirs, TARGET)


def few_states(robot: Robot, quantity: str, peer: Looped | None, effort: Effort) -> list[Row]:
    """Return the rows of small batches, per state: arrays, and numbers in lists."""
    found, call = [], getattr(robot, quantity)
    for count in FEW:
        arrays = [x.copy() for x in states(robot, count, 1 if quantity == "mass_matrix" else 3)]
        lists = tuple(x.tolist() for x in arrays)
        entrants = [Contender(call, tuple(arrays), count), Contender(call, lists, count)]
        peers = [peer] if peer and agreeing(robot, quantity, [peer], arrays) else []
        times = race([*entrants, *(each.batch(arrays) for each in peers)], effort.seconds / 2)
        what = f"{robot.name}: {spaced(quantity)}, {count} states"
        for words, time in (("", times[0]), (" in lists", times[1])):
            if not peers:
                found.append(within(what + words, time))
            for each, their in zip(peers, times[2:], strict=True):
                name = f"{each.name}, a loop"
                found.append(against(what + words, time, name, their, None if words else TARGET))
    return found


def compare_loop(robot: Robot, quantity: str, way: Any, effort: Effort) -> list[Row]:
    """Return the row of a peer of whom no target is asked, if it agrees."""
    arrays = states(robot, CHECKED, 1 if quantity == "mass_matrix" else 3)
    if not agreeing(robot, quantity, [way], arrays):
        return []
    ours = Contender(getattr(robot, quantity), tuple(a[0].copy() for a in arrays))
    mine, theirs = race([ours, way.single(arrays)], effort.seconds / 2)
    return [against(f"{robot.name}: {spaced(quantity)}, one call", mine, way.name, theirs)]
