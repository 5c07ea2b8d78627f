"""Checks of the options that estimators take."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np

from qddot.errors import BadArgument, did_you_mean, shorten

Range = tuple[float | None, float | None]


def whole(value: Any) -> bool:
    """Return whether a value is a whole number."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def check_belief(belief: Any) -> None:
    """Refuse a belief that is no share."""
    if not (isinstance(belief, Real) and 0 < float(belief) < np.inf):
        raise BadArgument(
            f"belief is {shorten(repr(belief))}; give a share above 0, finite: 1 is 100 %."
        )


def check_blocks(blocks: Any) -> None:
    """Refuse a count of blocks that is none."""
    if not whole(blocks) or blocks < 1:
        raise BadArgument(f"blocks is {shorten(repr(blocks))}; give a whole number from 1.")


def check_decimate(rate: Any) -> None:
    """Refuse a rate of rows that is none."""
    if rate is not None and not (_number(rate) and float(rate) > 0):
        raise BadArgument(
            f"decimate is {shorten(repr(rate))}; give rows a second above 0, 'auto', or None for "
            "every row."
        )


def check_names(options: Iterable[str], known: Sequence[str], method: str) -> None:
    """Refuse options that a method does not have."""
    for name in options:
        if name not in known:
            raise BadArgument(
                f"The method {method!r} has no option {name!r}.{did_you_mean(name, known)}\n"
                f"  It has: {', '.join(known)}."
            )


def by_name(what: str, given: Any) -> Mapping[str, Any]:
    """Return what is given by joint."""
    if not isinstance(given, Mapping):
        raise BadArgument(f"{what} is {shorten(repr(given))}; give ranges by joint: {{'j1': ...}}.")
    return given


def as_range(what: str, within: Any) -> Range:
    """Return the least and the largest value, None where there is no bound."""
    pair = isinstance(within, (tuple, list, np.ndarray)) and len(within) == 2
    if not pair or not all(x is None or _number(x) for x in within):
        raise BadArgument(
            f"{what} is {shorten(repr(within))}; give the least and the largest, (4, 6), with None "
            "where there is no bound."
        )
    low, high = (None if x is None else float(x) for x in within)
    if low is not None and high is not None and low > high:
        raise BadArgument(
            f"{what} is {shorten(repr(within))}: {low:.6g} is above {high:.6g}.\n"
            "  Give the least first."
        )
    return low, high


def _number(x: Any) -> bool:
    return isinstance(x, Real) and not isinstance(x, bool) and bool(np.isfinite(float(x)))
