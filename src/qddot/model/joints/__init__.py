"""The kinds of joints, one file each. A new kind is a new file and a line in `MOTIONS`."""

from qddot.model.joints.contract import Coordinate, JointMotion, OneCoordinate
from qddot.model.joints.prismatic import Prismatic
from qddot.model.joints.revolute import Revolute
from qddot.model.joints.rotor import Rotor
from qddot.model.joints.screw import Screw

# by the type that files give; "fixed" is the one that has none
MOTIONS: dict[str, type[JointMotion]] = {
    "revolute": Revolute,
    "continuous": Revolute,
    "prismatic": Prismatic,
    "screw": Screw,
    "rotor": Rotor,
}
ENDLESS = frozenset({"continuous", "rotor"})  # kinds that have no ends, whatever their limits say
# joints as which a body moves freely: three slides, three turns
SIX_DEGREES: tuple[JointMotion, ...] = tuple(
    kind(axis) for kind in (Prismatic, Revolute) for axis in ((1, 0, 0), (0, 1, 0), (0, 0, 1))
)

__all__ = [
    "ENDLESS",
    "MOTIONS",
    "SIX_DEGREES",
    "Coordinate",
    "JointMotion",
    "OneCoordinate",
    "Prismatic",
    "Revolute",
    "Rotor",
    "Screw",
]
