"""A joint that slides along an axis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from qddot.model.joints.contract import Coordinate, OneCoordinate
from qddot.scalars import ConfigVec, Mat3, Scalar
from qddot.spatial.pose import ORIGIN, Pose
from qddot.spatial.rotation import IDENTITY, Z, turn_to
from qddot.spatial.vector import join, vector


@dataclass(frozen=True)
class Prismatic(OneCoordinate):
    """A slide of q [m] along a fixed unit axis.

    In coordinates:

        X_JB(q) = (E, axis q),                S = [0; axis]           RBDA Table 4.1
    """

    axis: tuple[Scalar, Scalar, Scalar]

    configuration = (Coordinate("length", "m"),)
    velocity = (Coordinate("length", "m/s"),)

    @classmethod
    def of(cls, joint: Any, axis: tuple[Scalar, Scalar, Scalar]) -> Prismatic:
        return Prismatic(axis)

    @property
    def S(self) -> np.ndarray:
        return join(ORIGIN, vector(list(self.axis)))[:, None]

    def pose(self, q: ConfigVec) -> Pose:
        return Pose(IDENTITY, vector([a * q[0] for a in self.axis]))

    def along_z(self) -> tuple[Mat3, Prismatic]:
        return turn_to(self.axis), Prismatic(Z)
