"""Decimals of three digits or more are intervals: ± half a unit of their last digit."""

import random
from fractions import Fraction

import numpy as np
import pytest
import sympy
from long import long

import qddot
from qddot.equations.writer import numeral

TWO_LINK = qddot.derive("two_link")  # M[2, 2] = 22.5, M[1, 1] = 95 + 50 c2, g[2] = 245.25 c12
THIRD = qddot.derive(
    qddot.from_dh(
        [{"a": "L", "mass": "m", "com": [0, 0, 0], "inertia": [0, 0, 0, 0, 0, "m*L^2/3"]}],
        "modified",
        gravity=[0, 0, 0],
    )
)
RELATED = qddot.derive(
    qddot.from_dh(
        [{"alpha": alpha, "mass": "m", "com": [1, 0, 0]} for alpha in ("b", "2*b")],
        "modified",
        gravity=[0, 0, -9.8123],
    )
)
ROOT = qddot.derive(
    qddot.from_dh(
        [{"alpha": "pi/4", "mass": "m", "com": [1, 0, 0]}], "modified", gravity=[0, -9, 0]
    )
)


@pytest.mark.parametrize(
    ("eqs", "place", "right", "wrong"),
    [
        (
            TWO_LINK,
            "M[2, 2]",
            ["22.50", "22.5", "2.25e1", r"2.250 \cdot 10^1", "45.00/2", "1/0.0444444", "(4.743)^2"],
            ["22.51", "22.6", "22.5 + 0.01 s2", "22.5 + 0.0100 s2", "22.4", "2.26e1", "(4.75)^2"],
        ),
        (
            TWO_LINK,
            "M[2, 2]",
            ["45/2 sin(1.57)", "22.50 sin(1.571)", "-22.50 cos(3.14)", "22.5 sin(14.137)"],
            ["45/2 sin(1.50)", "45/2 sin(1.58)", "-22.5 cos(3.00)", "22.57 sin(1.57)"],
        ),
        (
            RELATED,
            "g[2]",
            [
                "9.81 m (cos(2b) sin(b) c1 c2 - sin(b) s1 s2 + cos(b) sin(2b) c2)",
                "9.81 m ((2 cos²(b) - 1) sin(b) c1 c2 - sin(b) s1 s2 + 2.00 cos²(b) sin(b) c2)",
                "m (9.81 (sin(3b) - sin(b))/2 c1 c2 - 9.81 sin(b) s1 s2 + 19.6 cos²(b) sin(b) c2)",
            ],
            [
                "9.81 m (cos(2b) sin(b) c1 c2 - sin(b) s1 s2 + 2.01 cos²(b) sin(b) c2)",
                "9.81 m ((1 - 2.01 sin²(b)) sin(b) c1 c2 - sin(b) s1 s2 + cos(b) sin(2b) c2)",
                "9.82 m ((2 cos²(b) - 1) sin(b) c1 c2 - sin(b) s1 s2 + cos(b) sin(2b) c2)",
            ],
        ),
        (
            TWO_LINK,
            "M[2, 2]",
            ["22.50 s2^2 + 22.50 c2^2", "-(-22.50)", "22.5 + 1.234 s1 - 1.234 s1", "22.46 + 0.04"],
            ["22.50 s2^2 + 22.52 c2^2", "-22.50", "22.5 + 1.234 s1 - 1.236 s1", "22.5 c2"],
        ),
        (
            TWO_LINK,
            "M[1, 1]",
            ["95.0 + 50.0 c2", "95.00 + 49.9952 c2 + 0.0048 c2", "95.0 + 50.0 sin(q2 + 1.5708)"],
            ["95.09 + 50 c2", "95.0 + 50.0 c2 + 0.09 s1 s2", "95.0 + 50.0 sin(q2 + 1.56)"],
        ),
        (TWO_LINK, "g[2]", ["245.2 c12", "245.3 c12", "245.25 c12"], ["245.1 c12", "245 c12"]),
        (
            THIRD,
            "M",
            [
                "0.333 m L^2",
                "333e-3 m L^2",
                "0.667/2 m L^2",
                "m L^2/3.00",
                "m L^2 sqrt(0.1111)",
                "1.000/3 m L^2",
            ],
            [
                "0.334 m L^2",
                "334e-3 m L^2",
                "0.33 m L^2",
                "0.3 m L^2",
                "m L^2/3.02",
                "0.333 m L^2 + 0.001 m L",
            ],
        ),
        (
            ROOT,
            "g",
            ["6.364 m cos(q1)", "9 m 0.707 c1", "9 m c1 sin(0.785)", "9 m c1 sqrt(0.500)"],
            ["6.365 m cos(q1)", "9 m 0.708 c1", "9 m c1 sin(0.78)", "9 m c1 sqrt(0.502)"],
        ),
    ],
)
def test_the_interval_of_each_coefficient_holds_the_right_one(eqs, place, right, wrong):
    for text in right:
        assert eqs.check(place, text).ok is True, text
    for text in wrong:
        assert eqs.check(place, text).ok is False, text


def test_a_matrix_is_wrong_only_where_an_interval_does_not_hold():
    entries = "95.0 + 50.0 c_2 & 22.50 + 25.1 c_2 \\\\ 22.50 + 25.0 c_2 & 22.50"
    verdict = TWO_LINK.check("M", rf"\begin{{bmatrix}} {entries} \end{{bmatrix}}")
    assert [entry.place for entry in verdict.wrong] == [(1, 2)]
    s = "25.0 s2"
    assert TWO_LINK.check("C", f"[[-{s} qd2, -{s} (qd1 + qd2)], [{s} qd1, 0]]").ok
    assert TWO_LINK.check("C", f"[[-{s} qd2, -25.1 s2 (qd1 + qd2)], [{s} qd1, 0]]").ok is False
    assert "right up to a constant" in TWO_LINK.check("P", "735.8 s1 + 245.2 s12 + 7.25").reason
    assert TWO_LINK.check("P", "735.8 s1 + 246.2 s12 + 7.25").ok is False


def test_floats_are_the_decimals_that_they_stand_for():
    c2 = sympy.cos(sympy.Symbol("q2"))
    assert TWO_LINK.check("M[1, 1]", 95.001 + 50.0 * c2).ok is False
    assert TWO_LINK.check("M[1, 1]", 95.0 + 50.0 * c2).ok
    m, L = sympy.symbols("m L")
    assert THIRD.check("M", 0.333 * m * L**2).ok
    assert THIRD.check("M", sympy.Float("0.333", 3) * m * L**2).ok
    assert THIRD.check("M", 0.334 * m * L**2).ok is False
    assert TWO_LINK.check("M[2, 2]", [22.500000000000004]).ok
    rounding = 50.0000000000005 * c2 + 94.9999999999997  # as of products of several numbers
    assert TWO_LINK.check("M[1, 1]", rounding).ok
    assert TWO_LINK.check("M[1, 1]", rounding + 1e-9).ok is False
    assert TWO_LINK.check("M[2, 2]", np.float64(22.51)).ok is False


@pytest.mark.parametrize("seed", [0, *long(1, 2, 3)])
def test_what_is_rounded_to_three_digits_or_more_is_right_and_what_is_off_is_wrong(seed):
    chance = random.Random(seed)
    eqs = qddot.derive("rp")
    for k, (name, i) in enumerate([("M", 0), ("c", 0), ("g", 0), ("g", 1), ("tau", 1)]):
        terms = sympy.Add.make_args(sympy.expand(eqs.sympy(name)[i]))
        place = "M[1, 1]" if name == "M" else f"{name}[{i + 1}]"
        pairs = [term.as_coeff_Mul() for term in terms]
        digits = chance.randint(3, 7)
        texts = [f"{float(c):.{digits - 1}e}" for c, _ in pairs]
        right = " + ".join(f"({t}) {m}" for t, (_, m) in zip(texts, pairs, strict=True))
        assert eqs.check(place, right).ok, right
        mantissa, _, exponent = texts[k % len(texts)].partition("e")
        off = float(mantissa) + chance.choice((-2, -1.01, 1.01, 3)) * 10.0 ** (1 - digits)
        texts[k % len(texts)] = f"{off:.{digits + 2}f}e{exponent}"
        wrong = " + ".join(f"({t}) {m}" for t, (_, m) in zip(texts, pairs, strict=True))
        assert eqs.check(place, wrong).ok is False, wrong


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(1200004, 10**7), "0.120"),
        (Fraction(3, 25), "0.12"),
        (Fraction(99999999, 10**8), "1.00"),
        (Fraction(1234567, 10), "123457."),
        (Fraction(12345678, 10), "1.23457e6"),
        (Fraction(22501, 1000), "22.501"),
    ],
)
def test_what_is_printed_rounded_is_not_read_as_exact(value, text):
    assert numeral(value) == text
