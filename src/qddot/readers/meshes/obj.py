"""OBJ files: points and polygons, in groups with a material, whose colour is in an .mtl file.

http://paulbourke.net/dataformats/obj/. Textures, lines, curves and normals are left out.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from qddot.errors import BadFile, QddotError
from qddot.readers.files import read_bytes
from qddot.readers.meshes.triangles import (
    EXPORT,
    MeshPart,
    TriangleMesh,
    check_count,
    check_text,
    fans,
    numbers_in,
    whole_mesh,
)
from qddot.readers.places import inside

LARGEST_MATERIALS = 1_000_000  # [bytes]
MOST_MATERIALS = 10_000  # changes of the material
AFTER_SLASH = re.compile(r"/\S*")


def read_obj(path: Path, data: bytes) -> TriangleMesh:
    """Return the surface in an OBJ file."""
    check_text(path, data)
    lines = data.decode("latin-1").replace("\\\r\n", " ").replace("\\\n", " ").splitlines()
    lines = [line.lstrip() for line in lines]
    is_point = np.array([line.startswith(("v ", "v\t")) for line in lines], dtype=bool)
    is_face = np.array([line.startswith(("f ", "f\t")) for line in lines], dtype=bool)
    check_count(path, int(is_point.sum()), "points")
    check_count(path, int(is_face.sum()), "polygons")
    if not is_point.any() or not is_face.any():
        raise BadFile(path, "it has no points and polygons, so it is no OBJ file", EXPORT)
    points = read_points(path, lines, np.flatnonzero(is_point))
    at = np.flatnonzero(is_face)
    corners, counts = read_faces(path, lines, at, np.cumsum(is_point)[at])
    if len(corners) and not 0 <= corners.min() <= corners.max() < len(points):
        why = f"a polygon has a point that is not there; it has {len(points)}"
        raise BadFile(path, why, EXPORT)
    colours = colours_of(path, lines)
    parts = []
    for faces, name in by_material(path, lines, at):
        ends = np.cumsum(counts)
        first = int(ends[faces.start - 1]) if faces.start else 0
        last = int(ends[faces.stop - 1])
        triangles = fans(path, corners[first:last], counts[faces])
        parts.append(MeshPart(points, triangles, colours.get(name)).compact())
    return whole_mesh(path, parts)


def read_points(path: Path, lines: list[str], at: np.ndarray) -> np.ndarray:
    """Return the points, (n, 3); what follows the third number of a line is not looked at."""
    words = [lines[i].split(None, 4)[1:4] for i in at]
    for i, three in zip(at, words, strict=True):
        if len(three) != 3:
            raise BadFile(path, "a point has fewer than three numbers", EXPORT, int(i) + 1)
    numbers = numbers_in(path, " ".join(word for three in words for word in three))
    if len(numbers) != 3 * len(at):
        raise BadFile(path, "the points hold something that is no number", EXPORT)
    return numbers.reshape(-1, 3)


def read_faces(
    path: Path, lines: list[str], at: np.ndarray, seen: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the corners of all polygons from 0 on, and how many each has.

    `at` are the lines of polygons, `seen` how many points stand before each; a negative number
    counts back from there.
    """
    rows = [AFTER_SLASH.sub("", lines[i][1:].partition("#")[0]) for i in at]
    counts = np.array([len(row.split()) for row in rows])
    corners = numbers_in(path, " ".join(rows), np.int64)
    if len(corners) != counts.sum():
        raise BadFile(path, "the polygons hold something that is no number", EXPORT)
    if not corners.all():
        raise BadFile(path, "a polygon has the point 0, and they count from 1", EXPORT)
    before = np.repeat(seen, counts)
    return np.where(corners > 0, corners - 1, before + corners), counts


def by_material(path: Path, lines: list[str], at: np.ndarray) -> list[tuple[slice, str]]:
    """Return which polygons have which material."""
    uses = [i for i, line in enumerate(lines) if line.startswith("usemtl")]
    if len(uses) > MOST_MATERIALS:
        raise BadFile(path, f"it changes its material {len(uses)} times", EXPORT)
    ends = [*np.searchsorted(at, uses).tolist(), len(at)]
    names = ["", *(lines[i][6:].strip() for i in uses)]
    starts = [0, *ends[:-1]]
    return [(slice(a, b), name) for a, b, name in zip(starts, ends, names, strict=True) if b > a]


def colours_of(path: Path, lines: list[str]) -> dict[str, tuple[float, float, float]]:
    """Return the colours of the materials that the file names, if it has them in its folder."""
    found: dict[str, tuple[float, float, float]] = {}
    for line in [line for line in lines if line.startswith("mtllib")][:10]:
        try:
            file, _ = inside(path.parent, path.parent / line[6:].strip())
            text = read_bytes(file, LARGEST_MATERIALS).decode("latin-1") if file else ""
        except (QddotError, OSError, ValueError):  # without it the surface has no colours
            continue
        name = ""
        for row in text.splitlines():
            words = row.split()
            if words[:1] == ["newmtl"]:
                name = " ".join(words[1:])
            elif words[:1] == ["Kd"] and len(words) == 4:
                try:
                    r, g, b = numbers_in(path, " ".join(words[1:])).tolist()
                except (BadFile, ValueError):
                    continue
                if all(0 <= x <= 1 for x in (r, g, b)):
                    found[name] = (r, g, b)
    return found
