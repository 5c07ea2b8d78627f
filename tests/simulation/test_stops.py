"""Joint limits as stops, and functions that are watched."""

import warnings

import numpy as np
import pytest

import qddot
from qddot.control import PDGravity
from qddot.control.loop import closed_loop
from qddot.present.terminal.results import study_lines
from qddot.sweeps.plan import study_of

BALL = """
name = "ball"
gravity = [0, 0, -10]
[[joint]]
name = "z"
type = "prismatic"
parent = "base"
child = "ball"
axis = [0, 0, 1]
limits = { lower = 0, upper = 5, velocity = 4, effort = 30 }
[[link]]
name = "ball"
mass = 2.0
"""


@pytest.fixture
def ball(tmp_path):
    path = tmp_path / "ball.toml"
    path.write_text(BALL)
    return qddot.load(path)


def test_an_inelastic_stop_takes_all_the_motion(ball):
    run = qddot.simulate(ball, [1.25], duration=2.0, stops=0.0)
    hit = next(event for event in run.events if "lower stop" in event.name)
    assert hit.t == pytest.approx(0.5, abs=1e-9)
    assert np.all(run.q[run.t > hit.t] == 0.0)
    assert np.all(run.qd[run.t > hit.t] == 0.0)
    assert run.energy.impacts[-1] == pytest.approx(2.0 * 10 * 1.25, rel=1e-9)
    assert run.good, run.status


def test_a_ball_bounces_to_the_square_of_the_restitution(ball):
    """Heights h e², h e⁴, …; times between impacts 2 e v/g, 2 e² v/g, …; then it lies still."""
    e, v = 0.5, 5.0
    run = qddot.simulate(ball, [1.25], duration=2.0, stops=e)
    hits = np.array([event.t for event in run.events if "stop" in event.name])
    gaps = 2 * v / 10 * e ** np.arange(1, 8)
    np.testing.assert_allclose(np.diff(hits)[:7], gaps, rtol=0, atol=1e-8)
    assert run.at(0.5 + gaps[0] / 2)[0][0] == pytest.approx(1.25 * e**2, abs=1e-9)
    assert run.qd[-1, 0] == 0.0
    assert run.t[-1] == 2.0
    assert run.energy.impacts[-1] == pytest.approx(2.0 * 10 * 1.25, rel=1e-6)
    assert run.good, run.status


def test_a_joint_leaves_its_stop_when_it_is_lifted(ball):
    lift = qddot.simulate(ball, [0.0], torque=lambda t, q, qd: [20 * t], duration=2.0, stops=0.0)
    leaves = next(event for event in lift.events if event.name == "leaves its stop")
    assert leaves.t == pytest.approx(1.0, abs=1e-9)
    assert np.all(lift.q[lift.t <= leaves.t] == 0.0)
    assert lift.q[-1, 0] > 0


def test_an_impact_moves_the_other_joints_by_its_impulse():
    """Two links: the elbow hits its stop; momentum about the free joints is kept."""
    arm = qddot.load("two_link")
    arm = with_limits(arm, {"j2": (-0.5, 0.5)})
    run = qddot.simulate(arm, [0.0, 0.0], [0.0, 3.0], duration=0.4, stops=0.3, tolerance=1e-12)
    at = next(i for i in range(len(run.t) - 1) if run.t[i] == run.t[i + 1])
    before, after = run.qd[at], run.qd[at + 1]
    assert after[1] == pytest.approx(-0.3 * before[1], rel=1e-12)
    M = arm.mass_matrix(run.q[at])
    assert (M @ (after - before))[0] == pytest.approx(0.0, abs=1e-10)
    lost = (before @ M @ before - after @ M @ after) / 2
    assert run.energy.impacts[-1] == pytest.approx(lost, rel=1e-9)
    assert run.good, run.status


def test_without_stops_limits_are_reported_and_passed(ball):
    run = qddot.simulate(ball, [1.0], torque=[-40.0], duration=1.0, effort="report")
    told = {event.name: event for event in run.events}
    assert set(told) == {
        "passes its position limit",
        "passes its velocity limit",
        "passes its effort limit",
    }
    assert run.q[-1, 0] < 0
    assert told["passes its effort limit"].t == 0.0
    assert "40 N, 10 beyond" in told["passes its effort limit"].detail
    assert told["passes its effort limit"].joint == "z"


def test_effort_limits_can_be_enforced(ball):
    run = qddot.simulate(ball, [1.0], torque=[400.0], duration=0.5, effort="enforce")
    assert np.all(run.tau == 30.0)
    assert run.qdd[0, 0] == pytest.approx(30 / 2 - 10)
    assert [event.name for event in run.events if "effort" in event.name] == [
        "is held at its effort limit"
    ]


def test_a_watched_crossing_is_located_and_can_stop_the_run(ball):
    floor = qddot.Watch("passes half way", lambda t, q, qd: q[0] - 0.5, direction=-1)
    end = qddot.Watch("arrives", lambda t, q, qd: q[0], stop=True)
    run = qddot.simulate(ball, [1.25], duration=9.0, events=[floor, end])
    assert [(e.name, pytest.approx(e.t, abs=1e-9)) for e in run.events[:1]] == [
        ("passes half way", np.sqrt(2 * 0.75 / 10))
    ]
    assert run.t[-1] == pytest.approx(0.5, abs=1e-9)
    assert run.finished
    assert "as asked: arrives" in run.status


def test_only_the_direction_asked_for_is_told():
    pendulum = qddot.load("pendulum").without("friction")
    found = {}
    for direction in (-1, 0, 1):
        watch = qddot.Watch("passes", lambda t, q, qd: q[0], direction=direction)
        run = qddot.simulate(pendulum, [0.5], duration=6.0, events=[watch])
        found[direction] = [event.t for event in run.events]
        for t in found[direction]:
            q, qd, _ = run.at(t)
            assert abs(q[0]) < 1e-9
            assert direction in (0, np.sign(qd[0]))
    assert len(found[0]) == len(found[1]) + len(found[-1])
    assert found[0] == sorted(found[1] + found[-1])


def test_a_crossing_of_a_thousandth_of_a_step_is_seen():
    """The pendulum turns where its angle is largest; a line just below is crossed twice."""
    pendulum = qddot.load("pendulum").without("friction")
    run = qddot.simulate(pendulum, [0.0], [3.0], duration=0.8)
    top = run.q.max()
    watch = qddot.Watch("line", lambda t, q, qd: q[0] - (top - 1e-7))
    run = qddot.simulate(pendulum, [0.0], [3.0], duration=0.8, events=[watch])
    assert len(run.events) == 2


def test_a_pendulum_swings_with_the_period_of_elliptic_integrals():
    """T = 4 K(sin(θ₀/2)) / ω₀ with ω₀² = m g L / I."""
    from scipy.special import ellipk

    pendulum = qddot.load("pendulum").without("friction")
    omega = np.sqrt(1 * 9.81 * 0.5 / 0.3)
    turns = qddot.Watch("turns", lambda t, q, qd: qd[0], direction=1)
    for start in (0.1, 1.0, 2.0, 3.0):
        period = 4 / omega * ellipk(np.sin(start / 2) ** 2)
        run = qddot.simulate(
            pendulum, [-start], [0.0], duration=2.6 * period, events=[turns], tolerance=1e-13
        )
        # it starts at such a turn, which is no crossing
        times = [event.t for event in run.events]
        assert np.diff(times)[0] == pytest.approx(period, rel=1e-10)


def test_a_start_beyond_the_stops_is_refused(ball):
    with pytest.raises(qddot.QddotError, match="'z' starts at -1, beyond its stops at 0 and 5"):
        qddot.simulate(ball, [-1.0], duration=1.0, stops=0.0)


def test_a_watched_function_that_raises_stops_the_run_and_keeps_it(ball):
    def late(t, q, qd):
        if t > 0.2:
            raise RuntimeError("no sensor")
        return 1.0

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", qddot.SimulationWarning)
        run = qddot.simulate(ball, [1.0], duration=1.0, events=[qddot.Watch("late", late)])
    assert not run.finished
    assert "'late' raised RuntimeError: no sensor" in run.status
    assert 0 <= run.t[-1] <= 0.2


def test_what_has_no_stops_says_so(tmp_path):
    robot = qddot.load("mass_spring_damper")
    words = "has no stops: those of x0 are left out"
    run = qddot.rollout(robot, [0.0, 0.0], duration=0.1, step=0.01)
    assert f"a rollout {words}" in run.status
    with pytest.warns(qddot.RobotWarning, match=f"an FMU {words}"):
        qddot.export(robot, tmp_path / "fmu", target="fmu")
    plan = {"robot": "mass_spring_damper", "duration": 0.1, "q0": [0, 0]}
    assert f"  a sweep {words}" in study_lines(study_of(plan))
    assert words not in qddot.rollout("two_link", [0.0, 0.0], duration=0.1, step=0.01).status


@pytest.mark.parametrize(("rate", "why"), [(None, "rests on its"), (100, "this run has no stops")])
def test_a_loop_at_a_stop_is_not_sound(rate, why):
    arm = qddot.load("mass_spring_damper")
    law = PDGravity(arm, kp=1, kd=1, reference=[0.1, 0.2])
    run = closed_loop(arm, law, q0=[0.1, 0.0], duration=1.0, rate=rate)
    (stop,) = (each for each in run.report.assumptions if "stop" in each.statement)
    assert stop.holds is False
    assert why in stop.why


def test_a_joint_may_start_at_its_stop_on_its_way_out_or_in(ball):
    out = qddot.simulate(ball, [0.0], [-2.0], duration=0.2, stops=0.5)
    assert [event.name for event in out.events] == ["hits its lower stop"]
    assert out.events[0].t == pytest.approx(0, abs=1e-9)
    assert out.q[-1, 0] == pytest.approx(0.2 - 10 * 0.2**2 / 2)
    assert out.good
    inwards = qddot.simulate(ball, [0.0], [2.0], duration=0.2, stops=0.5)
    assert inwards.q[-1, 0] == pytest.approx(0.4 - 10 * 0.2**2 / 2)
    assert not any("stop" in event.name for event in inwards.events)


def test_a_home_is_between_the_stops(tmp_path):
    text = BALL.replace("limits = { lower = 0, upper = 5, velocity = 4, effort = 30 }", "@")
    path = tmp_path / "ball.toml"
    path.write_text(text.replace("@", "start = { q = 1.5 }\nstops = { lower = 1, upper = 2 }"))
    assert qddot.load(path).home.tolist() == [1.0]


def with_limits(robot, limits):
    from dataclasses import replace

    from qddot.model import Limits

    def limited(joint):
        if joint.name not in limits:
            return joint
        low, high = limits[joint.name]
        kind = "revolute" if joint.turns else joint.kind
        return replace(joint, kind=kind, limits=Limits(lower=low, upper=high))

    return qddot.Robot(robot.model.with_joints(limited))
