"""Shapes of URDF files are where Pinocchio has them, and their meshes have the points of Coal's."""

import sysconfig
import warnings
from pathlib import Path

import numpy as np
import pytest

import qddot
from qddot.model.folding import geometry_on_bodies
from qddot.model.geometry import BoxShape, CylinderShape, MeshShape, SphereShape
from qddot.readers.meshes import read_mesh

pin = pytest.importorskip("pinocchio", reason="Pinocchio is not installed (pip install pin)")
coal = pytest.importorskip("coal", reason="Coal is not installed, which comes with Pinocchio")

SHARE = Path(sysconfig.get_paths()["purelib"]) / "cmeel.prefix" / "share"
ROBOTS = ("ur_description/urdf/ur5_robot", "panda_description/urdf/panda", "z1_description/urdf/z1")


@pytest.mark.parametrize(
    "name", [ROBOTS[0], *(pytest.param(name, marks=pytest.mark.long) for name in ROBOTS[1:])]
)
@pytest.mark.parametrize("kind", ["visuals", "collisions"])
def test_every_shape_is_where_pinocchio_has_it(name, kind):
    path = SHARE / "example-robot-data" / "robots" / f"{name}.urdf"
    if not path.exists():
        pytest.skip("example-robot-data is not installed (pip install example-robot-data)")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        robot = qddot.load(path)
    model = pin.buildModelFromUrdf(str(path))
    which = pin.GeometryType.VISUAL if kind == "visuals" else pin.GeometryType.COLLISION
    shapes = pin.buildGeomFromUrdf(model, str(path), which, package_dirs=[str(SHARE)])
    theirs = {}
    for each in shapes.geometryObjects:
        joint = model.names[each.parentJoint] if each.parentJoint else ""
        theirs.setdefault(joint, []).append(each)
    bodies = [body.name for body in robot.tree.bodies]
    count = 0
    for body, X, geometry in geometry_on_bodies(robot.model, robot.tree, kind):
        joint = bodies[body] if body >= 0 else ""
        near = [each for each in theirs[joint] if same_place(each.placement, X)]
        assert any(same_shape(each.geometry, geometry.shape) for each in near), geometry
        count += 1
    assert count == len(shapes.geometryObjects)


def same_place(placement, X):
    near = np.abs(placement.translation - X.p).max() < 1e-12
    return near and np.abs(placement.rotation - X.R).max() < 1e-12


def same_shape(theirs, ours):
    if isinstance(ours, BoxShape):
        return isinstance(theirs, coal.Box) and np.allclose(2 * theirs.halfSide, ours.size)
    if isinstance(ours, SphereShape):
        return isinstance(theirs, coal.Sphere) and np.isclose(theirs.radius, ours.radius)
    if isinstance(ours, CylinderShape):
        sizes = ours.radius, ours.length / 2
        return isinstance(theirs, coal.Cylinder) and np.allclose(
            (theirs.radius, theirs.halfLength), sizes
        )
    assert isinstance(ours, MeshShape)
    mesh, points = read_mesh(ours.path), np.array(theirs.vertices())
    ends = [(each.min(axis=0), each.max(axis=0)) for each in (mesh.points * ours.scale, points)]
    return np.allclose(*ends, atol=1e-6)
