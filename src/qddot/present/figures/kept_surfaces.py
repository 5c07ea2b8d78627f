"""Surfaces that were made of meshes, kept between runs: reading and reducing takes seconds.

They are kept under a name made of the robot's model, of the bytes of its mesh files and of the
packages that read and reduce them, so that a changed file is read again, and all files are when a
package is installed.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from hashlib import sha256
from importlib.metadata import version
from importlib.util import find_spec

import numpy as np

from qddot.backends import disk_cache
from qddot.errors import BadFile
from qddot.model.geometry import MeshShape
from qddot.model.model import Model
from qddot.present.figures.surfaces import Surface, Surfaces
from qddot.readers.files import read_bytes
from qddot.readers.meshes.triangles import LARGEST_FILE

VERSION = "2"  # of how surfaces are made; another one makes them anew
OF_SEVERAL_FILES = (".gltf", ".obj")  # whose points or colours may be in a file beside them
READERS = {
    "collada": "pycollada",
    "trimesh": "trimesh",
    "fast_simplification": "fast-simplification",
}
ARRAYS = ("points", "normals", "triangles")


def kept(model: Model, triangles: int, make: Callable[[], Surfaces]) -> Surfaces:
    """Return the surfaces of a model: those of an earlier run, or those that are made now."""
    shapes = (x.shape for link in model.links for x in link.visuals)
    files = {x.path: None for x in shapes if isinstance(x, MeshShape) and x.path is not None}
    if not files or any(path.suffix.lower() in OF_SEVERAL_FILES for path in files):
        return make()
    try:
        contents = [sha256(read_bytes(path, LARGEST_FILE)).hexdigest() for path in files]
    except BadFile:
        return make()
    readers = [version(READERS[each]) if find_spec(each) else "" for each in READERS]
    name = disk_cache.key("surfaces", VERSION, *readers, triangles, *contents, repr(model))
    data = disk_cache.load(name)
    if data is not None:
        return _unpacked(data)
    made = make()
    if not made.missing:  # another time there may be more time, or another package
        disk_cache.store(name, _packed(made))
    return made


def _packed(surfaces: Surfaces) -> bytes:
    parts = surfaces.parts
    arrays = {f"{name}{k}": getattr(x, name) for k, x in enumerate(parts) for name in ARRAYS}
    arrays |= {
        "bodies": np.array([part.body for part in parts]),
        "colours": np.array([part.colour for part in parts], dtype=str),
        "missing": np.array(surfaces.missing),
    }
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def _unpacked(data: bytes) -> Surfaces:
    with np.load(io.BytesIO(data), allow_pickle=False) as found:
        kinds = zip(found["bodies"].tolist(), found["colours"].tolist(), strict=True)
        parts = tuple(
            Surface(body, **{name: found[f"{name}{k}"] for name in ARRAYS}, colour=colour)
            for k, (body, colour) in enumerate(kinds)
        )
        return Surfaces(parts, str(found["missing"]))
