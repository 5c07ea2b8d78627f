"""What a theorem relies on: a statement, whether it is so (yes, no, or open), and why.

Most rely on a law's model being the arm. A robot may be described in many ways: with other link
frames, with a mass on one side of a joint or on the other. What is compared does not depend on
that: the screw of every joint in the base's axes at q = 0, torques at random states, and what else
torques depend on, as numbers. `wrong_model` makes a model that is not the arm, to test laws with.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Any, NamedTuple

import numpy as np

from qddot.checks import number
from qddot.dynamics.friction import offset_torque
from qddot.dynamics.kinematics import body_poses, pose
from qddot.dynamics.rnea import elastic_torque, gravity_torque, rigid_body_torque
from qddot.errors import NotNumeric
from qddot.model.friction import PARAMETERS
from qddot.model.tree import Tree
from qddot.plain_text import fitted
from qddot.robot import Robot
from qddot.scalars import JointVec

VERDICTS = {True: "yes", False: "no", None: "open"}
SAME = 1e-12  # relative: numbers that differ by less are one number in another notation
STATES = 16
RIGID = ("joints", "lengths", "inertia", "gravity", "rotor inertia")
RUBBING = {p.name.replace("_", " "): p for p in PARAMETERS}
NOT_LINEAR = tuple(name for name, p in RUBBING.items() if not p.column)
ALL = (*RIGID, *RUBBING, "springs")
STILL = ("joints", "lengths", "holding torque")  # all that an arm at rest shows


class Assumption(NamedTuple):
    """Something that a law's theorem relies on, decided for an arm and, after a run, for it."""

    statement: str
    holds: bool | None  # None: open, that is not decided
    why: str

    @property
    def verdict(self) -> str:
        """Whether it holds, as a word."""
        return VERDICTS[self.holds]

    @fitted
    def __str__(self) -> str:
        return f"{self.statement}: {self.verdict} ({self.why})"


class Rows(NamedTuple):
    """The rows of a run, one per instant: assumptions are decided on them afterwards."""

    t: np.ndarray  # (k,) [s]
    q: np.ndarray  # (k, n)
    qd: np.ndarray  # (k, n)
    error: np.ndarray  # (k, m), of the law
    V: np.ndarray | None  # (k,), where the law has a Lyapunov function


def verdict(assumptions: tuple[Assumption, ...] | list[Assumption]) -> bool | None:
    """Return False if one of them fails, else None if one of them is open, else True."""
    decided = [each.holds for each in assumptions]
    return False if False in decided else None if None in decided else True


def right_model(
    law: Any, robot: Robot | None, what: Sequence[str] = ALL, frame: str | None = None
) -> Assumption:
    """Return whether the law's model equals the arm in what the proof needs, of `ALL` and `STILL`.

    An arm that is not given is the law's own model; `frame` is the one that the law moves.
    """
    statement = "The law's model is the arm"
    if set(what) == set(STILL):
        statement = "The law's model has the lengths of the arm and its torques at rest"
    found = differences(law.robot, robot or law.robot, what, frame)
    why = "; ".join(each.why for each in found) or "all their numbers are the same"
    return Assumption(statement, not found, why)


def one_place(law: Any) -> Assumption:
    """Return whether a law's reference is one place."""
    why = "it does not move" if law.stays else "it moves; the proof is for one that does not"
    return Assumption("The reference is a set point", law.stays, why)


class Difference(NamedTuple):
    """One thing in which two robots differ, and by how much."""

    what: str
    why: str


def differences(
    mine: Robot, arm: Robot, what: Sequence[str] = ALL, frame: str | None = None
) -> list[Difference]:
    """Return in what of `ALL` and `STILL` a law's model differs from an arm; nothing if in none.

    A frame, if one is given, must be at the same place of the same body, too.
    """
    if mine is arm or mine.model == arm.model:
        return []
    if mine.joint_names != arm.joint_names:
        return [Difference("joints", "their joints differ in number, name or order")]
    return [each for each in _found(mine, arm, frame) if each.what in what]


def _found(mine: Robot, arm: Robot, frame: str | None) -> Iterator[Difference]:
    one, other = mine.tree, arm.tree
    if len(one.bodies) != len(other.bodies) or _carriers(one) != _carriers(other):
        yield Difference("lengths", "their joints hang together in another way")
        return
    turned = apart(_screws(one), _screws(other))
    if turned > SAME:
        yield Difference("lengths", f"joint axes differ by {turned:.1e} of their size")
    if frame is not None:
        yield from _frame(one, other, frame)
    turning = {"rotor_inertia": one.rotor_inertia, "shared": one.shared}
    like = replace(other, gravity=one.gravity, **turning)
    if (off := _compared(one, like, 3, rigid_body_torque)) > SAME:
        yield Difference(
            "inertia", f"inertial parameters differ, torques by {off:.1e} of their size"
        )
    for name, of in (("gravity", "gravity"), ("rotor inertia", "rotor_matrix")):
        if (off := apart(getattr(one, of), getattr(other, of))) > SAME:
            yield Difference(name, f"{name} differs by {off:.1e} of its size")
    yield from _rubbing(one, other)
    for name, words, torque in (
        ("springs", "torques of springs", elastic_torque),
        ("holding torque", "gravity, springs and offsets", _holding),
    ):
        if (off := _compared(one, other, 2, torque)) > SAME:
            yield Difference(name, f"{words} differ by {off:.1e} of their size")


def _rubbing(one: Tree, other: Tree) -> Iterator[Difference]:
    """Yield how friction differs, at the joints and at motors that several of them share."""
    pairs = list(zip_longest(one.shafts, other.shafts))
    for name, p in RUBBING.items():
        values = [[s.friction.compared[p.name] if s else 0.0 for s in pair] for pair in pairs]
        felt = [  # the same law along another direction is another
            [np.multiply(x, s.direction if s else 0, dtype=float) + 0 * np.arange(one.n)
             for s, x in zip(pair, row, strict=True)]
            for pair, row in zip(pairs, values, strict=True)
        ]  # fmt: skip
        first, second = np.array(felt).reshape(-1, 2, one.n).swapaxes(0, 1)
        if apart(first, second) > SAME:
            i = int(np.argmax(np.abs(first - second).max(axis=1)))
            word = name if "velocity" in name else f"{name} friction"
            of = next(shaft.name for shaft in pairs[i] if shaft)
            said = f"{word} of {of} is {values[i][1]:g}"
            yield Difference(name, f"{said}, in the law's model {values[i][0]:g}")


def apart(a: Any, b: Any) -> float:
    """Return the largest difference of two arrays, relative to their largest entry."""
    a, b = np.array(a, float), np.array(b, float)
    if a.shape != b.shape:
        return np.inf
    size = max(np.abs(a).max(initial=0), np.abs(b).max(initial=0))
    return float(np.abs(a - b).max(initial=0) / size) if size else 0.0


def no_gravity(robot: Robot) -> bool:
    """Return whether gravity pulls at no joint, wherever the arm is.

    g is a polynomial in cosines and sines, so that one that is zero at places chosen at random is
    zero everywhere.
    """
    tree = robot.tree
    places = tree.from_neutral(_states(tree.n, 1)[:, 0])
    found = np.array([gravity_torque(tree, q) for q in places], float)
    size = np.linalg.norm(np.array(tree.gravity, float)) * max(
        (np.abs(np.array(b.inertia.parameters[:4], float)).max() for b in tree.bodies), default=0.0
    )
    return bool(np.abs(found).max(initial=0) <= SAME * size)


def _carriers(tree: Tree) -> list[tuple[int, int, bool]]:
    pairs = zip(tree.bodies, tree.drives, strict=True)
    return [(body.parent, drive.index, body.turns) for body, drive in pairs]


def _screws(tree: Tree) -> np.ndarray:
    """Return the screw of every body's joint at q = 0, in base axes, a row each."""
    rows = []
    poses = body_poses(tree, tree.neutral)
    for i, (body, drive) in enumerate(zip(tree.bodies, tree.drives, strict=True)):
        rows += [poses[i].motion(drive.ratio * S) for S in body.joint.S.T]
    return np.array(rows, float)


def _frame(one: Tree, other: Tree, frame: str) -> Iterator[Difference]:
    if frame not in other.frames:
        yield Difference("lengths", f"the arm has no frame {frame!r}")
        return
    first, second = (pose(tree, tree.neutral, frame) for tree in (one, other))
    off = max(apart(first.R, second.R), apart(first.p, second.p))
    if off > SAME or one.frames[frame][0] != other.frames[frame][0]:
        yield Difference("lengths", f"frame {frame!r} differs by {off:.1e}")


def _states(n: int, parts: int) -> np.ndarray:
    return np.random.default_rng(0).uniform(-2, 2, (STATES, parts, n))


def _holding(tree: Tree, q: JointVec, qd: JointVec) -> Any:
    return gravity_torque(tree, q) + elastic_torque(tree, q, 0 * qd) + offset_torque(tree)


def _compared(one: Tree, other: Tree, parts: int, torque: Any) -> float:
    """Return how far torques of q, q̇, q̈, or of some of them, are apart at random states.

    They are polynomials in these and in cosines and sines: equal there, they are equal everywhere.
    """
    states = _states(one.n, parts)
    places = one.from_neutral(states[:, 0])
    return apart(
        *([torque(tree, q, *s[1:]) for q, s in zip(places, states, strict=True)]
          for tree in (one, other))
    )  # fmt: skip


def wrong_model(robot: Robot, share: float, seed: int = 1) -> Robot:
    """Return a robot whose links are heavier or lighter by a share, each at random.

    Mass and inertia of a link change by the same factor, so that it stays a body that can exist;
    lengths, friction and springs stay as they are.

    Args:
        robot: The right one.
        share: By how much: 0.3 for 30 %. At least 0, less than 1.
        seed: Seed of the random choice.

    Example:
        >>> import qddot
        >>> wrong = wrong_model(qddot.load("two_link"), 0.3)
        >>> [link.inertial.mass for link in wrong.model.links if link.inertial.mass]
        [65.0, 65.0]
    """
    wanted = "a number from 0 to less than 1: 0.3 makes links 30 % too heavy or too light"
    share = number("share", share, wanted, least=0, below=1)
    if robot.symbols:
        raise NotNumeric(f"Robot {robot.name!r}", robot.symbols)
    rng = np.random.default_rng(seed)
    links = []
    for link in robot.model.links:
        own = link.inertial
        factor = 1 + float(rng.choice([-share, share]))
        inertia = tuple(factor * float(x) for x in own.inertia)
        mass = factor * float(own.mass)
        links.append(replace(link, inertial=replace(own, mass=mass, inertia=inertia)))
    return Robot(replace(robot.model, links=tuple(links)))
