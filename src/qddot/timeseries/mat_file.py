"""MATLAB's .mat files: those before version 7.3 by SciPy, later ones, which are HDF5, by h5py."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from qddot.timeseries import Table
from qddot.timeseries.foreign import most_bytes, plain, table_in, too_much
from qddot.timeseries.hdf5_file import SIGNATURE, read_hdf5

HEADER = 128  # bytes of a version 5 file before its first element
COMPRESSED = 15  # the type of an element that is packed
BLOCK = 2**20
DEEPEST = 20  # structs in structs
OPAQUE = "are objects of MATLAB (a table, a timeseries), which only MATLAB can open: save arrays"


def read_mat(path: Path) -> Table:
    """Return the table of a .mat file: its arrays, those in structs too, as "data/q"."""
    with path.open("rb") as stream:
        stream.seek(512)
        if stream.read(len(SIGNATURE)) == SIGNATURE:
            return read_hdf5(path, "Reading a .mat file of version 7.3", "a MATLAB file")
    return table_in(path, "qddot.timeseries.mat_file:arrays", "a MATLAB file")


def arrays(name: str) -> dict[str, Any]:
    """Return the arrays of a file, as a worker does."""
    from scipy.io import loadmat

    path = Path(name)
    if (size := unpacked(path)) > most_bytes(path):
        return too_much(path, size)
    found = loadmat(path, struct_as_record=False, appendmat=False)
    numbers: dict[str, np.ndarray] = {}
    texts: dict[str, list[str]] = {}
    opaque = []
    for at, value in walk({k: x for k, x in found.items() if not k.startswith("__")}):
        if value.dtype.kind == "U":
            texts[at] = [str(word).strip() for word in np.atleast_1d(value).ravel()]
        elif value.dtype.kind in "fiub":
            numbers[at] = value
        else:
            opaque.append(at)
    if None in found or "None" in found:  # how SciPy calls them
        opaque.append("some variables")
    notes = [("arrays", f"{', '.join(opaque)} {OPAQUE}")] if opaque else []
    return plain(numbers, texts=texts, notes=notes)


def unpacked(path: Path) -> int:
    """Return how many bytes a version 5 file unpacks to, or more than it may."""
    data, total, at = path.read_bytes(), 0, HEADER
    order = "little" if data[126:128] == b"IM" else "big"
    while at + 8 <= len(data):
        kind = int.from_bytes(data[at : at + 4], order)
        size = int.from_bytes(data[at + 4 : at + 8], order)
        if kind == COMPRESSED:
            packed, unpack = data[at + 8 : at + 8 + size], zlib.decompressobj()
            while packed and not unpack.eof:
                total += len(unpack.decompress(packed, BLOCK))
                packed = unpack.unconsumed_tail
                if total > most_bytes(path):
                    return total
        at += 8 + size
    return total


def walk(value: Any, path: str = "", depth: int = 0) -> Iterator[tuple[str, np.ndarray]]:
    """Yield the arrays in variables, structs and cells by their path."""
    if isinstance(value, dict) or hasattr(value, "_fieldnames"):
        fields = value if isinstance(value, dict) else {k: getattr(value, k) for k in names(value)}
        for name, part in fields.items():
            yield from walk(part, f"{path}/{name}" if path else str(name), depth)
    elif isinstance(value, np.ndarray) and type(value) is np.ndarray and value.dtype == object:
        cells = value.ravel().tolist()
        words = [np.ravel(cell) for cell in cells]
        if cells and all(word.dtype.kind == "U" and word.size == 1 for word in words):
            yield path, np.array([str(word[0]) for word in words])
            return
        if depth > DEEPEST:
            return
        for k, cell in enumerate(cells):
            yield from walk(cell, path if len(cells) == 1 else f"{path}/{k + 1}", depth + 1)
    elif isinstance(value, np.ndarray):
        yield path, value


def names(struct: Any) -> list[str]:
    """Return the fields of a struct."""
    return [str(name) for name in struct._fieldnames]
