"""What pages ask about a robot and its state, and that the answers are the robot's own numbers."""

import json

import numpy as np
import pytest
from formula_reader import value_of_text
from long import long
from numpy.testing import assert_allclose
from studio_talk import in_base64, talking

import qddot
from qddot.model.friction import PARAMETERS
from qddot.studio.library import make_arm
from qddot.studio.messages import encoded
from qddot.studio.state import State, now
from qddot.writers.toml import to_toml

REORDERED = {"rtol": 1e-9, "atol": 1e-10}  # the same sums in another order
PRINTED = {"rel": 1e-4, "abs": 1e-4}  # formulas show six digits of every coefficient
# seven joints; symbols; one that slides; one joint; springs; a tree, with fingers that follow
ROBOTS = (
    *("panda", "two_link_symbolic", "scara", "mass_spring_damper"),
    *long("pendulum", "panda_hand"),
)


def numeric(name):
    return qddot.load(name.removesuffix("_symbolic"))


def somewhere(n):
    return np.random.default_rng(1).uniform(-1, 1, (3, n))


def test_the_welcome_tells_what_there_is(page):
    told = page.ask("welcome")
    assert told["version"] == qddot.__version__
    names = [robot["name"] for robot in told["robots"]]
    assert {"panda", "two_link", "two_link_symbolic"} <= set(names)
    assert all(robot["description"] for robot in told["robots"])
    assert told["robot"] is None
    words = {law["name"]: law["words"] for law in told["laws"]}
    assert words["pd"] == "PD control of the joints. It needs no model, and sags under gravity."
    assert {".urdf", ".xml", ".toml"} <= set(told["robot_suffixes"])
    assert ".csv" in told["log_suffixes"]


@pytest.mark.parametrize("name", ROBOTS)
def test_a_robot_is_told_as_its_model_has_it(page, name):
    robot = numeric(name)
    told = page.ask("robot", name=name)
    assert told["name"] == name
    assert told["symbolic"] == name.endswith("_symbolic")
    assert [joint["name"] for joint in told["joints"]] == list(robot.joint_names)
    assert [joint["turns"] for joint in told["joints"]] == [
        joint.turns for joint in robot.model.free_joints
    ]
    assert {joint["unit"] for joint in told["joints"]} <= {"rad", "m"}
    lows = [joint["low"] for joint in told["joints"]]
    assert lows == [
        None if x.limits.lower is None else float(x.limits.lower) for x in robot.model.free_joints
    ]
    assert told["frames"] == list(robot.frame_names)
    assert told["tip"] in told["frames"]
    assert_allclose(told["gravity"], [float(x) for x in robot.model.gravity])
    assert len(told["q"]) == told["n"] == robot.n
    assert told["payload"] == {"frame": told["tip"], "mass": 0}


@pytest.mark.parametrize("name", ROBOTS)
def test_the_numbers_of_a_state_are_those_of_the_kernels(page, name):
    """Also where gravity, payload and friction are other than the file's."""
    robot = numeric(name)
    told = page.ask("robot", name=name)
    frame = robot.frame_names[-1]
    changed = robot.with_gravity((1.0, -2.0, 3.0)).with_payload(frame, 2.5)
    changed = changed.with_friction(viscous=0.3, coulomb=np.linspace(0.1, 0.5, robot.n))
    changes = {
        "gravity": [1.0, -2.0, 3.0],
        "payload": {"frame": frame, "mass": 2.5},
        "friction": {"viscous": 0.3, "coulomb": np.linspace(0.1, 0.5, robot.n).tolist()},
    }
    q, qd, qdd = somewhere(robot.n)
    for arm, change in ((robot, {}), (changed, changes)):
        told = page.ask("set", **change)
        assert_allclose(told["mass"], float(arm.mass))
        now = page.ask("at", q=q.tolist(), qd=qd.tolist(), qdd=qdd.tolist(), frame=frame)
        for key, value in {
            "M": arm.mass_matrix(q),
            "C": arm.coriolis_matrix(q, qd),
            "c": arm.velocity_torque(q, qd),
            "g": arm.gravity_torque(q),
            "tau": arm.inverse_dynamics(q, qd, qdd),
            "friction": arm.friction_torque(qd),
            "kinetic": arm.kinetic_energy(q, qd),
            "potential": arm.potential_energy(q),
            "eigenvalues": np.linalg.eigvalsh(arm.mass_matrix(q)),
            "tip": arm.pose(q, frame)[:3, 3],
        }.items():
            assert_allclose(np.array(now[key], dtype=float), value, **REORDERED, err_msg=key)
        assert now["condition"] == pytest.approx(np.linalg.cond(arm.mass_matrix(q)), rel=1e-6)


def test_the_effective_mass_is_that_of_the_robot(page):
    robot = qddot.load("panda").with_payload("tool", 3.0)
    page.ask("robot", name="panda")
    page.ask("set", payload={"frame": "tool", "mass": 3.0})
    q = somewhere(7)[0]
    now = page.ask("at", q=q.tolist(), ellipsoid=True, torques=True)
    own = np.linalg.eigvalsh(robot.effective_mass(q, "tool", axes="linear"))
    assert_allclose(now["effective_mass"], own, rtol=1e-7)
    (ellipsoid,) = now["scene"]["ellipsoids"]
    assert_allclose(ellipsoid["at"], now["tip"], rtol=0, atol=1e-5)
    assert ellipsoid["label"].startswith(f"{own[0]:.3g} ")
    labels = [turn["label"] for turn in now["scene"]["turns"]]
    shown = f"{robot.gravity_torque(q)[1]:.3g} N·m"
    assert shown.replace("-", "−") in labels
    plain = page.ask("at", q=q.tolist())["scene"]
    assert "ellipsoids" not in plain
    assert "turns" not in plain


def test_directions_in_which_the_tip_cannot_move_have_no_mass(page):
    page.ask("robot", name="two_link")
    light, heavy, none = page.ask("at", q=[0.3, 0.5])["effective_mass"]
    assert 0 < light < heavy
    assert none is None


def test_every_number_of_friction_that_a_robot_has_can_be_set(page):
    told = page.ask("robot", name="two_link")
    assert list(told["friction"]) == ["viscous", "coulomb"]
    assert "'set friction' knows no 'offset'" in page.problem("set", friction={"offset": 1})
    rough = qddot.load("two_link").with_friction(
        viscous=1, static=2, stribeck_velocity=0.1, offset=[0, -1], asymmetry=0.5
    )
    told = page.ask("file", name="rough.toml", data=in_base64(to_toml(rough.model)))
    sliders = {each.pop("name"): each for each in told["friction_sliders"]}
    assert list(sliders) == list(told["friction"]) == [p.name for p in PARAMETERS]
    words = {"words": "friction offset", "unit": "N·m", "low": -2.0, "high": 2.0}
    assert sliders["offset"] == words
    assert sliders["viscous"]["low"] == 0
    assert 0 < sliders["stribeck_velocity"]["low"] < 0.1
    told = page.ask("set", friction={"offset": 0, "static": 3})
    assert told["friction"]["offset"] == [0, 0]
    assert [each["name"] for each in told["friction_sliders"]] == list(sliders)  # it stays there


def test_changes_add_up_and_a_payload_comes_off(page):
    page.ask("robot", name="two_link")
    page.ask("set", gravity=[0, -1.62, 0])
    page.ask("set", payload={"frame": "tool", "mass": 5})
    told = page.ask("set", friction={"viscous": [1, 2]})
    assert told["gravity"] == [0, -1.62, 0]
    assert told["payload"] == {"frame": "tool", "mass": 5}
    assert told["friction"]["viscous"] == [1, 2]
    heavy = page.ask("at", q=[0, 0])["g"]
    light = page.ask("set", payload={"frame": "tool", "mass": 0})
    assert light["payload"]["mass"] == 0
    assert light["friction"]["viscous"] == [1, 2]
    moon = qddot.load("two_link").with_gravity((0, -1.62, 0))
    assert_allclose(page.ask("at", q=[0, 0])["g"], moon.gravity_torque([0.0, 0.0]))
    assert_allclose(heavy, moon.with_payload("tool", 5).gravity_torque([0.0, 0.0]))
    again = page.ask("robot", name="two_link")
    assert again["payload"]["mass"] == 0
    assert again["friction"]["viscous"] == [0, 0]


def test_two_pages_have_a_robot_each(studio):
    with talking(studio) as one, talking(studio) as other:
        assert one.ask("robot", name="pendulum")["n"] == 1
        assert other.ask("robot", name="two_link")["n"] == 2
        one.ask("set", gravity=[0, 0, -100])
        assert other.ask("robot", name="pendulum")["gravity"] != [0, 0, -100]
        assert one.ask("at", q=[0.5])["is"] == "now"
        assert other.problem("at", q=[0.5, 0.5]).startswith("q of 'at' is a list of 2")


@pytest.mark.parametrize(
    ("name", "matrix", "row", "column", "text"),
    [
        ("two_link", "M", 0, 0, "95 + 50 c2"),
        ("two_link_symbolic", "M", 0, 1, "m2 (aC2² + a1 aC2 c2) + I2"),
        ("two_link_symbolic", "g", 1, None, "m2 g aC2 c12"),
        ("scara", "C", 3, 3, "0"),
    ],
)
def test_an_entry_is_shown_as_its_equation(page, name, matrix, row, column, text):
    page.ask("robot", name=name)
    found = page.ask("equation", matrix=matrix, row=row, column=column)
    assert found["text"] == text
    assert found["note"] == ""
    assert "whole" not in found


@pytest.mark.parametrize(("matrix", "row", "column"), [("M", 1, 2), ("g", 1, None), ("c", 5, None)])
def test_an_equation_has_the_value_that_the_kernel_gives(page, matrix, row, column):
    """With the gravity and the payload of now, and a long one written whole."""
    page.ask("robot", name="panda")
    page.ask("set", gravity=[0, 0, -3.7], payload={"frame": "tool", "mass": 1})
    q, qd, _ = somewhere(7)
    now = page.ask("at", q=q.tolist(), qd=qd.tolist())
    found = page.ask("equation", matrix=matrix, row=row, column=column)
    there = now[matrix][row] if column is None else now[matrix][row][column]
    assert found["value"] == there
    values = {f"c{i + 1}": np.cos(x) for i, x in enumerate(q)}
    values |= {f"s{i + 1}": np.sin(x) for i, x in enumerate(q)}
    values |= {f"q\N{COMBINING DOT ABOVE}{i + 1}": x for i, x in enumerate(qd)}
    if found["terms"] > 60:
        assert found["note"].startswith(
            f"The 12 largest of {found['terms']:,}".replace(",", "\xa0")
        )
        assert found["lines"][-1].endswith(r" + \cdots")
        assert r" + \cdots" in found["latex"]
        assert found["text"].endswith(" + …")
        assert len(found["latex"]) < 3000
    whole = found.get("whole", found["text"])
    assert value_of_text(whole, values) == pytest.approx(there, **PRINTED)


def test_what_cannot_be_asked_is_refused_with_words(page):
    assert page.problem("at", q=[0]).startswith("There is no robot yet. Choose one")
    words = page.problem("robot", name="pnda")
    assert "Did you mean 'panda'?" in words
    assert "no built-in robot" in page.problem("robot", name="/etc/passwd")
    assert "no built-in robot" in page.problem("robot", name="../secrets.toml")
    page.ask("robot", name="two_link")
    assert page.problem("at", q=[0, 0], frame="tol").endswith("It has: base, link1, link2, tool.")
    assert "q of 'at' is a list of 3; it must be 2 numbers." in page.problem("at", q=[0, 0, 0])
    assert "q of 'at' is missing; it must be 2 numbers." in page.problem("at")
    assert "qd of 'at' is 'x'" in page.problem("at", q=[0, 0], qd="x")
    assert "true or false" in page.problem("at", q=[0, 0], ellipsoid=1)
    assert "it must be 3 numbers" in page.problem("set", gravity=[0, 0])
    assert "'set' knows no 'gravty'. Did you mean 'gravity'?" in page.problem("set", gravty=[1])
    assert "a number from 0 to 1e+06" in page.problem("set", payload={"frame": "tool", "mass": -1})
    assert "no frame named 'x'" in page.problem("set", payload={"frame": "x", "mass": 1})
    assert "negative" in page.problem("set", friction={"viscous": -1})
    assert "a whole number from 0 to 1" in page.problem("equation", matrix="M", row=2, column=0)
    assert "one of M, C, c, g" in page.problem("equation", matrix="Q", row=0)
    assert "column of 'equation' is missing" in page.problem("equation", matrix="M", row=0)
    assert "one of drop, control, log" in page.problem("play", what="explode")
    assert "one of csv, toml, report" in page.problem("export", what="exe")
    assert page.ask("at", q=[0, 0])["is"] == "now"


def test_numbers_that_no_robot_has_are_refused_with_words(page):
    page.ask("robot", name="two_link")
    words = page.problem("set", gravity=[0, -1e300, 0])
    assert words == "gravity of 'set' holds -1e+300; it must be between -1e+06 and 1e+06."
    for do, fields in (
        ("at", {"q": [0, 1e308]}),
        ("at", {"q": [0, 0], "qd": [-1e10, 0]}),
        ("set", {"friction": {"viscous": 1e300}}),
        ("play", {"what": "drop", "q": [1e308, 0], "duration": 1}),
    ):
        assert "it must be between -1e+09 and 1e+09." in page.problem(do, **fields)
    assert page.ask("at", q=[1e9, 0])["is"] == "now"


def test_a_question_about_a_robot_that_was_replaced_is_stale_and_does_nothing(page):
    first = page.ask("robot", name="two_link")["arm"]
    assert page.ask("at", arm=first, q=[0, 0])["arm"] == first
    assert page.ask("set", arm=first, gravity=[0, -1, 0])["arm"] == first  # the same robot, changed
    second = page.ask("robot", name="pendulum")
    for do, fields in (
        ("at", {"q": [0, 0]}),
        ("set", {"payload": {"mass": 3}}),
        ("equation", {"matrix": "M", "row": 1, "column": 1}),
        ("play", {"what": "drop", "q": [0, 0], "duration": 1}),
        ("export", {"what": "toml"}),
    ):
        number = page.send(do, arm=first, **fields)
        assert page.answer_to(number) == {"id": number, "is": "stale"}
    now = page.ask("at", arm=second["arm"], q=[0.5])
    assert now["arm"] == second["arm"] != first
    assert page.ask("set", friction={"viscous": 0})["payload"]["mass"] == 0


def test_a_motion_that_ends_after_another_robot_came_is_not_that_robots(page):
    """It is answered with its own robot's number, and is not what is saved."""
    first = page.ask("robot", name="two_link")["arm"]
    playing = page.send("play", arm=first, what="drop", q=[0, 0], duration=20)
    opening = page.send("robot", name="pendulum")
    told = {}
    while len(told) < 2:
        message = page.receive()
        if message["is"] != "progress":
            told[message["id"]] = message
    assert told[playing]["arm"] == first != told[opening]["arm"]
    name = page.ask("export", what="csv")["name"]
    assert name == "pendulum_state.csv"


def test_a_state_whose_numbers_are_not_finite_is_told_as_such():
    """No page can ask for one; what computes it does not rely on that."""
    robot = qddot.load("two_link")
    arm = make_arm("two_link", robot, robot, lambda *_: None)
    told = now(arm, State(np.array([0, 1e308]), *np.zeros((2, 2))), arm.tip, True, True)
    answer = json.loads(encoded(told))
    assert None in answer["g"]
    assert "turns" not in answer["scene"]
    assert answer["warning"] == "Some numbers are not finite at this state, and are left out."
