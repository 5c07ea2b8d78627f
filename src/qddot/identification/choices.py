"""What to fit, chosen by prediction: a column is taken only if unseen torques come out better.

Viscous and Coulomb friction and an offset at every joint are fitted in any case, `candidates` says
what else there may be, and `term_search` which of it is taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from qddot.errors import listing
from qddot.identification.base_parameters import structural
from qddot.identification.candidates import Candidate, candidates
from qddot.identification.grouping import Grouping
from qddot.identification.log import Log
from qddot.identification.problem import factors
from qddot.identification.regression import USUAL_TERMS, Extra, Regression, with_terms
from qddot.identification.runs import joined
from qddot.identification.term_search import Choice, TermSearch, UnseenTorques
from qddot.plain_text import fitted, table_lines

BLOCKS = 10  # of time
ENOUGH = 5  # rows of each block and joint, on average
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
        table = table_lines(self.cells(), 4) if self.rows else []
        return "\n".join([self.sentence, *(f"  {line}" for line in table)])

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

    Of each log so many rows per second are kept, filtered [Hz]; None: all.
    """
    usual = Choices(USUAL_TERMS, start.extra)
    if any(log.Y is not None for log in logs):
        return start, replace(usual, note="nothing was chosen: the columns were given")
    if not any(log.tau.any() for log in logs):
        return start, replace(usual, note="nothing was chosen: every torque is zero")
    rows, search = _search(start, list(candidates(start, joined(logs))), logs, rates)
    if search is None:
        note = f"nothing was chosen: {rows} rows are too few to hold some of them back"
        return start, replace(usual, note=note)
    search.run()
    fuller = _with(start, search.taken)
    terms = (*USUAL_TERMS, *(term for c in search.taken for term in c.terms))
    return fuller, Choices(terms, fuller.extra, tuple(search.table()), search.first, search.error)


def _with(start: Regression, taken: Sequence[Candidate]) -> Regression:
    """Return the regression with candidates' columns."""
    more = tuple(term for c in taken for term in c.terms)
    extra = tuple({extra.name: extra for c in taken for extra in c.extra}.values())
    full = with_terms(start.full, more) if more else start.full
    return replace(start, full=full, extra=(*start.extra, *extra))


def _search(
    start: Regression,
    found: Sequence[Candidate],
    logs: Sequence[Log],
    rates: Sequence[float | None],
) -> tuple[int, TermSearch | None]:
    """Return how many rows are looked at, and the search among candidates: None, too few rows."""
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
        return len(samples), None
    unseen = UnseenTorques(parts["blocks"], parts["seen"], counts, len(names))
    return len(samples), TermSearch(unseen, names, len(own), found, start.robot.joint_names)


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
