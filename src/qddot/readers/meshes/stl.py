"""STL files: triangles by their corners, binary or text. They have no units and no colours.

The count of triangles in a binary file must be that of its bytes.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from qddot.errors import BadFile, shorten
from qddot.readers.meshes.triangles import (
    EXPORT,
    MeshPart,
    TriangleMesh,
    check_count,
    check_text,
    whole_mesh,
)

HEADER, TRIANGLE = 84, 50  # bytes: of the head with its count, and of each triangle
FACET = "facet normal # # # outer loop vertex # # # vertex # # # vertex # # # endloop endfacet"
WORDS = FACET.split()
CORNERS = [8, 9, 10, 12, 13, 14, 16, 17, 18]  # where the nine coordinates are among them
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?", re.ASCII)
NAMES = (b"solid", b"endsolid")  # what begins a line that holds a name
LONGEST = 60  # characters of a word


def read_stl(path: Path, data: bytes) -> TriangleMesh:
    """Return the surface in an STL file."""
    count = int.from_bytes(data[80:HEADER], "little") if len(data) >= HEADER else -1
    if len(data) == HEADER + TRIANGLE * count:
        check_count(path, count)
        corners = binary_triangles(data)
    elif data.lstrip()[:5].lower() == b"solid" and b"facet" in data[:2000].lower():
        corners = text_triangles(path, data)
    else:
        size = f"{len(data)} bytes, where its count of {count} triangles needs"
        why = f"it is no STL file: it has {size} {HEADER + TRIANGLE * count}"
        raise BadFile(path, why if count >= 0 else "it is no STL file", "Export it again.")
    every = np.arange(3 * len(corners)).reshape(-1, 3)
    return whole_mesh(path, [MeshPart(corners.reshape(-1, 3), every)])


def binary_triangles(data: bytes) -> np.ndarray:
    """Return the corners in a binary file, (k, 3, 3)."""
    kind = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("more", "<u2")])
    with np.errstate(invalid="ignore"):  # what is no number is refused later
        return np.frombuffer(data, kind, offset=HEADER)["corners"].astype(float)


def text_triangles(path: Path, data: bytes) -> np.ndarray:
    """Return the corners in a text file, (k, 3, 3)."""
    check_text(path, data)
    lines = data.splitlines()
    words = b" ".join(line for line in lines if not is_name(line)).split()
    check_count(path, len(words) // len(WORDS))
    if len(words) % len(WORDS) or max(map(len, words), default=0) > LONGEST:
        raise wrong_word(path, lines)
    table = np.array(words, dtype=bytes).reshape(-1, len(WORDS))
    numbers = [k for k, word in enumerate(WORDS) if word == "#"]
    fixed = [k for k, word in enumerate(WORDS) if word != "#"]
    wanted = np.array([WORDS[k] for k in fixed], dtype=bytes)
    if not (np.char.lower(table[:, fixed]) == wanted).all():
        raise wrong_word(path, lines)
    try:
        values = table[:, numbers].astype(float)
    except ValueError:
        raise wrong_word(path, lines) from None
    if not np.isfinite(values).all():
        raise wrong_word(path, lines)
    return values[:, 3:].reshape(-1, 3, 3)


def is_name(line: bytes) -> bool:
    """Return whether a line holds the name of a solid."""
    return line.lstrip()[:8].lower().startswith(NAMES)


def wrong_word(path: Path, lines: list[bytes]) -> BadFile:
    """Return what is wrong with the first word of a text file that cannot stand where it does."""
    count = 0
    for at, line in enumerate(lines, 1):
        for word in line.decode("latin-1").split() if not is_name(line) else ():
            wanted = WORDS[count % len(WORDS)]
            count += 1
            if not (NUMBER.fullmatch(word) if wanted == "#" else word.lower() == wanted):
                what = "a number" if wanted == "#" else repr(wanted)
                return BadFile(
                    path, f"{shorten(word, 20)!r} stands where {what} should", EXPORT, at
                )
    return BadFile(path, "its last triangle is cut off", EXPORT)
