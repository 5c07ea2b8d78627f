"""What turns with the joints and rubs: the motor of a joint, and one that several joints share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qddot.model.friction import Friction, Sign
from qddot.scalars import JointVec, Scalar
from qddot.spatial.vector import vector


@dataclass(frozen=True)
class Shaft:
    """A rotor and friction along one direction e of joint space, at the speed w = e·q̇.

    The rotor keeps ½ Iₐ w². By virtual work the joints feel:

        e (Iₐ ẇ + f(w))
    """

    name: str  # the joint's, or the combination of joints: "j5+j6"
    direction: tuple[Scalar, ...]  # (n,)
    rotor_inertia: Scalar  # reflected
    friction: Friction

    def speed(self, v: JointVec) -> Scalar:
        """Return e·v."""
        parts = [r * x for r, x in zip(self.direction, v, strict=True) if _acts(r)]
        return sum(parts[1:], start=parts[0]) if parts else 0

    def torques(self, torque: Scalar) -> JointVec:
        """Return e times a torque: what each joint feels of it."""
        return vector([r * torque if _acts(r) else 0 for r in self.direction])

    @property
    def parameters(self) -> tuple[Scalar, ...]:
        """What its torque is linear in: Iₐ, then those of `LINEAR` of its friction."""
        return self.rotor_inertia, *self.friction.linear

    def columns(self, qd: JointVec, qd_r: JointVec, qdd: JointVec, dry: Sign) -> list[Scalar]:
        """Return what multiplies each of its parameters that are not zero, along e."""
        rotor = [self.speed(qdd)] if self.rotor_inertia else []
        return rotor + self.friction.columns(self.speed(qd), self.speed(qd_r), dry)


def unit_direction(i: int, n: int) -> tuple[int, ...]:
    """Return the direction in which joint i alone moves."""
    return tuple(np.eye(n, dtype=int)[i].tolist())


def _acts(ratio: Scalar) -> bool:
    return not isinstance(ratio, (int, float)) or ratio != 0
