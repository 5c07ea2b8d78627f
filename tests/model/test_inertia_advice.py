"""The slip of the pen behind an inertia that no body has."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import seeds

import qddot
from qddot.errors import BadRobot, RobotWarning
from qddot.model.inertia_advice import misordered, suggestion
from qddot.model.link import Inertial
from qddot.spatial.inertia import symmetric, why_impossible


@st.composite
def compact_bodies(draw):
    """Return mass and six numbers of a body whose moments are alike within a factor of two."""
    rng = np.random.default_rng(draw(seeds))
    moments = np.sort(rng.uniform(1, 1.9, 3)) * 10 ** rng.uniform(-3, 0)
    xx, yy, zz = rng.permutation(moments)
    xy, xz, yz = rng.uniform(-0.02, 0.02, 3) * moments[0]
    return 1.0, [float(x) for x in (xx, xy, xz, yy, yz, zz)]


@given(compact_bodies(), st.sampled_from([(0, "Ixx"), (3, "Iyy"), (5, "Izz")]), st.booleans())
def test_a_decimal_slip_of_a_moment_is_found(body, place, larger):
    mass, six = body
    at, name = place
    slipped = [x * (10 if larger else 0.1) if i == at else x for i, x in enumerate(six)]
    if why_impossible(mass, symmetric(slipped)) is None:
        return  # ten times less of the largest moment may be possible
    words = "10 times smaller" if larger else "10 times larger"
    assert suggestion(mass, slipped) == (
        f"A decimal slip? {name} = {six[at]:g} ({words}) would be possible."
    )


@given(compact_bodies(), st.sampled_from([(1, "Ixy"), (2, "Ixz"), (4, "Iyz")]))
def test_a_decimal_slip_of_a_product_is_found(body, place):
    mass, six = body
    at, name = place
    true = [0.3 * six[0] if i == at else x for i, x in enumerate(six)]
    slipped = [x * 10 if i == at else x for i, x in enumerate(true)]
    assert why_impossible(mass, symmetric(slipped)) is not None
    if why_impossible(mass, symmetric(true)) is None:
        assert suggestion(mass, slipped) == (
            f"A decimal slip? {name} = {true[at]:g} (10 times smaller) would be possible."
        )


@given(compact_bodies())
def test_six_numbers_in_the_wrong_order_are_put_right(body):
    mass, (xx, xy, xz, yy, yz, zz) = body
    as_written = [xx, yy, zz, xy, xz, yz]
    assert why_impossible(mass, symmetric(as_written)) is not None
    names = ("Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz")
    values = ", ".join(
        f"{name}={x:g}" for name, x in zip(names, (xx, xy, xz, yy, yz, zz), strict=True)
    )
    assert suggestion(mass, as_written) == (
        f"The six numbers may be in the wrong order; possible would be {values}."
    )


def test_another_order_is_offered_only_where_it_is_likely():
    """In the other order these six would be possible, but with a product above a moment."""
    assert why_impossible(1, symmetric([1, 2, 0, 10, 0, 10.5])) is None
    assert "order" not in suggestion(1, [1, 10, 10.5, 2, 0, 0])


def test_products_that_are_too_large_altogether_are_named():
    assert suggestion(1, [1, 20, 20, 1, 20, 1]) == (
        "Its products of inertia are too large; with Ixy = Ixz = Iyz = 0 it would be possible."
    )


def test_where_no_slip_explains_it_the_usual_causes_are_listed():
    assert suggestion(1, [1, 0, 0, 1, 0, 500]).startswith("Usual causes: a decimal slip, ")


def test_three_moments_in_the_places_of_six_are_doubted_among_symbols():
    six = ["Ixx", "Iyy", "Izz", 0, 0, 0]
    arm = [{"a": "L", "mass": "m", "inertia": six}]
    with pytest.warns(RobotWarning, match="no body has Ixy = Iyy and Iyy = 0"):
        qddot.from_dh(arm, "standard")
    for possible in (("I", 0, 0, "I", 0, "I"), (0, 0, 0, "I", "Iyz", "I"), (0, 0, 0, 0, 0, 0)):
        robot = qddot.from_dh([{"a": "L", "mass": "m", "inertia": list(possible)}], "standard")
        assert misordered(robot.model.links[-1].inertial) is None
    assert misordered(Inertial(1.0, inertia=(1.0, 0.5, 0.0, 0.0, 0.0, 1.0))) is None  # numbers


def test_a_link_with_a_moment_about_one_axis_is_told_what_a_planar_arm_lacks():
    assert suggestion(1.0, (0, 0, 0, 0, 0, 2)) == (
        "A planar arm needs no other moment, but a body has them: Ixx = 0, Iyy = 2, Izz = 2 is a "
        "thin rod; any Ixx + Iyy ≥ Izz will do."
    )


def test_what_values_of_symbols_make_wrong_is_said_with_file_and_line(tmp_path):
    path = tmp_path / "planar.toml"
    path.write_text(
        '[[link]]\nname = "a"\nmass = 1\ninertia = [0, 0, "I1"]\n'
        '[[joint]]\nname = "j1"\ntype = "revolute"\nparent = "base"\nchild = "a"\n'
    )
    with pytest.raises(BadRobot) as refused:
        qddot.load(path).with_values(I1=1)
    assert f"{path}:1: link 'a': no body has this inertia" in str(refused.value)
    assert "inertia='nearest'" not in str(refused.value)  # which is for reading a file
