"""Shapes are written as they are read: TOML, JSON and URDF."""

import pickle
import re
import warnings
from dataclasses import replace

import numpy as np
import pytest
from documents import read_text
from refused import refusals

import qddot
from qddot.errors import BadRobot, RobotWarning
from qddot.model import Placement
from qddot.model.geometry import (
    BoxShape,
    CapsuleShape,
    CylinderShape,
    EllipsoidShape,
    Geometry,
    MeshShape,
    SphereShape,
)
from qddot.readers.read import read
from qddot.readers.toml import read_toml
from qddot.writers.urdf import lost_in_urdf, to_urdf

HERE = Placement((0.1, 0, -0.2), (0, 1.5, 0))
PLAIN = (
    Geometry(BoxShape((1.0, 2.0, 3.0)), HERE, (1.0, 0.5, 0.0, 1.0), 'a "box" & more'),
    Geometry(CylinderShape(0.1, 2.0)),
    Geometry(SphereShape(0.5), Placement(), (0.0, 0.0, 0.0, 0.25)),
    Geometry(MeshShape("meshes/a.stl", (0.001, 0.001, -0.001)), HERE),
    Geometry(MeshShape("package://arm/b.dae")),
)
ROUND = (Geometry(CapsuleShape(0.1, 0.5), HERE), Geometry(EllipsoidShape((1.0, 2.0, 3.0))))


def arm(visuals, collisions=()):
    """Return an arm of two links whose last one has shapes."""
    model = qddot.load("two_link").model
    last = replace(model.links[-1], visuals=visuals, collisions=collisions)
    return qddot.Robot(replace(model, links=(*model.links[:-1], last)))


@pytest.mark.parametrize("name", ["arm.toml", "arm.json", "arm.urdf"])
def test_shapes_survive_a_file(tmp_path, name):
    shapes = PLAIN if name == "arm.urdf" else PLAIN + ROUND
    colourless = tuple(replace(each, colour=None) for each in shapes)
    robot = arm(shapes, colourless)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RobotWarning)  # of what URDF has no words for
        robot.save(tmp_path / name)
        again = qddot.load(tmp_path / name).model.link("link2")
    assert again.visuals == shapes
    assert again.collisions == colourless


def test_shapes_survive_copies_and_a_payload():
    robot = arm(PLAIN, ROUND)
    loaded = robot.with_payload("tool", 1.0, com=[0, 0, 0.1])
    for other in (loaded, pickle.loads(pickle.dumps(robot)), robot.with_gravity([0, 0, 0])):
        assert other.model.links[-1].visuals == PLAIN
        assert other.model.links[-1].collisions == ROUND
    assert robot != arm(PLAIN)


def test_urdf_has_three_shapes_for_a_capsule_and_none_for_an_ellipsoid(tmp_path):
    model = arm(ROUND).model
    (tmp_path / "a.urdf").write_text(to_urdf(model))
    cylinder, *balls = read(tmp_path / "a.urdf").link("link2").visuals
    assert (cylinder.shape, cylinder.place) == (CylinderShape(0.1, 0.5), HERE)
    ends = HERE.pose().R @ np.array([[0, 0], [0, 0], [0.25, -0.25]])
    for ball, end in zip(balls, ends.T, strict=True):
        assert ball.shape == SphereShape(0.1)
        np.testing.assert_allclose(ball.place.xyz, HERE.xyz + end, rtol=0, atol=1e-15)
    assert [what for what in lost_in_urdf(model) if "ellipsoid" in what]


def test_meshes_that_are_left_behind_are_named(tmp_path):
    for folder in ("here", "there"):
        (tmp_path / folder / "meshes").mkdir(parents=True)
    (tmp_path / "here/meshes/a.stl").write_text("solid")
    arm(PLAIN).save(tmp_path / "here/arm.toml")
    robot = qddot.load(tmp_path / "here/arm.toml")
    assert robot.save(tmp_path / "here/again.toml") == []
    with pytest.warns(RobotWarning, match=r"left behind: meshes/a.stl; copy these meshes"):
        robot.save(tmp_path / "there/arm.toml")


# documents

TABLE = """
convention = "standard"
[[dh]]
a = "L"
mass = 1
visual = { kind = "capsule", radius = 0.05, length = "L", rpy = [0, "pi/2", 0] }
[[dh.collision]]
kind = "mesh"
file = "a.obj"
scale = 0.001
colour = [1, 0, 0]
"""


def test_a_row_has_shapes_too_and_they_may_have_symbols(tmp_path):
    (tmp_path / "arm.toml").write_text(TABLE)
    model = read_toml(tmp_path / "arm.toml")
    assert model.symbols == ("L",)
    link = model.with_values({"L": 0.5}).links[-1]
    assert link.visuals[0].shape == CapsuleShape(0.05, 0.5)
    assert link.collisions == (
        Geometry(MeshShape("a.obj", (0.001,) * 3), Placement(), (1.0, 0.0, 0.0, 1.0)),
    )


@pytest.mark.parametrize(("visual", "words"), refusals("document")["visual"].items())
def test_a_wrong_shape_is_named(visual, words):
    text = f'[[link]]\nname = "a"\nvisual = {visual}\n'
    with pytest.raises(BadRobot) as refused:
        read_text(text)
    assert re.search(words, str(refused.value))
