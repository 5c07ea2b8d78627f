"""Every estimator on the same logs, in one table: what each leaves of torques, seen and unseen."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from qddot.blas_threads import one_thread
from qddot.errors import BadArgument, QddotError, did_you_mean, printable, shorten
from qddot.identification import AUTO, METHODS
from qddot.identification.estimators import Estimator, estimator
from qddot.identification.validation import errors_by_run
from qddot.plain_text import fitted, table_lines
from qddot.results import json_ready
from qddot.robot import robot_of

if TYPE_CHECKING:
    from qddot.identification.result import Fit

WIDEST = 300  # characters of a reason


@dataclass(frozen=True)
class ComparedMethod:
    """What one estimator came to; relative errors of torques, NaN where there is none."""

    method: str
    fit: Fit | None  # None: it failed
    unseen: float = float("nan")  # on blocks of time that were not fitted
    others: float = float("nan")  # on every row of logs that were not fitted
    seconds: float = float("nan")  # of the search alone; the columns of the log are shared
    why: str = ""  # what is to be said: a failure, a search that did not settle

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        fit = self.fit
        found = [] if fit is None else [fit.relative_error, fit.relative_error_of_rows]
        keys = ("relative_error", "relative_error_of_rows")
        return {
            "method": self.method,
            "status": None if fit is None else fit.status,
            **dict(zip(keys, found or (None, None), strict=True)),
            "unseen_blocks": json_ready(self.unseen),
            "other_logs": json_ready(self.others),
            "condition": None if fit is None else fit.condition,
            "possible": None if fit is None else fit.is_possible,
            "seconds": json_ready(self.seconds),
            "why": self.why,
        }


@dataclass(frozen=True, repr=False)
class MethodTable:
    """Estimators on the same rows of the same logs."""

    methods: tuple[ComparedMethod, ...]

    @property
    def fits(self) -> dict[str, Fit]:
        """Those that succeeded, by method."""
        return {each.method: each.fit for each in self.methods if each.fit is not None}

    @property
    def best(self) -> str:
        """The method with the least error on unseen blocks; "" if none could be tested."""
        tested = [each for each in self.methods if np.isfinite(each.unseen)]
        return min(tested, key=lambda each: each.unseen).method if tested else ""

    def rows(self) -> list[tuple[str, ...]]:
        """Return a head and a row per method, as text."""
        tested = any(np.isfinite(each.others) for each in self.methods)
        head = ["method", "fitted rows", "every row", "unseen blocks"]
        head += ["other logs"] if tested else []
        table: list[tuple[str, ...]] = [(*head, "condition", "can exist", "seconds")]
        for each in self.methods:
            if (fit := each.fit) is None:
                table.append((each.method, "failed", *["-"] * (len(table[0]) - 2)))
                continue
            errors = [fit.relative_error, fit.relative_error_of_rows, each.unseen]
            errors += [each.others] if tested else []
            said = [f"{100 * x:.3g} %" if np.isfinite(x) else "-" for x in errors]
            exists = "yes" if fit.is_possible else "no"
            more = f"{fit.condition:.3g}", exists, f"{each.seconds:.2g}"
            table.append((each.method, *said, *more))
        return table

    @fitted
    def __repr__(self) -> str:
        notes = [f"{each.method}: {each.why}" for each in self.methods if each.why]
        best = f"least error on unseen blocks: {self.best}" if self.best else ""
        return "\n".join([*table_lines(self.rows()), *filter(None, ["", best]), *notes])

    def to_dict(self) -> dict[str, Any]:
        """Return the table as plain data."""
        return {"best": self.best, "methods": [each.to_dict() for each in self.methods]}


def compare_methods(
    robot: Any,
    log: Any,
    methods: Sequence[str] = tuple(METHODS),
    *,
    terms: Sequence[str] = AUTO,
    extra: Any = (),
    validate: Iterable[Any] = (),
    folds: int | str = 5,
    **options: Any,
) -> MethodTable:
    """Return what estimators come to on the same logs, which are read and filtered once.

    Args:
        robot, log, terms, extra: As `identify` takes them.
        methods: Those to compare; by default all that need nothing but a log.
        validate: Prepared logs that are not fitted, on which all are tested.
        folds: Into how many parts the log is divided, each predicted from the others; or "runs".
        options: Of all estimators: `unexcited`, `blocks`, `decimate`.
    """
    known = ("unexcited", "blocks", "decimate")
    for name in options:
        if name not in known:
            raise BadArgument(
                f"Not all methods have an option {name!r}.{did_you_mean(name, known)}\n"
                f"  All have: {', '.join(known)}."
            )
    import scipy.linalg
    import scipy.signal  # noqa: F401 - loaded on first use, which is not counted

    robot, others = robot_of(robot), list(validate)
    shared = {"terms": terms, "extra": extra, **options}
    kinds = {method: estimator(method) for method in methods}
    if not kinds:
        raise BadArgument(f"There is no method to compare; there are: {', '.join(METHODS)}.")
    with one_thread():
        rows = Estimator(robot, **shared).gathered(log)
        return MethodTable(
            tuple(
                _compared(method, kind(robot, **shared), rows, others, folds)
                for method, kind in kinds.items()
            )
        )


def _compared(method: str, way: Any, rows: Any, others: list[Any], folds: Any) -> ComparedMethod:
    began = perf_counter()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # solvers talk; the status says the same
            fit = way.of_rows(rows)
            seconds = perf_counter() - began
            tested = errors_by_run(fit, others) if others else []
    except (QddotError, np.linalg.LinAlgError) as error:
        why = shorten(printable(" ".join(str(error).split())), WIDEST)
        return ComparedMethod(method, None, why=why)
    said = [] if fit.status == "solved" else [fit.status]
    try:
        unseen = float(fit.cross_validation(folds).relative_error)
    except (QddotError, np.linalg.LinAlgError) as error:
        unseen = float("nan")
        said.append(shorten(printable(" ".join(str(error).split())), WIDEST))
    rms = np.sqrt(np.mean([run["every_row"] ** 2 for run in tested])) if tested else np.nan
    return ComparedMethod(method, fit, unseen, float(rms), seconds, "; ".join(said))
