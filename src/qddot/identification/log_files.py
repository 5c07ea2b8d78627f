"""Logs as columns with names, whatever they come in. Only the columns asked for are read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from qddot.errors import BadArgument, BadFile, BadLog, listing, printable, shorten
from qddot.identification.log import bad_log
from qddot.timeseries import QUANTITIES, Columns, Table, repeated, side_by_side, table_of
from qddot.timeseries.arrays import table_of_arrays
from qddot.timeseries.bag import ENDINGS as BAGS
from qddot.timeseries.bag import read_bag
from qddot.timeseries.csv_file import read_csv
from qddot.timeseries.hdf5_file import read_hdf5
from qddot.timeseries.mat_file import read_mat
from qddot.timeseries.npz_file import read_npy, read_npz
from qddot.timeseries.parquet_file import read_parquet

THE_TABLE = "the table"
PARTS = ("t", *QUANTITIES)  # that may have a file of their own


def tables(source: Any, topic: str = "", time: Any = None) -> list[Table]:
    """Return the tables of a source; several where each quantity has a file of its own."""
    from qddot.simulation.trajectory import Trajectory

    clock = [] if time is None else [of_quantity("t", time, topic)]
    if isinstance(source, Trajectory):
        return [from_motion(source, "a simulated motion"), *clock]
    if isinstance(source, (str, Path)):
        return [from_file(Path(source), topic), *clock]
    if isinstance(source, Mapping):
        unknown = [str(name) for name in source if name not in PARTS]
        if unknown or not source:
            raise BadArgument(
                f"A file per quantity is for {', '.join(PARTS)}, not for {listing(unknown)}.\n"
                '  Write, for example, {"q": "positions.csv", "tau": "torques.csv"}.'
            )
        return [*(of_quantity(name, files, topic) for name, files in source.items()), *clock]
    if hasattr(source, "columns") and hasattr(source, "to_numpy"):
        return [from_frame(source), *clock]
    raise BadArgument(
        f"A log is a file ({', '.join(READERS)}), a pandas table or a simulated motion, not "
        f"{shorten(printable(repr(source)))} ({type(source).__name__})."
    )


def of_quantity(name: str, files: Any, topic: str) -> Table:
    """Return the table of a quantity from its file, or from several side by side."""
    several = [files] if isinstance(files, (str, Path)) else list(files)
    parts = [from_file(Path(path), topic) for path in several]
    return replace(side_by_side(parts), quantity=name)


def from_file(path: Path, topic: str = "") -> Table:
    """Return the table of a file, by the ending of its name."""
    if not path.exists():
        raise bad_log(path, "there is no such file", "Check the name and the folder.")
    with as_a_log(path):
        table = opened(path, topic)

    def read(wanted: Sequence[str]) -> Columns:
        with as_a_log(path):
            return table.read(wanted)

    return replace(table, read=read)


def opened(path: Path, topic: str) -> Table:
    """Return the table of a file or folder that is there."""
    if path.is_dir():
        return read_bag(path, topic)
    ending = path.suffix.lower()
    if ending not in READERS:
        known = ", ".join(READERS)
        raise bad_log(path, "its ending is not that of a log", f"Known are {known}.")
    if ending in BAGS:
        return read_bag(path, topic)
    if topic:
        raise bad_log(path, f"topic is {printable(topic)!r}, but it is no bag", "Give no topic.")
    return READERS[ending](path)


def from_motion(motion: Any, source: str) -> Table:
    """Return the table of a simulated motion."""
    from qddot.simulation.table import columns

    return table_of(source, columns(motion))


def from_frame(frame: Any) -> Table:
    """Return the table of a pandas DataFrame; an index of times is a column t."""
    source = THE_TABLE
    names = [str(name) for name in frame.columns]
    by_name = {str(name): k for k, name in enumerate(frame.columns)}
    check_names(source, names)
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


def from_text(path: Path) -> Table:
    """Return the table of a text file, whatever separates its columns."""
    table = read_csv(path)
    check_names(path, [name for name in table.names if name], table.line(-1))
    return table


def from_npy(path: Path) -> Table:
    """Return the table of an .npy file; the columns of an array (k, n) are called 1 to n."""
    return table_of_arrays(str(path), read_npy(path))


def from_npz(path: Path) -> Table:
    """Return the table of an .npz file: arrays q, qd, tau (k, n) and t (k,), or one per column.

    An array `joint_names` names their columns; without it they are numbered from 1.
    """
    from qddot.simulation.files import METADATA, load

    found = read_npz(path)
    if METADATA in found:
        return from_motion(load(path), str(path))
    words = {name: x for name, x in found.items() if x.dtype.kind == "U"}
    numbers = {name: x for name, x in found.items() if name not in words}
    texts = {name: [str(word) for word in np.atleast_1d(x).ravel()] for name, x in words.items()}
    return table_of_arrays(str(path), numbers, texts=texts)


def check_names(source: object, names: Sequence[str], line: int | None = None) -> None:
    """Refuse columns that cannot be told apart."""
    if twice := sorted(repeated(names)):
        raise bad_log(
            source,
            f"it has the columns {listing(twice, 6)} more than once",
            "Give each column a name of its own.",
            line=line,
        )


@contextmanager
def as_a_log(path: Path) -> Iterator[None]:
    """Tell what is wrong with a file as what is wrong with a log."""
    try:
        yield
    except BadLog:
        raise
    except BadFile as error:
        # the message begins with the file, so it is repeated only for lines
        problems = [each if each.line else replace(each, file="") for each in error.problems]
        raise BadLog(str(path), problems) from None
    except OSError as error:
        why = f"it cannot be read: {error.strerror or error}"
        raise bad_log(path, why, "Check its permissions.") from None


# by the ending of a file's name, what reads it
READERS: dict[str, Callable[[Path], Table]] = {
    **dict.fromkeys((".csv", ".tsv", ".txt", ".dat"), from_text),
    ".parquet": read_parquet,
    ".npz": from_npz,
    ".npy": from_npy,
    ".mat": read_mat,
    **dict.fromkeys((".h5", ".hdf5"), read_hdf5),
    **dict.fromkeys(BAGS, read_bag),
}
