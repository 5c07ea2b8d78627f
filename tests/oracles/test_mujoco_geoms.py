"""Shapes of MJCF files are where MuJoCo has its geoms: defaults, orientations, meshes."""

import struct

import numpy as np
import pytest

import qddot
from qddot.model.folding import geometry_on_bodies
from qddot.model.geometry import CapsuleShape, CylinderShape, EllipsoidShape, MeshShape

mujoco = pytest.importorskip("mujoco", reason="MuJoCo is not installed, so its geoms are unknown")

POINTS = np.array([[0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 3.0]])
FACES = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
ROBOT = """<mujoco><compiler meshdir="assets" angle="degree" eulerseq="zyx"/>
<default>
 <default class="v"><geom group="2" contype="0" conaffinity="0" type="mesh" material="m"/></default>
 <default class="c"><geom group="3" type="capsule"/></default>
</default>
<asset><material name="m" rgba="1 0.5 0 1"/>
 <mesh name="plain" file="t.stl" scale="0.1 0.2 -0.3" refpos="1 2 3"/>
 <mesh name="turned" file="t.stl" scale="0.1 0.2 0.3" refpos="1 2 3" refquat="1 1 0 0"/>
 <mesh name="any" file="t.stl" scale="0.1 0.1 0.1" refpos="1 2 3" refquat="1 0.3 0.2 0.1"/>
</asset>
<worldbody><geom type="plane" size="1 1 1"/>
 <body pos="0 0 1" euler="10 20 30"><joint axis="0 0 1" pos="0.1 0 0" ref="20"/>
  <inertial pos="0 0 0" mass="1" diaginertia="0.1 0.11 0.12"/>
  <geom class="v" mesh="plain" pos="1 2 3" euler="30 40 50" name="first"/>
  <geom class="v" mesh="turned" axisangle="1 1 0 50"/>
  <geom class="v" mesh="any" xyaxes="0 1 0 -1 0 0"/>
  <geom class="c" fromto="0 0 0 0.1 0.2 0.2" size="0.1"/>
  <geom class="c" type="box" size="1 2 3" zaxis="1 1 1"/>
  <body pos="1 0 0" quat="1 0.2 0.3 0.4">
   <geom type="cylinder" size="0.1 0.5" rgba="0 1 0 1"/>
   <geom type="ellipsoid" size="1 2 3" group="1" pos="0 1 0"/>
   <geom type="sphere" size="1" rgba="0 0 0 0" contype="0" conaffinity="0"/>
   <geom mesh="any" class="v" pos="1 2 3" mass="MASS" euler="10 20 30"/>
  </body>
 </body>
</worldbody></mujoco>"""


@pytest.fixture(params=["0", "1"])
def arm(request, tmp_path):
    """A robot file; its last mesh weighs nothing, or is the mass of a body."""
    (tmp_path / "assets").mkdir()
    triangles = [struct.pack("<12fH", 0, 0, 0, *POINTS[each].ravel(), 0) for each in FACES]
    data = bytes(80) + struct.pack("<I", len(FACES)) + b"".join(triangles)
    (tmp_path / "assets/t.stl").write_bytes(data)
    (tmp_path / "arm.xml").write_text(ROBOT.replace("MASS", request.param))
    return tmp_path / "arm.xml"


def in_world(robot, q, kind):
    """Return the shapes of a robot and their poses in the world."""
    world = {-1: None}
    for i, (body, X) in enumerate(zip(robot.tree.bodies, robot.tree.poses(q), strict=True)):
        above = world[body.parent]
        world[i] = X if above is None else above @ X
    shapes = geometry_on_bodies(robot.model, robot.tree, kind)
    return [(each, X if world[body] is None else world[body] @ X) for body, X, each in shapes]


def test_every_shape_is_where_mujoco_has_its_geom(arm):
    robot, q = qddot.load(arm), np.array([0.7])
    model = mujoco.MjModel.from_xml_path(str(arm))
    data = mujoco.MjData(model)
    data.qpos[:] = q
    mujoco.mj_forward(model, data)
    shown, touching = (in_world(robot, q, kind) for kind in ("visuals", "collisions"))
    visuals = [i for i in range(model.ngeom) if model.geom_group[i] < 3 and model.geom_rgba[i, 3]]
    collisions = [i for i in range(model.ngeom) if model.geom_contype[i]]
    for shapes, ids in ((shown, visuals[1:]), (touching, collisions[1:])):  # after the plane
        for (geometry, X), i in zip(shapes, ids, strict=True):
            R, p = data.geom_xmat[i].reshape(3, 3), data.geom_xpos[i]
            if not isinstance(geometry.shape, MeshShape):
                np.testing.assert_allclose(
                    X.matrix()[:3], np.column_stack([R, p]), rtol=0, atol=1e-12
                )
                continue
            k = model.geom_dataid[i]
            first = model.mesh_vertadr[k]
            theirs = model.mesh_vert[first : first + model.mesh_vertnum[k]] @ R.T + p
            ours = (POINTS * geometry.shape.scale) @ X.R.T + X.p
            away = np.linalg.norm(ours[:, None] - theirs, axis=2).min(axis=1)
            assert away.max() < 1e-6  # MuJoCo keeps the points in single precision
            assert geometry.shape.path == arm.parent / "assets/t.stl"


def test_shapes_have_their_sizes_and_colours(arm):
    model = qddot.load(arm).model
    upper, lower = model.link("body1"), model.link("body2")
    assert [(each.colour, each.name) for each in upper.visuals][:1] == [((1, 0.5, 0, 1), "first")]
    assert upper.collisions[0].shape == CapsuleShape(0.1, pytest.approx(0.3))
    assert lower.visuals[0].shape == CylinderShape(0.1, 1.0)
    assert lower.visuals[0].colour == (0, 1, 0, 1)
    assert (lower.visuals[1].shape, lower.visuals[1].colour) == (EllipsoidShape((1, 2, 3)), None)
    assert lower.collisions == lower.visuals[:2]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("t.stl", "gone.stl", "does not exist"),
        ("t.stl", "../../t.stl", "is outside of the robot's folder"),
        ('meshdir="assets"', 'meshdir="/etc"', "is outside of the robot's folder"),
        ("0.1 0.1 0.1", "0.1 0.2 0.1", "is scaled along axes that its refquat turns"),
    ],
)
def test_a_mesh_that_cannot_be_shown_says_why(arm, old, new, words):
    arm.write_text(arm.read_text().replace(old, new).replace('mass="1" euler', 'mass="0" euler'))
    shapes = [each.shape for each in qddot.load(arm).model.link("body2").visuals]
    assert shapes[-1].path is None
    assert words in shapes[-1].why_missing
