"""Tables as Parquet, which pandas, DuckDB, MATLAB and most others read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from qddot.errors import BadFile, MissingExtra, printable
from qddot.timeseries import Columns, Table

MARK = "qddot "  # then the kind of the facts: the key of the metadata
MOST_EXPANDED, HARMLESS = 200, 256 * 2**20  # times the file, bytes


def write_parquet(
    path: Path, kind: str, facts: str, names: Sequence[str], rows: np.ndarray
) -> None:
    """Write a new file: facts of a kind, names, and an array of rows."""
    pa, pq = arrow("Writing")
    table = pa.table(list(rows.T.copy()), names=list(names))
    table = table.replace_schema_metadata({f"{MARK}{kind}".encode(): facts.encode()})
    pq.write_table(table, path, use_dictionary=False, write_page_checksum=True)


def read_parquet(path: Path, parts: Mapping[str, Sequence[str]] | None = None) -> Table:
    """Return the table of a file. Its numbers are read when they are asked for.

    Args:
        path: The file.
        parts: The names of the entries of columns that hold lists of numbers; else numbers from 1.
    """
    with _opened(path) as file:
        said = file.schema_arrow.metadata or {}
        lists = {name: width for name in file.schema_arrow.names if (width := _width(file, name))}
        groups = {name: _entry_names(name, n, (parts or {}).get(name)) for name, n in lists.items()}
        where = {
            entry: (name, k)
            for name in file.schema_arrow.names
            for k, entry in enumerate(groups.get(name, (name,)))
        }
        names = tuple(where)
        total = 8 * file.metadata.num_rows * len(names)
        if total > max(HARMLESS, MOST_EXPANDED * path.stat().st_size):
            raise BadFile(
                path,
                f"it would unpack to {total / 2**20:.0f} MiB, far beyond its own size",
                "It was not written by qddot; do not trust it.",
            )
        mark = MARK.encode()
        facts = {
            key.removeprefix(mark).decode(): value.decode()
            for key, value in said.items()
            if key.startswith(mark)
        }

    def read(wanted: Sequence[str]) -> Columns:
        with _opened(path) as file:
            own = dict.fromkeys(where[name][0] for name in wanted)
            read_now = file.read(columns=list(own))
            found = {
                name: _rows(read_now.column(name), name, path, lists[name])
                if name in lists
                else _numbers(read_now.column(name), name, path)[:, None]
                for name in own
            }
            return {name: found[where[name][0]][:, where[name][1]] for name in wanted}

    return Table(str(path), names, read, facts=facts, groups=groups)


def _width(file: Any, name: str) -> int:
    """Return how many numbers each row of a column of lists has; 0 for any other column."""
    import pyarrow as pa

    kind = file.schema_arrow.field(name).type
    if pa.types.is_fixed_size_list(kind):
        return int(kind.list_size)
    if not (pa.types.is_list(kind) or pa.types.is_large_list(kind)):
        return 0
    first = next(file.iter_batches(batch_size=1, columns=[name]), None)
    return len(first.column(0)[0].as_py() or ()) if first is not None and len(first) else 0


def _entry_names(name: str, n: int, parts: Sequence[str] | None) -> tuple[str, ...]:
    known = parts if parts is not None and len(parts) == n else [str(k + 1) for k in range(n)]
    return tuple(f"{name}.{part}" for part in known)


def _rows(column: Any, name: str, path: Path, width: int) -> np.ndarray:
    """Return a column of lists of numbers as an array (k, width)."""
    from pyarrow.compute import call_function

    lengths = call_function("list_value_length", [column]).fill_null(0).to_numpy()
    if (other := np.flatnonzero(lengths != width)).size:
        raise BadFile(
            path,
            f"row {other[0] + 1} of column {printable(name)!r} has {lengths[other[0]]} numbers, "
            f"but the first has {width}",
            "Every row must have as many.",
        )
    return _numbers(call_function("list_flatten", [column]), name, path).reshape(-1, width)


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    pa, pq = arrow("Reading")
    try:
        with pq.ParquetFile(path, page_checksum_verification=True) as file:
            yield file
    except BadFile:
        raise
    except (pa.ArrowException, ValueError, EOFError, MemoryError, OSError) as error:
        if isinstance(error, PermissionError):
            raise
        # a page that was cut gives an OSError too
        raise BadFile(
            path, "it is damaged or not a Parquet file", "Write it again; it may have been cut."
        ) from None


def _numbers(column: Any, name: str, path: Path) -> np.ndarray:
    """Return a column as float64; what is missing, as pandas writes NaN, is NaN."""
    import pyarrow as pa

    kind = column.type
    if not (pa.types.is_floating(kind) or pa.types.is_integer(kind)):
        raise BadFile(
            path, f"column {printable(name)!r} holds {kind}, not numbers", "Save it as float64."
        )
    return np.asarray(column.to_numpy(), dtype=float)


def arrow(doing: str) -> tuple[Any, Any]:
    """Return pyarrow and its Parquet part, or say how to install them."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingExtra(f"{doing} a .parquet file", "pyarrow", "logs") from None
    return pyarrow, pyarrow.parquet
