"""A tree whose bodies are written in other frames than those of their joints.

A derivation prints what its bodies' frames make of every vector and matrix. The frames of a tree
sit at the joints; those that the user defined, such as the DH frame at the far end of a link, may
not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from qddot.errors import BadArgument, listing, shorten
from qddot.model.joint import FIXED
from qddot.model.joints import JointMotion
from qddot.model.model import Model
from qddot.model.tree import BASE, Tree
from qddot.scalars import ConfigVec
from qddot.spatial.pose import STILL, Pose


@dataclass(frozen=True)
class SeenFrom:
    """A joint whose moving body is seen from the frame F that stands at X_BF on it.

    In coordinates:

        X_JF(q) = X_JB(q) X_BF        S_F = X_FB S_B
    """

    joint: JointMotion
    X_BF: Pose

    @property
    def S(self) -> np.ndarray:
        return np.stack([self.X_BF.motion_inv(column) for column in self.joint.S.T], axis=1)

    def pose(self, q: ConfigVec) -> Pose:
        return self.joint.pose(q) @ self.X_BF

    def __getattr__(self, name: str) -> Any:
        return getattr(self.joint, name)


def users_frames(model: Model, tree: Tree) -> list[str]:
    """Return, for each body, the link that the user named: a DH frame, a link of a file."""
    joints = {joint.name: joint for joint in model.joints}
    beyond = {joint.parent: joint.child for joint in model.joints if joint.kind == FIXED}
    hidden = {link.name for link in model.links if link.hidden}
    children = [joints[body.name].child for body in tree.bodies]
    return [beyond[child] if child in hidden else child for child in children]


def seen_from(tree: Tree, frames: Sequence[str]) -> Tree:
    """Return the tree with the origin and the axes of each body at a frame that is fixed on it."""
    if isinstance(frames, str) or not isinstance(frames, Sequence):
        raise BadArgument(f"frames is {shorten(repr(frames))}; it must be a list of names.")
    found = [tree.frame(name) for name in frames]
    if [body for body, _ in found] != list(range(len(tree.bodies))):
        names = listing([body.name for body in tree.bodies])
        carriers = ["the base" if b == BASE else tree.bodies[b].name for b, _ in found]
        raise BadArgument(
            f"frames must name one frame on each link that moves, in the order of the joints "
            f"{names}.\n  The given ones are on the links behind: {listing(carriers)}."
        )
    X_BF = [X for _, X in found]
    if all(_is_still(X) for X in X_BF):
        return tree
    X_FB = {BASE: STILL} | {i: X.inverse() for i, X in enumerate(X_BF)}
    bodies = tuple(
        replace(
            body,
            X_PJ=X_FB[body.parent] @ body.X_PJ,
            joint=SeenFrom(body.joint, X_BF[i]),
            inertia=body.inertia.seen_from(X_FB[i]),
        )
        for i, body in enumerate(tree.bodies)
    )
    moved = {name: (i, X_FB[i] @ X) for name, (i, X) in tree.frames.items()}
    return replace(tree, bodies=bodies, frames=moved)


def _is_still(X: Pose) -> bool:
    return not (X.matrix() - np.eye(4, dtype=int)).any()
