"""Why laws are stable: along every motion V changes as its formula says, for arms of any kind."""

from __future__ import annotations

from dataclasses import replace

import made
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from long import examples
from nearness import SOLVED
from numpy.testing import assert_allclose
from strategies import models, seeds

from qddot.control.laws import (
    PD,
    AdaptiveSlotineLi,
    CartesianImpedance,
    ComputedTorque,
    ControlLaw,
    JointImpedance,
    OperationalSpace,
    PDGravity,
    SlotineLi,
)
from qddot.control.loop import closed_loop
from qddot.control.report import rate_program
from qddot.model import Model
from qddot.robot import Robot


class Wave:
    """A reference that never rests."""

    duration = np.inf

    def __init__(self, n: int):
        self.n = n
        self.phase = np.arange(n)

    def at(self, t):
        angle = t + self.phase
        return 0.7 * np.sin(angle), 0.7 * np.cos(angle), -0.7 * np.sin(angle)


def rubbing(robot: Robot) -> tuple[np.ndarray, np.ndarray]:
    friction = robot.tree.friction
    return np.array([f.viscous for f in friction], float), np.array(
        [f.coulomb for f in friction], float
    )


def oiled(model: Model) -> Robot:
    """Return the robot with viscous friction alone, that of joints which follow others included."""
    return Robot(model).without("friction").with_friction(viscous=0.7)


def rate_at(law: ControlLaw, robot: Robot, t, q, qd, x=None) -> tuple[float, float]:
    """Return V̇ of an arm under a law, by the chain rule, and the size of what it is made of."""
    state = [np.array(t), q, qd] + ([] if x is None else [x])
    out = law.whole(*state)
    tau, xd = (out, None) if x is None else out
    qdd = robot.program("forward_dynamics")(q, qd, np.asarray(tau, float))
    V = law.lyapunov(robot)
    assert V is not None
    found = rate_program(V, robot.tree)(*state, qdd, *([] if xd is None else [xd]))
    torque = robot.program("inverse_dynamics")(q, qd, qdd)
    size = np.abs(qd).max() * np.abs(torque).max() + np.abs(qd).max() * np.abs(qdd).max()
    return float(found), float(size + abs(float(V(*state))) + 1)


@examples(25)
@given(model=models(most=5, mimic=True), seed=seeds, where=st.sampled_from(["here", "target"]))
def test_pd_with_gravity_only_dissipates(model, seed, where):
    """V̇ = −q̇ᵀ (Kd + Fᵥ) q̇ − |q̇|ᵀ Fₛ, at any state of any arm."""
    robot, rng = Robot(model), np.random.default_rng(seed)
    q, qd, place = rng.uniform(-2, 2, (3, robot.n))
    A = rng.normal(size=(robot.n, robot.n))
    kd = A @ A.T + np.eye(robot.n)
    law = PDGravity(robot, 50.0, kd, place, compensate=where)
    viscous, coulomb = rubbing(robot)
    expected = -qd @ (kd + np.diag(viscous)) @ qd - np.abs(qd) @ coulomb
    found, size = rate_at(law, robot, 0.0, q, qd)
    assert_allclose(found, expected, rtol=0, atol=SOLVED * size)
    assert found <= SOLVED * size


@examples(10)
@given(model=models(most=5), seed=seeds)
def test_plain_pd_only_dissipates(model, seed):
    robot, rng = Robot(model), np.random.default_rng(seed)
    q, qd, place = rng.uniform(-2, 2, (3, robot.n))
    viscous, coulomb = rubbing(robot)
    found, size = rate_at(PD(robot, 50.0, 7.0, place), robot, 0.0, q, qd)
    expected = -qd @ ((7.0 + viscous) * qd) - np.abs(qd) @ coulomb
    assert_allclose(found, expected, rtol=0, atol=SOLVED * size)


@examples(25)
@given(model=models(most=5, mimic=True), seed=seeds, data=st.data())
def test_tracking_laws_only_dissipate(model, seed, data):
    """Also while the reference moves: because Ṁ − 2C is skew, or because nothing of M is left."""
    robot, rng = oiled(model), np.random.default_rng(seed)
    t, q, qd = 0.3, *rng.uniform(-2, 2, (2, robot.n))
    viscous, _ = rubbing(robot)
    wave = Wave(robot.n)
    place, rate, _ = wave.at(t)
    e, ed = q - place, qd - rate
    lam, kd = rng.uniform(1, 5, (2, robot.n))
    s = ed + lam * e
    law, expected = data.draw(
        st.sampled_from(
            [
                (SlotineLi(robot, lam, kd, wave), -s @ ((kd + viscous) * s)),
                (JointImpedance(robot, 40.0, kd, wave), -ed @ ((kd + viscous) * ed)),
                (ComputedTorque(robot, 40.0, kd, wave), -ed @ (kd * ed)),
            ]
        )
    )
    found, size = rate_at(law, robot, t, q, qd)
    assert_allclose(found, expected, rtol=0, atol=SOLVED * size * (1 + np.abs(s).max()) ** 2)


@examples(25)
@given(model=models(most=4, mimic=True), seed=seeds, which=st.sampled_from(["base", "all"]))
def test_adaptation_only_dissipates_whatever_the_parameters(model, seed, which):
    """V̇ = −sᵀ (K_D + Fᵥ) s for any estimates φ̂, however far from the arm's own parameters."""
    robot, rng = oiled(model), np.random.default_rng(seed)
    t, q, qd = 0.3, *rng.uniform(-2, 2, (2, robot.n))
    viscous, _ = rubbing(robot)
    wave = Wave(robot.n)
    law = AdaptiveSlotineLi(robot, 3.0, 5.0, wave, adaptation=2.0, estimate=which)
    x = law.x0 + rng.normal(size=len(law.x0))
    place, rate, _ = wave.at(t)
    s = (qd - rate) + 3.0 * (q - place)
    found, size = rate_at(law, robot, t, q, qd, x)
    size += float(np.abs(x).max() * (1 + np.abs(s).max()) ** 2 * 100)
    assert_allclose(found, -s @ ((5.0 + viscous) * s), rtol=0, atol=SOLVED * size)


PANDA, SHOULDER = (arm.with_friction(viscous=0.5) for arm in (made.PANDA, made.SHOULDER))
HOME = np.array([0.1, 0.3, -0.2, -1.6, 0.3, 1.9, 0.5])


class Circle:
    """A reference of a point in space."""

    n, duration = 3, np.inf

    def at(self, t):
        s, c = 0.1 * np.sin(t), 0.1 * np.cos(t)
        return (
            np.stack([0.5 + s, c, 0.5 + 0 * t]),
            np.stack([c, -s, 0 * t]),
            np.stack([-s, -c, 0 * t]),
        )


@pytest.mark.parametrize("seed", range(3))
def test_a_cartesian_spring_only_dissipates(seed):
    rng = np.random.default_rng(seed)
    q, qd = HOME + rng.uniform(-0.3, 0.3, 7), rng.uniform(-1, 1, 7)
    R = PANDA.pose(HOME, "tool")[:3, :3]
    law = CartesianImpedance(
        *(PANDA, "tool", [400, 300, 200], 30, [0.5, 0.1, 0.5]),
        orientation=R, turning=(20, 3), joint_damping=2,
    )  # fmt: skip
    moved = PANDA.jacobian(q, "tool") @ qd
    expected = -3 * moved[:3] @ moved[:3] - 30 * moved[3:] @ moved[3:] - 2.5 * qd @ qd
    found, size = rate_at(law, PANDA, 0.0, q, qd)
    assert_allclose(found, expected, rtol=0, atol=SOLVED * size)


@pytest.mark.parametrize("seed", range(3))
def test_operational_space_leaves_a_linear_motion_of_the_frame(seed):
    rng = np.random.default_rng(seed)
    q, qd = HOME + rng.uniform(-0.3, 0.3, 7), rng.uniform(-1, 1, 7)
    R = PANDA.pose(HOME, "tool")[:3, :3]
    law = OperationalSpace(
        PANDA, "tool", 50, 8, Circle(), orientation=R, turning=(40, 6), posture=HOME
    )
    ed = PANDA.jacobian(q, "tool") @ qd - np.concatenate([np.zeros(3), Circle().at(0.3)[1]])
    found, size = rate_at(law, PANDA, 0.3, q, qd)
    expected = -6 * ed[:3] @ ed[:3] - 8 * ed[3:] @ ed[3:]
    assert_allclose(found, expected, rtol=0, atol=SOLVED * size)


@examples(4)
@given(model=models(least=2, most=4), seed=seeds)
def test_v_never_rises_along_runs_of_pd_with_gravity(model, seed):
    """Dry friction included, stuck joints too."""
    robot, rng = Robot(model), np.random.default_rng(seed)
    q0, place = rng.uniform(-1, 1, (2, robot.n))
    law = PDGravity(robot, 30.0, 5.0, place)
    run = closed_loop(robot, law, q0=q0, duration=1.0, effort="report")
    assert run.V is not None
    assert run.V_rate is not None
    assert run.V_rate.max() <= 1e-7 * max(1.0, run.V.max())
    assert run.report.falls


def test_the_rate_of_v_is_what_differences_of_v_tend_to():
    law = SlotineLi(SHOULDER, 5, 10, HOME[:4])
    run = closed_loop(SHOULDER, law, q0=HOME[:4] + 0.1, duration=0.2, every=1e-4)
    calm = slice(100, -1)
    differences = np.gradient(run.V, run.t)
    assert_allclose(differences[calm], run.V_rate[calm], rtol=1e-4)


def test_a_wrong_model_is_seen_in_v():
    """Computed torque with a payload that it does not know of: V does not fall, and it is said."""
    loaded = SHOULDER.with_payload("tool", 3.0)
    run = closed_loop(
        loaded, ComputedTorque(SHOULDER, 100, 20, HOME[:4]), q0=HOME[:4], duration=1.0
    )
    assert not run.report.falls
    assert run.report.sound is False
    assert "The law's model is the arm: no (inertial parameters differ" in str(run.report)


def test_replace_makes_another_law():
    law = PDGravity(SHOULDER, 100, 20, HOME[:4])
    assert replace(law, kp=50).kp[0, 0] == 50
