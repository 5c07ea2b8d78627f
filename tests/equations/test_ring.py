"""The ring of polynomials, in which proofs are made: its arithmetic is that of numbers."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from complex_step import STEP
from hypothesis import given
from nearness import CANCELLED
from strategies import seeds

from qddot.equations.deriving import derive
from qddot.equations.polynomial import Polynomial
from qddot.equations.ring import Ring
from qddot.errors import BadArgument
from qddot.scalars import sign, sincos, sqrt
from qddot.scalars.expressions import symbol

# two joints that turn, one that slides, signs of velocities, a parameter, and a root in a root
ROOT = sqrt(2 + sqrt(3 + 0 * symbol("m")))
RING = Ring((True, True, False), [symbol("m"), ROOT], signs=[0, 2])
Q, QD = np.array([0.7, -1.9, 0.4]), np.array([1.3, 0.2, -0.8])


def number(p, q=Q):
    """Return the value of a polynomial, term by term; q may be complex."""
    if not isinstance(p, Polynomial):
        return p
    inside = {"m": 1.7, "sqrt(3)": math.sqrt(3), str(ROOT): math.sqrt(2 + math.sqrt(3))}
    of = {
        "sine": np.sin(q),
        "cosine": np.cos(q),
        "position": q,
        "rate": QD,
        "acceleration": QD,
        "sign": np.sign(QD),
        "parameter": [inside[str(atom)] for atom in RING.parameters],
    }
    values = np.array([of[g.role][g.index] for g in RING.generators])
    return sum(float(c) * np.prod(values ** np.array(powers)) for powers, c in p.terms())


def drawn(rng, factors=3):
    """Return a sum of products of generators; many have squares of sines and of roots."""
    total = RING.constant(int(rng.integers(-3, 4)))
    for _ in range(rng.integers(1, 4)):
        term = RING.constant(Fraction(int(rng.integers(1, 9)), int(rng.integers(1, 9))))
        for _ in range(rng.integers(1, factors + 1)):
            letter = "scqvpd"[rng.integers(6)]
            count = {"p": len(RING.parameters), "s": 2, "c": 2}.get(letter, RING.n)
            index = 2 * int(rng.integers(2)) if letter == "d" else int(rng.integers(count))
            term = term * RING.element(letter, index)
        total = total + term
    return total


@given(seeds)
def test_sums_products_and_powers_are_those_of_their_values(seed):
    rng = np.random.default_rng(seed)
    a, b = drawn(rng), drawn(rng)
    for mine, expected in (
        (a + b, number(a) + number(b)),
        (a - b, number(a) - number(b)),
        (a * b, number(a) * number(b)),
        (a**3, number(a) ** 3),
        (a / 7, number(a) / 7),
        (2 - a, 2 - number(a)),
    ):
        assert number(mine) == pytest.approx(expected, rel=CANCELLED, abs=CANCELLED * 1e3)


@given(seeds)
def test_what_is_equal_is_written_in_one_way(seed):
    """However products are ordered and brackets opened: the same terms, and no square is left."""
    rng = np.random.default_rng(seed)
    a, b, c = (drawn(rng) for _ in range(3))
    assert (a * b * c).terms() == (c * (b * a)).terms()
    assert (a * (b + c)).terms() == (a * b + a * c).terms()
    s, cosine = RING.element("s", 0), RING.element("c", 0)
    assert (a * (s * s + cosine * cosine)).terms() == a.terms()
    known = [RING.generators.index(g) for g in RING.generators if g.role == "sine"]
    known += [k for k, g in enumerate(RING.generators) if "sqrt" in g.name]
    assert all(powers[k] < 2 for powers, _ in (a * b * c).terms() for k in known)


@given(seeds)
def test_a_derivative_is_the_slope_of_the_values(seed):
    a = drawn(np.random.default_rng(seed))
    for index in range(RING.n):
        moved = Q + 1j * STEP * np.eye(RING.n)[index]
        expected = np.imag(number(a, moved)) / STEP
        assert number(a.partial("q", index)) == pytest.approx(expected, rel=1e-9, abs=CANCELLED)


@pytest.mark.parametrize("multiple", [-3, -1, 1, 2])
def test_angles_are_multiplied_out(multiple):
    s, c = sincos(multiple * RING.element("q", 1))
    assert number(s) == pytest.approx(math.sin(multiple * Q[1]), rel=CANCELLED)
    assert number(c) == pytest.approx(math.cos(multiple * Q[1]), rel=CANCELLED)
    assert s * s + c * c == 1


def test_what_is_no_polynomial_is_refused():
    m, s = RING.element("p", len(RING.parameters) - 1), RING.element("s", 0)
    assert (m * s) / s == m
    with pytest.raises(BadArgument, match="not polynomial"):
        m / s
    with pytest.raises(BadArgument, match="no polynomial form"):
        sincos(s)


def test_a_few_terms_of_a_long_polynomial_are_terms_of_it():
    """A page shows some terms of what is too long to print, without looking at all of them."""
    x = derive("puma560").tau[0]
    everything, some = dict(x.terms()), x.terms(8)
    assert len(everything) == len(x) > 8 == len(some)
    assert set(some) < set(everything.items())
    assert dict(x.terms(len(x) + 1)) == everything


def test_a_sign_of_a_velocity_has_one_form_that_holds_at_rest_too():
    """sgn³ = sgn and q̇ sgn² = q̇, but sgn² is not 1: at rest it is 0."""
    v, d = RING.element("v", 0), RING.element("d", 0)
    assert (d**3 - d, v * d * d - v, d**5 * v - d * v) == (0, 0, 0)
    assert d * d != 1
    assert v * d != v
    assert (sign(-2 * v), sign(v**3), sign(RING.constant(-3))) == (-d, d, -1)
    assert (d.partial("v", 0), d.partial("q", 0)) == (0, 0)
    for other in (v + RING.element("v", 2), RING.element("q", 0), RING.element("p", 0) * v, v * v):
        with pytest.raises(BadArgument, match="sign of this quantity"):
            sign(other)
