"""What keeps a frame from a pose, or makes it hard to move on: limits, reach, a singular position.

At the closest position that the limits allow, no joint can bring the frame nearer: Jᵀe, with e what
is missing, is zero for joints within their limits, and points outwards at a limit that holds a
joint back (W. Karush, H. Kuhn and A. Tucker's condition).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from qddot.backends.kernel import Kernel
from qddot.dynamics.kinematics import path
from qddot.errors import listing, printable
from qddot.kinematics.damped_step import TARGET, PoseTask
from qddot.kinematics.solutions import SLACK
from qddot.kinematics.starts import Starts
from qddot.program.optimise import optimised
from qddot.program.recorder import record

SINGULAR = 0.01  # smallest singular value of J, beside the largest, that is next to a singular one
NONE = 1e-9  # the same, of a direction in which the frame never moves
LOOKS = 32  # positions that say how many directions there are
PRESSED = 1e-3  # what of Jᵀe, in parts of |J| |e|, presses a joint against its limit
FAR = 30.0  # times its reach: farther away, a position may be meant in millimetres
STILL = 0.02  # the same of joints that could go on and have no reason to


@dataclass(frozen=True)
class Hindrance:
    """What keeps a frame from its pose; a singular position is also told where it got there."""

    reach: bool = False  # no joint that is free brings it nearer, or it is farther than all links
    limits: tuple[str, ...] = ()  # joints that would bring it nearer if their limits let them
    singular: bool = False  # nearly: some directions take a hundred times the rates of others

    def __bool__(self) -> bool:
        return self.reach or self.singular or bool(self.limits)

    def __str__(self) -> str:
        names = listing([printable(name) for name in self.limits])
        words = ["out of reach"] if self.reach else []
        words += [f"held by the limits of {names}"] if self.limits else []
        words += ["next to a singular position"] if self.singular else []
        return ", ".join(words) or "nothing"


@dataclass(frozen=True)
class Hindrances:
    """Looks for what hinders a task."""

    task: PoseTask

    def at(self, target: np.ndarray, q: np.ndarray, found: bool, names: Sequence[str]) -> Hindrance:
        """Return what hinders at positions q (n,) that are on the way to a pose (12,), or there."""
        task = self.task
        at = q[task.joints]
        J, e = self._kernel(at, np.concatenate([target, at]))
        sizes = np.linalg.svd(J, compute_uv=False)
        rank = self._rank
        singular = not rank or bool(sizes[rank - 1] <= SINGULAR * sizes[0])
        if found:
            return Hindrance(singular=singular)
        largest = float(np.linalg.norm(J, axis=0).max() * np.linalg.norm(e))
        push = (J.T @ e) / (largest or 1.0)  # 0: what counts never moves
        low, high = (x[task.joints] for x in task.bounds)
        held = (at <= low + SLACK) & (push < -PRESSED) | (at >= high - SLACK) & (push > PRESSED)
        which = tuple(names[task.joints[k]] for k in np.flatnonzero(held))
        still = not which and bool(np.abs(push).max() < STILL)
        return Hindrance(still or self._too_far(target), which, singular)

    @cached_property
    def _kernel(self) -> Kernel:
        m = len(self.task.joints)
        shapes = {"q": (m,), "constants": (TARGET + m,)}

        def missing(q: np.ndarray, constants: np.ndarray) -> dict[str, np.ndarray]:
            e, J = self.task.missing(q, constants)
            return {"J": J, "e": e}

        return Kernel(optimised(record(missing, f"missing of {self.task.frame}", **shapes)))

    @cached_property
    def _rank(self) -> int:
        """In how many directions that count the frame moves, singular positions apart."""
        at = Starts(self.task).positions[:LOOKS]
        ahead = np.tile(np.eye(4)[:3, :3].reshape(9), (len(at), 1))
        J, _ = self._kernel(at, np.concatenate([ahead, np.zeros((len(at), 3)), at], axis=1))
        sizes = np.linalg.svd(J, compute_uv=False)
        return int((sizes > NONE * sizes[:, :1]).sum(axis=1).max())

    def in_millimetres(self, target: np.ndarray) -> bool:
        """Return whether a pose is so far away that its position seems to be in millimetres."""
        return self.task.match != "rotation" and bool(
            FAR * self.task.reach < self._distance(target) <= 1000 * self.task.reach
        )

    def _distance(self, target: np.ndarray) -> float:
        """Return how far a pose is from the first joint [m]."""
        tree = self.task.tree
        first = tree.bodies[path(tree, tree.frame(self.task.frame)[0])[0]].X_PJ.p
        return float(np.linalg.norm(target[9:TARGET] - np.array(first, dtype=float)))

    def _too_far(self, target: np.ndarray) -> bool:
        """Return whether a pose is farther away than all links in a row, of an arm of turns."""
        tree = self.task.tree
        bodies = [tree.bodies[i] for i in path(tree, tree.frame(self.task.frame)[0])]
        if self.task.match == "rotation" or not all(body.turns for body in bodies):
            return False
        return self._distance(target) > self.task.reach
