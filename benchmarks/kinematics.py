"""How long does every solution of inverse kinematics take, and is one lost near a singular pose?

Peers, where they are installed: EAIK (of the same lines, by its H and P), ssik and ur-analytic-ik
(of their own UR5, each with poses that its own forward kinematics made). Not raced: jaik, which
solves UR arms in JAX, and `ikine_analytic` of the Robotics Toolbox 1.5.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import numpy as np
from table import Row, against, within
from timing import Contender, Effort, one_core, race, say

import qddot
from qddot.kinematics.chain import Chain, chain_of
from qddot.model.folding import exact, fold
from qddot.robot import Robot

NAMES = ("ur5", "puma560", "stanford", "scara")
BATCH, ONE = 100e-9, 1e-6  # [s]: at most, per pose
WRIST = 4  # the joint that is singular at 0
POSES = 1000
CLOSE = 1e-6
PACKAGES = {  # what is imported, and what to install
    "EAIK": ("eaik", "eaik"),
    "ssik": ("ssik", "ssik cython"),
    "ur-analytic-ik": ("ur_analytic_ik", "ur-analytic-ik"),
}


def rows(effort: Effort) -> list[Row]:
    """Return, per robot, all solutions of a pose: in a batch, in a call, and beside peers."""
    found = []
    for name, (module, package) in PACKAGES.items():
        if find_spec(module) is None:
            say(f"{name} is not installed and not measured: pip install {package}")
    with one_core():
        for name in NAMES:
            say(f"kinematics: {name} ...")
            robot = qddot.load(name).with_options(threads=1)
            found += _of_robot(robot, effort)
    return found


def _of_robot(robot: Robot, effort: Effort) -> Iterator[Row]:
    frame = robot.tip
    q = np.random.default_rng(0).uniform(-3, 3, (effort.states, robot.n))
    X = robot.pose(q, frame)
    what = f"{robot.name}: all solutions of a pose"
    ours = Contender(robot.inverse_kinematics_all, (X, frame), len(X))
    one = Contender(robot.inverse_kinematics_all, (X[0].copy(), frame))
    peers = dict(_peers(robot, frame, X))
    batch, single, *theirs = race([ours, one, *peers.values()], 2 * effort.seconds)
    yield within(f"{what}, batch", batch, BATCH)
    yield within(f"{what}, one call", single, ONE)
    for peer, seconds in zip(peers, theirs, strict=True):
        yield against(f"{what}, batch", batch, peer, seconds)
    if robot.n > WRIST:
        yield _misses(robot, frame)


def _misses(robot: Robot, frame: str) -> Row:
    """Return how many reachable poses near a singular one are left without a solution."""
    rng = np.random.default_rng(1)
    q = rng.uniform(-3, 3, (POSES, robot.n))
    q[:, WRIST] = rng.uniform(-1e-6, 1e-6, POSES)
    X = robot.pose(q, frame)
    lost = int((~robot.inverse_kinematics_all(X, frame).found.any(axis=1)).sum())
    row = Row(f"{robot.name}: of {POSES} poses with |q5| < 1e-6, lost", str(lost), target="0")
    theirs = ""
    chain = chain_of(fold(robot.model, exact), frame)
    if find_spec("eaik") and all(axis.turns for axis in chain.axes):
        arm, poses = _eaik(chain), _without_home(chain, X)
        near = []
        for pose, wanted in zip(poses, X, strict=True):
            solutions = np.asarray(arm.IK(pose).Q).reshape(-1, robot.n)
            off = np.abs(robot.pose(solutions, frame) - wanted).max(axis=(-2, -1))
            near.append((off < CLOSE).any())
        theirs = str(len(near) - sum(near))
    peer = "EAIK" if theirs else ""
    return Row(row.what, row.qddot, peer, theirs, target="0", reached=lost == 0)


def _peers(robot: Robot, frame: str, X: np.ndarray) -> Iterator[tuple[str, Contender]]:
    chain = chain_of(fold(robot.model, exact), frame)
    few = X[:POSES]
    if find_spec("eaik") and all(axis.turns for axis in chain.axes):
        arm, poses = _eaik(chain), _without_home(chain, few)
        yield "EAIK", Contender(lambda: [arm.IK(pose) for pose in poses], (), len(poses))
    if robot.name != "ur5":
        return
    q = np.random.default_rng(0).uniform(-1.5, 1.5, (100, 6))
    if find_spec("ssik") and find_spec("cython"):
        from ssik.prebuilt import ur5_ik

        made = [ur5_ik.fk(row) for row in q]
        every = {"respect_limits": False}
        call = lambda: [ur5_ik.solve(pose, **every) for pose in made]  # noqa: E731
        yield "ssik", Contender(call, (), len(made))
    if find_spec("ur_analytic_ik"):
        from ur_analytic_ik import ur5

        own = [np.ascontiguousarray(ur5.forward_kinematics(*row)) for row in q]
        solve = lambda: [ur5.inverse_kinematics(pose) for pose in own]  # noqa: E731
        yield "ur-analytic-ik", Contender(solve, (), len(own))


def _eaik(chain: Chain) -> Any:
    """Return EAIK's arm of the same lines."""
    from eaik.IK_HP import HPRobot

    numeric, scale = chain.numeric, float(chain.scale)
    H = np.array([axis.h for axis in numeric.axes], dtype=float)
    points = [np.zeros(3), *(axis.p for axis in numeric.axes), numeric.home.p]
    return HPRobot(H, np.diff(np.array(points, dtype=float), axis=0) * scale)


def _without_home(chain: Chain, X: np.ndarray) -> np.ndarray:
    """Return poses turned back by how the frame stands at zero, as EAIK has it."""
    poses = X.copy()
    poses[:, :3, :3] = X[:, :3, :3] @ np.array(chain.numeric.home.R, dtype=float).T
    return poses
