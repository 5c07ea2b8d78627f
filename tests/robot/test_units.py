"""The units of joints: one row of a table for those that turn, one for those that slide."""

import pytest

import qddot
from qddot.model import Joint
from qddot.model.units import ANGLE, BY_POSITION, LENGTH, parameter_unit, unit_of, units_of
from qddot.present.figures.trajectory import unit
from qddot.sweeps.quantities import of_arm

TURNS, SLIDES = (Joint("j", kind, "a", "b") for kind in ("continuous", "prismatic"))


def test_a_joint_says_its_units():
    assert (TURNS.units, SLIDES.units) == (ANGLE, LENGTH)
    assert (TURNS.units.position, TURNS.units.velocity, TURNS.units.effort) == (
        "rad",
        "rad/s",
        "N·m",
    )
    assert (SLIDES.units.position, SLIDES.units.damping, SLIDES.units.inertia) == (
        "m",
        "N·s/m",
        "kg",
    )
    assert BY_POSITION["m"] is LENGTH


def test_joints_of_both_kinds_have_both_units_angles_first():
    assert units_of([SLIDES, TURNS, SLIDES]) == [ANGLE, LENGTH]
    assert unit_of([SLIDES, TURNS], "effort") == "N·m or N"
    assert unit_of([SLIDES], "stiffness") == "N/m"
    assert unit_of([], "effort") == ""


def test_the_parameters_of_a_joint_have_its_units():
    assert [parameter_unit(SLIDES, p) for p in ("Ia", "fv", "m", "Ixx", "?")] == [
        *("kg", "N·s/m", "kg", "kg·m²", ""),
    ]


def test_limits_have_the_units_of_their_joints():
    robot = qddot.load("rp")
    assert [units.effort for units in robot.limits.units] == ["N·m", "N"]


@pytest.mark.parametrize(
    ("kind", "found"), [("rad", "rad/s²"), ("m", "m/s²"), ("?", "rad/s² or m/s²")]
)
def test_a_motion_whose_units_nobody_knows_has_both(kind, found):
    assert unit("qdd", kind) == found


def test_the_rotor_of_a_slide_is_varied_in_kilograms():
    found = {each.name: each.unit for each in of_arm(qddot.load("rp"), {})}
    first, second = qddot.load("rp").joint_names
    assert (found[f"{first}.Ia"], found[f"{second}.Ia"]) == ("kg·m²", "kg")


def test_the_mass_of_a_robot_is_that_of_its_links_and_loads():
    robot = qddot.load("two_link_point")
    assert robot.mass == 2
    assert robot.with_payload("tool", 1.5).mass == pytest.approx(3.5)
    symbolic = qddot.load("two_link_symbolic")
    values = dict.fromkeys(symbolic.symbols, 1.0)
    assert float(symbolic.with_values(**values).mass) == pytest.approx(2)
    assert symbolic.mass.free_symbols
