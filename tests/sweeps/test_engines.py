"""Engines: a run of a sweep is the run that the rest of qddot makes of the same robot."""

import numpy as np
import pytest
from long import one_in
from nearness import DIVIDED

import qddot
from qddot.control import laws
from qddot.control.loop import closed_loop
from qddot.control.spec import laws as named_laws
from qddot.motions import Move, Quintic

RK4 = 1e-8  # what steps of a millisecond leave over in a second


TWO_LINK = {"robot": "two_link", "duration": 0.5, "q0": [0.1, 0.2]}
MOVE = {"kind": "move", "target": [0.6, 0.4], "duration": 0.4}


def row(sweep, number):
    return {name: values[0] for name, values in
            sweep.table(filter=[("run", "==", number)]).to_pydict().items()}  # fmt: skip


ARMS = TWO_LINK | {
    "duration": 1.0,
    "draws": 2,
    "vary": {
        "payload.tool": {"grid": [0.0, 5.0]},
        "payload.tool.com.x": {"grid": [0.1]},
        "payload.tool.radius": {"grid": [0.2]},
        "friction.viscous": {"uniform": [0, 30]},
        "scale": {"uniform": [0.8, 1.2]},
        "gravity.y": {"uniform": [-10, -2]},
    },
}


def arm_of(found):
    """Return the robot of a run, made by the robot's own means."""
    from qddot.identification.back_to_robot import robot_with_parameters

    arm = qddot.load("two_link")
    phi = dict(zip(arm.parameter_names, arm.parameters, strict=True))
    scaled = {
        name: value * found[f"scale.{name.split('.')[0]}"]
        for name, value in phi.items()
        if name.split(".")[1] not in ("Ia", "fv", "fs", "f0")
    }
    arm = robot_with_parameters(arm, scaled).with_gravity((0, found["gravity.y"], 0))
    arm = arm.with_friction(viscous=[found[f"friction.viscous.{j}"] for j in arm.joint_names])
    m = found["payload.tool"]
    ball = 0.4 * m * 0.2**2
    return arm.with_payload("tool", m, (0.1, 0, 0), (ball, ball, ball)) if m else arm


def test_exact_runs_of_differing_arms_are_those_of_simulate(run):
    found = run(ARMS | {"engine": "exact", "keep": ["final", "energy", "motion"]})
    for number in (0, 3):
        own = row(found, number)
        there = qddot.simulate(arm_of(own), [0.1, 0.2], duration=1.0)
        t, q, qd = found.motion(number)
        assert np.abs(q - there.at(t)[0]).max() < DIVIDED
        assert np.abs(qd[-1] - there.qd[-1]).max() < DIVIDED
        assert own["energy.potential"] == pytest.approx(there.energy.potential[-1], rel=DIVIDED)
        assert own["energy.kinetic"] == pytest.approx(there.energy.kinetic[-1], rel=DIVIDED)
        assert own["audit"] < 1e-9
        assert own["ended"] == 1.0


def test_rollouts_of_differing_arms_are_those_of_simulate(run):
    exact, rolled = run(ARMS | {"engine": "exact"}), run(ARMS)
    for name in ("final.q.j1", "final.qd.j2", "gravity.y", "scale.j1"):
        assert np.abs(exact.column(name) - rolled.column(name)).max() < RK4


def test_parameters_one_by_one_are_those_of_rollout(run):
    vary = {"j2.m": {"grid": [40.0, 60.0]}, "j1.fv": {"grid": [3.0]}, "j2.Ia": {"grid": [1.0]}}
    found = run(ARMS | {"draws": 1, "vary": vary})
    values = {"j2.m": [40.0, 60.0], "j1.fv": 3.0, "j2.Ia": 1.0}
    arm = qddot.load("two_link")
    there = qddot.rollout(arm, [0.1, 0.2], steps=1000, step=1e-3, parameters=values)
    assert np.array_equal(found.column("final.q.j2"), there.q[:, -1, 1])


def test_symbols_of_a_robot_vary(run):
    rest = dict(m=1.0, I=0.5, d=0.0, g=9.81)
    plan = {"robot": "pendulum_symbolic", "duration": 0.5, "set": rest, "q0": 1.0}
    found = run(plan | {"vary": {"L": {"grid": [0.3, 0.6]}}})
    there = qddot.rollout(
        qddot.load("pendulum_symbolic"),
        [1.0],
        steps=500,
        step=1e-3,
        parameters=rest | {"L": [0.3, 0.6]},
    )
    assert np.abs(found.column("final.q.j1") - there.q[:, -1, 0]).max() < DIVIDED


def test_dry_friction_holds_an_arm_in_exact_runs_and_lets_it_creep_in_rollouts(run):
    plan = {"robot": "pendulum", "duration": 1.0, "q0": [0.1]}
    plan |= {"vary": {"friction.coulomb": {"grid": [0.0, 1.0]}}}
    exact = run(plan | {"engine": "exact"}).column("final.q.j1")
    smooth = run(plan).column("final.q.j1")
    assert exact[1] == 0.1
    assert exact[0] != 0.1
    assert 1e-6 < abs(smooth[1] - 0.1) < 1e-2
    assert abs(exact[0] - smooth[0]) < RK4


@pytest.mark.parametrize("delay", [0.0, 0.0073])
def test_sampled_runs_are_those_of_closed_loop(run, delay):
    arm = qddot.load("two_link")
    law = laws.PDGravity(arm, 2000, 1000, [0.5, 0.5])
    plan = TWO_LINK | {
        "duration": 1.0,
        "every": 0.005,
        "keep": ["final", "error", "torque"],
        "control": {
            "law": "pd_gravity",
            "gains": {"kp": 2000, "kd": 1000},
            "reference": {"kind": "setpoint", "target": [0.5, 0.5]},
            "rate": 200,
        },
        "vary": {"delay": {"grid": [delay]}},
    }
    found = row(run(plan), 0)
    there = closed_loop(arm, law, q0=[0.1, 0.2], duration=1.0, rate=200, delay=delay)
    ends = [found["final.q.j1"], found["final.q.j2"]]
    assert np.abs(there.trajectory.q[-1] - ends).max() < DIVIDED
    assert found["torque.peak.j1"] == pytest.approx(there.report.peak[0], rel=1e-9)
    assert found["error.final"] == pytest.approx(np.linalg.norm(there.error[-1]), rel=1e-9)
    assert found["error.worst"] == pytest.approx(np.linalg.norm(there.error, axis=1).max())


def test_noise_has_the_size_that_was_asked_for_and_is_the_same_for_every_controller(run):
    """The torque of a PD law on an arm that hardly moves is its gain times the noise."""
    plan = {
        "robot": "pendulum",
        "duration": 0.2,
        "q0": [0.0],
        "draws": 50,
        "every": 0.001,
        "keep": ["torque"],
        "control": [
            {"law": "pd", "name": name, "gains": {"kp": 1e-3, "kd": 1e-9}, "noise_q": 0.01}
            for name in ("one", "other")
        ],
    }
    found = run(plan)
    rms = found.column("torque.rms.j1").reshape(2, 50)
    assert np.array_equal(rms[0], rms[1])
    assert len(np.unique(rms[0])) == 50
    assert rms.mean() == pytest.approx(1e-5, rel=0.03)


@pytest.mark.parametrize("law", one_in(3, named_laws()))
def test_every_law_runs_with_starts_loads_and_targets_that_differ(law, run):
    place = {"kind": "setpoint", "target": [1.2, 0.6]}
    move = {"kind": "move", "target": [0.5, 0.5], "duration": 0.1}
    plan = {
        "robot": "two_link",
        "duration": 0.1,
        "step": 0.002,
        "q0": [0.3, 0.9],
        "draws": 3,
        "control": {"law": law, "reference": place if named_laws()[law].moves_frame else move},
        "vary": {
            "q0": {"uniform": [-0.1, 0.1], "as": "offset"},
            "target": {"normal": [0, 0.01], "as": "offset"},
            "payload.tool": {"uniform": [0, 2]},
        },
        "keep": ["error", "torque", "limits"],
    }
    found = run(plan)
    assert found.column("finite").all()
    assert len(np.unique(found.column("error.final"))) == 3


def test_gains_and_targets_that_vary_are_those_of_a_law_that_has_them(run):
    arm = qddot.load("two_link")
    reference = {"kind": "setpoint", "target": [9, 9]}
    control = {"law": "computed_torque", "gains": {"kd": 10}, "reference": reference}
    vary = {"control.kp": {"grid": [40.0, [90.0, 20.0]]}, "target": {"grid": [[0.5, -0.5]]}}
    found = run(TWO_LINK | {"control": control, "vary": vary, "keep": ["final", "error", "motion"]})
    for number, kp in enumerate((40.0, [90.0, 20.0])):
        law = laws.ComputedTorque(arm, kp, 10, [0.5, -0.5])
        there = qddot.rollout(arm, [0.1, 0.2], steps=500, step=1e-3, torque=law)
        assert found.column("final.q.j2")[number] == pytest.approx(there.q[-1, 1], abs=DIVIDED)


def test_a_law_that_knows_the_arm_tracks_what_a_nominal_one_does_not(run):
    own = {
        "knows": {"knows": "arm"},
        "guesses": {},
        "believes": {"model_set": {"payload.tool": 5.0}},
    }
    control = [
        {"name": name, "law": "computed_torque", "reference": MOVE} | more
        for name, more in own.items()
    ]
    found = run(TWO_LINK | {"control": control, "vary": {"payload.tool": {"grid": [5.0]}}})
    worst = dict(zip(found.column("control"), found.column("error.worst"), strict=True))
    assert worst["knows"] < RK4
    assert worst["believes"] < RK4
    assert worst["guesses"] > 1e-3


def test_a_frame_moves_from_where_it_is_at_the_start_of_each_run(run):
    reference = {"kind": "move", "joints": [0.4, 1.5], "duration": 0.4}
    plan = TWO_LINK | {"control": {"law": "operational_space", "reference": reference}}
    vary = {"q0": {"uniform": [-0.1, 0.1], "as": "offset"}}
    found = run(plan | {"q0": [0.2, 1.8], "draws": 2, "vary": vary})
    assert found.column("error.worst").max() < RK4


def test_a_law_that_knows_the_arm_knows_its_dry_friction(run):
    law = {"law": "computed_torque", "reference": MOVE, "knows": "arm"}
    plan = TWO_LINK | {"control": law, "vary": {"friction.coulomb": {"grid": [0.0, 20.0]}}}
    assert run(plan).column("error.worst").max() < RK4


def test_a_move_is_the_quintic_from_where_the_run_starts():
    start, end, t = np.array([0.1, -0.2]), np.array([1.0, 0.5]), np.linspace(-0.1, 1.1, 7)
    there = Quintic([start, end], 0.8)
    for instant in t:
        for own, other in zip(Move(start, end, 0.8).at(instant), there.at(instant), strict=True):
            assert np.abs(own - other).max() < DIVIDED


def test_a_run_that_is_not_finite_harms_no_other_and_is_counted(run):
    steps, vary = {"duration": 2.0, "step": 0.01}, {"qd0.j1": {"grid": [0.0, 1e200]}}
    found = run(TWO_LINK | steps | {"vary": vary})
    assert found.column("finite").tolist() == [True, False]
    summary = found.summary(["finite", "final.q.j1"])
    assert summary["final.q.j1"].missing == 1
    assert summary["finite"].mean == 0.5


def test_a_run_starts_on_a_reference_that_moves_unless_it_is_told_where(run):
    reference = {"kind": "quintic", "points": [[0.4, 0.1], [0.5, 0.2]], "duration": 0.1}
    plan = {"robot": "two_link", "duration": 0.1, "vary": {"scale": {"grid": [1.0]}}}
    control = {"law": "feed_forward", "reference": reference}
    assert run(plan | {"control": control}).column("error.worst").max() < RK4
    off = run(plan | {"control": control, "q0": [0.4, 0.2]})
    assert off.column("error.worst").max() == pytest.approx(0.1, rel=0.01)


def test_constant_torques_are_added_and_cut_off_by_nobody(run):
    plan = {"robot": "pendulum", "duration": 0.1, "q0": [0.0], "torque": [2.0], "keep": ["torque"]}
    found = run(plan | {"vary": {"friction.viscous": {"grid": [0.0]}}})
    assert found.column("torque.peak.j1").tolist() == [2.0]
    varied = run(plan | {"vary": {"torque": {"grid": [1.0, 3.0]}}})
    assert varied.column("torque.peak.j1").tolist() == [1.0, 3.0]
