"""An attack on `sound`: random arms, laws, gains, references, frictions, samplings, wrong models.

No run may be called sound and be wrong: V rises, a set point is not approached, an observer sees a
push that is not there. And runs that are as they should be must be called sound.
"""

from __future__ import annotations

import warnings
from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from long import one_in
from strategies import inertial, random_joint

from qddot.certificate.bounds import bound
from qddot.control.laws import AdaptiveApproximateJacobian, MomentumObserver, RobustSaturated
from qddot.control.laws.gains import Assignment
from qddot.control.loop import ClosedLoop, closed_loop
from qddot.control.spec import axes_of, laws, ready_posture
from qddot.model import Frame, Friction, Limits, Link, Placement, build
from qddot.motions import Fourier, Quintic, Setpoint
from qddot.robot import Robot

# in this order they seed the draws
NAMES = (
    *("pd", "pd_gravity", "computed_torque", "feed_forward", "slotine_li", "adaptive", "robust"),
    *("operational_space", "joint_impedance", "cartesian_impedance", "approximate_jacobian"),
    *("adaptive_gravity", "observer"),
)
RUBBING = ("slotine_li", "adaptive", "robust", "joint_impedance", "computed_torque")
NEVER = ("feed_forward", "adaptive_gravity")  # their theorems need what nobody computes
DURATION = 4.0  # [s], many of the time constants that gains are chosen for
APPROACHED = 0.3  # of the largest error
KINDS = ("revolute", "continuous", "revolute", "prismatic")


@dataclass
class Case:
    """One run, and whether nothing is wrong with it."""

    arm: Robot
    law: Any
    options: dict[str, Any]
    good: bool


def random_arm(rng: np.random.Generator) -> Robot:
    """Return a chain of one to three joints, heavy enough for its rotors."""
    count = int(rng.integers(1, 4))
    links, joints = [Link("base")], []
    for i in range(count):
        kind = KINDS[rng.integers(len(KINDS))]
        links.append(Link(f"link{i}", inertial(rng)))
        joint = random_joint(rng, f"joint{i}", kind, f"link{i - 1}" if i else "base", f"link{i}")
        joints.append(replace(joint, limits=Limits(), friction=Friction()))
    tool = Frame("tool", f"link{count - 1}", Placement((0.3, 0.1, 0.2), (0, 0, 0)))
    gravity = tuple(float(x) for x in rng.normal(size=3) * 6) if rng.random() < 0.8 else (0, 0, 0)
    return Robot(build("random", links, joints, frames=[tool], gravity=gravity))


def spoilt(rng: np.random.Generator, arm: Robot, law: str) -> tuple[Robot, Robot, dict[str, Any]]:
    """Return an arm, what the law believes, and how it is run, with one or two things wrong."""
    believed, options = arm, {}
    for what in rng.choice(8, 2, replace=False):
        size = float(10 ** rng.uniform(-2, 1))
        if what == 0:
            arm = arm.with_friction(coulomb=size)
            believed = arm if rng.random() < 0.7 else believed
        elif what == 1:
            arm = arm.with_friction(coulomb=size, static=2 * size, stribeck_velocity=0.05)
            believed = arm if rng.random() < 0.7 else believed
        elif what == 2:
            options["rate"] = float(10 ** rng.uniform(1, 3))
            options["delay"] = float(rng.choice([0.0, 0.01]))
        elif what == 3:
            limits = Limits(effort=5 * size)
            joints = [replace(joint, limits=limits) for joint in arm.model.joints]
            arm = Robot(replace(arm.model, joints=tuple(joints)))
        elif what == 4:
            believed = arm.with_payload("tool", 0.3 * size)
        elif what == 5:
            options["disturbance"] = rng.normal(size=arm.n) * size
        elif what == 6:
            arm = arm.with_gravity(tuple(float(x) for x in rng.normal(size=3) * 6))
        else:
            arm = arm.with_friction(viscous=size)
    return arm, believed, options


def case(law: str, seed: int) -> Case | None:
    """Return a run of a law, good in about half of the cases; None where the arm cannot do it."""
    rng = np.random.default_rng([NAMES.index(law), seed])
    arm = random_arm(rng)
    good = bool(rng.random() < 0.5)
    if law == "pd" and good:
        arm = arm.with_gravity((0, 0, 0))
    if rng.random() < 0.5:
        arm = arm.with_friction(viscous=float(rng.uniform(0, 2)))
    believed, options = arm, {}
    if not good:
        arm, believed, options = spoilt(rng, arm, law)
    axes = axes_of(arm, "tool")[: arm.n]
    q = rng.uniform(-1, 1, arm.n)
    name = {"adaptive_gravity": "approximate_jacobian", "observer": "computed_torque"}.get(law, law)
    kind = laws()[name]
    if kind.moves_frame:
        q = ready_posture(arm, "tool", axes)
        rows = ["xyz".index(axis) for axis in axes]
        place = arm.pose(q + 0.2, "tool")[:3, 3][rows]
        reference: Any = Setpoint(place) if rng.random() < 0.7 else Quintic([place, place], 1.0)
    else:
        target = q + rng.uniform(-1, 1, arm.n)
        waves = 0.5 * rng.uniform(-1, 1, (2, arm.n, 2))
        still = Setpoint(target)
        moving = [Quintic([q, target], 2.0), Fourier(q, *waves, base_frequency=0.3)]
        alone = law in ("pd", "pd_gravity")
        reference = still if (good and alone) or rng.random() < 0.5 else moving[rng.integers(2)]
    task = Assignment(arm, believed, believed, reference, q, DURATION, "tool", axes)
    try:
        made_law: Any = kind.assigned(task)
        if law == "adaptive_gravity":
            made_law = AdaptiveApproximateJacobian(
                *(believed, "tool", made_law.kp, made_law.kd, reference),
                axes=axes, cross=0.05, adaptation=0.1,
            )  # fmt: skip
    except ValueError:  # a frame that cannot be moved along these axes, or no gravity to estimate
        return None
    if law == "observer":
        made_law = MomentumObserver(made_law, 30.0)
    if law == "pd_gravity" and rng.random() < 0.4:
        slope: Any = float(10 ** rng.uniform(-2, 2))  # a claim that may be wrong
        if rng.random() < 0.7:  # a bound on a box that may be too small
            reach = float(10 ** rng.uniform(-1, 1))
            at = np.asarray(reference.at(0.0)[0], float)
            box = list(zip(at - reach, at + reach, strict=True))
            slope = bound(believed, "dg.norm2", box=box, seconds=0.2)
        made_law = replace(made_law, compensate="target", gravity_slope=slope)
    if law in RUBBING and rng.random() < 0.3:
        made_law = replace(made_law, friction="desired")
    if law == "robust" and rng.random() < 0.5:
        made_law = replace(made_law, gravity=float(10 ** rng.uniform(-2, 2)))
    q0 = np.asarray(q if kind.moves_frame else reference.at(0.0)[0], float)
    if not kind.moves_frame:
        q0 = q0 + rng.uniform(-0.3, 0.3, arm.n)
    return Case(arm, made_law, {"q0": q0, "duration": DURATION} | options, good)


def wrong(run: ClosedLoop) -> str:
    """Return what contradicts the theorem of a run; nothing if all is as it says."""
    size = np.linalg.norm(run.error, axis=1)
    if not np.isfinite(size).all() or not run.trajectory.good:
        return "the run itself is not good"
    if run.V is not None and not isinstance(run.law, RobustSaturated):
        falls = getattr(run.law, "friction", "measured") == "measured"
        if falls and np.diff(run.V).max() > 1e-5 * max(np.ptp(run.V), 1e-9):
            return "V rises"
    if size[-1] > max(APPROACHED * size.max(), 0.02):
        return f"the error stays at {size[-1]:.3g} of {size.max():.3g}"
    if isinstance(run.law, MomentumObserver):
        r = run.law.residual(run.trajectory.q, run.trajectory.qd, run.x)
        if np.abs(r).max() > 1e-5 * (1 + np.abs(run.tau).max()):
            return f"the observer sees {np.abs(r).max():.2g}"
    return ""


def attack(law: str, seeds: range) -> tuple[Counter, list[str]]:
    """Return how often runs are sound, open or not, of good and of spoilt ones; what is wrong."""
    found, faults = Counter(), []
    for seed in seeds:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            one = case(law, seed)
            if one is None:
                continue
            run = closed_loop(one.arm, one.law, **one.options)
        sound = run.report.sound
        found["good" if one.good else "spoilt", sound] += 1
        if sound and (fault := wrong(run)):
            faults.append(f"{law} {seed}: {fault}; {type(one.law).__name__}")
    return found, faults


@pytest.mark.parametrize("law", one_in(4, NAMES))
def test_no_run_is_sound_and_wrong(law):
    _, faults = attack(law, range(1000, 1001))
    assert not faults


@pytest.mark.long
@pytest.mark.parametrize("law", NAMES)
def test_no_run_of_200_random_arms_is_sound_and_wrong(law):
    found, faults = attack(law, range(200))
    assert not faults
    good = {sound: found["good", sound] for sound in (True, None, False)}
    if law not in NEVER:
        assert good[True] >= 0.5 * sum(good.values()), found  # a word that is never said is useless
