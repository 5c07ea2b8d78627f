"""Runs that once hung, crashed or went wrong without a word."""

import warnings

import numpy as np
import pytest
from long import long
from made import PANDA, UR5

import qddot
from qddot.errors import BadArgument

SLIDERS = """
name = "sliders"
gravity = [0, 0, -10]
""" + "".join(
    f"""
[[joint]]
name = "{name}"
type = "prismatic"
parent = "{parent}"
child = "{name}_body"
axis = [0, 0, 1]
limits = {{ lower = 0, upper = 5 }}
[[link]]
name = "{name}_body"
mass = 2.0
"""
    for name, parent in (("a", "base"), ("b", "base"))
)


@pytest.fixture
def sliders(tmp_path):
    path = tmp_path / "sliders.toml"
    path.write_text(SLIDERS)
    return qddot.load(path)


def test_an_arm_that_falls_onto_several_stops_comes_to_the_end():
    """Impacts at one stop throw joints off other stops, very slowly."""
    start = [0, -0.5, 0.3, -2, 0.2, 1.5, 0.5]
    run = qddot.simulate(PANDA, start, duration=2.0, stops=0.0, tolerance=1e-7, audit_limit=1e-4)
    assert run.finished, run.status
    low, high = (
        [getattr(joint.limits, end) for joint in run.robot.model.free_joints]
        for end in ("lower", "upper")
    )
    assert np.all(run.q >= np.array(low) - 1e-9)
    assert np.all(run.q <= np.array(high) + 1e-9)
    assert np.all(np.diff(run.energy.impacts) >= -1e-12)


@pytest.mark.parametrize("seed", range(8))
def test_two_stops_may_be_reached_at_one_instant(sliders, seed):
    height = np.random.default_rng(seed).uniform(0.1, 4.0)
    run = qddot.simulate(sliders, [height, height], duration=1.5, stops=0.5)
    assert run.good, run.status
    np.testing.assert_allclose(run.q[:, 0], run.q[:, 1], rtol=0, atol=1e-7)


@pytest.mark.parametrize(
    ("method", "heights"),
    [
        *(("rk4", 2), ("RK45", 2)),
        *long(("rk4", 7), ("RK45", 7), ("semi_implicit_euler", 7), ("DOP853", 7)),
    ],
)
def test_no_method_takes_a_joint_to_its_other_stop(sliders, method, heights):
    more = {"step": 1e-3} if method in ("rk4", "semi_implicit_euler") else {"tolerance": 1e-3}
    for height in np.linspace(0.5, 2.0, heights):
        run = qddot.simulate(
            *(sliders, [height, 1.0]), duration=1.0, stops=0.5, method=method, audit_limit=1, **more
        )
        assert np.all(run.q <= 2.1)
        assert not [event for event in run.events if "upper" in event.name]


def test_what_a_function_of_time_does_while_all_joints_are_held_is_seen():
    pendulum = qddot.load("pendulum").with_gravity((0, 0, 0)).with_friction(coulomb=1.0)

    def torque(t, q, qd):
        return [(0.2 + 0.15 * t) * np.sin(6 * np.pi * t)]

    t = np.linspace(0, 7, 700_001)
    truth = t[np.argmax(np.abs((0.2 + 0.15 * t) * np.sin(6 * np.pi * t)) > 1.0)]
    run = qddot.simulate(pendulum, [0.0], duration=7.0, torque=torque)
    assert run.events[0].name == "slips"
    assert run.events[0].t == pytest.approx(truth, abs=1e-4)


def test_a_short_pulse_is_not_stepped_over():
    free = qddot.load("pendulum").with_gravity((0, 0, 0)).without("friction")
    run = qddot.simulate(
        free, [0.0], duration=10.0, torque=lambda t, q, qd: [5.0 if 5 <= t < 5.1 else 0.0]
    )
    assert run.qd[-1, 0] == pytest.approx(5.0 * 0.1 / 0.3, rel=1e-6)


def test_inputs_of_a_controller_may_have_any_name():
    """Even those that the program of a run uses itself."""
    pendulum = qddot.load("pendulum").with_friction(coulomb=0.5)
    plain = qddot.simulate(pendulum, [1.0], duration=1.0)
    for name in ("direction", "free", "y", "tau", "wrench0"):
        law = qddot.record(lambda q, more: 0 * q + 0 * more, q=(1,), more=(1,))
        law = qddot.Program.from_json(law.to_json().replace('"more"', f'"{name}"'))
        run = qddot.simulate(pendulum, [1.0], duration=1.0, torque=law, inputs={name: [-1.0]})
        np.testing.assert_allclose(run.q[-1], plain.q[-1], rtol=0, atol=1e-8)


def test_effort_limits_are_enforced_on_recorded_controllers_too():
    ur5 = UR5
    law = qddot.record(lambda q, qd: -1e4 * q - 100 * qd, q=(6,), qd=(6,))
    run = qddot.simulate(ur5, np.full(6, 0.3), duration=0.1, torque=law, effort="enforce")
    limits = np.array([joint.limits.effort for joint in ur5.model.free_joints])
    assert np.all(np.abs(run.tau) <= limits)
    assert np.any(np.abs(run.tau) == limits)


def test_a_torque_function_cannot_write_into_the_state_and_may_reuse_its_array():
    arm = qddot.load("two_link")

    def writes(t, q, qd):
        q -= 1
        return q

    with pytest.raises(qddot.QddotError, match="read-only"):
        qddot.simulate(arm, [0, 0], duration=1.0, torque=writes)
    buffer = np.zeros(2)

    def reuses(t, q, qd):
        buffer[:] = t
        return buffer

    run = qddot.simulate(arm, [0, 0], duration=1.0, torque=reuses)
    np.testing.assert_allclose(run.tau[:, 0], run.t, rtol=0, atol=1e-12)


def test_a_held_table_keeps_the_order_of_the_method():
    """The step that ends at a jump uses the value before it."""
    steps = qddot.Samples([0.0, 0.2, 0.5], [[50.0, 0], [-80.0, 9], [0, 0]], between="hold")
    arm = qddot.load("two_link")
    exact = qddot.simulate(arm, [0, 0], duration=1.0, torque=steps, tolerance=1e-12)
    run = qddot.simulate(
        arm, [0, 0], duration=1.0, torque=steps, method="rk4", step=0.01, audit_limit=1
    )
    assert np.abs(run.q[-1] - exact.q[-1]).max() < 1e-6
    before = np.flatnonzero(exact.t == 0.2)[0]
    np.testing.assert_allclose(exact.tau[before], [50, 0])
    np.testing.assert_allclose(exact.tau[before + 1], [-80, 9])


def test_a_trial_step_that_runs_away_is_taken_back():
    ur5 = UR5

    def torque(t, q, qd):
        return np.zeros(6) if t < 0.1 else -1e6 * q - 1e4 * qd

    run = qddot.simulate(
        ur5, np.full(6, 0.1), duration=0.13, torque=torque, tolerance=1e-6, audit_limit=1.0
    )
    assert run.finished, run.status


@pytest.mark.parametrize("name", ["two_link", *long("panda", "ur5")])
def test_an_arm_that_hardly_moves_is_called_good(name):
    robot = qddot.load(name)
    q = np.full(robot.n, 0.4)
    for duration in (1.0, 1e-6):
        run = qddot.simulate(
            robot, q, duration=duration, torque=lambda t, q, qd: robot.gravity_torque(q)
        )
        assert run.good, run.status


def test_a_run_of_a_single_precision_robot_is_audited_in_double():
    run = qddot.simulate(UR5.with_options(dtype="float32"), np.zeros(6), duration=1.0)
    assert run.good, run.status


def test_friction_that_gives_energy_back_is_found():
    from dataclasses import replace

    run = qddot.simulate(qddot.load("pendulum"), [1.0], duration=1.0)
    energy = replace(run.energy, friction=-run.energy.friction, actuators=-2 * run.energy.friction)
    assert np.abs(energy.residual).max() < 1e-9
    assert not replace(run, energy=energy).audit.good


def test_midpoint_moves_a_joint_that_starts_at_rest_without_a_load():
    free = qddot.load("pendulum").with_gravity((0, 0, 0)).without("friction")
    run = qddot.simulate(
        free, [0.0], duration=1.0, torque=lambda t, q, qd: [t], method="midpoint", step=0.01,
        audit_limit=1,
    )  # fmt: skip
    assert run.qd[-1, 0] == pytest.approx(0.5 / 0.3, rel=1e-12)


def test_what_starts_at_zero_does_not_cross_it_there():
    pendulum = qddot.load("pendulum").without("friction")
    for direction, start in ((-1, 1.0), (1, -1.0), (0, 1.0)):
        watch = qddot.Watch("turns", lambda t, q, qd: qd[0], direction=direction, stop=True)
        run = qddot.simulate(pendulum, [start], duration=5.0, events=watch)
        assert run.t[-1] > 0.5


def test_a_torque_that_jumps_with_the_state_stops_in_words():
    pendulum = qddot.load("pendulum")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", qddot.SimulationWarning)
        run = qddot.simulate(
            pendulum, [0.5], [1.0], duration=10.0, torque=lambda t, q, qd: -5 * np.sign(qd)
        )
    assert not run.finished
    assert "probably jumps back and forth with the state" in run.status


def test_a_joint_held_at_the_start_does_not_hide_that_the_model_is_stiff():
    stiff = qddot.load("two_link").with_friction(viscous=1e6, coulomb=2000.0)
    run = qddot.simulate(stiff, [0.0, 0.0], duration=10.0, tolerance=1e-6)
    assert run.how["method"] == "Radau"


def test_a_long_table_does_not_slow_a_run_down():
    rng = np.random.default_rng(0)
    arm = qddot.load("two_link").with_friction(viscous=20.0)
    table = 10 * rng.standard_normal((201, 2)).cumsum(axis=0)
    run = qddot.simulate(arm, [0, 0], duration=2.0, torque=table, tolerance=1e-6)
    assert run.good, run.status
    assert run.how["steps"] < 2000


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"stops": "0.5"}, "stops is '0.5'; give a coefficient"),
        ({"audit_limit": "x"}, "audit_limit is 'x'"),
        ({"smoothing": 0}, "smoothing is 0; give a positive number"),
        ({"smoothing": -0.01}, "smoothing is -0.01"),
        ({"events": [lambda t, q, qd: 1]}, "give qddot.Watch"),
        ({"every": 1e-12}, "that would make 1e"),
    ],
)
def test_more_that_cannot_be_right_is_refused_in_words(given, words):
    with pytest.raises(qddot.QddotError, match=words):
        qddot.simulate(qddot.load("two_link"), [0, 0], duration=1.0, **given)


def test_stops_without_room_are_refused_with_the_remedy(sliders, tmp_path):
    path = tmp_path / "narrow.toml"
    path.write_text(SLIDERS.replace("lower = 0, upper = 5", "lower = 1, upper = 1"))
    with pytest.raises(qddot.QddotError, match=r"robot\.locked"):
        qddot.simulate(qddot.load(path), [1.0, 1.0], duration=1.0, stops=0.0)


def test_a_function_that_fails_when_it_is_asked_again_is_told():
    asked = []

    def tired(t, q, qd):
        asked.append(t)
        if len(asked) > 500:
            raise RuntimeError("tired")
        return [0.0, 0.0]

    with pytest.raises(BadArgument, match=r"Asked again.*RuntimeError: tired.*in the run it gave"):
        qddot.simulate("two_link", [0, 0], torque=tired, duration=1.0, method="rk4", step=1e-3)
