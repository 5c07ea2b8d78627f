"""A run under a law as a page asks for it, read with suspicion: the law's model, limits of size."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from qddot.errors import BadArgument
from qddot.robot import Robot
from qddot.studio.library import HEAVIEST, Changes, ShownArm
from qddot.studio.messages import Question
from qddot.studio.state import friction_parameters, friction_values

SHARE = 0.6  # of the time for a move; the rest shows how it settles
SPARE = 1.05  # of the shortest time for a move
MOST_SAMPLES = 300_000  # of a law in a run: a minute at 5 kHz
FASTEST = 20_000.0  # [Hz]
LATEST = 1.0  # [s], a delay
FACTORS = 0.01, 100.0  # of masses, of lengths
LASTING = ("move", "line", "to_pose")  # references that take a time


@dataclass(frozen=True, eq=False)
class Controlled:
    """What a run under a law is made from; `Changes` make the arm and what the law takes it for."""

    robot: Robot  # as it was read
    label: str  # what the page calls it
    changes: Changes  # of the arm
    believed: Changes  # of the law's model
    control: dict[str, Any]  # a description, as `control/spec.py` has it
    q: np.ndarray
    qd: np.ndarray
    seconds: float

    @property
    def arm(self) -> Robot:
        """The arm."""
        return self.changes.applied(self.robot)

    @property
    def model(self) -> Robot | None:
        """What the law takes the arm for; None: for what it is."""
        return None if self.believed == self.changes else self.believed.applied(self.robot)


def controlled(
    arm: ShownArm, question: Question, q: np.ndarray, qd: np.ndarray, seconds: float
) -> Controlled:
    """Return what a question asks for.

    A motion whose duration is left open fits into the run: it takes most of the time, and more
    where the joints cannot go so fast: from rest to rest the velocity of a move rises to 15/8 of
    the mean one.
    """
    part = question.part("control")
    control = dict(part.fields)
    check_samples(part, seconds)
    reference = part.part("reference", None)
    if reference is not None and reference.fields.get("kind") in LASTING:
        fastest = 0.0
        if reference.fields["kind"] == "move" and not reference.has("pose"):
            far = np.abs(reference.numbers("joints", arm.robot.n) - q)
            fastest = float((far / arm.robot.limits.velocity).max())
        duration = max(SHARE * seconds, SPARE * 15 / 8 * fastest)
        if not reference.has("duration"):
            control["reference"] = {**reference.fields, "duration": duration}
    believed = believed_of(arm, question.part("model", None))
    return Controlled(arm.robot, arm.label, arm.changes, believed, control, q, qd, seconds)


def check_samples(control: Question, seconds: float) -> None:
    """Refuse a law that is asked more often than anybody waits for."""
    rate, _ = (
        control.number(name, 0, most) if control.has(name) else 0.0
        for name, most in (("rate", FASTEST), ("delay", LATEST))
    )
    if rate * seconds > MOST_SAMPLES:
        raise BadArgument(
            f"{seconds:g} s at {rate:g} Hz are {rate * seconds:.0f} samples; the studio runs at "
            f"most {MOST_SAMPLES}.\n  Lower the rate or the duration, or use Python."
        )


def believed_of(arm: ShownArm, part: Question | None) -> Changes:
    """Return what the law takes the arm for: the arm, but for what a question says."""
    changes = arm.changes
    if part is None:
        return changes
    part.only("payload", "friction", "masses", "lengths")
    if part.has("payload"):
        frame = changes.frame or arm.tip
        changes = replace(changes, frame=frame, mass=part.number("payload", 0, HEAVIEST))
    if part.has("friction"):
        share = part.number("friction", 0, FACTORS[1])
        own = {
            p.name: tuple(share * x for x in friction_values(arm.now, p))
            for p in friction_parameters(arm)
            if p.torque and share != 1
        }
        there = {name: values for name, values in own.items() if values}
        changes = replace(changes, friction=tuple({**dict(changes.friction), **there}.items()))
    for name in ("masses", "lengths"):
        if part.has(name):
            changes = replace(changes, **{name: part.number(name, *FACTORS)})
    return changes
