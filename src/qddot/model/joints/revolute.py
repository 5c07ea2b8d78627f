"""A joint that turns about an axis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from qddot.model.joints.contract import Coordinate, OneCoordinate
from qddot.scalars import ConfigVec, Mat3, Scalar
from qddot.spatial.pose import ORIGIN, Pose
from qddot.spatial.rotation import Z, about_axis, turn_to
from qddot.spatial.vector import join, vector


@dataclass(frozen=True)
class Revolute(OneCoordinate):
    """A turn of q [rad] about a fixed unit axis.

    In coordinates:

        X_JB(q) = (exp([axis]× q), 0),        S = [axis; 0]           RBDA Table 4.1
    """

    axis: tuple[Scalar, Scalar, Scalar]

    configuration = (Coordinate("angle", "rad"),)
    velocity = (Coordinate("angle", "rad/s"),)

    @classmethod
    def of(cls, joint: Any, axis: tuple[Scalar, Scalar, Scalar]) -> Revolute:
        return Revolute(axis)

    @property
    def S(self) -> np.ndarray:
        return join(vector(list(self.axis)), ORIGIN)[:, None]

    def pose(self, q: ConfigVec) -> Pose:
        return Pose(about_axis(self.axis, q[0]), ORIGIN)

    def along_z(self) -> tuple[Mat3, Revolute]:
        return turn_to(self.axis), Revolute(Z)
