"""Motions as Parquet, which pandas, DuckDB, MATLAB and most others read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from qddot.errors import BadFile, MissingExtra, printable
from qddot.simulation.about import About, from_columns, from_json, to_json
from qddot.simulation.csv_file import check_names
from qddot.simulation.table import gathered

KEY = b"qddot trajectory"
MOST_EXPANDED, HARMLESS = 200, 256 * 2**20  # times the file, bytes


def write_parquet(path: Path, facts: About, numbers: dict[str, np.ndarray]) -> None:
    pa, pq = arrow("Writing")
    names = [column for those in facts.layout.values() for column in those]
    table = pa.table(list(np.hstack(list(numbers.values())).T.copy()), names=names)
    table = table.replace_schema_metadata({KEY: to_json(facts).encode()})
    pq.write_table(table, path, use_dictionary=False, write_page_checksum=True)


def read_parquet(path: Path) -> tuple[About, dict[str, np.ndarray]]:
    pa, pq = arrow("Reading")
    try:
        with pq.ParquetFile(path, page_checksum_verification=True) as file:
            rows, names = file.metadata.num_rows, list(file.schema_arrow.names)
            total = 8 * rows * len(names)
            if total > max(HARMLESS, MOST_EXPANDED * path.stat().st_size):
                raise BadFile(
                    path,
                    f"it would unpack to {total / 2**20:.0f} MiB, far beyond its own size",
                    "It was not written by qddot; do not trust it.",
                )
            said = (file.schema_arrow.metadata or {}).get(KEY)
            facts = from_columns(names) if said is None else from_json(said, path)
            check_names(names, facts, path)
            wanted = [column for those in facts.layout.values() for column in those]
            table = file.read()
            found = {name: numbers(table.column(name), name, path) for name in wanted}
    except (pa.ArrowException, ValueError, EOFError, MemoryError, OSError) as error:
        if isinstance(error, BadFile):
            raise
        raise BadFile(
            path, "it is damaged or not a Parquet file", "Write it again; it may have been cut."
        ) from None
    return facts, gathered(facts.layout, found, rows)


def numbers(column: Any, name: str, path: Path) -> np.ndarray:
    """Return a column as float64; what is missing, as pandas writes NaN, is NaN."""
    import pyarrow as pa

    kind = column.type
    if not (pa.types.is_floating(kind) or pa.types.is_integer(kind)):
        raise BadFile(
            path, f"column {printable(name)!r} holds {kind}, not numbers", "Save it as float64."
        )
    return np.asarray(column.to_numpy(), dtype=float)


def arrow(doing: str) -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingExtra(f"{doing} a .parquet file", "pyarrow", "logs") from None
    return pyarrow, pyarrow.parquet
