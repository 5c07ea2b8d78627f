"""Logs with something odd in them: what is told, and that nothing is claimed that is not so."""

from dataclasses import replace

import numpy as np
import pytest
from identification.made_logs import noisy, text

import qddot
from qddot.errors import BadArgument, IdentificationWarning
from qddot.identification.preparation import prepared


@pytest.fixture(scope="module")
def arm():
    return qddot.load("two_link").with_friction(viscous=20.0, coulomb=20.0)


@pytest.fixture(scope="module")
def log(arm):
    return noisy(arm, rate=100.0, duration=10.0, level=1e-5)


def test_a_joint_without_torques_is_told_and_is_not_sure_of_a_delay(arm, log):
    late = np.roll(log.tau, 3, axis=0)  # 30 ms
    late[:, 1] = 0
    with pytest.warns(IdentificationWarning, match="'j2': its torque is zero in every row"):
        fit = qddot.identify(arm, replace(log, tau=late), terms=("friction", "offset"))
    (said,) = [note.message for note in fit.log.notes if note.place == "delay"]
    assert "± 1e-06" not in said  # the column of zeros, which would be surest of all
    assert "of joint 'j2'" not in "".join(fit.uses)  # no share of a torque that is zero


def test_torques_of_another_time_are_good_for_nothing(arm):
    small = noisy(arm, rate=100.0, duration=10.0, level=1e-5)
    q = 0.1 * small.q  # hardly moves, so that torques are nearly constant
    rates = [np.gradient(q, 0.01, axis=0)]
    rates.append(np.gradient(rates[0], 0.01, axis=0))
    tau = np.random.default_rng(0).permutation(arm.inverse_dynamics(q, *rates))
    fit = qddot.identify(arm, replace(small, q=q, tau=tau), terms=("friction", "offset"))
    assert not any(word in " ".join(fit.uses) for word in ("good for", "fair for", "rough for"))


@pytest.mark.parametrize("torque", [0.0, 5.0])
def test_torques_that_never_change_explain_nothing(arm, log, torque):
    fit = qddot.identify(arm, replace(log, tau=np.full_like(log.tau, torque)))
    assert "never change" in fit.status
    assert not fit.trusted
    assert "constant" in fit.verdict


def test_rows_that_only_fit_when_filtered_are_not_explained(arm):
    log = noisy(arm, rate=200.0, duration=10.0, level=1e-5)
    coarse = np.round(1000 * log.q).astype(int)  # taken for radians
    fit = qddot.identify(arm, replace(log, q=coarse, tau=np.round(log.tau).astype(int)))
    assert not fit.trusted
    assert "well" not in fit.verdict


def test_velocities_that_are_all_zero_were_not_measured(arm, log):
    ready = prepared(replace(log, qd=np.zeros_like(log.q)), arm)
    assert any("count as not measured" in note.message for note in ready.notes)
    assert np.array_equal(ready.qd, prepared(log, arm).qd)


@pytest.mark.parametrize("wrong", [np.nan, np.inf, 1e200])
def test_entries_that_are_no_numbers_are_refused(arm, log, wrong):
    tau = log.tau.copy()
    tau[50, 1] = wrong
    with pytest.raises(BadArgument, match="first in row 51, column 2"):
        qddot.identify(arm, replace(log, tau=tau))


def test_a_row_and_times_that_go_back_are_refused(arm, log):
    with pytest.raises(BadArgument, match="1 rows; at least 16"):
        qddot.identify(arm, log[:1])
    with pytest.raises(BadArgument, match="do not rise"):
        qddot.identify(arm, replace(log, t=log.t[::-1]))


def test_what_a_log_does_not_show_is_said_once(arm, log):
    q = log.q.copy()
    q[:, 1] = 0.3
    with pytest.warns(IdentificationWarning) as told:
        fit = qddot.identify(arm, replace(log, q=q))
    assert sum("base parameters of robot" in str(each.message) for each in told) == 1
    assert "too few" not in fit.choices.sentence or len(fit.samples) < 50


def test_torques_too_small_for_numbers_are_refused(arm, log):
    faint = replace(log, tau=1e-200 * log.tau)
    for ready in (faint, (log.q, log.q, log.q, faint.tau)):
        with pytest.raises(BadArgument, match=r"largest torque is .*, which nothing measures"):
            qddot.identify(arm, ready)


def test_what_was_said_when_a_file_was_read_is_said_when_it_is_fitted(arm, log, tmp_path):
    still = replace(log, q=log.q * [1, 0], qd=0 * log.q)
    (tmp_path / "log.csv").write_text("\n".join(text(still)) + "\n")
    with pytest.warns(IdentificationWarning, match=r"log.csv: joint 'j2': it never moves"):
        qddot.identify(arm, tmp_path / "log.csv", terms=("friction", "offset"))
