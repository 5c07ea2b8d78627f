"""Output error: exact derivatives, no bias where least squares has one, several runs, refusals."""

from dataclasses import replace

import numpy as np
import pytest
from identification.excited import excited
from identification.made_logs import waving
from long import long

import qddot
from qddot.errors import BadArgument
from qddot.identification import MeasuredRun, coupled, prepared
from qddot.identification.output_error import OutputError, _Search
from qddot.identification.solution import weighted
from qddot.model.link import Inertial, Payload

PLAIN = qddot.load("two_link")
ARM = PLAIN.with_friction(viscous=2.0, coulomb=1.5)
COARSE = 2 * np.pi / 2**12  # of an encoder [rad]


def made(robot, rate=200, seconds=10, seed=0):
    t = np.arange(rate * seconds + 1) / rate
    q, qd, qdd = waving(robot.n, t, seed)
    return qddot.Log(robot.joint_names, t, q, qd, qdd, robot.inverse_dynamics(q, qd, qdd))


def noisy(log, seed, count=0.0, torque=0.02):
    """Return positions of a coarse encoder, and torques with noise; nothing else is measured."""
    rng = np.random.default_rng(seed)
    size = np.sqrt(np.mean(log.tau**2, axis=0))
    q = count * np.round(log.q / count) if count else log.q
    tau = log.tau + torque * size * rng.normal(size=log.tau.shape)
    return replace(log, q=q, qd=None, qdd=None, tau=tau)


def truth(fit, robot=ARM):
    values = dict(zip(robot.parameter_names, robot.parameters, strict=True))
    names = fit.problem.regression.names
    return fit.problem.B @ np.array([values.get(name, 0.0) for name in names])


def error(fit, robot=ARM):
    """Return the relative error of torques on another motion, without noise."""
    log = made(robot, seed=77)
    return np.linalg.norm(log.tau - fit.predict(log)) / np.linalg.norm(log.tau)


def test_derivatives_are_those_of_the_simulated_positions():
    """Central differences, with an inertia that two joints share as an extra column."""
    log = made(ARM, 100, 3)
    bent = {"bent": lambda q, qd, qdd: qdd * qdd}  # at the measured motion
    way = OutputError(ARM, extra=coupled(ARM, "j1", "j2") | bent)
    problem = way.gathered(log).problem
    beta = weighted(problem).beta + 0.05
    search = _Search(way._arm(problem), problem, beta, 2.0)
    found = search.columns(beta, search.simulated(beta))
    size = 1e-4
    for k, step in enumerate(size * np.eye(len(beta))):
        ends = [search.residual(search.simulated(beta + s)) for s in (-step, step)]
        assert (ends[0] - ends[1]) / (2 * size) == pytest.approx(found[..., k], abs=1e-8)


def test_the_truth_is_where_it_stays():
    """Without noise and without jumps of friction, to what steps and interpolation leave."""
    arm = PLAIN.with_friction(viscous=2.0)
    fit = qddot.identify(arm, made(arm, 100, 6), "output_error", terms=())
    assert fit.status == "solved"
    assert error(fit, arm) < 1e-5


def test_a_coarse_encoder_biases_least_squares_and_not_output_error():
    log = prepared(noisy(made(ARM), 1, COARSE), PLAIN, cutoff=40)
    plain, output = (qddot.identify(PLAIN, log, m) for m in ("weighted", "output_error"))
    assert output.solution.status == "solved"
    assert error(output) < error(plain) / 8
    assert error(output) < 0.006


def test_where_torques_alone_are_noisy_it_is_as_good_as_least_squares():
    log = prepared(noisy(made(ARM, seconds=20), 2), PLAIN)
    plain, output = (qddot.identify(PLAIN, log, m) for m in ("weighted", "output_error"))
    assert error(output) < 2 * error(plain)
    assert np.all(np.abs(output.values - truth(output)) < 4 * output.deviations)
    assert 0.3 < np.median(output.deviations / plain.deviations) < 3


@pytest.mark.long
def test_runs_with_a_load_are_simulated_with_it():
    numbers = 5.0, (0.1, 0.0, 0.0), (0.1, 0, 0, 0.2, 0, 0.3)
    known = Payload("tool", Inertial(*numbers))
    first, second = made(ARM, 50, 8), made(ARM.with_payload("tool", *numbers), 50, 6, seed=3)
    for carries in ("tool", known):
        runs = [first, MeasuredRun(second, carries, weight=2.0)]
        fit = qddot.identify(ARM, runs, "output_error", terms=())
        assert fit.status == "solved"
        assert all(run["relative_error"] < 0.003 for run in fit.runs)
    # stretches of both runs, with one of them cut in two
    assert fit.cross_validation(3).relative_error < 0.003


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"hold": 0}, "hold"),
        ({"terms": ("drift",)}, "'j1.drift' cannot be simulated"),
    ],
)
def test_what_cannot_be_simulated_is_refused_in_words(options, words):
    with pytest.raises(BadArgument, match=words):
        qddot.identify(ARM, made(ARM, 100, 4), "output_error", **options)


def test_rows_that_are_no_motion_are_refused():
    with pytest.raises(BadArgument, match="no motion in time"):
        qddot.identify(ARM, excited(ARM), "output_error", terms=())


def test_a_search_that_was_cut_short_says_so():
    log = prepared(noisy(made(ARM), 1, COARSE), PLAIN, cutoff=40)
    assert qddot.identify(PLAIN, log, "output_error", rounds=1).solution.status == "not settled"


@pytest.mark.parametrize("logs", long(40))
def test_intervals_hold_the_truth_about_as_often_as_they_say(logs):
    held = []
    for seed in range(logs):
        log = prepared(noisy(made(ARM, 100, 20, seed), seed, COARSE / 4), PLAIN, cutoff=5)
        fit = qddot.identify(PLAIN, log, "output_error")
        low, high = fit.intervals().T
        held.append((low <= truth(fit)) & (truth(fit) <= high))
    assert 0.87 < np.mean(held) < 0.99
