"""`qddot control` as people use it."""

import json

import numpy as np
import pytest
from command_line import interrupted_at, run

import qddot
from qddot.cli import words
from qddot.control.spec import laws
from qddot.motions.description import Situation, motion_kinds, read_motion
from qddot.readers.document import no_lines
from qddot.readers.document_table import DocumentTable

GO = "quintic 0,0 1,1 2.0"
LENGTHS = {"a1": 1, "a2": 1, "m1": 50, "m2": 50, "I1": 10, "I2": 10, "aC1": 0.5, "aC2": 0.5}
REST = {"d1": 0, "d2": 0, "g": 9.81}


def test_control_tells_errors_torques_v_and_assumptions():
    done = run("control", "two_link", "--reference", GO, "--q0", "0.01,0")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("ComputedTorque: τ = M(q)")
    assert "kp = 100" in done.stdout
    assert "settled to 2 % after 0.585 s" in done.stdout
    assert "Lyapunov function never rises" in done.stdout
    assert "  yes   The law's model is the arm" in done.stdout
    assert max(map(len, done.stdout.splitlines()[:-1])) <= 120


def test_an_arm_that_starts_on_its_reference_is_not_said_to_settle():
    """Errors of rounding have no settling time, and V does not rise from 0 to 1e-26."""
    done = run("control", "two_link", "--duration", "1")
    assert "starts on its reference; the error is at most " in done.stdout
    assert "Lyapunov function stays at the level of rounding" in done.stdout
    sampled = run("control", "two_link", "--duration", "1", "--rate", "1000")
    assert "Lyapunov function rises while torques are held" in sampled.stdout
    assert "sound: open: The law is asked often enough" in sampled.stdout


def test_numbers_alone_are_a_set_point():
    for text in ("0.1,0.2", "-10deg,.2", "pi/2,0", "1"):
        assert words.reference_of(text) == words.reference_of(f"setpoint {text}")
    assert run("control", "two_link", "--reference", "0.1,0.2").returncode == 0


@pytest.mark.parametrize("law", laws())
def test_every_law_runs_with_gains_that_are_chosen_for_it(law):
    frame = laws()[law].moves_frame
    place = ("setpoint 1.2,0.6",) if frame else ("setpoint 0.5,0.5",)
    start = "0.2,1.8" if frame else "0.4,0.4"
    done = run(
        *("control", "two_link", "--law", law, "--reference", *place, "--q0", start),
        *("--duration", "8", "--json"),
    )
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    final, worst = (np.abs(facts["error"][key]).max() for key in ("final", "worst"))
    # PD sags; what estimates gravity is still finding it
    left = {"pd": 0.8, "adaptive_approximate_jacobian": 0.1}.get(law, 0.01)
    assert final < left * worst
    assert facts["finished"]
    assert set(facts["gains"]) == set(laws()[law].gain_names)


@pytest.mark.parametrize("law", [name for name, kind in laws().items() if kind.moves_frame])
@pytest.mark.parametrize("arm", ["two_link", "pendulum"])
def test_a_law_of_a_frame_goes_to_a_place_nearby_if_nothing_is_said(law, arm):
    """A pendulum moves its tip along one axis of its plane, as the other follows from it."""
    done = run("control", arm, "--law", law, "--duration", "0.1", "--json")
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    assert len(facts["error"]["final"]) == {"two_link": 2, "pendulum": 1}[arm]
    assert facts["finished"]


def test_a_wrong_model_is_told_and_adapted_to():
    words = ("control", "two_link", "--model-error", "0.3", "--reference", GO, "--json")
    plain, adaptive = (
        json.loads(run(*words, "--law", law).stdout) for law in ("slotine_li", "adaptive")
    )
    assert plain["assumptions"][0]["holds"] == "no"
    assert adaptive["assumptions"][0]["holds"] == "yes"
    assert max(adaptive["error"]["rms"]) < max(plain["error"]["rms"])
    assert adaptive["lyapunov"]["end"] < 0.5 * adaptive["lyapunov"]["start"]


def test_what_the_law_believes_may_differ_in_lengths():
    settings = [f"--set={key}={value}" for key, value in (LENGTHS | REST).items()]
    done = run(
        *("control", "two_link_symbolic", "--law", "approximate-jacobian", *settings),
        *("--model-set", "a1=1.2", "--model-set", "a2=0.8", "--reference", "setpoint 1.2,0.6"),
        *("--q0", "0.2,1.8", "--gains", "kp=300,kd=150", "--duration", "40", "--json"),
    )
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    np.testing.assert_allclose(facts["q"], [-0.37183426, 1.67096375], rtol=0, atol=1e-7)
    assert facts["sound"] == "open"
    assert "‖Jᵀ − Ĵᵀ‖" in facts["reasons"][0]


def test_a_rate_a_delay_and_noise_make_it_worse():
    words = ("control", "two_link", "--reference", GO, "--json")
    ideal, late = (
        json.loads(run(*words, *more).stdout)
        for more in (
            (),
            ("--rate", "500", "--delay", "0.004", "--noise-q", "1e-4", "--noise-qd", "1e-3"),
        )
    )
    assert max(ideal["error"]["worst"]) < 1e-8
    assert max(late["error"]["worst"]) > 1e-5


def test_a_motion_and_a_figure_are_written(tmp_path):
    table, figure = tmp_path / "run.csv", tmp_path / "run.svg"
    done = run(
        *("control", "two_link", "--law", "operational_space", "--reference", "line 1.2,0.6 1.0"),
        *("--q0", "0.2,1.8", "-o", table, "--plot", figure),
    )
    assert done.returncode == 0, done.stderr
    assert qddot.Trajectory.load(table).t[-1] == 2.0
    assert figure.read_text(encoding="utf-8").startswith("<?xml")
    assert "run.csv" in done.stdout
    assert "run.svg" in done.stdout


def test_a_saved_excitation_and_a_saved_run_are_followed(tmp_path):
    motion, table = tmp_path / "my motion.json", tmp_path / "run.csv"
    limits = {"lower": -2.0, "upper": 2.0, "velocity": 2.0}
    qddot.excite("two_link", period=2.0, harmonics=2, limits=limits, starts=1).save(motion)
    first = run("control", "two_link", "--reference", f"file {motion}", "-o", table, "--json")
    assert first.returncode == 0, first.stderr
    again = run("control", "two_link", "--reference", f"file {table}", "--duration", "4", "--json")
    assert again.returncode == 0, again.stderr
    for done in (first, again):
        assert max(json.loads(done.stdout)["error"]["worst"]) < 1e-5


def test_a_run_that_runs_away_has_status_1():
    done = run(
        *("control", "two_link", "--law", "pd", "--gains", "kp=1e9,kd=1e9", "--rate", "100"),
        *("--reference", "setpoint 0,0", "--q0", "0.1,0.1"),
    )
    assert done.returncode == 1
    assert "ran away" in done.stdout


def test_ctrl_c_keeps_the_motion_so_far(tmp_path):
    table, figure = tmp_path / "part.csv", tmp_path / "part.svg"
    words = ("control", "two_link", "--duration", "50", "-o", table, "--plot", figure, "--json")
    with interrupted_at(2.0):
        done = run(*words)
    assert done.returncode == 130
    facts = json.loads(done.stdout)
    assert "interrupted at t =" in facts["status"]
    assert (facts["sound"], facts["law"]) == ("open", "ComputedTorque")  # the report is there too
    assert 1 < qddot.Trajectory.load(table).t[-1] < 50
    assert figure.exists()


def test_gains_go_to_the_name_before_them():
    assert words.gains_of(["kp=100,50,kd=20,10"]) == {"kp": ["100", "50"], "kd": ["20", "10"]}
    assert words.gains_of(["kp=pi", "kd=1"]) == {"kp": "pi", "kd": "1"}


def made(text, at):
    """Return the motion that words describe."""
    found = []
    motion = read_motion(DocumentTable(words.reference_of(text), (), found, no_lines), at)
    assert not found, found[0]
    return motion


def test_every_reference_is_made_as_its_syntax_says():
    arm = qddot.load("two_link")
    q = np.array([0.2, 1.8])
    at = Situation(arm, q, "tool", "xy", of_frame=False)
    for kind in motion_kinds().values():
        if kind.name == "to_pose":  # which asks for a whole pose
            panda = qddot.load("panda")
            where = Situation(panda, panda.home, "tool", "xyz", of_frame=False)
            assert len(made(kind.example, where).at(0.1)[0]) == 7
        else:
            assert len(made(kind.example, at).at(0.1)[0]) == 2, kind.name
    line = made("line 1.2,0.6 2.0", at)
    np.testing.assert_allclose(line.at(0.0)[0], q)
    end = np.asarray(line.at(2.0)[0], dtype=float)
    np.testing.assert_allclose(arm.pose(end, "tool")[:2, 3], [1.2, 0.6], rtol=0, atol=1e-6)


@pytest.mark.parametrize("name", ["scara", "panda_hand"])
def test_waves_of_no_given_size_keep_within_limits(name):
    robot = qddot.load(name)
    at = Situation(robot, robot.home, "tool", "xyz", of_frame=False)
    wave = made("fourier", at)  # which would refuse to leave them
    assert np.ptp(wave.sampled(np.linspace(0, 5, 100))[0], axis=0).min() > 0
    with pytest.raises(AssertionError, match="leaves the limits"):
        made("fourier amplitude=3", at)


def test_a_reference_that_looks_like_degrees_is_doubted():
    words = ("control", "two_link", "--duration", "0.01", "--reference")
    assert "j2 is at 45 rad" in run(*words, "setpoint 30,45").stderr
    assert "j1 is at 30 rad" in run(*words, "quintic 0,0 30,45 2.0").stderr
    assert "warning" not in run(*words, "setpoint 30deg,45deg").stderr
