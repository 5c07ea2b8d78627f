"""A robot that is written as SDF is the same robot to who reads it by the rules of SDFormat."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from long import examples
from nearness import error
from strategies import models

import qddot
from qddot.model import Frame, Friction, Inertial, Joint, Link, Mimic, Placement, Spring, build
from qddot.robot import Robot
from qddot.writers.sdf import notes_on_sdf, to_sdf

CLOSE = 1e-11


def place(element):
    six = [float(x) for x in (element.findtext("pose") or "0 0 0 0 0 0").split()]
    return Placement(tuple(six[:3]), tuple(six[3:]))


def value(element, path, default=0.0):
    text = element.findtext(path)
    return default if text is None else float(text)


def read_sdf(text, gravity):
    """Return the model that SDFormat's rules make of a file like ours; a link weighs 1 kg if it
    does not say."""
    root = ElementTree.fromstring(text).find("model")
    links, joints = [Link("world")], []
    for x in root.findall("link"):
        assert x.find("inertial/mass") is not None
        names = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
        six = tuple(value(x, f"inertial/inertia/{name}") for name in names)
        at = place(x.find("inertial"))
        links.append(Link(x.get("name"), Inertial(value(x, "inertial/mass"), at.xyz, six, at.rpy)))
    for x in root.findall("joint"):
        assert x.find("pose").get("relative_to").replace("__model__", "world") == x.findtext(
            "parent"
        )
        child = next(y for y in root.findall("link") if y.get("name") == x.findtext("child"))
        assert child.find("pose").get("relative_to") == x.get("name")
        mimic = x.find("axis/mimic")
        joints.append(
            Joint(
                x.get("name"),
                x.get("type"),
                x.findtext("parent"),
                x.findtext("child"),
                place(x),
                tuple(float(z) for z in (x.findtext("axis/xyz") or "0 0 1").split()),
                friction=Friction(
                    viscous=value(x, "axis/dynamics/damping"),
                    coulomb=value(x, "axis/dynamics/friction"),
                ),
                spring=Spring(
                    value(x, "axis/dynamics/spring_stiffness"),
                    value(x, "axis/dynamics/spring_reference"),
                ),
                mimic=None
                if mimic is None
                else Mimic(mimic.get("joint"), value(mimic, "multiplier"), value(mimic, "offset")),
                pitch=value(x, "screw_thread_pitch") / (2 * np.pi),
            )
        )
    return build("again", links, joints, gravity=gravity)


def assert_same(model, frames=()):
    here, there = Robot(model), Robot(read_sdf(to_sdf(model), model.gravity))
    q, qd, qdd = np.random.default_rng(0).uniform(-1, 1, (3, here.n))
    assert error(there.inverse_dynamics(q, qd, qdd), here.inverse_dynamics(q, qd, qdd)) < CLOSE
    for frame in frames:
        assert error(there.pose(q, frame), here.pose(q, frame)) < CLOSE


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["panda", "scara", "two_link", "panda_hand", "stanford"])
def test_a_robot_of_the_library_is_the_same_robot(name):
    model = qddot.load(name).model
    model = model.with_joints(
        lambda x: replace(x, friction=Friction(viscous=2.0), spring=Spring(3.0, 0.1))
    )
    model = model.with_joints(lambda x: replace(x, motor=type(x.motor)()))
    assert_same(model, [link.name for link in model.links])


@pytest.mark.filterwarnings("ignore")
@examples(20)
@given(model=models(mimic=True, kinds=("revolute", "prismatic", "continuous", "fixed", "screw")))
def test_any_robot_is_the_same_robot(model):
    assert_same(model)


def test_a_joint_that_is_called_as_a_link_gets_another_name():
    links = [Link("base"), Link("arm", Inertial(1, (0.1, 0, 0), (1, 0, 0, 1, 0, 1)))]
    model = build("r", links, [Joint("arm", "revolute", "base", "arm", axis=(0, 0, 1))])
    assert any("'arm_joint'" in note for note in notes_on_sdf(model))
    assert_same(model)


def test_names_that_sdf_keeps_for_itself_become_others():
    links = [Link("world"), Link("__arm__", Inertial(1, (0.1, 0, 0), (1, 0, 0, 1, 0, 1)))]
    joint = Joint("left::1", "revolute", "world", "__arm__", axis=(0, 0, 1))
    bare = build("r", links, [joint])
    for model in (bare, replace(bare, frames=(Frame("camera", "world"),))):
        root = ElementTree.fromstring(to_sdf(model))
        names = [x.get("name") for x in root.iter() if x.tag in ("link", "joint", "frame")]
        assert len({*names}) == len(names)
        assert not any(x == "world" or "::" in x or x.startswith("__") for x in names)
        # a frame is at a link of the model, and the world is none
        assert all(x.get("attached_to") in names for x in root.iter("frame"))
        assert_same(model)
    assert sum("is called" in note for note in notes_on_sdf(bare)) == 2


def test_names_are_text():
    robot = qddot.from_dh([{"type": "revolute", "mass": 1, "name": "a<b>&\"'"}], "standard")
    root = ElementTree.fromstring(to_sdf(robot.model))
    assert robot.joint_names[0] in [x.get("name") for x in root.iter("joint")]


def test_drake_computes_the_same_torques():
    plant = pytest.importorskip("pydrake.multibody.plant", reason="Drake is not installed")
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.tree import MultibodyForces

    robot = qddot.load("panda").without("friction")
    there = plant.MultibodyPlant(0.0)
    Parser(there).AddModelsFromString(to_sdf(robot.model), "sdf")
    there.Finalize()
    context, forces = there.CreateDefaultContext(), MultibodyForces(there)
    q, qd, qdd = np.random.default_rng(0).uniform(-1, 1, (3, 7))
    there.SetPositions(context, q)
    there.SetVelocities(context, qd)
    there.CalcForceElementsContribution(context, forces)
    found = there.CalcInverseDynamics(context, qdd, forces)
    assert error(found, robot.inverse_dynamics(q, qd, qdd)) < CLOSE


def sdformat():
    """Return the flags for Gazebo's library of SDF; none where it is not installed."""
    if not (shutil.which("g++") and shutil.which("pkg-config")):
        return []
    command = ["pkg-config", "--list-package-names"]
    listed = subprocess.run(command, capture_output=True, text=True).stdout.split()
    found = sorted(name for name in listed if name.removeprefix("gz-").startswith("sdformat"))
    if not found:
        return []
    command = ["pkg-config", "--cflags", "--libs", found[-1]]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
def test_gazebos_own_reader_finds_nothing_wrong(tmp_path):
    flags = sdformat()
    if not flags:
        pytest.skip("libsdformat is not installed: apt-get install libsdformat-dev")
    source, program = Path(__file__).with_name("sdf_reader.cpp"), tmp_path / "reader"
    subprocess.run(["g++", "-std=c++17", "-o", program, source, *flags], check=True)
    for name in ("panda", "panda_hand", "puma560", "scara", "stanford", "two_link_motors"):
        robot = qddot.load(name)
        robot.save(tmp_path / f"{name}.sdf")
        done = subprocess.run([program, tmp_path / f"{name}.sdf"], capture_output=True, text=True)
        lines = [line.split(" ") for line in done.stdout.splitlines()]
        assert not [line for line in lines if line[0] == "error"], done.stdout
        mass = sum(float(line[2]) for line in lines if line[0] == "link")
        assert mass == pytest.approx(sum(x.inertial.mass for x in robot.model.links), rel=1e-12)
        lower = {float(line[1]) for line in lines if line[0] == "joint"}
        ends = [x for x in robot.limits.lower if np.isfinite(x)]
        assert all(min(abs(x - y) for y in lower) < 1e-9 for x in ends)
