"""glTF 2.0 files (.gltf, .glb): triangles in a tree of nodes, with the colours of their materials.

https://registry.khronos.org/glTF/specs/2.0/. Buffers are in the file itself or in a file of its
folder. Every accessor is held against its buffer before a number is read. Pictures, skins,
animations and compressed meshes are left out.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np

from qddot.errors import BadFile, QddotError, shorten
from qddot.readers.files import read_bytes
from qddot.readers.meshes.collada import strip
from qddot.readers.meshes.triangles import (
    EXPORT,
    LARGEST_FILE,
    MeshPart,
    TriangleMesh,
    check_count,
    check_indices,
    check_text,
    fans,
    whole_mesh,
)
from qddot.readers.places import inside
from qddot.spatial.rotation import from_quaternion

MAGIC, JSON_CHUNK, BINARY_CHUNK = b"glTF", 0x4E4F534A, 0x004E4942
COMPONENTS = {5120: "i1", 5121: "u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
TRIANGLES, STRIP, FAN = 4, 5, 6  # modes of a primitive
MOST_NODES = 20_000  # visited
DEEPEST = 100  # nodes in nodes


def read_gltf(path: Path, data: bytes) -> TriangleMesh:
    """Return the surface in a glTF file, in metres."""
    text, binary = (data, b"") if data[:4] != MAGIC else chunks(path, data)
    check_text(path, text)
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        raise BadFile(path, "it is not JSON, so it is no glTF file", EXPORT) from None
    if not isinstance(document, dict) or "asset" not in document:
        raise BadFile(path, "it has no asset, so it is no glTF file", EXPORT)
    required = document.get("extensionsRequired", [])
    for name in required if isinstance(required, list) else []:
        if str(name) not in ("KHR_mesh_quantization", "KHR_materials_unlit"):
            why = f"it needs the extension {shorten(str(name), 60)}, which is not read"
            raise BadFile(path, why, "Export it without compression.")
    try:
        return Gltf(path, document, binary).mesh()
    except (LookupError, TypeError, AttributeError, OverflowError) as error:
        why = f"it is no valid glTF file ({shorten(f'{type(error).__name__}: {error}', 80)})"
        raise BadFile(path, why, EXPORT) from None


def chunks(path: Path, data: bytes) -> tuple[bytes, bytes]:
    """Return the JSON and the numbers of a .glb file."""
    found = {}
    at = 12
    while at + 8 <= len(data):
        size, kind = (int.from_bytes(data[at + k : at + k + 4], "little") for k in (0, 4))
        if at + 8 + size > len(data):
            raise BadFile(path, "it is cut off", EXPORT)
        found.setdefault(kind, data[at + 8 : at + 8 + size])
        at += 8 + size
    if JSON_CHUNK not in found:
        raise BadFile(path, "it has no JSON chunk, so it is no .glb file", EXPORT)
    return found[JSON_CHUNK], found.get(BINARY_CHUNK, b"")


@dataclass
class Gltf:
    """One file while it is read."""

    path: Path
    document: dict[str, Any]
    binary: bytes
    visited: int = 0
    triangles: int = 0
    parts: dict[int, list[MeshPart]] = field(default_factory=dict)  # of a mesh
    buffers: dict[int, bytes] = field(default_factory=dict)
    read: int = 0  # [bytes] of buffers so far

    def mesh(self) -> TriangleMesh:
        """Return the whole surface."""
        scenes = self.document.get("scenes", [])
        if scenes:
            roots = scenes[self.index(self.document.get("scene", 0))].get("nodes", [])
        else:
            roots = range(len(self.document.get("nodes", [])))
        return whole_mesh(self.path, [p for root in roots for p in self.node(root, np.eye(4), 0)])

    def node(self, number: Any, X: np.ndarray, depth: int) -> Iterator[MeshPart]:
        """Yield the pieces of a node and of those in it, moved to where they are."""
        self.visited += 1
        if self.visited > MOST_NODES or depth > DEEPEST:
            why = f"its nodes are more than {MOST_NODES}, or {DEEPEST} deep"
            raise BadFile(self.path, why, EXPORT)
        node = self.document["nodes"][self.index(number)]
        X = X @ self.transform(node)
        for part in self.pieces(self.index(node["mesh"])) if "mesh" in node else ():
            self.triangles += len(part.triangles)
            check_count(self.path, self.triangles)
            yield part.moved(X)
        for child in node.get("children", []):
            yield from self.node(child, X, depth + 1)

    def pieces(self, number: int) -> list[MeshPart]:
        """Return the pieces of a mesh, read once."""
        if number not in self.parts:
            primitives = self.document["meshes"][number].get("primitives", [])
            self.parts[number] = [part for each in primitives for part in self.primitive(each)]
        return self.parts[number]

    def primitive(self, primitive: dict[str, Any]) -> Iterator[MeshPart]:
        """Yield the triangles of a primitive; points and lines are none."""
        mode = primitive.get("mode", TRIANGLES)
        if mode not in (TRIANGLES, STRIP, FAN):
            return
        points = self.accessor(primitive["attributes"]["POSITION"], 3).astype(float)
        if "indices" in primitive:
            corners = self.accessor(primitive["indices"], 1).astype(np.int64)[:, 0]
        else:
            corners = np.arange(len(points))
        if mode == STRIP:
            triangles = strip(corners) if len(corners) > 2 else np.zeros((0, 3), int)
        elif mode == FAN:
            triangles = fans(self.path, corners, np.array([len(corners)]))
        else:
            triangles = corners[: len(corners) // 3 * 3].reshape(-1, 3)
        check_indices(self.path, triangles, len(points))
        yield MeshPart(points, triangles, self.colour(primitive)).compact()

    def accessor(self, number: Any, width: int) -> np.ndarray:
        """Return the numbers of an accessor, (count, width), held against its buffer."""
        accessor = self.document["accessors"][self.index(number)]
        if "sparse" in accessor or "bufferView" not in accessor:
            raise BadFile(self.path, "it has sparse numbers, which are not read", EXPORT)
        if accessor.get("type") != {1: "SCALAR", 3: "VEC3"}[width]:
            raise BadFile(self.path, f"accessor {number} is not {width} numbers wide", EXPORT)
        view = self.document["bufferViews"][self.index(accessor["bufferView"])]
        buffer = self.buffer(self.index(view["buffer"]))
        kind = np.dtype(COMPONENTS[accessor["componentType"]])
        count, size = self.index(accessor["count"]), width * kind.itemsize
        stride = self.index(view.get("byteStride", 0)) or size
        check_count(self.path, count, "numbers" if width == 1 else "points")
        first = self.index(view.get("byteOffset", 0))
        start = first + self.index(accessor.get("byteOffset", 0))
        end = min(len(buffer), first + self.index(view["byteLength"]))
        if count and start + stride * (count - 1) + size > end:
            raise BadFile(self.path, f"accessor {number} goes beyond its buffer", EXPORT)
        shape, strides = (count, width), (stride, kind.itemsize)
        found = np.ndarray(shape, kind, buffer, start if count else 0, strides)
        if accessor.get("normalized"):
            return np.maximum(found / np.iinfo(kind).max, -1)
        return found

    def buffer(self, number: int) -> bytes:
        """Return the bytes of a buffer: in the file, in its JSON, or in a file beside it."""
        if number in self.buffers:
            return self.buffers[number]
        uri = self.document["buffers"][number].get("uri")
        if uri is None:
            data = self.binary
        elif str(uri).startswith("data:"):
            try:
                data = base64.b64decode(str(uri).partition(",")[2], validate=True)
            except ValueError:
                raise BadFile(self.path, f"buffer {number} is no base64", EXPORT) from None
        else:
            data = self.beside(str(uri))
        self.buffers[number] = data
        return data

    def beside(self, uri: str) -> bytes:
        """Return the bytes of a file in the folder of the mesh."""
        try:
            file, why = inside(self.path.parent, self.path.parent / unquote(uri))
        except (OSError, ValueError):
            file, why = None, "is no name of a file"
        if file is None:
            raise BadFile(self.path, f"its buffer {shorten(uri, 60)!r} {why}", "Put it beside it.")
        try:
            data = read_bytes(file, LARGEST_FILE)
        except QddotError as error:
            raise BadFile(self.path, f"its buffer: {error}", "") from None
        self.read += len(data)
        if self.read > LARGEST_FILE:
            raise BadFile(self.path, "its buffers are too large", "Export it with fewer triangles.")
        return data

    def transform(self, node: dict[str, Any]) -> np.ndarray:
        """Return the homogeneous matrix of a node."""
        if "matrix" in node:
            return self.floats(node["matrix"], 16).reshape(4, 4).T
        X = np.eye(4)
        if "rotation" in node:
            x, y, z, w = self.floats(node["rotation"], 4)
            if any((x, y, z, w)):
                X[:3, :3] = from_quaternion((w, x, y, z))
        X[:3, :3] = X[:3, :3] * self.floats(node.get("scale", (1, 1, 1)), 3)
        X[:3, 3] = self.floats(node.get("translation", (0, 0, 0)), 3)
        return X

    def colour(self, primitive: dict[str, Any]) -> list[float] | None:
        """Return the colour of a material as screens show it; glTF's own is linear in light."""
        if "material" not in primitive:
            return None
        material = self.document["materials"][self.index(primitive["material"])]
        given = material.get("pbrMetallicRoughness", {}).get("baseColorFactor")
        if given is None:
            return None
        return (np.clip(self.floats(given, 4)[:3], 0, 1) ** (1 / 2.2)).tolist()

    def floats(self, values: Any, count: int) -> np.ndarray:
        """Return so many finite numbers."""
        plain = isinstance(values, (list, tuple)) and len(values) == count
        if not plain or not all(type(x) in (int, float) and abs(x) < 1e30 for x in values):
            raise BadFile(self.path, f"{shorten(repr(values))} is not {count} numbers", EXPORT)
        return np.array(values, dtype=float)

    def index(self, value: Any) -> int:
        """Return a whole number from 0 on; lists say themselves where they end."""
        if type(value) is not int or not 0 <= value < 2**40:
            raise BadFile(self.path, f"{shorten(repr(value), 40)} is no index or count", EXPORT)
        return value
