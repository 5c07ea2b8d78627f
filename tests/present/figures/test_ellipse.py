"""Shapes that figures are made of: ellipses, ellipsoids, cells of a map."""

import numpy as np
from numpy.testing import assert_allclose

from qddot.present.figures.effective_mass import least_in_cells
from qddot.present.figures.ellipses import outline, surface

TURN = np.array([[0.8, -0.6], [0.6, 0.8]])
SPACE = np.array([[0.8, -0.6, 0], [0.6, 0.8, 0], [0, 0, 1.0]])


def test_an_ellipse_that_fits_is_closed():
    line = outline(np.array([1.0, 3.0]), TURN, 5.0)
    assert_allclose(((line @ TURN / [1, 3]) ** 2).sum(axis=1), 1)
    assert_allclose(line[0], line[-1], rtol=0, atol=1e-12)


def test_an_ellipse_that_does_not_fit_is_cut_open():
    for heavy in (30.0, np.inf):
        line = outline(np.array([1.0, heavy]), TURN, 5.0)
        drawn = line[np.isfinite(line).all(axis=1)] @ TURN
        assert len(drawn) == len(line) - 1
        assert_allclose(np.abs(drawn[:, 1]).max(), 5)
        assert_allclose(drawn[:, 0] ** 2 + (drawn[:, 1] / heavy) ** 2, 1)
    assert np.isnan(outline(np.array([np.inf, np.inf]), TURN, 5.0)).all()


def test_an_ellipsoid_is_closed_where_it_fits_and_open_where_not():
    closed = surface(np.array([1.0, 2.0, 3.0]), SPACE, 5.0) @ SPACE
    assert_allclose(((closed / [1, 2, 3]) ** 2).sum(axis=-1), 1)
    opened = surface(np.array([1.0, 2.0, np.inf]), SPACE, 5.0) @ SPACE
    assert_allclose(((opened[..., :2] / [1, 2]) ** 2).sum(axis=-1), 1)
    assert_allclose(np.abs(opened[..., 2]).max(), 5)
    assert np.isfinite(surface(np.full(3, np.inf), SPACE, 5.0)).all()


def test_a_cell_holds_the_least_of_its_points():
    points = np.array([[0.0, 0.0], [0.01, 0.0], [1.0, 0.5]])
    cells, extent = least_in_cells(points, np.array([3.0, 2.0, np.inf]), cells=10)
    assert cells.shape == (6, 11)
    assert cells[0, 0] == 2.0
    assert cells[5, 10] == np.inf
    assert np.isnan(cells[2, 2])
    assert_allclose(extent, [-0.05, 1.05, -0.05, 0.55])
