"""A matrix C beside the known factorisations of c: which it nearly is, and what is wrong in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container
from contextlib import suppress
from dataclasses import dataclass, replace

from qddot.equations.answers.comparison import AnswerComparison, decided
from qddot.equations.answers.explaining import by_words
from qddot.equations.answers.mistakes import wrong_terms
from qddot.equations.answers.verdict import Explanation
from qddot.equations.polynomial import WorkLimitReached, at_most
from qddot.equations.proofs import CORIOLIS

WORK = 5e6  # products of terms, for all factorisations together
SURE = ("sign", "term_sign", "term_missing")  # slips of which a row may have several


@dataclass(frozen=True)
class NearFactorisation:
    """A factorisation that an answer is, but for slips in single entries."""

    words: str
    case: AnswerComparison  # the answer beside it
    found: list[bool | None]  # of every entry, whether it is equal
    mistakes: list[Explanation]


def nearest_factorisation(
    case: AnswerComparison, wrong_rows: Container[int]
) -> NearFactorisation | None:
    """Return the factorisation from which an answer differs in the fewest entries.

    It counts only if every difference is a slip in a term, and in a row in which C q̇ is wrong: C is
    not unique, and an entry in a row that is right is no mistake. Other factors in several entries
    of a row are no slips: they may be a factorisation of somebody's own.

    Args:
        case: The answer beside a right C.
        wrong_rows: The rows in which C q̇ is not c, from 0.
    """
    near: list[NearFactorisation] = []
    with suppress(WorkLimitReached), at_most(WORK):
        for name, C in case.equations.coriolis_matrices().items():
            beside = replace(case, value=C)
            found = decided(beside.left(beside.right()))
            mistakes = _slips(beside, found, wrong_rows)
            if mistakes:
                near.append(NearFactorisation(CORIOLIS[name][0], beside, found, mistakes))
    return min(near, key=lambda each: each.found.count(False), default=None)


def _slips(
    case: AnswerComparison, found: list[bool | None], wrong_rows: Container[int]
) -> list[Explanation]:
    """Return the slip in each entry that differs; nothing if they are not all plain ones."""
    right, n = case.right(), case.equations.n
    left = case.left(right)
    wrong = [k for k, equal in enumerate(found) if not equal]
    in_row = Counter(k // n for k in wrong)
    slips: dict[int, tuple[str, str]] = {}
    for k in wrong:
        slip = wrong_terms(left[k], right[k], "C") if isinstance(case.bottoms[k], int) else None
        if slip is None or k // n not in wrong_rows:
            return []
        if in_row[k // n] > 1 and slip[0] not in SURE:
            return []
        slips[k] = slip
    return by_words(slips, case)
