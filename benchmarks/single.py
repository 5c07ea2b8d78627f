"""How long does one call from Python take, for one state?"""

from __future__ import annotations

from peers import FOR_ONE_STATE, ways_of
from robots import INPUTS, NAMES, robot_named, spaced, states
from table import Row, against, within
from timing import Contender, Effort, race, say
from ways import CHECKED, Looped, agreeing

from qddot.robot import Robot

QUANTITIES = ("inverse_dynamics", "forward_dynamics", "mass_matrix")
TARGET = 4  # times Pinocchio


def rows(effort: Effort) -> list[Row]:
    """Return one row a robot, a quantity and a peer."""
    found = []
    for name in NAMES:
        robot = robot_named(name)
        offers = ways_of(robot, FOR_ONE_STATE)
        for quantity in QUANTITIES:
            say(f"single: {spaced(quantity)} of {name} ...")
            found += compare(robot, quantity, [offer[quantity] for offer in offers], effort)
    return found


def compare(robot: Robot, quantity: str, ways: list[Looped], effort: Effort) -> list[Row]:
    """Return the rows of one quantity: the time of a call of each peer who agrees."""
    arrays = states(robot, CHECKED, INPUTS[quantity])
    ways = agreeing(robot, quantity, ways, arrays)
    ours = Contender(getattr(robot, quantity), tuple(a[0].copy() for a in arrays))
    mine, *theirs = race([ours, *(way.single(arrays) for way in ways)], effort.seconds)
    what = f"{robot.name}: {spaced(quantity)}, one call"
    if not ways:
        return [within(what, mine)]
    return [
        against(what, mine, way.name, time, TARGET if "Pinocchio" in way.name else None)
        for way, time in zip(ways, theirs, strict=True)
    ]
