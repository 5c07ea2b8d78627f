"""The one description of friction: its table of parameters says what its torque does."""

import inspect
from dataclasses import fields

import numpy as np
import pytest
from nearness import assert_near

import qddot
from qddot.cli.words import read_set
from qddot.errors import BadArgument
from qddot.model.friction import LINEAR, PARAMETERS, Friction, together
from qddot.model.units import ANGLE
from qddot.readers.read import read
from qddot.robot.settings import changed, known_keys
from qddot.scalars.expressions import symbol

ROUGH = Friction(
    viscous=0.3, coulomb=0.5, static=0.8, stribeck_velocity=0.05, offset=-0.1, asymmetry=0.2
)
KINDS = (ROUGH, ROUGH.steady, ROUGH.smooth, Friction(coulomb=2.0), Friction())
VELOCITIES = (-2.0, -0.03, 0.02, 0.4)


def test_the_table_has_every_number_of_friction_in_order():
    names = [p.name for p in PARAMETERS]
    assert [each.name for each in fields(Friction)] == [*names, "further"]
    assert list(inspect.signature(qddot.Robot.with_friction).parameters) == ["self", *names]
    assert all(hasattr(ANGLE, p.unit) for p in PARAMETERS)


@pytest.mark.parametrize("friction", KINDS, ids=str)
@pytest.mark.parametrize("v", VELOCITIES)
def test_the_torque_is_linear_in_what_the_table_says(friction, v):
    """f = Σ pₖ φₖ(q̇), and what is left when all of these parameters are zero."""
    values = [x for x in friction.linear if x]
    shown = sum(
        x * column for x, column in zip(values, friction.columns(v, v, np.sign), strict=True)
    )
    left = friction.refitted(dict.fromkeys((p.name for p in LINEAR), 0.0))
    assert_near(friction.torque(v), shown + left.torque(v))


@pytest.mark.parametrize("p", LINEAR, ids=lambda p: p.name)
@pytest.mark.parametrize("ratio", [-2.5, 0.3])
def test_a_parameter_of_a_follower_counts_by_its_share(p, ratio):
    """Virtual work: at q̇, a joint that moves at r q̇ resists with r f(r q̇)."""
    follower, v = Friction(**{p.name: 0.7}), 0.4
    both = together([(ROUGH, 1), (follower, ratio)])
    assert_near(both.torque(v), ROUGH.torque(v) + ratio * follower.torque(ratio * v))


@pytest.mark.parametrize("friction", KINDS, ids=str)
def test_friction_holds_up_to_what_it_slips_with_at_first(friction):
    tiny = 1e-12
    slips = [friction.torque(v) - friction.offset for v in (-tiny, tiny)]
    np.testing.assert_allclose(friction.grip, slips, rtol=0, atol=1e-9)
    assert friction.is_dry == bool(np.any(friction.grip))


def test_what_resists_takes_energy_and_nothing_else_is_said_to():
    for p in LINEAR:
        one = Friction(**{p.name: 1.0})
        powers = [v * one.torque(v) for v in VELOCITIES]
        assert (min(powers) > 0) == p.resists
        assert (
            any("negative" in message for _, message, _ in Friction(**{p.name: -1}).problems())
            == p.resists
        )


def test_every_parameter_is_known_wherever_friction_is_set(tmp_path):
    robot = qddot.load("two_link")
    robot = robot.with_values(**dict.fromkeys(robot.symbols, 0.5)) if robot.symbols else robot
    values = {p.name: 0.25 for p in PARAMETERS}
    rough = robot.with_friction(**values)
    written = [f"friction.{name}={x}" for name, x in values.items()]
    assert changed(robot, read_set(robot, written)) == rough
    assert {f"friction.{name}" for name in values} <= known_keys(robot).keys()
    path = tmp_path / "rough.toml"
    rough.save(path)
    assert read(path).joints[0].friction == Friction(**values)


@pytest.mark.parametrize(
    ("given", "signed"),
    [
        ({}, False),
        ({"viscous": 0.1, "offset": -0.7}, False),
        ({"static": 0.3, "stribeck_velocity": 0.01}, False),  # which no closed form has
        ({"coulomb": 0.1}, True),
        ({"asymmetry": -0.1, "viscous": 0.1}, True),
        ({"coulomb": symbol("F"), "viscous": symbol("b")}, True),
        ({"viscous": symbol("b")}, False),
    ],
)
def test_friction_is_signed_where_its_closed_form_has_the_sign_of_the_velocity(given, signed):
    assert Friction(**given).signed == signed
    robot = qddot.load("two_link").with_friction(**given)
    assert qddot.derive(robot).robot.ring.signs == (frozenset({0, 1}) if signed else frozenset())


def test_the_size_of_a_velocity_has_a_closed_form():
    ring = qddot.derive(qddot.load("two_link").with_friction(coulomb=1.0)).robot.ring
    v = ring.element("v", 0)
    assert abs(-3 * v) == 3 * v * ring.element("d", 0)
    with pytest.raises(BadArgument, match="no polynomial form"):
        abs(v + ring.element("v", 1))
