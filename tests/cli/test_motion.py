"""`qddot simulate` as people use it."""

import json

import numpy as np
from command_line import interrupted_at, run

import qddot


def test_simulate_tells_state_energy_and_verdict():
    done = run("simulate", "two_link", "--set", "friction.viscous=30")
    assert done.returncode == 0, done.stderr
    assert "-1.3811 rad" in done.stdout
    assert "863.3 J lost" in done.stdout
    assert "energy is accounted for" in done.stdout
    assert max(map(len, done.stdout.splitlines()[:-1])) <= 100


def test_angles_are_read_and_printed_in_degrees():
    short = ("--duration", "0.01")
    done = run("simulate", "two_link", "--q0", "30deg,-40deg", *short, "--degrees")
    assert "29.9" in done.stdout
    assert " °/s" in done.stdout
    assert not done.stderr
    done = run("simulate", "panda", "--q0", "0,30,0,-90,0,0,0", *short)
    assert "panda_joint4 is at -90 rad, 14 turns. If these are degrees: -90deg." in done.stderr


def test_simulate_says_the_same_to_machines():
    done = run("simulate", "two_link", "--json", "--duration", "1")
    facts = json.loads(done.stdout)
    np.testing.assert_allclose(facts["q"], [-2.31828417, -0.76123343], rtol=0, atol=1e-7)
    assert facts["good"]
    assert facts["audit"]["number"] < 1e-9
    assert facts["how"]["method"] == "DOP853"


def test_simulate_stops_after_the_steps_it_is_given():
    done = run("simulate", "two_link", "--max-steps", "10", "--json", "--quiet")
    assert done.returncode == 1
    assert "10 steps" in json.loads(done.stdout)["status"]


def test_stops_of_a_robot_are_shown_kept_and_named():
    assert "upper stop 0" in run("show", "mass_spring_damper").stdout
    words = ("simulate", "mass_spring_damper", "--duration", "2")
    for start in ((), ("--q0", "0,0")):
        done = run(*words, *start)
        assert "x1       0.1906 m" in done.stdout
        assert done.stdout.splitlines()[-2] == "stops that acted: x0 (upper)"
    facts = json.loads(run(*words, "--json").stdout)
    assert facts["stops"] == {"x0": ["upper"]}
    assert facts["events"][0]["name"] == "rests on its upper stop"
    free = run(*words, "--no-stops")
    assert "x1      19.6200 m" in free.stdout
    assert "x0 passes its stop" in free.stdout
    both = run(*words, "--no-stops", "--stops", "0.5")
    assert both.returncode == 2
    assert "not both" in both.stderr


def test_symbols_of_a_textbook_robot_with_numbers_can_be_set():
    done = run("show", "two_link", "--set", "a1=2", "--set", "m2=1/2", "--json")
    values = json.loads(done.stdout)["values"]
    assert (values["a1"], values["m2"], values["m1"]) == (2, 0.5, 50)
    wrong = run("show", "two_link", "--set", "a3=2")
    assert wrong.returncode == 2
    assert "Did you mean 'a1'" in wrong.stderr or "Did you mean 'a2'" in wrong.stderr
    law = ("control", "two_link", "--law", "approximate_jacobian", "--duration", "0.02", "--json")
    other = run(*law, "--model-set", "a1=1.2", "--model-set", "a2=0.8")
    assert other.returncode == 0, other.stderr
    assert json.loads(other.stdout)["q"] != json.loads(run(*law).stdout)["q"]


def test_simulate_writes_a_table_a_figure_and_a_film(tmp_path):
    names = ["fall.csv", "fall.svg", "fall.html"]
    table, figure, film = (tmp_path / name for name in names)
    done = run(
        *("simulate", "two_link", "--duration", "0.5", "-o", table),
        *("--plot", figure, "--animate", film),
    )
    assert done.returncode == 0, done.stderr
    loaded = qddot.Trajectory.load(table)
    assert loaded.t[-1] == 0.5
    assert figure.read_text().startswith("<?xml")
    assert "<canvas" in film.read_text()
    assert all(name in done.stdout for name in names)


def test_settings_change_the_robot():
    still = run("simulate", "two_link", "--set", "gravity=0,0,0", "--duration", "1", "--json")
    assert json.loads(still.stdout)["q"] == [0, 0]
    symbolic = run(
        *("simulate", "pendulum_symbolic", "--duration", "1", "--q0", "pi/2", "--json"),
        *(f"--set={key}" for key in ("m=1", "L=0.5", "I=0.3", "d=0.1", "g=9.81")),
    )
    numeric = run("simulate", "pendulum", "--duration", "1", "--q0", "90deg", "--json")
    np.testing.assert_allclose(json.loads(symbolic.stdout)["q"], json.loads(numeric.stdout)["q"])
    loaded = run("simulate", "two_link", "--set", "payload.tool=5", "--duration", "1", "--json")
    assert json.loads(loaded.stdout)["q"] != json.loads(still.stdout)["q"]


def test_a_run_that_is_not_good_has_status_1_and_is_told():
    done = run("simulate", "two_link", "--method", "rk4", "--step", "0.05")
    assert done.returncode == 1
    assert "NOT GOOD" in done.stdout
    assert "Take a shorter step" in done.stdout


def test_ctrl_c_keeps_what_was_computed(tmp_path):
    table = tmp_path / "part.npz"
    with interrupted_at(3.0):
        done = run("simulate", "two_link", "--duration", "1e5", "-o", table, "--every", "0.1")
    assert done.returncode == 130
    assert "interrupted at t =" in done.stdout
    assert done.stderr == "qddot: interrupted\n"
    part = qddot.Trajectory.load(table)
    assert len(part) > 10
    assert part.t[-1] < 1e5


def test_one_option_makes_a_run_for_each_value_and_one_figure(tmp_path):
    """The lecture's D = 0, 30, 80, with its reference at t = 1 s."""
    figure = tmp_path / "falls.svg"
    words = ("--vary", "friction.viscous=0,30,80", "--duration", "1", "--plot", figure)
    done = run("simulate", "two_link", *words, "--json", "--quiet")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)["runs"]
    assert list(found) == [f"friction.viscous = {D}" for D in (0, 30, 80)]
    wanted = [[-2.31828417, -0.76123343], [-2.29544577, -0.27096994], [-2.12604816, -0.19268874]]
    np.testing.assert_allclose([each["q"] for each in found.values()], wanted, rtol=0, atol=1e-8)
    assert figure.read_text().count("friction.viscous = ") == 3
    lines = run("simulate", "two_link", *words[:4]).stdout.splitlines()
    assert [line for line in lines if line.startswith("friction.viscous")] == list(found)


def test_vectors_and_symbols_vary_too():
    words = ("--vary", "gravity=0,-9.81,0;0,0,0", "--duration", "0.1", "--json", "--quiet")
    falls, floats = json.loads(run("simulate", "two_link", *words).stdout)["runs"].values()
    assert falls["q"][0] < 0
    assert floats["q"] == [0, 0]
    given = [x for each in ("L=1", "I=5", "d=1", "g=9.81") for x in ("--set", each)]
    words = ("--vary", "m=1,2", "--q0", "1", "--duration", "0.1", "--json", "--quiet")
    done = run("simulate", "pendulum_symbolic", *given, *words)
    one, two = json.loads(done.stdout)["runs"].values()
    assert two["qd"][0] < one["qd"][0] < 0


def test_wrenches_act_in_the_axes_and_on_what_is_said():
    """A weight that hangs at the tool is one in world axes; F_tip has the other sign."""
    q0, f = [0.3, 0.4], [0, 0, 0, 5, -20, 0]
    base = ("simulate", "two_link", "--q0", "0.3,0.4", "--duration", "0.2", "--json", "--quiet")

    def end(*more):
        done = run(*base, *more)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)["q"]

    robot = qddot.load("two_link")
    for axes in ("world", "local", "base"):
        wanted = qddot.simulate(robot, q0, wrenches={"tool": f}, axes=axes, duration=0.2).q[-1]
        found = end("--wrench", "tool=0,0,0,5,-20,0", "--wrench-axes", axes)
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12)
    other = end("--wrench", "tool=0,0,0,-5,40/2,0", "--wrenches-on", "environment")
    np.testing.assert_allclose(other, end("--wrench", "tool=0,0,0,5,-20,0"), rtol=0, atol=1e-12)
    assert end() != other


def test_control_takes_wrenches():
    base = ("control", "two_link", "--law", "pd_gravity", "--reference", "setpoint 0.3,0.4")
    base += ("--q0", "0.3,0.4", "--duration", "0.2", "--json", "--quiet")
    pushed = run(*base, "--wrench", "tool=0,0,0,0,-50,0")
    assert pushed.returncode == 0, pushed.stderr
    assert "a wrench at tool" in pushed.stdout
    assert json.loads(pushed.stdout)["q"] != json.loads(run(*base).stdout)["q"]
