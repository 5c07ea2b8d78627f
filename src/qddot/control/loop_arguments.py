"""The arguments of `closed_loop`: checked, and chosen where they are not given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from qddot.checks import one_of, spread
from qddot.control.laws.law import ControlLaw
from qddot.errors import BadArgument, shorten
from qddot.motions.setpoint import stays
from qddot.robot import Robot
from qddot.simulation.acting import law_of as program_law
from qddot.simulation.acting import without_motor
from qddot.simulation.run_arguments import joint_values

AFTER = 1.0  # [s], how long a run goes on after its reference has ended
SPELL = 5.0  # [s], or a period, how long it lasts where the reference has no end


def law_of(robot: Robot, law: Any, model: Robot | None) -> ControlLaw:
    """Return the law, on another model if there is one; refuse what is no law of this arm."""
    if not isinstance(law, ControlLaw):
        raise BadArgument(
            f"The law is {shorten(repr(law))}; make one from qddot.control. Any function or "
            "recorded controller runs in qddot.simulate(torque=...)."
        )
    if law.robot.n != robot.n:
        raise BadArgument(
            f"The law was made for a robot with {law.robot.n} joints ({law.robot.name!r}); "
            f"{robot.name!r} has {robot.n}."
        )
    law = law if model is None else law.on(model)
    if fault := without_motor(robot, program_law(law, robot.n, robot.nq), None):
        raise BadArgument(f"{type(law).__name__} does not fit {robot.name!r}: {fault}.")
    return law


def noise_of(robot: Robot, name: str, value: Any) -> np.ndarray:
    """Return standard deviations, shape (n,)."""
    wanted = "a standard deviation, a number that is not negative"
    return spread(name, 0.0 if value is None else value, robot.joint_names, wanted, least=0)


def lasting(reference: Any) -> float:
    """Return the default length of a run [s]: one second more than its reference takes."""
    length = getattr(reference, "duration", np.inf)
    period = getattr(reference, "period", None) or 0.0
    return float(length) + AFTER if np.isfinite(length) else max(SPELL, period)


def start_of(
    robot: Robot, law: ControlLaw, against: Any, q0: Any, qd0: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Return positions and velocities at the start: as given, or those of a joint reference."""
    own = None if hasattr(law, "frame") else getattr(law, "reference", None)
    first = beginning(own if against is None else against) if q0 is None else None
    if first is not None:
        q0, qd0 = first[0], first[1] if qd0 is None else qd0
    q0 = robot.home.copy() if q0 is None else joint_values(robot, "q0", q0)
    return q0, np.zeros(robot.n) if qd0 is None else joint_values(robot, "qd0", qd0)


def beginning(reference: Any) -> tuple[np.ndarray, np.ndarray] | None:
    """Return where a reference starts and how fast; None where it stays at one place."""
    if reference is None or stays(reference):
        return None
    place, speed, _ = (np.asarray(part, dtype=float) for part in reference.at(0.0))
    return place, speed


def check_choices(effort: Any, more: Mapping[str, Any]) -> None:
    """Raise unless effort is a known word and noise is given by its two names."""
    one_of("effort", effort, ("report", "enforce"))
    if "noise" in more:
        raise BadArgument(
            "noise has two names: noise_q= of measured positions and noise_qd= of measured "
            "velocities, each a number or one number per joint."
        )
