"""What to fit, chosen by prediction: a column is taken only if unseen torques come out better.

Viscous and Coulomb friction and an offset at every joint are fitted in any case, `candidates` says
what else there may be, and `term_search` which of it is taken. Ripple comes last: harmonics of a
joint's angle whose number is read from what the others leave.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from qddot.errors import BadArgument, IdentificationWarning, listing
from qddot.identification.base_parameters import structural
from qddot.identification.candidates import RIPPLE, Candidate, candidates, ripples
from qddot.identification.grouping import Grouping
from qddot.identification.log import Log
from qddot.identification.problem import factors, problem_of
from qddot.identification.regression import USUAL_TERMS, Extra, Regression, with_terms
from qddot.identification.runs import joined
from qddot.identification.solution import ordinary
from qddot.identification.term_search import Choice, TermSearch
from qddot.identification.unseen import UnseenTorques
from qddot.plain_text import fitted

BLOCKS = 10  # of time
ENOUGH = 5  # rows of each block and joint, on average
ROUGH = 2000  # rows for a first look at the weight of the arm
MOST, LONGEST = 60_000, 200  # rows of the log that are looked at; kept rows times factor, at least


@dataclass(frozen=True, repr=False)
class Choices:
    """What was taken besides friction and offsets, and what each candidate brings."""

    terms: tuple[str, ...]  # for `identify(terms=..., extra=...)`, which then fits the same
    extra: tuple[Extra, ...]
    rows: tuple[Choice, ...] = ()
    before: float = float("nan")  # ‖τ − τ̂‖/‖τ‖ on blocks that were not fitted, of all joints
    after: float = float("nan")
    note: str = ""

    @property
    def taken(self) -> tuple[Choice, ...]:
        """The candidates that were taken."""
        return tuple(row for row in self.rows if row.taken)

    @property
    def sentence(self) -> str:
        """What choosing was worth, in words."""
        if self.note:
            return self.note
        words = "with viscous and Coulomb friction and an offset at every joint, torques that were"
        words += f" not fitted are off by {_percent(self.before)}"
        return words + f", with what was chosen by {_percent(self.after)}" * bool(self.taken)

    def cells(self) -> list[tuple[str, str, str, str]]:
        """Return the table as text, its head first."""
        found = [("chosen", "joints", "error of these joints", "columns, or why not")]
        for row in self.rows:
            change = f"{_percent(row.without)} -> {_percent(row.error)}"
            mark = "yes" if row.taken else "no"
            last = row.why or listing(row.columns, 4)
            found.append((f"{mark:3}  {row.what}", listing(row.joints, 4), change, last))
        return found

    @fitted
    def __str__(self) -> str:
        lines, table = [self.sentence], self.cells() if self.rows else []
        widths = [max(len(row[k]) for row in table) for k in range(3)] if table else []
        for row in table:
            cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
            lines.append("  ".join(["", *cells, row[-1]]).rstrip())
        return "\n".join(lines)

    __repr__ = __str__

    def to_dict(self) -> dict[str, Any]:
        """Return them as plain data."""
        return {
            "terms": list(self.terms),
            "extra": [extra.name for extra in self.extra],
            "before": self.before,
            "after": self.after,
            "note": self.note,
            "candidates": [row.to_dict() for row in self.rows],
        }


def _percent(error: float) -> str:
    return f"{100 * error:.3g} %"


def choose(
    start: Regression, logs: Sequence[Log], rates: Sequence[float | None]
) -> tuple[Regression, Choices]:
    """Return the regression with what predicts better, and how that was found.

    Args:
        start: What is fitted in any case.
        logs: The rows, with accelerations and torques, a log per run.
        rates: Rows per second that are kept of each log, filtered [Hz]; None: all.
    """
    usual = Choices(USUAL_TERMS, start.extra)
    if any(log.Y is not None for log in logs):
        return start, replace(usual, note="nothing was chosen: the columns were given")
    if not any(log.tau.any() for log in logs):
        return start, replace(usual, note="nothing was chosen: every torque is zero")
    found = list(candidates(start, joined(logs), _gravity(start, logs)))
    first = _Look.at(start, found, logs, rates)
    if first.search is None:
        rows = len(first.samples)
        note = f"nothing was chosen: {rows} rows are too few to hold some of them back"
        return start, replace(usual, note=note)
    search = first.search
    search.run()
    before, rest = search.first, [row for row in search.table() if not row.taken]
    fuller = _with(start, search.taken)
    if waves := list(ripples(fuller, first.samples, first.residual())):
        more = _Look.at(start, [*search.taken, *waves], logs, rates).search
        if more is not None:
            more.take(search.taken)
            more.run()
            fuller, search = _with(start, more.taken), more
            rest = [row for row in more.table() if row.what == RIPPLE and not row.taken] + rest
    terms = (*USUAL_TERMS, *(term for c in search.taken for term in c.terms))
    table = [row for row in search.table() if row.taken] + rest
    return fuller, Choices(terms, fuller.extra, tuple(table), before, search.error)


def _with(start: Regression, taken: Sequence[Candidate]) -> Regression:
    """Return the regression with candidates' columns."""
    more = tuple(term for c in taken for term in c.terms)
    extra = tuple({extra.name: extra for c in taken for extra in c.extra}.values())
    full = with_terms(start.full, more) if more else start.full
    return replace(start, full=full, extra=(*start.extra, *extra))


@dataclass(frozen=True)
class _Look:
    """All columns that may be taken, at the rows that are looked at, and the search among them."""

    every: Regression
    samples: Log
    search: TermSearch | None  # None: too few rows

    @staticmethod
    def at(
        start: Regression,
        found: Sequence[Candidate],
        logs: Sequence[Log],
        rates: Sequence[float | None],
    ) -> _Look:
        found = [c for c in found if not set(c.names) & set(start.names)]
        every = _with(start, found)
        samples = joined(_samples(every, logs, rates))
        own = [start.names[k] for k in structural(start).kept]
        names = [*own, *(name for name in every.names if name not in start.names)]
        place = {name: k for k, name in enumerate(every.names)}
        kept = Grouping(tuple(place[name] for name in names), (), np.zeros((0, 0)), {})
        parts = factors(every, kept, samples, blocks=BLOCKS)
        counts = parts["counts"]
        each = counts.sum(axis=0)
        each = each[each > 0]  # a joint whose torque never counts shows nothing
        few = each.sum() < 2 * len(own) or each.min() < ENOUGH * BLOCKS
        if few or len(counts) < BLOCKS // 2:
            return _Look(every, samples, None)
        unseen = UnseenTorques(parts["blocks"], parts["seen"], counts, len(names))
        joints = start.robot.joint_names
        return _Look(every, samples, TermSearch(unseen, names, len(own), found, joints))

    def residual(self) -> np.ndarray:
        """Return what the columns that were taken leave of the torques, shape (k, n)."""
        assert self.search is not None
        phi = np.zeros(len(self.every.names))
        for name, value in self.search.values().items():
            phi[self.every.names.index(name)] = value
        return self.samples.tau - self.every.torque(self.samples, phi)


def _gravity(start: Regression, logs: Sequence[Log]) -> Any:
    """Return the torques of the arm's weight as a rough first fit has it, by q; None if none."""
    rows = joined([log[:: max(1, len(logs) * len(log) // ROUGH)] for log in logs])
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", IdentificationWarning)  # said when all rows are fitted
            problem = problem_of(start, rows, "merge", 1)
    except BadArgument:  # what is wrong with the log is said when it is fitted
        return None
    bodies = 10 * len(start.robot.tree.bodies)
    phi = problem.all_parameters(ordinary(problem).beta)[:bodies]
    last: list[np.ndarray] = []

    def gravity(q: np.ndarray) -> np.ndarray:
        if not last or last[0] is not q:  # joints ask one after the other
            still = np.zeros((len(q), start.robot.n))
            last[:] = q, start.full.regressor(q, still, still)[..., :bodies] @ phi
        return last[1]

    return gravity


def _samples(every: Regression, logs: Sequence[Log], rates: Sequence[float | None]) -> list[Log]:
    """Return the rows that are looked at: all of short logs, stretches of long ones."""
    found = []
    for log, rate in zip(logs, rates, strict=True):
        most = MOST // len(logs)
        if rate is None:
            found.append(log[:: -(-len(log) // most)])
            continue
        most = max(most, LONGEST * round(log.rate / rate))
        size = most // BLOCKS
        firsts = np.linspace(0, len(log) - size, BLOCKS).astype(int)
        pieces = [log] if len(log) <= most else [log[at : at + size] for at in firsts]
        found += [every.filtered(piece, rate) for piece in pieces]
    return found
