"""Proofs: what is true of every robot is proved; what is false is shown to be, with a witness."""

import re

import numpy as np
import pytest
from long import long

import qddot
from qddot.equations.deriving import exact_of
from qddot.equations.proofs import Claim, Proof, decided, found_witness, prove
from qddot.readers.read import built_in_names

TEXTBOOK = [name for name in built_in_names() if name.endswith("_symbolic")]
NEVER_SKEW = {  # of the named Coriolis matrices, for robots with more than one joint
    "Ṁ − 2C is skew for C = Ṁ − ½U",
    "Ṁ − 2C is skew for C = Uᵀ − ½U",
    "Ṁ − 2C is skew for the C of closed-form Newton–Euler",
}


@pytest.fixture(scope="module")
def proof():
    return prove(qddot.load("two_link_symbolic"))


def wrong_sign():
    """Return a robot, its equations, and a Coriolis matrix with one sign turned around."""
    robot = exact_of(qddot.load("two_link_point_symbolic"))
    eqs = qddot.derive(robot.model)
    C = eqs.coriolis_matrices()["transposed"]
    C[1, 1] = -C[1, 1]
    return robot, eqs, C


@pytest.mark.parametrize("name", [*TEXTBOOK, "scara", *long("ur5")])
def test_every_claim_comes_out_as_it_should(name):
    proof = prove(qddot.load(name))
    assert proof.holds, str(proof)
    assert proof.robot == name
    false = {claim.statement for claim in proof.claims if claim.holds is False}
    assert false <= NEVER_SKEW


def test_there_are_proofs_of_every_kind(proof):
    statements = " | ".join(claim.statement for claim in proof.claims)
    for words in (
        *("lagrange and trace give the same", "lagrange and virtual_work give the same"),
        *("M is symmetric", "M_ii depends on later joints only", "quadratic form"),
        *("C q̇ = c for", "q̇ᵀ(Ṁ − 2C)q̇ = 0 for", "Ṁ − 2C is skew for"),
        *("slope of P", "d/dt (K + P) = τ·q̇", "linear in the parameters"),
    ):
        assert words in statements
    assert len(proof.claims) == 7 + 3 + 7 * 3 + 2 + 1


def test_the_matrices_that_are_not_skew_come_with_a_state_that_shows_it(proof):
    false = [claim for claim in proof.claims if not claim.holds]
    assert {claim.statement for claim in false} == NEVER_SKEW
    for claim in false:
        assert not claim.expected
        assert re.search(r"differ by -?\d.* at q = \[.*\], q̇ = \[.*\]", claim.witness)


def test_claims_say_how_much_was_compared_and_how_long_it_took(proof):
    for claim in proof.claims:
        assert claim.terms >= 0
        assert claim.seconds >= 0
        assert f"{claim.terms} terms" in str(claim)
    assert proof.claims[0].terms == 23
    assert str(proof).splitlines()[0] == "two_link_symbolic: 31 of 31 claims proved"
    assert repr(proof) == str(proof)


def test_a_wrong_sign_is_found_with_a_witness():
    robot, eqs, C = wrong_sign()
    claim = decided("C q̇ = c", lambda: (C @ robot.qd, eqs.c))
    assert not claim.holds
    assert claim.expected
    assert str(claim).startswith("FAILS")
    assert not Proof("arm", (claim,)).holds


def test_the_witness_is_where_it_says_and_by_as_much():
    robot, eqs, C = wrong_sign()
    words = found_witness((C @ robot.qd - eqs.c)[1])[1]
    number, q, qd = re.search(
        r"by (\S+) at q = \[(.*?)\], q̇ = \[(.*?)\], every parameter 1", words
    ).groups()
    q, qd = (np.array([float(x) for x in text.split(",")]) for text in (q, qd))
    # the sign of −½ θ̇₁ m₂L₁L₂ sin θ₂ turned around, times θ̇₂
    assert float(number) == pytest.approx(np.sin(q[1]) * qd[0] * qd[1], rel=1e-3)


@pytest.mark.parametrize("change", ["M", "g"])
def test_a_changed_term_is_no_longer_the_same_equation(change):
    robot = exact_of(qddot.load("rp_symbolic"))
    value = getattr(qddot.derive(robot.model), change)
    off = value.copy()
    off.reshape(-1)[0] = off.reshape(-1)[0] + robot.ring.constant(1) / 10**12
    claim = decided("unchanged", lambda: (value.reshape(-1), off.reshape(-1)))
    assert not claim.holds  # exact: no tolerance hides it
    assert "the two sides differ by -1e-12 at q = " in claim.witness


def test_sides_of_different_length_are_not_compared():
    with pytest.raises(ValueError, match="zip"):
        decided("nonsense", lambda: ([1, 2], [1]))


def test_marks_say_what_was_expected():
    marks = [str(Claim("x", holds, expected, 1, 0.0)).split()[0] for holds, expected in MARKS]
    assert marks == ["proved", "FAILS", "false"]


MARKS = ((True, True), (False, True), (False, False))
