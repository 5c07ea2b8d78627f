"""What to fit is chosen by prediction: what is there is found, what is not there is not taken."""

import numpy as np
import pytest
from identification.made_logs import measured, moved, noisy, waving
from long import long
from measured_logs import staubli_tx40

import qddot
from qddot.errors import BadArgument
from qddot.identification import prepared

ARM = qddot.load("two_link").without("friction").with_friction(viscous=5.0, coulomb=2.0)
WRIST = qddot.load("ur3").without("friction").with_friction(viscous=0.5, coulomb=0.4)


def log_of(robot, more=None, seed=0):
    """Return a log with torques beside those of the model, and noise of 2 %."""
    return moved(robot, more=more, motion=seed, seed=seed, noise="2 %")


def taken(fit):
    return {(row.what, row.joints) for row in fit.choices.taken}


def at_joint(i, function, n=2):
    return lambda t, q, qd, qdd: np.eye(n)[i] * function(q, qd, qdd)[:, None]


def both(t, q, qd, qdd):
    v, a = qd[:, 4] + qd[:, 5], qdd[:, 4] + qdd[:, 5]
    return np.multiply.outer(0.1 * a + 0.3 * v + 0.5 * np.sign(v), np.eye(6)[4] + np.eye(6)[5])


@pytest.mark.parametrize(
    ("what", "joints", "robot", "more"),
    [
        ("rotor inertia", ("j2",), ARM, at_joint(1, lambda q, qd, qdd: 20 * qdd[:, 1])),
        (
            "Stribeck friction",
            ("j1",),
            ARM,
            at_joint(
                0, lambda q, qd, qdd: 60 * np.exp(-((qd[:, 0] / 0.3) ** 2)) * np.sign(qd[:, 0])
            ),
        ),
        ("spring", ("j2",), ARM, at_joint(1, lambda q, qd, qdd: 40 * q[:, 1])),
        ("counterbalance", ("j1",), ARM, at_joint(0, lambda q, qd, qdd: 100 * np.sin(2 * q[:, 0]))),
        ("motor of two joints", WRIST.joint_names[4:], WRIST, both),
    ],
)
def test_what_is_there_is_found_and_nothing_else(what, joints, robot, more):
    fit = qddot.identify(robot, log_of(robot, more))
    assert taken(fit) == {(what, tuple(joints))}
    assert fit.relative_error < 0.025
    row = next(row for row in fit.choices.rows if row.taken)
    assert row.error < 0.98 * row.without


@pytest.mark.parametrize("seed", [0, *long(1, 2)])
def test_nothing_is_taken_that_is_not_there(seed):
    for robot in (ARM, WRIST):
        assert not taken(qddot.identify(robot, log_of(robot, seed=seed)))
    ready = prepared(noisy(ARM, rate=200.0, seed=seed), cutoff=5.0)
    assert not taken(qddot.identify(ARM, ready))


def test_what_was_chosen_can_be_asked_for_and_is_in_words_and_data():
    fit = qddot.identify(ARM, log_of(ARM, at_joint(1, lambda q, qd, qdd: 20 * qdd[:, 1])))
    again = qddot.identify(ARM, fit.log, terms=fit.choices.terms, extra=fit.choices.extra)
    assert again.choices is None
    assert np.allclose(again.values, fit.values)
    assert "j2.Ia" in fit.choices.terms
    assert "yes  rotor inertia" in str(fit.choices)
    assert "chosen by prediction: rotor inertia (j2)" in str(fit)
    rows = fit.to_dict()["choices"]["candidates"]
    assert rows[0]["taken"]
    assert rows[0]["columns"] == ["j2.Ia"]
    assert all(row["why"] for row in rows if not row["taken"])


def test_several_logs_choose_together():
    more = at_joint(1, lambda q, qd, qdd: 40 * q[:, 1])
    logs = [log_of(ARM, more, seed)[:1500] for seed in (0, 1)]
    assert taken(qddot.identify(ARM, logs)) == {("spring", ("j2",))}


def test_what_was_found_is_in_the_robot_and_its_file(tmp_path):
    def more(t, q, qd, qdd):
        found = 40 * q * [0, 1]
        found[:, 0] += 60 * np.exp(-((qd[:, 0] / 0.3) ** 2)) * np.sign(qd[:, 0])
        found[:, 0] += 200 * np.sin(2 * q[:, 0])
        return found

    fit = qddot.identify(ARM, log_of(ARM, more), "consistent")
    kinds = {"spring": ("j2",), "Stribeck friction": ("j1",), "counterbalance": ("j1",)}
    assert taken(fit) == set(kinds.items())
    fit.save(tmp_path / "arm.toml")
    back = qddot.load(tmp_path / "arm.toml")
    states = fit.log.q, fit.log.qd, fit.log.qdd
    assert np.allclose(back.inverse_dynamics(*states), fit.predict(*states), atol=1e-6)
    j1, j2 = back.model.free_joints
    assert [m for m, _, _ in j1.spring.harmonics] == [2]
    assert abs(j2.spring.stiffness - 40) < 1
    assert abs(j1.friction.static - j1.friction.coulomb - 60) < 10


def test_a_short_log_is_fitted_with_the_usual_terms():
    q, qd, qdd = waving(2, np.arange(20) / 10, 0)
    fit = qddot.identify(ARM, (q, qd, qdd, ARM.inverse_dynamics(q, qd, qdd)))
    assert "too few" in fit.choices.note
    assert "j1.f0" in fit.problem.regression.names


def test_a_term_at_one_joint():
    log = log_of(ARM)
    names = qddot.identify(ARM, log, terms=("friction", "j2.Ia", "j1.offset")).problem.regression
    assert "j2.Ia" in names.names
    assert "j1.Ia" not in names.names
    assert "j1.f0" in names.names
    assert "j2.f0" not in names.names
    with pytest.raises(BadArgument, match=r"no term 'j3\.Ia'"):
        qddot.identify(ARM, log, terms=("j3.Ia",))


@pytest.mark.long
def test_the_wrist_of_a_measured_arm_is_found():
    arm, raw = staubli_tx40(measured("staubli_tx40"))
    fit = qddot.identify(arm, raw, "consistent")
    assert ("motor of two joints", ("joint_5", "joint_6")) in taken(fit)
    assert fit.relative_error < 0.042


@pytest.mark.long
def test_a_motor_of_two_joints_is_in_the_robot_and_its_file(tmp_path):
    fit = qddot.identify(WRIST, log_of(WRIST, both), "consistent")
    fit.save(tmp_path / "found.toml")
    back = qddot.load(tmp_path / "found.toml")
    (coupling,) = back.model.couplings
    assert (coupling.joints, coupling.ratios) == (WRIST.joint_names[4:], (1, 1))
    states = fit.log.q, fit.log.qd, fit.log.qdd
    assert np.allclose(back.inverse_dynamics(*states), fit.predict(*states), rtol=0, atol=1e-9)
    with pytest.warns(
        qddot.IdentificationWarning, match=r"what joints share \(of .*\+.*\)"
    ) as told:
        fit.save(tmp_path / "found.urdf")
    text = str(next(w.message for w in told if "no place" in str(w.message)))
    kept = qddot.load(tmp_path / "found.urdf").inverse_dynamics(*states)
    price = 100 * np.linalg.norm(kept - fit.log.tau) / np.linalg.norm(fit.log.tau)
    assert float(text.partition(" % to ")[2].partition(" %")[0]) == pytest.approx(price, rel=0.05)
    again = qddot.identify(back, fit.log, "consistent")  # its columns are the robot's own now
    assert ("motor of two joints", WRIST.joint_names[4:]) not in taken(again)
    assert np.allclose(again.predict(*states), fit.predict(*states), atol=1e-3)


def test_a_robot_without_a_place_for_a_column_is_found_without_it():
    extra = {"cam": lambda q, qd, qdd: np.array([np.sin(5 * q[0]), 0])}
    log = log_of(ARM, at_joint(0, lambda q, qd, qdd: 20 * np.sin(5 * q[:, 0])))
    fit = qddot.identify(ARM, log, "consistent", terms=("friction", "offset"), extra=extra)
    with pytest.warns(qddot.IdentificationWarning, match="no place for cam.*found without them"):
        robot = fit.robot
    plain = qddot.identify(ARM, fit.log, "consistent", terms=("friction", "offset"))
    states = fit.log.q, fit.log.qd, fit.log.qdd
    expected = plain.robot.inverse_dynamics(*states)
    assert np.allclose(
        robot.inverse_dynamics(*states), expected, atol=0.01 * np.abs(expected).max()
    )
