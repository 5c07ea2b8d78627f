"""Files that other packages open, in a process of its own.

SciPy, HDF5 and the like are made for files of friends. A damaged or hostile one can end the
process that opens it, or ask for more memory than there is. So that process is a worker, with
limits; what comes back is plain numbers and words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from qddot.errors import BadFile, Defect, MissingExtra, Problem, QddotError, printable, shorten
from qddot.timeseries import Table
from qddot.timeseries.arrays import table_of_arrays
from qddot.workers import ResourceLimits, Worker

MEMORY, TIMES_THE_FILE = 4 * 2**30, 40  # bytes; numbers may be compressed
SECONDS, BYTES_PER_SECOND = 60, 2**20
# what a file may declare to hold: so many times its own size, or so many bytes
MOST_EXPANDED, HARMLESS = 100, 256 * 2**20


def table_in(path: Path, job: str, what: str, *more: Any) -> Table:
    """Return the table of a file that a worker reads and that should be `what`, "a MATLAB file".

    The job is the function that reads it, "module:name"; it takes the path and `more`, and returns
    `plain`.
    """
    size = file_size(path)
    memory = MEMORY + TIMES_THE_FILE * size
    with Worker(limits=ResourceLimits(memory=memory, file=0), one_thread=True) as worker:
        worker.ask(job, str(path.absolute()), *more)
        try:
            found = worker.result(SECONDS + size / BYTES_PER_SECOND)
        except TimeoutError:
            raise BadFile(path, "reading it takes too long", "Save less in it.") from None
        except (EOFError, QddotError, Defect) as error:
            why = "" if isinstance(error, EOFError) else f": {first_line(error)}"
            remedy = "Write it again; it may have been cut."
            raise BadFile(path, f"it is damaged or not {what}{why}", remedy) from None
    if "why" in found:
        raise BadFile(path, found["why"], found["remedy"])
    arrays = {name: _array(*parts) for name, parts in found["arrays"].items()}
    notes = [Problem("note", place, text, "") for place, text in found["notes"]]
    source = f"{path}{found['about']}"
    return table_of_arrays(source, arrays, found["names"], found["texts"], notes)


def plain(
    arrays: Mapping[str, np.ndarray],
    names: Mapping[str, Sequence[str]] | None = None,
    texts: Mapping[str, Sequence[str]] | None = None,
    notes: Sequence[tuple[str, str]] = (),
    about: str = "",
) -> dict[str, Any]:
    """Return what a worker found as plain data; see `table_of_arrays`.

    Arrays, names and texts are by path; notes are place and words. `about` stands behind the file's
    name in messages: the topic.
    """
    return {
        "arrays": {str(name): _parts(np.asarray(x)) for name, x in arrays.items()},
        "names": {path: list(map(str, each)) for path, each in (names or {}).items()},
        "texts": {path: list(map(str, each)) for path, each in (texts or {}).items()},
        "notes": list(notes),
        "about": about,
    }


def refused(why: str, remedy: str) -> dict[str, Any]:
    """Return, as plain data, why a worker cannot read a file."""
    return {"why": why, "remedy": remedy}


def most_bytes(path: Path) -> int:
    """Return how many bytes the arrays of a file may have."""
    return max(HARMLESS, MOST_EXPANDED * path.stat().st_size)


def too_much(path: Path, size: int) -> dict[str, Any]:
    """Return, as plain data, that a file declares more than can be in it."""
    why = f"it would unpack to {size / 2**20:,.0f} MiB, far beyond its own size"
    return refused(why, "Do not trust it; save what is needed alone.")


def need(package: str, doing: str) -> None:
    """Refuse to go on without a package."""
    try:
        there = find_spec(package) is not None
    except (ImportError, ValueError):
        there = False
    if not there:
        raise MissingExtra(doing, package, "logs")


def file_size(path: Path) -> int:
    """Return how many bytes a file, or the files of a folder, have."""
    files = path.rglob("*") if path.is_dir() else [path]
    return sum(file.stat().st_size for file in files if file.is_file())


def first_line(error: object) -> str:
    """Return the beginning of what an error says."""
    return shorten(printable(str(error).partition("\n")[0]), 160)


def _parts(x: np.ndarray) -> tuple[str, tuple[int, ...], bytes]:
    """Return an array as plain data; what is no number keeps its shape alone."""
    if x.dtype.kind == "f":
        x = x.astype(float)
    elif x.dtype.kind not in "iu":
        return "", x.shape, b""
    x = np.ascontiguousarray(x.astype(x.dtype.newbyteorder("=")))
    return x.dtype.str, x.shape, x.tobytes()


def _array(dtype: str, shape: tuple[int, ...], data: bytes) -> np.ndarray:
    if not dtype:
        return np.broadcast_to(np.False_, shape)  # no numbers; only its shape is told
    return np.frombuffer(data, dtype).reshape(shape)
