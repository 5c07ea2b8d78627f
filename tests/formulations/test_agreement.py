"""The five textbook formulations and the recursions of `dynamics` are one equation.

On random trees they agree to round-off; on polynomials, where equal means equal, their difference
is zero. Derivatives are exact in both: by complex step, and formal.
"""

from dataclasses import replace

import numpy as np
import pytest
from blackboard import DERIVE
from complex_step import rate, slope
from hypothesis import given
from hypothesis import strategies as st
from long import examples, long, one_in
from nearness import CANCELLED, assert_near
from random_trees import chains, deep_tree, laden, poised, weight
from strategies import inertial, models, random_joint, seeds, states

from qddot.dynamics import energy, kinematics, rnea
from qddot.dynamics.coriolis import (
    christoffel,
    velocity_torque,
)
from qddot.dynamics.coriolis import (
    mass_matrix_rate as rate_by_recursion,
)
from qddot.dynamics.crba import mass_matrix
from qddot.dynamics.movement import BaseMotion
from qddot.equations.exact_tree import ExactRobot, exact_robot
from qddot.equations.polynomial import Polynomial
from qddot.formulations import (
    coriolis,
    explicit,
    lagrange,
    recursive,
    stacked,
    trace,
)
from qddot.formulations.calculus import gradient
from qddot.formulations.plain_formula import plain
from qddot.model import Inertial, Link, build
from qddot.model.folding import fold
from qddot.model.tree import Tree
from qddot.readers.read import built_in_names, read
from qddot.spatial.vector import skew

EXAMPLES = examples(15)

TEXTBOOK = [name for name in built_in_names() if name.endswith("_symbolic")]
REAL = ["scara", "stanford", "puma560", "ur5", "panda"]

each = pytest.mark.parametrize("formulation", DERIVE)
robots = pytest.mark.parametrize("name", [*TEXTBOOK, *REAL[:-1], *long(REAL[-1])])
deep = pytest.mark.parametrize("seed", [1, 2])


def spin(tree: Tree, q: np.ndarray, qd: np.ndarray) -> float:
    """Return how large the terms of a velocity torque are."""
    return np.abs(mass_matrix(tree, q)).max() * np.abs(qd).max() ** 2


def check(formulation: str, tree: Tree, q: np.ndarray, qd: np.ndarray) -> None:
    """Assert that one formulation gives the terms that the recursions give."""
    found = DERIVE[formulation](tree, q, qd)
    assert found.formulation == formulation
    assert_near(found.M, mass_matrix(tree, q), tolerance=CANCELLED)
    assert_near(found.c, velocity_torque(tree, q, qd), spin(tree, q, qd), tolerance=CANCELLED)
    assert_near(found.g, rnea.gravity_torque(tree, q), weight(tree), tolerance=CANCELLED)


# numbers


@each
@EXAMPLES
@given(robot=poised(2))
def test_every_formulation_gives_the_terms_of_the_recursions_on_random_trees(formulation, robot):
    check(formulation, *robot)


@pytest.mark.parametrize("formulation", ["explicit", "trace", "stacked", "recursive"])
@deep
def test_fifteen_joints_on_branches_agree_too(formulation, seed):
    tree = fold(deep_tree(seed, 15))
    check(formulation, tree, *np.random.default_rng(seed).uniform(-2, 2, (2, tree.n)))


@each
@EXAMPLES
@given(seed=seeds, data=st.data())
def test_a_link_without_mass_has_no_centre_and_needs_none(formulation, seed, data):
    rng = np.random.default_rng(seed)
    links = [Link("base"), Link("a", Inertial()), Link("b", inertial(rng))]
    joints = [
        random_joint(rng, "first", "revolute", "base", "a"),
        random_joint(rng, "second", "prismatic", "a", "b"),
    ]
    tree = fold(build("hollow", links, joints))
    assert tree.bodies[0].inertia.m == 0
    check(formulation, tree, *data.draw(states(2, 2)))


@each
@EXAMPLES
@given(robot=poised(3))
def test_the_torque_of_a_derivation_is_that_of_inverse_dynamics(formulation, robot):
    tree, q, qd, qdd = robot
    found = DERIVE[formulation](tree, q, qd)
    M = mass_matrix(tree, q)
    sizes = (np.abs(M) @ np.abs(qdd), spin(tree, q, qd), weight(tree))
    tau = rnea.rigid_body_torque(tree, q, qd, qdd)
    assert_near(found.torque(qdd), tau, *sizes, tolerance=CANCELLED)


@EXAMPLES
@given(poised(2))
def test_energies_of_the_lagrangian_are_those_of_the_recursion(robot):
    tree, q, qd = robot
    K, P = energy.kinetic_energy(tree, q, qd), energy.potential_energy(tree, q)
    assert_near(lagrange.kinetic_energy(tree, q, qd), K, tolerance=CANCELLED)
    mine = sum(lagrange.potential_energies(tree, q)) + lagrange.elastic_energy(tree, q)
    assert_near(mine, P, weight(tree), tolerance=CANCELLED)


@EXAMPLES
@given(poised(2))
def test_springs_and_dampers_of_the_lagrangian_hold_what_those_of_the_recursion_hold(robot):
    """∂P/∂q + ∂D/∂q̇ are the spring and damper torques; twice D is the power that dampers take."""
    tree, q, qd = robot
    viscous = np.array([f.viscous * v for f, v in zip(tree.friction, qd, strict=True)], float)
    for shaft in tree.shared:
        e = np.array(shaft.direction, float)
        viscous = viscous + e * (shaft.friction.viscous * (e @ qd))
    expected = rnea.elastic_torque(tree, q, qd) + viscous
    found = lagrange.elastic_torque(tree, q) + lagrange.damping_torque(tree, qd)
    assert_near(
        found, expected, 1, np.abs(qd).max(), tolerance=CANCELLED
    )  # stiff and damped by about 1
    power = lagrange.damping_torque(tree, qd) @ qd
    assert_near(
        2 * lagrange.dissipation(tree, qd), power, np.abs(qd).max() ** 2, tolerance=CANCELLED
    )


@EXAMPLES
@given(poised(2))
def test_jacobians_of_the_explicit_form_are_the_derivatives_of_the_centres_of_mass(robot):
    """J_v = ∂P_C/∂q, and J_ω q̇ is the vector of Rᵀ Ṙ."""
    tree, q, qd = robot
    links = explicit.jacobians(tree, q)
    for i, link in enumerate(links):
        slopes = slope(lambda x, i=i: explicit.jacobians(tree, x)[i].P, q)
        assert_near(link.J_v, slopes, 1, tolerance=CANCELLED)
        R = kinematics.body_poses(tree, q)[i].R
        turning = rate(lambda x, i=i: kinematics.body_poses(tree, x)[i].R, (q, qd))
        assert_near(skew(link.J_w @ qd), R.T @ turning, np.abs(qd).max(), tolerance=CANCELLED)


@EXAMPLES
@given(poised(1))
def test_derivatives_of_the_transforms_are_what_operators_make_them(robot):
    """U_ij = ∂T_i/∂q_j and U_ijk = U_ikj = ∂U_ij/∂q_k; what is not listed is zero."""
    tree, q = robot
    for i, link in enumerate(trace.transforms(tree, q)):
        slopes = slope(lambda x, i=i: trace.transforms(tree, x)[i].T, q)
        for j in range(tree.n):
            assert_near(link.U.get(j, np.zeros((4, 4))), slopes[..., j], 1, tolerance=CANCELLED)
            if j not in link.U:
                continue
            second = slope(lambda x, i=i, j=j: trace.transforms(tree, x)[i].U[j], q)
            for k in range(tree.n):
                pair = (min(j, k), max(j, k))
                mine = link.UU.get(pair, np.zeros((4, 4)))
                assert_near(mine, second[..., k], 1, tolerance=CANCELLED)


@EXAMPLES
@given(poised(2))
def test_centrifugal_and_coriolis_matrices_give_the_velocity_torque(robot):
    """C(q) [q̇²] + B(q) [q̇q̇] = c, with one column of B for each pair of joints."""
    tree, q, qd = robot
    C, B = explicit.centrifugal_and_coriolis(christoffel(tree, q))
    assert C.shape == (tree.n, tree.n)
    assert B.shape == (tree.n, tree.n * (tree.n - 1) // 2)
    pairs = [qd[i] * qd[j] for i in range(tree.n) for j in range(i + 1, tree.n)]
    c = velocity_torque(tree, q, qd)
    assert_near(C @ qd**2 + B @ np.array(pairs), c, spin(tree, q, qd), tolerance=CANCELLED)


@EXAMPLES
@given(poised(2))
def test_the_explicit_rate_of_the_mass_matrix_is_its_derivative(robot):
    tree, q, qd = robot
    found = stacked.mass_matrix_rate(tree, q, qd)
    by_step = rate(lambda x: mass_matrix(tree, x), (q, qd))
    scale = np.abs(mass_matrix(tree, q)).max() * np.abs(qd).max()
    assert_near(found, by_step, scale, tolerance=CANCELLED)
    assert_near(found, rate_by_recursion(tree, q, qd), scale, tolerance=CANCELLED)


@EXAMPLES
@given(robot=poised(6))
def test_a_moving_base_takes_the_torques_that_the_recursion_says(robot):
    tree, q, qd, qdd, *base = robot
    twist, change = (np.resize(x, 6) for x in base[:2])
    found = stacked.derive(tree, q, qd, base_motion=(twist, change))
    tau = rnea.rigid_body_torque(tree, q, qd, qdd, base_motion=BaseMotion(twist, change))
    M = np.abs(mass_matrix(tree, q)).max()
    reach = weight(tree) * (1 + np.abs(q).max()) ** 2
    speed = max(np.abs(twist).max(), np.abs(qd).max())
    sizes = (M * np.abs(qdd).max(), M * speed**2, reach * (1 + speed**2 + np.abs(change).max()))
    assert_near(found.torque(qdd), tau, *sizes, tolerance=CANCELLED)


@EXAMPLES
@given(chains(), seeds)
def test_pressing_on_the_environment_takes_the_jacobian_transposed(model, seed):
    """τ = Jᵀ F, with the power F · V that joints and tip share."""
    tree = fold(laden(model, np.random.default_rng(seed)))
    q, qd = np.random.default_rng(seed).uniform(-2, 2, (2, tree.n))
    wrench = np.random.default_rng(seed + 1).normal(size=6)
    tau = recursive.tip_torque(tree, q, "tool", wrench)
    J = kinematics.jacobian(tree, q, "tool", "local")
    assert_near(tau, J.T @ wrench, 10, tolerance=CANCELLED)
    assert_near(tau @ qd, wrench @ (J @ qd), 10, tolerance=CANCELLED)


# polynomials


def same(mine: np.ndarray, other: np.ndarray) -> bool:
    """Return whether every entry of two arrays is the same polynomial."""
    assert mine.shape == other.shape
    return all(not (a - b) for a, b in zip(mine.reshape(-1), other.reshape(-1), strict=True))


@pytest.mark.parametrize("name", [*one_in(2, TEXTBOOK + REAL[:-1]), *long(REAL[-1])])
def test_all_formulations_of_a_robot_are_the_same_polynomials(name):
    robot = exact_robot(read(name))
    M = mass_matrix(robot.tree, robot.q)
    c = velocity_torque(robot.tree, robot.q, robot.qd)
    g = rnea.gravity_torque(robot.tree, robot.q)
    for derive in DERIVE.values():
        found = derive(robot.tree, robot.q, robot.qd)
        assert same(found.M, M)
        assert same(found.c, c)
        assert same(found.g, g)


@pytest.mark.parametrize("name", [*TEXTBOOK, "stanford", "ur5"])
def test_the_explicit_rate_of_the_mass_matrix_is_exact(name):
    robot = exact_robot(read(name))
    dM = gradient(lambda x: mass_matrix(robot.tree, x), robot.q)
    found = stacked.mass_matrix_rate(robot.tree, robot.q, robot.qd)
    assert same(found, coriolis.mass_rate(dM, robot.qd))


def test_links_with_symbols_for_masses_joined_rigidly_need_no_quotient():
    """Their centre of mass (m₁c₁ + m₂c₂)/(m₁ + m₂) is no polynomial; their moments are."""
    robot = joined()
    points = [lagrange.reference(body.inertia, robot.q)[0] for body in robot.tree.bodies]
    assert points == ["C", "O"]
    M = mass_matrix(robot.tree, robot.q)
    c = velocity_torque(robot.tree, robot.q, robot.qd)
    g = rnea.gravity_torque(robot.tree, robot.q)
    for derive in DERIVE.values():
        found = derive(robot.tree, robot.q, robot.qd)
        assert same(found.M, M)
        assert same(found.c, c)
        assert same(found.g, g)


def joined() -> ExactRobot:
    """Return the point-mass arm with a third link, as heavy as the first, fixed to the second."""
    model = read("two_link_point_symbolic")
    _, link1, link2 = model.links
    third = Link("link3", replace(link2.inertial, mass=link1.inertial.mass))
    fixed = replace(model.joints[1], name="j3", kind="fixed", parent="link2", child="link3")
    return exact_robot(
        replace(model, links=(*model.links, third), joints=(*model.joints, fixed), frames=())
    )


@EXAMPLES
@given(models(1, 3))
def test_every_formulation_lists_its_steps_in_parts_with_words(model):
    tree = fold(model)
    state = np.full(tree.n, 0.3)
    for derive in DERIVE.values():
        parts = derive(tree, state, state).parts
        assert parts
        assert all(part.title and part.words for part in parts)
        for step in (step for part in parts for step in part.steps):
            assert plain(step.symbol)
            plain(step.formula), plain(step.title.replace("$", ""))  # LaTeX that is known


def test_steps_over_polynomials_are_exact():
    robot = exact_robot(read("ur5"))
    exact = (int, Polynomial)
    for derive in DERIVE.values():
        for step in derive(robot.tree, robot.q, robot.qd).steps:
            entries = np.asarray(step.value, dtype=object).reshape(-1)
            assert all(isinstance(x, exact) or x in (0, 1) for x in entries)
