"""Each fault planted in a healthy arm is found, at its line, with the right advice."""

from __future__ import annotations

import re

import pytest

from qddot.doctor import examine
from qddot.errors import UnknownRobot
from qddot.readers.read import library

UPPER = 'ixx="0.04" ixy="0.001" ixz="0.002" iyy="0.042" iyz="-0.001" izz="0.01"'
FORE = 'ixx="0.02" ixy="0" ixz="0" iyy="0.021" iyz="0.0005" izz="0.004"'
HAND = 'ixx="0.0011" ixy="0" ixz="0" iyy="0.0012" iyz="0" izz="0.0008"'


def moments(xx, xy, xz, yy, yz, zz):
    return f'ixx="{xx}" ixy="{xy}" ixz="{xz}" iyy="{yy}" iyz="{yz}" izz="{zz}"'


# what is changed · severity · place · words of the message · words of the remedy
FAULTS = {
    "a decimal slip in a moment": (
        [(FORE, moments(0.02, 0, 0, 0.21, 0.0005, 0.004))],
        ("error", "link 'fore'", "no body has this inertia", "Iyy = 0.021 (10 times smaller)"),
    ),
    "row-major order": (
        [(FORE, moments(0.02, 0.021, 0.004, 0, 0, 0.0005))],
        ("error", "link 'fore'", "negative", "wrong order; possible would be Ixx=0.02"),
    ),
    "a negative mass": (
        [('<mass value="2.5"/>', '<mass value="-2.5"/>')],
        ("error", "link 'fore'", "the mass is negative", "positive mass"),
    ),
    "a centre of mass in millimetres": (
        [('xyz="0 0.01 0.12"', 'xyz="0 10 120"')],
        ("warning", "link 'fore'", "centre of mass is 120 m from its frame", "millimetres"),
    ),
    "lengths in millimetres": (
        [('<origin xyz="0 0 0.35"/>', '<origin xyz="0 0 350"/>')],
        ("warning", "joint 'elbow'", "its origin is 350 m away", "millimetres; divide by 1000"),
    ),
    "a mass in grams": (
        [('<mass value="0.8"/>', '<mass value="800"/>')],
        ("warning", "link 'hand'", "denser than any material", "grams"),
    ),
    **{
        f"an inertia in {unit}": (
            [(HAND, moments(0.0011 / si, 0, 0, 0.0012 / si, 0, 0.0008 / si))],
            *[
                (
                    "warning",
                    "link 'hand'",
                    f"a body of radius {radius} m",
                    f"{unit} is {si:g} kg·m², and 0.0012",
                )
            ],
        )
        for unit, si, radius in (
            ("kg·mm²", 1e-6, 38.7),
            ("g·mm²", 1e-9, "1.22e+03"),
            ("kg·cm²", 1e-4, 3.87),
        )
    },
    "an inertia that is a thousand times too small": (
        [(HAND, moments(1.1e-6, 0, 0, 1.2e-6, 0, 0.8e-6))],
        (
            "warning",
            "link 'hand'",
            "denser than any material",
            "A ball of steel would have 0.00027",
        ),
    ),
    "a placeholder": (
        [(UPPER, moments(1, 0, 0, 1, 0, 1))],
        ("warning", "link 'upper'", "three moments of inertia are 1 kg·m²", "real ones"),
    ),
    "a placeholder that is too large": (
        [(HAND, moments(2, 0, 0, 2, 0, 2))],
        ("warning", "link 'hand'", "a body of radius 1.58 m", "looks like a placeholder"),
    ),
    "limits in degrees": (
        [('lower="-2" upper="2"', 'lower="-115" upper="115"')],
        ("warning", "joint 'shoulder'", "its limits reach 115 rad", "They look like degrees"),
    ),
    "limits the wrong way round": (
        [('lower="-2" upper="2"', 'lower="2" upper="-2"')],
        ("error", "joint 'shoulder'", "its limits are reversed", "Swap them."),
    ),
    "limits that leave no room": (
        [('lower="-2" upper="2"', 'lower="0" upper="0"')],
        ("warning", "joint 'shoulder'", "its limits leave no room", "Use type fixed"),
    ),
    "a turn in degrees": (
        [('rpy="1.5707963267948966 0 0"', 'rpy="90 0 0"')],
        ("warning", "joint 'shoulder'", "turned by 90 rad", "90° is 1.570796326794897 rad"),
    ),
    "inertia axes in degrees": (
        [('rpy="0.1 0.2 0.3"', 'rpy="45 0 0"')],
        ("warning", "link 'upper'", "axes of its inertia are turned by 45 rad", "45° is 0.785"),
    ),
    "1.57 for π/2": (
        [('rpy="1.5707963267948966 0 0"', 'rpy="1.57 0 0"')],
        ("note", "joint 'shoulder'", "8.0e-04 off π/2", "Write 1.5707963267948966"),
    ),
    "a hand without mass": (
        [
            (
                '<link name="hand">\n    <inertial>\n      <origin xyz="0 0 0.05"/>\n'
                f'      <mass value="0.8"/>\n      <inertia {HAND}/>\n    </inertial>\n  </link>',
                '<link name="hand"/>',
            )
        ],
        ("warning", "joint 'wrist'", "the mass matrix is singular", "Give the link its mass"),
    ),
    "a number beyond reason": (
        [('<mass value="0.8"/>', '<mass value="8e200"/>')],
        ("error", "link 'hand'", "out of all proportion (8e+200)", "sensible size"),
    ),
}


def test_the_arm_itself_is_healthy(arm):
    examination = examine(arm(), peers=())
    assert examination.healthy
    assert examination.problems == ()
    assert examination.model is not None


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_found_and_the_advice_is_right(arm, fault):
    changes, (severity, place, message, remedy) = FAULTS[fault]
    path = arm(*changes)
    found = [p for p in examine(path, peers=()).problems if p.place == place]
    match = [p for p in found if message in p.message and remedy in p.remedy]
    assert match, f"found only {[str(p) for p in found]}"
    assert match[0].severity == severity
    assert match[0].file == str(path)
    name = re.findall(r"'(\w+)'", place)[0]
    assert f'name="{name}"' in path.read_text().splitlines()[(match[0].line or 0) - 1]


def test_an_error_in_one_place_does_not_hide_a_doubt_in_another(arm):
    reversed_limits = ('lower="-2" upper="2"', 'lower="2" upper="-2"')
    examination = examine(arm(reversed_limits, (HAND, moments(2, 0, 0, 2, 0, 2))), peers=())
    assert [(p.severity, p.place) for p in examination.problems] == [
        ("warning", "link 'hand'"),
        ("error", "joint 'shoulder'"),
    ]
    assert examination.model is None
    assert not examination.healthy


def test_inertias_about_the_links_origins_are_recognised(arm):
    """Steiner's term added to every link, as a CAD program set to the wrong frame would."""
    straight = [('rpy="0.1 0.2 0.3"', 'rpy="0 0 0"')]
    upper = moments(0.04 + 4 * 0.15**2, 0.001, 0.002 - 4 * 0.02 * 0.15, 0.133, -0.001, 0.0116)
    fore = moments(0.02 + 2.5 * (0.12**2 + 0.01**2), 0, 0, 0.057, 0.0005 - 0.003, 0.00425)
    hand = moments(0.0011 + 0.8 * 0.05**2, 0, 0, 0.0012 + 0.8 * 0.05**2, 0, 0.0008)
    path = arm(*straight, (UPPER, upper), (FORE, fore), (HAND, hand))
    (problem,) = examine(path, peers=()).problems
    assert problem.severity == "warning"
    assert "look as if they were about the links' origins" in problem.message
    assert "Ixx, Iyy, Izz would be 0.04, 0.0414, 0.01." in problem.remedy


def test_links_that_are_all_alike_are_noted(arm):
    same = moments(0.01, 0, 0, 0.01, 0, 0.01)
    masses = [
        ('<mass value="4"/>', '<mass value="1"/>'),
        ('<mass value="2.5"/>', '<mass value="1"/>'),
    ]
    masses.append(('<mass value="0.8"/>', '<mass value="1"/>'))
    path = arm((UPPER, same), (FORE, same), (HAND, same), *masses)
    (problem,) = examine(path, peers=()).problems
    assert problem.severity == "note"
    assert "all 3 links have the same mass (1 kg) and moments (0.01, 0.01, 0.01" in problem.message


def test_the_inertia_of_what_does_not_move_is_nobodys_business(arm):
    base = f'<link name="base"><inertial><mass value="3"/><inertia {moments(9, 0, 0, 9, 0, 9)}/>'
    examination = examine(arm(('<link name="base"/>', f"{base}</inertial></link>")), peers=())
    assert examination.healthy


def test_what_a_reader_and_the_model_both_say_is_said_once(arm):
    examination = examine(arm(('lower="-2" upper="2" ', "")), peers=())
    unlimited = [p for p in examination.problems if "taken as unlimited" in p.message]
    assert [(p.severity, p.place) for p in unlimited] == [("warning", "joint 'shoulder'")]


@pytest.mark.parametrize("name", sorted(library()))
def test_no_built_in_robot_has_an_error_or_is_refused(name):
    examination = examine(name, peers=())
    assert examination.model is not None
    assert examination.count("error") == 0


def test_a_file_that_is_no_robot_is_an_examination_too(tmp_path):
    path = tmp_path / "broken.urdf"
    path.write_text("<robot name='x'><link", encoding="utf-8")
    examination = examine(path)
    assert examination.model is None
    assert examination.count("error") == 1
    assert examination.comparisons == ()


def test_an_unknown_name_is_a_mistake_of_the_caller():
    with pytest.raises(UnknownRobot, match="pandda"):
        examine("pandda")
