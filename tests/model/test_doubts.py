"""Names that look like coordinates, and gravity that asks no torque: what is said of them, once."""

import numpy as np
import pytest

import qddot
from qddot.model import symbol
from qddot.model.validation import gravity_notes

NOTE = "gravity is parallel to every axis: g = 0. For a vertical plane: gravity = "
ROW = {"a": 1.0, "mass": 2.0}


def arm(*names, **more):
    rows = [ROW | ({"name": name} if name else {}) for name in names]
    return qddot.from_dh(rows, "standard", **{"gravity": (0, -9.81, 0)} | more)


def named(*names):
    with pytest.warns(qddot.RobotWarning, match="its name is that of another joint's coordinate"):
        robot = arm(*names)
    return [str(problem) for problem in robot.warnings]


@pytest.mark.parametrize("name", ["q1", "q_1", "theta1", "Theta_1", "θ1"])
def test_a_joint_called_like_the_coordinate_of_another_is_warned_about(name):
    assert named("shoulder", name) == [
        f"joint {name!r}: its name is that of another joint's coordinate, and its own is q2. "
        "Rename it, or order the joints by their numbers."
    ]


def test_several_such_names_are_one_warning():
    (said,) = named("q2", "q1", "elbow", "theta4", "q3")
    assert "joint 'q2'" in said
    assert "its own is q1 (likewise 'q1', 'q3')." in said


@pytest.mark.parametrize(
    "names",
    [("q1", "q2"), ("theta1", "q_2"), ("q3", "a"), ("q0", "b"), ("q10", "Q2"), ("q1a", "j1")],
)
def test_other_names_are_not(names):
    assert arm(*names).warnings == ()


def test_a_symbol_called_like_a_coordinate_is_warned_about():
    """A file refuses it; Python can make one, and SymPy cannot tell the two apart."""
    with pytest.warns(qddot.RobotWarning, match="symbol 'q1': it is called like a position"):
        qddot.from_dh([ROW | {"a": symbol("q1")}], "standard", gravity=(0, -9.81, 0))


@pytest.mark.parametrize(
    ("gravity", "plane"),
    [
        ((0, 0, -9.81), '[0, "-g", 0] or [0, -9.81, 0].'),
        ((0, 0, "-g"), '[0, "-g", 0] or [0, -9.81, 0].'),
        ((0, 0, 3.7), '[0, "-g", 0] or [0, -9.81, 0].'),
    ],
)
def test_gravity_along_every_axis_is_noted(gravity, plane):
    robot = arm("a", "b", gravity=gravity)
    assert gravity_notes(robot.model) == [NOTE + plane]
    assert not any(qddot.derive(robot).g)
    assert robot.warnings == ()  # it may well be meant
    assert str(robot).count(NOTE) == 1


def test_the_plane_that_is_named_holds_no_axis(tmp_path):
    """An arm that turns about y, in a field along y, as MJCF has it; locking changes nothing."""
    body = '<body pos="1 0 0"><joint axis="0 1 0"/><geom size="0.1" pos="1 0 0"/>'
    path = tmp_path / "arm.xml"
    path.write_text(
        f'<mujoco><option gravity="0 -9.81 0"/><worldbody>{body}{body}</body></body></worldbody>'
        "</mujoco>"
    )
    robot = qddot.load(path)
    assert gravity_notes(robot.model) == [f'{NOTE}[0, 0, "-g"] or [0, 0, -9.81].']
    held = robot.locked({robot.joint_names[0]: 0.3})
    assert gravity_notes(held.model) == gravity_notes(robot.model)
    turned = qddot.from_dh([ROW | {"alpha": np.pi / 2}, ROW], "standard")
    assert gravity_notes(turned.model) == []


@pytest.mark.parametrize("gravity", [(0, -9.81, 0), (0, -0.001, -9.81), (0, 0, 0)])
def test_gravity_that_asks_for_a_torque_or_is_none_is_not_noted(gravity):
    assert gravity_notes(arm("a", "b", gravity=gravity).model) == []


@pytest.mark.parametrize(
    "name", ["scara", "rp", "ur5", "stanford", "mass_spring_damper", "pendulum"]
)
def test_no_note_of_a_robot_that_gravity_pulls_at(name):
    """Of a SCARA it pulls at the slide; weights on a rail have no axis."""
    assert gravity_notes(qddot.load(name).model) == []
