"""A motion: interpolation between its rows, paths of frames, tables, words."""

import re
from dataclasses import replace

import numpy as np
import pytest
from faults import not_installed
from hypothesis import given
from hypothesis import strategies as st
from nearness import assert_close
from numpy.testing import assert_allclose, assert_array_equal
from simulation.made_motion import made, random_motion, sines

from qddot.errors import MissingExtra
from qddot.motions.spline import interpolated
from qddot.simulation.energy import Energy
from qddot.simulation.trajectory import Event


def errors(rows: int) -> list[float]:
    """Return the largest errors of q, q̇ and q̈ halfway between rows of sines."""
    t = np.linspace(0, 2, rows)
    middle = (t[1:] + t[:-1]) / 2
    found = interpolated(t, *sines(3, t), middle)
    exact = sines(3, middle)
    return [float(np.abs(a - b).max()) for a, b in zip(found, exact, strict=True)]


def test_interpolation_is_of_order_six_five_and_four():
    # halfway the error of the rate is of even order too, so that it may be higher than five
    for coarse, fine, order in zip(errors(9), errors(17), (6, 5, 4), strict=True):
        assert np.log2(coarse / fine) > order - 0.2


def test_interpolation_reproduces_rows_exactly():
    motion = made()
    for found, rows in zip(motion.at(motion.t), (motion.q, motion.qd, motion.qdd), strict=True):
        assert_array_equal(found, rows)


@given(st.integers(0, 2**32 - 1))
def test_interpolation_reproduces_quintics(seed):
    rng = np.random.default_rng(seed)
    p = np.polynomial.Polynomial(rng.normal(size=6))
    t = np.sort(rng.uniform(0, 3, size=5))
    rows = [f(t)[:, None] for f in (p, p.deriv(), p.deriv(2))]
    x = rng.uniform(t[0], t[-1], size=7)
    at = interpolated(t, *rows, x)
    wide = np.diff(t).min() > 0.05
    for found, f in zip(at, (p, p.deriv(), p.deriv(2)), strict=True):
        if wide:  # else rounding, divided by the square of the interval, decides
            assert_allclose(found[:, 0], f(x), rtol=1e-8, atol=1e-8)


def test_interpolation_takes_any_shape():
    motion = made()
    q, qd, qdd = motion.at(0.123)
    assert q.shape == qd.shape == qdd.shape == (2,)
    many = motion.at(np.full((2, 3), 0.123))[0]
    assert many.shape == (2, 3, 2)
    assert_array_equal(many[1, 2], q)
    assert motion.at([])[0].shape == (0, 2)


def test_nothing_is_interpolated_across_a_jump_and_the_later_side_counts():
    t = np.array([0.0, 1.0, 1.0, 2.0])
    q = np.array([[0.0], [1.0], [1.0], [0.0]])
    qd = np.array([[1.0], [1.0], [-1.0], [-1.0]])
    at = interpolated(t, q, qd, 0 * q, np.array([1 - 1e-9, 1.0, 1 + 1e-9, 0.5, 1.5]))
    assert_close(at[1][:, 0], [1, -1, -1, 1, -1])
    assert_allclose(at[0][:, 0], [1, 1, 1, 0.5, 0.5], rtol=0, atol=1e-8)


def test_a_jump_at_the_end_gives_the_later_side():
    t = np.array([0.0, 1.0, 1.0])
    q = np.array([[0.0], [1.0], [1.0]])
    qd = np.array([[1.0], [1.0], [-1.0]])
    assert interpolated(t, q, qd, 0 * q, 1.0)[1] == [-1.0]


def test_rows_that_are_not_finite_are_data():
    motion = made()
    motion.q[20:] = np.nan
    q = motion.at([0.1, 1.5])[0]
    assert np.isfinite(q[0]).all()
    assert np.isnan(q[1]).all()


def test_a_path_is_the_pose_and_its_velocity_the_derivative():
    motion = made("panda", duration=1.0, rows=101)
    path, velocity = motion.tip_path("tool"), motion.tip_velocity("tool")
    assert path.shape == velocity.shape == (101, 3)
    assert_array_equal(path[7], motion.robot.pose(motion.q[7], "tool")[:3, 3])
    h = motion.t[1]
    assert_allclose((path[2:] - path[:-2]) / (2 * h), velocity[1:-1], rtol=0, atol=2e-3)


def test_length_joints_and_duration():
    motion = made("panda", duration=3.0, rows=31)
    assert (len(motion), motion.n, motion.duration) == (31, 7, 3.0)


def test_it_tells_of_itself_in_a_few_lines():
    text = repr(made())
    for words in ("'two_link'", "2 s", "41 rows", "j1, j2", "by hand", "tolerance 1e-09"):
        assert words in text
    assert "made by hand" in text
    assert "energy" in text
    assert "hits a stop (1)" in text
    assert len(text.splitlines()) <= 6


def test_it_says_that_it_did_not_finish():
    motion = replace(made(), finished=False, status="the joint ran away")
    assert "not finished: the joint ran away" in repr(motion)


def test_nothing_it_tells_steers_a_terminal():
    hostile = "\x1b[31m\nname"
    motion = replace(
        random_motion(1, (hostile,)),
        status=hostile,
        how={"method": hostile, "robot": hostile},
        events=(Event(0.0, hostile),),
    )
    assert "\x1b" not in repr(motion)
    assert "\\x1b" in repr(motion)
    assert len(repr(motion).splitlines()) <= 6


def test_notebooks_get_words_and_a_figure_without_markup_in_names():
    evil = "<img src=x onerror=alert(1)>"
    motion = replace(made(), joint_names=(evil, "b"), status=evil, how={"robot": evil})
    page = motion._repr_html_()
    assert "<svg" in page
    assert "</svg>" in page
    assert "<img" not in page
    assert "&lt;img" in page
    assert not re.search(r"<\?xml|<!DOCTYPE", page)


def test_a_table_has_every_number():
    motion = replace(
        made(), wrenches={"tool": np.arange(41 * 6.0).reshape(41, 6)}, state=np.ones((41, 2))
    )
    table = motion.to_pandas()
    assert len(table) == 41
    assert_array_equal(table["t"], motion.t)
    for name in ("q", "qd", "qdd", "tau"):
        assert_array_equal(table[[f"{name}.j1", f"{name}.j2"]], getattr(motion, name))
    assert_array_equal(table["energy.kinetic"], motion.energy.kinetic)
    assert_array_equal(table["energy.actuators.j2"], motion.energy.actuators[:, 1])
    assert_array_equal(table["wrench.tool.mx"], motion.wrenches["tool"][:, 0])
    assert_array_equal(table["wrench.tool.fz"], motion.wrenches["tool"][:, 5])
    assert_array_equal(table["x.1"], np.ones(41))
    for name in Energy.__dataclass_fields__:
        assert any(column.startswith(f"energy.{name}") for column in table.columns)


def test_without_pandas_it_says_what_to_install(monkeypatch):
    not_installed(monkeypatch, "pandas")
    with pytest.raises(MissingExtra, match=r"pip install 'qddot\[logs\]'"):
        made().to_pandas()
