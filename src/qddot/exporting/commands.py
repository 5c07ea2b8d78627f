"""A control law that is told at every instant where to be, as a controller board has it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from qddot.control.laws.law import NO_STATE, ControlLaw
from qddot.control.laws.momentum_observer import MomentumObserver
from qddot.motions.motion import Triple
from qddot.program.optimise import optimised
from qddot.program.program import Program
from qddot.program.recorder import record
from qddot.scalars import Scalar

TOLD = ("position", "velocity", "acceleration")


@dataclass(frozen=True)
class Commanded:
    """A reference whose three arrays are what somebody gives."""

    motion: Triple
    n: int
    duration: float = float("inf")

    def at(self, t: Scalar) -> Triple:
        return self.motion


def commanded(law: ControlLaw) -> Program:
    """Return a law whose reference is an input: position, velocity and acceleration.

    Its inputs are t, q, qd, where it has a state x, of an observer the torques that were applied,
    and then these three, whatever reference the law was made with; its outputs tau, and xd.
    """
    reference: Any = getattr(law, "reference", None)
    told_where = callable(getattr(reference, "at", None))
    motion = reference.at(0.0) if told_where else ()
    wanted = {name: (len(part),) for name, part in zip(TOLD, motion, strict=False)}
    observes = isinstance(law, MomentumObserver)
    more = {"applied": (law.robot.n,)} if observes else {}
    stated = len(law.x0) > 0

    def define(*given: Any) -> dict[str, Any]:
        inputs = dict(zip([*law.inputs, *more, *wanted], given, strict=True))
        told = law
        if wanted:
            motion = inputs["position"], inputs["velocity"], inputs["acceleration"]
            told = law.following(Commanded(motion, len(motion[1])))
        state = [inputs[name] for name in law.inputs] + ([] if stated else [NO_STATE])
        t, q, qd, x = state
        if isinstance(told, MomentumObserver):
            tau, xd = told.observed(t, q, qd, x, inputs["applied"])
        else:
            tau, xd = told.define(t, q, qd, x)
        return {"tau": tau} | ({"xd": xd} if stated else {})

    return optimised(record(define, type(law).__name__, **law.inputs, **more, **wanted))
