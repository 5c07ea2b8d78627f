"""`qddot identifiable`, `excite` and `identify` as people use them."""

import json
import os
import signal

import numpy as np
import pytest
from command_line import ctrl_c, run
from faults import full_disk
from identification.made_logs import rubbing

import qddot
from qddot.identification.excitation_result import Excitation
from qddot.identification.excitation_search import Search

LIMITS = ("--limits", "lower=-2", "--limits", "upper=2", "--limits", "velocity=2")


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    """A file with the log of two links that swing, with friction and noise."""
    t, q, tau = rubbing(200, 10.0, 0.5)
    path = tmp_path_factory.mktemp("logs") / "log.csv"
    names = "t,q.j1,q.j2,tau.j1,tau.j2"
    np.savetxt(path, np.column_stack([t, q, tau]), delimiter=",", header=names, comments="")
    return path


def test_identifiable_says_what_only_acts_together():
    done = run("identifiable", "two_link_symbolic")
    assert done.returncode == 0, done.stderr
    assert "j1.mx + a1·j2.m" in done.stdout
    assert "j1.Izz + a1²·j2.m" in done.stdout
    assert "No effect at all: j1.m," in done.stdout


def test_identifiable_looks_at_a_log(log):
    facts = json.loads(run("identifiable", "two_link", "--log", log, "--json").stdout)
    assert facts["where"] == "in this log"
    assert facts["rank"] == 6
    assert "j2.m alone cannot be known" in facts["together"]["j2.m"]


def test_identify_tells_values_and_what_was_done_to_the_log(log):
    done = run("identify", "two_link", log)
    assert done.returncode == 0, done.stderr
    assert "WeightedLeastSquares of 'two_link'" in done.stdout
    assert "j1.mx + j2.m" in done.stdout
    assert "filtered at" in done.stdout
    assert "(by the model of 'two_link')" in done.stdout
    assert "on every row of the log" in done.stdout
    assert not done.stderr


def test_what_looks_wrong_is_told_in_the_words_of_the_command_line(log, tmp_path):
    rows = np.loadtxt(log, delimiter=",", skiprows=1)
    rows[:-6, 3:] = rows[6:, 3:]  # 30 ms early
    path = tmp_path / "early.csv"
    header = "t,q.j1,q.j2,tau.j1,tau.j2"
    np.savetxt(path, rows[:-6], delimiter=",", header=header, comments="")
    done = run("identify", "two_link", path, "--terms", "friction,offset", "--delay", "0")
    assert done.returncode == 0, done.stderr
    assert "ms earlier than the motion" in done.stderr
    assert "Shift them: --delay -0.0" in done.stderr
    mended = run("identify", "two_link", path, "--json")  # which finds the delay itself
    assert json.loads(mended.stdout)["doubts"] == []


def test_a_log_without_torques_says_which_option_names_them(log, tmp_path):
    path = tmp_path / "odd.csv"
    path.write_text(log.read_text().replace("tau.j", "load cell "))
    done = run("identify", "two_link", path)
    assert done.returncode == 2
    assert "has no tau.\n  Give --columns tau=... where its file is read." in done.stderr
    assert run("identify", "two_link", path, "--columns", "tau=load cell {number}").returncode == 0


def test_identify_writes_a_robot_a_page_and_a_figure(log, tmp_path):
    robot, page, figure = (tmp_path / name for name in ("arm.toml", "fit.html", "fit.png"))
    done = run(
        *("identify", "two_link", log, "--method", "consistent", "--json", "--validate", log),
        *("-o", robot, "--page", page, "--plot", figure),
    )
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    assert facts["possible"]
    assert facts["relative_error"] < 0.02
    (validated,) = facts["validation"]
    assert validated["relative_error"] == pytest.approx(facts["relative_error"])
    assert facts["status"] == "solved"
    assert facts["doubts"] == []
    assert "predicts held-out torques" in facts["filter"]
    assert facts["log"]["rows"] == 2001
    assert facts["files"] == [str(robot), str(page), str(figure)]
    found = qddot.load(robot)
    values = dict(zip(found.parameter_names, found.parameters, strict=True))
    assert [values["j1.fv"], values["j2.fv"]] == pytest.approx([5, 5], rel=0.05)
    assert "$ qddot identify two_link" in page.read_text(encoding="utf-8")
    assert figure.read_bytes().startswith(b"\x89PNG")


def test_a_full_disk_leaves_neither_robot_nor_page(log, tmp_path, monkeypatch):
    monkeypatch.setattr("matplotlib.figure.Figure.savefig", full_disk)
    robot, figure = tmp_path / "found.toml", tmp_path / "torques.png"
    done = run("identify", "two_link", log, "-o", robot, "--plot", figure)
    assert done.returncode == 1
    assert "Make room" in done.stderr
    assert [*tmp_path.iterdir()] == []


def test_motor_side_logs_are_read(log, tmp_path):
    _, q1, q2, tau1, tau2 = np.loadtxt(log, delimiter=",", skiprows=1).T
    q, tau = tmp_path / "q.csv", tmp_path / "tau.csv"
    motors = np.degrees(np.column_stack([100 * q1, -50 * q2]))
    np.savetxt(q, motors, delimiter=",", header="a,b", comments="")
    np.savetxt(tau, np.column_stack([tau1, tau2]), delimiter=",", header="m1,m2", comments="")
    words = (
        *("identify", "two_link", f"q={q}", f"tau={tau}", "--rate", "200", "--json"),
        *("--columns", "q=a,b", "--columns", "tau=m{number}", "--units", "q=deg"),
        *("--gear", "q=100,-50"),
    )
    done = run(*words)
    assert done.returncode == 0, done.stderr
    plain = json.loads(run("identify", "two_link", log, "--json").stdout)
    assert json.loads(done.stdout)["relative_error"] == pytest.approx(plain["relative_error"])


def test_excite_writes_a_motion_that_comes_back(tmp_path):
    path, figure = tmp_path / "motion.csv", tmp_path / "motion.svg"
    words = ("excite", "two_link", *LIMITS, "--period", "6", "--seconds", "3", "--rate", "100")
    done = run(*words, "-o", path, "--plot", figure, "--json")
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    assert facts["condition"] < facts["random_condition"]
    assert facts["files"] == [str(path), str(figure)]
    motion = Excitation.load(path, qddot.load("two_link"))
    assert not motion.violations()
    assert len(path.read_text().splitlines()) == 2 + 601
    assert set(tmp_path.iterdir()) == {path, figure}


@pytest.mark.skipif(os.name != "posix", reason="signals are those of POSIX")
def test_ctrl_c_keeps_the_best_motion_so_far(tmp_path, monkeypatch):
    objective = Search.objective

    def pressed(self, *how):
        if self.evaluations == 300:
            signal.raise_signal(signal.SIGINT)
        return objective(self, *how)

    monkeypatch.setattr(Search, "objective", pressed)
    path = tmp_path / "motion.json"
    with ctrl_c():
        done = run("excite", "scara", *LIMITS, "--seconds", "600", "-o", path)
    assert done.returncode == 130
    assert "interrupted; this is the best motion so far" in done.stdout
    assert Excitation.load(path).gain > 1
    assert list(tmp_path.iterdir()) == [path]


def test_contact_finds_a_push_in_a_log(tmp_path):
    log, arm = tmp_path / "log.csv", qddot.load("two_link")
    t = np.arange(4000) / 200
    waves = np.multiply.outer(t, [2.0, 3.1])
    q, qd, qdd = np.sin(waves), [2.0, 3.1] * np.cos(waves), -np.array([4.0, 9.61]) * np.sin(waves)
    tau = arm.inverse_dynamics(q, qd, qdd) + np.random.default_rng(0).normal(size=q.shape)
    tau[3000:3200] -= 80.0
    header = "t,q.j1,q.j2,tau.j1,tau.j2"
    np.savetxt(log, np.column_stack([t, q, tau]), delimiter=",", header=header, comments="")
    words = ("contact", "two_link", log, "--free", "0:12")
    done = run(*words, "--json", "-o", tmp_path / "out.csv", "--plot", tmp_path / "out.svg")
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    (contact,) = facts["contacts"]
    assert contact["start"] == pytest.approx(15, abs=0.15)
    assert contact["end"] == pytest.approx(16, abs=0.15)
    assert len(facts["files"]) == 2
    assert "1 contact in" in run(*words).stdout


@pytest.mark.long
def test_identify_compares_methods(log):
    done = run("identify", "two_link", log, "--compare", "--json")
    assert done.returncode == 0, done.stderr
    table = json.loads(done.stdout)["comparison"]
    errors = {each["method"]: each["unseen_blocks"] for each in table["methods"]}
    assert set(errors) >= {"weighted", "ordinary", "robust", "consistent", "bayes"}
    assert all(0 < error < 0.1 for error in errors.values())
    assert table["best"] in errors
