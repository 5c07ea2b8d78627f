"""Tables as Parquet, which pandas, DuckDB, MATLAB and most others read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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


def read_parquet(path: Path) -> Table:
    """Return the table of a file. Its numbers are read when they are asked for."""
    with _opened(path) as file:
        said = file.schema_arrow.metadata or {}
        names = tuple(file.schema_arrow.names)
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
            read_now = file.read(columns=list(dict.fromkeys(wanted)))
            return {name: _numbers(read_now.column(name), name, path) for name in wanted}

    return Table(str(path), names, read, facts=facts)


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
        lists = pa.types.is_list(kind) or pa.types.is_fixed_size_list(kind)
        remedy = "Give each entry a column of its own." if lists else "Save it as float64."
        raise BadFile(path, f"column {printable(name)!r} holds {kind}, not numbers", remedy)
    return np.asarray(column.to_numpy(), dtype=float)


def arrow(doing: str) -> tuple[Any, Any]:
    """Return pyarrow and its Parquet part, or say how to install them."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingExtra(f"{doing} a .parquet file", "pyarrow", "logs") from None
    return pyarrow, pyarrow.parquet
