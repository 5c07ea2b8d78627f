"""A robot as a product of exponentials: its screw axes, home poses and spatial inertias.

Lynch and Park: K. Lynch, F. Park, *Modern Robotics*, Cambridge University Press, 2017, sections 4.1
and 8.3.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from qddot.errors import BadArgument
from qddot.model.coordinates import Drives
from qddot.model.tree import Tree
from qddot.scalars import Scalar
from qddot.scalars.expressions import Expression, simplest
from qddot.spatial.inertia import Inertia
from qddot.spatial.pose import STILL, Pose

if TYPE_CHECKING:
    from qddot.robot.described import Described

SIX = np.eye(6, dtype=int)


@dataclass(frozen=True)
class Screws:
    """A chain at q = 0: T_i(q) = exp([S_1] q_1) ··· exp([S_i] q_i) M_i.

    The frame of link i is at its centre of mass, with the axes of the link's own frame; everything
    that is fixed to the link is part of it. Arrays of numbers, of exact expressions where the robot
    has symbols.
    """

    space: np.ndarray  # (n, 6): S_i = [ω, v], in base axes
    home: np.ndarray  # (n, 4, 4): M_i, in the base
    inertias: np.ndarray  # (n, 6, 6): G_i, in frame i
    tool: np.ndarray  # (4, 4): where the tool's frame is, in the base

    @property
    def body(self) -> np.ndarray:
        """The axes B_i in the frame of the tool at home, shape (n, 6)."""
        X = Pose(self.tool[:3, :3], self.tool[:3, 3])
        return np.array([[_plain(x) for x in X.motion_inv(S)] for S in self.space])

    @property
    def steps(self) -> np.ndarray:
        """M_{i−1,i}, each frame at home in the one before, the tool's last: (n + 1, 4, 4)."""
        poses = [STILL, *(Pose(M[:3, :3], M[:3, 3]) for M in (*self.home, self.tool))]
        return _array([(a.inverse() @ b).matrix() for a, b in pairwise(poses)])


def screws_of(robot: Described, tool: str) -> Screws:
    """Return the screw axes of a robot that is one chain."""
    tree = robot.named_tree
    map_ = tree.coordinates
    chain = [body.parent for body in tree.bodies] == list(range(-1, len(tree.bodies) - 1))
    if not (chain and tree.flat and isinstance(map_, Drives) and map_.identity):
        raise BadArgument(
            f"A product of exponentials is of one chain whose joints move by themselves; "
            f"{robot.name!r} branches, or has joints that follow others."
        )
    carrier, X_BT = tree.frame(tool)
    poses, X = [STILL], STILL
    for X_PB in tree.poses(np.zeros(tree.nq, dtype=int)):
        X = X @ X_PB
        poses.append(X)
    space, home, inertias = [], [], []
    for i, (body, X_W) in enumerate(zip(tree.bodies, poses[1:], strict=True)):
        X_BF = link_frame(robot, tree, i)
        space.append(X_W.motion(body.joint.S[:, 0]))
        home.append((X_W @ X_BF).matrix())
        seen: Inertia = body.inertia.seen_from(X_BF.inverse())
        inertias.append(np.stack([seen @ e for e in SIX], axis=1))
    at_home = (poses[carrier + 1] @ X_BT).matrix()
    return Screws(_array(space), _array(home), _array(inertias), _array(at_home))


def link_frame(robot: Described, tree: Tree, i: int) -> Pose:
    """Return a frame at a body's centre of mass, with the axes of the link that has the mass."""
    body = tree.bodies[i]
    on_it = [link for link in robot.model.links if tree.frames[link.name][0] == i]
    heavy = [link for link in on_it if link.inertial.mass]
    R = tree.frames[(heavy if len(heavy) == 1 else on_it)[0].name][1].R
    return Pose(R, body.inertia.com_form()[1] if body.inertia.m else STILL.p)


def _array(values: list | np.ndarray) -> np.ndarray:
    entries = np.array(values)
    if entries.dtype != object:
        return entries.astype(float)
    flat = np.empty(entries.size, dtype=object)
    flat[:] = [_plain(x) for x in entries.ravel()]
    result = flat.reshape(entries.shape)
    return result if any(isinstance(x, Expression) for x in flat) else result.astype(float)


def _plain(x: Scalar) -> Scalar:
    return simplest(x) if isinstance(x, Expression) else x
