"""The units of what belongs to a joint: one row for joints that turn, one for joints that slide."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from qddot.model.friction import LINEAR

if TYPE_CHECKING:
    from qddot.model.joint import Joint


@dataclass(frozen=True)
class JointUnits:
    """The unit of every quantity of a joint, by the quantity's name."""

    position: str
    velocity: str
    acceleration: str
    effort: str
    inertia: str  # effort per acceleration
    mobility: str  # acceleration per effort
    damping: str  # effort per velocity
    coriolis: str  # effort per velocity squared
    stiffness: str  # effort per position


ANGLE = JointUnits(
    position="rad",
    velocity="rad/s",
    acceleration="rad/s²",
    effort="N·m",
    inertia="kg·m²",
    mobility="1/(kg·m²)",
    damping="N·m·s/rad",
    coriolis="kg·m²",
    stiffness="N·m/rad",
)
LENGTH = JointUnits(
    position="m",
    velocity="m/s",
    acceleration="m/s²",
    effort="N",
    inertia="kg",
    mobility="1/kg",
    damping="N·s/m",
    coriolis="kg/m",
    stiffness="N/m",
)
# of the ten numbers of a body's inertia, whatever its joint
BODY_UNITS = {
    "m": "kg",
    **dict.fromkeys(("mx", "my", "mz"), "kg·m"),
    **dict.fromkeys(("Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz"), "kg·m²"),
}
# of the parameters of a joint: which of its units they have
JOINT_PARAMETERS = {"Ia": "inertia"} | {p.column: p.unit for p in LINEAR}
BY_POSITION = {units.position: units for units in (ANGLE, LENGTH)}


def parameter_unit(joint: Joint, p: str) -> str:
    """Return the unit of a parameter as the regressor has it, such as "fv"; "" if unknown."""
    if p in JOINT_PARAMETERS:
        return getattr(joint.units, JOINT_PARAMETERS[p])
    return BODY_UNITS.get(p, "")


def units_of(joints: Iterable[Joint]) -> list[JointUnits]:
    """Return the units that these joints have, each once: those of angles first."""
    there = {joint.units for joint in joints}
    return [units for units in (ANGLE, LENGTH) if units in there]


def unit_of(joints: Iterable[Joint], quantity: str) -> str:
    """Return the unit that a quantity has at these joints; "rad or m" where they differ."""
    return " or ".join(getattr(units, quantity) for units in units_of(joints))


def for_people(unit: str, degrees: bool) -> tuple[str, float]:
    """Return a unit as it is shown, and how many of it one of the old is.

    With degrees, those of angles: ("°/s", 180/π) of "rad/s"; any other unit is as it was.
    """
    if degrees and unit.split("/")[0] == "rad":
        return "°" + unit.removeprefix("rad"), 180 / math.pi
    return unit, 1.0


def all_for_people(units: Iterable[str], degrees: bool) -> tuple[str, list[float]]:
    """Return the units of several numbers, "° or m" where they differ, and the factor of each."""
    shown = [for_people(unit, degrees) for unit in units]
    names = list(dict.fromkeys(name for name, _ in shown))
    return " or ".join(names), [factor for _, factor in shown]
