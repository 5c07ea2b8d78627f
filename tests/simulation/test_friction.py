"""Dry friction: what is held stays exactly still, breaks away where it should, and loses energy."""

import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from long import examples, long
from scipy.optimize import brentq

import qddot
from qddot.model import Friction
from qddot.simulation.contact import bounded_forces, grips

G = 9.81

BLOCK = """
name = "block"
gravity = [0, 0, 0]
[[joint]]
name = "x"
type = "prismatic"
parent = "base"
child = "block"
axis = [1, 0, 0]
[[link]]
name = "block"
mass = 2.0
"""

SPRING = "spring = {{ stiffness = {k}, rest = 0 }}"


@pytest.fixture
def block(tmp_path: Path) -> qddot.Robot:
    path = tmp_path / "block.toml"
    path.write_text(BLOCK)
    return qddot.load(path)


def weight(t, q, qd):
    """The pull along a plane that tilts at 0.1 rad/s, on 2 kg."""
    return [2.0 * G * np.sin(0.1 * t)]


def test_a_block_on_a_tilting_plane_slips_at_the_angle_of_friction(block):
    """Held with μ m g: it starts to slip when tan, here sin with a constant normal force, is μ."""
    hold = 0.3 * 2.0 * G
    run = qddot.simulate(block.with_friction(coulomb=hold), [0.0], torque=weight, duration=6.0)
    slips = [event for event in run.events if event.name == "slips"]
    assert len(slips) == 1
    assert slips[0].t == pytest.approx(np.arcsin(0.3) / 0.1, abs=1e-9)
    still = run.t <= slips[0].t
    assert np.all(run.q[still] == 0.0), "a held joint must not creep"
    assert np.all(run.qd[still] == 0.0)
    assert np.all(np.diff(run.q[~still, 0]) > 0)
    # after that: v̇ = g sin(0.1 t) − 0.3 g, so x is known
    t0, t1 = slips[0].t, run.t[-1]
    v = G * (np.cos(0.1 * t0) - np.cos(0.1 * t1)) / 0.1 - 0.3 * G * (t1 - t0)
    assert run.qd[-1, 0] == pytest.approx(v, rel=1e-9)
    assert run.good, run.status


def test_static_friction_holds_more_than_it_resists_when_sliding(block):
    rough = block.with_friction(coulomb=3.0, static=6.0, stribeck_velocity=0.05)
    run = qddot.simulate(rough, [0.0], torque=lambda t, q, qd: [t], duration=7.0)
    slips = next(event for event in run.events if event.name == "slips")
    assert slips.t == pytest.approx(6.0, abs=1e-9)
    # it jumps away: the torque is 6, the friction soon 3
    assert run.qd[-1, 0] > (6.0 - 3.0) / 2.0 * 0.9
    assert run.good, run.status


def test_a_sliding_block_stops_once_and_stays(block):
    """v₀ under Coulomb friction alone: it stops after m v₀ / F, having gone m v₀² / 2F."""
    run = qddot.simulate(block.with_friction(coulomb=4.0), [0.0], [1.5], duration=2.0)
    assert [event.name for event in run.events] == ["sticks"]
    assert run.events[0].t == pytest.approx(2.0 * 1.5 / 4.0, abs=1e-9)
    assert run.q[-1, 0] == pytest.approx(2.0 * 1.5**2 / 8.0, abs=1e-9)
    assert np.all(run.qd[run.t > run.events[0].t] == 0.0)
    assert np.ptp(run.q[run.t >= run.events[0].t]) == 0.0
    assert run.energy.friction[-1, 0] == pytest.approx(2.0 * 1.5**2 / 2, rel=1e-9)


def test_an_oscillator_with_coulomb_friction_loses_the_same_at_each_swing(tmp_path):
    """Known solution: the amplitude falls by 2F/k a half swing, and it stops within ±F/k."""
    path = tmp_path / "block.toml"
    path.write_text(BLOCK.replace("axis = [1, 0, 0]", "axis = [1, 0, 0]\n" + SPRING.format(k=50)))
    k, m, F = 50.0, 2.0, 1.0
    run = qddot.simulate(
        qddot.load(path).with_friction(coulomb=F), [0.21], duration=6.0, tolerance=1e-12
    )
    half = np.pi / np.sqrt(k / m)
    turns = [event for event in run.events if event.name in ("turns round", "sticks")]
    expected = 0.21
    for number, event in enumerate(turns, 1):
        expected = -(expected - np.sign(expected) * 2 * F / k)
        assert event.t == pytest.approx(number * half, abs=1e-9)
        assert run.at(event.t)[0][0] == pytest.approx(expected, abs=1e-10)
    assert turns[-1].name == "sticks"
    assert abs(expected) <= F / k
    assert run.good, run.status


def test_stick_slip_has_the_known_period(tmp_path):
    """A block pulled by a spring at speed v: F_s static, F_k kinetic (v_s tiny).

    It sticks until the spring carries F_s, slips for most of a half period of the spring, and
    sticks again. With a velocity of the belt v and ω = √(k/m), a = (F_s − F_k)/k (Den Hartog):

        slip takes (2/ω)(π − arctan(a ω / v)),     stick takes 2 a / v
    """
    path = tmp_path / "block.toml"
    path.write_text(BLOCK)
    k, m, v, F_s, F_k = 100.0, 2.0, 0.02, 3.0, 2.0
    rough = qddot.load(path).with_friction(coulomb=F_k, static=F_s, stribeck_velocity=1e-7)
    run = qddot.simulate(
        rough, [0.0], torque=lambda t, q, qd: [k * (v * t - q[0])], duration=7.0, tolerance=1e-11
    )
    slips = np.array([event.t for event in run.events if event.name == "slips"])
    sticks = np.array([event.t for event in run.events if event.name == "sticks"])
    omega, a = np.sqrt(k / m), (F_s - F_k) / k
    assert slips[0] == pytest.approx(F_s / k / v, abs=1e-6)
    assert len(slips) >= 4
    slip_time = 2 / omega * (np.pi - np.arctan(a * omega / v))
    assert sticks[:3] - slips[:3] == pytest.approx(np.full(3, slip_time), rel=1e-3)
    assert slips[1:4] - sticks[:3] == pytest.approx(np.full(3, 2 * a / v), rel=1e-3)


@examples(12)
@given(seed=st.integers(0, 2**16))
def test_friction_never_adds_energy_and_a_passive_arm_comes_to_rest(seed):
    rng = np.random.default_rng(seed)
    arm = qddot.load("two_link").with_friction(
        viscous=rng.uniform(0, 10, 2), coulomb=rng.uniform(20, 200, 2)
    )
    run = qddot.simulate(
        arm, rng.uniform(-3, 3, 2), rng.uniform(-2, 2, 2), duration=8.0, tolerance=1e-8
    )
    assert np.all(np.diff(run.energy.friction, axis=0) >= -1e-9)
    assert np.all(np.diff(run.energy.total) <= 1e-6)
    assert run.good, run.status


def test_a_joint_that_is_held_is_dragged_along_but_does_not_turn():
    """The elbow of a falling arm, held by friction: the arm falls as one pendulum."""
    arm = qddot.load("two_link").with_friction(coulomb=[0.0, 1e5])
    run = qddot.simulate(arm, [0.0, 0.4], duration=2.0)
    assert np.all(run.q[:, 1] == 0.4)
    rigid = qddot.simulate(qddot.load("two_link").locked({"j2": 0.4}), [0.0], duration=2.0)
    np.testing.assert_allclose(run.q[:, 0], rigid.q[:, 0], rtol=0, atol=1e-9)


def test_smooth_friction_approaches_exact_friction(block):
    rubbing = block.with_friction(coulomb=4.0)
    exact = qddot.simulate(rubbing, [0.0], [1.5], duration=2.0)
    errors = []
    for smoothing in (1e-1, 1e-2, 1e-3):
        smooth = qddot.simulate(
            rubbing, [0.0], [1.5], duration=2.0, friction="smooth", smoothing=smoothing
        )
        errors.append(abs(smooth.q[-1, 0] - exact.q[-1, 0]))
    assert errors[0] > 5 * errors[1] > 25 * errors[2]


def test_smooth_friction_creeps_where_exact_friction_holds(block):
    rubbing = block.with_friction(coulomb=4.0)
    pulled = dict(torque=[2.0], duration=1.0)
    assert qddot.simulate(rubbing, [0.0], **pulled).q[-1, 0] == 0.0
    creeping = qddot.simulate(rubbing, [0.0], friction="smooth", **pulled)
    # tanh(v / 0.01) = 2/4
    assert creeping.qd[-1, 0] == pytest.approx(0.01 * np.arctanh(0.5), rel=1e-6)


@given(seed=st.integers(0, 2**16), n=st.integers(1, 6))
def test_bounded_forces_solve_their_complementarity_problem(seed, n):
    rng = np.random.default_rng(seed)
    B = rng.standard_normal((n, n))
    A, b = B @ B.T + 0.01 * np.eye(n), rng.standard_normal(n) * 10 ** rng.uniform(-3, 3)
    high = np.where(rng.random(n) < 0.2, np.inf, rng.uniform(0, 3, n))
    low = np.where(rng.random(n) < 0.2, -np.inf, -rng.uniform(0, 3, n))
    force, where = bounded_forces(A, b, low, high)
    w = A @ force + b
    near = 1e-8 * (1 + np.abs(b).max() + np.abs(force).max() * np.abs(A).max())
    assert np.all(force >= low - near)
    assert np.all(force <= high + near)
    assert np.all(np.abs(w[where == 0]) <= near)
    assert np.all(w[where < 0] >= -near)
    assert np.all(w[where > 0] <= near)


def test_a_joint_between_two_rough_ones_is_decided_with_them():
    """Breaking away of one joint moves another that a joint-by-joint decision would call held."""
    A = np.array([[2.0, 1.9], [1.9, 2.0]])
    b = np.array([-4.0, 0.0])  # alone, the second would rest
    force, where = bounded_forces(A, b, np.full(2, -1.0), np.full(2, 1.0))
    assert where[0] == 1
    assert force[0] == 1.0
    assert where[1] == 0
    assert force[1] == pytest.approx(-1.9 / 2.0)


def test_friction_with_an_offset_holds_off_centre(block):
    """An offset f₀ = 1 counts as a load: between −5 and 3 the joint is held."""
    rough = block.with_friction(coulomb=4.0, offset=1.0)
    for pull, moves in ((4.9, False), (5.1, True), (-2.9, False), (-3.1, True)):
        run = qddot.simulate(rough, [0.0], torque=[pull], duration=0.5)
        assert (run.q[-1, 0] != 0.0) == moves, pull


@pytest.mark.parametrize(
    "more",
    [
        {"method": "DOP853"},
        {"method": "rk4", "step": 0.01},
        *long({"method": "RK45", "tolerance": 1e-8}, {"method": "Radau", "tolerance": 1e-8}),
    ],
)
def test_the_time_of_slipping_does_not_depend_on_the_solver(block, more):
    hold = block.with_friction(coulomb=5.0)
    expected = brentq(lambda t: 2.0 * G * np.sin(0.1 * t) - 5.0, 0, 10)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", qddot.SimulationWarning)
        run = qddot.simulate(hold, [0.0], torque=weight, duration=4.0, **more)
    slips = next(event.t for event in run.events if event.name == "slips")
    assert slips == pytest.approx(expected, abs=1e-8)


def test_a_grip_that_differs_up_and_down_holds_the_other_way_round():
    """What is resisted with upwards, 3 N·m, pushes a joint down that is about to move up."""

    class Uneven(Friction):
        grip = (-1.0, 3.0)

    assert grips([Uneven(), Friction(coulomb=2.0)]).tolist() == [[-3.0, -2.0], [1.0, 2.0]]
