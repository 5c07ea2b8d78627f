"""Every result says whether all is well, and if not, why."""

import json

import numpy as np
import pytest
from made import ARM, SHOULDER

import qddot
from qddot.control import PD, Quintic, closed_loop
from qddot.results import json_text


def test_a_run_that_went_well_is_ok():
    run = qddot.simulate(ARM, duration=0.1)
    assert run.ok
    assert run.problems == ()
    assert qddot.prove("two_link").ok
    assert qddot.certify("two_link", quantities=["g.norm1"]).ok
    assert qddot.rollout(ARM, [0, 0], duration=0.1, step=0.01).ok


def test_a_run_that_ended_early_says_why():
    with pytest.warns(qddot.SimulationWarning):
        run = qddot.simulate(ARM, duration=1.0, max_steps=3)
    assert not run.ok
    assert run.problems == (run.status,)
    with np.errstate(all="ignore"):
        lost = qddot.rollout(ARM, [1.0, 1.0], [1e200, 0], duration=0.1, step=0.01)
    assert not lost.ok
    assert "stopped being finite" in lost.problems[0]


def test_a_fit_says_what_is_wrong_with_it():
    rng = np.random.default_rng(0)
    q, qd, qdd, noise = rng.normal(size=(4, 300, 2))
    right = qddot.identify(ARM, (q, qd, qdd, ARM.inverse_dynamics(q, qd, qdd)), terms=())
    assert right.ok, right.problems
    wrong = qddot.identify(ARM, (q, qd, qdd, noise), terms=())
    assert not wrong.ok
    assert all(isinstance(each, str) for each in wrong.problems)


def test_a_closed_loop_starts_on_its_reference_and_ends_after_it():
    reference = Quintic([[0.1, 0.2], [1, 1]], 0.5)
    run = closed_loop("two_link", "ComputedTorque", reference)
    assert run.ok
    np.testing.assert_array_equal(run.trajectory.q[0], [0.1, 0.2])
    assert run.t[-1] == 1.5
    same = qddot.control(ARM, "computed-torque", reference)
    np.testing.assert_array_equal(same.trajectory.q, run.trajectory.q)
    adaptive = qddot.control(ARM, "AdaptiveSlotineLi", reference, duration=0.01)
    np.testing.assert_array_equal(adaptive.trajectory.q[0], [0.1, 0.2])
    resting = qddot.control(ARM, "pd", [0.5, 0.5], duration=0.01)
    np.testing.assert_array_equal(resting.trajectory.q[0], ARM.home)
    with pytest.raises(qddot.QddotError, match=r"no law 'computd_torque'. Did you mean"):
        closed_loop(ARM, "computd_torque", reference)


def test_runs_are_plain_values_for_machines():
    run = closed_loop(ARM, PD(ARM, [[9, 0], [0, 8]], 3.0, [0.1, 0]), duration=0.02)
    facts = run.to_dict()
    assert facts["gains"] == {"kp": [9.0, 8.0], "kd": [3.0, 3.0]}
    assert facts["q"] == run.trajectory.to_dict()["q"] == run.trajectory.q[-1].tolist()
    assert facts | run.report.to_dict() == facts
    for each in (facts, run.trajectory.to_dict()):
        assert json.loads(json_text(each))["status"] == run.trajectory.status


def test_torques_are_cut_off_unless_said():
    limits = SHOULDER.limits.effort
    much = dict(torque=2 * limits, duration=0.01)
    assert np.all(np.abs(qddot.simulate(SHOULDER, SHOULDER.home, **much).tau) <= limits)
    free = qddot.simulate(SHOULDER, SHOULDER.home, effort="report", **much)
    assert np.any(np.abs(free.tau) > limits)


def test_a_rollout_counts_time_in_seconds():
    steps = dict(step=0.01)
    seconds = qddot.rollout(ARM, [0.1, 0.2], duration=1.0, every=0.1, **steps)
    counted = qddot.rollout(ARM, [0.1, 0.2], steps=100, every=0.1, **steps)
    np.testing.assert_array_equal(seconds.q, counted.q)
    np.testing.assert_array_equal(seconds.t, counted.t)


def test_export_writes_a_robot_file_by_its_ending(tmp_path):
    made = qddot.export("two_link", tmp_path / "arm.toml")
    assert made.files == (tmp_path / "arm.toml",)
    assert qddot.load(tmp_path / "arm.toml").n == 2
    with pytest.raises(qddot.QddotError, match=r"\.toml, \.xml, \.urdf, \.sdf or \.json"):
        qddot.export("two_link", tmp_path / "arm.urfd")
    assert qddot.export("two_link", tmp_path / "c", functions=["gravity_torque"]).ok
