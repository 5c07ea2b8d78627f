"""NumPy's own files, .npz and .npy: nothing is unpickled, no size is believed unchecked."""

from __future__ import annotations

import struct
import zipfile
import zlib
from errno import EINVAL
from math import prod
from pathlib import Path
from tokenize import TokenError
from typing import IO

import numpy as np

from qddot.errors import BadFile
from qddot.timeseries import Columns

# what `np.savez` writes is not compressed; others may compress well, but not like this
MOST_EXPANDED, HARMLESS = 20, 64 * 2**20  # times the file, bytes


def write_npz(path: Path, arrays: Columns) -> None:
    """Write arrays by name to a new file."""
    with path.open("xb") as stream:
        np.savez(stream, allow_pickle=False, **arrays)


def read_npz(path: Path) -> Columns:
    """Return the arrays of a file by name: numbers of any shape, or text."""
    broken = (zipfile.BadZipFile, zlib.error, ValueError, EOFError, KeyError, NotImplementedError)
    try:
        check_sizes(path)
        with np.load(path, allow_pickle=False) as archive:
            return {name: archive[name] for name in archive.files}
    except BadFile:
        raise
    except (*broken, OSError, RuntimeError, SyntaxError, TypeError, MemoryError, struct.error) as e:
        if isinstance(e, OSError) and e.errno != EINVAL:  # a place in it that cannot be
            raise
        raise BadFile(
            path, "it is damaged or not an .npz file", "Write it again; it may have been cut."
        ) from None


def read_npy(path: Path) -> Columns:
    """Return the array of a file as ""; of one with named fields, each of them."""
    try:
        with path.open("rb") as stream:
            check_array(path, stream, path.name, path.stat().st_size)
        array = np.load(path, allow_pickle=False)
    except BadFile:
        raise
    except (ValueError, EOFError, SyntaxError, TypeError, MemoryError, struct.error):
        raise BadFile(
            path, "it is damaged or not an .npy file", "Write it again; it may have been cut."
        ) from None
    fields = array.dtype.names
    return {"": array} if fields is None else {name: array[name] for name in fields}


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
                check_array(path, stream, entry.filename, entry.file_size)


def check_array(path: Path, stream: IO[bytes], name: str, size: int) -> None:
    """See that an array in a stream of some bytes is as long as it says, and holds no objects."""
    version = np.lib.format.read_magic(stream)
    read_header = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }.get(version)
    if read_header is None:
        raise ValueError("an unknown version")
    try:
        shape, _, dtype = read_header(stream)
    except (TokenError, RecursionError, OverflowError) as error:  # its text is no Python
        raise ValueError("a damaged header") from error
    if dtype.hasobject:
        raise BadFile(
            path,
            f"{name!r} holds Python objects, which are never read",
            "They could run anything. Save numbers only.",
        )
    if dtype.itemsize * prod(shape) != size - stream.tell():
        raise ValueError("an array that is not as long as it says")
