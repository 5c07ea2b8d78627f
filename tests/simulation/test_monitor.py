"""What is said of a run is of all its steps: how many rows are kept changes no word of it."""

import warnings
from dataclasses import asdict

import numpy as np
import pytest
from nearness import assert_close

import qddot
from qddot.control import ComputedTorque
from qddot.control.loop import closed_loop
from qddot.simulation import monitor
from qddot.simulation.energy import Balance, Energy
from qddot.simulation.equation import Layout
from qddot.simulation.monitor import BLOCK

WHEEL = """
name = "wheel"
gravity = [0, 0, 0]
[[joint]]
name = "j"
type = "revolute"
parent = "base"
child = "rim"
axis = [0, 0, 1]
limits = { lower = -6, upper = 6, velocity = 2, effort = 1 }
friction = { coulomb = @coulomb@ }
@stops@
[[link]]
name = "rim"
inertia = [0.1, 0.1, 0.1]
mass = 1
"""
PERIOD = 1.0


def wheel(tmp_path, coulomb=0.0, stops=""):
    path = tmp_path / "wheel.toml"
    path.write_text(WHEEL.replace("@coulomb@", f"{coulomb}").replace("@stops@", stops))
    return qddot.load(path)


def push(t, q, qd):
    return [2 * np.sin(2 * np.pi * t / PERIOD)]


def said(run):
    """Return all that a run says of itself but its rows, of which the last is one."""
    told = run.to_dict()
    told["how"] = {key: value for key, value in told["how"].items() if key != "rows"}
    return {key: told[key] for key in told if key not in ("q", "qd", "energy")}


HOW = {
    "DOP853": {},
    "RK45": {"method": "RK45", "tolerance": 1e-8},
    "Radau": {"method": "Radau", "tolerance": 1e-6},
    "rk4": {"method": "rk4", "step": 0.005},
    "midpoint": {"method": "midpoint", "step": 0.005},
    "reported": {"effort": "report"},
    "stops": {"stops": 0.5},
}


@pytest.mark.parametrize("how", HOW.values(), ids=HOW)
def test_what_a_run_says_does_not_depend_on_its_rows(how, tmp_path):
    robot = wheel(tmp_path, coulomb=0.1, stops="stops = { upper = 0.4, restitution = 0.3 }")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", qddot.SimulationWarning)
        first, *others = (
            said(qddot.simulate(robot, [0.0], torque=push, duration=2.0, every=every, **how))
            for every in (None, 0.0007, PERIOD, 2.0)
        )
    assert all(other == first for other in others)
    names = {event["name"] for event in first["events"]}
    assert {"hits its upper stop", "passes its velocity limit"} <= names
    assert names & {"is held at its effort limit", "passes its effort limit"}


def test_a_torque_is_known_to_be_cut_off_however_few_rows_there_are(tmp_path):
    robot = wheel(tmp_path)
    run = qddot.simulate(robot, [0.0], torque=push, duration=10.0, every=PERIOD)
    assert run.good
    (held,) = (event for event in run.events if "held at its effort" in event.name)
    assert held.t == pytest.approx(PERIOD / 12, abs=1e-3)  # where 2 sin(2π t) is 1
    assert held.detail == "at 1, 67% of the time"
    assert run.how["asked"]["peak"][0] == pytest.approx(2, rel=1e-3)
    assert run.audit.exchanged == pytest.approx(run.energy.exchanged + 0.876, rel=1e-2)


class Wave:
    """A reference whose torque is 1.1 times the limit once a period."""

    n, period = 1, PERIOD

    def at(self, t):
        w = 2 * np.pi / PERIOD
        size = 1.1 / 0.1 / w**2
        wave = np.sin(w * t), w * np.cos(w * t), -w * w * np.sin(w * t)
        return tuple(np.stack([size * x]) for x in wave)


@pytest.mark.parametrize("rate", [None, 200.0])
@pytest.mark.parametrize("every", [None, 0.013, PERIOD, 6.0])
def test_a_loop_that_asks_too_much_in_every_period_is_never_called_uncut(every, rate, tmp_path):
    law = ComputedTorque(wheel(tmp_path), kp=100, kd=20, reference=Wave())
    run = closed_loop(law.robot, law, duration=6.0, every=every, rate=rate)
    (cut,) = (each for each in run.report.assumptions if "cut off" in each.statement)
    assert cut.holds is False
    assert "held at its effort limit" in str([event.name for event in run.trajectory.events])
    assert run.report.peak[0] == 1
    assert run.trajectory.how["asked"]["peak"][0] > 1.09


def test_what_was_said_is_in_the_file_of_a_run(tmp_path):
    robot = wheel(tmp_path, stops="stops = { upper = 0.4 }")
    run = qddot.simulate(robot, [0.0], torque=push, duration=3.0, every=PERIOD)
    for ending in (".csv", ".npz"):
        run.save(tmp_path / f"run{ending}")
        again = qddot.Trajectory.load(tmp_path / f"run{ending}", robot=robot)
        assert again.to_dict() == run.to_dict() | {"robot": robot.name}
        assert again.good


def test_an_interrupted_run_says_what_its_steps_have_shown(tmp_path):
    def until(t, q, qd):
        if t > 1.7:
            raise KeyboardInterrupt
        return push(t, q, qd)

    for every in (None, 5.0):
        with pytest.raises(qddot.Interrupted) as stopped:
            qddot.simulate(wheel(tmp_path), [0.0], torque=until, duration=5.0, every=every)
        names = [event.name for event in stopped.value.trajectory.events]
        assert "is held at its effort limit" in names


def test_memory_does_not_grow_with_steps(monkeypatch, tmp_path):
    from qddot.simulation import run as made

    most, kept = [], made.Monitor.add

    def add(self, *state):
        kept(self, *state)
        most.append(len(self.block))

    monkeypatch.setattr(made.Monitor, "add", add)
    run = qddot.simulate(wheel(tmp_path), [0.0], duration=9.0, method="rk4", step=2e-3, every=9)
    assert len(run) == 2
    assert len(most) > 4000 > BLOCK > max(most)


def test_a_balance_in_blocks_is_that_of_all_rows():
    run = qddot.simulate(qddot.load("two_link").with_friction(coulomb=20), [0, 0], duration=2.0)
    energy, found = run.energy, Balance()
    for k in range(0, len(run), 77):
        part = {name: x[k : k + 77] for name, x in vars(energy).items()}
        found.add(Energy(**part))
    for name, value in asdict(Balance().add(energy)).items():
        assert_close(getattr(found, name), value)


def test_a_limit_that_is_passed_within_one_long_step_is_noticed(tmp_path):
    """A free wheel is one step; a swing of 0.3 s beyond its limit is within one of the solver."""
    robot = wheel(tmp_path)
    run = qddot.simulate(robot, [5.0], [1.9], torque=[0.0], duration=2.0, every=2.0)
    assert run.how["steps"] < 12
    (passed,) = run.events
    assert passed.name == "passes its position limit"
    assert passed.t == pytest.approx(1 / 1.9, abs=1e-6)


def test_functions_of_users_are_asked_no_more_often_for_what_steps_show(tmp_path):
    """By rk4 four times a step; then for each of few rows, and for the start."""
    asked = []

    def given(t, q, qd):
        asked.append(t)
        return [-0.1 * qd[0]]

    robot = wheel(tmp_path)
    run = qddot.simulate(robot, [0.0], [1.0], torque=given, duration=1.0, method="rk4", step=1e-3)
    assert len(run) == 1001
    few = len(asked)
    run = qddot.simulate(
        robot, [0.0], [1.0], torque=given, duration=1.0, method="rk4", step=1e-3, every=0.5
    )
    assert len(run) == 3
    assert len(asked) - few <= 4 * 1000 + 100
    assert run.how["asked"]["peak"] == [pytest.approx(0.1)]


@pytest.mark.parametrize(("size", "speed"), [(0.02, 1.0), (0.1, 1.5), (2.0, 1.9)])
def test_looking_where_a_limit_may_be_passed_finds_what_looking_everywhere_does(
    size, speed, monkeypatch, tmp_path
):
    robot = wheel(tmp_path, coulomb=0.05)

    def wave(t, q, qd):
        return [size * np.cos(3 * t)]

    def run():
        return qddot.simulate(robot, [4.5], [speed], torque=wave, duration=3.0, every=3.0)

    some, chosen = run(), []
    leaving = monitor.Monitor._leaving

    def everywhere(self, h, *rows):
        chosen.append(np.mean(leaving(self, h, *rows)))
        return h[:, 0] > 0

    monkeypatch.setattr(monitor.Monitor, "_leaving", everywhere)
    assert run().events == some.events
    assert min(chosen) < 0.7 or speed > 1.5


def test_a_row_that_is_no_number_hides_nothing(tmp_path):
    robot = wheel(tmp_path)
    found = monitor.Monitor(robot, Layout(1, 1))
    t, q = np.array([0.0, 1.0, 2.0]), np.array([[0.0], [7.0], [np.nan]])
    found._note("position", t, q, robot.limits.lower, robot.limits.upper)
    assert [event.name for event in found.events] == ["passes its position limit"]


def test_a_run_prints_only_facts_that_it_has(tmp_path):
    run = qddot.simulate(wheel(tmp_path), [0.0], duration=0.1)
    (line,) = (line for line in repr(run).splitlines() if "method" in line)
    assert all(len(part.split()) > 1 for part in line.split(","))


def test_a_run_compiles_no_energies_that_the_robot_has():
    robot = qddot.load("two_link")
    found = monitor.Monitor(robot, Layout(2, 2))
    assert found.robot is robot
    assert monitor.Monitor(robot.with_options(dtype="float32"), Layout(2, 2)).robot == robot
