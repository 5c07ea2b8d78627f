"""Where an arm stands if nobody says, where its runs start, and the frame that is its end."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, product
from typing import TYPE_CHECKING

import numpy as np

from qddot.dynamics.kinematics import jacobian, path
from qddot.model.joint import Start
from qddot.model.joints import MOTIONS
from qddot.model.limits import stopped_joints, stops_of
from qddot.model.tree import Tree

if TYPE_CHECKING:
    from qddot.robot.described import Described

MARGIN = 0.1  # of a range, kept from either end
BENDS = (np.pi / 4, np.pi / 2)  # [rad], what a straight arm is bent by
SLIDE = 0.2  # [m], the same of a joint that slides
MOST, FEW = 24, 8  # joints to choose one from, and two
LOOKS = 12  # positions at random, which tell what is usual
WELL = 0.4  # of the usual distance from a singular position: no need to bend
# how frames at the end of an arm are called, the best first
TIPS = ("tcp", "tool0", "tool", "pinch", "end_effector", "eef", "ee", "attachment", "flange")
FINGER = 4  # bodies of a finger, at most; a longer branch is an arm
RANK = 1e-5  # motion, in parts of the largest, that files which write 1.5708 for π/2 do not mean


def home_of(robot: Described) -> np.ndarray:
    """Return where an arm stands if nobody says, shape (nq,), read-only.

    What its file gives as `home`. Else zero, or the middle of limits that zero is not well within;
    and if its tip can hardly move there one way or another, as that of a straight arm, with one or
    two joints bent.
    """
    limits, joints = robot.limits, robot.model.free_joints
    with np.errstate(invalid="ignore"):
        room = MARGIN * (limits.upper - limits.lower)
        inside = (limits.lower + room <= 0) & (limits.upper - room >= 0)
        middle = (limits.lower + limits.upper) / 2
    entries = [(x, joint.home) for joint in joints for x in MOTIONS[joint.kind].neutral]
    neutral, given = zip(*entries, strict=True) if entries else ((), ())  # neutral: zero, of most
    base = np.where(inside | ~np.isfinite(middle), np.array(neutral, dtype=float), middle)
    base = np.clip(base, limits.lower, limits.upper)  # one limit alone
    if any(x is not None for x in given):
        pairs = zip(given, base, strict=True)
        base = np.array([b if x is None else float(x) for x, b in pairs])
        base = np.clip(base, limits.lower, limits.upper)  # of a joint that follows
    elif robot.n and not robot._shape_alone.symbols:
        base = _bent(robot._shape_alone, base)
    if stopped_joints(robot.model):
        at, (lower, upper, _) = robot.tree.positions, stops_of(robot.model)
        base[at] = np.clip(base[at], lower, upper)
    base.flags.writeable = False
    return base


@dataclass(frozen=True)
class RobotStart:
    """How runs of an arm begin if nobody says."""

    q: np.ndarray  # (nq,) [rad or m]
    qd: np.ndarray  # (n,) [rad/s or m/s]
    given: bool  # whether a file gives any of it


def start_of(robot: Described) -> RobotStart:
    """Return the start that a robot's file gives its joints, joint by joint; else zero, at rest."""
    joints = robot.model.free_joints
    entries = [(x, joint) for joint in joints for x in MOTIONS[joint.kind].neutral]
    q = [float(joint.start.q) or x for x, joint in entries]  # of several numbers, none is given
    return RobotStart(
        np.array(q, dtype=float),
        np.array([float(joint.start.qd) for joint in joints]),
        any(joint.start != Start() for joint in joints),
    )


def tip_of(robot: Described) -> str:
    """Return the frame that is meant if none is named.

    "tool" where there is one; else, near the end of the longest branch, the one whose name says
    that it is a tool centre point, a tool or a flange; else the last of that branch, but the hand
    rather than one of its fingers.
    """
    tree = robot.named_tree
    if "tool" in tree.frames:
        return "tool"
    steps = {name: len(path(tree, body)) for name, (body, _) in tree.frames.items()}
    far = max(reversed(steps), key=lambda name: steps[name])
    ends = [name for name, many in steps.items() if 0 < many >= steps[far] - 2 * FINGER]
    for word in TIPS:
        if named := [name for name in ends if is_called(name, word)]:
            return max(named, key=lambda name: steps[name])  # of equal ones the first
    hand = _before_fingers(tree, tree.frames[far][0])
    return far if hand is None else [n for n, (body, _) in tree.frames.items() if body == hand][-1]


def is_called(name: str, word: str) -> bool:
    """Return whether a name is a word, or ends with it: "hand_tcp", "left/tool0", "ee_link"."""
    plain = re.sub("[^a-z0-9]+", "_", name.lower()).strip("_")
    plain = re.sub("_(link|frame|site|point|body)$", "", plain)
    return plain == word or plain.endswith(f"_{word}")


def _before_fingers(tree: Tree, body: int) -> int | None:
    """Return the body that carries a finger and others like it; None if the body is no finger."""
    children: dict[int, list[int]] = {}
    for i, each in enumerate(tree.bodies):
        children.setdefault(each.parent, []).append(i)

    def depth(i: int) -> int:
        return 1 + max((depth(child) for child in children.get(i, ())), default=0)

    chain = path(tree, body)
    for at in range(len(chain) - 1, 0, -1):
        beside = children[chain[at - 1]]
        if len(beside) > 1:
            short = max(depth(child) for child in beside) <= FINGER
            return chain[at - 1] if short else None
    return None


def _bent(robot: Described, base: np.ndarray) -> np.ndarray:
    """Return the position, or where the tip is freer with as few joints bent as that takes."""
    tip = robot.tip
    carrying = path(robot.tree, robot.tree.frames[tip][0])
    moving = sorted({robot.tree.drives[i].index for i in carrying})
    if not 0 < len(moving) <= MOST:
        return base
    usual = np.random.default_rng(0).uniform(-np.pi, np.pi, (LOOKS, robot.n))
    sizes = _mobility(robot, robot.tree.from_neutral(usual), tip)
    rank = int((sizes > RANK * sizes.max(initial=0)).sum(axis=1).max(initial=0))
    if not rank:
        return base
    wanted = WELL * float(np.median(sizes[:, rank - 1]))
    best, clearest = base, 0.0
    for q in _positions(robot, base, moving):
        clear = _mobility(robot, q, tip)[:, rank - 1]
        k = int(np.round(clear, 9).argmax())  # of equal ones the first
        if clear[k] > clearest:
            best, clearest = q[k], float(clear[k])
        if clearest >= wanted:
            break
    return best


def _mobility(robot: Described, q: np.ndarray, tip: str) -> np.ndarray:
    """Return how well the tip moves in each direction: singular values, (k, ≤ 3). Not compiled."""
    J = [jacobian(robot.tree, row, tip)[3:].astype(float) for row in q]
    return np.linalg.svd(np.array(J), compute_uv=False)


def _positions(robot: Described, base: np.ndarray, moving: list[int]) -> Iterator[np.ndarray]:
    """Yield arrays of positions (k, nq) to try: as it is, then one joint bent, then two."""
    limits, tree = robot.limits, robot.tree
    turns = np.array([joint.turns for joint in robot.model.free_joints])
    room = MARGIN * np.minimum(limits.upper - limits.lower, 2 * np.pi)
    yield base[None]
    for count, bend in product((1, 2) if len(moving) <= FEW else (1,), BENDS):
        step = np.where(turns, bend, SLIDE)
        found = []
        for which in map(list, combinations(moving, count)):
            for signs in product((1.0, -1.0), repeat=count):
                dv = np.zeros(tree.n)
                dv[which] = np.array(signs) * step[which]
                q = np.asarray(tree.step(base, dv), dtype=float)
                inside = (q >= limits.lower + room) & (q <= limits.upper - room)
                if inside[tree.positions[which]].all():
                    found.append(q)
        if found:
            yield np.array(found)
