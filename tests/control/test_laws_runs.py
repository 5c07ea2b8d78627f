"""Laws at work: they track, give way, and observe as they should; compiled, fused, in Python."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from long import long
from made import PANDA, SHOULDER
from numpy.testing import assert_allclose

import qddot
from qddot.control.laws import (
    PD,
    AdaptiveSlotineLi,
    ApproximateJacobian,
    CartesianImpedance,
    ComputedTorque,
    ControlLaw,
    FeedForwardPD,
    JointImpedance,
    MomentumObserver,
    OperationalSpace,
    PDGravity,
    RobustSaturated,
    SlotineLi,
)
from qddot.control.loop import closed_loop
from qddot.motions import Fourier

WHOLE = np.array([0.0, 0.3, 0.0, -1.6, 0.0, 1.9, 0.5])  # of the Panda
HOME = WHOLE[:4]  # of its shoulder
RNG = np.random.default_rng(4)
WAVE = Fourier(HOME, *RNG.uniform(-0.3, 0.3, (2, 4, 3)), base_frequency=0.3)
STILL = np.zeros(4)
KP, KD = [100, 100, 30, 30], [20, 20, 5, 5]
R_HOME = PANDA.pose(WHOLE, "tool")[:3, :3]
P_HOME = PANDA.pose(WHOLE, "tool")[:3, 3]


class Line:
    """A straight line in space, there and back."""

    n, duration = 3, np.inf
    way = np.array([0.1, 0.15, -0.1])

    def at(self, t):
        s, sd, sdd = (1 - np.cos(t)) / 2, np.sin(t) / 2, np.cos(t) / 2
        return P_HOME + self.way * s, self.way * sd, self.way * sdd


def laws(reference=HOME) -> dict[str, ControlLaw]:
    return {
        "pd": PD(SHOULDER, KP, KD, reference),
        "pd gravity": PDGravity(SHOULDER, KP, KD, reference),
        "computed torque": ComputedTorque(SHOULDER, 100, 20, reference),
        "feed-forward": FeedForwardPD(SHOULDER, KP, KD, reference),
        "slotine-li": SlotineLi(SHOULDER, 5, KD, reference),
        "adaptive": AdaptiveSlotineLi(SHOULDER, 5, KD, reference, adaptation=0.1),
        "robust": RobustSaturated(SHOULDER, 5, KD, reference, mass=0.1, coriolis=0.1, gravity=1),
        "impedance": JointImpedance(SHOULDER, KP, KD, reference),
        "cartesian": CartesianImpedance(SHOULDER, "tool", 300, 40, P_HOME, joint_damping=2),
        "operational": OperationalSpace(SHOULDER, "tool", 100, 20, P_HOME, posture=HOME),
        "approximate": ApproximateJacobian(SHOULDER, "tool", 100, 20, P_HOME),
        "observer": MomentumObserver(ComputedTorque(SHOULDER, 100, 20, reference), 50),
    }


# the same law everywhere


# what a law computes is compared law by law below; here it is the loop around it, with and
# without a state
LOOPED = ("adaptive",)


@pytest.mark.parametrize("name", [*LOOPED, *long(*(name for name in laws() if name not in LOOPED))])
def test_a_rollout_with_a_law_is_the_simulation(name):
    law = laws()[name]
    q0 = HOME + 0.05
    start = {"inputs": {"x": law.start(q0, STILL)}} if len(law.x0) else {}
    rolled = qddot.rollout(SHOULDER, q0, torque=law, steps=400, step=5e-4, every=0.2, **start)
    exact = qddot.simulate(SHOULDER, q0, torque=law, duration=0.2, **start)
    assert_allclose(rolled.q[-1], exact.q[-1], rtol=0, atol=1e-7)
    if len(law.x0):
        assert_allclose(rolled.x[-1], exact.state[-1], rtol=0, atol=1e-6)


@pytest.mark.parametrize("name", laws())
def test_a_call_is_the_definition(name):
    law = laws(WAVE)[name]
    q, qd = RNG.uniform(-1, 1, (2, 4))
    x = law.x0 + RNG.uniform(0, 0.1, len(law.x0))
    found = law(0.7, q, qd, x) if len(x) else (law(0.7, q, qd),)
    expected = law.define(0.7, q, qd, x)
    for a, b in zip(found, expected, strict=False):
        assert_allclose(a, np.array(b, float), rtol=1e-9, atol=1e-9)
    lists = law(0.7, list(q), list(qd), *([list(x)] if len(x) else []))
    assert_allclose(lists[0] if len(x) else lists, found[0])
    assert law.equation.startswith(("τ", "r"))
    again = pickle.loads(pickle.dumps(law))
    assert again.program.digest == law.program.digest


def test_a_law_on_one_place_does_not_depend_on_time():
    assert [port.name for port in PDGravity(SHOULDER, KP, KD, HOME).program.inputs] == ["q", "qd"]
    assert "t" in [port.name for port in PDGravity(SHOULDER, KP, KD, WAVE).program.inputs]


def test_an_evaluation_is_less_work_than_three_of_inverse_dynamics():
    """Counted in operations; `make bench` has the times."""
    one = len(SHOULDER.program("inverse_dynamics"))
    for name in ("computed torque", "adaptive", "operational"):
        assert len(laws()[name].program) < 3 * one


# tracking


@pytest.mark.parametrize("name", ["impedance", *long("computed torque", "feed-forward")])
def test_with_the_right_model_tracking_is_as_good_as_the_integrator(name):
    law = laws(WAVE)[name]
    q, qd, _ = (np.asarray(part, dtype=float) for part in WAVE.at(0.0))
    run = closed_loop(SHOULDER, law, q0=q, qd0=qd, duration=1.5, tolerance=1e-11)
    assert run.report.worst.max() < 1e-9


def test_computed_torque_is_a_linear_motion():
    """With kp = ω² and kd = 2ω: e(t) = e₀ (1 + ω t) e^(−ω t)."""
    law = ComputedTorque(SHOULDER, 25, 10, HOME)
    off = np.linspace(-0.2, 0.2, 4)
    run = closed_loop(SHOULDER, law, q0=HOME + off, duration=2, effort="report")
    shape = (1 + 5 * run.t) * np.exp(-5 * run.t)
    assert_allclose(run.error, shape[:, None] * off, rtol=0, atol=1e-8)


def test_operational_space_tracks_a_line_and_keeps_its_orientation():
    law = OperationalSpace(
        PANDA, "tool", 100, 20, Line(), orientation=R_HOME, turning=(100, 20), posture=WHOLE
    )
    run = closed_loop(PANDA, law, q0=WHOLE, duration=2, tolerance=1e-10)
    assert np.abs(run.error).max() < 1e-8
    path = run.trajectory.tip_path("tool") - P_HOME
    sideways = path - np.outer(path @ Line.way, Line.way) / (Line.way @ Line.way)
    assert np.abs(sideways).max() < 1e-8


def test_the_null_space_does_not_disturb_the_frame():
    """A posture far away moves the elbow; the tool stays."""
    far = HOME + np.array([0.5, 0, -0.5, 0])
    law = OperationalSpace(SHOULDER, "tool", 100, 20, P_HOME, posture=far)
    run = closed_loop(SHOULDER, law, q0=HOME, duration=3)
    assert np.abs(run.error).max() < 1e-8
    assert np.abs(run.trajectory.q[-1] - HOME).max() > 0.1


def test_near_a_singular_position_torques_stay_calm():
    """Asked to reach beyond its length, the arm stretches out and stops; nothing explodes."""
    arm = qddot.load("two_link").without("gravity")
    law = OperationalSpace(arm, "tool", 25, 10, [2.5, 0.0], axes="xy", heaviest=500.0)
    run = closed_loop(arm, law, q0=[0.6, 0.8], duration=6, tolerance=1e-8)
    assert run.trajectory.finished
    assert np.isfinite(run.tau).all()
    assert np.abs(run.tau).max() < 5e4
    reach = np.linalg.norm(run.trajectory.tip_path("tool")[-1])
    assert 1.8 < reach <= 2.0 + 1e-9


# giving way


def test_the_stiffness_of_joints_is_felt_by_a_wrench():
    """At rest Kp e = Jᵀ f."""
    stiff = np.array([800, 800, 600, 600.0])
    law = JointImpedance(SHOULDER, stiff, 0.2 * stiff, HOME)
    wrench = np.array([0, 0.5, 0, 10.0, -5.0, 8.0])
    run = closed_loop(SHOULDER, law, q0=HOME, duration=4, wrenches={"tool": wrench})
    q = run.trajectory.q[-1]
    assert_allclose(stiff * (q - HOME), SHOULDER.jacobian(q, "tool").T @ wrench, rtol=0, atol=1e-5)


def test_the_stiffness_of_a_frame_is_felt_by_a_force():
    """The frame gives way by f/k along each axis."""
    stiff = np.array([400.0, 800.0, 1600.0])
    law = CartesianImpedance(
        PANDA, "tool", stiff, 100, P_HOME, orientation=R_HOME, turning=(50, 10), joint_damping=3
    )
    force = np.array([8.0, -8.0, 8.0])
    run = closed_loop(
        PANDA, law, q0=WHOLE, duration=12, wrenches={"tool": np.concatenate([np.zeros(3), force])}
    )
    moved = run.trajectory.tip_path("tool")[-1] - P_HOME
    assert_allclose(moved, force / stiff, rtol=1e-4)


# observing


def test_the_momentum_observer_finds_a_disturbance():
    law = MomentumObserver(ComputedTorque(SHOULDER, 100, 20, WAVE), gain=20.0)
    q, qd, _ = (np.asarray(part, dtype=float) for part in WAVE.at(0.0))
    push = np.array([2.0, -3.0, 1.0, 2.0])
    run = closed_loop(SHOULDER, law, q0=q, qd0=qd, duration=2, disturbance=push)
    found = law.residual(run.trajectory.q, run.trajectory.qd, run.x)
    # τ_dist takes from the torques, so what acts is its opposite; r follows it with rate K_O
    expected = -push * (1 - np.exp(-20 * run.t))[:, None]
    assert_allclose(found, expected, rtol=0, atol=1e-5)


def test_the_momentum_observer_finds_a_contact():
    law = MomentumObserver(PDGravity(SHOULDER, KP, KD, HOME), gain=50.0)
    wrench = np.array([0, 0, 0, 5.0, 0, -10.0])
    run = closed_loop(SHOULDER, law, q0=HOME, duration=2, wrenches={"tool": wrench})
    q, qd = run.trajectory.q[-1], run.trajectory.qd[-1]
    expected = SHOULDER.jacobian(q, "tool").T @ wrench
    assert_allclose(law.residual(q, qd, run.x[-1]), expected, rtol=0, atol=2e-2)
