"""Every estimator on the same logs: the figures are those of the fits, and failures say why."""

import numpy as np
import pytest
from faults import not_installed
from identification.excited import excited
from identification.made_logs import waving

import qddot
from qddot.errors import BadArgument
from qddot.identification import METHODS, compare_methods

PLAIN = qddot.load("two_link")
ARM = PLAIN.with_friction(viscous=2.0, coulomb=1.5)


def made(seed):
    t = np.arange(801) / 100
    q, qd, qdd = waving(2, t, seed)
    tau = ARM.inverse_dynamics(q, qd, qdd)
    tau += np.random.default_rng(seed).normal(0, 3, tau.shape)
    return qddot.Log(ARM.joint_names, t, q, qd, qdd, tau)


def test_the_figures_are_those_of_the_fits():
    log, other = made(0), made(1)
    table = compare_methods(PLAIN, log, ("weighted", "ordinary"), validate=[other])
    alone = qddot.identify(PLAIN, log)
    first, second = table.methods
    assert first.fit.values == pytest.approx(alone.values)
    assert first.unseen == pytest.approx(alone.cross_validation().relative_error)
    size = np.linalg.norm(other.tau)
    assert first.others == pytest.approx(np.linalg.norm(other.tau - alone.predict(other)) / size)
    assert second.fit.status == "solved"
    assert table.best == min(table.methods, key=lambda each: each.unseen).method
    assert "other logs" in str(table)
    assert table.to_dict()["methods"][0]["relative_error"] == first.fit.relative_error


def test_a_method_that_fails_says_why_and_the_others_go_on(monkeypatch):
    not_installed(monkeypatch, "cvxpy")
    table = compare_methods(ARM, excited(ARM, 200, 0, 1.0), terms=())
    assert [each.method for each in table.methods] == list(METHODS)
    (failed,) = [each for each in table.methods if each.fit is None]
    assert failed.method == "consistent"
    assert "consistent: " in str(table)
    assert "other logs" not in str(table)


def test_what_is_not_shared_is_refused():
    with pytest.raises(BadArgument, match="Not all methods have an option 'belief'"):
        compare_methods(ARM, made(0), belief=2.0)
    with pytest.raises(BadArgument, match="no method 'weihgted'"):
        compare_methods(ARM, made(0), ("weihgted",))
