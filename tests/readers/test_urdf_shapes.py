"""What links look like: shapes of URDF files, their colours, and where their meshes may be."""

import re

import numpy as np
import pytest
from refused import refusals

from qddot.errors import BadArgument
from qddot.model import Link, Placement, build
from qddot.model.folding import fold, geometry_on_bodies
from qddot.model.geometry import (
    BoxShape,
    CapsuleShape,
    CylinderShape,
    EllipsoidShape,
    Geometry,
    MeshShape,
    SphereShape,
)
from qddot.readers.places import Places, places
from qddot.readers.read import read
from qddot.readers.urdf import read_urdf_text

ROWS = refusals("urdf")


def shown(inner, more="", places=None):
    """Return the model of one link with something in it."""
    text = f'<robot name="r">{more}<link name="a">{inner}</link></robot>'
    return read_urdf_text(text, "r", places)


def visual(shape, more=""):
    return f"<visual>{more}<geometry>{shape}</geometry></visual>"


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ('<box size="1 2 3"/>', BoxShape((1, 2, 3))),
        ('<cylinder radius="0.1" length="2"/>', CylinderShape(0.1, 2)),
        ('<sphere radius="0.5"/>', SphereShape(0.5)),
        ('<capsule radius="0.1" length="1"/>', CapsuleShape(0.1, 1)),
        ('<ellipsoid radii="1 2 3"/>', EllipsoidShape((1, 2, 3))),
        ('<mesh filename="a.stl" scale="1 1 -0.1"/>', MeshShape("a.stl", (1, 1, -0.1))),
    ],
)
def test_every_shape_is_read_with_its_place(text, shape):
    inside = visual(text, '<origin xyz="1 2 3" rpy="0 0 1.5"/>')
    (link,) = shown(inside + inside.replace("visual", "collision")).links
    assert link.visuals == (Geometry(shape, Placement((1, 2, 3), (0, 0, 1.5))),)
    assert link.collisions == link.visuals


def test_a_colour_is_its_own_or_that_of_its_name():
    named = '<material name="red"><color rgba="1 0 0 1"/></material>'
    other = '<material name="blue"><color rgba="0 0 2 0.5"/></material>'
    box = '<box size="1 1 1"/>'
    inner = visual(box, '<material name="red"/>') + visual(box, other)
    inner += visual(box, '<material name="blue"/>') + visual(box, '<material name="none"/>')
    inner += visual(box, '<material name="m"><texture filename="/etc/passwd"/></material>')
    (link,) = shown(inner, named).links
    colours = [each.colour for each in link.visuals]
    assert colours == [(1, 0, 0, 1), (0, 0, 1, 0.5), (0, 0, 1, 0.5), None, None]


@pytest.mark.parametrize(("inner", "words"), ROWS["looks"].items())
def test_a_wrong_shape_is_left_out_with_a_warning(inner, words):
    model = shown(inner)
    assert model.links[0].visuals == ()
    (warning,) = model.warnings
    assert warning.severity == "warning"
    assert re.search(words, str(warning))


def test_shapes_behind_fixed_joints_are_on_the_body_that_carries_them():
    text = """<robot name="r"><link name="base"/><link name="arm"/><link name="hand">
      <visual><origin xyz="0 0 1"/><geometry><sphere radius="1"/></geometry></visual>
      <inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>
      </inertial></link>
      <joint name="j" type="continuous"><parent link="base"/><child link="arm"/></joint>
      <joint name="f" type="fixed"><parent link="arm"/><child link="hand"/>
      <origin xyz="1 0 0" rpy="1.5707963267948966 0 0"/></joint></robot>"""
    model = read_urdf_text(text, "r")
    ((body, X, geometry),) = geometry_on_bodies(model, fold(model))
    assert (body, geometry.shape) == (0, SphereShape(1))
    np.testing.assert_allclose(X.p, [1, -1, 0], rtol=0, atol=1e-15)


def test_a_shape_that_cannot_be_is_an_error_in_python():
    wrong = Geometry(BoxShape((1, 1)))  # type: ignore[arg-type]
    with pytest.raises(Exception, match=r"visual 1: its size is .* give three numbers"):
        build("r", [Link("a", visuals=(wrong,))], [])


# where meshes may be


@pytest.fixture
def ros(tmp_path, monkeypatch):
    """A ROS package with a mesh, a robot file in it, a secret beside it, and no environment."""
    for variable in ("AMENT_PREFIX_PATH", "ROS_PACKAGE_PATH"):
        monkeypatch.delenv(variable, raising=False)
    for name in ("work/arm/urdf", "work/arm/meshes", "elsewhere"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "work/arm/package.xml").write_text("<package><name>the_arm</name></package>")
    for name in ("work/arm/meshes/a.stl", "work/arm/urdf/b.stl", "elsewhere/secret.stl"):
        (tmp_path / name).write_text("solid")
    (tmp_path / "work/arm/urdf/link.stl").symlink_to(tmp_path / "elsewhere/secret.stl")
    return tmp_path


@pytest.mark.parametrize(
    ("file", "found"),
    [
        ("b.stl", "work/arm/urdf/b.stl"),
        ("../meshes/a.stl", "work/arm/meshes/a.stl"),
        ("package://arm/meshes/a.stl", "work/arm/meshes/a.stl"),
        ("package://the_arm/meshes/a.stl", "work/arm/meshes/a.stl"),
        ("package:///arm/meshes/a.stl", "work/arm/meshes/a.stl"),
        ("file://{}/work/arm/meshes/a.stl", "work/arm/meshes/a.stl"),
        ("{}/work/arm/meshes/a.stl", "work/arm/meshes/a.stl"),
    ],
)
def test_a_mesh_is_found_in_the_folder_and_the_package_of_its_robot(ros, file, found):
    path, why = Places(ros / "work/arm/urdf").find(file.format(ros))
    assert (path, why) == (ros / found, "")


LONG = dict.fromkeys(("a" * 500 + ".stl", "x" * 5000), "no name of a file")


@pytest.mark.parametrize(("file", "words"), (ROWS["elsewhere"] | LONG).items())
def test_a_mesh_elsewhere_is_not_found_and_it_is_said_why(ros, file, words):
    path, why = Places(ros / "work/arm/urdf").find(file.format(ros))
    assert path is None
    assert words in why


def test_a_robot_without_a_file_has_no_meshes():
    path, why = Places().find("a.stl")
    assert path is None
    assert "the robot came without" in why
    assert Places().find("/etc/passwd")[0] is None


@pytest.mark.parametrize("variable", ["AMENT_PREFIX_PATH", "ROS_PACKAGE_PATH"])
def test_the_environment_of_ros_names_places(ros, monkeypatch, variable):
    (ros / "opt/share/arm").mkdir(parents=True)
    (ros / "opt/share/arm/a.stl").write_text("solid")
    here = ros / "opt" if variable == "AMENT_PREFIX_PATH" else ros / "opt/share"
    monkeypatch.setenv(variable, f":{here}:relative:")
    assert Places(ros).find("package://arm/a.stl")[0] == ros / "opt/share/arm/a.stl"
    assert Places(ros).find("package://arm/../../../elsewhere/secret.stl")[0] is None


def test_package_paths_name_places(ros):
    robot = ros / "elsewhere/r.urdf"
    robot.write_text(
        f'<robot name="r"><link name="a">{visual(ARM_MESH)}</link></robot>', encoding="utf-8"
    )
    assert read(robot).links[0].visuals[0].shape.path is None
    for named in (ros / "work", ros / "work/arm"):
        model = read(robot, package_paths=[named])
        assert model.links[0].visuals[0].shape.path == ros / "work/arm/meshes/a.stl"
        assert model == read(robot)  # where a mesh lies is no part of the robot
    with pytest.raises(BadArgument, match="no folder"):
        places(robot, [ros / "nowhere"])


ARM_MESH = '<mesh filename="package://arm/meshes/a.stl"/>'
