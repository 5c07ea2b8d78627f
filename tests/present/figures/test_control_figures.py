"""Figures of closed loops show what the runs hold; models that are wrong by a share."""

from __future__ import annotations

import numpy as np
import pytest
from made import ARM, PANDA, SHOULDER
from numpy.testing import assert_allclose

import qddot
from qddot.control.laws import PD, MomentumObserver, OperationalSpace, PDGravity
from qddot.control.laws.assumption import wrong_model
from qddot.control.loop import closed_loop
from qddot.motions import CartesianLine, Quintic, time_optimal
from qddot.plot import plot_closed_loop, plot_comparison, plot_fastest
from qddot.present.figures.closed_loop import places_of

HOME = np.array([0.0, 0.3, 0.0, -1.6, 0.0, 1.9, 0.5])
STILL = closed_loop(ARM, PDGravity(ARM, 2000, 1000, [0.5, 0.5]), q0=[0, 0], duration=2)


def curves(axes) -> list[np.ndarray]:
    return [np.asarray(line.get_ydata(), dtype=float) for line in axes.lines]


def shows(axes, wanted: np.ndarray) -> bool:
    return any(len(y) == len(wanted) and np.array_equal(y, wanted) for y in curves(axes))


def test_a_figure_shows_errors_torques_v_and_positions():
    drawn = plot_closed_loop(STILL)
    error, torque, V, rate, position = drawn.axes
    for axes, rows in ((error, STILL.error), (torque, STILL.tau), (position, STILL.trajectory.q)):
        assert all(shows(axes, rows[:, i]) for i in range(2))
    assert STILL.V is not None
    assert STILL.V_rate is not None
    assert shows(V, STILL.V)
    assert shows(rate, STILL.V_rate)
    assert shows(position, np.full(len(STILL.t), 0.5))  # the reference


def test_errors_and_positions_are_drawn_in_degrees_where_asked():
    error, torque, *_, position = plot_closed_loop(STILL, degrees=True).axes
    assert shows(error, STILL.error[:, 1] * (180 / np.pi))
    assert shows(position, STILL.trajectory.q[:, 1] * (180 / np.pi))
    assert shows(torque, STILL.tau[:, 0])
    assert (error.get_ylabel(), position.get_ylabel()) == ("error [°]", "position [°]")
    sizes = plot_comparison({"one": STILL}, degrees=True).axes[0]
    assert sizes.get_ylabel() == "‖e‖ [°]"


def test_an_error_says_its_units():
    X = PANDA.pose(HOME, "tool")
    turned = {"orientation": X[:3, :3], "turning": (50, 15)}
    law = OperationalSpace(PANDA, "tool", 100, 20, X[:3, 3], posture=HOME, **turned)
    assert STILL.report.error_units == ("rad", "rad")
    assert law.error_units == ("rad",) * 3 + ("m",) * 3
    assert len(law.error_names) == 6


def test_a_law_without_v_has_no_panel_of_it():
    law = PD(ARM, 2000, 1000, Quintic([[0, 0], [1, 1]], 1.0))
    run = closed_loop(ARM, law, q0=[0, 0], duration=0.2)
    assert len(plot_closed_loop(run).axes) == 3


def test_limits_are_drawn_where_torques_come_near_them():
    law = PDGravity(PANDA, 5000, 100, HOME)
    run = closed_loop(PANDA, law, q0=HOME + 0.2, duration=0.05, tolerance=1e-6)
    torque = plot_closed_loop(run).axes[1]
    levels = {float(y[0]) for y in curves(torque) if len(y) == 2}
    assert {-87.0, 87.0, -12.0, 12.0} <= levels
    assert "100% of a limit" in torque.texts[0].get_text()


def test_the_path_of_a_frame_is_drawn_beside_its_reference(tmp_path):
    home = HOME[:4]
    end = SHOULDER.pose(home, "tool")[:3, 3] + np.array([0.05, 0.1, 0.0])
    line = CartesianLine(SHOULDER, "tool", home, end=end, duration=0.5, orientation="free")
    law = OperationalSpace(SHOULDER, "tool", 100, 20, line, axes="xy", posture=home)
    run = closed_loop(SHOULDER, law, q0=home, duration=0.6, tolerance=1e-8)
    places = places_of(run)
    assert places is not None
    assert_allclose(places.wanted[-1, :2], end[:2])
    assert np.isnan(places.wanted[:, 2]).all()  # left free
    assert_allclose(places.went[:, :2] - places.wanted[:, :2], run.error, rtol=0, atol=1e-12)
    drawn = plot_closed_loop(run, tmp_path / "line.svg")
    panel = next(axes for axes in drawn.axes if axes.get_xlabel() == "x [m]")
    assert shows(panel, places.went[:, 1])
    assert (tmp_path / "line.svg").stat().st_size < 500_000


def test_an_observer_is_drawn_like_its_law():
    law = MomentumObserver(PDGravity(ARM, 2000, 1000, [0.5, 0.5]), gain=20.0)
    run = closed_loop(ARM, law, q0=[0, 0], duration=0.3)
    assert shows(plot_closed_loop(run).axes[-1], np.full(len(run.t), 0.5))


def test_several_runs_are_compared_by_the_size_of_their_errors():
    drawn = plot_comparison({"one": STILL, "another": STILL})
    assert shows(drawn.axes[0], np.linalg.norm(STILL.error, axis=1))
    assert drawn.axes[0].get_yscale() == "log"
    with pytest.raises(qddot.QddotError, match="at least one"):
        plot_comparison({})


def test_the_fastest_motion_is_drawn_within_its_limits():
    quick = time_optimal(ARM, [[0, 0], [1, 1]], effort=[3000, 1000], pieces=100)
    right = plot_fastest(ARM, quick, effort=[3000, 1000]).axes[1]
    shares = np.concatenate(curves(right))
    assert_allclose(np.abs(shares).max(), 1, rtol=0, atol=1e-3)
    with pytest.raises(qddot.QddotError, match="there is effort"):
        plot_fastest(ARM, quick, torque=3)


# models that are wrong


def test_a_wrong_model_is_wrong_by_its_share_and_has_the_same_lengths():
    wrong = wrong_model(PANDA, 0.3)
    masses = [
        (float(link.inertial.mass), float(other.inertial.mass))
        for link, other in zip(PANDA.model.links, wrong.model.links, strict=True)
        if float(link.inertial.mass)
    ]
    factors = {round(other / own, 12) for own, other in masses}
    assert factors == {0.7, 1.3}
    assert_allclose(wrong.pose(HOME, "tool"), PANDA.pose(HOME, "tool"))
    assert_allclose(wrong_model(PANDA, 0.0).mass_matrix(HOME), PANDA.mass_matrix(HOME))


@pytest.mark.parametrize("share", [-0.1, 1.0, np.nan, "much"])
def test_a_share_that_is_none_is_refused(share):
    with pytest.raises(qddot.QddotError, match="share is"):
        wrong_model(PANDA, share)
