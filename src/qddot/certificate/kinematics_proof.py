"""What is proved about the solutions of an inverse kinematics problem, and how it is written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from qddot.certificate.bound import Box
from qddot.errors import printable
from qddot.results import in_notebook
from qddot.robot import Robot


@dataclass(frozen=True)
class KinematicsProof:
    """What is proved about the solutions of an inverse kinematics problem.

    `status` is "exact" (these are all solutions), "unreachable" (there is none), "singular" (a
    curve of solutions), or "undecided"; `str` says it in words.
    """

    robot: Robot
    frame: str
    match: str  # "pose" or "position"
    within: float  # the poses meant: each entry differs from X's by at most this
    box: Box  # where solutions were looked for
    status: str
    q: np.ndarray  # (k, n): the solutions that are proved [rad or m]
    radius: np.ndarray  # (k,): of each pose meant, the solution is within q ± radius
    for_each: bool  # whether each pose meant has them; else some pose does, and others at most
    at_limits: np.ndarray  # (j, n): solutions at a limit, inside or outside
    left: float  # how much of the box is undecided, of its volume
    why: str  # why it is
    boxes: int  # how many were looked at
    seconds: float

    @property
    def proved(self) -> bool:
        """Whether the number of solutions is proved."""
        return self.status in ("exact", "unreachable")

    def __str__(self) -> str:
        count = len(self.q)
        some = f"{count} solution{'' if count == 1 else 's'}"
        what = f"{printable(self.robot.name)}, {self.match} of {printable(self.frame)}: "
        words = {
            "exact": f"exactly {some}, proved",
            "unreachable": "proved unreachable within the joint ranges",
            "singular": f"singular, {self.why}",
            "undecided": f"undecided, {self.why}",
        }[self.status]
        lines = [what + words]
        if not self.proved:
            lines.append(f"  {self.left:.1e} of the box is left; {some} outside of that, proved")
        for q, radius in zip(self.q, self.radius, strict=True):
            entries = ", ".join(f"{x:.6f}" for x in q)
            lines.append(f"  q = ({entries}) ± {radius:.1e}")
        each = "each pose" if self.for_each else "what of the poses the arm can take"
        lines.append(
            f"  for {each} within {self.within:g} of X, up to whole turns; "
            f"{self.boxes:,} boxes, {self.seconds:.2g} s"
        )
        return "\n".join(lines)

    _repr_html_ = in_notebook("certificates.kinematics_proof_html")

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values, for JSON."""
        return {
            "robot": self.robot.name,
            "frame": self.frame,
            "match": self.match,
            "within": self.within,
            "box": [list(pair) for pair in zip(self.box.lower, self.box.upper, strict=True)],
            "status": self.status,
            "proved": self.proved,
            "q": self.q.tolist(),
            "radius": self.radius.tolist(),
            "for_each": self.for_each,
            "at_limits": self.at_limits.tolist(),
            "left": self.left,
            "why": self.why,
            "boxes": self.boxes,
            "seconds": self.seconds,
        }
