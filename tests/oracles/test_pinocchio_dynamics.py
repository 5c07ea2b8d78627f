"""Every quantity against Pinocchio: built-in robots, example-robot-data, and random trees.

Built-in robots and random trees reach Pinocchio as our own URDF. Friction and springs are left
out, because Pinocchio's algorithms have none; rotors are its `armature`.
"""

from __future__ import annotations

import sysconfig
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from long import long, one_in
from made import QUANTITIES, states
from nearness import ACCURATE, LAST_DIGIT, ROUND_OFF, error, of_solution
from random_trees import deep_tree

from qddot.dynamics import aba, forward, kinematics, rnea
from qddot.dynamics.movement import BaseMotion
from qddot.model import Joint, Limits, Model
from qddot.model.tree import Tree
from qddot.readers import read
from qddot.robot import Robot
from qddot.writers.urdf import to_urdf

pin = pytest.importorskip("pinocchio", reason="Pinocchio is not installed: pip install pin")

from oracles.pinocchio_reference import AXES, Reference  # noqa: E402

REAL = (
    *("panda", "panda_hand", "ur5", "iiwa14", "puma560", "stanford"),
    *("kinova_jaco", "xarm7", "z1", "so101", "scara", "baxter"),
    *("ur3", "ur10"),
)
# a derivative is of a program, in which real robots differ by their numbers only
DERIVED = ("stanford", *long("panda_hand", "panda", "ur5", "iiwa14", "puma560", "xarm7", "baxter"))
MANIPULATORS = (
    *("TwoDofs", "allegro_right_hand", "baxter", "double_pendulum"),
    *("double_pendulum_continuous", "finger_edu", "kinova", "panda", "panda_collision", "so100"),
    *("so101", "talos_left_arm", "tiago_no_hand", "ur10_joint_limited_robot", "ur3_gripper"),
    *("ur5_gripper", "ur5_robot", "xarm7", "z1"),
)

UNKNOWN = ("forward_dynamics", "friction_torque", "christoffel")  # to Pinocchio; the first is apart
COMPARED = {name: what for name, what in QUANTITIES.items() if name not in UNKNOWN}


def files() -> dict[str, Path]:
    """Return the URDF files that the wheel of example-robot-data puts next to Pinocchio's."""
    prefix = Path(sysconfig.get_paths()["purelib"]) / "cmeel.prefix"
    robots = prefix / "share" / "example-robot-data" / "robots"
    return {path.stem: path for path in sorted(robots.glob("**/*.urdf"))}


def without_acting(model: Model) -> Robot:
    return Robot(model).without("friction", "springs")


def urdf(model: Model) -> str:
    """Return our URDF of a model. Pinocchio's reader insists on limits of velocity and effort."""

    def limited(joint: Joint) -> Joint:
        return replace(joint, limits=Limits(-10, 10, 1e3, 1e3)) if joint.moves else joint

    return to_urdf(model.with_joints(limited))


@cache
def built_in(name: str) -> tuple[Robot, Reference]:
    robot = without_acting(read(name))
    if any(joint.mimic for joint in robot.model.joints):
        robot = robot.without("rotor_inertia")
    return robot, Reference(pin.buildModelFromXML(urdf(robot.model)), robot.tree)


@cache
def random_tree(seed: int, n: int) -> tuple[Robot, Reference]:
    robot = without_acting(deep_tree(seed, n))
    return robot, Reference(pin.buildModelFromXML(urdf(robot.model)), robot.tree)


@cache
def named_states(n: int) -> dict[str, np.ndarray]:
    q, qd, qdd = states(n)
    return {"q": q * [[0], [1], [1]], "qd": qd, "qdd": qdd}


def differences(tree: Tree, reference: Reference, frame: str) -> dict[str, float]:
    """Return by how much each definition differs, relative to its largest entry at any state."""
    found: dict[str, float] = {}
    given = named_states(tree.n)
    for name, (inputs, definition) in COMPARED.items():
        count = 1 if name == "regressor" and tree.n > 15 else 3  # it has ten columns a body
        rows = list(zip(*(given[key][:count] for key in inputs), strict=True))
        mine = np.array([definition(tree, *row) for row in rows], dtype=float)
        theirs = np.array([getattr(reference, name)(*row) for row in rows])
        if name == "regressor":  # Pinocchio's has the bodies only
            mine = mine[:, :, : theirs.shape[2]]
        found[name] = error(mine, theirs)
    q, qd = given["q"], given["qd"]
    mine = np.array([kinematics.pose(tree, x, frame).matrix() for x in q], dtype=float)
    found["pose"] = error(mine, np.array([reference.pose(x, frame) for x in q]))
    for axes in AXES:
        J = [kinematics.jacobian_and_rate(tree, *x, frame, axes) for x in zip(q, qd, strict=True)]
        theirs = [reference.jacobian(x, frame, axes) for x in q]
        found[f"jacobian, {axes}"] = error([j for j, _ in J], theirs)
        theirs = [reference.jacobian_rate(*x, frame, axes) for x in zip(q, qd, strict=True)]
        found[f"jacobian rate, {axes}"] = error([r for _, r in J], theirs)
    return found


def forward_differences(tree: Tree, reference: Reference) -> dict[str, float]:
    """Return by how much accelerations differ, relative to the largest one, over κ(M)."""
    found: dict[str, float] = {}
    for q, qd, tau in zip(*named_states(tree.n).values(), strict=True):
        M = reference.mass_matrix(q)
        theirs = reference.forward_dynamics(q, qd, tau)
        ways = {"forward": forward.forward_dynamics}
        if aba.applies(tree):
            ways["articulated bodies"] = aba.forward_dynamics
        for name, way in ways.items():
            wrong = error(way(tree, q, qd, tau), theirs) / np.linalg.cond(M)
            found[name] = max(found.get(name, 0), wrong)
    return found


def slope_differences(robot: Robot, reference: Reference) -> dict[str, float]:
    """Return the same of derivatives, which are programs."""
    found: dict[str, float] = {}
    inverse = robot.program("inverse_dynamics_derivatives")
    forwards = robot.program("forward_dynamics_derivatives")
    for q, qd, x in zip(*named_states(robot.n).values(), strict=True):
        M = reference.mass_matrix(q)
        spin = np.abs(M).max() * np.abs(qd).max()
        theirs = reference.inverse_dynamics_derivatives(q, qd, x)
        for name, a, b in zip(("dtau_dq", "dtau_dqd"), inverse(q, qd, x), theirs, strict=True):
            found[name] = max(found.get(name, 0), error(a, b, spin))
        theirs = reference.forward_dynamics_derivatives(q, qd, x)
        for name, a, b in zip(("q", "qd", "tau"), forwards(q, qd, x), theirs, strict=True):
            key = f"dqdd_d{name} / κ"
            least = np.abs(qd).max()  # where a velocity torque has no slope
            wrong = error(a, b, least) / np.linalg.cond(M)
            found[key] = max(found.get(key, 0), wrong)
    return found


@pytest.mark.parametrize("name", one_in(5, REAL))
def test_pinocchio_agrees_on_every_quantity_of_a_built_in_robot(name):
    robot, reference = built_in(name)
    found = differences(robot.tree, reference, "tool")
    assert max(found.values()) < ACCURATE, found
    solved = forward_differences(robot.tree, reference)
    assert max(solved.values()) < LAST_DIGIT, solved


@pytest.mark.parametrize("name", DERIVED)
def test_pinocchio_agrees_on_the_derivatives_of_a_built_in_robot(name):
    robot, reference = built_in(name)
    check_slopes(robot, reference)


def check_slopes(robot, reference, agree=ACCURATE):
    found = slope_differences(robot, reference)
    assert max(x for name, x in found.items() if "κ" not in name) < agree, found
    assert max(x for name, x in found.items() if "κ" in name) < LAST_DIGIT, found


@pytest.mark.parametrize("name", one_in(5, MANIPULATORS))
def test_pinocchio_agrees_on_every_quantity_of_a_published_manipulator(name):
    if name not in files():
        pytest.skip("example-robot-data is not installed (pip install example-robot-data)")
    path = files()[name]
    robot = without_acting(read(path))
    reference = Reference(pin.buildModelFromUrdf(str(path)), robot.tree)
    found = differences(robot.tree, reference, robot.model.links[-1].name)
    assert max(found.values()) < ACCURATE, found
    solved = forward_differences(robot.tree, reference)
    assert max(solved.values()) < LAST_DIGIT, solved


@pytest.mark.parametrize(
    ("seed", "n"), [(11, 5), *long((12, 9), (13, 14), (14, 20), (15, 30), (16, 30))]
)
def test_pinocchio_agrees_on_every_quantity_of_a_random_tree(seed, n):
    robot, reference = random_tree(seed, n)
    assert np.all(np.array(robot.tree.rotor_inertia, dtype=float) > 0)
    found = differences(robot.tree, reference, "tool")
    assert max(found.values()) < ROUND_OFF, found
    solved = forward_differences(robot.tree, reference)
    assert max(solved.values()) < LAST_DIGIT, solved


@pytest.mark.parametrize(("seed", "n"), [(11, 5), *long((12, 9), (13, 14), (17, 40))])
def test_pinocchio_agrees_on_the_derivatives_of_a_random_tree(seed, n):
    robot, reference = random_tree(seed, n)
    check_slopes(robot, reference, ROUND_OFF)


@pytest.mark.parametrize("name", ["stanford", *long("panda")])
def test_pinocchio_agrees_with_the_compiled_methods(name):
    robot, reference = built_in(name)
    given = named_states(robot.n)
    for quantity, (inputs, _) in COMPARED.items():
        arrays = [given[key] for key in inputs]
        mine = getattr(robot, quantity)(*arrays)
        theirs = np.array([getattr(reference, quantity)(*row) for row in zip(*arrays, strict=True)])
        if quantity == "regressor":
            mine = mine[:, :, : theirs.shape[2]]
        assert error(mine, theirs) < ACCURATE, quantity
    q, qd, qdd = given.values()
    tau = robot.inverse_dynamics(q, qd, qdd)
    mine = robot.forward_dynamics(q, qd, tau)
    theirs = [reference.forward_dynamics(*row) for row in zip(q, qd, tau, strict=True)]
    assert error(mine, theirs) < of_solution(robot.mass_matrix(q), LAST_DIGIT)
    for axes in AXES:
        theirs = [reference.jacobian(x, "tool", axes) for x in q]
        assert error(robot.jacobian(q, "tool", axes), theirs) < ACCURATE
        theirs = [reference.jacobian_rate(*x, "tool", axes) for x in zip(q, qd, strict=True)]
        assert error(robot.jacobian_rate(q, qd, "tool", axes), theirs) < ACCURATE


def test_pinocchio_agrees_on_a_wrench_at_the_tool():
    """Pinocchio takes it at the joint that carries the tool, in that joint's axes."""
    robot, reference = built_in("panda")
    tree = robot.tree
    body, X_BF = tree.frame("tool")
    wrench = np.array([1.0, -2.0, 0.5, 10.0, -20.0, 5.0])
    for q, qd, qdd in zip(*named_states(7).values(), strict=True):
        R = np.asarray(kinematics.body_poses(tree, q)[body].R, dtype=float)
        moment, force = R.T @ wrench[:3], R.T @ wrench[3:]
        forces = [pin.Force.Zero() for _ in range(reference.model.njoints)]
        arm = np.cross(np.asarray(X_BF.p, dtype=float), force)
        forces[reference.ids[body]] = pin.Force(force, moment + arm)
        theirs = pin.rnea(reference.model, reference.data, reference.q(q), qd, qdd, forces)
        mine = rnea.inverse_dynamics(tree, q, qd, qdd, wrenches={"tool": wrench})
        assert error(mine, theirs) < ACCURATE


@pytest.mark.parametrize("axes", AXES)
def test_pinocchio_agrees_on_wrenches_in_all_axes_and_a_disturbance(axes):
    """Its own transforms take the wrench to the joint that carries the tool."""
    robot, reference = built_in("panda")
    model, data = reference.model, reference.data
    joint = reference.ids[robot.tree.frame("tool")[0]]
    rng = np.random.default_rng(1)
    for q, qd, qdd in zip(*named_states(7).values(), strict=True):
        wrench, d = rng.normal(size=6), rng.normal(size=7)
        f = pin.Force(wrench[3:], wrench[:3])
        pin.framesForwardKinematics(model, data, reference.q(q))
        X_WT, X_WJ = data.oMf[reference.frame("tool")], data.oMi[joint]
        if axes == "local":
            f = X_WT.act(f)
        elif axes == "world":
            f = pin.SE3(np.eye(3), X_WT.translation).act(f)
        forces = [pin.Force.Zero() for _ in range(model.njoints)]
        forces[joint] = X_WJ.actInv(f)
        theirs = pin.rnea(model, data, reference.q(q), qd, qdd, forces) + d
        loads = dict(wrenches={"tool": wrench}, axes=axes, disturbance=d)
        assert error(robot.inverse_dynamics(q, qd, qdd, **loads), theirs) < ACCURATE
        back = robot.forward_dynamics(q, qd, theirs, **loads)
        ours = pin.aba(model, data, reference.q(q), qd, theirs - d, forces)
        M = robot.mass_matrix(q)
        assert error(back, ours, qdd) < of_solution(M)


@pytest.mark.parametrize("name", ["ur5", "stanford"])
def test_pinocchio_agrees_on_a_base_that_moves(name):
    """As the joints of an arm whose base floats: the same motion needs the same torques."""
    robot, fixed = built_in(name)
    floating = pin.buildModelFromXML(urdf(robot.model), pin.JointModelFreeFlyer())
    floating.gravity, data = fixed.model.gravity, floating.createData()
    floating.armature = np.concatenate([np.zeros(6), fixed.model.armature])
    rng = np.random.default_rng(0)
    for q, qd, qdd in zip(*named_states(robot.n).values(), strict=True):
        velocity, acceleration = rng.normal(size=(2, 6))
        full = pin.neutral(floating)
        full[7:] = fixed.q(q)
        linear_first = [np.concatenate([x[3:], x[:3]]) for x in (velocity, acceleration)]
        rates = [np.concatenate(pair) for pair in zip(linear_first, (qd, qdd), strict=True)]
        theirs = pin.rnea(floating, data, full, *rates)[6:]
        motion = BaseMotion(velocity, acceleration)
        mine = rnea.inverse_dynamics(robot.tree, q, qd, qdd, base_motion=motion)
        assert error(mine, theirs) < ACCURATE
