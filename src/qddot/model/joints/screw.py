"""A joint that turns about an axis and slides along it at the same time: a spindle and its nut."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from qddot.model.joints.contract import Coordinate, OneCoordinate
from qddot.scalars import ConfigVec, Mat3, Scalar
from qddot.spatial.pose import Pose
from qddot.spatial.rotation import Z, about_axis, turn_to
from qddot.spatial.vector import join, vector


@dataclass(frozen=True)
class Screw(OneCoordinate):
    """A turn of q [rad] about a fixed unit axis and a slide of pitch · q [m] along it.

    In coordinates:

        X_JB(q) = (exp([axis]× q), axis pitch q),     S = [axis; pitch axis]     RBDA Table 4.1
    """

    axis: tuple[Scalar, Scalar, Scalar]
    pitch: Scalar  # [m/rad]

    configuration = (Coordinate("angle and length", "rad"),)
    velocity = (Coordinate("angle and length", "rad/s"),)
    numbers: ClassVar[tuple[str, ...]] = ("pitch",)

    @classmethod
    def of(cls, joint: Any, axis: tuple[Scalar, Scalar, Scalar]) -> Screw:
        return Screw(axis, joint.pitch)

    @property
    def S(self) -> np.ndarray:
        axis = vector(list(self.axis))
        return join(axis, self.pitch * axis)[:, None]

    def pose(self, q: ConfigVec) -> Pose:
        slide = self.pitch * q[0]
        return Pose(about_axis(self.axis, q[0]), vector([a * slide for a in self.axis]))

    def along_z(self) -> tuple[Mat3, Screw]:
        return turn_to(self.axis), Screw(Z, self.pitch)
