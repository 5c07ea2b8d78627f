"""Links, frames and payloads, in the numbers that people write down.

Nothing here is multiplied out: a placement stays x, y, z and roll, pitch, yaw, an inertia stays
about the centre of mass. So a file can be written back unchanged, and exact algebra starts from
the decimals that were typed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from qddot.scalars import Scalar, Vec3, constant_sincos
from qddot.spatial.inertia import Inertia, symmetric
from qddot.spatial.pose import Pose
from qddot.spatial.rotation import from_rpy
from qddot.spatial.vector import vector

if TYPE_CHECKING:
    from qddot.model.geometry import Geometry

NOWHERE = (0, 0, 0)
# [kg] or [kg·m²] in a format that asks for mass and inertia: this much, or less, is none
NEGLIGIBLE = 1e-14


@dataclass(frozen=True)
class Placement:
    """Where a frame is in another: translation [m], then roll, pitch, yaw [rad] as in URDF."""

    xyz: tuple[Scalar, Scalar, Scalar] = NOWHERE
    rpy: tuple[Scalar, Scalar, Scalar] = NOWHERE

    def pose(self) -> Pose:
        """Return the same as a rotation and a translation."""
        return Pose(from_rpy(self.rpy, constant_sincos), vector(list(self.xyz)))


@dataclass(frozen=True)
class Inertial:
    """The mass of a body and how it is spread.

    `inertia` holds Ixx, Ixy, Ixz, Iyy, Iyz, Izz about the centre of mass, in axes turned by `rpy`
    from the link's. Off-diagonal entries are those of the matrix, Ixy = −∫xy dm.
    """

    mass: Scalar = 0  # [kg]
    com: Vec3 = NOWHERE  # [m], in the link's frame
    inertia: tuple[Scalar, ...] = (0, 0, 0, 0, 0, 0)  # [kg·m²]
    rpy: tuple[Scalar, Scalar, Scalar] = NOWHERE

    def about_origin(self) -> Inertia:
        """Return the ten numbers about the link frame's origin, in the link's axes."""
        R = from_rpy(self.rpy)
        return Inertia.about_com(self.mass, self.com, R @ symmetric(self.inertia) @ R.T)


@dataclass(frozen=True)
class Link:
    """A rigid body. Its frame sits at the joint that carries it (the base's: at the base)."""

    name: str
    inertial: Inertial = Inertial()
    line: int | None = field(default=None, compare=False, repr=False)
    # made by a reader between two that the user named: the joint's end of a DH link
    hidden: bool = field(default=False, compare=False, repr=False)
    visuals: tuple[Geometry, ...] = ()  # what it looks like
    collisions: tuple[Geometry, ...] = ()  # what stands for it where things touch


@dataclass(frozen=True)
class Frame:
    """A named frame fixed to a link: a flange, a tool, a camera."""

    name: str
    link: str
    placement: Placement = Placement()
    line: int | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Payload:
    """A body carried at a frame; its inertial numbers are in that frame."""

    frame: str
    inertial: Inertial
    line: int | None = field(default=None, compare=False, repr=False)
