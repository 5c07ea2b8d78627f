"""How long does a state take in a batch, on one thread, beside the other packages?

Everything runs on one core. Arrays for the results are made beforehand, for those who take them.
"""

from __future__ import annotations

from collections.abc import Sequence

from peers import PEERS, ways_of
from robots import INPUTS, NAMES, robot_named, spaced, states
from table import Row, against, within
from timing import Contender, Effort, one_core, race, say
from ways import Arrays, Way, agreeing

from qddot.robot import Robot

# of Pinocchio's time, at least
TARGETS = dict.fromkeys(INPUTS, 15) | {
    "inverse_dynamics": 35,
    "forward_dynamics": 25,
    "regressor": 20,
    "inverse_dynamics_derivatives": 30,
    "forward_dynamics_derivatives": 30,
}
FRESH = ("regressor",)  # also timed without out=: memory bounds them


def rows(effort: Effort) -> list[Row]:
    """Return one row a robot, a quantity and a peer."""
    found = []
    with one_core():
        for name in NAMES:
            robot = robot_named(name)
            offers = ways_of(robot, PEERS)
            for quantity in INPUTS:
                say(f"batch: {spaced(quantity)} of {name} ...")
                ways = [offer[quantity] for offer in offers if quantity in offer]
                found += compare(robot, quantity, ways, effort)
    return found


def compare(robot: Robot, quantity: str, ways: Sequence[Way], effort: Effort) -> list[Row]:
    """Return the rows of one quantity: the time a state of each peer who agrees."""
    arrays = states(robot, effort.states, INPUTS[quantity])
    ways = agreeing(robot, quantity, ways, arrays)
    fresh = Contender(getattr(robot, quantity), tuple(arrays), len(arrays[0]))
    entrants = [ours(robot, quantity, arrays), fresh, *(way.batch(arrays) for way in ways)]
    mine, without_out, *theirs = race(entrants, 1.5 * effort.seconds)
    what = f"{robot.name}: {spaced(quantity)}"
    if not ways:
        return [within(what, mine)]
    timed = {what: mine} | ({f"{what}, no out=": without_out} if quantity in FRESH else {})
    return [
        against(what, time, way.name, other, target(quantity, way))
        for what, time in timed.items()
        for way, other in zip(ways, theirs, strict=True)
    ]


def target(quantity: str, way: Way) -> float | None:
    return TARGETS[quantity] if way.name.startswith("Pinocchio") else None


def ours(robot: Robot, quantity: str, arrays: Arrays) -> Contender:
    """Return qddot's own call, with the arrays for its results."""
    call = getattr(robot, quantity)
    return Contender(call, tuple(arrays), len(arrays[0]), out=call(*arrays))
