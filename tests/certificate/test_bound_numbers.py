"""The bounds of textbook arms, against the numbers that the books have or that follow by hand."""

from __future__ import annotations

import math

import pytest
from long import one_in
from made import ARM

import qddot
from qddot.certificate.bounds import QUANTITIES, bound, bounds

SIX_DIGITS = 1e-6
MOST_CELLS = 5000  # of all bounds together; it takes 2,775

# S3: m₂ a₁ a_C2 = 25; the tight 2-norm factor of a planar arm is 1.6444905…
NUMBERS = {
    "M.eigenvalue.max": 161.26007998963747,
    "M.eigenvalue.min": 6.2399200103625255,
    "M.norm1.max": 192.5,
    "M.norm1.min": 47.5,
    "c.norm1": 25.0,
    "c.norm2": 41.1122632,
    "c.crude": 100.0,
    "g.norm1": 1226.25,
    "g.j1": 981.0,
    "g.j2": 245.25,
}


def test_the_numbers_of_the_two_link_arm_are_enclosed_to_six_digits():
    found = bounds(ARM)
    assert sum(b.proof["cells"] for b in found.values()) < MOST_CELLS
    for name, number in NUMBERS.items():
        slack = 5e-9 * number  # of the numbers as they are written here
        assert found[name].lower - slack <= number <= found[name].upper + slack, name
    assert all(b.closed and b.gap <= SIX_DIGITS for b in found.values())
    assert set(QUANTITIES) - {"g.effort"} <= set(found)


def test_the_elbow_between_right_angles_has_the_norms_of_the_deck():
    box = {"j2": (-math.pi / 2, math.pi / 2)}
    low = bound(ARM, "M.norm1.min", box=box, gap=SIX_DIGITS)
    high = bound(ARM, "M.norm1.max", box=box, gap=SIX_DIGITS)
    assert low.lower <= 117.5 * (1 + 1e-12)
    assert low.upper + 1e-9 >= 117.5
    assert high.lower <= 192.5 <= high.upper
    assert max(low.gap, high.gap) <= SIX_DIGITS


def test_reciprocals_and_other_names_agree():
    found = bounds(
        ARM, ["M.eigenvalue.min", "Minv.eigenvalue.max", "M.eigenvalue.max", "M.norm2.max"]
    )
    assert found["Minv.eigenvalue.max"].end == "sup"
    assert found["Minv.eigenvalue.max"].upper >= 1 / found["M.eigenvalue.min"].lower
    assert found["Minv.eigenvalue.max"].lower <= 1 / found["M.eigenvalue.min"].upper
    assert found["M.norm2.max"].upper == found["M.eigenvalue.max"].upper


@pytest.mark.parametrize("name", one_in(4, ["rp", "scara", "double_pendulum", "pendulum"]))
def test_textbook_arms_close_to_six_digits(name):
    found = bounds(qddot.load(name), seconds=600)
    wide = {key: b for key, b in found.items() if not b.closed or b.gap > SIX_DIGITS}
    assert not wide


def test_a_bound_reads_as_a_sentence():
    found = bound(ARM, "M.norm1.max", gap=SIX_DIGITS)
    assert str(found).startswith(
        "sup M.norm1.max ∈ [192.49999, 192.50019] kg·m², gap 9.7e-07, proved on"
    )
    assert bound(qddot.load("rp"), "g.j2").unit == "N"
    assert bound(qddot.load("rp"), "M.norm1.max").unit == ""


def test_a_spring_does_not_count_as_gravity_and_dampers_count_as_damping():
    pendulum = qddot.load("pendulum")
    assert bound(pendulum, "D.norm2").upper == pytest.approx(0.1, rel=1e-12)
    cart = qddot.load("mass_spring_damper")
    box = [(-1.0, 1.0)] * cart.n
    assert bound(cart, "dg.norm2", box=box).upper == 0.0


def test_gravity_against_effort_limits_is_a_fraction_of_them():
    found = bound(qddot.load("ur5"), "g.effort", gap=0.05)
    assert found.closed
    assert 0.39 < found.lower <= found.upper < 0.42
