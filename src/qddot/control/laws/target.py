"""What a law is to do: a reference over time, or a place to stay at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from qddot.errors import BadArgument, listing, printable, shorten
from qddot.program.recorder import record
from qddot.scalars import Scalar


@dataclass(frozen=True, eq=False)
class Place:
    """A reference that does not move."""

    q: np.ndarray  # (n,)
    duration: float = 0.0  # [s]

    @property
    def n(self) -> int:
        return len(self.q)

    def at(self, t: Scalar) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return position, rate and acceleration."""
        still = np.zeros(self.n, dtype=int)
        return self.q, still, still


def reference_of(value: Any, parts: Sequence[str], what: str = "reference") -> Any:
    """Return the reference behind what was given: itself, or a place to stay at.

    Args:
        value: What has `at(t)`, giving position, rate and acceleration over any scalar, and `n`;
            or an array, the place to stay at.
        parts: The names of its entries.
        what: What it is called, for messages.

    Raises:
        BadArgument: If it is neither, has another number of entries, or is not finite.
    """
    k = len(parts)
    if callable(getattr(value, "at", None)) and hasattr(value, "n"):
        if value.n != k:
            raise BadArgument(
                f"The {what} has {value.n} entries; it must have {k}, in order: {listing(parts)}."
            )
        return value
    try:
        place = np.array(value, dtype=float)
    except (TypeError, ValueError):
        raise BadArgument(
            f"The {what} is {shorten(repr(value))}; give an array of {k} numbers to stay at, or "
            "a reference with at(t) and n."
        ) from None
    if place.shape != (k,):
        raise BadArgument(
            f"The {what} has shape {place.shape}; it must have shape ({k},), in order: "
            f"{listing(parts)}."
        )
    bad = np.flatnonzero(~np.isfinite(place))
    if len(bad):
        name = printable(str(parts[int(bad[0])]))
        raise BadArgument(f"The {what} of {name!r} is {place[bad[0]]}; it must be finite.")
    return Place(place)


def stays(reference: Any) -> bool:
    """Return whether a reference has one place for all times: its program does not contain t."""
    if isinstance(reference, Place):
        return True
    names = ("position", "velocity", "acceleration")

    def motion(t: Scalar) -> dict[str, Any]:
        return dict(zip(names, reference.at(t), strict=True))

    program = record(motion, "reference", t=())
    if program.steps or 0 in program.results:  # 0 is t itself
        return False
    _, rate, acceleration = (np.asarray(part, dtype=float) for part in reference.at(0.0))
    return not rate.any() and not acceleration.any()
