"""A fit goes back into a robot, into files and tables."""

import json
import warnings
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from identification.excited import excited
from long import one_in
from made import PANDA, UR5
from nearness import SOLVED, assert_near

import qddot
from qddot.errors import BadArgument, IdentificationWarning, UnknownName
from qddot.identification.back_to_robot import robot_with_parameters
from qddot.identification.comparison import compare
from qddot.model import Motor
from qddot.readers.read import built_in_names

identify = partial(qddot.identify, terms=())  # what is not asked for is not there

REAL = [name for name in built_in_names() if not name.endswith("_symbolic")]
WRITTEN = 1e-9  # a file's decimals


@pytest.fixture(scope="module")
def wrong():
    """A UR5, and what somebody believes of it: all masses 20 % off, no friction."""
    robot = UR5.with_friction(viscous=2.0, coulomb=3.0, offset=0.5)
    robot = replace(robot, model=robot.model.with_joints(geared))
    believed = UR5
    return robot, robot_with_parameters(believed, 1.2 * believed.parameters)


def geared(joint):
    return replace(joint, motor=Motor(1e-4, 100)) if joint.moves else joint


TERMS = ("friction", "offset", "rotor_inertia")


@pytest.mark.parametrize("name", one_in(4, REAL))
def test_a_robot_has_the_parameters_it_is_given(name):
    robot = qddot.load(name)
    assert_near(robot_with_parameters(robot, robot.parameters).parameters, robot.parameters)
    phi = 1.3 * robot.parameters
    other = robot_with_parameters(robot, phi)
    assert other.parameter_names == robot.parameter_names
    assert_near(other.parameters, phi)
    q, qd, qdd, _ = excited(robot, 20)
    Y = robot.regressor(q, qd, qdd)
    assert_near(other.regressor(q, qd, qdd) @ other.parameters, Y @ phi, np.abs(Y) @ np.abs(phi))


def test_what_is_fixed_to_a_link_keeps_its_inertia_where_that_can_be():
    robot = PANDA.with_payload(PANDA.frame_names[-1], 1.0)
    names = list(robot.parameter_names)
    phi = robot.parameters.copy()
    phi[names.index("panda_joint7.m")] += 0.5
    assert robot_with_parameters(robot, phi).model.payloads[0].inertial.mass == 1.0
    light = robot.parameters.copy()
    light[60:70] *= 0.1  # less than the payload alone
    other = robot_with_parameters(robot, light)
    assert other.model.payloads[0].inertial.mass == 0
    assert_near(other.parameters, light)


def test_parameters_may_be_given_by_name():
    robot = robot_with_parameters(UR5, {"elbow_joint.fv": 3.0, "elbow_joint.Ia": 2.0})
    assert robot.parameters[-2:].tolist() == [2.0, 3.0]
    with pytest.raises(UnknownName, match=r"Did you mean 'elbow_joint.m'"):
        robot_with_parameters(robot, {"elbow_joint.mass": 3.0})
    with pytest.raises(BadArgument, match=r"phi has shape \(3,\), but robot 'ur5' has 62"):
        robot_with_parameters(robot, [1, 2, 3])


def test_parameters_that_no_body_has_are_refused():
    robot = UR5
    phi = robot.parameters.copy()
    phi[10] = -1
    with pytest.raises(BadArgument, match=r"No robot has these parameters: .*mass"):
        robot_with_parameters(robot, phi)


def test_stribeck_friction_keeps_what_it_has_above_coulombs():
    robot = qddot.load("two_link").with_friction(coulomb=2.0, static=3.0, stribeck_velocity=0.1)
    other = robot_with_parameters(robot, {"j1.fs": 5.0})
    assert other.model.joints[0].friction.static == 6.0
    log = excited(robot, 300)
    fit = identify(robot_with_parameters(robot, {"j1.fs": 5.0, "j2.fs": 1.0}), log)
    assert_near(fit.robot.inverse_dynamics(*log[:3]), log[3], tolerance=SOLVED)


def test_the_robot_found_moves_as_the_true_one(wrong):
    robot, believed = wrong
    fit = identify(believed, excited(robot, 500), terms=TERMS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IdentificationWarning)
        found = fit.robot
    q, qd, qdd, tau = excited(robot, 50, 9)
    assert_near(found.inverse_dynamics(q, qd, qdd), tau, tolerance=1e-6)
    assert_near(fit.predict(q, qd, qdd), tau, tolerance=SOLVED)
    assert_near(found.forward_dynamics(q, qd, tau), qdd, tolerance=1e-5)


def test_base_torques_are_reproduced_to_rounding_where_the_nearest_robot_can_exist():
    robot = PANDA
    believed = robot_with_parameters(robot, 1.05 * robot.parameters)
    fit = identify(believed, excited(robot, 400), "ordinary")
    assert fit.is_possible
    q, qd, qdd, tau = excited(robot, 50, 9)
    assert_near(fit.robot.inverse_dynamics(q, qd, qdd), tau, tolerance=SOLVED)
    assert_near(fit.problem.B @ fit.parameters, fit.values)


@pytest.mark.parametrize("ending", ["toml", "urdf"])
def test_a_fit_is_saved_as_a_robot_file(ending, tmp_path):
    robot = PANDA
    believed = robot_with_parameters(robot, 1.05 * robot.parameters)
    fit = identify(believed, excited(robot, 400), "ordinary")
    fit.save(tmp_path / f"arm.{ending}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        loaded = qddot.load(tmp_path / f"arm.{ending}")
    assert_near(loaded.parameters, fit.robot.parameters, tolerance=WRITTEN)


def test_residuals_and_figures_agree(wrong):
    robot, _ = wrong
    log = excited(robot, 300, 0, [4, 4, 2, 1, 0.5, 0.2])
    fit = identify(robot, log)
    assert_near(np.sqrt(np.mean(fit.residuals**2, axis=0)), fit.rms)
    share = np.linalg.norm(fit.residuals) / np.linalg.norm(log[3])
    assert fit.relative_error == pytest.approx(share)
    assert fit.relative_errors.shape == (6,)
    assert_near(log[3] - fit.residuals, fit.predict(*log[:3]))


def test_a_fit_is_plain_data_and_a_table(wrong):
    robot, believed = wrong
    fit = identify(believed, excited(robot, 300, 0, 1.0), terms=TERMS)
    data = json.loads(json.dumps(fit.to_dict()))
    assert len(data["base_parameters"]) == len(fit.values)
    assert data["method"] == "WeightedLeastSquares"
    assert data["samples"] == 300
    assert set(data["rms"]) == set(robot.joint_names)
    lines = fit.table().splitlines()
    assert len(lines) == 1 + len(fit.values)
    assert lines[0].split() == ["parameter", "value", "deviation", "%"]
    assert "base parameters from 300 samples (solved)" in repr(fit)
    assert "relative torque error" in repr(fit)


def test_fits_are_compared_side_by_side(wrong):
    robot, _ = wrong
    log = excited(robot, 300, 0, 1.0)
    plain, weighted = (identify(robot, log, m) for m in ("ordinary", "weighted"))
    text = str(compare([plain, weighted, weighted.essential(loss=0.1)]))
    head = text.splitlines()[0].split()
    assert head[:3] == ["parameter", "OrdinaryLeastSquares", "WeightedLeastSquares"]
    assert "WeightedLeastSquares #2" in text
    assert "RMS elbow_joint" in text
    assert "relative error [%]" in text
    assert set(compare({"a": plain, "b": weighted}).to_dict()) == {"a", "b"}
    with pytest.raises(BadArgument, match="nothing to compare"):
        compare([])
    other = qddot.load("scara")
    with pytest.raises(BadArgument, match="robots with different joints"):
        compare([plain, identify(other, excited(other, 100))])
