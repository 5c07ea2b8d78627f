"""Surfaces of bodies in files: STL and OBJ by our own readers, COLLADA and glTF by other packages.

A file is opened when a picture or a mass needs it. Textures, and whatever else a mesh names, are
never opened; but for the materials of an OBJ file and the buffers of a glTF file, both in the
folder of the mesh. The directions of a mesh are those of its numbers: `up_axis` of COLLADA and the
custom that y is up in glTF turn nothing, as in rviz, Pinocchio and MuJoCo.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from qddot.errors import BadFile, one_of, shorten
from qddot.readers.files import read_bytes
from qddot.readers.meshes.foreign import MeshWorker
from qddot.readers.meshes.obj import read_obj
from qddot.readers.meshes.reduction import reduced
from qddot.readers.meshes.stl import read_stl
from qddot.readers.meshes.triangles import LARGEST_FILE, TriangleMesh, whole_mesh

__all__ = ["ENDINGS", "MeshWorker", "TriangleMesh", "read_mesh", "reduced"]

OWN: dict[str, Callable[[Path, bytes], TriangleMesh]] = {".stl": read_stl, ".obj": read_obj}
ENDINGS = (*OWN, ".dae", ".gltf", ".glb")


def read_mesh(path: str | Path, worker: MeshWorker | None = None) -> TriangleMesh:
    """Return the surface in an .stl, .obj, .dae, .gltf or .glb file, in the file's own units.

    COLLADA and glTF say their unit, and come in metres; `worker` reads them.

    Raises:
        BadFile: If it cannot be read, is too large, or is no such file.
        MissingExtra: If it is COLLADA or glTF, and the package that reads it is not installed.
    """
    path = Path(path)
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        why = f"its ending {shorten(ending, 20)!r} is none of a mesh that is read"
        raise BadFile(path, why, f"Export it as {one_of(ENDINGS)}.")
    data = read_bytes(path, LARGEST_FILE)
    with np.errstate(all="ignore"):  # what is no finite number is refused in words
        if ending in OWN:
            return OWN[ending](path, data)
        if worker is not None:
            return whole_mesh(path, worker.parts(path, data))
        with MeshWorker() as own:
            return whole_mesh(path, own.parts(path, data))
