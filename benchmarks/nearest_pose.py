"""How long does it take to find the nearest joint positions for a pose, within limits?

Poses are those of random positions within limits. `near` is drawn the same way ("from anywhere"),
or is 0.1 rad from where the pose came from ("from close by"), as in a controller. Beside it what
people install for one pose after the other: ssik's closed forms with a seed, the differential steps
of Pink and of mink until they arrive (10⁻⁶), the Levenberg-Marquardt search of the Robotics Toolbox
in C, and ikpy. What each finds is checked before it is timed; some miss some of what is close by.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.util import find_spec

import numpy as np
from robots import robot_named
from table import Row, against, within
from timing import Contender, Effort, one_core, race, say

from qddot.dynamics.kinematics import path
from qddot.robot import Robot
from qddot.spatial.pose import Pose
from qddot.writers.urdf import to_urdf

NAMES = ("panda", "ur5")
ONE = 32  # poses that are asked one by one
CLOSE = 0.1  # [rad]
BATCH_LIMIT, CALL_LIMIT = 5e-6, 50e-6  # [s] per pose
FOUND = 0.999  # of a batch, at least
ARRIVED = 1e-6

Solver = Callable[[np.ndarray, np.ndarray], object]  # of a pose and `near`


def rows(effort: Effort) -> list[Row]:
    """Return, a robot, the times of a pose in a batch and alone, and those of the peers."""
    found = []
    with one_core():
        for name in NAMES:
            say(f"nearest_pose: {name} ...")
            found += timings(name, robot_named(name), effort)
    return found


def timings(name: str, robot: Robot, effort: Effort) -> list[Row]:
    """Return the rows of a robot."""
    q = robot.random_positions(effort.states, 1)
    anywhere = robot.random_positions(effort.states, 2)
    away = np.random.default_rng(3).uniform(-CLOSE, CLOSE, q.shape)
    close = np.clip(q + away, robot.limits.lower, robot.limits.upper)
    X = robot.pose(q, robot.tip)
    ours = robot.at(robot.tip).inverse_kinematics
    share = float(np.mean([ours(X, near=near).found.mean() for near in (anywhere, close)]))
    assert share >= FOUND, share

    def batch(near: np.ndarray) -> object:
        return ours(X, near=near)

    peers = {peer: make(robot) for peer, make in PEERS.items() if installed(peer)}
    asked = [(X[k], close[k]) for k in range(ONE)]
    entrants = [Contender(batch, (near,), len(X)) for near in (anywhere, close)]
    entrants.append(Contender(each, (lambda X, near: ours(X, near=near), asked), ONE))
    for peer, (solve, poses) in peers.items():
        theirs = asked if poses is None else [(poses(q[k]), close[k]) for k in range(ONE)]
        missed = sum(solve(*one) is None for one in theirs)
        say(f"{peer}: {ONE - missed} of {ONE} poses close by are found")
        entrants.append(Contender(each, (solve, theirs), ONE))
    from_anywhere, from_close, one, *others = race(entrants, 4 * effort.seconds)
    what = f"{name}: nearest position for a pose, {share:.2%} found"
    found = [
        within(f"{what}, batch from anywhere", from_anywhere, BATCH_LIMIT),
        within(f"{what}, batch from close by", from_close, BATCH_LIMIT),
        within(f"{what}, one call from close by", one, CALL_LIMIT),
    ]
    for peer, time in zip(peers, others, strict=True):
        found.append(against(f"{what}, one call from close by", one, peer, time))
        found.append(against(f"{what}, batch from close by", from_close, peer, time))
    return found


def each(solve: Solver, asked: Sequence[tuple[np.ndarray, np.ndarray]]) -> None:
    """Ask for one pose after the other."""
    for X, near in asked:
        solve(X, near)


def installed(peer: str) -> bool:
    """Return whether a peer is there, and say so if it is not."""
    module, package = PACKAGES[peer]
    if find_spec(module) is None:
        say(f"{peer} is not installed and not measured: pip install {package}")
    return find_spec(module) is not None


def ssik_on(robot: Robot) -> tuple[Solver, Callable[[np.ndarray], np.ndarray]]:
    """Return ssik's nearest solution on the arm that it ships, and that arm's poses."""
    import ssik

    names = {"panda": "franka_panda_ik", "ur5": "ur5_ik"}
    arm = ssik.Manipulator.from_prebuilt(names[robot.name])

    def solve(X: np.ndarray, near: np.ndarray) -> object:
        found = arm.solve(X, max_solutions=1, q_seed=near)
        return found[0] if len(found) else None

    return solve, arm.fk


def pink_on(robot: Robot) -> tuple[Solver, None]:
    """Return Pink's steps towards a pose until it has arrived; the robot is made before."""
    import pink
    import pinocchio as pin
    from pink.tasks import FrameTask

    model = pin.buildModelFromXML(to_urdf(robot.model))
    data, h = model.createData(), 1.0
    task = FrameTask(robot.tip, position_cost=1.0, orientation_cost=1.0, lm_damping=1e-6)

    def solve(X: np.ndarray, near: np.ndarray) -> object:
        configuration = pink.Configuration(model, data, near)
        task.set_target(pin.SE3(X[:3, :3], X[:3, 3]))
        for _ in range(50):
            if np.abs(task.compute_error(configuration)).max() < ARRIVED:
                return configuration.q
            limits = (configuration.model.configuration_limit,)
            v = pink.solve_ik(configuration, [task], h, solver="quadprog", limits=limits)
            configuration.integrate_inplace(v, h)
        return None

    return solve, None


def mink_on(robot: Robot) -> tuple[Solver, None]:
    """Return mink's steps towards a pose until it has arrived; the model is made before."""
    import mink
    import mujoco

    model = mujoco.MjModel.from_xml_string(to_urdf(robot.model))
    body, home = model.body(model.nbody - 1).name, np.zeros(robot.n)
    configuration = mink.Configuration(model, q=home)
    last = configuration.get_transform_frame_to_world(body, "body").as_matrix()
    to_body = np.linalg.inv(robot.pose(home, robot.tip)) @ last  # fixed frames are no bodies there
    costs = {"position_cost": 1.0, "orientation_cost": 1.0, "lm_damping": 1e-6}
    task, limits = mink.FrameTask(body, "body", **costs), [mink.ConfigurationLimit(model)]

    def solve(X: np.ndarray, near: np.ndarray) -> object:
        configuration.update(near)
        task.set_target(mink.SE3.from_matrix(X @ to_body))
        for _ in range(50):
            if np.abs(task.compute_error(configuration)).max() < ARRIVED:
                return configuration.q
            v = mink.solve_ik(configuration, [task], 1.0, solver="daqp", limits=limits)
            configuration.integrate_inplace(v, 1.0)
        return None

    return solve, None


def toolbox_on(robot: Robot) -> tuple[Solver, None]:
    """Return the Robotics Toolbox's search in C on the same elementary transforms."""
    import roboticstoolbox as rtb

    def fixed(X: Pose) -> rtb.ET:
        return rtb.ET.SE3(np.array(X.matrix(), dtype=float))

    body, X_BF = robot.tree.frame(robot.tip)
    arm = rtb.ETS()
    for i in path(robot.tree, body):
        own, k = robot.tree.bodies[i], robot.tree.drives[i].index
        axis = np.array(own.axis, dtype=float)
        turn = (rtb.ET.Rx, rtb.ET.Ry, rtb.ET.Rz)[int(axis.argmax())]
        assert axis.max() == 1, axis
        arm = arm * fixed(own.X_PJ) * turn(qlim=[robot.limits.lower[k], robot.limits.upper[k]])
    arm = arm * fixed(X_BF)

    def solve(X: np.ndarray, near: np.ndarray) -> object:
        found = arm.ik_LM(X, q0=near, tol=ARRIVED**2)
        return found.q if found.success else None

    return solve, None


def ikpy_on(robot: Robot) -> tuple[Solver, None]:
    """Return ikpy's search on the arm's URDF."""
    import tempfile
    from pathlib import Path

    from ikpy.chain import Chain

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "arm.urdf")
        file.write_text(to_urdf(robot.model), encoding="utf-8")
        chain = Chain.from_urdf_file(str(file), base_elements=[robot.model.links[0].name])
    moving = [
        k for k, link in enumerate(chain.links) if link.joint_type in ("revolute", "prismatic")
    ]
    chain.active_links_mask = np.isin(np.arange(len(chain.links)), moving)

    def solve(X: np.ndarray, near: np.ndarray) -> object:
        start = np.zeros(len(chain.links))
        start[moving] = near
        q = chain.inverse_kinematics_frame(X, initial_position=start, orientation_mode="all")
        return q if np.abs(chain.forward_kinematics(q) - X).max() < 100 * ARRIVED else None

    return solve, None


PEERS = {
    "ssik, seeded": ssik_on,
    "Pink": pink_on,
    "mink": mink_on,
    "Robotics Toolbox": toolbox_on,
    "ikpy": ikpy_on,
}
PACKAGES = {  # what is imported, and what to install
    "ssik, seeded": ("ssik", "ssik"),
    "Pink": ("pink", "pin-pink quadprog"),
    "mink": ("mink", "mink"),
    "Robotics Toolbox": ("roboticstoolbox", "roboticstoolbox-python"),
    "ikpy": ("ikpy", "ikpy"),
}
