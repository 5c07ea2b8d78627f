"""A URDF that we write is one that others read; what had to be added is said, and unsaid again."""

import warnings
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest

import qddot
from qddot.doctor.peers import PEERS, material
from qddot.readers.read import library
from qddot.writers.urdf import to_urdf

pin = pytest.importorskip("pinocchio", reason="Pinocchio is not installed (pip install pin)")

LACKING = {"baxter", "mass_spring_damper", "puma560", "rp", "scara", "stanford"}


def saved(robot, path):
    """Return the notes, and what was warned of."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        notes = robot.save(path)
    return notes, [str(warning.message) for warning in told]


@pytest.mark.parametrize("name", sorted(library()))
def test_urdfdom_reads_the_urdf_of_every_built_in_robot(name, tmp_path):
    robot, path = qddot.load(name), tmp_path / "robot.urdf"
    notes, told = saved(robot, path)
    theirs = pin.buildModelFromUrdf(str(path))
    assert theirs.nv == robot.n + sum(joint.mimic is not None for joint in robot.model.joints)
    added = [note for note in notes if note.startswith("added, because URDF asks for limits")]
    assert bool(added) == (name in LACKING)
    assert notes[: len(added)] == added  # first, so that it is seen
    assert len(told) == bool(notes)
    assert all(note in told[0] for note in notes)
    assert all(note in path.read_text() for note in added)


@pytest.mark.parametrize("name", sorted(LACKING))
def test_limits_that_were_added_are_none_when_read_back(name, tmp_path):
    robot, path = qddot.load(name), tmp_path / "robot.urdf"
    saved(robot, path)
    again = qddot.load(path)
    for key in ("lower", "upper", "velocity", "effort"):
        assert np.array_equal(getattr(again.limits, key), getattr(robot.limits, key))


def test_a_limit_on_one_side_survives(tmp_path):
    robot = qddot.from_dh([{"a": 1, "mass": 1, "limits": {"lower": -1}}], "standard")
    saved(robot, tmp_path / "robot.urdf")
    limits = qddot.load(tmp_path / "robot.urdf").limits
    assert (limits.lower[0], limits.upper[0]) == (-1, np.inf)


def test_the_doctor_gives_others_the_file_that_users_get_without_its_shapes():
    robot = qddot.load("puma560")
    job = material(robot.model, library()["puma560"]).job(PEERS[0], [])
    links = tuple(replace(link, visuals=(), collisions=()) for link in robot.model.links)
    bare = replace(robot.model, links=links)
    same = [ElementTree.canonicalize(text, strip_text=True) for text in (job.text, to_urdf(bare))]
    assert same[0] == same[1]


def test_a_continuous_joint_says_that_its_limits_are_dropped(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text(
        '<robot name="r"><link name="a"/><link name="b"><inertial><mass value="1"/>'
        '<origin xyz="0.1 0.1 0.1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>'
        '</inertial></link><joint name="j" type="continuous"><parent link="a"/><child link="b"/>'
        '<limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>'
    )
    notes = [str(problem) for problem in qddot.load(path).model.warnings]
    assert any("a lower or upper, which a continuous joint ignores" in note for note in notes)
