"""How runs are spread: figures of every column, from as little memory as that takes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from qddot.errors import BadArgument, printable, shorten
from qddot.plain_text import fitted, table_lines
from qddot.results import in_notebook

if TYPE_CHECKING:
    from qddot.sweeps.result import Sweep

MOST_VALUES = 10_000_000  # of a column, in memory for quantiles; of more, every so many
MOST_GROUPS = 200
QUANTILES = {"p05": 0.05, "median": 0.5, "p95": 0.95}


@dataclass(frozen=True)
class Spread:
    """How the values of one column are spread; those that are not finite are only counted."""

    count: int  # finite ones
    missing: int  # others
    mean: float
    std: float  # of the population of runs
    min: float
    p05: float
    median: float
    p95: float
    max: float


@dataclass(frozen=True, repr=False)
class Summary:
    """The spreads of columns; of groups of runs, if they were parted."""

    groups: Mapping[Any, Mapping[str, Spread]]  # one without a name where they were not
    by: str | None = None

    def __getitem__(self, key: Any) -> Any:
        return self.groups[None][key] if self.by is None else self.groups[key]

    def lines(self) -> list[tuple[str, ...]]:
        """Return the rows of a table, its heading first."""
        names = [each.name for each in fields(Spread)]
        head = ([] if self.by is None else [self.by]) + ["column", *names]
        found = [tuple(head)]
        for group, columns in self.groups.items():
            for column, spread in columns.items():
                first = [] if self.by is None else [_said(group)]
                numbers = [_said(getattr(spread, name)) for name in names]
                found.append((*first, column, *numbers))
        return [tuple(shorten(printable(x), 32) for x in line) for line in found]

    @fitted
    def __str__(self) -> str:
        return "\n".join(table_lines(self.lines(), 1 if self.by is None else 2))

    __repr__ = __str__

    def to_dict(self) -> Any:
        """Return the same as plain data, by group and column."""
        found = {str(group): {name: vars(x) for name, x in columns.items()}
                 for group, columns in self.groups.items()}  # fmt: skip
        return found["None"] if self.by is None else found

    _repr_html_ = in_notebook("simulation.summary_html")


def summary_of(sweep: Sweep, columns: Sequence[str] | None, by: str | None, filter: Any) -> Summary:
    """Return the summary of a sweep's columns, one column in memory at a time."""
    kinds = {each["name"]: each["kind"] for each in sweep.manifest["columns"]}
    names = columns or [name for name, kind in kinds.items()
                        if kind in ("float", "bool")]  # fmt: skip
    for name in names:
        if kinds[name] not in ("float", "bool", "int"):
            raise BadArgument(f"{name} holds no numbers; leave it out of the summary.")
    total = sweep.dataset.count_rows(filter=sweep._filter(filter))
    every = max(1, -(-total // MOST_VALUES))
    groups: dict[Any, dict[str, Spread]] = {}
    for name in names:
        for group, spread in _spreads(sweep, name, by, filter, every).items():
            groups.setdefault(group, {})[name] = spread
    return Summary(groups or {None: {}}, by)


def _spreads(sweep: Sweep, name: str, by: str | None, filter: Any, every: int) -> dict[Any, Spread]:
    """Return the spread of one column, by group, from one pass over its batches."""
    kept: dict[Any, list[np.ndarray]] = {}
    sums: dict[Any, StreamedMoments] = {}
    at = 0
    for batch in sweep.batches([name, *([by] if by and by != name else [])], filter):
        x = batch[name].to_numpy(zero_copy_only=False).astype(float)
        for group, own in _parted(batch, by, len(x)):
            sums.setdefault(group, StreamedMoments()).add(x[own])
            chosen = own if every == 1 else own[(at + own) % every == 0]
            kept.setdefault(group, []).append(x[chosen])
        if len(sums) > MOST_GROUPS:
            raise BadArgument(
                f"{by} has more than {MOST_GROUPS} values; part the runs by an axis of the grid."
            )
        at += len(x)
    found = {}
    for group in sorted(sums, key=lambda value: (value is None, value)):
        values = np.concatenate(kept[group])
        values = values[np.isfinite(values)]
        places = np.quantile(values, [*QUANTILES.values()]) if len(values) else [np.nan] * 3
        found[group] = sums[group].spread(dict(zip(QUANTILES, map(float, places), strict=True)))
    return found


def _parted(batch: Any, by: str | None, count: int) -> Iterator[tuple[Any, np.ndarray]]:
    if by is None:
        yield None, np.arange(count)
        return
    keys = np.array(batch[by].to_pylist())
    for key in np.unique(keys):
        yield key.item(), np.flatnonzero(keys == key)


class StreamedMoments:
    """Count, mean, squares and extremes of values that come in pieces."""

    def __init__(self) -> None:
        self.count, self.missing = 0, 0
        self.mean, self.squares = 0.0, 0.0
        self.low, self.high = np.inf, -np.inf

    def add(self, values: np.ndarray) -> None:
        """Add some values.

        Two means and two sums of squared deviations make one of both (Chan et al., 1979).
        """
        good = values[np.isfinite(values)]
        self.missing += len(values) - len(good)
        if not len(good):
            return
        mean, count = float(good.mean()), self.count + len(good)
        apart = mean - self.mean
        self.squares += float(((good - mean) ** 2).sum())
        self.squares += apart**2 * self.count * len(good) / count
        self.mean += apart * len(good) / count
        self.count = count
        self.low, self.high = min(self.low, float(good.min())), max(self.high, float(good.max()))

    def spread(self, places: Mapping[str, float]) -> Spread:
        """Return the figures, with quantiles that were found otherwise."""
        if not self.count:
            return Spread(0, self.missing, *[np.nan] * 7)
        std = float(np.sqrt(self.squares / self.count))
        ends = {"min": self.low, "max": self.high}
        return Spread(count=self.count, missing=self.missing, mean=self.mean, std=std,
                      **ends, **places)  # fmt: skip


def _said(value: Any) -> str:
    return f"{value:.5g}" if isinstance(value, float) else str(value)
