"""Results in words and tables: one fit, or several side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from qddot.errors import BadArgument, printable, shorten
from qddot.identification.verdict import deviation, percent, unknown_deviations
from qddot.looks import in_notebook
from qddot.plain_text import fitted

if TYPE_CHECKING:
    from qddot.identification.result import Fit

WIDEST = 60  # characters of a parameter's name


def summary(fit: Fit) -> str:
    """Return what there is to say of a fit, in a few lines."""
    problem = fit.problem
    robot = problem.regression.robot
    rms = ", ".join(f"{x:.3g}" for x in fit.rms)
    lines = [
        f"{fit.method} of {printable(robot.name)!r}: {len(fit.values)} base parameters from "
        f"{fit.count} samples ({fit.status})",
        f"  relative torque error {100 * fit.relative_error:.3g} %, RMS a joint [{rms}]",
        f"  {error_words(fit)}",
        f"  condition number {fit.condition:.3g}",
    ]
    if problem.base.lost:
        lines.append(f"  not shown in the log: {', '.join(problem.base.lost)}")
    if fit.removed:
        lines.append(f"  removed as badly known: {', '.join(fit.removed)}")
    bad = [n for n, s in zip(fit.names, fit.relative_deviations, strict=True) if s > 50]
    if bad:
        lines.append(f"  known to worse than 50 %: {shorten(', '.join(bad), 200)}")
    if why := unknown_deviations(fit):
        lines.append(f"  {why}")
    lines += [f"  doubt: {doubt}" for doubt in fit.doubts]
    return "\n".join(lines)


def error_words(fit: Fit) -> str:
    """Return what the error means, and what it is on every row where fewer were fitted."""
    words = f"the model {fit.verdict}"
    if fit.decimated is None:
        return words
    every = f"{100 * fit.relative_error_of_rows:.3g} % on every row of the log"
    return f"{fit.decimated:.3g} rows a second were fitted; {every}; {words}"


def table(fit: Fit) -> str:
    """Return the values of a fit with their deviations, one a line."""
    rows = [("parameter", "value", "deviation", "%")]
    for name, value, s, share in zip(
        fit.names, fit.values, fit.deviations, fit.relative_deviations, strict=True
    ):
        rows.append((shorten(name, WIDEST), f"{value:.5g}", deviation(s), percent(value, share)))
    return _aligned(rows)


@dataclass(frozen=True)
class Comparison:
    """Several fits side by side."""

    fits: dict[str, Fit]

    @property
    def names(self) -> tuple[str, ...]:
        """The base parameters of any of them."""
        return tuple(dict.fromkeys(name for fit in self.fits.values() for name in fit.names))

    def rows(self) -> list[tuple[str, ...]]:
        """Return a head, a row a parameter, and what the fits are worth, as text."""
        titles = list(self.fits)
        rows: list[tuple[str, ...]] = [("parameter", *titles)]
        for name in self.names:
            rows.append((shorten(name, WIDEST), *(_cell(f, name) for f in self.fits.values())))
        rows.append(
            ("relative error [%]", *(f"{100 * f.relative_error:.4g}" for f in self.fits.values()))
        )
        rows.append(("condition number", *(f"{f.condition:.4g}" for f in self.fits.values())))
        joints = next(iter(self.fits.values())).problem.regression.robot.joint_names
        for i, joint in enumerate(joints):
            rows.append((f"RMS {joint}", *(f"{f.rms[i]:.4g}" for f in self.fits.values())))
        return rows

    @fitted
    def __str__(self) -> str:
        return _aligned(self.rows())

    __repr__ = __str__

    _repr_html_ = in_notebook("identification.comparison_html")

    def to_dict(self) -> dict[str, Any]:
        """Return the fits as plain data."""
        return {title: fit.to_dict() for title, fit in self.fits.items()}


def compare(results: Mapping[str, Any] | Sequence[Any]) -> Comparison:
    """Return fits, or fitted estimators, side by side; by name, or in a list."""
    if isinstance(results, Mapping):
        named = [(str(name), _fit(result)) for name, result in results.items()]
    else:
        named = [(_fit(result).method, _fit(result)) for result in results]
    if not named:
        raise BadArgument("There is nothing to compare; give fits, by name or in a list.")
    fits: dict[str, Fit] = {}
    for title, fit in named:
        count = sum(1 for other in fits if other.split(" #")[0] == title)
        fits[f"{title} #{count + 1}" if count else title] = fit
    sizes = {fit.problem.regression.robot.joint_names for fit in fits.values()}
    if len(sizes) > 1:
        raise BadArgument("These fits are of robots with different joints; compare like with like.")
    return Comparison(fits)


def _fit(result: Any) -> Fit:
    return getattr(result, "fitted", result)


def _cell(fit: Fit, name: str) -> str:
    if name not in fit.names:
        return "0" if name in fit.removed else "-"
    k = fit.names.index(name)
    s = fit.deviations[k]
    return f"{fit.values[k]:.4g}" + (f" ± {s:.1g}" if np.isfinite(s) else "")


def _aligned(rows: Sequence[Sequence[str]]) -> str:
    """Return rows as text, the first column to the left, the others to the right."""
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    lines = []
    for row in rows:
        first, *rest = row
        cells = [cell.rjust(w) for cell, w in zip(rest, widths[1:], strict=True)]
        lines.append("  ".join([first.ljust(widths[0]), *cells]).rstrip())
    return "\n".join(lines)
