"""Motions as NumPy's own files: nothing is unpickled, no size is believed before it is checked."""

from __future__ import annotations

import struct
import zipfile
import zlib
from math import prod
from pathlib import Path

import numpy as np

from qddot.errors import BadFile
from qddot.simulation.about import About, from_json, to_json

METADATA = "metadata"
# what `write_npz` writes is not compressed; others may compress well, but not like this
MOST_EXPANDED, HARMLESS = 20, 64 * 2**20  # times the file, bytes


def write_npz(path: Path, facts: About, numbers: dict[str, np.ndarray]) -> None:
    with path.open("xb") as stream:
        np.savez(stream, allow_pickle=False, **{METADATA: np.array(to_json(facts))}, **numbers)


def read_npz(path: Path) -> tuple[About, dict[str, np.ndarray]]:
    broken = (zipfile.BadZipFile, zlib.error, ValueError, EOFError, KeyError, NotImplementedError)
    try:
        check_sizes(path)
        with np.load(path, allow_pickle=False) as archive:
            return read_arrays(archive, path)
    except BadFile:
        raise
    except (*broken, RuntimeError, SyntaxError, TypeError, MemoryError, struct.error):
        raise BadFile(
            path, "it is damaged or not an .npz file", "Write it again; it may have been cut."
        ) from None


def check_sizes(path: Path) -> None:
    """See that every array is as long as it says, and holds plain numbers or text."""
    with zipfile.ZipFile(path) as archive:
        entries = archive.infolist()
        total = sum(entry.file_size for entry in entries)
        if total > max(HARMLESS, MOST_EXPANDED * path.stat().st_size):
            raise BadFile(
                path,
                f"it would unpack to {total / 2**20:.0f} MiB, far beyond its own size",
                "It was not written by qddot; do not trust it.",
            )
        for entry in entries:
            with archive.open(entry) as stream:
                version = np.lib.format.read_magic(stream)
                read_header = {
                    (1, 0): np.lib.format.read_array_header_1_0,
                    (2, 0): np.lib.format.read_array_header_2_0,
                }.get(version)
                if read_header is None:
                    raise ValueError("an unknown version")
                shape, _, dtype = read_header(stream)
                if dtype.hasobject:
                    raise BadFile(
                        path,
                        f"{entry.filename!r} holds Python objects, which are never read",
                        "They could run anything. Save numbers only.",
                    )
                if dtype.itemsize * prod(shape) != entry.file_size - stream.tell():
                    raise ValueError("an array that is not as long as it says")


def read_arrays(archive: np.lib.npyio.NpzFile, path: Path) -> tuple[About, dict[str, np.ndarray]]:
    if METADATA not in archive.files:
        raise BadFile(path, "it has no metadata", "It must be a file that `save` wrote.")
    facts = from_json(str(archive[METADATA]), path)
    missing = [name for name in facts.layout if name not in archive.files]
    if missing:
        raise BadFile(path, f"it lacks {', '.join(missing[:6])}", "`save` writes them all.")
    found = {name: archive[name] for name in facts.layout}
    rows = len(np.atleast_1d(found["t"]))
    for name, those in facts.layout.items():
        if found[name].dtype.kind not in "fiu" or found[name].shape != (rows, len(those)):
            raise BadFile(
                path,
                f"{name} is {found[name].dtype} of shape {found[name].shape}",
                f"It must be numbers of shape {(rows, len(those))}.",
            )
    return facts, {name: array.astype(float) for name, array in found.items()}
