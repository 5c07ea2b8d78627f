"""STL files: the surface of a body as triangles, binary or ascii, and whether it is closed.

An STL file has no units and no material. Nothing in it is trusted: the count of its triangles must
be that of its bytes, its numbers must be finite, and its triangles must enclose a volume.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from qddot.errors import BadFile, shorten
from qddot.readers.files import read_bytes

HEADER, TRIANGLE = 84, 50  # bytes: of the head with its count, and of each triangle
FACET = "facet normal # # # outer loop vertex # # # vertex # # # vertex # # # endloop endfacet"
WORDS = FACET.split()
CORNERS = [8, 9, 10, 12, 13, 14, 16, 17, 18]  # where the nine coordinates are among them
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?", re.ASCII)
LARGEST = 1e9  # a kilometre in micrometres
NEARLY = 1e-6  # of the size: corners as near as this are the same
EXPORT = "Export it again as one closed solid, or repair it in a mesh editor."


def read_stl(path: Path, scale: float = 1.0) -> np.ndarray:
    """Return the triangles of a closed surface, corners counter-clockwise from outside, (k, 3, 3).

    Args:
        path: The file.
        scale: What its numbers are multiplied with to be metres: 0.001 for millimetres.

    Raises:
        BadFile: If it is no STL file, or its surface encloses no volume.
    """
    data = read_bytes(path)
    count = int.from_bytes(data[80:HEADER], "little") if len(data) >= HEADER else -1
    if len(data) == HEADER + TRIANGLE * count:
        corners = binary_triangles(data)
    elif data.lstrip()[:5].lower() == b"solid" and b"facet" in data[:2000].lower():
        corners = ascii_triangles(path, data)
    else:
        size = f"{len(data)} bytes, where its count of {count} triangles needs"
        why = f"it is no STL file: it has {size} {HEADER + TRIANGLE * count}"
        raise BadFile(path, why if count >= 0 else "it is no STL file", "Export it again.")
    if not np.isfinite(corners).all():
        where = int(np.argwhere(~np.isfinite(corners))[0][0])
        raise BadFile(path, f"triangle {where} has a corner that is no number", "Export it again.")
    if not len(corners):
        raise BadFile(path, "it has no triangles", "Export it again.")
    if np.abs(corners).max() > LARGEST:
        raise BadFile(path, "its numbers are out of all proportion", "Export it again.")
    return closed(path, corners) * scale


def binary_triangles(data: bytes) -> np.ndarray:
    """Return the corners in a binary file, (k, 3, 3)."""
    kind = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("more", "<u2")])
    with np.errstate(invalid="ignore"):  # what is no number is refused later
        return np.frombuffer(data, kind, offset=HEADER)["corners"].astype(float)


def ascii_triangles(path: Path, data: bytes) -> np.ndarray:
    """Return the corners in a text file, (k, 3, 3)."""
    numbers: list[float] = []
    words: list[str] = []
    for at, line in enumerate(data.decode("latin-1").splitlines(), 1):
        found = line.split()
        if not found or found[0].lower() in ("solid", "endsolid"):
            continue
        for word in found:
            wanted = WORDS[len(words)]
            if not (NUMBER.fullmatch(word) if wanted == "#" else word.lower() == wanted):
                what = "a number" if wanted == "#" else repr(wanted)
                raise BadFile(path, f"{shorten(word, 20)!r} stands where {what} should", EXPORT, at)
            words.append(word)
            if len(words) == len(WORDS):
                numbers += [float(words[k]) for k in CORNERS]
                words = []
    if words:
        raise BadFile(path, "its last triangle is cut off", "Export it again.")
    return np.array(numbers, dtype=float).reshape(-1, 3, 3)


def closed(path: Path, corners: np.ndarray) -> np.ndarray:
    """Return the triangles, turned outwards, if they enclose a volume.

    Every edge must belong to as many triangles in one direction as in the other.
    """
    span = float(np.ptp(corners.reshape(-1, 3), axis=0).max())
    for grid in (0.0, NEARLY * span):
        points = corners.reshape(-1, 3)
        points = np.round(points / grid) if grid else points
        wrong = unbalanced(numbered(points).reshape(-1, 3))
        if not len(wrong):
            break
    else:
        k, holes, many = wrong[0, 0], wrong[:, 1].astype(bool), len(wrong)
        edges = f"{many} edge{'s' if many > 1 else ''}"
        near = np.array2string(corners[k].mean(axis=0), precision=4, separator=", ")
        if holes.any():
            why = f"its surface has a hole: {edges} without a neighbour, one at triangle {k}"
        else:
            why = f"its triangles do not face the same way: {edges} disagree, one at triangle {k}"
        raise BadFile(path, f"{why}, near {near}", EXPORT)
    volume = float(np.linalg.det(corners).sum()) / 6
    if abs(volume) <= 1e-12 * span**3:
        raise BadFile(path, "its surface encloses no volume", EXPORT)
    return corners if volume > 0 else corners[:, ::-1]


def numbered(rows: np.ndarray) -> np.ndarray:
    """Return a number per row, the same for equal rows, counted from 0."""
    first, *more = (np.unique(column, return_inverse=True)[1] for column in rows.T)
    for column in more:
        pairs = first.astype(np.int64) * (int(column.max()) + 1) + column
        first = np.unique(pairs, return_inverse=True)[1]
    return first


def unbalanced(triangles: np.ndarray) -> np.ndarray:
    """Return the edges that are not passed as often forwards as backwards.

    A row each: a triangle that has it, and whether the number of its triangles is odd, a hole.
    """
    a, b, c = triangles.T
    ids = np.flatnonzero((a != b) & (b != c) & (c != a))  # one that is a line has no edges
    kept = triangles[ids]
    edges = np.concatenate([kept[:, (0, 1)], kept[:, (1, 2)], kept[:, (2, 0)]])
    owners = np.tile(ids, 3)
    forwards = np.where(edges[:, 0] < edges[:, 1], 1, -1)
    inverse = numbered(np.sort(edges, axis=1))
    balance, times = np.bincount(inverse, forwards), np.bincount(inverse)
    wrong = balance[inverse] != 0
    first = np.unique(inverse[wrong], return_index=True)[1]
    return np.stack([owners[wrong][first], times[inverse[wrong][first]] % 2], axis=1)
