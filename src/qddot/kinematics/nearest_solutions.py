"""What the search for the nearest joint positions found, and what it did not, in words."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from qddot.errors import BadArgument, listing, printable
from qddot.kinematics.damped_step import MATCHES
from qddot.kinematics.hindrance import Hindrance
from qddot.kinematics.nearest import PoseSearch
from qddot.kinematics.poses import proper_poses
from qddot.model.units import all_for_people
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
    robot: Any
    search: PoseSearch
    target: np.ndarray | None = None  # (..., 12), R row by row and p; None where all is found

    @property
    def frame(self) -> str:
        """The name of the frame."""
        return self.search.task.frame

    @property
    def match(self) -> str:
        """What of the pose counts."""
        return self.search.task.match

    @property
    def pose(self) -> np.ndarray:
        """Where the frame is at `q`, (..., 4, 4)."""
        return self.robot.pose(self.q, self.frame)

    @property
    def hindrance(self) -> Hindrance:
        """What keeps the frame from its pose, or makes it hard to move on; of one pose."""
        if self.found.ndim:
            raise BadArgument("What hinders is said of one pose: ask for it alone.")
        target = proper_poses(self.pose) if self.target is None else self.target
        names = self.robot.joint_names
        return self.search.hindrances.at(target, self.q, bool(self.found), names)

    def required(self) -> np.ndarray:
        """Return `q` if every pose was found.

        If one was not, BadArgument says which, how close the frame comes, and where it is then.
        """
        if np.all(self.found):
            return self.q
        raise BadArgument(self.missed())

    def to_dict(self) -> dict[str, Any]:
        """Return the same as plain values, of one pose or many."""
        names = self.robot.model.position_names
        hinders = {} if self.found.ndim else {"hindrance": asdict(self.hindrance)}
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
            **hinders,
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
        which = "its pose"
        if place:
            which = f"pose {place[0] if len(place) == 1 else place} (of {self.found.size})"
        hinders = "" if place or not self.hindrance else f" What hinders: {self.hindrance}."
        several = f" {len(wrong)} poses of {self.found.size} were not found." if place else ""
        return (
            f"Frame {printable(self.frame)!r} of {printable(self.robot.name)!r} was not brought to "
            f"{which} within the limits: it comes within {away:.3g} m and {turn:.3g} rad of "
            f"it, at ({where}) with q = {at}.{hinders}{several}\n  {self._advice(place)}"
        )

    def _advice(self, place: tuple[int, ...]) -> str:
        """Return what to do about the first pose that was not found, by what hinders it."""
        assert self.target is not None  # as it is wherever a pose was not found
        target = self.target[place]
        if self.search.hindrances.in_millimetres(target):
            return "Its position looks like millimetres: positions are in m, so divide by 1000."
        hindrance = Hindrance() if place else self.hindrance
        if (held := hindrance.limits) and self._without_limits(target):
            return (
                f"Without the limits of {listing([printable(name) for name in held])} it is "
                "reached: widen them, or take a pose within them."
            )
        asked, carrying = MATCHES[self.match], len(self.search.task.joints)
        if carrying < asked:
            what = {6: "a pose", 5: "a position and an axis"}.get(asked, f"a {self.match}")
            count = "1 joint carries" if carrying == 1 else f"{carrying} joints carry"
            return (
                f"{count} it, and {what} asks for {asked} numbers: take a pose that it can have, "
                "or ask for less, as for the position alone: match 'position'."
            )
        if hindrance.reach and not held:
            return "Take a pose within reach, or another place of the base."
        return "Take a pose within reach, wider limits, more starts, or another place of the base."

    def _without_limits(self, target: np.ndarray) -> bool:
        """Return whether a pose is found where joints have no limits."""
        task, X = self.search.task, np.eye(4)
        X[:3, :3], X[:3, 3] = target[:9].reshape(3, 3), target[9:]
        how: dict[str, Any] = {"match": task.match, "weights": task.weights}
        return bool(
            self.robot.inverse_kinematics(X, task.frame, near=self.q, limits=False, **how).found
        )

    @fitted
    def __repr__(self) -> str:
        """Return the solution of one pose; of many, how many were found."""
        if self.found.ndim:
            return f"<{int(self.found.sum())} of {self.found.size} poses found, q {self.q.shape}>"
        return self.text()

    def text(self, degrees: bool = False) -> str:
        """Return the solution of one pose as rows, its angles in degrees if so asked."""
        if not self.found:
            return self.missed()
        model, (turn, away) = self.robot.model, self.error
        unit, factors = all_for_people(model.position_units, degrees)
        found = zip(model.position_names, self.q * factors, strict=True)
        rows = [f"  {name:<24} {x: .{4 if degrees else 6}f}" for name, x in found]
        return "\n".join([f"found, to {away:.1g} m and {turn:.1g} rad; q [{unit}]:", *rows])

    _repr_html_ = in_notebook("kinematics.nearest_html")
