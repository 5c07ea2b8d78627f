"""Where everything is: poses of bodies and frames."""

from __future__ import annotations

from qddot.model.tree import BASE, Tree
from qddot.scalars import JointVec
from qddot.spatial.pose import STILL, Pose


def body_poses(tree: Tree, q: JointVec) -> dict[int, Pose]:
    """Return X_WB of every body, by index; the base is at `BASE`.

    One body after the other, λ the parent of i:

        X_Wi = X_Wλ X_λi(qᵢ)
    """
    X_W = {BASE: STILL}
    for i, body in enumerate(tree.bodies):
        X_W[i] = X_W[body.parent] @ body.X_PB(q)
    return X_W


def pose(tree: Tree, q: JointVec, frame: str) -> Pose:
    """Return X_WF, the pose of a named frame in the base.

    Args:
        tree: The robot.
        q: Joint positions [rad or m], shape (n,).
        frame: The name of a link or a frame.
    """
    body, X_BF = tree.frame(frame)
    return body_poses(tree, q)[body] @ X_BF
