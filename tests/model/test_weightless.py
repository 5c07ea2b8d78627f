"""A joint that moves no inertia is named at load; every other one is left in peace."""

import numpy as np
import pytest

import qddot
from qddot.dynamics.crba import mass_matrix
from qddot.model.folding import fold
from qddot.model.validation import inertia_felt
from qddot.readers.read import built_in_names, read

POINT = {"mass": 1, "com": [0, 0, 0.1]}  # on the z axis of its row


def singular(robot):
    return [str(p) for p in robot.warnings if "singular" in p.message]


def arm(*rows, **more):
    return qddot.from_dh(rows, "modified", **more)


@pytest.mark.filterwarnings("ignore::qddot.RobotWarning")
@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([POINT], "joint 'j1': all mass beyond it lies on its axis"),
        ([{"mass": 1}], "joint 'j1': all mass beyond it lies on its axis"),
        ([{"mass": "m", "com": [0, 0, "L"]}], "joint 'j1': all mass beyond it lies on its axis"),
        ([{"mass": 1e-310, "com": [0.1, 0, 0]}], "joint 'j1': what it moves has next to no"),
        ([{"mass": 1, "com": [0.1, 0, 0]}, {"a": 1, "alpha": 0.7}], "joint 'j2': nothing beyond"),
        ([{"a": 1, "alpha": 0.7, **POINT}], "joint 'j1': all mass beyond it lies on its axis"),
    ],
)
def test_a_joint_without_inertia_is_named(rows, words):
    (told,) = singular(arm(*rows))
    assert told.startswith(words)


@pytest.mark.parametrize(
    "rows",
    [
        [POINT | {"motor": {"rotor_inertia": 1e-6}}],
        [POINT | {"inertia": [1e-9, 1e-9, 1e-9]}],
        [{"mass": 1e-30, "com": [0.1, 0, 0]}],
        [{}, {"a": 1, "mass": 1, "com": [0.1, 0, 0]}],  # massless, but it carries
        [{"alpha": "pi/2"}, {"a": 1, "mass": "m", "com": ["L", 0, 0]}],
        [{"type": "prismatic", "mass": 1}],
        [{"mass": 1, "com": [0.1, 0, 0]}, {"a": 1, "mass": 0, "locked": 0.1}],
    ],
)
def test_a_joint_with_inertia_is_not_doubted(rows):
    assert not singular(arm(*rows))


def test_a_warning_is_given_in_python():
    with pytest.warns(qddot.RobotWarning, match="joint 'j1': all mass beyond it lies on its axis"):
        arm(POINT)


@pytest.mark.parametrize("name", built_in_names())
def test_no_built_in_robot_is_doubted(name):
    assert not singular(qddot.Robot(read(name)))


@pytest.mark.parametrize("name", ["panda_hand", "baxter", "stanford", "mass_spring_damper"])
def test_what_a_joint_feels_is_its_entry_of_the_mass_matrix(name):
    tree = fold(read(name))
    q = np.random.default_rng(3).uniform(-1, 1, tree.n)
    felt = np.array(list(inertia_felt(tree, q, range(tree.n)).values()))
    M = np.diag(np.asarray(mass_matrix(tree, q), dtype=float))
    assert np.allclose(felt[:, 0], M, rtol=1e-12)
    assert (felt[:, 1] >= M * (1 - 1e-12)).all()
