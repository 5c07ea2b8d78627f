"""`robot.actuated`: which joints have a motor, in files, in laws and in runs."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pytest
from made import ARM

import qddot
from qddot.control import PDGravity, balanced, closed_loop
from qddot.errors import BadArgument, BadRobot, SimulationWarning
from qddot.exporting.fmu_description import variables
from qddot.exporting.fmu_model import FmuModel

CART_POLE = """
name = "cart_pole"
[[joint]]
name = "cart"
type = "prismatic"
parent = "rail"
child = "wagon"
[[link]]
name = "wagon"
mass = 1
[[joint]]
name = "pole"
type = "continuous"
parent = "wagon"
child = "rod"
axis = [0, 1, 0]
actuated = false
[[link]]
name = "rod"
mass = 0.2
com = [0, 0, 0.5]
inertia = [0.01, 0, 0, 0.01, 0, 0.001]
"""
BODY = '<inertial mass="1" pos="0 0 0.2" diaginertia="1 1 1"/>'
CHAIN = f"""<mujoco><worldbody>
  <body name="a"><joint name="a" axis="0 1 0"/>{BODY}
    <body name="b"><joint name="b" axis="0 1 0"/>{BODY}
      <body name="c"><joint name="c" axis="0 1 0"/>{BODY}<site name="s"/></body>
    </body></body></worldbody>%s</mujoco>"""
FINGERS = """<tendon><fixed name="t">
  <joint joint="b" coef="1"/><joint joint="c" coef="1"/></fixed></tendon>"""
TIED = '<equality><joint joint1="c" joint2="b"/></equality>'
LOOP = '<equality><connect body1="a" body2="c" anchor="0 0 1"/></equality>'
DUE = "has no motor"


@pytest.fixture(scope="module")
def cart_pole(tmp_path_factory):
    path = tmp_path_factory.mktemp("cart") / "cart_pole.toml"
    path.write_text(CART_POLE)
    return qddot.load(path)


def test_a_file_says_which_joints_have_a_motor(cart_pole, tmp_path):
    assert cart_pole.actuated.tolist() == [True, False]
    assert "no motor" in str(cart_pole)
    assert [joint["actuated"] for joint in cart_pole.model.to_dict()["joints"]] == [True, False]
    for ending in ("toml", "json", "xml"):
        path = tmp_path / f"copy.{ending}"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            cart_pole.save(path)
        assert qddot.load(path).actuated.tolist() == [True, False]
    with pytest.warns(UserWarning, match="left out"):
        cart_pole.save(tmp_path / "copy.urdf")
    assert "'pole': that it has no motor" in (tmp_path / "copy.urdf").read_text()
    assert qddot.load("panda").actuated.all()


def test_no_motor_at_all_is_lost_in_mjcf(cart_pole, tmp_path):
    """A file without actuators says nothing about motors."""
    with pytest.warns(UserWarning, match="that it has no motor"):
        cart_pole.locked({"cart": 0.0}).save(tmp_path / "pole.xml")
    (tmp_path / "wrong.toml").write_text(CART_POLE.replace("false", '"no"'))
    with pytest.raises(BadRobot, match="actuated: it is text, not true or false"):
        qddot.load(tmp_path / "wrong.toml")


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ("", "abc"),
        ('<actuator><motor joint="a"/></actuator>', "a"),
        ('<actuator><position joint="c" kp="3"/></actuator>', "c"),
        (FINGERS + '<actuator><motor tendon="t"/></actuator>', "bc"),
        (FINGERS + '<actuator><motor joint="a"/></actuator>', "a"),
        (TIED + '<actuator><motor joint="c"/></actuator>', "b"),  # c follows b
        ('<actuator><general site="s" gear="0 0 1 0 0 0"/></actuator>', "abc"),
        (LOOP + '<actuator><motor joint="a"/></actuator>', "abc"),
    ],
)
def test_joints_of_mjcf_that_actuators_drive(more, expected, tmp_path):
    """Directly, through a fixed tendon, through an equality; all where joints do not tell."""
    pytest.importorskip("mujoco", reason="MuJoCo is not installed, so no MJCF can be read")
    (tmp_path / "arm.xml").write_text(CHAIN % more)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        robot = qddot.load(tmp_path / "arm.xml")
    driven = {name for name, on in zip(robot.joint_names, robot.actuated, strict=True) if on}
    assert driven == set(expected)


def test_robots_made_from_one_keep_it(cart_pole):
    heavy = cart_pole.with_payload("rod", 1.0)
    calm = cart_pole.with_friction(viscous=1.0)
    copies = heavy, calm, cart_pole.with_gravity((0, 0, 0)), pickle.loads(pickle.dumps(cart_pole))
    for robot in copies:
        assert robot.actuated.tolist() == [True, False]
    assert cart_pole.locked({"cart": 0.0}).actuated.tolist() == [False]
    assert cart_pole.locked({"pole": 0.0}).actuated.tolist() == [True]


@pytest.mark.parametrize(
    "make",
    [
        lambda robot: PDGravity(robot, 100, 20, [0, 0]),
        lambda robot: closed_loop(robot, "computed_torque"),
        lambda robot: closed_loop(robot, PDGravity(ARM, 100, 20, [0, 0])),
        lambda robot: PDGravity(ARM, 100, 20, [0, 0]).on(robot),
        lambda robot: balanced(robot, [0, 0], 1.0, rate=1.0, seconds=1.0),
    ],
)
def test_laws_that_need_a_motor_at_every_joint_are_refused(make, cart_pole):
    with pytest.raises(BadArgument, match=rf"'pole'.*{DUE}"):
        make(cart_pole)
    assert PDGravity(cart_pole.locked({"pole": 0.0}), 100, 20, [0]).robot.n == 1


def test_a_run_with_a_torque_where_no_motor_is_says_so(cart_pole):
    start = dict(duration=0.5)
    good = qddot.simulate(cart_pole, [0, 0.1], torque=[1.0, 0.0], **start)
    assert good.good
    assert not good.events
    for torque in ([0.0, 2.0], lambda t, q, qd: np.array([0, np.sin(4 * np.pi * t)])):
        with pytest.warns(SimulationWarning, match=f"pole is given a torque, and {DUE}"):
            run = qddot.simulate(cart_pole, [0, 0.1], torque=torque, every=0.25, **start)
        assert not run.good
        assert [event.joint for event in run.events] == ["pole"]


@pytest.mark.parametrize("every", [None, 0.2, 0.5])
@pytest.mark.parametrize(
    "how", [{}, {"method": "rk4", "step": 1e-3}, {"method": "midpoint", "step": 2e-3}]
)
def test_a_torque_where_no_motor_is_counts_between_rows_too(how, every, cart_pole):
    pulse = qddot.Samples([0, 0.31, 0.33], [[0, 0], [0, 1.0], [0, 0]], between="hold")
    for torque in (pulse, lambda t, q, qd: [0, 1.0 if 0.305 < t < 0.335 else 0.0]):
        with pytest.warns(SimulationWarning, match=f"pole is given a torque, and {DUE}"):
            run = qddot.simulate(
                cart_pole, [0, 0.1], duration=0.5, torque=torque, every=every, **how
            )
        assert [(event.joint, event.detail) for event in run.events] == [("pole", "up to 1 N·m")]
        assert run.events[0].t == pytest.approx(0.31, abs=0.02)


def test_a_rollout_with_a_torque_where_no_motor_is_says_so(cart_pole):
    both = qddot.record(lambda q: np.array([q[0], q[1]]), q=(2,))
    one = qddot.record(lambda q: np.array([q[1], 0 * q[1]]), q=(2,))
    for more, bad in (
        (dict(torque=[1.0, 0.0]), False),
        (dict(torque=[1.0, 1.0]), True),
        (dict(torques=np.ones((10, 2))), True),
        (dict(torque=both), True),
        (dict(torque=one), False),
    ):
        run = qddot.rollout(cart_pole, [0, 0.1], duration=0.1, step=0.01, **more)
        assert run.ok is not bad
        assert any(DUE in problem for problem in run.problems) is bad


def test_an_fmu_names_the_torques_that_have_no_motor(cart_pole):
    words = {row.name: row.words for row in variables(FmuModel(cart_pole))}
    assert DUE in words["pole.tau"]
    assert DUE not in words["cart.tau"]
