"""A control law that is told at every instant where to be, as a controller board has it."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

from qddot.control.laws.law import NO_STATE, ControlLaw
from qddot.control.references.reference import Motion, Timed
from qddot.program.optimise import optimised
from qddot.program.program import Program
from qddot.program.recorder import record
from qddot.scalars import Scalar


@dataclass(frozen=True)
class Commanded(Timed):
    """A reference whose three arrays are what somebody gives."""

    motion: Motion
    duration: float = float("inf")

    def at(self, t: Scalar) -> Motion:
        return self.motion


def commanded(law: ControlLaw) -> Program:
    """Return a law whose reference is an input: position, velocity and acceleration.

    Its inputs are t, q, qd, where it has a state x, and then these three; its outputs tau, and xd.
    """
    reference = getattr(law, "reference", None)
    if not isinstance(reference, Timed):
        return law.whole
    wanted = {port.name: port.shape for port in reference.program.outputs}

    def define(*given: Any) -> dict[str, Any]:
        *state, position, velocity, acceleration = given
        told = copy.copy(law)
        motion = (position, velocity, acceleration)
        object.__setattr__(told, "reference", Commanded(motion))  # of a copy, so nobody sees it
        tau, xd = told.define(*state, *([] if len(law.x0) else [NO_STATE]))
        return {"tau": tau} | ({"xd": xd} if len(law.x0) else {})

    return optimised(record(define, type(law).__name__, **law.inputs, **wanted))
