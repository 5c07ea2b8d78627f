"""`qddot log`, and logs as `qddot identify` takes them."""

import json

import numpy as np
import pytest
from command_line import run
from identification.made_logs import measured, rubbing, swinging, text, written

LOG = swinging(rate=100.0)
TX40_GEAR = "32,32,45,-48,45,32"


@pytest.fixture
def log(tmp_path):
    return written(tmp_path / "log.csv", text(LOG))


def test_a_log_is_shown_as_it_is_understood(tmp_path):
    head = "t [ms],q.j1 [deg],q.j2 [deg],tau.j1,tau.j2"
    gone = np.r_[:100, 150:401]
    rows = np.column_stack([1000 * LOG.t, np.rad2deg(LOG.q), LOG.tau])[gone]
    np.savetxt(tmp_path / "log.csv", rows, delimiter=",", header=head, comments="", fmt="%.17g")
    done = run("log", tmp_path / "log.csv", "two_link")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[1] == "  351 rows; 4 s at 100 Hz, not evenly; 1 gap, 0.51 s together"
    assert lines[2] == "  time: column 't [ms]' [ms]"
    assert lines[4].split() == ["joint", "q", "from", "column", "τ", "from", "column"]
    assert lines[5].split() == ["j1", "q.j1", "[deg]", "tau.j1"]
    assert lines[8].split() == ["joint", "q", "[rad]", "τ", "[N·m]"]
    assert lines[9].split()[:4] == ["j1", "-0.9999", "…", "0.9999"]
    assert "a gap of 0.51 s after row 100 (line 101)" in done.stderr


@pytest.mark.parametrize("ending", ["html", "png"])
def test_a_log_is_drawn(log, tmp_path, ending):
    picture = tmp_path / f"log.{ending}"
    done = run("log", log, "--rows", "1-200", "-o", picture)
    assert done.returncode == 0, done.stderr
    assert "200 rows (rows 1 to 200 of 401)" in done.stdout
    assert done.stdout.splitlines()[-1] == str(picture)
    data = picture.read_bytes()
    assert data.startswith(b"\x89PNG") if ending == "png" else b"<svg" in data
    if ending == "html":
        page = data.decode()
        assert "q.j2" in page
        assert "--rows 1-200" in page


def test_a_log_as_json_has_columns_units_gaps_and_ranges(log):
    facts = json.loads(run("log", log, "two_link", "--json").stdout)
    assert facts["columns"]["tau"] == ["tau.j1", "tau.j2"]
    assert facts["units"]["t"] == ["s"]
    assert (facts["rows"], facts["rows_in_file"], facts["gaps"]) == (401, 401, [])
    assert facts["ranges"]["q"][0] == pytest.approx([LOG.q[:, 0].min(), LOG.q[:, 0].max()])


def test_identify_tells_first_how_it_understood_every_log(log, tmp_path):
    np.save(tmp_path / "a.npy", np.hstack([LOG.q, LOG.tau])[:, [1, 0, 3, 2]])
    how = ("--columns", "q=1-2", "--columns", "tau=3-4", "--joints", "j2,j1", "--rate", "100")
    done = run("identify", "two_link", tmp_path / "a.npy", *how, "--terms", "friction")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == str(tmp_path / "a.npy")
    assert lines[5].split() == ["j1", "2", "4"]
    facts = json.loads(run("identify", "two_link", log, f"{log}:1-300", "--json").stdout)
    assert [each["rows"] for each in facts["logs"]] == [401, 300]


def test_currents_are_fitted_with_the_gains_of_the_drives(tmp_path):
    t, q, tau = rubbing(150, 10.0, 0.2)
    head = "timestamp actual_q_0 actual_q_1 actual_current_0 actual_current_1"
    rows = np.column_stack([t, q, tau / [20.0, 8.0]])
    np.savetxt(tmp_path / "ur.csv", rows, header=head, comments="")
    how = ("--terms", "friction", "--json")
    done = run("identify", "two_link", tmp_path / "ur.csv", *how)
    assert done.returncode == 2
    assert "hold currents [A]" in done.stderr
    assert "--torque-constants ...; or have it found: --gains" in done.stderr
    done = run("identify", "two_link", tmp_path / "ur.csv", *how, "--gains", "j1=20")
    facts = json.loads(done.stdout)
    assert facts["gains"]["j2"]["value"] == pytest.approx(8.0, rel=0.02)
    one = run("log", tmp_path / "ur.csv", "--torque-constants", "20", "--json").stdout
    assert json.loads(one)["ranges"]["tau"][0][1] == pytest.approx(tau[:, 0].max(), rel=1e-6)


def test_joints_that_are_not_named_are_held_at_home(tmp_path):
    np.save(tmp_path / "a.npy", LOG.q)
    how = ("--columns", "q=1-2", "--joints", "wrist_1_joint,elbow_joint", "--rate", "100")
    done = run("log", tmp_path / "a.npy", "ur5", *how)
    assert done.returncode == 0, done.stderr
    assert "held at home, since --joints does not name them: shoulder_pan_joint, " in done.stderr
    table = [line.split() for line in done.stdout.splitlines()]
    assert table[5:7] == [["elbow_joint", "2"], ["wrist_1_joint", "1"]]


def test_files_of_quantities_joints_and_times_are_one_log(tmp_path):
    for name, x in (("a", LOG.q[:, 0]), ("b", LOG.q[:, 1]), ("tau", LOG.tau), ("t", LOG.t)):
        np.savetxt(tmp_path / f"{name}.txt", x, fmt="%.17g")
    for words in (["q=a.txt,b.txt", "tau=tau.txt", "t=t.txt"],
                  ["q=a.txt,b.txt", "tau=tau.txt", "--time", "t.txt"]):  # fmt: skip
        done = run("log", *words, "--joints", "j1=a,j2=b", "--columns", "tau=1-2", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert "401 rows; 4 s at 100 Hz" in done.stdout


def test_a_warning_about_a_log_names_options(tmp_path):
    path = written(tmp_path / "a.csv", ["t,q1", *(f"{10 * k},{np.sin(k / 9)}" for k in range(99))])
    said = run("log", path).stderr
    assert "If the times are in other units: --units t=ms" in said
    still = written(tmp_path / "b.csv", ["t,q1,q2", *(f"{k / 9},{k / 9},0" for k in range(99))])
    assert "Move it, or leave it out of --joints" in run("log", still).stderr


def test_the_measured_logs_are_read_from_the_command_line():
    tx40, baxter = measured("staubli_tx40"), measured("baxter") / "BaxterRand.npy"
    wrist = "1,0,0,0,0,0;0,1,0,0,0,0;0,0,1,0,0,0;0,0,0,1,0,0;0,0,0,0,1,0;0,0,0,0,-1,1"
    files = (f"q={tx40 / 'pos_read_data.csv'}", f"tau={tx40 / 'curr_data.csv'}")
    motors = ("--gear", TX40_GEAR, "--coupling", wrist, "--offset=0,-pi/2,pi/2,0,0,0")
    done = run("log", *files, tx40 / "tx40_mdh_modified.urdf", "--rate", "5000", *motors, "--json")
    facts = json.loads(done.stdout)
    assert (facts["rows"], facts["duration"]) == (45_000, pytest.approx(8.9998))
    assert facts["ranges"]["q"][3] == pytest.approx([-4.19, 1.397], abs=2e-3)
    order = ",".join(f"left_{name}" for name in ("e0", "e1", "s0", "s1", "w0", "w1", "w2"))
    columns = ("--columns", "q=1-7 qd=8-14 tau=22-28")
    how = ("--joints", order, *columns, "--rate", "100", "--json")
    facts = json.loads(run("log", f"{baxter}:1-10000", "baxter", *how).stdout)
    assert facts["columns"]["q"] == ["3", "4", "1", "2", "5", "6", "7"]
    assert facts["rows"] == 10_000


def test_the_measured_bags_are_read_from_the_command_line():
    pytest.importorskip("rosbags", reason="rosbags is not installed")
    panda = measured("panda_bag") / "panda_exciting_trajectory.db3"
    facts = json.loads(run("log", panda, "panda", "--json").stdout)
    assert facts["columns"]["q"][6] == "q.fer_joint7"
    other = measured("ur10_bag") / "ur10_validation_trajectory.db3"  # the points of a trajectory
    done = run("log", other, "ur10")
    assert done.returncode == 2
    assert "it has no joint states" in done.stderr
    assert "/joint_space_trajectory (trajectory_msgs/msg/JointTrajectory)" in done.stderr
