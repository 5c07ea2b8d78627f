"""A sweep on disk: how far it is, its table read as far as it is asked for, figures of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from qddot.errors import BadArgument, did_you_mean, listing, printable, shorten
from qddot.plain_text import fitted
from qddot.results import Judged, in_notebook, look
from qddot.robot import Robot, load
from qddot.sweeps.columns import GIVEN
from qddot.sweeps.folder import FAILED, MANIFEST, ROBOT, Folder, is_readable, read_manifest
from qddot.sweeps.summary import Summary, summary_of
from qddot.sweeps.unit import pyarrow

if TYPE_CHECKING:
    import pyarrow as arrow
    from matplotlib.figure import Figure
    from pyarrow.dataset import Dataset


class Sweep(Judged):
    """The runs of a plan that are finished, as a table on disk: one row per run.

    Nothing is read before it is asked for; `dataset` is that of pyarrow, for whatever else.
    """

    def __init__(self, folder: Folder, manifest: Mapping[str, Any]):
        self._folder, self.manifest = folder, manifest

    # how far it is

    @property
    def folder(self) -> Path:
        """Where it is kept."""
        return self._folder.path

    @property
    def runs(self) -> int:
        """How many runs the plan has."""
        return self.manifest["runs"]

    @property
    def units(self) -> int:
        """How many units they are cut into."""
        return self.manifest["units"]

    @cached_property
    def parts(self) -> tuple[Path, ...]:
        """The files of the units that are finished, in order."""
        found, _ = self._folder.found()
        return tuple(path for unit, path in sorted(found.items()) if unit < self.units)

    @property
    def done(self) -> int:
        """How many units are finished."""
        return len(self.parts)

    @property
    def progress(self) -> float:
        """The share of the units that is finished."""
        return self.done / self.units

    @property
    def complete(self) -> bool:
        """Whether every unit is finished."""
        return self.done == self.units

    @cached_property
    def failed(self) -> Mapping[int, str]:
        """The units that raised when they were last tried, with their words."""
        found = self._folder.read_json(FAILED) or {}
        return {int(unit): str(words) for unit, words in found.items()}

    @property
    def problems(self) -> tuple[str, ...]:
        """The units that failed, and how many are missing besides."""
        missing = self.units - self.done - len(self.failed)
        failed = [f"unit {unit} failed: {words}" for unit, words in self.failed.items()]
        return (*failed, *([f"{missing:,} of {self.units:,} units are missing"] * (missing > 0)))

    # what is in it

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(each["name"] for each in self.manifest["columns"])

    @property
    def varied(self) -> tuple[str, ...]:
        """The columns that say what runs were given."""
        own = [each["name"] for each in self.manifest["columns"]
               if each["words"] == GIVEN]  # fmt: skip
        return (*(["control"] if "control" in self.columns else []), *own)

    @property
    def grid(self) -> tuple[str, ...]:
        """The columns that are axes of the grid."""
        keys = self.manifest["grid"]
        return tuple(name for name in self.varied if name in keys
                     or any(name.startswith(f"{key}.") for key in keys))  # fmt: skip

    def unit_of(self, column: str) -> str:
        """Return the unit of a column: "rad", "N·m"."""
        self._check([column])
        return next(c["unit"] for c in self.manifest["columns"] if c["name"] == column)

    @cached_property
    def robot(self) -> Robot:
        """The robot, as it was when the sweep began."""
        return load(self._folder.path / ROBOT)

    @cached_property
    def dataset(self) -> Dataset:
        """The parts as one dataset of pyarrow, of which nothing has been read."""
        if not self.parts:
            words = next(iter(self.failed.values()), "Run the sweep again: it goes on.")
            first = shorten(printable(words).partition("\n")[0], 200)
            raise BadArgument(f"No unit of {self._folder} is finished yet.\n  {first}")
        pyarrow()
        from pyarrow import dataset

        kind = dataset.ParquetFileFormat(
            default_fragment_scan_options=dataset.ParquetFragmentScanOptions(
                page_checksum_verification=True
            )
        )
        with self._reading():
            return dataset.dataset([str(path) for path in self.parts], format=kind)

    def table(self, columns: Sequence[str] | None = None, filter: Any = None) -> arrow.Table:
        """Return some columns of some runs, and read no others.

        Args:
            columns: Their names; all if not given.
            filter: Which runs: an expression of `pyarrow.dataset`, or comparisons that all hold,
                like [("payload.tool", ">", 2.0), ("finite", "==", True)].

        Returns:
            A table of pyarrow; `.to_pandas()` makes a DataFrame of it.
        """
        self._check(columns or ())
        names = None if columns is None else list(columns)
        with self._reading():
            return self.dataset.to_table(columns=names, filter=self._filter(filter))

    def batches(
        self, columns: Sequence[str] | None = None, filter: Any = None
    ) -> Iterator[arrow.RecordBatch]:
        """Yield the same as `table` in pieces that fit into memory, in the order of the runs."""
        self._check(columns or ())
        names = None if columns is None else list(columns)
        with self._reading():
            yield from self.dataset.to_batches(
                columns=names, filter=self._filter(filter), batch_readahead=1, fragment_readahead=1
            )

    def column(self, name: str, filter: Any = None) -> np.ndarray:
        """Return one column as an array, shape (runs,)."""
        return self.table([name], filter)[name].to_numpy()

    def motion(self, run: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return t, q and q̇ of a run whose motion was kept, shapes (k,), (k, n) and (k, n)."""
        t = np.array(self.manifest["motion"])
        if not len(t):
            raise BadArgument('No motions were kept; add "motion" to keep in the plan.')
        names = {kind: [c for c in self.columns if c.startswith(f"motion.{kind}.")]
                 for kind in ("q", "qd")}  # fmt: skip
        rows = self.table([*names["q"], *names["qd"]], [("run", "==", int(run))])
        if not rows.num_rows:
            raise BadArgument(f"There is no run {run}, or its unit is not finished.")
        parts = {kind: np.array([rows[c][0].as_py() for c in found]).T
                 for kind, found in names.items()}  # fmt: skip
        return t, parts["q"], parts["qd"]

    def summary(
        self, columns: Sequence[str] | None = None, by: str | None = None, filter: Any = None
    ) -> Summary:
        """Return how the runs are spread: mean, standard deviation, quantiles, extremes.

        Args:
            columns: Of which columns; of all that hold one number per run if not given.
            by: A column whose values part the runs into groups: "control", or an axis of the grid.
            filter: Which runs, as in `table`.
        """
        self._check([*(columns or ()), *([by] if by else [])])
        return summary_of(self, columns, by, filter)

    def plot(
        self,
        y: str,
        x: str | None = None,
        *,
        by: str | None = None,
        filter: Any = None,
        path: str | Path | None = None,
    ) -> Figure:
        """Return a figure of a column: how it is spread, or how it depends on another.

        Args:
            y: The column.
            x: What it is drawn over; over how many runs have it if not given. Over an axis of the
                grid, the median and where nine of ten runs are.
            by: A column whose values are drawn apart: "control", or an axis of the grid.
            filter: Which runs, as in `table`.
            path: A .png, .svg or .pdf file to write it to as well.
        """
        self._check([name for name in (y, x, by) if name is not None])
        return look("figures.sweeps.figure")(self, y, x, by, filter, path)

    # how it looks

    def to_dict(self) -> dict[str, Any]:
        """Return how far it is, as plain values."""
        counts = {name: getattr(self, name) for name in ("runs", "units", "done", "complete")}
        failed = {str(unit): words for unit, words in self.failed.items()}
        name = self.manifest["robot"].get("name")
        return {"folder": str(self.folder), "robot": name, **counts, "failed": failed}

    @fitted
    def __repr__(self) -> str:
        how = "complete" if self.complete else f"{self.done:,} of {self.units:,} units"
        worse = f", {len(self.failed)} failed" if self.failed else ""
        name = printable(str(self.manifest["robot"].get("name", "")))
        return f"<Sweep of {name!r}: {self.runs:,} runs, {how}{worse}, in {self._folder}>"

    _repr_html_ = in_notebook("simulation.sweep_html")

    # inside

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Say what to do about a part that cannot be read."""
        try:
            yield
        except (OSError, pyarrow().ArrowException) as error:
            why = shorten(printable(str(error)).partition("\n")[0], 200)
            damaged = [path.name for path in self.parts if not is_readable(path)]
            names = ", ".join(damaged) or "A part"
            raise BadArgument(
                f"{names} of {self._folder} cannot be read: {why}\n"
                f"  Remove it from {self._folder}/parts, then give the same command again: what is "
                "missing is computed anew."
            ) from None

    def _check(self, names: Sequence[str]) -> None:
        if isinstance(names, str):
            raise BadArgument(f"columns is {names!r}; give a list of names: [{names!r}].")
        for name in names:
            if name not in self.columns:
                raise BadArgument(
                    f"The sweep has no column {printable(str(name))!r}."
                    f"{did_you_mean(str(name), self.columns)}\n  It has: {listing(self.columns)}."
                )

    def _filter(self, given: Any) -> Any:
        if given is None:
            return None
        from pyarrow import dataset, parquet

        if isinstance(given, dataset.Expression):
            return given
        try:
            rows = [given] if isinstance(given, tuple) else list(given)
            self._check([name for name, _, _ in rows])
            return parquet.filters_to_expression(rows)
        except (TypeError, ValueError) as error:
            if isinstance(error, BadArgument):
                raise
            raise BadArgument(
                f'filter is {given!r}; give comparisons like [("payload.tool", ">", 2.0)].'
            ) from None


def load_sweep(folder: str | Path) -> Sweep:
    """Return the sweep in a folder, finished or not.

    Raises:
        BadArgument: If there is none, or its manifest cannot be read.
    """
    place = Folder(folder)
    manifest = read_manifest(place)
    if manifest is None:
        raise BadArgument(
            f"{place} holds no sweep: there is no {MANIFEST} in it.\n"
            "  `qddot sweep plan.toml -o FOLDER` makes one."
        )
    return Sweep(place, manifest)
