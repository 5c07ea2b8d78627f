"""Logs as columns with names, whatever they come in. Only the columns asked for are read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from qddot.errors import BadArgument, Problem, listing, printable, shorten
from qddot.identification.log import QUANTITIES
from qddot.identification.log_problems import bad_log

Columns = dict[str, np.ndarray]
THE_TABLE = "the table"


@dataclass(frozen=True)
class Table:
    """The columns of a log: their names, and how to read some of them."""

    source: str
    names: tuple[str, ...]
    read: Callable[[Sequence[str]], Columns]
    line: Callable[[int], int | None] = lambda row: None  # of the file, for a row from 0
    notes: tuple[Problem, ...] = ()
    quantity: str = ""  # "q" where the whole table is of one quantity


def tables(source: Any, topic: str) -> list[Table]:
    """Return the tables of a source; several where each quantity has a file of its own."""
    from qddot.simulation.trajectory import Trajectory

    if isinstance(source, Trajectory):
        return [from_motion(source, "a simulated motion")]
    if isinstance(source, (str, Path)):
        return [from_file(Path(source), topic)]
    if isinstance(source, Mapping):
        from dataclasses import replace

        unknown = [str(name) for name in source if name not in QUANTITIES]
        if unknown or not source:
            raise BadArgument(
                f"A file a quantity is for {', '.join(QUANTITIES)}, not for {listing(unknown)}.\n"
                '  Write, for example, {"q": "positions.csv", "tau": "torques.csv"}.'
            )
        return [
            replace(from_file(Path(path), topic), quantity=name) for name, path in source.items()
        ]
    if hasattr(source, "columns") and hasattr(source, "to_numpy"):
        return [from_frame(source)]
    raise BadArgument(
        f"A log is a file (.csv, .parquet, .npz, a ROS 2 bag), a pandas table or a simulated "
        f"motion, not {shorten(printable(repr(source)))} ({type(source).__name__})."
    )


def from_file(path: Path, topic: str) -> Table:
    """Return the table of a file, by the ending of its name."""
    from qddot.identification.log_bag import ENDINGS, from_bag
    from qddot.identification.log_csv import from_csv

    if not path.exists():
        raise bad_log(path, "there is no such file", "Check the name and the folder.")
    ending = path.suffix.lower()
    if path.is_dir() or ending in ENDINGS:
        return from_bag(path, topic)
    readers = {".csv": from_csv, ".txt": from_csv, ".tsv": from_csv}
    readers |= {".parquet": from_parquet, ".npz": from_npz}
    if ending not in readers:
        known = ", ".join([*readers, *ENDINGS])
        raise bad_log(path, "its ending is not that of a log", f"Known are {known}.")
    try:
        return readers[ending](path)
    except OSError as error:
        why = f"it cannot be read: {error.strerror or error}"
        raise bad_log(path, why, "Check its permissions.") from None


def from_motion(motion: Any, source: str) -> Table:
    """Return the table of a simulated motion."""
    from qddot.simulation.table import columns

    found = columns(motion)
    return Table(source, tuple(found), lambda names: {name: found[name] for name in names})


def from_frame(frame: Any) -> Table:
    """Return the table of a pandas DataFrame; an index of times is a column t."""
    source = THE_TABLE
    names = [str(name) for name in frame.columns]
    by_name = {str(name): k for k, name in enumerate(frame.columns)}
    if len(by_name) < len(names):
        twice = sorted({name for name in names if names.count(name) > 1})
        raise bad_log(
            source,
            f"it has the columns {listing(twice, 6)} more than once",
            "Give each column a name of its own.",
        )

    clock = str(frame.index.name or "t")
    timed = frame.index.dtype.kind in "mMf" and clock not in by_name

    def read(wanted: Sequence[str]) -> Columns:
        return {
            name: numeric(frame.iloc[:, by_name[name]] if name in by_name else frame.index, name)
            for name in wanted
        }

    return Table(source, (*names, clock) if timed else tuple(names), read)


def numeric(column: Any, name: str) -> np.ndarray:
    """Return a column of a table as numbers; times of day become seconds."""
    values = np.asarray(column.to_numpy())
    if values.dtype.kind in "mM":
        nanoseconds = values.astype(f"{values.dtype.kind}8[ns]").astype("int64")
        return (nanoseconds - nanoseconds[0]) / 1e9 if len(values) else nanoseconds.astype(float)
    if values.dtype.kind in "fiu":
        return values.astype(float)
    for row, cell in enumerate(values.tolist()):
        if isinstance(cell, bool) or not isinstance(cell, (int, float)):
            raise bad_log(
                THE_TABLE,
                f"row {row + 1}, column {printable(shorten(name, 40))!r} holds "
                f"{printable(shorten(repr(cell), 40))}, not a number",
                "Convert the column: pandas.to_numeric.",
            )
    return values.astype(float)


def from_parquet(path: Path) -> Table:
    """Return the table of a Parquet file."""
    from qddot.simulation.parquet_file import HARMLESS, MOST_EXPANDED, arrow, numbers

    pa, pq = arrow("Reading")
    broken = (pa.ArrowException, ValueError, EOFError, MemoryError)
    try:
        with pq.ParquetFile(path) as file:
            names = tuple(file.schema_arrow.names)
            total = 8 * file.metadata.num_rows * len(names)
    except broken:
        raise damaged(path, "a Parquet file") from None
    if total > max(HARMLESS, MOST_EXPANDED * path.stat().st_size):
        why = f"it would unpack to {total / 2**20:.0f} MiB, far beyond its own size"
        raise bad_log(path, why, "Do not trust it.")

    def read(wanted: Sequence[str]) -> Columns:
        try:
            with pq.ParquetFile(path, page_checksum_verification=True) as file:
                found = file.read(columns=list(wanted))
        except (*broken, OSError):  # which is what a page that was cut gives
            raise damaged(path, "a Parquet file") from None
        return {name: numbers(found.column(name), name, path) for name in wanted}

    return Table(str(path), names, read)


def from_npz(path: Path) -> Table:
    """Return the table of an .npz file: arrays q, qd, tau (k, n) and t (k,), or an array a column.

    An array `joint_names` names their columns; without it they are numbered from 1.
    """
    from qddot.simulation.npz_file import METADATA, check_sizes
    from qddot.simulation.trajectory import load

    try:
        check_sizes(path)
        with np.load(path, allow_pickle=False) as archive:
            found = {name: archive[name] for name in archive.files}
    except OSError:
        raise
    except Exception as error:
        if hasattr(error, "problems"):
            raise
        raise damaged(path, "an .npz file") from None
    if METADATA in found:
        return from_motion(load(path), str(path))
    named = [str(name) for name in np.atleast_1d(found.pop("joint_names", np.array([], str)))]
    columns: Columns = {}
    for name, values in found.items():
        if values.dtype.kind not in "fiu":
            continue
        if values.ndim == 1:
            columns[name] = values.astype(float)
        elif values.ndim == 2:
            n = values.shape[1]
            parts = named if len(named) == n else [str(k + 1) for k in range(n)]
            columns |= {f"{name}.{parts[k]}": values[:, k].astype(float) for k in range(n)}
    return Table(str(path), tuple(columns), lambda names: {name: columns[name] for name in names})


def damaged(path: Path, what: str):
    return bad_log(path, f"it is damaged or not {what}", "Write it again; it may have been cut.")
