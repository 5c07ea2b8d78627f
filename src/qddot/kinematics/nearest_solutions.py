"""What the search for the nearest joint positions found, and what it did not, in words."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from qddot.errors import BadArgument, printable
from qddot.kinematics.damped_step import MATCHES
from qddot.plain_text import fitted
from qddot.results import in_notebook


@dataclass(frozen=True, eq=False, repr=False)
class NearestSolutions:
    """For each pose the nearest joint positions found; where none is, the closest that there are.

    `found` is true only where the frame is at its pose within the tolerance and every joint within
    its limits.
    """

    q: np.ndarray  # (..., n) [rad or m]
    found: np.ndarray  # (...)
    error: np.ndarray  # (..., 2), what is missing: an angle [rad] and a distance [m]
    robot: Any = field(repr=False)
    frame: str = field(repr=False)
    match: str = field(repr=False, default="pose")
    carrying: int = field(repr=False, default=0)  # how many joints carry the frame

    @property
    def pose(self) -> np.ndarray:
        """Where the frame is at `q`, (..., 4, 4)."""
        return self.robot.pose(self.q, self.frame)

    def required(self) -> np.ndarray:
        """Return `q` if every pose was found.

        Raises:
            BadArgument: If one was not: which, how close the frame comes, and where it is then.
        """
        if np.all(self.found):
            return self.q
        raise BadArgument(self.missed())

    def to_dict(self) -> dict[str, Any]:
        """Return the same as plain values, of one pose or many."""
        names = self.robot.model.position_names
        return {
            "robot": self.robot.name,
            "frame": self.frame,
            "match": self.match,
            "found": self.found.tolist(),
            "q": self.q.tolist(),
            "joints": list(names),
            "missing_rad": self.error[..., 0].tolist(),
            "missing_m": self.error[..., 1].tolist(),
            "pose": self.pose.tolist(),
        }

    def missed(self) -> str:
        """Return in words how close the frame comes to the first pose that was not found."""
        wrong = np.argwhere(~np.asarray(self.found))
        if not len(wrong):
            return ""
        place = tuple(int(i) for i in wrong[0])
        turn, away = self.error[place]
        where = ", ".join(f"{x:.4g}" for x in self.pose[place][:3, 3])
        at = ", ".join(f"{x:.4g}" for x in self.q[place])
        which = f" {place[0] if len(place) == 1 else place} (of {self.found.size})" if place else ""
        several = f" {len(wrong)} poses of {self.found.size} were not found." if place else ""
        return (
            f"Frame {printable(self.frame)!r} of {printable(self.robot.name)!r} was not brought to "
            f"pose{which} within the limits: it comes within {away:.3g} m and {turn:.3g} rad of "
            f"it, at ({where}) with q = {at}.{several}\n  {self._advice()}"
        )

    def _advice(self) -> str:
        asked = MATCHES[self.match]
        if self.carrying < asked:
            what = {6: "a pose", 5: "a position and an axis"}.get(asked, f"a {self.match}")
            count = "1 joint carries" if self.carrying == 1 else f"{self.carrying} joints carry"
            return (
                f"{count} it, and {what} asks for {asked} numbers: take a pose that it can have, "
                "or ask for less, as match='position' does."
            )
        return "Take a pose within reach, wider limits, more starts, or another place of the base."

    @fitted
    def __repr__(self) -> str:
        """Return the solution of one pose; of many, how many were found."""
        if self.found.ndim:
            return f"<{int(self.found.sum())} of {self.found.size} poses found, q {self.q.shape}>"
        if not self.found:
            return self.missed()
        names = self.robot.model.position_names
        rows = [f"  {name:<24} {x: .6f}" for name, x in zip(names, self.q, strict=True)]
        turn, away = self.error
        head = f"found, to {away:.1g} m and {turn:.1g} rad; q [rad or m]:"
        return "\n".join([head, *rows])

    _repr_html_ = in_notebook("kinematics.nearest_html")
