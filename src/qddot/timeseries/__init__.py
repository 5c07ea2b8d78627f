"""Columns of numbers with names, in memory or in files: CSV, Parquet, .npz."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from qddot.errors import BadFile, Problem

QUANTITIES = ("q", "qd", "qdd", "tau")  # that joints have, as columns are named after them

Columns = dict[str, np.ndarray]


@dataclass(frozen=True)
class Table:
    """The names of some columns, and how to read some of them."""

    source: str
    names: tuple[str, ...]
    read: Callable[[Sequence[str]], Columns]
    # of the file, for a row from 0; of the names, for −1
    line: Callable[[int], int | None] = lambda row: None
    notes: tuple[Problem, ...] = ()
    facts: Mapping[str, str] = field(default_factory=dict)  # what qddot wrote besides, by kind
    quantity: str = ""  # "q" where the whole table is of one quantity


def table_of(source: str, columns: Columns) -> Table:
    """Return the table of columns in memory."""
    return Table(source, tuple(columns), lambda names: {name: columns[name] for name in names})


def by_joint(what: str, joints: Sequence[str], rows: np.ndarray) -> Columns:
    """Return the columns of a quantity, "<what>.<joint>", from an array of shape (k, n)."""
    return {f"{what}.{joint}": rows[:, k] for k, joint in enumerate(joints)}


def repeated(names: Sequence[str]) -> set[str]:
    """Return the names that are there more than once."""
    seen: set[str] = set()
    return {name for name in names if name in seen or seen.add(name)}


@contextmanager
def reading(path: Path, what: str, endings: Sequence[str]) -> Iterator[str]:
    """Yield the ending of a file that is to be read; say as a `BadFile` why it cannot be.

    Args:
        path: The file.
        what: What it is to hold: "a motion".
        endings: Those that such a file may have.
    """
    kind = path.suffix.lower()
    if kind not in endings:
        raise BadFile(path, f"it is not a file of {what}", f"Known are {', '.join(endings)}.")
    if not path.exists():
        raise BadFile(path, "there is no such file", "Check the name and the folder.")
    if not path.is_file():
        raise BadFile(path, "it is not a file", "Name the file itself.")
    try:
        yield kind
    except UnicodeDecodeError:
        raise BadFile(path, "it is not text in UTF-8", "Write it again with `save`.") from None
    except OSError as error:
        why = f"it cannot be read: {error.strerror or error}"
        raise BadFile(path, why, "Check its permissions.") from None
