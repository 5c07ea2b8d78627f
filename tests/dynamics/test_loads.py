"""Wrenches, payloads and a base that moves, each against the robot that has them built in."""

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from long import examples
from nearness import assert_near, of_solution
from random_trees import GRAVITY, chains, poised, robots, weight
from strategies import inertial, seeds, states

from qddot.dynamics import forward
from qddot.dynamics.crba import mass_matrix
from qddot.dynamics.kinematics import AXES, jacobian, jacobian_rate, pose
from qddot.dynamics.movement import BaseMotion
from qddot.dynamics.rnea import bias_torque, gravity_torque, inverse_dynamics
from qddot.model import Joint, Link, Model
from qddot.model.folding import fold
from qddot.model.validation import checked
from qddot.spatial.vector import cross, join

EXAMPLES = examples(20)

CARRIER = (
    *(("slide_x", "prismatic", (1, 0, 0)), ("slide_y", "prismatic", (0, 1, 0))),
    *(("slide_z", "prismatic", (0, 0, 1)), ("turn_z", "revolute", (0, 0, 1))),
    *(("turn_y", "revolute", (0, 1, 0)), ("turn_x", "revolute", (1, 0, 0))),
)


@EXAMPLES
@given(poised(3), seeds, st.sampled_from(AXES))
def test_a_wrench_does_the_work_of_its_frames_velocity(robot, seed, axes):
    """τ(f) − τ = −Jᵀ f: the power f·V is taken from the joints, in whatever axes both are."""
    tree, q, qd, qdd = robot
    frames = list(tree.frames)
    rng = np.random.default_rng(seed)
    wrenches = {frame: rng.normal(size=6) for frame in ("tool", frames[len(frames) // 2])}
    free = inverse_dynamics(tree, q, qd, qdd)
    loaded = inverse_dynamics(tree, q, qd, qdd, wrenches=wrenches, axes=axes)
    parts = [jacobian(tree, q, frame, axes).T @ f for frame, f in wrenches.items()]
    assert_near(loaded, free - sum(parts), free, *parts)
    biased = bias_torque(tree, q, qd, wrenches=wrenches, axes=axes)
    assert_near(biased, bias_torque(tree, q, qd) - sum(parts), free, *parts, weight(tree))


@EXAMPLES
@given(poised(3), seeds)
def test_a_disturbance_is_subtracted_from_the_torques(robot, seed):
    """τ_dist stands on the left: M q̈ + … + τ_dist = τ."""
    tree, q, qd, qdd = robot
    rng = np.random.default_rng(seed)
    d, tau = rng.normal(size=(2, tree.n))
    free = inverse_dynamics(tree, q, qd, qdd)
    assert_near(inverse_dynamics(tree, q, qd, qdd, disturbance=d), free + d)
    assert_near(bias_torque(tree, q, qd, disturbance=d), bias_torque(tree, q, qd) + d)
    taken = forward.forward_dynamics(tree, q, qd, tau, disturbance=d)
    M = mass_matrix(tree, q)
    pushed = np.abs(np.linalg.inv(M)).max() * max(np.abs(free).max(), weight(tree))
    given = forward.forward_dynamics(tree, q, qd, tau - d)
    assert_near(taken, given, pushed, tolerance=of_solution(M))


@EXAMPLES
@given(poised(3), seeds)
def test_forward_dynamics_feels_wrenches_and_the_base(robot, seed):
    tree, q, qd, qdd = robot
    rng = np.random.default_rng(seed)
    loads = {
        "wrenches": {"tool": rng.normal(size=6)},
        "base_motion": BaseMotion(rng.normal(size=6), rng.normal(size=6)),
    }
    tau = inverse_dynamics(tree, q, qd, qdd, **loads)
    M = mass_matrix(tree, q)
    pushed = np.abs(np.linalg.inv(M)).max() * max(np.abs(tau).max(), weight(tree))
    back = forward.forward_dynamics(tree, q, qd, tau, **loads)
    assert_near(back, qdd, pushed, tolerance=of_solution(M))


@EXAMPLES
@given(poised(1), seeds)
def test_a_payload_pulls_like_a_wrench_of_its_weight(robot, seed):
    tree, q = robot
    load = inertial(np.random.default_rng(seed))
    body, X_BF = tree.frame("tool")
    bodies = list(tree.bodies)
    if body < 0:
        return
    heavier = bodies[body].inertia + load.about_origin().seen_from(X_BF)
    bodies[body] = replace(bodies[body], inertia=heavier)
    arm = pose(tree, q, "tool").R @ np.array(load.com)
    pull = load.mass * np.array(GRAVITY)
    weighed = jacobian(tree, q, "tool").T @ join(cross(arm, pull), pull)
    carried = gravity_torque(replace(tree, bodies=tuple(bodies)), q)
    assert_near(carried, gravity_torque(tree, q) - weighed, weight(tree), load.mass * 10)


def carried(model: Model) -> Model:
    """Return the robot on a carrier that slides along x, y, z, then turns about z, y, x."""
    links, joints, below = [Link("ground")], [], "ground"
    for name, kind, axis in CARRIER:
        child = "carriage" if name == "turn_x" else f"after_{name}"
        links.append(Link(child))
        joints.append(Joint(name, kind, below, child, axis=axis))
        below = child
    joints.append(Joint("foot", "fixed", "carriage", model.links[0].name))
    return checked(
        replace(model, links=(*links, *model.links), joints=(*joints, *model.joints)),
    )


@EXAMPLES
@given(robots(most=4) | chains(most=4), st.data())
def test_a_moving_base_is_an_arm_on_a_carrier_whose_motion_is_prescribed(model, data):
    """The base's twist and its rate are those of the carriage, in its own axes."""
    q, qd, qdd = data.draw(states(model.n, 3))
    rng = np.random.default_rng(data.draw(seeds))
    there, fast, faster = rng.uniform(-2, 2, (3, 6))
    whole = fold(carried(model))
    both = [np.concatenate(pair) for pair in ((there, q), (fast, qd), (faster, qdd))]
    expected = inverse_dynamics(whole, *both)[6:]

    J = jacobian(whole, both[0], "carriage", "local")[:, :6]
    Jdot = jacobian_rate(whole, both[0], both[1], "carriage", "local")[:, :6]
    motion = BaseMotion(J @ fast, J @ faster + Jdot @ fast)
    down = pose(whole, both[0], "carriage").R.T @ np.array(model.gravity, dtype=float)
    tree = replace(fold(model), gravity=tuple(down))
    M = np.abs(mass_matrix(whole, both[0])).max()
    busy = M * max(np.abs(both[1]).max() ** 2, np.abs(both[2]).max())
    assert_near(inverse_dynamics(tree, q, qd, qdd, base_motion=motion), expected, busy)


@EXAMPLES
@given(poised(3), seeds)
def test_a_base_that_accelerates_against_gravity_is_another_gravity(robot, seed):
    """Free fall and a lift: only the difference of base acceleration and gravity is felt."""
    tree, q, qd, qdd = robot
    lift = np.random.default_rng(seed).normal(size=3)
    motion = BaseMotion(np.zeros(6), np.concatenate([np.zeros(3), lift]))
    other = replace(tree, gravity=tuple(np.array(tree.gravity) - lift))
    mine = inverse_dynamics(tree, q, qd, qdd, base_motion=motion)
    assert_near(mine, inverse_dynamics(other, q, qd, qdd), weight(tree))
