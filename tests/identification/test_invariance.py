"""What a fit must not depend on: the order of rows and joints, units, rows that do not count."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from nearness import assert_near

import qddot
from qddot.identification import METHODS, identify, load_log
from qddot.identification.base_parameters import random_states
from qddot.identification.log_checks import as_log
from qddot.identification.problem import problem_of
from qddot.identification.regression import Regression
from qddot.identification.solution import ordinary
from qddot.timeseries.csv_file import write_csv
from qddot.timeseries.parquet_file import write_parquet

ROWS = 120
SETTLED = 1e-9  # of a deviation, to which weights are iterated
LINEAR = [name for name in METHODS if name != "consistent"]  # which needs a solver


@pytest.fixture(scope="module")
def arm():
    return qddot.load("two_link").with_friction(viscous=[0.3, 0.2], coulomb=[0.5, 0.4])


@pytest.fixture(scope="module")
def log(arm):
    at = random_states(arm, ROWS, limits=False)
    tau = arm.inverse_dynamics(at.q, at.qd, at.qdd)
    noise = np.random.default_rng(1).normal(size=tau.shape)
    return replace(at, tau=tau + [0.1, 0.02] * noise, source="by hand")


def near(found, wanted, tolerance=SETTLED):
    assert_near(found, wanted, tolerance=tolerance)


@pytest.mark.parametrize("method", LINEAR)
def test_the_order_of_rows_changes_no_value(arm, log, method):
    order = np.random.default_rng(2).permutation(ROWS)
    first, other = (identify(arm, x, method, terms=()) for x in (log, log[order]))
    assert first.names == other.names
    near(other.values, first.values, 1e-4 if method == "robust" else SETTLED)


@pytest.mark.parametrize("method", ["weighted", "ordinary"])
def test_torques_in_other_units_give_parameters_in_other_units(arm, log, method):
    first, other = (
        identify(arm, replace(log, tau=scale * log.tau), method, terms=()) for scale in (1.0, 1e3)
    )
    near(other.values, 1e3 * first.values)
    near(other.deviations, 1e3 * first.deviations)
    assert other.relative_error == pytest.approx(first.relative_error, rel=SETTLED)
    assert other.condition == pytest.approx(first.condition, rel=SETTLED)


def test_a_log_with_its_joints_in_another_order_is_the_same_log(arm, log):
    counts = np.abs(log.qd) > 0.1
    log = replace(log, counts=counts, bandwidth=3.0)
    turned = {name: x[:, ::-1] for name, x in log.arrays()}
    names = log.joint_names[::-1]
    other = replace(log, joint_names=names, counts=counts[:, ::-1], **turned)
    back = as_log(arm, other)
    assert (back.joint_names, back.source, back.bandwidth) == (arm.joint_names, "by hand", 3.0)
    for name in ("t", "q", "qd", "qdd", "tau", "counts"):
        np.testing.assert_array_equal(getattr(back, name), getattr(log, name))
    np.testing.assert_array_equal(identify(arm, other).values, identify(arm, log).values)


def test_weights_of_zero_take_rows_out_and_weights_of_one_change_nothing(arm, log):
    problem = problem_of(Regression.of(arm), log)
    near(ordinary(problem.weighted(np.ones((ROWS, 2)))).beta, ordinary(problem).beta)
    weights = np.ones((ROWS, 2))
    weights[50:] = 0
    half = problem_of(Regression.of(arm), log[:50])
    near(ordinary(problem.weighted(weights)).beta, ordinary(half).beta)


def test_parts_of_a_problem_add_up_to_the_whole(arm, log):
    problem = problem_of(Regression.of(arm), log, blocks=4)
    parts = [problem.chosen([b]) for b in range(4)]
    beta = ordinary(problem).beta
    assert [len(part.log) for part in parts] == [30] * 4
    near(sum(part.squares(beta) for part in parts), problem.squares(beta))
    near(sum(part.torques for part in parts), np.sum(log.tau**2, axis=0))
    left = log.tau - problem.regression.torque(log, problem.all_parameters(beta))
    near(problem.squares(beta), np.sum(left**2, axis=0))


def test_a_parameter_taken_for_zero_is_a_column_left_out(arm, log):
    problem = problem_of(Regression.of(arm), log)
    Y = arm.regressor(log.q, log.qd, log.qdd)[..., list(problem.base.columns.kept)]
    for k in range(problem.rank):
        kept = [i for i in range(problem.rank) if i != k]
        rows = Y[..., kept].reshape(-1, len(kept))
        wanted = np.linalg.lstsq(rows, log.tau.reshape(-1), rcond=None)[0]
        fewer = problem.without(k)
        near(ordinary(fewer).beta, wanted)
        np.testing.assert_array_equal(fewer.Z, problem.B[[k]])
        assert fewer.whole is problem


def test_pieces_of_a_log_are_the_log(log):
    log = replace(log, counts=log.qd > 0, Y=np.ones((ROWS, 2, 3)))
    pieces = [piece for _, piece in log.chunks(50)]
    assert [len(piece) for piece in pieces] == [50, 50, 20]
    for name in ("t", "q", "qd", "qdd", "tau", "counts", "Y"):
        joined = np.concatenate([getattr(piece, name) for piece in pieces])
        np.testing.assert_array_equal(joined, getattr(log, name))


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".npz"])
def test_a_log_is_the_same_from_every_kind_of_file(arm, log, tmp_path, ending):
    path = tmp_path / f"log{ending}"
    names = ["t", *(f"{what}.{joint}" for what, _ in log.arrays() for joint in log.joint_names)]
    rows = np.column_stack([log.t, *(x for _, x in log.arrays())])
    if ending == ".npz":
        arrays = dict(log.arrays()) | {"joint_names": np.array(log.joint_names)}
        np.savez(path, t=log.t, **arrays)
    elif ending == ".csv":
        write_csv(path, "log", "{}", names, rows)
    else:
        pytest.importorskip("pyarrow", reason="pyarrow is not installed")
        write_parquet(path, "log", "{}", names, rows)
    back = load_log(path, arm)
    np.testing.assert_array_equal(back.t, log.t)
    for name, values in log.arrays():
        np.testing.assert_array_equal(getattr(back, name), values)
