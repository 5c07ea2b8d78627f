"""Rewriting a tree before it is recorded: fewer numbers in it, the same torques."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from long import examples
from nearness import assert_near
from random_trees import deep_tree, poised, weight
from strategies import seeds

from qddot.dynamics.coriolis import coriolis_matrix
from qddot.dynamics.crba import mass_matrix
from qddot.dynamics.energy import kinetic_energy, potential_energy
from qddot.dynamics.kinematics import jacobian, pose
from qddot.dynamics.movement import BaseMotion
from qddot.dynamics.regroup import aligned, regrouped
from qddot.dynamics.rnea import inverse_dynamics
from qddot.model.folding import fold
from qddot.model.joints import Prismatic, Revolute
from qddot.spatial.inertia import Inertia

EXAMPLES = examples(20)

either = pytest.mark.parametrize("rewritten", [aligned, regrouped])


@either
@EXAMPLES
@given(robot=poised(3), seed=seeds)
def test_no_torque_changes(rewritten, robot, seed):
    check_torques(rewritten, *robot, seed)


@either
def test_no_torque_of_thirty_joints_changes(rewritten):
    tree = fold(deep_tree(4, 30))
    check_torques(rewritten, tree, *np.random.default_rng(0).uniform(-2, 2, (3, 30)), 0)


def check_torques(rewritten, tree, q, qd, qdd, seed):
    """Under wrenches and on a moving base too: the terms of a torque are as large as these."""
    rng = np.random.default_rng(seed)
    loads = {
        "wrenches": {"tool": rng.normal(size=6)},
        "base_motion": BaseMotion(rng.normal(size=6), rng.normal(size=6)),
    }
    other = rewritten(tree)
    M = mass_matrix(tree, q)
    largest = np.abs(M).max()
    assert_near(mass_matrix(other, q), M)
    fast = np.abs(qd).max()
    assert_near(coriolis_matrix(other, q, qd), coriolis_matrix(tree, q, qd), largest * fast)
    for more in ({}, loads):
        mine = inverse_dynamics(other, q, qd, qdd, **more)
        theirs = inverse_dynamics(tree, q, qd, qdd, **more)
        assert_near(mine, theirs, weight(tree), largest * fast**2, largest * np.abs(qdd).max())
    energy = kinetic_energy(tree, q, qd)
    assert_near(kinetic_energy(other, q, qd), energy, largest * fast**2)


@EXAMPLES
@given(poised(1))
def test_alignment_keeps_every_frame_and_all_of_the_mass(robot):
    tree, q = robot
    other = aligned(tree)
    for frame in tree.frames:
        assert_near(pose(other, q, frame).matrix(), pose(tree, q, frame).matrix())
        assert_near(jacobian(other, q, frame), jacobian(tree, q, frame), 1)
    assert_near(potential_energy(other, q), potential_energy(tree, q), weight(tree))
    for body, before in zip(other.bodies, tree.bodies, strict=True):
        assert_near(body.inertia.m, before.inertia.m)
        assert tuple(body.joint.axis) == (0, 0, 1)


@EXAMPLES
@given(poised(0))
def test_what_regrouping_removes_is_zero(robot):
    (tree,) = robot
    for body in regrouped(tree).bodies:
        I = np.asarray(body.inertia.I, dtype=float)
        largest = np.abs(I).max()
        if isinstance(body.joint, Prismatic):
            assert not np.any(I)
        else:
            if isinstance(body.joint, Revolute):
                assert body.inertia.m == 0
                assert body.inertia.h[2] == 0
            assert_near((I[0, 0] + I[1, 1] - I[2, 2]) / 2, 0, largest)  # ∫z² dm


def test_a_small_product_of_inertia_is_not_taken_for_rounding():
    """1e-12 of the largest moment is small, and it is known."""
    tree = fold(deep_tree(4, 1))
    (body,) = tree.bodies
    tiny = 1e-12
    body = replace(body, inertia=Inertia.from_parameters([1, 1, 0, 0, 1, 0, tiny, 1, 0, 1]))
    body = replace(body, joint=Revolute((0, 0, 1)))
    (other,) = regrouped(replace(tree, bodies=(body,))).bodies
    assert other.inertia.parameters[6] == tiny
