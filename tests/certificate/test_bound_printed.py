"""Bounds as they are printed: rounded outward, everywhere, so that what is read is a bound too."""

import math
import re
from dataclasses import replace
from fractions import Fraction

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

import qddot
from qddot.certificate import symbolic_bounds
from qddot.certificate.bound import Bound, Box, bound_lines, rounded_down, rounded_up
from qddot.certificate.bounds import bound as bound_of
from qddot.certificate.bounds import bounds as bounds_of
from qddot.certificate.certificate import Certificate, box_text
from qddot.certificate.properties import inequalities
from qddot.control import PDGravity, RobustSaturated
from qddot.present.notebook.certificates import bound_html, certificate_html
from qddot.present.report.sections.certificate import in_short, table

NUMBER = r"-?\d[\d.]*(?:e[-+]\d+)?"
FINITE = st.floats(allow_nan=False, allow_infinity=False)
NUMBERS = FINITE | st.fractions() | st.integers(-(10**400), 10**400)
CASES = (
    *(6.239913957646166, 6.239920010362524, 161.26007998963746, 0.1, 1 / 3, -2 / 3),
    *(5e-324, -5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, -1.7976931348623157e308),
    *(99999999.5, 999999995, -99999999.5, 0.00009999999999, 123456789, 1e16, 1e-5, 0.0001, 0, -0.0),
    *(Fraction(1, 3), Fraction(-(10**30), 7), Fraction(1, 10**330), Fraction(10**330)),
)


@given(x=NUMBERS | st.sampled_from(CASES), digits=st.integers(1, 17))
def test_a_rounded_number_is_on_its_side_and_within_a_unit_of_its_last_digit(x, digits):
    down, up = Fraction(rounded_down(x, digits)), Fraction(rounded_up(x, digits))
    x = Fraction(x)
    assert down <= x <= up
    assert Fraction(rounded_down(-x, digits)) == -up  # the other side of zero is no other
    size = max(abs(down), abs(up))
    unit = Fraction(10) ** (len(str(math.floor(size))) - digits) if size >= 1 else None
    assert up - down <= (unit or size * Fraction(10) ** (1 - digits))


@pytest.mark.parametrize(
    "text", ["0.5", "-192.5", "1234567.8", "12345678", "1e+08", "2.5e-05", "0.0001", "-3e+300"]
)
def test_a_number_with_few_digits_is_written_as_it_is(text):
    """As the format "g" writes it."""
    assert rounded_down(Fraction(text)) == rounded_up(Fraction(text)) == f"{float(text):.8g}"
    assert text == f"{float(text):.8g}"


def test_what_is_not_bounded_is_infinite():
    assert [f(x) for f in (rounded_down, rounded_up) for x in (math.inf, -math.inf)] == [
        *("inf", "-inf", "inf", "-inf")
    ]
    assert rounded_down(-0.0) == rounded_up(-0.0) == "0"


@pytest.fixture(scope="module")
def two_link():
    return qddot.load("two_link")


def made(quantity, lower, upper, end="sup"):
    proof = {"box": {"lower": [-1.0, -1.0], "upper": [1.0, 1.0]}}
    return Bound(quantity, lower, upper, end, (0.0, 0.0), "N·m", True, 0.1, proof)


PAIRS = (
    *((6.239913957646166, 6.239920010362524), (161.26007998963746, 161.26023999999)),
    *((-1 / 3, 2 / 3), (1e-9 / 7, 1e9 / 7), (5e-324, math.inf), (0.123456785, 0.123456785)),
)


@pytest.mark.parametrize(("lower", "upper"), PAIRS)
def test_every_way_to_print_a_bound_holds_the_interval(lower, upper):
    bound = made("g.norm2", lower, upper)
    row = re.search(rf"({NUMBER}|inf) +({NUMBER}|inf)", bound_lines([bound])[1]).groups()
    text = re.search(r"\[(.*), (.*)\]", str(bound)).groups()
    shown = [re.findall(rf">({NUMBER}|inf)(?: N·m)?<", bound_html(bound))[:2]]
    shown += [re.findall(rf">({NUMBER}|inf)<", table([bound]))[:2]]
    for low, high in (row, text, *shown):
        assert Fraction(low) <= Fraction(lower)
        assert high == "inf" if upper == math.inf else Fraction(high) >= Fraction(upper)


def test_properties_and_headlines_are_rounded_outward(two_link):
    bounds = {
        "M.eigenvalue.min": made("M.eigenvalue.min", 6.239913957646166, 6.239920010362524, "inf"),
        "M.eigenvalue.max": made("M.eigenvalue.max", 161.26007998963746, 161.26023999999),
        "g.effort": made("g.effort", 1.23456, 1.23654),
    }
    told = {p.name: p.evidence for p in inequalities(bounds)}
    assert told["positive definite"] == "6.23991 ≤ min λ(M) ≤ 6.23993"
    assert told["condition"] == "κ(M) ≤ 25.85 all over the box"
    assert told["holding"].startswith("1.23 times the effort limits")
    fits = bounds | {"g.effort": made("g.effort", 0.5, 0.9001)}
    assert {p.name: p.evidence for p in inequalities(fits)}["holding"].startswith("at most 0.901 ")
    certificate = Certificate(two_link, Box((-1.0, -1.0), (1.0, 1.0)), (), bounds)
    assert "; 6.23 ≤ λ(M) ≤ 162 " in in_short(certificate)
    assert "<td>6.2399139</td>" in certificate_html(certificate).replace(' class="number"', "")


def test_the_box_is_rounded_inward(two_link):
    """What is said to hold within a range is proved all over it."""
    box = Box((-math.pi, -2.8973), (math.pi, 1 / 3))
    names = two_link.joint_names
    said = box_text(Certificate(two_link, box, (), {}))
    assert said == f"for {names[0]} -3.14159…3.14159, {names[1]} -2.8973…0.333333"
    within = symbolic_bounds("two_link_symbolic", box={"j2": (-2 / 3, "pi/2")}).assumptions
    assert "j2 within -0.666666 … 1.57079" in within


def test_a_law_prints_the_certified_number_that_it_uses_rounded_up(two_link):
    slope = bound_of(two_link, "dg.norm2", gap=1e-3)
    slope = replace(slope, upper=1962.0000049)
    with pytest.raises(qddot.QddotError, match=r"give that: 1962\.01\."):
        RobustSaturated(two_link, 1.0, 1.0, [0.0, 0.0], mass=slope)
    law = PDGravity(
        two_link, 1962.00000491, 1.0, [0.0, 0.0], compensate="target", gravity_slope=slope
    )
    (why,) = [a.why for a in law.assumptions() if "Kp" in a.statement]
    assert "against 1962.0001, certified" in why


BOXES = {"rp": {"j1": (-1.0, 1 / 3), "j2": (1 / 7, 2 / 3)}}
ROBOTS = ("pendulum", "two_link", "rp", "two_link_point", "two_link_motors", "double_pendulum")


@pytest.mark.parametrize("name", ROBOTS)
def test_the_printed_intervals_of_a_certificate_hold_the_stored_ones(name):
    quantities = ["M.eigenvalue.min", "M.eigenvalue.max", "c.norm2", "g.norm2"]
    found = bounds_of(qddot.load(name), quantities, gap=1e-3, box=BOXES.get(name))
    for bound in found.values():
        low, high = re.search(r"\[(.*), (.*)\]", str(bound)).groups()
        assert Fraction(low) <= Fraction(bound.lower) <= Fraction(bound.upper) <= Fraction(high)


# formulas

PLAIN = str.maketrans({"²": "**2", "³": "**3", "⁴": "**4", "−": "-", "√": "sqrt", " ": "*"})
READ = {"Fraction": Fraction, "sqrt": math.sqrt, "max": max}


def value(formula, symbols):
    """Return the value of a bound's formula as it is printed, exactly but for roots."""
    text = re.sub(r"√(\d+)", r"√(\1)", formula.replace(", ", ","))
    text = re.sub(r" ([-+−]) ", r"\1", text).translate(PLAIN)
    text = re.sub(r"(?<![\w.*])(\d+(?:\.\d+)?)(?:e(-?\d+))?", read_number, text)
    return eval(text, READ | symbols)


def read_number(found):
    return f"Fraction('{found[1]}e{found[2] or 0}')"


BOXES_OF_TWO = ((0.0, 1.0, -1.0, 0.5), (-2.234, -0.417, 0.3, 0.3), (-0.123, 2.9, -2.999, 0.701))


@pytest.mark.parametrize("ends", BOXES_OF_TWO)
def test_a_printed_formula_bounds_what_it_was_made_from(ends):
    """The formula itself is exact; what is printed is on its outer side, never inside."""
    box = {"j1": ends[:2], "j2": ends[2:]}
    found = symbolic_bounds("two_link_symbolic", box=box)
    names = sorted({str(s) for bound in found.values() for s in bound.sympy().free_symbols})
    symbols = {name: Fraction(7 * k % 17 + 1, 1 + k) for k, name in enumerate(names)}
    for name, bound in found.items():
        exact = bound.sympy().subs({k: sympy.Rational(x) for k, x in symbols.items()})
        printed = value(bound.text, symbols)
        rational = Fraction(sympy.Rational(exact if exact.is_Rational else sympy.N(exact, 40)))
        apart = float(printed - rational)
        outer = apart if bound.end == "sup" else -apart
        assert outer >= (-1e-12 * printed if "√" in bound.text else 0), name
        assert abs(apart) <= 1e-4 * max(abs(printed), 1), name


def test_the_three_bounds_that_were_rounded_inward():
    found = symbolic_bounds("two_link_symbolic", box={"j1": (0, 1), "j2": (-1, 0.5)})
    assert (
        str(found["M.norm1.min"])
        == "‖M‖₁ ≥ m1 aC1² + m2 (a1² + 1.6209 a1 aC2 + 2 aC2²) + I1 + 2 I2"
    )
    assert str(found["c.norm2"]) == "‖c‖₂ ≤ 1.68295 m2 a1 aC2 ‖q̇‖₂²"
    assert str(found["c.norminf"]) == "‖c‖∞ ≤ 2.52442 m2 a1 aC2 ‖q̇‖∞²"
    assert found["c.norm2"].latex().startswith(r"\lVert c\rVert_2 \le 1.68295 m_{2}")
    assert found.to_dict()["bounds"]["c.norm2"]["formula"] == "1.68295 m2 a1 aC2"


def test_one_over_the_smallest_eigenvalue_of_one_joint():
    """M is I alone; what is printed for M⁻¹ was I."""
    found = symbolic_bounds("pendulum_symbolic")
    assert (found["M.eigenvalue.min"].text, found["Minv.eigenvalue.max"].text) == ("I", "1/I")
    assert found["Minv.eigenvalue.max"].latex().endswith(r"\frac{1}{I}")
