"""Draws and grids: each run has its own numbers, whoever computes it."""

import numpy as np
import pytest

from qddot.sweeps.plan import study_of
from qddot.sweeps.quantities import BLOCK, Distribution, drawn

MANY = 200_000
SIGMAS = 5.0  # by how many standard errors a mean may be off


def distribution(kind, *numbers, **more):
    return Distribution(kind, tuple(np.array([x]) for x in numbers), **more)


@pytest.mark.parametrize(
    ("kind", "numbers", "mean", "std"),
    [
        ("uniform", (1.0, 3.0), 2.0, 2 / np.sqrt(12)),
        ("normal", (1.0, 0.5), 1.0, 0.5),
        ("lognormal", (2.0, 0.3), 2 * np.exp(0.045), 2 * np.exp(0.045) * np.sqrt(np.exp(0.09) - 1)),
        ("triangular", (0.0, 1.0, 4.0), 5 / 3, np.sqrt((16 + 1 - 4) / 18)),
    ],
)
def test_draws_have_the_mean_and_the_spread_of_their_distribution(kind, numbers, mean, std):
    found = drawn(distribution(kind, *numbers), 7, "x", np.arange(MANY), 1)[:, 0]
    assert abs(found.mean() - mean) < SIGMAS * std / np.sqrt(MANY)
    assert found.std() == pytest.approx(std, rel=0.02)


def test_choices_are_drawn_equally_often_and_rows_as_a_whole():
    numbers = Distribution("choice", (np.array([[1.0], [2.0], [5.0]]),))
    found = drawn(numbers, 0, "x", np.arange(30_000), 2)
    assert set(found.ravel()) == {1.0, 2.0, 5.0}
    assert np.bincount(found[:, 0].astype(int)).max() < 11_000
    assert (found[:, 0] != found[:, 1]).any()
    rows = Distribution("choice", (np.array([[1.0, 10.0], [2.0, 20.0]]),))
    found = drawn(rows, 0, "x", np.arange(1000), 2)
    assert np.array_equal(found[:, 1], 10 * found[:, 0])


def test_a_draw_is_the_same_in_whatever_company_it_is_made():
    numbers = distribution("normal", 0.0, 1.0)
    whole = drawn(numbers, 3, "x", np.arange(3 * BLOCK), 2)
    some = np.array([0, BLOCK - 1, BLOCK, 2 * BLOCK + 5, 17])
    assert np.array_equal(drawn(numbers, 3, "x", some, 2), whole[some])
    assert not np.array_equal(drawn(numbers, 3, "y", some, 2), whole[some])
    assert not np.array_equal(drawn(numbers, 4, "x", some, 2), whole[some])
    assert len(np.unique(whole)) == whole.size


def test_one_draw_may_be_for_all_parts_and_be_clipped():
    numbers = distribution("normal", 0.0, 1.0, clip=(-0.5, 0.5), shared=True)
    found = drawn(numbers, 0, "x", np.arange(1000), 3)
    assert (found == found[:, :1]).all()
    assert found.min() == -0.5
    assert found.max() == 0.5


def test_runs_are_the_grid_point_by_point_and_every_point_meets_the_same_draws():
    plan = {
        "robot": "two_link",
        "duration": 1.0,
        "draws": 3,
        "vary": {
            "payload.tool": {"grid": [0, 1]},
            "friction.viscous.j2": {"linspace": [0, 4, 3]},
            "q0": {"uniform": [-1, 1]},
        },
    }
    runs = study_of(plan).runs
    assert runs.total == 2 * 3 * 3
    values = runs.values(np.arange(18))
    assert values["payload.tool"][:, 0].tolist() == [0] * 9 + [1] * 9
    assert values["friction.viscous"][:, 1].tolist() == 2 * [0, 0, 0, 2, 2, 2, 4, 4, 4]
    assert (values["friction.viscous"][:, 0] == 0).all()
    q0 = values["q0"].reshape(6, 3, 2)
    assert (q0 == q0[0]).all()
    assert len(np.unique(q0[0])) == 6


def test_values_are_set_or_changed_by_a_factor_or_an_offset():
    def found(**line):
        vary = {"friction.viscous": {"grid": [2.0]} | line}
        plan = {"robot": "two_link", "duration": 1, "set": {"friction.viscous": [3, 5]}}
        return study_of(plan | {"vary": vary}).runs.values(np.arange(1))["friction.viscous"][0]

    assert found().tolist() == [2, 2]
    assert found(**{"as": "factor"}).tolist() == [6, 10]
    assert found(**{"as": "offset"}).tolist() == [5, 7]


def test_the_size_of_units_changes_no_run(run, swings):
    small, large = run(swings | {"unit": 7}), run(swings | {"unit": 100})
    assert (small.units, large.units) == (15, 1)
    assert small.table().equals(large.table())


def test_another_quantity_changes_no_draw_of_the_first(swings):
    one = study_of(swings).runs.values(np.arange(50))["q0"]
    more = swings | {"vary": {"gravity.y": {"uniform": [-10, -9]}} | swings["vary"]}
    assert np.array_equal(study_of(more).runs.values(np.arange(50))["q0"], one)
