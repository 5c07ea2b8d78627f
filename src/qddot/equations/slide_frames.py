"""Which parts of a document stand together on a slide."""

from __future__ import annotations

from collections.abc import Sequence

from qddot.equations.document import DocumentSection, Item, Words
from qddot.equations.formulas import Equation
from qddot.equations.layout import SLIDE

MOST_LINES = 13.0  # of words and formulas on a slide of several steps
LETTERS = 80  # in a line of words
GAP = 1.5  # lines above and below a formula


def frames_of(section: DocumentSection) -> list[list[Item]]:
    """Return what each slide of a section shows: words, then the formula that they announce.

    Steps that are short share a slide with the next ones, as many as it has room for.
    """
    frames: list[list[Item]] = []
    waiting: list[Item] = []
    for item in section.items:
        waiting.append(item)
        if not isinstance(item, (str, Words)):
            if frames and lines([*frames[-1], *waiting]) <= MOST_LINES:
                frames[-1] += waiting
            else:
                frames.append(waiting)
            waiting = []
    if waiting and frames:
        frames[-1] += waiting
    elif waiting:
        frames.append(waiting)
    return frames


def lines(items: Sequence[Item]) -> float:
    """Return about how many lines of a slide these take; a table or a picture takes them all."""
    total = 0.0
    for item in items:
        match item:
            case Equation():
                rows = item.rows(SLIDE)
                total += GAP + sum(1 + line.count("\\\\") for _, line in rows)
            case str() | Words():
                total += 1 + len(item if isinstance(item, str) else item.words) // LETTERS
            case _:
                total += MOST_LINES
    return total
