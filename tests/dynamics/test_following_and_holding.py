"""Joints that follow others, joints that are held, and robots with nothing acting on them."""

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from long import examples
from nearness import assert_near
from random_trees import bare, chains, deep_tree, grown, robots, weight
from strategies import states

from qddot.dynamics.coriolis import coriolis_matrix
from qddot.dynamics.crba import mass_matrix
from qddot.dynamics.friction import friction_torque
from qddot.dynamics.rnea import elastic_torque, inverse_dynamics
from qddot.model import Mimic, Model
from qddot.model.folding import fold
from qddot.spatial.inertia import Inertia

EXAMPLES = examples(20)


def placed(model: Model, q: np.ndarray) -> dict[str, float]:
    """Return where every joint stands, followers of followers too."""
    own = dict(zip(model.joint_names, q, strict=True))

    def at(name: str) -> float:
        mimic = model.joint(name).mimic
        return own[name] if mimic is None else mimic.multiplier * at(mimic.joint) + mimic.offset

    return {joint.name: at(joint.name) for joint in model.joints if joint.kind != "fixed"}


@EXAMPLES
@given(robots(least=2), st.data())
def test_a_joint_that_follows_hands_its_torque_to_its_leader(model, data):
    """τ = Gᵀ τ_free(G q + o, G q̇, G q̈): what the free robot's torques do in the same motion."""
    q, qd, qdd = data.draw(states(model.n, 3))
    free = model.with_joints(lambda joint: replace(joint, mimic=None))
    offset = np.array([placed(model, 0 * q)[name] for name in free.joint_names])
    moved = [[placed(model, e)[name] for name in free.joint_names] for e in np.eye(model.n)]
    G = np.array(moved).T - offset[:, None]
    states_ = G @ q + offset, G @ qd, G @ qdd
    tree, free_tree = fold(model), fold(free)
    theirs = inverse_dynamics(free_tree, *states_)
    assert_near(inverse_dynamics(tree, q, qd, qdd), G.T @ theirs, np.abs(G.T) @ np.abs(theirs))
    M = mass_matrix(free_tree, states_[0])
    assert_near(mass_matrix(tree, q), G.T @ M @ G, np.abs(G.T) @ np.abs(M) @ np.abs(G))
    C = coriolis_matrix(free_tree, *states_[:2])
    assert_near(coriolis_matrix(tree, q, qd), G.T @ C @ G, np.abs(M).max() * np.abs(qd).max())


@EXAMPLES
@given(chains(), st.data())
def test_a_held_joint_is_one_that_does_not_move(model, data):
    q, qd, qdd = data.draw(states(model.n, 3))
    held = data.draw(st.integers(0, model.n - 1))
    name = model.joint_names[held]
    fixed = model.with_joints(
        lambda joint: replace(joint, locked=float(q[held])) if joint.name == name else joint
    )
    others = [i for i in range(model.n) if i != held]
    qd[held] = qdd[held] = 0
    all_of_it = inverse_dynamics(fold(model), q, qd, qdd)
    assert_near(
        inverse_dynamics(fold(fixed), q[others], qd[others], qdd[others]),
        all_of_it[others],
        all_of_it,
        weight(fold(model)),
    )


@EXAMPLES
@given(robots(), st.data())
def test_without_anything_acting_only_the_rigid_body_is_left(model, data):
    q, qd, qdd = data.draw(states(model.n, 3))
    tree, rest = fold(model), fold(bare(model))
    acting = friction_torque(tree, qd) + elastic_torque(tree, q, qd)
    rotors = np.array(tree.rotor_inertia, dtype=float) * qdd
    for shaft in tree.shared:
        e = np.array(shaft.direction, dtype=float)
        rotors = rotors + e * (shaft.rotor_inertia * (e @ qdd))
    tau = inverse_dynamics(tree, q, qd, qdd)
    assert_near(inverse_dynamics(rest, q, qd, qdd), tau - acting - rotors, tau, acting, rotors)


def test_what_does_not_move_has_no_weight():
    """The base's mass is in the tree, and in no torque."""
    tree = fold(deep_tree(5, 6))
    heavy = replace(tree, base=Inertia(1e6, np.zeros(3), np.eye(3)))
    q = np.linspace(-1, 1, 6)
    assert tree.base.m > 0
    assert np.array_equal(inverse_dynamics(heavy, q, q, q), inverse_dynamics(tree, q, q, q))


def test_the_mass_matrix_of_crossed_followers_is_symmetric_to_the_bit():
    """Joint 3 follows joint 1, joint 4 joint 2: four products add up off the diagonal."""
    rng = np.random.default_rng(0)
    for seed in range(10):
        model = grown(np.random.default_rng(seed), [0, 1, 2, 3])
        leaders = {"joint3": Mimic("joint1", -1.07, 0.3), "joint4": Mimic("joint2", 0.31, 0.4)}
        model = model.with_joints(lambda j, by=leaders: replace(j, mimic=by.get(j.name)))
        tree = fold(model)
        M = mass_matrix(tree, rng.normal(size=tree.n))
        assert tree.n == 2
        assert np.array_equal(M, M.T)
