"""What is true of the dynamics of every robot, tested on the definitions.

The robots are random trees with rotors, friction, springs, couplings, payloads and joints that
follow others, small ones by the hundred and a few of thirty joints.
"""

from dataclasses import replace

import numpy as np
import pytest
from complex_step import rate, slope
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st
from long import examples, long
from nearness import assert_near
from random_trees import deep_tree, on_a_mount, placement, poised, robots, spin, weight
from strategies import seeds, states

from qddot.dynamics import aba, forward
from qddot.dynamics.coriolis import coriolis_matrix, velocity_torque
from qddot.dynamics.crba import mass_matrix
from qddot.dynamics.energy import kinetic_energy, potential_energy
from qddot.dynamics.friction import friction_torque
from qddot.dynamics.rnea import (
    bias_torque,
    elastic_torque,
    gravity_torque,
    inverse_dynamics,
)
from qddot.model.folding import fold
from qddot.model.joints import Prismatic, Revolute, Screw
from qddot.model.tree import Tree
from qddot.readers import read

EXAMPLES = examples(20)
FIRST_FOUND = settings(max_examples=300, phases=[Phase.generate])  # not made smaller
EPSILON = np.finfo(float).eps
SOLVING = 100  # what a solution loses beyond κ(M) ε, for up to thirty joints

deep = pytest.mark.parametrize("model", [deep_tree(1, 30), *long(deep_tree(2, 30))], ids=["a", "b"])


def condition(M: np.ndarray) -> float:
    return float(np.linalg.cond(np.asarray(M, dtype=float)))


def descendants(tree: Tree, i: int) -> set[int]:
    """Return the bodies that body i carries, itself not included."""
    carried: set[int] = set()
    for j, body in enumerate(tree.bodies):
        if body.parent == i or body.parent in carried:
            carried.add(j)
    return carried


FEATURES = {
    "turns": lambda tree: any(isinstance(body.joint, Revolute) for body in tree.bodies),
    "slides": lambda tree: any(isinstance(body.joint, Prismatic) for body in tree.bodies),
    "branches": lambda tree: len({body.parent for body in tree.bodies}) < len(tree.bodies),
    "leans": lambda tree: any(np.count_nonzero(body.joint.axis) == 3 for body in tree.bodies),
    "screws": lambda tree: any(isinstance(body.joint, Screw) for body in tree.bodies),
    "follows": lambda tree: any(drive.ratio not in (0, 1) for drive in tree.drives),
    "sticks": lambda tree: any(friction.static for friction in tree.friction),
    "is coupled": lambda tree: any(np.count_nonzero(e.direction) == 2 for e in tree.elastics),
    "is long": lambda tree: len(tree.bodies) >= 4,
}


@pytest.mark.parametrize("feature", FEATURES)
def test_among_the_random_robots_is_one_that(feature):
    """Else a law would be tested on nothing."""
    assert find(poised(0), lambda robot: FEATURES[feature](robot[0]), settings=FIRST_FOUND)


# the mass matrix


@EXAMPLES
@given(poised(1))
def test_the_mass_matrix_is_symmetric_and_positive_definite(robot):
    tree, q = robot
    M = mass_matrix(tree, q)
    assert np.array_equal(M, M.T)
    assert np.linalg.eigvalsh(M)[0] > 0


@EXAMPLES
@given(poised(2))
def test_the_mass_matrix_is_what_accelerations_cost(robot):
    """M q̈ = τ(q̈) − τ(0), column by column and for any q̈."""
    tree, q, qdd = robot
    bias = bias_torque(tree, q, 0 * q)
    M = mass_matrix(tree, q)
    columns = [inverse_dynamics(tree, q, 0 * q, e) - bias for e in np.eye(tree.n)]
    assert_near(np.stack(columns, axis=1), M, bias)
    assert_near(
        M @ qdd, inverse_dynamics(tree, q, 0 * q, qdd) - bias, bias, np.abs(M) @ np.abs(qdd)
    )


@EXAMPLES
@given(poised(2))
def test_kinetic_energy_is_half_the_rates_times_the_mass_matrix_times_the_rates(robot):
    tree, q, qd = robot
    M = mass_matrix(tree, q)
    assert_near(kinetic_energy(tree, q, qd), qd @ M @ qd / 2, np.abs(qd) @ np.abs(M) @ np.abs(qd))


@EXAMPLES
@given(poised(2, mimic=False))
def test_a_diagonal_entry_depends_on_the_joints_beyond_it_only(robot):
    tree, q, other = robot
    for i in range(tree.n):
        beyond = descendants(tree, i)
        moved = np.array([q[j] if j in beyond else other[j] for j in range(tree.n)])
        assert_near(mass_matrix(tree, moved)[i, i], mass_matrix(tree, q)[i, i])


@EXAMPLES
@given(poised(2, mimic=False))
def test_joints_on_different_branches_share_no_inertia(robot):
    tree, q, _ = robot
    M = mass_matrix(tree, q)
    for i in range(tree.n):
        related = descendants(tree, i) | {i}
        for j in range(tree.n):
            if j not in related and i not in descendants(tree, j):
                assert M[i, j] == 0


@EXAMPLES
@given(robots(), seeds, st.data())
def test_moving_the_base_changes_neither_inertia_nor_velocity_torque(model, seed, data):
    q, qd = data.draw(states(model.n, 2))
    here = fold(model)
    there = fold(on_a_mount(model, placement(np.random.default_rng(seed), far=10)))
    assert_near(mass_matrix(there, q), mass_matrix(here, q))
    assert_near(velocity_torque(there, q, qd), velocity_torque(here, q, qd), spin(here, q, qd, qd))


@EXAMPLES
@given(poised(2))
def test_a_rotor_adds_to_the_diagonal_and_to_nothing_else(robot):
    tree, q, qd = robot
    without = replace(tree, rotor_inertia=(0,) * tree.n)
    M, bare_M = mass_matrix(tree, q), mass_matrix(without, q)
    assert_near(M, bare_M + np.diag(np.array(tree.rotor_inertia, dtype=float)))
    assert np.array_equal(bias_torque(tree, q, qd), bias_torque(without, q, qd))


# the equation of motion


@EXAMPLES
@given(poised(3))
def test_the_torque_is_the_sum_of_its_terms(robot):
    """τ = M q̈ + C q̇ + g + friction + springs."""
    tree, q, qd, qdd = robot
    check_the_sum_of_terms(tree, q, qd, qdd)


@deep
def test_the_torque_of_thirty_joints_is_the_sum_of_its_terms(model):
    check_the_sum_of_terms(fold(model), *np.random.default_rng(0).uniform(-2, 2, (3, model.n)))


def check_the_sum_of_terms(tree, q, qd, qdd):
    M, C = mass_matrix(tree, q), coriolis_matrix(tree, q, qd)
    resisting = friction_torque(tree, qd) + elastic_torque(tree, q, qd)
    terms = [M @ qdd, C @ qd, gravity_torque(tree, q), resisting]
    sizes = [np.abs(M) @ np.abs(qdd), np.abs(C) @ np.abs(qd), *terms]
    assert_near(inverse_dynamics(tree, q, qd, qdd), sum(terms), *sizes)
    assert_near(bias_torque(tree, q, qd), sum(terms[1:]), *sizes[1:])
    assert_near(velocity_torque(tree, q, qd), C @ qd, spin(tree, q, qd, qd))


@EXAMPLES
@given(poised(3))
def test_forward_dynamics_undoes_inverse_dynamics(robot):
    check_the_way_back(*robot)


@deep
def test_forward_dynamics_of_thirty_joints_undoes_inverse_dynamics(model):
    states = np.random.default_rng(0).uniform(-2, 2, (3, model.n))
    tree = fold(model)
    assert aba.applies(tree)
    check_the_way_back(tree, *states)


def check_the_way_back(tree, q, qd, qdd):
    """By the mass matrix, and by articulated bodies where no joint follows another."""
    tau = inverse_dynamics(tree, q, qd, qdd)
    M = mass_matrix(tree, q)
    bias = bias_torque(tree, q, qd)
    # an error of the torque's last digit, seen through M⁻¹
    pushed = np.abs(np.linalg.inv(M)).max() * max(np.abs(tau).max(), np.abs(bias).max())
    loss = SOLVING * EPSILON * max(condition(M) * np.abs(qdd).max(initial=0), pushed)
    ways = [forward.forward_dynamics]
    if aba.applies(tree):
        ways.append(aba.forward_dynamics)
    for way in ways:
        assert np.abs(np.asarray(way(tree, q, qd, tau), float) - qdd).max() <= loss


@EXAMPLES
@given(poised(3, mimic=False))
def test_articulated_bodies_and_the_mass_matrix_give_the_same_accelerations(robot):
    tree, q, qd, tau = robot
    assert aba.applies(tree)
    M = mass_matrix(tree, q)
    one = forward.forward_dynamics(tree, q, qd, tau)
    two = aba.forward_dynamics(tree, q, qd, tau)
    assert_near(one, two, tolerance=SOLVING * EPSILON * condition(M))


def test_articulated_bodies_decline_joints_that_follow_others():
    """Its recursion has one coordinate a joint; `forward_dynamics` chooses by this."""
    assert aba.applies(fold(read("panda")))
    assert not aba.applies(fold(read("panda_hand")))


# energy


@EXAMPLES
@given(poised(1))
def test_gravity_and_springs_pull_down_the_slope_of_the_potential_energy(robot):
    """g + springs = ∂P/∂q, by complex step."""
    tree, q = robot
    held = gravity_torque(tree, q) + elastic_torque(tree, q, 0 * q)
    assert_near(held, slope(lambda q: potential_energy(tree, q), q), weight(tree))


@EXAMPLES
@given(poised(3))
def test_energy_grows_by_the_work_of_the_torques_less_what_is_dissipated(robot):
    """d(T + P)/dt = τ·q̇ − dissipation, along the motion that the torques make."""
    tree, q, qd, qdd = robot
    check_power(tree, q, qd, qdd)


@deep
def test_energy_of_thirty_joints_grows_by_the_work_of_the_torques(model):
    check_power(fold(model), *np.random.default_rng(0).uniform(-2, 2, (3, model.n)))


def check_power(tree, q, qd, qdd):
    def energy(q, qd):
        return kinetic_energy(tree, q, qd) + potential_energy(tree, q)

    tau = inverse_dynamics(tree, q, qd, qdd)
    damping = elastic_torque(tree, q, qd) - elastic_torque(tree, q, 0 * qd)
    dissipated = friction_torque(tree, qd) + damping
    terms = (np.abs(tau) @ np.abs(qd), np.abs(dissipated) @ np.abs(qd))
    assert_near(rate(energy, (q, qd), (qd, qdd)), tau @ qd - dissipated @ qd, *terms)


@EXAMPLES
@given(poised(1))
def test_dry_and_viscous_friction_and_dampers_never_drive(robot):
    tree, qd = robot
    steady = [replace(friction, offset=0) for friction in tree.friction]
    assert friction_torque(replace(tree, friction=tuple(steady)), qd) @ qd >= 0
    for elastic in tree.elastics:
        still = replace(elastic, stiffness=0)
        assert still.torque(0 * qd, qd) @ qd >= 0
