"""A robot in CasADi."""

from __future__ import annotations

from pathlib import Path

from qddot.errors import MissingExtra
from qddot.robot.functions import Functions
from qddot.robot.robot import Robot


def to_casadi(robot: Robot | str | Path) -> Functions:
    """Return the robot's quantities as functions of CasADi, for optimal control.

    Each takes numbers, SX or MX, and CasADi differentiates it as any of its own. The function
    itself, to be named, mapped or generated as C, is `lowered`:

        arm = qddot.to_casadi(qddot.load("panda"))
        qdd = arm.forward_dynamics(q, qd, tau)                  # q, qd, tau: casadi.MX of 7 rows
        step = arm.lowered("forward_dynamics").map(40)          # a casadi.Function
    """
    try:
        from qddot.backends.casadi_program import function
    except ImportError as error:
        if (error.name or "").partition(".")[0] not in ("casadi", "_casadi"):
            raise
        raise MissingExtra("CasADi", "casadi", "casadi") from None
    return Functions(robot, function, "CasADi")
