"""C(q) and B(q) of a robot, and its Coriolis matrices by name, against formulas of their own."""

import made
import numpy as np
import pytest
from complex_step import slope
from long import long
from nearness import CANCELLED, SINGLE, assert_near
from random_trees import deep_tree

import qddot
from qddot import Robot
from qddot.dynamics.crba import mass_matrix
from qddot.equations.exact_tree import exact_robot
from qddot.errors import BadArgument
from qddot.exporting.functions import functions
from qddot.formulations.coriolis import FORMS, factorisations
from qddot.spatial.vector import cross_force, cross_motion

DEEP = Robot(deep_tree(3, 5)).without("friction", "springs")
ROBOTS = {"panda_hand": qddot.load("panda_hand"), "deep": DEEP}


def link_forms(robot: Robot, q: np.ndarray, qd: np.ndarray) -> dict[str, np.ndarray]:
    """Return Σ Jᵀ (𝓖 J̇ + B J) over the bodies, from the Jacobians of their frames."""
    found = dict.fromkeys(("newton_euler", "newton_euler_skew"), np.zeros((robot.n, robot.n)))
    inertias = {body.name: body.inertia for body in robot.tree.bodies}
    for joint in robot.model.joints:
        if joint.name not in inertias:
            continue
        J = robot.jacobian(q, joint.child, "local")
        J_rate = robot.jacobian_rate(q, qd, joint.child, "local")
        G = np.stack([inertias[joint.name] @ e for e in np.eye(6)], axis=1).astype(float)
        V = J @ qd
        ad = np.stack([cross_motion(V, e) for e in np.eye(6)], axis=1).astype(float)
        carried = np.stack([cross_force(V, e) for e in np.eye(6)], axis=1).astype(float) @ G
        for name, B in (("newton_euler", carried), ("newton_euler_skew", G @ ad + carried)):
            found[name] = found[name] + J.T @ (G @ J_rate + B @ J)
    return found


@pytest.mark.parametrize("name", [*sorted(ROBOTS.keys() - {"panda_hand"}), *long("panda_hand")])
def test_every_form_is_its_formula_and_gives_the_same_torque(name):
    """From ∂M/∂q by complex step, and link by link; one state and a batch."""
    robot = ROBOTS[name]
    q, qd, _ = made.states(robot.n)
    batches = {form: robot.coriolis_matrix(q, qd, form=form) for form in FORMS}
    c = robot.velocity_torque(q, qd)
    for k in range(len(q)):
        dM = np.moveaxis(slope(lambda x: mass_matrix(robot.tree, x), q[k]), -1, 0)
        Md, U = np.einsum("kij,k->ij", dM, qd[k]), np.einsum("kij,i->kj", dM, qd[k])
        standard = (Md + U.T - U) / 2
        expected = link_forms(robot, q[k], qd[k]) | {
            "christoffel": standard,
            "half_rate_skew": standard,
            "newton_euler_christoffel": standard,
            "rate": Md - U / 2,
            "transposed": U.T - U / 2,
        }
        assert expected.keys() == set(FORMS)
        for form, C in expected.items():
            assert_near(batches[form][k], C, Md, U, tolerance=CANCELLED)
            one = robot.coriolis_matrix(q[k], qd[k], form=form)
            assert_near(one, batches[form][k], Md, U)
            assert_near(one @ qd[k], c[k], np.abs(Md) @ np.abs(qd[k]), tolerance=CANCELLED)


def test_the_forms_differ_and_have_the_names_of_the_equations():
    robot, (q, qd, _) = DEEP, made.states(DEEP.n)
    standard = robot.coriolis_matrix(q[0], qd[0])
    others = ("rate", "transposed", "newton_euler", "newton_euler_skew")
    for form in others:
        assert np.abs(robot.coriolis_matrix(q[0], qd[0], form=form) - standard).max() > 1e-2
    exact = exact_robot(qddot.load("two_link_symbolic").model)
    assert tuple(factorisations(exact.tree, exact.q, exact.qd)) == FORMS


def test_a_form_goes_to_other_backends_and_files_by_name():
    arm, (q, qd, _) = made.ARM, made.states(2)
    wanted = arm.coriolis_matrix(q[0], qd[0], form="newton_euler")
    named, plain = functions(arm, ["coriolis_matrix:newton_euler", "coriolis_matrix"])
    assert (named.name, plain.name) == ("coriolis_matrix_newton_euler", "coriolis_matrix")
    assert_near(named.program(q[0], qd[0]), wanted)
    assert_near(plain.program(q[0], qd[0]), arm.coriolis_matrix(q[0], qd[0]))
    single = arm.with_options(dtype="float32").coriolis_matrix(q[0], qd[0], form="rate")
    assert_near(single, arm.coriolis_matrix(q[0], qd[0], form="rate"), tolerance=SINGLE)
    pytest.importorskip("casadi", reason="CasADi is not installed")
    lowered = qddot.to_casadi(arm).coriolis_matrix(q[0], qd[0], form="newton_euler")
    assert_near(np.asarray(lowered), wanted)


def test_a_form_that_does_not_exist_is_refused_with_those_that_do():
    q = np.zeros(2)
    for ask in (
        lambda: made.ARM.coriolis_matrix(q, q, form="newton"),
        lambda: made.ARM.program("coriolis_matrix", form="newton"),
        lambda: functions(made.ARM, ["coriolis_matrix:newton"]),
    ):
        with pytest.raises(BadArgument, match=r"form.*newton_euler"):
            ask()


def test_the_arm_that_turns_and_slides_has_the_decks_matrices():
    """C = [0 0; −m₂d₂ 0], B = [2m₂d₂; 0]: joint 1 feels Coriolis, joint 2 centrifugal force."""
    q = np.array([[0.4, 1.3], [2.0, -0.6]])
    rp = qddot.load("rp_symbolic")
    rp = rp.with_values(**{name: 2.5 if name == "m2" else 1.0 for name in rp.symbols})
    load, zero = 2.5 * q[:, 1], 0 * q[:, 1]
    C, B = rp.centrifugal_matrix(q), rp.coriolis_pairs(q)
    assert_near(C, np.moveaxis(np.array([[zero, zero], [-load, zero]]), -1, 0))
    assert_near(B, np.stack([2 * load, zero], axis=1)[..., None])


def test_a_joint_alone_has_no_pairs():
    pendulum = qddot.load("pendulum")
    assert pendulum.coriolis_pairs([[0.3], [0.4]]).shape == (2, 1, 0)
    assert pendulum.centrifugal_matrix([0.3]).tolist() == [[0.0]]
