"""The rotor of a motor: it spins about its own axis on the link that carries it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from qddot.model.joints.contract import Coordinate, OneCoordinate
from qddot.scalars import ConfigVec, Mat3, Scalar
from qddot.spatial.pose import ORIGIN, STILL, Pose
from qddot.spatial.rotation import Z, turn_to
from qddot.spatial.vector import join, vector


@dataclass(frozen=True)
class Rotor(OneCoordinate):
    """A spin of q [rad] about a fixed unit axis, of a body that looks the same at every angle.

    In coordinates:

        X_JB(q) = (E, 0),        S = [axis; 0]

    The body's inertia is the same at every angle, so that forces and energies at one instant do not
    depend on it and the pose may leave it out. What moves is told by S, as of any joint. So a rotor
    takes no sine of its angle, and may follow another joint by any ratio, also by a symbol.
    """

    axis: tuple[Scalar, Scalar, Scalar]

    configuration = (Coordinate("spin", "rad"),)
    velocity = (Coordinate("spin", "rad/s"),)

    @classmethod
    def of(cls, joint: Any, axis: tuple[Scalar, Scalar, Scalar]) -> Rotor:
        return Rotor(axis)

    @property
    def S(self) -> np.ndarray:
        return join(vector(list(self.axis)), ORIGIN)[:, None]

    def pose(self, q: ConfigVec) -> Pose:
        return STILL

    def along_z(self) -> tuple[Mat3, Rotor]:
        return turn_to(self.axis), Rotor(Z)
