"""External torques over a log: as the observer has them; contacts found, and none where none is."""

import json

import numpy as np
import pytest
from identification.made_logs import waving
from made import ARM

import qddot
from qddot.control import closed_loop
from qddot.control.laws import ComputedTorque, MomentumObserver
from qddot.errors import BadArgument
from qddot.identification import Log, external_torque
from qddot.identification.observer import block_maxima, observed, threshold
from qddot.identification.signals import differentiated

RUBBING = ARM.with_friction(viscous=5.0, coulomb=2.0)
RATE, DURATION = 250.0, 24.0
START, END, SIZE = 9.0, 10.2, 60.0  # [s, s, N·m]


def recorded(seed=0, push=0.0, joint=1, noise=2.0):
    """Return a log of noisy positions and torques, with a push on joints up to one."""
    t = np.arange(round(DURATION * RATE)) / RATE
    q, qd, qdd = waving(2, t, seed)
    outside = np.zeros((len(t), 2))
    outside[(t >= START) & (t < END), : joint + 1] = push
    rng = np.random.default_rng(seed + 7)
    tau = RUBBING.inverse_dynamics(q, qd, qdd) - outside + noise * rng.normal(size=q.shape)
    return Log(ARM.joint_names, t, q + 1e-5 * rng.normal(size=q.shape), tau=tau)


def test_online_it_is_what_the_momentum_observer_gives():
    """The observer of the control room, which integrates momenta and knows no acceleration."""
    law = MomentumObserver(ComputedTorque(ARM, 100, 20, [0.5, -0.4]), gain=20.0)

    def against(t, q, qd):
        return np.array([30.0, -15.0]) * np.sin(3 * t)

    run = closed_loop(ARM, law, q0=[0.5, -0.4], duration=2, rate=1000, disturbance=against)
    q, qd = run.trajectory.q, run.trajectory.qd
    log = differentiated(Log(ARM.joint_names, run.t, q, qd, tau=run.tau))
    expected = law.residual(q, qd, run.x)
    assert np.abs(expected).max() > 25
    (found,) = observed(ARM, log, 20.0, online=True)
    np.testing.assert_allclose(found, expected, rtol=0, atol=0.1)
    # both ways it has no delay, so it is nearer to what pushed
    push = -np.multiply.outer(np.sin(3 * run.t), [30.0, -15.0])
    ways = (observed(ARM, log, 20.0, online=way)[0] for way in (True, False))
    off = [np.abs(r - push)[200:-200] for r in ways]
    assert off[1].max() < 0.2 * off[0].max()


@pytest.fixture(scope="module")
def fit():
    return qddot.identify(ARM, recorded(seed=3), terms=("friction",))


@pytest.mark.parametrize("seed", range(4))
def test_a_log_without_contact_reports_none(fit, seed):
    assert external_torque(fit, recorded(seed), free=recorded(9)).contacts == ()
    assert fit.external_torque(recorded(seed)).contacts == ()


def test_the_free_motion_of_a_fit_of_several_logs_is_all_of_them():
    fit = qddot.identify(ARM, [recorded(3), recorded(4)], terms=("friction",))
    assert fit.external_torque(recorded(1)).contacts == ()
    (contact,) = fit.external_torque(recorded(1, SIZE)).contacts
    assert contact.start == pytest.approx(START, abs=0.5)
    with pytest.raises(BadArgument, match="one log at a time"):
        fit.external_torque(fit.log)


@pytest.mark.parametrize("joint", [0, 1])
@pytest.mark.parametrize("push", [SIZE, -SIZE])
def test_a_contact_is_found_with_its_time_its_joints_and_its_size(fit, joint, push):
    found = external_torque(fit, recorded(1, push, joint), free=recorded(9))
    (contact,) = found.contacts
    assert contact.start == pytest.approx(START, abs=0.15)
    assert contact.end == pytest.approx(END, abs=0.15)
    assert contact.size == pytest.approx(push, rel=0.15)
    # a push on the first link is not felt by the joint beyond it
    assert contact.joints == ARM.joint_names[: joint + 1]
    inside = (found.t > START + 0.3) & (found.t < END - 0.3)
    np.testing.assert_allclose(found.torque[inside, 0].mean(), push, rtol=0.03)


def test_two_pushes_are_two_contacts_and_a_robot_needs_free_motion():
    log = recorded(1, SIZE)
    log.tau[2000:2100, 1] += SIZE
    found = external_torque(RUBBING, log, free=(11.0, 24.0))
    assert [round(c.start) for c in found.contacts] == [8, 9]
    assert [np.sign(c.size) for c in found.contacts] == [-1, 1]
    assert "2 contacts in" in repr(found)
    assert "11 to 24 s of the log" in repr(found)
    with pytest.raises(BadArgument, match="Give free=log"):
        external_torque(RUBBING, log)


def test_false_alarms_are_no_more_than_stated():
    """300 logs without contact, of noise that is low-passed, of which 10 % may show one."""
    from scipy.signal import lfilter

    a, rng = np.exp(-30 / RATE), np.random.default_rng(0)
    noise = lfilter([1 - a], [1, -a], rng.standard_t(6, size=(301, 1500, 2)), axis=1)
    level = threshold(block_maxima(noise[:20].reshape(-1, 2), 80), 1500 / 80, 0.1)
    alarms = (np.abs(noise) > level).any(axis=(1, 2))
    assert alarms.mean() <= 0.1
    # and the threshold is not out of reach: a push of ten deviations is above
    assert (level < 10 * noise.std(axis=(0, 1))).all()


def test_it_is_saved_and_drawn(fit, tmp_path):
    found = external_torque(fit, recorded(1, SIZE), free=recorded(9))
    found.save(tmp_path / "external.csv")
    first, names, row = (tmp_path / "external.csv").read_text().splitlines()[:3]
    assert json.loads(first.partition("{")[1] + first.partition("{")[2]) == found.to_dict()
    assert names == "t,external.j1,external.j2"
    assert float(row.split(",")[1]) == found.torque[0, 0]
    figure = found.plot(tmp_path / "external.png")
    assert [axes.get_ylabel() for axes in figure.axes] == ["τ ext [N·m]"] * 2
    assert "1 contact" in found._repr_html_()


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        ({"free": (0.0, 1.0)}, "less than 3.33 s of free motion"),
        ({"gain": -1}, "gain is -1"),
        ({"gain": 1e4}, "at 250 rows per second give less"),
        ({"false_alarms": 2}, "give a probability"),
        ({"free": recorded(0)[:300]}, "of free motion, too few"),
    ],
)
def test_what_cannot_be_is_refused(choice, words):
    with pytest.raises(BadArgument, match=words):
        external_torque(RUBBING, recorded(0), **({"free": (0.0, 24.0)} | choice))


def test_logs_of_others_are_refused():
    log = recorded(0)
    with pytest.raises(BadArgument, match="no torques"):
        external_torque(ARM, Log(log.joint_names, log.t, log.q), free=log)
    with pytest.raises(BadArgument, match="other joints"):
        external_torque(ARM, Log(("a", "b"), log.t, log.q, tau=log.tau), free=log)
