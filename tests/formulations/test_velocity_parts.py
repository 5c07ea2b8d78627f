"""The torques of velocities on the board, held against their own definitions, of random arms."""

import numpy as np
import pytest
from blackboard import DERIVE, board
from nearness import assert_near
from random_trees import deep_tree

import qddot
from qddot.equations.document import document
from qddot.equations.printing import page
from qddot.formulations.notation_file import notation
from qddot.model.folding import fold

TOLERANCE = 1e-10


def steps_of(formulation, letters, seed):
    tree = fold(deep_tree(seed, 3))
    q, qd = np.random.default_rng(seed).uniform(-2, 2, (2, tree.n))
    found = DERIVE[formulation](tree, q, qd, notation(letters).of([True] * tree.n))
    return found, qd, {step.symbol: step.value for step in found.steps}


@pytest.mark.parametrize("seed", [1, 2])
def test_all_printed_coriolis_matrices_give_the_same_torques(seed):
    found, qd, steps = steps_of("stacked", "deck_s0", seed)
    for name in ("C", "C'", "C''"):
        assert_near(steps[name] @ qd, found.c, tolerance=TOLERANCE)
    N = steps[r"\dot{M}"] - 2 * steps["C"]
    assert_near(N, -N.T, tolerance=TOLERANCE)
    # Kronecker's products themselves
    slopes, I = steps[r"\partial M/\partial \theta"], np.eye(len(qd))
    assert_near(np.kron(qd, I) @ slopes, steps[r"\dot{M}"], tolerance=TOLERANCE)
    assert_near(np.kron(I, qd) @ slopes, steps["U"], tolerance=TOLERANCE)


@pytest.mark.parametrize(
    ("letters", "symbol"), [("deck_s0", r"\Gamma"), ("deck_s3", r"\mathbf{S}")]
)
def test_the_matrix_of_each_torque_is_symmetric_and_gives_it(letters, symbol):
    found, qd, steps = steps_of("explicit", letters, 3)
    for k in range(len(qd)):
        S = steps[f"{symbol}_{{{k + 1}}}"]
        assert_near(S, S.T, tolerance=TOLERANCE)
        assert_near(qd @ S @ qd, found.c[k], tolerance=TOLERANCE)


def test_slopes_that_are_not_symmetrised_give_the_same_torques():
    found, qd, steps = steps_of("explicit", "deck_s3", 4)
    n = len(qd)
    for k in range(n):
        h = np.array([[steps[f"h_{{{k + 1}{j + 1}{i + 1}}}"] for i in range(n)] for j in range(n)])
        assert_near(qd @ h @ qd, found.c[k], tolerance=TOLERANCE)


def test_velocity_terms_by_name_are_the_decks():
    b = board("double_pendulum")
    found = b.derive("lagrange", "deck_s4")
    part = next(part for part in found.parts if part.title == "Velocity terms by name")
    k = b("m2*d1*d2") * b.s[1]
    values = {step.symbol: step.value for step in part.steps}
    assert values["D_{122}"] == values["D_{112}"] == -k
    assert values["D_{211}"] == k
    titles = {step.symbol: step.title for step in part.steps}
    assert titles["D_{122}"] == "Centripetal term"
    assert titles["D_{112}"] == "Coriolis term"
    assert (values["h_{1}"], values["h_{2}"]) == tuple(found.c)


def test_springs_and_dampers_are_printed_as_matrices():
    eqs = qddot.derive("mass_spring_damper_symbolic", notation="deck_s4")
    values = {step.symbol: step.value for step in eqs.steps}
    text = {
        name: [[str(x) for x in row] for row in values[name]] for name in values if "bf" in name
    }
    assert text[r"\mathbf{C}"] == [["c", "−c"], ["−c", "c"]]
    assert text[r"\mathbf{K}"] == [["k", "−k"], ["−k", "k"]]


def test_the_potential_energy_of_a_pendulum_is_counted_from_where_it_hangs():
    eqs = qddot.derive("pendulum_symbolic", notation="deck_s3")
    (found,) = [step.value for step in eqs.steps if "q = 0" in step.symbol]
    assert str(found) == "m g L (1 − c1)"


def test_rotors_have_a_kinetic_energy_of_their_own():
    rows = [
        {
            "a": "L",
            "mass": "m",
            "com": ["-L/2", 0, 0],
            "motor": {"rotor_inertia": "I_a", "gear": 1},
        },
        {"a": "L", "mass": "m", "com": ["-L/2", 0, 0]},
    ]
    eqs = qddot.derive(qddot.from_dh(rows, "standard", gravity=(0, "-g", 0)), "trace")
    steps = {step.symbol: step for step in eqs.steps}
    assert str(steps["K_a"].value) == "1/2 I_a q̇1²"
    assert steps["K_t"].formula == "K + K_a"
    assert steps["K_t"].value == steps["K"].value + steps["K_a"].value
    assert steps[r"\bar{M}_{11}"].value == eqs.M[0, 0] - eqs.robot.tree.rotor_inertia[0]
    assert steps["M"].formula == r"\bar{M} + \mathrm{diag}(I_{a1}, I_{a2})"


def test_a_rotor_has_a_term_of_its_own_in_the_torque():
    """S4: τ₁ = D₁₁ q̈₁ + D₁₂ q̈₂ + I_a1 q̈₁ + ..., by names and written out."""
    motor = {"rotor_inertia": "Ia", "gear": "N"}
    rows = [{"a": "L", "mass": "m", "com": ["-L/2", 0, 0], "motor": motor}] * 2
    robot = qddot.from_dh(rows, "standard", gravity=(0, "-g", 0))
    for formulation in DERIVE:
        eqs = qddot.derive(robot, formulation, notation="deck_s4")
        assert "Ia" in str(eqs.M[0, 0])
        assert " q̈2 + Ia N² q̈1 − " in str(eqs.tau[0])
        names = {step.symbol: step.formula for step in eqs.steps}
        if formulation not in ("lagrange", "newton_euler"):  # which get there by other ways
            start = r"D_{11}\,\ddot{\theta}_{1} + D_{12}\,\ddot{\theta}_{2} + "
            assert names[r"\tau_{1}"].startswith(start + r"I_{a1}\,\ddot{\theta}_{1} + ")
        written = page(document(eqs), "text")
        assert "τ = D(q) q̈ + diag(I_a1, I_a2) q̈ + h" in written
        assert "Dₜ = D + diag(I_a1, I_a2)" in written
        assert "I_{a_" not in page(document(eqs), "latex")  # beside the parameter I_{a1}
    terms = {term.symbol: term for term in eqs.breakdown()}
    assert (terms["Ia2"].label, str(terms["Ia2"].value)) == ("rotor inertia", "Ia N²")
    assert terms["D22"].value + terms["Ia2"].value == eqs.M[1, 1]
    assert terms["Ia2"]._repr_latex_().startswith("$\\displaystyle I_{a2} = ")
