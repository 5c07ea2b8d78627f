"""A bound that was proved: two numbers with the true value between them, and the proof."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from qddot.looks import in_notebook
from qddot.plain_text import fitted


@dataclass(frozen=True)
class Bound:
    """An enclosure of the supremum or infimum of a quantity over a box of joint positions."""

    quantity: str  # "M.norm1.max", "g.elbow", ...
    lower: float  # the supremum or infimum is not below
    upper: float  # and not above
    end: str  # which of the two it is: "sup" or "inf"
    attained_at: tuple[float, ...]  # where the inner of the two numbers is attained [rad or m]
    unit: str  # "" where it mixes units
    closed: bool  # whether the gap asked for was reached
    seconds: float
    proof: Mapping[str, Any] = field(repr=False)  # what is needed to check it again

    @property
    def gap(self) -> float:
        """How far apart the two numbers are, relative to the one that is attained."""
        width = self.upper - self.lower
        inner = abs(self.lower if self.end == "sup" else self.upper)
        return width / inner if inner else (float("inf") if width else 0.0)

    @fitted
    def __str__(self) -> str:
        cells = self.proof.get("cells", 0)
        how = f"proved on {cells:,} cells" if cells else "proved"
        open_end = "" if self.closed else ", not as narrow as asked for"
        unit = f" {self.unit}" if self.unit else ""
        return (
            f"{self.end} {self.quantity} ∈ [{self.lower:.8g}, {self.upper:.8g}]{unit}, "
            f"gap {self.gap:.1e}, {how}{open_end}"
        )

    _repr_html_ = in_notebook("certificates.bound_html")
