"""Arrays with names, as MATLAB, HDF5 and NumPy keep them, as columns of one table.

One length is that of the rows: the longest that arrays with half of all numbers share. Arrays lie
either way round; what has other lengths is left out with a note.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from qddot.errors import BadFile, Problem, listing
from qddot.timeseries import Columns, Table

NAMES = re.compile(r"(joint_?|motor_?|column_?)?names?|joints?", re.I)  # arrays of text
SHOWN = 8


def table_of_arrays(
    source: str,
    arrays: Mapping[str, np.ndarray],
    names: Mapping[str, Sequence[str]] | None = None,
    texts: Mapping[str, Sequence[str]] | None = None,
    notes: Sequence[Problem] = (),
) -> Table:
    """Return the columns of arrays: "<array>" of shape (k,), "<array>.<part>" of shape (k, n).

    Arrays, and the names of their parts, are by path, "data/q"; an array without a name is "". An
    array is called by the last part of its path, "q" of "data/q", where no other one is; else by
    all of it, "data.q". Parts without names are numbered from 1. Texts are arrays of words:
    `joint_names` names the parts of all arrays as long as it. The source is for messages; the notes
    are known already.
    """
    plain = {path: np.squeeze(x) for path, x in arrays.items() if x.dtype.kind in "fiu"}
    plain = {path: x for path, x in plain.items() if x.ndim in (1, 2) and x.size}
    rows = length_of_rows(list(plain.values()))
    said = names or {}
    for_all = [list(each) for path, each in (texts or {}).items() if NAMES.fullmatch(_last(path))]
    alone = Counter(map(_last, plain))
    columns: Columns = {}
    groups: dict[str, tuple[str, ...]] = {}
    turned = []
    for path, x in plain.items():
        if rows not in x.shape:
            continue
        if x.ndim == 2 and x.shape[0] != rows:
            x, turned = x.T, [*turned, _dotted(path)]
        name = _last(path) if alone[_last(path)] == 1 else _dotted(path)
        if x.ndim == 1:
            columns[name or "1"] = x
            groups |= dict.fromkeys((path, _dotted(path)), (name or "1",))
            continue
        n = x.shape[1]
        fitting = [each for each in (said.get(path, ()), *for_all) if len(each) == n]
        parts = [str(part) for part in fitting[0]] if fitting else [str(k + 1) for k in range(n)]
        own = tuple(f"{name}.{part}" if name else part for part in parts)
        columns |= {column: x[:, k] for k, column in enumerate(own)}
        groups |= dict.fromkeys((path, _dotted(path), name), own)
    if not columns:
        there = [f"{_dotted(path) or 'an array'} {_shape(x)}" for path, x in arrays.items()]
        raise BadFile(
            source,
            f"it has no rows of numbers. It has: {listing(there, SHOWN) or 'nothing'}",
            "Save positions and torques as arrays of shape (k, n): one row per time.",
        )
    found = list(notes)
    left = [f"{_dotted(path)} {_shape(x)}" for path, x in arrays.items() if path not in groups]
    if left and columns:
        what = f"arrays that do not have {rows} rows, left out: {listing(left, SHOWN)}"
        found.append(Problem("note", "arrays", what, ""))
    if turned:
        what = f"their rows lie along the second dimension: {listing(turned, SHOWN)}"
        found.append(Problem("note", "arrays", what, ""))
    return Table(
        source,
        tuple(columns),
        lambda wanted: {name: columns[name].astype(float) for name in wanted},
        notes=tuple(found),
        groups={name: those for name, those in groups.items() if name},
    )


def length_of_rows(arrays: Sequence[np.ndarray]) -> int:
    """Return the longest dimension that arrays share which hold half of all numbers."""
    total = sum(x.size for x in arrays)
    holding = {d: sum(x.size for x in arrays if d in x.shape) for x in arrays for d in x.shape}
    return max((d for d, size in holding.items() if 2 * size >= total), default=0)


def _last(path: str) -> str:
    return path.rpartition("/")[2]


def _dotted(path: str) -> str:
    return path.replace("/", ".")


def _shape(x: np.ndarray) -> str:
    kind = "" if x.dtype.kind in "fiu" else ", no real numbers"
    return f"({' × '.join(map(str, x.shape))}{kind})"
