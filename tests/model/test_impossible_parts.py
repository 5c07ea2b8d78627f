"""An impossible part is refused where the body that moves is impossible, and doubted elsewhere."""

from __future__ import annotations

import pytest

from qddot.errors import BadRobot
from qddot.model import Inertial, Joint, Link, Model, build

HEAVY = Inertial(2, inertia=(0.1, 0, 0, 0.1, 0, 0.1))
IMPOSSIBLE = Inertial(0.1, inertia=(0.01, 0, 0, 0.001, 0, 0.001))
PLACEHOLDER = Inertial(1e-6, inertia=(1e-6,) * 6)
NEGATIVE = Inertial(1, inertia=(0.1, 0, 0, 0.1, 0, -0.001))


def arm(base: Inertial = HEAVY, body: Inertial = HEAVY, part: Inertial = HEAVY) -> Model:
    """A base, a body that turns on it, and a part fixed to the body."""
    links = [Link("base", base), Link("body", body), Link("part", part)]
    joints = [
        Joint("turn", "continuous", "base", "body"),
        Joint("weld", "fixed", "body", "part"),
    ]
    return build("arm", links, joints)


def warned(model: Model) -> list[str]:
    return [str(p) for p in model.warnings if p.severity == "warning"]


def test_an_impossible_body_is_refused():
    with pytest.raises(BadRobot, match="link 'body': no body has this inertia: Ixx"):
        arm(body=IMPOSSIBLE, part=Inertial())


def test_a_negative_moment_is_refused_however_small_a_share_it_is():
    with pytest.raises(BadRobot, match="a principal moment of inertia is negative"):
        arm(body=NEGATIVE, part=Inertial())


def test_an_impossible_part_of_a_possible_body_is_doubted():
    (text,) = warned(arm(part=IMPOSSIBLE))
    assert "link 'part': no body has this inertia" in text
    assert "together with what it is fixed to, it is possible" in text


def test_what_does_not_move_is_doubted():
    (text,) = warned(arm(base=PLACEHOLDER))
    assert "it does not move, so nothing depends on it" in text
    assert "with Ixy = Ixz = Iyz = 0 it would be possible" in text


def test_moments_that_are_slightly_off_are_doubted():
    (text,) = warned(arm(body=Inertial(1, inertia=(0.22, 0, 0, 0.1, 0, 0.1)), part=Inertial()))
    assert "Ixx = 0.22 > Iyy + Izz = 0.1 + 0.1" in text
    with pytest.raises(BadRobot):
        arm(body=Inertial(1, inertia=(0.3, 0, 0, 0.1, 0, 0.1)), part=Inertial())


def test_the_rounding_of_a_point_mass_is_no_problem():
    point = Inertial(1, (0.1, 0.1, 0.1), (0, 1e-18, 0, 0, 0, 0))
    assert not warned(arm(body=point, part=Inertial()))


def test_a_negative_mass_is_refused_wherever_it_is():
    for place in ("base", "body", "part"):
        with pytest.raises(BadRobot, match=f"link '{place}': the mass is negative"):
            arm(**{place: Inertial(-1)})
