"""Geoms as shapes of links, as MuJoCo shows them and lets them touch.

Shown are the groups 0, 1 and 2, as in MuJoCo's own viewer; what touches are geoms with a contype
or a conaffinity. So a file with one set of geoms for both has each of them twice, and one like
those of MuJoCo Menagerie has what is seen in group 2 and what touches in group 3.

MuJoCo places the points v of a mesh file at

    p + R S R_refᵀ (v − p_ref)

with the geom's pose p, R and the mesh's scale S and refpos, refquat.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from qddot.model.geometry import (
    BoxShape,
    CapsuleShape,
    Colour,
    CylinderShape,
    EllipsoidShape,
    Geometry,
    MeshShape,
    Shape,
    SphereShape,
)
from qddot.readers.mjcf.numbers import floats, placement, pose
from qddot.readers.mjcf.source import MjcfSource
from qddot.readers.places import Places
from qddot.spatial.pose import Pose

if TYPE_CHECKING:
    from qddot.readers.mjcf.compiling import MujocoModel

SHOWN_GROUPS = (0, 1, 2)
GREY = (0.5, 0.5, 0.5, 1.0)  # of a geom whose file says nothing
SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX, MESH = range(2, 8)  # MuJoCo's numbers of geom types
STAND_IN = 1e-3  # [m] the radius of the sphere that keeps the place of a mesh
NEARLY = 1e-9  # of the scale: what rounding makes of an axis that is another one


@dataclass(frozen=True)
class MeshAsset:
    """A mesh as an MJCF file declares it."""

    file: str
    folder: str  # the meshdir
    scale: tuple[float, float, float]
    reference: Pose

    @staticmethod
    def of(mesh: Any, spec: Any) -> MeshAsset:
        """Return what a mesh of a spec says."""
        file = PurePosixPath(mesh.file).name if spec.strippath else mesh.file
        reference = pose(mesh.refpos, mesh.refquat)
        return MeshAsset(file, mesh_folder(mesh, spec), floats(mesh.scale), reference)

    def placed(self, X: Pose, source: MjcfSource, places: Places) -> tuple[Shape, Pose]:
        """Return the shape of a geom at X, and where it is: X with the mesh's reference."""
        R, r = self.reference.R, self.reference.p
        turned = R @ np.diag(self.scale) @ R.T  # S R_refᵀ = R_refᵀ (R_ref S R_refᵀ)
        scale = np.diag(turned)
        X = X @ Pose(R.T, -R.T @ (scale * r))
        file = str(PurePosixPath(self.folder, self.file)) if self.file else ""
        if not self.file:
            why = "has its points in the robot's file, which is not shown"
        elif np.abs(turned - np.diag(scale)).max() > NEARLY * np.abs(scale).max():
            why = "is scaled along axes that its refquat turns, which is not shown"
        else:
            why = "does not exist"
            for start in source.folders:
                path, why = places.find(self.file, str((start / self.folder).absolute()))
                if path is not None:
                    return MeshShape(file, floats(scale), path), X
        return MeshShape(file, floats(scale), None, why), X


def mesh_folder(mesh: Any, spec: Any) -> str:
    """Return the folder that the file of a mesh is in, as the model names it."""
    return getattr(compiler(mesh, spec), "meshdir", spec.meshdir)


def compiler(element: Any, spec: Any) -> Any:
    """Return the <compiler> that counts for an element; a submodel keeps its own."""
    return getattr(element, "compiler", spec.compiler)


def geoms_of(body: Any, mujoco: ModuleType) -> Iterator[tuple[Any, str]]:
    """Yield the geoms of a body, each with the name of its mesh; height fields aside."""
    for geom in body.geoms:
        if geom.type != mujoco.mjtGeom.mjGEOM_HFIELD:
            yield geom, geom.meshname


def stand_in(geom: Any, mujoco: ModuleType) -> None:
    """Make a geom a small massless sphere, so that its mesh is not opened but its place is kept."""
    geom.type = mujoco.mjtGeom.mjGEOM_SPHERE
    geom.size = [STAND_IN, 0, 0]
    geom.meshname, geom.mass = "", 0


def shapes_of(compiled: MujocoModel, places: Places, kind: str) -> dict[int, tuple[Geometry, ...]]:
    """Return what is shown or touches of each body: kind is "visuals" or "collisions"."""
    m = compiled.model
    found: dict[int, list[Geometry]] = {}
    for geom, mesh in compiled.geoms:
        i = geom.id
        touches = bool(m.geom_contype[i] or m.geom_conaffinity[i])
        shown = m.geom_group[i] in SHOWN_GROUPS and m.geom_rgba[i][3] > 0
        if not (shown if kind == "visuals" else touches):
            continue
        for shape, X in shape_of(compiled, i, mesh, places):
            made = Geometry(shape, placement(X), colour(m, i), geom.name)
            found.setdefault(int(m.geom_bodyid[i]), []).append(made)
    return {body: tuple(shapes) for body, shapes in found.items()}


def shape_of(
    compiled: MujocoModel, i: int, mesh: str, places: Places
) -> Iterator[tuple[Shape, Pose]]:
    """Yield the shape of a geom and its pose in the body; of a plane or a height field nothing."""
    m, kind = compiled.model, int(compiled.model.geom_type[i])
    X, (a, b, c) = pose(m.geom_pos[i], m.geom_quat[i]), floats(m.geom_size[i])
    if mesh in compiled.meshes and kind in (SPHERE, MESH):
        if kind == MESH:  # MuJoCo has moved it to the middle of its volume
            own = int(m.geom_dataid[i])
            X = X @ pose(m.mesh_pos[own], m.mesh_quat[own]).inverse()
        yield compiled.meshes[mesh].placed(X, compiled.source, places)
    elif kind == SPHERE:
        yield SphereShape(a), X
    elif kind == CAPSULE:
        yield CapsuleShape(a, 2 * b), X
    elif kind == ELLIPSOID:
        yield EllipsoidShape((a, b, c)), X
    elif kind == CYLINDER:
        yield CylinderShape(a, 2 * b), X
    elif kind == BOX:
        yield BoxShape((2 * a, 2 * b, 2 * c)), X


def colour(model: Any, i: int) -> Colour | None:
    """Return the colour of a geom: its own, else that of its material; None where it has none."""
    own, material = floats(model.geom_rgba[i]), int(model.geom_matid[i])
    if own == GREY:
        if material < 0:
            return None
        own = floats(model.mat_rgba[material])
    r, g, b, a = (min(max(x, 0.0), 1.0) for x in own)
    return r, g, b, a
