"""An inertia that no body has, and the nearest one that some body has."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from long import examples
from strategies import seeds

import qddot
from qddot.model import Inertial
from qddot.model.nearest_inertia import nearest_inertia
from qddot.spatial.inertia import euler, symmetric, why_impossible

BAD = """
convention = "standard"
[[dh]]
a = 0.4
mass = 2
com = [-0.2, 0, 0]
inertia = [0.01, 0.01, 0.9]
[[dh]]
a = 0.3
mass = 1
com = [-0.1, 0, 0]
inertia = [0.01, 0.01, 0.01]
[[dh]]
a = 0.3
mass = 1
com = [-0.1, 0, 0]
inertia = [0.02, 0.05, 0.01, 0.02, 0, 0.02]
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "bad.toml"
    path.write_text(BAD)
    return path


@given(seeds)
@examples(50)
def test_no_possible_inertia_is_nearer(seed):
    """In the Frobenius norm of the pseudo-inertia, up to the millionth that keeps it positive."""
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(3, 3))
    given_ = symmetric(symmetric_six(A + A.T))
    found = symmetric(nearest_inertia(Inertial(1.0, inertia=symmetric_six(given_))).inertia)
    assert why_impossible(1.0, found) is None
    distance = np.linalg.norm(euler(found) - euler(given_))
    for _ in range(20):
        B = rng.normal(size=(3, 3)) * rng.uniform(0.01, 1)
        near = euler(found) + 0.1 * (B + B.T)
        w, Q = np.linalg.eigh(near)
        other = Q @ np.diag(np.maximum(w, 0)) @ Q.T  # another possible one
        size = np.linalg.norm(euler(given_))
        assert np.linalg.norm(other - euler(given_)) >= distance - 4e-6 * size


def symmetric_six(A):
    return tuple(float(A[i, j]) for i, j in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)))


def test_a_possible_inertia_stays_as_it_is_and_its_axes_too(file):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        robot = qddot.load(file, inertia="nearest")
    link = robot.model.link("link2").inertial
    assert link.inertia == (0.01, 0, 0, 0.01, 0, 0.01)
    first = robot.model.link("link1").inertial
    assert (first.mass, first.com) == (2, (-0.2, 0, 0))


def test_by_default_the_file_is_refused_and_the_way_out_is_named(file):
    with pytest.raises(qddot.QddotError, match=r"inertia='nearest'") as error:
        qddot.load(file)
    assert len(str(error.value).splitlines()) <= 6


def test_every_link_that_was_changed_is_warned_of_with_how_much(file):
    with pytest.warns(qddot.RobotWarning) as told:
        robot = qddot.load(file, inertia="nearest")
    text = str(told[0].message)
    assert "link 'link1': no body has this inertia" in text
    assert "link 'link3': a principal moment of inertia is negative" in text
    assert text.count("the nearest possible inertia is taken") == 2
    assert text.count("% away: Ixx = ") == 2
    M = robot.mass_matrix(robot.home)
    assert np.linalg.eigvalsh(M)[0] > 0
    for link in robot.model.links[1:]:
        inertia = symmetric([float(x) for x in link.inertial.inertia])
        assert why_impossible(float(link.inertial.mass), inertia) is None


def test_more_than_five_changes_are_all_told(tmp_path):
    row = "[[dh]]\na = 0.4\nmass = 2\ncom = [-0.2, 0, 0]\ninertia = [0.01, 0.01, 0.9]\n"
    path = tmp_path / "seven.toml"
    path.write_text('convention = "standard"\n' + 7 * row)
    with pytest.warns(qddot.RobotWarning) as told:
        qddot.load(path, inertia="nearest")
    assert str(told[0].message).count("the nearest possible inertia is taken") == 7


def test_what_else_is_wrong_is_still_refused(file):
    file.write_text(BAD + "[[dh]]\nmass = -1\n")
    with pytest.raises(qddot.QddotError, match="the mass is negative") as error:
        qddot.load(file, inertia="nearest")
    assert "nearest" not in str(error.value)
    with pytest.raises(qddot.QddotError, match="inertia is 'closest'; it must be one of"):
        qddot.load(file, inertia="closest")
