"""One sentence about the tests that were skipped: how many, and what they lack."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable


def sentences(reasons: Iterable[str]) -> list[str]:
    """Return the sentence for the reasons of all skipped tests; nothing if no test was skipped.

    A reason says what is missing and, after a semicolon or colon, how to get it.
    """
    counts = Counter(reason.removeprefix("Skipped: ").rstrip(".") for reason in reasons)
    if not counts:
        return []
    parts = [f"{count} because {reason}" for reason, count in counts.most_common()]
    return [f"{counts.total()} tests did not run: " + ", ".join(parts) + "."]
