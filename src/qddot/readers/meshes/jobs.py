"""What other packages do with surfaces, in a process with limits: read them and reduce them.

Every function takes and returns bytes, numbers and text alone.
"""

from __future__ import annotations

import io
from typing import Any

import numpy as np

Piece = tuple[bytes, bytes, list[float] | None]  # points, triangles, colour


def read(kind: str, text: bytes) -> list[Piece] | str:
    """Return the pieces of a .dae or .gltf file, or why it cannot be read."""
    try:
        return pieces(kind, text)
    except MemoryError:
        return "there is not enough memory to read it"
    except Exception as error:  # a broken file can raise anything in `trimesh`
        return " ".join(f"{type(error).__name__}: {error}".split())


def pieces(kind: str, text: bytes) -> list[Piece]:
    """Return the pieces that `trimesh` finds, each at its place."""
    import trimesh

    scene: Any = trimesh.load_scene(io.BytesIO(text), file_type=kind, process=False)
    found = []
    for node in scene.graph.nodes_geometry:
        X, name = scene.graph[node]
        mesh = scene.geometry[name]
        if not isinstance(mesh, trimesh.Trimesh):  # points and lines
            continue
        faces = np.asarray(mesh.faces, np.int64)
        faces = faces[:, :: -1 if np.linalg.det(X[:3, :3]) < 0 else 1]  # outwards
        points = np.asarray(mesh.vertices, float) @ X[:3, :3].T + X[:3, 3]
        colour = getattr(getattr(mesh.visual, "material", None), "baseColorFactor", None)
        if colour is not None:
            colour = (np.asarray(colour[:3]) / 255) ** (1 if kind == "dae" else 1 / 2.2)
            colour = colour.tolist()  # glTF has colours linear in light
        found.append((points.tobytes(), np.ascontiguousarray(faces).tobytes(), colour))
    return found


def simplified(points: bytes, triangles: bytes, most: int, keep_rims: bool) -> tuple[bytes, bytes]:
    """Return the points and triangles of a surface with about so many triangles."""
    from fast_simplification import simplify

    rows = np.frombuffer(points).reshape(-1, 3).copy()
    corners = np.frombuffer(triangles, np.int64).reshape(-1, 3).astype(np.int32)
    small = simplify(rows, corners, target_count=most, preserve_border=keep_rims)
    return small[0].astype(float).tobytes(), small[1].astype(np.int64).tobytes()
