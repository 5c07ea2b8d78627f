"""Surfaces of bodies in files: STL, OBJ, COLLADA and glTF, read strictly by our own readers.

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
from qddot.readers.meshes.collada import read_collada
from qddot.readers.meshes.gltf import read_gltf
from qddot.readers.meshes.obj import read_obj
from qddot.readers.meshes.reduction import reduced
from qddot.readers.meshes.stl import read_stl
from qddot.readers.meshes.triangles import LARGEST_FILE, TriangleMesh

__all__ = ["READERS", "TriangleMesh", "read_mesh", "reduced"]

READERS: dict[str, Callable[[Path, bytes], TriangleMesh]] = {
    ".stl": read_stl,
    ".obj": read_obj,
    ".dae": read_collada,
    ".gltf": read_gltf,
    ".glb": read_gltf,
}


def read_mesh(path: str | Path) -> TriangleMesh:
    """Return the surface in an .stl, .obj, .dae, .gltf or .glb file, in the file's own units.

    COLLADA and glTF say their unit, and come in metres.

    Raises:
        BadFile: If it cannot be read, is too large, or is no such file.
    """
    path = Path(path)
    ending = path.suffix.lower()
    if ending not in READERS:
        why = f"its ending {shorten(ending, 20)!r} is none of a mesh that is read"
        raise BadFile(path, why, f"Export it as {one_of(tuple(READERS))}.")
    data = read_bytes(path, LARGEST_FILE)
    with np.errstate(all="ignore"):  # what is no finite number is refused in words
        return READERS[ending](path, data)
