"""Play and export: falls, laws and logs are those of the library; files hold what was shown."""

import base64
import io

import numpy as np
import pytest
from numpy.testing import assert_allclose
from studio_talk import in_base64

import qddot
from qddot.errors import BadArgument
from qddot.readers.read import read
from qddot.simulation.trajectory import Trajectory
from qddot.studio import playing

START = [0.5, 0.4]
SAME = {"rtol": 1e-9, "atol": 1e-9}  # the same steps, in another process


def saved(page, what):
    """Return the name and the bytes of an exported file."""
    answer = page.ask("export", what=what)
    return answer["name"], base64.b64decode(answer["data"])


def test_a_drop_is_the_simulation_of_the_robot_as_it_is_now(page, tmp_path):
    page.ask("robot", name="two_link")
    page.ask("set", gravity=[0, -5, 0], friction={"viscous": [3, 4], "coulomb": 1})
    motion = page.ask("play", what="drop", q=START, qd=[0.1, 0], duration=2)
    assert page.progress == ["Simulating 2 s"]
    robot = qddot.load("two_link").with_gravity((0, -5, 0))
    robot = robot.with_friction(viscous=[3, 4], coulomb=1)
    run = qddot.simulate(robot, START, [0.1, 0], duration=2)
    for name in ("t", "q", "qd", "qdd", "tau"):
        assert_allclose(motion[name], getattr(run, name), **SAME)
    for name in ("kinetic", "potential", "total"):
        assert_allclose(motion[name], getattr(run.energy, name), **SAME)
    assert motion["status"] == run.status
    assert motion["good"] is True
    name, data = saved(page, "csv")
    assert name == "two_link_motion.csv"
    path = tmp_path / name
    path.write_bytes(data)
    assert_allclose(Trajectory.load(path, robot).q, run.q, **SAME)


def test_stops_hold_the_arm_within_its_limits(page):
    page.ask("robot", name="panda")
    q = [0, -0.5, 0, -2, 0, 1.5, 0]
    free = page.ask("play", what="drop", q=q, qd=[0] * 7, duration=1.5)
    held = page.ask("play", what="drop", q=q, qd=[0] * 7, duration=1.5, stops=True)
    most = 1.7628  # of its second joint
    assert np.abs(free["q"])[:, 1].max() > most
    assert np.abs(held["q"])[:, 1].max() <= most + 1e-6
    assert any("passes its position limit" in event["text"] for event in free["events"])
    assert any("hits its lower stop" in event["text"] for event in held["events"])


@pytest.mark.parametrize("law", ["pd", "computed_torque", "operational_space"])
def test_a_law_takes_the_arm_towards_its_target(page, law):
    page.ask("robot", name="two_link")
    target = [0.9, 0.8]
    control = {"law": law, "reference": {"kind": "move", "joints": target}}
    motion = page.ask("play", what="control", control=control, q=START, duration=6)
    assert motion["law"] == law
    assert motion["good"]
    first, last = np.abs(motion["error"][0]).max(), np.abs(motion["error"][-1]).max()
    if law == "pd":  # which sags
        assert last < 0.6
    elif law == "operational_space":
        tip = qddot.load("two_link").pose
        away = np.linalg.norm(tip(motion["q"][-1], "tool") - tip(target, "tool"))
        assert away < 0.05
        assert motion["axes"] == "xy"
    else:
        assert last < 0.05
        assert_allclose(motion["reference"][-1], target)
        assert_allclose(motion["reference"][0], START)
    assert first < 1e-9  # it starts where the arm is


def test_a_step_has_its_target_at_once_and_a_wave_swings(page):
    page.ask("robot", name="two_link")

    def asked(law, **reference):
        control = {"law": law, "reference": reference}
        return {"what": "control", "q": START, "duration": 1, "control": control}

    step = page.ask("play", **asked("computed_torque", kind="setpoint", joints=[1, 1]))
    assert step["reference"][0] == [1, 1]
    wave = page.ask("play", **asked("computed_torque", kind="fourier"))
    reference = np.array(wave["reference"])
    assert 0.05 < np.ptp(reference[:, 0]) <= 0.51
    assert "this law moves a frame" in page.problem(
        "play", **asked("operational_space", kind="fourier")
    )


def test_what_cannot_be_played_is_refused_with_words(page):
    page.ask("robot", name="panda")
    q = [0, -0.5, 0, -2, 0, 1.5, 0]

    def refused(**control):
        return page.problem("play", what="control", q=q, duration=2, control=control)

    assert "Did you mean 'pd'" in refused(law="pid")
    assert "it has no target" in refused(law="pd", reference={"kind": "setpoint"})
    assert "joints of 'play control reference' is missing" in refused(
        law="pd", reference={"kind": "move"}
    )
    assert "panda_joint1" in refused(law="pd", reference={"kind": "move", "joints": [9, *q[1:]]})
    assert "pdd: this key means nothing here" in refused(law="pd", pdd=1)
    assert "control of 'play' is missing" in page.problem("play", what="control", q=q, duration=2)
    assert "a number from 0.01 to 60" in page.problem("play", what="drop", q=q, duration=1e9)
    assert "a number from 0.01 to 60" in page.problem("play", what="drop", q=q, duration=0)
    assert "it must be 7 numbers" in page.problem("play", what="drop", q=[0], duration=1)
    assert "does not end like a log" in page.problem("play", what="log", name="a.exe", data="")


def log_of(run, ending, tmp_path):
    path = tmp_path / f"run{ending}"
    run.save(path)
    return path.read_bytes()


def test_a_log_is_replayed_with_what_the_model_makes_of_it(page, tmp_path):
    robot = qddot.load("two_link")
    run = qddot.simulate(robot, START, duration=1, torque=[5.0, 1.0])
    page.ask("robot", name="two_link")
    data = in_base64(log_of(run, ".csv", tmp_path))
    motion = page.ask("play", what="log", name="my run.csv", data=data)
    assert motion["name"] == "my run.csv"
    assert_allclose(motion["q"], run.q, **SAME)
    assert_allclose(motion["tau"], run.tau, **SAME)
    assert_allclose(motion["tau_model"], run.tau, rtol=0, atol=1e-6)
    assert_allclose(motion["total"], run.energy.total, **SAME)
    name, table = saved(page, "csv")
    assert name == "two_link_motion.csv"
    assert table.decode().splitlines()[0].startswith("t,q.")


@pytest.mark.parametrize("ending", [".npz", ".parquet"])
def test_logs_of_other_formats_are_read_as_well(ending, tmp_path, monkeypatch):
    if ending == ".parquet":
        pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    robot = qddot.load("two_link")
    run = qddot.simulate(robot, START, duration=0.5)
    data = log_of(run, ending, tmp_path)
    monkeypatch.chdir(tmp_path)
    motion, _ = playing.log(robot, f"a{ending}", data, tell=print)
    assert_allclose(motion["q"], run.q, **SAME)
    broken = bytes(byte ^ 0xFF for byte in data[100:200])
    with pytest.raises(BadArgument, match=rf"a\{ending} cannot be used as a log.*\n.*damaged"):
        playing.log(robot, f"a{ending}", data[:100] + broken + data[200:], tell=print)


def test_a_log_of_positions_alone_is_replayed(page):
    t = np.linspace(0, 3, 4000)
    rows = ["t,q.1,q.2", *(f"{x},{np.sin(x)},{x / 2}" for x in t)]
    page.ask("robot", name="two_link")
    motion = page.ask("play", what="log", name="a.csv", data=in_base64("\n".join(rows) + "\n"))
    assert motion["tau"] is None
    assert len(motion["t"]) <= 1500
    middle = len(motion["t"]) // 2
    assert motion["qd"][middle][0] == pytest.approx(np.cos(motion["t"][middle]), abs=1e-3)


def test_a_bad_log_is_refused_with_its_lines(page):
    page.ask("robot", name="two_link")
    told = page.problem("play", what="log", name="a.csv", data=in_base64("t,q.1,q.2\n0,1,x\n"))
    assert "a.csv:2" in told
    assert "holds 'x', not a number" in told
    assert "dropped_file" not in told


def test_a_state_is_exported_before_anything_was_played(page):
    robot = qddot.load("two_link")
    page.ask("robot", name="two_link")
    page.ask("at", q=START, qd=[1, 2])
    name, data = saved(page, "csv")
    assert name == "two_link_state.csv"
    table = np.genfromtxt(io.BytesIO(data), delimiter=",", names=True, deletechars="", dtype=float)
    columns = dict(zip(data.decode().splitlines()[0].split(","), table.item(), strict=True))
    q, qd = np.array(START), np.array([1.0, 2.0])
    joint = robot.joint_names[1]
    assert columns[f"tau.{joint}"] == pytest.approx(robot.bias_torque(q, qd)[1])
    assert columns["M.1.2"] == pytest.approx(robot.mass_matrix(q)[0, 1])
    assert columns["kinetic"] == pytest.approx(robot.kinetic_energy(q, qd))


def test_the_robot_is_exported_as_it_is_now(page, tmp_path):
    page.ask("robot", name="two_link")
    page.ask("set", gravity=[0, -3, 0], payload={"frame": "tool", "mass": 4})
    name, data = saved(page, "toml")
    assert name == "two_link.toml"
    path = tmp_path / name
    path.write_bytes(data)
    robot = qddot.Robot(read(path))
    now = page.ask("at", q=START)
    assert_allclose(robot.gravity_torque(START), now["g"])


def slow():
    """Return a run that takes long."""
    reference = {"kind": "move", "joints": [0.5, 0.5, 0.5, -2, 0.5, 1.5, 0.5]}
    control = {"law": "adaptive", "reference": reference}
    q = [0, -0.5, 0, -2, 0, 1.5, 0]
    return {"what": "control", "control": control, "q": q, "duration": 60}


def test_long_work_can_be_cancelled_while_others_are_answered(page):
    page.ask("robot", name="panda")
    state = slow()
    number = page.send("play", **state)
    assert page.receive()["is"] == "progress"
    asked = page.send("at", q=state["q"])
    assert page.receive()["id"] == asked  # though the other is not done
    cancel = page.send("cancel", of=number)
    answers = {message["id"]: message for message in (page.receive(), page.receive())}
    assert answers[cancel] == {"id": cancel, "is": "cancelled", "of": [number]}
    assert answers[number] == {"id": number, "is": "problem", "text": "Cancelled."}
    assert page.ask("cancel")["of"] == []
    assert page.ask("play", what="drop", q=state["q"], duration=0.1)["is"] == "motion"


def test_only_so_many_long_questions_run_at_once(page):
    page.ask("robot", name="panda")
    numbers = [page.send("play", **slow()) for _ in range(6)]
    refused = []
    while len(refused) < 2:
        message = page.receive()
        if message["is"] != "progress":
            refused.append(message)
    assert [message["id"] for message in refused] == numbers[4:]
    assert "4 such questions are being answered already" in refused[0]["text"]
    page.send("cancel")
    told = []
    while len(told) < 5:
        message = page.receive()
        if message["is"] != "progress":
            told.append(message)
    assert {message["id"] for message in told} == {*numbers[:4], page.last}
