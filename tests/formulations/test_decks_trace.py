"""The decks' worked examples by the trace form: transforms, their derivatives, pseudo-inertias.

Symbols are compared as polynomials, so equal means equal. Where the deck is misprinted, the
corrected formula is here, and the test says what was printed.
"""

from dataclasses import replace

import numpy as np
import pytest
from blackboard import Board, board, each_formulation, equal, value
from complex_step import rate
from nearness import ROUND_OFF, assert_close
from numpy.testing import assert_allclose

from qddot.dynamics.crba import mass_matrix
from qddot.equations.exact_tree import exact_robot
from qddot.formulations import explicit, trace
from qddot.formulations.calculus import gradient
from qddot.formulations.derivation import Derivation
from qddot.model import Motor
from qddot.model.folding import fold
from qddot.readers.read import read
from qddot.scalars.expressions import symbol

# the trace form: two cylinders with frames at their far ends


def cylinders() -> tuple[Board, Derivation]:
    b = board("two_link_cylinders")
    return b, b.derive("trace", "deck_s2")


def test_cylinders_have_the_decks_transforms():
    b, found = cylinders()
    (s1, _), (c1, _), L1, L2 = b.s, b.c, b("L1"), b("L2")
    s12, c12 = b.s12, b.c12
    last = [[0, 0, 1, 0], [0, 0, 0, 1]]
    T1 = [[c1, -s1, 0, L1 * c1], [s1, c1, 0, L1 * s1], *last]
    T2 = [[c12, -s12, 0, L1 * c1 + L2 * c12], [s12, c12, 0, L1 * s1 + L2 * s12], *last]
    assert equal(value(found, "{}^0_1T"), T1)
    assert equal(value(found, "{}^0_2T"), T2)


def test_cylinders_have_the_decks_derivatives_of_transforms():
    """The matrix printed as T₂₂ is U₂₂."""
    b, found = cylinders()
    (s1, _), (c1, _), L1, L2 = b.s, b.c, b("L1"), b("L2")
    s12, c12 = b.s12, b.c12
    last = [[0] * 4] * 2
    expected = {
        "U_{11}": [[-s1, -c1, 0, -L1 * s1], [c1, -s1, 0, L1 * c1]],
        "U_{21}": [[-s12, -c12, 0, -L1 * s1 - L2 * s12], [c12, -s12, 0, L1 * c1 + L2 * c12]],
        "U_{22}": [[-s12, -c12, 0, -L2 * s12], [c12, -s12, 0, L2 * c12]],
        "U_{111}": [[-c1, s1, 0, -L1 * c1], [-s1, -c1, 0, -L1 * s1]],
        "U_{211}": [[-c12, s12, 0, -L1 * c1 - L2 * c12], [-s12, -c12, 0, -L1 * s1 - L2 * s12]],
        "U_{212}": [[-c12, s12, 0, -L2 * c12], [-s12, -c12, 0, -L2 * s12]],
        "U_{222}": [[-c12, s12, 0, -L2 * c12], [-s12, -c12, 0, -L2 * s12]],
    }
    for name, rows in expected.items():
        assert equal(value(found, name), [*rows, *last])
    assert not any(step.symbol == "U_{12}" for step in found.steps)  # joint 2 moves link 2 alone


def test_cylinders_have_the_decks_pseudo_inertia():
    """About the far end: ∫x² dm = ml²/3, ∫y² dm = ∫z² dm = mr²/4, ∫x dm = −ml/2."""
    b, found = cylinders()
    for i in (1, 2):
        long, first = b(f"m{i}*L{i}**2/3"), b(f"-m{i}*L{i}/2")
        thick = b(f"m{i}*r**2/4")
        J = [[long, 0, 0, first], [0, thick, 0, 0], [0, 0, thick, 0], [first, 0, 0, b(f"m{i}")]]
        assert equal(value(found, f"J_{i}"), J)


def test_cylinders_have_the_decks_inertia_terms():
    """D₂₂ is constant: the deck adds ½m₂L₁L₂c₂ to it."""
    b, found = cylinders()
    c2 = b.c[1]
    D22 = b("m2*L2**2/3 + m2*r**2/4")
    D12 = D22 + b("m2*L1*L2/2") * c2
    D11 = b("(m1/3 + m2)*L1**2 + m2*L2**2/3 + r**2*(m1 + m2)/4") + b("m2*L1*L2") * c2
    for name, term in {"11": D11, "12": D12, "21": D12, "22": D22}.items():
        assert value(found, f"D_{{{name}}}") == term
    assert equal(found.M, [[D11, D12], [D12, D22]])


def test_cylinders_have_the_decks_velocity_terms():
    """h₁₁₂ = h₁₂₁ = h₁₂₂ = −½m₂L₁L₂s₂ and h₂₁₁ = ½m₂L₁L₂s₂; they are Christoffel's symbols."""
    b, found = cylinders()
    half = b("m2*L1*L2/2") * b.s[1]
    expected = dict.fromkeys(["111", "212", "221", "222"], 0)
    expected |= {"112": -half, "121": -half, "122": -half, "211": half}
    for name, term in expected.items():
        assert value(found, f"h_{{{name}}}") == term
    v1, v2 = b.v
    assert equal(found.c, [-2 * half * v1 * v2 - half * v2 * v2, half * v1 * v1])
    gamma = explicit.christoffel(gradient(lambda q: mass_matrix(b.tree, q), b.q))
    for i, j, k in np.ndindex(2, 2, 2):
        assert value(found, f"h_{{{i + 1}{j + 1}{k + 1}}}") == gamma[i, j, k]


def test_cylinders_have_the_decks_gravity_terms():
    """C_i = −Σ_j m_j ḡ U_ji r_j: the masses are those of the links summed over."""
    b, found = cylinders()
    C2 = b("m2*g*L2/2") * b.c12
    C1 = b("m1*g*L1/2 + m2*g*L1") * b.c[0] + C2
    assert value(found, "C_1") == C1
    assert value(found, "C_2") == C2
    assert equal(found.g, [C1, C2])


def test_the_trace_form_has_the_same_terms_with_any_frames_on_the_links():
    b, far = cylinders()
    near = b.derive("trace", "deck_s2", frames=["link1_start", "link2_start"])
    assert equal(near.M, far.M)
    assert equal(near.c, far.c)
    assert equal(near.g, far.g)
    assert not equal(value(near, "{}^0_1T"), value(far, "{}^0_1T"))


def test_frames_that_are_not_on_the_links_are_refused():
    b = board("two_link_cylinders")
    with pytest.raises(ValueError, match="one frame on each link that moves"):
        b.derive("trace", frames=["link2", "link1"])


def test_the_sums_of_the_trace_form_run_over_all_coordinates():
    """Cut off at j ≥ i, as printed, joint 2 would lose D₂₁ and all of its centripetal force."""
    _, found = cylinders()
    assert value(found, "D_{21}") == value(found, "D_{12}") != 0
    assert value(found, "h_{211}") != 0


@each_formulation
def test_a_rotor_adds_its_inertia_to_the_diagonal_and_changes_nothing_else(derive):
    """K_a = ½ Σ I_a q̇²: M + diag(I_a), c and g as they are."""
    model = read("two_link_point_symbolic")
    motors = {"j1": Motor(symbol("Ia1")), "j2": Motor(symbol("Ia2"))}
    driven = exact_robot(model.with_joints(lambda j: replace(j, motor=motors[j.name])))
    ring = driven.ring
    bare = replace(driven.tree, rotor_inertia=(0, 0))
    found, without = (derive(tree, driven.q, driven.qd) for tree in (driven.tree, bare))
    Ia = [ring.scalar(symbol("Ia1")), ring.scalar(symbol("Ia2"))]
    assert equal(found.M - without.M, [[Ia[0], 0], [0, Ia[1]]])
    assert equal(found.c, without.c)
    assert equal(found.g, without.g)


@pytest.mark.parametrize("L2", [0.6, 1.3])
def test_the_tip_of_the_point_mass_arm_accelerates_as_the_deck_says(L2):
    """At θ = (0, π/2) and θ̈ = 0, from U_ijk: centripetal 1, centripetal 2, and Coriolis."""
    L1, v1, v2 = 0.8, 0.5, -0.2
    tree = fold(read("two_link_point_symbolic").with_values(dict(m1=1, m2=1, L1=L1, L2=L2, g=9.81)))
    link = trace.transforms(tree, np.array([0, np.pi / 2]))[1]
    r = np.array([L2, 0, 0, 1])
    first, second = link.UU[0, 0] @ r * v1**2, link.UU[1, 1] @ r * v2**2
    mixed = 2 * link.UU[0, 1] @ r * v1 * v2
    assert_close(first, [-L1 * v1**2, -L2 * v1**2, 0, 0])
    assert_close(second, [0, -L2 * v2**2, 0, 0])
    assert_close(mixed, [0, -2 * L2 * v1 * v2, 0, 0])


def test_a_point_on_a_link_moves_as_the_derivatives_of_its_transform_say():
    """v = (ΣU_ij q̇_j) r, a = (ΣU_ij q̈_j) r + (ΣΣU_ijk q̇_j q̇_k) r, v² = tr(ΣΣU_ij r rᵀ U_ikᵀ q̇q̇)."""
    tree = fold(read("ur5"))
    q, qd, qdd = np.random.default_rng(0).uniform(-2, 2, (3, 6))
    r = np.array([0.1, -0.2, 0.3, 1])
    link = trace.transforms(tree, q)[-1]
    v = sum(link.U[j] * qd[j] for j in range(6)) @ r
    moved = rate(lambda x: trace.transforms(tree, x)[-1].T @ r, (q, qd))
    assert_close(v, moved)

    def velocity(x, xd):
        return sum(trace.transforms(tree, x)[-1].U[j] * xd[j] for j in range(6)) @ r

    a = sum(link.U[j] * qdd[j] for j in range(6)) @ r
    for (j, k), U in link.UU.items():
        a = a + (1 + (j != k)) * U @ r * qd[j] * qd[k]
    assert_allclose(a, rate(velocity, (q, qd), (qd, qdd)), rtol=0, atol=1e-11)
    square = sum(
        np.trace(link.U[j] @ np.outer(r, r) @ link.U[k].T) * qd[j] * qd[k]
        for j in range(6)
        for k in range(6)
    )
    assert_allclose(square, v @ v, rtol=ROUND_OFF)
