"""A robot that is written as MJCF moves as the same robot, read back and in MuJoCo itself."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from long import examples
from nearness import error
from strategies import models

import qddot
from qddot.errors import NotNumeric, QddotError
from qddot.model import (
    Coupling,
    Friction,
    Inertial,
    Joint,
    Limits,
    Link,
    Motor,
    Placement,
    Spring,
    build,
)
from qddot.model.geometry import BoxShape, CapsuleShape, Geometry, MeshShape
from qddot.readers import read
from qddot.robot import Robot
from qddot.writers.mjcf import lost_in_mjcf, notes_on_mjcf, to_mjcf
from qddot.writers.simpler import with_names

mujoco = pytest.importorskip("mujoco", reason="MuJoCo is not installed: pip install mujoco")

pytestmark = pytest.mark.filterwarnings("ignore")
CLOSE = 1e-11
ARMS = ("panda", "puma560", "scara", "two_link", "pendulum", "mass_spring_damper", "panda_hand")


def again(model, tmp_path):
    path = tmp_path / "robot.xml"
    path.write_text(to_mjcf(model), encoding="utf-8")
    return read(path), mujoco.MjModel.from_xml_path(str(path))


def states(n, count=3):
    return np.random.default_rng(n).uniform(-1, 1, (count, n))


def kept(model):
    """The robot without what MJCF has no words for."""

    def plain(joint):
        rub = joint.friction
        return replace(joint, friction=Friction(viscous=rub.viscous, coulomb=rub.coulomb))

    return Robot(model.with_joints(plain))


@pytest.mark.parametrize("name", ARMS)
def test_a_robot_of_the_library_is_the_same_robot(name, tmp_path):
    robot = kept(qddot.load(name).model)
    model, _ = again(robot.model, tmp_path)
    other = Robot(model)
    q, qd, qdd = states(robot.n)
    assert error(other.inverse_dynamics(q, qd, qdd), robot.inverse_dynamics(q, qd, qdd)) < CLOSE
    for frame in robot.frame_names:
        assert error(other.pose(q, frame), robot.pose(q, frame)) < CLOSE
    assert other.joint_names == robot.joint_names
    np.testing.assert_array_equal(other.home, robot.home)
    np.testing.assert_array_equal(other.limits.effort, robot.limits.effort)
    np.testing.assert_array_equal(other.limits.lower, robot.limits.lower)


@examples(20)
@given(model=models(mimic=True))
def test_any_robot_is_the_same_robot(model, tmp_path_factory):
    there, _ = again(model, tmp_path_factory.mktemp("robot"))
    here, there = Robot(model), Robot(there)
    q, qd, qdd = states(here.n)
    assert error(there.inverse_dynamics(q, qd, qdd), here.inverse_dynamics(q, qd, qdd)) < CLOSE


def test_mujoco_computes_the_same_torques_with_all_that_acts(tmp_path):
    arm = qddot.load("two_link").without("friction").with_payload("tool", 1.5, com=(0.1, 0.2, 0.3))
    model = arm.model.with_joints(
        lambda joint: replace(
            joint,
            friction=Friction(viscous=0.7),
            motor=Motor(0.01, 20),
            spring=Spring(5.0, 0.3),
        )
    )
    coupling = Coupling(arm.joint_names, 30.0, 2.0, 0.4, (1.0, -2.0), motor=Motor(0.5))
    model = replace(model, gravity=(1, 2, -9), couplings=(coupling,))
    read_back, m = again(model, tmp_path)
    d = mujoco.MjData(m)
    d.qpos, d.qvel, d.qacc = q, qd, qdd = states(2)
    mujoco.mj_inverse(m, d)
    right = Robot(model).inverse_dynamics(q, qd, qdd)
    assert error(d.qfrc_inverse, right) < CLOSE
    assert error(Robot(read_back).inverse_dynamics(q, qd, qdd), right) < CLOSE
    assert m.nu == 2
    assert lost_in_mjcf(model) == []


def test_shapes_are_those_of_the_file(tmp_path):
    shapes = (
        Geometry(BoxShape((0.1, 0.2, 0.3)), Placement((1, 2, 3), (0.1, 0.2, 0.3)), (1, 0, 0, 1)),
        Geometry(CapsuleShape(0.1, 0.4)),
        Geometry(MeshShape("package://arm/link.dae")),
    )
    model = qddot.load("pendulum").model
    tip = model.links[-1].name
    links = [replace(x, visuals=shapes) if x.name == tip else x for x in model.links]
    shaped = replace(model, links=tuple(links))
    found, _ = again(shaped, tmp_path)
    box, capsule = found.link(tip).visuals
    assert box.shape == shapes[0].shape
    np.testing.assert_allclose(box.place.rpy, (0.1, 0.2, 0.3), rtol=1e-12)
    assert box.place.xyz == (1, 2, 3)
    assert box.colour == (1, 0, 0, 1)
    assert capsule.shape == shapes[1].shape
    assert any("link.dae" in note for note in notes_on_mjcf(shaped))


def test_what_cannot_be_said_is_said(tmp_path):
    robot = qddot.load("puma560")
    with pytest.warns(match="friction offset"):
        robot.save(tmp_path / "puma.xml")
    text = (tmp_path / "puma.xml").read_text(encoding="utf-8")
    assert "friction offset" in text.partition("-->")[0]
    with pytest.raises(NotNumeric):
        to_mjcf(qddot.from_dh([{"type": "revolute", "mass": "m"}], "standard").model)


def test_names_are_text(tmp_path):
    robot = qddot.from_dh([{"type": "revolute", "mass": 1, "name": 'a"/><evil x="'}], "standard")
    model, _ = again(robot.model, tmp_path)
    assert model.joint_names == robot.model.joint_names


@pytest.mark.parametrize("name", ["50%", "NaN"])
def test_names_that_mujoco_stumbles_over_are_refused(name, tmp_path):
    robot = qddot.from_dh([{"type": "revolute", "mass": 1, "name": name}], "standard")
    with pytest.raises(QddotError, match=f"the name '{name}'"):
        robot.save(tmp_path / "robot.xml")
    assert not list(tmp_path.iterdir())


def coupled_on(parent):
    """Two joints that share a rotor, the second on a link that is given."""
    body = Inertial(1.0, (0.1, 0.2, 0.3), (1, 0, 0, 1, 0, 1))
    links = [Link("world"), Link("upper", body), Link("lower", body)]
    joints = [
        Joint("a", "revolute", "world", "upper", axis=(0, 0, 1), limits=Limits(0.5, 0.5)),
        Joint("b", "revolute", parent, "lower", axis=(0, 1, 0), limits=Limits(effort=0)),
    ]
    coupling = Coupling(("a", "b"), ratios=(1.0, -2.0), motor=Motor(0.5))
    return replace(build("two", links, joints), couplings=(coupling,))


@pytest.mark.parametrize("parent", ["upper", "world"])
def test_what_mujoco_would_take_for_something_else_is_said(parent, tmp_path):
    model = coupled_on(parent)
    _, m = again(model, tmp_path)
    M = np.zeros((2, 2))
    d = mujoco.MjData(m)
    mujoco.mj_forward(m, d)
    for k, qdd in enumerate(np.eye(2)):
        mujoco.mj_mulM(m, d, M[k], qdd)
    same = error(M, Robot(model).mass_matrix(np.zeros(2))) < CLOSE
    notes = lost_in_mjcf(model)
    assert same != any("branch" in note for note in notes)
    assert not m.jnt_limited.any()
    assert not m.jnt_actfrclimited.any()
    assert sum("takes for none" in note for note in notes) == 2


def test_a_file_that_was_read_is_written_again(tmp_path):
    robot = qddot.load("two_link")
    once, _ = again(kept(robot.model).model, tmp_path)
    twice, m = again(once, tmp_path)
    assert [link.name for link in twice.links] == [link.name for link in once.links]
    assert m.nbody == len(twice.links)


def test_only_a_base_without_mass_is_the_world(tmp_path):
    model = qddot.load("two_link").model
    tip, base = model.links[-1].name, model.links[0]
    weighs = replace(base, inertial=Inertial(1.0, (0, 0, 0), (1, 0, 0, 1, 0, 1)))
    heavy = replace(model, links=(weighs, *model.links[1:]))
    for some, link in ((model, tip), (heavy, base.name)):
        found, _ = again(with_names(some, {link: "world"}), tmp_path)
        assert "world_link" in [x.name for x in found.links]
